// dot: sums of products over contracting dimensions, for each batch element.
//
// Both operands are brought into the type of sums; blocked_dot.h adds the products up.
#include <algorithm>

#include "axle/ops/blocked_dot.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/sparsity.h"

namespace axle {

extern const OpDef kDotDef;

namespace {

// Four text attributes, one sub-message of the proto.
constexpr AttrSpec kAttrs[] = {
    Attr<&DotAttrs::lhs_batch_dims>("lhs_batch_dims", {30, 3}, Presence::kOptional),
    Attr<&DotAttrs::lhs_contracting_dims>("lhs_contracting_dims", {30, 1}, Presence::kPrinted),
    Attr<&DotAttrs::rhs_batch_dims>("rhs_batch_dims", {30, 4}, Presence::kOptional),
    Attr<&DotAttrs::rhs_contracting_dims>("rhs_contracting_dims", {30, 2}, Presence::kPrinted),
    Attr<&DotAttrs::operand_precision>("operand_precision", {51, 1}, Presence::kOptional),
    Attr<&DotAttrs::algorithm>("algorithm", {51, 2}, Presence::kOptional),
    Attr<&DotAttrs::sparsity_config>("sparsity_config", {.field = 98}, Presence::kOptional),
    Attr<&DotAttrs::sparsity>("sparsity", {.field = 86}, Presence::kOptional),  // of older dumps
};

// Checks that every named dimension exists and has one role only.
Status CheckRoles(const Instruction& inst, std::string_view side, const Dims& batch,
                  const Dims& contracting, i64 rank) {
  Dims all = batch;
  all.insert(all.end(), contracting.begin(), contracting.end());
  return CheckDims(inst, StrCat(side, "_batch_dims + ", side, "_contracting_dims"), all, rank);
}

// Contracting and batch dimensions come in pairs of equal size.
Status CheckPairs(const Instruction& inst, std::string_view kind, const Dims& lhs_dims,
                  const Dims& rhs_dims) {
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  if (lhs_dims.size() != rhs_dims.size()) {
    return OpError(inst, StrCat("lhs has ", lhs_dims.size(), " ", kind, " dimensions but rhs has ",
                                rhs_dims.size()));
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const i64 l = lhs_dims[i], r = rhs_dims[i];
    if (lhs.dim(l) != rhs.dim(r)) {
      return OpError(inst, StrCat(kind, " dimension lhs ", l, " has size ", lhs.dim(l), " but rhs ",
                                  r, " has size ", rhs.dim(r)));
    }
  }
  return {};
}

StatusOr<Shape> InferDot(const Instruction& inst) {
  AXLE_TRY(CheckSparseOperands(inst, HasSparseOperand(inst.attrs<DotAttrs>())));
  return InferDotGeneral(inst, inst.attrs<DotAttrs>());
}

StatusOr<Literal> EvalDot(const Instruction& inst, std::span<Literal> operands,
                          const EvalContext& context) {
  return DotGeneral(inst.attrs<DotAttrs>(), operands[0], operands[1], inst.shape(), context);
}

// A pair of dimensions has one size at run time; a static one has that of the other.
Status AgreeOnPairs(const Instruction& inst, std::span<const Literal> operands,
                    std::string_view kind, const Dims& lhs_dims, const Dims& rhs_dims,
                    Dims& lhs_sizes, Dims& rhs_sizes) {
  const Shape &lhs = operands[0].shape(), &rhs = operands[1].shape();
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    i64 &l = lhs_sizes[lhs_dims[i]], &r = rhs_sizes[rhs_dims[i]];
    if (lhs.is_dynamic(lhs_dims[i]) && rhs.is_dynamic(rhs_dims[i]) && l != r) {
      return OpError(inst, StrCat(kind, " dimension lhs ", lhs_dims[i], " has run-time size ", l,
                                  " but rhs ", rhs_dims[i], " has run-time size ", r));
    }
    l = r = std::min(l, r);
  }
  return {};
}

// Padding becomes zeros on both sides and the bounds are multiplied, so that the order of
// additions, which depends on them, is that of any other sizes.
StatusOr<Literal> EvalDotDynamic(const Instruction& inst, std::span<Literal> operands,
                                 const EvalContext& context) {
  const DotAttrs& attrs = inst.attrs<DotAttrs>();
  Dims sizes[] = {operands[0].sizes(), operands[1].sizes()};
  AXLE_TRY(AgreeOnPairs(inst, operands, "contracting", attrs.lhs_contracting_dims,
                        attrs.rhs_contracting_dims, sizes[0], sizes[1]));
  AXLE_TRY(AgreeOnPairs(inst, operands, "batch", attrs.lhs_batch_dims, attrs.rhs_batch_dims,
                        sizes[0], sizes[1]));
  for (size_t i = 0; i < 2; ++i) {
    const Dims bounds = operands[i].shape().dims();
    AXLE_ASSIGN(operands[i], ExtendedByZeros(inst, FirstElements(operands[i], sizes[i]), bounds));
  }
  // The substitute is the same instruction on the operands' present shapes.
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(Literal result, substitute.Evaluate(operands, context));
  i64 d = 0;
  for (i64 from : attrs.lhs_batch_dims) result.SetSizeBeforeFlags(d++, sizes[0][from]);
  for (i64 from : FreeDims(operands[0].shape(), attrs.lhs_batch_dims, attrs.lhs_contracting_dims)) {
    result.SetSizeBeforeFlags(d++, sizes[0][from]);
  }
  for (i64 from : FreeDims(operands[1].shape(), attrs.rhs_batch_dims, attrs.rhs_contracting_dims)) {
    result.SetSizeBeforeFlags(d++, sizes[1][from]);
  }
  return result;
}

Status CheckDotRuns(const Instruction& inst) {
  return CheckNothingIsSparse(inst, HasSparseOperand(inst.attrs<DotAttrs>()));
}

}  // namespace

// The result has batch dimensions, then the free ones of lhs, then those of rhs.
StatusOr<Shape> InferDotGeneral(const Instruction& inst, const DotAttrs& attrs) {
  for (i64 i = 0; i < 2; ++i) AXLE_TRY(ExpectArray(inst, i));
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  AXLE_TRY(CheckRoles(inst, "lhs", attrs.lhs_batch_dims, attrs.lhs_contracting_dims, lhs.rank()));
  AXLE_TRY(CheckRoles(inst, "rhs", attrs.rhs_batch_dims, attrs.rhs_contracting_dims, rhs.rank()));
  // A sparse operand has fewer elements than the other one in the dimensions that it is sparse in.
  if (!HasSparseOperand(attrs)) {
    AXLE_TRY(
        CheckPairs(inst, "contracting", attrs.lhs_contracting_dims, attrs.rhs_contracting_dims));
  }
  AXLE_TRY(CheckPairs(inst, "batch", attrs.lhs_batch_dims, attrs.rhs_batch_dims));
  Shape result(ContractionType(inst));
  const auto append = [&](const Shape& from, const Dims& dims) {
    for (i64 d : dims) result.AppendDim(from.dim(d), from.is_dynamic(d));
  };
  append(lhs, attrs.lhs_batch_dims);
  for (size_t i = 0; i < attrs.rhs_batch_dims.size(); ++i) {
    if (rhs.is_dynamic(attrs.rhs_batch_dims[i])) result.set_dynamic(static_cast<i64>(i), true);
  }
  append(lhs, FreeDims(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims));
  append(rhs, FreeDims(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims));
  return result;
}

// Chooses the types, then one of two orders of addition: the canonical one for a vector with a
// matrix, blocks otherwise.
StatusOr<Literal> DotGeneral(const DotAttrs& attrs, const Literal& lhs_operand,
                             const Literal& rhs_operand, const Shape& result,
                             const EvalContext& context) {
  const Contraction contraction(lhs_operand.shape().type(), rhs_operand.shape().type(),
                                result.type());
  AXLE_ASSIGN(Literal sums,
              Literal::CreateUninitialized(result.WithoutLayout().WithType(contraction.computed)));
  // Without results nothing is computed: operands may then be longer than memory in the other
  // dimensions.
  if (sums.num_elements() == 0) return contraction.Result(std::move(sums));
  AXLE_ASSIGN(const Literal lhs, contraction.Factor(lhs_operand, contraction.lhs_multiplied));
  AXLE_ASSIGN(const Literal rhs, contraction.Factor(rhs_operand, contraction.rhs_multiplied));
  const auto side = [](const Literal& factor, const Dims& batch, const Dims& contracting) {
    return DotSide(factor, batch, FreeDims(factor.shape(), batch, contracting), contracting);
  };
  const DotSide lhs_side = side(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims);
  const DotSide rhs_side = side(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims);
  if (IsCanonical(contraction, lhs_side, rhs_side)) {
    AXLE_TRY(CanonicalDot(contraction.computed, lhs_side, rhs_side, sums.mutable_bytes(), context));
  } else {
    AXLE_TRY(BlockedDot(contraction, BlockAccumulator::OrderFor(contraction, lhs, rhs), lhs_side,
                        rhs_side, sums.mutable_bytes(), context));
  }
  return contraction.Result(std::move(sums));
}

bool IsDot(const Instruction& inst) {
  return inst.opcode() == Opcode::kDot;
}

const OpDef kDotDef = {
    .opcode = Opcode::kDot,
    .text = "dot",
    .summary = "Sums of products over the contracting dimensions, for each batch element.",
    .semantics =
        "Batch and contracting dimensions are named in pairs, in any "
        "order and number; the result has the batch dimensions in the order of their "
        "list, then the free dimensions of lhs, then those of rhs. Both operands are "
        "converted to the result's element type, which is the declared one (XLA's "
        "preferred_element_type), or else the operand type of higher precision; operands "
        "may be of different types. Nothing to contract gives 0. Integers wrap around, "
        "pred is the or of ands, 0 * inf is NaN. Every result has one order of additions, "
        "see docs/numerics.md N5; operand_precision and algorithm are carried, and the "
        "one order satisfies them all, so they change nothing. Padding of dynamic "
        "dimensions counts as zeros on both sides, in products over the bounds; free and "
        "batch dimensions keep their sizes. With sparsity_config, or sparsity of older dumps, an "
        "operand holds only some elements of each block, and the operands behind rhs say which: "
        "that is read and printed, and UNIMPLEMENTED when it is compiled.",
    .source = "XLA DotGeneral; StableHLO dot_general; docs/numerics.md N5",
    .operands = kSparseOperands,
    .attrs = Schema<DotAttrs>(kAttrs),
    .traits = kMixedPrecision,
    .lowering = Lowering::kDot,
    .accuracy = "one fma per product in a fixed order, docs/numerics.md N5",
    .errors = ErrorPropagation::kDot,
    .infer = InferDot,
    .check_run = CheckDotRuns,
    .eval = EvalDot,
    .eval_dynamic = EvalDotDynamic,
};

}  // namespace axle

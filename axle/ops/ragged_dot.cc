// ragged-dot: dot with groups of unequal size along one dimension of lhs.
//
// Everything is done by sides with fewer offsets (blocked_dot.h): the rows of a group times the rhs
// of the group; the contracted elements of a group; or the batch elements that are in some group.
#include <algorithm>

#include "axle/core/convert.h"
#include "axle/ops/blocked_dot.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

extern const OpDef kRaggedDotDef;

namespace {

constexpr OperandSpec kRaggedDotOperands[] = {{"lhs"}, {"rhs"}, {"group_sizes"}};
constexpr AttrSpec kRaggedDotAttrs[] = {
    Attr<&RaggedDotAttrs::lhs_batch_dims>("lhs_batch_dims", {90, 1, 3}, Presence::kOptional),
    Attr<&RaggedDotAttrs::lhs_contracting_dims>("lhs_contracting_dims", {90, 1, 1},
                                                Presence::kPrinted),
    Attr<&RaggedDotAttrs::rhs_batch_dims>("rhs_batch_dims", {90, 1, 4}, Presence::kOptional),
    Attr<&RaggedDotAttrs::rhs_contracting_dims>("rhs_contracting_dims", {90, 1, 2},
                                                Presence::kPrinted),
    Attr<&RaggedDotAttrs::operand_precision>("operand_precision", {51, 1}, Presence::kOptional),
    Attr<&RaggedDotAttrs::algorithm>("algorithm", {51, 2}, Presence::kOptional),
    Attr<&RaggedDotAttrs::lhs_ragged_dims>("lhs_ragged_dims", {90, 2}),
    Attr<&RaggedDotAttrs::rhs_group_dims>("rhs_group_dims", {90, 3}, Presence::kOptional),
};

// What the ragged dimension of lhs is: free (groups of rows), contracting (groups of products), or
// batch.
enum class Mode { kFree, kContracting, kBatch };

// Facts about the ragged dimension that inference has checked, in the form that inference and
// evaluation use.
struct Roles {
  explicit Roles(const Instruction& inst) {
    const RaggedDotAttrs& attrs = inst.attrs<RaggedDotAttrs>();
    const Shape& lhs = inst.operand(0)->shape();
    ragged = attrs.lhs_ragged_dims[0];
    lhs_free = FreeDims(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims);
    const auto has = [&](const Dims& dims) { return std::ranges::count(dims, ragged) > 0; };
    mode = has(attrs.lhs_batch_dims)         ? Mode::kBatch
           : has(attrs.lhs_contracting_dims) ? Mode::kContracting
                                             : Mode::kFree;
    const Dims& role = mode == Mode::kBatch         ? attrs.lhs_batch_dims
                       : mode == Mode::kContracting ? attrs.lhs_contracting_dims
                                                    : lhs_free;
    bool is_before = true;
    for (i64 d : role) {
      if (d == ragged) {
        is_before = false;
      } else if (is_before) {
        num_before *= lhs.dim(d);
      } else {
        num_after *= lhs.dim(d);
      }
    }
    size = lhs.dim(ragged);
    if (mode != Mode::kBatch) {
      for (i64 d : attrs.lhs_batch_dims) prefix.push_back(lhs.dim(d));
    }
    for (i64 d : role) {
      if (d == ragged) break;
      prefix.push_back(lhs.dim(d));
    }
  }

  Mode mode;
  i64 ragged;
  i64 size;            // of the ragged dimension
  i64 num_before = 1;  // elements of the dimensions of its role before it, and after it
  i64 num_after = 1;
  Dims prefix;  // the dimensions of group_sizes, without the last, if there are
                // several
  Dims lhs_free;
};

// The part of the attributes that dot has as well.
DotAttrs DotPart(const RaggedDotAttrs& attrs) {
  return {attrs.lhs_batch_dims, attrs.lhs_contracting_dims, attrs.rhs_batch_dims,
          attrs.rhs_contracting_dims};
}

// The free dimensions of rhs without the group dimension, which DotGeneral counts among the free
// ones.
Dims RhsFreeDims(const Shape& rhs, const RaggedDotAttrs& attrs) {
  Dims free = FreeDims(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims);
  for (i64 d : attrs.rhs_group_dims) std::erase(free, d);
  return free;
}

// Only the free mode has a group dimension in rhs. group_sizes may have leading dimensions, if
// groups differ between batch elements.
Status CheckGroups(const Instruction& inst, const Roles& roles) {
  const RaggedDotAttrs& attrs = inst.attrs<RaggedDotAttrs>();
  const Shape &rhs = inst.operand(1)->shape(), &sizes = inst.operand(2)->shape();
  if (!IsIntegral(sizes.type())) return OpError(inst, "group_sizes must be integers");
  const size_t expected = roles.mode == Mode::kFree ? 1 : 0;
  if (attrs.rhs_group_dims.size() != expected) {
    return OpError(inst, StrCat("rhs_group_dims has ", attrs.rhs_group_dims.size(),
                                " dimensions, must have ", expected, " if the ragged dimension is ",
                                roles.mode == Mode::kFree          ? "free"
                                : roles.mode == Mode::kContracting ? "contracting"
                                                                   : "a batch dimension"));
  }
  Dims taken = attrs.rhs_batch_dims;
  taken.insert(taken.end(), attrs.rhs_contracting_dims.begin(), attrs.rhs_contracting_dims.end());
  taken.insert(taken.end(), attrs.rhs_group_dims.begin(), attrs.rhs_group_dims.end());
  AXLE_TRY(
      CheckDims(inst, "rhs_batch_dims + rhs_contracting_dims + rhs_group_dims", taken, rhs.rank()));
  if (sizes.rank() == 0) return OpError(inst, "group_sizes must have the dimension of groups");
  Dims leading = sizes.dims();
  leading.pop_back();
  if (!leading.empty() && leading != roles.prefix) {
    return OpError(
        inst,
        StrCat("group_sizes must be [groups]",
               roles.prefix.empty() ? "" : StrCat(" or [", Join(roles.prefix, ","), ",groups]")));
  }
  const i64 groups = sizes.dim(sizes.rank() - 1);
  if (expected == 1 && rhs.dim(attrs.rhs_group_dims[0]) != groups) {
    return OpError(inst,
                   StrCat("rhs has ", rhs.dim(attrs.rhs_group_dims[0]), " groups in dimension ",
                          attrs.rhs_group_dims[0], " but group_sizes has ", groups));
  }
  return {};
}

// The shape of the dot, without the group dimension of rhs, or with the groups in front if the
// ragged dimension is contracted.
StatusOr<Shape> InferRaggedDot(const Instruction& inst) {
  const RaggedDotAttrs& attrs = inst.attrs<RaggedDotAttrs>();
  for (i64 i = 0; i < 3; ++i) AXLE_TRY(ExpectArray(inst, i));
  AXLE_ASSIGN(const Shape product, InferDotGeneral(inst, DotPart(attrs)));
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  if (attrs.lhs_ragged_dims.size() != 1) {
    return OpError(inst, StrCat("lhs_ragged_dims has ", attrs.lhs_ragged_dims.size(),
                                " dimensions, must have 1"));
  }
  AXLE_TRY(CheckDims(inst, "lhs_ragged_dims", attrs.lhs_ragged_dims, lhs.rank()));
  const Roles roles(inst);
  AXLE_TRY(CheckGroups(inst, roles));
  Shape result(product.type());
  const auto append = [&](const Shape& from, const Dims& dims) {
    for (i64 d : dims) result.AppendDim(from.dim(d), from.is_dynamic(d));
  };
  if (roles.mode == Mode::kContracting)
    append(inst.operand(2)->shape(), {inst.operand(2)->shape().rank() - 1});
  append(lhs, attrs.lhs_batch_dims);
  append(lhs, roles.lhs_free);
  append(rhs, RhsFreeDims(rhs, attrs));
  return result;
}

// The ends of the groups along the ragged dimension, for each index of the dimensions before the
// last of group_sizes. A size below 0 counts as 0, and no end is past the dimension's.
std::vector<Dims> GroupEnds(const Literal& group_sizes, i64 size) {
  const i64 groups = group_sizes.shape().dims().back();
  std::vector<i64> sizes(static_cast<size_t>(group_sizes.num_elements()));
  ConvertElements(group_sizes.shape().type(), group_sizes.bytes(), S64, sizes.data(),
                  group_sizes.num_elements());
  i64 num_lists = 1;
  for (i64 d = 0; d + 1 < group_sizes.shape().rank(); ++d) num_lists *= group_sizes.shape().dim(d);
  std::vector<Dims> ends(static_cast<size_t>(num_lists));
  for (i64 i = 0; i < num_lists; ++i) {
    i64 end = 0;
    for (i64 g = 0; g < groups; ++g) {
      // An unsigned size past the range of i64 is a large one.
      const i64 count = sizes[i * groups + g];
      const bool is_large = count < 0 && IsUnsigned(group_sizes.shape().type());
      end += is_large ? size - end : std::clamp<i64>(count, 0, size - end);
      ends[i].push_back(end);
    }
  }
  return ends;
}

// Elements of a list of offsets over (before, ragged, after), with the ragged index in a range.
Dims Between(const Dims& offsets, const Roles& roles, i64 before, i64 begin, i64 end) {
  const auto at = [&](i64 index) {
    return offsets.begin() + (before * roles.size + index) * roles.num_after;
  };
  return {at(begin), at(end)};
}

// Every product is a BlockedDot of sides with fewer offsets; nothing of the operands is copied.
class RaggedDot {
 public:
  RaggedDot(const Contraction& contraction, ProductOrder order, const Roles& roles,
            std::vector<Dims> ends, DotSide lhs, DotSide rhs, i64 group_stride,
            const EvalContext& context)
      : contraction_(contraction),
        order_(order),
        roles_(roles),
        ends_(std::move(ends)),
        lhs_(std::move(lhs)),
        rhs_(std::move(rhs)),
        group_stride_(group_stride * Info(contraction.computed).bytes),
        num_columns_(static_cast<i64>(rhs_.free.size())),
        context_(context) {}

  // Computes all products. `results` are zeros at the beginning. Batch elements go one by one,
  // because their groups may differ.
  Status Run(std::byte* results) {
    const auto num_batch = static_cast<i64>(lhs_.batch.size());
    const auto num_rows = static_cast<i64>(lhs_.free.size());
    const i64 num_groups = ends_.empty() ? 0 : static_cast<i64>(ends_[0].size());
    for (i64 b = 0; b < num_batch; ++b) {
      AXLE_TRY(context_.Check());
      if (roles_.mode == Mode::kBatch) {
        const i64 index = b / roles_.num_after % roles_.size;
        const Dims& ends = EndsAt(b / roles_.num_after / roles_.size);
        // Batch elements behind the last group stay zero.
        if (ends.empty() || index >= ends.back()) continue;
        AXLE_TRY(Multiply(b, lhs_.free, lhs_.contracting, 0, results + Bytes(b * num_rows)));
      } else if (roles_.mode == Mode::kContracting) {
        // The contracted elements of a group, with their places on both sides.
        for (i64 g = 0; g < num_groups; ++g) {
          Dims contracting, rhs_contracting;
          for (i64 before = 0; before < roles_.num_before; ++before) {
            const Dims& ends = EndsAt(b * roles_.num_before + before);
            const i64 begin = g == 0 ? 0 : ends[g - 1];
            const Dims l = Between(lhs_.contracting, roles_, before, begin, ends[g]);
            const Dims r = Between(rhs_.contracting, roles_, before, begin, ends[g]);
            contracting.insert(contracting.end(), l.begin(), l.end());
            rhs_contracting.insert(rhs_contracting.end(), r.begin(), r.end());
          }
          AXLE_TRY(Multiply(b, lhs_.free, contracting, 0,
                            results + Bytes((g * num_batch + b) * num_rows), &rhs_contracting));
        }
      } else {
        for (i64 before = 0; before < roles_.num_before; ++before) {
          AXLE_TRY(MultiplyRows(b, before, results + Bytes(b * num_rows)));
        }
      }
    }
    return {};
  }

 private:
  i64 Bytes(i64 rows) const { return rows * num_columns_ * Info(contraction_.computed).bytes; }
  // One list of ends serves all, if group_sizes has no leading dimensions.
  const Dims& EndsAt(i64 i) const { return ends_[ends_.size() == 1 ? 0 : i]; }

  // The rows of each group times the rhs of the group.
  Status MultiplyRows(i64 b, i64 before, std::byte* results) {
    const Dims& ends = EndsAt(b * roles_.num_before + before);
    for (size_t g = 0; g < ends.size(); ++g) {
      const i64 begin = g == 0 ? 0 : ends[g - 1];
      if (begin == ends[g]) continue;
      const Dims rows = Between(lhs_.free, roles_, before, begin, ends[g]);
      const i64 first = (before * roles_.size + begin) * roles_.num_after;
      AXLE_TRY(Multiply(b, rows, lhs_.contracting, static_cast<i64>(g), results + Bytes(first)));
    }
    return {};
  }

  // Restricts both sides to the batch element, rows, products and group at hand.
  Status Multiply(i64 b, const Dims& rows, const Dims& contracting, i64 group, std::byte* results,
                  const Dims* rhs_contracting = nullptr) {
    DotSide lhs = lhs_, rhs = rhs_;
    lhs.batch = {lhs_.batch[b]};
    lhs.free = rows;
    lhs.contracting = contracting;
    rhs.bytes += group * group_stride_;
    rhs.batch = {rhs_.batch[b]};
    if (rhs_contracting != nullptr) rhs.contracting = *rhs_contracting;
    return BlockedDot(contraction_, order_, lhs, rhs, results, context_);
  }

  const Contraction& contraction_;
  ProductOrder order_;
  const Roles& roles_;
  const std::vector<Dims> ends_;
  const DotSide lhs_, rhs_;
  const i64 group_stride_;  // bytes
  const i64 num_columns_;
  const EvalContext& context_;
};

// Results begin as zeros, because rows and batch elements behind the last group are not computed.
StatusOr<Literal> EvalRaggedDot(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  const RaggedDotAttrs& attrs = inst.attrs<RaggedDotAttrs>();
  const Contraction contraction(operands[0].shape().type(), operands[1].shape().type(),
                                inst.shape().type());
  AXLE_ASSIGN(Literal sums,
              Literal::Create(inst.shape().WithoutLayout().WithType(contraction.computed)));
  if (sums.num_elements() == 0) return contraction.Result(std::move(sums));
  AXLE_ASSIGN(const Literal lhs, contraction.Factor(operands[0], contraction.lhs_multiplied));
  AXLE_ASSIGN(const Literal rhs, contraction.Factor(operands[1], contraction.rhs_multiplied));
  const Roles roles(inst);
  // The sizes and the ends of the groups.
  const ScratchMemory scratch(context, 2 * operands[2].num_elements() * i64{sizeof(i64)});
  AXLE_TRY(scratch.status());
  const i64 group_stride =
      roles.mode == Mode::kFree ? RowMajorStrides(rhs.shape().dims())[attrs.rhs_group_dims[0]] : 0;
  RaggedDot dot(contraction, BlockAccumulator::OrderFor(contraction, lhs, rhs), roles,
                GroupEnds(operands[2], roles.size),
                DotSide(lhs, attrs.lhs_batch_dims, roles.lhs_free, attrs.lhs_contracting_dims),
                DotSide(rhs, attrs.rhs_batch_dims, RhsFreeDims(rhs.shape(), attrs),
                        attrs.rhs_contracting_dims),
                group_stride, context);
  AXLE_TRY(dot.Run(sums.mutable_bytes()));
  return contraction.Result(std::move(sums));
}

}  // namespace

const OpDef kRaggedDotDef = {
    .opcode = Opcode::kRaggedDot,
    .text = "ragged-dot",
    .summary = "Products of matrices whose rows, contracted elements or batches come in groups.",
    .semantics =
        "A dot with one ragged dimension of lhs, along which group "
        "after group lies, as long as group_sizes says. If it is a free dimension, the "
        "rows of group g are multiplied with the part g of rhs along its one group "
        "dimension, and rows behind the last group give 0. If it is a contracting "
        "dimension, there is one result for each group, of that group's elements; the "
        "groups become the first dimension of the result. If it is a batch dimension, "
        "batch elements behind the last group give 0. group_sizes is [groups], or has "
        "before that the sizes of lhs's batch dimensions and of those of the ragged "
        "dimension's role that stand before it, so that groups may differ there. A "
        "negative size counts as 0, and what goes past the end of the dimension is cut "
        "off. Types and numerics are those of dot, each group for itself; the exception "
        "of N5 for vectors does not apply. operand_precision and algorithm change nothing.",
    .source = "XLA RaggedDot; CHLO ragged_dot; docs/numerics.md N5",
    .operands = kRaggedDotOperands,
    .attrs = Schema<RaggedDotAttrs>(kRaggedDotAttrs),
    .traits = kMixedPrecision,
    .lowering = Lowering::kDot,
    .accuracy = "one fma per product in a fixed order, docs/numerics.md N5",
    .infer = InferRaggedDot,
    .eval = EvalRaggedDot,
};

}  // namespace axle

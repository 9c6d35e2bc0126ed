// scaled-dot: dot of operands that are multiplied with block-wise scales first.
//
// The scales are applied first, each product rounded once to the result type; the scaled operands
// are then those of an ordinary dot, so that its orders of addition apply unchanged.
#include "axle/ops/blocked_dot.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

extern const OpDef kScaledDotDef;

namespace {

constexpr OperandSpec kScaledDotOperands[] = {{"lhs"}, {"rhs"}, {"lhs_scale"}, {"rhs_scale"}};
constexpr AttrSpec kScaledDotAttrs[] = {
    Attr<&DotAttrs::lhs_batch_dims>("lhs_batch_dims", {30, 3}, Presence::kOptional),
    Attr<&DotAttrs::lhs_contracting_dims>("lhs_contracting_dims", {30, 1}, Presence::kPrinted),
    Attr<&DotAttrs::rhs_batch_dims>("rhs_batch_dims", {30, 4}, Presence::kOptional),
    Attr<&DotAttrs::rhs_contracting_dims>("rhs_contracting_dims", {30, 2}, Presence::kPrinted),
    Attr<&DotAttrs::operand_precision>("operand_precision", {51, 1}, Presence::kOptional),
    Attr<&DotAttrs::algorithm>("algorithm", {51, 2}, Presence::kOptional),
};

// A scalar in the place of a scale means "not scaled"; otherwise each size of the scale divides
// that of the operand.
Status CheckScale(const Instruction& inst, i64 side) {
  const Shape &operand = inst.operand(side)->shape(), &scale = inst.operand(side + 2)->shape();
  if (scale.is_scalar()) return {};
  const std::string_view name = kScaledDotOperands[side].name;
  if (scale.rank() != operand.rank()) {
    return OpError(inst, StrCat(name, "_scale must be a scalar or have the rank of ", name, ", ",
                                operand.rank()));
  }
  for (i64 d = 0; d < scale.rank(); ++d) {
    const i64 size = operand.dim(d), blocks = scale.dim(d);
    if (blocks == 0 ? size != 0 : size % blocks != 0) {
      return OpError(inst, StrCat("size ", blocks, " of dimension ", d, " of ", name,
                                  "_scale does not divide ", size));
    }
  }
  return {};
}

StatusOr<Shape> InferScaledDot(const Instruction& inst) {
  for (i64 i = 0; i < 4; ++i) AXLE_TRY(ExpectArray(inst, i));
  for (i64 i = 0; i < 4; ++i) {
    if (!IsFloating(inst.operand(i)->shape().type())) return OpError(inst, "takes floats only");
  }
  AXLE_ASSIGN(const Shape result, InferDotGeneral(inst, inst.attrs<DotAttrs>()));
  if (!IsFloating(result.type())) {
    return OpError(inst, StrCat("the result is a float, not ", Name(result.type())));
  }
  for (i64 side : {0, 1}) AXLE_TRY(CheckScale(inst, side));
  if (inst.operand(2)->shape().is_scalar() && inst.operand(3)->shape().is_scalar()) {
    return OpError(inst, "one of the scales at least must not be a scalar");
  }
  return result;
}

// `scale_offsets` lists the scale of each element in row-major order.
template <typename T>
void Multiply(Literal& factor, const Literal& scale, const Dims& scale_offsets) {
  const std::span<T> values = factor.mutable_data<T>();
  const std::span<const T> scales = scale.data<T>();
  for (size_t i = 0; i < values.size(); ++i) values[i] *= scales[scale_offsets[i]];
}

// operand * scale, each of type `type`, with one rounding: every element by the scale of its block.
StatusOr<Literal> Scaled(const Literal& operand, const Literal& scale, ElementType type,
                         const EvalContext& context) {
  const ElementType computed = IsNarrowFloat(type) ? F32 : type;
  const auto as_computed = [&](const Literal& literal) -> StatusOr<Literal> {
    AXLE_ASSIGN(const Literal rounded, ConvertIfNeeded(literal, type));
    return ConvertIfNeeded(rounded, computed);
  };
  if (scale.shape().is_scalar()) return ConvertIfNeeded(operand, type);
  AXLE_ASSIGN(Literal factor, as_computed(operand));
  AXLE_ASSIGN(const Literal scales, as_computed(scale));
  if (factor.num_elements() == 0) return ConvertIfNeeded(factor, type);
  // Each dimension is blocks, and elements in a block, which share the scale.
  const ScratchMemory scratch(context, factor.num_elements() * static_cast<i64>(sizeof(i64)));
  AXLE_TRY(scratch.status());
  const Dims strides = RowMajorStrides(scale.shape().dims());
  Dims sizes, steps;
  for (i64 d = 0; d < scale.shape().rank(); ++d) {
    const i64 blocks = scale.shape().dim(d);
    sizes.insert(sizes.end(), {blocks, factor.shape().dim(d) / blocks});
    steps.insert(steps.end(), {strides[d], 0});
  }
  const Dims offsets = RowMajorOffsets(sizes, steps);
  AXLE_TRY(context.Check());
  if (computed == F32) {
    Multiply<float>(factor, scales, offsets);
  } else {
    Multiply<double>(factor, scales, offsets);
  }
  return ConvertIfNeeded(factor, type);
}

StatusOr<Literal> EvalScaledDot(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  const ElementType type = inst.shape().type();
  AXLE_ASSIGN(const Literal lhs, Scaled(operands[0], operands[2], type, context));
  AXLE_ASSIGN(const Literal rhs, Scaled(operands[1], operands[3], type, context));
  return DotGeneral(inst.attrs<DotAttrs>(), lhs, rhs, inst.shape(), context);
}

}  // namespace

const OpDef kScaledDotDef = {
    .opcode = Opcode::kScaledDot,
    .text = "scaled-dot",
    .summary = "A dot of operands whose blocks are multiplied with scales first.",
    .semantics =
        "A scale has the rank of its operand, and sizes that divide "
        "the operand's: each of its elements is for a block of operand / scale elements "
        "in every dimension. Operand and scale are converted to the result's element type "
        "and multiplied there, with one rounding; the products are the operands of a dot. "
        "A scalar instead of a scale means that the operand is not scaled, whatever its "
        "value; one of the two must be an array. Floats only. The result is that of dot, "
        "the declared type or else the operand type of higher precision; "
        "operand_precision and algorithm change nothing.",
    .source = "XLA ScaledDot; docs/numerics.md N5",
    .operands = kScaledDotOperands,
    .attrs = Schema<DotAttrs>(kScaledDotAttrs),
    .traits = kMixedPrecision,
    .lowering = Lowering::kDot,
    .accuracy =
        "factors rounded once, then one fma per product in a fixed order, docs/numerics.md N5",
    .infer = InferScaledDot,
    .eval = EvalScaledDot,
};

}  // namespace axle

// Ops that read and set the run-time sizes of dynamic dimensions: get-dimension-size,
// set-dimension-size, dynamic-reshape.
//
// A literal keeps bounds and run-time sizes apart: reading a size looks it up, and setting one
// changes only the number, so that the elements behind it stay in the buffer. dynamic-reshape
// copies the elements without the padding.
#include <limits>
#include <utility>

#include "axle/core/strings.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kDynamicReshapeDef, kGetDimensionSizeDef, kSetDimensionSizeDef;

namespace {

constexpr AttrSpec kDimensionAttrs[] = {
    Attr<&DimensionsAttrs::dimensions>("dimensions", {.field = 14}),
};

// `dimensions` names one dimension of operand 0, whose size fits into s32.
// XLA returns sizes as s32, so that larger bounds are refused.
Status CheckDimension(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const Dims& dimensions = inst.attrs<DimensionsAttrs>().dimensions;
  if (dimensions.size() != 1) {
    return OpError(inst, StrCat("dimensions names ", dimensions.size(), " dimensions, not 1"));
  }
  AXLE_TRY(CheckDims(inst, "dimensions", dimensions, operand.rank()));
  const i64 bound = operand.dim(dimensions[0]);
  if (bound <= std::numeric_limits<std::int32_t>::max()) return {};
  return OpError(inst, StrCat("dimension ", dimensions[0], " has size ", bound,
                              ", which does not fit into s32"));
}

// CheckDimension has made sure that there is one.
i64 DimensionOf(const Instruction& inst) {
  return inst.attrs<DimensionsAttrs>().dimensions[0];
}

StatusOr<Shape> InferGetDimensionSize(const Instruction& inst) {
  AXLE_TRY(CheckDimension(inst));
  return Shape(S32);
}

StatusOr<Literal> EvalGetDimensionSize(const Instruction& inst, std::span<Literal> operands,
                                       const EvalContext&) {
  const auto size = static_cast<std::int32_t>(operands[0].size(DimensionOf(inst)));
  return Literal::Scalar<std::int32_t>(S32, size);
}

constexpr OperandSpec kSetOperands[] = {{"operand"}, {"size"}};

// Whether `inst` is the constant `value`, an s32 scalar.
bool IsConstantSize(const Instruction& inst, i64 value) {
  return IsConstant(inst) && inst.attrs<ConstantAttrs>().literal.data<std::int32_t>()[0] == value;
}

// A size that equals the bound and is constant may make the dimension static again, if the program
// declares it.
StatusOr<Shape> InferSetDimensionSize(const Instruction& inst) {
  AXLE_TRY(CheckDimension(inst));
  const Shape& size = inst.operand(1)->shape();
  if (!size.is_scalar() || size.type() != S32) {
    return OpError(inst, StrCat("size must be s32[], not ", size.ToString()));
  }
  Shape result = inst.operand(0)->shape();
  const i64 d = DimensionOf(inst);
  const Shape& declared = inst.shape();
  const bool wants_static =
      declared.is_array() && declared.rank() == result.rank() && !declared.is_dynamic(d);
  if (wants_static && !IsConstantSize(*inst.operand(1), result.dim(d))) {
    return OpError(inst, StrCat("the result has static dimension ", d,
                                ", so size must be the constant ", result.dim(d)));
  }
  result.set_dynamic(d, !wants_static);
  return result;
}

// The buffer is unchanged; the size is clamped to what it can hold.
StatusOr<Literal> EvalSetDimensionSize(const Instruction& inst, std::span<Literal> operands,
                                       const EvalContext&) {
  const i64 d = DimensionOf(inst);
  Literal value = std::move(operands[0]);
  const i64 size = operands[1].data<std::int32_t>()[0];
  value.SetSizeBeforeFlags(d, std::clamp<i64>(size, 0, value.shape().dim(d)));
  return value;
}

constexpr OperandSpec kReshapeOperands[] = {{"operand"}, {"dim_sizes", kVariadic}};

// The declared shape gives the bounds, and the operands after the first give the run-time sizes,
// which are checked when the instruction runs.
StatusOr<Shape> InferDynamicReshape(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const Shape& result = inst.shape();
  if (!result.is_array()) {
    return OpError(inst, StrCat("gives an array, not ", result.ToString()));
  }
  if (inst.num_operands() - 1 != result.rank()) {
    return OpError(inst, StrCat("there are ", inst.num_operands() - 1, " dim_sizes but the result ",
                                result.ToString(), " has rank ", result.rank()));
  }
  // One size per dimension of the result, each an s32 scalar.
  for (i64 i = 1; i < inst.num_operands(); ++i) {
    const Shape& size = inst.operand(i)->shape();
    if (size.is_scalar() && size.type() == S32) continue;
    return OpError(inst, StrCat("dim_sizes.", i - 1, " must be s32[], not ", size.ToString()));
  }
  if (operand.num_elements() != result.num_elements()) {
    return OpError(inst, StrCat("operand has ", operand.num_elements(), " elements but ",
                                result.ToString(), " has ", result.num_elements()));
  }
  return result.WithType(operand.type()).WithoutLayout();
}

// All run-time sizes are checked first, since a product of wrong sizes could still fit.
StatusOr<Literal> EvalDynamicReshape(const Instruction& inst, std::span<Literal> operands,
                                     const EvalContext&) {
  const Shape& result = inst.shape();
  Shape shape(result.type());
  for (i64 d = 0; d < result.rank(); ++d) {
    const i64 size = operands[1 + d].data<std::int32_t>()[0];
    if (size < 0 || size > result.dim(d) || (size != result.dim(d) && !result.is_dynamic(d))) {
      return OpError(inst, StrCat("dim_sizes.", d, " is ", size, " at run time, must be ",
                                  result.is_dynamic(d) ? "in 0.." : "", result.dim(d)));
    }
    shape.AppendDim(size);
  }
  const Literal valid = operands[0].ValidPart();
  if (valid.num_elements() != shape.num_elements()) {
    return OpError(
        inst, StrCat("operand has ", valid.num_elements(), " elements at run time but dim_sizes {",
                     Join(shape.dims(), ","), "} ask for ", shape.num_elements()));
  }
  return Literal::Padded(valid.WithShape(shape), result);
}

}  // namespace

const OpDef kGetDimensionSizeDef = {
    .opcode = Opcode::kGetDimensionSize,
    .text = "get-dimension-size",
    .summary = "How many elements a dimension of the operand has at run time, as an s32 scalar.",
    .semantics =
        "`dimensions` names one dimension of an array. The result is the run-time size of a "
        "dynamic dimension and the size of a static one. The bound must fit into s32.",
    .source = "XLA GetDimensionSize; StableHLO get_dimension_size",
    .operands = kUnaryOperands,
    .attrs = Schema<DimensionsAttrs>(kDimensionAttrs),
    .lowering = Lowering::kData,
    .infer = InferGetDimensionSize,
    .eval = EvalGetDimensionSize,
};

const OpDef kSetDimensionSizeDef = {
    .opcode = Opcode::kSetDimensionSize,
    .text = "set-dimension-size",
    .summary = "The operand with another run-time size of one dimension.",
    .semantics =
        "`dimensions` names one dimension, whose bound stays and which becomes dynamic, also when "
        "size is a constant. size, an s32 scalar, is clamped to [0, bound]. Elements behind it are "
        "padding: no op lets them influence a result, but they stay in the buffer, so that a "
        "larger size shows them again. If size is the constant that equals the bound, the result "
        "may declare the dimension static: this is how a dynamic dimension is removed. The bound "
        "must fit into s32.",
    .source = "XLA SetDimensionSize and RemoveDynamicDimension; StableHLO set_dimension_size",
    .operands = kSetOperands,
    .attrs = Schema<DimensionsAttrs>(kDimensionAttrs),
    .declared_shape = true,
    .lowering = Lowering::kData,
    .infer = InferSetDimensionSize,
    .eval = EvalSetDimensionSize,
};

const OpDef kDynamicReshapeDef = {
    .opcode = Opcode::kDynamicReshape,
    .text = "dynamic-reshape",
    .summary =
        "The operand's elements, in row-major order, under run-time sizes that are operands.",
    .semantics =
        "The declared result has the bounds, with as many elements as the operand's bounds, and "
        "says which dimensions are dynamic. There is one s32 scalar per result dimension. At run "
        "time each must be in [0, bound], or equal to the size of a static dimension, and together "
        "they must take exactly the elements that the operand has, padding not counted.",
    .source = "XLA DynamicReshape",
    .operands = kReshapeOperands,
    .declared_shape = true,
    .lowering = Lowering::kData,
    .infer = InferDynamicReshape,
    .eval = EvalDynamicReshape,
};

}  // namespace axle

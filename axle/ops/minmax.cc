// maximum, minimum, clamp. They are primitives with IEEE 754-2019 semantics: NaN wins, and -0 is
// below +0. clamp is minimum(max, maximum(min, x)); its bounds may be scalars, which stand for all
// elements.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kClampDef, kMaximumDef, kMinimumDef;

namespace {

constexpr OperandSpec kClampOperands[] = {{"min"}, {"operand"}, {"max"}};

// The shape rule of maximum and minimum: two arrays of an ordered type. Complex numbers get a
// message of their own, because it says what to do instead.
StatusOr<Shape> InferOneOfTwo(const Instruction& inst) {
  for (i64 i : {0, 1}) {
    const Shape& shape = inst.operand(i)->shape();
    if (!shape.is_array() || !IsComplex(shape.type())) continue;
    return OpError(inst,
                   "complex numbers have no order; select by comparisons of their real and "
                   "imaginary parts");
  }
  return InferElementwise<kOrdered>(inst);
}

// The bounds have the type of the operand, and are scalars or have its dimensions.
StatusOr<Shape> InferClamp(const Instruction& inst) {
  for (i64 i : {0, 1, 2}) AXLE_TRY(ExpectArray(inst, i));
  Shape result = inst.operand(1)->shape();
  if (!Accepts(kOrdered, result.type())) {
    return OpError(inst, StrCat("takes ", Describe(kOrdered), " only"));
  }
  for (i64 i : {0, 2}) {
    const Shape& bound = inst.operand(i)->shape();
    if (bound.type() != result.type()) {
      return OpError(inst, StrCat("operands have different element types ", Name(result.type()),
                                  " and ", Name(bound.type())));
    }
    if (bound.is_scalar()) continue;
    if (!SameDims(bound, result)) {
      return OpError(inst, StrCat(kClampOperands[i].name,
                                  " must be a scalar or have the dimensions of operand"));
    }
    MergeDynamic(bound, result);
  }
  return result;
}

}  // namespace

const OpDef kMaximumDef = {
    .opcode = Opcode::kMaximum,
    .text = "maximum",
    .summary = "The larger one of each pair of elements.",
    .semantics =
        "NaN if either is NaN; -0 is smaller than +0. For pred the logical or. Complex "
        "numbers have no order and are refused.",
    .source = "XLA Max; StableHLO maximum; IEEE 754-2019 maximum",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kLargest,
    .infer = InferOneOfTwo,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Max(x[0], x[1]); },
};

const OpDef kMinimumDef = {
    .opcode = Opcode::kMinimum,
    .text = "minimum",
    .summary = "The smaller one of each pair of elements.",
    .semantics =
        "NaN if either is NaN; -0 is smaller than +0. For pred the logical and. Complex "
        "numbers have no order and are refused.",
    .source = "XLA Min; StableHLO minimum; IEEE 754-2019 minimum",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kLargest,
    .infer = InferOneOfTwo,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Min(x[0], x[1]); },
};

const OpDef kClampDef = {
    .opcode = Opcode::kClamp,
    .text = "clamp",
    .summary = "Each element of operand, moved into the range from min to max.",
    .semantics =
        "The bounds are scalars or have the dimensions of operand. The result is "
        "minimum(max, maximum(min, operand)) with their rules: NaN if one of the three is NaN, and "
        "max where min is larger than max.",
    .source = "XLA Clamp; StableHLO clamp",
    .operands = kClampOperands,
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kLargest,
    .infer = InferClamp,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Min(x[2], Max(x[0], x[1])); },
};

}  // namespace axle

// compare: -> pred. Floats compare in the partial order (NaN is unordered) or in the total order,
// in which their bit patterns compare as sign-and-magnitude integers.

#include "axle/ops/elementwise.h"
#include "axle/ops/total_order.h"

namespace axle {

extern const OpDef kCompareDef;

namespace {

constexpr AttrSpec kCompareAttrs[] = {
    Attr<&CompareAttrs::direction>("direction", {.field = 63}),
    Attr<&CompareAttrs::type>("type", {.field = 72}, Presence::kOptional),
};

ComparisonType ImpliedType(ElementType type) {
  if (IsFloating(type) || IsComplex(type)) return ComparisonType::kFloat;
  return IsSigned(type) ? ComparisonType::kSigned : ComparisonType::kUnsigned;
}

bool IsTotalOrder(const Instruction& inst) {
  return inst.attrs<CompareAttrs>().type == ComparisonType::kTotalOrder;
}

// A type= that states what the element type implies is dropped, so both spellings are one value.
// `type` has default, float, signed, unsigned and total order as values; all but the last follow
// from the element type.
void CanonicalizeCompare(std::span<Instruction* const> operands, void* attrs) {
  ComparisonType& type = static_cast<CompareAttrs*>(attrs)->type;
  if (!operands.empty() && type == ImpliedType(operands[0]->shape().type())) {
    type = ComparisonType::kDefault;
  }
}

// The type of a comparison follows from that of the elements and may be stated; floats have the
// choice of the total order. The status codes are those of XLA.
StatusOr<Shape> InferCompare(const Instruction& inst) {
  AXLE_ASSIGN(const Shape operands, SameShape(inst, kAllTypes));
  const auto& [direction, type] = inst.attrs<CompareAttrs>();
  const ElementType element = operands.type();
  const bool total = type == ComparisonType::kTotalOrder;
  if (total ? !IsFloating(element)
            : type != ComparisonType::kDefault && type != ImpliedType(element)) {
    return OpError(
        inst,
        StrCat("type ", AttrTraits<ComparisonType>::Print(type), " is not for ", Name(element),
               ", whose type is ", AttrTraits<ComparisonType>::Print(ImpliedType(element)),
               IsFloating(element) ? " or TOTALORDER" : ""),
        StatusCode::kFailedPrecondition);
  }
  if (IsComplex(element) && direction != ComparisonDirection::kEq &&
      direction != ComparisonDirection::kNe) {
    return OpError(inst,
                   StrCat("complex numbers have no order: direction is ",
                          AttrTraits<ComparisonDirection>::Print(direction), ", must be EQ or NE"),
                   StatusCode::kUnimplemented);
  }
  return operands.WithType(PRED);
}

// The total order is a comparison of signed keys (total_order.h), so that one switch serves both
// orders.
Lane EmitCompare(const Instruction& inst, std::span<const Lane> operands) {
  Lane lhs = operands[0], rhs = operands[1];
  if (IsTotalOrder(inst)) {
    const FloatFormat& format = Info(inst.operand(0)->shape().type()).format;
    lhs = TotalOrderKey(format, BitsOf(lhs));
    rhs = TotalOrderKey(format, BitsOf(rhs));
  }
  switch (inst.attrs<CompareAttrs>().direction) {
    case ComparisonDirection::kEq:
      return lhs == rhs;
    case ComparisonDirection::kNe:
      return lhs != rhs;
    case ComparisonDirection::kGe:
      return lhs >= rhs;
    case ComparisonDirection::kGt:
      return lhs > rhs;
    case ComparisonDirection::kLe:
      return lhs <= rhs;
    case ComparisonDirection::kLt:
      return lhs < rhs;
  }
  return lhs == rhs;
}

// Complex numbers have equality only; both parts of the result carry the predicate.
ComplexLane EmitComplexCompare(const Instruction& inst, std::span<const ComplexLane> x) {
  const Lane equal = (x[0].re == x[1].re) & (x[0].im == x[1].im);
  const bool negated = inst.attrs<CompareAttrs>().direction == ComparisonDirection::kNe;
  const Lane result = negated ? !equal : equal;
  return {result, result};
}

}  // namespace

const OpDef kCompareDef = {
    .opcode = Opcode::kCompare,
    .text = "compare",
    .summary = "Whether each pair of elements is in the relation `direction`.",
    .semantics =
        "The element type implies the comparison: floats by value (NaN is in no relation but NE, "
        "-0 equals +0), integers by their signedness, false below true, complex numbers for EQ "
        "and NE only. With type=TOTALORDER floats are in the order -NaN, -inf, ..., -0, +0, ..., "
        "+inf, +NaN, NaNs ordered by payload and equal only to themselves; f8e8m0fnu by its byte, "
        "and in types without -0 the NaN comes first.",
    .source = "XLA Compare; StableHLO compare; IEEE 754 totalOrder",
    .operands = kBinaryOperands,
    .attrs = Schema<CompareAttrs>(kCompareAttrs),
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kCompare,
    .infer = InferCompare,
    .canonicalize = CanonicalizeCompare,
    .emit = EmitCompare,
    .emit_complex = EmitComplexCompare,
    .in_stored_form = IsTotalOrder,
};

}  // namespace axle

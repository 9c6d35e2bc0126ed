// Checks and shape rules that the rows of elementwise ops share.
#pragma once
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {

inline constexpr OperandSpec kUnaryOperands[] = {{"operand"}};
inline constexpr OperandSpec kBinaryOperands[] = {{"lhs"}, {"rhs"}};

// Sets of element types that an op accepts.
enum TypeSet : unsigned {
  kPreds = 1,
  kSignedInts = 2,
  kUnsignedInts = 4,
  kFloats = 8,
  kComplexes = 16,
  kIntegers = kSignedInts | kUnsignedInts,
  kRealNumbers = kIntegers | kFloats,
  kNumbers = kRealNumbers | kComplexes,
  kOrdered = kPreds | kRealNumbers,
  kBits = kPreds | kIntegers,
  kFloatsOrComplexes = kFloats | kComplexes,
  kAllTypes = 31,
};

bool Accepts(TypeSet set, ElementType type);
// "floats", "integers or pred": for messages.
std::string Describe(TypeSet set);

// A dimension of `result` that is dynamic in `operand`, of the same sizes, is dynamic.
void MergeDynamic(const Shape& operand, Shape& result);

// All operands from `first` on are arrays of one shape (dimensions, element type) and an accepted
// type; it is the result, dynamic where any of them is.
StatusOr<Shape> SameShape(const Instruction& inst, TypeSet types, i64 first = 0);

template <TypeSet kTypes>
StatusOr<Shape> InferElementwise(const Instruction& inst) {
  return SameShape(inst, kTypes);
}

// An error naming operand `i` unless it is an array.
Status ExpectArray(const Instruction& inst, i64 i);
// Every entry is in [0, rank) and none is there twice; `what` names the list.
Status CheckDims(const Instruction& inst, std::string_view what, const Dims& dims, i64 rank);

}  // namespace axle

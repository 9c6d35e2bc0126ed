// The shape rules of elementwise ops.
//
// Rows of elementwise ops name the set of types that they accept; the functions here turn a set and
// the operands into the result shape, or into an error that names the set.

#include "axle/ops/elementwise.h"

#include <algorithm>

namespace axle {

// Tokens and tuples belong to no set.
bool Accepts(TypeSet set, ElementType type) {
  switch (Info(type).type_class) {
    case TypeClass::kPred:
      return (set & kPreds) != 0;
    case TypeClass::kSigned:
      return (set & kSignedInts) != 0;
    case TypeClass::kUnsigned:
      return (set & kUnsignedInts) != 0;
    case TypeClass::kFloat:
      return (set & kFloats) != 0;
    case TypeClass::kComplex:
      return (set & kComplexes) != 0;
    case TypeClass::kOther:
      return false;
  }
  return false;
}

// "integers and floats", for error messages.
std::string Describe(TypeSet set) {
  std::vector<std::string_view> parts;
  if ((set & kPreds) != 0) parts.push_back("pred");
  if ((set & kIntegers) == kIntegers) {
    parts.push_back("integers");
  } else if ((set & kSignedInts) != 0) {
    parts.push_back("signed integers");
  } else if ((set & kUnsignedInts) != 0) {
    parts.push_back("unsigned integers");
  }
  if ((set & kFloats) != 0) parts.push_back("floats");
  if ((set & kComplexes) != 0) parts.push_back("complex numbers");
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    out += StrCat(i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ", parts[i]);
  }
  return out;
}

Status ExpectArray(const Instruction& inst, i64 i) {
  if (inst.operand(i)->shape().is_array()) return {};
  return OpError(inst, StrCat("expected an array, not ", inst.operand(i)->shape().ToString()));
}

// A result is dynamic in each dimension in which an operand is.
void MergeDynamic(const Shape& operand, Shape& result) {
  for (i64 d = 0; d < result.rank(); ++d) {
    if (operand.is_dynamic(d)) result.set_dynamic(d, true);
  }
}

namespace {

// Whether sizes differ only where one of them is 1. Builders broadcast such operands; HLO does not.
bool WouldBroadcast(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (i64 d = 0; d < a.rank(); ++d) {
    if (a.dim(d) != b.dim(d) && a.dim(d) != 1 && b.dim(d) != 1) return false;
  }
  return true;
}

}  // namespace

// The status distinguishes operands that a builder would have broadcast: XLA answers
// FAILED_PRECONDITION there.
StatusOr<Shape> SameShape(const Instruction& inst, TypeSet types, i64 first) {
  Shape shape = inst.operand(first)->shape();
  for (i64 i = first; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  for (i64 i = first; i < inst.num_operands(); ++i) {
    if (!Accepts(types, inst.operand(i)->shape().type())) {
      return OpError(inst, StrCat("takes ", Describe(types), " only"));
    }
  }
  for (i64 i = first + 1; i < inst.num_operands(); ++i) {
    const Shape& other = inst.operand(i)->shape();
    if (other.type() != shape.type()) {
      return OpError(inst, StrCat("operands have different element types ", Name(shape.type()),
                                  " and ", Name(other.type())));
    }
    if (!SameDims(other, shape)) {
      return OpError(inst, "operands must have the same dimensions",
                     WouldBroadcast(other, shape) ? StatusCode::kFailedPrecondition
                                                  : StatusCode::kInvalidArgument);
    }
    MergeDynamic(other, shape);
  }
  return shape;
}

// Used by many ops for lists of dimensions. The quadratic search is bounded by the rank.
Status CheckDims(const Instruction& inst, std::string_view what, const Dims& dims, i64 rank) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= rank) {
      return OpError(inst,
                     StrCat(what, " has ", dims[i], ", which is not a dimension of rank ", rank));
    }
    if (std::find(dims.begin(), dims.begin() + static_cast<i64>(i), dims[i]) !=
        dims.begin() + static_cast<i64>(i)) {
      return OpError(inst, StrCat(what, " has ", dims[i], " twice"));
    }
  }
  return {};
}

}  // namespace axle

#include "axle/builder/shape_util.h"

#include <cstring>

#include "axle/core/convert.h"

namespace axle {
namespace {

Literal FromBits(PrimitiveType type, std::uint64_t bits) {
  Literal literal{Shape(type)};
  std::memcpy(literal.mutable_bytes(), &bits, std::min<size_t>(sizeof(bits), Info(type).bytes));
  return literal;
}

Literal FromInteger(PrimitiveType type, i64 value) {
  Literal literal{Shape(type)};
  ConvertElements(S64, &value, type, literal.mutable_bytes(), 1);
  return literal;
}

// The greatest float value: infinity where there is one, else the largest finite one.
std::uint64_t GreatestBits(const FloatFormat& format) {
  return HasInfinity(format) ? InfinityBits(format) : FirstNonFinite(format) - 1;
}

}  // namespace

Shape ShapeUtil::MakeShape(PrimitiveType type, Dims dimensions, const std::vector<bool>& dynamic) {
  Shape shape(type, std::move(dimensions));
  for (size_t d = 0; d < dynamic.size() && d < shape.dims().size(); ++d) {
    shape.set_dynamic(static_cast<i64>(d), dynamic[d]);
  }
  return shape;
}

Shape ShapeUtil::MakeShapeWithLayout(PrimitiveType type, Dims dimensions, Dims minor_to_major) {
  Shape shape(type, std::move(dimensions));
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  shape.set_layout(std::move(layout));
  return shape;
}

Literal LiteralUtil::Zero(PrimitiveType type) {
  return FromInteger(type, 0);
}
Literal LiteralUtil::One(PrimitiveType type) {
  return FromInteger(type, 1);
}

Literal LiteralUtil::MinValue(PrimitiveType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.type_class) {
    case TypeClass::kSigned:
      return FromBits(type, static_cast<std::uint64_t>(INT64_MIN >> (64 - info.bits)));
    case TypeClass::kFloat:
      if (!info.format.is_signed) return FromBits(type, 0);  // f8e8m0fnu: 2^-127
      return FromBits(type, SignBit(info.format) | GreatestBits(info.format));
    default:
      return FromBits(type, 0);
  }
}

Literal LiteralUtil::MaxValue(PrimitiveType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.type_class) {
    case TypeClass::kPred:
      return FromBits(type, 1);
    case TypeClass::kSigned:
      return FromBits(type, LowBits(info.bits - 1));
    case TypeClass::kUnsigned:
      return FromBits(type, LowBits(info.bits));
    case TypeClass::kFloat:
      return FromBits(type, GreatestBits(info.format));
    default:
      return FromBits(type, 0);
  }
}

}  // namespace axle

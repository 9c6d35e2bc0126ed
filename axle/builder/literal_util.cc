#include "axle/builder/literal_util.h"

#include <bit>
#include <cstring>

#include "axle/builder/index_util.h"
#include "axle/builder/layout_util.h"
#include "axle/core/convert.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

Literal FromBits(PrimitiveType type, std::uint64_t bits) {
  if (!IsArrayType(type)) return {};
  Literal literal{Shape(type)};
  std::memcpy(literal.mutable_bytes(), &bits, std::min<size_t>(sizeof(bits), Info(type).bytes));
  return literal;
}

Literal FromInteger(PrimitiveType type, i64 value) {
  if (!IsArrayType(type)) return {};
  Literal literal{Shape(type)};
  ConvertElements(S64, &value, type, literal.mutable_bytes(), 1);
  return literal;
}

// Returns the greatest float value: infinity if the type has it and it is wanted, else the largest
// finite value.
std::uint64_t GreatestBits(const FloatFormat& format, bool finite) {
  return HasInfinity(format) && !finite ? InfinityBits(format) : FirstNonFinite(format) - 1;
}

Literal Least(PrimitiveType type, bool finite) {
  const ElementTypeInfo& info = Info(type);
  switch (info.type_class) {
    case TypeClass::kSigned:
      return FromBits(type, static_cast<std::uint64_t>(INT64_MIN >> (64 - info.bits)));
    case TypeClass::kFloat:
      if (!info.format.is_signed) return FromBits(type, 0);  // f8e8m0fnu: 2^-127
      return FromBits(type, SignBit(info.format) | GreatestBits(info.format, finite));
    default:
      return FromBits(type, 0);
  }
}

Literal Greatest(PrimitiveType type, bool finite) {
  const ElementTypeInfo& info = Info(type);
  switch (info.type_class) {
    case TypeClass::kPred:
      return FromBits(type, 1);
    case TypeClass::kSigned:
      return FromBits(type, LowBits(info.bits - 1));
    case TypeClass::kUnsigned:
      return FromBits(type, LowBits(info.bits));
    case TypeClass::kFloat:
      return FromBits(type, GreatestBits(info.format, finite));
    default:
      return FromBits(type, 0);
  }
}

Status NotA(std::string_view function, std::string_view what, PrimitiveType type) {
  return InvalidArgument(StrCat(function, ": ", what, ", got ", Name(type)));
}

// Returns the position of an element in memory, or an error that states why it does not exist.
StatusOr<i64> PositionOf(std::string_view function, const Literal& literal,
                         ArraySlice<i64> multi_index) {
  const i64 position = IndexUtil::MultidimensionalIndexToLinearIndex(literal.shape(), multi_index);
  if (position < 0) {
    return InvalidArgument(StrCat(function, ": there is no element {", Join(multi_index, ","),
                                  "} in ", literal.ShapeToString()));
  }
  return position;
}

}  // namespace

Literal LiteralUtil::Zero(PrimitiveType type) {
  return FromInteger(type, 0);
}
Literal LiteralUtil::One(PrimitiveType type) {
  return FromInteger(type, 1);
}

Literal LiteralUtil::MinValue(PrimitiveType type) {
  return Least(type, false);
}
Literal LiteralUtil::MaxValue(PrimitiveType type) {
  return Greatest(type, false);
}
Literal LiteralUtil::MinFiniteValue(PrimitiveType type) {
  return Least(type, true);
}
Literal LiteralUtil::MaxFiniteValue(PrimitiveType type) {
  return Greatest(type, true);
}

StatusOr<Literal> LiteralUtil::Epsilon(PrimitiveType type) {
  if (!IsFloating(type)) return NotA("epsilon", "takes a float type", type);
  // 2^-mantissa_bits, exact in f64 and in every format that has it.
  const FloatFormat& format = Info(type).format;
  const double epsilon =
      std::bit_cast<double>(static_cast<std::uint64_t>(1023 - format.mantissa_bits) << 52);
  return FromBits(type, RoundF64To(format, epsilon));
}

StatusOr<Literal> LiteralUtil::MinPositiveNormalValue(PrimitiveType type) {
  if (!IsFloating(type)) return NotA("min positive normal value", "takes a float type", type);
  const FloatFormat& format = Info(type).format;
  // f8e8m0fnu has no subnormal numbers and no zero: its least number is pattern 0.
  return FromBits(type, format.is_signed ? std::uint64_t{1} << format.mantissa_bits : 0);
}

StatusOr<Literal> LiteralUtil::NanValue(PrimitiveType type) {
  if (type == C64 || type == C128) {
    AXLE_ASSIGN(const Literal part, NanValue(PartOf(type)));
    return Convert(part, type);
  }
  if (!IsFloating(type)) return NotA("nan value", "takes a float or complex type", type);
  if (!HasNan(Info(type).format)) return NotA("nan value", "the type has no NaN", type);
  return FromBits(type, NanBits(Info(type).format));
}

StatusOr<Literal> LiteralUtil::MaxElement(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (!shape.is_array() || IsComplex(shape.type()) || shape.num_elements() == 0) {
    return InvalidArgument(StrCat(
        "max element: takes an array with elements that have an order, got ", shape.ToString()));
  }
  const auto bytes = static_cast<size_t>(Info(shape.type()).bytes);
  const auto element = [&](i64 i) { return literal.bytes() + static_cast<size_t>(i) * bytes; };
  // f64 orders every float and small integer; s64 and u64 are read as they are.
  const auto greater = [&](const std::byte* a, const std::byte* b) {
    if (IsFloating(shape.type())) {
      double x = 0, y = 0;
      ConvertElements(shape.type(), a, F64, &x, 1);
      ConvertElements(shape.type(), b, F64, &y, 1);
      return y == y && (x > y || x != x);
    }
    const PrimitiveType wide = IsSigned(shape.type()) ? S64 : U64;
    i64 x = 0, y = 0;
    ConvertElements(shape.type(), a, wide, &x, 1);
    ConvertElements(shape.type(), b, wide, &y, 1);
    return wide == S64 ? x > y : static_cast<std::uint64_t>(x) > static_cast<std::uint64_t>(y);
  };
  i64 greatest = 0;
  for (i64 i = 1; i < shape.num_elements(); ++i) {
    if (greater(element(i), element(greatest))) greatest = i;
  }
  Literal scalar{Shape(shape.type())};
  std::memcpy(scalar.mutable_bytes(), element(greatest), bytes);
  return scalar;
}

StatusOr<Literal> LiteralUtil::GetScalarLiteral(const Literal& literal,
                                                ArraySlice<i64> multi_index) {
  AXLE_ASSIGN(const i64 position, PositionOf("get scalar literal", literal, multi_index));
  Literal scalar{Shape(literal.shape().type())};
  const i64 bytes = scalar.num_bytes();
  std::memcpy(scalar.mutable_bytes(), literal.bytes() + position * bytes,
              static_cast<size_t>(bytes));
  return scalar;
}

StatusOr<Literal> LiteralUtil::GetFirstScalarLiteral(const Literal& literal) {
  return GetScalarLiteral(literal, Dims(literal.shape().dims().size(), 0));
}

Status LiteralUtil::SetScalarLiteral(Literal& literal, ArraySlice<i64> multi_index,
                                     const Literal& scalar) {
  AXLE_ASSIGN(const i64 position, PositionOf("set scalar literal", literal, multi_index));
  if (scalar.shape() != Shape(literal.shape().type())) {
    return InvalidArgument(StrCat("set scalar literal: the element is ", scalar.ShapeToString(),
                                  " but the literal is ", literal.ShapeToString()));
  }
  const i64 bytes = scalar.num_bytes();
  std::memcpy(literal.mutable_bytes() + position * bytes, scalar.bytes(),
              static_cast<size_t>(bytes));
  return {};
}

Literal LiteralUtil::ConvertType(const Literal& literal, PrimitiveType from, PrimitiveType to) {
  if (literal.shape().is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) {
      elements.push_back(ConvertType(element, from, to));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (literal.shape().type() != from) return literal;
  StatusOr<Literal> converted = Convert(literal, to);
  return converted.ok() ? *std::move(converted) : literal;
}

StatusOr<Literal> LiteralUtil::ReshapeSlice(ArraySlice<i64> new_dimensions,
                                            ArraySlice<i64> minor_to_major,
                                            const Literal& literal) {
  Shape shape(literal.shape().type(), {new_dimensions.begin(), new_dimensions.end()});
  Layout layout = Layout::RowMajor(shape.rank());
  if (!minor_to_major.empty()) {
    layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  }
  if (!literal.shape().is_array() || literal.is_padded()) {
    return InvalidArgument(
        StrCat("reshape slice: takes a full array, got ", literal.ShapeToString()));
  }
  AXLE_TRY(LayoutUtil::ValidateLayoutForShape(layout, shape));
  if (shape.num_elements() != literal.num_elements()) {
    return InvalidArgument(StrCat("reshape slice: ", literal.ShapeToString(), " has ",
                                  literal.num_elements(), " elements but ", shape.ToString(),
                                  " has ", shape.num_elements()));
  }
  return literal.ToRowMajor().WithShape(shape).Relayout(layout);
}

Literal LiteralUtil::CreateR1U8(std::string_view text) {
  return Literal::Array<std::uint8_t>(
      U8, {static_cast<i64>(text.size())},
      {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Literal LiteralUtil::MakeTuple(ArraySlice<const Literal*> elements) {
  std::vector<Literal> copies;
  for (const Literal* element : elements) copies.push_back(*element);
  return Literal::Tuple(std::move(copies));
}

std::string LiteralUtil::MultiIndexAsString(ArraySlice<i64> multi_index) {
  return StrCat("{", Join(multi_index, ","), "}");
}

Status LiteralUtil::NotOfType(PrimitiveType type, const Shape& shape) {
  return InvalidArgument(
      StrCat("literal: a static array of ", Name(type), " is made, not ", shape.ToString()));
}

}  // namespace axle

// ShapeUtil and LiteralUtil: XLA's names for making shapes and literals.
#pragma once
#include <complex>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "axle/core/float_format.h"
#include "axle/core/literal.h"

namespace axle {

class ShapeUtil {
 public:
  // [dimensions], row-major. CheckShape (or the builder) refuses sizes that make no sense.
  static Shape MakeShape(PrimitiveType type, Dims dimensions) {
    return Shape(type, std::move(dimensions));
  }
  static Shape MakeShape(PrimitiveType type, Dims dimensions, const std::vector<bool>& dynamic);
  // The same with minor_to_major as the layout, most minor dimension first.
  static Shape MakeShapeWithLayout(PrimitiveType type, Dims dimensions, Dims minor_to_major);
  static Shape MakeScalarShape(PrimitiveType type) { return Shape(type); }
  static Shape MakeTupleShape(std::vector<Shape> elements) {
    return Shape::Tuple(std::move(elements));
  }
  static Shape MakeTokenShape() { return Shape::Token(); }
  static bool Compatible(const Shape& a, const Shape& b) { return axle::Compatible(a, b); }
  static bool Equal(const Shape& a, const Shape& b) { return a == b; }
  static i64 ElementsIn(const Shape& shape) { return shape.num_elements(); }
  static i64 ByteSizeOf(const Shape& shape) { return shape.num_bytes(); }
  static std::string HumanString(const Shape& shape) { return shape.ToString(); }
};

// The element type whose storage is the C++ type T; half and bfloat16 included.
template <typename T>
constexpr PrimitiveType NativeToPrimitiveType() {
  // clang-format off
  if constexpr (std::is_same_v<T, bool>) return PRED;
  else if constexpr (std::is_same_v<T, std::int8_t>) return S8;
  else if constexpr (std::is_same_v<T, std::int16_t>) return S16;
  else if constexpr (std::is_same_v<T, std::int32_t>) return S32;
  else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, long long>) return S64;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return U8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return U16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return U32;
  else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, unsigned long long>) return U64;
  else if constexpr (std::is_same_v<T, float>) return F32;
  else if constexpr (std::is_same_v<T, double>) return F64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return C128;
  else return T::kElementType;
  // clang-format on
}

class LiteralUtil {
 public:
  template <typename T>
  static Literal CreateR0(T value) {
    return Literal::Scalar<T>(NativeToPrimitiveType<T>(), value);
  }
  template <typename T>
  static Literal CreateR1(std::span<const T> values) {
    Literal literal(Shape(NativeToPrimitiveType<T>(), {static_cast<i64>(values.size())}));
    std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
    return literal;
  }
  template <typename T>
  static Literal CreateR1(std::initializer_list<T> values) {
    // Not through a span: a span of bool has nothing to point at in std::vector<bool>.
    Literal literal(Shape(NativeToPrimitiveType<T>(), {static_cast<i64>(values.size())}));
    std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
    return literal;
  }
  // Rows must have one length.
  template <typename T>
  static Literal CreateR2(std::initializer_list<std::initializer_list<T>> rows) {
    const i64 columns = rows.size() == 0 ? 0 : static_cast<i64>(rows.begin()->size());
    Literal literal(Shape(NativeToPrimitiveType<T>(), {static_cast<i64>(rows.size()), columns}));
    T* to = literal.mutable_data<T>().data();
    for (const auto& row : rows) {
      to = std::copy_n(row.begin(), std::min<i64>(columns, static_cast<i64>(row.size())), to);
    }
    return literal;
  }
  // All elements are `value`.
  template <typename T>
  static Literal CreateFull(Dims dimensions, T value) {
    Literal literal =
        Literal::Uninitialized(Shape(NativeToPrimitiveType<T>(), std::move(dimensions)));
    const auto data = literal.mutable_data<T>();
    std::fill(data.begin(), data.end(), value);
    return literal;
  }
  // 0, 1, the least and the greatest value of a type (infinities, where it has them).
  static Literal Zero(PrimitiveType type);
  static Literal One(PrimitiveType type);
  static Literal MinValue(PrimitiveType type);
  static Literal MaxValue(PrimitiveType type);
  static Literal MakeTuple(std::vector<Literal> elements) {
    return Literal::Tuple(std::move(elements));
  }
};

}  // namespace axle

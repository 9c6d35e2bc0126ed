// Constants by element type, with XLA's names.
//
//   Zero(&b, F32)            0
//   ScalarLike(x, 0.5)       0.5 of x's element type: x * ScalarLike(x, 0.5)
//   MinValue(&b, S8)         -128, which is where a maximum starts
//
// All are scalars but the functions whose names are plural, and FullLike. Errors are recorded in
// the builder, which is not null: a type that has no such constant is INVALID_ARGUMENT, as complex
// types for least and greatest values. The rest is as xla_builder.h says for all functions.
#pragma once
#include <concepts>
#include <optional>
#include <type_traits>

#include "axle/builder/xla_builder.h"
#include "axle/core/narrow_types.h"

namespace axle {

// `value`, a scalar of any type, converted to `type` and rounded once. Here and below, a number
// that the type has not is INVALID_ARGUMENT: 300 of s8, -1 of u32, a fraction of an integer type,
// 1e6 of f16, where it would be infinite, a complex number of a real type (core/convert.h,
// ConvertNumber).
XlaOp ConstantR0WithType(XlaBuilder* builder, PrimitiveType type, const Literal& value,
                         Location location = std::source_location::current());
template <typename T>
XlaOp ConstantR0WithType(XlaBuilder* builder, PrimitiveType type, T value,
                         Location location = std::source_location::current()) {
  return ConstantR0WithType(builder, type, LiteralUtil::CreateR0<T>(value), location);
}

// `value` as a scalar of the prototype's element type.
XlaOp ScalarLike(XlaOp prototype, const Literal& value,
                 Location location = std::source_location::current());
template <typename T>
XlaOp ScalarLike(XlaOp prototype, T value, Location location = std::source_location::current()) {
  return ScalarLike(prototype, LiteralUtil::CreateR0<T>(value), location);
}
// The same in the prototype's shape, [dims], with its run-time sizes.
XlaOp FullLike(XlaOp prototype, const Literal& value,
               Location location = std::source_location::current());
template <typename T>
XlaOp FullLike(XlaOp prototype, T value, Location location = std::source_location::current()) {
  return FullLike(prototype, LiteralUtil::CreateR0<T>(value), location);
}

// 0, 1, 2, .. along a dimension, in the prototype's shape, with its run-time sizes, or in that
// shape with another element type. Errors: INVALID_ARGUMENT if there is no such dimension.
XlaOp IotaLike(XlaOp prototype, i64 iota_dimension,
               std::optional<PrimitiveType> type = std::nullopt,
               Location location = std::source_location::current());

// x + 1, 2.0f * x: the number as a scalar of x's element type.
template <typename T>
concept PlainNumber = !std::same_as<T, bool> && (std::is_arithmetic_v<T> || kIsNarrowType<T>);
template <PlainNumber T>
XlaOp operator+(T number, LocatedOp x) {
  return Add(ScalarLike(x.op, number, x.location), x.op, {}, x.location);
}
template <PlainNumber T>
XlaOp operator+(LocatedOp x, T number) {
  return Add(x.op, ScalarLike(x.op, number, x.location), {}, x.location);
}
template <PlainNumber T>
XlaOp operator-(T number, LocatedOp x) {
  return Sub(ScalarLike(x.op, number, x.location), x.op, {}, x.location);
}
template <PlainNumber T>
XlaOp operator-(LocatedOp x, T number) {
  return Sub(x.op, ScalarLike(x.op, number, x.location), {}, x.location);
}
template <PlainNumber T>
XlaOp operator*(T number, LocatedOp x) {
  return Mul(ScalarLike(x.op, number, x.location), x.op, {}, x.location);
}
template <PlainNumber T>
XlaOp operator*(LocatedOp x, T number) {
  return Mul(x.op, ScalarLike(x.op, number, x.location), {}, x.location);
}
template <PlainNumber T>
XlaOp operator/(T number, LocatedOp x) {
  return Div(ScalarLike(x.op, number, x.location), x.op, {}, x.location);
}
template <PlainNumber T>
XlaOp operator/(LocatedOp x, T number) {
  return Div(x.op, ScalarLike(x.op, number, x.location), {}, x.location);
}

// 0 of an array type.
XlaOp Zero(XlaBuilder* builder, PrimitiveType type,
           Location location = std::source_location::current());
// Zeros of an array, or of a tuple whose elements are such.
XlaOp Zeros(XlaBuilder* builder, const Shape& shape,
            Location location = std::source_location::current());
// The same in the prototype's shape; of an array, with its run-time sizes.
XlaOp ZerosLike(XlaOp prototype, Location location = std::source_location::current());
// 1 of an array type.
XlaOp One(XlaBuilder* builder, PrimitiveType type,
          Location location = std::source_location::current());
// From 1 to the next number of a float type.
XlaOp Epsilon(XlaBuilder* builder, PrimitiveType type,
              Location location = std::source_location::current());
// The least and the greatest value: infinities where the type has them, false and true of pred.
XlaOp MinValue(XlaBuilder* builder, PrimitiveType type,
               Location location = std::source_location::current());
XlaOp MaxValue(XlaBuilder* builder, PrimitiveType type,
               Location location = std::source_location::current());
// The same without infinities.
XlaOp MinFiniteValue(XlaBuilder* builder, PrimitiveType type,
                     Location location = std::source_location::current());
XlaOp MaxFiniteValue(XlaBuilder* builder, PrimitiveType type,
                     Location location = std::source_location::current());
// The least positive number of a float type that is not subnormal.
XlaOp MinPositiveNormalValue(XlaBuilder* builder, PrimitiveType type,
                             Location location = std::source_location::current());
// Not a number, of a float type that has one; of a complex type with imaginary part 0.
XlaOp NanValue(XlaBuilder* builder, PrimitiveType type,
               Location location = std::source_location::current());

}  // namespace axle

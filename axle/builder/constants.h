// The builder's functions for parameters, constants and iota, with XLA's names. The header is
// included by xla_builder.h, which states what holds for all of the builder's functions.
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "axle/builder/literal_util.h"
#include "axle/builder/movement.h"
#include "axle/builder/xla_op.h"
#include "axle/core/array.h"

namespace axle {

// Adds parameter `number` of the computation: a value of `shape`, of any kind, that the caller
// passes. Errors: INVALID_ARGUMENT if the number is taken or negative, or CheckShape refuses the
// shape; at Build, INVALID_ARGUMENT if the numbers are not 0, 1, ... without a gap.
XlaOp Parameter(XlaBuilder* builder, i64 number, const Shape& shape, std::string_view name,
                Location location = std::source_location::current());

// Adds a constant of the literal's shape, row-major, that shares its storage; a view is copied. An
// array whose elements are all the same becomes a broadcast scalar.
XlaOp ConstantLiteral(XlaBuilder* builder, const Literal& literal,
                      Location location = std::source_location::current());
// Adds a scalar, [], of the element type whose storage is T.
template <typename T>
XlaOp ConstantR0(XlaBuilder* builder, T value,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<T>(value), location);
}
// Adds a vector, [values.size()]. Here and below the element type is that of T, and everything is
// copied.
template <typename T>
XlaOp ConstantR1(XlaBuilder* builder, std::initializer_list<T> values,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<T>(values), location);
}
template <typename T>
XlaOp ConstantR1(XlaBuilder* builder, const std::vector<T>& values,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<T>(values), location);
}
template <typename T>
XlaOp ConstantR1(XlaBuilder* builder, std::span<const T> values,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<T>(values), location);
}
// Adds an array [length] of one value, which is stored once.
// Errors: INVALID_ARGUMENT if the length is negative.
template <typename T>
XlaOp ConstantR1(XlaBuilder* builder, i64 length, T value,
                 Location location = std::source_location::current()) {
  return Broadcast(ConstantR0<T>(builder, value, location), {length}, location);
}
// Adds an array [rows, columns], and so on, whose sizes are the lengths of the lists. The lists of
// a level should have one length: see core/array.h.
template <typename T>
XlaOp ConstantR2(XlaBuilder* builder, std::initializer_list<std::initializer_list<T>> values,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<T>(values), location);
}
template <typename T>
XlaOp ConstantR3(XlaBuilder* builder, typename Array<T>::List3D values,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR3<T>(values), location);
}
template <typename T>
XlaOp ConstantR4(XlaBuilder* builder, typename Array<T>::List4D values,
                 Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR4<T>(values), location);
}
// Adds an array of shape [values.dimensions()].
template <typename T>
XlaOp ConstantFromArray(XlaBuilder* builder, const Array<T>& values,
                        Location location = std::source_location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateFromArray<T>(values), location);
}
template <typename T>
XlaOp ConstantR2FromArray2D(XlaBuilder* builder, const Array2D<T>& values,
                            Location location = std::source_location::current()) {
  return ConstantFromArray<T>(builder, values, location);
}
template <typename T>
XlaOp ConstantR3FromArray3D(XlaBuilder* builder, const Array3D<T>& values,
                            Location location = std::source_location::current()) {
  return ConstantFromArray<T>(builder, values, location);
}
template <typename T>
XlaOp ConstantR4FromArray4D(XlaBuilder* builder, const Array4D<T>& values,
                            Location location = std::source_location::current()) {
  return ConstantFromArray<T>(builder, values, location);
}

// Returns [size] or `shape`, in which each element is its position along `iota_dimension`,
// converted to the element type (docs/ops/iota.md).
// Errors: INVALID_ARGUMENT if there is no such dimension, a dimension is dynamic, or the type is
// pred.
XlaOp Iota(XlaBuilder* builder, PrimitiveType type, i64 size,
           Location location = std::source_location::current());
XlaOp Iota(XlaBuilder* builder, const Shape& shape, i64 iota_dimension,
           Location location = std::source_location::current());

}  // namespace axle

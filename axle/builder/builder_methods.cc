// Made by scripts/builder_methods.py from the functions of axle/builder/; not for editing. The
// bodies of the methods that are no templates; a program that includes xla_builder.h need not
// compile them.
#include "axle/builder/xla_builder.h"

namespace axle {

// clang-format off
XlaOp XlaBuilder::Abs(XlaOp operand, Location location) {
  return AreOwn("Abs", {operand}, location) ? axle::Abs(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Acos(XlaOp operand, Location location) {
  return AreOwn("Acos", {operand}, location) ? axle::Acos(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Acosh(XlaOp operand, Location location) {
  return AreOwn("Acosh", {operand}, location) ? axle::Acosh(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Add(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Add", {lhs, rhs}, location) ? axle::Add(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::And(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("And", {lhs, rhs}, location) ? axle::And(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Asin(XlaOp operand, Location location) {
  return AreOwn("Asin", {operand}, location) ? axle::Asin(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Asinh(XlaOp operand, Location location) {
  return AreOwn("Asinh", {operand}, location) ? axle::Asinh(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Atan2(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Atan2", {lhs, rhs}, location) ? axle::Atan2(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Atanh(XlaOp operand, Location location) {
  return AreOwn("Atanh", {operand}, location) ? axle::Atanh(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Cbrt(XlaOp operand, Location location) {
  return AreOwn("Cbrt", {operand}, location) ? axle::Cbrt(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Ceil(XlaOp operand, Location location) {
  return AreOwn("Ceil", {operand}, location) ? axle::Ceil(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Complex(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Complex", {lhs, rhs}, location) ? axle::Complex(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Copy(XlaOp operand, Location location) {
  return AreOwn("Copy", {operand}, location) ? axle::Copy(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Cosh(XlaOp operand, Location location) {
  return AreOwn("Cosh", {operand}, location) ? axle::Cosh(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Cos(XlaOp operand, Location location) {
  return AreOwn("Cos", {operand}, location) ? axle::Cos(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Clz(XlaOp operand, Location location) {
  return AreOwn("Clz", {operand}, location) ? axle::Clz(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Div(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Div", {lhs, rhs}, location) ? axle::Div(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Erf(XlaOp operand, Location location) {
  return AreOwn("Erf", {operand}, location) ? axle::Erf(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Exp(XlaOp operand, Location location) {
  return AreOwn("Exp", {operand}, location) ? axle::Exp(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Expm1(XlaOp operand, Location location) {
  return AreOwn("Expm1", {operand}, location) ? axle::Expm1(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Floor(XlaOp operand, Location location) {
  return AreOwn("Floor", {operand}, location) ? axle::Floor(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Imag(XlaOp operand, Location location) {
  return AreOwn("Imag", {operand}, location) ? axle::Imag(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::IsFinite(XlaOp operand, Location location) {
  return AreOwn("IsFinite", {operand}, location) ? axle::IsFinite(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Log(XlaOp operand, Location location) {
  return AreOwn("Log", {operand}, location) ? axle::Log(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Log1p(XlaOp operand, Location location) {
  return AreOwn("Log1p", {operand}, location) ? axle::Log1p(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Logistic(XlaOp operand, Location location) {
  return AreOwn("Logistic", {operand}, location) ? axle::Logistic(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Max(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Max", {lhs, rhs}, location) ? axle::Max(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Min(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Min", {lhs, rhs}, location) ? axle::Min(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Mulhi(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Mulhi", {lhs, rhs}, location) ? axle::Mulhi(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Mul(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Mul", {lhs, rhs}, location) ? axle::Mul(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Neg(XlaOp operand, Location location) {
  return AreOwn("Neg", {operand}, location) ? axle::Neg(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Not(XlaOp operand, Location location) {
  return AreOwn("Not", {operand}, location) ? axle::Not(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Or(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Or", {lhs, rhs}, location) ? axle::Or(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::PopulationCount(XlaOp operand, Location location) {
  return AreOwn("PopulationCount", {operand}, location) ? axle::PopulationCount(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Pow(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Pow", {lhs, rhs}, location) ? axle::Pow(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Real(XlaOp operand, Location location) {
  return AreOwn("Real", {operand}, location) ? axle::Real(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Rem(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Rem", {lhs, rhs}, location) ? axle::Rem(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Round(XlaOp operand, Location location) {
  return AreOwn("Round", {operand}, location) ? axle::Round(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RoundNearestEven(XlaOp operand, Location location) {
  return AreOwn("RoundNearestEven", {operand}, location) ? axle::RoundNearestEven(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Rsqrt(XlaOp operand, Location location) {
  return AreOwn("Rsqrt", {operand}, location) ? axle::Rsqrt(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ShiftLeft(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("ShiftLeft", {lhs, rhs}, location) ? axle::ShiftLeft(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ShiftRightArithmetic(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("ShiftRightArithmetic", {lhs, rhs}, location) ? axle::ShiftRightArithmetic(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ShiftRightLogical(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("ShiftRightLogical", {lhs, rhs}, location) ? axle::ShiftRightLogical(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sign(XlaOp operand, Location location) {
  return AreOwn("Sign", {operand}, location) ? axle::Sign(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sin(XlaOp operand, Location location) {
  return AreOwn("Sin", {operand}, location) ? axle::Sin(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sinh(XlaOp operand, Location location) {
  return AreOwn("Sinh", {operand}, location) ? axle::Sinh(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sqrt(XlaOp operand, Location location) {
  return AreOwn("Sqrt", {operand}, location) ? axle::Sqrt(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sub(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Sub", {lhs, rhs}, location) ? axle::Sub(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Tan(XlaOp operand, Location location) {
  return AreOwn("Tan", {operand}, location) ? axle::Tan(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Tanh(XlaOp operand, Location location) {
  return AreOwn("Tanh", {operand}, location) ? axle::Tanh(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Xor(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("Xor", {lhs, rhs}, location) ? axle::Xor(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Conj(XlaOp operand, Location location) {
  return AreOwn("Conj", {operand}, location) ? axle::Conj(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvertElementType(XlaOp operand, PrimitiveType type, Location location) {
  return AreOwn("ConvertElementType", {operand}, location) ? axle::ConvertElementType(operand, type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::BitcastConvertType(XlaOp operand, PrimitiveType type, Location location) {
  return AreOwn("BitcastConvertType", {operand}, location) ? axle::BitcastConvertType(operand, type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReducePrecision(XlaOp operand, i64 exponent_bits, i64 mantissa_bits, Location location) {
  return AreOwn("ReducePrecision", {operand}, location) ? axle::ReducePrecision(operand, exponent_bits, mantissa_bits, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType type, Location location) {
  return AreOwn("StochasticConvertType", {operand, random}, location) ? axle::StochasticConvertType(operand, random, type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Compare(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, ComparisonDirection direction, ComparisonType type, Location location) {
  return AreOwn("Compare", {lhs, rhs}, location) ? axle::Compare(lhs, rhs, broadcast_dimensions, direction, type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction, Location location) {
  return AreOwn("Compare", {lhs, rhs}, location) ? axle::Compare(lhs, rhs, direction, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Eq(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("Eq", {lhs, rhs}, location) ? axle::Eq(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Ne(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("Ne", {lhs, rhs}, location) ? axle::Ne(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Ge(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("Ge", {lhs, rhs}, location) ? axle::Ge(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Gt(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("Gt", {lhs, rhs}, location) ? axle::Gt(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Le(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("Le", {lhs, rhs}, location) ? axle::Le(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Lt(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("Lt", {lhs, rhs}, location) ? axle::Lt(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::EqTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("EqTotalOrder", {lhs, rhs}, location) ? axle::EqTotalOrder(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::NeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("NeTotalOrder", {lhs, rhs}, location) ? axle::NeTotalOrder(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::GeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("GeTotalOrder", {lhs, rhs}, location) ? axle::GeTotalOrder(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::GtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("GtTotalOrder", {lhs, rhs}, location) ? axle::GtTotalOrder(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::LeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("LeTotalOrder", {lhs, rhs}, location) ? axle::LeTotalOrder(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::LtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return AreOwn("LtTotalOrder", {lhs, rhs}, location) ? axle::LtTotalOrder(lhs, rhs, dims, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Select(XlaOp pred, XlaOp on_true, XlaOp on_false, Location location) {
  return AreOwn("Select", {pred, on_true, on_false}, location) ? axle::Select(pred, on_true, on_false, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Clamp(XlaOp min, XlaOp operand, XlaOp max, Location location) {
  return AreOwn("Clamp", {min, operand, max}, location) ? axle::Clamp(min, operand, max, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::LogicalAnd(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("LogicalAnd", {lhs, rhs}, location) ? axle::LogicalAnd(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::LogicalOr(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions, Location location) {
  return AreOwn("LogicalOr", {lhs, rhs}, location) ? axle::LogicalOr(lhs, rhs, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::LogicalNot(XlaOp operand, Location location) {
  return AreOwn("LogicalNot", {operand}, location) ? axle::LogicalNot(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Parameter(i64 number, const Shape& shape, std::string_view name, Location location) {
  return axle::Parameter(this, number, shape, name, location);
}
XlaOp XlaBuilder::ConstantLiteral(const Literal& literal, Location location) {
  return axle::ConstantLiteral(this, literal, location);
}
XlaOp XlaBuilder::Iota(PrimitiveType type, i64 size, Location location) {
  return axle::Iota(this, type, size, location);
}
XlaOp XlaBuilder::Iota(const Shape& shape, i64 iota_dimension, Location location) {
  return axle::Iota(this, shape, iota_dimension, location);
}
XlaOp XlaBuilder::Broadcast(XlaOp operand, ArraySlice<i64> broadcast_sizes, Location location) {
  return AreOwn("Broadcast", {operand}, location) ? axle::Broadcast(operand, broadcast_sizes, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::BroadcastInDim(XlaOp operand, ArraySlice<i64> out_dims, ArraySlice<i64> broadcast_dimensions, Location location) {
  return AreOwn("BroadcastInDim", {operand}, location) ? axle::BroadcastInDim(operand, out_dims, broadcast_dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Reshape(XlaOp operand, ArraySlice<i64> dimensions, Location location) {
  return AreOwn("Reshape", {operand}, location) ? axle::Reshape(operand, dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Reshape(XlaOp operand, ArraySlice<i64> dimensions, ArraySlice<i64> new_sizes, Location location) {
  return AreOwn("Reshape", {operand}, location) ? axle::Reshape(operand, dimensions, new_sizes, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Reshape(const Shape& shape, XlaOp operand, Location location) {
  return AreOwn("Reshape", {operand}, location) ? axle::Reshape(shape, operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReshapeWithInferredDimension(XlaOp operand, ArraySlice<i64> new_sizes, i64 inferred_dimension, Location location) {
  return AreOwn("ReshapeWithInferredDimension", {operand}, location) ? axle::ReshapeWithInferredDimension(operand, new_sizes, inferred_dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Collapse(XlaOp operand, ArraySlice<i64> dimensions, Location location) {
  return AreOwn("Collapse", {operand}, location) ? axle::Collapse(operand, dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Transpose(XlaOp operand, ArraySlice<i64> permutation, Location location) {
  return AreOwn("Transpose", {operand}, location) ? axle::Transpose(operand, permutation, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Rev(XlaOp operand, ArraySlice<i64> dimensions, Location location) {
  return AreOwn("Rev", {operand}, location) ? axle::Rev(operand, dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Slice(XlaOp operand, ArraySlice<i64> start_indices, ArraySlice<i64> limit_indices, ArraySlice<i64> strides, Location location) {
  return AreOwn("Slice", {operand}, location) ? axle::Slice(operand, start_indices, limit_indices, strides, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension, Location location) {
  return AreOwn("SliceInDim", {operand}, location) ? axle::SliceInDim(operand, start_index, limit_index, stride, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding, Location location) {
  return AreOwn("Pad", {operand, padding_value}, location) ? axle::Pad(operand, padding_value, padding, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::PadInDim(XlaOp operand, XlaOp padding_value, i64 dimension, i64 low, i64 high, Location location) {
  return AreOwn("PadInDim", {operand, padding_value}, location) ? axle::PadInDim(operand, padding_value, dimension, low, high, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConcatInDim(ArraySlice<XlaOp> operands, i64 dimension, Location location) {
  return AreOwn("ConcatInDim", operands, location) ? axle::ConcatInDim(this, operands, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Concatenate(ArraySlice<XlaOp> operands, i64 dimension, Location location) {
  return AreOwn("Concatenate", operands, location) ? axle::Concatenate(this, operands, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicSlice(XlaOp operand, ArraySlice<XlaOp> start_indices, ArraySlice<i64> slice_sizes, Location location) {
  return AreOwn("DynamicSlice", {operand}, location) && AreOwn("DynamicSlice", start_indices, location) ? axle::DynamicSlice(operand, start_indices, slice_sizes, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicSlice(XlaOp operand, XlaOp start_indices, ArraySlice<i64> slice_sizes, Location location) {
  return AreOwn("DynamicSlice", {operand, start_indices}, location) ? axle::DynamicSlice(operand, start_indices, slice_sizes, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicSlice(XlaOp operand, std::initializer_list<XlaOp> start_indices, ArraySlice<i64> slice_sizes, Location location) {
  return AreOwn("DynamicSlice", {operand}, location) && AreOwn("DynamicSlice", start_indices, location) ? axle::DynamicSlice(operand, start_indices, slice_sizes, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices, Location location) {
  return AreOwn("DynamicUpdateSlice", {operand, update, start_indices}, location) ? axle::DynamicUpdateSlice(operand, update, start_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicUpdateSlice(XlaOp operand, XlaOp update, ArraySlice<XlaOp> start_indices, Location location) {
  return AreOwn("DynamicUpdateSlice", {operand, update}, location) && AreOwn("DynamicUpdateSlice", start_indices, location) ? axle::DynamicUpdateSlice(operand, update, start_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicUpdateSlice(XlaOp operand, XlaOp update, std::initializer_list<XlaOp> start_indices, Location location) {
  return AreOwn("DynamicUpdateSlice", {operand, update}, location) && AreOwn("DynamicUpdateSlice", start_indices, location) ? axle::DynamicUpdateSlice(operand, update, start_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers, ArraySlice<i64> slice_sizes, bool indices_are_sorted, Location location) {
  return AreOwn("Gather", {operand, start_indices}, location) ? axle::Gather(operand, start_indices, dimension_numbers, slice_sizes, indices_are_sorted, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Gather(XlaOp operand, XlaOp start_indices, ArraySlice<i64> offset_dims, ArraySlice<i64> collapsed_slice_dims, ArraySlice<i64> slice_sizes, ArraySlice<i64> start_index_map, std::optional<i64> index_vector_dim, bool indices_are_sorted, Location location) {
  return AreOwn("Gather", {operand, start_indices}, location) ? axle::Gather(operand, start_indices, offset_dims, collapsed_slice_dims, slice_sizes, start_index_map, index_vector_dim, indices_are_sorted, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates, const XlaComputation& update_computation, const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted, bool unique_indices, Location location) {
  return AreOwn("Scatter", {operand, scatter_indices, updates}, location) ? axle::Scatter(operand, scatter_indices, updates, update_computation, dimension_numbers, indices_are_sorted, unique_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates, const XlaComputation& update_computation, const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted, bool unique_indices, Location location) {
  return AreOwn("Scatter", {scatter_indices}, location) && AreOwn("Scatter", operands, location) && AreOwn("Scatter", updates, location) ? axle::Scatter(operands, scatter_indices, updates, update_computation, dimension_numbers, indices_are_sorted, unique_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates, const XlaComputation& update_computation, i64 index_vector_dim, ArraySlice<i64> update_window_dims, ArraySlice<i64> inserted_window_dims, ArraySlice<i64> scatter_dims_to_operand_dims, bool indices_are_sorted, bool unique_indices, Location location) {
  return AreOwn("Scatter", {operand, scatter_indices, updates}, location) ? axle::Scatter(operand, scatter_indices, updates, update_computation, index_vector_dim, update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, indices_are_sorted, unique_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates, const XlaComputation& update_computation, i64 index_vector_dim, ArraySlice<i64> update_window_dims, ArraySlice<i64> inserted_window_dims, ArraySlice<i64> scatter_dims_to_operand_dims, bool indices_are_sorted, bool unique_indices, Location location) {
  return AreOwn("Scatter", {scatter_indices}, location) && AreOwn("Scatter", operands, location) && AreOwn("Scatter", updates, location) ? axle::Scatter(operands, scatter_indices, updates, update_computation, index_vector_dim, update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, indices_are_sorted, unique_indices, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::GetDimensionSize(XlaOp operand, i64 dimension, Location location) {
  return AreOwn("GetDimensionSize", {operand}, location) ? axle::GetDimensionSize(operand, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension, Location location) {
  return AreOwn("SetDimensionSize", {operand, size}, location) ? axle::SetDimensionSize(operand, size, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RemoveDynamicDimension(XlaOp operand, i64 dimension, Location location) {
  return AreOwn("RemoveDynamicDimension", {operand}, location) ? axle::RemoveDynamicDimension(operand, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicReshape(XlaOp operand, ArraySlice<XlaOp> dim_sizes, ArraySlice<i64> new_size_bounds, const std::vector<bool>& dims_are_dynamic, Location location) {
  return AreOwn("DynamicReshape", {operand}, location) && AreOwn("DynamicReshape", dim_sizes, location) ? axle::DynamicReshape(operand, dim_sizes, new_size_bounds, dims_are_dynamic, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation, ArraySlice<i64> dimensions_to_reduce, Location location) {
  return AreOwn("Reduce", {operand, init_value}, location) ? axle::Reduce(operand, init_value, computation, dimensions_to_reduce, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Reduce(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation, ArraySlice<i64> dimensions_to_reduce, Location location) {
  return AreOwn("Reduce", operands, location) && AreOwn("Reduce", init_values, location) ? axle::Reduce(this, operands, init_values, computation, dimensions_to_reduce, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation, Location location) {
  return AreOwn("ReduceAll", {operand, init_value}, location) ? axle::ReduceAll(operand, init_value, computation, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, Padding padding, Location location) {
  return AreOwn("ReduceWindow", {operand, init_value}, location) ? axle::ReduceWindow(operand, init_value, computation, window_dimensions, window_strides, padding, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindow(XlaOp operand, const XlaComputation& computation, XlaOp init_value, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, Padding padding, Location location) {
  return AreOwn("ReduceWindow", {operand, init_value}, location) ? axle::ReduceWindow(operand, computation, init_value, window_dimensions, window_strides, padding, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, Padding padding, Location location) {
  return AreOwn("ReduceWindow", operands, location) && AreOwn("ReduceWindow", init_values, location) ? OrNoOperand("ReduceWindow", axle::ReduceWindow(operands, init_values, computation, window_dimensions, window_strides, padding, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations, ArraySlice<i64> window_dilations, Padding padding, Location location) {
  return AreOwn("ReduceWindow", {operand, init_value}, location) ? axle::ReduceWindow(operand, init_value, computation, window_dimensions, window_strides, base_dilations, window_dilations, padding, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations, ArraySlice<i64> window_dilations, Padding padding, Location location) {
  return AreOwn("ReduceWindow", operands, location) && AreOwn("ReduceWindow", init_values, location) ? OrNoOperand("ReduceWindow", axle::ReduceWindow(operands, init_values, computation, window_dimensions, window_strides, base_dilations, window_dilations, padding, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, const XlaComputation& computation, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations, ArraySlice<i64> window_dilations, ArraySlice<std::pair<i64, i64>> padding, Location location) {
  return AreOwn("ReduceWindowWithGeneralPadding", {operand, init_value}, location) ? axle::ReduceWindowWithGeneralPadding(operand, init_value, computation, window_dimensions, window_strides, base_dilations, window_dilations, padding, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceWindowWithGeneralPadding(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations, ArraySlice<i64> window_dilations, ArraySlice<std::pair<i64, i64>> padding, Location location) {
  return AreOwn("ReduceWindowWithGeneralPadding", operands, location) && AreOwn("ReduceWindowWithGeneralPadding", init_values, location) ? OrNoOperand("ReduceWindowWithGeneralPadding", axle::ReduceWindowWithGeneralPadding(operands, init_values, computation, window_dimensions, window_strides, base_dilations, window_dilations, padding, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::SelectAndScatter(XlaOp operand, const XlaComputation& select, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, Padding padding, XlaOp source, XlaOp init_value, const XlaComputation& scatter, Location location) {
  return AreOwn("SelectAndScatter", {operand, source, init_value}, location) ? axle::SelectAndScatter(operand, select, window_dimensions, window_strides, padding, source, init_value, scatter, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select, ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, XlaOp source, XlaOp init_value, const XlaComputation& scatter, Location location) {
  return AreOwn("SelectAndScatterWithGeneralPadding", {operand, source, init_value}, location) ? axle::SelectAndScatterWithGeneralPadding(operand, select, window_dimensions, window_strides, padding, source, init_value, scatter, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, i64 dimension, bool is_stable, Location location) {
  return AreOwn("Sort", operands, location) ? OrNoOperand("Sort", axle::Sort(operands, comparator, dimension, is_stable, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sort(XlaOp operand, i64 dimension, Location location) {
  return AreOwn("Sort", {operand}, location) ? axle::Sort(operand, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Sort(XlaOp keys, XlaOp values, i64 dimension, Location location) {
  return AreOwn("Sort", {keys, values}, location) ? axle::Sort(keys, values, dimension, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::TopK(XlaOp operand, i64 k, bool largest, bool is_stable, Location location) {
  return AreOwn("TopK", {operand}, location) ? axle::TopK(operand, k, largest, is_stable, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Dot(XlaOp lhs, XlaOp rhs, Location location) {
  return AreOwn("Dot", {lhs, rhs}, location) ? axle::Dot(lhs, rhs, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("DotGeneral", {lhs, rhs}, location) ? axle::DotGeneral(lhs, rhs, dimension_numbers, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("Dot", {lhs, rhs}, location) ? axle::Dot(lhs, rhs, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("DotGeneral", {lhs, rhs}, location) ? axle::DotGeneral(lhs, rhs, dimension_numbers, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes, const RaggedDotDimensionNumbers& dimension_numbers, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("RaggedDot", {lhs, rhs, group_sizes}, location) ? axle::RaggedDot(lhs, rhs, group_sizes, dimension_numbers, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale, const DotDimensionNumbers& dimension_numbers, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("ScaledDot", {lhs, rhs, lhs_scale, rhs_scale}, location) ? axle::ScaledDot(lhs, rhs, lhs_scale, rhs_scale, dimension_numbers, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Conv(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, Padding padding, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("Conv", {lhs, rhs}, location) ? axle::Conv(lhs, rhs, window_strides, padding, feature_group_count, batch_group_count, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("ConvWithGeneralPadding", {lhs, rhs}, location) ? axle::ConvWithGeneralPadding(lhs, rhs, window_strides, padding, feature_group_count, batch_group_count, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation, ArraySlice<i64> rhs_dilation, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("ConvWithGeneralPadding", {lhs, rhs}, location) ? axle::ConvWithGeneralPadding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, feature_group_count, batch_group_count, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, std::initializer_list<i64> lhs_dilation, std::initializer_list<i64> rhs_dilation, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("ConvWithGeneralPadding", {lhs, rhs}, location) ? axle::ConvWithGeneralPadding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, feature_group_count, batch_group_count, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, Padding padding, const ConvolutionDimensionNumbers& dimension_numbers, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("ConvWithGeneralDimensions", {lhs, rhs}, location) ? axle::ConvWithGeneralDimensions(lhs, rhs, window_strides, padding, dimension_numbers, feature_group_count, batch_group_count, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvGeneral(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, const ConvolutionDimensionNumbers& dimension_numbers, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("ConvGeneral", {lhs, rhs}, location) ? axle::ConvGeneral(lhs, rhs, window_strides, padding, dimension_numbers, feature_group_count, batch_group_count, precision_config, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ConvGeneralDilated(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation, ArraySlice<i64> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, std::optional<PrimitiveType> preferred_element_type, const std::vector<bool>& window_reversal, Location location) {
  return AreOwn("ConvGeneralDilated", {lhs, rhs}, location) ? axle::ConvGeneralDilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count, batch_group_count, precision_config, preferred_element_type, window_reversal, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::DynamicConvForward(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation, ArraySlice<i64> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers, i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config, PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type, Location location) {
  return AreOwn("DynamicConvForward", {lhs, rhs}, location) ? axle::DynamicConvForward(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count, batch_group_count, precision_config, padding_type, preferred_element_type, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Tuple(ArraySlice<XlaOp> elements, Location location) {
  return AreOwn("Tuple", elements, location) ? axle::Tuple(this, elements, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::GetTupleElement(XlaOp tuple, i64 index, Location location) {
  return AreOwn("GetTupleElement", {tuple}, location) ? axle::GetTupleElement(tuple, index, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Call(const XlaComputation& computation, ArraySlice<XlaOp> operands, Location location) {
  return AreOwn("Call", operands, location) ? axle::Call(this, computation, operands, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Map(ArraySlice<XlaOp> operands, const XlaComputation& computation, ArraySlice<i64> dimensions, ArraySlice<XlaOp> static_operands, Location location) {
  return AreOwn("Map", operands, location) && AreOwn("Map", static_operands, location) ? axle::Map(this, operands, computation, dimensions, static_operands, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Map(ArraySlice<XlaOp> operands, const XlaComputation& computation, Location location) {
  return AreOwn("Map", operands, location) ? axle::Map(this, operands, computation, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Map(ArraySlice<XlaOp> operands, const XlaComputation& computation, ArraySlice<XlaOp> static_operands, Location location) {
  return AreOwn("Map", operands, location) && AreOwn("Map", static_operands, location) ? axle::Map(this, operands, computation, static_operands, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Map(ArraySlice<XlaOp> operands, const XlaComputation& computation, std::initializer_list<i64> dimensions, Location location) {
  return AreOwn("Map", operands, location) ? axle::Map(this, operands, computation, dimensions, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> inits, const XlaComputation& computation, i64 scan_dimension, std::optional<i64> scan_dimension_size, bool is_reverse, TriState is_associative, Location location) {
  return AreOwn("Scan", inputs, location) && AreOwn("Scan", inits, location) ? OrNoOperand("Scan", axle::Scan(inputs, inits, computation, scan_dimension, scan_dimension_size, is_reverse, is_associative, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::While(const XlaComputation& condition, const XlaComputation& body, XlaOp init, Location location) {
  return AreOwn("While", {init}, location) ? axle::While(condition, body, init, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation, XlaOp false_operand, const XlaComputation& false_computation, Location location) {
  return AreOwn("Conditional", {predicate, true_operand, false_operand}, location) ? axle::Conditional(predicate, true_operand, true_computation, false_operand, false_computation, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Conditional(XlaOp branch_index, ComputationList branch_computations, ArraySlice<XlaOp> branch_operands, Location location) {
  return AreOwn("Conditional", {branch_index}, location) && AreOwn("Conditional", branch_operands, location) ? axle::Conditional(branch_index, branch_computations, branch_operands, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape, Location location) {
  return AreOwn("RngBitGenerator", {initial_state}, location) ? axle::RngBitGenerator(algorithm, initial_state, shape, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RngUniform(XlaOp a, XlaOp b, const Shape& shape, Location location) {
  return AreOwn("RngUniform", {a, b}, location) ? axle::RngUniform(a, b, shape, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, Location location) {
  return AreOwn("RngNormal", {mu, sigma}, location) ? axle::RngNormal(mu, sigma, shape, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RngBernoulli(XlaOp mean, const Shape& shape, Location location) {
  return AreOwn("RngBernoulli", {mean}, location) ? axle::RngBernoulli(mean, shape, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Cholesky(XlaOp a, bool lower, Location location) {
  return AreOwn("Cholesky", {a}, location) ? axle::Cholesky(a, lower, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal, TransposeOption transpose_a, Location location) {
  return AreOwn("TriangularSolve", {a, b}, location) ? axle::TriangularSolve(a, b, left_side, lower, unit_diagonal, transpose_a, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Fft(XlaOp operand, FftType fft_type, ArraySlice<i64> fft_length, Location location) {
  return AreOwn("Fft", {operand}, location) ? axle::Fft(operand, fft_type, fft_length, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, i64 feature_index, Location location) {
  return AreOwn("BatchNormTraining", {operand, scale, offset}, location) ? axle::BatchNormTraining(operand, scale, offset, epsilon, feature_index, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance, float epsilon, i64 feature_index, Location location) {
  return AreOwn("BatchNormInference", {operand, scale, offset, mean, variance}, location) ? axle::BatchNormInference(operand, scale, offset, mean, variance, epsilon, feature_index, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var, XlaOp grad_output, float epsilon, i64 feature_index, Location location) {
  return AreOwn("BatchNormGrad", {operand, scale, batch_mean, batch_var, grad_output}, location) ? axle::BatchNormGrad(operand, scale, batch_mean, batch_var, grad_output, epsilon, feature_index, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllReduce(XlaOp operand, const XlaComputation& computation, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, const std::optional<Shape>& shape_with_layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllReduce", {operand}, location) ? axle::AllReduce(operand, computation, replica_groups, channel_id, shape_with_layout, use_global_device_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllReduceTuple(ArraySlice<XlaOp> operands, const XlaComputation& computation, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, const std::optional<Shape>& shape_with_layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllReduceTuple", operands, location) ? OrNoOperand("AllReduceTuple", axle::AllReduceTuple(operands, computation, replica_groups, channel_id, shape_with_layout, use_global_device_ids, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CrossReplicaSum(XlaOp operand, ReplicaGroupList replica_groups, Location location) {
  return AreOwn("CrossReplicaSum", {operand}, location) ? axle::CrossReplicaSum(operand, replica_groups, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CrossReplicaSum(XlaOp operand, std::initializer_list<i64> replica_group_ids, Location location) {
  return AreOwn("CrossReplicaSum", {operand}, location) ? axle::CrossReplicaSum(operand, replica_group_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllGather(XlaOp operand, i64 all_gather_dimension, i64 shard_count, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllGather", {operand}, location) ? axle::AllGather(operand, all_gather_dimension, shard_count, replica_groups, channel_id, layout, use_global_device_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllGatherTuple(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllGatherTuple", operands, location) ? OrNoOperand("AllGatherTuple", axle::AllGatherTuple(operands, all_gather_dimension, shard_count, replica_groups, channel_id, layout, use_global_device_ids, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceScatter(XlaOp operand, const XlaComputation& computation, i64 scatter_dimension, i64 shard_count, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("ReduceScatter", {operand}, location) ? axle::ReduceScatter(operand, computation, scatter_dimension, shard_count, replica_groups, channel_id, layout, use_global_device_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllToAll(XlaOp operand, i64 split_dimension, i64 concat_dimension, i64 split_count, ReplicaGroupList replica_groups, const std::optional<Layout>& layout, const OptionalChannel& channel_id, Location location) {
  return AreOwn("AllToAll", {operand}, location) ? axle::AllToAll(operand, split_dimension, concat_dimension, split_count, replica_groups, layout, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllToAllTuple(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups, const std::optional<Layout>& layout, const OptionalChannel& channel_id, Location location) {
  return AreOwn("AllToAllTuple", operands, location) ? OrNoOperand("AllToAllTuple", axle::AllToAllTuple(operands, replica_groups, layout, channel_id, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectivePermute(XlaOp operand, const std::vector<std::pair<i64, i64>>& source_target_pairs, const OptionalChannel& channel_id, Location location) {
  return AreOwn("CollectivePermute", {operand}, location) ? axle::CollectivePermute(operand, source_target_pairs, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::MultiCollectivePermute(ArraySlice<XlaOp> operands, const std::vector<std::pair<i64, i64>>& source_target_pairs, const OptionalChannel& channel_id, Location location) {
  return AreOwn("MultiCollectivePermute", operands, location) ? OrNoOperand("MultiCollectivePermute", axle::MultiCollectivePermute(operands, source_target_pairs, channel_id, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectiveBroadcast(XlaOp operand, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, Location location) {
  return AreOwn("CollectiveBroadcast", {operand}, location) ? axle::CollectiveBroadcast(operand, replica_groups, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectiveBroadcast(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, bool has_dynamic_root, Location location) {
  return AreOwn("CollectiveBroadcast", operands, location) ? OrNoOperand("CollectiveBroadcast", axle::CollectiveBroadcast(operands, replica_groups, channel_id, has_dynamic_root, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output, XlaOp output_offsets, XlaOp recv_sizes, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, Location location) {
  return AreOwn("RaggedAllToAll", {input, input_offsets, send_sizes, output, output_offsets, recv_sizes}, location) ? axle::RaggedAllToAll(input, input_offsets, send_sizes, output, output_offsets, recv_sizes, replica_groups, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllReduceWithDeviceList(XlaOp operand, const XlaComputation& computation, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, const std::optional<Shape>& shape_with_layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllReduceWithDeviceList", {operand}, location) ? axle::AllReduceWithDeviceList(operand, computation, device_list, channel_id, shape_with_layout, use_global_device_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllReduceTupleWithDeviceList(ArraySlice<XlaOp> operands, const XlaComputation& computation, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, const std::optional<Shape>& shape_with_layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllReduceTupleWithDeviceList", operands, location) ? OrNoOperand("AllReduceTupleWithDeviceList", axle::AllReduceTupleWithDeviceList(operands, computation, device_list, channel_id, shape_with_layout, use_global_device_ids, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllGatherWithDeviceList(XlaOp operand, i64 all_gather_dimension, i64 shard_count, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllGatherWithDeviceList", {operand}, location) ? axle::AllGatherWithDeviceList(operand, all_gather_dimension, shard_count, device_list, channel_id, layout, use_global_device_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllGatherTupleWithDeviceList(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllGatherTupleWithDeviceList", operands, location) ? OrNoOperand("AllGatherTupleWithDeviceList", axle::AllGatherTupleWithDeviceList(operands, all_gather_dimension, shard_count, device_list, channel_id, layout, use_global_device_ids, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReduceScatterWithDeviceList(XlaOp operand, const XlaComputation& computation, i64 scatter_dimension, i64 shard_count, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("ReduceScatterWithDeviceList", {operand}, location) ? axle::ReduceScatterWithDeviceList(operand, computation, scatter_dimension, shard_count, device_list, channel_id, layout, use_global_device_ids, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllToAllWithDeviceList(XlaOp operand, i64 split_dimension, i64 concat_dimension, i64 split_count, const CollectiveDeviceList& device_list, const std::optional<Layout>& layout, const OptionalChannel& channel_id, Location location) {
  return AreOwn("AllToAllWithDeviceList", {operand}, location) ? axle::AllToAllWithDeviceList(operand, split_dimension, concat_dimension, split_count, device_list, layout, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllToAllTupleWithDeviceList(ArraySlice<XlaOp> operands, const CollectiveDeviceList& device_list, const std::optional<Layout>& layout, const OptionalChannel& channel_id, Location location) {
  return AreOwn("AllToAllTupleWithDeviceList", operands, location) ? OrNoOperand("AllToAllTupleWithDeviceList", axle::AllToAllTupleWithDeviceList(operands, device_list, layout, channel_id, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectiveBroadcastWithDeviceList(XlaOp operand, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, Location location) {
  return AreOwn("CollectiveBroadcastWithDeviceList", {operand}, location) ? axle::CollectiveBroadcastWithDeviceList(operand, device_list, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectiveBroadcastWithDeviceList(ArraySlice<XlaOp> operands, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, bool has_dynamic_root, Location location) {
  return AreOwn("CollectiveBroadcastWithDeviceList", operands, location) ? OrNoOperand("CollectiveBroadcastWithDeviceList", axle::CollectiveBroadcastWithDeviceList(operands, device_list, channel_id, has_dynamic_root, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output, XlaOp output_offsets, XlaOp recv_sizes, const CollectiveDeviceList& device_list, const OptionalChannel& channel_id, Location location) {
  return AreOwn("RaggedAllToAllWithDeviceList", {input, input_offsets, send_sizes, output, output_offsets, recv_sizes}, location) ? axle::RaggedAllToAllWithDeviceList(input, input_offsets, send_sizes, output, output_offsets, recv_sizes, device_list, channel_id, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::ReplicaId(Location location) {
  return axle::ReplicaId(this, location);
}
XlaOp XlaBuilder::PartitionId(Location location) {
  return axle::PartitionId(this, location);
}
XlaOp XlaBuilder::BuildPartitionId(const Shape& shape, Location location) {
  return axle::BuildPartitionId(this, shape, location);
}
XlaOp XlaBuilder::CreateToken(Location location) {
  return axle::CreateToken(this, location);
}
XlaOp XlaBuilder::AfterAll(ArraySlice<XlaOp> tokens, Location location) {
  return AreOwn("AfterAll", tokens, location) ? axle::AfterAll(this, tokens, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::OptimizationBarrier(XlaOp operand, Location location) {
  return AreOwn("OptimizationBarrier", {operand}, location) ? axle::OptimizationBarrier(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Infeed(const Shape& shape, std::string_view config, Location location) {
  return axle::Infeed(this, shape, config, location);
}
XlaOp XlaBuilder::InfeedWithToken(XlaOp token, const Shape& shape, std::string_view config, Location location) {
  return AreOwn("InfeedWithToken", {token}, location) ? axle::InfeedWithToken(token, shape, config, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Outfeed(XlaOp operand, const Shape& shape_with_layout, std::string_view outfeed_config, Location location) {
  return AreOwn("Outfeed", {operand}, location) ? axle::Outfeed(operand, shape_with_layout, outfeed_config, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout, std::string_view outfeed_config, Location location) {
  return AreOwn("OutfeedWithToken", {operand, token}, location) ? axle::OutfeedWithToken(operand, token, shape_with_layout, outfeed_config, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Send(XlaOp operand, const ChannelHandle& handle, Location location) {
  return AreOwn("Send", {operand}, location) ? axle::Send(operand, handle, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Recv(const Shape& shape, const ChannelHandle& handle, Location location) {
  return axle::Recv(this, shape, handle, location);
}
XlaOp XlaBuilder::SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle, Location location) {
  return AreOwn("SendWithToken", {operand, token}, location) ? axle::SendWithToken(operand, token, handle, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle, Location location) {
  return AreOwn("RecvWithToken", {token}, location) ? axle::RecvWithToken(token, shape, handle, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout, const ChannelHandle& handle, Location location) {
  return AreOwn("SendToHost", {operand, token}, location) ? axle::SendToHost(operand, token, shape_with_layout, handle, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle, Location location) {
  return AreOwn("RecvFromHost", {token}, location) ? axle::RecvFromHost(token, shape, handle, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CompositeCall(const XlaComputation& computation, ArraySlice<XlaOp> operands, const std::string& name, std::optional<std::string_view> attributes, std::optional<i64> version, Location location) {
  return AreOwn("CompositeCall", operands, location) ? axle::CompositeCall(this, computation, operands, name, attributes, version, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CustomCall(const std::string& call_target_name, ArraySlice<XlaOp> operands, const Shape& shape, const std::string& opaque, bool has_side_effect, const OperandAliasing& output_operand_aliasing, const Literal* literal, CustomCallSchedule schedule, CustomCallApi api_version, Location location) {
  return AreOwn("CustomCall", operands, location) ? axle::CustomCall(this, call_target_name, operands, shape, opaque, has_side_effect, output_operand_aliasing, literal, schedule, api_version, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CustomCallWithComputation(const std::string& call_target_name, ArraySlice<XlaOp> operands, const XlaComputation& computation, const Shape& shape, const std::string& opaque, bool has_side_effect, const OperandAliasing& output_operand_aliasing, const Literal* literal, CustomCallSchedule schedule, CustomCallApi api_version, Location location) {
  return AreOwn("CustomCallWithComputation", operands, location) ? axle::CustomCallWithComputation(this, call_target_name, operands, computation, shape, opaque, has_side_effect, output_operand_aliasing, literal, schedule, api_version, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CustomCallWithLayout(const std::string& call_target_name, ArraySlice<XlaOp> operands, const Shape& shape_with_layout, ArraySlice<Shape> operand_shapes_with_layout, const std::string& opaque, bool has_side_effect, const OperandAliasing& output_operand_aliasing, const Literal* literal, CustomCallSchedule schedule, CustomCallApi api_version, Location location) {
  return AreOwn("CustomCallWithLayout", operands, location) ? axle::CustomCallWithLayout(this, call_target_name, operands, shape_with_layout, operand_shapes_with_layout, opaque, has_side_effect, output_operand_aliasing, literal, schedule, api_version, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CustomCallWithConvDnums(const std::string& call_target_name, ArraySlice<XlaOp> operands, const Shape& shape, ArraySlice<Shape> operand_shapes_with_layout, const std::string& opaque, bool has_side_effect, const OperandAliasing& output_operand_aliasing, const Literal* literal, const Window& window, const ConvolutionDimensionNumbers& dnums, CustomCallSchedule schedule, CustomCallApi api_version, Location location) {
  return AreOwn("CustomCallWithConvDnums", operands, location) ? axle::CustomCallWithConvDnums(this, call_target_name, operands, shape, operand_shapes_with_layout, opaque, has_side_effect, output_operand_aliasing, literal, window, dnums, schedule, api_version, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AsyncStart(ArraySlice<XlaOp> operands, const XlaComputation& computation, Location location) {
  return AreOwn("AsyncStart", operands, location) ? axle::AsyncStart(this, operands, computation, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AsyncUpdate(XlaOp operand, Location location) {
  return AreOwn("AsyncUpdate", {operand}, location) ? axle::AsyncUpdate(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AsyncDone(XlaOp operand, Location location) {
  return AreOwn("AsyncDone", {operand}, location) ? axle::AsyncDone(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllReduceStart(ArraySlice<XlaOp> operands, const XlaComputation& computation, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllReduceStart", operands, location) ? OrNoOperand("AllReduceStart", axle::AllReduceStart(operands, computation, replica_groups, channel_id, use_global_device_ids, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllReduceDone(XlaOp operand, Location location) {
  return AreOwn("AllReduceDone", {operand}, location) ? axle::AllReduceDone(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllGatherStart(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count, ReplicaGroupList replica_groups, const OptionalChannel& channel_id, std::optional<bool> use_global_device_ids, Location location) {
  return AreOwn("AllGatherStart", operands, location) ? OrNoOperand("AllGatherStart", axle::AllGatherStart(operands, all_gather_dimension, shard_count, replica_groups, channel_id, use_global_device_ids, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AllGatherDone(XlaOp operand, Location location) {
  return AreOwn("AllGatherDone", {operand}, location) ? axle::AllGatherDone(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectivePermuteStart(ArraySlice<XlaOp> operands, const std::vector<std::pair<i64, i64>>& source_target_pairs, const OptionalChannel& channel_id, Location location) {
  return AreOwn("CollectivePermuteStart", operands, location) ? OrNoOperand("CollectivePermuteStart", axle::CollectivePermuteStart(operands, source_target_pairs, channel_id, location), location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CollectivePermuteDone(XlaOp operand, Location location) {
  return AreOwn("CollectivePermuteDone", {operand}, location) ? axle::CollectivePermuteDone(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CopyStart(XlaOp operand, Location location) {
  return AreOwn("CopyStart", {operand}, location) ? axle::CopyStart(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::CopyDone(XlaOp operand, Location location) {
  return AreOwn("CopyDone", {operand}, location) ? axle::CopyDone(operand, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::AddDependency(XlaOp operand, XlaOp token, Location location) {
  return AreOwn("AddDependency", {operand, token}, location) ? axle::AddDependency(operand, token, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Bitcast(XlaOp operand, const Shape& shape, Location location) {
  return AreOwn("Bitcast", {operand}, location) ? axle::Bitcast(operand, shape, location) : XlaOp(this, nullptr);
}
XlaOp XlaBuilder::Fusion(ArraySlice<XlaOp> operands, const XlaComputation& computation, FusionKind kind, Location location) {
  return AreOwn("Fusion", operands, location) ? axle::Fusion(this, operands, computation, kind, location) : XlaOp(this, nullptr);
}
// clang-format on

}  // namespace axle

// Value: a handle with operators that remember where the user called, so that formulas read as
// such. Numbers become constants of the operand's element type. Internal to axle/lib.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {

// Operators and functions are those of the builder on the handles, at the location of the first
// operand; what they promise is there.
struct Value {
  Value(XlaOp op, const Location& location) : op(op), location(location) {}
  // The number, a scalar of the value's element type.
  Value Like(double number) const { return {ScalarLike(op, number, location), location}; }
  // The number in the value's shape, as a loop carries it.
  Value Full(double number) const { return {FullLike(op, number, location), location}; }
  XlaOp op;
  Location location;
};

// Of two values, element by element; comparisons give predicates.
inline Value operator+(const Value& x, const Value& y) {
  return {Add(x.op, y.op, {}, x.location), x.location};
}
inline Value operator-(const Value& x, const Value& y) {
  return {Sub(x.op, y.op, {}, x.location), x.location};
}
inline Value operator*(const Value& x, const Value& y) {
  return {Mul(x.op, y.op, {}, x.location), x.location};
}
inline Value operator/(const Value& x, const Value& y) {
  return {Div(x.op, y.op, {}, x.location), x.location};
}
inline Value operator<(const Value& x, const Value& y) {
  return {Lt(x.op, y.op, {}, x.location), x.location};
}
inline Value operator<=(const Value& x, const Value& y) {
  return {Le(x.op, y.op, {}, x.location), x.location};
}
inline Value operator>(const Value& x, const Value& y) {
  return y < x;
}
inline Value operator>=(const Value& x, const Value& y) {
  return y <= x;
}
inline Value operator==(const Value& x, const Value& y) {
  return {Eq(x.op, y.op, {}, x.location), x.location};
}
inline Value operator!=(const Value& x, const Value& y) {
  return {Ne(x.op, y.op, {}, x.location), x.location};
}
// clang-format off
// Of a value and a number of its element type.
inline Value operator+(const Value& x, double y) { return x + x.Like(y); }
inline Value operator-(const Value& x, double y) { return x - x.Like(y); }
inline Value operator*(const Value& x, double y) { return x * x.Like(y); }
inline Value operator/(const Value& x, double y) { return x / x.Like(y); }
inline Value operator+(double x, const Value& y) { return y.Like(x) + y; }
inline Value operator-(double x, const Value& y) { return y.Like(x) - y; }
inline Value operator*(double x, const Value& y) { return y.Like(x) * y; }
inline Value operator/(double x, const Value& y) { return y.Like(x) / y; }
inline Value operator<(const Value& x, double y) { return x < x.Like(y); }
inline Value operator<=(const Value& x, double y) { return x <= x.Like(y); }
inline Value operator>(const Value& x, double y) { return x > x.Like(y); }
inline Value operator>=(const Value& x, double y) { return x >= x.Like(y); }
inline Value operator==(const Value& x, double y) { return x == x.Like(y); }
inline Value operator!=(const Value& x, double y) { return x != x.Like(y); }
// Of predicates.
inline Value operator&(const Value& x, const Value& y) { return {And(x.op, y.op, {}, x.location), x.location}; }
inline Value operator|(const Value& x, const Value& y) { return {Or(x.op, y.op, {}, x.location), x.location}; }
inline Value operator!(const Value& x) { return {Not(x.op, x.location), x.location}; }

// The functions of the same names.
inline Value operator-(const Value& x) { return {Neg(x.op, x.location), x.location}; }
inline Value Abs(const Value& x) { return {Abs(x.op, x.location), x.location}; }
inline Value Exp(const Value& x) { return {Exp(x.op, x.location), x.location}; }
inline Value Log(const Value& x) { return {Log(x.op, x.location), x.location}; }
inline Value Log1p(const Value& x) { return {Log1p(x.op, x.location), x.location}; }
inline Value Sin(const Value& x) { return {Sin(x.op, x.location), x.location}; }
inline Value Cos(const Value& x) { return {Cos(x.op, x.location), x.location}; }
inline Value Sqrt(const Value& x) { return {Sqrt(x.op, x.location), x.location}; }
inline Value Floor(const Value& x) { return {Floor(x.op, x.location), x.location}; }
inline Value Erf(const Value& x) { return {Erf(x.op, x.location), x.location}; }
inline Value Sign(const Value& x) { return {Sign(x.op, x.location), x.location}; }
inline Value Pow(const Value& x, const Value& y) { return {Pow(x.op, y.op, {}, x.location), x.location}; }
inline Value Min(const Value& x, const Value& y) { return {Min(x.op, y.op, {}, x.location), x.location}; }
inline Value Max(const Value& x, const Value& y) { return {Max(x.op, y.op, {}, x.location), x.location}; }
// clang-format on
// All three of one shape, but a number among the last two.
inline Value Select(const Value& condition, const Value& on_true, const Value& on_false) {
  return {Select(condition.op, on_true.op, on_false.op, condition.location), condition.location};
}
inline Value Select(const Value& condition, double on_true, const Value& on_false) {
  return Select(condition, on_false.Like(on_true), on_false);
}
inline Value Select(const Value& condition, const Value& on_true, double on_false) {
  return Select(condition, on_true, on_true.Like(on_false));
}

// Coefficients of the highest power first.
Value Polynomial(const Value& x, std::span<const double> coefficients);
Value Chebyshev(const Value& x, std::span<const double> coefficients);

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNan = __builtin_nan("");
inline constexpr double kPi = 3.14159265358979323846;

// Special functions in f64, for narrower operands too, whose results are then rounded once.
//
// `build` gets the operands as f64 of one shape (scalars among them broadcast). Errors: operands
// that are not floats of one type, or of different shapes.
template <typename Build>
XlaOp InDouble(std::string_view function, ArraySlice<XlaOp> operands, const Location& location,
               const Build& build);
StatusOr<std::vector<Value>> AsDoubles(std::string_view function, ArraySlice<XlaOp> operands,
                                       const Location& location);

// Defined behind AsDoubles, which it calls.
template <typename Build>
XlaOp InDouble(std::string_view function, ArraySlice<XlaOp> operands, const Location& location,
               const Build& build) {
  return Compose(function, operands, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const std::vector<Value> values, AsDoubles(function, operands, location));
    const Value result = build(std::span<const Value>(values));
    const PrimitiveType type = ShapeOfOp(operands[0]).type();
    return type == F64 ? result.op : ConvertElementType(result.op, type, location);
  });
}

// Steps of a loop on f64 arrays. values[0] is a pred array: where it is true, `step` goes on; the
// other values stay as they are where it is false. Ends when it is false everywhere, or after
// max_steps. `step` gives the next values in the same order.
std::vector<Value> Iterate(std::string_view name, const std::vector<Value>& values, i64 max_steps,
                           const std::function<std::vector<Value>(std::span<const Value>)>& step);

}  // namespace axle

#include "axle/lib/value.h"

#include <algorithm>

#include "axle/lib/arithmetic.h"
#include "axle/lib/loops.h"

namespace axle {

Value Polynomial(const Value& x, std::span<const double> coefficients) {
  Value sum = x.Like(coefficients.empty() ? 0 : coefficients[0]);
  for (size_t i = 1; i < coefficients.size(); ++i) sum = sum * x + coefficients[i];
  return sum;
}

Value Chebyshev(const Value& x, std::span<const double> coefficients) {
  Value b0 = x.Like(0), b1 = b0, b2 = b0;
  for (double coefficient : coefficients) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + coefficient;
  }
  return 0.5 * (b0 - b2);
}

StatusOr<std::vector<Value>> AsDoubles(std::string_view function, ArraySlice<XlaOp> operands,
                                       const Location& location) {
  const PrimitiveType type = ShapeOfOp(operands[0]).type();
  XlaOp shaped = operands[0];
  bool fits = IsFloating(type);
  for (const XlaOp& operand : operands) {
    if (!ShapeOfOp(operand).is_scalar()) shaped = operand;
    fits = fits && ShapeOfOp(operand).type() == type;
  }
  const Shape& shape = ShapeOfOp(shaped);
  std::vector<Value> values;
  for (XlaOp operand : operands) {
    const bool is_scalar = ShapeOfOp(operand).is_scalar();
    fits = fits && (is_scalar || ShapeOfOp(operand).dims() == shape.dims());
    if (!fits) break;
    if (is_scalar && !shape.is_scalar()) operand = Broadcast(operand, shape.dims(), location);
    if (type != F64) operand = ConvertElementType(operand, F64, location);
    values.emplace_back(operand, location);
  }
  if (fits) return values;
  return InvalidArgument(StrCat(function, ": takes floats of one type and shape, or scalars; ",
                                operands.size() == 1 ? "operand " : "operands ",
                                ShapesOf(operands)));
}

std::vector<Value> Iterate(std::string_view name, const std::vector<Value>& values, i64 max_steps,
                           const std::function<std::vector<Value>(std::span<const Value>)>& step) {
  const Location location = values[0].location;
  XlaBuilder* builder = values[0].op.builder_or_null();
  const auto as_values = [&](ArraySlice<XlaOp> ops) {
    std::vector<Value> all;
    for (const XlaOp& op : ops) all.emplace_back(op, location);
    return all;
  };
  const auto condition = [&](ArraySlice<XlaOp> ops, XlaBuilder* b) -> StatusOr<XlaOp> {
    return And(Any(ops[1], location),
               Lt(ops[0], ConstantR0<i64>(b, max_steps, location), {}, location), {}, location);
  };
  const auto body = [&](ArraySlice<XlaOp> ops, XlaBuilder* b) -> StatusOr<std::vector<XlaOp>> {
    const std::vector<Value> before = as_values(ops.subspan(1));
    const std::vector<Value> after = step(before);
    std::vector<XlaOp> next = {Add(ops[0], ConstantR0<i64>(b, 1, location), {}, location),
                               (before[0] & after[0]).op};
    for (size_t i = 1; i < before.size(); ++i) {
      next.push_back(Select(before[0], after[i], before[i]).op);
    }
    return next;
  };
  std::vector<XlaOp> init = {ConstantR0<i64>(builder, 0, location)};
  for (const Value& value : values) init.push_back(value.op);
  StatusOr<std::vector<XlaOp>> last =
      WhileLoopHelper(condition, body, init, name, builder, location);
  if (!last.ok()) {
    builder->ReportError(last.status(), location);
    return std::vector<Value>(values.size(), Value({builder, nullptr}, location));
  }
  return as_values(ArraySlice<XlaOp>(*last).subspan(1));
}

}  // namespace axle

#include "axle/lib/loops.h"

#include <algorithm>

#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {
namespace {

std::vector<XlaOp> Unpack(XlaOp tuple, size_t arity, const Location& location) {
  std::vector<XlaOp> elements;
  for (size_t i = 0; i < arity; ++i) {
    elements.push_back(GetTupleElement(tuple, static_cast<i64>(i), location));
  }
  return elements;
}

}  // namespace

StatusOr<std::vector<XlaOp>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, ArraySlice<XlaOp> initial_values,
    std::string_view name, XlaBuilder* builder, Location location) {
  if (builder == nullptr || condition_function == nullptr || body_function == nullptr) {
    return InvalidArgument(StrCat(name, ": there is no builder, condition or body"));
  }
  const size_t arity = initial_values.size();
  const XlaOp init = Tuple(builder, initial_values, location);
  AXLE_ASSIGN(const Shape shape, builder->GetShape(init));

  XlaBuilder condition_builder(StrCat(name, "_condition"));
  const XlaOp seen = Parameter(&condition_builder, 0, shape, "parameter", location);
  AXLE_ASSIGN(const XlaOp goes_on,
              condition_function(Unpack(seen, arity, location), &condition_builder));
  AXLE_ASSIGN(const XlaComputation condition, condition_builder.Build(goes_on, location));

  XlaBuilder body_builder(StrCat(name, "_body"));
  const XlaOp before = Parameter(&body_builder, 0, shape, "parameter", location);
  AXLE_ASSIGN(const std::vector<XlaOp> next,
              body_function(Unpack(before, arity, location), &body_builder));
  if (next.size() != arity) {
    return InvalidArgument(
        StrCat(name, ": the body gives ", next.size(), " values but the loop has ", arity));
  }
  AXLE_ASSIGN(const XlaComputation body,
              body_builder.Build(Tuple(&body_builder, next, location), location));

  const std::vector<XlaOp> results =
      Unpack(While(condition, body, init, location), arity, location);
  AXLE_TRY(builder->first_error());
  return results;
}

StatusOr<std::vector<XlaOp>> ForEachIndex(i64 num_iterations, PrimitiveType num_iterations_type,
                                          const ForEachIndexBodyFunction& body_function,
                                          ArraySlice<XlaOp> initial_values, std::string_view name,
                                          XlaBuilder* builder, Location location) {
  const PrimitiveType type = num_iterations_type;
  if (!IsIntegral(type)) {
    return InvalidArgument(
        StrCat(name, ": the type of the index must be integral, got ", Name(type)));
  }
  const int value_bits = Info(type).bits - (IsSigned(type) ? 1 : 0);
  if (num_iterations < 0 || (value_bits < 63 && num_iterations >> value_bits != 0)) {
    return InvalidArgument(
        StrCat(name, ": ", num_iterations, " iterations do not fit in ", Name(type)));
  }
  if (builder == nullptr || body_function == nullptr) {
    return InvalidArgument(StrCat(name, ": there is no builder or body"));
  }
  const auto condition = [&](ArraySlice<XlaOp> values, XlaBuilder* b) -> StatusOr<XlaOp> {
    return Lt(values[0], ConstantR0WithType(b, type, num_iterations, location), {}, location);
  };
  const auto body = [&](ArraySlice<XlaOp> values, XlaBuilder* b) -> StatusOr<std::vector<XlaOp>> {
    AXLE_ASSIGN(std::vector<XlaOp> next, body_function(values[0], values.subspan(1), b));
    next.insert(next.begin(), Add(values[0], One(b, type, location), {}, location));
    return next;
  };
  std::vector<XlaOp> values = {Zero(builder, type, location)};
  values.insert(values.end(), initial_values.begin(), initial_values.end());
  AXLE_ASSIGN(values, WhileLoopHelper(condition, body, values, name, builder, location));
  values.erase(values.begin());
  return values;
}

}  // namespace axle

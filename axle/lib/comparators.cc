#include "axle/lib/comparators.h"

#include "axle/lib/compose.h"

namespace axle {
namespace {

XlaComputation ByFirst(const char* name, XlaOpGenerator generator,
                       const std::vector<PrimitiveType>& operand_types, XlaBuilder* builder,
                       const Location& location) {
  std::vector<std::optional<XlaOpGenerator>> generators(operand_types.size());
  if (!generators.empty()) generators[0] = generator;
  return CreateScalarComparisonComputation(name, operand_types, generators, builder, location);
}

}  // namespace

XlaComputation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<PrimitiveType>& operand_types,
    const std::vector<std::optional<XlaOpGenerator>>& generators, XlaBuilder* builder,
    Location location) {
  const auto fail = [&](std::string message) {
    if (builder != nullptr) builder->ReportError(InvalidArgument(std::move(message)), location);
    return XlaComputation();
  };
  if (operand_types.size() != generators.size()) {
    return fail(StrCat("comparator: ", operand_types.size(), " operand types but ",
                       generators.size(), " generators"));
  }
  XlaBuilder b(builder == nullptr ? name : StrCat(builder->name(), ".", name));
  XlaOp result, all_before_equal;
  for (size_t i = 0; i < operand_types.size(); ++i) {
    const Shape scalar(operand_types[i]);
    const auto number = static_cast<i64>(2 * i);
    const XlaOp lhs = Parameter(&b, number, scalar, StrCat("p.", i, ".lhs"), location);
    const XlaOp rhs = Parameter(&b, number + 1, scalar, StrCat("p.", i, ".rhs"), location);
    if (!generators[i]) continue;
    const XlaOp decides = (*generators[i])(lhs, rhs, {}, location);
    const XlaOp equal = EqTotalOrder(lhs, rhs, {}, location);
    if (result == XlaOp()) {
      result = decides;
      all_before_equal = equal;
      continue;
    }
    result = Select(all_before_equal, decides, result, location);
    all_before_equal = And(all_before_equal, equal, {}, location);
  }
  if (result == XlaOp()) return fail("comparator: no operand has a generator");
  return BuildOrReport(b, result, builder, location);
}

XlaComputation CreateScalarLtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder, Location location) {
  return ByFirst("compare-less-than", LtTotalOrder, operand_types, builder, location);
}

XlaComputation CreateScalarGtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder, Location location) {
  return ByFirst("compare-greater-than", GtTotalOrder, operand_types, builder, location);
}

}  // namespace axle

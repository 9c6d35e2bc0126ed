#include "axle/lib/compose.h"

namespace axle {

XlaBuilder* CheckedBuilder(std::string_view function, ArraySlice<XlaOp> operands,
                           const Location& location) {
  XlaBuilder* builder = NothingBuilt(operands).builder_or_null();
  if (builder == nullptr || !builder->first_error().ok()) return nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string whose = builder->WhoseHandle(operands[i]);
    if (whose.empty()) continue;
    builder->ReportError(InvalidArgument(StrCat(function, ": operand ", i, " is ", whose)),
                         location);
    return nullptr;
  }
  return builder;
}

XlaOp NothingBuilt(ArraySlice<XlaOp> operands) {
  for (const XlaOp& operand : operands) {
    if (operand.builder_or_null() != nullptr) return {operand.builder_or_null(), nullptr};
  }
  return {};
}

std::string ShapesOf(ArraySlice<XlaOp> operands) {
  return Join(operands, ", ", [](const XlaOp& op) { return ShapeOfOp(op).ToString(); });
}

Status TakesOnly(std::string_view function, bool condition, std::string_view what, XlaOp operand) {
  if (condition) return {};
  return InvalidArgument(
      StrCat(function, ": takes ", what, "; operand ", ShapeOfOp(operand).ToString()));
}

StatusOr<i64> DimensionOf(std::string_view function, XlaOp operand, i64 dimension) {
  const i64 rank = ShapeOfOp(operand).rank();
  const i64 dim = dimension < 0 ? dimension + rank : dimension;
  if (dim >= 0 && dim < rank) return dim;
  return InvalidArgument(StrCat(function, ": there is no dimension ", dimension, "; operand ",
                                ShapeOfOp(operand).ToString()));
}

XlaComputation BuildOrReport(XlaBuilder& builder, XlaOp root, XlaBuilder* parent,
                             const Location& location) {
  StatusOr<XlaComputation> computation = builder.Build(root, location);
  if (computation.ok()) return *std::move(computation);
  if (parent != nullptr) parent->ReportError(computation.status(), location);
  return {};
}

}  // namespace axle

#include "axle/builder/emit.h"

#include <algorithm>
#include <tuple>

#include "axle/core/strings.h"

namespace axle {

std::string At(const Location& location) {
  if (location.line() == 0) return "";
  return StrCat(" at ", location.file_name(), ":", location.line());
}

XlaBuilder* BuilderOf(ArraySlice<XlaOp> operands) {
  for (const XlaOp& operand : operands) {
    if (operand.builder_or_null() != nullptr) return operand.builder_or_null();
  }
  return nullptr;
}

bool AllValid(std::initializer_list<XlaOp> ops) {
  return std::ranges::all_of(ops, [](const XlaOp& op) { return op.valid(); });
}

XlaOp Fail(std::initializer_list<XlaOp> operands, std::string message, const Location& location) {
  XlaBuilder* builder = BuilderOf({operands.begin(), operands.size()});
  if (builder == nullptr) return {};
  for (const XlaOp& operand : operands) {
    if (!operand.valid() && !builder->first_error().ok()) return {builder, nullptr};
  }
  return ReportTo(builder, InvalidArgument(std::move(message)), location);
}

XlaOp Expand(XlaOp operand, const Dims& dims, const Dims& result, const Location& location) {
  if (!operand.valid()) return operand;
  const Shape& shape = operand.instruction()->shape();
  // HLO's broadcast does not expand size 1: those dimensions are dropped first.
  Dims kept, kept_dims;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1 && result[dims[d]] != 1) continue;
    kept.push_back(shape.dim(d));
    kept_dims.push_back(dims[d]);
  }
  if (kept.size() != dims.size()) operand = Reshape(operand, kept, location);
  if (kept == result) return operand;
  Shape declared(shape.type(), result);
  return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{kept_dims}, {}, declared);
}

StatusOr<Window> MakeWindow(ArraySlice<i64> sizes, ArraySlice<i64> strides,
                            ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> base_dilations,
                            ArraySlice<i64> window_dilations) {
  const auto check = [&](std::string_view what, size_t count) -> Status {
    if (count == 0 || count == sizes.size()) return {};
    return InvalidArgument(
        StrCat("window has ", sizes.size(), " dimensions but ", what, " has ", count));
  };
  AXLE_TRY(check("window_strides", strides.size()));
  AXLE_TRY(check("padding", padding.size()));
  AXLE_TRY(check("lhs_dilation", base_dilations.size()));
  AXLE_TRY(check("rhs_dilation", window_dilations.size()));
  Window window(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    window[d].size = sizes[d];
    if (!strides.empty()) window[d].stride = strides[d];
    if (!padding.empty()) std::tie(window[d].pad_low, window[d].pad_high) = padding[d];
    if (!base_dilations.empty()) window[d].base_dilation = base_dilations[d];
    if (!window_dilations.empty()) window[d].window_dilation = window_dilations[d];
  }
  return window;
}

StatusOr<Shape> ShapeIfBuilt(ArraySlice<XlaOp> operands,
                             const std::function<XlaOp(ArraySlice<XlaOp>)>& build) {
  XlaBuilder builder("shape");
  std::vector<XlaOp> parameters;
  for (const XlaOp& operand : operands) {
    const auto number = static_cast<i64>(parameters.size());
    parameters.push_back(Parameter(&builder, number, operand.instruction()->shape(), "operand"));
  }
  return builder.GetShape(build(parameters));
}

}  // namespace axle

#include "axle/builder/reductions.h"

#include <algorithm>
#include <numeric>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location) {
  return Emit(Opcode::kReduce, {operand, init_value}, location,
              DimensionsAttrs{ToDims(dimensions_to_reduce)}, {&computation});
}

XlaOp Reduce(XlaBuilder* builder, std::span<const XlaOp> operands,
             std::span<const XlaOp> init_values, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  const Called called = {&computation};
  return builder->Append(
      {.opcode = Opcode::kReduce,
       .operands = all,
       .attrs = Block(Opcode::kReduce, DimensionsAttrs{ToDims(dimensions_to_reduce)}),
       .called = called},
      location);
}

XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location) {
  Dims all;
  if (operand.valid()) all.resize(operand.instruction()->shape().rank());
  std::iota(all.begin(), all.end(), 0);
  return Reduce(operand, init_value, computation, all, location);
}

namespace {

// The padding of a window over all dimensions of `operand`; empty if the lists do not fit it.
std::vector<std::pair<i64, i64>> WindowPadding(XlaOp operand, std::span<const i64> sizes,
                                               std::span<const i64> strides, Padding padding) {
  if (!operand.valid()) return {};
  const Dims& dims = operand.instruction()->shape().dims();
  if (dims.size() != sizes.size() || dims.size() != strides.size()) return {};
  return MakePadding(dims, sizes, strides, padding);
}

// Whether the padding of the windows of `operands`, which are valid, depends on a run-time size.
bool IsPaddedAtRunTime(std::span<const XlaOp> operands, std::span<const i64> sizes,
                       std::span<const i64> strides, Padding padding) {
  if (padding != Padding::kSame) return false;
  return std::ranges::any_of(operands, [&](XlaOp operand) {
    const Shape& shape = operand.instruction()->shape();
    const i64 rank =
        std::min<i64>({shape.is_array() ? shape.rank() : 0, static_cast<i64>(sizes.size()),
                       static_cast<i64>(strides.size())});
    for (i64 d = 0; d < rank; ++d) {
      if (shape.is_dynamic(d) && (sizes[d] != 1 || strides[d] != 1)) return true;
    }
    return false;
  });
}

// A custom call in the place of a windowed op that `build` makes of the operands.
XlaOp CallInstead(std::string_view target, std::span<const XlaOp> operands, const Called& called,
                  const Location& location,
                  const std::function<XlaOp(std::span<const XlaOp>)>& build) {
  Window window;
  const StatusOr<Shape> shape = ShapeIfBuilt(operands, [&](std::span<const XlaOp> parameters) {
    const XlaOp op = build(parameters);
    if (op.valid()) window = op.instruction()->attrs<WindowAttrs>().window;
    return op;
  });
  if (!shape.ok()) return BuilderOf(operands)->ReportError(shape.status(), location);
  CustomCallAttrs attrs;
  attrs.window = window;
  attrs.custom_call_target = target;
  return Emit(Opcode::kCustomCall, operands, location, std::move(attrs), called, *shape);
}

bool AllValid(std::span<const XlaOp> ops) {
  return std::ranges::all_of(ops, [](const XlaOp& op) { return op.valid(); });
}

}  // namespace

XlaOp ReduceWindowWithGeneralPadding(
    XlaOp operand, XlaOp init_value, const XlaComputation& computation,
    std::span<const i64> window_dimensions, std::span<const i64> window_strides,
    std::span<const i64> base_dilations, std::span<const i64> window_dilations,
    std::span<const std::pair<i64, i64>> padding, Location location) {
  return ReduceWindowWithGeneralPadding(
      std::span<const XlaOp>(&operand, 1), std::span<const XlaOp>(&init_value, 1), computation,
      window_dimensions, window_strides, base_dilations, window_dilations, padding, location);
}

XlaOp ReduceWindowWithGeneralPadding(
    std::span<const XlaOp> operands, std::span<const XlaOp> init_values,
    const XlaComputation& computation, std::span<const i64> window_dimensions,
    std::span<const i64> window_strides, std::span<const i64> base_dilations,
    std::span<const i64> window_dilations, std::span<const std::pair<i64, i64>> padding,
    Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  StatusOr<Window> window =
      MakeWindow(window_dimensions, window_strides, padding, base_dilations, window_dilations);
  if (!window.ok() && AllValid(all) && !all.empty()) {
    return Fail({all[0]}, StrCat("reduce-window: ", window.status().message()), location);
  }
  return Emit(Opcode::kReduceWindow, all, location,
              WindowAttrs{window.ok() ? *std::move(window) : Window()}, {&computation});
}

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                   Padding padding, Location location) {
  return ReduceWindow(std::span<const XlaOp>(&operand, 1), std::span<const XlaOp>(&init_value, 1),
                      computation, window_dimensions, window_strides, padding, location);
}

XlaOp ReduceWindow(std::span<const XlaOp> operands, std::span<const XlaOp> init_values,
                   const XlaComputation& computation, std::span<const i64> window_dimensions,
                   std::span<const i64> window_strides, Padding padding, Location location) {
  const XlaOp first = operands.empty() ? XlaOp() : operands[0];
  const auto pairs = WindowPadding(first, window_dimensions, window_strides, padding);
  const auto build = [&](std::span<const XlaOp> all) {
    return ReduceWindowWithGeneralPadding(all.first(operands.size()), all.subspan(operands.size()),
                                          computation, window_dimensions, window_strides, {}, {},
                                          pairs, location);
  };
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  if (!AllValid(all) || !IsPaddedAtRunTime(operands, window_dimensions, window_strides, padding)) {
    return build(all);
  }
  return CallInstead("DynamicReduceWindowSamePadding", all, {&computation}, location, build);
}

XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter, Location location) {
  const auto pairs = WindowPadding(operand, window_dimensions, window_strides, padding);
  const auto build = [&](std::span<const XlaOp> all) {
    return SelectAndScatterWithGeneralPadding(all[0], select, window_dimensions, window_strides,
                                              pairs, all[1], all[2], scatter, location);
  };
  const XlaOp all[] = {operand, source, init_value};
  if (!AllValid(all) || !IsPaddedAtRunTime({all, 1}, window_dimensions, window_strides, padding)) {
    return build(all);
  }
  return CallInstead("DynamicSelectAndScatterSamePadding", all, {&select, &scatter}, location,
                     build);
}

XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                         std::span<const i64> window_dimensions,
                                         std::span<const i64> window_strides,
                                         std::span<const std::pair<i64, i64>> padding, XlaOp source,
                                         XlaOp init_value, const XlaComputation& scatter,
                                         Location location) {
  StatusOr<Window> window = MakeWindow(window_dimensions, window_strides, padding, {}, {});
  if (!window.ok()) {
    return Fail({operand, source, init_value},
                StrCat("select-and-scatter: ", window.status().message()), location);
  }
  return Emit(Opcode::kSelectAndScatter, {operand, source, init_value}, location,
              WindowAttrs{*window}, {&select, &scatter});
}

XlaOp Sort(std::span<const XlaOp> operands, const XlaComputation& comparator, i64 dimension,
           bool is_stable, Location location) {
  if (dimension == -1 && !operands.empty() && operands[0].valid()) {
    dimension = operands[0].instruction()->shape().rank() - 1;
  }
  return Emit(Opcode::kSort, operands, location, SortAttrs{{dimension}, is_stable}, {&comparator});
}

XlaOp TopK(XlaOp operand, i64 k, bool largest, bool is_stable, Location location) {
  return Emit(Opcode::kTopk, {operand}, location,
              TopkAttrs{.k = k, .largest = largest, .is_stable = is_stable});
}

}  // namespace axle

#include "axle/builder/reductions.h"

#include <algorithm>
#include <numeric>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             ArraySlice<i64> dimensions_to_reduce, Location location) {
  return Emit(Opcode::kReduce, {operand, init_value}, location,
              DimensionsAttrs{ToDims(dimensions_to_reduce)}, {&computation});
}

XlaOp Reduce(XlaBuilder* builder, ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
             const XlaComputation& computation, ArraySlice<i64> dimensions_to_reduce,
             Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  const Called called = {&computation};
  return AppendTo(builder,
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

// Returns the padding of a window over all dimensions of `operand`; empty if the lists do not fit
// it.
std::vector<std::pair<i64, i64>> WindowPadding(XlaOp operand, ArraySlice<i64> sizes,
                                               ArraySlice<i64> strides, Padding padding) {
  if (!operand.valid()) return {};
  const Dims& dims = operand.instruction()->shape().dims();
  if (dims.size() != sizes.size() || dims.size() != strides.size()) return {};
  return MakePadding(dims, sizes, strides, padding);
}

// Checks the number of strides of functions in which the strides also determine the padding, so
// that an empty list has no default. Returns what is wrong; "" if nothing is.
std::string WrongStrides(ArraySlice<i64> sizes, ArraySlice<i64> strides) {
  if (strides.size() == sizes.size()) return "";
  return StrCat("window has ", sizes.size(), " dimensions but window_strides has ", strides.size());
}

// Returns whether the padding of the windows of `operands`, which are valid, depends on a run-time
// size.
bool IsPaddedAtRunTime(ArraySlice<XlaOp> operands, ArraySlice<i64> sizes, ArraySlice<i64> strides,
                       Padding padding) {
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

// Replaces a windowed op that `build` makes of the operands by a custom call.
XlaOp CallInstead(std::string_view target, ArraySlice<XlaOp> operands, const Called& called,
                  const Location& location, const std::function<XlaOp(ArraySlice<XlaOp>)>& build) {
  Window window;
  const StatusOr<Shape> shape = ShapeIfBuilt(operands, [&](ArraySlice<XlaOp> parameters) {
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

bool AllValid(ArraySlice<XlaOp> ops) {
  return std::ranges::all_of(ops, [](const XlaOp& op) { return op.valid(); });
}

}  // namespace

XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value,
                                     const XlaComputation& computation,
                                     ArraySlice<i64> window_dimensions,
                                     ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations,
                                     ArraySlice<i64> window_dilations,
                                     ArraySlice<std::pair<i64, i64>> padding, Location location) {
  return ReduceWindowWithGeneralPadding(
      ArraySlice<XlaOp>(&operand, 1), ArraySlice<XlaOp>(&init_value, 1), computation,
      window_dimensions, window_strides, base_dilations, window_dilations, padding, location);
}

XlaOp ReduceWindowWithGeneralPadding(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                                     const XlaComputation& computation,
                                     ArraySlice<i64> window_dimensions,
                                     ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations,
                                     ArraySlice<i64> window_dilations,
                                     ArraySlice<std::pair<i64, i64>> padding, Location location) {
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
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location) {
  return ReduceWindow(ArraySlice<XlaOp>(&operand, 1), ArraySlice<XlaOp>(&init_value, 1),
                      computation, window_dimensions, window_strides, padding, location);
}

XlaOp ReduceWindow(XlaOp operand, const XlaComputation& computation, XlaOp init_value,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location) {
  return ReduceWindow(operand, init_value, computation, window_dimensions, window_strides, padding,
                      location);
}

XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                   const XlaComputation& computation, ArraySlice<i64> window_dimensions,
                   ArraySlice<i64> window_strides, Padding padding, Location location) {
  const XlaOp first = operands.empty() ? XlaOp() : operands[0];
  const auto pairs = WindowPadding(first, window_dimensions, window_strides, padding);
  const auto build = [&](ArraySlice<XlaOp> all) {
    return ReduceWindowWithGeneralPadding(all.first(operands.size()), all.subspan(operands.size()),
                                          computation, window_dimensions, window_strides, {}, {},
                                          pairs, location);
  };
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  const std::string wrong = WrongStrides(window_dimensions, window_strides);
  if (!wrong.empty() && AllValid(all) && !all.empty()) {
    return Fail({all[0]}, StrCat("reduce-window: ", wrong), location);
  }
  if (!AllValid(all) || !IsPaddedAtRunTime(operands, window_dimensions, window_strides, padding)) {
    return build(all);
  }
  return CallInstead("DynamicReduceWindowSamePadding", all, {&computation}, location, build);
}

namespace {

// Returns `sizes` after dilation, where `dilations` may be empty; INT64_MAX if a size does not fit.
Dims Dilated(ArraySlice<i64> sizes, ArraySlice<i64> dilations) {
  Dims dilated = ToDims(sizes);
  for (size_t d = 0; d < std::min(sizes.size(), dilations.size()); ++d) {
    if (sizes[d] < 1) continue;
    const auto last = CheckedMul(sizes[d] - 1, std::max<i64>(dilations[d], 1));
    dilated[d] = last && *last < INT64_MAX ? *last + 1 : INT64_MAX;
  }
  return dilated;
}

}  // namespace

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   ArraySlice<i64> base_dilations, ArraySlice<i64> window_dilations,
                   Padding padding, Location location) {
  return ReduceWindow(ArraySlice<XlaOp>(&operand, 1), ArraySlice<XlaOp>(&init_value, 1),
                      computation, window_dimensions, window_strides, base_dilations,
                      window_dilations, padding, location);
}

XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                   const XlaComputation& computation, ArraySlice<i64> window_dimensions,
                   ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations,
                   ArraySlice<i64> window_dilations, Padding padding, Location location) {
  const std::string wrong = WrongStrides(window_dimensions, window_strides);
  std::vector<std::pair<i64, i64>> pairs;
  if (!operands.empty() && AllValid(operands)) {
    if (!wrong.empty()) return Fail({operands[0]}, StrCat("reduce-window: ", wrong), location);
    if (IsPaddedAtRunTime(operands, window_dimensions, window_strides, padding)) {
      return BuilderOf(operands)->ReportError(
          Unimplemented("reduce-window: the same padding of dilated dynamic dimensions; give the "
                        "padding in numbers"),
          location);
    }
    const Shape& shape = operands[0].instruction()->shape();
    if (shape.is_array() && shape.dims().size() == window_dimensions.size()) {
      pairs = MakePadding(Dilated(shape.dims(), base_dilations),
                          Dilated(window_dimensions, window_dilations), window_strides, padding);
    }
  }
  return ReduceWindowWithGeneralPadding(operands, init_values, computation, window_dimensions,
                                        window_strides, base_dilations, window_dilations, pairs,
                                        location);
}

XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter, Location location) {
  const auto pairs = WindowPadding(operand, window_dimensions, window_strides, padding);
  const auto build = [&](ArraySlice<XlaOp> all) {
    return SelectAndScatterWithGeneralPadding(all[0], select, window_dimensions, window_strides,
                                              pairs, all[1], all[2], scatter, location);
  };
  if (const std::string wrong = WrongStrides(window_dimensions, window_strides); !wrong.empty()) {
    return Fail({operand, source, init_value}, StrCat("select-and-scatter: ", wrong), location);
  }
  const XlaOp all[] = {operand, source, init_value};
  if (!AllValid(all) || !IsPaddedAtRunTime({all, 1}, window_dimensions, window_strides, padding)) {
    return build(all);
  }
  return CallInstead("DynamicSelectAndScatterSamePadding", all, {&select, &scatter}, location,
                     build);
}

XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                         ArraySlice<i64> window_dimensions,
                                         ArraySlice<i64> window_strides,
                                         ArraySlice<std::pair<i64, i64>> padding, XlaOp source,
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

XlaOp Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, i64 dimension,
           bool is_stable, Location location) {
  if (dimension == -1 && !operands.empty() && operands[0].valid()) {
    dimension = operands[0].instruction()->shape().rank() - 1;
  }
  return Emit(Opcode::kSort, operands, location, SortAttrs{{dimension}, is_stable}, {&comparator});
}

namespace {

// Sorts by the first operand, ascending.
XlaOp SortAscending(ArraySlice<XlaOp> operands, i64 dimension, const Location& location) {
  if (!AllValid(operands)) {
    return Emit(Opcode::kSort, operands, location, SortAttrs{{dimension}, false});
  }
  XlaBuilder comparator("less");
  std::vector<XlaOp> parameters;
  for (const XlaOp& operand : operands) {
    for (int side = 0; side < 2; ++side) {
      const Shape scalar(operand.instruction()->shape().type());
      const auto number = static_cast<i64>(parameters.size());
      parameters.push_back(Parameter(&comparator, number, scalar, "p", location));
    }
  }
  LtTotalOrder(parameters[0], parameters[1], {}, location);
  const StatusOr<XlaComputation> less = comparator.Build(location);
  if (!less.ok()) return operands[0].builder()->ReportError(less.status(), location);
  return Sort(operands, *less, dimension, /*is_stable=*/true, location);
}

}  // namespace

XlaOp Sort(XlaOp operand, i64 dimension, Location location) {
  return SortAscending({&operand, 1}, dimension, location);
}

XlaOp Sort(XlaOp keys, XlaOp values, i64 dimension, Location location) {
  return SortAscending({keys, values}, dimension, location);
}

XlaOp TopK(XlaOp operand, i64 k, bool largest, bool is_stable, Location location) {
  return Emit(Opcode::kTopk, {operand}, location,
              TopkAttrs{.k = k,
                        .largest = largest,
                        .is_stable = is_stable ? TriState::kUnspecified : TriState::kFalse});
}

}  // namespace axle

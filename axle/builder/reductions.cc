#include "axle/builder/reductions.h"

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

XlaOp ReduceWindowWithGeneralPadding(
    XlaOp operand, XlaOp init_value, const XlaComputation& computation,
    std::span<const i64> window_dimensions, std::span<const i64> window_strides,
    std::span<const i64> base_dilations, std::span<const i64> window_dilations,
    std::span<const std::pair<i64, i64>> padding, Location location) {
  StatusOr<Window> window =
      MakeWindow(window_dimensions, window_strides, padding, base_dilations, window_dilations);
  if (!window.ok()) {
    return Fail({operand, init_value}, StrCat("reduce-window: ", window.status().message()),
                location);
  }
  return Emit(Opcode::kReduceWindow, {operand, init_value}, location, WindowAttrs{*window},
              {&computation});
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

}  // namespace

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                   Padding padding, Location location) {
  return ReduceWindowWithGeneralPadding(
      operand, init_value, computation, window_dimensions, window_strides, {}, {},
      WindowPadding(operand, window_dimensions, window_strides, padding), location);
}

XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter, Location location) {
  StatusOr<Window> window =
      MakeWindow(window_dimensions, window_strides,
                 WindowPadding(operand, window_dimensions, window_strides, padding), {}, {});
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

XlaOp TopK(XlaOp operand, i64 k, bool largest, Location location) {
  return Emit(Opcode::kTopk, {operand}, location, TopkAttrs{.k = k, .largest = largest});
}

}  // namespace axle

// The builder's functions that reduce, fold windows and sort, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <utility>

#include "axle/builder/padding.h"
#include "axle/builder/xla_builder.h"

namespace axle {

// Folds `dimensions_to_reduce` of the operand with a computation of two scalars.
XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location = Location::current());
// n operands at once, with a computation of 2n scalars; the result is a tuple if n > 1.
XlaOp Reduce(XlaBuilder* builder, std::span<const XlaOp> operands,
             std::span<const XlaOp> init_values, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location = Location::current());
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location = Location::current());
// The window has one size and stride per dimension. With Padding::kSame, a dynamic dimension is
// padded by its run-time size, which makes this the custom call DynamicReduceWindowSamePadding.
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                   Padding padding, Location location = Location::current());
// n operands at once, as with Reduce.
XlaOp ReduceWindow(std::span<const XlaOp> operands, std::span<const XlaOp> init_values,
                   const XlaComputation& computation, std::span<const i64> window_dimensions,
                   std::span<const i64> window_strides, Padding padding,
                   Location location = Location::current());
// Empty lists mean stride 1, dilation 1, padding 0.
XlaOp ReduceWindowWithGeneralPadding(
    XlaOp operand, XlaOp init_value, const XlaComputation& computation,
    std::span<const i64> window_dimensions, std::span<const i64> window_strides,
    std::span<const i64> base_dilations, std::span<const i64> window_dilations,
    std::span<const std::pair<i64, i64>> padding, Location location = Location::current());
XlaOp ReduceWindowWithGeneralPadding(
    std::span<const XlaOp> operands, std::span<const XlaOp> init_values,
    const XlaComputation& computation, std::span<const i64> window_dimensions,
    std::span<const i64> window_strides, std::span<const i64> base_dilations,
    std::span<const i64> window_dilations, std::span<const std::pair<i64, i64>> padding,
    Location location = Location::current());
// With Padding::kSame and dynamic dimensions the custom call DynamicSelectAndScatterSamePadding.
XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter, Location location = Location::current());
XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                         std::span<const i64> window_dimensions,
                                         std::span<const i64> window_strides,
                                         std::span<const std::pair<i64, i64>> padding, XlaOp source,
                                         XlaOp init_value, const XlaComputation& scatter,
                                         Location location = Location::current());

// Sorts all operands by a comparator of 2n scalars; stable always, whatever is_stable says.
XlaOp Sort(std::span<const XlaOp> operands, const XlaComputation& comparator, i64 dimension = -1,
           bool is_stable = false, Location location = Location::current());
// The k largest (or smallest) along the last dimension: (values, s32 indices).
XlaOp TopK(XlaOp operand, i64 k, bool largest, bool is_stable = true,
           Location location = Location::current());

}  // namespace axle

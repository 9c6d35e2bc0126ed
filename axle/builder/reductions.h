// The builder's functions that reduce, fold windows and sort, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <utility>

#include "axle/builder/padding.h"
#include "axle/builder/xla_op.h"

namespace axle {

// Folds `dimensions_to_reduce` of the operand with a computation of two scalars.
XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             ArraySlice<i64> dimensions_to_reduce,
             Location location = std::source_location::current());
// n operands at once, with a computation of 2n scalars; the result is a tuple if n > 1.
XlaOp Reduce(XlaBuilder* builder, ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
             const XlaComputation& computation, ArraySlice<i64> dimensions_to_reduce,
             Location location = std::source_location::current());
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location = std::source_location::current());
// The window has one size and stride per dimension. With Padding::kSame, a dynamic dimension is
// padded by its run-time size, which makes this the custom call DynamicReduceWindowSamePadding.
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location = std::source_location::current());
// The same with init_value behind the computation, as older programs have it.
XlaOp ReduceWindow(XlaOp operand, const XlaComputation& computation, XlaOp init_value,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location = std::source_location::current());
// n operands at once, as with Reduce.
XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                   const XlaComputation& computation, ArraySlice<i64> window_dimensions,
                   ArraySlice<i64> window_strides, Padding padding,
                   Location location = std::source_location::current());
// Empty lists mean stride 1, dilation 1, padding 0.
XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value,
                                     const XlaComputation& computation,
                                     ArraySlice<i64> window_dimensions,
                                     ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations,
                                     ArraySlice<i64> window_dilations,
                                     ArraySlice<std::pair<i64, i64>> padding,
                                     Location location = std::source_location::current());
XlaOp ReduceWindowWithGeneralPadding(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                                     const XlaComputation& computation,
                                     ArraySlice<i64> window_dimensions,
                                     ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations,
                                     ArraySlice<i64> window_dilations,
                                     ArraySlice<std::pair<i64, i64>> padding,
                                     Location location = std::source_location::current());
// With Padding::kSame and dynamic dimensions the custom call DynamicSelectAndScatterSamePadding.
XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter,
                       Location location = std::source_location::current());
XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                         ArraySlice<i64> window_dimensions,
                                         ArraySlice<i64> window_strides,
                                         ArraySlice<std::pair<i64, i64>> padding, XlaOp source,
                                         XlaOp init_value, const XlaComputation& scatter,
                                         Location location = std::source_location::current());

// Sorts all operands by a comparator of 2n scalars; stable always, whatever is_stable says.
XlaOp Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, i64 dimension = -1,
           bool is_stable = false, Location location = std::source_location::current());
// As older programs have it: ascending, floats in the total order, by default along the last
// dimension. With values, these are put into the order of their keys: the result is (keys, values).
XlaOp Sort(XlaOp operand, i64 dimension = -1, Location location = std::source_location::current());
XlaOp Sort(XlaOp keys, XlaOp values, i64 dimension = -1,
           Location location = std::source_location::current());
// The k largest (or smallest) along the last dimension: (values, s32 indices).
XlaOp TopK(XlaOp operand, i64 k, bool largest, bool is_stable = true,
           Location location = std::source_location::current());

}  // namespace axle

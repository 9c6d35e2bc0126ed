// The builder's functions that reduce, fold windows and sort, with XLA's names.
// Included by xla_builder.h, which has the promises of all of the builder's functions.
//
// Computations are of scalars: of n operands of the types T0, T1, .. that are reduced together,
// (T0[], T1[], .., T0[], T1[], ..) -> T0[], or (T0[], T1[], ..) if n > 1: first the accumulators,
// then the elements. Operands have the same dimensions, init_values are [] of their types, and the
// results are a tuple if n > 1.
#pragma once
#include <utility>

#include "axle/builder/padding.h"
#include "axle/builder/xla_op.h"

namespace axle {

// Folds `dimensions_to_reduce`, each named once, of the operand: its dimensions without those, in
// their order. Sums and products of floats have an order of their own: docs/numerics.md N4;
// docs/ops/reduce.md.
XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             ArraySlice<i64> dimensions_to_reduce,
             Location location = std::source_location::current());
// n operands at once, at least one.
XlaOp Reduce(XlaBuilder* builder, ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
             const XlaComputation& computation, ArraySlice<i64> dimensions_to_reduce,
             Location location = std::source_location::current());
// Folds all dimensions to a scalar.
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location = std::source_location::current());
// Folds what a sliding window shows, for each of its places: [windows that fit, ..]. The window has
// one size and stride per dimension, in elements, at least 1. With Padding::kSame, a dynamic
// dimension is padded by its run-time size, which makes this the custom call
// DynamicReduceWindowSamePadding. docs/ops/reduce-window.md.
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location = std::source_location::current());
// The same with init_value behind the computation, as older programs have it.
XlaOp ReduceWindow(XlaOp operand, const XlaComputation& computation, XlaOp init_value,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location = std::source_location::current());
// n operands at once, at least one.
XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                   const XlaComputation& computation, ArraySlice<i64> window_dimensions,
                   ArraySlice<i64> window_strides, Padding padding,
                   Location location = std::source_location::current());
// The same of elements that lie base_dilations apart, with init_value in between, under a window
// whose elements are window_dilations apart; empty lists mean 1. Padding is that of the sizes after
// dilation. Errors: UNIMPLEMENTED for Padding::kSame of dynamic dimensions.
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   ArraySlice<i64> base_dilations, ArraySlice<i64> window_dilations,
                   Padding padding, Location location = std::source_location::current());
XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                   const XlaComputation& computation, ArraySlice<i64> window_dimensions,
                   ArraySlice<i64> window_strides, ArraySlice<i64> base_dilations,
                   ArraySlice<i64> window_dilations, Padding padding,
                   Location location = std::source_location::current());
// Lists have an entry per dimension; empty ones mean stride 1, dilation 1, padding 0. Negative
// padding crops.
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
// Selects one element in each window of the operand, which gets the window's element of `source`.
//
//   operand     [dims] of T
//   source      [windows that fit, ..] of T
//   init_value  T[], which the result starts with
//   select      (T[], T[]) -> pred[]: whether the first one stays selected
//   scatter     (T[], T[]) -> T[]: the new value, of the result's and source's
//   result      [dims] of T
//
// With Padding::kSame and dynamic dimensions the custom call DynamicSelectAndScatterSamePadding.
// docs/ops/select-and-scatter.md.
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

// Sorts n operands of the same dimensions together along one of these, -1 being the last. The
// comparator, (T0[], T0[], T1[], T1[], ..) -> pred[], says whether the first of each pair go
// strictly before the second. Stable always, whatever is_stable says. The result has the operands'
// shape, or is a tuple of their shapes if n > 1. docs/ops/sort.md.
XlaOp Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, i64 dimension = -1,
           bool is_stable = false, Location location = std::source_location::current());
// The form of older programs: ascending, floats in the total order, by default along the last
// dimension. With values, these are put into the order of their keys: the result is (keys, values).
XlaOp Sort(XlaOp operand, i64 dimension = -1, Location location = std::source_location::current());
XlaOp Sort(XlaOp keys, XlaOp values, i64 dimension = -1,
           Location location = std::source_location::current());
// The k largest (or smallest) along the last dimension, in order: (values [.., k], indices [.., k]
// of s32). 0 <= k <= its size; floats are in the total order, of equal elements the lower index
// comes first. docs/ops/topk.md.
XlaOp TopK(XlaOp operand, i64 k, bool largest, bool is_stable = true,
           Location location = std::source_location::current());

}  // namespace axle

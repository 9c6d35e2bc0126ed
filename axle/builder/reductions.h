// The builder's functions that reduce, fold windows and sort, with XLA's names. The header is
// included by xla_builder.h, which states what holds for all of the builder's functions.
//
// Computations take scalars: for n operands of the types T0, T1, .. that are reduced together,
// (T0[], T1[], .., T0[], T1[], ..) -> T0[], or (T0[], T1[], ..) if n > 1: first the accumulators,
// then the elements. Operands have the same dimensions, init_values are [] of their types, and the
// result is a tuple if n > 1.
#pragma once
#include <utility>

#include "axle/builder/padding.h"
#include "axle/builder/xla_op.h"

namespace axle {

// Folds the operand along `dimensions_to_reduce`, each named once; the result has the other
// dimensions, in their order. Sums and products of floats have an order of their own:
// docs/numerics.md N4; docs/ops/reduce.md.
XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             ArraySlice<i64> dimensions_to_reduce,
             Location location = std::source_location::current());
// The same for n operands, at least one.
XlaOp Reduce(XlaBuilder* builder, ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
             const XlaComputation& computation, ArraySlice<i64> dimensions_to_reduce,
             Location location = std::source_location::current());
// Folds all dimensions to a scalar.
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location = std::source_location::current());
// Folds the elements of a sliding window, for each of its positions: [windows that fit, ..]. The
// window has one size and stride per dimension, in elements, at least 1. With Padding::kSame, a
// dynamic dimension is padded by its run-time size, which makes this the custom call
// DynamicReduceWindowSamePadding. docs/ops/reduce-window.md.
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location = std::source_location::current());
// The same with init_value after the computation, as older programs have it.
XlaOp ReduceWindow(XlaOp operand, const XlaComputation& computation, XlaOp init_value,
                   ArraySlice<i64> window_dimensions, ArraySlice<i64> window_strides,
                   Padding padding, Location location = std::source_location::current());
// The same for n operands, at least one.
XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                   const XlaComputation& computation, ArraySlice<i64> window_dimensions,
                   ArraySlice<i64> window_strides, Padding padding,
                   Location location = std::source_location::current());
// The same for elements that are base_dilations apart, with init_value in between, under a window
// whose elements are window_dilations apart; empty lists mean 1. The padding is computed from the
// sizes after dilation. Errors: UNIMPLEMENTED for Padding::kSame of dynamic dimensions.
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
// Selects one element in each window of the operand. The element of the result at its position is
// combined with the window's element of `source`, by `scatter`.
//
//   operand     [dims] of T
//   source      [windows that fit, ..] of T
//   init_value  T[], the initial value of all elements of the result
//   select      (T[], T[]) -> pred[]: whether the first element stays selected
//   scatter     (T[], T[]) -> T[]: the new value, from those of the result and of the source
//   result      [dims] of T
//
// With Padding::kSame and dynamic dimensions this is the custom call
// DynamicSelectAndScatterSamePadding. docs/ops/select-and-scatter.md.
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

// Sorts n operands of the same dimensions together along one of these, where -1 is the last. The
// comparator, (T0[], T0[], T1[], T1[], ..) -> pred[], states whether the first element of each pair
// comes strictly before the second. The sort is always stable, whatever is_stable is. The result
// has the operands' shape, or is a tuple of their shapes if n > 1. docs/ops/sort.md.
XlaOp Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, i64 dimension = -1,
           bool is_stable = false, Location location = std::source_location::current());
// The form of older programs: ascending, floats in the total order, by default along the last
// dimension. With values, these are put into the order of their keys: the result is (keys, values).
XlaOp Sort(XlaOp operand, i64 dimension = -1, Location location = std::source_location::current());
XlaOp Sort(XlaOp keys, XlaOp values, i64 dimension = -1,
           Location location = std::source_location::current());
// Returns the k largest (or smallest) elements along the last dimension, in order: (values [.., k],
// indices [.., k] of s32), where 0 <= k <= its size. Floats are compared in the total order; of
// equal elements the one with the lower index comes first. docs/ops/topk.md.
XlaOp TopK(XlaOp operand, i64 k, bool largest, bool is_stable = true,
           Location location = std::source_location::current());

}  // namespace axle

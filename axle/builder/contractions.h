// The builder's functions for dot and convolution, with XLA's names. The header is included by
// xla_builder.h, which states what holds for all of the builder's functions.
//
// lhs and rhs may have different types. The result has the type `preferred_element_type`, or else
// the operand type of higher precision; both operands are converted to it first. The order of
// additions is fixed: docs/numerics.md N5 and N6. The precision config changes no bit.
#pragma once
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "axle/builder/dimension_numbers.h"
#include "axle/builder/padding.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// Contracts dimension 1 of lhs, or its only dimension, with the first of rhs; docs/ops/dot.md.
//
//   lhs     [m, k, l...] or [k]
//   rhs     [k, n...]
//   result  [m, l..., n...] or [n...]
XlaOp Dot(XlaOp lhs, XlaOp rhs, Location location = std::source_location::current());

// Returns [batch..., lhs free..., rhs free...]: batch dimensions in the order of their lists, free
// ones in that of the operands. Batch and contracting dimensions are pairs of one size, each named
// once; docs/ops/dot.md.
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 Location location = std::source_location::current());

// Hints that change no bit (docs/numerics.md N5): they are kept and printed.
struct PrecisionConfig {
  OperandPrecision operand_precision = {};  // one entry per operand, or none
  DotAlgorithm algorithm = DotAlgorithm::kUnset;

  // Names as in XLA's message, such as PrecisionConfig::HIGHEST, and its setters: they add the
  // precision of one more operand, or set the algorithm.
  using Precision = axle::Precision;
  using Algorithm = DotAlgorithm;
  using enum axle::Precision;
  void add_operand_precision(Precision precision);
  void set_algorithm(Algorithm wanted) { algorithm = wanted; }
};
// The same with hints; null means none. The config is copied.
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type = std::nullopt,
          Location location = std::source_location::current());
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 Location location = std::source_location::current());

// Returns the dot of operands of which lhs is split into groups of group_sizes along its one ragged
// dimension.
//
//   group_sizes  [groups] of integers, in elements; in front of that may stand the sizes of lhs's
//                batch dimensions and of those of the ragged one's kind before it
//   result       of a ragged free dimension, where rhs has a dimension of groups, or of a batch
//                dimension: that of the dot; of a contracting one: [groups, that of the dot..]
//
// docs/ops/ragged-dot.md.
XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                Location location = std::source_location::current());
// Returns the dot of lhs * lhs_scale and rhs * rhs_scale. A scale has its operand's rank and sizes
// that divide the operand's, so that each element applies to a block; at most one of the two is a
// scalar, which means no scale. Operands are floats. docs/ops/scaled-dot.md.
XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                Location location = std::source_location::current());

// Slides the kernel rhs over lhs; docs/ops/convolution.md.
//
//   lhs             [batch, feature, spatial...]
//   rhs             [output feature, input feature, spatial...]
//   window_strides  one per spatial dimension, in elements, at least 1
//   result          [batch, output feature, windows that fit...]
//
// feature = feature_group_count * input feature. feature_group_count divides the output features,
// and batch_group_count the batch; at most one of the two counts is above 1.
XlaOp Conv(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, Padding padding,
           i64 feature_group_count = 1, i64 batch_group_count = 1,
           const PrecisionConfig* precision_config = nullptr,
           std::optional<PrimitiveType> preferred_element_type = std::nullopt,
           Location location = std::source_location::current());
// The same with low and high padding of each spatial dimension, in elements; negative padding
// crops. A dilation d puts d - 1 holes between elements of lhs, or of the kernel; empty lists mean
// none.
XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                             ArraySlice<std::pair<i64, i64>> padding, i64 feature_group_count = 1,
                             i64 batch_group_count = 1,
                             const PrecisionConfig* precision_config = nullptr,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                             Location location = std::source_location::current());
XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                             ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                             ArraySlice<i64> rhs_dilation, i64 feature_group_count = 1,
                             i64 batch_group_count = 1,
                             const PrecisionConfig* precision_config = nullptr,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                             Location location = std::source_location::current());
// The same for lists in braces, since {2} would otherwise be converted to a number.
XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                             ArraySlice<std::pair<i64, i64>> padding,
                             std::initializer_list<i64> lhs_dilation,
                             std::initializer_list<i64> rhs_dilation, i64 feature_group_count = 1,
                             i64 batch_group_count = 1,
                             const PrecisionConfig* precision_config = nullptr,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                             Location location = std::source_location::current());
// The same with any order of the dimensions, which the dimension numbers state for lhs, rhs and the
// result. Errors: INVALID_ARGUMENT if they do not name every dimension once. The overload with
// Padding needs all strides.
XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                i64 feature_group_count = 1, i64 batch_group_count = 1,
                                const PrecisionConfig* precision_config = nullptr,
                                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                                Location location = std::source_location::current());
XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                  ArraySlice<std::pair<i64, i64>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers, i64 feature_group_count = 1,
                  i64 batch_group_count = 1, const PrecisionConfig* precision_config = nullptr,
                  std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                  Location location = std::source_location::current());
// The general form of a convolution. Lists have an entry per spatial dimension; empty ones mean
// stride 1, padding 0, dilation 1, no reversal.
XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                         ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                         ArraySlice<i64> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         i64 feature_group_count = 1, i64 batch_group_count = 1,
                         const PrecisionConfig* precision_config = nullptr,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         const std::vector<bool>& window_reversal = {},
                         Location location = std::source_location::current());
// A convolution whose dynamic spatial dimensions are padded by their run-time sizes, kSame or
// kValid as `padding_type` states: the custom call DynamicConvolutionForward
// (docs/custom-calls.md), whose result has the shape of ConvGeneralDilated's.
XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                         ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                         ArraySlice<i64> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         i64 feature_group_count, i64 batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         Location location = std::source_location::current());

}  // namespace axle

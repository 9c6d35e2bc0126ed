// The builder's functions of dot and convolution, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "axle/builder/dimension_numbers.h"
#include "axle/builder/padding.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

// lhs [m, k, ...] . rhs [k, ...], or [k] . [k, ...]: dimension 1 of lhs, or its only one, with the
// first of rhs.
XlaOp Dot(XlaOp lhs, XlaOp rhs, Location location = std::source_location::current());

// [batch..., lhs free..., rhs free...]. `preferred_element_type` is the type of the result.
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 Location location = std::source_location::current());

// Hints that change no bit (docs/numerics.md N5): they are kept and printed.
struct PrecisionConfig {
  OperandPrecision operand_precision = {};  // one of each operand, or none
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
};
// With hints; null: none.
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type = std::nullopt,
          Location location = std::source_location::current());
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 Location location = std::source_location::current());

// A dot whose lhs is cut into groups of group_sizes along one dimension.
XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                Location location = std::source_location::current());
// A dot of lhs * lhs_scale and rhs * rhs_scale, whose elements are for blocks; a scalar is no
// scale.
XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                Location location = std::source_location::current());

// lhs [batch, feature, spatial...], rhs [output feature, input feature, spatial...].
XlaOp Conv(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, Padding padding,
           i64 feature_group_count = 1, i64 batch_group_count = 1,
           const PrecisionConfig* precision_config = nullptr,
           std::optional<PrimitiveType> preferred_element_type = std::nullopt,
           Location location = std::source_location::current());
// The same with low and high padding of each spatial dimension.
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
// With any order of the dimensions.
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
// Everything a convolution has. Empty lists mean stride 1, padding 0, dilation 1, no reversal.
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
// kValid as `padding_type` says: the custom call DynamicConvolutionForward.
XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                         ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                         ArraySlice<i64> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         i64 feature_group_count, i64 batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         Location location = std::source_location::current());

}  // namespace axle

#include "axle/builder/contractions.h"

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

XlaOp Dot(XlaOp lhs, XlaOp rhs, Location location) {
  return Dot(lhs, rhs, nullptr, std::nullopt, location);
}

XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type, Location location) {
  if (!AllValid({lhs, rhs})) return Emit(Opcode::kDot, {lhs, rhs}, location, DotAttrs{});
  const i64 contracting = lhs.instruction()->shape().rank() == 1 ? 0 : 1;
  return DotGeneral(lhs, rhs, {{contracting}, {0}}, precision_config, preferred_element_type,
                    location);
}

namespace {

DotAttrs ToAttrs(const DotDimensionNumbers& dn, const PrecisionConfig* precision_config) {
  const PrecisionConfig config =
      precision_config == nullptr ? PrecisionConfig() : *precision_config;
  return {.lhs_batch_dims = dn.lhs_batch_dimensions,
          .lhs_contracting_dims = dn.lhs_contracting_dimensions,
          .rhs_batch_dims = dn.rhs_batch_dimensions,
          .rhs_contracting_dims = dn.rhs_contracting_dimensions,
          .operand_precision = config.operand_precision,
          .algorithm = config.algorithm};
}

// Says the type of the result; its dimensions follow.
Shape PreferredShape(std::optional<PrimitiveType> type) {
  return type ? Shape(*type) : Shape();
}

}  // namespace

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dn,
                 std::optional<PrimitiveType> preferred_element_type, Location location) {
  return DotGeneral(lhs, rhs, dn, nullptr, preferred_element_type, location);
}

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dn,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type, Location location) {
  return Emit(Opcode::kDot, {lhs, rhs}, location, ToAttrs(dn, precision_config), {},
              PreferredShape(preferred_element_type));
}

XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes, const RaggedDotDimensionNumbers& dn,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type, Location location) {
  const DotAttrs dot = ToAttrs(dn.dot_dimension_numbers, precision_config);
  return Emit(Opcode::kRaggedDot, {lhs, rhs, group_sizes}, location,
              RaggedDotAttrs{.lhs_batch_dims = dot.lhs_batch_dims,
                             .lhs_contracting_dims = dot.lhs_contracting_dims,
                             .rhs_batch_dims = dot.rhs_batch_dims,
                             .rhs_contracting_dims = dot.rhs_contracting_dims,
                             .operand_precision = dot.operand_precision,
                             .algorithm = dot.algorithm,
                             .lhs_ragged_dims = dn.lhs_ragged_dimensions,
                             .rhs_group_dims = dn.rhs_group_dimensions},
              {}, PreferredShape(preferred_element_type));
}

XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dn, const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type, Location location) {
  return Emit(Opcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale}, location,
              ToAttrs(dn, precision_config), {}, PreferredShape(preferred_element_type));
}

XlaOp Conv(XlaOp lhs, XlaOp rhs, std::span<const i64> window_strides, Padding padding,
           i64 feature_group_count, i64 batch_group_count, Location location) {
  ConvolutionDimensionNumbers numbers{"bf", "oi", "bf"};
  Dims input, window;
  if (AllValid({lhs, rhs})) {
    const Shape &l = lhs.instruction()->shape(), &r = rhs.instruction()->shape();
    if (l.rank() != r.rank() || l.rank() != static_cast<i64>(window_strides.size()) + 2 ||
        window_strides.size() > 10) {
      return Fail({lhs, rhs},
                  StrCat("convolution: ", window_strides.size(),
                         " window_strides need "
                         "operands of that rank plus 2; lhs ",
                         l.ToString(), ", rhs ", r.ToString()),
                  location);
    }
    for (i64 d = 2; d < l.rank(); ++d) {
      for (std::string* side : {&numbers.lhs, &numbers.rhs, &numbers.output}) {
        *side += static_cast<char>('0' + d - 2);
      }
      input.push_back(l.dim(d));
      window.push_back(r.dim(d));
    }
  }
  return ConvGeneralDilated(lhs, rhs, window_strides,
                            MakePadding(input, window, window_strides, padding), {}, {}, numbers,
                            feature_group_count, batch_group_count, location);
}

XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, std::span<const i64> window_strides,
                         std::span<const std::pair<i64, i64>> padding,
                         std::span<const i64> lhs_dilation, std::span<const i64> rhs_dilation,
                         const ConvolutionDimensionNumbers& numbers, i64 feature_group_count,
                         i64 batch_group_count, Location location) {
  Dims sizes;
  if (AllValid({lhs, rhs})) {
    const Shape& kernel = rhs.instruction()->shape();
    for (i64 s = 0; s < numbers.num_spatial(); ++s) {
      const i64 d = ConvolutionDimensionNumbers::Find(numbers.rhs, static_cast<char>('0' + s));
      if (d < 0 || d >= kernel.rank()) {
        return Fail({lhs, rhs},
                    StrCat("convolution: dimension numbers \"", numbers.rhs, "\" do not fit rhs ",
                           kernel.ToString()),
                    location);
      }
      sizes.push_back(kernel.dim(d));
    }
  }
  StatusOr<Window> window = MakeWindow(sizes, window_strides, padding, lhs_dilation, rhs_dilation);
  if (!window.ok() && AllValid({lhs, rhs})) {
    return Fail({lhs, rhs}, StrCat("convolution: ", window.status().message()), location);
  }
  return Emit(Opcode::kConvolution, {lhs, rhs}, location,
              ConvolutionAttrs{.window = window.ok() ? *window : Window(),
                               .dim_labels = numbers,
                               .feature_group_count = feature_group_count,
                               .batch_group_count = batch_group_count});
}

}  // namespace axle

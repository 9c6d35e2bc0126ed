#include "axle/builder/contractions.h"

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

void PrecisionConfig::add_operand_precision(Precision precision) {
  operand_precision.push_back(precision);
}

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

// Returns a shape that states only the preferred element type; the dimensions are inferred.
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

namespace {

// lhs [batch, feature, spatial...], rhs [output feature, input feature, spatial...].
StatusOr<ConvolutionDimensionNumbers> UsualNumbers(XlaOp lhs, XlaOp rhs, size_t num_strides) {
  ConvolutionDimensionNumbers numbers{"bf", "oi", "bf"};
  const Shape &l = lhs.instruction()->shape(), &r = rhs.instruction()->shape();
  if (l.rank() != r.rank() || l.rank() != static_cast<i64>(num_strides) + 2 || num_strides > 10) {
    return InvalidArgument(StrCat("convolution: ", num_strides,
                                  " window_strides need operands of that rank plus 2; lhs ",
                                  l.ToString(), ", rhs ", r.ToString()));
  }
  for (size_t s = 0; s < num_strides; ++s) {
    for (std::string* side : {&numbers.lhs, &numbers.rhs, &numbers.output}) {
      *side += static_cast<char>('0' + s);
    }
  }
  return numbers;
}

// Returns the sizes of the spatial dimensions that `labels` names.
StatusOr<Dims> SpatialSizes(std::string_view side, const Shape& shape, const std::string& labels,
                            i64 num_spatial) {
  Dims sizes;
  for (i64 s = 0; s < num_spatial; ++s) {
    const i64 d = ConvolutionDimensionNumbers::Find(labels, static_cast<char>('0' + s));
    if (d < 0 || d >= shape.rank()) {
      return InvalidArgument(StrCat("convolution: dimension numbers \"", labels, "\" do not fit ",
                                    side, " ", shape.ToString()));
    }
    sizes.push_back(shape.dim(d));
  }
  return sizes;
}

StatusOr<Window> ConvolutionWindow(XlaOp rhs, ArraySlice<i64> window_strides,
                                   ArraySlice<std::pair<i64, i64>> padding,
                                   ArraySlice<i64> lhs_dilation, ArraySlice<i64> rhs_dilation,
                                   const ConvolutionDimensionNumbers& numbers,
                                   const std::vector<bool>& reversal) {
  AXLE_ASSIGN(const Dims sizes,
              SpatialSizes("rhs", rhs.instruction()->shape(), numbers.rhs, numbers.num_spatial()));
  StatusOr<Window> window = MakeWindow(sizes, window_strides, padding, lhs_dilation, rhs_dilation);
  if (window.ok() && !reversal.empty() && reversal.size() != sizes.size()) {
    window = InvalidArgument(StrCat("window has ", sizes.size(),
                                    " dimensions but window_reversal has ", reversal.size()));
  }
  if (!window.ok()) return InvalidArgument(StrCat("convolution: ", window.status().message()));
  for (size_t s = 0; s < reversal.size(); ++s) (*window)[s].reversal = reversal[s];
  return window;
}

XlaOp Refuse(XlaOp lhs, XlaOp rhs, const Status& status, const Location& location) {
  return Fail({lhs, rhs}, std::string(status.message()), location);
}

}  // namespace

XlaOp Conv(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides, Padding padding,
           i64 feature_group_count, i64 batch_group_count, const PrecisionConfig* precision_config,
           std::optional<PrimitiveType> preferred_element_type, Location location) {
  if (!AllValid({lhs, rhs})) return Emit(Opcode::kConvolution, {lhs, rhs}, location);
  const auto numbers = UsualNumbers(lhs, rhs, window_strides.size());
  if (!numbers.ok()) return Refuse(lhs, rhs, numbers.status(), location);
  return ConvWithGeneralDimensions(lhs, rhs, window_strides, padding, *numbers, feature_group_count,
                                   batch_group_count, precision_config, preferred_element_type,
                                   location);
}

XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                             ArraySlice<std::pair<i64, i64>> padding, i64 feature_group_count,
                             i64 batch_group_count, const PrecisionConfig* precision_config,
                             std::optional<PrimitiveType> preferred_element_type,
                             Location location) {
  return ConvWithGeneralPadding(lhs, rhs, window_strides, padding, ArraySlice<i64>(),
                                ArraySlice<i64>(), feature_group_count, batch_group_count,
                                precision_config, preferred_element_type, location);
}

XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                             ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                             ArraySlice<i64> rhs_dilation, i64 feature_group_count,
                             i64 batch_group_count, const PrecisionConfig* precision_config,
                             std::optional<PrimitiveType> preferred_element_type,
                             Location location) {
  if (!AllValid({lhs, rhs})) return Emit(Opcode::kConvolution, {lhs, rhs}, location);
  const auto numbers = UsualNumbers(lhs, rhs, window_strides.size());
  if (!numbers.ok()) return Refuse(lhs, rhs, numbers.status(), location);
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, *numbers,
                            feature_group_count, batch_group_count, precision_config,
                            preferred_element_type, {}, location);
}

XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                             ArraySlice<std::pair<i64, i64>> padding,
                             std::initializer_list<i64> lhs_dilation,
                             std::initializer_list<i64> rhs_dilation, i64 feature_group_count,
                             i64 batch_group_count, const PrecisionConfig* precision_config,
                             std::optional<PrimitiveType> preferred_element_type,
                             Location location) {
  return ConvWithGeneralPadding(lhs, rhs, window_strides, padding, ArraySlice<i64>(lhs_dilation),
                                ArraySlice<i64>(rhs_dilation), feature_group_count,
                                batch_group_count, precision_config, preferred_element_type,
                                location);
}

XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                                Padding padding, const ConvolutionDimensionNumbers& numbers,
                                i64 feature_group_count, i64 batch_group_count,
                                const PrecisionConfig* precision_config,
                                std::optional<PrimitiveType> preferred_element_type,
                                Location location) {
  std::vector<std::pair<i64, i64>> pairs;
  if (AllValid({lhs, rhs})) {
    const i64 rank = numbers.num_spatial();
    if (static_cast<i64>(window_strides.size()) != rank) {
      return Fail({lhs, rhs},
                  StrCat("convolution: window has ", rank, " dimensions but window_strides has ",
                         window_strides.size()),
                  location);
    }
    const auto input = SpatialSizes("lhs", lhs.instruction()->shape(), numbers.lhs, rank);
    if (!input.ok()) return Refuse(lhs, rhs, input.status(), location);
    const auto window = SpatialSizes("rhs", rhs.instruction()->shape(), numbers.rhs, rank);
    if (!window.ok()) return Refuse(lhs, rhs, window.status(), location);
    pairs = MakePadding(*input, *window, window_strides, padding);
  }
  return ConvGeneral(lhs, rhs, window_strides, pairs, numbers, feature_group_count,
                     batch_group_count, precision_config, preferred_element_type, location);
}

XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                  ArraySlice<std::pair<i64, i64>> padding,
                  const ConvolutionDimensionNumbers& numbers, i64 feature_group_count,
                  i64 batch_group_count, const PrecisionConfig* precision_config,
                  std::optional<PrimitiveType> preferred_element_type, Location location) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, numbers, feature_group_count,
                            batch_group_count, precision_config, preferred_element_type, {},
                            location);
}

XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                         ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                         ArraySlice<i64> rhs_dilation, const ConvolutionDimensionNumbers& numbers,
                         i64 feature_group_count, i64 batch_group_count,
                         const PrecisionConfig* precision_config,
                         std::optional<PrimitiveType> preferred_element_type,
                         const std::vector<bool>& window_reversal, Location location) {
  if (!AllValid({lhs, rhs})) return Emit(Opcode::kConvolution, {lhs, rhs}, location);
  StatusOr<Window> window = ConvolutionWindow(rhs, window_strides, padding, lhs_dilation,
                                              rhs_dilation, numbers, window_reversal);
  if (!window.ok()) return Refuse(lhs, rhs, window.status(), location);
  const PrecisionConfig config =
      precision_config == nullptr ? PrecisionConfig() : *precision_config;
  return Emit(Opcode::kConvolution, {lhs, rhs}, location,
              ConvolutionAttrs{.window = *std::move(window),
                               .dim_labels = numbers,
                               .feature_group_count = feature_group_count,
                               .batch_group_count = batch_group_count,
                               .operand_precision = config.operand_precision,
                               .algorithm = config.algorithm},
              {}, PreferredShape(preferred_element_type));
}

XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, ArraySlice<i64> window_strides,
                         ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> lhs_dilation,
                         ArraySlice<i64> rhs_dilation, const ConvolutionDimensionNumbers& numbers,
                         i64 feature_group_count, i64 batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type, Location location) {
  if (!AllValid({lhs, rhs})) return Emit(Opcode::kConvolution, {lhs, rhs}, location);
  const XlaOp operands[] = {lhs, rhs};
  Window window;
  const StatusOr<Shape> shape = ShapeIfBuilt(operands, [&](ArraySlice<XlaOp> parameters) {
    const XlaOp conv =
        ConvGeneralDilated(parameters[0], parameters[1], window_strides, padding, lhs_dilation,
                           rhs_dilation, numbers, feature_group_count, batch_group_count,
                           precision_config, preferred_element_type, {}, location);
    if (conv.valid()) window = conv.instruction()->attrs<ConvolutionAttrs>().window;
    return conv;
  });
  if (!shape.ok()) return lhs.builder()->ReportError(shape.status(), location);
  return Emit(Opcode::kCustomCall, operands, location,
              CustomCallAttrs{.window = window,
                              .dim_labels = numbers,
                              .feature_group_count = feature_group_count,
                              .batch_group_count = batch_group_count,
                              .operand_precision = precision_config == nullptr
                                                       ? OperandPrecision()
                                                       : precision_config->operand_precision,
                              .padding_type = padding_type,
                              .custom_call_target = "DynamicConvolutionForward",
                              .operand_layout_constraints = {},
                              .literal = {},
                              .output_to_operand_aliasing = {}},
              {}, *shape);
}

}  // namespace axle

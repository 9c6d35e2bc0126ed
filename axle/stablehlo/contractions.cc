// Products: dot_general, dot, einsum, convolution.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"
#include "axle/stablehlo/dot_algorithms.h"

namespace axle::stablehlo {
namespace {

StatusOr<OperandPrecision> PrecisionOf(const Site& site) {
  OperandPrecision result;
  const mlir::Attribute* config = site.Find("precision_config");
  if (config == nullptr) return result;
  const std::span<const std::string_view> names = mlir::EnumValues("precision");
  for (const mlir::Attribute* element : config->elements) {
    const auto found = std::ranges::find(names, element->text);
    if (found == names.end()) {
      return site.Error(StrCat("there is no precision ", element->text));
    }
    result.push_back(static_cast<Precision>(found - names.begin()));
  }
  if (!result.empty() && result.size() != 2) {
    return site.Error("precision_config has one entry for each operand");
  }
  const bool is_default =
      std::ranges::all_of(result, [](Precision p) { return p == Precision::kDefault; });
  if (is_default) result.clear();
  return result;
}

StatusOr<DotAlgorithm> AlgorithmOf(const Site& site) {
  const auto type_of = [&](std::string_view name) -> const mlir::Type* {
    const mlir::Attribute* attribute = site.Find(name);
    if (attribute == nullptr || attribute->kind != mlir::AttributeKind::kType ||
        attribute->type->kind == mlir::TypeKind::kNone) {
      return nullptr;
    }
    return attribute->type;
  };
  const mlir::Type* lhs = type_of("lhs_precision_type");
  const mlir::Type* rhs = type_of("rhs_precision_type");
  const mlir::Type* accumulation = type_of("accumulation_type");
  if (lhs == nullptr || rhs == nullptr || accumulation == nullptr) return DotAlgorithm::kUnset;
  DotAlgorithmFacts facts{.lhs = lhs, .rhs = rhs, .accumulation = accumulation};
  AXLE_ASSIGN(facts.lhs_count, site.Int("lhs_component_count", 1));
  AXLE_ASSIGN(facts.rhs_count, site.Int("rhs_component_count", 1));
  AXLE_ASSIGN(facts.products, site.Int("num_primitive_operations", 1));
  AXLE_ASSIGN(facts.imprecise, site.Bool("allow_imprecise_accumulation", false));
  const std::optional<DotAlgorithm> known = FindDotAlgorithm(facts);
  if (!known) return site.Error(UnknownDotAlgorithm(facts));
  return *known;
}

}  // namespace

Status ConvertDotGeneral(const Site& site) {
  DotAttrs attrs;
  AXLE_ASSIGN(attrs.lhs_batch_dims, site.Ints("lhs_batching_dimensions", {}));
  AXLE_ASSIGN(attrs.rhs_batch_dims, site.Ints("rhs_batching_dimensions", {}));
  AXLE_ASSIGN(attrs.lhs_contracting_dims, site.Ints("lhs_contracting_dimensions", {}));
  AXLE_ASSIGN(attrs.rhs_contracting_dims, site.Ints("rhs_contracting_dimensions", {}));
  AXLE_ASSIGN(attrs.operand_precision, PrecisionOf(site));
  AXLE_ASSIGN(attrs.algorithm, AlgorithmOf(site));
  return site.Return(site.AddOfResultType(Opcode::kDot, site.operands(), std::move(attrs)));
}

Status ConvertDot(const Site& site) {
  const i64 rank = site.operand(0)->shape().rank();
  DotAttrs attrs;
  attrs.lhs_contracting_dims = {rank - 1};
  attrs.rhs_contracting_dims = {0};
  AXLE_ASSIGN(attrs.operand_precision, PrecisionOf(site));
  return site.Return(site.AddOfResultType(Opcode::kDot, site.operands(), std::move(attrs)));
}

namespace {

// The labels of an einsum, one character for each dimension.
struct Labels {
  std::string lhs, rhs, result;
};

StatusOr<Labels> LabelsOf(const Site& site, bool is_unary) {
  AXLE_ASSIGN(const std::string config, site.String("einsum_config"));
  const size_t arrow = config.find("->");
  const size_t comma = config.find(',');
  if (arrow == config.npos || (comma == config.npos) != is_unary ||
      config.find('.') != config.npos) {
    return site.Error(StrCat("einsum_config \"", config, "\" is not of the form ",
                             is_unary ? "\"ab->a\"" : "\"ab,bc->ac\""));
  }
  Labels labels;
  labels.lhs = config.substr(0, std::min(comma, arrow));
  if (!is_unary) labels.rhs = config.substr(comma + 1, arrow - comma - 1);
  labels.result = config.substr(arrow + 2);
  return labels;
}

Status CheckLabels(const Site& site, const std::string& labels, const Shape& shape) {
  std::string sorted = labels;
  std::ranges::sort(sorted);
  const bool twice = std::ranges::adjacent_find(sorted) != sorted.end();
  if (!twice && static_cast<i64>(labels.size()) == shape.rank()) return {};
  return site.Error(StrCat("\"", labels, "\" does not label the dimensions of ", shape.ToString(),
                           ", each with a letter of its own"));
}

// The operand without dimensions whose label `keep` does not hold, which are summed up.
StatusOr<Instruction*> SumOthers(const Site& site, Instruction* operand, std::string& labels,
                                 std::string_view keep) {
  Dims dimensions;
  std::string kept;
  for (size_t d = 0; d < labels.size(); ++d) {
    if (keep.find(labels[d]) == keep.npos) {
      dimensions.push_back(static_cast<i64>(d));
    } else {
      kept += labels[d];
    }
  }
  if (dimensions.empty()) return operand;
  labels = kept;
  const ElementType type = operand->shape().type();
  AXLE_ASSIGN(HloComputation* const sum,
              site.converter().Combiner(site, Opcode::kAdd, Shape(type)));
  AXLE_ASSIGN(Literal zero, Literal::Create(Shape(type)));
  AXLE_ASSIGN(Instruction* const initial, site.Constant(std::move(zero)));
  return site.Add(Opcode::kReduce, {operand, initial}, DimensionsAttrs{std::move(dimensions)},
                  {sum});
}

// Labels in the order of `to`: a transposition where it differs.
StatusOr<Instruction*> InOrder(const Site& site, Instruction* operand, const std::string& from,
                               const std::string& to) {
  if (from == to) return operand;
  Dims permutation;
  for (const char label : to) {
    const size_t at = from.find(label);
    if (at == from.npos)
      return site.Error(StrCat("no operand has the label ", std::string(1, label)));
    permutation.push_back(static_cast<i64>(at));
  }
  if (permutation.size() != from.size()) return site.Error("the labels of the result repeat");
  return site.Add(Opcode::kTranspose, {operand}, DimensionsAttrs{std::move(permutation)});
}

}  // namespace

Status ConvertUnaryEinsum(const Site& site) {
  AXLE_ASSIGN(Labels labels, LabelsOf(site, true));
  AXLE_TRY(CheckLabels(site, labels.lhs, site.operand(0)->shape()));
  AXLE_ASSIGN(Instruction* const summed,
              SumOthers(site, site.operand(0), labels.lhs, labels.result));
  return site.Return(InOrder(site, summed, labels.lhs, labels.result));
}

Status ConvertEinsum(const Site& site) {
  AXLE_ASSIGN(Labels labels, LabelsOf(site, false));
  AXLE_TRY(CheckLabels(site, labels.lhs, site.operand(0)->shape()));
  AXLE_TRY(CheckLabels(site, labels.rhs, site.operand(1)->shape()));
  AXLE_ASSIGN(Instruction* const lhs,
              SumOthers(site, site.operand(0), labels.lhs, labels.rhs + labels.result));
  AXLE_ASSIGN(Instruction* const rhs,
              SumOthers(site, site.operand(1), labels.rhs, labels.lhs + labels.result));
  DotAttrs attrs;
  AXLE_ASSIGN(attrs.operand_precision, PrecisionOf(site));
  std::string batch, lhs_free, rhs_free;
  for (size_t d = 0; d < labels.lhs.size(); ++d) {
    const size_t other = labels.rhs.find(labels.lhs[d]);
    if (other == labels.rhs.npos) {
      lhs_free += labels.lhs[d];
    } else if (labels.result.find(labels.lhs[d]) != labels.result.npos) {
      batch += labels.lhs[d];
      attrs.lhs_batch_dims.push_back(static_cast<i64>(d));
      attrs.rhs_batch_dims.push_back(static_cast<i64>(other));
    } else {
      attrs.lhs_contracting_dims.push_back(static_cast<i64>(d));
      attrs.rhs_contracting_dims.push_back(static_cast<i64>(other));
    }
  }
  for (const char label : labels.rhs) {
    if (labels.lhs.find(label) == labels.lhs.npos) rhs_free += label;
  }
  Shape shape(mlir::ElementOf(site.result_type()));
  for (const char label : batch + lhs_free + rhs_free) {
    const size_t in_lhs = labels.lhs.find(label);
    shape.AppendDim(in_lhs != labels.lhs.npos
                        ? lhs->shape().dim(static_cast<i64>(in_lhs))
                        : rhs->shape().dim(static_cast<i64>(labels.rhs.find(label))));
  }
  AXLE_ASSIGN(Instruction* const product,
              site.Add(Opcode::kDot, {lhs, rhs}, std::move(attrs), {}, shape));
  return site.Return(InOrder(site, product, batch + lhs_free + rhs_free, labels.result));
}

namespace {

// One side's labels from the numbers of its dimensions: "b01f".
StatusOr<std::string> SideLabels(const Site& site, const std::string& side, char first,
                                 std::string_view first_name, char second,
                                 std::string_view second_name, i64 rank) {
  std::string labels(static_cast<size_t>(rank), '?');
  const auto place = [&](i64 dimension, char label) -> Status {
    if (dimension < 0 || dimension >= rank || labels[static_cast<size_t>(dimension)] != '?') {
      return site.Error(
          StrCat("the ", side, " dimensions are not each of 0 to ", rank - 1, " once"));
    }
    labels[static_cast<size_t>(dimension)] = label;
    return {};
  };
  AXLE_ASSIGN(const i64 a, site.Int(first_name));
  AXLE_ASSIGN(const i64 b, site.Int(second_name));
  AXLE_ASSIGN(const Dims spatial, site.Ints(StrCat(side, "_spatial_dimensions")));
  AXLE_TRY(place(a, first));
  AXLE_TRY(place(b, second));
  if (spatial.size() > 10) {
    return site.Error("more than 10 spatial dimensions", StatusCode::kUnimplemented);
  }
  for (size_t i = 0; i < spatial.size(); ++i) {
    AXLE_TRY(place(spatial[i], static_cast<char>('0' + i)));
  }
  if (labels.find('?') != labels.npos) {
    return site.Error(StrCat("the ", side, " dimensions are not each of 0 to ", rank - 1, " once"));
  }
  return labels;
}

}  // namespace

Status ConvertConvolution(const Site& site) {
  AXLE_ASSIGN(const Dims spatial, site.Ints("kernel_spatial_dimensions"));
  AXLE_ASSIGN(const auto padding, site.Pairs("padding", static_cast<i64>(spatial.size())));
  return ConvolutionWith(site, padding);
}

Status ConvolutionWith(const Site& site, const std::vector<std::pair<i64, i64>>& padding) {
  ConvolutionAttrs attrs;
  AXLE_ASSIGN(attrs.dim_labels.lhs,
              SideLabels(site, "input", 'b', "input_batch_dimension", 'f',
                         "input_feature_dimension", site.operand(0)->shape().rank()));
  AXLE_ASSIGN(attrs.dim_labels.rhs,
              SideLabels(site, "kernel", 'i', "kernel_input_feature_dimension", 'o',
                         "kernel_output_feature_dimension", site.operand(1)->shape().rank()));
  AXLE_ASSIGN(attrs.dim_labels.output,
              SideLabels(site, "output", 'b', "output_batch_dimension", 'f',
                         "output_feature_dimension", site.operand(0)->shape().rank()));
  AXLE_ASSIGN(const Dims spatial, site.Ints("kernel_spatial_dimensions"));
  const size_t n = spatial.size();
  AXLE_ASSIGN(const Dims strides, site.WindowInts("window_strides", n, 1));
  AXLE_ASSIGN(const Dims base, site.WindowInts("lhs_dilation", n, 1));
  AXLE_ASSIGN(const Dims dilation, site.WindowInts("rhs_dilation", n, 1));
  AXLE_ASSIGN(const Dims reversal, site.WindowInts("window_reversal", n, 0));
  for (size_t d = 0; d < n; ++d) {
    attrs.window.push_back({.size = site.operand(1)->shape().dim(spatial[d]),
                            .stride = strides[d],
                            .pad_low = padding[d].first,
                            .pad_high = padding[d].second,
                            .base_dilation = base[d],
                            .window_dilation = dilation[d],
                            .reversal = reversal[d] != 0});
  }
  AXLE_ASSIGN(attrs.feature_group_count, site.Int("feature_group_count"));
  AXLE_ASSIGN(attrs.batch_group_count, site.Int("batch_group_count"));
  AXLE_ASSIGN(attrs.operand_precision, PrecisionOf(site));
  return site.Return(
      site.AddOfResultType(Opcode::kConvolution, site.operands(0, 2), std::move(attrs)));
}

}  // namespace axle::stablehlo

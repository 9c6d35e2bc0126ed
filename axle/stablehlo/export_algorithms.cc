// Products, and operations with an algorithm of their own.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attr_kinds.h"
#include "axle/stablehlo/export_functions.h"

namespace axle::stablehlo {
namespace {

// One entry for each operand; absent where all are the default.
const mlir::Attribute* PrecisionConfig(const Spot& spot, const OperandPrecision& precision) {
  if (precision.empty()) return nullptr;
  std::vector<const mlir::Attribute*> entries;
  for (const Precision p : precision) {
    entries.push_back(
        MakeEnum(spot.tree(), "precision", mlir::EnumValues("precision")[static_cast<size_t>(p)]));
  }
  return MakeArray(spot.tree(), entries);
}

// The seven attributes of an algorithm. Its name says them: dot_bf16_bf16_f32_x3 multiplies two
// bf16 into an f32, with three products; any_f8 is the operand's type.
void AddAlgorithm(const Spot& spot, DotAlgorithm algorithm, Attributes& attributes) {
  std::string name = AttrTraits<DotAlgorithm>::Print(algorithm);
  const auto take = [&](std::string_view end) {
    const bool has = name.ends_with(end);
    if (has) name.resize(name.size() - end.size());
    return has;
  };
  const bool imprecise = take("_fast_accum");
  i64 products = 1;
  if (const size_t x = name.rfind("_x"); x != name.npos) {
    products = name[x + 2] - '0';
    name.resize(x);
  }
  // What is left is dot and three types.
  name.erase(0, name.find('_'));
  const auto type = [&](const Shape* operand) {
    const size_t any = name.rfind("_any_f8");
    const bool is_any = operand != nullptr && any != name.npos && any + 7 == name.size();
    const size_t begin = is_any ? any : name.rfind('_');
    const ElementType element =
        is_any ? operand->type() : ElementTypeFromName(std::string_view(name).substr(begin + 1));
    const mlir::Type* made =
        element == PRIMITIVE_TYPE_INVALID
            ? spot.tree().Get({.kind = mlir::TypeKind::kOther, .text = name.substr(begin + 1)})
            : spot.tree().Element(element);
    name.resize(begin);
    return MakeType(spot.tree(), made);
  };
  const mlir::Attribute* accumulation = type(nullptr);
  const mlir::Attribute* rhs = type(&spot.inst().operand(1)->shape());
  const mlir::Attribute* lhs = type(&spot.inst().operand(0)->shape());
  attributes.Add("lhs_precision_type", lhs)
      .Add("rhs_precision_type", rhs)
      .Add("accumulation_type", accumulation)
      .Int("lhs_component_count", 1)
      .Int("rhs_component_count", 1)
      .Int("num_primitive_operations", products)
      .Bool("allow_imprecise_accumulation", imprecise);
}

}  // namespace

StatusOr<Bundle*> ExportDot(const Spot& spot) {
  const DotAttrs& dot = spot.inst().attrs<DotAttrs>();
  if (dot.sparsity_config != SparsityConfig() || !dot.sparsity.empty()) {
    return spot.Unsupported("StableHLO has no sparse operands; use dense ones");
  }
  Attributes attributes = spot.attributes();
  attributes.Ints("lhs_batching_dimensions", dot.lhs_batch_dims)
      .Ints("lhs_contracting_dimensions", dot.lhs_contracting_dims)
      .Ints("rhs_batching_dimensions", dot.rhs_batch_dims)
      .Ints("rhs_contracting_dimensions", dot.rhs_contracting_dims)
      .Add("precision_config", PrecisionConfig(spot, dot.operand_precision));
  if (dot.algorithm != DotAlgorithm::kUnset) AddAlgorithm(spot, dot.algorithm, attributes);
  return spot.AddResult("stablehlo.dot_general", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportRaggedDot(const Spot& spot) {
  const RaggedDotAttrs& dot = spot.inst().attrs<RaggedDotAttrs>();
  if (dot.algorithm != DotAlgorithm::kUnset) {
    return spot.Unsupported("CHLO's ragged_dot has no algorithm; leave it out");
  }
  Attributes attributes = spot.attributes();
  attributes.Ints("lhs_batching_dimensions", dot.lhs_batch_dims)
      .Ints("rhs_batching_dimensions", dot.rhs_batch_dims)
      .Ints("lhs_contracting_dimensions", dot.lhs_contracting_dims)
      .Ints("rhs_contracting_dimensions", dot.rhs_contracting_dims)
      .Ints("lhs_ragged_dimensions", dot.lhs_ragged_dims)
      .Ints("rhs_group_dimensions", dot.rhs_group_dims)
      .Add("precision_config", PrecisionConfig(spot, dot.operand_precision));
  return spot.AddResult("chlo.ragged_dot", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportConvolution(const Spot& spot) {
  const ConvolutionAttrs& conv = spot.inst().attrs<ConvolutionAttrs>();
  const ConvolutionDimensionNumbers& labels = conv.dim_labels;
  const size_t n = conv.window.size();
  if (conv.sparsity_config != SparsityConfig() || conv.algorithm != DotAlgorithm::kUnset) {
    return spot.Unsupported("StableHLO's convolution has no algorithm and no sparse operands");
  }
  for (const auto& spatial : {labels.input_spatial_dimensions(), labels.kernel_spatial_dimensions(),
                              labels.output_spatial_dimensions()}) {
    if (spatial.size() != n) {
      return spot.Unsupported("dim_labels leave dimensions without a role; reshape them away");
    }
  }
  Dims strides, padding, lhs_dilation, rhs_dilation;
  std::vector<bool> reversal;
  for (const WindowDim& d : conv.window) {
    strides.push_back(d.stride);
    padding.push_back(d.pad_low);
    padding.push_back(d.pad_high);
    lhs_dilation.push_back(d.base_dilation);
    rhs_dilation.push_back(d.window_dilation);
    reversal.push_back(d.reversal);
  }
  Attributes attributes = spot.attributes();
  attributes.Int("input_batch_dimension", labels.input_batch_dimension())
      .Int("input_feature_dimension", labels.input_feature_dimension())
      .Ints("input_spatial_dimensions", labels.input_spatial_dimensions())
      .Int("kernel_input_feature_dimension", labels.kernel_input_feature_dimension())
      .Int("kernel_output_feature_dimension", labels.kernel_output_feature_dimension())
      .Ints("kernel_spatial_dimensions", labels.kernel_spatial_dimensions())
      .Int("output_batch_dimension", labels.output_batch_dimension())
      .Int("output_feature_dimension", labels.output_feature_dimension())
      .Ints("output_spatial_dimensions", labels.output_spatial_dimensions())
      .Ints("window_strides", strides)
      .Matrix("padding", static_cast<i64>(n), 2, padding)
      .Ints("lhs_dilation", lhs_dilation)
      .Ints("rhs_dilation", rhs_dilation)
      .Bools("window_reversal", reversal)
      .Int("feature_group_count", conv.feature_group_count)
      .Int("batch_group_count", conv.batch_group_count)
      .Add("precision_config", PrecisionConfig(spot, conv.operand_precision));
  // Operands of different types are converted to that of the result, here as in the operation
  // itself: StableHLO multiplies elements of one type.
  Values operands = spot.operands();
  const ElementType type = spot.inst().shape().type();
  const bool mixed =
      spot.inst().operand(0)->shape().type() != spot.inst().operand(1)->shape().type();
  for (i64 i = 0; mixed && i < 2; ++i) {
    const Shape& shape = spot.inst().operand(i)->shape();
    if (shape.type() == type) continue;
    mlir::Value*& operand = operands[static_cast<size_t>(i)];
    operand = spot.AddValue("stablehlo.convert", {operand}, shape.WithType(type));
  }
  return spot.AddResult("stablehlo.convolution", operands, std::move(attributes));
}

StatusOr<Bundle*> ExportBatchNorm(const Spot& spot) {
  const BatchNormAttrs& norm = spot.inst().attrs<BatchNormAttrs>();
  std::string name(spot.text());
  std::ranges::replace(name, '-', '_');
  Attributes attributes = spot.attributes();
  attributes
      .Add("epsilon", spot.tree().NewAttribute({.kind = mlir::AttributeKind::kFloat,
                                                .type = spot.tree().Element(F32),
                                                .number = static_cast<double>(norm.epsilon)}))
      .Int("feature_index", norm.feature_index);
  return spot.AddResult(StrCat("stablehlo.", name), spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportCholesky(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Bool("lower", spot.inst().attrs<CholeskyAttrs>().lower);
  return spot.AddResult("stablehlo.cholesky", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportTriangularSolve(const Spot& spot) {
  const TriangularSolveAttrs& solve = spot.inst().attrs<TriangularSolveAttrs>();
  Attributes attributes = spot.attributes();
  attributes.Bool("left_side", solve.left_side)
      .Bool("lower", solve.lower)
      .Bool("unit_diagonal", solve.unit_diagonal)
      .Enum("transpose_a", "transpose", static_cast<size_t>(solve.transpose_a));
  return spot.AddResult("stablehlo.triangular_solve", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportFft(const Spot& spot) {
  const FftAttrs& fft = spot.inst().attrs<FftAttrs>();
  Attributes attributes = spot.attributes();
  attributes.Enum("fft_type", "fft_type", static_cast<size_t>(fft.fft_type))
      .Ints("fft_length", fft.fft_length);
  return spot.AddResult("stablehlo.fft", spot.operands(), std::move(attributes));
}

// The shape is an operand, too.
StatusOr<Bundle*> ExportRng(const Spot& spot) {
  const RandomDistribution distribution = spot.inst().attrs<RngAttrs>().distribution;
  const Shape& shape = spot.inst().shape();
  if (distribution == RandomDistribution::kInvalid) {
    return spot.Unsupported("it has no distribution; state one");
  }
  if (!shape.is_static()) return spot.Unsupported("its sizes are not constants; use static ones");
  Attributes sizes = spot.attributes();
  sizes.Add("value",
            MakeElements(spot.tree(), Literal::Array<i64>(S64, {shape.rank()}, shape.dims())));
  Values operands = spot.operands();
  operands.push_back(
      spot.AddValue("stablehlo.constant", {}, Shape(S64, {shape.rank()}), std::move(sizes)));
  Attributes attributes = spot.attributes();
  attributes.Enum("rng_distribution", "rng_distribution",
                  distribution == RandomDistribution::kUniform ? 0 : 1);
  return spot.AddResult("stablehlo.rng", operands, std::move(attributes));
}

StatusOr<Bundle*> ExportRngBitGenerator(const Spot& spot) {
  if (!spot.inst().shape().is_tuple()) {
    return spot.Unsupported("the result is a pair of the new state and the bits");
  }
  Attributes attributes = spot.attributes();
  attributes.Enum("rng_algorithm", "rng_algorithm",
                  static_cast<size_t>(spot.inst().attrs<RngBitGeneratorAttrs>().algorithm));
  return spot.AddResult("stablehlo.rng_bit_generator", spot.operands(), std::move(attributes));
}

}  // namespace axle::stablehlo

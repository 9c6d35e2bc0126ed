// Operations with an algorithm of their own: random numbers, transforms, linear algebra.
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {

Status ConvertBatchNorm(const Site& site) {
  const mlir::Attribute* epsilon = site.Find("epsilon");
  if (epsilon == nullptr || epsilon->kind != mlir::AttributeKind::kFloat) {
    return site.Error("attribute \"epsilon\" is a number");
  }
  AXLE_ASSIGN(const i64 feature_index, site.Int("feature_index"));
  const BatchNormAttrs attrs{static_cast<float>(epsilon->number), feature_index};
  const std::string_view name = site.op().name;
  const Opcode opcode = name.ends_with("training")    ? Opcode::kBatchNormTraining
                        : name.ends_with("inference") ? Opcode::kBatchNormInference
                                                      : Opcode::kBatchNormGrad;
  return site.ReturnAll(site.Add(opcode, site.operands(), attrs));
}

Status ConvertCholesky(const Site& site) {
  AXLE_ASSIGN(const bool lower, site.Bool("lower", false));
  return site.Return(site.Add(Opcode::kCholesky, site.operands(), CholeskyAttrs{lower}));
}

Status ConvertTriangularSolve(const Site& site) {
  TriangularSolveAttrs attrs;
  AXLE_ASSIGN(attrs.left_side, site.Bool("left_side", false));
  AXLE_ASSIGN(attrs.lower, site.Bool("lower", false));
  AXLE_ASSIGN(attrs.unit_diagonal, site.Bool("unit_diagonal", false));
  AXLE_ASSIGN(const size_t transpose, site.Enum("transpose_a", "transpose"));
  attrs.transpose_a = static_cast<TransposeOption>(transpose);
  return site.Return(site.Add(Opcode::kTriangularSolve, site.operands(), attrs));
}

Status ConvertFft(const Site& site) {
  FftAttrs attrs;
  AXLE_ASSIGN(const size_t type, site.Enum("fft_type", "fft_type"));
  attrs.fft_type = static_cast<FftType>(type);
  AXLE_ASSIGN(attrs.fft_length, site.Ints("fft_length"));
  return site.Return(site.Add(Opcode::kFft, site.operands(), std::move(attrs)));
}

// The third operand is the shape, which the type of the result says again.
Status ConvertRng(const Site& site) {
  AXLE_ASSIGN(const size_t distribution, site.Enum("rng_distribution", "rng_distribution"));
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  const RngAttrs attrs{distribution == 0 ? RandomDistribution::kUniform
                                         : RandomDistribution::kNormal};
  return site.Return(site.Add(Opcode::kRng, site.operands(0, 2), attrs, {}, shape));
}

Status ConvertRngBitGenerator(const Site& site) {
  AXLE_ASSIGN(const size_t algorithm, site.Enum("rng_algorithm", "rng_algorithm"));
  AXLE_ASSIGN(const Shape shape, site.TupleOfResults());
  return site.ReturnAll(site.Add(Opcode::kRngBitGenerator, site.operands(),
                                 RngBitGeneratorAttrs{static_cast<RandomAlgorithm>(algorithm)}, {},
                                 shape));
}

}  // namespace axle::stablehlo

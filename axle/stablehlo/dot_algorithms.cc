#include "axle/stablehlo/dot_algorithms.h"

#include "axle/core/strings.h"

namespace axle::stablehlo {
namespace {

struct Algorithm {
  ElementType lhs, rhs, accumulation;
  i64 products;
  bool imprecise;
  DotAlgorithm value;
};
// Any f8 type stands for all of them; the TF32 of MLIR is no type of HLO.
constexpr ElementType kTf32 = PRIMITIVE_TYPE_INVALID;
constexpr Algorithm kAlgorithms[] = {
    {F16, F16, F16, 1, false, DotAlgorithm::kDotF16F16F16},
    {F16, F16, F32, 1, false, DotAlgorithm::kDotF16F16F32},
    {BF16, BF16, BF16, 1, false, DotAlgorithm::kDotBF16BF16BF16},
    {BF16, BF16, F32, 1, false, DotAlgorithm::kDotBF16BF16F32},
    {BF16, BF16, F32, 3, false, DotAlgorithm::kDotBF16BF16F32X3},
    {BF16, BF16, F32, 6, false, DotAlgorithm::kDotBF16BF16F32X6},
    {BF16, BF16, F32, 9, false, DotAlgorithm::kDotBF16BF16F32X9},
    {kTf32, kTf32, F32, 1, false, DotAlgorithm::kDotTF32TF32F32},
    {kTf32, kTf32, F32, 3, false, DotAlgorithm::kDotTF32TF32F32X3},
    {F32, F32, F32, 1, false, DotAlgorithm::kDotF32F32F32},
    {F64, F64, F64, 1, false, DotAlgorithm::kDotF64F64F64},
};

bool IsEightBits(ElementType type) {
  return IsFloating(type) && Info(type).bits == 8;
}

}  // namespace

std::optional<DotAlgorithm> FindDotAlgorithm(const DotAlgorithmFacts& facts) {
  if (facts.lhs_count != 1 || facts.rhs_count != 1) return std::nullopt;
  const ElementType lhs = mlir::ElementOf(*facts.lhs), rhs = mlir::ElementOf(*facts.rhs);
  const ElementType sum = mlir::ElementOf(*facts.accumulation);
  for (const Algorithm& known : kAlgorithms) {
    if (known.lhs == lhs && known.rhs == rhs && known.accumulation == sum &&
        known.products == facts.products && known.imprecise == facts.imprecise) {
      return known.value;
    }
  }
  if (!IsEightBits(lhs) || !IsEightBits(rhs) || sum != F32 || facts.products != 1) {
    return std::nullopt;
  }
  return facts.imprecise ? DotAlgorithm::kDotAnyF8AnyF8F32FastAccum
                         : DotAlgorithm::kDotAnyF8AnyF8F32;
}

std::string UnknownDotAlgorithm(const DotAlgorithmFacts& facts) {
  return StrCat("no algorithm of HLO multiplies ", facts.lhs->ToString(), " and ",
                facts.rhs->ToString(), " into ", facts.accumulation->ToString(), " with ",
                facts.products, " products of ", facts.lhs_count, " and ", facts.rhs_count,
                " components");
}

}  // namespace axle::stablehlo

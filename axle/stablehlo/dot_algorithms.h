// The algorithms of dot_general: what its attributes say together, and which of HLO that is.
#pragma once
#include <optional>
#include <string>

#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::stablehlo {

// The seven attributes of an algorithm.
struct DotAlgorithmFacts {
  const mlir::Type* lhs = nullptr;
  const mlir::Type* rhs = nullptr;
  const mlir::Type* accumulation = nullptr;
  i64 lhs_count = 1, rhs_count = 1;  // of components
  i64 products = 1;
  bool imprecise = false;
};

// Nothing if HLO has no such algorithm.
std::optional<DotAlgorithm> FindDotAlgorithm(const DotAlgorithmFacts& facts);
// What to say then.
std::string UnknownDotAlgorithm(const DotAlgorithmFacts& facts);

}  // namespace axle::stablehlo

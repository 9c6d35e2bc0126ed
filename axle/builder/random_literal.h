// LiteralUtil::CreateRandomLiteral, in a header of its own because <random> is large.
#pragma once
#include <random>

#include "axle/builder/literal_util.h"

namespace axle {

// It is documented in literal_util.h.
template <PrimitiveType kType, typename Engine, typename T>
StatusOr<Literal> LiteralUtil::CreateRandomLiteral(const Shape& shape, Engine* engine, T mean,
                                                   T stddev) {
  std::normal_distribution<double> draw(static_cast<double>(mean), static_cast<double>(stddev));
  return CreateLiteral<kType>(shape, [&](std::span<const i64>) { return draw(*engine); });
}

// It is documented in literal_util.h.
template <PrimitiveType kType, typename T>
StatusOr<Literal> LiteralUtil::CreateRandomLiteral(const Shape& shape, T mean, T stddev) {
  std::minstd_rand0 engine;
  return CreateRandomLiteral<kType>(shape, &engine, mean, stddev);
}

}  // namespace axle

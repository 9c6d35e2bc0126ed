// A fixture for tests of linear algebra in the four types: random and special matrices, products,
// distances.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "axle/linalg/householder.h"

namespace axle {

template <typename T>
struct OwnedMatrix {
  std::vector<T> values;
  i64 rows, columns;
  OwnedMatrix(i64 rows, i64 columns) : values(rows * columns), rows(rows), columns(columns) {}
  Matrix<T> view() { return {values.data(), rows, columns}; }
  T& operator()(i64 i, i64 j) { return values[i * columns + j]; }
};

template <typename T>
class MatrixTest : public testing::Test {
 protected:
  using P = PartType<T>;
  static constexpr P kEpsilon = std::numeric_limits<P>::epsilon();

  using Owned = OwnedMatrix<T>;

  Owned Random(i64 rows, i64 columns) {
    Owned a(rows, columns);
    std::uniform_real_distribution<P> part(-1, 1);
    for (T& x : a.values) {
      if constexpr (kIsComplexScalar<T>) {
        x = T(part(random_), part(random_));
      } else {
        x = part(random_);
      }
    }
    return a;
  }
  static Owned Product(Owned& a, Owned& b) {
    Owned c(a.rows, b.columns);
    for (i64 i = 0; i < a.rows; ++i) {
      for (i64 k = 0; k < a.columns; ++k) {
        for (i64 j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
      }
    }
    return c;
  }
  static Owned AdjointOf(Owned& a) {
    Owned b(a.columns, a.rows);
    for (i64 i = 0; i < a.rows; ++i) {
      for (i64 j = 0; j < a.columns; ++j) b(j, i) = Conjugate(a(i, j));
    }
    return b;
  }
  static P Distance(Owned& a, Owned& b) {
    P largest = 0;
    for (size_t i = 0; i < a.values.size(); ++i) {
      const P part = LargestPart(a.values[i] - b.values[i]);
      largest = part > largest || part != part ? part : largest;
    }
    return largest;
  }
  // q^H q is the unit matrix.
  static void ExpectOrthonormal(Owned& q, P scale) {
    Owned adjoint = AdjointOf(q), product = Product(adjoint, q), unit(q.columns, q.columns);
    SetIdentity(unit.view());
    EXPECT_LE(Distance(product, unit), 20 * kEpsilon * scale);
  }
  // Square matrices that algorithms for eigenvalues find hard, with elements of about 1.
  std::vector<Owned> SpecialSquares(i64 n) {
    std::vector<Owned> all(9, Owned(n, n));
    SetIdentity(all[1].view());
    for (i64 i = 0; i < n; ++i) {
      all[2](i, (i + 1) % n) = 1;           // eigenvalues on the unit circle
      if (i + 1 < n) all[3](i, i + 1) = 1;  // one Jordan block
      all[4](i, i) = 2;                     // another, from below
      if (i > 0) all[4](i, i - 1) = 1;
      for (i64 j = 0; j < n; ++j) {
        all[5](i, j) = 1;
        all[6](i, j) = T(static_cast<P>((i + 2 * j) % 3) - 1);
        all[7](i, j) = i + j + 1 == n ? T(1) : T();
      }
    }
    all[8] = Random(n, n);
    for (i64 i = 0; i < n; ++i) {  // badly balanced
      for (i64 j = 0; j < n; ++j) all[8](i, j) = Scale(all[8](i, j), i > j ? P(1e-4) : P(1));
    }
    return all;
  }

  std::mt19937_64 random_{7};
};

using MatrixScalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;

}  // namespace axle

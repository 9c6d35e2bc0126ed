// Factorisations on random and special matrices: what they are defined by holds to a few roundings.
#include "axle/ops/factorization.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace axle {
namespace {

template <typename T>
class FactorizationTest : public testing::Test {
 protected:
  using P = PartType<T>;
  static constexpr P kEpsilon = std::numeric_limits<P>::epsilon();

  struct Owned {
    std::vector<T> values;
    i64 rows, columns;
    Owned(i64 rows, i64 columns) : values(rows * columns), rows(rows), columns(columns) {}
    Matrix<T> view() { return {values.data(), rows, columns}; }
    T& operator()(i64 i, i64 j) { return values[i * columns + j]; }
  };

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

  std::mt19937_64 random_{7};
};

using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FactorizationTest, Scalars);

TYPED_TEST(FactorizationTest, LuGivesTheMatrixBack) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<i64, i64>>{{1, 1}, {5, 5}, {7, 3}, {3, 7}, {40, 40}}) {
    auto a = this->Random(rows, columns), lu = a;
    const i64 k = std::min(rows, columns);
    std::vector<i64> pivots(k);
    i64 failed = 0;
    ASSERT_TRUE(LuFactor(lu.view(), pivots.data(), nullptr, failed).ok());
    EXPECT_EQ(failed, -1);
    typename TestFixture::Owned lower(rows, k), upper(k, columns);
    for (i64 i = 0; i < rows; ++i) {
      for (i64 j = 0; j < columns; ++j) {
        if (j < i && j < k) lower(i, j) = lu(i, j);
        if (j >= i && i < k) upper(i, j) = lu(i, j);
        if (i == j) lower(i, j) = 1;
        if (j < i && j < k) {
          EXPECT_LE(AbsoluteValue(lu(i, j)), 1.5);
        }
      }
    }
    for (i64 i = 0; i < k; ++i) {
      for (i64 j = 0; j < columns; ++j) std::swap(a(i, j), a(pivots[i], j));
    }
    auto product = this->Product(lower, upper);
    EXPECT_LE(this->Distance(product, a), 20 * rows * this->kEpsilon);
  }
}

TYPED_TEST(FactorizationTest, LuOfASingularMatrixSaysWhere) {
  typename TestFixture::Owned a(3, 3);
  a(0, 0) = 2;
  a(2, 2) = 3;
  std::vector<i64> pivots(3);
  i64 failed = -1;
  ASSERT_TRUE(LuFactor(a.view(), pivots.data(), nullptr, failed).ok());
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(pivots, (std::vector<i64>{0, 1, 2}));
}

TYPED_TEST(FactorizationTest, QrGivesTheMatrixBack) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<i64, i64>>{{1, 1}, {2, 2}, {5, 5}, {9, 4}, {4, 9}, {40, 30}}) {
    auto a = this->Random(rows, columns), packed = a;
    std::vector<TypeParam> taus(std::min(rows, columns));
    ASSERT_TRUE(QrFactor(packed.view(), taus.data(), nullptr).ok());
    typename TestFixture::Owned q(rows, rows), r(rows, columns);
    SetIdentity(q.view());
    ASSERT_TRUE(
        ApplyQ(packed.view(), taus.data(), static_cast<i64>(taus.size()), q.view(), nullptr).ok());
    for (i64 i = 0; i < rows; ++i) {
      for (i64 j = i; j < columns; ++j) r(i, j) = packed(i, j);
      if (i < columns) {
        EXPECT_EQ(ImaginaryPart(packed(i, i)), 0) << "R has a real diagonal";
      }
    }
    this->ExpectOrthonormal(q, rows);
    auto product = this->Product(q, r);
    EXPECT_LE(this->Distance(product, a), 20 * rows * this->kEpsilon);
  }
}

TYPED_TEST(FactorizationTest, ReflectorsOfHugeAndTinyColumns) {
  using P = PartType<TypeParam>;
  for (P scale : {std::numeric_limits<P>::max() / 16, std::numeric_limits<P>::min() * 16}) {
    typename TestFixture::Owned a(2, 1);
    a(0, 0) = TypeParam(3 * scale);
    a(1, 0) = TypeParam(4 * scale);
    TypeParam tau;
    ASSERT_TRUE(QrFactor(a.view(), &tau, nullptr).ok());
    EXPECT_NEAR(static_cast<double>(RealPart(a(0, 0)) / scale), -5, 1e-5);
    EXPECT_NEAR(static_cast<double>(RealPart(a(1, 0))), 0.5, 1e-5);
  }
}

TYPED_TEST(FactorizationTest, EigenvectorsDiagonalise) {
  using P = PartType<TypeParam>;
  for (i64 n : {1, 2, 3, 10, 40}) {
    auto b = this->Random(n, n);
    typename TestFixture::Owned a(n, n);
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j < n; ++j) a(i, j) = b(i, j) + Conjugate(b(j, i));
    }
    auto used = a;
    typename TestFixture::Owned vectors(n, n), scaled(n, n);
    std::vector<P> values(n);
    bool converged = false;
    ASSERT_TRUE(
        HermitianEigen(used.view(), values.data(), vectors.view(), nullptr, converged).ok());
    EXPECT_TRUE(converged);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    // Rows are eigenvectors: a = sum of value v v^H.
    typename TestFixture::Owned v(n, n);
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j < n; ++j) {
        v(j, i) = vectors(i, j);
        scaled(j, i) = Scale(vectors(i, j), values[i]);
      }
    }
    this->ExpectOrthonormal(v, n);
    auto adjoint = this->AdjointOf(v), product = this->Product(scaled, adjoint);
    EXPECT_LE(this->Distance(product, a), 30 * n * this->kEpsilon);
  }
}

TYPED_TEST(FactorizationTest, EigenvaluesOfSpecialMatrices) {
  using P = PartType<TypeParam>;
  bool converged = false;
  {  // all equal, zero, huge
    for (P scale : {P(0), P(1), std::numeric_limits<P>::max() / 8, std::numeric_limits<P>::min()}) {
      typename TestFixture::Owned a(3, 3), vectors(3, 3);
      for (TypeParam& x : a.values) x = TypeParam(scale);
      std::vector<P> values(3);
      ASSERT_TRUE(HermitianEigen(a.view(), values.data(), vectors.view(), nullptr, converged).ok());
      EXPECT_TRUE(converged);
      EXPECT_LE(Magnitude(values[2] - 3 * scale), 10 * this->kEpsilon * scale);
      this->ExpectOrthonormal(vectors, 3);
    }
  }
  typename TestFixture::Owned a(2, 2), vectors(2, 2);
  a(1, 0) = std::numeric_limits<P>::quiet_NaN();
  std::vector<P> values(2);
  ASSERT_TRUE(HermitianEigen(a.view(), values.data(), vectors.view(), nullptr, converged).ok());
  EXPECT_TRUE(values[0] != values[0] && HasNan(vectors(0, 0)));
}

TYPED_TEST(FactorizationTest, SingularValues) {
  using P = PartType<TypeParam>;
  for (const auto& [rows, n, rank] : std::vector<std::array<i64, 3>>{
           {1, 1, 1}, {3, 3, 3}, {7, 3, 3}, {12, 8, 8}, {40, 40, 40}, {9, 6, 4}, {5, 5, 0}}) {
    auto left = this->Random(rows, std::max<i64>(rank, 1));
    auto right = this->Random(std::max<i64>(rank, 1), n);
    auto a = this->Product(left, right);
    if (rank == 0) std::fill(a.values.begin(), a.values.end(), TypeParam());
    for (i64 u_columns : {n, rows}) {
      auto used = a;
      typename TestFixture::Owned u(rows, u_columns), vh(n, n), scaled(rows, n);
      std::vector<P> values(n);
      bool converged = false;
      ASSERT_TRUE(
          TallSvd(used.view(), values.data(), u.view(), vh.view(), nullptr, converged).ok());
      EXPECT_TRUE(converged);
      EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
      if (rank < n) {
        EXPECT_LE(values[rank], 30 * n * this->kEpsilon);
      }
      for (i64 i = 0; i < rows; ++i) {
        for (i64 j = 0; j < n; ++j) scaled(i, j) = Scale(u(i, j), values[j]);
      }
      this->ExpectOrthonormal(u, rows);
      auto v = this->AdjointOf(vh);
      this->ExpectOrthonormal(v, n);
      auto product = this->Product(scaled, vh);
      EXPECT_LE(this->Distance(product, a), 100 * rows * this->kEpsilon);
    }
  }
}

TYPED_TEST(FactorizationTest, CholeskyAndSolvesInvert) {
  for (i64 n : {1, 4, 30}) {
    auto b = this->Random(n, n);
    auto adjoint = this->AdjointOf(b), a = this->Product(b, adjoint);
    for (i64 i = 0; i < n; ++i) a(i, i) += TypeParam(1);
    auto lower = a;
    i64 failed = 0;
    ASSERT_TRUE(CholeskyLower(lower.view(), nullptr, failed).ok());
    EXPECT_EQ(failed, -1);
    ClearTriangle(lower.view(), /*above=*/true);
    auto upper = this->AdjointOf(lower), product = this->Product(lower, upper);
    EXPECT_LE(this->Distance(product, a), 20 * n * n * this->kEpsilon);
    auto x = this->Random(n, 3), right = this->Product(lower, x);
    std::vector<TypeParam> copy;
    ASSERT_TRUE(SolveTriangular(lower.values.data(), MatrixForm::kAsIs, /*left=*/true,
                                /*lower=*/true, /*unit_diagonal=*/false, right.view(), copy,
                                nullptr)
                    .ok());
    EXPECT_LE(this->Distance(right, x), 200 * n * n * this->kEpsilon);
  }
}

}  // namespace
}  // namespace axle

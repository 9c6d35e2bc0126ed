// Factorisations on random and special matrices: what they are defined by holds to a few roundings.
#include "axle/linalg/factorization.h"

#include "tests/ops/matrix_test.h"

namespace axle {
namespace {

template <typename T>
class FactorizationTest : public MatrixTest<T> {};
TYPED_TEST_SUITE(FactorizationTest, MatrixScalars);

TYPED_TEST(FactorizationTest, LuGivesTheMatrixBack) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<i64, i64>>{{1, 1}, {5, 5}, {7, 3}, {3, 7}, {40, 40}}) {
    auto a = this->Random(rows, columns), lu = a;
    const i64 k = std::min(rows, columns);
    std::vector<i64> pivots(k);
    i64 failed = 0;
    ASSERT_TRUE(LuFactor(lu.view(), pivots.data(), nullptr, failed).ok());
    EXPECT_EQ(failed, -1);
    OwnedMatrix<TypeParam> lower(rows, k), upper(k, columns);
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
  OwnedMatrix<TypeParam> a(3, 3);
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
    OwnedMatrix<TypeParam> q(rows, rows), r(rows, columns);
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
    OwnedMatrix<TypeParam> a(2, 1);
    a(0, 0) = TypeParam(3 * scale);
    a(1, 0) = TypeParam(4 * scale);
    TypeParam tau;
    ASSERT_TRUE(QrFactor(a.view(), &tau, nullptr).ok());
    EXPECT_NEAR(static_cast<double>(RealPart(a(0, 0)) / scale), -5, 1e-5);
    EXPECT_NEAR(static_cast<double>(RealPart(a(1, 0))), 0.5, 1e-5);
  }
}

TYPED_TEST(FactorizationTest, ReflectionsOfSubnormalColumnsAreUnitary) {
  // All columns are equal, so what is left of them goes down by a factor of epsilon at each step.
  for (i64 n : {9, 40}) {
    OwnedMatrix<TypeParam> a(n, n), q(n, n);
    std::fill(a.values.begin(), a.values.end(), TypeParam(1));
    std::vector<TypeParam> taus(n);
    ASSERT_TRUE(QrFactor(a.view(), taus.data(), nullptr).ok());
    SetIdentity(q.view());
    ASSERT_TRUE(ApplyQ(a.view(), taus.data(), n, q.view(), nullptr).ok());
    this->ExpectOrthonormal(q, n);
  }
}

TYPED_TEST(FactorizationTest, ProductsWithQ) {
  for (const auto& [rows, count] :
       std::vector<std::pair<i64, i64>>{{1, 1}, {4, 4}, {7, 3}, {19, 19}, {20, 0}}) {
    auto packed = this->Random(rows, std::max<i64>(count, 1));
    std::vector<TypeParam> taus(rows);
    ASSERT_TRUE(QrFactor(packed.view(), taus.data(), nullptr).ok());
    OwnedMatrix<TypeParam> q(rows, rows);
    SetIdentity(q.view());
    ASSERT_TRUE(ApplyQ(packed.view(), taus.data(), count, q.view(), nullptr).ok());
    auto adjoint = this->AdjointOf(q), tall = this->Random(rows, 3), wide = this->Random(11, rows);
    for (bool use_adjoint : {false, true}) {
      auto& factor = use_adjoint ? adjoint : q;
      auto left = tall, right = wide;
      ASSERT_TRUE(
          MultiplyByQ(packed.view(), taus.data(), count, true, use_adjoint, left.view(), nullptr)
              .ok());
      ASSERT_TRUE(
          MultiplyByQ(packed.view(), taus.data(), count, false, use_adjoint, right.view(), nullptr)
              .ok());
      auto expected_left = this->Product(factor, tall),
           expected_right = this->Product(wide, factor);
      EXPECT_LE(this->Distance(left, expected_left), 20 * rows * this->kEpsilon);
      EXPECT_LE(this->Distance(right, expected_right), 20 * rows * this->kEpsilon);
    }
  }
}

TYPED_TEST(FactorizationTest, PivotedQrTakesTheLargestColumnThatIsLeft) {
  for (const auto& [rows, columns, rank] : std::vector<std::array<i64, 3>>{
           {1, 1, 1}, {6, 6, 6}, {9, 4, 4}, {4, 9, 4}, {30, 20, 20}, {12, 12, 5}, {5, 7, 0}}) {
    auto left = this->Random(rows, std::max<i64>(rank, 1));
    auto right = this->Random(std::max<i64>(rank, 1), columns);
    auto a = this->Product(left, right);
    if (rank == 0) std::fill(a.values.begin(), a.values.end(), TypeParam());
    for (bool choose : {false, true}) {
      const i64 k = std::min(rows, columns);
      std::vector<std::int32_t> order(columns);
      if (choose) order[columns - 1] = 1;
      std::vector<TypeParam> taus(k);
      auto packed = a;
      ASSERT_TRUE(PivotedQrFactor(packed.view(), order.data(), taus.data(), nullptr).ok());
      if (choose) {
        EXPECT_EQ(order[0], columns);
      }
      OwnedMatrix<TypeParam> q(rows, rows), r(rows, columns), permuted(rows, columns);
      SetIdentity(q.view());
      ASSERT_TRUE(ApplyQ(packed.view(), taus.data(), k, q.view(), nullptr).ok());
      for (i64 j = 0; j < columns; ++j) {
        ASSERT_TRUE(order[j] >= 1 && order[j] <= columns);
        for (i64 i = 0; i < rows; ++i) {
          permuted(i, j) = a(i, order[j] - 1);
          if (i <= j) r(i, j) = packed(i, j);
        }
      }
      this->ExpectOrthonormal(q, rows);
      auto product = this->Product(q, r);
      EXPECT_LE(this->Distance(product, permuted), 20 * rows * columns * this->kEpsilon);
      for (i64 i = choose ? 1 : 0; i < k; ++i) {
        for (i64 j = i + 1; j < columns; ++j) {
          EXPECT_LE(ColumnNorm(Matrix<TypeParam>(r.view().data, k, columns), i, j),
                    AbsoluteValue(r(i, i)) * PartType<TypeParam>(1.001) + 100 * this->kEpsilon);
        }
      }
    }
  }
}

TYPED_TEST(FactorizationTest, EigenvectorsDiagonalise) {
  using P = PartType<TypeParam>;
  for (i64 n : {1, 2, 3, 10, 40}) {
    auto all = this->SpecialSquares(n);
    all.push_back(this->Random(n, n));
    for (auto& b : all) {
      OwnedMatrix<TypeParam> a(n, n);
      for (i64 i = 0; i < n; ++i) {
        for (i64 j = 0; j < n; ++j) a(i, j) = b(i, j) + Conjugate(b(j, i));
      }
      auto used = a;
      OwnedMatrix<TypeParam> vectors(n, n), v(n, n), scaled(n, n);
      std::vector<P> values(n), alone(n);
      bool converged = false;
      ASSERT_TRUE(
          HermitianEigen(used.view(), values.data(), vectors.view(), nullptr, converged).ok());
      EXPECT_TRUE(converged);
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
      used = a;
      ASSERT_TRUE(HermitianEigen(used.view(), alone.data(), Matrix<TypeParam>(nullptr, n, n),
                                 nullptr, converged)
                      .ok());
      EXPECT_EQ(alone, values);
      // Rows are eigenvectors: a = sum of value v v^H.
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
}

TYPED_TEST(FactorizationTest, EigenvaluesOfSpecialMatrices) {
  using P = PartType<TypeParam>;
  bool converged = false;
  {  // all equal, zero, huge
    for (P scale : {P(0), P(1), std::numeric_limits<P>::max() / 8, std::numeric_limits<P>::min()}) {
      OwnedMatrix<TypeParam> a(3, 3), vectors(3, 3);
      for (TypeParam& x : a.values) x = TypeParam(scale);
      std::vector<P> values(3);
      ASSERT_TRUE(HermitianEigen(a.view(), values.data(), vectors.view(), nullptr, converged).ok());
      EXPECT_TRUE(converged);
      EXPECT_LE(Magnitude(values[2] - 3 * scale), 10 * this->kEpsilon * scale);
      this->ExpectOrthonormal(vectors, 3);
    }
  }
  OwnedMatrix<TypeParam> a(2, 2), vectors(2, 2);
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
      OwnedMatrix<TypeParam> u(rows, u_columns), vh(n, n), scaled(rows, n);
      std::vector<P> values(n);
      bool converged = false;
      ASSERT_TRUE(
          TallSvd(used.view(), values.data(), u.view(), vh.view(), nullptr, converged).ok());
      EXPECT_TRUE(converged);
      EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
      used = a;
      std::vector<P> alone(n);
      ASSERT_TRUE(TallSvd(used.view(), alone.data(), Matrix<TypeParam>(nullptr, rows, u_columns),
                          Matrix<TypeParam>(nullptr, n, n), nullptr, converged)
                      .ok());
      EXPECT_EQ(alone, values);
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

TYPED_TEST(FactorizationTest, SingularValuesOfHugeAndGradedMatrices) {
  using P = PartType<TypeParam>;
  constexpr i64 kSize = 20;
  for (int kind = 0; kind < 3; ++kind) {
    auto a = this->Random(kSize, kSize);
    for (i64 i = 0; i < kSize; ++i) {
      for (i64 j = 0; j < kSize; ++j) {
        // Values near overflow; subnormal ones; columns that go down to nothing.
        a(i, j) = kind == 0   ? Scale(a(i, j), std::numeric_limits<P>::max() / 64)
                  : kind == 1 ? Scale(a(i, j), std::numeric_limits<P>::min())
                              : DivideByReal(a(i, j), static_cast<P>(i64{1} << (3 * j)));
      }
    }
    auto used = a;
    OwnedMatrix<TypeParam> u(kSize, kSize), vh(kSize, kSize), scaled(kSize, kSize);
    std::vector<P> values(kSize);
    bool converged = false;
    ASSERT_TRUE(TallSvd(used.view(), values.data(), u.view(), vh.view(), nullptr, converged).ok());
    EXPECT_TRUE(converged);
    auto v = this->AdjointOf(vh);
    this->ExpectOrthonormal(u, kSize);
    this->ExpectOrthonormal(v, kSize);
    const P size = LargestPart(a.view());
    for (i64 i = 0; i < kSize; ++i) {
      for (i64 j = 0; j < kSize; ++j) {
        a(i, j) = DivideByReal(a(i, j), size);
        scaled(i, j) = Scale(u(i, j), values[j] / size);
      }
    }
    auto product = this->Product(scaled, vh);
    EXPECT_LE(this->Distance(product, a), 100 * kSize * this->kEpsilon);
  }
}

// What rounding leaves of the other columns shrinks from one to the next until its squares
// underflow.
TYPED_TEST(FactorizationTest, SingularValuesOfLowRankConverge) {
  for (i64 n : {2, 4, 8, 16, 33, 64}) {
    for (i64 rank = 1; rank <= 3; ++rank) {
      OwnedMatrix<TypeParam> a(n, n), u(n, n), vh(n, n), scaled(n, n);
      for (i64 i = 0; i < n; ++i) {
        for (i64 j = 0; j < n; ++j) {
          int sum = 0;
          for (i64 k = 1; k <= rank; ++k) {
            sum += static_cast<int>((i * (k + 2) % 7 - 3) * (j * (2 * k + 1) % 5 - 2));
          }
          a(i, j) = TypeParam(static_cast<PartType<TypeParam>>(sum));
        }
      }
      auto used = a;
      std::vector<PartType<TypeParam>> values(n);
      bool converged = false;
      ASSERT_TRUE(
          TallSvd(used.view(), values.data(), u.view(), vh.view(), nullptr, converged).ok());
      EXPECT_TRUE(converged) << n << ' ' << rank;
      auto v = this->AdjointOf(vh);
      this->ExpectOrthonormal(u, n);
      this->ExpectOrthonormal(v, n);
      for (i64 i = 0; i < n; ++i) {
        for (i64 j = 0; j < n; ++j) scaled(i, j) = Scale(u(i, j), values[j]);
      }
      auto product = this->Product(scaled, vh);
      EXPECT_LE(this->Distance(product, a), 100 * n * LargestPart(a.view()) * this->kEpsilon);
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

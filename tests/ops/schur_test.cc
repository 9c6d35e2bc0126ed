// Eigenvalues of general matrices: the forms and vectors satisfy what defines them, to a few
// roundings, on random and on hard matrices.
#include "axle/linalg/schur.h"

#include "axle/linalg/eigenvectors.h"
#include "tests/ops/matrix_test.h"

namespace axle {
namespace {

template <typename T>
class SchurTest : public MatrixTest<T> {
 protected:
  using Owned = OwnedMatrix<T>;
  using P = PartType<T>;

  std::vector<Owned> Squares() {
    std::vector<Owned> all;
    for (i64 n : {1, 2, 3, 4, 7, 30}) {
      for (Owned& a : this->SpecialSquares(n)) all.push_back(a);
      for (int i = 0; i < 3; ++i) all.push_back(this->Random(n, n));
    }
    return all;
  }

  struct Form {
    Owned form, rows;  // of the transposed Z
    std::vector<T> values;
    std::vector<P> imaginary;
    Eigenvalues<T> eigenvalues() {
      return {values.data(), kIsComplexScalar<T> ? nullptr : imaginary.data()};
    }
  };
  static Form SchurOf(Owned a, bool whole_form = true) {
    const i64 n = a.rows;
    Form result{a, Owned(n, n), std::vector<T>(n), std::vector<P>(n)};
    std::vector<T> taus(n);
    EXPECT_TRUE(ReduceToHessenberg(result.form.view(), 0, n, taus.data(), nullptr).ok());
    Owned q(n, n);
    SetIdentity(q.view());
    EXPECT_TRUE(ApplyHessenbergQ(result.form.view(), 0, n, taus.data(), q.view(), nullptr).ok());
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j < n; ++j) result.rows(i, j) = q(j, i);
    }
    i64 failed = -1;
    EXPECT_TRUE(HessenbergSchur(result.form.view(), result.rows.view(), {whole_form, 0, n},
                                result.eigenvalues(), nullptr, failed)
                    .ok());
    EXPECT_EQ(failed, 0);
    return result;
  }
};
TYPED_TEST_SUITE(SchurTest, MatrixScalars);

TYPED_TEST(SchurTest, HessenbergFormIsSimilar) {
  for (auto& a : this->Squares()) {
    const i64 n = a.rows;
    auto h = a;
    std::vector<TypeParam> taus(n);
    ASSERT_TRUE(ReduceToHessenberg(h.view(), 0, n, taus.data(), nullptr).ok());
    OwnedMatrix<TypeParam> q(n, n);
    SetIdentity(q.view());
    ASSERT_TRUE(ApplyHessenbergQ(h.view(), 0, n, taus.data(), q.view(), nullptr).ok());
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j + 1 < i; ++j) h(i, j) = TypeParam();
    }
    this->ExpectOrthonormal(q, n);
    auto left = this->Product(a, q), right = this->Product(q, h);
    EXPECT_LE(this->Distance(left, right), 30 * n * this->kEpsilon);
  }
}

TYPED_TEST(SchurTest, FormIsTriangularAndSimilar) {
  for (auto& a : this->Squares()) {
    const i64 n = a.rows;
    auto schur = this->SchurOf(a);
    auto& t = schur.form;
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j < i; ++j) {
        if (j + 1 < i || kIsComplexScalar<TypeParam>) {
          EXPECT_EQ(t(i, j), TypeParam());
        }
      }
      EXPECT_EQ(schur.values[i], t(i, i));
      if (kIsComplexScalar<TypeParam> || i + 1 == n || t(i + 1, i) == TypeParam()) continue;
      // Standard form of a pair.
      EXPECT_EQ(t(i, i), t(i + 1, i + 1));
      EXPECT_LT(RealPart(t(i, i + 1) * t(i + 1, i)), 0);
      EXPECT_GT(schur.imaginary[i], 0);
      EXPECT_EQ(schur.imaginary[i], -schur.imaginary[i + 1]);
    }
    OwnedMatrix<TypeParam> z(n, n);
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j < n; ++j) z(i, j) = schur.rows(j, i);
    }
    this->ExpectOrthonormal(z, n);
    auto left = this->Product(a, z), right = this->Product(z, t);
    EXPECT_LE(this->Distance(left, right), 50 * n * this->kEpsilon);
  }
}

TYPED_TEST(SchurTest, EigenvaluesAloneAreTheSame) {
  auto a = this->Random(20, 20);
  auto whole = this->SchurOf(a), alone = this->SchurOf(a, /*whole_form=*/false);
  for (i64 i = 0; i < 20; ++i) {
    EXPECT_LE(AbsoluteValue(whole.values[i] - alone.values[i]), 2000 * this->kEpsilon);
  }
}

TYPED_TEST(SchurTest, EigenvectorsOfTheForm) {
  using P = PartType<TypeParam>;
  using Complex = std::complex<P>;
  for (auto& a : this->Squares()) {
    const i64 n = a.rows;
    auto schur = this->SchurOf(a);
    for (bool right : {true, false}) {
      OwnedMatrix<TypeParam> vectors(n, n);
      ASSERT_TRUE(
          SchurEigenvectors(schur.form.view(), schur.eigenvalues(), right, vectors.view(), nullptr)
              .ok());
      for (i64 j = 0; j < n; ++j) {
        const bool is_pair = !kIsComplexScalar<TypeParam> && schur.imaginary[j] != 0;
        std::vector<Complex> v(n);
        P largest = 0;
        for (i64 i = 0; i < n; ++i) {
          v[i] = Complex(vectors(i, j));
          if (is_pair) v[i] += Complex(0, 1) * Complex(vectors(i, j + 1));
          largest = std::max(largest, LargestPart(v[i]));
        }
        EXPECT_TRUE(largest >= 1 && largest < 2);
        Complex value(schur.values[j]);
        if (is_pair) value += Complex(0, schur.imaginary[j]);
        for (i64 i = 0; i < n; ++i) {
          Complex rest = -value * v[i];
          if (!right) rest = -std::conj(value) * v[i];
          for (i64 k = 0; k < n; ++k) {
            rest += Complex(right ? schur.form(i, k) : Conjugate(schur.form(k, i))) * v[k];
          }
          EXPECT_LE(LargestPart(rest), 100 * n * this->kEpsilon) << n << " " << j << right;
        }
        if (is_pair) ++j;
      }
    }
  }
}

TYPED_TEST(SchurTest, BalancingIsolatesTriangles) {
  OwnedMatrix<TypeParam> a(5, 5);
  for (i64 i = 0; i < 5; ++i) {
    for (i64 j = 0; j <= i; ++j) a(i, j) = TypeParam(static_cast<float>(1 + i + 5 * j));
  }
  auto balanced = a;
  const auto balancing = Balance(balanced.view(), true, nullptr);
  ASSERT_TRUE(balancing.ok());
  EXPECT_EQ(balancing->low, balancing->high);
  for (i64 i = 0; i < 5; ++i) {
    for (i64 j = 0; j < i; ++j) EXPECT_EQ(balanced(i, j), TypeParam());
  }
  // a P = P balanced.
  OwnedMatrix<TypeParam> p(5, 5);
  SetIdentity(p.view());
  balancing->Undo(p.view(), true);
  auto left = this->Product(a, p), right = this->Product(p, balanced);
  EXPECT_EQ(this->Distance(left, right), 0);
}

TYPED_TEST(SchurTest, BalancingMakesNormsAlike) {
  using P = PartType<TypeParam>;
  auto a = this->Random(8, 8);
  for (i64 i = 0; i < 8; ++i) {
    for (i64 j = 0; j < 8; ++j) a(i, j) = Scale(a(i, j), i < j ? P(0x1p20) : P(0x1p-20));
  }
  auto balanced = a;
  const auto balancing = Balance(balanced.view(), true, nullptr);
  ASSERT_TRUE(balancing.ok());
  EXPECT_LT(LargestPart(balanced.view()), P(0x1p16));
  // Powers of two: the similarity is exact.
  for (bool right : {true, false}) {
    OwnedMatrix<TypeParam> d(8, 8);
    SetIdentity(d.view());
    balancing->Undo(d.view(), right);
    auto left = right ? this->Product(a, d) : this->Product(d, a);
    auto other = right ? this->Product(d, balanced) : this->Product(balanced, d);
    EXPECT_EQ(this->Distance(left, other), 0);
  }
}

TEST(StandardBlock, EveryKindOfBlock) {
  for (const std::array<double, 4>& m :
       std::vector<std::array<double, 4>>{{1, 2, 0, 3},
                                          {1, 0, 2, 3},
                                          {1, 2, -2, 1},
                                          {1, 2, 3, 4},
                                          {1, -2, 3, 4},
                                          {0, 1, 1, 0},
                                          {1, 1, 1e-17, 1},
                                          {1, 1e-300, -1e-300, 1},
                                          {1, 4, -1, 5},
                                          {2, 1, -1, 4},
                                          {0, 0, 0, 0},
                                          {5, 1e-9, 1e-9, 5},
                                          {1e-8, 1, -1e-16, -1e-8}}) {
    const StandardBlock<double> s(m[0], m[1], m[2], m[3]);
    EXPECT_NEAR(s.cosine * s.cosine + s.sine * s.sine, 1, 1e-15);
    if (s.c != 0) {
      EXPECT_EQ(s.a, s.d);
      EXPECT_NE(s.b < 0, s.c < 0);
    }
    // {{c, s}, {-s, c}} m = standard {{c, s}, {-s, c}}.
    const double c = s.cosine, n = s.sine;
    EXPECT_NEAR(c * m[0] + n * m[2], s.a * c - s.b * n, 1e-14);
    EXPECT_NEAR(c * m[1] + n * m[3], s.a * n + s.b * c, 1e-14);
    EXPECT_NEAR(-n * m[0] + c * m[2], s.c * c - s.d * n, 1e-14);
    EXPECT_NEAR(-n * m[1] + c * m[3], s.c * n + s.d * c, 1e-14);
  }
}

}  // namespace
}  // namespace axle

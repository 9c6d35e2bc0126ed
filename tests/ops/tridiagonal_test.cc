// Tridiagonal reduction and systems: what defines them holds to a few roundings.
#include "axle/linalg/tridiagonal.h"

#include "tests/ops/matrix_test.h"

namespace axle {
namespace {

template <typename T>
class TridiagonalTest : public MatrixTest<T> {
 protected:
  using Owned = OwnedMatrix<T>;
  static Owned FullMatrix(const std::vector<T>& below, const std::vector<T>& diagonal,
                          const std::vector<T>& above) {
    const i64 n = static_cast<i64>(diagonal.size());
    Owned a(n, n);
    for (i64 i = 0; i < n; ++i) {
      a(i, i) = diagonal[i];
      if (i > 0) a(i, i - 1) = below[i];
      if (i + 1 < n) a(i, i + 1) = above[i];
    }
    return a;
  }
};
TYPED_TEST_SUITE(TridiagonalTest, MatrixScalars);

TYPED_TEST(TridiagonalTest, ReductionIsSimilar) {
  using P = PartType<TypeParam>;
  for (i64 n : {1, 2, 3, 8, 31}) {
    for (auto& b : this->SpecialSquares(n)) {
      OwnedMatrix<TypeParam> a(n, n), t(n, n), q(n, n);
      for (i64 i = 0; i < n; ++i) {
        for (i64 j = 0; j < n; ++j) a(i, j) = b(i, j) + Conjugate(b(j, i));
      }
      auto packed = a;
      for (i64 i = 0; i < n; ++i) {  // the upper triangle does not count
        for (i64 j = i + 1; j < n; ++j) packed(i, j) = TypeParam(99);
      }
      std::vector<P> d(n), e(n);
      std::vector<TypeParam> taus(n);
      ASSERT_TRUE(
          ReduceToTridiagonal(packed.view(), d.data(), e.data(), taus.data(), nullptr).ok());
      SetIdentity(q.view());
      for (i64 k = n - 2; k >= 0; --k) {
        std::vector<TypeParam> sum;
        ApplyReflector(packed.view(), k + 1, k, taus[k], q.view(), 0, sum);
      }
      for (i64 i = 0; i < n; ++i) {
        t(i, i) = d[i];
        EXPECT_EQ(packed(i, i), TypeParam(d[i]));
        if (i + 1 == n) continue;
        EXPECT_EQ(packed(i + 1, i), TypeParam(e[i]));
        EXPECT_EQ(packed(i, i + 1), TypeParam(99));
        t(i, i + 1) = t(i + 1, i) = e[i];
      }
      this->ExpectOrthonormal(q, n);
      auto left = this->Product(a, q), right = this->Product(q, t);
      EXPECT_LE(this->Distance(left, right), 60 * n * this->kEpsilon);
    }
  }
}

TYPED_TEST(TridiagonalTest, SystemsHaveSmallResiduals) {
  for (i64 n : {1, 2, 3, 4, 9, 50}) {
    for (int kind = 0; kind < 4; ++kind) {
      auto below = this->Random(n, 1).values, diagonal = this->Random(n, 1).values,
           above = this->Random(n, 1).values;
      for (i64 i = 0; i < n; ++i) {
        if (kind == 1) diagonal[i] = TypeParam(4);               // no exchanges
        if (kind == 2 && n % 2 == 0) diagonal[i] = TypeParam();  // exchanges everywhere
        if (kind == 3) below[i] = TypeParam();                   // triangular
      }
      auto full = this->FullMatrix(below, diagonal, above);
      auto x = this->Random(n, 2), b = this->Product(full, x);
      auto perturbed = b;
      const PerturbedTridiagonal<TypeParam> system(below.data(), diagonal.data(), above.data(), n);
      for (i64 j = 0; j < 2; ++j) system.Solve(&perturbed(0, j), 2);
      auto solved = b;
      ASSERT_EQ(SolveTridiagonal(below.data(), diagonal.data(), above.data(), solved.view()), 0);
      for (auto* solution : {&solved, &perturbed}) {
        auto product = this->Product(full, *solution);
        const auto size = std::max<PartType<TypeParam>>(LargestPart(solution->view()), 1);
        EXPECT_LE(this->Distance(product, b), 30 * this->kEpsilon * size) << n << " " << kind;
      }
    }
  }
}

TYPED_TEST(TridiagonalTest, SingularSystems) {
  using P = PartType<TypeParam>;
  using Values = std::vector<TypeParam>;
  const Values below = {0, 1, 1}, diagonal = {1, 1, 1}, above = {1, 0, 0};
  const PerturbedTridiagonal<TypeParam> system(below.data(), diagonal.data(), above.data(), 3);
  Values x = {1, 2, 3};
  system.Solve(x.data(), 1);
  for (const TypeParam& element : x) EXPECT_TRUE(LargestPart(element) < P(1e17));
  EXPECT_GT(LargestPart(x[1]), 1 / (8 * this->kEpsilon));
  Values b = {1, 2, 3}, low = below, middle = diagonal, high = above;
  EXPECT_EQ(
      SolveTridiagonal(low.data(), middle.data(), high.data(), Matrix<TypeParam>(b.data(), 3, 1)),
      3);
  // Nothing but zeros.
  const Values zero(3);
  const PerturbedTridiagonal<TypeParam> nothing(zero.data(), zero.data(), zero.data(), 3);
  Values y = {1, 2, 3};
  nothing.Solve(y.data(), 1);
  for (const TypeParam& element : y) {
    EXPECT_TRUE(LargestPart(element) <= std::numeric_limits<P>::max());
  }
  b = {1, 2, 3};
  low = middle = high = zero;
  EXPECT_EQ(
      SolveTridiagonal(low.data(), middle.data(), high.data(), Matrix<TypeParam>(b.data(), 3, 1)),
      1);
}

}  // namespace
}  // namespace axle

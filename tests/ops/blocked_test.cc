// Blocked linear algebra gives the same bits on every instruction set, and those of the plain
// loops: sizes around the blocks, every form of a triangular system, singular and non-finite
// matrices.
#include <bit>
#include <cmath>

#include "axle/linalg/blocked_qr.h"
#include "axle/linalg/factorization.h"
#include "tests/ops/matrix_test.h"

namespace axle {
namespace {

template <typename T>
class BlockedTest : public MatrixTest<T> {
 protected:
  using Owned = OwnedMatrix<T>;

  // The portable kernels, and those that this processor has.
  static std::vector<const BlockKernels<T>*> AllKernels() {
    std::vector<const BlockKernels<T>*> all = {&PortableBlockKernels<T>(),
                                               &BlockKernelsOf<T>(InstructionSet::kX86V3)};
    if (HostInstructionSet() == InstructionSet::kX86V4) {
      all.push_back(&BlockKernelsOf<T>(InstructionSet::kX86V4));
    }
    return all;
  }
  // The bits are equal; NaNs are all the same.
  static bool Same(const std::vector<T>& a, const std::vector<T>& b) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::ranges::equal(a, b, [](T x, T y) {
      return (x != x && y != y) || std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y);
    });
  }
  Owned PositiveDefinite(i64 n) {
    Owned factor = this->Random(n, n), adjoint = this->AdjointOf(factor);
    Owned a = this->Product(factor, adjoint);
    for (i64 i = 0; i < n; ++i) a(i, i) += T(1);
    return a;
  }
};
using RealScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BlockedTest, RealScalars);

constexpr i64 kSizes[] = {1,  2,  3,  5,  8,  15,  16,  17,  31, 32,
                          33, 47, 63, 64, 65, 100, 129, 200, 301};

TYPED_TEST(BlockedTest, CholeskyHasThePlainBits) {
  using T = TypeParam;
  for (const i64 n : kSizes) {
    auto plain = this->PositiveDefinite(n);
    const auto a = plain;
    i64 failed = 0;
    ASSERT_TRUE(PlainCholeskyLower(plain.view(), nullptr, failed).ok());
    ASSERT_EQ(failed, -1);
    for (const BlockKernels<T>* kernels : this->AllKernels()) {
      auto blocked = a;
      Blocked<T> algorithm(*kernels, {n, n, n}, nullptr);
      ASSERT_TRUE(algorithm.Cholesky(blocked.values.data(), n, n, failed).ok());
      EXPECT_EQ(failed, -1);
      EXPECT_TRUE(this->Same(blocked.values, plain.values)) << n;
    }
  }
}

TYPED_TEST(BlockedTest, CholeskySaysWhereItFails) {
  using T = TypeParam;
  for (const i64 at : {0, 5, 31, 32, 40, 64, 99}) {
    for (const BlockKernels<T>* kernels : this->AllKernels()) {
      auto a = this->PositiveDefinite(100);
      a(at, at) = at % 2 == 0 ? T(-1) : std::numeric_limits<T>::quiet_NaN();
      i64 failed = -1;
      Blocked<T> algorithm(*kernels, {100, 100, 100}, nullptr);
      ASSERT_TRUE(algorithm.Cholesky(a.values.data(), 100, 100, failed).ok());
      EXPECT_EQ(failed, at);
    }
  }
}

TYPED_TEST(BlockedTest, TriangularSystemsHaveThePlainBits) {
  using T = TypeParam;
  for (const i64 n : kSizes) {
    auto t = this->Random(n, n);
    for (i64 i = 0; i < n; ++i) t(i, i) += T(3);
    for (const i64 others : {1, 2, 7, 16, 65}) {
      for (int choice = 0; choice < 16; ++choice) {
        const bool left = choice & 1, lower = choice & 2, unit = choice & 4, as_is = choice & 8;
        const i64 rows = left ? n : others, columns = left ? others : n;
        auto plain = this->Random(rows, columns);
        const auto b = plain;
        std::vector<T> copy;
        ASSERT_TRUE(PlainSolveTriangular(t.values.data(),
                                         as_is ? MatrixForm::kAsIs : MatrixForm::kTranspose, left,
                                         lower, unit, plain.view(), copy, nullptr)
                        .ok());
        for (const BlockKernels<T>* kernels : this->AllKernels()) {
          auto blocked = b;
          const bool transposed = as_is != left;
          Blocked<T> algorithm(*kernels, {rows, columns, n}, nullptr);
          ASSERT_TRUE(algorithm
                          .Solve({t.values.data(), transposed ? 1 : n, transposed ? n : 1},
                                 lower != transposed, unit, n,
                                 {blocked.values.data(), left ? columns : 1, left ? 1 : columns},
                                 others)
                          .ok());
          EXPECT_TRUE(this->Same(blocked.values, plain.values))
              << n << " by " << others << ", choice " << choice;
        }
      }
    }
  }
}

TYPED_TEST(BlockedTest, LuHasThePlainBitsAndPivots) {
  using T = TypeParam;
  enum Kind { kRandom, kEqualRows, kZeroColumn, kNan, kInfinity, kNumKinds };
  for (const i64 rows : kSizes) {
    for (const i64 columns : {1, 4, 15, 16, 17, 37, 100}) {
      for (int kind = kRandom; kind < kNumKinds; ++kind) {
        auto plain = this->Random(rows, columns);
        for (i64 j = 0; j < columns && kind == kEqualRows; ++j) plain(rows / 2, j) = plain(0, j);
        for (i64 i = 0; i < rows && kind == kZeroColumn; ++i) plain(i, columns / 2) = 0;
        if (kind == kNan) plain(rows / 3, columns / 2) = std::numeric_limits<T>::quiet_NaN();
        if (kind == kInfinity) plain(rows / 3, columns / 2) = std::numeric_limits<T>::infinity();
        const auto a = plain;
        const i64 rank = std::min(rows, columns);
        std::vector<i64> pivots(rank), others(rank);
        i64 failed = 0, other_failed = 0;
        ASSERT_TRUE(PlainLuFactor(plain.view(), pivots.data(), nullptr, failed).ok());
        for (const BlockKernels<T>* kernels : this->AllKernels()) {
          auto blocked = a;
          Blocked<T> algorithm(*kernels, {rows, columns, rank}, nullptr);
          ASSERT_TRUE(
              algorithm
                  .Lu(blocked.values.data(), columns, rows, columns, others.data(), other_failed)
                  .ok());
          EXPECT_EQ(other_failed, failed);
          EXPECT_EQ(others, pivots) << rows << " by " << columns << ", kind " << kind;
          EXPECT_TRUE(this->Same(blocked.values, plain.values))
              << rows << " by " << columns << ", kind " << kind;
        }
      }
    }
  }
}

TYPED_TEST(BlockedTest, QrIsTheSameOnEveryInstructionSet) {
  using T = TypeParam;
  for (const i64 rows : {1, 2, 5, 17, 31, 32, 33, 40, 64, 65, 130}) {
    for (const i64 columns : {1, 3, 16, 31, 32, 33, 70}) {
      const auto a = this->Random(rows, columns);
      const i64 rank = std::min(rows, columns);
      std::vector<std::vector<T>> results;
      for (const BlockKernels<T>* kernels : this->AllKernels()) {
        auto packed = a;
        std::vector<T> taus(rank);
        ASSERT_TRUE(
            BlockedQr(*kernels, packed.values.data(), columns, rows, columns, taus.data(), nullptr)
                .ok());
        OwnedMatrix<T> q(rows, rows);
        ASSERT_TRUE(BlockedFormQ(*kernels, packed.values.data(), columns, rows, taus.data(), rank,
                                 q.values.data(), rows, rows, nullptr)
                        .ok());
        this->ExpectOrthonormal(q, rows);
        results.push_back(packed.values);
        results.back().insert(results.back().end(), taus.begin(), taus.end());
        results.back().insert(results.back().end(), q.values.begin(), q.values.end());
        for (const bool left : {false, true}) {
          for (const bool adjoint : {false, true}) {
            OwnedMatrix<T> c(left ? rows : 20, left ? 20 : rows);
            for (size_t i = 0; i < c.values.size(); ++i) c.values[i] = T(i % 7) - T(3);
            ASSERT_TRUE(BlockedMultiplyByQ(*kernels, packed.values.data(), columns, rows,
                                           taus.data(), rank, left, adjoint, c.values.data(),
                                           c.columns, c.rows, c.columns, nullptr)
                            .ok());
            results.back().insert(results.back().end(), c.values.begin(), c.values.end());
          }
        }
      }
      for (const std::vector<T>& result : results) {
        EXPECT_TRUE(this->Same(result, results[0])) << rows << " by " << columns;
      }
    }
  }
}

// The error is that of a backward stable algorithm, for sizes of one block and of several.
TYPED_TEST(BlockedTest, ResidualsAreSmall) {
  using T = TypeParam;
  for (const i64 n : {16, 33, 100, 250}) {
    auto a = this->PositiveDefinite(n), factor = a;
    i64 failed = 0;
    ASSERT_TRUE(CholeskyLower(factor.view(), nullptr, failed).ok());
    ClearTriangle(factor.view(), /*above=*/true);
    auto adjoint = this->AdjointOf(factor), product = this->Product(factor, adjoint);
    EXPECT_LE(this->Distance(product, a), 4 * n * this->kEpsilon) << n;

    auto b = this->Random(n, n), packed = b;
    std::vector<T> taus(n);
    ASSERT_TRUE(QrFactor(packed.view(), taus.data(), nullptr).ok());
    auto r = packed;
    ClearTriangle(r.view(), /*above=*/false);
    ASSERT_TRUE(ApplyQ(packed.view(), taus.data(), n, r.view(), nullptr).ok());
    EXPECT_LE(this->Distance(r, b), 4 * std::sqrt(T(n)) * this->kEpsilon) << n;
  }
}

}  // namespace
}  // namespace axle

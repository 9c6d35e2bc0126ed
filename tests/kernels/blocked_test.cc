// Blocked linear algebra gives the same bits on every instruction set, and those of the plain
// loops: sizes around the blocks, every form of a triangular system, singular and non-finite
// matrices.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "axle/kernels/block_kernels.h"
#include "axle/linalg/bidiagonal.h"
#include "axle/linalg/blocked_qr.h"
#include "axle/linalg/factorization.h"
#include "axle/linalg/tridiagonal.h"
#include "tests/ops/matrix_test.h"

namespace axle {
namespace {

template <typename T>
class BlockedTest : public MatrixTest<T> {
 protected:
  using Owned = OwnedMatrix<T>;

  // The portable kernels, and those that this processor has.
  static std::vector<const BlockKernels<T>*> AllKernels() {
    std::vector<const BlockKernels<T>*> all = {&PortableBlockKernels<T>()};
    for (const InstructionSet set : {InstructionSet::kX86V3, InstructionSet::kX86V4}) {
      const BlockKernels<T>* const kernels = BlockKernelsOf<T>(set);
      if (kernels != nullptr && set <= HostInstructionSet()) all.push_back(kernels);
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

TYPED_TEST(BlockedTest, TridiagonalFormIsTheSameOnEveryInstructionSet) {
  using T = TypeParam;
  for (const i64 n : {1, 2, 3, 5, 17, 32, 33, 34, 65, 100, 257}) {
    const auto a = this->Random(n, n);
    std::vector<std::vector<T>> results;
    for (const BlockKernels<T>* kernels : this->AllKernels()) {
      auto packed = a;
      std::vector<T> d(n), e(n), taus(n);
      ASSERT_TRUE(BlockedTridiagonal(*kernels, packed.values.data(), n, n, d.data(), e.data(),
                                     taus.data(), nullptr)
                      .ok());
      for (i64 i = 0; i < n; ++i) {
        for (i64 j = i + 1; j < n; ++j) {
          ASSERT_EQ(packed.values[i * n + j], a.values[i * n + j]) << "the other triangle stays";
        }
      }
      results.push_back(packed.values);
      for (const auto& part : {d, e, taus}) {
        results.back().insert(results.back().end(), part.begin(), part.end());
      }
    }
    for (const std::vector<T>& result : results) EXPECT_TRUE(this->Same(result, results[0])) << n;
  }
}

// Runs of rotations that begin in the same row, in others, and end at different rows.
TYPED_TEST(BlockedTest, RotationsAreTheSameOnEveryInstructionSet) {
  using T = TypeParam;
  std::mt19937 random(3);
  for (const i64 rows : {2, 3, 5, 20}) {
    std::vector<RowRotation<T>> rotations;
    while (rotations.size() < 200) {
      const i64 top = random() % 3 != 0 ? rows - 2 : static_cast<i64>(random() % (rows - 1));
      const i64 length = static_cast<i64>(random() % rows) + 1;
      for (i64 row = top; row >= 0 && row > top - length; --row) {
        rotations.push_back({row, T(random() % 100) / 100, T(random() % 100) / 100});
      }
    }
    for (const i64 columns : {1, 3, 16, 17, 33, 64, 65, 100}) {
      const auto a = this->Random(rows, columns);
      std::vector<std::vector<T>> results;
      for (const BlockKernels<T>* kernels : this->AllKernels()) {
        auto rotated = a;
        std::vector<T> scratch(RotateScratch(rows));
        kernels->rotate(rotations.data(), static_cast<i64>(rotations.size()), rotated.values.data(),
                        columns, rows, columns, scratch.data());
        results.push_back(rotated.values);
      }
      for (const std::vector<T>& result : results) {
        EXPECT_TRUE(this->Same(result, results[0])) << rows << " by " << columns;
      }
    }
  }
}

TYPED_TEST(BlockedTest, SingularValuesAreTheSameOnEveryInstructionSet) {
  using T = TypeParam;
  enum Kind { kRandom, kLowRank, kZero, kGraded, kNumKinds };
  for (const i64 n : {1, 2, 3, 5, 16, 31, 32, 33, 65, 100}) {
    for (int kind = kRandom; kind < kNumKinds; ++kind) {
      auto a = this->Random(n, n);
      for (i64 i = 0; i < n; ++i) {
        for (i64 j = 0; j < n; ++j) {
          if (kind == kLowRank) a(i, j) = a(i % 2, j);
          if (kind == kZero) a(i, j) = 0;
          if (kind == kGraded) a(i, j) = std::ldexp(a(i, j), static_cast<int>(-(i + j) / 2));
        }
      }
      std::vector<std::vector<T>> results;
      for (const BlockKernels<T>* kernels : this->AllKernels()) {
        auto used = a;
        OwnedMatrix<T> u(n, n), v(n, n);
        std::vector<double> values(n), alone(n);
        bool converged = false;
        ASSERT_TRUE(SquareSvd(*kernels, used.values.data(), n, values.data(), u.values.data(),
                              v.values.data(), nullptr, converged)
                        .ok());
        EXPECT_TRUE(converged) << n << ", kind " << kind;
        used = a;
        ASSERT_TRUE(SquareSvd<T>(*kernels, used.values.data(), n, alone.data(), nullptr, nullptr,
                                 nullptr, converged)
                        .ok());
        EXPECT_EQ(alone, values) << "values alone are the same";
        this->ExpectOrthonormal(u, n);
        this->ExpectOrthonormal(v, n);
        results.push_back(u.values);
        results.back().insert(results.back().end(), v.values.begin(), v.values.end());
        results.back().insert(results.back().end(), values.begin(), values.end());
        for (i64 i = 0; i < n; ++i) {
          for (i64 j = 0; j < n; ++j) u(i, j) *= static_cast<T>(values[i]);
        }
        auto left = this->AdjointOf(u), product = this->Product(left, v);
        const T size = static_cast<T>(std::max(values[0], 1.0));
        EXPECT_LE(this->Distance(product, a), 4 * std::sqrt(T(n)) * this->kEpsilon * size) << n;
      }
      for (const std::vector<T>& result : results) {
        EXPECT_TRUE(this->Same(result, results[0])) << n << ", kind " << kind;
      }
    }
  }
}

// Eigenvalues and singular values of f32 are within a few roundings of those of f64, relative to
// the largest one, whatever the size.
TEST(BlockedAccuracyTest, ValuesOfF32AreThoseOfF64) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> part(-1, 1);
  for (const i64 n : {8, 32, 64, 150}) {
    std::vector<float> a(n * n);
    for (i64 i = 0; i < n; ++i) {
      for (i64 j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = part(random);
    }
    std::vector<double> exact(a.begin(), a.end()), exact_values(n);
    std::vector<float> copy = a, values(n), singular(n);
    bool converged = false;
    ASSERT_TRUE(HermitianEigen(Matrix<double>(exact.data(), n, n), exact_values.data(),
                               Matrix<double>(nullptr, n, n), nullptr, converged)
                    .ok());
    ASSERT_TRUE(HermitianEigen(Matrix<float>(copy.data(), n, n), values.data(),
                               Matrix<float>(nullptr, n, n), nullptr, converged)
                    .ok());
    copy = a;
    ASSERT_TRUE(TallSvd(Matrix<float>(copy.data(), n, n), singular.data(),
                        Matrix<float>(nullptr, n, n), Matrix<float>(nullptr, n, n), nullptr,
                        converged)
                    .ok());
    double largest = 0, error = 0, singular_error = 0;
    for (i64 i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(exact_values[i]));
      error = std::max(error, std::abs(exact_values[i] - values[i]));
    }
    for (double& x : exact_values) x = std::abs(x);
    std::ranges::sort(exact_values, std::greater<>());
    for (i64 i = 0; i < n; ++i) {
      singular_error = std::max(singular_error, std::abs(exact_values[i] - singular[i]));
    }
    EXPECT_LE(error, 4e-7 * largest) << n;
    EXPECT_LE(singular_error, 4e-7 * largest) << n;
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

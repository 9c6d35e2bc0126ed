// Dot by prebuilt kernels against the interpreter: random dimension numbers, so that operands have
// any strides, and the shapes in which kernels go different ways.
#include "axle/kernels/dot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "axle/core/strings.h"
#include "tests/kernels/contraction_check.h"

namespace axle {
namespace {

struct Types {
  std::string lhs, rhs, result;
};

// An operand's dimensions by role, in a random order.
struct Side {
  std::vector<i64> sizes, batch, contracting;
};

class RandomDot {
 public:
  RandomDot(std::mt19937& random, i64 most, i64 most_batch = 4)
      : random_(random), most_(most), most_batch_(most_batch) {}

  std::string Text(const Types& types) {
    const bool has_batch = most_batch_ > 4 || Uniform(random_, 0, 3) == 0;
    batch_ = Sizes(has_batch ? Uniform(random_, 1, 2) : 0, most_batch_);
    const std::vector<i64> lhs_free = Sizes(Uniform(random_, 0, 2), most_);
    const std::vector<i64> rhs_free = Sizes(Uniform(random_, 0, 2), most_);
    contracting_ = Sizes(Uniform(random_, 0, 10) == 0 ? 0 : Uniform(random_, 1, 2), most_);
    const Side lhs = MakeSide(lhs_free), rhs = MakeSide(rhs_free);
    std::vector<i64> result = batch_;
    AppendFree(lhs, result);
    AppendFree(rhs, result);
    return StrCat("HloModule m\nENTRY main {\n  a = ", ShapeText(types.lhs, lhs.sizes),
                  " parameter(0)\n  b = ", ShapeText(types.rhs, rhs.sizes),
                  " parameter(1)\n  ROOT r = ", ShapeText(types.result, result),
                  " dot(a, b), lhs_batch_dims=", DimsText(lhs.batch),
                  ", lhs_contracting_dims=", DimsText(lhs.contracting),
                  ", rhs_batch_dims=", DimsText(rhs.batch),
                  ", rhs_contracting_dims=", DimsText(rhs.contracting), "\n}\n");
  }

 private:
  std::vector<i64> Sizes(i64 count, i64 most) {
    std::vector<i64> sizes;
    for (i64 i = 0; i < count; ++i) {
      const i64 kind = Uniform(random_, 0, 30);
      sizes.push_back(kind == 0 ? 0 : kind < 4 ? 1 : Uniform(random_, 1, most));
      if (count > 1) most = std::max<i64>(1, most / std::max<i64>(1, sizes.back()));
    }
    std::ranges::shuffle(sizes, random_);
    return sizes;
  }
  Side MakeSide(const std::vector<i64>& free) {
    std::vector<std::pair<char, i64>> dims;  // role and place in the role's list
    const auto add = [&](char role, const std::vector<i64>& sizes) {
      for (size_t i = 0; i < sizes.size(); ++i) dims.emplace_back(role, i);
    };
    add('b', batch_);
    add('f', free);
    add('c', contracting_);
    if (Uniform(random_, 0, 1) == 0) std::ranges::shuffle(dims, random_);
    Side side;
    side.batch.resize(batch_.size());
    side.contracting.resize(contracting_.size());
    for (const auto& [role, i] : dims) {
      const auto d = static_cast<i64>(side.sizes.size());
      side.sizes.push_back(role == 'b' ? batch_[i] : role == 'c' ? contracting_[i] : free[i]);
      if (role == 'b') side.batch[i] = d;
      if (role == 'c') side.contracting[i] = d;
    }
    return side;
  }
  static void AppendFree(const Side& side, std::vector<i64>& result) {
    for (size_t d = 0; d < side.sizes.size(); ++d) {
      const auto dim = static_cast<i64>(d);
      if (std::ranges::count(side.batch, dim) + std::ranges::count(side.contracting, dim) == 0) {
        result.push_back(side.sizes[d]);
      }
    }
  }

  std::mt19937& random_;
  i64 most_, most_batch_;
  std::vector<i64> batch_, contracting_;
};

std::string Matrices(const Types& types, i64 m, i64 n, i64 k, bool lhs_along_rows = true,
                     bool rhs_along_rows = true) {
  using Sizes = std::vector<i64>;
  return StrCat(
      "HloModule m\nENTRY main {\n  a = ",
      ShapeText(types.lhs, lhs_along_rows ? Sizes{m, k} : Sizes{k, m}),
      " parameter(0)\n  b = ", ShapeText(types.rhs, rhs_along_rows ? Sizes{k, n} : Sizes{n, k}),
      " parameter(1)\n  ROOT r = ", ShapeText(types.result, {m, n}),
      " dot(a, b), lhs_contracting_dims=", lhs_along_rows ? "{1}" : "{0}",
      ", rhs_contracting_dims=", rhs_along_rows ? "{0}" : "{1}", "\n}\n");
}

const Types kF32 = {"f32", "f32", "f32"};
const Types kF64 = {"f64", "f64", "f64"};

void CheckRandom(const Types& types, int count, i64 most, unsigned seed, i64 most_batch = 4) {
  std::mt19937 random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const Values values = std::array{Values::kPlain, Values::kWide, Values::kTiny,
                                     Values::kSpecial}[static_cast<size_t>(Uniform(random, 0, 3))];
    std::string reason;
    EXPECT_TRUE(
        CheckContraction(RandomDot(random, most, most_batch).Text(types), values, random, &reason))
        << reason;
  }
}

TEST(DotKernels, AnyStridesOfF32) {
  CheckRandom(kF32, 600, 70, 1);
}
TEST(DotKernels, AnyStridesOfF64) {
  CheckRandom(kF64, 300, 70, 2);
}

// Side by side, one for each lane: groups that are full, and those that are not, any strides.
TEST(DotKernels, ManyTinyMatrices) {
  CheckRandom(kF32, 400, 9, 12, 700);
  CheckRandom(kF64, 200, 9, 13, 700);
  CheckRandom({"c64", "c64", "c64"}, 50, 5, 14, 100);
}

// 256 matrices a tile: a kernel call for each of them took 300 ns.
TEST(DotKernels, TinyMatricesShareTiles) {
  if (PlanDot({}, HostInstructionSet()).function == nullptr) GTEST_SKIP() << "no kernels here";
  const std::vector<DotDim> batch = {{100'000, 9, 9, 9}}, rows = {{3, 3, 0, 3}},
                            columns = {{3, 0, 1, 1}}, depth = {{3, 1, 3, 0}}, none;
  const DotDescription matrices = {
      .batch = batch, .lhs_free = rows, .rhs_free = columns, .contracting = depth};
  EXPECT_EQ(PlanDot(matrices, HostInstructionSet()).num_tiles, 391);
  const std::vector<DotDim> long_rows = {{100'000, 3, 0, 1}};
  const DotDescription short_sums = {.batch = none,
                                     .lhs_free = long_rows,
                                     .rhs_free = none,
                                     .contracting = depth,
                                     .types = {.order = DotOrder::kCanonical}};
  EXPECT_EQ(PlanDot(short_sums, HostInstructionSet()).num_tiles, 391);
}

// Rows of less than 16 elements times a vector: a chain that begins at -0.
TEST(DotKernels, ShortRows) {
  std::mt19937 random(15);
  for (const Types& types : {kF32, kF64}) {
    for (const i64 k : {1, 2, 3, 7, 15, 16}) {
      for (const i64 m : {1, 15, 16, 17, 300, 1000}) {
        for (const Values values : {Values::kPlain, Values::kTiny, Values::kSpecial}) {
          EXPECT_TRUE(CheckContraction(Matrices(types, m, 1, k), values, random));
          EXPECT_TRUE(CheckContraction(Matrices(types, 1, m, k, true, false), values, random));
        }
      }
    }
  }
}

// Every type, and operands that are converted to another one first.
TEST(DotKernels, AnyTypes) {
  const Types all[] = {
      {"bf16", "bf16", "bf16"},
      {"bf16", "bf16", "f32"},
      {"bf16", "bf16", "f64"},
      {"f16", "f16", "f16"},
      {"f16", "f16", "f32"},
      {"f16", "bf16", "f32"},
      {"f32", "bf16", "f32"},
      {"f32", "f32", "bf16"},
      {"f64", "f64", "f32"},
      {"f32", "f32", "f64"},
      {"f32", "f32", "f16"},
      {"f8e5m2", "f8e4m3fn", "f32"},
      {"f8e4m3", "f8e4m3", "f8e4m3"},
      {"f8e4m3fnuz", "bf16", "bf16"},
      {"f4e2m1fn", "f4e2m1fn", "f32"},
      {"f8e8m0fnu", "f8e8m0fnu", "f32"},
      {"f6e3m2fn", "f8e3m4", "bf16"},
      {"s8", "s8", "s32"},
      {"u8", "s8", "s32"},
      {"s8", "s8", "s8"},
      {"u8", "u8", "u8"},
      {"u8", "u8", "u32"},
      {"s16", "s16", "s32"},
      {"u16", "u16", "u32"},
      {"s16", "s16", "s16"},
      {"s32", "s32", "s32"},
      {"u32", "u32", "u32"},
      {"s64", "s64", "s64"},
      {"u64", "u64", "u64"},
      {"s4", "s4", "s4"},
      {"s4", "s4", "s32"},
      {"u4", "s8", "s32"},
      {"u2", "u2", "u2"},
      {"s1", "s1", "s1"},
      {"pred", "pred", "pred"},
      {"c64", "c64", "c64"},
      {"c128", "c128", "c128"},
      {"f32", "c64", "c64"},
      {"s32", "s32", "f32"},
      {"f32", "f32", "s32"},
      {"s32", "s32", "s8"},
      {"s8", "s16", "s64"},
      {"pred", "s8", "s32"},
      {"s8", "bf16", "bf16"},
  };
  unsigned seed = 100;
  for (const Types& types : all) {
    SCOPED_TRACE(StrCat(types.lhs, " ", types.rhs, " ", types.result));
    CheckRandom(types, 70, 40, ++seed);
    CheckRandom(types, 6, 130, ++seed);
    if (testing::Test::HasFailure()) return;
  }
}

// Sizes beside those of tiles, panels and blocks, and beyond one slice of contracted elements.
TEST(DotKernels, EdgesOfBlocks) {
  std::mt19937 random(3);
  const i64 sizes[] = {2, 7, 13, 16, 33, 48, 65, 97, 200};
  for (const Types& types : {kF32, kF64}) {
    for (i64 m : sizes) {
      for (i64 n : sizes) {
        const i64 k =
            Uniform(random, 0, 3) == 0 ? Uniform(random, 250, 600) : Uniform(random, 2, 40);
        const bool lhs = Uniform(random, 0, 1) == 0, rhs = Uniform(random, 0, 1) == 0;
        EXPECT_TRUE(CheckContraction(Matrices(types, m, n, k, lhs, rhs), Values::kPlain, random));
      }
    }
  }
}

// Underflow inside of the tile order, which a fast path must not round as f32 does.
TEST(DotKernels, TinyNarrowFloats) {
  std::mt19937 random(4);
  const Types types = {"bf16", "bf16", "f32"};
  for (i64 k : {1, 2, 31, 32, 33, 100, 700}) {
    for (i64 m : {1, 5, 20}) {
      EXPECT_TRUE(CheckContraction(Matrices(types, m, 20, k), Values::kTiny, random));
      EXPECT_TRUE(CheckContraction(Matrices(types, m, 1, k), Values::kTiny, random));
    }
  }
}

// Vectors and rows in the canonical order: chunks, and lanes that the last elements do not fill.
TEST(DotKernels, LongRows) {
  std::mt19937 random(5);
  for (const Types& types : {kF32, kF64, Types{"c64", "c64", "c64"}, Types{"c128", "c128", "c128"},
                             Types{"f16", "f16", "f16"}}) {
    for (i64 k : {1, 15, 16, 17, 100, 511, 512, 513, 4096, 4100, 9000, 12288, 30000}) {
      const i64 m = Uniform(random, 1, 12);
      EXPECT_TRUE(CheckContraction(Matrices(types, m, 1, k), Values::kPlain, random));
      EXPECT_TRUE(CheckContraction(Matrices(types, 1, m, k, true, false), Values::kTiny, random));
    }
  }
}

// Contracted elements beyond a slice, with sums kept apart from the result.
TEST(DotKernels, LongProducts) {
  std::mt19937 random(6);
  for (const Types& types : {kF32, Types{"bf16", "bf16", "bf16"}, Types{"s8", "s8", "s32"},
                             Types{"c64", "c64", "c64"}, Types{"s8", "s8", "s8"}}) {
    for (i64 k : {511, 512, 513, 1100}) {
      EXPECT_TRUE(CheckContraction(Matrices(types, 17, 19, k), Values::kPlain, random));
      EXPECT_TRUE(
          CheckContraction(Matrices(types, 9, 33, k, false, false), Values::kPlain, random));
    }
    // More rows and columns than one block has.
    EXPECT_TRUE(CheckContraction(Matrices(types, 300, 40, 20), Values::kPlain, random));
    EXPECT_TRUE(CheckContraction(Matrices(types, 40, 900, 20), Values::kPlain, random));
  }
}

// Products of more elements than a part, a group of parts and several groups have, in each of the
// ways in which kernels go through them: packed, in place, streamed, with sums in the result or
// not.
TEST(DotKernels, PartsOfLongProducts) {
  std::mt19937 random(8);
  const Types bf16 = {"bf16", "bf16", "f32"};
  for (const Types& types : {kF32, kF64, bf16, Types{"c64", "c64", "c64"},
                             Types{"f16", "f16", "f16"}, Types{"s32", "s32", "s32"}}) {
    for (i64 k : {514, 1025, 1700, 4099, 33003, 70002, 140000}) {
      // Underflow gives parts that are -0.
      const Values values = std::array{Values::kPlain, Values::kWide, Values::kTiny,
                                       Values::kSpecial}[static_cast<size_t>(k % 4)];
      EXPECT_TRUE(CheckContraction(Matrices(types, 2, 3, k), values, random));
      if (k > 5000) continue;
      EXPECT_TRUE(CheckContraction(Matrices(types, 1, 2, k), values, random));
      EXPECT_TRUE(CheckContraction(Matrices(types, 17, 5, k, false, false), values, random));
      EXPECT_TRUE(CheckContraction(Matrices(types, 5, 17, k, false), values, random));
    }
    EXPECT_TRUE(
        CheckContraction(Matrices(types, 17, 5, 33000, false, false), Values::kPlain, random));
    EXPECT_TRUE(CheckContraction(Matrices(types, 15, 34, 33000, false), Values::kPlain, random));
    EXPECT_TRUE(CheckContraction(Matrices(types, 2, 3000, 1100), Values::kPlain, random));
  }
  // More rows than there are sums of groups at once.
  EXPECT_TRUE(CheckContraction(Matrices(bf16, 300, 2, 4200), Values::kPlain, random));
  EXPECT_TRUE(CheckContraction(Matrices(kF32, 1160, 2, 33000), Values::kPlain, random));
  EXPECT_TRUE(CheckContraction(Matrices(kF32, 2, 300, 33000), Values::kPlain, random));
}

// Few rows with columns that are larger than a cache.
TEST(DotKernels, FewRows) {
  std::mt19937 random(7);
  for (const Types& types : {kF32, kF64, Types{"bf16", "bf16", "f32"}}) {
    for (i64 m : {1, 2, 3, 7, 8, 9}) {
      EXPECT_TRUE(CheckContraction(Matrices(types, m, 1100, 203), Values::kPlain, random));
      EXPECT_TRUE(
          CheckContraction(Matrices(types, 1300, m, 150, false, false), Values::kWide, random));
    }
  }
}

}  // namespace
}  // namespace axle

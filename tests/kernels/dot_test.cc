// Dot by prebuilt kernels against the interpreter: random dimension numbers, so that operands have
// any strides, and the shapes in which kernels go different ways.
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
  RandomDot(std::mt19937& random, i64 most) : random_(random), most_(most) {}

  std::string Text(const Types& types) {
    batch_ = Sizes(Uniform(random_, 0, 3) == 0 ? Uniform(random_, 1, 2) : 0, 4);
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
  i64 most_;
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

void CheckRandom(const Types& types, int count, i64 most, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const Values values = std::array{Values::kPlain, Values::kWide, Values::kTiny,
                                     Values::kSpecial}[static_cast<size_t>(Uniform(random, 0, 3))];
    std::string reason;
    EXPECT_TRUE(CheckContraction(RandomDot(random, most).Text(types), values, random, &reason))
        << reason;
  }
}

TEST(DotKernels, AnyStridesOfF32) {
  CheckRandom(kF32, 600, 70, 1);
}
TEST(DotKernels, AnyStridesOfF64) {
  CheckRandom(kF64, 300, 70, 2);
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

}  // namespace
}  // namespace axle

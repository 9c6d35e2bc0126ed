// How loops of any number of dimensions are walked, with a kernel in C++ in place of compiled code.
#include "axle/codegen/steps/loop_step.h"

#include <gtest/gtest.h>

#include <random>

namespace axle {
namespace {

using Int = std::int32_t;

// output = input 0 + 1000 * input 1, as compiled code would walk them.
void AddKernel(void* const* pointers, i64 inner, i64 outer, const i64* outer_strides,
               const i64* inner_strides) {
  const auto at = [&](int operand, i64 row, i64 k) {
    return reinterpret_cast<Int*>(static_cast<std::byte*>(pointers[operand]) +
                                  row * outer_strides[operand] + k * inner_strides[operand]);
  };
  for (i64 row = 0; row < outer; ++row) {
    for (i64 k = 0; k < inner; ++k) *at(2, row, k) += *at(0, row, k) + 1000 * *at(1, row, k);
  }
}

// Factors in one form: what Access promises.
Access MakeAccess(i64 offset, const Dims& sizes, const Dims& strides) {
  Access access{offset, {}};
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (!access.factors.empty() && access.factors.back().stride == sizes[d] * strides[d]) {
      access.factors.back() = {access.factors.back().size * sizes[d], strides[d]};
    } else {
      access.factors.push_back({sizes[d], strides[d]});
    }
  }
  return access;
}

i64 ElementAt(const Access& access, i64 k) {
  i64 element = access.offset;
  for (size_t f = access.factors.size(); f-- > 0; k /= access.factors[f].size) {
    element += k % access.factors[f].size * access.factors[f].stride;
  }
  return element;
}

// Walks the loop in `parts` pieces, in any order, and compares every position.
void ExpectWalked(const std::vector<Access>& inputs, i64 n, std::mt19937_64& random) {
  constexpr i64 kElements = 1 << 16;
  std::vector<Int> a(kElements), b(kElements), out(n, 0);
  for (i64 k = 0; k < kElements; ++k) a[k] = b[k] = static_cast<Int>(k);
  const Access whole = Access::Whole(n);
  const std::vector<const Access*> accesses = {&inputs[0], &inputs[1], &whole};
  const auto sizes = CommonSizes(accesses, n);
  ASSERT_TRUE(sizes.has_value());
  const std::vector<LoopOperand> operands = {{inputs[0], 4}, {inputs[1], 4}, {whole, 4}};
  const auto plan = PlanLoop(*sizes, operands);
  plan->kernel = &AddKernel;
  EXPECT_GE(plan->sizes.size(), 2u);
  RunContext run;
  run.stopped = [](const RunContext*) { return false; };
  // Each position is written once, however the tiles are split: the kernel adds.
  std::vector<i64> cuts = {0, plan->num_tiles};
  for (size_t c = random() % 4; c-- > 0;) {
    cuts.push_back(static_cast<i64>(random() % static_cast<size_t>(plan->num_tiles + 1)));
  }
  std::ranges::sort(cuts);
  std::vector<size_t> order(cuts.size() - 1);
  for (size_t p = 0; p < order.size(); ++p) order[p] = p;
  std::ranges::shuffle(order, random);
  void* const buffers[] = {a.data(), b.data(), out.data()};
  for (const size_t p : order) {
    ASSERT_EQ(RunLoop(&run, plan.get(), buffers, cuts[p], cuts[p + 1]), kKernelOk);
  }
  for (i64 k = 0; k < n; ++k) {
    ASSERT_EQ(out[k], ElementAt(inputs[0], k) + 1000 * ElementAt(inputs[1], k)) << k << " of " << n;
  }
}

TEST(LoopStep, StreamsWhatIsLargerThanCachesAndAligned) {
  constexpr i64 kMega = i64{1} << 20;
  const auto worth = [](const Dims& sizes, const std::vector<i64>& element_bytes,
                        size_t num_outputs, bool passes_once = false) {
    i64 positions = 1;
    for (const i64 size : sizes) positions *= size;
    std::vector<LoopOperand> operands;
    for (const i64 bytes : element_bytes) operands.push_back({Access::Whole(positions), bytes});
    const auto plan = PlanLoop(sizes, operands);
    i64 passed = 0;
    for (size_t i = 0; i < operands.size(); ++i) passed += PassedBytes(*plan, operands, i);
    return IsWorthStreaming(*plan, operands, num_outputs, passes_once ? passed : 0);
  };
  EXPECT_TRUE(worth({8 * kMega}, {4, 4}, 1));
  EXPECT_FALSE(worth({8 * kMega - 1}, {4, 4}, 1));
  EXPECT_TRUE(worth({8 * kMega + 1}, {4, 4}, 1));  // one row of any length
  EXPECT_TRUE(worth({1024, 8192}, {4, 4}, 1));     // each row at a multiple of 64
  EXPECT_FALSE(worth({1024, 8193}, {4, 4}, 1));    // or not
  EXPECT_TRUE(worth({2, 3, 5, 16 * kMega / 16}, {4, 4}, 1));
  EXPECT_FALSE(worth({8 * kMega}, {4, 4, 2}, 2));  // one is small
  EXPECT_TRUE(worth({16 * kMega}, {4, 4, 2, 4, 4}, 4));
  EXPECT_FALSE(worth({16 * kMega}, {4, 4, 2, 4, 4}, 5));  // too many at a time
  EXPECT_FALSE(worth({8 * kMega}, {4}, 0));
  // What one pass reads and writes fills the caches too.
  EXPECT_TRUE(worth({4 * kMega}, {4, 4, 4}, 1, true));
  EXPECT_FALSE(worth({4 * kMega}, {4, 4, 4}, 1, false));
  EXPECT_FALSE(worth({4 * kMega - 1}, {4, 4, 4}, 1, true));
  EXPECT_TRUE(worth({4 * kMega}, {4, 4, 4, 1}, 2, true));
  EXPECT_FALSE(worth({2 * kMega}, {8, 8, 8, 1}, 2, true));  // a result that is too small
}

TEST(LoopStep, WalksAnySizesAndStrides) {
  std::mt19937_64 random(5);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<size_t>(n)); };
  for (int trial = 0; trial < 300; ++trial) {
    Dims sizes;
    i64 n = 1;
    for (i64 d = below(6); d >= 0; --d) {
      const i64 size = 1 + below(trial % 10 == 0 ? 9000 : 8);
      if (n * size > 40000) continue;
      sizes.push_back(size);
      n *= size;
    }
    std::vector<Access> inputs;
    for (int i = 0; i < 2; ++i) {
      // A transposed, reversed, partly constant walk that stays inside of the array.
      Dims strides(sizes.size(), 0), order(sizes.size());
      for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<i64>(d);
      std::ranges::shuffle(order, random);
      i64 step = 1, offset = 0;
      for (const i64 d : order) {
        if (below(4) == 0 || step * sizes[d] > (1 << 16)) continue;
        strides[d] = step;
        if (below(4) == 0) {
          offset += (sizes[d] - 1) * step;
          strides[d] = -step;
        }
        step *= sizes[d];
      }
      inputs.push_back(MakeAccess(offset, sizes, strides));
    }
    ExpectWalked(inputs, n, random);
    if (HasFatalFailure()) return;
  }
}

TEST(LoopStep, LongRowsAndManyRows) {
  std::mt19937_64 random(6);
  for (const i64 n : {1, 4095, 4096, 4097, 50000}) {
    ExpectWalked({Access::Whole(n), Access::Uniform(n)}, n, random);
  }
  ExpectWalked({MakeAccess(0, {10000, 3}, {3, 0}), MakeAccess(2, {10000, 3}, {0, -1})}, 30000,
               random);
  ExpectWalked({MakeAccess(0, {3, 10000}, {0, 1}), MakeAccess(0, {3, 10000}, {1, 3})}, 30000,
               random);
}

TEST(LoopStep, InnerStridesChooseTheCode) {
  const Access whole = Access::Whole(12), one_of_all = Access::Uniform(12),
               row = MakeAccess(0, {4, 3}, {0, 1}), turned = MakeAccess(0, {4, 3}, {1, 4}),
               one_of_row = MakeAccess(0, {4, 3}, {1, 0});
  const std::vector<const Access*> inputs = {&whole, &one_of_all, &row, &turned, &one_of_row};
  EXPECT_EQ(InnerStrides(inputs, {4, 3}),
            (std::vector<InnerStride>{InnerStride::kUnit, InnerStride::kOne, InnerStride::kUnit,
                                      InnerStride::kAny, InnerStride::kUniform}));
  const Access one = Access::Whole(1);
  EXPECT_EQ(InnerStrides(std::vector<const Access*>{&one}, {}),
            (std::vector<InnerStride>{InnerStride::kUnit}));
}

// Counts its calls; the run is over after the first.
int calls = 0;
void CountKernel(void* const*, i64, i64, const i64*, const i64*) {
  ++calls;
}

TEST(LoopStep, LongLoopsLookWhetherTheyAreStopped) {
  RunContext run;
  run.stopped = [](const RunContext*) { return calls > 0; };
  Int unused = 0;
  void* const buffers[] = {&unused};
  const auto walk = [&](const Access& access, const Dims& sizes) {
    calls = 0;
    const auto plan = PlanLoop(sizes, std::vector<LoopOperand>{{access, 4}});
    plan->kernel = &CountKernel;
    return RunLoop(&run, plan.get(), buffers, 0, plan->num_tiles);
  };
  // One row, and many of them, of 16 million positions: stopped after a part.
  const i64 n = i64{1} << 24;
  EXPECT_EQ(walk(Access::Whole(n), {n}), kKernelStopped);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(walk(MakeAccess(0, {1 << 12, 1 << 12}, {1, 1 << 12}), {1 << 12, 1 << 12}),
            kKernelStopped);
  EXPECT_EQ(calls, 1);
  // What is over by then has run.
  EXPECT_EQ(walk(Access::Whole(1000), {1000}), kKernelOk);
}

}  // namespace
}  // namespace axle

// Reductions of what is made from smaller arrays: the loop that folds them reads these, and nothing
// of the size of the operand is in memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "axle/codegen/schedule/regions.h"
#include "axle/codegen/schedule/row_regions.h"
#include "axle/core/strings.h"
#include "tests/schedule/schedules.h"

namespace axle {
namespace {

constexpr std::string_view kReducers = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
)";

// p = x of the row times y of the column.
constexpr std::string_view kOuter = R"(
ENTRY e {
  x = f32[600] parameter(0)
  y = f32[1000] parameter(1)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  xs = f32[600,1000] broadcast(x), dimensions={0}
  ys = f32[600,1000] broadcast(y), dimensions={1}
  p = f32[600,1000] multiply(xs, ys)
)";
// The same with p of 4 MB.
constexpr std::string_view kLargeOuter = R"(
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[1024] parameter(1)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  xs = f32[1000,1024] broadcast(x), dimensions={0}
  ys = f32[1000,1024] broadcast(y), dimensions={1}
  p = f32[1000,1024] multiply(xs, ys)
)";

// Of rows of 20 elements.
constexpr std::string_view kShort = R"(
ENTRY e {
  x = f32[3000] parameter(0)
  y = f32[20] parameter(1)
  zero = f32[] constant(0)
  xs = f32[3000,20] broadcast(x), dimensions={0}
  ys = f32[3000,20] broadcast(y), dimensions={1}
  p = f32[3000,20] multiply(xs, ys)
)";

// "runs(p s) loop(r)": the regions, those with folds by their path.
std::string Regions(const Schedule& schedule) {
  return Join(schedule.regions, " ", [](const Region& region) {
    const LoopRegion* const loop = region.if_loop();
    std::string kind(Name(region.kind));
    if (loop != nullptr && !loop->folds.empty()) {
      const FoldPath path = loop->path();
      kind = path == FoldPath::kInOrder ? "in_order" : path == FoldPath::kRuns ? "runs" : "staged";
    }
    return StrCat(
        kind, "(",
        Join(region.instructions, " ", [](const Instruction* inst) { return inst->name(); }), ")");
  });
}

struct Made {
  std::string regions;
  i64 largest;        // bytes of a value that a region writes
  int num_large = 0;  // values of a MiB or more that are written
};
Made Make(std::string_view begin, std::string_view lines) {
  MadeSchedule made = ScheduleOfEntry(StrCat("HloModule m", kReducers, begin, lines, "}\n"));
  MakeRowRegions(made.schedule, /*num_threads=*/1);
  i64 largest = 0;
  int num_large = 0;
  for (const Region& region : made.schedule.regions) {
    for (const ValueId output : region.outputs) {
      const i64 bytes = made.schedule.values[output].bytes;
      largest = std::max(largest, bytes);
      num_large += bytes >= 1 << 20;
    }
  }
  return {Regions(made.schedule), largest, num_large};
}

void ExpectRegions(std::string_view begin, std::string_view lines, std::string_view regions,
                   i64 largest) {
  const Made made = Make(begin, lines);
  EXPECT_EQ(made.regions, regions) << lines;
  EXPECT_EQ(made.largest, largest) << lines;
}

TEST(SplitFolds, AnOuterProductIsFoldedAsItIsComputed) {
  ExpectRegions(kOuter, "ROOT s = f32[] reduce(p, zero), dimensions={0,1}, to_apply=add\n",
                "runs(p s)", 4);
  ExpectRegions(kOuter, "ROOT s = f32[] reduce(p, low), dimensions={0,1}, to_apply=max\n",
                "runs(p s)", 4);
  ExpectRegions(kOuter, "ROOT s = f32[600] reduce(p, zero), dimensions={1}, to_apply=add\n",
                "in_order(p s)", 2400);
  ExpectRegions(kOuter, "ROOT s = f32[1000] reduce(p, zero), dimensions={0}, to_apply=add\n",
                "in_order(p s)", 4000);
}

TEST(SplitFolds, SoIsWhatFollowsTheProduct) {
  ExpectRegions(kOuter, R"(
  d = f32[600,1000] subtract(p, xs)
  q = f32[600,1000] exponential(d)
  n = bf16[600,1000] convert(q)
  z = bf16[] constant(0)
  s = bf16[] reduce(n, z), dimensions={0,1}, to_apply=sum
  ROOT r = bf16[] negate(s)
)",
                "runs(p d q n s) loop(s r)", 4);
  // A causal mask: the indices are arrays of one dimension.
  ExpectRegions(kOuter, R"(
  i = s32[600] iota(), iota_dimension=0
  is = s32[600,1000] broadcast(i), dimensions={0}
  j = s32[1000] iota(), iota_dimension=0
  js = s32[600,1000] broadcast(j), dimensions={1}
  c = pred[600,1000] compare(is, js), direction=GE
  zeros = f32[600,1000] broadcast(zero), dimensions={}
  m = f32[600,1000] select(c, p, zeros)
  ROOT s = f32[] reduce(m, zero), dimensions={0,1}, to_apply=add
)",
                "evaluate(i) evaluate(j) runs(p c m s)", 4000);
}

TEST(SplitFolds, ReducedAndKeptDimensionsMayBeSeveralOfTheLoop) {
  constexpr std::string_view kCube = R"(
ENTRY e {
  x = f32[30,600] parameter(0)
  y = f32[50,600] parameter(1)
  zero = f32[] constant(0)
  xs = f32[30,50,600] broadcast(x), dimensions={0,2}
  ys = f32[30,50,600] broadcast(y), dimensions={1,2}
  p = f32[30,50,600] multiply(xs, ys)
)";
  ExpectRegions(kCube, "ROOT s = f32[30] reduce(p, zero), dimensions={1,2}, to_apply=add\n",
                "runs(p s)", 120);
  ExpectRegions(kCube, "ROOT s = f32[50] reduce(p, zero), dimensions={0,2}, to_apply=add\n",
                "runs(p s)", 200);
  ExpectRegions(kCube, "ROOT s = f32[600] reduce(p, zero), dimensions={0,1}, to_apply=add\n",
                "staged(p s)", 2400);
  ExpectRegions(kCube, "ROOT s = f32[50,600] reduce(p, zero), dimensions={0}, to_apply=add\n",
                "staged(p s)", 120000);
  // Short runs are copied in order.
  ExpectRegions(kShort, "ROOT s = f32[] reduce(p, zero), dimensions={0,1}, to_apply=add\n",
                "staged(p s)", 4);
}

TEST(SplitFolds, TheProductIsStoredOnTheWay) {
  ExpectRegions(kOuter, R"(
  s = f32[] reduce(p, zero), dimensions={0,1}, to_apply=add
  ROOT r = (f32[600,1000], f32[]) tuple(p, s)
)",
                "runs(p s)", 2400000);
  // Threads share the loop that stores p; they would not share a single sum whose operand is
  // copied in order.
  ExpectRegions(kShort, R"(
  s = f32[] reduce(p, zero), dimensions={0,1}, to_apply=add
  ROOT r = (f32[3000,20], f32[]) tuple(p, s)
)",
                "loop(p) in_order(s)", 240000);
}

TEST(SplitFolds, ALoopDoesNotTakeWhatMakesItsFoldHarderToRead) {
  // The sum of x is read as one run; with the bias the loop would have rows.
  ExpectRegions(R"(
ENTRY e {
  x = f32[600,1000] parameter(0)
  y = f32[1000] parameter(1)
  zero = f32[] constant(0)
  ys = f32[600,1000] broadcast(y), dimensions={1}
)",
                R"(
  s = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add
  b = f32[600,1000] add(x, ys)
  ROOT r = (f32[], f32[600,1000]) tuple(s, b)
)",
                "in_order(s) loop(b)", 2400000);
}

TEST(SplitFolds, AVarianceComputesTheProductTwice) {
  constexpr std::string_view kVariance = R"(
  s = f32[] reduce(p, zero), dimensions={0,1}, to_apply=add
  means = f32[1000,1024] broadcast(s), dimensions={}
  d = f32[1000,1024] subtract(p, means)
  q = f32[1000,1024] multiply(d, d)
  ROOT v = f32[] reduce(q, zero), dimensions={0,1}, to_apply=add
)";
  ExpectRegions(kLargeOuter, kVariance, "runs(p s) runs(p d q v)", 4);
  // The maximum of each column, and the denominators of a softmax.
  ExpectRegions(kLargeOuter, R"(
  m = f32[1024] reduce(p, low), dimensions={0}, to_apply=max
  ms = f32[1000,1024] broadcast(m), dimensions={1}
  d = f32[1000,1024] subtract(p, ms)
  q = f32[1000,1024] exponential(d)
  ROOT v = f32[1024] reduce(q, zero), dimensions={0}, to_apply=add
)",
                "in_order(p m) in_order(p d q v)", 4096);
  // With the square of p the chain is two operations long.
  ExpectRegions(kLargeOuter, R"(
  pp = f32[1000,1024] multiply(p, p)
  s = f32[] reduce(pp, zero), dimensions={0,1}, to_apply=add
  means = f32[1000,1024] broadcast(s), dimensions={}
  d = f32[1000,1024] subtract(pp, means)
  ROOT v = f32[] reduce(d, low), dimensions={0,1}, to_apply=max
)",
                "runs(p pp s) runs(p pp d v)", 4);
}

TEST(SplitFolds, SumsOverRowsAndOverColumnsReadTheArraysTwice) {
  ExpectRegions(kLargeOuter, R"(
  s = f32[1000] reduce(p, zero), dimensions={1}, to_apply=add
  t = f32[1024] reduce(p, zero), dimensions={0}, to_apply=add
  v = f32[] reduce(p, low), dimensions={0,1}, to_apply=max
  ROOT r = (f32[1000], f32[1024], f32[]) tuple(s, t, v)
)",
                "in_order(p s) in_order(p t) runs(p v)", 4096);
}

TEST(SplitFolds, WhatIsNotCheapIsStored) {
  // An exponential takes longer than to read it.
  ExpectRegions(kLargeOuter, R"(
  t = f32[1000,1024] exponential(p)
  s = f32[1024] reduce(t, zero), dimensions={0}, to_apply=add
  ss = f32[1000,1024] broadcast(s), dimensions={1}
  d = f32[1000,1024] subtract(t, ss)
  ROOT v = f32[1024] reduce(d, low), dimensions={0}, to_apply=max
)",
                "in_order(p t s) in_order(d v)", 4096000);
  // Of 4 MB that are read, 4 MB are made.
  ExpectRegions(R"(
ENTRY e {
  x = f32[1000,1024] parameter(0)
  zero = f32[] constant(0)
)",
                R"(
  t = f32[1000,1024] negate(x)
  s = f32[1024] reduce(t, zero), dimensions={0}, to_apply=add
  ss = f32[1000,1024] broadcast(s), dimensions={1}
  d = f32[1000,1024] subtract(t, ss)
  ROOT v = f32[1024] reduce(d, zero), dimensions={0}, to_apply=add
)",
                "in_order(t s) in_order(d v)", 4096000);
  // Another reader needs it in memory: here the result.
  const Made made = Make(kLargeOuter, R"(
  s = f32[1024] reduce(p, zero), dimensions={0}, to_apply=add
  ss = f32[1000,1024] broadcast(s), dimensions={1}
  d = f32[1000,1024] subtract(p, ss)
  v = f32[1024] reduce(d, zero), dimensions={0}, to_apply=add
  ROOT r = (f32[1024], f32[1000,1024]) tuple(v, p)
)");
  EXPECT_EQ(made.regions, "in_order(p s) in_order(d v)");
  EXPECT_EQ(made.largest, 4096000);
}

// Sums of several columns, each after the one before: a value is computed again four times, and
// then stored.
TEST(SplitFolds, AValueIsComputedAgainAFewTimesOnly) {
  std::string lines;
  constexpr int kSums = 7;
  for (int k = 0; k < kSums; ++k) {
    const std::string before = k == 0 ? "p" : StrCat("d", k);
    StrAppend(lines, "  r", k, " = f32[1024] reduce(", before,
              ", zero), dimensions={0}, to_apply=add\n  t", k, " = f32[1000,1024] broadcast(r", k,
              "), dimensions={1}\n  d", k + 1, " = f32[1000,1024] subtract(p, t", k, ")\n");
  }
  StrAppend(lines, "  ROOT v = f32[1024] reduce(d", kSums,
            ", zero), dimensions={0}, to_apply=add\n");
  const Made made = Make(kLargeOuter, lines);
  EXPECT_EQ(made.regions,
            "in_order(p r0) in_order(p d1 r1) in_order(p d2 r2) in_order(p d3 r3) "
            "in_order(p d4 r4) in_order(d5 r5) in_order(d6 r6) in_order(d7 v)");
  EXPECT_EQ(made.largest, 4096000);
}

// q is stored, because a dot reads it too; what only q is made of is not wanted again.
TEST(SplitFolds, WhatIsBelowAStoredValueIsNotComputedAgain) {
  const Made made = Make(kLargeOuter, R"(
  r = f32[1000,1024] negate(p)
  q = f32[1000,1024] add(r, ys)
  w = f32[1000,1024] multiply(q, p)
  s = f32[1024] reduce(w, zero), dimensions={0}, to_apply=add
  t = f32[1000,1024] broadcast(s), dimensions={1}
  d = f32[1000,1024] subtract(w, t)
  o = f32[1000] dot(q, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT both = (f32[1000,1024], f32[1000]) tuple(d, o)
)");
  EXPECT_EQ(made.regions, "in_order(p r q w s) contraction(o) loop(p w d)");
  EXPECT_EQ(made.num_large, 2);  // q and d
}

TEST(SplitFolds, SumsOfSumsRunByTheRowsOfTheSecond) {
  constexpr std::string_view kDistances = R"(
ENTRY e {
  x = f32[300,64] parameter(0)
  y = f32[500,64] parameter(1)
  zero = f32[] constant(0)
  xs = f32[300,500,64] broadcast(x), dimensions={0,2}
  ys = f32[300,500,64] broadcast(y), dimensions={1,2}
  d = f32[300,500,64] subtract(xs, ys)
  q = f32[300,500,64] multiply(d, d)
  s = f32[300,500] reduce(q, zero), dimensions={2}, to_apply=add
)";
  ExpectRegions(kDistances, "ROOT t = f32[300] reduce(s, zero), dimensions={1}, to_apply=add\n",
                "rows(d q s t)", 1200);
  // Every row is part of each sum.
  ExpectRegions(kDistances, "ROOT t = f32[500] reduce(s, zero), dimensions={0}, to_apply=add\n",
                "in_order(d q s) in_order(t)", 600000);
}

}  // namespace
}  // namespace axle

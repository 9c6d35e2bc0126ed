// Which loops run together over blocks of rows, and that they give the interpreter's bits then, for
// any number and length of rows, with one thread and with several.
#include "axle/codegen/schedule/row_regions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"
#include "tests/schedule/schedules.h"
#include "tests/skips.h"

namespace axle {
namespace {

constexpr std::string_view kReducers =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n";

// The lines of a program; R and C in shapes stand for the number and the length of rows. The last
// line is the root if none says that it is.
std::string Program(std::string_view lines, i64 rows, i64 columns, std::string_view config = "") {
  std::string text = StrCat("HloModule m", config, "\n", kReducers, "ENTRY e {\n",
                            "  zero = f32[] constant(0)\n  low = f32[] constant(-inf)\n");
  char before = ' ';
  for (const char c : lines) {
    const bool is_size = (c == 'R' || c == 'C') && (before == '[' || before == ',');
    StrAppend(text, is_size ? StrCat(c == 'R' ? rows : columns) : std::string(1, c));
    before = c;
  }
  return text + "}\n";
}

constexpr std::string_view kSoftmax = R"(
  x = f32[R,C] parameter(0)
  top = f32[R] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[R,C] broadcast(top), dimensions={0}
  d = f32[R,C] subtract(x, tops)
  e = f32[R,C] exponential(d)
  s = f32[R] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[R,C] broadcast(s), dimensions={0}
  q = f32[R,C] divide(e, sums)
)";
constexpr std::string_view kLayerNorm = R"(
  x = f32[R,C] parameter(0)
  gain = f32[C] parameter(1)
  part = f32[] constant(0.01)
  parts = f32[R] broadcast(part), dimensions={}
  s = f32[R] reduce(x, zero), dimensions={1}, to_apply=add
  mean = f32[R] multiply(s, parts)
  means = f32[R,C] broadcast(mean), dimensions={0}
  d = f32[R,C] subtract(x, means)
  dd = f32[R,C] multiply(d, d)
  v = f32[R] reduce(dd, zero), dimensions={1}, to_apply=add
  f = f32[R] rsqrt(v)
  fs = f32[R,C] broadcast(f), dimensions={0}
  gains = f32[R,C] broadcast(gain), dimensions={1}
  n = f32[R,C] multiply(d, fs)
  q = f32[R,C] multiply(n, gains)
)";
constexpr std::string_view kSoftmaxRoot = "  root = f32[R,C] add(q, q)\n";

MadeSchedule ScheduleOf(const std::string& text, int num_threads = 1) {
  MadeSchedule made = ScheduleOfEntry(text);
  MakeRowRegions(made.schedule, num_threads);
  return made;
}

// "rows5 loop": the kinds of regions, with the number of loops of those of rows.
std::string Kinds(const Schedule& schedule) {
  return Join(schedule.regions, " ", [](const Region& region) {
    return region.kind == RegionKind::kRows ? StrCat("rows", region.rows().loops.size())
                                            : std::string(Name(region.kind));
  });
}

std::string KindsOf(std::string_view lines, i64 rows = 64, i64 columns = 1000) {
  return Kinds(ScheduleOf(Program(lines, rows, columns)).schedule);
}

TEST(RowRegions, ASoftmaxIsOneRegionWhoseExponentialsLieWhereItsResultWill) {
  const MadeSchedule made = ScheduleOf(Program(kSoftmax, 64, 1000));
  ASSERT_EQ(Kinds(made.schedule), "rows3");
  const Region& region = made.schedule.regions[0];
  EXPECT_EQ(region.rows().rows, 64);
  EXPECT_LT(region.rows().rows_per_block, 8);
  EXPECT_EQ(region.inputs.size(), 1u);
  EXPECT_EQ(region.outputs.size(), 1u);
  ASSERT_EQ(region.rows().locals.size(), 3u);  // two folds and the exponentials
  for (const RowLocal& local : region.rows().locals) {
    EXPECT_EQ(local.row_bytes, local.output ? 4000 : 4);
    EXPECT_EQ(local.output.value_or(0), 0u);
  }
  EXPECT_EQ(std::ranges::count_if(region.rows().locals,
                                  [](const auto& l) { return l.output.has_value(); }),
            1);
  EXPECT_LT(region.rows().local_bytes, 4096);
  // The result may lie where x lies: it is written after the last loop that reads it.
  ASSERT_EQ(region.in_place.size(), 1u);
}

// The result is written past the caches.
TEST(RowRegions, TheExponentialsOfALargeSoftmaxAreInABlockOfRows) {
  const MadeSchedule made = ScheduleOf(Program(kSoftmax, 1 << 14, 1000));
  const Region& region = made.schedule.regions[0];
  EXPECT_TRUE(std::ranges::none_of(region.rows().locals,
                                   [](const auto& l) { return l.output.has_value(); }));
  EXPECT_GE(region.rows().local_bytes, 4000);
  EXPECT_LT(region.rows().local_bytes, 64 * 1024);
}

// Not in the place of x, then: it is still read when the exponentials are written.
TEST(RowRegions, WhatLiesInTheResultsPlaceKeepsItFromThatOfAnInput) {
  const MadeSchedule made =
      ScheduleOf(Program(StrCat(kSoftmax, "  root = f32[R,C] multiply(q, x)\n"), 64, 1000));
  ASSERT_EQ(Kinds(made.schedule), "rows3");
  const Region& region = made.schedule.regions[0];
  EXPECT_TRUE(
      std::ranges::any_of(region.rows().locals, [](const auto& l) { return l.output == 0u; }));
  EXPECT_TRUE(region.in_place.empty());
}

TEST(RowRegions, ALayerNormIsOneRegionAndItsGainIsReadByAllRows) {
  EXPECT_EQ(KindsOf(kLayerNorm), "rows5");
}

// By the loop that has most to compute; by a short one only what is not in a cache anyway.
TEST(RowRegions, TheNextBlockIsFetchedEarly) {
  using Fetches = std::vector<std::vector<i64>>;
  const auto fetches_of = [](std::string_view lines, i64 rows) {
    const MadeSchedule made = ScheduleOf(Program(lines, rows, 1000));
    const Region& region = made.schedule.regions[0];
    Fetches fetches;
    for (const Region& loop : region.rows().loops) fetches.push_back(loop.loop().fetches);
    // Whole steps of 4 KiB, at least as much as the block has.
    return std::pair(fetches, (region.rows().rows_per_block * 4000 + 4095) / 4096 * 4096);
  };
  const auto [softmax, softmax_block] = fetches_of(kSoftmax, 64);
  EXPECT_EQ(softmax, (Fetches{{}, {softmax_block, 0}, {}}));
  const auto [small, small_block] = fetches_of(kLayerNorm, 64);
  EXPECT_EQ(small, (Fetches{{}, {}, {}, {}, {}}));
  const auto [large, large_block] = fetches_of(kLayerNorm, 1024);
  // Its last loop, which writes the result, is short: the first one fetches the place of that.
  EXPECT_EQ(large, (Fetches{{0, LoopKernelSpec::kFetchesPlace}, {}, {large_block, 0}, {}, {}}));
  // The exponentials of a softmax are the first to lie there, and take long.
  const auto [far, far_block] = fetches_of(kSoftmax, 1024);
  EXPECT_EQ(far, (Fetches{{}, {far_block, 0}, {}}));
  // There is no other block.
  EXPECT_EQ(fetches_of(kSoftmax, 2).first, (Fetches{{}, {}, {}}));
}

TEST(RowRegions, WhatReadsOtherRowsOrHasOtherRowsComesAfter) {
  // The rows in reverse order.
  EXPECT_EQ(KindsOf(StrCat(kSoftmax, R"(
  w = f32[R,C] reverse(q), dimensions={0}
  root = f32[R,C] add(w, x)
)")),
            "rows3 loop");
  // Each row in reverse order: elements apart are moved first, if there are many.
  EXPECT_EQ(KindsOf(StrCat(kSoftmax, R"(
  w = f32[R,C] reverse(q), dimensions={1}
  root = f32[R,C] add(w, x)
)"),
                    9, 20),
            "rows4");
  // The quotients are computed where their columns are added up.
  EXPECT_EQ(KindsOf(StrCat(kSoftmax, R"(
  root = f32[C] reduce(q, zero), dimensions={0}, to_apply=add
)")),
            "rows2 loop");
}

TEST(RowRegions, LongRowsRunOnTheirOwn) {
  EXPECT_EQ(KindsOf(kSoftmax, 4, 1 << 20), "loop loop loop");
}

TEST(RowRegions, OneRowIsNoRegionOfRows) {
  EXPECT_EQ(KindsOf(kSoftmax, 1, 1000), "loop loop loop");
}

TEST(RowRegions, WhatARegionNeedsComesBeforeIt) {
  // The product is done between the two reductions, and the second one needs it.
  const MadeSchedule made = ScheduleOf(Program(R"(
  x = f32[R,C] parameter(0)
  y = f32[R,8] parameter(1)
  z = f32[8,C] parameter(2)
  top = f32[R] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[R,C] broadcast(top), dimensions={0}
  p = f32[R,C] dot(y, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[R,C] subtract(p, tops)
  e = f32[R,C] exponential(d)
  s = f32[R] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[R,C] broadcast(s), dimensions={0}
  q = f32[R,C] divide(e, sums)
)",
                                               64, 1000));
  EXPECT_EQ(Kinds(made.schedule), "contraction rows3");
}

TEST(RowRegions, WhatKeepsItsOrderIsPassedBy) {
  constexpr std::string_view kLines = R"(
  x = f32[R,C] parameter(0)
  a = f32[C,C] parameter(1)
  top = f32[R] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[R,C] broadcast(top), dimensions={0}
  k = f32[C,C] cholesky(a)
  d = f32[R,C] subtract(%OPERAND%, tops)
  e = f32[R,C] exponential(d)
  s = f32[R] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[R,C] broadcast(s), dimensions={0}
  q = f32[R,C] divide(e, sums)
  ROOT both = (f32[R,C], f32[C,C]) tuple(q, k)
)";
  const auto reading = [&](std::string_view operand) {
    return std::regex_replace(std::string(kLines), std::regex("%OPERAND%"), std::string(operand));
  };
  EXPECT_EQ(KindsOf(reading("x"), 64, 64), "rows3 evaluate");
  EXPECT_EQ(KindsOf(reading("k"), 64, 64), "loop evaluate rows2");
  // What needs it through something that could move.
  EXPECT_EQ(KindsOf(std::regex_replace(reading("kk"), std::regex("  d = "),
                                       "  kk = f32[C,C] reverse(k), dimensions={0}\n  d = "),
                    64, 64),
            "loop evaluate rows2");
  // Needed from behind it: a product that comes first.
  EXPECT_EQ(KindsOf(R"(
  x = f32[R,C] parameter(0)
  a = f32[C,C] parameter(1)
  top = f32[R] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[R,C] broadcast(top), dimensions={0}
  k = f32[C,C] cholesky(a)
  p = f32[R,C] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[R,C] subtract(p, tops)
  e = f32[R,C] exponential(d)
  ROOT both = (f32[R,C], f32[C,C]) tuple(e, k)
)",
                    64, 64),
            "contraction rows2 evaluate");
}

TEST(RowRegions, ThreadsHaveSeveralBlocksEach) {
  const MadeSchedule made = ScheduleOf(Program(kSoftmax, 64, 16), 4);
  ASSERT_EQ(made.schedule.regions.size(), 1u);
  EXPECT_EQ(made.schedule.regions[0].rows().rows_per_block, 4);
}

class RowRunTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { AXLE_SKIP_WITHOUT_CODEGEN(); }

  static Literal Numbers(const Shape& shape) {
    Literal literal{shape};
    std::uint32_t state = 7;
    i64 i = 0;
    for (float& x : literal.mutable_data<float>()) {
      state = state * 1664525 + 1013904223;
      x = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-29F;
      if (i % 101 == 57) x = -0.0F;
      if (i % 5003 == 3000) x = i % 2 == 0 ? INFINITY : NAN;
      ++i;
    }
    return literal;
  }

  static void ExpectSame(const std::string& text) {
    const auto client = Client::Create({.num_threads = GetParam()});
    ASSERT_TRUE(client.ok());
    std::vector<Literal> arguments, results;
    for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
      const auto executable = (*client)->Compile(text, {.engine = engine});
      ASSERT_TRUE(executable.ok()) << executable.status().message() << "\n" << text;
      const HloComputation& entry = *(*executable)->module().entry();
      if (arguments.empty()) {
        for (const auto* parameter : entry.parameters()) {
          arguments.push_back(Numbers(parameter->shape()));
        }
      }
      auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().message();
      results.push_back(*std::move(result));
    }
    const auto difference = FirstDifference(results[0], results[1]);
    EXPECT_FALSE(difference) << difference->ToString() << "\n" << text;
  }

  static void ExpectSameForAllSizes(std::string_view lines, std::string_view config = "") {
    for (const i64 rows : {2, 3, 65, 700}) {
      for (const i64 columns : {1, 2, 17, 64, 1030}) {
        ExpectSame(Program(lines, rows, columns, config));
      }
    }
    ExpectSame(Program(lines, 9, 5000, config));  // more than a chunk of a sum
  }
};

TEST_P(RowRunTest, Softmax) {
  ExpectSameForAllSizes(kSoftmax);
}

TEST_P(RowRunTest, SoftmaxInPlace) {
  ExpectSameForAllSizes(StrCat(kSoftmax, kSoftmaxRoot),
                        ", input_output_alias={ {}: (0, {}, may-alias) }");
}

TEST_P(RowRunTest, SoftmaxThatReadsItsArgumentAtTheEnd) {
  ExpectSameForAllSizes(StrCat(kSoftmax, "  root = f32[R,C] multiply(q, x)\n"),
                        ", input_output_alias={ {}: (0, {}, may-alias) }");
}

TEST_P(RowRunTest, PastWhatKeepsItsOrder) {
  constexpr std::string_view kLines = R"(
  x = f32[R,C] parameter(0)
  a = f32[8,8] parameter(1)
  top = f32[R] reduce(x, low), dimensions={1}, to_apply=max
  k = f32[8,8] cholesky(a)
  tops = f32[R,C] broadcast(top), dimensions={0}
  d = f32[R,C] subtract(x, tops)
  s = f32[R] reduce(d, zero), dimensions={1}, to_apply=add
  corner = f32[1,1] slice(k), slice={[0:1], [0:1]}
  one = f32[] reshape(corner)
  ones = f32[R] broadcast(one), dimensions={}
  late = f32[R] add(s, ones)
  ROOT all = (f32[R,C], f32[R], f32[8,8]) tuple(d, late, k)
)";
  ExpectSameForAllSizes(kLines);
  ExpectSameForAllSizes(kLines, ", input_output_alias={ {0}: (0, {}, may-alias) }");
}

TEST_P(RowRunTest, LayerNorm) {
  ExpectSameForAllSizes(kLayerNorm);
}

// Values of the region are results too, or read by others later; rows reversed, and one row later.
TEST_P(RowRunTest, ResultsOnTheWay) {
  ExpectSameForAllSizes(StrCat(kSoftmax, R"(
  w = f32[R,C] reverse(e), dimensions={1}
  t = f32[R,C] multiply(w, q)
  m = f32[R] reduce(t, zero), dimensions={1}, to_apply=add
  c = f32[C] reduce(q, zero), dimensions={0}, to_apply=add
  o = f32[R,C] reverse(q), dimensions={0}
  g = f32[R,C] subtract(o, t)
  ROOT r = (f32[R,C], f32[R], f32[C], f32[R,C], f32[R]) tuple(e, m, c, g, s)
)"));
}

// The gradient of a softmax, from its result.
TEST_P(RowRunTest, Gradient) {
  ExpectSameForAllSizes(StrCat(kSoftmax, R"(
  y = f32[R,C] parameter(1)
  p = f32[R,C] multiply(y, q)
  t = f32[R] reduce(p, zero), dimensions={1}, to_apply=add
  ts = f32[R,C] broadcast(t), dimensions={0}
  u = f32[R,C] subtract(y, ts)
  v = f32[R,C] multiply(u, q)
)"));
}

// Rows of matrices: the reduced dimension is not the last one.
TEST_P(RowRunTest, ColumnsOfEachMatrix) {
  ExpectSameForAllSizes(R"(
  x = f32[R,20,C] parameter(0)
  top = f32[R,C] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[R,20,C] broadcast(top), dimensions={0,2}
  d = f32[R,20,C] subtract(x, tops)
  s = f32[R,C] reduce(d, zero), dimensions={1}, to_apply=add
  sums = f32[R,20,C] broadcast(s), dimensions={0,2}
  q = f32[R,20,C] multiply(d, sums)
  n = f32[R] reduce(q, zero), dimensions={1,2}, to_apply=add
  ROOT r = (f32[R,20,C], f32[R]) tuple(q, n)
)");
}

INSTANTIATE_TEST_SUITE_P(Threads, RowRunTest, testing::Values(1, 2, 7));

}  // namespace
}  // namespace axle

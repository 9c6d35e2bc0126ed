// Gathers as parts of loops: what joins them, what they read, and what they leave alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "axle/core/strings.h"
#include "tests/schedule/schedules.h"

namespace axle {
namespace {

std::string Regions(const Schedule& schedule) {
  return Join(schedule.regions, " ", [](const Region& region) {
    return StrCat(
        Name(region.kind), "(",
        Join(region.instructions, " ", [](const Instruction* inst) { return inst->name(); }), ")");
  });
}
std::string Regions(const std::string& text) {
  return Regions(ScheduleOfEntry(text).schedule);
}

constexpr std::string_view kElements =
    "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
    "slice_sizes={1}";

TEST(GatherRegions, AGatherIsALoopThatReadsItsTableAnywhere) {
  const MadeSchedule made = ScheduleOfEntry(StrCat(R"(
ENTRY e {
  t = f32[256] parameter(0)
  i = s32[1000] parameter(1)
  ROOT g = f32[1000] gather(t, i), )",
                                                   kElements, "\n}"));
  ASSERT_EQ(Regions(made.schedule), "loop(g)");
  const Region& region = made.schedule.regions[0];
  ASSERT_EQ(region.inputs.size(), 2u);
  const auto table = std::ranges::find_if(region.inputs, &RegionInput::is_table);
  ASSERT_NE(table, region.inputs.end());
  EXPECT_EQ(table->value, made.schedule.arguments[0]);
  EXPECT_TRUE(table->access.IsUniform());
  EXPECT_EQ(std::ranges::count_if(region.inputs, &RegionInput::is_table), 1);
}

TEST(GatherRegions, IndicesAreComputedAndElementsAreUsedInOneLoop) {
  const MadeSchedule made = ScheduleOfEntry(StrCat(R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  t = f32[256] parameter(0)
  i = s32[40,30] parameter(1)
  x = f32[40,30] parameter(2)
  n = s32[40,30] negate(i)
  v = s32[40,30,1] reshape(n)
  g = f32[40,30] gather(t, v), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
      index_vector_dim=2, slice_sizes={1}
  m = f32[40,30] multiply(g, x)
  z = f32[] constant(0)
  ROOT s = f32[40] reduce(m, z), dimensions={1}, to_apply=add
})"));
  ASSERT_EQ(Regions(made.schedule), "loop(n g m s)");
  EXPECT_EQ(made.schedule.regions[0].outputs.size(), 1u);  // neither indices nor elements
}

// What is staged is copied by accesses, which do not say what is read of a table.
TEST(GatherRegions, StagedReductionsReadWhatWasGathered) {
  EXPECT_EQ(Regions(R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  t = f32[8,9] parameter(0)
  i = s32[100] parameter(1)
  z = f32[] constant(0)
  g = f32[8,5,100] gather(t, i), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={1},
      index_vector_dim=1, slice_sizes={8,5}
  ROOT s = f32[5] reduce(g, z), dimensions={0,2}, to_apply=add
})"),
            "loop(g) loop(s)");
}

TEST(GatherRegions, GathersByTheSameIndicesShareALoop) {
  EXPECT_EQ(Regions(StrCat(R"(
ENTRY e {
  t = f32[256] parameter(0)
  u = f32[256] parameter(1)
  i = s32[1000] parameter(2)
  g = f32[1000] gather(t, i), )",
                           kElements, "\n  h = f32[1000] gather(u, i), ", kElements,
                           "\n  ROOT r = (f32[1000], f32[1000]) tuple(g, h)\n}")),
            "loop(g h)");
}

TEST(GatherRegions, ATableIsInMemoryFirst) {
  const MadeSchedule made = ScheduleOfEntry(StrCat(R"(
ENTRY e {
  t = f32[1000] parameter(0)
  i = s32[1000] parameter(1)
  n = f32[1000] negate(t)
  g = f32[1000] gather(n, i), )",
                                                   kElements, R"(
  ROOT a = f32[1000] add(g, n)
})"));
  ASSERT_EQ(Regions(made.schedule), "loop(n) loop(g a)");
  // The sum may not take the place of n, which other positions still read.
  EXPECT_TRUE(std::ranges::none_of(made.schedule.regions[1].in_place, [&](const InPlacePair& pair) {
    return made.schedule.regions[1].inputs[pair.input].value == made.schedule.regions[0].outputs[0];
  }));
}

TEST(GatherRegions, IndexVectorsNeedNotBePutTogether) {
  constexpr std::string_view kText = R"(
ENTRY e {
  t = f32[20,30] parameter(0)
  i = s32[400] parameter(1)
  j = s32[400] parameter(2)
  k = s32[400] add(i, j)
  a = s32[400,1] reshape(i)
  b = s32[400,1] reshape(k)
  v = s32[400,2] concatenate(a, b), dimensions={1}
  g = f32[400] gather(t, v), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1},
      index_vector_dim=1, slice_sizes={1,1}
)";
  EXPECT_EQ(Regions(StrCat(kText, "  ROOT n = f32[400] negate(g)\n}")), "loop(k g n)");
  // Unless somebody else reads them.
  EXPECT_EQ(Regions(StrCat(kText, "  ROOT r = (f32[400], s32[400,2]) tuple(g, v)\n}")),
            "loop(k) move(v) loop(g)");
}

TEST(GatherRegions, RowsOfATableAreReadInPlace) {
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  t = f32[100,8] parameter(0)
  i = s32[50,1] parameter(1)
  x = f32[50,8] parameter(2)
  g = f32[50,8] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
      index_vector_dim=1, slice_sizes={1,8}
  ROOT a = f32[50,8] add(g, x)
})");
  ASSERT_EQ(Regions(made.schedule), "loop(g a)");
  for (const RegionInput& input : made.schedule.regions[0].inputs) {
    if (!input.is_table) continue;
    EXPECT_EQ(input.access.factors, (std::vector<AccessFactor>{{50, 0}, {8, 1}}));
  }
}

TEST(GatherRegions, FewElementsAreMoved) {
  EXPECT_EQ(Regions(StrCat(R"(
ENTRY e {
  t = f32[256] parameter(0)
  i = s32[10] parameter(1)
  ROOT g = f32[10] gather(t, i), )",
                           kElements, "\n}")),
            "move(g)");
}

// Index arrays that are read in different orders have no dimensions in common.
TEST(GatherRegions, WhatHasNoCommonSizesIsMoved) {
  const std::string regions = Regions(R"(
ENTRY e {
  t = f32[20,30] parameter(0)
  i = s32[13,10] parameter(1)
  j = s32[5,26] parameter(2)
  k = s32[10,13] transpose(i), dimensions={1,0}
  l = s32[26,5] transpose(j), dimensions={1,0}
  a = s32[130,1] reshape(k)
  b = s32[130,1] reshape(l)
  v = s32[130,2] concatenate(a, b), dimensions={1}
  ROOT g = f32[130] gather(t, v), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1},
      index_vector_dim=1, slice_sizes={1,1}
})");
  EXPECT_EQ(regions, "move(a) move(b) move(v) move(g)");
}

}  // namespace
}  // namespace axle

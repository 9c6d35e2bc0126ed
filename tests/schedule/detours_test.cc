// Detours in the computations that an instruction applies to elements: what only renames a scalar
// does not change how the instruction runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/schedule/schedules.h"

namespace axle {
namespace {

// The kinds of the regions of the entry, after the passes.
std::vector<std::string> KindsOf(const std::string& text) {
  const auto parsed = Parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message() << text;
  if (!parsed.ok()) return {};
  const auto module = RunPipeline(**parsed, {});
  EXPECT_TRUE(module.ok()) << module.status().message();
  const MadeSchedule made = ScheduleOfEntry(Print(**module));
  std::vector<std::string> kinds;
  for (const Region& region : made.schedule.regions) kinds.emplace_back(Name(region.kind));
  return kinds;
}

// In a computation of a and b, which gives r of them: c stands for a.
constexpr std::string_view kDetours[] = {
    "c = f32[] reshape(a)",
    "c = f32[] transpose(a), dimensions={}",
    "c = f32[] broadcast(a), dimensions={}",
    "c = f32[] bitcast(a)",
    "i = s32[] bitcast(a) c = f32[] bitcast(i)",
    "w = f32[1] reshape(a) v = f32[1,1] broadcast(w), dimensions={1} c = f32[] bitcast(v)",
    "t = (f32[], f32[]) tuple(a, b) c = f32[] get-tuple-element(t), index=0",
    "t = (f32[], f32[]) tuple(b, a) u = (f32[], f32[]) opt-barrier(t) "
    "c = f32[] get-tuple-element(u), index=1",
    "c = f32[] call(a), to_apply=same",
    "c = f32[] fusion(a), kind=kLoop, calls=same",
};

TEST(Detours, ChangeNoRegion) {
  constexpr std::string_view kSum = "ROOT r = f32[] add(c, b)";
  constexpr std::string_view kLess = "ROOT r = pred[] compare(c, b), direction=LT";
  const struct {
    std::string_view result, entry;
  } programs[] = {
      {kLess, "ROOT r = f32[1000] sort(x), dimensions={0}, to_apply=f"},
      {kSum, "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f"},
      {kSum, "ROOT r = f32[990] reduce-window(x, z), window={size=11}, to_apply=f"},
      {kSum,
       "i = s32[50,1] parameter(1) u = f32[50] parameter(2) ROOT r = f32[1000] scatter(x, i, u), "
       "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
       "index_vector_dim=1, to_apply=f"},
      {kSum, "ROOT r = f32[1000] map(x, x), dimensions={0}, to_apply=f"},
  };
  for (const auto& [result, entry] : programs) {
    const auto text = [&](std::string_view detour, std::string_view of_result) {
      return StrCat("HloModule m\nsame { ROOT x = f32[] parameter(0) }\n",
                    "f { a = f32[] parameter(0) b = f32[] parameter(1) ", detour, " ", of_result,
                    " }\nENTRY e { x = f32[1000] parameter(0) z = f32[] constant(0) ", entry,
                    " }\n");
    };
    const std::vector<std::string> expected = KindsOf(text("c = f32[] copy(a)", result));
    EXPECT_EQ(std::ranges::count(expected, "evaluate"), 0) << entry;
    for (const std::string_view detour : kDetours) {
      EXPECT_EQ(KindsOf(text(detour, result)), expected) << detour << " in " << entry;
    }
  }
}

}  // namespace
}  // namespace axle

// Move steps against the evaluator of index maps.
#include "axle/codegen/steps/move_step.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "axle/codegen/steps/literal_run.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

struct Move {
  std::unique_ptr<Module> module;
  Schedule schedule;
  std::shared_ptr<const MovePlan> plan;

  const Instruction& inst() const { return *schedule.regions.back().instructions[0]; }
};

// The last region of the program, a move.
Move PlanOf(const std::string& text) {
  Move move;
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  move.module = *std::move(module);
  auto schedule = MakeSchedule(*move.module->entry());
  EXPECT_TRUE(schedule.ok());
  move.schedule = *std::move(schedule);
  EXPECT_EQ(move.schedule.regions.back().kind, RegionKind::kMove);
  move.plan = PlanMove(move.schedule.regions.back(), move.schedule);
  return move;
}

Literal Numbered(const Shape& shape, std::int32_t first) {
  Literal literal{shape};
  for (std::int32_t& element : literal.mutable_data<std::int32_t>()) element = first++;
  return literal;
}

// Runs the move of an entry whose parameters are its operands.
void ExpectMoved(const std::string& text, std::vector<Literal> operands) {
  SCOPED_TRACE(text);
  const Move move = PlanOf(text);
  const Instruction& inst = move.inst();
  std::vector<void*> buffers;
  for (const Literal& operand : operands)
    buffers.push_back(const_cast<std::byte*>(operand.bytes()));
  Literal result{inst.shape()};
  std::memset(result.mutable_bytes(), 0x77, static_cast<size_t>(result.num_bytes()));
  buffers.push_back(result.mutable_bytes());
  HostRun run;
  // In two calls, the later tiles first.
  const i64 tiles = move.plan->num_tiles, half = tiles / 2;
  ASSERT_EQ(RunMove(&run, move.plan.get(), buffers.data(), half, tiles), kKernelOk);
  if (half > 0) {
    ASSERT_EQ(RunMove(&run, move.plan.get(), buffers.data(), 0, half), kKernelOk);
  }
  const auto expected = EvaluateIndexMap(GetOpDef(inst).index_map(inst), inst.shape(), operands);
  ASSERT_TRUE(expected.ok());
  EXPECT_TRUE(result == *expected) << result.ToString() << " " << expected->ToString();
}

TEST(MoveStep, EveryKindOfMap) {
  const Literal array = Numbered(Shape(S32, {4, 5}), 1), row = Numbered(Shape(S32, {5}), 100),
                scalar = Numbered(Shape(S32, {}), 2);
  // Maps of one piece: by the access of the region.
  ExpectMoved(
      "ENTRY e { x = s32[4,5] parameter(0) "
      "ROOT r = s32[5,4] transpose(x), dimensions={1,0} }",
      {array});
  ExpectMoved(
      "ENTRY e { x = s32[4,5] parameter(0) "
      "ROOT r = s32[2,2] slice(x), slice={[1:4:2],[2:4]} }",
      {array});
  ExpectMoved(
      "ENTRY e { x = s32[5] parameter(0) "
      "ROOT r = s32[3,5,2] broadcast(x), dimensions={1} }",
      {row});
  ExpectMoved(
      "ENTRY e { x = s32[4,5] parameter(0) "
      "ROOT r = s32[4,5] reverse(x), dimensions={0,1} }",
      {array});
  // Maps of several pieces, of moved ones, of none.
  ExpectMoved(
      "ENTRY e { x = s32[4,5] parameter(0) p = s32[] parameter(1) "
      "ROOT r = s32[7,6] pad(x, p), padding=1_2x0_1 }",
      {array, scalar});
  ExpectMoved(
      "ENTRY e { x = s32[5] parameter(0) y = s32[5] parameter(1) "
      "ROOT r = s32[10] concatenate(x, y), dimensions={0} }",
      {row, Numbered(Shape(S32, {5}), 7)});
  for (const std::int32_t start : {-3, 0, 2, 99}) {
    const Literal at = Numbered(Shape(S32, {}), start);
    ExpectMoved(
        "ENTRY e { x = s32[5] parameter(0) i = s32[] parameter(1) "
        "ROOT r = s32[3] dynamic-slice(x, i), dynamic_slice_sizes={3} }",
        {row, at});
    ExpectMoved(
        "ENTRY e { x = s32[5] parameter(0) u = s32[2] parameter(1) i = s32[] parameter(2) "
        "ROOT r = s32[5] dynamic-update-slice(x, u, i) }",
        {row, Numbered(Shape(S32, {2}), -9), at});
  }
  ExpectMoved(
      "ENTRY e { x = s32[4,5] parameter(0) i = s32[3,1] parameter(1) "
      "ROOT r = s32[3,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,5} }",
      {array, Literal::Array<std::int32_t>(S32, {3, 1}, std::vector<std::int32_t>{3, -1, 9})});
}

TEST(MoveStep, LargeMovesAreCutIntoTiles) {
  const Literal scalar = Numbered(Shape(S32, {}), -5);
  const auto moved = [](const std::string& text, std::vector<Literal> operands) {
    EXPECT_GT(PlanOf(text).plan->num_tiles, 1) << text;
    ExpectMoved(text, std::move(operands));
  };
  // Along the first dimension and along others, with pieces that begin inside of tiles.
  for (const std::string_view shape : {"257,131", "3,70001", "2,5,7003", "100003", "5,3,2,2999"}) {
    const Literal array = Numbered(*ParseShape(StrCat("s32[", shape, "]")), 1);
    const i64 rank = array.shape().rank();
    for (const std::string_view config : {"3_5", "-7_2", "1_-1", "2_1_2", "-3_0_1"}) {
      std::string padding;
      for (i64 d = 0; d < rank; ++d) {
        const bool is_small = array.shape().dim(d) < 10;
        StrAppend(padding, d > 0 ? "x" : "", is_small ? (d % 2 == 0 ? "1_0" : "-1_2_1") : config);
      }
      const std::string operands =
          StrCat("ENTRY e { x = s32[", shape, "] parameter(0) p = s32[] parameter(1) ROOT r = ");
      const std::string op = StrCat(" pad(x, p), padding=", padding, " }");
      Dims dims;
      for (i64 d = 0; d < rank; ++d) {
        const bool is_small = array.shape().dim(d) < 10;
        const std::string_view one = is_small ? (d % 2 == 0 ? "1_0" : "-1_2_1") : config;
        int low = 0, high = 0, interior = 0;
        std::sscanf(std::string(one).c_str(), "%d_%d_%d", &low, &high, &interior);
        dims.push_back(low + high + array.shape().dim(d) + (array.shape().dim(d) - 1) * interior);
      }
      moved(StrCat(operands, Shape(S32, dims).ToString(), op), {array, scalar});
    }
    for (i64 d = 0; d < rank; ++d) {
      Dims other = array.shape().dims(), sum = other;
      other[d] = 3;
      sum[d] += 6;
      const std::string part = Shape(S32, other).ToString();
      const Literal front = Numbered(Shape(S32, other), -1000);
      moved(StrCat("ENTRY e { y = ", part, " parameter(0) x = s32[", shape, "] parameter(1) z = ",
                   part, " parameter(2) ROOT r = ", Shape(S32, sum).ToString(),
                   " concatenate(y, x, z), dimensions={", d, "} }"),
            {front, array, front});
    }
  }
  moved(
      "ENTRY e { x = s32[300,517] parameter(0) ROOT r = s32[517,300] transpose(x), "
      "dimensions={1,0} }",
      {Numbered(Shape(S32, {300, 517}), 0)});
  moved(
      "ENTRY e { x = s32[70,30,150] parameter(0) ROOT r = s32[150,70,30] transpose(x), "
      "dimensions={2,0,1} }",
      {Numbered(Shape(S32, {70, 30, 150}), 0)});
  // Rows that meet in the sets of a cache, where they are read, or written, or both.
  for (const auto& [rows, columns] : {std::pair{100, 1024}, {1024, 100}, {256, 1024}}) {
    moved(StrCat("ENTRY e { x = s32[", rows, ",", columns, "] parameter(0) ROOT r = s32[", columns,
                 ",", rows, "] transpose(x), dimensions={1,0} }"),
          {Numbered(Shape(S32, {rows, columns}), 0)});
  }
  moved(
      "ENTRY e { x = s32[301,517] parameter(0) ROOT r = s32[99,517] slice(x), "
      "slice={[3:300:3],[0:517]} }",
      {Numbered(Shape(S32, {301, 517}), 0)});
}

TEST(MoveStep, AMoveOfAViewReadsItsBase) {
  // The transposed slice of a reversed array, moved at once.
  const Move move = PlanOf(R"(
ENTRY e {
  x = s32[4,5] parameter(0)
  a = s32[4,5] reverse(x), dimensions={1}
  b = s32[2,5] slice(a), slice={[1:3],[0:5]}
  ROOT c = s32[5,2] transpose(b), dimensions={1,0}
})");
  EXPECT_EQ(move.schedule.regions.size(), 1u);
  const Literal x = Numbered(Shape(S32, {4, 5}), 0);
  Literal result{Shape(S32, {5, 2})};
  void* const buffers[] = {const_cast<std::byte*>(x.bytes()), result.mutable_bytes()};
  HostRun run;
  ASSERT_EQ(RunMove(&run, move.plan.get(), buffers, 0, 1), kKernelOk);
  EXPECT_EQ(result.ToString(), "{ { 9, 14 }, { 8, 13 }, { 7, 12 }, { 6, 11 }, { 5, 10 } }");
}

TEST(MoveStep, AnUpdateInPlaceMovesTheUpdateOnly) {
  const Move move = PlanOf(
      "ENTRY e { x = s32[5] parameter(0) u = s32[2] parameter(1) i = s32[] parameter(2) "
      "ROOT r = s32[5] dynamic-update-slice(x, u, i) }");
  EXPECT_EQ(move.plan->whole_operand, 0);
  std::int32_t x[] = {1, 2, 3, 4, 5}, update[] = {8, 9}, at = 3, other[5] = {};
  HostRun run;
  void* const apart[] = {x, update, &at, other};
  ASSERT_EQ(RunMove(&run, move.plan.get(), apart, 0, 1), kKernelOk);
  EXPECT_EQ(std::vector<std::int32_t>(other, other + 5),
            (std::vector<std::int32_t>{1, 2, 3, 8, 9}));
  EXPECT_EQ(x[3], 4);
  void* const in_place[] = {x, update, &at, x};
  ASSERT_EQ(RunMove(&run, move.plan.get(), in_place, 0, 1), kKernelOk);
  EXPECT_EQ(std::vector<std::int32_t>(x, x + 5), (std::vector<std::int32_t>{1, 2, 3, 8, 9}));
}

TEST(MoveStep, AnUpdateInPlaceTakesNoTimeForTheRest) {
  // Four terabytes, of which only the front is there.
  const Move move = PlanOf(
      "ENTRY e { x = s32[1000000000000] parameter(0) u = s32[2] parameter(1) i = s32[] "
      "parameter(2) ROOT r = s32[1000000000000] dynamic-update-slice(x, u, i) }");
  std::int32_t x[] = {1, 2, 3}, update[] = {8, 9}, at = 1;
  void* const in_place[] = {x, update, &at, x};
  HostRun run;
  ASSERT_EQ(RunMove(&run, move.plan.get(), in_place, 0, 1), kKernelOk);
  EXPECT_EQ(std::vector<std::int32_t>(x, x + 3), (std::vector<std::int32_t>{1, 8, 9}));
}

TEST(MoveStep, ACancelledMoveStops) {
  const Move move = PlanOf(
      "ENTRY e { x = s32[3000,1000] parameter(0) "
      "ROOT r = s32[3000,1000] reverse(x), dimensions={0} }");
  const Literal x{Shape(S32, {3000, 1000})};
  Literal result{Shape(S32, {3000, 1000})};
  void* const buffers[] = {const_cast<std::byte*>(x.bytes()), result.mutable_bytes()};
  Limits limits;
  limits.Cancel();
  HostRun run;
  run.limits = &limits;
  EXPECT_EQ(RunMove(&run, move.plan.get(), buffers, 0, move.plan->num_tiles), kKernelStopped);
}

}  // namespace
}  // namespace axle

// Which loops have groups, and what they are.
#include "axle/codegen/schedule/loop_pattern.h"

#include <gtest/gtest.h>

#include "axle/emit/lane_builder.h"

namespace axle {
namespace {

// The product of so many inputs.
LaneProgram Product(size_t num_inputs) {
  LaneBuilder builder;
  Lane product = builder.Input(LaneType::kF32);
  for (size_t i = 1; i < num_inputs; ++i) product = product * builder.Input(LaneType::kF32);
  return std::move(builder).Finish({{product}});
}

// The groups of a loop that stores the product of its inputs, or sums them.
std::optional<GroupedLoop> GroupsOf(const std::vector<Access>& inputs, i64 n,
                                    const FoldShape& shape = {}, std::vector<Fold> folds = {}) {
  std::vector<const Access*> accesses;
  for (const Access& input : inputs) accesses.push_back(&input);
  const std::span<const Access* const> of_inputs(accesses.data(), accesses.size());
  const Access output = folds.empty() ? Access::Whole(n) : ResultAccess(shape);
  std::vector<const Access*> all = accesses;
  all.push_back(&output);
  const Access whole = Access::Whole(n);
  all.push_back(&whole);
  const auto sizes = CommonSizes(all, n);
  EXPECT_TRUE(sizes.has_value());
  return FindGroups(Product(inputs.size()), *sizes, of_inputs, {&output, 1}, shape, folds);
}

constexpr auto kUnit = InnerStride::kUnit, kPattern = InnerStride::kPattern,
               kUniform = InnerStride::kUniform, kOne = InnerStride::kOne;
using Kinds = std::vector<InnerStride>;

TEST(LoopPattern, OuterProduct) {
  const auto loop = GroupsOf({{0, {{150, 1}, {3, 0}}}, {0, {{50, 3}, {3, 0}, {3, 1}}}}, 450);
  EXPECT_FALSE(loop) << "few positions";
  const auto longer = GroupsOf({{0, {{3000, 1}, {3, 0}}}, {0, {{1000, 3}, {3, 0}, {3, 1}}}}, 9000);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->pattern.size, 9);
  EXPECT_EQ(longer->num_dims, 1u);
  EXPECT_EQ(longer->inputs, (Kinds{kPattern, kPattern}));
  EXPECT_EQ(longer->pattern.operands[0], (LoopPattern::Operand{3, {0, 0, 0, 1, 1, 1, 2, 2, 2}}));
  EXPECT_EQ(longer->pattern.operands[1], (LoopPattern::Operand{3, {0, 1, 2, 0, 1, 2, 0, 1, 2}}));
  EXPECT_EQ(longer->pattern.operands[2], LoopPattern::Operand{});
}

TEST(LoopPattern, KindsOfInputs) {
  const auto loop = GroupsOf({{0, {{6000, 1}}},
                              {0, {{6000, 0}}},
                              {0, {{2, 1}, {3000, 0}}},
                              {0, {{2000, 0}, {3, 1}}},
                              {2, {{2000, 3}, {3, -1}}}},
                             6000);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->pattern.size, 3);
  EXPECT_EQ(loop->num_dims, 2u);
  EXPECT_EQ(loop->inputs, (Kinds{kUnit, kOne, kUniform, kPattern, kPattern}));
  EXPECT_EQ(loop->pattern.operands[3], (LoopPattern::Operand{0, {0, 1, 2}}));
  EXPECT_EQ(loop->pattern.operands[4], (LoopPattern::Operand{3, {2, 1, 0}}));
  EXPECT_EQ(loop->first, (Dims{0, 0, 0, 0, -2, 0}));
}

// Rows are long: neighbours a few elements apart make groups, others do not.
TEST(LoopPattern, LongRows) {
  EXPECT_FALSE(GroupsOf({{0, {{5000, 1}}}}, 5000));
  EXPECT_FALSE(GroupsOf({{0, {{100, 1}, {50, 0}}}}, 5000));
  const auto loop = GroupsOf({{0, {{5000, 3}}}}, 5000);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->pattern.size, 1);
  EXPECT_EQ(loop->pattern.operands[0], (LoopPattern::Operand{3, {0}}));
  EXPECT_FALSE(GroupsOf({{0, {{5000, 100}}}}, 5000));
  const auto backwards = GroupsOf({{4999, {{5000, -1}}}}, 5000);
  ASSERT_TRUE(backwards);
  EXPECT_EQ(backwards->pattern.operands[0], (LoopPattern::Operand{-1, {0}}));
  EXPECT_FALSE(GroupsOf({{499900, {{5000, -100}}}}, 5000));
}

TEST(LoopPattern, Sums) {
  const Fold sum{ReducerKind::kAdd, F32};
  const auto rows = GroupsOf({Access::Whole(6000)}, 6000, {.rows = 2000, .reduced = 3}, {sum});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->pattern.reduced, 3);
  EXPECT_EQ(rows->inputs, (Kinds{kPattern}));
  const auto columns =
      GroupsOf({Access::Whole(16000)}, 16000, {.rows = 2000, .reduced = 4, .columns = 2}, {sum});
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->pattern.size, 8);
  EXPECT_EQ(columns->pattern.columns, 2);
  EXPECT_FALSE(GroupsOf({Access::Whole(32000)}, 32000, {.rows = 2000, .reduced = 16}, {sum}))
      << "it has 16 lanes";
  EXPECT_TRUE(GroupsOf({Access::Whole(32000)}, 32000, {.rows = 2000, .reduced = 16},
                       {{ReducerKind::kMaximum, F32}}));
  EXPECT_FALSE(GroupsOf({Access::Whole(32000)}, 32000, {.rows = 1000, .reduced = 32},
                        {{ReducerKind::kMaximum, F32}}));
}

TEST(LoopPattern, DenseReads) {
  EXPECT_TRUE(IsDenseRead({0, {{5000, 3}}}));
  EXPECT_TRUE(IsDenseRead({0, {{5000, 9}}}));
  EXPECT_FALSE(IsDenseRead({0, {{5000, 12}}}));
  EXPECT_FALSE(IsDenseRead({0, {{50, 1}, {100, 50}}})) << "a transpose of long rows";
  EXPECT_TRUE(IsDenseRead({0, {{500, 9}, {3, 1}, {3, 3}}}));
  EXPECT_TRUE(IsDenseRead({0, {{500, 900}, {3, 1}, {3, 3}}})) << "two matrices are near";
  EXPECT_FALSE(IsDenseRead({0, {{500, 900}}}));
}

}  // namespace
}  // namespace axle

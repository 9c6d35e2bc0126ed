#include "axle/emit/lane_builder.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace axle {
namespace {

LaneProgram Finish(LaneBuilder& builder, std::initializer_list<Lane> results) {
  return std::move(builder).Finish(std::vector<Lane>(results));
}

TEST(LaneBuilder, EqualOperationsAreOne) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kF32), y = builder.Input(LaneType::kF32);
  EXPECT_EQ((x - y).id, (x - y).id);
  EXPECT_NE((x - y).id, (y - x).id);
  EXPECT_EQ(x.Like(1.0f).id, x.Like(1).id);
  EXPECT_NE(x.Like(0.0f).id, x.Like(-0.0f).id);
  EXPECT_NE(Sqrt(x).id, Sqrt(y).id);
  EXPECT_EQ(builder.Part(0).id, x.id);
}

TEST(LaneBuilder, CommutativeOperandsAreInOneOrder) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kS32), y = builder.Input(LaneType::kS32);
  EXPECT_EQ((x + y).id, (y + x).id);
  EXPECT_EQ((x * y).id, (y * x).id);
  EXPECT_EQ((x & y).id, (y & x).id);
  EXPECT_EQ((x | y).id, (y | x).id);
  EXPECT_EQ((x ^ y).id, (y ^ x).id);
  EXPECT_EQ(Min(x, y).id, Min(y, x).id);
  EXPECT_EQ(Max(x, y).id, Max(y, x).id);
  EXPECT_EQ(MulHigh(x, y).id, MulHigh(y, x).id);
  EXPECT_EQ((x == y).id, (y == x).id);
  EXPECT_NE((x < y).id, (y < x).id);
  EXPECT_EQ((x > y).id, (y < x).id);
  EXPECT_EQ((x >= y).id, (y <= x).id);
}

TEST(LaneBuilder, ConstantsTakeTheTypeOfTheOtherOperand) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kS8);
  const Lane sum = x + -1;
  EXPECT_EQ(builder.op(sum.id).type, LaneType::kS8);
  EXPECT_EQ(builder.op((x * 300).id).operands[1], x.Like(300).id);
  EXPECT_EQ(builder.op(x.Like(-1).id).immediate, 0xffu);  // no bits beyond the type's
  const Lane f = builder.Input(LaneType::kF64);
  EXPECT_EQ(builder.op(f.Like(1.0).id).immediate, 0x3ff0000000000000u);
  EXPECT_EQ((x == x).type(), LaneType::kPred);
}

TEST(LaneBuilder, WhatNoResultNeedsIsDropped) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kF32);
  const Lane y = builder.Input(LaneType::kF32);
  Sqrt(x * y);
  const LaneProgram program = Finish(builder, {x + x});
  EXPECT_EQ(program.code.size(), 2u) << program.ToString();
  EXPECT_EQ(program.inputs.size(), 2u);  // the arrays are still there
  EXPECT_EQ(program.results[0], 1);
}

TEST(LaneBuilder, ProgramsAreEqualIfTheCodeIs) {
  const auto make = [](bool flip, float c) {
    LaneBuilder builder;
    const Lane x = builder.Input(LaneType::kF32), y = builder.Input(LaneType::kF32);
    Sqrt(y);  // dropped
    return Finish(builder, {(flip ? y + x : x + y) * c});
  };
  const LaneProgram a = make(false, 2), b = make(true, 2), c = make(false, 3);
  EXPECT_TRUE(a == b);
  EXPECT_EQ(a.Hash(), b.Hash());
  EXPECT_NE(a.serial, b.serial);
  EXPECT_FALSE(a == c);
  EXPECT_NE(a.Hash(), c.Hash());
}

TEST(LaneBuilder, EqualCodeOnOtherArraysIsAnotherProgram) {
  const auto make = [](int parts) {
    LaneBuilder builder;
    builder.AddInput({LaneType::kF32, static_cast<std::uint8_t>(parts)});
    return Finish(builder, {builder.Part(0)});
  };
  EXPECT_FALSE(make(1) == make(2));
  EXPECT_NE(make(1).Hash(), make(2).Hash());
}

TEST(LaneBuilder, ToStringIsOneOperationALine) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kS32);
  EXPECT_EQ(Finish(builder, {x + 7}).ToString(),
            "%0 = s32 Input 0\n%1 = s32 Constant 7\n%2 = s32 Add %0 %1\nresults %2\n");
}

// Follows values through registers: an operation must find its operands, must not write over one of
// them, and results must survive to the end.
void CheckRegisters(const LaneProgram& program) {
  std::vector<int> holds(program.num_registers, -1);
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LaneOp& op = program.code[i];
    ASSERT_LT(program.registers[i], program.num_registers);
    for (int k = 0; k < Arity(op.primitive); ++k) {
      const LaneId operand = op.operands[k];
      ASSERT_EQ(holds[program.registers[operand]], operand) << program.ToString();
      ASSERT_NE(program.registers[operand], program.registers[i]) << program.ToString();
    }
    holds[program.registers[i]] = static_cast<int>(i);
  }
  for (LaneId id : program.results) ASSERT_EQ(holds[program.registers[id]], id);
}

TEST(LaneBuilder, RegistersHoldWhatIsStillNeeded) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    LaneBuilder builder;
    std::vector<Lane> lanes;
    for (int i = 0; i < 3; ++i) lanes.push_back(builder.Input(LaneType::kF32));
    const auto pick = [&] {
      // Mostly recent values, so that registers die.
      const size_t back = random() % std::min<size_t>(lanes.size(), random() % 8 == 0 ? 1000 : 4);
      return lanes[lanes.size() - 1 - back];
    };
    for (int i = 0; i < 60; ++i) {
      switch (random() % 4) {
        case 0:
          lanes.push_back(pick() + pick());
          break;
        case 1:
          lanes.push_back(pick() - pick());
          break;
        case 2:
          lanes.push_back(Fma(pick(), pick(), pick()));
          break;
        default:
          lanes.push_back(Sqrt(pick()));
          break;
      }
    }
    const LaneProgram program = Finish(builder, {lanes.back(), pick(), pick()});
    SCOPED_TRACE(seed);
    CheckRegisters(program);
  }
}

TEST(LaneBuilder, AChainNeedsFewRegisters) {
  LaneBuilder builder;
  Lane x = builder.Input(LaneType::kF32);
  for (int i = 0; i < 1000; ++i) x = x * 1.5f + static_cast<float>(i);
  const LaneProgram program = Finish(builder, {x});
  CheckRegisters(program);
  EXPECT_LE(program.num_registers, 6);
}

}  // namespace
}  // namespace axle

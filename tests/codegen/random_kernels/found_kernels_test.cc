// Kernels that LLVM compiles wrongly without the workarounds
// (axle/codegen/llvm/llvm_workarounds.h), reduced by hand: one test for each bug that random
// kernels found. Programs in tests/data/found show some of the same bugs; none shows rotate_by_zero
// and shift_of_partly_constant_vector.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "axle/codegen/choose_target.h"
#include "tests/codegen/isas.h"
#include "tests/codegen/random_kernels/compare.h"
#include "tests/codegen/random_kernels/generate.h"
#include "tests/codegen/random_kernels/term.h"

namespace axle {
namespace {

Term Input(LaneType type, i64 num_elements) {
  return Term::Make({KernelOpKind::kInput, type, num_elements}, {});
}

// A vector of the given element of each term.
Term Gathered(std::vector<std::pair<Term, i64>> elements) {
  KernelOp op{KernelOpKind::kGather, elements[0].first.type(), static_cast<i64>(elements.size())};
  std::vector<Term> operands;
  for (const auto& [term, element] : elements) {
    operands.push_back(term);
    op.elements.push_back(element);
  }
  return Term::Make(std::move(op), std::move(operands));
}

using Values = std::map<const Term::Node*, int>;

int Add(const Term& term, RandomProgram& program, Values& values) {
  const Term::Node& node = term.node();
  if (const auto found = values.find(&node); found != values.end()) return found->second;
  KernelOp op = node.op;
  for (const Term& operand : node.operands) op.operands.push_back(Add(operand, program, values));
  program.ops.push_back(std::move(op));
  return values[&node] = static_cast<int>(program.ops.size()) - 1;
}

RandomProgram ProgramOf(const std::vector<Term>& results) {
  RandomProgram program;
  Values values;
  for (const Term& term : results) program.results.push_back(Add(term, program, values));
  program.loads_apart = true;
  return program;
}

Term Reversed(const Term& x) {
  std::vector<std::pair<Term, i64>> elements;
  for (i64 k = x.num_elements() - 1; k >= 0; --k) elements.emplace_back(x, k);
  return Gathered(elements);
}

Term Next(const Term& x) {
  std::vector<std::pair<Term, i64>> elements;
  for (i64 k = 1; k <= x.num_elements(); ++k) elements.emplace_back(x, k % x.num_elements());
  return Gathered(elements);
}

// 0, which LLVM knows only late: all bits are shifted out.
Term LateZero(const Term& x) {
  return LogicalRight(LogicalRight(x, 3), BitsOf(x.type()) - 3);
}

void ExpectTheInterpretersBits(const RandomProgram& program) {
  int num_isas = 0;
  for (const NativeIsa isa : {NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512}) {
    if (!CanRun(isa).ok()) continue;
    ++num_isas;
    for (const int level : {1, 2}) {
      const auto comparison =
          CompileAndCompare(program, *ChooseTarget(isa, level), InputStream(/*seed=*/1, 0), 24);
      ASSERT_TRUE(comparison.ok()) << comparison.status().message();
      EXPECT_TRUE(comparison->is_defined) << program.ToString();
      EXPECT_TRUE(comparison->is_equal) << Name(isa) << " level " << level << "\n"
                                        << program.ToString() << comparison->difference;
    }
  }
  if (num_isas == 0) GTEST_SKIP() << "code for x86 does not run here";
}

TEST(FoundKernels, MulhuByOne) {
  for (const LaneType type : {LaneType::kU8, LaneType::kU16, LaneType::kU32, LaneType::kU64}) {
    for (const i64 num_elements : {4, 8, 16}) {
      const Term x = Input(type, num_elements);
      const Term zero = LateZero(Input(type, num_elements));
      const Term one = Select(x < zero, Like(x, 2), 1);
      ExpectTheInterpretersBits(ProgramOf({MulHigh(x, one)}));
      ExpectTheInterpretersBits(ProgramOf({MulHigh(x, zero | 1)}));
      ExpectTheInterpretersBits(ProgramOf({MulHigh(x, Like(x, 1) << zero)}));
    }
  }
}

TEST(FoundKernels, DivisionsOfShuffledLanes) {
  const Term x = Input(LaneType::kS8, 4), y = Input(LaneType::kS8, 5);
  const Term rest = x % 127;
  ExpectTheInterpretersBits(
      ProgramOf({Gathered({{rest, 1}, {rest, 3}, {rest, 1}, {rest, 0}, {rest, 0}}) * y}));
  const Term u = Input(LaneType::kU64, 16), v = Input(LaneType::kU64, 8);
  const Term w = Input(LaneType::kU64, 8), third = u % 3;
  ExpectTheInterpretersBits(ProgramOf(
      {Gathered({{v, 1}, {v, 3}, {v, 5}, {third, 7}, {third, 9}, {third, 11}, {w, 5}, {w, 7}})}));
}

TEST(FoundKernels, SelectsOfBitSelects) {
  for (const LaneType type : {LaneType::kU32, LaneType::kU64, LaneType::kF32, LaneType::kF64}) {
    for (const i64 num_elements : {4, 8, 16}) {
      const Term x = Input(type, num_elements), y = Input(type, num_elements);
      const Term a = Cast(UnsignedOf(type), x), b = Cast(UnsignedOf(type), y);
      const Term mask = Like(a, -1) << (BitsOf(type) - 1);
      for (const Term& joined : {(a & mask) | (b & ~mask), (a & mask) + (b & ~mask),
                                 (a & mask) ^ (b & ~mask), ((a ^ b) & mask) ^ b}) {
        const Term condition = Input(LaneType::kPred, num_elements);
        for (const Term& other : {x, y}) {
          ExpectTheInterpretersBits(ProgramOf({Select(condition, Cast(type, joined), other)}));
          ExpectTheInterpretersBits(ProgramOf({Select(condition, other, Cast(type, joined))}));
        }
      }
    }
  }
}

// Bit 1 of a square is 0, so that the count is 0 for every x. LLVM takes an unrelated register for
// the other half; `other` is there so that this register does not hold x.
TEST(FoundKernels, RotatesByZero) {
  for (const LaneType type : {LaneType::kU16, LaneType::kU32, LaneType::kU64}) {
    const int most = BitsOf(type) - 1;
    const Term x = Input(type, 8);
    const Term other = Input(LaneType::kF32, 8);
    const Term half = ArithmeticRight(x * x, 1);
    const Term count = Select((~half << (most - 1)) < 32, Like(x, most), 0);
    const Term left = half << count, right = LogicalRight(half, -count);
    ExpectTheInterpretersBits(ProgramOf({(left | right) & most, other}));
    const Term number = Input(type, 8);
    ExpectTheInterpretersBits(ProgramOf({(left & number) | (right & number), other}));
    ExpectTheInterpretersBits(ProgramOf({Reversed(left) | Reversed(right), other}));
    if (type == LaneType::kU64) continue;
    const LaneType wide = type == LaneType::kU16 ? LaneType::kU32 : LaneType::kU64;
    const Term both = Resized(wide, left) | Resized(wide, right);
    ExpectTheInterpretersBits(ProgramOf({Resized(type, both), other}));
  }
}

TEST(FoundKernels, ShiftsOfPartlyConstantVectors) {
  const Term x = Input(LaneType::kS64, 4), y = Input(LaneType::kS64, 4);
  const Term z = Input(LaneType::kS64, 4), ones = Like(x, -1);
  const Term some = Gathered({{ones, 3}, {ones, 2}, {x, 1}, {x, 0}});
  const Term high = LogicalRight(ones - some, 29);
  const Term shifted = (high - ArithmeticRight(high ^ some, 1)) << 57;
  ExpectTheInterpretersBits(ProgramOf({Gathered({{z, 1}, {z, 2}, {y, 3}, {shifted, 0}})}));
}

TEST(FoundKernels, OrOfLateAllOnes) {
  const Term x = Input(LaneType::kS64, 16), y = Input(LaneType::kS64, 16);
  const Term number = Input(LaneType::kS64, 1), zero = number - number;
  const Term a = Clz(x), b = Clz(y);
  const Term late_zero = LogicalRight(b, 7), late_ones = ~LogicalRight(a, 7);
  std::vector<std::pair<Term, i64>> lhs, rhs;
  for (i64 k = 0; k < 16; ++k) {
    lhs.emplace_back(k < 6 ? b : k < 11 ? late_zero : late_ones, k);
    rhs.emplace_back(k < 6 ? b : k < 11 ? zero : y, k < 6 || k > 10 ? 15 - k : 0);
  }
  ExpectTheInterpretersBits(ProgramOf({Gathered(lhs) | Gathered(rhs)}));
}

TEST(FoundKernels, SelectsOfShuffledSelects) {
  for (const LaneType type : {LaneType::kU8, LaneType::kU16, LaneType::kU32, LaneType::kU64}) {
    for (const i64 num_elements : {4, 8, 16}) {
      const Term x = Input(type, num_elements), y = Input(type, num_elements);
      const Term z = Input(type, num_elements);
      const Term condition = z < y;
      const Term moved = Next(Select(condition, x, y));
      RandomProgram program = ProgramOf({Select(condition, moved, y)});
      program.loads_apart = false;
      ExpectTheInterpretersBits(program);
    }
  }
}

TEST(FoundKernels, BitTests) {
  const Term x = Input(LaneType::kU64, 1);
  const Term count = Resized(LaneType::kU64, Input(LaneType::kPred, 1));
  const Term bit = (x + count) & (Like(x, 1) << count);
  ExpectTheInterpretersBits(ProgramOf({Select(bit == 0, Like(x, 7), x)}));
  ExpectTheInterpretersBits(ProgramOf({Select((LogicalRight(x, count) & 1) == 0, Like(x, 7), x)}));
}

}  // namespace
}  // namespace axle

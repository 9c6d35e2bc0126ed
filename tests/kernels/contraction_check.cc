#include "tests/kernels/contraction_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "axle/client/arguments.h"
#include "axle/codegen/schedule/contraction_kernel.h"
#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

std::vector<InstructionSet> InstructionSets() {
  std::vector<InstructionSet> sets = {InstructionSet::kX86V3};
  if (HostInstructionSet() == InstructionSet::kX86V4) sets.push_back(InstructionSet::kX86V4);
  return sets;
}

// Floats near the smallest ones, for sums that underflow; or of any size; or with a few infinities
// and NaNs between them.
float Number(Values values, std::mt19937& random) {
  const float plain = std::uniform_real_distribution<float>(-1, 1)(random);
  switch (values) {
    case Values::kTiny:
      return std::ldexp(plain, static_cast<int>(Uniform(random, -75, -55)));
    case Values::kWide:
      return std::ldexp(plain, static_cast<int>(Uniform(random, -30, 30)));
    case Values::kSpecial:
      if (Uniform(random, 0, 40) == 0) {
        const float specials[] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 1e-44f, -1e-40f, 3e38f};
        return specials[Uniform(random, 0, 7)];
      }
      return plain;
    case Values::kPlain:
      return plain;
  }
  return plain;
}

StatusOr<Literal> MadeUp(const Shape& shape, Values values, std::mt19937& random) {
  const ElementType type = shape.type();
  if (IsFloating(type)) {
    AXLE_ASSIGN(Literal numbers, Literal::Create(shape.WithType(F32)));
    for (float& x : numbers.mutable_data<float>()) x = Number(values, random);
    return Convert(numbers, type);
  }
  if (IsComplex(type)) {
    AXLE_ASSIGN(Literal numbers, Literal::Create(shape.WithType(C64)));
    for (std::complex<float>& x : numbers.mutable_data<std::complex<float>>()) {
      x = {Number(values, random), Number(values, random)};
    }
    return Convert(numbers, type);
  }
  AXLE_ASSIGN(Literal numbers, Literal::Create(shape.WithType(S64)));
  for (i64& x : numbers.mutable_data<i64>()) x = Uniform(random, INT64_MIN, INT64_MAX);
  if (type == PRED) {
    for (i64& x : numbers.mutable_data<i64>()) x = Uniform(random, 0, 5) == 0 ? 1 : 0;
  }
  return Convert(numbers, type);
}

// Memory of exactly so many bytes, aligned as a program's arena is.
class Memory {
 public:
  Memory(i64 bytes, int fill)
      : bytes_(std::max<i64>(64, (bytes + 63) / 64 * 64)),
        data_(std::aligned_alloc(64, static_cast<size_t>(bytes_))) {
    std::memset(data_, fill, static_cast<size_t>(bytes_));
  }
  ~Memory() { std::free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  i64 bytes_;
  void* data_;
};

// The tiles in `pieces` calls, in any order.
int RunPieces(const ContractionKernel& step, void* const* buffers, i64 pieces,
              std::mt19937& random) {
  std::vector<i64> cuts = {0, step.num_tiles};
  for (i64 i = 1; i < pieces; ++i) cuts.push_back(Uniform(random, 0, step.num_tiles));
  std::ranges::sort(cuts);
  std::vector<std::pair<i64, i64>> ranges;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) ranges.emplace_back(cuts[i], cuts[i + 1]);
  std::ranges::shuffle(ranges, random);
  const RunContext run = {};
  for (const auto& [begin, end] : ranges) {
    const int status = step.function(&run, step.plan.data(), buffers, begin, end);
    if (status != kKernelOk) return status;
  }
  return kKernelOk;
}

}  // namespace

i64 Uniform(std::mt19937& random, i64 low, i64 high) {
  return std::uniform_int_distribution<i64>(low, high)(random);
}

std::string DimsText(const std::vector<i64>& dims) {
  std::string text;
  for (i64 dim : dims) StrAppend(text, text.empty() ? "" : ",", dim);
  return StrCat("{", text, "}");
}

std::string ShapeText(const std::string& type, const std::vector<i64>& dims) {
  const std::string text = DimsText(dims);
  return StrCat(type, "[", text.substr(1, text.size() - 2), "]");
}

bool CheckContraction(const std::string& text, Values values, std::mt19937& random,
                      std::string* reason) {
  SCOPED_TRACE(text);
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return false;
  const Instruction& inst = *(*module)->entry()->root();
  std::vector<Literal> arguments;
  for (int i = 0; i < 2; ++i) {
    auto literal = MadeUp(inst.operand(i)->shape(), values, random);
    EXPECT_TRUE(literal.ok()) << literal.status().ToString();
    if (!literal.ok()) return false;
    arguments.push_back(*std::move(literal));
  }
  auto expected = Evaluate(**module, arguments);
  EXPECT_TRUE(expected.ok()) << expected.status().ToString();
  if (!expected.ok()) return false;
  for (const InstructionSet set : InstructionSets()) {
    const ContractionKernel step = PlanContraction(inst, set);
    if (!step.reason.empty()) {
      if (reason != nullptr) *reason = step.reason;
      return false;
    }
    for (const i64 pieces : {i64{1}, Uniform(random, 2, 5)}) {
      auto result = Literal::CreateUninitialized(inst.shape());
      EXPECT_TRUE(result.ok());
      if (!result.ok()) return false;
      std::memset(result->mutable_bytes(), 0xa5, static_cast<size_t>(result->num_bytes()));
      const Memory scratch(step.scratch_bytes, 0xa5);
      void* buffers[] = {arguments[0].mutable_bytes(), arguments[1].mutable_bytes(),
                         result->mutable_bytes(), scratch.data()};
      EXPECT_EQ(RunPieces(step, buffers, pieces, random), kKernelOk);
      const auto difference = FirstDifference(*result, *expected, {});
      EXPECT_FALSE(difference.has_value())
          << "instruction set " << static_cast<int>(set) << ", " << pieces
          << " pieces: " << (difference ? difference->ToString() : "");
      if (difference) return true;
    }
  }
  return true;
}

}  // namespace axle

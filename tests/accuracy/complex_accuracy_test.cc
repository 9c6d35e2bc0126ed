// Every complex function against its row's promise: in ulps of each part, or of the larger part
// where a part may cancel. A sample; axle_accuracy takes larger ones (docs/accuracy.md).
#include "tests/accuracy/complex_accuracy.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "axle/ops/op_def.h"

namespace axle {

void PrintTo(const ComplexFunction& function, std::ostream* out) {
  *out << function.op;
}

namespace {

// "...; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 in each part", or "of the larger part".
struct ComplexPromise {
  double c64 = 0, c128 = 0;
  bool each_part = false;
};

ComplexPromise PromiseOf(std::string_view op) {
  const std::string accuracy(FindOpDef(op)->accuracy);
  const size_t start = accuracy.find("complex: ");
  ComplexPromise promise;
  char unit[32] = "";
  const int fields = start == std::string::npos
                         ? 0
                         : std::sscanf(accuracy.c_str() + start,
                                       "complex: <= %lf ulp c64, <= %lf ulp c128 %31[a-z ]",
                                       &promise.c64, &promise.c128, unit);
  EXPECT_EQ(fields, 3) << op << ": " << accuracy;
  promise.each_part = std::string_view(unit).starts_with("in each part");
  EXPECT_TRUE(promise.each_part || std::string_view(unit).starts_with("of the larger part"));
  return promise;
}

template <typename T>
void ExpectWithin(const ComplexFunction& function, const ComplexPromise& promise, double limit) {
  constexpr double kMost = std::is_same_v<T, float> ? 1.5 : 2;  // N3
  EXPECT_LE(limit, kMost);
  ComplexMeasurement<T> measurement(function);
  measurement.RunRandom(1, 1500);
  const ComplexWorst& worst =
      promise.each_part ? measurement.worst_part() : measurement.worst_larger();
  char text[320];
  std::snprintf(text, sizeof text, "%.4f ulp at (%a, %a), (%a, %a): (%a, %a)", worst.ulp,
                worst.z.real(), worst.z.imag(), worst.w.real(), worst.w.imag(), worst.actual.real(),
                worst.actual.imag());
  EXPECT_LE(worst.ulp, limit) << text;
}

class ComplexAccuracyTest : public testing::TestWithParam<ComplexFunction> {};

TEST_P(ComplexAccuracyTest, C64) {
  const ComplexPromise promise = PromiseOf(GetParam().op);
  ExpectWithin<float>(GetParam(), promise, promise.c64);
}
TEST_P(ComplexAccuracyTest, C128) {
  const ComplexPromise promise = PromiseOf(GetParam().op);
  ExpectWithin<double>(GetParam(), promise, promise.c128);
}

TEST_P(ComplexAccuracyTest, RowDefinesTheFunctionMeasured) {
  const int num_operands = GetParam().lane != nullptr ? 1 : 2;
  EXPECT_EQ(ProgramOfRow(GetParam().op, C64, num_operands), ProgramOf(GetParam(), LaneType::kF32));
  EXPECT_EQ(ProgramOfRow(GetParam().op, C128, num_operands), ProgramOf(GetParam(), LaneType::kF64));
}

TEST(ComplexAccuracy, EveryRowWithABoundIsMeasured) {
  for (const OpDef* def : AllOpDefs()) {
    if (def->emit_complex == nullptr || !def->accuracy.starts_with("<= ")) continue;
    bool measured = false;
    for (const ComplexFunction& function : ComplexFunctions()) {
      measured = measured || function.op == def->text;
    }
    EXPECT_TRUE(measured) << def->text;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, ComplexAccuracyTest, testing::ValuesIn(ComplexFunctions()),
                         [](const auto& info) {
                           std::string name(info.param.op);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace axle

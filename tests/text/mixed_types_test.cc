// Floats of several types as operands, which XLA's verifier takes: computed in the wider type.
#include <gtest/gtest.h>

#include "axle/client/load.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/implied.h"
#include "axle/proto/write.h"
#include "axle/text/print.h"

namespace axle {
namespace {

std::string Program(std::string_view parameters, std::string_view root) {
  return StrCat("HloModule m\nENTRY e {\n", parameters, "  ROOT r = ", root, "\n}\n");
}

std::string RunText(const std::string& text, const std::vector<std::string_view>& arguments) {
  const auto module = LoadModule(text);
  if (!module.ok()) return module.status().message();
  // What was read is a program of one type per operation: it is read again as it is.
  EXPECT_TRUE(LoadModule(Print(**module), {.strict_types = true}).ok()) << Print(**module);
  std::vector<Literal> values;
  for (std::string_view argument : arguments) values.push_back(*ParseLiteral(argument));
  const StatusOr<Literal> result = Evaluate(**module, values);
  return result.ok() ? result->ToStringWithShape() : result.status().ToString();
}

constexpr std::string_view kHalfAndSingle =
    "  x = f16[2] parameter(0)\n  y = f32[2] parameter(1)\n";

TEST(MixedTypes, AreComputedInTheWiderType) {
  const std::vector<std::string_view> arguments = {"f16[2] {1, 2}", "f32[2] {1e-6, 3}"};
  EXPECT_EQ(RunText(Program(kHalfAndSingle, "f32[2] add(x, y)"), arguments),
            "f32[2] {1.00000095, 5}");
  EXPECT_EQ(RunText(Program(kHalfAndSingle, "f16[2] add(x, y)"), arguments), "f16[2] {1, 5}");
  EXPECT_EQ(RunText(Program(kHalfAndSingle, "add(x, y)"), arguments), "f32[2] {1.00000095, 5}");
  // Neither holds the other.
  EXPECT_EQ(RunText(Program("  x = f16[1] parameter(0)\n  y = bf16[1] parameter(1)\n",
                            "f32[1] multiply(x, y)"),
                    {"f16[1] {1.0009766}", "bf16[1] {1e38}"}),
            "f32[1] {9.97894552e+37}");
  // One operand twice.
  EXPECT_EQ(RunText(Program(kHalfAndSingle, "f32[2] clamp(x, y, x)"), arguments), "f32[2] {1, 2}");
}

TEST(MixedTypes, StrictTypesRefuses) {
  const std::string text = Program(kHalfAndSingle, "f32[2] add(x, y)");
  const auto module = LoadModule(text, {.strict_types = true});
  EXPECT_EQ(module.status().message(),
            "hlo text 5:19: add: mixed precision: operands of f16 and f32; lhs f16[2], rhs f32[2]\n"
            "  ROOT r = f32[2] add(x, y)\n"
            "                  ^");
}

TEST(MixedTypes, NamesAreFresh) {
  const auto module = LoadModule(
      Program(StrCat(kHalfAndSingle, "  x.f32 = f32[2] add(y, y)\n  r.f32 = f32[2] copy(y)\n"),
              "f16[2] clamp(x, y, x)"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  const std::string text = Print(**module);
  EXPECT_NE(text.find("%r.f32.1 = f32[2]{0} clamp(%x.f32.1, %y, %x.f32.2)"), text.npos) << text;
  EXPECT_NE(text.find("ROOT %r = f16[2]{0} convert(%r.f32.1)"), text.npos) << text;
}

// A message of such a module, which only XLA writes.
TEST(MixedTypes, InProtos) {
  Module module("m");
  HloComputation& entry = *module.AddComputation("e");
  Instruction* const operands[] = {AddParameter(entry, 0, Shape(F16), "x"),
                                   AddParameter(entry, 1, Shape(F32), "y")};
  entry.Add({.opcode = Opcode::kAdd,
             .name = "r",
             .shape = Shape(F16),
             .operands = operands,
             .attrs = {GetOpDef(Opcode::kAdd).attrs, std::make_shared<NoAttrs>()}});
  ASSERT_TRUE(BindParameters(entry).ok());
  module.set_entry(&entry);
  const std::string bytes = WriteModuleProto(module);
  const auto read = LoadModule(bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Literal arguments[] = {*ParseLiteral("f16[] 1"), *ParseLiteral("f32[] 2.5")};
  EXPECT_EQ((*read)->entry()->root()->name(), "r");
  EXPECT_EQ(Evaluate(**read, arguments)->ToStringWithShape(), "f16[] 3.5");
  const auto strict = LoadModule(bytes, {.strict_types = true});
  EXPECT_NE(strict.status().message().find("add: mixed precision: operands of f16 and f32"),
            std::string::npos);
}

TEST(MixedTypes, OtherDifferencesAreErrors) {
  EXPECT_EQ(RunText(Program(kHalfAndSingle, "f32[3] add(x, y)"), {}),
            "hlo text 5:19: \"add\" has shape f32[2], not f32[3]\n"
            "  ROOT r = f32[3] add(x, y)\n"
            "                  ^");
}

}  // namespace
}  // namespace axle

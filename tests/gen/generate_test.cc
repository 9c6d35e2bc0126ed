// Random modules: valid, the same each time, the same text after reading it, and of every op.
#include "axle/gen/generate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "axle/core/strings.h"
#include "axle/gen/recipes.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kModules = 3000;

TEST(Generate, EveryOpIsDrawnOrHasAReason) {
  std::set<std::string_view> drawn;
  for (const OpDef* def : DrawnOps()) drawn.insert(def->text);
  for (const OpDef* def : AllOpDefs()) {
    EXPECT_NE(drawn.contains(def->text), !WhyNotDrawn(def->opcode).empty())
        << def->text
        << ": needs a recipe (axle/gen/recipes_*.cc) or a reason (recipes.cc), not both";
  }
}

TEST(Generate, ModulesAreValidAndRoundTrip) {
  std::map<std::string_view, int> counts;
  i64 instructions = 0;
  for (std::uint64_t i = 0; i < kModules; ++i) {
    SCOPED_TRACE(StrCat("axle gen --seed ", kSeed, ", index ", i));
    const auto text = GenerateText(kSeed, i);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    const auto module = Parse(*text);
    ASSERT_TRUE(module.ok()) << module.status().ToString() << *text;
    ASSERT_TRUE(VerifyModule(**module).ok());
    ASSERT_EQ(Print(**module), *text);
    for (const auto& computation : (*module)->computations()) {
      for (const Instruction* inst : computation->instructions()) ++counts[GetOpDef(*inst).text];
    }
    instructions += (*module)->num_instructions();
  }
  for (const OpDef* def : DrawnOps()) EXPECT_GT(counts[def->text], 0) << def->text;
  EXPECT_GT(instructions / kModules, 10u);
}

TEST(Generate, IsAFunctionOfSeedAndIndex) {
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto a = GenerateText(7, i), b = GenerateText(7, i), c = GenerateText(8, i);
    ASSERT_TRUE(a.ok() && b.ok() && c.ok());
    EXPECT_EQ(*a, *b);
    EXPECT_NE(*a, *c);
    texts.insert(a->substr(a->find('\n')));
  }
  EXPECT_GT(texts.size(), 195u) << "many modules are the same";
}

}  // namespace
}  // namespace axle

// Random modules: valid, the same each time, the same text after reading it, and of every op.
#include "axle/gen/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/coverage.h"
#include "axle/gen/on_devices.h"
#include "axle/gen/recipes.h"
#include "axle/gen/tested_ops.h"
#include "axle/runtime/compile_report.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/paths.h"

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

// The element types that each operation takes, from the table of docs/ops/README.md, which the test
// OpDocs derives from the rows and the case tables, not from the generator.
std::map<std::string, std::set<std::string>> TypesOfThePages() {
  std::map<std::string, std::set<std::string>> types;
  const auto page = ReadFile((SourceFolder() / "docs/ops/README.md").string(), i64{1} << 20);
  EXPECT_TRUE(page.ok()) << page.status().ToString();
  if (!page.ok()) return types;
  std::vector<std::string> head;
  std::istringstream in(*page);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(2));
    for (std::string cell; std::getline(parts, cell, '|');) {
      cells.push_back(cell.substr(0, cell.find_last_not_of(' ') + 1));
      cells.back().erase(0, cells.back().find_first_not_of(' '));
    }
    if (head.empty()) {
      head = cells;
      continue;
    }
    const std::string op = cells[0].substr(1, cells[0].find(']') - 1);  // [abs](abs.md)
    types.try_emplace(op);  // also where no type is named, as for replica-id
    for (size_t i = 1; i < std::min(cells.size(), head.size()); ++i) {
      if (cells[i] == "+") types[op].insert(head[i]);
    }
  }
  return types;
}

// An operation that the generator cannot make on a type counts as one that refuses the type, so
// this asks the pages whether it does. The exceptions take the types in a place that is not the one
// a cell counts (CoveredType).
TEST(Coverage, EveryOpIsDrawnOnEveryTypeOfItsPage) {
  const std::set<std::string_view> exceptions = {"after-all", "rng-bit-generator",
                                                 "stochastic-convert"};
  const auto types = TypesOfThePages();
  for (const OpDef* def : DrawnOps()) {
    const auto taken = types.find(std::string(def->text));
    ASSERT_NE(taken, types.end()) << def->text << " is not in docs/ops/README.md";
    if (exceptions.contains(def->text)) continue;
    for (const ElementType type : CoveredTypes()) {
      if (!taken->second.contains(std::string(Name(type)))) continue;
      EXPECT_EQ(WhyEmpty(def->opcode, type), "") << def->text << " takes " << Name(type);
    }
  }
}

// Every op comes up on every element type that it takes: what random modules never reach, they
// never test. Two rounds of all subjects are usually enough.
TEST(Coverage, EveryOpComesUpOnEveryTypeItTakes) {
  constexpr std::uint64_t kMaxModules = 30'000;
  Coverage coverage;
  for (std::uint64_t i = 0; i < kMaxModules; ++i) {
    const auto module = GenerateModule(kSeed, i);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    coverage.Add(**module);
    if (i % 500 == 0 && coverage.Missing().empty()) break;
  }
  EXPECT_EQ(coverage.Missing(), std::vector<std::string>())
      << "no module of the first " << kMaxModules << " has these operations on these types";
}

// One of four modules puts its subject where a compiler makes other code of it.
TEST(Coverage, SubjectsComeToEachKindOfRegion) {
#ifndef AXLE_HAS_CODEGEN
  GTEST_SKIP() << "built without LLVM";
#endif
  const auto client = Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = 1});
  ASSERT_TRUE(client.ok());
  for (const auto& [op, type] : {std::pair(Opcode::kExponential, F32), std::pair(Opcode::kXor, S32),
                                 std::pair(Opcode::kMultiply, F8E4M3FN)}) {
    Coverage coverage;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto module = GenerateModule(seed, FirstWithSettings(op, type));
      ASSERT_TRUE(module.ok()) << module.status().ToString();
      const Status added = coverage.AddRegions(**module, **client);
      ASSERT_TRUE(added.ok()) << added.ToString();
    }
    for (const std::string_view kind :
         {"loop", "row fold", "column fold", "staged fold", "rows", "small", "evaluate"}) {
      const auto k = std::ranges::find(kPlacementKinds, kind, &PlacementKind::name);
      ASSERT_NE(k, std::end(kPlacementKinds)) << kind;
      EXPECT_GT(coverage.CountInRegion(op, type, static_cast<size_t>(k - kPlacementKinds)), 0u)
          << GetOpDef(op).text << " " << Name(type) << " in " << kind;
    }
  }
}

TEST(Coverage, OneAddsWhatAnotherHasCounted) {
#ifndef AXLE_HAS_CODEGEN
  GTEST_SKIP() << "built without LLVM";
#endif
  const auto client = Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = 1});
  ASSERT_TRUE(client.ok());
  Coverage all, even, odd;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto module = GenerateModule(kSeed, i);
    ASSERT_TRUE(module.ok());
    for (Coverage* coverage : {&all, i % 2 == 0 ? &even : &odd}) {
      coverage->Add(**module);
      ASSERT_TRUE(coverage->AddRegions(**module, **client).ok());
    }
  }
  EXPECT_NE(even.Page(2), all.Page(2));
  even.Add(odd);
  EXPECT_EQ(even.Page(2), all.Page(2));
}

// Every kind of compiled code comes up: a kind that random modules never reach is never compared
// with the interpreter.
TEST(Coverage, EveryKindOfCodeComesUp) {
#ifndef AXLE_HAS_CODEGEN
  GTEST_SKIP() << "built without LLVM";
#endif
  constexpr std::uint64_t kMaxModules = 600;
  const auto client = Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = 1});
  ASSERT_TRUE(client.ok());
  Coverage coverage;
  for (std::uint64_t i = 0; i < kMaxModules; ++i) {
    const auto module = GenerateModule(kSeed, i);
    ASSERT_TRUE(module.ok());
    const Status added = coverage.AddRegions(**module, **client);
    ASSERT_TRUE(added.ok()) << added.ToString();
  }
  for (size_t kind = 0; kind < std::size(kPlacementKinds); ++kind) {
    std::uint64_t count = 0;
    for (const OpDef* def : AllOpDefs()) {
      for (const ElementType type : CoveredTypes()) {
        count += coverage.CountInRegion(def->opcode, type, kind);
      }
    }
    EXPECT_GT(count, 0u) << "no module of the first " << kMaxModules << " has code of the kind \""
                         << kPlacementKinds[kind].name
                         << "\"; teach the generator to make some (axle/gen/)";
  }
}

TEST(Coverage, CountsModulesByKindOfRegion) {
#ifndef AXLE_HAS_CODEGEN
  GTEST_SKIP() << "built without LLVM";
#endif
  const auto module = Parse(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
less { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
below { s = s32[] parameter(0)  n = s32[] constant(5)  ROOT r = pred[] compare(s, n), direction=LT }
step { s = s32[] parameter(0)  two = s32[] constant(2)  ROOT r = s32[] shift-left(s, two) }
ENTRY e {
  x = f64[64,300] parameter(0)
  i = s32[] parameter(1)
  narrow = f32[64,300] convert(x)
  zero = f32[] constant(0)
  r = f32[64] reduce(narrow, zero), dimensions={1}, to_apply=sum
  w = s32[] while(i), condition=below, body=step
  y = f64[64,300] sort(x), dimensions={1}, to_apply=less
  ROOT t = (f32[64], s32[], f64[64,300]) tuple(r, w, y)
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto client = Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = 1});
  ASSERT_TRUE(client.ok());
  Coverage coverage;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(coverage.AddRegions(**module, **client).ok());
  const auto count = [&](Opcode op, ElementType type, std::string_view kind) {
    const auto at = std::ranges::find(kPlacementKinds, kind, &PlacementKind::name);
    return coverage.CountInRegion(op, type, static_cast<size_t>(at - std::begin(kPlacementKinds)));
  };
  EXPECT_EQ(count(Opcode::kConvert, F64, "row fold"), 2u);
  EXPECT_EQ(count(Opcode::kReduce, F32, "row fold"), 2u);
  EXPECT_EQ(count(Opcode::kWhile, S32, "small"), 2u);
  EXPECT_EQ(count(Opcode::kShiftLeft, S32, "small"), 2u);
  EXPECT_EQ(count(Opcode::kSort, F64, "sort"), 2u);
  EXPECT_EQ(count(Opcode::kAdd, F32, "row fold"), 0u);  // it is applied
}

// A report is all that a compilation without code gives.
TEST(Coverage, CodeThatIsNotThereDoesNotRun) {
#ifndef AXLE_HAS_CODEGEN
  GTEST_SKIP() << "built without LLVM";
#endif
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  const auto executable =
      (*client)->Compile("HloModule m ENTRY e { x = f32[] parameter(0) ROOT y = f32[] negate(x) }",
                         {.engine = EngineKind::kNative, .debug = {.report = true, .code = false}});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  ASSERT_EQ((*executable)->report()->programs.size(), 1u);
  EXPECT_EQ((*executable)->report()->programs[0].placements.size(), 1u);
  const auto result = (*executable)->Execute(std::vector{Literal::Scalar<float>(F32, 1)});
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
}

TEST(Coverage, CountsModulesByPlace) {
  const auto module = Parse(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
below { s = s32[] parameter(0)  n = s32[] constant(5)  ROOT r = pred[] compare(s, n), direction=LT }
step { s = s32[] parameter(0)  one = s32[] constant(1)  ROOT r = s32[] add(s, one) }
twice { x = f64[] parameter(0)  ROOT y = f64[] add(x, x) }
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] add(x, x)
  z = f32[8] add(y, x)
  zero = f32[] constant(0)
  r = f32[] reduce(z, zero), dimensions={0}, to_apply=sum
  i = s32[] constant(0)
  w = s32[] while(i), condition=below, body=step
  d = f64[] convert(r)
  c = f64[] call(d), to_apply=twice
  ROOT t = (f64[], s32[]) tuple(c, w)
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  Coverage coverage;
  coverage.Add(**module);
  coverage.Add(**module);
  const auto count = [&](ElementType type, CoveragePlace place) {
    return coverage.Count(Opcode::kAdd, type, place);
  };
  EXPECT_EQ(coverage.modules(), 2u);
  EXPECT_EQ(count(F32, CoveragePlace::kEntry), 2u);  // two adds of a module are one
  EXPECT_EQ(count(F32, CoveragePlace::kApplied), 2u);
  EXPECT_EQ(count(S32, CoveragePlace::kLoop), 2u);
  EXPECT_EQ(count(S32, CoveragePlace::kEntry), 0u);
  EXPECT_EQ(count(F64, CoveragePlace::kCalled), 2u);
  EXPECT_EQ(coverage.Count(Opcode::kAdd, F32), 2u);
  EXPECT_EQ(WhyEmpty(Opcode::kAnd, F32), "takes pred and integers only");
  EXPECT_EQ(WhyEmpty(Opcode::kAdd, F32), "");
  EXPECT_EQ(WhyEmpty(Opcode::kInfeed, F32), "waits for values from the host");
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

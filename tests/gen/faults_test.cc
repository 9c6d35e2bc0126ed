// Would the machine notice? Compilers with a fault each: the text of a module is changed as a
// broken compiler would understand it. Random modules and arguments must show the fault, and
// reduction must leave little more than the instruction that is understood wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/gen/generate.h"
#include "axle/gen/inputs.h"
#include "axle/gen/reduce.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// An instruction of `op` becomes one of `becomes`, on the operands that `order` lists by position;
// without a parenthesis, a text becomes another one.
struct Fault {
  std::string_view name, op, becomes;
  std::vector<size_t> order;
};

const Fault kFaults[] = {
    {"operands of subtract", "subtract", "subtract", {1, 0}},
    {"operands of divide", "divide", "divide", {1, 0}},
    {"maximum is minimum", "maximum", "minimum", {0, 1}},
    {"floor is ceil", "floor", "ceil", {0}},
    {"ties away from zero", "round-nearest-even", "round-nearest-afz", {0}},
    {"less or equal", "direction=LT", "direction=LE", {}},
    {"not equal is less", "direction=NE", "direction=LT", {}},
    {"a shift without sign", "shift-right-arithmetic", "shift-right-logical", {0, 1}},
    {"the other side of select", "select", "select", {0, 2, 1}},
    {"bounds of clamp", "clamp", "clamp", {2, 1, 0}},
    {"a transpose of equal sizes", "dimensions={1,0}", "dimensions={0,1}", {}},
    {"an update is lost", "dynamic-update-slice", "copy", {0}},
    {"negate is abs", "negate", "abs", {0}},
    {"one is not subtracted", "exponential-minus-one", "exponential", {0}},
    {"abs does nothing", "abs", "copy", {0}},
    {"or is xor", "or", "xor", {0, 1}},
    {"stable no more", "direction=GT, type=TOTALORDER", "direction=GE, type=TOTALORDER", {}},
};

// Operands of "(%a, %b)".
std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const size_t comma = list.find(", ");
    parts.push_back(list.substr(0, comma));
    list.remove_prefix(comma == list.npos ? list.size() : comma + 2);
  }
  return parts;
}

std::string BrokenText(std::string_view text, const Fault& fault) {
  const std::string head = fault.order.empty() ? std::string(fault.op) : StrCat(" ", fault.op, "(");
  std::string broken;
  for (size_t at; (at = text.find(head)) != text.npos;) {
    StrAppend(broken, text.substr(0, at));
    text.remove_prefix(at + head.size());
    if (fault.order.empty()) {
      StrAppend(broken, fault.becomes);
      continue;
    }
    const size_t end = text.find(')');
    const auto operands = Split(text.substr(0, end));
    StrAppend(broken, " ", fault.becomes, "(");
    for (size_t i = 0; i < fault.order.size(); ++i) {
      StrAppend(broken, i == 0 ? "" : ", ", operands[fault.order[i]]);
    }
    text.remove_prefix(end);
  }
  return StrCat(broken, text);
}

// What the broken compiler makes of it; null if it sees nothing to break, or no program.
std::unique_ptr<Module> Broken(const Module& module, const Fault& fault) {
  const std::string text = Print(module);
  const std::string broken = BrokenText(text, fault);
  if (broken == text) return nullptr;
  auto parsed = Parse(broken);
  return parsed.ok() ? *std::move(parsed) : nullptr;
}

bool Shows(const Module& module, const Fault& fault) {
  const std::unique_ptr<Module> broken = Broken(module, fault);
  for (std::uint64_t seed = 0; broken != nullptr && seed < 3; ++seed) {
    const std::vector<Literal> arguments = DrawArguments(*module.entry(), seed);
    // Reduction makes endless loops.
    Limits limits, broken_limits;
    for (Limits* l : {&limits, &broken_limits}) l->set_step_limit(20'000);
    const auto expected = Evaluate(module, arguments, {.limits = &limits});
    const auto actual = Evaluate(*broken, arguments, {.limits = &broken_limits});
    if (expected.ok() && actual.ok() && !SameValue(*expected, *actual)) return true;
  }
  return false;
}

TEST(Faults, AreFoundAndReduced) {
  constexpr std::uint64_t kModules = 8000;
  std::vector<std::unique_ptr<Module>> modules;
  for (std::uint64_t i = 0; i < kModules; ++i) {
    auto module = GenerateModule(11, i);
    ASSERT_TRUE(module.ok());
    modules.push_back(*std::move(module));
  }
  for (const Fault& fault : kFaults) {
    const auto shows = [&](const Module& m) { return Shows(m, fault); };
    const auto found = std::ranges::find_if(modules, [&](const auto& m) { return shows(*m); });
    EXPECT_NE(found, modules.end()) << fault.name;
    if (found == modules.end()) continue;
    const auto small = ReduceModule(**found, shows, {});
    ASSERT_TRUE(small.ok()) << fault.name << small.status().ToString();
    EXPECT_LE((*small)->num_instructions(), 16) << fault.name << "\n" << Print(**small);
    std::printf("  %-24s module %4d, %3d instructions, %2d left\n", std::string(fault.name).c_str(),
                static_cast<int>(found - modules.begin()),
                static_cast<int>((*found)->num_instructions()),
                static_cast<int>((*small)->num_instructions()));
  }
}

}  // namespace
}  // namespace axle

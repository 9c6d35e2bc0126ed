// What a pass makes of a program, as text.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "axle/client/arguments.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {

// The module after these passes, in the short style and without its head. Fails the test if the
// program cannot be read, a pass fails, or the verifier refuses what it made.
inline std::string After(std::string_view text, std::vector<std::string_view> passes) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return {};
  PipelineOptions options = {.verify_each = true};
  for (const std::string_view name : passes) {
    options.passes.push_back(FindPass(name));
    EXPECT_NE(options.passes.back(), nullptr) << name;
  }
  const auto after = RunPipeline(**module, options);
  EXPECT_TRUE(after.ok()) << after.status().ToString();
  if (!after.ok()) return {};
  const std::string printed = Print(**after, {.style = PrintOptions::Style::kShort});
  const auto reread = Parse(Print(**after));
  EXPECT_TRUE(reread.ok()) << reread.status().ToString() << "\n" << printed;
  return printed.substr(printed.find("\n\n") + 2);
}

// The module after this pass alone, as text. It, and the module after all passes, give the bits of
// the program on random arguments.
inline std::string AfterWithSameBits(std::string_view text, std::string_view pass) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return {};
  const auto once = RunPipeline(**module, {.passes = {FindPass(pass)}, .verify_each = true});
  const auto all = RunPipeline(**module, {.verify_each = true});
  EXPECT_TRUE(once.ok() && all.ok()) << once.status().ToString() << all.status().ToString();
  if (!once.ok() || !all.ok()) return {};
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(*FakeLiteral(parameter->shape(), "random", std::ssize(arguments)));
  }
  const auto expected = Evaluate(**module, arguments);
  EXPECT_TRUE(expected.ok()) << expected.status().ToString();
  if (!expected.ok()) return {};
  for (const Module* changed : {once->get(), all->get()}) {
    const auto result = Evaluate(*changed, arguments);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    if (!result.ok()) return {};
    const auto difference = FirstDifference(*expected, *result);
    EXPECT_FALSE(difference) << difference->ToString();
  }
  return Print(**once);
}

}  // namespace axle

// What a pass makes of a program, as text.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "axle/core/strings.h"
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

}  // namespace axle

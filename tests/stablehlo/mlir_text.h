// What the tests of MLIR text share.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "axle/stablehlo/mlir/compare.h"
#include "axle/stablehlo/mlir/print.h"
#include "axle/stablehlo/mlir/text.h"

namespace axle::mlir {

// The module, or a failed expectation and null.
inline std::unique_ptr<MlirModule> ReadOrFail(const std::string& text) {
  auto module = ParseMlirText(text, {.label = "t"});
  EXPECT_TRUE(module.ok()) << module.status().ToString() << "\nin\n" << text.substr(0, 2000);
  return module.ok() ? *std::move(module) : nullptr;
}

// Prints `module` in both forms; each is read back as an equal tree.
inline void ExpectPrintsBack(const MlirModule& module) {
  for (const bool generic : {false, true}) {
    const std::string text = PrintMlirText(module, {.generic = generic, .locations = true});
    const auto again = ParseMlirText(text, {.label = "printed"});
    ASSERT_TRUE(again.ok()) << again.status().ToString() << "\nin\n" << text.substr(0, 2000);
    EXPECT_EQ(FirstDifference(module, **again, {.locations = true}), "") << text.substr(0, 2000);
  }
}

}  // namespace axle::mlir

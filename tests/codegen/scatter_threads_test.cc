// Scatters of rows whose result several threads share, against the interpreter, bit for bit: many
// updates of one element, in their order, and rows that are left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "axle/core/strings.h"
#include "axle/runtime/compile_report.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class ScatterThreads : public StepTest {
 protected:
  // `computation` is applied to a and b.
  void ExpectTiles(std::string_view type, std::string_view computation, std::string_view entry,
                   bool has_tiles = true) {
    const std::string text =
        StrCat("f { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1) ROOT r = ", type,
               "[] ", computation, " }\nENTRY e {\n", entry, ", to_apply=f\n}");
    ExpectSameBits(text, 1, 512, [&](const CompileReport& report) {
      const auto& records = report.programs.back().records;
      ASSERT_EQ(records.size(), 1u);
      EXPECT_EQ(records[0].kind, "scatter");
      EXPECT_EQ(records[0].num_tiles > 1, has_tiles);
    });
  }
};

constexpr std::string_view kRows =
    "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1";

TEST_P(ScatterThreads, RowsOfAllLengths) {
  for (const int size : {8, 12, 16, 33}) {
    ExpectTiles("f32", "add(a, b)",
                StrCat("x = f32[29,", size, "] parameter(0)\n i = s32[12000,1] parameter(1)\n",
                       "u = f32[12000,", size, "] parameter(2)\n ROOT s = f32[29,", size,
                       "] scatter(x, i, u), ", kRows));
  }
}

TEST_P(ScatterThreads, ComputationsOfAllForms) {
  for (const std::string_view computation :
       {"subtract(a, b)", "multiply(b, a)", "maximum(a, b)", "copy(b)"}) {
    ExpectTiles(
        "f32", computation,
        StrCat("x = f32[29,16] parameter(0)\n i = s8[12000,1] parameter(1)\n",
               "u = f32[12000,16] parameter(2)\n ROOT s = f32[29,16] scatter(x, i, u), ", kRows));
  }
  ExpectTiles(
      "u64", "add(b, a)",
      StrCat("x = u64[29,16] parameter(0)\n i = u16[12000,1] parameter(1)\n",
             "u = u64[12000,16] parameter(2)\n ROOT s = u64[29,16] scatter(x, i, u), ", kRows));
}

// Parts of rows that begin anywhere may lie in two tiles; sums of narrow floats are elsewhere until
// the last update.
TEST_P(ScatterThreads, WhatOneThreadDoes) {
  ExpectTiles("f32", "add(a, b)",
              "x = f32[29,16] parameter(0)\n i = s32[12000,2] parameter(1)\n"
              "u = f32[12000,9] parameter(2)\n ROOT s = f32[29,16] scatter(x, i, u), "
              "update_window_dims={1}, inserted_window_dims={0}, "
              "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1",
              false);
  ExpectTiles(
      "bf16", "add(a, b)",
      StrCat("x = bf16[29,16] parameter(0)\n i = s32[12000,1] parameter(1)\n",
             "u = bf16[12000,16] parameter(2)\n ROOT s = bf16[29,16] scatter(x, i, u), ", kRows),
      false);
  for (const std::string_view computation : {"add(a, b)", "copy(b)", "divide(a, b)"}) {
    ExpectTiles("f32", computation,
                "x = f32[29] parameter(0)\n i = s64[12000] parameter(1)\n"
                "u = f32[12000] parameter(2)\n ROOT s = f32[29] scatter(x, i, u), "
                "update_window_dims={}, inserted_window_dims={0}, "
                "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
                false);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScatterThreads, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle

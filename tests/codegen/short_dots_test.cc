// Dots of few products in loops (schedule/product_regions.cc) against the interpreter, bit for bit:
// matrices of many sizes alone and in batches, operands that are views, what uses the products, and
// dots that stay with the kernels for matrices.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "axle/core/strings.h"
#include "axle/runtime/compile_report.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class ShortDots : public StepTest {
 protected:
  // `text` is the entry: its records are of these kinds.
  void ExpectKinds(const std::string& text, std::string_view kinds = "loop") {
    for (const std::uint32_t seed : {1u, 2u}) {
      ExpectSameBits(
          StrCat(kAdd, "ENTRY e {\n", text, "\n}"), seed, 512, [&](const CompileReport& report) {
            const auto& records = report.programs.back().records;
            EXPECT_EQ(Join(records, " ", [](const auto& record) { return record.kind; }), kinds)
                << text;
          });
    }
  }
  static constexpr std::string_view kAdd =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
};

TEST_P(ShortDots, BatchesOfMatrices) {
  struct Case {
    int rows, depth, columns;
  };
  for (const auto& [rows, depth, columns] : std::initializer_list<Case>{{2, 2, 2},
                                                                        {3, 3, 3},
                                                                        {1, 3, 3},
                                                                        {3, 3, 1},
                                                                        {1, 4, 1},
                                                                        {4, 1, 3},
                                                                        {2, 7, 5},
                                                                        {8, 8, 8}}) {
    for (const std::string_view type : {"f32", "f64"}) {
      const int batch = 4096 / (rows * columns) + 7;
      const std::string lhs = StrCat(type, "[", batch, ",", rows, ",", depth, "]");
      const std::string rhs = StrCat(type, "[", batch, ",", depth, ",", columns, "]");
      ExpectKinds(StrCat("x = ", lhs, " parameter(0)\n y = ", rhs, " parameter(1)\nROOT r = ", type,
                         "[", batch, ",", rows, ",", columns,
                         "] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                         "lhs_contracting_dims={2}, rhs_contracting_dims={1}"));
    }
  }
}

TEST_P(ShortDots, RowsTimesAMatrix) {
  for (const int depth : {1, 3, 4, 8}) {
    for (const int columns : {1, 3, 4, 8}) {
      const int rows = 4096 / columns + 5;
      ExpectKinds(StrCat("x = f32[", rows, ",", depth, "] parameter(0)\n y = f32[", depth, ",",
                         columns, "] parameter(1)\nROOT r = f32[", rows, ",", columns,
                         "] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
      ExpectKinds(StrCat("x = f32[", columns, ",", depth, "] parameter(0)\n y = f32[", depth, ",",
                         rows, "] parameter(1)\nROOT r = f32[", columns, ",", rows,
                         "] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
    }
  }
  // A vector, several contracting dimensions, in another order than in memory.
  ExpectKinds(
      "x = f32[5001,3] parameter(0)\n y = f32[3] parameter(1)\n"
      "ROOT r = f32[5001] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  ExpectKinds(
      "x = f32[3,1700,2] parameter(0)\n y = f32[2,3,3] parameter(1)\n"
      "ROOT r = f32[1700,3] dot(x, y), lhs_contracting_dims={2,0}, rhs_contracting_dims={0,2}");
}

// Transposed and sliced operands are read in place, also one operand twice; others are made first.
TEST_P(ShortDots, Operands) {
  ExpectKinds(
      "x = f32[2000,4] parameter(0)\n s = f32[2000,3] slice(x), slice={[0:2000], [1:4]}\n"
      "y = f32[3,3] parameter(1)\n"
      "ROOT r = f32[2000,3] dot(s, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  ExpectKinds(
      "x = f32[700,3,3] parameter(0)\n"
      "ROOT r = f32[700,3,3] dot(x, x), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={2}");
  ExpectKinds(
      "x = u8[5001,3] parameter(0)\n c = f32[5001,3] convert(x)\n y = f32[3] parameter(1)\n"
      "ROOT r = f32[5001] dot(c, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "loop loop");
  ExpectKinds(
      "x = f32[5001,3] parameter(0)\n h = f32[] constant(0.5)\n y = f32[3,2] broadcast(h), "
      "dimensions={}\n"
      "ROOT r = f32[5001,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "move loop");
}

// What comes behind is part of the loop.
TEST_P(ShortDots, Users) {
  ExpectKinds(
      "x = f32[2000,3] parameter(0)\n y = f32[3,3] parameter(1)\n t = f32[3] parameter(2)\n"
      "d = f32[2000,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "b = f32[2000,3] broadcast(t), dimensions={1}\n a = f32[2000,3] add(d, b)\n"
      "ROOT r = f32[2000,3] maximum(a, x)");
  ExpectKinds(
      "x = f32[2000,3] parameter(0)\n y = f32[3,3] parameter(1)\n z = f32[] constant(0)\n"
      "d = f32[2000,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "ROOT r = f32[2000] reduce(d, z), dimensions={1}, to_apply=add",
      "reduce");
  ExpectKinds(
      "x = f32[2000,3] parameter(0)\n y = f32[3,3] parameter(1)\n w = f32[3,3] parameter(2)\n"
      "d = f32[2000,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "ROOT r = f32[2000,3] dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "loop loop");
}

// Many products, many columns, few results, groups that are much code, and other types.
TEST_P(ShortDots, OthersAreContractions) {
  ExpectKinds(
      "x = f32[2000,9] parameter(0)\n y = f32[9,3] parameter(1)\n"
      "ROOT r = f32[2000,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "contraction");
  ExpectKinds(
      "x = f32[200,3] parameter(0)\n y = f32[3,200] parameter(1)\n"
      "ROOT r = f32[200,200] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "contraction");
  ExpectKinds(
      "x = f32[600,3] parameter(0)\n y = f32[3,3] parameter(1)\n"
      "ROOT r = f32[600,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "contraction");
  ExpectKinds(
      "x = f32[300,5,5] parameter(0)\n y = f32[300,5,5] parameter(1)\n"
      "ROOT r = f32[300,5,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
      "contraction");
  ExpectKinds(
      "x = bf16[2000,3] parameter(0)\n y = bf16[3,3] parameter(1)\n"
      "ROOT r = bf16[2000,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "contraction");
}

INSTANTIATE_TEST_SUITE_P(All, ShortDots, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle

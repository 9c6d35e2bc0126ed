// Gathers in loops against the interpreter, bit for bit: all types of indices and elements, indices
// outside of the table, rows that do not fill vectors, and what comes before and behind a gather.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "axle/core/strings.h"
#include "axle/runtime/compile_report.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class GatherLoops : public StepTest {
 protected:
  // `text` is the entry: its records are of these kinds.
  void ExpectLoops(const std::string& text, std::string_view kinds = "loop") {
    for (const std::uint32_t seed : {1u, 2u}) {
      ExpectSameBits(
          StrCat(kAdd, "ENTRY e {\n", text, "\n}"), seed, 512, [&](const CompileReport& report) {
            const auto& records = report.programs.back().records;
            EXPECT_EQ(Join(records, " ", [](const auto& record) { return record.kind; }), kinds);
          });
    }
  }
  static constexpr std::string_view kAdd =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
};

constexpr std::string_view kElements =
    "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
    "slice_sizes={1}";

TEST_P(GatherLoops, IndicesOfAllTypes) {
  for (const std::string_view type :
       {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "s4", "u4"}) {
    for (const int size : {1, 3, 100, 128, 300}) {
      ExpectLoops(StrCat("t = f32[", size, "] parameter(0)\n i = ", type, "[261] parameter(1)\n",
                         "ROOT g = f32[261] gather(t, i), ", kElements),
                  size == 1 ? "move" : "loop");
    }
  }
}

TEST_P(GatherLoops, ElementsOfAllTypes) {
  for (const std::string_view type : {"pred", "s4", "s8", "u16", "s32", "u64", "bf16", "f16",
                                      "f8e5m2", "f32", "f64", "c64", "c128"}) {
    ExpectLoops(StrCat("t = ", type,
                       "[7,5] parameter(0)\n i = s32[131,2] parameter(1)\nROOT g = ", type,
                       "[131] gather(t, i), offset_dims={}, collapsed_slice_dims={0,1}, "
                       "start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1}"));
    ExpectLoops(StrCat("t = ", type,
                       "[7,5] parameter(0)\n i = s16[29,1] parameter(1)\nROOT g = ", type,
                       "[29,5] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}"));
  }
}

TEST_P(GatherLoops, RowsOfAllLengths) {
  for (const int size : {2, 3, 8, 15, 16, 17, 33, 64, 130}) {
    for (const int vectors : {1, 2, 67}) {
      if (size * vectors <= 128) continue;
      ExpectLoops(StrCat("t = f32[11,", size, "] parameter(0)\n i = s32[", vectors,
                         ",1] parameter(1)\nROOT g = f32[", vectors, ",", size,
                         "] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                         "start_index_map={0}, index_vector_dim=1, slice_sizes={1,",
                         size, "}"));
    }
  }
}

// Windows that are parts of rows, columns in front, and elements that lie apart.
TEST_P(GatherLoops, SlicesOfAllForms) {
  ExpectLoops(
      "t = f32[9,20] parameter(0)\n i = s32[31,2] parameter(1)\n"
      "ROOT g = f32[31,3,18] gather(t, i), offset_dims={1,2}, collapsed_slice_dims={}, "
      "start_index_map={0,1}, index_vector_dim=1, slice_sizes={3,18}");
  ExpectLoops(
      "t = f32[9,20] parameter(0)\n i = s32[2,31] parameter(1)\n"
      "ROOT g = f32[3,31,5] gather(t, i), offset_dims={0,2}, collapsed_slice_dims={}, "
      "start_index_map={0,1}, index_vector_dim=0, slice_sizes={3,5}");
  ExpectLoops(
      "t = f32[9,20] parameter(0)\n i = s32[57] parameter(1)\n"
      "ROOT g = f32[9,57] gather(t, i), offset_dims={0}, collapsed_slice_dims={1}, "
      "start_index_map={1}, index_vector_dim=1, slice_sizes={9,1}");
  ExpectLoops(
      "t = f32[9,20] parameter(0)\n i = s32[57] parameter(1)\n"
      "ROOT g = f32[57,9] gather(t, i), offset_dims={1}, collapsed_slice_dims={1}, "
      "start_index_map={1}, index_vector_dim=1, slice_sizes={9,1}");
}

TEST_P(GatherLoops, BatchesOfTables) {
  ExpectLoops(
      "t = f32[9,23] parameter(0)\n i = s32[9,37,1] parameter(1)\n"
      "ROOT g = f32[9,37] gather(t, i), offset_dims={}, collapsed_slice_dims={1}, "
      "start_index_map={1}, index_vector_dim=2, slice_sizes={1,1}, operand_batching_dims={0}, "
      "start_indices_batching_dims={0}");
  ExpectLoops(
      "t = f32[23,37] parameter(0)\n i = s32[9,37,1] parameter(1)\n"
      "ROOT g = f32[9,37] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=2, slice_sizes={1,1}, operand_batching_dims={1}, "
      "start_indices_batching_dims={1}");
  ExpectLoops(
      "t = c64[37,23] parameter(0)\n i = u8[9,37] parameter(1)\n"
      "ROOT g = c64[9,37] gather(t, i), offset_dims={}, collapsed_slice_dims={1}, "
      "start_index_map={1}, index_vector_dim=2, slice_sizes={1,1}, operand_batching_dims={0}, "
      "start_indices_batching_dims={1}");
}

TEST_P(GatherLoops, ProducersAndConsumers) {
  ExpectLoops(
      "t = f32[19] parameter(0)\n i = s32[261] parameter(1)\n x = f32[261] parameter(2)\n"
      "n = s32[261] negate(i)\n a = s32[261] add(n, i)\n b = s32[261] subtract(a, n)\n"
      "g = f32[261] gather(t, b), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}\n"
      "m = f32[261] multiply(g, x)\n j = s8[261] convert(m)\n"
      "h = f32[261] gather(t, j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}\n"
      "ROOT r = f32[261] add(h, g)");
}

TEST_P(GatherLoops, Reductions) {
  for (const std::string_view dims : {"1", "0"}) {
    const std::string_view kept = dims == "1" ? "37" : "65";
    ExpectLoops(StrCat("t = f32[190] parameter(0)\n i = s16[37,65] parameter(1)\n "
                       "x = f32[37,65] parameter(2)\n z = f32[] parameter(3)\n"
                       "g = f32[37,65] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, "
                       "start_index_map={0}, index_vector_dim=2, slice_sizes={1}\n"
                       "m = f32[37,65] multiply(g, x)\n"
                       "ROOT r = f32[",
                       kept, "] reduce(m, z), dimensions={", dims, "}, to_apply=add"),
                "reduce loop");
  }
  // In an order for which elements are staged.
  ExpectLoops(
      "t = f32[8,9] parameter(0)\n i = s32[100] parameter(1)\n z = f32[] parameter(2)\n"
      "g = f32[8,5,100] gather(t, i), offset_dims={0,1}, collapsed_slice_dims={}, "
      "start_index_map={1}, index_vector_dim=1, slice_sizes={8,5}\n"
      "ROOT r = f32[5] reduce(g, z), dimensions={0,2}, to_apply=add",
      "loop reduce loop");
  // A row of its table for each row that is summed.
  ExpectLoops(
      "t = f32[19,65] parameter(0)\n i = s16[37,1] parameter(1)\n z = f32[] parameter(2)\n"
      "g = f32[37,65] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,65}\n"
      "ROOT r = f32[37] reduce(g, z), dimensions={1}, to_apply=add",
      "reduce loop");
}

// A table that all rows read, and rows of it, in blocks of rows; the indices are of the row.
TEST_P(GatherLoops, BlocksOfRows) {
  ExpectLoops(
      "t = f32[50,100] parameter(0)\n i = s32[30,1] parameter(1)\n u = f32[300] parameter(2)\n"
      "g = f32[30,100] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,100}\n"
      "z = f32[] constant(0)\n q = f32[30] reduce(g, z), dimensions={1}, to_apply=add\n"
      "k = s32[30] convert(q)\n w = f32[30] gather(u, k), offset_dims={}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
      "b = f32[30,100] broadcast(q), dimensions={0}\n c = f32[30,100] broadcast(w), "
      "dimensions={0}\n d = f32[30,100] subtract(g, b)\n e = f32[30,100] multiply(d, c)\n"
      "l = s16[30,100] convert(e)\n"
      "ROOT h = f32[30,100] gather(u, l), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=2, slice_sizes={1}",
      "reduce loop move loop");
  ExpectLoops(
      "t = f32[500,100] parameter(0)\n i = s32[300,1] parameter(1)\n u = f32[300] parameter(2)\n"
      "g = f32[300,100] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,100}\n"
      "z = f32[] constant(0)\n q = f32[300] reduce(g, z), dimensions={1}, to_apply=add\n"
      "k = s32[300] convert(q)\n w = f32[300] gather(u, k), offset_dims={}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
      "b = f32[300,100] broadcast(q), dimensions={0}\n c = f32[300,100] broadcast(w), "
      "dimensions={0}\n d = f32[300,100] subtract(g, b)\n e = f32[300,100] multiply(d, c)\n"
      "l = s16[300,100] convert(e)\n"
      "ROOT h = f32[300,100] gather(u, l), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=2, slice_sizes={1}",
      "rows");
}

TEST_P(GatherLoops, IndexVectorsOfSeveralArrays) {
  ExpectLoops(
      "t = f32[20,30] parameter(0)\n i = s32[401] parameter(1)\n j = s32[401] parameter(2)\n"
      "k = s32[401] add(i, j)\n a = s32[401,1] reshape(i)\n b = s32[401,1] reshape(k)\n"
      "v = s32[401,2] concatenate(a, b), dimensions={1}\n"
      "ROOT g = f32[401] gather(t, v), offset_dims={}, collapsed_slice_dims={0,1}, "
      "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}");
  // Constants, and one array in two parts.
  ExpectLoops(
      "t = f32[20,30] parameter(0)\n i = s32[200] parameter(1)\n j = s32[201] parameter(2)\n"
      "c = s32[] constant(7)\n k = s32[401,1] broadcast(c), dimensions={}\n"
      "l = s32[401] concatenate(i, j), dimensions={0}\n a = s32[401,1] reshape(l)\n"
      "v = s32[401,2] concatenate(a, k), dimensions={1}\n"
      "ROOT g = f32[401] gather(t, v), offset_dims={}, collapsed_slice_dims={0,1}, "
      "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}",
      "move loop");
}

TEST_P(GatherLoops, ArraysWithoutElements) {
  ExpectLoops(StrCat("t = f32[5] parameter(0)\n i = s32[0] parameter(1)\n",
                     "ROOT g = f32[0] gather(t, i), ", kElements),
              "");
  ExpectLoops(StrCat("t = f32[0] parameter(0)\n i = s32[200] parameter(1)\n",
                     "ROOT g = f32[200,0] gather(t, i), offset_dims={1}, collapsed_slice_dims={}, "
                     "start_index_map={0}, index_vector_dim=1, slice_sizes={0}"),
              "");
}

INSTANTIATE_TEST_SUITE_P(All, GatherLoops, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle

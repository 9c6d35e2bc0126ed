// Loops over groups (schedule/loop_pattern.h) against the interpreter, bit for bit: all element
// types, groups of many sizes, numbers of groups that fill no block, what is read in place, sums of
// short rows, and results that lie between others.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "axle/core/strings.h"
#include "axle/runtime/compile_report.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class GroupedLoops : public StepTest {
 protected:
  // `text` is the entry: its records are of these kinds.
  void ExpectLoops(const std::string& text, std::string_view kinds = "loop") {
    for (const std::uint32_t seed : {1u, 2u}) {
      ExpectSameBits(StrCat(kReducers, "ENTRY e {\n", text, "\n}"), seed, 512,
                     [&](const CompileReport& report) {
                       const auto& records = report.programs.back().records;
                       EXPECT_EQ(Join(records, " ", [](const auto& record) { return record.kind; }),
                                 kinds);
                     });
    }
  }
  static constexpr std::string_view kReducers =
      "addf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "mulf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
      "maxf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n";
};

// x[n,i] * y[n,j] for rows of many lengths, and numbers of rows around whole blocks.
TEST_P(GroupedLoops, OuterProducts) {
  for (const int rows : {1, 2, 3, 7}) {
    for (const int columns : {1, 3, 8}) {
      if (rows * columns == 1) continue;
      for (const int n : {1024, 1039}) {
        ExpectLoops(StrCat("x = f32[", n, ",", rows, "] parameter(0)\n y = f32[", n, ",", columns,
                           "] parameter(1)\n p = f32[", n, ",", rows, ",", columns,
                           "] broadcast(x), dimensions={0,1}\n q = f32[", n, ",", rows, ",",
                           columns, "] broadcast(y), dimensions={0,2}\nROOT r = f32[", n, ",", rows,
                           ",", columns, "] multiply(p, q)"));
      }
    }
  }
}

TEST_P(GroupedLoops, AllTypes) {
  for (const std::string_view type :
       {"pred", "s8", "u16", "s32", "u64", "bf16", "f16", "f8e5m2", "f32", "f64", "c64", "c128"}) {
    const std::string_view op = type == "pred" ? "and" : "add";
    ExpectLoops(StrCat("x = ", type, "[711,3] parameter(0)\n y = ", type, "[711,2] parameter(1)\n",
                       "p = ", type, "[711,3,2] broadcast(x), dimensions={0,1}\n q = ", type,
                       "[711,3,2] broadcast(y), dimensions={0,2}\nROOT r = ", type, "[711,3,2] ",
                       op, "(p, q)"));
    ExpectLoops(StrCat("x = ", type, "[1333,3] parameter(0)\n y = ", type,
                       "[1333] parameter(1)\ns = ", type,
                       "[1333,1] slice(x), slice={[0:1333], [1:2]}\n t = ", type,
                       "[1333] reshape(s)\nROOT r = ", type, "[1333] ", op, "(t, y)"));
  }
}

// Dimensions of a group in another order, backwards, and of rows that are not all in one run.
TEST_P(GroupedLoops, WhatIsReadInPlace) {
  ExpectLoops(
      "x = f32[501,3,3] parameter(0)\n t = f32[501,3,3] transpose(x), dimensions={0,2,1}\n"
      "ROOT r = f32[501,3,3] add(x, t)");
  ExpectLoops(
      "x = f32[501,3,5] parameter(0)\n y = f32[501,5,3] parameter(1)\n"
      "t = f32[501,3,5] transpose(y), dimensions={0,2,1}\nROOT r = f32[501,3,5] subtract(x, t)");
  ExpectLoops(
      "x = f32[501,5] parameter(0)\n t = f32[501,5] reverse(x), dimensions={1}\n"
      "ROOT r = f32[501,5] subtract(x, t)");
  ExpectLoops(
      "x = f32[3001] parameter(0)\n y = f32[1500] parameter(1)\n"
      "t = f32[1500] slice(x), slice={[1:3001:2]}\nROOT r = f32[1500] subtract(t, y)");
  ExpectLoops(
      "x = f32[7,300,4] parameter(0)\n y = f32[7,1,4] parameter(1)\n z = f32[7,4] reshape(y)\n"
      "t = f32[7,300,4] broadcast(z), dimensions={0,2}\nROOT r = f32[7,300,4] subtract(x, t)");
  ExpectLoops(
      "x = f32[5,300,9] parameter(0)\n y = f32[5] parameter(1)\n"
      "s = f32[5,300,4] slice(x), slice={[0:5], [0:300], [3:7]}\n"
      "t = f32[5,300,4] broadcast(y), dimensions={0}\nROOT r = f32[5,300,4] divide(s, t)");
}

// Groups whose order is turned around, and with it that of their elements or not; numbers of groups
// around whole blocks, groups that are longer than a vector, rows that begin within an array.
TEST_P(GroupedLoops, WhatIsReadBackwards) {
  for (const std::string_view type : {"s8", "f16", "f32", "u64", "c64"}) {
    for (const int n : {512, 523}) {
      for (const std::string_view dimensions : {"0", "0,1", "1"}) {
        for (const int size : {1, 3, 8, 40}) {
          ExpectLoops(StrCat("x = ", type, "[", n, ",", size, "] parameter(0)\n t = ", type, "[", n,
                             ",", size, "] reverse(x), dimensions={", dimensions,
                             "}\nROOT r = ", type, "[", n, ",", size, "] add(x, t)"));
        }
      }
    }
  }
  ExpectLoops(
      "x = f32[5,130,3] parameter(0)\n t = f32[5,130,3] reverse(x), dimensions={1}\n"
      "ROOT r = f32[5,130,3] subtract(x, t)");
  ExpectLoops(
      "x = f32[600,7] parameter(0)\n t = f32[600,7] reverse(x), dimensions={0}\n z = f32[] "
      "constant(0)\n p = f32[600,7] multiply(x, t)\nROOT r = f32[600] reduce(p, z), "
      "dimensions={1}, to_apply=addf",
      "reduce");
}

// Sums of short rows in a region that goes on row by row: each row has many of them.
TEST_P(GroupedLoops, SumsInRowsOfALongerRow) {
  for (const int columns : {70, 300}) {
    const std::string results = StrCat("f32[40,", columns, "]");
    const std::string all = StrCat("f32[40,", columns, ",2]");
    ExpectLoops(
        StrCat("x = f32[40,2] parameter(0)\n y = f32[", columns, ",2] parameter(1)\n",
               "o = f32[] constant(1)\n p = ", all, " broadcast(x), dimensions={0,2}\n q = ", all,
               " broadcast(y), dimensions={1,2}\n m = ", all, " minimum(p, q)\n a = ", results,
               " reduce(m, o), dimensions={2}, to_apply=mulf\n",
               "b = f32[40] reduce(x, o), dimensions={1}, to_apply=mulf\n c = ", results,
               " broadcast(b), dimensions={0}\nROOT r = ", results, " divide(a, c)"),
        "rows");
  }
}

// Elements that lie too far apart for shuffles.
TEST_P(GroupedLoops, FarApart) {
  ExpectLoops(
      "x = f32[700,3] parameter(0)\n y = f32[700,90] parameter(1)\n"
      "s = f32[700,2] slice(y), slice={[0:700], [88:90]}\n u = f32[700,1] slice(x), "
      "slice={[0:700], [2:3]}\n v = f32[700] reshape(u)\n"
      "w = f32[700,2] broadcast(v), dimensions={0}\nROOT r = f32[700,2] add(s, w)");
}

TEST_P(GroupedLoops, SumsOfShortRows) {
  for (const std::string_view reducer : {"addf", "mulf", "maxf"}) {
    for (const int reduced : {2, 3, 15}) {
      for (const int n : {1024, 1031}) {
        ExpectLoops(StrCat("x = f32[", n, ",", reduced, "] parameter(0)\n y = f32[", n, ",",
                           reduced, "] parameter(1)\n z = f32[] constant(0)\n p = f32[", n, ",",
                           reduced, "] multiply(x, y)\nROOT r = f32[", n,
                           "] reduce(p, z), dimensions={1}, to_apply=", reducer),
                    reducer == "mulf" ? "reduce loop" : "reduce");
      }
    }
  }
}

// Columns of a few elements, and a sum over all of small matrices.
TEST_P(GroupedLoops, SumsOfShortColumns) {
  for (const int columns : {2, 3, 5}) {
    ExpectLoops(StrCat("x = f32[1027,4,", columns, "] parameter(0)\n z = f32[] constant(0)\n",
                       "p = f32[1027,4,", columns, "] multiply(x, x)\nROOT r = f32[1027,", columns,
                       "] reduce(p, z), dimensions={1}, to_apply=addf"),
                "reduce");
  }
  ExpectLoops(
      "x = f32[1027,3,3] parameter(0)\n y = f32[1027,3] parameter(1)\n z = f32[] constant(0)\n"
      "t = f32[1027,3,3] broadcast(y), dimensions={0,1}\n p = f32[1027,3,3] multiply(x, t)\n"
      "ROOT r = f32[1027] reduce(p, z), dimensions={1,2}, to_apply=addf",
      "reduce");
}

// Results that a concatenation puts beside each other.
TEST_P(GroupedLoops, ResultsBetweenOthers) {
  for (const std::string_view type : {"u8", "bf16", "f32", "s64", "pred"}) {
    const std::string_view op = type == "pred" ? "or" : "add",
                           other = type == "pred" ? "and" : "multiply";
    ExpectLoops(
        StrCat("x = ", type, "[1045] parameter(0)\n y = ", type, "[1045] parameter(1)\n a = ", type,
               "[1045] ", op, "(x, y)\n b = ", type, "[1045] ", other, "(x, y)\n c = ", type,
               "[1045,1] reshape(a)\n d = ", type, "[1045,1] reshape(b)\nROOT r = ", type,
               "[1045,2] concatenate(c, d), dimensions={1}"),
        "loop move");
  }
  ExpectLoops(
      "x = f32[1045,3] parameter(0)\n y = f32[1045,2] parameter(1)\n"
      "a = f32[1045,3] negate(x)\n b = f32[1045,2] negate(y)\n"
      "ROOT r = f32[1045,5] concatenate(a, b), dimensions={1}",
      "loop loop move");
}

// Copies are loops too: of all operands of a concatenation one.
TEST_P(GroupedLoops, Copies) {
  for (const std::string_view type : {"s8", "f16", "f32", "f64", "c64"}) {
    ExpectLoops(StrCat("x = ", type, "[5500,3] parameter(0)\n", "ROOT r = ", type,
                       "[3,5500] transpose(x), dimensions={1,0}"));
    ExpectLoops(StrCat("x = ", type, "[2200,3,3] parameter(0)\n", "ROOT r = ", type,
                       "[2200,3,3] transpose(x), dimensions={0,2,1}"));
    ExpectLoops(StrCat("x = ", type, "[17001,3] parameter(0)\n a = ", type,
                       "[17001,1] slice(x), slice={[0:17001], [2:3]}\n b = ", type,
                       "[17001,1] slice(x), slice={[0:17001], [0:1]}\n n = ", type,
                       "[17001,1] negate(b)\nROOT r = ", type,
                       "[17001,3] concatenate(a, b, n), dimensions={1}"),
                "loop move");
  }
  ExpectLoops(
      "x = f32[2200,4] parameter(0)\n t = f32[2200,3] slice(x), slice={[0:2200], [1:4]}\n"
      "ROOT r = f32[6600] reshape(t)",
      "move");
}

INSTANTIATE_TEST_SUITE_P(All, GroupedLoops, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle

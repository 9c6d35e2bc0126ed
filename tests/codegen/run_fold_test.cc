// Folds of rows whose elements lie in several runs against the interpreter, bit for bit: runs that
// begin and end anywhere in a chunk and in its lanes. And what such programs take of memory.
#include "axle/codegen/schedule/regions.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

// Numbers without NaNs and infinities: a sum with one of them is the same in every order.
constexpr std::uint32_t kNoSpecials = 5;

class RunFoldTest : public StepTest {
 protected:
  // The reduction in `text` is one loop, which has the operand.
  void ExpectOneLoop(const std::string& text, std::uint32_t seed,
                     std::uint32_t special_every = kNoSpecials) {
    ExpectSameBits(text, seed, special_every, [](const CompileReport& report) {
      for (const CompileReport::Record& record : report.programs.back().records) {
        EXPECT_EQ(record.engine, "compiled");
        EXPECT_LE(record.bytes_written, 4096);
      }
    });
  }
};

std::string TypeText(ElementType type) {
  const std::string scalar = Shape(type).ToString();
  return scalar.substr(0, scalar.size() - 2);
}

// reduce over f(x of the outer dimensions, y of the inner one), by op.
std::string Program(std::string_view type, std::string_view op, const Dims& dims,
                    const Dims& reduced, std::string_view init) {
  Dims kept, outer;
  for (i64 d = 0; d < std::ssize(dims); ++d) {
    if (d + 1 < std::ssize(dims)) outer.push_back(d);
    if (std::ranges::find(reduced, d) == reduced.end()) kept.push_back(dims[d]);
  }
  const Dims x(dims.begin(), dims.end() - 1);
  const std::string t(type), all = StrCat("[", Join(dims, ","), "]");
  return StrCat(
      "HloModule m\nf {\n  a = ", t, "[] parameter(0)\n  b = ", t,
      "[] parameter(1)\n  ROOT r = ", t, "[] ", op, "(a, b)\n}\nENTRY e {\n  x = ", t, "[",
      Join(x, ","), "] parameter(0)\n  y = ", t, "[", dims.back(), "] parameter(1)\n  z = ", t,
      "[] ", init, "\n  xs = ", t, all, " broadcast(x), dimensions={", Join(outer, ","),
      "}\n  ys = ", t, all, " broadcast(y), dimensions={", dims.size() - 1, "}\n  p = ", t, all,
      " multiply(xs, ys)\n  q = ", t, all, " subtract(p, xs)\n  ROOT s = ", t, "[", Join(kept, ","),
      "] reduce(q, z), dimensions={", Join(reduced, ","), "}, to_apply=f\n}\n");
}

TEST_P(RunFoldTest, RunsOfAnyLength) {
  for (const i64 run : {512, 513, 575, 600, 1023, 4095, 4096, 4097, 5000}) {
    for (const i64 count : {2, 3, 9, 64}) {
      ExpectOneLoop(Program("f32", "add", {count, run}, {0, 1}, "constant(0)"), 2);
    }
  }
  // Several parts, and results with several parts.
  for (const i64 count : {118, 236, 301, 590}) {
    ExpectOneLoop(Program("f32", "add", {count, 1111}, {0, 1}, "constant(3)"), 4);
    ExpectOneLoop(Program("f64", "add", {3, count, 1111}, {1, 2}, "parameter(2)"), 4);
    ExpectOneLoop(Program("f32", "maximum", {count, 3, 1111}, {0, 2}, "constant(0)"), 5);
  }
}

TEST_P(RunFoldTest, TypesAndReducers) {
  for (const ElementType type : {F32, F64, BF16, F16, S32, U8, S4}) {
    for (const std::string_view op : {"add", "multiply", "maximum", "minimum"}) {
      for (const std::uint32_t special_every : {kNoSpecials, 512u}) {
        for (const std::string_view init : {"constant(1)", "parameter(2)"}) {
          ExpectOneLoop(Program(TypeText(type), op, {7, 700}, {0, 1}, init), 2, special_every);
        }
      }
    }
  }
}

TEST_P(RunFoldTest, SeveralResults) {
  const std::string zero = "constant(0)";
  for (const auto& [dims, reduced] : std::vector<std::pair<Dims, Dims>>{
           {{3, 5, 600}, {1, 2}},
           {{5, 3, 600}, {0, 2}},
           {{2, 3, 4, 515}, {1, 2, 3}},
           {{2, 3, 4, 515}, {0, 3}},
           {{2, 3, 4, 515}, {0, 2, 3}},
           {{2, 3, 4, 515}, {1, 3}},
       }) {
    for (const std::string_view type : {"f32", "f64"}) {
      ExpectOneLoop(Program(type, "add", dims, reduced, zero), 2);
    }
  }
}

// What is not fused into runs, because they are short, or because columns are folded.
TEST_P(RunFoldTest, ShortRunsAndColumns) {
  for (const auto& [dims, reduced] : std::vector<std::pair<Dims, Dims>>{
           {{700, 3}, {0, 1}},
           {{700, 20}, {0, 1}},
           {{70, 100, 3}, {0, 1, 2}},
           {{70, 3, 20}, {1, 2}},
           {{2, 3, 2}, {1, 2}},
           {{20, 30, 40}, {0, 1}},
           {{20, 30, 40}, {0}},
           {{90, 60, 5}, {0, 1}},
           {{90, 60, 17}, {0, 1}},
           {{9, 7, 40}, {0, 2}},
       }) {
    for (const std::string_view type : {"f32", "bf16", "s32"}) {
      for (const std::string_view op : {"add", "maximum"}) {
        ExpectSameBits(Program(type, op, dims, reduced, "constant(0)"), 2, kNoSpecials,
                       [](const CompileReport&) {});
      }
    }
  }
}

TEST_P(RunFoldTest, ComplexSums) {
  for (const auto& [complex, part] : {std::pair("c64", "f32"), std::pair("c128", "f64")}) {
    const std::string c = complex, t = part;
    ExpectOneLoop(
        StrCat("HloModule m\nf {\n  a = ", c, "[] parameter(0)\n  b = ", c,
               "[] parameter(1)\n  ROOT r = ", c, "[] add(a, b)\n}\nENTRY e {\n  x = ", t,
               "[9] parameter(0)\n  y = ", t, "[1000] parameter(1)\n  z = ", c,
               "[] constant((0.5, -1))\n  xs = ", t, "[9,1000] broadcast(x), dimensions={0}\n",
               "  ys = ", t, "[9,1000] broadcast(y), dimensions={1}\n  p = ", c,
               "[9,1000] complex(xs, ys)\n  q = ", c, "[9,1000] multiply(p, p)\n  ROOT s = ", c,
               "[] reduce(q, z), dimensions={0,1}, to_apply=f\n}\n"),
        2);
  }
}

constexpr std::string_view kAdd =
    "HloModule m\nf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "g { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n";

// Rows that a loop stores as well, and loops over the same rows.
TEST_P(RunFoldTest, BesideOtherResults) {
  ExpectSameBits(StrCat(kAdd, R"(
ENTRY e {
  x = f32[30,5,600] parameter(0)
  y = f32[600] parameter(1)
  z = f32[] constant(0)
  ys = f32[30,5,600] broadcast(y), dimensions={2}
  p = f32[30,5,600] multiply(x, ys)
  s = f32[30] reduce(p, z), dimensions={1,2}, to_apply=f
  m = f32[30] reduce(p, z), dimensions={1,2}, to_apply=g
  ss = f32[30,5,600] broadcast(s), dimensions={0}
  d = f32[30,5,600] subtract(p, ss)
  v = f32[30] reduce(d, z), dimensions={1,2}, to_apply=f
  ROOT r = (f32[30,5,600], f32[30], f32[30], f32[30]) tuple(d, s, m, v)
})"),
                 2, kNoSpecials, [](const CompileReport& report) {
                   ASSERT_EQ(report.programs.back().records.size(), 1u);
                   EXPECT_EQ(report.programs.back().records[0].kind, "rows");
                 });
}

TEST_P(RunFoldTest, SumsOfSums) {
  for (const i64 k : {3, 16, 65}) {
    ExpectSameBits(StrCat(kAdd, "ENTRY e {\n  x = f32[40,", k, "] parameter(0)\n  y = f32[70,", k,
                          "] parameter(1)\n  z = f32[] constant(0)\n  xs = f32[40,70,", k,
                          "] broadcast(x), dimensions={0,2}\n  ys = f32[40,70,", k,
                          "] broadcast(y), dimensions={1,2}\n  d = f32[40,70,", k,
                          "] subtract(xs, ys)\n  q = f32[40,70,", k,
                          "] multiply(d, d)\n  s = f32[40,70] reduce(q, z), dimensions={2}, "
                          "to_apply=f\n  ROOT t = f32[40] reduce(s, z), dimensions={1}, "
                          "to_apply=f\n}\n"),
                   2, kNoSpecials, [](const CompileReport& report) {
                     ASSERT_EQ(report.programs.back().records.size(), 1u);
                     EXPECT_EQ(report.programs.back().records[0].kind, "rows");
                   });
  }
}

// Values that are computed again: the variance of an outer product, and maxima of its columns.
TEST_P(RunFoldTest, ValuesThatAreComputedAgain) {
  constexpr std::string_view kOuter = R"(
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[1024] parameter(1)
  z = f32[] constant(0)
  xs = f32[1000,1024] broadcast(x), dimensions={0}
  ys = f32[1000,1024] broadcast(y), dimensions={1}
  p = f32[1000,1024] multiply(xs, ys)
)";
  const auto look = [](const CompileReport& report) {
    for (const CompileReport::Record& record : report.programs.back().records) {
      EXPECT_LE(record.bytes_written, 4096);
    }
  };
  ExpectSameBits(StrCat(kAdd, kOuter, R"(
  s = f32[] reduce(p, z), dimensions={0,1}, to_apply=f
  ss = f32[1000,1024] broadcast(s), dimensions={}
  d = f32[1000,1024] subtract(p, ss)
  q = f32[1000,1024] multiply(d, d)
  ROOT v = f32[] reduce(q, z), dimensions={0,1}, to_apply=f
})"),
                 2, kNoSpecials, look);
  ExpectSameBits(StrCat(kAdd, kOuter, R"(
  m = f32[1024] reduce(p, z), dimensions={0}, to_apply=g
  ms = f32[1000,1024] broadcast(m), dimensions={1}
  d = f32[1000,1024] subtract(p, ms)
  q = f32[1000,1024] exponential(d)
  v = f32[1024] reduce(q, z), dimensions={0}, to_apply=f
  t = f32[1000] reduce(p, z), dimensions={1}, to_apply=f
  ROOT r = (f32[1024], f32[1000]) tuple(v, t)
})"),
                 2, kNoSpecials, look);
}

TEST_P(RunFoldTest, PeakTemporaryBytesAreWhatARunTakes) {
  const std::string text = Program("f32", "add", {1700, 1700}, {0, 1}, "constant(0)");
  const auto peak = [&](EngineKind engine) {
    const auto executable =
        client_->Compile(text, {.engine = engine, .isa = std::get<0>(GetParam())});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    return executable.ok() ? (*executable)->memory_analysis().peak_temporary_bytes : -1;
  };
  // 23 partial sums, and nothing of the size of the product.
  EXPECT_EQ(peak(EngineKind::kNative), 192);
  // As if nothing were fused: two broadcasts, p and q, of which three live at a time.
  EXPECT_GE(peak(EngineKind::kInterpret), 3 * 1700 * 1700 * 4);
}

INSTANTIATE_TEST_SUITE_P(Isas, RunFoldTest, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle

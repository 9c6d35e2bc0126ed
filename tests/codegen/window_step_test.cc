// Window steps and select steps against the interpreter, bit for bit.
#include "axle/ir/module.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class WindowStepTest : public StepTest {
 protected:
  void ExpectSame(const std::string& text, std::uint32_t seed) {
    ExpectSameBits(text, seed, /*special_every=*/512, ExpectCompiled);
  }

  // There are windows, and no evaluator runs one.
  static void ExpectCompiled(const CompileReport& report) {
    bool has_window = false;
    for (const CompileReport::Program& program : report.programs) {
      for (const CompileReport::Record& record : program.records) {
        const std::string& op = record.instructions.back().op;
        if (op != "reduce-window" && op != "select-and-scatter") continue;
        EXPECT_EQ(record.kind, "window");
        has_window = true;
      }
    }
    EXPECT_TRUE(has_window);
  }

  // The first ones of them; all only for the best code there is, to save time.
  static std::vector<std::string> Types(std::vector<std::string> types) {
    constexpr size_t kSome = 2;
    if (std::get<0>(GetParam()) != NativeIsa::kAvx512) types.resize(kSome);
    return types;
  }
};

std::string Reducer(std::string_view name, std::string_view type, std::string_view body) {
  return StrCat(name, " {\n  a = ", type, "[] parameter(0)\n  b = ", type, "[] parameter(1)\n  ",
                body, "\n}\n");
}
std::string Binary(std::string_view type, std::string_view op) {
  return Reducer(op, type, StrCat("ROOT r = ", type, "[] ", op, "(a, b)"));
}

std::string Argmax(std::string_view type) {
  const std::string t(type);
  return StrCat("argmax {\n  v = ", t, "[] parameter(0)\n  i = s32[] parameter(1)\n  w = ", t,
                "[] parameter(2)\n  j = s32[] parameter(3)\n  gt = pred[] compare(v, w), "
                "direction=GT\n  ne = pred[] compare(v, v), direction=NE\n  or = pred[] or(gt, "
                "ne)\n  value = ",
                t, "[] select(or, v, w)\n  index = s32[] select(or, i, j)\n  ROOT r = (", t,
                "[], s32[]) tuple(value, index)\n}\n");
}

struct WindowCase {
  std::string_view dims, result, window;
};

constexpr WindowCase kWindows[] = {
    // No padding.
    {"9", "4", "size=3 stride=2"},
    {"1000", "994", "size=7"},
    {"3", "1", "size=3"},
    {"", "", ""},
    {"5,7", "5,7", "size=1x1"},
    {"5,300", "2,298", "size=2x3 stride=3x1"},
    {"300,5", "100,3", "size=3x2 stride=3x1 rhs_dilate=1x2"},
    {"2,9,11,65", "2,8,10,65", "size=1x2x2x1"},
    {"1,4,4,3", "1,1,1,3", "size=1x4x4x1"},
    {"2,37,5,5", "2,37,1,1", "size=1x1x5x5"},
    {"2,3,19,22", "2,3,9,11", "size=1x1x2x2 stride=1x1x2x2"},
    {"4,3,5,6", "3,3,3,2", "size=2x1x3x5"},
    {"2,3,4,5,6", "1,2,4,4,5", "size=2x2x1x2x2"},
    // Poolings with it, features last and first.
    {"2,13,11,16", "2,7,5,16", "size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x0_1x0_0"},
    {"2,13,11,3", "2,13,11,3", "size=1x3x3x1 pad=0_0x1_1x1_1x0_0"},
    {"2,3,13,17", "2,3,7,9", "size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_1x1_1"},
    {"3,67,71", "3,67,71", "size=1x5x5 pad=0_0x2_2x2_2"},
    {"2,5,4200", "2,5,1401", "size=1x1x3 stride=1x1x3 pad=0_0x0_0x2_1"},
    // More padding than windows, and windows than elements.
    {"3", "13", "size=2 pad=5_6"},
    {"5,2", "2,9", "size=9x3 pad=3_2x4_5"},
    {"70", "40", "size=100 pad=60_9"},
    {"6,5", "6,5", "size=8x1 pad=0_7x0_0"},
    // Cropped.
    {"9,9", "6,4", "size=2x3 pad=-1_-1x-2_-1"},
    {"9,20", "9,8", "size=1x3 stride=1x2 pad=0_0x-4_2"},
    // Holes.
    {"7", "13", "size=2 lhs_dilate=2 pad=1_0"},
    {"7,20", "20,20", "size=3x1 lhs_dilate=3x1 pad=2_1x0_0"},
    {"5,6,17", "9,16,17", "size=3x2x1 lhs_dilate=2x3x1 pad=1_1x0_1x0_0"},
    {"3,23", "3,40", "size=1x4 stride=1x2 lhs_dilate=1x3 rhs_dilate=1x2 pad=0_0x7_11"},
    {"11", "8", "size=3 stride=4 lhs_dilate=3 pad=2_1"},
    {"11", "10", "size=4 stride=2 lhs_dilate=2 rhs_dilate=3 pad=5_2"},
    {"2,7,7,16", "2,14,14,16", "size=1x2x2x1 lhs_dilate=1x2x2x1 pad=0_0x1_1x1_1x0_0"},
};

// More than one part, and more than one group of them; some show nothing.
constexpr WindowCase kLongWindows[] = {
    {"700", "40", "size=600 stride=3 pad=10_7"},
    {"2,40,50", "2,6,4", "size=1x30x31 stride=1x3x5 pad=0_0x2_3x0_0"},
    {"3,70,5", "3,2,5", "size=1x1300x1 stride=1x700x1 pad=0_0x1300_630x0_0"},
    {"70000", "3", "size=65000 stride=2500"},
    {"40", "33", "size=2000 pad=1990_2001 rhs_dilate=2"},
};

// Cumulative in one dimension, and windows or cumulative in others.
constexpr WindowCase kMixedScans[] = {
    {"4,5", "4,5", "size=4x5 pad=3_0x0_4"},
    {"40,30", "40,29", "size=40x2 pad=39_0x0_0"},
    {"40,30,3", "13,30,3", "size=3x30x1 stride=3x1x1 pad=0_0x0_29x0_0"},
    {"20,19,18", "20,19,18", "size=20x19x18 pad=19_0x0_18x17_0"},
};

// What is scanned by loops that are built ahead has no kernel of its own.
TEST(WindowStep, AScanOfTheLibraryCompilesNothing) {
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  for (const bool along_rows : {true, false}) {
    const auto executable = (*client)->Compile(
        StrCat(Binary("f32", "add"), "ENTRY e {\n  x = f32[70,70] parameter(0)\n  z = f32[] ",
               "constant(0)\n  ROOT r = f32[70,70] reduce-window(x, z), window={size=",
               along_rows ? "1x70 pad=0_0x69_0" : "70x1 pad=69_0x0_0", "}, to_apply=add\n}\n"),
        {.debug = {.report = true}});
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    const CompileReport& report = *(*executable)->report();
    EXPECT_EQ(report.num_kernels, 0);
    const CompileReport::Record& record = report.programs.back().records.back();
    EXPECT_EQ(record.kind, "window");
    EXPECT_EQ(record.engine, "library");
  }
}

TEST_P(WindowStepTest, Windows) {
  for (const std::string& type : Types({"f32", "s8", "bf16", "f64", "c64", "pred"})) {
    const bool is_number = type != "pred", is_ordered = is_number && type != "c64";
    for (const WindowCase& c : kWindows) {
      const std::string result = StrCat(type, "[", c.result, "]");
      const std::string window = StrCat("), window={", c.window, "}, to_apply=");
      const std::string_view left = is_number ? "subtract" : "and";
      std::string text =
          StrCat(Binary(type, is_number ? "add" : "or"), Binary(type, left),
                 is_ordered ? Argmax(type) : "", "ENTRY e {\n  x = ", type, "[", c.dims,
                 "] parameter(0)\n  i = ", type, "[] parameter(1)\n  k = ", result,
                 " reduce-window(x, i", window, is_number ? "add" : "or", "\n  s = ", result,
                 " reduce-window(x, i", window, left, "\n");
      if (is_ordered) {
        StrAppend(text, "  m = s32[] constant(-7)\n  n = s32[", c.dims, "] ",
                  c.dims.empty() ? "constant(3)" : "iota(), iota_dimension=0", "\n  b = (", result,
                  ", s32[", c.result, "]) reduce-window(x, n, i, m", window,
                  "argmax\n  v = ", result, " get-tuple-element(b), index=0\n  j = s32[", c.result,
                  "] get-tuple-element(b), index=1\n  ROOT r = (", result, ", ", result, ", ",
                  result, ", s32[", c.result, "]) tuple(k, s, v, j)\n}\n");
      } else {
        StrAppend(text, "  ROOT r = (", result, ", ", result, ") tuple(k, s)\n}\n");
      }
      ExpectSame(text, 2);
      if (type == "f32") ExpectSame(text, 3);
    }
  }
}

TEST_P(WindowStepTest, LongWindows) {
  for (const std::string& type : Types({"f32", "bf16", "f64", "c64", "f16"})) {
    for (const WindowCase& c : kLongWindows) {
      const std::string result = StrCat(type, "[", c.result, "]");
      const std::string window = StrCat("), window={", c.window, "}, to_apply=");
      const std::string_view other = type == "c64" ? "subtract" : "multiply";
      ExpectSame(
          StrCat(Binary(type, "add"), Binary(type, other), "ENTRY e {\n  x = ", type, "[", c.dims,
                 "] parameter(0)\n  i = ", type, "[] parameter(1)\n  k = ", result,
                 " reduce-window(x, i", window, "add\n  s = ", result, " reduce-window(x, i",
                 window, other, "\n  ROOT r = (", result, ", ", result, ") tuple(k, s)\n}\n"),
          5);
    }
  }
}

class MixedScanTest : public WindowStepTest {
 protected:
  MixedScanTest() { run_passes_ = true; }  // which make scans of one dimension of them
};

TEST_P(MixedScanTest, AreCompiled) {
  for (const std::string& type : Types({"f32", "bf16", "f64", "c64", "f8e5m2"})) {
    for (const WindowCase& c : kMixedScans) {
      const std::string result = StrCat(type, "[", c.result, "]");
      ExpectSame(StrCat(Binary(type, "add"), "ENTRY e {\n  x = ", type, "[", c.dims,
                        "] parameter(0)\n  i = ", type, "[] parameter(1)\n  ROOT r = ", result,
                        " reduce-window(x, i), window={", c.window, "}, to_apply=add\n}\n"),
                 6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, MixedScanTest, kStepParameters, StepParameterName);

TEST_P(WindowStepTest, Scans) {
  const Dims kDims[] = {{1},    {7},     {5000},     {3, 7},        {17, 130},   {70, 1},
                        {1, 9}, {67, 5}, {3, 9, 16}, {2, 67, 1030}, {2, 4100, 3}};
  for (const std::string& type : Types({"f32", "bf16", "f64", "s32", "c128"})) {
    const bool is_ordered = type != "c128";
    for (const Dims& dims : kDims) {
      for (size_t d = 0; d < dims.size(); ++d) {
        for (const bool is_reverse : {false, true}) {
          std::string sizes, pads;
          for (size_t e = 0; e < dims.size(); ++e) {
            const i64 size = e == d ? dims[d] + 3 * (dims[d] % 2) : 1;
            StrAppend(sizes, e == 0 ? "" : "x", size);
            StrAppend(pads, e == 0 ? "" : "x", is_reverse ? 0 : size - 1, "_",
                      is_reverse ? size - 1 : 0);
          }
          const std::string shape = StrCat("[", Join(dims, ","), "]"), array = type + shape;
          const std::string window =
              StrCat("), window={size=", sizes, " pad=", pads, "}, to_apply=");
          std::string text =
              StrCat(Binary(type, "add"), Binary(type, "subtract"), is_ordered ? Argmax(type) : "",
                     "ENTRY e {\n  x = ", array, " parameter(0)\n  i = ", type,
                     "[] parameter(1)\n  k = ", array, " reduce-window(x, i", window,
                     "add\n  s = ", array, " reduce-window(x, i", window, "subtract\n");
          if (is_ordered) {
            StrAppend(text, "  m = s32[] constant(-7)\n  n = s32", shape,
                      " iota(), iota_dimension=", d, "\n  b = (", array, ", s32", shape,
                      ") reduce-window(x, n, i, m", window, "argmax\n  v = ", array,
                      " get-tuple-element(b), index=0\n  j = s32", shape,
                      " get-tuple-element(b), index=1\n  ROOT r = (", array, ", ", array, ", ",
                      array, ", s32", shape, ") tuple(k, s, v, j)\n}\n");
          } else {
            StrAppend(text, "  ROOT r = (", array, ", ", array, ") tuple(k, s)\n}\n");
          }
          ExpectSame(text, 4);
        }
      }
    }
  }
}

constexpr WindowCase kPoolings[] = {
    {"9", "4", "size=3 stride=2"},
    {"1", "3", "size=1 pad=1_1"},
    {"5000", "4994", "size=7"},
    {"5,7", "5,7", "size=1x1"},
    {"2,13,11,16", "2,7,5,16", "size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x0_1x0_0"},
    {"70,6,6,3", "70,3,3,3", "size=1x2x2x1 stride=1x2x2x1"},
    {"3,9,9,67", "3,9,9,67", "size=1x3x3x1 pad=0_0x1_1x1_1x0_0"},
    {"2,3,13,17", "2,3,7,9", "size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_1x1_1"},
    {"2,5,4200", "2,5,1401", "size=1x1x3 stride=1x1x3 pad=0_0x0_0x2_1"},
    {"3", "13", "size=2 pad=5_6"},
    {"2,6", "2,4", "size=1x2 stride=1x4 pad=0_0x4_4"},
    {"9,9", "6,4", "size=2x3 pad=-1_-1x-2_-1"},
    {"5,2", "2,9", "size=9x3 pad=3_2x4_5"},
    {"5,30,40", "3,10,38", "size=3x3x3 stride=1x3x1"},
    // Cumulative, if it were a fold; a selection goes forward all the same.
    {"2,17", "2,7", "size=2x5 stride=1x2 pad=0_1x0_0"},
    {"40,3", "40,3", "size=1x3 pad=0_0x2_0"},
    {"7,3", "7,3", "size=7x1 pad=0_6x0_0"},
};

TEST_P(WindowStepTest, SelectsAndScatters) {
  for (const std::string& type : Types({"f32", "bf16", "f64", "s32", "u8", "pred"})) {
    for (const WindowCase& c : kPoolings) {
      for (const std::string_view direction : {"GE", "GT", "LE", "NE"}) {
        const std::string array = StrCat(type, "[", c.dims, "]");
        const std::string_view known = type == "pred" ? "or" : "add";
        const std::string_view other = type == "pred" ? "xor" : "subtract";
        const std::string attrs = StrCat("), window={", c.window, "}, select=select, scatter=");
        ExpectSame(
            StrCat("select {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                   "[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=", direction,
                   "\n}\n", Binary(type, known), Binary(type, other), "ENTRY e {\n  x = ", array,
                   " parameter(0)\n  y = ", type, "[", c.result, "] parameter(1)\n  i = ", type,
                   "[] parameter(2)\n  p = ", array, " select-and-scatter(x, y, i", attrs, known,
                   "\n  q = ", array, " select-and-scatter(x, y, i", attrs, other, "\n  ROOT r = (",
                   array, ", ", array, ") tuple(p, q)\n}\n"),
            direction == "GE" ? 1 : 2);
      }
    }
  }
}

TEST_P(WindowStepTest, SelectsAmongComplexNumbers) {
  ExpectSame(
      StrCat("select {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n  c = f32[] "
             "real(a)\n  d = f32[] real(b)\n  ROOT r = pred[] compare(c, d), "
             "direction=GE\n}\n",
             Binary("c64", "multiply"),
             "ENTRY e {\n  x = c64[2,19,18] parameter(0)\n  y = c64[2,9,8] parameter(1)\n"
             "  i = c64[] constant((1, 2))\n  ROOT r = c64[2,19,18] select-and-scatter(x, y, "
             "i), window={size=1x3x3 stride=1x2x2}, select=select, scatter=multiply\n}\n"),
      2);
}

INSTANTIATE_TEST_SUITE_P(Targets, WindowStepTest, kStepParameters, StepParameterName);

std::string KindOf(const std::string& text) {
  const auto client = *Client::Create({.num_threads = 1});
  CompileOptions options;
  options.engine = EngineKind::kNative;
  options.debug.report = true;
  const auto executable = client->Compile(text, options);
  if (!executable.ok()) return executable.status().ToString();
  return (*executable)->report()->programs.back().records.back().kind;
}

// What has no compiled form: results without elements, a scan that is a window in other dimensions,
// a computation that is more than straight-line code.
TEST(WindowStep, TheRestIsEvaluated) {
  const std::string add = Binary("f32", "add");
  EXPECT_EQ(KindOf(add + "ENTRY e { x = f32[0] parameter(0) z = f32[] constant(0) ROOT r = f32[4] "
                         "reduce-window(x, z), window={size=2 pad=2_3}, to_apply=add }"),
            "evaluate");
  const std::string least = Binary("f32", "minimum");
  EXPECT_EQ(KindOf(least + "ENTRY e { x = f32[65,9] parameter(0) z = f32[] constant(0) ROOT r = "
                           "f32[65,8] reduce-window(x, z), window={size=65x2 pad=64_0x0_0}, "
                           "to_apply=minimum }"),
            "evaluate");
  EXPECT_EQ(KindOf(least + "ENTRY e { x = f32[64,9] parameter(0) z = f32[] constant(0) ROOT r = "
                           "f32[64,8] reduce-window(x, z), window={size=64x2 pad=63_0x0_0}, "
                           "to_apply=minimum }"),
            "window");
  EXPECT_EQ(
      KindOf(add + "sum { a = f32[] parameter(0) b = f32[] parameter(1) v = f32[2] "
                   "broadcast(b), dimensions={} z = f32[] constant(0) s = f32[] reduce(v, z), "
                   "dimensions={0}, to_apply=add ROOT r = f32[] add(a, s) } "
                   "ENTRY e { x = f32[65] parameter(0) z = f32[] constant(0) ROOT r = "
                   "f32[64] reduce-window(x, z), window={size=2}, to_apply=sum }"),
      "evaluate");
}

TEST(WindowStep, LongOnesLookWhetherTheyAreStopped) {
  const std::string add = Binary("f32", "add");
  const std::string select =
      "ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
      "direction=GE }\n";
  const std::string texts[] = {
      add +
          "ENTRY e { x = f32[4000,4000] parameter(0) z = f32[] constant(0) ROOT r = "
          "f32[4000,4000] reduce-window(x, z), window={size=255x255 pad=127_127x127_127}, "
          "to_apply=add }",
      add + select +
          "ENTRY e { x = f32[4000,4000] parameter(0) y = f32[4000,4000] parameter(1) "
          "z = f32[] constant(0) ROOT r = f32[4000,4000] select-and-scatter(x, y, z), "
          "window={size=255x255 pad=127_127x127_127}, select=ge, scatter=add }",
  };
  const auto client = *Client::Create({.num_threads = 1});
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const auto executable = *client->Compile(text, {.engine = EngineKind::kNative});
    std::vector<Literal> arguments;
    for (const Instruction* parameter : executable->module().entry()->parameters()) {
      arguments.emplace_back(parameter->shape().WithoutLayout());
    }
    Limits limits;
    limits.set_time_limit(0.2);
    const auto result = executable->Execute(arguments, {.limits = &limits});
    EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  }
}

}  // namespace
}  // namespace axle

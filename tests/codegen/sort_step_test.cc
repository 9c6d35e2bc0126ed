// Sort steps against the interpreter, bit for bit.
#include "axle/ir/module.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

// A comparator of these operands.
std::string Comparator(const std::vector<std::string>& types, std::string_view body) {
  std::string text = "compare {\n";
  for (size_t k = 0; k < types.size(); ++k) {
    for (const int side : {0, 1}) {
      StrAppend(text, "  ", side == 0 ? "a" : "b", k, " = ", types[k], "[] parameter(",
                2 * k + static_cast<size_t>(side), ")\n");
    }
  }
  return StrCat(text, "  ", body, "\n}\n");
}

// A sort of arrays of these types; its result is a tuple in any case.
std::string Sort(const std::vector<std::string>& types, std::string_view dims, int dimension,
                 std::string_view body) {
  std::string parameters, operands, shapes;
  for (size_t k = 0; k < types.size(); ++k) {
    const std::string shape = StrCat(types[k], "[", dims, "]");
    StrAppend(parameters, "  p", k, " = ", shape, " parameter(", k, ")\n");
    StrAppend(operands, k == 0 ? "" : ", ", "p", k);
    StrAppend(shapes, k == 0 ? "" : ", ", shape);
  }
  const std::string result = types.size() == 1 ? shapes : StrCat("(", shapes, ")");
  return StrCat(Comparator(types, body), "ENTRY e {\n", parameters, "  s = ", result, " sort(",
                operands, "), dimensions={", dimension, "}, to_apply=compare\n  ROOT r = (", result,
                ") tuple(s)\n}\n");
}

std::string KindOf(const CompileReport& report) {
  for (const CompileReport::Record& record : report.programs.back().records) {
    if (record.instructions.back().op == "sort") return record.kind;
  }
  return "";
}

class SortStepTest : public StepTest {
 protected:
  void ExpectSame(const std::string& text, std::uint32_t seed) {
    ExpectSameBits(text, seed, /*special_every=*/64,
                   [](const CompileReport& report) { EXPECT_EQ(KindOf(report), "sort"); });
  }
};

constexpr std::string_view kLess = "ROOT r = pred[] compare(a0, b0), direction=LT";
constexpr std::string_view kTwoKeys =
    "l0 = pred[] compare(a0, b0), direction=LT\n  e0 = pred[] compare(a0, b0), direction=EQ\n"
    "  l1 = pred[] compare(a1, b1), direction=GT\n  t = pred[] and(e0, l1)\n"
    "  ROOT r = pred[] or(l0, t)";

TEST_P(SortStepTest, LinesOfAnyLength) {
  for (const int size : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 127, 257, 1000}) {
    ExpectSame(Sort({"s32"}, StrCat(size), 0, kLess), 2);
    ExpectSame(Sort({"f32", "s32"}, StrCat(3, ",", size), 1, kTwoKeys), 2);
  }
  ExpectSame(Sort({"s32", "s32", "u8"}, "70001", 0, kTwoKeys), 1);
}

TEST_P(SortStepTest, AnyDimension) {
  for (const std::string_view dims : {"5,6,7", "1,33,2", "40,1,3", "2,3,129"}) {
    for (const int dimension : {0, 1, 2}) {
      ExpectSame(Sort({"f32", "f32"}, dims, dimension, kTwoKeys), 2);
      ExpectSame(Sort({"bf16"}, dims, dimension, kLess), 2);
    }
  }
}

// Not an order with NaNs: what comes out depends on each single step.
TEST_P(SortStepTest, ComparatorsThatAreNoOrder) {
  for (const std::string_view body :
       {kLess, kTwoKeys, std::string_view("ROOT r = pred[] compare(a0, b0), direction=LE"),
        std::string_view("ROOT r = pred[] compare(a0, b1), direction=LT"),
        std::string_view("ROOT r = pred[] compare(b1, b0), direction=LT"),
        std::string_view("ROOT r = pred[] constant(true)"),
        std::string_view("ROOT r = pred[] constant(false)"),
        std::string_view("n = f32[] negate(b0)\n  c = f32[] constant(3)\n  x = f32[] add(a0, c)\n"
                         "  ROOT r = pred[] compare(x, n), direction=LT")}) {
    for (const std::string_view dims : {"37", "500", "3,130"}) {
      const int dimension = dims.find(',') == dims.npos ? 0 : 1;
      ExpectSame(Sort({"f32", "f32"}, dims, dimension, body), 1);
    }
  }
}

TEST_P(SortStepTest, KeysAndSidesTogether) {
  // Keys of several operands, used more than once; operands that are no keys.
  ExpectSame(Sort({"f32", "f32", "s32", "u16"}, "4,211", 1,
                  "x = f32[] multiply(a0, a1)\n  y = f32[] multiply(b0, b1)\n"
                  "  l = pred[] compare(x, y), direction=LT\n"
                  "  e = pred[] compare(x, y), direction=EQ\n"
                  "  m = pred[] compare(b2, a2), direction=LT\n"
                  "  ROOT r = pred[] select(e, m, l)"),
             2);
  // What needs both sides.
  ExpectSame(Sort({"f32", "f32"}, "3,300", 1,
                  "x = f32[] subtract(a0, b1)\n  y = f32[] subtract(b0, a1)\n"
                  "  q = f32[] divide(x, y)\n  c = f32[] constant(0.5)\n"
                  "  ROOT r = pred[] compare(q, c), direction=LT"),
             2);
  ExpectSame(Sort({"c64", "pred"}, "3,300", 1,
                  "x = f32[] imag(a0)\n  y = f32[] imag(b0)\n"
                  "  l = pred[] compare(x, y), direction=LT\n"
                  "  e = pred[] compare(a1, b1), direction=EQ\n"
                  "  m = pred[] compare(a1, b1), direction=LT\n"
                  "  ROOT r = pred[] select(e, l, m)"),
             2);
}

TEST_P(SortStepTest, AllTypes) {
  for (const std::string type :
       {"pred", "s2",  "u2",  "s4",     "u4",       "s8",       "u8",
        "s16",  "u16", "s32", "u32",    "s64",      "u64",      "f16",
        "bf16", "f32", "f64", "f8e5m2", "f8e4m3fn", "f4e2m1fn", "f8e8m0fnu"}) {
    ExpectSame(Sort({type}, "131", 0, kLess), 1);
    ExpectSame(Sort({type}, "131", 0, "ROOT r = pred[] compare(a0, b0), direction=GT"), 2);
    ExpectSame(Sort({type, type}, "3,67", 1, kTwoKeys), 1);
    ExpectSame(Sort({"s32", type}, "131", 0, kLess), 1);
  }
  ExpectSame(Sort({"s16", "c64", "c128"}, "131", 0, kLess), 2);
}

TEST_P(SortStepTest, WhereTheOperandsAre) {
  const std::string text = Sort({"f32", "s32", "f64"}, "2,150,3", 1, kTwoKeys);
  // The operands are values that nobody reads again.
  const std::string sort = "s = (f32[2,150,3], s32[2,150,3], f64[2,150,3]) sort(";
  std::string changed = text;
  const size_t at = changed.find("  " + sort);
  changed.replace(at, changed.find(')', at + sort.size() + 2) - at + 1,
                  "  n0 = f32[2,150,3] negate(p0)\n  n1 = s32[2,150,3] negate(p1)\n"
                  "  n2 = f64[2,150,3] negate(p2)\n  " +
                      sort + "n0, n1, n2)");
  ExpectSame(changed, 2);
  // One value twice.
  ExpectSame(Comparator({"s32", "s32"}, kTwoKeys) +
                 "ENTRY e { p = s32[211] parameter(0) n = s32[211] negate(p) ROOT s = (s32[211], "
                 "s32[211]) sort(n, n), dimensions={0}, to_apply=compare }",
             2);
}

INSTANTIATE_TEST_SUITE_P(Targets, SortStepTest, kStepParameters, StepParameterName);

TEST(SortStep, TheRestIsEvaluated) {
  const auto client = *Client::Create({.num_threads = 1});
  const auto kind = [&](const std::string& text) -> std::string {
    CompileOptions options;
    options.engine = EngineKind::kNative;
    options.debug.report = true;
    options.debug.run_passes = false;
    const auto executable = client->Compile(text, options);
    if (!executable.ok()) return executable.status().ToString();
    return KindOf(*(*executable)->report());
  };
  EXPECT_EQ(kind(Sort({"s32"}, "0", 0, kLess)), "evaluate");
  EXPECT_EQ(kind(Sort({"s32"}, "<=4", 0, kLess)), "evaluate");
  EXPECT_EQ(kind(Sort({"s32"}, "4", 0,
                      "v = s32[2] broadcast(a0), dimensions={}\n  w = s32[2] broadcast(b0), "
                      "dimensions={}\n  l = pred[2] compare(v, w), direction=LT\n  m = pred[1] "
                      "slice(l), slice={[0:1]}\n  ROOT r = pred[] reshape(m)")),
            "evaluate");
}

TEST(SortStep, LongOnesLookWhetherTheyAreStopped) {
  const auto client = *Client::Create({.num_threads = 1});
  const auto executable = *client->Compile(Sort({"s32", "s32"}, "8000000", 0, kTwoKeys),
                                           {.engine = EngineKind::kNative});
  std::vector<Literal> arguments;
  for (const Instruction* parameter : executable->module().entry()->parameters()) {
    arguments.emplace_back(parameter->shape().WithoutLayout());
  }
  Limits limits;
  limits.set_time_limit(0.1);
  const auto result = executable->Execute(arguments, {.limits = &limits});
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded) << result.status().ToString();
}

}  // namespace
}  // namespace axle

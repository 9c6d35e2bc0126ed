// Compiled scans against the interpreter, bit for bit.
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class ScanTest : public StepTest {
 protected:
  ScanTest() { run_passes_ = true; }  // which make loops of scans

  void ExpectSame(const std::string& text, std::uint32_t seed) {
    ExpectSameBits(text, seed, /*special_every=*/64, [](const CompileReport& report) {
      for (const CompileReport::Program& program : report.programs) {
        for (const CompileReport::Record& record : program.records) {
          EXPECT_NE(record.instructions.back().op, "scan");
        }
      }
    });
  }
};

struct ScanCase {
  std::string_view dims, slice;
  int dim;
};
constexpr ScanCase kScans[] = {
    {"0", "", 0},         {"1", "", 0},           {"2", "", 0},         {"5003", "", 0},
    {"7,3", "3", 0},      {"7,3", "7", 1},        {"0,3", "3", 0},      {"3,0", "3", 1},
    {"3,0", "0", 0},      {"129,67", "67", 0},    {"129,67", "129", 1}, {"5,31,9", "5,9", 1},
    {"1,40,1", "1,1", 1}, {"2,3,1000", "2,3", 2},
};

std::string_view Order(std::uint32_t seed) {
  return seed % 2 == 0 ? "" : ", is_reverse=true";
}

std::string Scan(const ScanCase& scan, std::string_view type, std::string_view body,
                 std::string_view order) {
  const std::string slice = StrCat(type, "[", scan.slice, "]");
  const std::string all = StrCat(type, "[", scan.dims, "]");
  return StrCat("HloModule m\nf {\n  x = ", slice, " parameter(0)\n  c = ", slice,
                " parameter(1)\n", body, "\n  ROOT r = (", slice, ", ", slice,
                ") tuple(y, n)\n}\nENTRY e {\n  x = ", all, " parameter(0)\n  c = ", slice,
                " parameter(1)\n  ROOT s = (", all, ", ", slice, ") scan(x, c), dimensions={",
                scan.dim, "}, num_carries=1, to_apply=f", order, "\n}\n");
}

TEST_P(ScanTest, StraightLineOfAnyType) {
  std::uint32_t seed = 1;
  for (const std::string_view type : {"f32", "s8", "bf16", "f64", "c64", "u4", "f8e4m3fn", "s64"}) {
    for (const ScanCase& scan : kScans) {
      const std::string slice = StrCat(type, "[", scan.slice, "]");
      const std::string body =
          StrCat("  n = ", slice, " add(x, c)\n  y = ", slice, " multiply(n, x)");
      ExpectSame(Scan(scan, type, body, Order(seed)), seed);
      ++seed;
    }
  }
}

TEST_P(ScanTest, MoreThanStraightLine) {
  std::uint32_t seed = 1;
  for (const ScanCase& scan : kScans) {
    const std::string slice = StrCat("f32[", scan.slice, "]");
    // The largest so far, and by how much it grew.
    const std::string all = scan.slice.empty()                               ? ""
                            : scan.slice.find(',') != std::string_view::npos ? "0,1"
                                                                             : "0";
    const std::string helpers =
        "max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }\n";
    const std::string body =
        StrCat("  low = f32[] constant(-inf)\n  top = f32[] reduce(x, low), dimensions={", all,
               "}, to_apply=max\n  t = ", slice, " broadcast(top), dimensions={}\n  n = ", slice,
               " maximum(t, c)\n  y = ", slice, " subtract(n, c)");
    std::string text = Scan(scan, "f32", body, Order(seed));
    text.insert(text.find('\n') + 1, helpers);
    ExpectSame(text, seed++);
  }
}

INSTANTIATE_TEST_SUITE_P(Codegen, ScanTest, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle

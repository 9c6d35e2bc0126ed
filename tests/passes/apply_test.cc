// Maps and reductions of any computation as what compiles.
#include <array>

#include "tests/passes/passes_test.h"

namespace axle {
namespace {

constexpr std::string_view kComputations = R"(HloModule m
third { x = f32[] parameter(0)  t = f32[] constant(3)  ROOT r = f32[] divide(x, t) }
scale { x = f32[] parameter(0)  y = f32[] parameter(1)  h = f32[] constant(0.5)
  p = f32[] multiply(x, h)  c = pred[] compare(p, y), direction=LT
  ROOT r = f32[] conditional(c, p, y), true_computation=third, false_computation=third }
first { x = f32[] parameter(0)  ROOT y = f32[] parameter(1) }
below { s = (f32[], f32[]) parameter(0)  x = f32[] get-tuple-element(s), index=0
  y = f32[] get-tuple-element(s), index=1  ROOT r = pred[] compare(x, y), direction=LT }
grow { s = (f32[], f32[]) parameter(0)  x = f32[] get-tuple-element(s), index=0
  y = f32[] get-tuple-element(s), index=1  d = f32[] subtract(y, x)  h = f32[] constant(0.6)
  e = f32[] multiply(d, h)  z = f32[] add(x, e)  o = f32[] constant(0.125)  w = f32[] subtract(y, o)
  ROOT r = (f32[], f32[]) tuple(z, w) }
until { x = f32[] parameter(0)  y = f32[] parameter(1)  s = (f32[], f32[]) tuple(x, y)
  w = (f32[], f32[]) while(s), condition=below, body=grow
  ROOT r = f32[] get-tuple-element(w), index=0 }
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }
pair { a = f32[] parameter(0)  n = s32[] parameter(1)  x = f32[] parameter(2)  m = s32[] parameter(3)
  b = f32[] call(a, x), to_apply=scale  k = s32[] subtract(m, n)
  ROOT r = (f32[], s32[]) tuple(b, k) }
two { a = f32[] parameter(0)  n = s32[] parameter(1)  x = f32[] parameter(2)  m = s32[] parameter(3)
  b = f32[] call(a, x), to_apply=until  o = s32[] multiply(n, m)  k = s32[] subtract(o, n)
  ROOT r = (f32[], s32[]) tuple(b, k) }
)";

TEST(Apply, MapsAreWrittenOnArrays) {
  EXPECT_EQ(After(StrCat(kComputations, R"(ENTRY e {
  x = f32[3,2] parameter(0)
  y = f32[3,2] parameter(1)
  ROOT r = f32[3,2] map(x, y), dimensions={0,1}, to_apply=scale
})"),
                  {"apply", "dce"}),
            R"(ENTRY e {
  x = f32[3,2]{1,0} parameter(0)
  y = f32[3,2]{1,0} parameter(1)
  constant.1 = f32[] constant(0.5)
  broadcast.1 = f32[3,2]{1,0} broadcast(constant.1), dimensions={}
  multiply.1 = f32[3,2]{1,0} multiply(x, broadcast.1)
  compare.1 = pred[3,2]{1,0} compare(multiply.1, y), direction=LT
  constant.2 = f32[] constant(3)
  broadcast.2 = f32[3,2]{1,0} broadcast(constant.2), dimensions={}
  divide.1 = f32[3,2]{1,0} divide(y, broadcast.2)
  constant.3 = f32[] constant(3)
  broadcast.3 = f32[3,2]{1,0} broadcast(constant.3), dimensions={}
  divide.2 = f32[3,2]{1,0} divide(multiply.1, broadcast.3)
  ROOT select.1 = f32[3,2]{1,0} select(compare.1, divide.2, divide.1)
}
)");
}

void ExpectSame(std::string_view body, bool is_replaced = true) {
  const std::string text = StrCat(kComputations, "ENTRY e {\n", body, "\n}");
  SCOPED_TRACE(text);
  const std::string printed = AfterWithSameBits(text, "apply");
  EXPECT_EQ(
      printed.find(" map(") == std::string::npos && printed.find(" reduce(") == std::string::npos,
      is_replaced);
}

TEST(Apply, Maps) {
  for (const std::string_view f : {"scale", "first", "until"}) {
    for (const std::string_view dims : {"", "1", "5", "3,2", "2,1,4"}) {
      const std::string all = dims.empty()       ? ""
                              : dims.size() == 1 ? "0"
                              : dims.size() == 3 ? "0,1"
                                                 : "0,1,2";
      ExpectSame(StrCat("  x = f32[", dims, "] parameter(0)  y = f32[", dims,
                        "] parameter(1)\n  ROOT r = f32[", dims, "] map(x, y), dimensions={", all,
                        "}, to_apply=", f));
    }
  }
}

TEST(Apply, Reductions) {
  for (const auto& [dims, reduced, kept] : std::vector<std::array<std::string_view, 3>>{
           {"1", "0", ""},
           {"7", "0", ""},
           {"7", "", "7"},
           {"3,5", "0", "5"},
           {"3,5", "1", "3"},
           {"3,5", "1,0", ""},
           {"3,1,5", "0,1", "5"},
           {"2,3,4", "1", "2,4"},
           {"2,3,4,3", "2,0", "3,3"},
       }) {
    const std::string parameters =
        StrCat("  x = f32[", dims, "] parameter(0)  i = s32[", dims,
               "] parameter(1)  a = f32[] parameter(2)  n = s32[] parameter(3)\n");
    ExpectSame(StrCat(parameters, "  ROOT r = f32[", kept, "] reduce(x, a), dimensions={", reduced,
                      "}, to_apply=until"));
    ExpectSame(StrCat(parameters, "  ROOT r = (f32[", kept, "], s32[", kept,
                      "]) reduce(x, i, a, n), dimensions={", reduced, "}, to_apply=two"));
  }
}

TEST(Apply, ReductionsOfOne) {
  for (const auto& [dims, reduced, kept] :
       std::vector<std::array<std::string_view, 3>>{{"", "", ""},
                                                    {"1", "0", ""},
                                                    {"7", "", "7"},
                                                    {"3,1", "1", "3"},
                                                    {"1,2,1,3", "0,2", "2,3"}}) {
    const std::string parameters =
        StrCat("  x = f32[", dims, "] parameter(0)  i = s32[", dims,
               "] parameter(1)  a = f32[] parameter(2)  n = s32[] parameter(3)\n");
    ExpectSame(StrCat(parameters, "  ROOT r = f32[", kept, "] reduce(x, a), dimensions={", reduced,
                      "}, to_apply=scale"));
    ExpectSame(StrCat(parameters, "  ROOT r = (f32[", kept, "], s32[", kept,
                      "]) reduce(x, i, a, n), dimensions={", reduced, "}, to_apply=pair"));
    // In the canonical order.
    ExpectSame(StrCat(parameters, "  ROOT r = f32[", kept, "] reduce(x, a), dimensions={", reduced,
                      "}, to_apply=sum"),
               /*is_replaced=*/false);
  }
}

TEST(Apply, LeavesTheRest) {
  for (const std::string_view line : {
           "ROOT r = f32[] reduce(x, a), dimensions={0}, to_apply=scale",
           "ROOT r = f32[4] map(x, x), dimensions={0}, to_apply=until, "
           "frontend_attributes={a=\"b\"}",
           "ROOT r = f32[<=4] map(d, d), dimensions={0}, to_apply=until",
           "ROOT r = f32[0] map(n, n), dimensions={0}, to_apply=until",
           "ROOT r = f32[] reduce(n, a), dimensions={0}, to_apply=until",
       }) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(
        kComputations, "ENTRY e {\n  x = f32[4] parameter(0)  d = f32[<=4] parameter(1)  n = ",
        "f32[0] parameter(2)  a = f32[] parameter(3)\n  ", line, "\n}");
    EXPECT_EQ(After(text, {"apply", "dce"}), After(text, {"dce"}));
  }
}

}  // namespace
}  // namespace axle

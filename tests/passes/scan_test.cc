// Scans become loops, or windows, that give the same bits.
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

constexpr std::string_view kRunningDifference = R"(HloModule m
sum { x = f32[2] parameter(0)  c = f32[2] parameter(1)
  s = f32[2] subtract(x, c)  ROOT r = (f32[2], f32[2]) tuple(s, s) }
ENTRY e {
  x = f32[2,5] parameter(0)
  c = f32[2] parameter(1)
  ROOT r = (f32[2,5], f32[2]) scan(x, c), dimensions={1}, num_carries=1, is_reverse=true, to_apply=sum
})";

TEST(Scan, BecomesALoop) {
  EXPECT_EQ(After(kRunningDifference, {"scan", "inline", "loops", "simplify"}),
            R"(scan_condition.1 {
  parameter.1 = (s32[], f32[2,5]{1,0}, f32[2,5]{1,0}, f32[2]{0}) parameter(0)
  get-tuple-element.1 = s32[] get-tuple-element(parameter.1), index=0
  constant.3 = s32[] constant(0)
  ROOT compare.1 = pred[] compare(get-tuple-element.1, constant.3), direction=GE
}

scan_body.1 {
  parameter.2 = (s32[], f32[2,5]{1,0}, f32[2,5]{1,0}, f32[2]{0}) parameter(0)
  get-tuple-element.2 = s32[] get-tuple-element(parameter.2), index=0
  get-tuple-element.3 = f32[2,5]{1,0} get-tuple-element(parameter.2), index=1
  get-tuple-element.4 = f32[2,5]{1,0} get-tuple-element(parameter.2), index=2
  get-tuple-element.5 = f32[2]{0} get-tuple-element(parameter.2), index=3
  constant.4 = s32[] constant(0)
  dynamic-slice.1 = f32[2,1]{1,0} dynamic-slice(get-tuple-element.3, constant.4, get-tuple-element.2), dynamic_slice_sizes={2,1}
  reshape.1 = f32[2]{0} reshape(dynamic-slice.1)
  s.1 = f32[2]{0} subtract(reshape.1, get-tuple-element.5)
  reshape.2 = f32[2,1]{1,0} reshape(s.1)
  constant.5 = s32[] constant(0)
  dynamic-update-slice.1 = f32[2,5]{1,0} dynamic-update-slice(get-tuple-element.4, reshape.2, constant.5, get-tuple-element.2)
  constant.6 = s32[] constant(-1)
  add.1 = s32[] add(get-tuple-element.2, constant.6)
  ROOT tuple.1 = (s32[], f32[2,5]{1,0}, f32[2,5]{1,0}, f32[2]{0}) tuple(add.1, get-tuple-element.3, dynamic-update-slice.1, s.1)
}

ENTRY e {
  x = f32[2,5]{1,0} parameter(0)
  c = f32[2]{0} parameter(1)
  constant.1 = f32[] constant(0)
  broadcast.1 = f32[2,5]{1,0} broadcast(constant.1), dimensions={}
  constant.2 = s32[] constant(4)
  tuple.2 = (s32[], f32[2,5]{1,0}, f32[2,5]{1,0}, f32[2]{0}) tuple(constant.2, x, broadcast.1, c)
  while.1 = (s32[], f32[2,5]{1,0}, f32[2,5]{1,0}, f32[2]{0}) while(tuple.2), condition=scan_condition.1, body=scan_body.1
  get-tuple-element.8 = f32[2,5]{1,0} get-tuple-element(while.1), index=2
  get-tuple-element.9 = f32[2]{0} get-tuple-element(while.1), index=3
  ROOT tuple.3 = (f32[2,5]{1,0}, f32[2]{0}) tuple(get-tuple-element.8, get-tuple-element.9)
}
)");
}

// The modules of these computations and this entry, before and after.
void ExpectSame(std::string_view computations, std::string_view body) {
  const std::string text = StrCat("HloModule m\n", computations, "\nENTRY e {\n", body, "\n}");
  SCOPED_TRACE(text);
  EXPECT_EQ(AfterWithSameBits(text, "scan").find(" scan("), std::string::npos);
}

TEST(Scan, GivesTheSameBits) {
  constexpr std::string_view kSums = R"(
sum { x = bf16[] parameter(0)  c = bf16[] parameter(1)  h = bf16[] constant(0.3)
  d = bf16[] multiply(c, h)  s = bf16[] add(x, d)  ROOT r = (bf16[], bf16[]) tuple(d, s) }
matrices { x = f32[3,2] parameter(0)  y = c64[2] parameter(1)  c = f32[2,3] parameter(2)
  n = s32[] parameter(3)  d = f32[3,3] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[2,3] transpose(x), dimensions={1,0}  u = f32[2,3] add(t, c)  o = s32[] constant(3)
  m = s32[] multiply(n, o)  z = c64[2] negate(y)  p = s32[1] reshape(n)
  ROOT r = (f32[3,3], s32[1], c64[2], f32[2,3], s32[]) tuple(d, p, z, u, m) }
carries { x = s4[] parameter(0)  c = s4[] parameter(1)  s = s4[] add(x, c)  ROOT r = (s4[]) tuple(s) }
counter { c = s32[] parameter(0)  one = s32[] constant(1)  n = s32[] add(c, one)
  ROOT r = (s32[], s32[]) tuple(c, n) }
inner { x = f32[] parameter(0)  c = f32[] parameter(1)  h = f32[] constant(0.7)
  d = f32[] multiply(c, h)  s = f32[] add(x, d)  ROOT r = (f32[], f32[]) tuple(s, s) }
outer { x = f32[4] parameter(0)  c = f32[] parameter(1)
  ROOT r = (f32[4], f32[]) scan(x, c), dimensions={0}, num_carries=1, is_reverse=true, to_apply=inner }
)";
  for (const i64 steps : {0, 1, 2, 31}) {
    for (const std::string_view order : {"", ", is_reverse=true"}) {
      ExpectSame(kSums, StrCat("  x = bf16[", steps, "] parameter(0)  c = bf16[] parameter(1)\n",
                               "  ROOT r = (bf16[", steps, "], bf16[]) scan(x, c), ",
                               "dimensions={0}, num_carries=1, to_apply=sum", order));
      ExpectSame(kSums,
                 StrCat("  x = f32[3,", steps, ",2] parameter(0)  y = c64[2,", steps,
                        "] parameter(1)  c = f32[2,3] parameter(2)  n = s32[] parameter(3)\n",
                        "  ROOT r = (f32[3,", steps, ",3], s32[1,", steps, "], c64[2,", steps,
                        "], f32[2,3], s32[]) scan(x, y, c, n), dimensions={1}, num_carries=2, ",
                        "to_apply=matrices", order));
      ExpectSame(kSums, StrCat("  x = s4[", steps, "] parameter(0)  c = s4[] parameter(1)\n",
                               "  ROOT r = (s4[]) scan(x, c), dimensions={0}, num_carries=1, ",
                               "to_apply=carries", order));
      ExpectSame(kSums, StrCat("  c = s32[] parameter(0)\n  ROOT r = (s32[", steps,
                               "], s32[]) scan(c), dimensions={0}, num_carries=1, ",
                               "to_apply=counter", order));
      ExpectSame(kSums, StrCat("  x = f32[", steps, ",4] parameter(0)  c = f32[] parameter(1)\n",
                               "  ROOT r = (f32[", steps, ",4], f32[]) scan(x, c), ",
                               "dimensions={0}, num_carries=1, to_apply=outer", order));
    }
  }
}

// numerics.md N8: a carry that is only added to, or multiplied, is no value of the program.
TEST(Scan, SumsBecomeWindows) {
  for (const std::string_view type : {"f32", "bf16", "f64", "c64", "f8e5m2"}) {
    for (const std::string_view op : {"add", "multiply"}) {
      if (type == "c64" && op == "multiply") continue;
      const std::string row = StrCat(type, "[3]");
      const std::string computations = StrCat(
          "fold { a = ", row, " parameter(0)  b = ", row, " parameter(1)  ROOT r = ", row, " ", op,
          "(b, a) }\nsum { x = ", row, " parameter(0)  y = ", row, " parameter(1)  c = ", row,
          " parameter(2)  d = ", row, " parameter(3)\n  s = ", row,
          " call(x, d), to_apply=fold  t = ", row, " ", op, "(c, y)  u = ", row,
          " copy(s)\n  ROOT r = (", row, ", ", row, ", ", row, ") tuple(u, t, s) }");
      for (const i64 steps : {0, 1, 2, 31}) {
        for (const std::string_view order : {"", ", is_reverse=true"}) {
          const std::string all = StrCat(type, "[", steps, ",3]");
          const std::string text = StrCat(
              "HloModule m\n", computations, "\nENTRY e {\n  x = ", all, " parameter(0)  y = ", all,
              " parameter(1)  c = ", row, " parameter(2)  d = ", row, " parameter(3)\n  ROOT r = (",
              all, ", ", row, ", ", row,
              ") scan(x, y, c, d), dimensions={0}, num_carries=2, to_apply=sum", order, "\n}");
          SCOPED_TRACE(text);
          const std::string after = AfterWithSameBits(text, "scan");
          EXPECT_EQ(after.find(" while("), std::string::npos);
          EXPECT_EQ(after.find(" scan("), std::string::npos);
          if (steps > 1) {
            EXPECT_NE(after.find(" reduce-window("), std::string::npos) << after;
          }
        }
      }
    }
  }
}

// One dimension of a window after the other.
TEST(Scan, MixedWindowsBecomeSeveral) {
  for (const std::string_view type : {"f32", "bf16", "c128"}) {
    for (const std::string_view window :
         {"size=20x3 pad=19_0x1_1", "size=2x9 pad=0_1x0_8", "size=25x9 pad=0_24x8_0"}) {
      const std::string array = StrCat(type, "[20,9]"), one = StrCat(type, "[]");
      const std::string text =
          StrCat("HloModule m\nsum { a = ", one, " parameter(0)  b = ", one,
                 " parameter(1)  ROOT r = ", one, " add(a, b) }\nENTRY e {\n  x = ", array,
                 " parameter(0)  i = ", one, " parameter(1)\n  ROOT r = ", array,
                 " reduce-window(x, i), window={", window, "}, to_apply=sum\n}");
      SCOPED_TRACE(text);
      const std::string after = AfterWithSameBits(text, "scan");
      const size_t first = after.find(" reduce-window(");
      EXPECT_NE(after.find(" reduce-window(", first + 1), std::string::npos) << after;
    }
  }
}

TEST(Scan, LeavesTheRest) {
  for (const std::string_view line : {
           "ROOT r = (f32[4], f32[]) scan(x, c), dimensions={0}, num_carries=1, to_apply=sum, "
           "frontend_attributes={a=\"b\"}",
           "ROOT r = (f32[<=4], f32[]) scan(d, c), dimensions={0}, num_carries=1, to_apply=sum",
       }) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(R"(HloModule m
sum { x = f32[] parameter(0)  c = f32[] parameter(1)
  s = f32[] add(x, c)  ROOT r = (f32[], f32[]) tuple(s, s) }
ENTRY e {
  x = f32[4] parameter(0)
  d = f32[<=4] parameter(1)
  c = f32[] constant(0)
  )",
                                    line, "\n}");
    EXPECT_EQ(After(text, {"scan", "dce"}), After(text, {"dce"}));
  }
}

}  // namespace
}  // namespace axle

// What layouts mean is in the program after the pass, and the layouts are gone.
#include <gtest/gtest.h>

#include "tests/passes/passes_test.h"

namespace axle {
namespace {

TEST(Plain, LayoutsAreGone) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  c = f32[2,3]{0,1:T(8,128)} constant({{1,2,3},{4,5,6}})
  y = f32[2,3]{0,1:S(1)} add(x, c)
  ROOT t = (f32[2,3]{0,1}, f32[2,3]{1,0}) tuple(y, x)
})",
                  {"plain"}),
            R"(ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  c = f32[2,3]{1,0} constant({ { 1, 2, 3 }, { 4, 5, 6 } })
  y = f32[2,3]{1,0} add(x, c)
  ROOT t = (f32[2,3]{1,0}, f32[2,3]{1,0}) tuple(y, x)
}
)");
  const std::string whole = AfterWithSameBits(
      "HloModule m\nENTRY e { x = f32[2,3]{0,1} parameter(0) ROOT y = f32[2,3]{1,0} negate(x) }",
      "plain");
  EXPECT_NE(whole.find("entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}"),
            std::string::npos)
      << whole;
}

TEST(Plain, BitcastsMoveElements) {
  const struct {
    std::string_view from, to;
    bool moves;
  } cases[] = {
      {"f32[2,3]{1,0}", "f32[6]{0}", false},
      {"f32[2,3]{0,1}", "f32[6]{0}", true},
      {"f32[2,3]{0,1}", "f32[3,2]{1,0}", true},
      {"f32[2,3]{1,0}", "f32[2,3]{0,1}", true},
      {"f32[4,3,2]{0,2,1}", "f32[6,4]{0,1}", true},
      {"f32[4,3,2]{1,0,2}", "f32[2,4,3]{2,1,0}", true},
      {"f32[]", "f32[1,1]{0,1}", false},
      {"f32[0,3]{0,1}", "f32[3,0]{1,0}", true},
      {"f32[2,3]{0,1}", "s32[6]{0}", true},
      {"f32[2,4]{0,1}", "f64[4]{0}", true},
      {"f64[3,2]{0,1}", "s16[4,6]{0,1}", true},
      {"s8[4,2]{0,1}", "f32[2]{0}", true},
      {"f32[2]{0}", "u8[8]{0}", false},
      {"c64[2,3]{0,1}", "c64[3,2]{1,0}", true},
      {"pred[2,3]{0,1}", "pred[6]{0}", true},
  };
  for (const auto& [from, to, moves] : cases) {
    const std::string after = AfterWithSameBits(
        StrCat("HloModule m\nENTRY e { x = ", from, " parameter(0) ROOT y = ", to, " bitcast(x) }"),
        "plain");
    EXPECT_EQ(after.find(" bitcast("), std::string::npos) << after;
    EXPECT_EQ(after.find("transpose(") != std::string::npos, moves) << after;
  }
}

// What is not a movement of whole elements stays, on an operand with the layout that it means.
TEST(Plain, OtherBitcastsStay) {
  for (const std::string_view program :
       {"x = f32[4,3]{0,1} parameter(0) ROOT y = f32[2,6]{1,0:T(2,2)} bitcast(x)",
        "x = f32[4,4]{1,0:T(2,2)} parameter(0) ROOT y = f32[16]{0} bitcast(x)",
        "x = c64[4,3]{0,1} parameter(0) ROOT y = f32[24]{0} bitcast(x)"}) {
    const std::string after =
        AfterWithSameBits(StrCat("HloModule m\nENTRY e { ", program, " }"), "plain");
    EXPECT_NE(after.find(" bitcast(%copy"), std::string::npos) << after;
  }
}

TEST(Plain, CallsOfTheUserKeepTheirLayouts) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  y = f32[2,3]{0,1} negate(x)
  ROOT r = f32[2,3]{0,1} custom-call(y), custom_call_target="f", backend_config="kept"
})",
                  {"plain"}),
            R"(ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  y = f32[2,3]{1,0} negate(x)
  copy.1 = f32[2,3]{0,1} copy(y)
  ROOT r = f32[2,3]{0,1} custom-call(copy.1), custom_call_target="f", backend_config="kept"
}
)");
}

TEST(Plain, AnnotationsAreGone) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0), sharding={replicated}
  y = f32[2] exponential(x), frontend_attributes={a="b"}, backend_config={"c":1}
  z = f32[2] negate(x), control-predecessors={y}
  u = f32[2] custom-call(z), custom_call_target="f", custom_call_has_side_effect=true, control-predecessors={y}
  v = f32[2] custom-call(z), custom_call_target="f", custom_call_has_side_effect=true, control-predecessors={u}
  ROOT t = (f32[2], f32[2]) tuple(y, v)
})",
                  {"plain"}),
            R"(ENTRY e {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} exponential(x)
  z = f32[2]{0} negate(x)
  u = f32[2]{0} custom-call(z), custom_call_target="f", custom_call_has_side_effect=true
  v = f32[2]{0} custom-call(z), custom_call_target="f", custom_call_has_side_effect=true
  ROOT t = (f32[2]{0}, f32[2]{0}) tuple(y, v)
}
)");
}

// As XLA prints a program after its passes.
TEST(Plain, FusionsAndCallsWithOtherLayoutsAreInlined) {
  EXPECT_EQ(After(R"(HloModule m, is_scheduled=true
f { a = f32[2,3]{1,0} parameter(0) b = f32[6]{0} bitcast(a) ROOT n = f32[6]{0} negate(b) }
g { a = f32[6] parameter(0) ROOT n = f32[6] ceil(a) }
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  y = f32[6]{0} fusion(x), kind=kLoop, calls=f, backend_config={"outer":["2"]}
  ROOT z = f32[6]{0} call(y), to_apply=g, backend_config={}
})",
                  {"plain", "inline"}),
            R"(ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  reshape.1.1 = f32[6]{0} reshape(x)
  n.1 = f32[6]{0} negate(reshape.1.1)
  ROOT n.2 = f32[6]{0} ceil(n.1)
}
)");
}

}  // namespace
}  // namespace axle

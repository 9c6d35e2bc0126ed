// Constants are computed, calls are replaced; and what stays.
#include "axle/ir/source_place.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

TEST(Fold, ComputesWhatIsKnown) {
  EXPECT_EQ(After(R"(HloModule m
sum { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
ENTRY e {
  x = s32[4] constant({1, 2, 3, 4})
  y = s32[4] multiply(x, x)
  zero = s32[] constant(0)
  total = s32[] reduce(y, zero), dimensions={0}, to_apply=sum
  two = f32[] constant(2)
  twos = f32[100] broadcast(two), dimensions={}
  root = f32[100] sqrt(twos)
  p = f32[100] parameter(0)
  scaled = f32[100] multiply(p, root)
  ROOT r = (s32[4], s32[], f32[100]) tuple(y, total, scaled)
})",
                  {"constant-folding"}),
            R"(ENTRY e {
  constant.1 = s32[4]{0} constant({1, 4, 9, 16})
  constant.2 = s32[] constant(30)
  constant.3 = f32[] constant(1.41421354)
  broadcast.1 = f32[100]{0} broadcast(constant.3), dimensions={}
  p = f32[100]{0} parameter(0)
  scaled = f32[100]{0} multiply(p, broadcast.1)
  ROOT r = (s32[4]{0}, s32[], f32[100]{0}) tuple(constant.1, constant.2, scaled)
}
)");
}

TEST(Fold, RepeatedBytesAreNotRepeatedNumbers) {
  const std::string after = After(R"(HloModule m
ENTRY e {
  x = u32[] constant(258)
  xs = u32[2] broadcast(x), dimensions={}
  ROOT r = u8[2,4] bitcast-convert(xs)
})",
                                  {"constant-folding", "simplify"});
  EXPECT_EQ(after.find("broadcast.1"), std::string::npos) << after;
  EXPECT_NE(After("ENTRY e { x = u32[] constant(258)  ROOT r = u8[4] bitcast-convert(x) }",
                  {"constant-folding"})
                .find("constant({2, 1, 0, 0})"),
            std::string::npos);
}

TEST(Fold, ShortIotasAndWhatIsMadeOfThem) {
  const std::string after = After(R"(HloModule m
ENTRY e {
  i = s32[4] iota(), iota_dimension=0
  k = s32[] constant(10)
  ks = s32[4] broadcast(k), dimensions={}
  n = s32[4] multiply(ks, i)
  wide = s32[2,4] broadcast(n), dimensions={1}
  p = s32[2,4] parameter(0)
  ROOT r = s32[2,4] add(p, wide)
})",
                                  {"constant-folding"});
  EXPECT_EQ(after, R"(ENTRY e {
  constant.2 = s32[4]{0} constant({0, 10, 20, 30})
  wide = s32[2,4]{1,0} broadcast(constant.2), dimensions={1}
  p = s32[2,4]{1,0} parameter(0)
  ROOT r = s32[2,4]{1,0} add(p, wide)
}
)");
  const std::string_view large = R"(HloModule m
ENTRY e {
  i = s8[4097] iota(), iota_dimension=0
  ROOT r = s8[4097] negate(i)
})";
  EXPECT_NE(After(large, {"constant-folding"}).find("iota"), std::string::npos);
}

// Of 10^8 numbers, 4,000 and fewer are kept; a large prime factor leaves nothing to do.
TEST(Simplify, LongIotasAreMadeOfShortOnes) {
  for (const auto& [size, digits] : std::vector<std::pair<i64, int>>{
           {4096, 0}, {8192, 2}, {100'000'000, 3}, {i64{1} << 40, 4}, {4099, 0}, {8198, 0}}) {
    const std::string after =
        After(StrCat("HloModule m\nENTRY e { i = f64[", size,
                     "] iota(), iota_dimension=0  ROOT r = f64[", size, "] negate(i) }"),
              {"simplify", "constant-folding"});
    int constants = 0;
    for (size_t at = 0; (at = after.find("] constant(", at)) != std::string::npos; ++at)
      ++constants;
    for (size_t at = 0; (at = after.find("} constant(", at)) != std::string::npos; ++at)
      ++constants;
    EXPECT_EQ(after.find("iota") == std::string::npos, digits > 0 || size <= 4096) << after;
    if (digits > 0) {
      EXPECT_EQ(constants, digits) << after;
    }
  }
}

TEST(Fold, LeavesTheRest) {
  for (const std::string_view line : {
           "ROOT r = f32[1000] broadcast(two), dimensions={}",
           "ROOT r = f32[] rng(zero, two), distribution=rng_uniform",
           "ROOT r = u32[] partition-id()",
           "ROOT r = f32[] custom-call(two), custom_call_target=\"t\"",
           "ROOT r = f32[] sqrt(two), sharding={replicated}",
           "ROOT r = f32[] opt-barrier(two)",
           "ROOT r = f32[<=4] sqrt(dynamic)",
           // fails when it runs: the sizes do not agree
           "ROOT r = f32[<=4] add(dynamic, short)",
           "ROOT r = f32[] while(two), condition=forever, body=same",
           "ROOT r = f32[40000] pad(two4, two), padding=0_39996",
       }) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(R"(HloModule m
forever { x = f32[] parameter(0)  ROOT t = pred[] constant(true) }
same { ROOT x = f32[] parameter(0) }
ENTRY e {
  zero = f32[] constant(0)
  two = f32[] constant(2)
  two4 = f32[4] constant({2, 2, 2, 1})
  dynamic = f32[<=4] constant((2) {1, 2})
  short = f32[<=4] constant((1) {1})
  )",
                                    line, "\n}");
    EXPECT_EQ(After(text, {"constant-folding", "dce"}), After(text, {"dce"}));
  }
}

TEST(Inline, PutsInstructionsInThePlaceOfCalls) {
  EXPECT_EQ(After(R"(HloModule m
inner { a = f32[] parameter(0)  ROOT b = f32[] sine(a) }
outer { a = f32[] parameter(0)  c = f32[] call(a), to_apply=inner  ROOT d = f32[] negate(c) }
same { ROOT a = f32[] parameter(0) }
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=outer
  z = f32[] call(y), to_apply=inner
  w = f32[] call(z), to_apply=same
  ROOT r = f32[] add(w, y)
})",
                  {"inline"}),
            R"(ENTRY e {
  x = f32[] parameter(0)
  b.1 = f32[] sine(x)
  d.1 = f32[] negate(b.1)
  b.2 = f32[] sine(d.1)
  ROOT r = f32[] add(b.2, d.1)
}
)");
}

TEST(Inline, KeepsEffectsInOrder) {
  const std::string after = After(R"(HloModule m
out { a = f32[] parameter(0)  t = token[] after-all()
  o = token[] outfeed(a, t), outfeed_shape=f32[]  ROOT r = f32[] copy(a) }
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=out
  ROOT z = f32[] call(x), to_apply=out
})",
                                  {"inline"});
  EXPECT_EQ(after, R"(ENTRY e {
  x = f32[] parameter(0)
  t.1 = token[] after-all()
  o.1 = token[] outfeed(x, t.1), outfeed_shape=f32[]
  t.2 = token[] after-all()
  o.2 = token[] outfeed(x, t.2), outfeed_shape=f32[]
  ROOT r.2 = f32[] copy(x)
}
)");
}

TEST(Inline, LeavesTiedCallsAndOtherLayouts) {
  for (const std::string_view line :
       {"ROOT r = f32[2,3] call(x), to_apply=f, sharding={replicated}",
        "ROOT r = f32[2,3] call(x), to_apply=f, frontend_attributes={inline=\"no\"}",
        "c = f32[2,3] call(x), to_apply=f  ROOT r = f32[2,3] sine(x), control-predecessors={c}",
        "ROOT r = f32[2,3] call(y), to_apply=f", "ROOT r = f32[2,3]{0,1} call(x), to_apply=f"}) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(R"(HloModule m
f { a = f32[2,3] parameter(0)  ROOT b = f32[2,3] negate(a) }
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3]{0,1} parameter(1)
  )",
                                    line, "\n}");
    EXPECT_EQ(After(text, {"inline"}), After(text, {"dce"}));
  }
}

// f40 stands for 2^40 instructions.
TEST(Inline, StopsGrowing) {
  std::string text = "HloModule m\nf0 { a = f32[] parameter(0)  ROOT b = f32[] negate(a) }\n";
  for (int i = 1; i <= 40; ++i) {
    StrAppend(text, "f", i, " { a = f32[] parameter(0)  b = f32[] call(a), to_apply=f", i - 1,
              "  c = f32[] call(b), to_apply=f", i - 1, "  ROOT d = f32[] add(b, c) }\n");
  }
  StrAppend(text, "ENTRY e { x = f32[] parameter(0)  ROOT r = f32[] call(x), to_apply=f40 }");
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto after = RunPipeline(**module, {.verify_each = true});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_LT((*after)->num_instructions(), 30000);
}

// What is called once is copied once, however deep, and has one number behind its name.
TEST(Inline, LongChains) {
  constexpr int kLevels = 5000;
  std::string text = "HloModule m\nf0 { a = f32[] parameter(0)  ROOT b = f32[] sine(a) }\n";
  for (int i = 1; i <= kLevels; ++i) {
    StrAppend(text, "f", i, " { a = f32[] parameter(0)  b = f32[] negate(a)  c = f32[] call(b), ",
              "to_apply=f", i - 1, "  ROOT d = f32[] add(b, c) }\n");
  }
  StrAppend(text, "ENTRY e { x = f32[] parameter(0)  ROOT r = f32[] call(x), to_apply=f", kLevels,
            " }");
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto after = RunPipeline(**module, {.passes = {FindPass("inline")}, .verify_each = true});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  ASSERT_EQ((*after)->computations().size(), 1U);
  const auto instructions = (*after)->entry()->instructions();
  EXPECT_EQ(std::ssize(instructions), 2 + 2 * kLevels);
  size_t name_bytes = 0;
  for (const Instruction* inst : instructions) name_bytes += inst->name().size();
  EXPECT_LE(name_bytes, std::size("b.1234") * instructions.size());
  EXPECT_EQ(instructions.back()->name(), StrCat("d.", kLevels));
}

// Both f and g call s, which is the only one to call t.
TEST(Inline, WhatIsCalledOnceInsideOfWhatIsCalledTwice) {
  const std::string_view text = R"(HloModule m
t { a = f32[] parameter(0)  b = f32[] sine(a)  ROOT c = f32[] cosine(b) }
s { a = f32[] parameter(0)  b = f32[] negate(a)  c = f32[] call(b), to_apply=t  ROOT d = f32[] add(b, c) }
f { a = f32[] parameter(0)  b = f32[] call(a), to_apply=s  ROOT c = f32[] tanh(b) }
g { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] call(b), to_apply=s }
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=f
  z = f32[] call(x, y), to_apply=g
  ROOT r = f32[] subtract(y, z)
})";
  AfterWithSameBits(text, "inline");
  EXPECT_EQ(After(text, {"inline"}), R"(ENTRY e {
  x = f32[] parameter(0)
  b.2 = f32[] negate(x)
  b.1.1 = f32[] sine(b.2)
  c.1.1 = f32[] cosine(b.1.1)
  d.1 = f32[] add(b.2, c.1.1)
  c.2 = f32[] tanh(d.1)
  b.3 = f32[] negate(c.2)
  b.1.2 = f32[] sine(b.3)
  c.1.2 = f32[] cosine(b.1.2)
  d.2 = f32[] add(b.3, c.1.2)
  ROOT r = f32[] subtract(c.2, d.2)
}
)");
}

// The module may grow by 10,000 and what it has: four copies of s, which has t inside.
TEST(Inline, StopsGrowingInsideOfWhatIsCalledOnce) {
  std::string text = R"(HloModule m
t { a = f32[] parameter(0)  ROOT b = f32[] cosine(a) }
last { a = f32[] parameter(0)  ROOT b = f32[] abs(a) }
s { a = f32[] parameter(0)  n0 = f32[] call(a), to_apply=t
)";
  for (int i = 1; i <= 3000; ++i) StrAppend(text, "n", i, " = f32[] negate(n", i - 1, ")\n");
  StrAppend(text, "ROOT r = f32[] copy(n3000) }\nf { y0 = f32[] parameter(0)\n");
  for (int i = 1; i <= 6; ++i) StrAppend(text, "y", i, " = f32[] call(y", i - 1, "), to_apply=s\n");
  StrAppend(text, R"(c = f32[] call(y6), to_apply=last  ROOT r = f32[] add(c, y1) }
ENTRY e { x = f32[] parameter(0)  ROOT r = f32[] call(x), to_apply=f })");
  const std::string after = AfterWithSameBits(text, "inline");
  const auto count = [&](std::string_view what) {
    int found = 0;
    for (size_t at = 0; (at = after.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count(" cosine("), 1 + 4);
  EXPECT_EQ(count(" call("), 2);
  EXPECT_EQ(count(", to_apply=%s"), 2);
  EXPECT_EQ(count(" abs("), 1);
}

// A computation that something else needs, or that a call leaves alone, is not taken from it.
// The places of all instructions, "name place" by line: JAX's library functions have none.
TEST(Inline, CopiesWithoutALineTakeThatOfTheCall) {
  const auto module = Parse(R"(HloModule m
twice {
  x = f32[2] parameter(0)
  s = f32[2] sine(x)
  ROOT c = f32[2] cosine(s), metadata={source_file="lib.py" source_line=3}
}
inner {
  x = f32[2] parameter(0)
  a = f32[2] abs(x)
  ROOT t = f32[2] call(a), to_apply=twice
}
outer {
  x = f32[2] parameter(0)
  i = f32[2] call(x), to_apply=inner
  n = f32[2] negate(i)
  j = f32[2] call(n), to_apply=twice, metadata={source_file="net.py" source_line=9}
  ROOT e = f32[2] exponential(j)
}
ENTRY main {
  x = f32[2] parameter(0)
  o = f32[2] call(x), to_apply=outer, metadata={op_name="net" source_file="user.py" source_line=5}
  ROOT f = f32[2] floor(o)
}
)");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto after = RunPipeline(**module, {.passes = {FindPass("inline")}, .verify_each = true});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  std::string places;
  for (const Instruction* inst : (*after)->entry()->instructions()) {
    StrAppend(places, GetOpDef(*inst).text, " ", SourcePlace(*inst), " ", inst->metadata().op_name,
              "\n");
  }
  EXPECT_EQ(places,
            "parameter  \n"
            "abs user.py:5 \n"
            "sine user.py:5 \n"
            "cosine lib.py:3 \n"
            "negate user.py:5 \n"
            "sine net.py:9 \n"
            "cosine lib.py:3 \n"
            "exponential user.py:5 \n"
            "floor  \n");
}

TEST(Inline, KeepsWhatACallDoesNotReplace) {
  EXPECT_EQ(After(R"(HloModule m
leaf { a = f32[] parameter(0)  ROOT b = f32[] sine(a) }
tied { a = f32[] parameter(0)  ROOT b = f32[] call(a), to_apply=leaf }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] call(a, b), to_apply=add }
outer { a = f32[] parameter(0)  b = f32[] negate(a)  c = f32[] cosine(b)
  d = f32[] call(c), to_apply=tied, control-predecessors={b}  ROOT e = f32[] negate(d) }
ENTRY e {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  y = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  ROOT r = f32[] call(y), to_apply=outer
})",
                  {"inline"}),
            R"(tied {
  a = f32[] parameter(0)
  ROOT b.1 = f32[] sine(a)
}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] call(a, b), to_apply=add
}

ENTRY e {
  x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  y = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  b.2 = f32[] negate(y)
  c.1 = f32[] cosine(b.2)
  d.1 = f32[] call(c.1), to_apply=tied
  ROOT e.1 = f32[] negate(d.1)
}
)");
}

}  // namespace
}  // namespace axle

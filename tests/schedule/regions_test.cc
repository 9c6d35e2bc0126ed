// What becomes one region and what does not; on random programs, that every region finds what it
// reads and that nothing is lost.
#include "axle/codegen/schedule/regions.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"
#include "tests/schedule/schedules.h"
#include "tests/skips.h"

namespace axle {
namespace {

// loop(a b) move(c): the regions and what is in them.
std::string Regions(const std::string& text) {
  return Join(ScheduleOfEntry(text).schedule.regions, " ", [](const Region& region) {
    return StrCat(
        Name(region.kind), "(",
        Join(region.instructions, " ", [](const Instruction* inst) { return inst->name(); }), ")");
  });
}

TEST(Regions, AGraphOfElementwiseInstructionsIsOneLoop) {
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  x = f32[4,3] parameter(0)
  s = f32[] parameter(1)
  b = f32[4,3] broadcast(s), dimensions={}
  m = f32[4,3] multiply(x, b)
  n = f32[4,3] negate(m)
  a = f32[4,3] add(m, n)
  p = pred[4,3] compare(a, x), direction=LT
  w = f32[4,3] select(p, m, a)
  ROOT r = (f32[4,3], pred[4,3], f32[4,3]) tuple(n, p, w)
})");
  ASSERT_EQ(made.schedule.regions.size(), 1u);
  const Region& region = made.schedule.regions[0];
  EXPECT_EQ(region.kind, RegionKind::kLoop);
  EXPECT_EQ(region.instructions.size(), 5u);
  // Read once each; what is only used inside is not written.
  EXPECT_EQ(region.inputs.size(), 2u);
  EXPECT_EQ(region.outputs, made.schedule.results);
  EXPECT_EQ(region.outputs.size(), 3u);
  EXPECT_EQ(region.loop().num_positions, 12);
}

TEST(Regions, SiblingsShareALoop) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  a = f32[5] negate(x)
  b = f32[5] sine(x)
  ROOT r = (f32[5], f32[5]) tuple(a, b)
})"),
            "loop(a b)");
  // Nothing to share.
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  y = f32[5] parameter(1)
  a = f32[5] negate(x)
  b = f32[5] sine(y)
  ROOT r = (f32[5], f32[5]) tuple(a, b)
})"),
            "loop(a) loop(b)");
  // Of another size.
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  a = f32[5] negate(x)
  f = f32[3] slice(x), slice={[1:4]}
  b = f32[3] sine(f)
  ROOT r = (f32[5], f32[3]) tuple(a, b)
})"),
            "loop(a) loop(b)");
}

TEST(Regions, TwoGraphsThatMeetAreOneLoop) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  y = f32[5] parameter(1)
  a = f32[5] negate(x)
  b = f32[5] exponential(y)
  c = f32[5] abs(b)
  ROOT d = f32[5] add(a, c)
})"),
            "loop(a b c d)");
}

TEST(Regions, WhatIsReadAtOtherPositionsIsComputedFirst) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  a = f32[5] negate(x)
  v = f32[5] reverse(a), dimensions={0}
  ROOT b = f32[5] add(v, x)
})"),
            "loop(a) loop(b)");
  // What has gathered by then is computed with it.
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  a = f32[5] negate(x)
  v = f32[5] reverse(a), dimensions={0}
  c = f32[5] sine(a)
  b = f32[5] add(v, c)
  ROOT r = (f32[5], f32[5]) tuple(b, a)
})"),
            "loop(a c) loop(b)");
}

TEST(Regions, ViewsAreReadInPlace) {
  // A broadcast row, a turned array, a slice and a reshape of it: inputs of the loop.
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  r = f32[3] parameter(0)
  t = f32[3,4] parameter(1)
  s = f32[9,5] parameter(2)
  rb = f32[4,3] broadcast(r), dimensions={1}
  tt = f32[4,3] transpose(t), dimensions={1,0}
  ss = f32[4,3] slice(s), slice={[1:9:2],[2:5]}
  a = f32[4,3] add(rb, tt)
  b = f32[4,3] add(a, ss)
  l = f32[12] reshape(b)
  ROOT n = f32[12] negate(l)
})");
  ASSERT_EQ(made.schedule.regions.size(), 1u);
  const Region& region = made.schedule.regions[0];
  ASSERT_EQ(region.inputs.size(), 3u);
  EXPECT_EQ(region.inputs[0].access, (Access{0, {{4, 0}, {3, 1}}}));
  EXPECT_EQ(region.inputs[1].access, (Access{0, {{4, 1}, {3, 4}}}));
  EXPECT_EQ(region.inputs[2].access, (Access{7, {{4, 10}, {3, 1}}}));
  EXPECT_EQ(region.loop().sizes, (Dims{4, 3}));
}

TEST(Regions, ViewsWithoutCommonSizesAreMovedFirst) {
  // Rows of 6 that are the same and columns of 4, read as rows of 6.
  EXPECT_EQ(Regions(R"(
ENTRY e {
  t = f32[4,6] parameter(0)
  x = f32[6] parameter(1)
  tt = f32[6,4] transpose(t), dimensions={1,0}
  v = f32[4,6] reshape(tt)
  b = f32[4,6] broadcast(x), dimensions={1}
  ROOT a = f32[4,6] add(v, b)
})"),
            "move(v) move(b) loop(a)");
}

TEST(Regions, LongArraysAreTurnedFirst) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  t = f32[30,40] parameter(0)
  x = f32[40,30] parameter(1)
  tt = f32[40,30] transpose(t), dimensions={1,0}
  ROOT a = f32[40,30] add(x, tt)
})"),
            "move(tt) loop(a)");
}

TEST(Regions, WhatIsNoLoopStaysAlone) {
  EXPECT_EQ(Regions(R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[5] parameter(0)
  i = s32[] parameter(1)
  n = f32[5] negate(x)
  s = f32[5] sort(n), dimensions={0}, to_apply=less
  m = f32[5] sine(s)
  f = f32[2] slice(m), slice={[0:2]}
  u = f32[5] dynamic-update-slice(m, f, i)
  ROOT a = f32[5] abs(u)
})"),
            "loop(n) sort(s) loop(m) move(f) move(u) loop(a)");
}

// Of arrays that the region reads once.
TEST(Regions, UpdatesMayLieWhereTheirOperandsAre) {
  const auto pairs = [](const std::string& updates) {
    const MadeSchedule made = ScheduleOfEntry(
        "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } "
        "ENTRY e { x = f32[5] parameter(0) u = f32[5] parameter(1) i = s32[5,1] parameter(2) "
        "n = f32[5] negate(x) ROOT r = f32[5] scatter(n, i, " +
        updates +
        "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, to_apply=f }");
    EXPECT_EQ(made.schedule.regions.back().kind, RegionKind::kScatter);
    return made.schedule.regions.back().in_place.size();
  };
  EXPECT_EQ(pairs("u"), 1u);
  EXPECT_EQ(pairs("n"), 0u);
}

TEST(Regions, TuplesAndShapesAreNoRegions) {
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  t = (f32[6], (f32[2], s32[])) parameter(0)
  u = (f32[2], s32[]) get-tuple-element(t), index=1
  i = s32[] get-tuple-element(u), index=1
  x = f32[6] get-tuple-element(t), index=0
  y = f32[2,3] reshape(x)
  v = ((f32[2], s32[]), f32[2,3], s32[]) tuple(u, y, i)
  w = (f32[2], s32[]) get-tuple-element(v), index=0
  ROOT r = (f32[2,3], (f32[2], s32[])) tuple(y, w)
})");
  EXPECT_TRUE(made.schedule.regions.empty());
  const std::vector<ValueId>& arguments = made.schedule.arguments;
  EXPECT_EQ(made.schedule.results,
            (std::vector<ValueId>{arguments[0], arguments[1], arguments[2]}));
}

TEST(Regions, WhatGivesItsOperandIsNoRegion) {
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  x = f32[6] parameter(0)
  s = (s32[2], f32[<=3]) parameter(1)
  k = token[] after-all()
  t = (f32[6], token[], (s32[2], f32[<=3])) tuple(x, k, s)
  b = (f32[6], token[], (s32[2], f32[<=3])) opt-barrier(t)
  y = f32[6] get-tuple-element(b), index=0
  d = f32[6] add-dependency(y, k)
  m = f32[6] domain(d), domain={kind="sharding", entry={replicated}, exit={maximal device=0}}
  n = (s32[2], f32[<=3]) get-tuple-element(b), index=2
  v = f32[<=3] get-tuple-element(n), index=1
  w = f32[<=3] opt-barrier(v)
  ROOT r = (f32[6], (s32[2], f32[<=3]), f32[6], f32[<=3]) tuple(m, n, x, w)
})");
  ASSERT_EQ(made.schedule.regions.size(), 1u);
  EXPECT_EQ(made.schedule.regions[0].instructions[0]->name(), "k");
  const std::vector<ValueId>& a = made.schedule.arguments;
  ASSERT_EQ(a.size(), 4u);  // sizes too
  EXPECT_EQ(made.schedule.results,
            (std::vector<ValueId>{a[0], a[1], a[2], a[3], a[0], a[2], a[3]}));
  EXPECT_EQ(Regions(R"(
f { p = f32[6] parameter(0) ROOT n = f32[6] negate(p) }
ENTRY e {
  x = f32[6] parameter(0)
  s = ((f32[6]), f32[6]) async-start(x), calls=f
  u = ((f32[6]), f32[6]) async-update(s)
  ROOT d = f32[6] async-done(u)
})"),
            "evaluate(s) evaluate(u) evaluate(d)");
}

// One loop does not compute both sides. Rows may (docs/explain.md).
TEST(Regions, LoopsOnBothSidesOfABarrierAreApart) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  a = f32[5] negate(x)
  b = f32[5] opt-barrier(a)
  ROOT c = f32[5] add(b, a)
})"),
            "loop(a) loop(c)");
  // A view, a reduction that is joined with its init where somebody reads it, a constant.
  EXPECT_EQ(Regions(R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[5,4] parameter(0)
  init = f32[] parameter(1)
  a = f32[5,4] negate(x)
  v = f32[4,5] transpose(a), dimensions={1,0}
  s = f32[5] reduce(x, init), dimensions={1}, to_apply=sum
  c = f32[] constant(3)
  t = (f32[4,5], f32[5], f32[]) tuple(v, s, c)
  b = (f32[4,5], f32[5], f32[]) opt-barrier(t)
  w = f32[4,5] get-tuple-element(b), index=0
  r = f32[5] get-tuple-element(b), index=1
  d = f32[] get-tuple-element(b), index=2
  rb = f32[4,5] broadcast(r), dimensions={1}
  db = f32[4,5] broadcast(d), dimensions={}
  p = f32[4,5] add(w, rb)
  ROOT q = f32[4,5] multiply(p, db)
})"),
            "loop(a s) move(v) loop(s) loop(p q)");
}

TEST(Regions, ConstantsThatAreReadAsArrays) {
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  x = f32[3] parameter(0)
  c = f32[] constant(2)
  unused = f32[7] constant({1,2,3,4,5,6,7})
  d = f32[3] constant({1,2,3})
  b = f32[3] broadcast(c), dimensions={}
  m = f32[3] maximum(x, b)
  ROOT a = f32[3] add(m, d)
})");
  ASSERT_EQ(made.schedule.regions.size(), 1u);
  EXPECT_EQ(made.schedule.regions[0].inputs.size(), 2u);
  ASSERT_EQ(made.schedule.constants.size(), 1u);
  EXPECT_EQ(made.schedule.constants[0].second.num_elements(), 3);
}

// Numbers that no other code could be made for are operands.
TEST(Regions, ConstantsThatSelectNoCodeAreOperands) {
  struct Case {
    std::string_view op, type, number;
    bool is_operand;
  };
  for (const auto& [op, type, number, is_operand] :
       std::initializer_list<Case>{{"add", "f32", "2.5", true},
                                   {"subtract", "s32", "7", true},
                                   {"multiply", "f64", "2.5", true},
                                   {"multiply", "bf16", "2.5", true},
                                   {"multiply", "c64", "(2.5, 1)", true},
                                   {"divide", "f32", "3", true},
                                   {"and", "u8", "15", true},
                                   {"maximum", "f32", "0", false},   // one comparison
                                   {"power", "f32", "2.5", false},   // parts of it are known
                                   {"multiply", "s32", "3", false},  // shifts
                                   {"divide", "s32", "3", false},
                                   {"shift-left", "u32", "3", false},
                                   {"or", "pred", "true", false}}) {
    for (const std::string_view operands : {"(x, b)", "(b, x)"}) {
      const std::string array = StrCat(type, "[3] ");
      const MadeSchedule made = ScheduleOfEntry(
          StrCat("ENTRY e {\n  x = ", array, "parameter(0)\n  c = ", type, "[] constant(", number,
                 ")\n  b = ", array, "broadcast(c), dimensions={}\n  ROOT r = ", array, op,
                 operands, "\n}"));
      ASSERT_EQ(made.schedule.regions.size(), 1u) << op;
      const Region& loop = made.schedule.regions[0];
      EXPECT_EQ(loop.inputs.size(), is_operand ? 2u : 1u) << op << " of " << type;
      EXPECT_EQ(made.schedule.constants.size(), is_operand ? 1u : 0u) << op << " of " << type;
    }
  }
}

// One instruction that it selects code for is enough. Beyond the most, constants are in the code.
TEST(Regions, ConstantsOfSeveralInstructions) {
  const MadeSchedule made = ScheduleOfEntry(R"(
ENTRY e {
  x = f32[3] parameter(0)
  c = f32[] constant(2.5)
  b = f32[3] broadcast(c), dimensions={}
  m = f32[3] multiply(x, b)
  ROOT a = f32[3] minimum(m, b)
})");
  ASSERT_EQ(made.schedule.regions.size(), 1u);
  EXPECT_EQ(made.schedule.regions[0].inputs.size(), 1u);

  std::string text = "ENTRY e {\n  x0 = f32[3] parameter(0)\n";
  constexpr int kNumbers = 50;
  for (int i = 0; i < kNumbers; ++i) {
    StrAppend(text, "  c", i, " = f32[] constant(", i, ".5)\n  b", i, " = f32[3] broadcast(c", i,
              "), dimensions={}\n  ", i + 1 == kNumbers ? "ROOT " : "", "x", i + 1,
              " = f32[3] multiply(x", i, ", b", i, ")\n");
  }
  const MadeSchedule many = ScheduleOfEntry(text + "}");
  ASSERT_EQ(many.schedule.regions.size(), 1u);
  EXPECT_EQ(many.schedule.regions[0].inputs.size(), 33u);
}

TEST(Regions, DeadCodeIsLeftOutAndEffectsAreNot) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[3] parameter(0)
  dead = f32[3] negate(x)
  t = token[] after-all()
  o = token[] outfeed(x, t)
  ROOT s = f32[3] sine(x)
})"),
            "evaluate(t) evaluate(o) loop(s)");
}

TEST(Regions, ALoopTakesNoMoreThanItHasRegistersFor) {
  std::string text = "ENTRY e {\n  v0 = f32[5] parameter(0)\n";
  constexpr int kLength = 1000;
  for (int i = 1; i <= kLength; ++i) {
    StrAppend(text, i == kLength ? "  ROOT v" : "  v", i, " = f32[5] negate(v", i - 1, ")\n");
  }
  const MadeSchedule made = ScheduleOfEntry(text + "}");
  size_t total = 0;
  for (const Region& region : made.schedule.regions) {
    EXPECT_LE(region.instructions.size(), 64u);
    total += region.instructions.size();
  }
  EXPECT_EQ(total, 1000u);
  EXPECT_EQ(made.schedule.regions.size(), 16u);
}

// Chains of `length` negations of x, added up at the end.
std::string SumOfChains(int num_chains, int length) {
  std::string text = "ENTRY e {\n  x = f32[5] parameter(0)\n";
  for (int c = 0; c < num_chains; ++c) {
    for (int i = 0; i < length; ++i) {
      StrAppend(text, "  c", c, "_", i, " = f32[5] negate(",
                i == 0 ? std::string("x") : StrCat("c", c, "_", i - 1), ")\n");
    }
  }
  for (int c = 1; c < num_chains; ++c) {
    StrAppend(text, c + 1 == num_chains ? "  ROOT sum" : "  sum", c, " = f32[5] add(",
              c == 1 ? StrCat("c0_", length - 1) : StrCat("sum", c - 1), ", c", c, "_", length - 1,
              ")\n");
  }
  return text + "}";
}

// Where four chains go on, the loop does; not where two do, nor for ever.
TEST(Regions, ALoopIsNotCutWhereManyValuesGoOn) {
  const auto sizes = [](const std::string& text) {
    return Join(ScheduleOfEntry(text).schedule.regions, " ",
                [](const Region& region) { return StrCat(region.instructions.size()); });
  };
  EXPECT_EQ(sizes(SumOfChains(5, 20)), "104");
  EXPECT_EQ(sizes(SumOfChains(2, 40)), "64 17");
  EXPECT_EQ(sizes(SumOfChains(8, 20)), "136 31");
}

// Functions count as what they are made of.
TEST(Regions, ALoopOfFunctionsHasFewerInstructions) {
  EXPECT_EQ(Regions(R"(
ENTRY e {
  x = f32[5] parameter(0)
  a = f32[5] exponential(x)
  b = f32[5] add(a, x)
  c = f32[5] tanh(b)
  d = f32[5] multiply(c, x)
  e = f32[5] sine(d)
  ROOT f = f32[5] subtract(e, x)
})"),
            "loop(a b c d) loop(e f)");
}

// Apart they would compute twice what they share; what reads them has room beside them.
TEST(Regions, FunctionsOfOneNumberThatShareOperationsAreOneLoop) {
  for (const char* type : {"f32", "f64"}) {
    const auto line = [&](const char* name, const char* expression) {
      return StrCat("  ", name, " = ", type, "[5] ", expression, "\n");
    };
    const std::string functions = StrCat("ENTRY e {\n", line("x", "parameter(0)"),
                                         line("y", "parameter(1)"), line("s", "sine(x)"));
    const std::string sum = line("ROOT r", "add(s, c)");
    EXPECT_EQ(Regions(StrCat(functions, line("c", "cosine(x)"), sum, "}")), "loop(s c r)") << type;
    const std::string apart = Regions(StrCat(functions, line("c", "cosine(y)"), sum, "}"));
    EXPECT_EQ(apart.find("s c"), std::string::npos) << apart;
  }
}

// That each result is rounded to a narrow type counts little.
TEST(Regions, ALoopOfNarrowFloatsHasSeveralInstructions) {
  for (const char* type : {"f16", "bf16", "f8e4m3fn"}) {
    const auto line = [&](const char* name, const char* expression) {
      return StrCat("  ", name, " = ", type, "[5] ", expression, "\n");
    };
    EXPECT_EQ(Regions(StrCat("ENTRY e {\n", line("x", "parameter(0)"), line("a", "add(x, x)"),
                             line("b", "multiply(a, x)"), line("c", "maximum(b, x)"),
                             line("ROOT d", "subtract(c, x)"), "}")),
              "loop(a b c d)")
        << type;
  }
}

TEST(Regions, ALoopReadsNoMoreThanARuntimeLoopTakes) {
  std::string text = "ENTRY e {\n", sum = "p0";
  constexpr int kArguments = 200;
  for (int i = 0; i < kArguments; ++i) {
    StrAppend(text, "  p", i, " = f32[5] parameter(", i, ")\n");
  }
  for (int i = 1; i < kArguments; ++i) {
    StrAppend(text, i == kArguments - 1 ? "  ROOT sum" : "  sum", i, " = f32[5] add(", sum, ", p",
              i, ")\n");
    sum = StrCat("sum", i);
  }
  const MadeSchedule made = ScheduleOfEntry(text + "}");
  EXPECT_GT(made.schedule.regions.size(), 4u);
  for (const Region& region : made.schedule.regions) {
    EXPECT_LE(region.inputs.size() + region.outputs.size(), 64u);
  }
}

TEST(Regions, InPlaceOnlyWhereAllPositionsAgree) {
  const auto pairs = [](const std::string& text) {
    const MadeSchedule made = ScheduleOfEntry(text);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const InPlacePair& pair : made.schedule.regions.back().in_place) {
      found.emplace(pair.output, pair.input);
    }
    return found;
  };
  const std::set<std::pair<std::uint32_t, std::uint32_t>> none, first = {{0, 0}};
  EXPECT_EQ(pairs("ENTRY e { x = f32[9] parameter(0) ROOT n = f32[9] negate(x) }"), first);
  // Other bytes.
  EXPECT_EQ(pairs("ENTRY e { x = f32[9] parameter(0) ROOT n = f64[9] convert(x) }"), none);
  // Read backwards as well.
  EXPECT_EQ(pairs("ENTRY e { x = f32[9] parameter(0) v = f32[9] reverse(x), dimensions={0} "
                  "ROOT a = f32[9] add(x, v) }"),
            none);
  // The front of a longer array has the same bytes in other elements.
  EXPECT_EQ(pairs("ENTRY e { x = f32[8] parameter(0) v = f32[4] slice(x), slice={[0:4]} "
                  "ROOT n = f64[4] convert(v) }"),
            none);
  // An update replaces what it updates.
  EXPECT_EQ(pairs("ENTRY e { x = f32[8] parameter(0) u = f32[2] parameter(1) i = s32[] "
                  "parameter(2) ROOT n = f32[8] dynamic-update-slice(x, u, i) }"),
            first);
}

// Random programs of elementwise instructions, what only moves, updates, sorts, tuples and calls.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string Text() {
    std::string text = R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
twice { a = f32[4,6] parameter(0) ROOT l = (f32[4,6], f32[4,6]) tuple(a, a) }
ENTRY e {
  i = s32[] parameter(0)
)";
    for (size_t k = 0; k < std::size(kShapes); ++k) {
      Line(text, kShapes[k], StrCat("parameter(", k + 1, ")"));
    }
    Line(text, "f32[]", "constant(0.5)");
    Line(text, "f32[4]", "constant({1, -2, 3, 4})");
    for (size_t k = 20 + random_() % 30; k-- > 0;) Step(text);
    std::vector<std::string> shapes, names;
    for (int k = 0; k < 4; ++k) {
      const size_t v = random_() % values_.size();
      shapes.push_back(values_[v].shape);
      names.push_back(values_[v].name);
    }
    return StrCat(text, "  ROOT r = (", Join(shapes, ", "), ") tuple(", Join(names, ", "),
                  ")\n}\n");
  }

 private:
  static constexpr std::string_view kShapes[] = {"f32[]",    "f32[4]",   "f32[6]",
                                                 "f32[4,6]", "f32[6,4]", "f32[24]"};
  struct Named {
    std::string name, shape;
  };

  void Line(std::string& text, std::string_view shape, std::string_view op) {
    const std::string name = StrCat("v", values_.size());
    StrAppend(text, "  ", name, " = ", shape, " ", op, "\n");
    values_.push_back({name, std::string(shape)});
  }
  // A value of this shape, more often a late one.
  std::string Any(std::string_view shape) {
    std::vector<std::string> names;
    for (const Named& value : values_) {
      if (value.shape == shape) names.push_back(value.name);
    }
    const size_t size = names.size();
    return names[random_() % 2 == 0 ? random_() % size
                                    : size - 1 - random_() % std::min<size_t>(size, 3)];
  }

  void Step(std::string& text) {
    switch (random_() % 30) {
      case 0:
        return Line(text, "f32[4,6]", StrCat("broadcast(", Any("f32[4]"), "), dimensions={0}"));
      case 1:
        return Line(text, "f32[4,6]", StrCat("broadcast(", Any("f32[6]"), "), dimensions={1}"));
      case 2:
        return Line(text, "f32[4,6]", StrCat("transpose(", Any("f32[6,4]"), "), dimensions={1,0}"));
      case 3:
        return Line(text, "f32[6,4]", StrCat("transpose(", Any("f32[4,6]"), "), dimensions={1,0}"));
      case 4:
        return Line(text, "f32[24]", StrCat("reshape(", Any("f32[6,4]"), ")"));
      case 5:
        return Line(text, "f32[4,6]", StrCat("reshape(", Any("f32[24]"), ")"));
      case 6:
        return Line(text, "f32[4]", StrCat("slice(", Any("f32[24]"), "), slice={[1:24:6]}"));
      case 7:
        return Line(text, "f32[24]", StrCat("reverse(", Any("f32[24]"), "), dimensions={0}"));
      case 8:
        return Line(text, "f32[24]",
                    StrCat("dynamic-update-slice(", Any("f32[24]"), ", ", Any("f32[6]"), ", i)"));
      case 9:
        return Line(text, "f32[6]",
                    StrCat("sort(", Any("f32[6]"), "), dimensions={0}, to_apply=less"));
      case 10: {
        const std::string call = StrCat("t", values_.size());
        StrAppend(text, "  ", call, " = (f32[4,6], f32[4,6]) call(", Any("f32[4,6]"),
                  "), to_apply=twice\n");
        return Line(text, "f32[4,6]", StrCat("get-tuple-element(", call, "), index=1"));
      }
      default: {
        const std::string_view shape = kShapes[random_() % std::size(kShapes)];
        if (random_() % 3 == 0) return Line(text, shape, StrCat("sine(", Any(shape), ")"));
        return Line(text, shape, StrCat("subtract(", Any(shape), ", ", Any(shape), ")"));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<Named> values_;
};

// Every region finds what it reads, every value is computed once, and so is every instruction.
void CheckSchedule(const MadeSchedule& made) {
  const Schedule& schedule = made.schedule;
  std::vector<bool> is_there(schedule.values.size());
  for (size_t v = 0; v < is_there.size(); ++v) is_there[v] = schedule.values[v].bytes == 0;
  for (const ValueId argument : schedule.arguments) is_there[argument] = true;
  for (const auto& [value, literal] : schedule.constants) is_there[value] = true;
  std::set<const Instruction*> done;
  for (const Region& region : schedule.regions) {
    ASSERT_FALSE(region.instructions.empty());
    for (const RegionInput& input : region.inputs) {
      EXPECT_TRUE(is_there[input.value]) << schedule.values[input.value].inst->name();
    }
    for (const ValueId output : region.outputs) {
      EXPECT_FALSE(is_there[output]) << schedule.values[output].inst->name();
      is_there[output] = true;
    }
    for (const Instruction* inst : region.instructions) {
      EXPECT_TRUE(done.insert(inst).second) << inst->name();
      if (region.kind != RegionKind::kLoop) continue;
      EXPECT_EQ(inst->shape().num_elements(), region.loop().num_positions);
    }
    if (region.kind != RegionKind::kLoop) continue;
    EXPECT_EQ(region.loop().program.inputs.size(), region.inputs.size());
    EXPECT_EQ(region.loop().program.outputs.size(), region.outputs.size());
    i64 positions = 1;
    for (const i64 size : region.loop().sizes) positions *= size;
    EXPECT_EQ(positions, region.loop().num_positions);
  }
  for (const ValueId result : schedule.results) EXPECT_TRUE(is_there[result]);
}

TEST(Regions, RandomProgramsAreInOrder) {
  size_t loops = 0, instructions = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    const std::string text = Writer(seed).Text();
    const MadeSchedule made = ScheduleOfEntry(text);
    CheckSchedule(made);
    if (testing::Test::HasFailure()) FAIL() << text;
    for (const Region& region : made.schedule.regions) {
      if (region.kind != RegionKind::kLoop) continue;
      ++loops;
      instructions += region.instructions.size();
    }
  }
  // They are fused, too.
  EXPECT_GT(instructions, loops * 3 / 2);
}

TEST(Regions, RandomProgramsHaveTheBitsOfTheInterpreter) {
  AXLE_SKIP_WITHOUT_CODEGEN();
  auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  std::vector<Literal> arguments = {*ParseLiteral("s32[] 7")};
  float next = -3;
  for (const Dims& dims : {Dims{}, Dims{4}, Dims{6}, Dims{4, 6}, Dims{6, 4}, Dims{24}}) {
    Literal& argument = arguments.emplace_back(Shape(F32, dims));
    for (float& element : argument.mutable_data<float>()) element = next += 0.37f;
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string text = Writer(1000 + seed).Text();
    std::vector<Literal> results;
    for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
      const auto executable = (*client)->Compile(text, {.engine = engine});
      ASSERT_TRUE(executable.ok()) << executable.status().ToString() << text;
      auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().ToString() << text;
      results.push_back(*std::move(result));
    }
    EXPECT_TRUE(results[0] == results[1]) << text;
  }
}

}  // namespace
}  // namespace axle

// Folds that are staged against the interpreter, bit for bit: reducers of no known kind, several
// groups of reduced dimensions, a few columns whose sums have lanes.
#include "axle/codegen/schedule/regions.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class StagedFoldTest : public StepTest {
 protected:
  // On native code, where the reductions are part of loops, and in the interpreter.
  void ExpectSame(const std::string& text, const std::vector<Literal>& arguments) {
    const auto module = Parse(text);
    ASSERT_TRUE(module.ok()) << module.status().ToString() << "\n" << text;
    const auto after = RunPipeline(**module);
    ASSERT_TRUE(after.ok()) << after.status().ToString();
    const auto schedule = MakeSchedule(*(*after)->entry());
    ASSERT_TRUE(schedule.ok()) << schedule.status().ToString();
    for (const Region& region : schedule->regions) {
      const bool is_reduce = !region.instructions.back()->callees().empty();
      if (is_reduce) {
        EXPECT_EQ(Name(region.kind), "loop") << text;
      }
    }
    std::vector<Literal> results;
    for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
      const auto executable =
          client_->Compile(text, {.engine = engine, .isa = std::get<0>(GetParam())});
      ASSERT_TRUE(executable.ok()) << executable.status().message() << "\n" << text;
      auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().message();
      results.push_back(*std::move(result));
    }
    const auto difference = FirstDifference(results[0], results[1]);
    EXPECT_FALSE(difference) << difference->ToString() << "\n" << text;
  }
};

std::string TypeText(ElementType type) {
  const std::string scalar = Shape(type).ToString();
  return scalar.substr(0, scalar.size() - 2);
}

// Bits of every kind.
Literal Integers(const Shape& shape, std::uint32_t state) {
  Literal wide{Shape(S32, shape.dims())};
  for (std::int32_t& x : wide.mutable_data<std::int32_t>()) {
    state = state * 1664525 + 1013904223;
    x = static_cast<std::int32_t>(state >> 16);
  }
  return *Convert(wide, shape.type());
}

// An operand of these dimensions, of which some are reduced.
struct Case {
  Dims dims, reduced;
  std::string kept() const {
    Dims sizes;
    for (i64 d = 0; d < std::ssize(dims); ++d) {
      if (std::ranges::find(reduced, d) == reduced.end()) sizes.push_back(dims[d]);
    }
    return StrCat("[", Join(sizes, ","), "]");
  }
  std::string all() const { return StrCat("[", Join(dims, ","), "]"); }
  std::string dimensions() const { return StrCat("{", Join(reduced, ","), "}"); }
};

const std::vector<Case> kCases = {
    {{7}, {0}},
    {{1030}, {0}},
    {{2, 3}, {1}},
    {{19, 130}, {0}},
    {{19, 130}, {1}},
    {{130, 19}, {1}},
    {{1, 4097}, {1}},
    {{2100, 3}, {0}},
    {{3, 5, 7}, {1}},
    {{3, 70, 5}, {1}},
    {{3, 70, 17}, {0, 2}},
    {{5, 67, 33}, {0, 2}},
    {{5, 67, 33}, {1}},
    {{4, 3, 5, 17}, {0, 2}},
    {{4, 3, 5, 18}, {1, 3}},
    {{2, 3, 2, 3, 2, 3}, {0, 2, 4}},
    {{2, 3, 2, 3, 2, 3}, {1, 3, 5}},
    {{3, 2, 4099}, {0, 2}},
    {{2, 5000, 2}, {1}},
    {{9, 2, 521, 15}, {0, 2}},
    {{9, 2, 521, 16}, {0, 2}},
    {{65, 8, 31}, {0, 2}},
};

constexpr std::string_view kArgmax = R"(
argmax {
  v = TYPE[] parameter(0)
  i = s32[] parameter(1)
  w = TYPE[] parameter(2)
  j = s32[] parameter(3)
  gt = pred[] compare(v, w), direction=GT
  ne = pred[] compare(v, v), direction=NE
  or = pred[] or(gt, ne)
  value = TYPE[] select(or, v, w)
  eq = pred[] compare(v, w), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  and = pred[] and(eq, lt)
  first = pred[] or(or, and)
  index = s32[] select(first, i, j)
  ROOT r = (TYPE[], s32[]) tuple(value, index)
}
)";

std::string Replace(std::string text, std::string_view what, std::string_view by) {
  for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
  return text;
}

TEST_P(StagedFoldTest, Argmax) {
  for (const ElementType type : {F32, F64, BF16, S32, U8}) {
    for (const Case& c : kCases) {
      const std::string t = TypeText(type), all = c.all();
      const std::string text =
          StrCat(Replace(std::string(kArgmax), "TYPE", t), "ENTRY e {\n  x = ", t, all,
                 " parameter(0)\n  n = s32[] parameter(1)\n  i = s32", all,
                 " iota(), iota_dimension=", c.reduced.back(), "\n  v = ", t,
                 "[] constant(1)\n  ROOT r = (", t, c.kept(), ", s32", c.kept(),
                 ") reduce(x, i, v, n), dimensions=", c.dimensions(), ", to_apply=argmax\n}\n");
      ExpectSame(text, {Numbers(Shape(type, c.dims), 1), *ParseLiteral("s32[] -3")});
    }
  }
}

// Few results of reducers that choose: blocks of elements that change nothing are left out. What
// changes is in some blocks, in all of them, or at their borders; a NaN comes and stays, a zero has
// the other sign; the second reducer keeps the last one, and an index that is no function of it.
TEST_P(StagedFoldTest, ReducersThatChoose) {
  const std::string kLast = R"(
last {
  v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  le = pred[] compare(v, w), direction=LE
  value = f32[] select(le, w, v)
  lt = pred[] compare(v, w), direction=LT
  index = s32[] select(lt, i, j)
  ROOT r = (f32[], s32[]) tuple(value, index)
}
)";
  for (const i64 size : {1023, 1024, 1280, 1281, 9000}) {
    std::vector<std::vector<float>> rows(8, std::vector<float>(static_cast<size_t>(size)));
    for (i64 k = 0; k < size; ++k) {
      const auto at = static_cast<size_t>(k);
      rows[0][at] = static_cast<float>(k);                          // all change
      rows[1][at] = static_cast<float>(-k);                         // none does
      rows[2][at] = k % 256 == 255 ? static_cast<float>(k) : 1.5F;  // the last one of a block
      rows[3][at] = k % 256 == 0 ? static_cast<float>(k) : -1.5F;   // the first one
      rows[4][at] = k == size - 1 ? 5.0F : 0.0F;
      rows[5][at] = k == 1000 ? NAN : static_cast<float>(k % 7);
      rows[6][at] = k == 700 ? 0.0F : -0.0F;
      rows[7][at] = k % 300 == 299 ? 3.0F : 3.0F - static_cast<float>(k % 2);  // ties
    }
    for (const i64 num_rows : {1, 8}) {
      for (i64 first = 0; first < std::ssize(rows); first += num_rows) {
        Literal x{Shape(F32, {num_rows, size})};
        for (i64 r = 0; r < num_rows; ++r) {
          std::ranges::copy(rows[static_cast<size_t>(first + r)],
                            x.mutable_data<float>().begin() + r * size);
        }
        for (const std::string& reducer : {Replace(std::string(kArgmax), "TYPE", "f32"), kLast}) {
          const std::string name = reducer.substr(1, reducer.find(' ') - 1);
          const std::string all = StrCat("[", num_rows, ",", size, "]");
          const std::string kept = StrCat("[", num_rows, "]");
          ExpectSame(StrCat(reducer, "ENTRY e {\n  x = f32", all, " parameter(0)\n  i = s32", all,
                            " iota(), iota_dimension=1\n  v = f32[] constant(-inf)\n",
                            "  n = s32[] constant(0)\n  ROOT r = (f32", kept, ", s32", kept,
                            ") reduce(x, i, v, n), dimensions={1}, to_apply=", name, "\n}\n"),
                     {x});
        }
      }
    }
  }
}

// Of two components: the first one of the least real part, and a polynomial at its conjugate.
constexpr std::string_view kOfComplex = R"(
of_complex {
  c = TYPE[] parameter(0)
  p = TYPE[] parameter(1)
  x = TYPE[] parameter(2)
  y = TYPE[] parameter(3)
  re = PART[] real(c)
  re_x = PART[] real(x)
  less = pred[] compare(re_x, re), direction=LT
  least = TYPE[] select(less, x, c)
  im = PART[] imag(x)
  back = PART[] negate(im)
  conjugate = TYPE[] complex(re_x, back)
  scaled = TYPE[] multiply(p, conjugate)
  next = TYPE[] add(scaled, y)
  ROOT r = (TYPE[], TYPE[]) tuple(least, next)
}
)";

TEST_P(StagedFoldTest, ComplexReducers) {
  for (const ElementType part : {F32, F64}) {
    const std::string t = part == F32 ? "c64" : "c128", p = TypeText(part);
    for (const Case& c : kCases) {
      const std::string all = c.all(), kept = t + c.kept();
      const std::string text = StrCat(
          Replace(Replace(std::string(kOfComplex), "TYPE", t), "PART", p), "ENTRY e {\n  u = ", p,
          all, " parameter(0)\n  v = ", p, all, " parameter(1)\n  n = ", t,
          "[] parameter(2)\n  x = ", t, all, " complex(u, v)\n  y = ", t, all,
          " complex(v, u)\n  z = ", t, "[] constant((0.5, -0.25))\n  ROOT r = (", kept, ", ", kept,
          ") reduce(x, y, n, z), dimensions=", c.dimensions(), ", to_apply=of_complex\n}\n");
      ExpectSame(text, {Numbers(Shape(part, c.dims), 1), Numbers(Shape(part, c.dims), 2),
                        *ParseLiteral(StrCat(t, "[] (3, -0.0)"))});
    }
  }
}

// The sum, in the canonical order, beside what takes one element after the other.
TEST_P(StagedFoldTest, SumsBesideOtherComponents) {
  for (const ElementType type : {F32, F64, F16}) {
    for (const Case& c : kCases) {
      const std::string t = TypeText(type), all = c.all();
      const std::string text = StrCat(
          Replace(R"(mixed {
  v = TYPE[] parameter(0)
  s = TYPE[] parameter(1)
  i = s32[] parameter(2)
  p = TYPE[] parameter(3)
  w = TYPE[] parameter(4)
  x = TYPE[] parameter(5)
  j = s32[] parameter(6)
  y = TYPE[] parameter(7)
  gt = pred[] compare(v, w), direction=GE
  value = TYPE[] select(gt, v, w)
  sum = TYPE[] add(s, x)
  index = s32[] select(gt, i, j)
  product = TYPE[] multiply(p, y)
  ROOT r = (TYPE[], TYPE[], s32[], TYPE[]) tuple(value, sum, index, product)
}
)",
                  "TYPE", t),
          "ENTRY e {\n  x = ", t, all, " parameter(0)\n  n = s32[] parameter(1)\n  i = s32", all,
          " iota(), iota_dimension=", c.reduced.back(), "\n  v = ", t, "[] constant(1)\n  y = ", t,
          all, " cosine(x)\n  ROOT r = (", t, c.kept(), ", ", t, c.kept(), ", s32", c.kept(), ", ",
          t, c.kept(), ") reduce(x, y, i, y, v, v, n, v), dimensions=", c.dimensions(),
          ", to_apply=mixed\n}\n");
      ExpectSame(text, {Numbers(Shape(type, c.dims), 2), *ParseLiteral("s32[] -3")});
    }
  }
}

// The lanes of a complex sum are those of the whole numbers, not of their parts. Beside others,
// stored or not, and joined with inits of every origin.
TEST_P(StagedFoldTest, SumsOfComplexNumbers) {
  std::vector<Case> cases = kCases;
  for (const i64 size : {15, 16, 17, 511, 512, 513, 4096, 4097, 9000}) {
    cases.push_back({{size}, {0}});
    cases.push_back({{3, size}, {1}});
    cases.push_back({{size, 2}, {0}});
  }
  cases.push_back({{20, 17}, {0}});
  cases.push_back({{8200, 33}, {0}});
  for (const auto& [type, part] : {std::pair(C64, F32), std::pair(C128, F64)}) {
    for (const Case& c : cases) {
      for (const bool stored : {false, true}) {
        const std::string t = TypeText(type), p = TypeText(part), all = c.all(), kept = c.kept();
        const std::string text = StrCat(
            "add {\n  a = ", t, "[] parameter(0)\n  b = ", t, "[] parameter(1)\n  ROOT r = ", t,
            "[] add(a, b)\n}\nmost {\n  a = ", p, "[] parameter(0)\n  b = ", p,
            "[] parameter(1)\n  ROOT r = ", p, "[] maximum(a, b)\n}\nENTRY e {\n  x = ", p, all,
            " parameter(0)\n  y = ", p, all, " parameter(1)\n  i = ", t,
            "[] parameter(2)\n  one = ", t, "[] constant((1, -2))\n  low = ", p,
            "[] constant(-3)\n  z = ", t, all, " complex(x, y)\n  w = ", t, all,
            " multiply(z, z)\n  s = ", t, kept, " reduce(w, i), dimensions=", c.dimensions(),
            ", to_apply=add\n  u = ", t, kept, " reduce(z, one), dimensions=", c.dimensions(),
            ", to_apply=add\n  m = ", p, kept, " reduce(x, low), dimensions=", c.dimensions(),
            ", to_apply=most\n  v = ", t, kept, " multiply(s, u)\n  ROOT r = (", t, kept, ", ", p,
            kept, ", ", t, kept, stored ? StrCat(", ", t, all) : "", ") tuple(v, m, u",
            stored ? ", w" : "", ")\n}\n");
        ExpectSame(text, {Numbers(Shape(part, c.dims), 2), Numbers(Shape(part, c.dims), 6),
                          *Convert(*ParseLiteral("c64[] (0.25, -1)"), type)});
      }
    }
  }
}

// With what is computed on the way, of which some is stored, and with other reductions.
TEST_P(StagedFoldTest, ReducersOfNoKindInLongerLoops) {
  constexpr std::string_view kReducers = R"(
decay {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  half = TYPE[] constant(0.5)
  m = TYPE[] multiply(a, half)
  ROOT r = TYPE[] add(m, b)
}
most {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT r = TYPE[] maximum(a, b)
}
range {
  a0 = TYPE[] parameter(0)
  a1 = s32[] parameter(1)
  b0 = TYPE[] parameter(2)
  b1 = s32[] parameter(3)
  lo = TYPE[] minimum(a0, b0)
  wide = s32[] convert(a0)
  s = s32[] subtract(a1, wide)
  hi = s32[] maximum(s, b1)
  ROOT r = (TYPE[], s32[]) tuple(lo, hi)
}
)";
  for (const ElementType type : {F32, BF16, F64}) {
    for (const Case& c : kCases) {
      for (const bool stored : {false, true}) {
        const std::string t = TypeText(type), all = c.all(), kept = c.kept();
        const std::string side = StrCat(t, "[", c.dims[0], "]");
        const std::string text = StrCat(
            Replace(std::string(kReducers), "TYPE", t), "ENTRY e {\n  x = ", t, all,
            " parameter(0)\n  y = ", side, " parameter(1)\n  i = ", t,
            "[] parameter(2)\n  yb = ", t, all, " broadcast(y), dimensions={0}\n  p = ", t, all,
            " multiply(x, yb)\n  f = s32", all, " convert(p)\n  zero = ", t,
            "[] constant(0)\n  one = s32[] constant(1)\n  d = ", t, kept,
            " reduce(p, i), dimensions=", c.dimensions(), ", to_apply=decay\n  m = ", t, kept,
            " reduce(x, zero), dimensions=", c.dimensions(), ", to_apply=most\n  v = (", t, kept,
            ", s32", kept, ") reduce(p, f, i, one), dimensions=", c.dimensions(),
            ", to_apply=range\n  lo = ", t, kept, " get-tuple-element(v), index=0\n  hi = s32",
            kept, " get-tuple-element(v), index=1\n  s = ", t, kept, " add(d, lo)\n  ROOT r = (", t,
            kept, ", ", t, kept, ", s32", kept, ", ", t, kept, stored ? StrCat(", ", t, all) : "",
            ") tuple(s, m, hi, d", stored ? ", p" : "", ")\n}\n");
        ExpectSame(text, {Numbers(Shape(type, c.dims), 2), Numbers(Shape(type, {c.dims[0]}), 4),
                          *Convert(*ParseLiteral("f32[] 0.25"), type)});
      }
    }
  }
}

TEST_P(StagedFoldTest, KnownReducersInAnyOrderOfDimensions) {
  for (const ElementType type : {F32, BF16, F64, S32}) {
    for (const Case& c : kCases) {
      for (const bool stored : {false, true}) {
        const std::string t = TypeText(type), all = c.all(), kept = c.kept();
        std::string reducers, lines, results, shapes;
        for (const std::string_view op : {"add", "maximum", "multiply"}) {
          StrAppend(reducers, op, " {\n  a = ", t, "[] parameter(0)\n  b = ", t,
                    "[] parameter(1)\n  ROOT r = ", t, "[] ", op, "(a, b)\n}\n");
          StrAppend(lines, "  r_", op, " = ", t, kept, " reduce(", op == "add" ? "p" : "x",
                    ", i), dimensions=", c.dimensions(), ", to_apply=", op, "\n");
          StrAppend(results, results.empty() ? "" : ", ", "r_", op);
          StrAppend(shapes, shapes.empty() ? "" : ", ", t, kept);
        }
        if (stored) StrAppend(results, ", p");
        if (stored) StrAppend(shapes, ", ", t, all);
        const std::string text = StrCat(
            reducers, "ENTRY e {\n  x = ", t, all, " parameter(0)\n  y = ", t, "[", c.dims.back(),
            "] parameter(1)\n  i = ", t, "[] constant(2)\n  yb = ", t, all,
            " broadcast(y), dimensions={", c.dims.size() - 1, "}\n  p = ", t, all,
            " multiply(x, yb)\n", lines, "  ROOT r = (", shapes, ") tuple(", results, ")\n}\n");
        ExpectSame(text,
                   {Numbers(Shape(type, c.dims), 2), Numbers(Shape(type, {c.dims.back()}), 4)});
      }
    }
  }
}

// Folded as bytes; what comes out wraps.
TEST_P(StagedFoldTest, IntegersNarrowerThanAByte) {
  std::vector<Case> cases;
  for (const i64 size : {1, 2, 17, 300}) {
    cases.push_back({{size}, {0}});
    for (const i64 other : {1, 2, 17, 300}) {
      if (size > 1) cases.push_back({{other, size}, {1}});
      if (size > 1) cases.push_back({{size, other}, {0}});
      cases.push_back({{3, size, other}, {0, 2}});
      cases.push_back({{other, 3, size, 2}, {1, 3}});
    }
  }
  for (const ElementType type : {S1, S2, S4, U1, U2, U4}) {
    for (const char* op : {"add", "multiply", "minimum", "maximum", "and", "or", "xor"}) {
      const std::string t = TypeText(type);
      std::string computations = StrCat("f { a = ", t, "[] parameter(0) b = ", t,
                                        "[] parameter(1) ROOT r = ", t, "[] ", op, "(a, b) }\n");
      std::string text = StrCat("ENTRY e {\n  n = ", t, "[] parameter(0)\n  c = ", t,
                                "[] constant(", type == S1 ? -1 : 1, ")\n"),
                  results, shapes;
      std::vector<Literal> arguments = {Integers(Shape(type), 5)};
      for (size_t k = 0; k < cases.size(); ++k) {
        const Case& c = cases[k];
        const std::string kept = t + c.kept();
        StrAppend(text, "  x", k, " = ", t, c.all(), " parameter(", k + 1, ")\n  y", k, " = ", t,
                  c.all(), " not(x", k, ")\n  r", k, " = ", kept, " reduce(x", k,
                  ", n), dimensions=", c.dimensions(), ", to_apply=f\n  z", k, " = ", kept,
                  " reduce(y", k, ", c), dimensions=", c.dimensions(), ", to_apply=f\n");
        StrAppend(results, k == 0 ? "" : ", ", "r", k, ", z", k);
        StrAppend(shapes, k == 0 ? "" : ", ", kept, ", ", kept);
        arguments.push_back(Integers(Shape(type, c.dims), static_cast<std::uint32_t>(k)));
      }
      ExpectSame(StrCat(computations, text, "  ROOT r = (", shapes, ") tuple(", results, ")\n}\n"),
                 arguments);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, StagedFoldTest,
                         testing::Values(StepParameter(NativeIsa::kAvx2, 3, false),
                                         StepParameter(NativeIsa::kAvx512, 1, false)),
                         StepParameterName);

// One result of 10^11 elements, each kind of fold: nothing that a run could finish.
TEST(StagedFold, LongReductionsLookWhetherTheyAreStopped) {
  constexpr std::string_view kModules[] = {
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } "
      "ENTRY e { x = f32[] parameter(0) z = f32[] constant(0) "
      "v = f32[1000000,100000] broadcast(x), dimensions={} "
      "ROOT s = f32[] reduce(v, z), dimensions={0,1}, to_apply=add }",
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } "
      "ENTRY e { x = f32[100] parameter(0) z = f32[] constant(0) "
      "v = f32[1000000000,100] broadcast(x), dimensions={1} "
      "ROOT s = f32[100] reduce(v, z), dimensions={0}, to_apply=add }",
      "left { a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] negate(b) "
      "ROOT r = f32[] subtract(n, a) } "
      "ENTRY e { x = f32[] parameter(0) z = f32[] constant(0) "
      "v = f32[1000000,100000] broadcast(x), dimensions={} "
      "ROOT s = f32[] reduce(v, z), dimensions={0,1}, to_apply=left }",
  };
  const auto client = *Client::Create({.num_threads = 1});
  for (const std::string_view text : kModules) {
    SCOPED_TRACE(text);
    const auto executable = *client->Compile(text, {.engine = EngineKind::kNative});
    const auto& parameter = executable->module().entry()->parameters()[0]->shape();
    Limits limits;
    limits.set_time_limit(0.2);
    const auto result =
        executable->Execute(std::vector<Literal>{Literal(parameter)}, {.limits = &limits});
    EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  }
}

}  // namespace
}  // namespace axle

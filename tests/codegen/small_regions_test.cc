// Small regions: what is put together, and that the functions give the interpreter's bits.
#include "axle/codegen/schedule/small_regions.h"

#include <gtest/gtest.h>

#include <random>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The regions of a module's entry after the passes, by kind.
std::vector<std::string> KindsOf(std::string_view text) {
  const auto parsed = Parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  const auto module = RunPipeline(**parsed, {});
  EXPECT_TRUE(module.ok()) << module.status().message();
  StatusOr<Schedule> schedule = MakeSchedule(*(*module)->entry());
  EXPECT_TRUE(schedule.ok());
  const auto schedule_of =
      [](const HloComputation& computation) -> StatusOr<std::shared_ptr<Schedule>> {
    AXLE_ASSIGN(Schedule made, MakeSchedule(computation));
    return std::make_shared<Schedule>(std::move(made));
  };
  EXPECT_TRUE(GroupSmallRegions(*schedule, schedule_of).ok());
  std::vector<std::string> kinds;
  for (const Region& region : schedule->regions) kinds.emplace_back(Name(region.kind));
  return kinds;
}
using Kinds = std::vector<std::string>;

Literal RandomOf(const Shape& shape, std::mt19937_64& random) {
  Literal literal(shape);
  for (i64 k = 0; k < literal.num_bytes(); ++k) {
    literal.mutable_bytes()[k] = static_cast<std::byte>(random() % 3);
  }
  if (shape.type() == F32) {
    for (float& x : literal.mutable_data<float>()) {
      x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 64;
    }
  } else if (shape.type() == PRED) {
    for (i64 k = 0; k < literal.num_bytes(); ++k) {
      literal.mutable_bytes()[k] = static_cast<std::byte>(random() % 2);
    }
  }
  return literal;
}

// Runs both engines, on both instruction sets where there are two, without changing the arguments.
void ExpectSame(std::string_view text, int seed = 1) {
  SCOPED_TRACE(text);
  static Client* const kClient = Client::Create()->release();
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(RandomOf(parameter->shape(), random));
  }
  const auto expected = Evaluate(**module, arguments);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const NativeIsa isa : {NativeIsa::kAvx2, NativeIsa::kAuto}) {
    const auto executable = kClient->Compile(text, {.engine = EngineKind::kNative, .isa = isa});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    for (int run = 0; run < 2; ++run) {
      const auto actual = (*executable)->Execute(arguments);
      ASSERT_TRUE(actual.ok()) << actual.status().message();
      EXPECT_TRUE(SameValue(*expected, *actual)) << expected->ToString() << "\n"
                                                 << actual->ToString();
    }
  }
}

// A loop of `turns` turns over `state` (the shapes of x0, x1, ... after the counter s32[] i), whose
// body gives y0, y1, ...
std::string LoopOver(const std::vector<std::string>& state, std::string_view body, int turns,
                     std::string_view more = "") {
  std::string shapes = "s32[]", gtes, results = "i1", parameters, init = "zero", parts, all,
              result_shapes;
  for (size_t k = 0; k < state.size(); ++k) {
    shapes += StrCat(", ", state[k]);
    gtes += StrCat("  x", k, " = ", state[k], " get-tuple-element(s), index=", k + 1, "\n");
    results += StrCat(", y", k);
    all += StrCat("  r", k, " = ", state[k], " get-tuple-element(w), index=", k + 1, "\n");
    result_shapes += StrCat(k == 0 ? "" : ", ", state[k]);
    parameters += StrCat("  p", k, " = ", state[k], " parameter(", k, ")\n");
    init += StrCat(", p", k);
    parts += StrCat(k == 0 ? "" : ", ", "r", k);
  }
  return StrCat("HloModule m\n", more, "\nbody {\n  s = (", shapes,
                ") parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n", gtes,
                "  one = s32[] constant(1)\n  i1 = s32[] add(i, one)\n", body, "\n  ROOT t = (",
                shapes, ") tuple(", results, ")\n}\ncondition {\n  s = (", shapes,
                ") parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(",
                turns, ")\n  ROOT l = pred[] compare(i, n), direction=LT\n}\nENTRY e {\n",
                parameters, "  zero = s32[] constant(0)\n  init = (", shapes, ") tuple(", init,
                ")\n  w = (", shapes, ") while(init), condition=condition, body=body\n", all,
                "  ROOT r = (", result_shapes, ") tuple(", parts, ")\n}\n");
}

constexpr char kAdd[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
)";

TEST(SmallRegions, ALoopOverNumbersIsOneFunction) {
  const std::string text = LoopOver({"f32[]"}, "  y0 = f32[] cosine(x0)", 17);
  EXPECT_EQ(KindsOf(text), Kinds({"small"}));
  ExpectSame(text);
}

TEST(SmallRegions, ArraysOfEverySizeAndType) {
  for (const int n : {0, 1, 2, 3, 5, 8, 13, 16, 17, 31, 33, 64, 100, 127, 128, 129}) {
    ExpectSame(LoopOver({StrCat("f32[", n, "]"), StrCat("f32[", n, "]")},
                        StrCat("  y0 = f32[", n, "] multiply(x1, x1)\n  y1 = f32[", n,
                               "] subtract(x0, x1)"),
                        3),
               n);
  }
  for (const char* type : {"pred", "s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64",
                           "bf16", "f16", "f64", "c64", "c128", "f8e4m3fn"}) {
    for (const int n : {1, 3, 19}) {
      const std::string shape = StrCat(type, "[", n, "]");
      const char* last = type[0] == 'c' ? " add(z, x0)" : " maximum(z, x0)";
      ExpectSame(LoopOver({shape, shape},
                          StrCat("  y0 = ", shape, " reverse(x1), dimensions={0}\n  z = ", shape,
                                 " multiply(x0, x1)\n  y1 = ", shape, last),
                          3),
                 n);
    }
  }
}

TEST(SmallRegions, ReductionsOfRowsAndColumns) {
  for (const int rows : {1, 2, 3}) {
    for (const int n : {1, 2, 7, 15, 16, 17, 31, 32, 40, 42}) {
      const std::string shape = StrCat("f32[", rows, ",", n, "]");
      for (const int dim : {0, 1}) {
        const std::string reduced = dim == 1 ? StrCat("f32[", rows, "]") : StrCat("f32[", n, "]");
        ExpectSame(
            LoopOver(
                {shape},
                StrCat("  zero = f32[] constant(0.5)\n  q = ", shape,
                       " multiply(x0, x0)\n  sum = ", reduced, " reduce(q, zero), dimensions={",
                       dim, "}, to_apply=add\n  top = ", reduced, " reduce(x0, zero), dimensions={",
                       dim, "}, to_apply=max\n  d = ", reduced, " divide(top, sum)\n  b = ", shape,
                       " broadcast(d), dimensions={", 1 - dim, "}\n  y0 = ", shape, " add(x0, b)"),
                2, kAdd),
            n);
      }
    }
  }
}

// Zeros of both signs among them.
TEST(SmallRegions, ReductionsFromEveryInit) {
  for (const std::string_view init : {"0", "-0", "inf", "-inf", "3", "nan"}) {
    for (const int n : {2, 16, 33}) {
      const std::string shape = StrCat("f32[2,", n, "]");
      ExpectSame(
          LoopOver({shape, "f32[2]", "f32[2]"},
                   StrCat("  init = f32[] constant(", init, ")\n  zero = f32[] constant(-0)\n",
                          "  zeros = ", shape, " broadcast(zero), dimensions={}\n",
                          "  y0 = ", shape, " negate(x0)\n",
                          "  y1 = f32[2] reduce(zeros, init), dimensions={1}, to_apply=add\n",
                          "  y2 = f32[2] reduce(x0, init), dimensions={1}, to_apply=max"),
                   2, kAdd),
          n);
    }
  }
}

TEST(SmallRegions, AScanReadsAndWritesLargeArraysInPlace) {
  const std::string text = LoopOver({"f32[3]", "f32[500,3]", "f32[500,3]"}, R"(
  zero = s32[] constant(0)
  row = f32[1,3] dynamic-slice(x1, i, zero), dynamic_slice_sizes={1,3}
  flat = f32[3] reshape(row)
  a = f32[1] slice(x0), slice={[0:1]}
  b = f32[2] slice(x0), slice={[1:3]}
  turned = f32[3] concatenate(b, a), dimensions={0}
  half = f32[] constant(0.5)
  halves = f32[3] broadcast(half), dimensions={}
  m = f32[3] multiply(turned, halves)
  y0 = f32[3] add(m, flat)
  again = f32[1,3] reshape(y0)
  y1 = f32[500,3] copy(x1)
  y2 = f32[500,3] dynamic-update-slice(x2, again, i, zero))",
                                    500);
  EXPECT_EQ(KindsOf(text), Kinds({"small"}));
  ExpectSame(text);
}

TEST(SmallRegions, LargeStateThatIsReadAfterItsUpdateOrSwapped) {
  // The old array is read after the new one is made.
  ExpectSame(LoopOver({"f32[300]", "f32[1]"}, R"(
  y0 = f32[300] dynamic-update-slice(x0, x1, i)
  three = s32[] constant(3)
  j = s32[] multiply(i, three)
  old = f32[1] dynamic-slice(x0, j), dynamic_slice_sizes={1}
  new = f32[1] dynamic-slice(y0, j), dynamic_slice_sizes={1}
  y1 = f32[1] subtract(old, new))",
                      200));
  // Two large arrays change places.
  ExpectSame(LoopOver({"f32[300]", "f32[300]", "f32[1]"}, R"(
  y0 = f32[300] dynamic-update-slice(x1, x2, i)
  y1 = f32[300] copy(x0)
  y2 = f32[1] negate(x2))",
                      7));
  // One array starts two states, one of which is written.
  ExpectSame(R"(
body {
  s = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[300] get-tuple-element(s), index=1
  y = f32[300] get-tuple-element(s), index=2
  one = s32[] constant(1)
  i1 = s32[] add(i, one)
  e = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
  d = f32[1] add(e, e)
  z = f32[300] dynamic-update-slice(y, d, i1)
  ROOT t = (s32[], f32[300], f32[300]) tuple(i1, x, z)
}
condition {
  s = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(250)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY e {
  p = f32[300] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[300], f32[300]) tuple(zero, p, p)
  w = (s32[], f32[300], f32[300]) while(init), condition=condition, body=body
  x = f32[300] get-tuple-element(w), index=1
  y = f32[300] get-tuple-element(w), index=2
  ROOT r = f32[300] subtract(y, x)
})");
}

TEST(SmallRegions, LoopsInLoopsAndBranches) {
  const std::string more = R"(
inner {
  s = (s32[], f32[4], f32[200]) parameter(0)
  k = s32[] get-tuple-element(s), index=0
  v = f32[4] get-tuple-element(s), index=1
  m = f32[200] get-tuple-element(s), index=2
  one = s32[] constant(1)
  k1 = s32[] add(k, one)
  u = f32[4] multiply(v, v)
  c = f32[4] cosine(u)
  m1 = f32[200] dynamic-update-slice(m, c, k)
  ROOT t = (s32[], f32[4], f32[200]) tuple(k1, c, m1)
}
inner_condition {
  s = (s32[], f32[4], f32[200]) parameter(0)
  k = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT l = pred[] compare(k, n), direction=LT
}
left { a = (f32[4], s32[]) parameter(0)
  x = f32[4] get-tuple-element(a), index=0
  ROOT n = f32[4] negate(x) }
right { a = f32[4] parameter(0) ROOT n = f32[4] add(a, a) }
middle { a = f32[4] parameter(0) ROOT n = f32[4] abs(a) }
)";
  const std::string text = LoopOver({"f32[4]", "f32[200]"}, R"(
  two = s32[] constant(2)
  from = s32[] remainder(i, two)
  init = (s32[], f32[4], f32[200]) tuple(from, x0, x1)
  w = (s32[], f32[4], f32[200]) while(init), condition=inner_condition, body=inner
  v = f32[4] get-tuple-element(w), index=1
  y1 = f32[200] get-tuple-element(w), index=2
  zero = s32[] constant(0)
  is_even = pred[] compare(from, zero), direction=EQ
  pair = (f32[4], s32[]) tuple(v, i)
  chosen = f32[4] conditional(is_even, pair, v), true_computation=left, false_computation=right
  five = s32[] constant(5)
  j = s32[] subtract(i, five)
  y0 = f32[4] conditional(j, chosen, v, x0), branch_computations={middle, right, middle})",
                                    9, more);
  EXPECT_EQ(KindsOf(text), Kinds({"small"}));
  ExpectSame(text);
}

TEST(SmallRegions, IndicesOfSmallArraysAreClamped) {
  for (const char* type : {"s8", "u8", "s32", "u64"}) {
    ExpectSame(LoopOver({"f32[3,5]", StrCat(type, "[]"), "f32[2,2]"},
                        StrCat("  one_more = ", type, "[] constant(1)\n  y1 = ", type,
                               "[] subtract(x1, one_more)\n",
                               "  w = f32[2,2] dynamic-slice(x0, x1, y1), "
                               "dynamic_slice_sizes={2,2}\n",
                               "  y2 = f32[2,2] add(w, x2)\n",
                               "  y0 = f32[3,5] dynamic-update-slice(x0, y2, y1, x1)"),
                        6));
  }
}

TEST(SmallRegions, ConstantsOfEverySize) {
  std::string table;
  for (int k = 0; k < 200; ++k) table += StrCat(k == 0 ? "" : ",", k * k % 101);
  ExpectSame(LoopOver({"f32[]"},
                      StrCat("  table = f32[200] constant({", table,
                             "})\n  e = f32[1] dynamic-slice(table, i), dynamic_slice_sizes={1}\n"
                             "  n = f32[] reshape(e)\n  three = f32[3] constant({1,2,3})\n"
                             "  c = f32[1] slice(three), slice={[1:2]}\n  d = f32[] reshape(c)\n"
                             "  m = f32[] multiply(x0, d)\n  y0 = f32[] subtract(m, n)"),
                      30));
}

TEST(SmallRegions, PadsAndTransposesAreMovesOfRegisters) {
  ExpectSame(LoopOver({"f32[4,3]", "f32[]"}, R"(
  p = f32[7,8] pad(x0, x1), padding=1_2_0x-1_2_2
  part = f32[3,4] slice(p), slice={[0:6:2], [1:5]}
  y0 = f32[4,3] transpose(part), dimensions={1,0}
  y1 = f32[] negate(x1))",
                      5));
}

TEST(SmallRegions, ALargeArrayThatALoopHandsOnIsNotOverwrittenBeforeItIsCopied) {
  ExpectSame(R"(
body {
  s = (s32[], f32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  a = f32[1000] get-tuple-element(s), index=2
  one = s32[] constant(1)
  i1 = s32[] add(i, one)
  e = f32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
  r = f32[] reshape(e)
  y = f32[] add(x, r)
  ROOT t = (s32[], f32[], f32[1000]) tuple(i1, y, a)
}
condition {
  s = (s32[], f32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY e {
  p = f32[1000] parameter(0)
  k = s32[] parameter(1)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  a = f32[1000] sine(p)
  init = (s32[], f32[], f32[1000]) tuple(zero, f, a)
  w = (s32[], f32[], f32[1000]) while(init), condition=condition, body=body
  x = f32[] get-tuple-element(w), index=1
  same = f32[1000] get-tuple-element(w), index=2
  u = f32[1] reshape(x)
  changed = f32[1000] dynamic-update-slice(a, u, k)
  ROOT r = (f32[1000], f32[1000]) tuple(same, changed)
})");
}

TEST(SmallRegions, NotANumbersOfConstantsStaySo) {
  // Quotients of padding, in bf16: rounding looks at the bits of a NaN.
  for (const char* shape : {"bf16[1]", "bf16[2]", "bf16[11]"}) {
    ExpectSame(LoopOver({shape, "bf16[13]"},
                        StrCat("  y0 = ", shape,
                               " negate(x0)\n  zero = bf16[] constant(0)\n  q = bf16[13] pad(x0, "
                               "zero), padding=0_",
                               13 - std::stoi(std::string(std::string_view(shape).substr(5))),
                               "\n  y1 = bf16[13] divide(q, q)"),
                        2));
  }
}

TEST(SmallRegions, DotsOnTheStateOfALoop) {
  const char* dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string text =
      LoopOver({"f32[4,4]", "f32[4,4]"},
               StrCat("  y0 = f32[4,4] dot(x0, x1)", dims, "\n  z = f32[4,4] dot(x1, x0)", dims,
                      "\n  c = f32[4,4] cosine(z)\n  y1 = f32[4,4] add(c, x1)"),
               5);
  EXPECT_EQ(KindsOf(text), Kinds({"small"}));
  ExpectSame(text);
}

std::string DotOf(std::string_view lhs, std::string_view rhs, std::string_view result,
                  std::string_view dims) {
  return StrCat("ENTRY e {\n  a = ", lhs, " parameter(0)\n  b = ", rhs,
                " parameter(1)\n  d = ", result, " dot(a, b), ", dims, "\n  ROOT n = ", result,
                " negate(d)\n}\n");
}

TEST(SmallRegions, SmallDotsOfEveryForm) {
  const std::string forms[] = {
      DotOf("f64[6,6]", "f64[6,6]", "f64[6,6]",
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      DotOf("f32[5,3]", "f32[5,7]", "f32[3,7]",
            "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
      DotOf("f32[5,3]", "f32[2,3]", "f32[5,2]",
            "lhs_contracting_dims={1}, rhs_contracting_dims={1}"),
      DotOf("f32[2,3,4]", "f32[2,4,5]", "f32[2,3,5]",
            "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
            "rhs_contracting_dims={1}"),
      DotOf("f64[3,2,4]", "f64[4,2,1]", "f64[2,3,1]",
            "lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
            "rhs_contracting_dims={0}"),
      // Along rows: the canonical order.
      DotOf("f32[6,7]", "f32[7]", "f32[6]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      DotOf("f32[9]", "f32[9]", "f32[]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
      DotOf("f32[4]", "f32[4,6]", "f32[6]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
      DotOf("f32[2,1]", "f32[1,3]", "f32[2,3]",
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
  };
  for (const std::string& text : forms) {
    EXPECT_EQ(KindsOf(text), Kinds({"small"})) << text;
    for (int seed = 0; seed < 3; ++seed) ExpectSame(text, seed);
  }
  const std::string product =
      DotOf("f32[2]", "f32[3]", "f32[2,3]", "lhs_contracting_dims={}, rhs_contracting_dims={}");
  EXPECT_EQ(KindsOf(product), Kinds({"loop"})) << "it is elementwise";
  ExpectSame(product);
  // Lanes, another type, many products: these stay with the library.
  for (const char* text : {"f32[16]", "f16[9]", "bf16[9]", "s32[9]"}) {
    const std::string type = std::string(text, std::string_view(text).find('['));
    const std::string dot =
        DotOf(text, text, type + "[]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}");
    EXPECT_EQ(KindsOf(dot), Kinds({"contraction", "loop"})) << dot;
  }
}

TEST(SmallRegions, ZerosOfDotsHaveTheirSign) {
  // A chain begins at +0, and so does the total of the canonical order.
  for (const char* dims : {"f64[2,2]", "f64[2]"}) {
    const std::string text = StrCat(
        "ENTRY e {\n  z = f64[] constant(-0)\n  a = f64[2,2] broadcast(z), dimensions={}\n"
        "  p = ",
        dims, " parameter(0)\n  d = ", dims,
        " dot(a, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  one = f64[] "
        "constant(1)\n  ones = ",
        dims, " broadcast(one), dimensions={}\n  ROOT r = ", dims, " divide(ones, d)\n}\n");
    ExpectSame(text);
  }
}

TEST(SmallRegions, EqualFunctionsAreCompiledOnce) {
  std::string text = "ENTRY e {\n  x0 = f64[6,6] parameter(0)\n  a = f64[6,6] parameter(1)\n";
  for (int k = 0; k < 20; ++k) {
    text += StrCat("  d", k, " = f64[6,6] dot(x", k,
                   ", a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  x", k + 1,
                   " = f64[6,6] cosine(d", k, ")\n");
  }
  text += "  ROOT r = f64[6,6] negate(x20)\n}\n";
  const auto client = Client::Create();
  int functions = 0;
  const auto executable = (*client)->Compile(
      text, {.engine = EngineKind::kNative,
             .debug = {.on_llvm = [&](std::string_view code) {
               for (size_t at = 0; (at = code.find("\ndefine ", at)) != std::string_view::npos;
                    ++at) {
                 ++functions;
               }
             }}});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_GE(functions, 1);
  EXPECT_LE(functions, 4);
  ExpectSame(text);
}

TEST(SmallRegions, WhatStaysApart) {
  // 129 elements; a loop that sorts.
  const std::string long_state = LoopOver({"f32[129]"}, "  y0 = f32[129] negate(x0)", 3);
  EXPECT_EQ(KindsOf(long_state), Kinds({"while"}));
  const std::string sorts =
      LoopOver({"f32[9]"}, "  y0 = f32[9] sort(x0), dimensions={0}, to_apply=less", 3, R"(
less { a = f32[] parameter(0) b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT })");
  EXPECT_EQ(KindsOf(sorts), Kinds({"while"}));
  ExpectSame(sorts);
}

TEST(SmallRegions, StepsAreCountedAndLimitsEndALoop) {
  const std::string text = LoopOver({"f32[]"}, "  y0 = f32[] add(x0, x0)", 5000);
  ASSERT_EQ(KindsOf(text), Kinds({"small"}));
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  const auto executable = (*client)->Compile(text, {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok());
  const std::vector<Literal> arguments = {*ParseLiteral("f32[] 0")};
  // 5,000 turns, and the look that ends the loop.
  for (const i64 steps : {1, 1024, 1025, 5000, 5001, 6000}) {
    Limits limits;
    limits.set_step_limit(steps);
    const auto result = (*executable)->Execute(arguments, {.limits = &limits});
    EXPECT_EQ(result.ok(), steps >= 5001) << steps;
    if (!result.ok()) {
      EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
      EXPECT_TRUE(result.status().message().starts_with(
          StrCat("the limit of ", steps, " steps ended the run of ")));
    }
    EXPECT_EQ(limits.steps_left(), std::max<i64>(steps - 5001, -1));
  }
  Limits limits;
  limits.Cancel();
  EXPECT_EQ((*executable)->Execute(arguments, {.limits = &limits}).status().code(),
            StatusCode::kCancelled);
  // Runs in a row share their steps; progress is told on the way.
  Limits shared;
  shared.set_step_limit(100);
  int told = 0;
  shared.set_progress([&](double) { ++told; });
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ((*executable)->Execute(arguments, {.limits = &shared}).status().code(),
              StatusCode::kResourceExhausted);
  }
  EXPECT_GE(told, 1);
}

// A number that goes through so many branches, each inside of the one before.
std::string NestedBranches(int depth) {
  std::string text =
      "leaf { x = f32[] parameter(0) ROOT n = f32[] negate(x) }\n"
      "last { x = f32[] parameter(0) ROOT s = f32[] sine(x) }\n";
  for (int k = depth; k-- > 0;) {
    text += StrCat(k == 0 ? "ENTRY e" : StrCat("c", k),
                   " { x = f32[] parameter(0) z = f32[] constant(", k,
                   ") p = pred[] compare(x, z), direction=GT ROOT r = f32[] conditional(p, x, x), "
                   "true_computation=",
                   k + 1 == depth ? "last" : StrCat("c", k + 1), ", false_computation=leaf }\n");
  }
  return text;
}

TEST(SmallRegions, BranchesThatAreNestedDeepAreLookedAtFromInside) {
  EXPECT_EQ(KindsOf(NestedBranches(12)), Kinds{"small"});
  EXPECT_EQ(KindsOf(NestedBranches(200)), (Kinds{"loop", "conditional"}));
  ExpectSame(NestedBranches(12));
  ExpectSame(NestedBranches(200));
}

}  // namespace
}  // namespace axle

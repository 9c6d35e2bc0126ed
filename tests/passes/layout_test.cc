// The order of dimensions that the pass chooses: what moves through which op, what stays, and that
// bits do.
#include "axle/passes/layout/layout.h"

#include <algorithm>
#include <random>

#include "axle/client/arguments.h"
#include "axle/eval/evaluate.h"
#include "axle/passes/facts.h"
#include "axle/passes/layout/choice.h"
#include "axle/passes/layout/permute.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

std::string Braces(const Dims& dims) {
  return StrCat("{", Join(dims, ","), "}");
}
std::string Array(std::string_view type, const Dims& dims) {
  return StrCat(type, "[", Join(dims, ","), "]");
}

i64 CountOf(const Module& module, Opcode opcode) {
  i64 count = 0;
  for (const Instruction* inst : module.entry()->instructions()) {
    count += Is(*inst, opcode) ? 1 : 0;
  }
  return count;
}

// The module after the pass; fails the test unless it gives the same bits.
std::unique_ptr<Module> Chosen(const std::string& text) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString() << "\n" << text;
  if (!module.ok()) return nullptr;
  auto after = RunPipeline(**module, {.passes = {FindPass("layout")}, .verify_each = true});
  EXPECT_TRUE(after.ok()) << after.status().ToString() << "\n" << text;
  if (!after.ok()) return nullptr;
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    auto made = FakeLiteral(parameter->shape(), "random:7", std::ssize(arguments));
    EXPECT_TRUE(made.ok());
    arguments.push_back(*std::move(made));
  }
  const auto expected = Evaluate(**module, arguments), actual = Evaluate(**after, arguments);
  EXPECT_TRUE(expected.ok() && actual.ok())
      << expected.status().ToString() << actual.status().ToString();
  if (expected.ok() && actual.ok()) {
    EXPECT_TRUE(SameValue(*expected, *actual)) << text << Print(**after);
  }
  return *std::move(after);
}

constexpr std::string_view kReducers =
    "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }\n"
    "top { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }\n"
    "odd { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] multiply(a, b)\n"
    "  ROOT s = f32[] subtract(c, b) }\n";

// Random sizes, an order of them, and the way back.
struct Draw {
  explicit Draw(std::uint64_t seed, i64 rank = 4, i64 most = 5) : random(seed) {
    for (i64 d = 0; d < rank; ++d) sizes.push_back(1 + Below(most));
    order = Identity(rank);
    std::shuffle(order.begin(), order.end(), random);
    for (const i64 d : order) permuted.push_back(sizes[d]);
  }
  i64 Below(i64 n) { return static_cast<i64>(random() % static_cast<std::uint64_t>(n)); }
  std::mt19937_64 random;
  Dims sizes, order, permuted;
};

// An op between a transpose and the way back is computed in the order in which its operand lies.
TEST(Layout, EveryOpLetsTransposesThrough) {
  struct Form {
    const char* name;
    // The lines of y = op(t, ...), and the sizes of y in the order of t.
    std::string (*lines)(Draw& draw, Dims& result);
  };
  const Form forms[] = {
      {"unary", [](Draw&, Dims& s) { return StrCat("y = ", Array("f32", s), " negate(t)"); }},
      {"itself", [](Draw&, Dims& s) { return StrCat("y = ", Array("f32", s), " multiply(t, t)"); }},
      {"scalars",
       [](Draw&, Dims& s) {
         return StrCat("lo = f32[] constant(-0.5)  hi = f32[] constant(0.5)\n  y = ",
                       Array("f32", s), " clamp(lo, t, hi)");
       }},
      {"select",
       [](Draw&, Dims& s) {
         return StrCat("n = ", Array("f32", s), " negate(t)\n  c = ", Array("pred", s),
                       " compare(t, n), direction=LT\n  y = ", Array("f32", s), " select(c, t, n)");
       }},
      {"types",
       [](Draw&, Dims& s) {
         return StrCat("h = ", Array("f16", s), " convert(t)\n  y = ", Array("f32", s),
                       " convert(h)");
       }},
      {"broadcast of a row",
       [](Draw& draw, Dims& s) {
         const i64 d = draw.Below(std::ssize(s));
         return StrCat(
             "i = ", Array("f32", {s[d]}), " iota(), iota_dimension=0\n  b = ", Array("f32", s),
             " broadcast(i), dimensions={", d, "}\n  y = ", Array("f32", s), " add(t, b)");
       }},
      {"iota",
       [](Draw& draw, Dims& s) {
         return StrCat("i = ", Array("f32", s),
                       " iota(), iota_dimension=", draw.Below(std::ssize(s)),
                       "\n  y = ", Array("f32", s), " subtract(t, i)");
       }},
      {"pad",
       [](Draw& draw, Dims& s) {
         std::string padding;
         Dims padded;
         for (const i64 size : s) {
           const i64 low = draw.Below(3), high = draw.Below(2), inner = draw.Below(2);
           StrAppend(padding, padding.empty() ? "" : "x", low, "_", high, "_", inner);
           padded.push_back(size + low + high + (size - 1) * inner);
         }
         s = padded;
         return StrCat("v = f32[] constant(7)\n  y = ", Array("f32", s),
                       " pad(t, v), padding=", padding);
       }},
      {"slice",
       [](Draw& draw, Dims& s) {
         std::string ranges;
         for (i64& size : s) {
           const i64 begin = draw.Below(size), step = 1 + draw.Below(2);
           StrAppend(ranges, ranges.empty() ? "" : ", ", "[", begin, ":", size, ":", step, "]");
           size = (size - begin + step - 1) / step;
         }
         return StrCat("y = ", Array("f32", s), " slice(t), slice={", ranges, "}");
       }},
      {"concatenate",
       [](Draw& draw, Dims& s) {
         const i64 d = draw.Below(std::ssize(s));
         s[d] *= 3;
         return StrCat("y = ", Array("f32", s), " concatenate(t, t, t), dimensions={", d, "}");
       }},
      {"reverse",
       [](Draw& draw, Dims& s) {
         const i64 d = draw.Below(std::ssize(s)), e = (d + 1) % std::ssize(s);
         return StrCat("y = ", Array("f32", s), " reverse(t), dimensions={", d, ",", e, "}");
       }},
      {"window along one dimension",
       [](Draw& draw, Dims& s) {
         const i64 d = draw.Below(std::ssize(s));
         std::string window;
         for (i64 i = 0; i < std::ssize(s); ++i) {
           StrAppend(window, i == 0 ? "" : "x", i == d ? s[d] : 1);
         }
         s[d] = 1;
         return StrCat("z = f32[] constant(0)\n  y = ", Array("f32", s),
                       " reduce-window(t, z), window={size=", window, "}, to_apply=odd");
       }},
  };
  for (const Form& form : forms) {
    i64 num_moved = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(StrCat(form.name, " ", seed));
      Draw draw(seed);
      Dims result = draw.permuted;
      const std::string lines = form.lines(draw, result);
      const Dims back = Inverse(draw.order);
      const std::string text =
          StrCat("HloModule m\n", kReducers, "ENTRY e {\n  x = ", Array("f32", draw.sizes),
                 " parameter(0)\n  t = ", Array("f32", draw.permuted),
                 " transpose(x), dimensions=", Braces(draw.order), "\n  ", lines,
                 "\n  ROOT r = ", Array("f32", Composed(result, back)),
                 " transpose(y), dimensions=", Braces(back), "\n}\n");
      const std::unique_ptr<Module> after = Chosen(text);
      ASSERT_NE(after, nullptr);
      // Dimensions of one element go anywhere without a move.
      const Shape operand(F32, draw.sizes);
      if (Essential(operand, draw.order) == Essential(operand, Identity(4))) continue;
      EXPECT_EQ(CountOf(*after, Opcode::kTranspose), 0) << Print(*after);
      ++num_moved;
    }
    EXPECT_GT(num_moved, 20) << form.name;
  }
}

// A reduction takes another order where its elements stay in theirs, and with it its sums.
TEST(Layout, ReductionsKeepTheirOrderOfSums) {
  i64 num_gone = 0, num_left = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed, 3, seed % 2 == 0 ? 6 : 24);
    Dims reduced, kept;
    for (i64 d = 0; d < 3; ++d) (draw.Below(2) == 0 ? reduced : kept).push_back(d);
    Dims sizes;
    for (const i64 d : kept) sizes.push_back(draw.permuted[d]);
    constexpr std::string_view kNames[] = {"sum", "top", "odd"};
    const std::unique_ptr<Module> after = Chosen(StrCat(
        "HloModule m\n", kReducers, "ENTRY e {\n  x = ", Array("f32", draw.sizes),
        " parameter(0)\n  t = ", Array("f32", draw.permuted), " transpose(x), dimensions=",
        Braces(draw.order), "\n  z = f32[] constant(1)\n", "  ROOT r = ", Array("f32", sizes),
        " reduce(t, z), dimensions=", Braces(reduced), ", to_apply=", kNames[seed % 3], "\n}\n"));
    ASSERT_NE(after, nullptr);
    const i64 left = CountOf(*after, Opcode::kTranspose);
    EXPECT_LE(left, 1);
    ++(left == 0 ? num_gone : num_left);
  }
  EXPECT_GT(num_gone, 60);
  EXPECT_GT(num_left, 400);
}

// Windows along several dimensions are gone through in the order of these.
TEST(Layout, WindowsKeepTheirOrder) {
  constexpr std::string_view kText = R"(HloModule m
odd { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] multiply(a, b)
  ROOT s = f32[] subtract(c, b) }
ENTRY e {
  x = f32[5,4,3] parameter(0)
  t = f32[%s] transpose(x), dimensions=%s
  z = f32[] constant(1)
  y = f32[%s] reduce-window(t, z), window={size=%s}, to_apply=odd
  ROOT r = f32[%s] transpose(y), dimensions=%s
})";
  const auto text = [&](std::initializer_list<std::string_view> parts) {
    std::string made(kText);
    for (const std::string_view part : parts) made.replace(made.find("%s"), 2, part);
    return made;
  };
  const auto moves = Chosen(text({"3,5,4", "{2,0,1}", "3,4,3", "1x2x2", "4,3,3", "{1,2,0}"}));
  ASSERT_NE(moves, nullptr);
  EXPECT_EQ(CountOf(*moves, Opcode::kTranspose), 0);
  const auto stays = Chosen(text({"4,5,3", "{1,0,2}", "3,4,3", "2x2x1", "4,3,3", "{1,0,2}"}));
  ASSERT_NE(stays, nullptr);
  EXPECT_EQ(CountOf(*stays, Opcode::kTranspose), 2);
}

// One array more in the old order is fewer bytes to move than two.
TEST(Layout, MovesWhatIsLess) {
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[9,8,7] parameter(0)
  z = f32[7,9,8] parameter(1)
  t = f32[7,9,8] transpose(x), dimensions={2,0,1}
  y = f32[7,9,8] add(t, z)
  ROOT r = f32[9,8,7] transpose(y), dimensions={1,2,0}
})";
  const auto after = Chosen(text);
  ASSERT_NE(after, nullptr);
  ASSERT_EQ(CountOf(*after, Opcode::kTranspose), 1);
  EXPECT_EQ(After(text, {"layout"}), R"(ENTRY e {
  x = f32[9,8,7]{2,1,0} parameter(0)
  z = f32[7,9,8]{2,1,0} parameter(1)
  transpose.1 = f32[9,8,7]{2,1,0} transpose(z), dimensions={1,2,0}
  ROOT y = f32[9,8,7]{2,1,0} add(x, transpose.1)
}
)");
}

TEST(Layout, NothingMovesBetweenConvolutions) {
  const auto after = Chosen(R"(HloModule m
top { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
ENTRY e {
  x = f32[2,16,12,12] parameter(0)
  w = f32[24,16,3,3] parameter(1)
  bias = f32[24] parameter(2)
  mean = f32[24] parameter(3)
  scale = f32[24] parameter(4)
  v = f32[32,24,3,3] parameter(5)
  u = f32[8,32,1,1] parameter(6)
  c = f32[2,24,12,12] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
  biases = f32[2,24,12,12] broadcast(bias), dimensions={1}
  sum = f32[2,24,12,12] add(c, biases)
  means = f32[2,24,12,12] broadcast(mean), dimensions={1}
  centred = f32[2,24,12,12] subtract(sum, means)
  scales = f32[2,24,12,12] broadcast(scale), dimensions={1}
  scaled = f32[2,24,12,12] multiply(centred, scales)
  zero = f32[] constant(0)
  zeros = f32[2,24,12,12] broadcast(zero), dimensions={}
  relu = f32[2,24,12,12] maximum(scaled, zeros)
  low = f32[] constant(-inf)
  pooled = f32[2,24,6,6] reduce-window(relu, low), window={size=1x1x2x2 stride=1x1x2x2}, to_apply=top
  d = f32[2,32,6,6] convolution(pooled, v), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
  ROOT o = f32[2,8,6,6] convolution(d, u), window={size=1x1}, dim_labels=bf01_oi01->bf01
})");
  ASSERT_NE(after, nullptr);
  ASSERT_EQ(CountOf(*after, Opcode::kTranspose), 1) << Print(*after);
  for (const Instruction* inst : after->entry()->instructions()) {
    if (Is(*inst, Opcode::kTranspose)) {
      EXPECT_EQ(inst->operand(0)->name(), "x");
    }
    if (!Is(*inst, Opcode::kConvolution)) continue;
    EXPECT_EQ(inst->attrs<ConvolutionAttrs>().dim_labels.lhs, "b01f") << inst->name();
  }
}

// Convolutions of every kind, with transposed operands and results: the same bits.
TEST(Layout, ConvolutionsKeepTheirBits) {
  i64 num_changed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed, 4, 2);
    const auto labels = [&](std::string text) {
      std::shuffle(text.begin(), text.end(), draw.random);
      return text;
    };
    const i64 groups = seed % 3 == 0 ? 8 : 1 + draw.Below(2);
    const i64 features = seed % 3 == 0 ? 8 : 16 * groups, outputs = seed % 3 == 0 ? 8 : 6;
    const i64 size = 7 + draw.Below(3), stride = 1 + draw.Below(2), dilation = 1 + draw.Below(2);
    const i64 taps = 1 + draw.Below(3), pad = draw.Below(2);
    const i64 result = (size + 2 * pad - (dilation * (taps - 1) + 1)) / stride + 1;
    const auto sizes = [&](const std::string& text, i64 b, i64 f, i64 spatial) {
      Dims dims;
      for (const char c : text) dims.push_back(c == 'b' || c == 'i' ? b : c >= 'a' ? f : spatial);
      return dims;
    };
    const std::string lhs = labels("bf01"), rhs = labels("oi01"), output = labels("bf01");
    const Dims x = sizes(lhs, 2, features, size), y = sizes(output, 2, outputs, result);
    const Dims w = sizes(rhs, features / groups, outputs, taps);
    const auto twice = [&](i64 a) { return StrCat(a, "x", a); };
    Dims wanted;
    for (const i64 d : draw.order) wanted.push_back(y[d]);
    const std::string text = StrCat(
        "HloModule m\nENTRY e {\n  x = ", Array("f32", Composed(x, Inverse(draw.order))),
        " parameter(0)\n  w = ", Array("f32", w), " parameter(1)\n  t = ", Array("f32", x),
        " transpose(x), dimensions=", Braces(draw.order), "\n  n = ", Array("f32", x),
        " negate(t)\n  c = ", Array("f32", y), " convolution(n, w), window={size=", twice(taps),
        " stride=", twice(stride), " pad=", pad, "_", pad, "x", pad, "_", pad,
        " rhs_dilate=", twice(dilation), seed % 4 == 0 ? " rhs_reversal=1x0" : "",
        "}, dim_labels=", lhs, "_", rhs, "->", output, ", feature_group_count=", groups,
        "\n  a = ", Array("f32", y), " abs(c)\n  ROOT r = ", Array("f32", wanted),
        " transpose(a), dimensions=", Braces(draw.order), "\n}\n");
    const std::unique_ptr<Module> after = Chosen(text);
    ASSERT_NE(after, nullptr);
    const auto before = Parse(text);
    num_changed += Print(**before) == Print(*after) ? 0 : 1;
    EXPECT_LE(CountOf(*after, Opcode::kTranspose), 3);
  }
  EXPECT_GT(num_changed, 40);
}

// A kernel for single features takes all of its arrays with features last, or is slow.
TEST(Layout, DepthwiseConvolutionsHaveFeaturesLast) {
  const auto after = Chosen(R"(HloModule m
ENTRY e {
  x = f32[1,32,14,14] parameter(0)
  w = f32[32,1,3,3] parameter(1)
  ROOT c = f32[1,32,14,14] convolution(x, w), window={size=3x3 pad=1_1x1_1},
    dim_labels=bf01_oi01->bf01, feature_group_count=32
})");
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(CountOf(*after, Opcode::kTranspose), 3) << Print(*after);
  for (const Instruction* inst : after->entry()->instructions()) {
    if (!Is(*inst, Opcode::kConvolution)) continue;
    const auto& labels = inst->attrs<ConvolutionAttrs>().dim_labels;
    EXPECT_EQ(labels.lhs, "b01f");
    EXPECT_EQ(labels.rhs, "01io");
    EXPECT_EQ(labels.output, "b01f");
  }
}

// What would gain nothing, or may not be touched, is as written.
TEST(Layout, LeavesAlone) {
  for (const std::string_view lines : {
           "ROOT r = f32[8,4,6] transpose(x), dimensions={2,0,1}",
           "t = f32[8,4,6] transpose(x), dimensions={2,0,1}  ROOT r = f32[8,4,6] sine(t)",
           "t = f32[6,4,8] transpose(x), dimensions={1,0,2}\n"
           "ROOT r = f32[6,4,5] dot(t, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
           "rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "d = f32[6,8,8] dot(y, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
           "rhs_batch_dims={0}, rhs_contracting_dims={2}\n"
           "t = f32[8,6,8] transpose(d), dimensions={1,0,2}  ROOT r = f32[8,6,8] sine(t)",
           "t = f32[6,4,8] transpose(x), dimensions={1,0,2}  s = f32[6,4,8] sine(t), "
           "sharding={replicated}  ROOT r = f32[4,6,8] transpose(s), dimensions={1,0,2}",
           "t = f32[6,4,8] transpose(x), dimensions={1,0,2}  c = f32[192] reshape(t)\n"
           "s = f32[6,4,8] reshape(c)  ROOT r = f32[4,6,8] transpose(s), dimensions={1,0,2}",
           // One position of a window; one feature that lies wherever it likes; a gradient, whose
           // features are the batch.
           "ROOT r = f32[1,32,9,9] convolution(i, one), window={size=1x1}, "
           "dim_labels=bf01_oi01->bf01",
           "ROOT r = f32[16,2,9,9] convolution(g, k), window={size=3x3 pad=1_1x1_1}, "
           "dim_labels=bf01_oi01->bf01",
           "ROOT r = f32[3,3,16,24] convolution(n, m), window={size=9x9 pad=1_1x1_1}, "
           "dim_labels=f01b_i01o->01bf",
       }) {
    SCOPED_TRACE(lines);
    const std::string text = StrCat(R"(HloModule m
ENTRY e {
  x = f32[4,6,8] parameter(0)
  y = f32[6,8,5] parameter(1)
  i = f32[1,16,9,9] parameter(2)
  one = f32[32,16,1,1] parameter(3)
  g = f32[16,1,9,9] parameter(4)
  k = f32[2,1,3,3] parameter(5)
  n = f32[16,9,9,16] parameter(6)
  m = f32[16,9,9,24] parameter(7)
  )",
                                    lines, "\n}");
    EXPECT_EQ(After(text, {"layout", "dce"}), After(text, {"dce"}));
  }
}

TEST(Layout, SaysWhatConvolutionsRead) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[1,16,10,10] parameter(0)
  w = f32[16,16,3,3] parameter(1)
  ROOT c = f32[1,16,10,10] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  std::vector<PassNote> notes;
  const auto after = RunPipeline(
      **module, {.passes = {FindPass("layout")}, .after_each = [&](const PassReport& report) {
                   notes.assign(report.notes.begin(), report.notes.end());
                   EXPECT_EQ(report.changes, 1);
                 }});
  ASSERT_TRUE(after.ok());
  ASSERT_EQ(notes.size(), 1);
  EXPECT_EQ(notes[0].computation, "e");
  EXPECT_EQ(notes[0].instruction, "c");
  EXPECT_EQ(notes[0].text,
            "reads \"x\" as b01f, transposed once, and writes bf01; written as bf01 and bf01");
}

// Kernels read neighbouring outputs' elements where those are neighbours too, if the result lies so
// and its lines fill vectors.
TEST(Layout, ConvolutionsAlongLinesAreLeft) {
  const auto text = [](i64 width, const char* output, const char* result) {
    return StrCat("HloModule m\nENTRY e {\n  x = f32[2,16,12,", width,
                  "] parameter(0)\n  w = f32[16,16,3,3] parameter(1)\n  ROOT c = f32[", output,
                  "] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->",
                  result, "\n}\n");
  };
  const auto transposes = [](const std::string& module) {
    return After(module, {"layout", "dce"}).find(" transpose(") != std::string::npos;
  };
  EXPECT_FALSE(transposes(text(32, "2,16,12,32", "bf01")));
  EXPECT_FALSE(transposes(text(12, "2,16,12,12", "bf01")));
  EXPECT_TRUE(transposes(text(11, "2,16,12,11", "bf01")));
  EXPECT_TRUE(transposes(text(32, "2,12,32,16", "b01f")));
}

TEST(Layout, TheSearchLooksAtTheLimits) {
  const auto module = Parse(
      "ENTRY e { p = f32[2,3,4] parameter(0)  n = f32[2,3,4] negate(p)  t = f32[4,3,2] "
      "transpose(n), dimensions={2,1,0}  ROOT r = f32[24] reshape(t) }");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  LayoutChoice choice(*(*module)->entry(), [](const Instruction&) { return false; });
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(choice.Run(&limits).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace axle

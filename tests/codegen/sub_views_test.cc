// Values that are written where a concatenation or a pad has them: which ones, with the bits of the
// interpreter in every way to run them.
#include "axle/codegen/schedule/sub_views.h"

#include <gtest/gtest.h>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/runtime/compile_report.h"
#include "axle/text/parse.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

class SubViewsTest : public ::testing::Test {
 protected:
  // What the moves of the entry find in its place, after all bits were compared.
  std::string InPlace(const std::string& body, const std::string& computations = "") {
    const std::string text = StrCat("HloModule m\n", computations, "\nENTRY e { ", body, " }");
    SCOPED_TRACE(text);
    const auto interpreted = client_->Compile(text, {.engine = EngineKind::kInterpret});
    EXPECT_TRUE(interpreted.ok()) << interpreted.status().ToString();
    if (!interpreted.ok()) return "";
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentLeaves(*(*interpreted)->module().entry())) {
      arguments.push_back(*FakeLiteral(shape, "random:3", 0));
    }
    const auto expected = (*interpreted)->Execute(arguments);
    EXPECT_TRUE(expected.ok()) << expected.status().ToString();
    std::string found;
    for (const NativeIsa isa : {NativeIsa::kAvx2, NativeIsa::kAuto}) {
      for (const bool check : {false, true}) {
        const auto native = client_->Compile(
            text, {.engine = EngineKind::kNative,
                   .isa = isa,
                   .debug = {.run_passes = false, .report = true, .check_accesses = check}});
        EXPECT_TRUE(native.ok()) << native.status().ToString();
        if (!native.ok()) return "";
        for (int i = 0; i < 2; ++i) {  // in fresh memory, and in what the first run left
          const auto actual = (*native)->Execute(arguments);
          EXPECT_TRUE(actual.ok()) << actual.status().ToString();
          if (!actual.ok()) return "";
          const auto difference = FirstDifference(*expected, *actual);
          EXPECT_FALSE(difference) << difference->ToString();
        }
        program_ = (*native)->report()->programs.back();
        found = Notes();
      }
    }
    return found;
  }

  const CompileReport::Program& program() const { return program_; }

 private:
  std::string Notes() const {
    const std::string_view says = "written in place: ";
    std::vector<std::string> notes;
    for (const CompileReport::Record& record : program_.records) {
      if (record.note.starts_with(says)) notes.push_back(record.note.substr(says.size()));
    }
    return Join(notes, "; ");
  }

  const std::unique_ptr<Client> client_ = *Client::Create({.num_threads = 2});
  CompileReport::Program program_;
};

constexpr const char* kTypes[] = {"pred", "s4",  "u4",   "s8",       "u8",    "s16",  "u16",
                                  "s32",  "u32", "s64",  "u64",      "f16",   "bf16", "f32",
                                  "f64",  "c64", "c128", "f8e4m3fn", "f8e5m2"};

TEST_F(SubViewsTest, OperandsOfEveryType) {
  for (const std::string type : kTypes) {
    for (const i64 rows : {1, 7, 131}) {
      if (kAddressSanitizer && rows == 131) continue;  // LLVM is slow there
      const std::string a = StrCat(type, "[", rows, ",300]"), b = StrCat(type, "[", rows, ",33]");
      const std::string operands = StrCat("x = ", a, " parameter(0) y = ", b,
                                          " parameter(1) a = ", a, " add(x, x) b = ", b, " ");
      // Rows that leave too much of their vectors empty are moved.
      EXPECT_EQ(InPlace(StrCat(operands, "multiply(y, y) ROOT r = ", type, "[", rows,
                               ",333] concatenate(a, b), dimensions={1}")),
                rows == 1 ? "a, b" : "a");
      const std::string c = StrCat(type, "[5,", rows, "]");
      EXPECT_EQ(InPlace(StrCat("x = ", c, " parameter(0) a = ", c, " multiply(x, x) b = ", c,
                               " add(x, x) ROOT r = ", type, "[15,", rows,
                               "] concatenate(a, x, b), dimensions={0}")),
                "a, b");
    }
  }
}

TEST_F(SubViewsTest, MiddleDimensions) {
  EXPECT_EQ(InPlace("x = f32[3,5,2,32] parameter(0) y = f32[3,1,2,32] parameter(1) "
                    "a = f32[3,5,2,32] exponential(x) b = f32[3,1,2,32] negate(y) "
                    "ROOT r = f32[3,7,2,32] concatenate(b, a, y), dimensions={1}"),
            "b, a");
  // Through other shapes of the same elements, and dimensions of one element.
  EXPECT_EQ(InPlace("x = f32[3,320] parameter(0) a = f32[3,320] exponential(x) "
                    "s = f32[1,3,5,1,64] reshape(a) y = f32[1,3,2,1,64] parameter(1) "
                    "b = f32[1,3,2,1,64] negate(y) "
                    "ROOT r = f32[1,3,7,1,64] concatenate(b, s), dimensions={2}"),
            "b, a");
  // Single elements lie apart: neither neighbours nor rows.
  EXPECT_EQ(InPlace("x = f32[300,1] parameter(0) a = f32[300,1] exponential(x) "
                    "b = f32[300,1] negate(x) "
                    "ROOT r = f32[300,2] concatenate(a, b), dimensions={1}"),
            "");
}

TEST_F(SubViewsTest, LoopsOfSeveralResults) {
  // Some lie in rows, one in a run.
  EXPECT_EQ(InPlace("x = f32[30,64] parameter(0) y = f32[64] parameter(1) k = f32[] constant(3) "
                    "w = f32[30,64] broadcast(y), dimensions={1} a = f32[30,64] add(x, w) "
                    "b = f32[30,64] exponential(a) c = f32[30,64] negate(a) "
                    "r = f32[30,192] concatenate(a, x, b), dimensions={1} "
                    "s = f32[31,64] pad(c, k), padding=1_0x0_0 "
                    "ROOT t = (f32[30,192], f32[31,64]) tuple(r, s)"),
            "a, b; c");
  EXPECT_EQ(program().records.size(), 3u);
}

TEST_F(SubViewsTest, Reductions) {
  const std::string add =
      "sum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }";
  const std::string zero = "z = f32[] constant(0) ";
  // Of rows, of columns, and what the loop stores besides.
  EXPECT_EQ(InPlace(zero + "x = f32[60,200] parameter(0) e = f32[60,200] exponential(x) "
                           "a = f32[60] reduce(e, z), dimensions={1}, to_apply=sum "
                           "b = f32[200] reduce(e, z), dimensions={0}, to_apply=sum "
                           "r = f32[460] concatenate(b, a, b), dimensions={0} "
                           "q = f32[61,200] pad(e, z), padding=1_0x0_0 "
                           "ROOT t = (f32[460], f32[61,200]) tuple(r, q)",
                    add),
            "a, b; e");
  const std::string max =
      "top { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] maximum(p, q) }\n";
  EXPECT_EQ(InPlace(zero + "x = f32[6,64,50] parameter(0) y = f32[6,5,8,16] parameter(1) "
                           "a = f32[6,64] reduce(x, z), dimensions={2}, to_apply=sum "
                           "b = f32[6,16] reduce(y, z), dimensions={1,2}, to_apply=top "
                           "c = f32[6,16] negate(b) "
                           "ROOT r = f32[6,80] concatenate(a, c), dimensions={1}",
                    max + add),
            "a");
  // Softmax: a region of rows.
  for (const i64 columns : {64, 200, 5000}) {
    const std::string x = StrCat("f32[40,", columns, "] ");
    EXPECT_EQ(
        InPlace(StrCat("z = f32[] constant(0) l = f32[] constant(-inf) x = ", x,
                       "parameter(0) m = f32[40] reduce(x, l), dimensions={1}, to_apply=top "
                       "n = ",
                       x, "broadcast(m), dimensions={0} d = ", x, "subtract(x, n) e = ", x,
                       "exponential(d) s = f32[40] reduce(e, z), dimensions={1}, "
                       "to_apply=sum t = ",
                       x, "broadcast(s), dimensions={0} o = ", x, "divide(e, t) ROOT r = f32[43,",
                       columns, "] pad(o, z), padding=1_2x0_0"),
                max + add),
        "o");
  }
}

TEST_F(SubViewsTest, OtherSteps) {
  const std::string add =
      "sum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }\n"
      "gt { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = pred[] compare(p, q), "
      "direction=GT }\n";
  const std::string ends = ", dimensions={0}";
  // Products, windows, scatter, sort: runs.
  EXPECT_EQ(InPlace("x = f32[13,37] parameter(0) y = f32[37,29] parameter(1) h = f32[1,29] "
                    "parameter(2) d = f32[13,29] dot(x, y), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0} ROOT r = f32[14,29] concatenate(h, d)" +
                    ends),
            "d");
  EXPECT_EQ(InPlace("z = f32[] constant(0) x = f32[1,9,9,5] parameter(0) k = f32[3,3,5,7] "
                    "parameter(1) c = f32[1,7,7,7] convolution(x, k), window={size=3x3}, "
                    "dim_labels=b01f_01io->b01f w = f32[1,7,7,7] reduce-window(c, z), "
                    "window={size=1x3x3x1 pad=0_0x1_1x1_1x0_0}, to_apply=sum h = f32[1,1,7,7] "
                    "parameter(2) ROOT r = f32[1,15,7,7] concatenate(h, w, c), dimensions={1}",
                    add),
            "c, w");
  EXPECT_EQ(InPlace("x = f32[333] parameter(0) h = f32[3] parameter(1) s = f32[333] sort(x), "
                    "dimensions={0}, to_apply=gt ROOT r = f32[336] concatenate(h, s)" +
                        ends,
                    add),
            "s");
  EXPECT_EQ(InPlace("x = f32[333] parameter(0) i = s32[7,1] parameter(1) u = f32[7] parameter(2) "
                    "s = f32[333] scatter(x, i, u), update_window_dims={}, "
                    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                    "index_vector_dim=1, to_apply=sum ROOT r = f32[340] concatenate(u, s)" +
                        ends,
                    add),
            "s");
  // Moves into rows: of views, of pads, of what is found at run time only in runs.
  EXPECT_EQ(InPlace("x = f32[37,300] parameter(0) t = f32[300,37] transpose(x), dimensions={1,0} "
                    "g = f32[300,1] slice(t), slice={[0:300],[3:4]} "
                    "v = f32[300,3] slice(t), slice={[0:300],[1:36:13]} "
                    "ROOT r = f32[300,41] concatenate(g, t, v), dimensions={1}"),
            "g, t, v");
  EXPECT_EQ(InPlace("x = f32[7,30] parameter(0) k = f32[] parameter(1) "
                    "p = f32[9,34] pad(x, k), padding=1_1x2_2 y = f32[9,6] parameter(2) "
                    "q = f32[9,40] concatenate(y, p), dimensions={1} i = s32[] parameter(3) "
                    "d = f32[1,40] dynamic-slice(q, i, i), dynamic_slice_sizes={1,40} "
                    "ROOT r = f32[10,40] concatenate(d, q), dimensions={0}"),
            "p; q, d");
}

TEST_F(SubViewsTest, ProductsInRows) {
  for (const char* type : {"f32", "f64", "bf16", "s32", "s8", "c64", "f16"}) {
    for (const auto& [m, n, k] : std::vector<std::tuple<i64, i64, i64>>{
             {37, 53, 29}, {5, 200, 300}, {64, 3, 8}, {1, 9, 70}}) {
      SCOPED_TRACE(StrCat(type, " ", m, " ", n, " ", k));
      const std::string operands =
          StrCat("x = ", type, "[", m, ",", k, "] parameter(0) y = ", type, "[", k, ",", n,
                 "] parameter(1) d = ", type, "[", m, ",", n,
                 "] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} ");
      EXPECT_EQ(InPlace(StrCat(operands, "ROOT r = ", type, "[", m, ",", k + n,
                               "] concatenate(x, d), dimensions={1}")),
                "d");
      EXPECT_EQ(InPlace(StrCat(operands, "t = ", type, "[", n, ",", m,
                               "] transpose(d), dimensions={1,0} z = ", type,
                               "[] parameter(2) ROOT r = ", type, "[", n + 1, ",", m + 7,
                               "] pad(t, z), padding=0_1x3_4")),
                m == 1 ? "" : "t");
    }
  }
  // The gradient of the three products of an attention: by head, put together by column.
  const std::string batches = ", lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, ";
  EXPECT_EQ(
      InPlace("s = f32[1,4,20,20] parameter(0) q = f32[1,4,20,16] parameter(1) "
              "a = f32[1,4,20,16] dot(s, q)" +
              batches +
              "lhs_contracting_dims={3}, rhs_contracting_dims={2} b = f32[1,4,20,16] dot(s, q)" +
              batches +
              "lhs_contracting_dims={2}, rhs_contracting_dims={2} "
              "c = f32[1,4,20,16] negate(a) "
              "d = f32[1,20,4,16] transpose(a), dimensions={0,2,1,3} e = f32[20,64] reshape(d) "
              "f = f32[1,20,4,16] transpose(b), dimensions={0,2,1,3} g = f32[20,64] reshape(f) "
              "ROOT r = f32[20,128] concatenate(e, g), dimensions={1}"),
      "d, f");
}

TEST_F(SubViewsTest, ProgramsAndSmallFunctions) {
  const std::string twice =
      "twice { p = f32[64,64] parameter(0) c = f32[64,64] cosine(p) "
      "ROOT s = f32[64,64] add(c, p) }\n"
      "half { p = f32[64,64] parameter(0) c = f32[64,64] sine(p) "
      "ROOT s = f32[64,64] subtract(c, p) }\n";
  const std::string inputs = "b = pred[] parameter(0) x = f32[64,64] parameter(1) ";
  const std::string branch =
      "a = f32[64,64] conditional(b, x, x), true_computation=twice, false_computation=half ";
  EXPECT_EQ(
      InPlace(inputs + branch + "ROOT r = f32[128,64] concatenate(x, a), dimensions={0}", twice),
      "a");
  // Programs write to aligned memory.
  EXPECT_EQ(InPlace(inputs + branch +
                        "h = f32[1,1] parameter(2) f = f32[1,4096] reshape(a) "
                        "ROOT r = f32[1,4097] concatenate(h, f), dimensions={1}",
                    twice),
            "");
  EXPECT_EQ(InPlace("x = f32[1000] parameter(0) a = f32[4,4] parameter(1) "
                    "b = f32[4,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
                    "c = f32[4,4] add(b, a) d = f32[4,4] dot(c, b), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0} f = f32[16] reshape(d) "
                    "ROOT r = f32[1016] concatenate(x, f), dimensions={0}"),
            "d");
  EXPECT_EQ(program().records[0].kind, "small");
}

TEST_F(SubViewsTest, WhatStaysApart) {
  // Parameters and constants; what is a result itself; what is wanted twice lies in one place.
  EXPECT_EQ(InPlace("x = f32[100] parameter(0) a = f32[100] exponential(x) "
                    "c = f32[2] constant({1, 2}) "
                    "r = f32[202] concatenate(a, c, x), dimensions={0} "
                    "ROOT t = (f32[202], f32[100]) tuple(r, a)"),
            "");
  EXPECT_EQ(InPlace("x = f32[100] parameter(0) a = f32[100] exponential(x) "
                    "ROOT r = f32[200] concatenate(a, a), dimensions={0}"),
            "a");
  EXPECT_EQ(program().records.back().bytes_read, 400);
  EXPECT_EQ(InPlace("x = f32[10,64] parameter(0) a = f32[10,64] exponential(x) "
                    "ROOT r = f32[10,128] concatenate(a, a), dimensions={1}"),
            "");
  // In one of two concatenations.
  EXPECT_EQ(InPlace("x = f32[100] parameter(0) a = f32[100] exponential(x) "
                    "r = f32[200] concatenate(a, x), dimensions={0} "
                    "s = f32[200] concatenate(x, a), dimensions={0} "
                    "ROOT t = (f32[200], f32[200]) tuple(r, s)"),
            "a");
  EXPECT_EQ(InPlace("x = f32[0] parameter(0) y = f32[3] parameter(1) a = f32[0] negate(x) "
                    "b = f32[3] negate(y) ROOT r = f32[3] concatenate(a, b), dimensions={0}"),
            "b");
}

TEST_F(SubViewsTest, PartsThatOthersRead) {
  // Before and behind the concatenation; beside the whole, which is updated in its place.
  const std::string parts =
      "x = f32[100] parameter(0) a = f32[100] exponential(x) b = f32[100] cosine(a) ";
  EXPECT_EQ(InPlace(parts + "w = f32[200] concatenate(a, b), dimensions={0} "
                            "q = f32[2,100] reshape(w) e = f32[100] reverse(a), dimensions={0} "
                            "g = f32[2,100] broadcast(e), dimensions={1} "
                            "ROOT v = f32[2,100] add(q, g)"),
            "a, b");
  EXPECT_EQ(InPlace(parts + "c = f32[50] slice(b), slice={[0:50]} d = f32[50] negate(c) "
                            "w = f32[250] concatenate(a, b, d), dimensions={0} "
                            "v = f32[100] slice(w), slice={[120:220]} "
                            "y = f32[100] subtract(v, b) z = f32[250] negate(w) "
                            "ROOT t = (f32[100], f32[250]) tuple(y, z)"),
            "a, b, d");
}

TEST_F(SubViewsTest, Pads) {
  const std::string input =
      "k = f32[] parameter(0) x = f32[6,37] parameter(1) "
      "a = f32[6,37] exponential(x) ";
  EXPECT_EQ(InPlace(input + "ROOT r = f32[9,37] pad(a, k), padding=1_2x0_0"), "a");
  EXPECT_EQ(program().records.back().bytes_written, 3 * 37 * 4);
  EXPECT_EQ(InPlace(input + "ROOT r = f32[6,40] pad(a, k), padding=0_0x1_2"), "");  // short rows
  for (const char* padding : {"0_0x3_0", "0_0x0_1", "2_0x1_1", "0_3x5_70", "1_1x1_1"}) {
    int low0 = 0, high0 = 0, low1 = 0, high1 = 0;
    ASSERT_EQ(std::sscanf(padding, "%d_%dx%d_%d", &low0, &high0, &low1, &high1), 4);
    EXPECT_EQ(InPlace(StrCat("k = f32[] parameter(0) x = f32[6,3,64] parameter(1) "
                             "a = f32[6,3,64] exponential(x) ROOT r = f32[",
                             6 + low0 + high0, ",3,", 64 + low1 + high1,
                             "] pad(a, k), padding=", low0, "_", high0, "x0_0x", low1, "_", high1)),
              "a")
        << padding;
  }
  // Holes, and elements that are dropped.
  EXPECT_EQ(InPlace(input + "ROOT r = f32[11,37] pad(a, k), padding=0_0_1x0_0"), "");
  EXPECT_EQ(InPlace(input + "ROOT r = f32[6,37] pad(a, k), padding=-1_1x0_0"), "");
}

TEST_F(SubViewsTest, LargeOnesByThreads) {
  EXPECT_EQ(InPlace("x = f32[1031,640] parameter(0) y = f32[1031,96] parameter(1) "
                    "a = f32[1031,640] exponential(x) b = f32[1031,96] tanh(y) "
                    "t = f32[640,1031] transpose(a), dimensions={1,0} "
                    "r = f32[1031,832] concatenate(b, a, y), dimensions={1} k = f32[] constant(5) "
                    "p = f32[643,1041] pad(t, k), padding=1_2x3_7 "
                    "ROOT z = (f32[1031,832], f32[643,1041]) tuple(r, p)"),
            "b; t");
  // Results that are larger than the caches, at places where such writes may not begin.
  EXPECT_EQ(InPlace("x = f32[8400000] parameter(0) h = f32[3] parameter(1) "
                    "a = f32[8400000] negate(x) ROOT r = f32[8400003] concatenate(h, a), "
                    "dimensions={0}"),
            "a");
  EXPECT_EQ(InPlace("x = f32[9000,1024] parameter(0) h = f32[9000,3] parameter(1) "
                    "a = f32[9000,1024] negate(x) ROOT r = f32[9000,1027] concatenate(a, h), "
                    "dimensions={1}"),
            "a");
}

TEST_F(SubViewsTest, MemoryIsThatOfTheWhole) {
  const std::string greater =
      "gt { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = pred[] compare(p, q), "
      "direction=GT }";
  // Two parts, one of which is read once more: with copies the frame had 25,600 bytes.
  EXPECT_EQ(InPlace("x = f32[1600] parameter(0) a = f32[1600] exponential(x) "
                    "b = f32[1600] sine(a) w = f32[3200] concatenate(a, b), dimensions={0} "
                    "v = f32[3200] reverse(w), dimensions={0} ROOT r = f32[3200] add(v, w)"),
            "a, b");
  EXPECT_EQ(program().frame_bytes, 12800);
  // A whole that would be there long before the rest of it does not make the frame larger.
  EXPECT_EQ(InPlace("h = f32[100000] parameter(0) x = f32[64] parameter(1) a = f32[64] cosine(x) "
                    "b = f32[64] sort(a), dimensions={0}, to_apply=gt "
                    "l = f32[100000] exponential(h) "
                    "g = f32[100000] sort(l), dimensions={0}, to_apply=gt "
                    "v = f32[64] slice(g), slice={[7:71]} "
                    "m = f32[64] sort(v), dimensions={0}, to_apply=gt "
                    "w = f32[100064] concatenate(h, a), dimensions={0} "
                    "n = f32[100064] sort(w), dimensions={0}, to_apply=gt "
                    "o = f32[64] slice(n), slice={[50000:50064]} "
                    "ROOT r = (f32[64], f32[64], f32[64]) tuple(b, m, o)",
                    greater),
            "");
}

}  // namespace
}  // namespace axle

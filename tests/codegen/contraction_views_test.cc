// Dots that read their operands through views and write the transpose of their result.
#include <gtest/gtest.h>

#include <random>

#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

std::string KindsOf(const Module& module) {
  const auto schedule = MakeSchedule(*module.entry());
  EXPECT_TRUE(schedule.ok());
  std::vector<std::string> kinds;
  for (const Region& region : schedule->regions) kinds.emplace_back(Name(region.kind));
  return Join(kinds, " ");
}

// The regions of the entry with this body, after its bits were compared with the interpreter's.
std::string Checked(const std::string& body) {
  SCOPED_TRACE(body);
  const auto module = Parse("ENTRY e { " + body + " }");
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return "";
  std::mt19937 generator(7);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    Literal& argument = arguments.emplace_back(parameter->shape().WithoutLayout());
    DispatchElementType(parameter->shape().type(), [&]<ElementType kType>() {
      using T = StorageOf<kType>;
      for (T& element : argument.mutable_data<T>()) {
        const float number = static_cast<float>(generator() % 2000) / 700 - 1.5f;
        if constexpr (std::is_arithmetic_v<T>) {
          element = static_cast<T>(number);
        } else if constexpr (IsComplex(kType)) {
          element = T(number, static_cast<float>(generator() % 7));
        } else {
          element = T::FromBits(static_cast<typename T::Bits>(generator() & 0x3fff));
        }
      }
    });
  }
  for (const NativeIsa isa : {NativeIsa::kAvx2, NativeIsa::kAuto}) {
    const auto target = ChooseTarget(isa, 2);
    EXPECT_TRUE(target.ok());
    const auto compiled = CompileModule(**module, *target, {.debug = {.run_passes = false}});
    EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
    const ScopedFloatEnvironment environment;
    HostRun run;
    std::vector<Literal> given = arguments;
    const auto result = RunOnLiterals(*compiled->entry, given, run);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    const auto expected = Evaluate(**module, arguments);
    EXPECT_TRUE(expected.ok());
    EXPECT_TRUE(SameValue(*result, *expected));
  }
  return KindsOf(**module);
}

// A factor that is all contracted is read in the order of its lists: a transpose that lets that run
// along memory stays one.
TEST(ContractionViews, VectorsOfSeveralDimensions) {
  for (const char* type : {"f32", "f64", "bf16", "s32", "c64"}) {
    const std::string begin =
        StrCat("a = ", type, "[40,70] parameter(0) b = ", type, "[70,40] parameter(1) t = ", type,
               "[40,70] transpose(b), dimensions={1,0} ROOT d = ", type,
               "[] dot(a, t), lhs_contracting_dims=");
    EXPECT_EQ(Checked(begin + "{0,1}, rhs_contracting_dims={0,1}"), "move contraction");
    EXPECT_EQ(Checked(begin + "{1,0}, rhs_contracting_dims={1,0}"), "contraction");
  }
}

TEST(ContractionViews, TransposedResults) {
  for (const char* type : {"f32", "f64", "bf16", "s32", "s8", "c64", "f16"}) {
    for (const auto& [m, n, k] : std::vector<std::tuple<i64, i64, i64>>{
             {37, 53, 29}, {300, 40, 17}, {5, 200, 300}, {64, 3, 8}, {12, 11, 1}}) {
      for (const bool is_ab : {true, false}) {
        const std::string lhs = is_ab ? StrCat(m, ",", k) : StrCat(k, ",", m);
        EXPECT_EQ(Checked(StrCat("a = ", type, "[", lhs, "] parameter(0) b = ", type, "[", k, ",",
                                 n, "] parameter(1) d = ", type, "[", m, ",", n,
                                 "] dot(a, b), lhs_contracting_dims={", is_ab ? 1 : 0,
                                 "}, rhs_contracting_dims={0} ROOT t = ", type, "[", n, ",", m,
                                 "] transpose(d), dimensions={1,0}")),
                  "contraction");
      }
    }
  }
}

TEST(ContractionViews, ResultsOfBatches) {
  const std::string dot =
      "a = f32[3,4,17,9] parameter(0) b = f32[3,4,9,21] parameter(1) d = f32[3,4,17,21] dot(a, b), "
      "lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
      "rhs_contracting_dims={2} ";
  EXPECT_EQ(Checked(dot + "ROOT t = f32[3,17,4,21] transpose(d), dimensions={0,2,1,3}"),
            "contraction");
  EXPECT_EQ(Checked(dot + "ROOT t = f32[3,21,4,17] transpose(d), dimensions={0,3,1,2}"),
            "contraction");
  EXPECT_EQ(Checked(dot + "t = f32[17,4,3,21] transpose(d), dimensions={2,1,0,3} "
                          "ROOT r = f32[68,63] reshape(t)"),
            "contraction");
  // Matrices that lie element beside element are put there afterwards.
  EXPECT_EQ(Checked(dot + "ROOT t = f32[17,21,3,4] transpose(d), dimensions={2,3,0,1}"),
            "contraction move");
  // The result itself is wanted too, or other elements of it.
  EXPECT_EQ(Checked(dot + "t = f32[3,17,4,21] transpose(d), dimensions={0,2,1,3} "
                          "ROOT r = (f32[3,17,4,21], f32[3,4,17,21]) tuple(t, d)"),
            "contraction move");
  EXPECT_EQ(Checked(dot + "ROOT t = f32[3,4,17,5] slice(d), slice={[0:3],[0:4],[0:17],[2:7]}"),
            "contraction move");
  EXPECT_EQ(Checked(dot + "ROOT t = f32[3,4,17,21] reverse(d), dimensions={3}"),
            "contraction move");
}

TEST(ContractionViews, Operands) {
  // Heads of attention: parts of rows, by head.
  const std::string heads =
      "x = f32[20,192] parameter(0) q0 = f32[20,64] slice(x), slice={[0:20],[0:64]} "
      "k0 = f32[20,64] slice(x), slice={[0:20],[64:128]} "
      "v0 = f32[20,64] slice(x), slice={[0:20],[128:192]} "
      "q1 = f32[1,20,4,16] reshape(q0) k1 = f32[1,20,4,16] reshape(k0) "
      "v1 = f32[1,20,4,16] reshape(v0) "
      "q = f32[1,4,20,16] transpose(q1), dimensions={0,2,1,3} "
      "k = f32[1,4,20,16] transpose(k1), dimensions={0,2,1,3} "
      "v = f32[1,4,20,16] transpose(v1), dimensions={0,2,1,3} ";
  EXPECT_EQ(
      Checked(heads + "s = f32[1,4,20,20] dot(q, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
                      "lhs_contracting_dims={3}, rhs_contracting_dims={3} "
                      "o = f32[1,4,20,16] dot(s, v), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
                      "lhs_contracting_dims={3}, rhs_contracting_dims={2} "
                      "t = f32[1,20,4,16] transpose(o), dimensions={0,2,1,3} "
                      "ROOT r = f32[20,64] reshape(t)"),
      "contraction contraction");
  // A value that a loop computes, every second row of it, transposed.
  EXPECT_EQ(Checked("x = f32[30,11] parameter(0) y = f32[15,13] parameter(1) n = f32[30,11] "
                    "negate(x) s = f32[15,11] slice(n), slice={[0:30:2],[0:11]} "
                    "t = f32[11,15] transpose(s), dimensions={1,0} ROOT d = f32[11,13] dot(t, y), "
                    "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "loop contraction");
  // Every second column has no neighbours, nor has a reversed row; a scalar is no matrix.
  EXPECT_EQ(Checked("x = f32[15,22] parameter(0) y = f32[11,13] parameter(1) "
                    "s = f32[15,11] slice(x), slice={[0:15],[0:22:2]} "
                    "ROOT d = f32[15,13] dot(s, y), "
                    "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "move contraction");
  EXPECT_EQ(Checked("x = f32[15,11] parameter(0) y = f32[11,13] parameter(1) "
                    "s = f32[15,11] reverse(x), dimensions={1} ROOT d = f32[15,13] dot(s, y), "
                    "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "move contraction");
  EXPECT_EQ(Checked("x = f32[] parameter(0) y = f32[11,13] parameter(1) "
                    "s = f32[15,11] broadcast(x), dimensions={} ROOT d = f32[15,13] dot(s, y), "
                    "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "move contraction");
}

// The order of a sum is that of the instruction, not of where its operands lie.
TEST(ContractionViews, VectorsKeepTheirOrder) {
  for (const i64 k : {131, 64, 5000}) {
    for (const i64 m : {1, 3, 40}) {
      EXPECT_EQ(Checked(StrCat("x = f32[", k, ",", m, "] parameter(0) y = f32[", k,
                               "] parameter(1) t = f32[", m, ",", k,
                               "] transpose(x), dimensions={1,0} ROOT d = f32[", m,
                               "] dot(t, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}")),
                "contraction");
      EXPECT_EQ(Checked(StrCat("x = f32[", m, ",", k, "] parameter(0) y = f32[", k,
                               "] parameter(1) t = f32[", k, ",", m,
                               "] transpose(x), dimensions={1,0} ROOT d = f32[", m,
                               "] dot(t, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}")),
                "contraction");
    }
  }
}

// They may become parts of small regions, which read their operands in order.
TEST(ContractionViews, DotsOfFewNumbersStayAsTheyAre) {
  EXPECT_EQ(
      Checked("x = f32[4,3] parameter(0) y = f32[4,5] parameter(1) t = f32[3,4] transpose(x), "
              "dimensions={1,0} d = f32[3,5] dot(t, y), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={0} ROOT r = f32[5,3] transpose(d), dimensions={1,0}"),
      "move contraction move");
}

}  // namespace
}  // namespace axle

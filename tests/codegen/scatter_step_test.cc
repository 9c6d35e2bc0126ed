// Scatter steps against the evaluator of scatter.
#include "axle/codegen/steps/scatter_step.h"

#include <gtest/gtest.h>

#include <random>

#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// Small numbers of any type, as their bytes; indices from some in front of 0 to some behind 6.
Literal Random(const Shape& shape, std::mt19937& generator) {
  Literal literal{shape};
  DispatchElementType(shape.type(), [&]<ElementType kType>() {
    using T = StorageOf<kType>;
    for (T& element : literal.mutable_data<T>()) {
      const int value = static_cast<int>(generator() % 11) - 2;
      if constexpr (std::is_same_v<T, bool>) {
        element = value > 3;
      } else if constexpr (std::is_arithmetic_v<T>) {
        element = static_cast<T>(IsSubByte(kType) ? value & 1 : value);
      } else if constexpr (IsComplex(kType)) {
        element = T(static_cast<float>(value), 1);
      } else {
        // A narrow float: any pattern of few bits is a number, or a NaN, which all are the same.
        element = T::FromBits(static_cast<typename T::Bits>(generator() & 0x3f3f));
      }
    }
  });
  return literal;
}

RegionKind KindOf(const Module& module) {
  const auto schedule = MakeSchedule(*module.entry());
  EXPECT_TRUE(schedule.ok());
  return schedule->regions.back().kind;
}

// `text` is a module whose entry has nothing but a scatter of its parameters.
void ExpectScattered(const std::string& text, unsigned seed = 1) {
  SCOPED_TRACE(text);
  auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(KindOf(**module), RegionKind::kScatter);
  std::mt19937 generator(seed);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(Random(parameter->shape().WithoutLayout(), generator));
  }
  const auto target = ChooseTarget(NativeIsa::kAuto, 2);
  ASSERT_TRUE(target.ok());
  const auto compiled = CompileModule(**module, *target, {.debug = {.run_passes = false}});
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  const ScopedFloatEnvironment environment;
  HostRun run;
  std::vector<Literal> given = arguments;
  const auto result = RunOnLiterals(*compiled->entry, given, run);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const auto expected = Evaluate(**module, arguments);
  ASSERT_TRUE(expected.ok());
  EXPECT_TRUE(SameValue(*result, *expected)) << result->ToString() << " " << expected->ToString();
}

std::string Applied(std::string_view type, std::string_view body) {
  return StrCat("f { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1) ", body, " } ");
}
std::string Binary(std::string_view type, std::string_view op) {
  return Applied(type, StrCat("ROOT r = ", type, "[] ", op, "(a, b)"));
}

struct Geometry {
  const char *operand, *indices, *updates, *attrs;
};

constexpr Geometry kGeometries[] = {
    // Single elements, as many as a block has and one more.
    {"[7]", "[257,1]", "[257]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    {"[7]", "[256]", "[256]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    // Rows; a scalar for an index; no dimension of vectors.
    {"[7,5]", "[9,1]", "[9,5]",
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    {"[7,5]", "[]", "[5]",
     "update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=0"},
    // Parts of rows, columns, boxes; vectors along the front.
    {"[7,5]", "[2,9]", "[9,2,3]",
     "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, "
     "index_vector_dim=0"},
    {"[7,5]", "[3,1]", "[7,3]",
     "update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "index_vector_dim=1"},
    {"[4,7,5]", "[2,3,2]", "[2,2,3,3]",
     "update_window_dims={1,3}, inserted_window_dims={1}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=2"},
    // Batching dimensions, of which the operand's is the shorter one once.
    {"[3,7]", "[3,4,1]", "[3,4]",
     "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2"},
    {"[2,7]", "[3,4,1]", "[3,4]",
     "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2"},
    {"[3,7]", "[4,1,6]", "[4,6]",
     "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={2}, index_vector_dim=1"},
    {"[7,4,2]", "[5,1,4]", "[2,5,4]",
     "update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "input_batching_dims={1}, scatter_indices_batching_dims={2}, index_vector_dim=1"},
    // Nothing to do, and nowhere to do it.
    {"[7]", "[0,1]", "[0]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    {"[0,5]", "[3,1]", "[3,5]",
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    {"[7,5]", "[3,0]", "[3,7,5]",
     "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
     "index_vector_dim=1"},
};

std::string Scatter(const std::string& applied, std::string_view type, const Geometry& geometry,
                    std::string_view index_type = "s32") {
  return StrCat(applied, "ENTRY e { x = ", type, geometry.operand, " parameter(0) i = ", index_type,
                geometry.indices, " parameter(1) u = ", type, geometry.updates,
                " parameter(2) ROOT r = ", type, geometry.operand, " scatter(x, i, u), ",
                geometry.attrs, ", to_apply=f }");
}

TEST(ScatterStep, WindowsOfEveryKind) {
  for (const Geometry& geometry : kGeometries) {
    for (unsigned seed = 1; seed < 4; ++seed) {
      ExpectScattered(Scatter(Binary("f32", "add"), "f32", geometry), seed);
      ExpectScattered(Scatter(Binary("f32", "subtract"), "f32", geometry), seed);
      ExpectScattered(Scatter(Applied("f32", "ROOT r = f32[] copy(b)"), "f32", geometry), seed);
    }
  }
}

TEST(ScatterStep, KnownComputationsOnEveryType) {
  const Geometry &single = kGeometries[0], &rows = kGeometries[2];
  for (const std::string type : {"f32", "f64", "bf16", "f16", "f8e5m2", "s8", "u8", "s16", "u16",
                                 "s32", "u32", "s64", "u64", "s4", "u2"}) {
    for (const char* op : {"add", "multiply", "minimum", "maximum"}) {
      ExpectScattered(Scatter(Binary(type, op), type, single));
      ExpectScattered(Scatter(Binary(type, op), type, rows));
    }
    ExpectScattered(Scatter(Applied(type, StrCat("ROOT r = ", type, "[] copy(b)")), type, rows));
  }
  for (const std::string type : {"pred", "s32", "u8", "u4"}) {
    for (const char* op : {"and", "or", "xor"}) {
      ExpectScattered(Scatter(Binary(type, op), type, single));
    }
  }
  for (const std::string type : {"c64", "c128"}) {
    for (const char* op : {"add", "multiply"}) {
      ExpectScattered(Scatter(Binary(type, op), type, rows));
    }
    ExpectScattered(Scatter(Applied(type, StrCat("ROOT r = ", type, "[] copy(b)")), type, rows));
    ExpectScattered(Scatter(Applied(type, StrCat("ROOT r = ", type, "[] copy(a)")), type, rows));
  }
}

TEST(ScatterStep, IndicesOfEveryType) {
  for (const char* type : {"s4", "s8", "u8", "s16", "u16", "u32", "s64", "u64"}) {
    ExpectScattered(Scatter(Binary("s32", "add"), "s32", kGeometries[0], type));
    ExpectScattered(Scatter(Binary("s32", "add"), "s32", kGeometries[4], type));
  }
}

TEST(ScatterStep, SeveralOperands) {
  for (const char* result : {"tuple(s, t)", "tuple(s, d)", "tuple(b, t)"}) {
    ExpectScattered(
        StrCat("f { a = f32[] parameter(0) c = s32[] parameter(1) b = f32[] parameter(2) "
               "d = s32[] parameter(3) s = f32[] add(a, b) p = pred[] compare(a, b), direction=LT "
               "t = s32[] select(p, c, d) ROOT r = (f32[], s32[]) ",
               result,
               " } ENTRY e { x = f32[7,5] parameter(0) y = s32[7,5] parameter(1) "
               "i = s32[9,1] parameter(2) u = f32[9,5] parameter(3) v = s32[9,5] parameter(4) "
               "ROOT r = (f32[7,5], s32[7,5]) scatter(x, y, i, u, v), update_window_dims={1}, "
               "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
               "to_apply=f }"));
  }
}

TEST(ScatterStep, AnOperandWithoutElementsTakesNone) {
  ExpectScattered(
      StrCat(Binary("f32", "add"),
             "ENTRY e { p = f32[0,4000] parameter(0) i = s32[3,0] parameter(1) u = f32[3,4000] "
             "parameter(2) ROOT r = f32[0,4000] scatter(p, i, u), update_window_dims={1}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={}, index_vector_dim=1, "
             "to_apply=f }"));
}

TEST(ScatterStep, ACancelledScatterStops) {
  constexpr i64 kUpdates = i64{1} << 20;
  const Shape indices(S32, {kUpdates, 1}), updates(F32, {kUpdates});
  auto module = Parse(Scatter(Binary("f32", "add"), "f32",
                              {"[7]", "[1048576,1]", "[1048576]", kGeometries[0].attrs}));
  ASSERT_TRUE(module.ok());
  const auto lanes = CompileScalarComputation(*(*module)->entry()->root()->callee(0));
  const auto plan = PlanScatter(*(*module)->entry()->root(), *lanes);
  Literal x{Shape(F32, {7})}, i{indices}, u{updates};
  void* buffers[] = {x.mutable_bytes(), i.mutable_bytes(), u.mutable_bytes(), x.mutable_bytes()};
  RunContext run;
  run.stopped = [](const RunContext*) { return true; };
  EXPECT_EQ(RunScatter(&run, plan.get(), buffers, 0, 1), kKernelStopped);
  run.stopped = [](const RunContext*) { return false; };
  EXPECT_EQ(RunScatter(&run, plan.get(), buffers, 0, 1), kKernelOk);
}

// Each tile applies the updates of its part of the result, and no others: any split of the tiles,
// in any order, gives what all of them give at once.
TEST(ScatterStep, TilesAreAnyPartsOfTheResult) {
  struct Case {
    std::string_view type, op;
    i64 row;
  };
  for (const Case& c :
       {Case{"f32", "add(a, b)", 8}, Case{"f32", "add(a, b)", 11}, Case{"f64", "multiply(a, b)", 4},
        Case{"s16", "copy(b)", 16}, Case{"u32", "maximum(a, b)", 16}}) {
    const std::string text =
        StrCat(Applied(c.type, StrCat("ROOT r = ", c.type, "[] ", c.op)), "ENTRY e { x = ", c.type,
               "[7,", c.row, "] parameter(0) i = s32[999,1] parameter(1) u = ", c.type, "[999,",
               c.row, "] parameter(2) ROOT s = ", c.type, "[7,", c.row,
               "] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
               "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }");
    SCOPED_TRACE(text);
    auto module = Parse(text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const Instruction& scatter = *(*module)->entry()->root();
    const auto lanes = CompileScalarComputation(*scatter.callee(0));
    ASSERT_TRUE(lanes.has_value());
    const auto plan = PlanScatter(scatter, *lanes);
    ASSERT_NE(plan, nullptr);
    ASSERT_EQ(plan->num_tiles, 7);
    std::mt19937 generator(3);
    std::vector<Literal> arguments;
    for (const Instruction* parameter : (*module)->entry()->parameters()) {
      arguments.push_back(Random(parameter->shape().WithoutLayout(), generator));
    }
    const auto expected = Evaluate(**module, arguments);
    ASSERT_TRUE(expected.ok());
    const ScopedFloatEnvironment environment;
    const RunContext run{[](const RunContext*) { return false; }};
    for (const std::vector<i64>& ends :
         {std::vector<i64>{7}, {3, 7}, {1, 2, 3, 4, 5, 6, 7}, {6, 7}}) {
      Literal result{scatter.shape().WithoutLayout()};
      void* buffers[4];
      for (size_t k = 0; k < 3; ++k) buffers[k] = const_cast<std::byte*>(arguments[k].bytes());
      buffers[3] = result.mutable_bytes();
      for (size_t k = ends.size(); k-- > 0;) {
        EXPECT_EQ(RunScatter(&run, plan.get(), buffers, k == 0 ? 0 : ends[k - 1], ends[k]),
                  kKernelOk);
      }
      EXPECT_TRUE(SameValue(result, *expected)) << result.ToString() << expected->ToString();
    }
  }
}

}  // namespace
}  // namespace axle

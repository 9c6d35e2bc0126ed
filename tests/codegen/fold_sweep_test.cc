// Loops with folds against the interpreter, bit for bit: rows and columns of every length around
// those where kernels take other paths, on AVX2 and AVX-512 code, without and with optimisation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <tuple>

#include "axle/client/client.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// ISA, codegen level, rows.
using Parameter = std::tuple<NativeIsa, int, i64>;

class FoldSweepTest : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
#if defined(__x86_64__)
    if (std::get<0>(GetParam()) == NativeIsa::kAvx512 && !__builtin_cpu_supports("avx512dq")) {
      GTEST_SKIP() << "this machine has no AVX-512";
    }
#endif
  }

  // `text` has the sizes of its parameters x: f32[rows, columns], y: f32[rows], z: f32[columns].
  static void ExpectSame(const std::string& text, i64 columns) {
    const auto& [isa, level, rows] = GetParam();
    const auto client = Client::Create();
    ASSERT_TRUE(client.ok());
    const std::vector<Literal> arguments = {Numbers({rows, columns}), Numbers({rows}),
                                            Numbers({columns})};
    std::vector<Literal> results;
    for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
      const auto executable =
          (*client)->Compile(text, {.engine = engine, .isa = isa, .codegen_level = level});
      ASSERT_TRUE(executable.ok()) << executable.status().message();
      auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().message();
      results.push_back(*std::move(result));
    }
    const auto difference = FirstDifference(results[0], results[1]);
    EXPECT_FALSE(difference) << rows << " x " << columns << ": " << difference->ToString();
  }

 private:
  // Numbers of all sizes; some columns are zeros of both signs, some rows have a NaN or an
  // infinity.
  static Literal Numbers(const Dims& dims) {
    Literal literal{Shape(F32, dims)};
    const std::span<float> data = literal.mutable_data<float>();
    const i64 columns = dims.back();
    std::uint32_t state = 1;
    for (size_t i = 0; i < data.size(); ++i) {
      state = state * 1664525 + 1013904223;
      const i64 column = static_cast<i64>(i) % columns;
      const float sign = (state & 0x80000000) != 0 ? -1.0F : 1.0F;
      data[i] = std::ldexp(static_cast<float>(static_cast<std::int32_t>(state)),
                           -31 + static_cast<int>(state >> 8) % 6);
      if (column % 11 == 3) data[i] = sign * 0.0F;
      if (static_cast<i64>(i) / columns % 4 != 2) continue;
      if (column % 13 == 5) data[i] = sign * INFINITY;
      if (column % 17 == 6) data[i] = sign * NAN;
    }
    return literal;
  }
};

std::string Computation(std::string_view name, std::string_view type, std::string_view op) {
  return StrCat(name, " { a = ", type, "[] parameter(0) b = ", type,
                "[] parameter(1) ROOT r = ", type, "[] ", op, "(a, b) }\n");
}

// Sums, extremes and products of x in three types, along dimension 1 - `kept`, beside a result of
// all of x times one of y.
std::string Folds(i64 rows, i64 columns, int kept) {
  const std::string all = StrCat("[", rows, ",", columns, "]");
  const std::string size = StrCat("[", kept == 0 ? rows : columns, "]");
  std::string text =
      StrCat(Computation("sum", "f32", "add"), Computation("top", "f32", "maximum"),
             Computation("low", "f64", "minimum"), Computation("narrow", "bf16", "add"),
             Computation("whole", "s32", "multiply"), "ENTRY e {\n  x = f32", all,
             " parameter(0)\n  y = f32[", rows, "] parameter(1)\n  z = f32[", columns,
             "] parameter(2)\n  yb = f32", all, " broadcast(y), dimensions={0}\n  zb = f32", all,
             " broadcast(z), dimensions={1}\n  p = f32", all, " multiply(x, yb)\n  q = f32", all,
             " add(p, zb)\n  e = f32", all, " exponential(x)\n  d = f64", all,
             " convert(x)\n  n = bf16", all, " convert(x)\n  i = s32", all, " convert(p)\n");
  std::string results, shapes;
  const auto fold = [&](std::string_view name, std::string_view operand, std::string_view type,
                        std::string_view reducer, std::string_view init) {
    StrAppend(text, "  i", name, " = ", type, "[] constant(", init, ")\n  r", name, " = ", type,
              size, " reduce(", operand, ", i", name, "), dimensions={", 1 - kept,
              "}, to_apply=", reducer, "\n");
    StrAppend(results, ", r", name);
    StrAppend(shapes, ", ", type, size);
  };
  fold("0", "x", "f32", "sum", "-1.5");
  fold("1", "x", "f32", "top", "-inf");
  fold("2", "q", "f32", "top", "-inf");
  fold("3", "d", "f64", "low", "inf");
  fold("4", "n", "bf16", "narrow", "0");
  fold("5", "i", "s32", "whole", "1");
  fold("6", "e", "f32", "sum", "0");
  StrAppend(text, "  ROOT r = (f32", all, shapes, ") tuple(q", results, ")\n}\n");
  return text;
}

TEST_P(FoldSweepTest, RowsAndColumnsOfAnyLength) {
  for (const i64 columns : {1, 3, 16, 17, 63, 64, 65, 127, 200, 1030}) {
    const i64 rows = std::get<2>(GetParam());
    ExpectSame(Folds(rows, columns, 0), columns);
    ExpectSame(Folds(rows, columns, 1), columns);
  }
}

std::string NameOf(const testing::TestParamInfo<Parameter>& info) {
  const auto& [isa, level, rows] = info.param;
  return StrCat(isa == NativeIsa::kAvx512 ? "avx512" : "avx2", "_level", level, "_rows", rows);
}

INSTANTIATE_TEST_SUITE_P(Targets, FoldSweepTest,
                         testing::Combine(testing::Values(NativeIsa::kAvx2, NativeIsa::kAvx512),
                                          testing::Values(0, 1),
                                          testing::Values<i64>(1, 2, 7, 8, 19)),
                         NameOf);

}  // namespace
}  // namespace axle

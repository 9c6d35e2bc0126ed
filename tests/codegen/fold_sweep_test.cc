// Loops with folds against the interpreter, bit for bit: rows and columns of every length around
// those where kernels take other paths, on code of all instruction sets, without and with
// optimisation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <tuple>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "tests/codegen/isas.h"

namespace axle {
namespace {

// ISA, codegen level, rows.
using Parameter = std::tuple<NativeIsa, int, i64>;

class FoldSweepTest : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override { AXLE_SKIP_UNLESS_IT_RUNS(std::get<0>(GetParam())); }

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

// A reduction of something made of x, y and z.
struct Reduction {
  std::string_view type, op, init;
  std::string_view operand;  // the name of a line below
};

// Those reductions in one program, so in one loop, along dimension 1 - `kept`; and the last
// operand, if it is to be stored too.
std::string Folds(i64 rows, i64 columns, int kept, const std::vector<Reduction>& reductions,
                  bool stored) {
  const std::string all = StrCat("[", rows, ",", columns, "]");
  const std::string size = StrCat("[", kept == 0 ? rows : columns, "]");
  std::string computations, results, shapes;
  std::string text = StrCat(
      "ENTRY e {\n  x = f32", all, " parameter(0)\n  y = f32[", rows, "] parameter(1)\n  z = f32[",
      columns, "] parameter(2)\n  yb = f32", all, " broadcast(y), dimensions={0}\n  zb = f32", all,
      " broadcast(z), dimensions={1}\n  p = f32", all, " multiply(x, yb)\n  q = f32", all,
      " add(p, zb)\n  e = f32", all, " exponential(x)\n  d = f64", all, " convert(x)\n  n = bf16",
      all, " convert(x)\n  i = s32", all, " convert(p)\n  j = s32", all, " not(i)\n");
  for (const auto& [type, op, init, operand] : reductions) {
    const std::string id = StrCat(op, "_", operand);
    StrAppend(computations, Computation(StrCat("f_", id), type, op));
    StrAppend(text, "  i_", id, " = ", type, "[] constant(", init, ")\n  r_", id, " = ", type, size,
              " reduce(", operand, ", i_", id, "), dimensions={", 1 - kept, "}, to_apply=f_", id,
              "\n");
    StrAppend(results, results.empty() ? "" : ", ", "r_", id);
    StrAppend(shapes, shapes.empty() ? "" : ", ", type, size);
  }
  if (stored) {
    StrAppend(results, ", ", reductions.back().operand);
    StrAppend(shapes, ", ", reductions.back().type, all);
  }
  return StrCat(computations, text, "  ROOT r = (", shapes, ") tuple(", results, ")\n}\n");
}

TEST_P(FoldSweepTest, RowsAndColumnsOfAnyLength) {
  const std::vector<Reduction> all = {
      {"f32", "add", "-1.5", "x"},    {"f32", "maximum", "-inf", "x"},
      {"f64", "minimum", "inf", "d"}, {"f32", "add", "0", "e"},
      {"bf16", "add", "0", "n"},      {"s32", "multiply", "1", "i"},
      {"f32", "maximum", "-inf", "q"}};
  const std::vector<Reduction> sum = {all[0]}, most = {all[1]}, least = {all[2]}, narrow = {all[4]};
  const i64 rows = std::get<2>(GetParam());
  for (const i64 columns : {1, 3, 17, 64, 127, 200, 1030}) {
    for (const int kept : {0, 1}) {
      for (const auto* some : {&all, &sum, &most, &least, &narrow}) {
        ExpectSame(Folds(rows, columns, kept, *some, /*stored=*/some->size() > 1), columns);
      }
      ExpectSame(Folds(rows, columns, kept, {{"f32", "add", "1", "p"}}, /*stored=*/true), columns);
    }
  }
}

// A fold starts from its init where that makes no difference to the bits.
TEST_P(FoldSweepTest, InitsOfAllKinds) {
  const i64 rows = std::get<2>(GetParam());
  const std::vector<Reduction> floats = {
      {"f32", "add", "0", "x"},       {"f32", "add", "-0", "q"},
      {"f32", "multiply", "1", "x"},  {"f32", "minimum", "inf", "x"},
      {"f32", "maximum", "nan", "q"}, {"f32", "maximum", "-2.5", "x"},
      {"f32", "minimum", "0", "q"},   {"f32", "multiply", "2", "q"}};
  const std::vector<Reduction> doubles = {{"f64", "add", "0", "d"},
                                          {"f64", "maximum", "-inf", "d"},
                                          {"f64", "minimum", "nan", "d"},
                                          {"f64", "multiply", "1", "d"}};
  const std::vector<Reduction> integers = {{"s32", "add", "0", "i"},
                                           {"s32", "minimum", "7", "i"},
                                           {"s32", "maximum", "-2147483648", "i"},
                                           {"s32", "and", "-1", "i"},
                                           {"s32", "or", "5", "i"},
                                           {"s32", "xor", "0", "j"},
                                           {"s32", "xor", "5", "i"}};
  for (const i64 columns : {5, 33, 700}) {
    for (const int kept : {0, 1}) {
      for (const auto* some : {&floats, &doubles, &integers}) {
        ExpectSame(Folds(rows, columns, kept, *some, /*stored=*/false), columns);
      }
    }
  }
}

// Every element is -0, or one of them is a NaN.
TEST_P(FoldSweepTest, ZerosAndSingleNans) {
  const auto& [isa, level, rows] = GetParam();
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  for (const i64 columns : {16, 47, 129}) {
    for (const std::string_view init : {"0", "-0"}) {
      for (const int kept : {0, 1}) {
        std::vector<Reduction> reductions;
        for (const char* op : {"add", "maximum", "minimum"})
          reductions.push_back({"f32", op, init, "x"});
        const std::string text = Folds(rows, columns, kept, reductions, /*stored=*/false);
        std::vector<std::shared_ptr<Executable>> executables;
        for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
          auto made =
              (*client)->Compile(text, {.engine = engine, .isa = isa, .codegen_level = level});
          ASSERT_TRUE(made.ok()) << made.status().message();
          executables.push_back(*std::move(made));
        }
        const Literal y{Shape(F32, {rows})}, z{Shape(F32, {columns})};
        for (i64 nan = -1; nan < columns; nan += 1 + columns / 50) {
          Literal x{Shape(F32, {rows, columns})};
          std::ranges::fill(x.mutable_data<float>(), -0.0F);
          if (nan >= 0) x.mutable_data<float>()[static_cast<size_t>(nan)] = NAN;
          const std::vector<Literal> arguments = {x, y, z};
          const auto expected = executables[0]->Execute(arguments);
          const auto actual = executables[1]->Execute(arguments);
          ASSERT_TRUE(expected.ok() && actual.ok());
          const auto difference = FirstDifference(*expected, *actual);
          EXPECT_FALSE(difference) << columns << ", " << nan << ": " << difference->ToString();
        }
      }
    }
  }
}

std::string NameOf(const testing::TestParamInfo<Parameter>& info) {
  const auto& [isa, level, rows] = info.param;
  return StrCat(Name(isa), "_level", level, "_rows", rows);
}

INSTANTIATE_TEST_SUITE_P(
    Targets, FoldSweepTest,
    testing::Combine(testing::Values(NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512),
                     testing::Values(0, 1), testing::Values<i64>(1, 2, 7, 8, 19)),
    NameOf);
// An emulator takes its time.
INSTANTIATE_TEST_SUITE_P(Emulated, FoldSweepTest,
                         testing::Combine(testing::Values(NativeIsa::kAarch64), testing::Values(1),
                                          testing::Values<i64>(7)),
                         NameOf);

}  // namespace
}  // namespace axle

// Whole classes of programs around three bugs of LLVM (llvm_workarounds.h) give the interpreter's
// bits: products of narrow integers that are shifted and truncated (narrow_mul_trunc.ll,
// narrow_mul_lshr.ll), absolute differences of i64 (abds_of_unsigned.ll), and maxima of truncated
// scalars (umax_of_truncation.ll). The other bugs have programs in tests/data/found and kernels in
// random_kernels/found_kernels_test.cc.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "tests/codegen/isas.h"

namespace axle {
namespace {

// How x and y of a narrow type are extended to a and b of a wide one.
struct Sides {
  std::string_view name;
  std::string (*text)(std::string_view narrow, std::string_view wide);
};

constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"x", "a"}, {"y", "b"}};

std::string Splat(std::string_view name, std::string_view type, int number) {
  return StrCat("  ", name, "0 = ", type, "[] constant(", number, ")\n  ", name, " = ", type,
                "[37] broadcast(", name, "0), dimensions={}\n");
}

std::string Converted(std::string_view, std::string_view wide) {
  return StrCat("  a = ", wide, "[37] convert(x)\n  b = ", wide, "[37] convert(y)\n");
}

// By shifts left and right: the factors are no extensions.
std::string Shifted(std::string_view, std::string_view wide) {
  std::string text = Splat("places", wide, wide.substr(1) == "64" ? 48 : 16);
  for (const auto& [from, to] : kNames) {
    StrAppend(text, "  ", from, "w = ", wide, "[37] convert(", from, ")\n  ", from, "l = ", wide,
              "[37] shift-left(", from, "w, places)\n  ", to, " = ", wide,
              "[37] shift-right-arithmetic(", from, "l, places)\n");
  }
  return text;
}

constexpr Sides kSides[] = {{"converted", Converted}, {"shifted", Shifted}};

std::string ProductsOf(const Sides& sides, std::string_view narrow, std::string_view wide) {
  const std::string wides = StrCat(wide, "[37] ");
  std::string text = StrCat("ENTRY e {\n  x = ", narrow, "[37] parameter(0)\n  y = ", narrow,
                            "[37] parameter(1)\n", sides.text(narrow, wide), "  m = ", wides,
                            "multiply(a, b)\n  h = ", wides, "mulhi(a, b)\n");
  // Products that only truncations read, and those truncations.
  std::vector<std::string_view> products = {"m", "w16"};
  if (wide.substr(1) == "64") products.push_back("w32");
  for (const std::string_view width : {"32", "16"}) {
    StrAppend(text, "  m", width, " = ", wides, "multiply(a, b)\n  t", width, " = s", width,
              "[37] convert(m", width, ")\n  w", width, " = ", wides, "convert(t", width, ")\n");
  }
  std::string results, shapes;
  int count = 0;
  const auto add_narrowed = [&](std::string_view value) {
    const auto add = [&](std::string_view to, std::string_view of) {
      StrAppend(text, "  n", count, " = ", to, "[37] convert(", of, ")\n");
      StrAppend(results, count == 0 ? "" : ", ", "n", count);
      StrAppend(shapes, count == 0 ? "" : ", ", to, "[37]");
      return StrCat("n", count++);
    };
    for (const std::string_view to : {"u16", "s16", "s32", "s64"}) add(to, value);
    for (const std::string_view to : {"s8", "u8"}) add("u16", add(to, value));
  };
  add_narrowed("h");
  for (const int shift : {1, 8, 15, 16, 17, 24, 31, 32, 40, 47, 48, 63}) {
    StrAppend(text, Splat(StrCat("k", shift), wide, shift));
    for (const std::string_view kind : {"logical", "arithmetic"}) {
      for (const std::string_view product : products) {
        if (product != "m" && shift != 8 && shift != 17 && shift != 24) continue;
        const std::string shifted = StrCat(kind, shift, "_", product);
        StrAppend(text, "  ", shifted, " = ", wides, "shift-right-", kind, "(", product, ", k",
                  shift, ")\n");
        add_narrowed(shifted);
      }
    }
  }
  return StrCat(text, "  ROOT r = (", shapes, ") tuple(", results, ")\n}\n");
}

// At all levels. `is_small`: compiled as one function of few elements, wherever that is possible.
void ExpectTheInterpretersBits(const std::string& text, NativeIsa isa,
                               const std::vector<Literal>& arguments, bool is_small = false) {
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok()) << client.status().message();
  const auto run = [&](const CompileOptions& options) -> StatusOr<Literal> {
    AXLE_ASSIGN(const auto executable, (*client)->Compile(text, options));
    return executable->Execute(arguments);
  };
  const auto expected = run({.engine = EngineKind::kInterpret});
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const int level : {0, 1, 2}) {
    const auto actual = run({.engine = EngineKind::kNative,
                             .isa = isa,
                             .codegen_level = level,
                             .debug = {.small_wherever_possible = is_small}});
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_TRUE(SameValue(*expected, *actual)) << "level " << level;
  }
}

// Narrow type, wide type, instruction set.
using Parameter = std::tuple<Sides, std::string_view, std::string_view, NativeIsa>;

class NarrowProducts : public testing::TestWithParam<Parameter> {};

TEST_P(NarrowProducts, AreShiftedAndNarrowed) {
  const auto& [sides, narrow, wide, isa] = GetParam();
  AXLE_SKIP_UNLESS_IT_RUNS(isa);
  std::vector<Literal> arguments;
  const int step = narrow.substr(1) == "8" ? 3 : 883;
  for (const int seed : {3, 11}) {
    std::string numbers = "0";
    for (int i = 1; i < 37; ++i) {
      const bool is_negative = narrow[0] == 's' && i * seed % 2 == 1;
      StrAppend(numbers, ", ", is_negative ? "-" : "", i * step + seed);
    }
    arguments.push_back(*ParseLiteral(StrCat(narrow, "[37] {", numbers, "}")));
  }
  ExpectTheInterpretersBits(ProductsOf(sides, narrow, wide), isa, arguments);
}

std::string NameOf(const testing::TestParamInfo<Parameter>& info) {
  const auto& [sides, narrow, wide, isa] = info.param;
  return StrCat(sides.name, "_", narrow, "_in_", wide, "_", Name(isa));
}

INSTANTIATE_TEST_SUITE_P(LlvmWorkarounds, NarrowProducts,
                         testing::Combine(testing::ValuesIn(kSides),
                                          testing::Values("s8", "u8", "s16", "u16"),
                                          testing::Values("s32", "u32", "s64", "u64"),
                                          testing::Values(NativeIsa::kAvx2, NativeIsa::kAvx512)),
                         NameOf);

// Absolute differences of an i64 whose upper bits are all set, as LLVM finds out early or late, and
// another i64.
std::string DifferencesOf(std::string_view type, int size) {
  const std::string dims = StrCat("[", size, "] "), wides = StrCat(type, dims);
  std::string text = StrCat("ENTRY e {\n  p = u32", dims, "parameter(0)\n  q = ", wides,
                            "parameter(1)\n  pw = ", wides, "convert(p)\n");
  for (const int number : {0, 8, 56}) {
    StrAppend(text, "  k", number, "0 = ", type, "[] constant(", number, ")\n  k", number, " = ",
              wides, "broadcast(k", number, "0), dimensions={}\n");
  }
  // -1 for every q; not less than 2^63 for every p; 0 for every q.
  StrAppend(text, "  few = ", wides, "shift-right-logical(q, k8)\n  none = ", wides,
            "shift-right-logical(few, k56)\n  ones = ", wides, "not(none)\n  large = ", wides,
            "not(pw)\n");
  std::string results, shapes;
  int count = 0;
  for (const auto& [x, y] : {std::pair("ones", "q"), std::pair("q", "ones"), std::pair("q", "none"),
                             std::pair("large", "pw"), std::pair("pw", "large")}) {
    const std::string n = StrCat(count++);
    const std::string operands = StrCat("(", x, ", ", y, ")\n");
    StrAppend(text, "  most", n, " = ", wides, "maximum", operands, "  least", n, " = ", wides,
              "minimum", operands, "  down", n, " = ", wides, "subtract", operands, "  up", n,
              " = ", wides, "subtract(", y, ", ", x, ")\n  span", n, " = ", wides, "subtract(most",
              n, ", least", n, ")\n");
    StrAppend(results, count == 1 ? "" : ", ", "span", n);
    StrAppend(shapes, count == 1 ? "" : ", ", wides);
    for (const std::string_view direction : {"GT", "GE", "LT", "LE"}) {
      StrAppend(text, "  is", n, direction, " = pred", dims, "compare(", x, ", ", y,
                "), direction=", direction, "\n  by", n, direction, " = ", wides, "select(is", n,
                direction, direction[0] == 'G' ? ", down" : ", up", n,
                direction[0] == 'G' ? ", up" : ", down", n, ")\n");
      StrAppend(results, ", by", n, direction);
      StrAppend(shapes, ", ", wides);
    }
  }
  return StrCat(text, "  ROOT r = (", shapes, ") tuple(", results, ")\n}\n");
}

class AbsoluteDifferences
    : public testing::TestWithParam<std::tuple<std::string_view, int, NativeIsa>> {};

TEST_P(AbsoluteDifferences, AreUnsigned) {
  const auto& [type, size, isa] = GetParam();
  AXLE_SKIP_UNLESS_IT_RUNS(isa);
  std::string p = "7", q = "100";
  for (int i = 1; i < size; ++i) {
    StrAppend(p, ", ", i * 65'537);
    StrAppend(q, ", ", type[0] == 's' && i % 2 == 1 ? "-" : "", i * 4'294'967'299LL);
  }
  for (const bool is_small : {false, true}) {
    ExpectTheInterpretersBits(DifferencesOf(type, size), isa,
                              {*ParseLiteral(StrCat("u32[", size, "] {", p, "}")),
                               *ParseLiteral(StrCat(type, "[", size, "] {", q, "}"))},
                              is_small);
  }
}

INSTANTIATE_TEST_SUITE_P(
    LlvmWorkarounds, AbsoluteDifferences,
    testing::Combine(testing::Values("s64", "u64"), testing::Values(1, 3, 4, 37),
                     testing::Values(NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512)),
    [](const auto& info) {
      return StrCat(std::get<0>(info.param), "_", std::get<1>(info.param), "_",
                    Name(std::get<2>(info.param)));
    });

// t > 1 ? p : 1 where t is a truncation of p. The 1 is known late, because constants are loaded in
// such functions.
class Truncations : public testing::TestWithParam<std::tuple<std::string_view, NativeIsa>> {};

TEST_P(Truncations, AreNotTakenForTheWhole) {
  const auto& [narrow, isa] = GetParam();
  AXLE_SKIP_UNLESS_IT_RUNS(isa);
  std::string text = StrCat("ENTRY e {\n  p = u64[] parameter(0)\n");
  for (const std::string_view number : {"8", "56", "63"}) {
    StrAppend(text, "  k", number, " = u64[] constant(", number, ")\n");
  }
  StrAppend(text,
            "  few = u64[] shift-right-logical(p, k8)\n"
            "  none = u64[] shift-right-logical(few, k56)\n  ones = u64[] not(none)\n"
            "  one = u64[] shift-right-logical(ones, k63)\n  t = ",
            narrow, "[] convert(p)\n  u = ", narrow, "[] convert(one)\n",
            "  back = u64[] convert(t)\n");
  std::string results, shapes;
  for (const std::string_view direction : {"GT", "GE", "LT", "LE"}) {
    const bool is_greater = direction[0] == 'G';
    StrAppend(text, "  c", direction, " = pred[] compare(", is_greater ? "t, u" : "u, t",
              "), direction=", direction, "\n  r", direction, " = u64[] select(c", direction,
              ", p, one)\n  d", direction, " = pred[] compare(",
              is_greater ? "back, one" : "one, back", "), direction=", direction, "\n  s",
              direction, " = u64[] select(d", direction, ", p, one)\n");
    StrAppend(results, results.empty() ? "" : ", ", "r", direction, ", s", direction);
    StrAppend(shapes, shapes.empty() ? "" : ", ", "u64[], u64[]");
  }
  StrAppend(text, "  ROOT r = (", shapes, ") tuple(", results, ")\n}\n");
  for (const std::string_view p : {"4294967296", "4294967297", "0", "1", "2", "4294967298"}) {
    ExpectTheInterpretersBits(text, isa, {*ParseLiteral(StrCat("u64[] ", p))}, true);
  }
}

INSTANTIATE_TEST_SUITE_P(LlvmWorkarounds, Truncations,
                         testing::Combine(testing::Values("u8", "u16", "u32"),
                                          testing::Values(NativeIsa::kV2, NativeIsa::kAvx2,
                                                          NativeIsa::kAvx512)),
                         [](const auto& info) {
                           return StrCat(std::get<0>(info.param), "_",
                                         Name(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace axle

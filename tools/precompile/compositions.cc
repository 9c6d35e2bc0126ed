// What a kernel depends on decides which programs there are. The sizes of rows are no part of it,
// but how far ahead a loop fetches is, and whether it fetches at all (schedule/row_regions.cc): so
// there are rows of several lengths, and few and many of them. A constant operand is an operand
// like any other, unless the loop is one for each number.
#include "tools/precompile/compositions.h"

#include <string_view>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::string_view kFloats[] = {"f32", "f64", "bf16", "f16"};
constexpr std::string_view kIntegers[] = {"s32", "u32", "s64"};

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (size_t at; (at = text.find(from)) != text.npos; text.remove_prefix(at + from.size())) {
    result += StrCat(text.substr(0, at), to);
  }
  return result + std::string(text);
}

// Sorts in ascending order, of contiguous lines and of others: equal zeros and equal NaNs, NaNs
// last, as jnp.sort and jnp.argsort compare floats. `payload` is the type of a second array, or
// empty. The constants are at the beginning in bytecode, and where they are used in text.
std::vector<std::string> Sorts(std::string_view type, bool is_float, std::string_view payload,
                               bool has_constants_first) {
  std::string compare =
      StrCat("  a = @[] parameter(0)\n  b = @[] parameter(1)\n",
             payload.empty() ? "" : "  c = #[] parameter(2)\n  d = #[] parameter(3)\n");
  if (is_float) {
    const std::string_view zero = "  zero = @[] constant(0)\n", nan = "  nan = @[] constant(nan)\n";
    compare += StrCat(zero, has_constants_first ? nan : "");
    for (const char* side : {"a", "b"}) {
      const bool is_first = side == std::string_view("a");
      compare += Replaced(StrCat("  %_is_zero = pred[] compare(%, zero), direction=EQ\n"
                                 "  %_one_zero = @[] select(%_is_zero, zero, %)\n"
                                 "  %_is_nan = pred[] compare(%, %), direction=NE\n",
                                 is_first && !has_constants_first ? nan : "",
                                 "  %_key = @[] select(%_is_nan, nan, %_one_zero)\n"),
                          "%", side);
    }
  }
  compare += is_float
                 ? "  ROOT less = pred[] compare(a_key, b_key), direction=LT, type=TOTALORDER\n"
                 : "  ROOT less = pred[] compare(a, b), direction=LT\n";
  std::vector<std::string> texts;
  for (const bool along_rows : {true, false}) {
    const std::string sizes = along_rows ? "[9]" : "[9,3]";
    const std::string entry =
        payload.empty()
            ? StrCat("  x = @", sizes, " parameter(0)\n  ROOT r = @", sizes, " sort(x)")
            : StrCat("  x = @", sizes, " parameter(0)\n  y = #", sizes,
                     " parameter(1)\n  ROOT r = (@", sizes, ", #", sizes, ") sort(x, y)");
    const std::string text = StrCat("HloModule m\nless {\n", compare, "}\nENTRY e {\n", entry,
                                    ", dimensions={0}, is_stable=true, to_apply=less\n}\n");
    texts.push_back(Replaced(Replaced(text, "#", payload), "@", type));
  }
  return texts;
}

// N rows of M numbers, of f32. The programs of a list have `x` of them.
constexpr std::string_view kSizes[][2] = {{"8", "128"},    {"1024", "128"}, {"8192", "128"},
                                          {"1024", "768"}, {"128", "1024"}, {"1024", "1024"},
                                          {"128", "2048"}, {"1024", "2048"}};

constexpr std::string_view kScores[] = {
    "  x = f32[N,M] parameter(0)\n",
    "  y = f32[N,M] parameter(0)\n  c = f32[] constant(0.125)\n"
    "  scale = f32[N,M] broadcast(c), dimensions={}\n  x = f32[N,M] multiply(y, scale)\n",
    "  y = f32[N,M] parameter(0)\n  mask = pred[N,M] parameter(1)\n  c = f32[] constant(0.125)\n"
    "  scale = f32[N,M] broadcast(c), dimensions={}\n  z = f32[N,M] multiply(y, scale)\n"
    "  low = f32[] constant(-1e9)\n  lows = f32[N,M] broadcast(low), dimensions={}\n"
    "  x = f32[N,M] select(mask, z, lows)\n"};
constexpr std::string_view kShifted =
    "  inf = f32[] constant(-inf)\n"
    "  most = f32[N] reduce(x, inf), dimensions={1}, to_apply=maximum\n"
    "  mosts = f32[N,M] broadcast(most), dimensions={0}\n"
    "  shifted = f32[N,M] subtract(x, mosts)\n  e = f32[N,M] exponential(shifted)\n"
    "  zero = f32[] constant(0)\n  sum = f32[N] reduce(e, zero), dimensions={1}, to_apply=add\n";
constexpr std::string_view kSoftmax =
    "  sums = f32[N,M] broadcast(sum), dimensions={0}\n  ROOT r = f32[N,M] divide(e, sums)\n";
constexpr std::string_view kLogSoftmax =
    "  log = f32[N] log(sum)\n  logs = f32[N,M] broadcast(log), dimensions={0}\n"
    "  ROOT r = f32[N,M] subtract(shifted, logs)\n";
constexpr std::string_view kNorm =
    "  x = f32[N,M] parameter(0)\n  zero = f32[] constant(0)\n"
    "  n = f32[] constant(M)\n  ns = f32[N] broadcast(n), dimensions={}\n"
    "  sum = f32[N] reduce(x, zero), dimensions={1}, to_apply=add\n"
    "  mean = f32[N] divide(sum, ns)\n  means = f32[N,M] broadcast(mean), dimensions={0}\n"
    "  centered = f32[N,M] subtract(x, means)\n  square = f32[N,M] multiply(centered, centered)\n"
    "  squares = f32[N] reduce(square, zero), dimensions={1}, to_apply=add\n"
    "  variance = f32[N] divide(squares, ns)\n  small = f32[] constant(1e-05)\n"
    "  smalls = f32[N] broadcast(small), dimensions={}\n  more = f32[N] add(variance, smalls)\n"
    "  scale = f32[N] rsqrt(more)\n  scales = f32[N,M] broadcast(scale), dimensions={0}\n";
constexpr std::string_view kNormalized = "  ROOT r = f32[N,M] multiply(centered, scales)\n";
constexpr std::string_view kAffine =
    "  w = f32[M] parameter(1)\n  b = f32[M] parameter(2)\n"
    "  ws = f32[N,M] broadcast(w), dimensions={1}\n  bs = f32[N,M] broadcast(b), dimensions={1}\n"
    "  normalized = f32[N,M] multiply(centered, scales)\n  z = f32[N,M] multiply(normalized, ws)\n"
    "  ROOT r = f32[N,M] add(z, bs)\n";

std::string OfRows(std::string_view lines, std::string_view rows, std::string_view columns) {
  return StrCat(
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b)\n}\nmaximum {\n  a = f32[] parameter(0)\n"
      "  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, b)\n}\nENTRY e {\n",
      Replaced(Replaced(lines, "N", rows), "M", columns), "}\n");
}

}  // namespace

std::vector<std::string> PrecompiledCompositions() {
  std::vector<std::string> texts;
  const auto add = [&](const std::vector<std::string>& more) {
    texts.insert(texts.end(), more.begin(), more.end());
  };
  for (const char* payload : {"", "s32"}) {
    for (const std::string_view type : kFloats) {
      for (const bool has_constants_first : {true, false}) {
        add(Sorts(type, true, payload, has_constants_first));
      }
    }
    for (const std::string_view type : kIntegers) add(Sorts(type, false, payload, false));
  }
  for (const auto& [rows, columns] : kSizes) {
    for (const std::string_view scores : kScores) {
      for (const std::string_view end : {kSoftmax, kLogSoftmax}) {
        texts.push_back(OfRows(StrCat(scores, kShifted, end), rows, columns));
      }
    }
    for (const std::string_view end : {kNormalized, kAffine}) {
      texts.push_back(OfRows(StrCat(kNorm, end), rows, columns));
    }
  }
  return texts;
}

}  // namespace axle

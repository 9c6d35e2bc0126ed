// topk against a stable sort by the total order, for rows around the size of its blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The results of topk, and what the sort says of them.
std::string Program(ElementType type, i64 rows, i64 size, i64 k, bool largest) {
  const std::string scalar = Shape(type).ToString(), all = StrCat("[", rows, ",", size, "]");
  const std::string t = scalar.substr(0, scalar.size() - 2);
  const std::string v = t + all, i = "s32" + all, kept = StrCat("[", rows, ",", k, "]");
  const std::string best = StrCat("slice={[0:", rows, "], [0:", k, "]}");
  return StrCat("HloModule m\nbefore {\n  a = ", t, "[] parameter(0)\n  b = ", t,
                "[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n",
                "  ROOT r = pred[] compare(a, b), direction=", largest ? "GT" : "LT",
                IsFloating(type) ? ", type=TOTALORDER" : "", "\n}\nENTRY main {\n  x = ", v,
                " parameter(0)\n  i = ", i, " iota(), iota_dimension=1\n  s = (", v, ", ", i,
                ") sort(x, i), dimensions={1}, is_stable=true, to_apply=before\n  v = ", v,
                " get-tuple-element(s), index=0\n  w = ", i,
                " get-tuple-element(s), index=1\n  v_k = ", t, kept, " slice(v), ", best,
                "\n  w_k = s32", kept, " slice(w), ", best, "\n  sorted = (", t, kept, ", s32",
                kept, ") tuple(v_k, w_k)\n  top = (", t, kept, ", s32", kept, ") topk(x), k=", k,
                ", largest=", largest ? "true" : "false", "\n  ROOT r = ((", t, kept, ", s32", kept,
                "), (", t, kept, ", s32", kept, ")) tuple(top, sorted)\n}\n");
}

// Row 0 has few values, so that many are equal, and both zeros; row 1 grows, so that every block
// has the largest elements up to there; row 2 has numbers of all sizes, infinities and NaNs.
Literal Rows(i64 size) {
  Literal x{Shape(F32, {3, size})};
  std::mt19937 random(static_cast<std::uint32_t>(size));
  const std::span<float> data = x.mutable_data<float>();
  for (i64 k = 0; k < size; ++k) {
    const auto at = static_cast<size_t>(k), n = static_cast<size_t>(size);
    data[at] = std::copysign(static_cast<float>(random() % 4), (random() & 1) != 0 ? -1.0F : 1.0F);
    data[n + at] = static_cast<float>(k);
    data[2 * n + at] = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())),
                                  -31 + static_cast<int>(random() % 8));
    if (random() % 50 == 0) data[2 * n + at] = (random() & 1) != 0 ? INFINITY : -INFINITY;
    if (random() % 50 == 0) data[2 * n + at] = (random() & 1) != 0 ? NAN : -NAN;
  }
  return x;
}

TEST(Topk, IsTheBeginningOfAStableSort) {
  for (const ElementType type : {F32, F64, F16, BF16, F8E4M3FNUZ, S32, S64, U8, S4, U64, PRED}) {
    for (const i64 size : {1, 63, 64, 65, 130, 1000}) {
      const auto x = Convert(Rows(size), type);
      ASSERT_TRUE(x.ok()) << x.status().message();
      for (const i64 k : {i64{1}, i64{2}, i64{64}, i64{66}, size}) {
        if (k > size) continue;
        for (const bool largest : {false, true}) {
          const std::string text = Program(type, 3, size, k, largest);
          const auto module = Parse(text);
          ASSERT_TRUE(module.ok()) << module.status().ToString() << "\n" << text;
          const auto result = Evaluate(**module, std::vector<Literal>{*x});
          ASSERT_TRUE(result.ok()) << result.status().message() << "\n" << text;
          const auto difference = FirstDifference(result->element(0), result->element(1));
          EXPECT_FALSE(difference) << difference->ToString() << "\n" << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace axle

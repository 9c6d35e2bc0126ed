// Scans along rows of neighbours run in loops of their own (reduce_window.cc): they give what the
// scans along the columns of the transposed array give, which do not.
#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

Literal Mixed(const Shape& shape) {
  Literal literal{shape};
  std::uint32_t state = 12345;
  DispatchElementType(shape.type(), [&]<ElementType kType>() {
    using T = StorageOf<kType>;
    if constexpr (std::is_arithmetic_v<T>) {
      for (T& element : literal.mutable_data<T>()) {
        state = state * 1664525 + 1013904223;
        if constexpr (std::is_floating_point_v<T>) {
          const auto number = static_cast<T>(static_cast<std::int32_t>(state)) / T(1 << 30);
          element = state % 97 == 0 ? T(0) / T(state % 2) : number;  // NaN, inf and zeros too
        } else {
          element = static_cast<T>(state >> 20);
        }
      }
    }
  });
  return literal;
}

void ExpectRowsAsColumns(std::string_view type, std::string_view op, i64 rows, i64 columns,
                         bool is_reverse) {
  const std::string pads = is_reverse ? StrCat("0_", columns - 1) : StrCat(columns - 1, "_0");
  const std::string text =
      StrCat("f { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1) ROOT r = ", type,
             "[] ", op, "(a, b) } ENTRY e { x = ", type, "[", rows, ",", columns,
             "] parameter(0) i = ", type, "[] parameter(1) s = ", type, "[", rows, ",", columns,
             "] reduce-window(x, i), window={size=1x", columns, " pad=0_0x", pads,
             "}, to_apply=f t = ", type, "[", columns, ",", rows,
             "] transpose(x), dimensions={1,0} c = ", type, "[", columns, ",", rows,
             "] reduce-window(t, i), window={size=", columns, "x1 pad=", pads,
             "x0_0}, to_apply=f b = ", type, "[", rows, ",", columns,
             "] transpose(c), dimensions={1,0} ", "ROOT r = (", type, "[", rows, ",", columns,
             "], ", type, "[", rows, ",", columns, "]) tuple(s, b) }");
  SCOPED_TRACE(text);
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const Shape shape = (*module)->entry()->parameters()[0]->shape().WithoutLayout();
  const auto result =
      Evaluate(**module, std::vector<Literal>{Mixed(shape), Mixed(Shape(shape.type()))});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_TRUE(SameValue(result->element(0), result->element(1)));
}

TEST(RowScan, TypesAndReducers) {
  for (const std::string type :
       {"f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (const char* op : {"add", "multiply", "minimum", "maximum"}) {
      for (const bool is_reverse : {false, true}) ExpectRowsAsColumns(type, op, 7, 33, is_reverse);
    }
  }
  for (const std::string type : {"pred", "u16", "s32"}) {
    for (const char* op : {"and", "or", "xor"}) ExpectRowsAsColumns(type, op, 5, 9, false);
  }
  ExpectRowsAsColumns("f32", "subtract", 5, 9, false);  // no reducer that is known
}

// Around the rows that run side by side, and the pieces between two looks at the limits.
TEST(RowScan, Sizes) {
  for (const i64 rows : {2, 3, 4, 5, 15, 16, 17, 33}) {
    for (const i64 columns : {2, 3, 64}) {
      for (const bool is_reverse : {false, true}) {
        ExpectRowsAsColumns("f32", "add", rows, columns, is_reverse);
      }
    }
  }
  for (const i64 columns : {16383, 16384, 16385, 40000}) {
    for (const bool is_reverse : {false, true}) {
      ExpectRowsAsColumns("f32", "add", 6, columns, is_reverse);
    }
  }
}

}  // namespace
}  // namespace axle

// Shapes with a dimension that is too long to walk, beside one of size 0: no elements, so results
// take no time and no memory. Texts of such values cannot be rows of the case tables.
#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr std::string_view kComputations = R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
last { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
at_least { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
)";

// The shape and the elements that the entry gives on arrays of zeros, or the message of its error.
std::string ResultOf(std::string_view entry) {
  const auto module = Parse(StrCat(kComputations, "ENTRY main {", entry, "}"));
  if (!module.ok()) return module.status().message();
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.emplace_back(parameter->shape());
  }
  Limits limits;
  limits.set_memory_cap(i64{1} << 24);
  limits.set_time_limit(10);
  const auto result = Evaluate(**module, arguments, {.limits = &limits});
  if (!result.ok()) return result.status().message();
  std::string text = result->shape().ToString();
  if (result->shape().type() == F32) {
    for (float element : result->data<float>()) StrAppend(text, " ", element == 0 ? "0" : "other");
  }
  return text;
}

TEST(HugeShapes, ReduceWindow) {
  EXPECT_EQ(ResultOf(R"(x = f32[0,1099511627776] parameter(0)  i = f32[] parameter(1)
    ROOT r = reduce-window(x, i), window={size=1x1099511627776}, to_apply=sum)"),
            "f32[0,1]");
  // Results without elements to fold.
  EXPECT_EQ(ResultOf(R"(x = f32[0,1099511627776] parameter(0)  i = f32[] parameter(1)
    ROOT r = reduce-window(x, i), window={size=1x1099511627776 pad=0_2x0_0}, to_apply=sum)"),
            "f32[2,1] 0 0");
}

TEST(HugeShapes, SelectAndScatter) {
  EXPECT_EQ(ResultOf(R"(x = f32[0,1099511627776] parameter(0)  s = f32[0,1] parameter(1)
    i = f32[] parameter(2)
    ROOT r = select-and-scatter(x, s, i), window={size=1x1099511627776}, select=at_least, scatter=sum)"),
            "f32[0,1099511627776]");
}

TEST(HugeShapes, Convolution) {
  EXPECT_EQ(
      ResultOf(R"(x = f32[0,1099511627776,1] parameter(0)  k = f32[0,1099511627776,1] parameter(1)
    ROOT r = convolution(x, k), window={size=1099511627776}, dim_labels=f0b_i0o->b0f)"),
      "f32[1,1,1] 0");
}

TEST(HugeShapes, Dot) {
  EXPECT_EQ(ResultOf(R"(x = f32[1099511627776,0] parameter(0)  y = f32[1099511627776,0] parameter(1)
    ROOT r = dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1})"),
            "f32[] 0");
}

TEST(HugeShapes, Reduce) {
  EXPECT_EQ(ResultOf(R"(x = f32[1099511627776,3,0] parameter(0)  i = f32[] parameter(1)
    ROOT r = reduce(x, i), dimensions={1}, to_apply=sum)"),
            "f32[1099511627776,0]");
  EXPECT_EQ(ResultOf(R"(x = f32[1099511627776,3,0] parameter(0)  i = f32[] parameter(1)
    ROOT r = reduce(x, i), dimensions={1}, to_apply=last)"),
            "f32[1099511627776,0]");
}

constexpr int kBatchingDims = 36;

// A gather with so many batching dimensions, of `size` in the operand, `indices_size` in the
// indices, which have no elements.
std::string ManyBatchingDims(int size, int indices_size) {
  std::string ones, sizes, indices_sizes, from, to;
  for (int d = 0; d < kBatchingDims; ++d) {
    StrAppend(ones, "1,");
    StrAppend(sizes, size, ",");
    StrAppend(indices_sizes, ",", indices_size);
    StrAppend(from, d == 0 ? "" : ",", d);
    StrAppend(to, d == 0 ? "" : ",", d + 1);
  }
  return StrCat("x = s8[", sizes, "5] parameter(0)  i = s32[0", indices_sizes,
                "] parameter(1)  ROOT r = gather(x, i), offset_dims={}, collapsed_slice_dims={",
                kBatchingDims, "}, start_index_map={", kBatchingDims, "}, operand_batching_dims={",
                from, "}, start_indices_batching_dims={", to,
                "}, index_vector_dim=", kBatchingDims + 1, ", slice_sizes={", ones, "1}");
}

TEST(HugeShapes, GatherOfManyBatchingDims) {
  std::string result = "s8[0";
  for (int d = 0; d < kBatchingDims; ++d) result += ",2";
  EXPECT_EQ(ResultOf(ManyBatchingDims(1, 2)), result + "]");
  EXPECT_NE(ResultOf(ManyBatchingDims(2, 3)).find("more than 12 batching dimensions of operand"),
            std::string::npos);
}

TEST(HugeShapes, ScratchMemoryIsCounted) {
  // Results of 8 MiB, a heap of 16 MiB.
  EXPECT_NE(
      ResultOf("x = f32[2097152] parameter(0)  ROOT r = (f32[1048576], s32[1048576]) topk(x), "
               "k=1048576, largest=true")
          .find("memory limit"),
      std::string::npos);
  // Groups of 4 MiB, their ends 64 MiB.
  EXPECT_NE(ResultOf(R"(x = f32[3,1] parameter(0)  g = s8[4194304] parameter(1)
    ROOT r = ragged-dot(x, x, g), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0},
      rhs_contracting_dims={1}, lhs_ragged_dims={0})")
                .find("memory limit"),
            std::string::npos);
}

}  // namespace
}  // namespace axle

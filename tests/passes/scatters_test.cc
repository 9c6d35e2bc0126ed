// A scatter of one window as an update of a slice: where it is one, and with the bits of a scatter
// in and out of bounds.
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

constexpr std::string_view kCombiners = R"(
set { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
keep { ROOT a = f32[] parameter(0)  b = f32[] parameter(1) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
under { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] subtract(b, a) }
double { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] add(b, b)  ROOT r = f32[] add(a, c) }
)";

struct Case {
  std::string_view x, indices, update, dims, combiner;
  bool is_slice = true;
};

constexpr std::string_view kElement =
    "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=0";
constexpr std::string_view kRow =
    "update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=0";
constexpr Case kCases[] = {
    {"f32[5]", "s32[1]", "f32[]", kElement, "set"},
    {"f32[5]", "s64[1]", "f32[]", kElement, "add"},
    {"f32[5]", "s32[1]", "f32[]", kElement, "under"},
    {"f32[5]", "s32[1]", "f32[]", kElement, "keep"},
    {"f32[5,3]", "s32[1]", "f32[3]", kRow, "add"},
    {"f32[5,3]", "s32[1]", "f32[2]", kRow, "set"},
    {"f32[5,3]", "s32[2]", "f32[]",
     "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={1,0}, "
     "index_vector_dim=0",
     "set"},
    {"f32[5,3]", "s32[1,1]", "f32[1,1,3]",
     "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1",
     "add"},
    {"f32[5]", "s32[1,1]", "f32[1]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1",
     "add"},
    // Part of the window may be in bounds; more than one window; a combiner of two steps; an index
    // that cannot be negative.
    {"f32[5]", "s32[1]", "f32[2]",
     "update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=0",
     "add", false},
    {"f32[5]", "s32[2,1]", "f32[2]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1",
     "add", false},
    {"f32[5]", "s32[1]", "f32[]", kElement, "double", false},
    {"f32[5]", "u32[1]", "f32[]", kElement, "set", false},
};

TEST(Scatters, OfOneWindowAreUpdates) {
  for (const Case& c : kCases) {
    const std::string text = StrCat(
        "HloModule m\n", kCombiners, "ENTRY e {\n  x = ", c.x, " parameter(0)\n  i = ", c.indices,
        " parameter(1)\n  u = ", c.update, " parameter(2)\n  ROOT r = ", c.x, " scatter(x, i, u), ",
        c.dims, ", to_apply=", c.combiner, "\n}\n");
    SCOPED_TRACE(text);
    const bool is_scatter = After(text, {"simplify"}).find(" scatter(") != std::string::npos;
    EXPECT_EQ(is_scatter, !c.is_slice);
    const auto module = Parse(text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto after = RunPipeline(**module);
    ASSERT_TRUE(after.ok()) << after.status().ToString();
    const auto parameters = (*module)->entry()->parameters();
    for (i64 index = -2; index < 7; ++index) {
      std::vector<Literal> arguments;
      for (const Instruction* p : parameters) {
        arguments.push_back(*FakeLiteral(p->shape(), "random", std::ssize(arguments)));
      }
      const Shape& indices = parameters[1]->shape();
      std::string places = indices.ToString();
      if (indices.rank() == 2)
        places += indices.dim(0) == 2 ? " {{2},{" : " {{";
      else
        places += indices.dim(0) == 2 ? " {1," : " {";
      places += StrCat(index, indices.rank() == 2 ? "}}" : "}");
      if (indices.type() == U32 && index < 0) continue;
      auto literal = ParseLiteral(places);
      ASSERT_TRUE(literal.ok()) << literal.status().ToString();
      arguments[1] = *std::move(literal);
      const auto expected = Evaluate(**module, arguments), result = Evaluate(**after, arguments);
      ASSERT_TRUE(expected.ok() && result.ok());
      EXPECT_EQ(*expected, *result) << index;
    }
  }
}

}  // namespace
}  // namespace axle

// Worked examples of XLA's gather, scatter, sort and top-k.
#include "axle/lib/comparators.h"
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;

bool Refused(const std::string& text) {
  return text.starts_with("INVALID_ARGUMENT:");
}

// shape[dims] of 0, 1, 2, ...
O Count(XlaBuilder* b, const Dims& dims) {
  return Reshape(Iota(b, S32, ShapeUtil::ElementsIn(ShapeUtil::MakeShape(S32, dims))), dims);
}
XlaComputation AddS32() {
  return Scalar2("add", S32, [](O x, O y) { return Add(x, y); });
}

// --- gather -------------------------------------------------------------------------------------

constexpr std::string_view kSquare = "s32[3,3] {{1,2,3},{4,5,6},{7,8,9}}";

TEST(WorkedGather, Rows) {
  const auto rows = [](O x, O indices) {
    return Gather(x, indices, /*offset_dims=*/{1}, /*collapsed_slice_dims=*/{0},
                  /*slice_sizes=*/{1, 3}, /*start_index_map=*/{0}, /*index_vector_dim=*/1);
  };
  EXPECT_EQ(ResultOf(rows, kSquare, "s32[2] {0,2}"), "s32[2,3] {{1,2,3},{7,8,9}}");
  EXPECT_EQ(ResultOf(rows, kSquare, "s32[2] {5,-1}"), "s32[2,3] {{7,8,9},{1,2,3}}");
}

// Slices of [8,6] of an array of [16,11] at indices of [5,2].
TEST(WorkedGather, Windows) {
  const auto gather = [](XlaBuilder* b, O indices) {
    return Gather(Count(b, {16, 11}), indices, {1, 2}, {}, {8, 6}, {0, 1});
  };
  EXPECT_EQ(ShapeOf(gather, "s64[5,2]"), "s32[5,8,6]");
  const auto ends = [&](XlaBuilder* b, O indices) {
    return Slice(gather(b, indices), {0, 0, 0}, {5, 8, 6}, {1, 7, 5});
  };
  EXPECT_EQ(ResultOf(ends, "s64[5,2] {{0,0},{1,2},{8,5},{9,9},{-1,4}}"),
            "s32[5,2,2] {{{0,5},{77,82}},{{13,18},{90,95}},{{93,98},{170,175}},{{93,98},{170,"
            "175}},{{4,9},{81,86}}}");
}

TEST(WorkedGather, WindowsOfSeveralBatchDimensions) {
  const auto windows = [](XlaBuilder* b, O indices) {
    return Gather(Count(b, {16, 11}), indices, {2, 3}, {}, {8, 6}, {0, 1});
  };
  EXPECT_EQ(ShapeOf(windows, "s64[4,5,2]"), "s32[4,5,8,6]");
  const auto rows = [](XlaBuilder* b, O indices) {
    return Gather(Count(b, {16, 11}), indices, {2}, {0}, {1, 11}, {0});
  };
  EXPECT_EQ(ShapeOf(rows, "s64[4,5,1]"), "s32[4,5,11]");
  EXPECT_EQ(
      ResultOf(rows, "s64[1,2,1] {{{5},{7}}}"),
      "s32[1,2,11] {{{55,56,57,58,59,60,61,62,63,64,65},{77,78,79,80,81,82,83,84,85,86,87}}}");
}

TEST(WorkedGather, IndicesWithoutAVectorDimension) {
  const auto gather = [](XlaBuilder* b) {
    return Gather(Count(b, {42}), Count(b, {6, 7}), {}, {0}, {1}, {0}, /*index_vector_dim=*/2);
  };
  EXPECT_EQ(ResultOf(gather), ResultOf([](XlaBuilder* b) { return Count(b, {6, 7}); }));
}

TEST(WorkedGather, OffsetDimensionsBetweenBatchDimensions) {
  const auto gather = [](XlaBuilder* b, O indices) {
    return Gather(Count(b, {3, 4}), indices, {2, 4}, {}, {1, 4}, {0}, 3);
  };
  EXPECT_EQ(ShapeOf(gather, "s32[2,3,2,1]"), "s32[2,3,1,2,4]");
  EXPECT_EQ(ResultOf(gather, "s32[1,1,2,1] {{{{2},{0}}}}"),
            "s32[1,1,1,2,4] {{{{{8,9,10,11},{0,1,2,3}}}}}");
}

// Offset dimensions 0 to 3 are those of the operand that are not collapsed: 1, 3, 4, 5.
TEST(WorkedGather, RemapsOffsetDimensions) {
  const auto gather = [](XlaBuilder* b, O indices) {
    return Gather(Count(b, {2, 2, 3, 2, 1, 2}), indices, {1, 2, 3, 4}, {0, 2}, {1, 2, 1, 2, 1, 2},
                  {0, 2});
  };
  EXPECT_EQ(ResultOf(gather, "s32[2,2] {{0,2},{1,1}}"),
            "s32[2,2,2,1,2] {{{{{8,9}},{{10,11}}},{{{20,21}},{{22,23}}}},{{{{28,29}},{{30,31}}},{{{"
            "40,41}},{{42,43}}}}}");
}

TEST(WorkedGather, NumbersAsAMessage) {
  GatherDimensionNumbers numbers;
  numbers.add_offset_dims(1);
  numbers.add_collapsed_slice_dims(0);
  numbers.add_start_index_map(0);
  numbers.set_index_vector_dim(1);
  EXPECT_EQ(ResultOf(
                [&](O x, O i) {
                  return Gather(x, i, numbers, {1, 3});
                },
                kSquare, "s32[1] {1}"),
            "s32[1,3] {{4,5,6}}");
  EXPECT_TRUE(Refused(ShapeOf(
      [&](O x, O i) {
        return Gather(x, i, numbers, {1, 4});
      },
      "s32[3,3]", "s32[1]")));
  EXPECT_TRUE(Refused(ShapeOf(
      [&](O x, O i) {
        return Gather(x, i, numbers, {2, 3});
      },
      "s32[3,3]", "s32[1]")));
}

// --- scatter ------------------------------------------------------------------------------------

TEST(WorkedScatter, Rows) {
  const auto rows = [](O x, O indices, O updates) {
    return Scatter(x, indices, updates, AddS32(), /*index_vector_dim=*/1,
                   /*update_window_dims=*/{1}, /*inserted_window_dims=*/{0},
                   /*scatter_dims_to_operand_dims=*/{0});
  };
  const std::string_view zeros = "s32[3,3] {{0,0,0},{0,0,0},{0,0,0}}";
  const std::string_view updates = "s32[2,3] {{10,20,30},{70,80,90}}";
  EXPECT_EQ(ResultOf(rows, zeros, "s32[2] {0,2}", updates),
            "s32[3,3] {{10,20,30},{0,0,0},{70,80,90}}");
  EXPECT_EQ(ResultOf(rows, zeros, "s32[2] {1,1}", updates),
            "s32[3,3] {{0,0,0},{80,100,120},{0,0,0}}");
  EXPECT_EQ(ResultOf(rows, zeros, "s32[2] {-1,5}", updates), "s32[3,3] {{0,0,0},{0,0,0},{0,0,0}}");
}

TEST(WorkedScatter, Elements) {
  const auto elements = [](O x, O indices, O updates) {
    return Scatter(x, indices, updates, AddS32(), 1, {}, {0}, {0});
  };
  EXPECT_EQ(ResultOf(elements, "s32[4] {1,2,3,4}", "s32[3] {1,1,9}", "s32[3] {10,20,30}"),
            "s32[4] {1,32,3,4}");
}

// A window that does not fit is left out as a whole.
TEST(WorkedScatter, WindowsThatDoNotFit) {
  const auto window = [](XlaBuilder* b, O indices) {
    return Scatter(Count(b, {3, 3, 2}), indices, Add(Count(b, {1, 2, 2}), ConstantR0(b, 100)),
                   AddS32(), 1, {1, 2}, {0}, {0, 1});
  };
  EXPECT_EQ(ResultOf(window, "s32[1,2] {{0,2}}"), ResultOf([](XlaBuilder* b) {
              return Count(b, {3, 3, 2});
            }));
  EXPECT_NE(ResultOf(window, "s32[1,2] {{0,1}}"), ResultOf([](XlaBuilder* b) {
              return Count(b, {3, 3, 2});
            }));
  const auto pair = [](O x, O index, O updates) {
    return Scatter(x, index, updates, AddS32(), 0, {0}, {}, {0});
  };
  EXPECT_EQ(ResultOf(pair, "s32[3] {0,0,0}", "s32[1] {2}", "s32[2] {5,6}"), "s32[3] {0,0,0}");
  EXPECT_EQ(ResultOf(pair, "s32[3] {0,0,0}", "s32[1] {1}", "s32[2] {5,6}"), "s32[3] {0,5,6}");
}

TEST(WorkedScatter, OverwritesOrKeeps) {
  const auto with = [](XlaOp (*function)(O, O)) {
    return [function](O x, O indices, O updates) {
      return Scatter(x, indices, updates, Scalar2("f", S32, function), 1, {}, {0}, {0});
    };
  };
  const std::string_view x = "s32[3] {1,2,3}", indices = "s32[2] {1,1}", updates = "s32[2] {7,8}";
  EXPECT_EQ(ResultOf(with([](O, O update) { return update; }), x, indices, updates),
            "s32[3] {1,8,3}");
  EXPECT_EQ(ResultOf(with([](O now, O) { return now; }), x, indices, updates), "s32[3] {1,2,3}");
}

TEST(WorkedScatter, RemapsWindowDimensions) {
  const auto scatter = [](XlaBuilder* b, O indices) {
    const O ones = Broadcast(ConstantR0(b, 1), {2, 2, 3, 2, 1, 2});
    const O zeros = Sub(ones, ones);
    const O updates = Add(Count(b, {2, 2, 2, 1, 2}), ConstantR0(b, 1));
    return Reshape(Scatter(zeros, indices, updates, AddS32(), 1, {1, 2, 3, 4}, {0, 2}, {0, 2}),
                   {6, 8});
  };
  EXPECT_EQ(ResultOf(scatter, "s32[2,2] {{0,2},{1,1}}"),
            "s32[6,8] {{0,0,0,0,0,0,0,0},{1,2,3,4,0,0,0,0},{0,0,0,0,5,6,7,8},{0,0,0,0,9,10,11,12},"
            "{0,0,0,0,0,0,0,0},{13,14,15,16,0,0,0,0}}");
}

// --- sort and top-k -----------------------------------------------------------------------------

TEST(WorkedSort, ByTheFirstOperand) {
  const auto sort = [](XlaBuilder* b, O x, O y, O z) {
    const XlaComputation less = CreateScalarComparisonComputation(
        "less", {S32, S32, F32}, {LtTotalOrder, std::nullopt, std::nullopt}, b);
    return Sort({x, y, z}, less, /*dimension=*/0);
  };
  EXPECT_EQ(ResultOf(sort, "s32[2] {3,1}", "s32[2] {42,50}", "f32[2] {-3,1.1}"),
            "(s32[2],s32[2],f32[2]) ({1,3},{50,42},{1.1,-3})");
}

TEST(WorkedSort, Dimensions) {
  const std::string_view matrix = "s32[2,2] {{3,1},{2,5}}";
  EXPECT_EQ(ResultOf([](O x) { return Sort(x, 0); }, matrix), "s32[2,2] {{2,1},{3,5}}");
  EXPECT_EQ(ResultOf([](O x) { return Sort(x, 1); }, matrix), "s32[2,2] {{1,3},{2,5}}");
  EXPECT_EQ(ResultOf([](O x) { return Sort(x); }, matrix), "s32[2,2] {{1,3},{2,5}}");
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Sort(x, 2); }, "s32[2,2]")));
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Sort(x); }, "s32[]")));
}

TEST(WorkedSort, KeysAndValues) {
  const std::string_view keys = "s32[2] {3,1}", values = "s32[2] {42,50}";
  EXPECT_EQ(ResultOf([](O k, O v) { return Sort(k, v); }, keys, values),
            "(s32[2],s32[2]) ({1,3},{50,42})");
  EXPECT_EQ(ResultOf([](O k, O v) { return Sort(k, v, 0); }, keys, values),
            "(s32[2],s32[2]) ({1,3},{50,42})");
  EXPECT_TRUE(Refused(ShapeOf([](O k, O v) { return Sort(k, v); }, "s32[2]", "s32[3]")));
}

TEST(WorkedSort, NaNsAreLast) {
  EXPECT_EQ(ResultOf([](O x) { return Sort(x); }, "f32[5] {nan,0,-0.0,inf,-1}"),
            "f32[5] {-1,-0,0,inf,nan}");
}

TEST(WorkedSort, TopK) {
  const auto top = [](i64 k, bool largest) { return [=](O x) { return TopK(x, k, largest); }; };
  EXPECT_EQ(ResultOf(top(2, true), "s32[4] {1,3,2,3}"), "(s32[2],s32[2]) ({3,3},{1,3})");
  EXPECT_EQ(ResultOf(top(2, false), "s32[4] {1,3,2,3}"), "(s32[2],s32[2]) ({1,2},{0,2})");
  EXPECT_EQ(ResultOf(top(2, true), "f32[3] {nan,1,inf}"), "(f32[2],s32[2]) ({nan,inf},{0,2})");
  EXPECT_EQ(ResultOf(top(2, true), "f32[2] {-0.0,0}"), "(f32[2],s32[2]) ({0,-0},{1,0})");
  EXPECT_EQ(ShapeOf(top(0, true), "f32[2,3]"), "(f32[2,0], s32[2,0])");
  EXPECT_TRUE(ShapeOf(top(4, true), "f32[3]").find("topk:") != std::string::npos);
}

}  // namespace
}  // namespace axle

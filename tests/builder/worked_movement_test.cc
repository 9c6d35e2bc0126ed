// Worked examples of XLA's operations on shapes and of data movement, in the spellings of
// all its sources.
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;

bool Refused(const std::string& text) {
  return text.starts_with("INVALID_ARGUMENT:");
}

// {{10,11,12},{15,16,17}}, and 10, 20 and 30 more.
constexpr std::string_view kV =
    "f32[4,2,3] {{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},{{30,31,32},{35,36,37}},"
    "{{40,41,42},{45,46,47}}}";
constexpr std::string_view kA = "f32[5] {0,1,2,3,4}";
constexpr std::string_view kB = "f32[4,3] {{0,1,2},{3,4,5},{6,7,8},{9,10,11}}";
constexpr std::string_view kInOrder =
    "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}";

TEST(WorkedMovement, Broadcast) {
  EXPECT_EQ(ResultOf(
                [](O x) {
                  return Broadcast(x, {2, 3});
                },
                "f32[] 2"),
            "f32[2,3] {{2,2,2},{2,2,2}}");
  EXPECT_EQ(ResultOf([](O x) { return Broadcast(x, {2}); }, "f32[2] {1,2}"),
            "f32[2,2] {{1,2},{1,2}}");
  EXPECT_EQ(ResultOf([](O x) { return Broadcast(x, {}); }, "f32[2] {1,2}"), "f32[2] {1,2}");
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Broadcast(x, {-1}); }, "f32[]")));
}

TEST(WorkedMovement, BroadcastInDim) {
  EXPECT_EQ(ResultOf(
                [](O x) {
                  return BroadcastInDim(x, {2, 3}, {0});
                },
                "f32[2] {1,2}"),
            "f32[2,3] {{1,1,1},{2,2,2}}");
  EXPECT_EQ(ResultOf(
                [](O x) {
                  return BroadcastInDim(x, {2, 2}, {0, 1});
                },
                "f32[2,1] {{1},{2}}"),
            "f32[2,2] {{1,1},{2,2}}");
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return BroadcastInDim(x, {2, 3}, {1, 0}); }, "f32[3,2]")));
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return BroadcastInDim(x, {2, 3}, {0}); }, "f32[3]")));
}

// By the rule, not by the listings of the sources, which swap the two results.
TEST(WorkedMovement, Collapse) {
  EXPECT_EQ(ResultOf([](O v) { return Collapse(v, {0, 1, 2}); }, kV), kInOrder);
  EXPECT_EQ(ResultOf(
                [](O v) {
                  return Collapse(v, {0, 1});
                },
                kV),
            "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,"
            "42},{45,46,47}}");
  EXPECT_EQ(ResultOf(
                [](O v) {
                  return Collapse(v, {1, 2});
                },
                kV),
            "f32[4,6] {{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},{40,41,42,45,"
            "46,47}}");
  EXPECT_EQ(ShapeOf([](O v) { return Collapse(v, {1}); }, "f32[4,2,3]"), "f32[4,2,3]");
  EXPECT_TRUE(Refused(ShapeOf([](O v) { return Collapse(v, {0, 2}); }, "f32[4,2,3]")));
}

TEST(WorkedMovement, Concatenate) {
  const auto columns = [](XlaBuilder* b, O x, O y, O z) { return ConcatInDim(b, {x, y, z}, 0); };
  EXPECT_EQ(ResultOf(columns, "s32[2] {2,3}", "s32[2] {4,5}", "s32[2] {6,7}"),
            "s32[6] {2,3,4,5,6,7}");
  const auto rows = [](XlaBuilder* b, O x, O y) { return b->ConcatInDim({x, y}, 0); };
  EXPECT_EQ(ResultOf(rows, "f32[3,2] {{1,2},{3,4},{5,6}}", "f32[1,2] {{7,8}}"),
            "f32[4,2] {{1,2},{3,4},{5,6},{7,8}}");
  EXPECT_TRUE(Refused(ShapeOf(rows, "f32[]", "f32[]")));
  EXPECT_EQ(ShapeOf(rows, "f32[3]", "f32[<=4]"), "f32[<=7]");
}

TEST(WorkedMovement, Iota) {
  EXPECT_EQ(ResultOf([](XlaBuilder* b) { return Iota(b, *ParseShape("s32[4,8]"), 0); }),
            "s32[4,8] {{0,0,0,0,0,0,0,0},{1,1,1,1,1,1,1,1},{2,2,2,2,2,2,2,2},{3,3,3,3,3,3,3,3}}");
  EXPECT_EQ(ResultOf([](XlaBuilder* b) { return Iota(b, *ParseShape("s32[4,8]"), 1); }),
            "s32[4,8] {{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7}}");
  EXPECT_EQ(ResultOf([](XlaBuilder* b) { return Iota(b, U2, 6); }), "u2[6] {0,1,2,3,0,1}");
  EXPECT_EQ(ResultOf([](XlaBuilder* b) { return Iota(b, C64, 2); }), "c64[2] {(0,0),(1,0)}");
}

TEST(WorkedMovement, Pad) {
  const auto pad = [](std::vector<PaddingDim> config) {
    return [config](O x, O value) { return Pad(x, value, MakePaddingConfig(config)); };
  };
  const std::string_view x = "s32[3] {1,2,3}", zero = "s32[] 0";
  EXPECT_EQ(ResultOf(pad({{1, 2, 1}}), x, zero), "s32[8] {0,1,0,2,0,3,0,0}");
  EXPECT_EQ(ResultOf(pad({{-1, 0, 1}}), x, zero), "s32[4] {0,2,0,3}");
  EXPECT_TRUE(Refused(ResultOf(pad({{-2, -2, 0}}), x, zero)));
  EXPECT_EQ(ResultOf([](O v, O z) { return Pad(v, z, MakeNoPaddingConfig(1)); }, x, zero),
            "s32[3] {1,2,3}");
  EXPECT_EQ(ResultOf([](O v, O z) { return PadInDim(v, z, 0, 1, 0); }, x, zero),
            "s32[4] {0,1,2,3}");
}

TEST(WorkedMovement, Reshape) {
  const std::string_view kRows =
      "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,42},"
      "{45,46,47}}";
  EXPECT_EQ(ResultOf([](O v) { return Reshape(v, {24}); }, kV), kInOrder);
  EXPECT_EQ(ResultOf([](O v) { return Reshape(v, {8, 3}); }, kV), kRows);
  EXPECT_EQ(ResultOf([](O v) { return Reshape(v, {0, 1, 2}, {24}); }, kV), kInOrder);
  EXPECT_EQ(ResultOf([](O v) { return Reshape(v, {0, 1, 2}, {8, 3}); }, kV), kRows);
  EXPECT_EQ(ResultOf(
                [](O v) {
                  return Reshape(v, {1, 2, 0}, {24});
                },
                kV),
            "f32[24] {10,20,30,40,11,21,31,41,12,22,32,42,15,25,35,45,16,26,36,46,17,27,37,47}");
  EXPECT_EQ(ResultOf(
                [](O v) {
                  return Reshape(v, {1, 2, 0}, {8, 3});
                },
                kV),
            "f32[8,3] {{10,20,30},{40,11,21},{31,41,12},{22,32,42},{15,25,35},{45,16,26},{36,46,"
            "17},{27,37,47}}");
  EXPECT_EQ(ResultOf(
                [](O v) {
                  return Reshape(v, {1, 2, 0}, {2, 6, 2});
                },
                kV),
            "f32[2,6,2] {{{10,20},{30,40},{11,21},{31,41},{12,22},{32,42}},{{15,25},{35,45},{16,"
            "26},{36,46},{17,27},{37,47}}}");
  EXPECT_EQ(ResultOf([](O x) { return Reshape(x, {0, 1}, {}); }, "f32[1,1] {{5}}"), "f32[] 5");
  EXPECT_EQ(ResultOf([](O x) { return Reshape(x, {}, {1, 1}); }, "f32[] 5"), "f32[1,1] {{5}}");
  EXPECT_EQ(ResultOf([](O x) { return Reshape(x, {}); }, "f32[1,1] {{5}}"), "f32[] 5");
  EXPECT_EQ(ResultOf([](O x) { return Reshape(x, {1, 1}); }, "f32[] 5"), "f32[1,1] {{5}}");
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Reshape(x, {5}); }, "f32[2,3]")));
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Reshape(x, {0, 0}, {6}); }, "f32[2,3]")));
}

TEST(WorkedMovement, Rev) {
  EXPECT_EQ(ResultOf([](O x) { return Rev(x, {0}); }, kA), "f32[5] {4,3,2,1,0}");
  EXPECT_EQ(ResultOf(
                [](O x) {
                  return Rev(x, {0, 1});
                },
                "s32[2,2] {{1,2},{3,4}}"),
            "s32[2,2] {{4,3},{2,1}}");
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Rev(x, {0, 0}); }, "f32[5]")));
}

TEST(WorkedMovement, Slice) {
  EXPECT_EQ(ResultOf([](O a) { return Slice(a, {2}, {4}); }, kA), "f32[2] {2,3}");
  EXPECT_EQ(ResultOf([](O b) { return Slice(b, {2, 1}, {4, 3}); }, kB), "f32[2,2] {{7,8},{10,11}}");
  EXPECT_EQ(ResultOf([](O a) { return Slice(a, {0}, {5}, {2}); }, kA), "f32[3] {0,2,4}");
  EXPECT_EQ(ResultOf([](O a) { return Slice(a, {3}, {3}); }, kA), "f32[0] {}");
  EXPECT_EQ(ResultOf([](O b) { return SliceInDim(b, 1, 3, 1, 1); }, "s32[1,3] {{1,2,3}}"),
            "s32[1,2] {{2,3}}");
  EXPECT_TRUE(Refused(ShapeOf([](O a) { return Slice(a, {3}, {2}); }, "f32[5]")));
  EXPECT_TRUE(Refused(ShapeOf([](O a) { return Slice(a, {3}, {6}); }, "f32[5]")));
}

TEST(WorkedMovement, DynamicSlice) {
  const auto two = [](O a, O s) { return DynamicSlice(a, s, {2}); };
  const auto three = [](O a, O s) { return DynamicSlice(a, {s}, {3}); };
  EXPECT_EQ(ResultOf(two, kA, "s32[1] {2}"), "f32[2] {2,3}");
  EXPECT_EQ(ResultOf(
                [](O b, O s) {
                  return DynamicSlice(b, s, {2, 2});
                },
                kB, "s32[2] {2,1}"),
            "f32[2,2] {{7,8},{10,11}}");
  EXPECT_EQ(ResultOf(
                [](O b, O i, O j) {
                  return DynamicSlice(b, {i, j}, {2, 2});
                },
                kB, "s32[] 2", "s32[] 1"),
            "f32[2,2] {{7,8},{10,11}}");
  EXPECT_EQ(ResultOf(three, kA, "s32[] 4"), "f32[3] {2,3,4}");
  EXPECT_EQ(ResultOf(three, kA, "s32[] -7"), "f32[3] {0,1,2}");
  EXPECT_EQ(ResultOf(three, kA, "s32[1] {4}"), "f32[3] {2,3,4}");  // a list of one array
  EXPECT_EQ(ResultOf(three, kA, "u64[] 9223372036854775808"), "f32[3] {2,3,4}");
  EXPECT_EQ(ResultOf([](O a, O s) { return DynamicSlice(a, {s}, {0}); }, kA, "s32[] 2"),
            "f32[0] {}");
  EXPECT_TRUE(Refused(ShapeOf(two, "f32[5]", "f32[1]")));
  EXPECT_TRUE(Refused(ShapeOf(two, "f32[5]", "s32[2]")));
}

TEST(WorkedMovement, DynamicUpdateSlice) {
  const auto update = [](O a, O u, O s) { return DynamicUpdateSlice(a, u, s); };
  EXPECT_EQ(ResultOf(update, kA, "f32[2] {5,6}", "s32[1] {2}"), "f32[5] {0,1,5,6,4}");
  EXPECT_EQ(ResultOf([](O a, O u, O s) { return DynamicUpdateSlice(a, u, {s}); }, kA,
                     "f32[2] {5,6}", "s32[] 2"),
            "f32[5] {0,1,5,6,4}");
  EXPECT_EQ(ResultOf(update, kA, "f32[2] {5,6}", "s32[1] {9}"), "f32[5] {0,1,2,5,6}");
  EXPECT_EQ(ResultOf(update, kB, "f32[3,2] {{12,13},{14,15},{16,17}}", "s32[2] {1,1}"),
            "f32[4,3] {{0,1,2},{3,12,13},{6,14,15},{9,16,17}}");
  EXPECT_EQ(ResultOf(update, kA, "f32[0] {}", "s32[1] {2}"), "f32[5] {0,1,2,3,4}");
}

TEST(WorkedMovement, Transpose) {
  const auto transpose = [](O x) { return Transpose(x, {1, 0}); };
  EXPECT_EQ(ResultOf(transpose, "s32[2,3] {{1,2,3},{4,5,6}}"), "s32[3,2] {{1,4},{2,5},{3,6}}");
  EXPECT_EQ(ResultOf(
                [](O x) {
                  return Reshape(x, {1, 0}, {3, 2});
                },
                "s32[2,3] {{1,2,3},{4,5,6}}"),
            "s32[3,2] {{1,4},{2,5},{3,6}}");
  EXPECT_EQ(ShapeOf([](O x) { return Transpose(x, {2, 0, 1}); }, "f32[5,6,7]"), "f32[7,5,6]");
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return Transpose(x, {0, 0}); }, "f32[2,3]")));
}

TEST(WorkedMovement, TupleAndGetTupleElement) {
  const std::string_view v = "f32[10] {0,1,2,3,4,5,6,7,8,9}";
  const auto element = [](i64 index) {
    return [index](XlaBuilder* b, O x, O y) { return GetTupleElement(Tuple(b, {x, y}), index); };
  };
  EXPECT_EQ(ResultOf(element(0), v, "s32[] 5"), v);
  EXPECT_EQ(ResultOf(element(1), v, "s32[] 5"), "s32[] 5");
  EXPECT_TRUE(Refused(ResultOf(element(2), v, "s32[] 5")));
  EXPECT_TRUE(Refused(ShapeOf([](O x) { return GetTupleElement(x, 0); }, "f32[2]")));
  EXPECT_EQ(ShapeOf([](XlaBuilder* b) { return Tuple(b, {}); }), "()");
}

TEST(WorkedMovement, Copy) {
  EXPECT_EQ(ResultOf([](O x) { return Copy(x); }, "(s32[], f32[1]) (1, {2})"),
            "(s32[],f32[1]) (1,{2})");
}

}  // namespace
}  // namespace axle

// Matrices, einsum, slices, sorting, loops and pooling.
#include "axle/lib/matrix.h"

#include "axle/lib/constants.h"
#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;

constexpr std::string_view k23 = "s32[2,3] {{1, 2, 3}, {4, 5, 6}}";

TEST(Matrix, Identity) {
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return IdentityMatrix(&b, F32, 2, 3); }),
            "f32[2,3] { { 1, 0, 0 }, { 0, 1, 0 } }");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return IdentityMatrix(&b, C64, 1, 1); }),
            "c64[1,1] { {(1, 0)} }");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return IdentityMatrix(&b, F32, -1, 1); }),
            "size of dimension 0 is -1, must be >= 0");
}

TEST(Matrix, Diagonals) {
  const auto diagonal = [](i64 k) {
    return Result([k](XlaBuilder&, Ops p) { return GetMatrixDiagonal(p[0], k); }, {k23});
  };
  EXPECT_EQ(diagonal(0), "s32[2] {1, 5}");
  EXPECT_EQ(diagonal(1), "s32[2] {2, 6}");
  EXPECT_EQ(diagonal(2), "s32[1] {3}");
  EXPECT_EQ(diagonal(-1), "s32[1] {4}");
  EXPECT_EQ(diagonal(3), "s32[0] {}");
  EXPECT_EQ(diagonal(INT64_MIN), "s32[0] {}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return GetMatrixDiagonalViaGather(p[0]); },
                   {"f32[2,2,2] {{{1, nan}, {nan, 4}}, {{5, 6}, {7, -0.0}}}"}),
            "f32[2,2] { { 1, 4 }, { 5, -0 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return GetMatrixDiagonal(p[0]); }, {"s32[2] {1, 2}"}),
            "matrix diagonal: takes an array of at least two dimensions; operand s32[2]");
}

TEST(Matrix, SetDiagonal) {
  const auto set = [](i64 k) {
    return [k](XlaBuilder&, Ops p) { return SetMatrixDiagonal(p[0], p[1], k); };
  };
  EXPECT_EQ(Result(set(0), {k23, "s32[2] {7, 8}"}), "s32[2,3] { { 7, 2, 3 }, { 4, 8, 6 } }");
  EXPECT_EQ(Result(set(1), {k23, "s32[2] {7, 8}"}), "s32[2,3] { { 1, 7, 3 }, { 4, 5, 8 } }");
  EXPECT_EQ(Result(set(2), {k23, "s32[1] {7}"}), "s32[2,3] { { 1, 2, 7 }, { 4, 5, 6 } }");
  EXPECT_EQ(Result(set(-1), {k23, "s32[1] {7}"}), "s32[2,3] { { 1, 2, 3 }, { 7, 5, 6 } }");
  EXPECT_EQ(Result(set(0), {"s32[3,1,1] {{{1}}, {{2}}, {{3}}}", "s32[3,1] {{7}, {8}, {9}}"}),
            "s32[3,1,1] { { {7} }, { {8} }, { {9} } }");
  EXPECT_EQ(Result(set(2), {k23, "s32[2] {7, 8}"}),
            "set matrix diagonal: diagonal 2 must be s32[1]; matrix s32[2,3], diagonal s32[2]");
}

TEST(Matrix, Triangles) {
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return LowerTriangle(p[0]); }, {k23}),
            "s32[2,3] { { 1, 0, 0 }, { 4, 5, 0 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return UpperTriangle(p[0]); }, {k23}),
            "s32[2,3] { { 1, 2, 3 }, { 0, 5, 6 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return TriangleMask(p[0], 1); }, {k23}),
            "pred[2,3] { { 1, 1, 0 }, { 1, 1, 1 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return GetDiagonalMask(p[0], -1); }, {k23}),
            "pred[2,3] { { 0, 0, 0 }, { 1, 0, 0 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Symmetrize(p[0], false); },
                   {"f32[2,2] {{1, 2}, {3, 4}}"}),
            "f32[2,2] { { 1, 2 }, { 2, 4 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Symmetrize(p[0]); },
                   {"c64[2,2] {{(1, 9), (2, 0)}, {(3, 5), (4, 9)}}"}),
            "c64[2,2] { { (1, 0), (3, -5) }, { (3, 5), (4, 0) } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Symmetrize(p[0]); }, {k23}),
            "symmetrize: takes square matrices; operand s32[2,3]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return MaybeTransposeInMinorDims(p[0], true); }, {k23}),
            "s32[3,2] { { 1, 4 }, { 2, 5 }, { 3, 6 } }");
}

TEST(Matrix, BatchDot) {
  const auto dot = [](XlaBuilder&, Ops p) { return BatchDot(p[0], p[1]); };
  EXPECT_EQ(Result(dot, {k23, "s32[3,1] {{1}, {10}, {100}}"}), "s32[2,1] { {321}, {654} }");
  // A batch of one goes with a batch of two, and with none.
  EXPECT_EQ(Result(dot, {"s32[1,1,2] {{{1, 2}}}", "s32[2,2,1] {{{3}, {4}}, {{5}, {6}}}"}),
            "s32[2,1,1] { { {11} }, { {17} } }");
  EXPECT_EQ(Result(dot, {"s32[2,1,1] {{{3}}, {{4}}}", "s32[1,2] {{5, 6}}"}),
            "s32[2,1,2] { { { 15, 18 } }, { { 20, 24 } } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return BatchDot(p[0], true, p[1], true); },
                   {k23, "s32[1,2] {{1, 10}}"}),
            "s32[3,1] { {41}, {52}, {63} }");
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return BatchDot(p[0], p[1], Precision::kHighest, F32); },
             {"bf16[1,1] {{3}}", "bf16[1,1] {{1.0078125}}"}),
      "f32[1,1] { {3.0234375} }");
  EXPECT_EQ(Result(dot, {k23, k23}), "einsum: \"k\" has sizes 3 and 2; x s32[2,3], y s32[2,3]");
}

TEST(Einsum, ParsesLabels) {
  const auto parse = [](std::string_view text, i64 x_rank, i64 y_rank) {
    const auto labels = ParseEinsumString(text, x_rank, y_rank);
    if (!labels.ok()) return labels.status().message();
    std::string out;
    for (const auto& list : *labels) {
      for (i64 label : list)
        out += label > 0 ? std::string(1, static_cast<char>(label)) : StrCat(label);
      out += ";";
    }
    return out;
  };
  EXPECT_EQ(parse("ab, bc -> ac", 2, 2), "ab;bc;ac;");
  EXPECT_EQ(parse("ca,bc", 2, 2), "ca;bc;ab;");
  EXPECT_EQ(parse("...ab,b...->...a", 4, 2), "-2-1ab;b-1;-2-1a;");
  EXPECT_EQ(parse("a...,a...", 2, 1), "a-1;a;-1;");
  EXPECT_EQ(parse(",->", 0, 0), ";;;");
  EXPECT_EQ(parse("ab,bc->ac", 3, 2), "einsum: \"ab\" does not fit an operand of rank 3");
  EXPECT_EQ(parse("a...b,b", 1, 1), "einsum: \"a...b\" does not fit an operand of rank 1");
  EXPECT_EQ(parse("...ab,", 0, 0), "einsum: \"...ab\" does not fit an operand of rank 0");
  EXPECT_EQ(parse("ab->ac", 2, 2), "einsum: \"ab->ac\" must name 2 operands");
  EXPECT_EQ(parse("a,b,c", 1, 1), "einsum: \"a,b,c\" must name 2 operands");
  EXPECT_EQ(parse("a..,b", 1, 1),
            "einsum: \"a..\" is not a list of letters with at most one \"...\"");
  EXPECT_EQ(parse("......,b", 1, 1),
            "einsum: \"......\" is not a list of letters with at most one \"...\"");
}

TEST(Einsum, OfTwoOperands) {
  const auto einsum = [](std::string_view config, std::string_view x, std::string_view y) {
    return Result([config](XlaBuilder&, Ops p) { return Einsum(p[0], p[1], config); }, {x, y});
  };
  EXPECT_EQ(einsum("ab,cb->ca", k23, "s32[1,3] {{1, 10, 100}}"), "s32[1,2] { { 321, 654 } }");
  EXPECT_EQ(einsum("ab,ab->ab", k23, k23), "s32[2,3] { { 1, 4, 9 }, { 16, 25, 36 } }");
  EXPECT_EQ(einsum("ab,ab->", k23, k23), "s32[] 91");
  EXPECT_EQ(einsum("a,b->ba", "s32[2] {1, 2}", "s32[2] {3, 4}"), "s32[2,2] { { 3, 6 }, { 4, 8 } }");
  // What only one operand has and the result lacks is summed.
  EXPECT_EQ(einsum("ab,c->a", k23, "s32[2] {1, 1}"), "s32[2] {12, 30}");
  EXPECT_EQ(einsum("aa,a->a", "s32[2,2] {{1, 2}, {3, 4}}", "s32[2] {5, 6}"), "s32[2] {5, 24}");
  EXPECT_EQ(einsum("a,a->aa", "s32[2] {1, 2}", "s32[2] {5, 6}"),
            "s32[2,2] { { 5, 0 }, { 0, 12 } }");
  EXPECT_EQ(einsum("...a,...a->...", "s32[1,2] {{1, 2}}", "s32[2,2] {{1, 2}, {3, 4}}"),
            "s32[2] {5, 11}");
  EXPECT_EQ(einsum("aa,a->a", k23, "s32[2] {5, 6}"),
            "einsum: \"a\" has sizes 2 and 3; operand s32[2,3]");
  EXPECT_EQ(einsum("ab,b->c", k23, "s32[3] {5, 6, 7}"),
            "einsum: \"c\" of the result is in no operand");
}

TEST(Einsum, OfOneOperand) {
  const auto einsum = [](std::string_view config, std::string_view x) {
    return Result([config](XlaBuilder&, Ops p) { return Einsum(p[0], config); }, {x});
  };
  EXPECT_EQ(einsum("ij->ji", k23), "s32[3,2] { { 1, 4 }, { 2, 5 }, { 3, 6 } }");
  EXPECT_EQ(einsum("ij->j", k23), "s32[3] {5, 7, 9}");
  EXPECT_EQ(einsum("ii", "s32[2,2] {{1, 2}, {3, 4}}"), "s32[] 5");
  EXPECT_EQ(einsum("ii->i", "s32[2,2] {{1, 2}, {3, 4}}"), "s32[2] {1, 4}");
  EXPECT_EQ(einsum("i->ii", "s32[2] {1, 4}"), "s32[2,2] { { 1, 0 }, { 0, 4 } }");
  EXPECT_EQ(einsum("iii->i", "s32[2,2,2] {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}"), "s32[2] {1, 8}");
  EXPECT_EQ(einsum("ij->j", "pred[2,2] {{1, 0}, {0, 0}}"), "pred[2] {1, 0}");
  EXPECT_EQ(einsum("i,j->j", k23), "einsum: \"i,j->j\" must name 1 operands");
}

}  // namespace
}  // namespace axle

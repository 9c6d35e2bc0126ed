// Decompositions: their products are the matrix again.
#include "axle/lib/linear_algebra.h"

#include "axle/lib/arithmetic.h"
#include "axle/lib/constants.h"
#include "axle/lib/matrix.h"
#include "axle/lib/slicing.h"
#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;

constexpr std::string_view kTall =
    "f64[2,3,2] {{{1, 2}, {3, 4}, {5, 7}}, {{0, 1}, {2, -3}, {1, 1}}}";
constexpr std::string_view kWide = "f64[2,3] {{1, 2, 3}, {4, 5, 7}}";
constexpr std::string_view kComplex = "c128[2,2] {{(1, 2), (3, 0)}, {(0, -1), (2, 5)}}";
constexpr std::string_view kYes = "pred[] true";

// |x - y| <= 1e-13 everywhere.
XlaOp Near(XlaOp x, XlaOp y) {
  return All(Le(Abs(x - y), ScalarLike(Abs(x), 1e-13)));
}
XlaOp Adjoint(XlaOp x) {
  const XlaOp transposed = TransposeInMinorDims(x);
  return IsComplex(x.instruction()->shape().type()) ? Conj(transposed) : transposed;
}
// The columns of x are orthonormal.
XlaOp IsUnitary(XlaOp x) {
  const Shape& shape = x.instruction()->shape();
  const i64 n = shape.dims().back();
  const XlaOp product = BatchDot(Adjoint(x), x);
  const Shape& wanted = product.instruction()->shape();
  return Near(product, BroadcastInDim(IdentityMatrix(x.builder(), shape.type(), n, n),
                                      wanted.dims(), wanted.rank() == 2 ? Dims{0, 1} : Dims{1, 2}));
}
// x times a diagonal matrix of reals.
XlaOp TimesDiagonal(XlaOp x, XlaOp d) {
  const Shape& shape = x.instruction()->shape();
  const XlaOp diagonal = ConvertElementType(d, shape.type());
  return Mul(x, BroadcastInDim(diagonal, shape.dims(), shape.rank() == 2 ? Dims{1} : Dims{0, 2}));
}

TEST(LinearAlgebra, Qr) {
  for (std::string_view a : {kTall, kWide, kComplex}) {
    for (bool full : {false, true}) {
      EXPECT_EQ(Result(
                    [full](XlaBuilder&, Ops p) {
                      XlaOp q, r;
                      QrExplicit(p[0], full, q, r);
                      const XlaOp product = Einsum(q, r, "...mk,...kn->...mn");
                      return And(Near(product, p[0]), And(IsUnitary(q), Near(r, UpperTriangle(r))));
                    },
                    {a}),
                kYes)
          << a << full;
    }
  }
  EXPECT_EQ(Result(
                [](XlaBuilder& b, Ops p) {
                  XlaOp q, r;
                  QrExplicit(p[0], true, q, r);
                  return Tuple(&b, {q * ScalarLike(q, 0), r * ScalarLike(r, 0)});
                },
                {"f32[2,1] {{3}, {4}}"})
                .substr(0, 20),
            "(f32[2,2], f32[2,1])");
}

TEST(LinearAlgebra, Lu) {
  for (std::string_view a : {kTall, kWide, kComplex}) {
    EXPECT_EQ(Result(
                  [](XlaBuilder& b, Ops p) {
                    const auto [lu, pivots, permutation] = LuDecomposition(p[0]);
                    const Shape& shape = lu.instruction()->shape();
                    const i64 m = shape.dim(shape.rank() - 2), n = shape.dims().back();
                    const i64 k = std::min(m, n);
                    const XlaOp unit = IdentityMatrix(&b, shape.type(), m, k);
                    const XlaOp lower = SliceInMinorDims(lu, {0, 0}, {m, k});
                    const XlaOp strict = Select(TriangleMask(lower, -1), lower, ZerosLike(lower));
                    const XlaOp l =
                        strict + BroadcastInDim(unit, lower.instruction()->shape().dims(),
                                                shape.rank() == 2 ? Dims{0, 1} : Dims{1, 2});
                    const XlaOp u = UpperTriangle(SliceInMinorDims(lu, {0, 0}, {k, n}));
                    const XlaOp rows =
                        TorchIndexSelect(p[0], permutation, shape.rank() - 2, shape.rank() - 2);
                    return Near(Einsum(l, u, "...mk,...kn->...mn"), rows);
                  },
                  {a}),
              kYes)
        << a;
  }
  EXPECT_EQ(Result(
                [](XlaBuilder& b, Ops p) {
                  const auto [lu, pivots, permutation] = LuDecomposition(p[0]);
                  return Tuple(&b, {pivots, permutation});
                },
                {"f32[3,3] {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}"}),
            "(s32[3], s32[3]) ( {2, 2, 2}, {2, 0, 1} )");
}

TEST(LinearAlgebra, Determinants) {
  const auto both = [](XlaBuilder& b, Ops p) {
    const auto [sign, logdet] = SLogDet(p[0]);
    return Tuple(&b, {sign, logdet});
  };
  EXPECT_EQ(Result(both, {"f64[2,2] {{1, 2}, {3, 4}}"}),
            "(f64[], f64[]) ( -1, 0.69314718055994529 )");
  // Of a permutation that two swaps make, one that one swap makes, a singular matrix, a diagonal.
  EXPECT_EQ(Result(both, {"f32[4,3,3] {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},"
                          " {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, {{1, 2, 3}, {0, 0, 1}, {0, 0, 2}},"
                          " {{4, 0, 0}, {0, 0.5, 0}, {0, 0, -1}}}"}),
            "(f32[4], f32[4]) ( {1, -1, 0, -1}, {0, 0, -inf, 0.693147182} )");
  EXPECT_EQ(Result(both, {"c64[2,2] {{(0, 2), (1, 0)}, {(0, 0), (3, 0)}}"}),
            "(c64[], f32[]) ( (0, 1), 1.79175949 )");
  EXPECT_EQ(Result(both, {"f32[0,0] {}"}), "(f32[], f32[]) ( 1, 0 )");
  const auto log_det = [](XlaBuilder&, Ops p) { return LogDet(p[0]); };
  EXPECT_EQ(Result(log_det, {"f32[2,2,2] {{{2, 0}, {0, 1}}, {{1, 0}, {0, -1}}}"}),
            "f32[2] {0.693147182, nan}");
  EXPECT_EQ(Result(log_det, {"c64[1,1] {{(-1, 0)}}"}), "c64[] (0, 3.14159274)");
  XlaBuilder b("wide");
  EXPECT_FALSE(SLogDet(Parameter(&b, 0, Shape(F32, {2, 3}), "a")).sign.valid());
  EXPECT_TRUE(
      b.first_error().message().starts_with("slogdet: takes square matrices; operand f32[2,3] at "))
      << b.first_error().message();
}

TEST(LinearAlgebra, OfNothing) {
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return LuDecomposition(p[0]).permutation; },
                   {"f32[2,0] {{}, {}}"}),
            "s32[2] {0, 1}");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  XlaOp q, r;
                  QrExplicit(p[0], true, q, r);
                  return q;
                },
                {"f32[2,0] {{}, {}}"}),
            "f32[2,2] { { 1, 0 }, { 0, 1 } }");
}

TEST(LinearAlgebra, SelfAdjointEig) {
  for (bool lower : {true, false}) {
    for (std::string_view a :
         {kComplex, std::string_view("f64[2,2,2] {{{2, 1}, {1, 3}}, {{0, 5}, {5, 0}}}")}) {
      EXPECT_EQ(Result(
                    [lower](XlaBuilder&, Ops p) {
                      const auto [v, w] = SelfAdjointEig(p[0], lower);
                      const XlaOp product = BatchDot(TimesDiagonal(v, w), Adjoint(v));
                      return And(Near(product, Symmetrize(p[0], lower)), IsUnitary(v));
                    },
                    {a}),
                kYes);
    }
  }
}

TEST(LinearAlgebra, Svd) {
  for (std::string_view a : {kTall, kWide, kComplex}) {
    EXPECT_EQ(Result(
                  [](XlaBuilder&, Ops p) {
                    const auto [u, d, v] = SVD(p[0]);
                    const Shape& shape = p[0].instruction()->shape();
                    const i64 k = d.instruction()->shape().dims().back();
                    const XlaOp left = SliceInMinorDims(u, {0}, {k});
                    const XlaOp right = SliceInMinorDims(v, {0}, {k});
                    EXPECT_EQ(u.instruction()->shape().dims().back(), shape.dim(shape.rank() - 2));
                    return And(Near(BatchDot(TimesDiagonal(left, d), Adjoint(right)), p[0]),
                               And(IsUnitary(u), IsUnitary(v)));
                  },
                  {a}),
              kYes)
        << a;
  }
}

TEST(LinearAlgebra, Tridiagonal) {
  EXPECT_EQ(Result(
                [](XlaBuilder& b, Ops p) {
                  return b.ReportErrorOrReturn(
                      tridiagonal::TridiagonalSolver(tridiagonal::kThomas, p[0], p[1], p[2], p[3]));
                },
                {"f64[3] {9, 1, 0}", "f64[3] {2, 2, 1}", "f64[3] {0, 4, 9}",
                 "f64[2,3] {{2, 7, 1}, {4, 2, 2}}"}),
            "f64[2,3] { { 1, 1, 1 }, { 2, -4, 2 } }");
}

TEST(LinearAlgebra, MisuseIsAnError) {
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Qr(p[0]).taus; }, {"s32[2,2] {{1, 2}, {3, 4}}"}),
            "qr: takes f32, f64, c64 or c128 of at least two static dimensions; operand s32[2,2]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return SelfAdjointEig(p[0]).w; }, {kWide}),
            "self adjoint eig: takes square matrices; operand f64[2,3]");
  EXPECT_EQ(
      Result(
          [](XlaBuilder&, Ops p) { return ProductOfElementaryHouseholderReflectors(p[0], p[0]); },
          {kWide}),
      "product of householder reflectors: takes [.., m, n] with m >= n and taus [.., k] of its "
      "type with k <= n; operands f64[2,3], f64[2,3]");
  EXPECT_EQ(
      Result(
          [](XlaBuilder& b, Ops p) {
            return b.ReportErrorOrReturn(
                tridiagonal::TridiagonalSolver(tridiagonal::kThomas, p[0], p[0], p[0], p[0]));
          },
          {kWide}),
      "tridiagonal solver: the diagonals must be f64[3]; operands f64[2,3], f64[2,3], f64[2,3], "
      "f64[2,3]");
  EXPECT_FALSE(SVD(XlaOp()).u.valid());
}

}  // namespace
}  // namespace axle

// Decompositions of matrices [.., m, n], with XLA's names. They are calls of the built-in LAPACK
// targets (docs/custom-calls.md), for f32, f64, c64 and c128; docs/numerics.md has the algorithms.
//
// Errors are recorded in the operand's builder, and the results are invalid then: INVALID_ARGUMENT
// for other types, less than two dimensions, or dynamic ones. A matrix that the algorithm does not
// manage is no error: docs/custom-calls.md says what comes out.
#pragma once
#include <utility>

#include "axle/builder/xla_builder.h"

namespace axle {

// R above and on the diagonal, Householder vectors below; taus [.., min(m, n)].
struct QrDecomposition {
  XlaOp q_and_r;
  XlaOp taus;
};
// Of a [.., m, n]; q_and_r has its shape.
QrDecomposition Qr(XlaOp a, Location location = std::source_location::current());
// a = q r: q [.., m, m] and r [.., m, n], or q [.., m, k] and r [.., k, n] with k = min(m, n).
void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r,
                Location location = std::source_location::current());
// The first n columns, [.., m, n], of the product of the k reflectors in a [.., m, n] and taus
// [.., k], k <= n <= m: q of what Qr gave.
XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus,
                                               Location location = std::source_location::current());

// a's rows in the order `permutation`, s32[.., m], are L U: U above and on the diagonal of lu, L
// below with ones on its diagonal. Step i swapped rows i and pivots[i], s32[.., min(m, n)].
struct LuDecompositionResult {
  XlaOp lu;
  XlaOp pivots;
  XlaOp permutation;
};
// Of a [.., m, n]; lu has its shape.
LuDecompositionResult LuDecomposition(XlaOp a, Location location = std::source_location::current());

// The determinant of square matrices, [..] each: det(a) = sign exp(logdet). sign is 1, 0 or -1, or
// a complex number of magnitude 1 or 0; logdet is real, and -infinity where the determinant is 0.
struct SignAndLogDet {
  XlaOp sign;
  XlaOp logdet;
};
// Of a [.., n, n].
SignAndLogDet SLogDet(XlaOp a, Location location = std::source_location::current());
// log(det(a)), [..], of a [.., n, n] and of its type: NaN for a negative determinant of real
// matrices.
XlaOp LogDet(XlaOp a, Location location = std::source_location::current());

// a v = v diag(w) for a symmetric or Hermitian a, of which one triangle is read: v [.., n, n], w
// [.., n] real and increasing. max_iter, tol and sort_eigenvalues are XLA's, without effect here.
struct SelfAdjointEigResult {
  XlaOp v;
  XlaOp w;
};
// Of a [.., n, n].
SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower = true, i64 max_iter = 15, float tol = 1e-5,
                                    bool sort_eigenvalues = true,
                                    Location location = std::source_location::current());

// a = u diag(d) v^H: u [.., m, m], d [.., min(m, n)] real and decreasing, v [.., n, n]. max_iter,
// epsilon and precision are XLA's, without effect here.
struct SVDResult {
  XlaOp u;
  XlaOp d;
  XlaOp v;
};
// Of a [.., m, n].
SVDResult SVD(XlaOp a, i64 max_iter = 100, float epsilon = 1e-6,
              Precision precision = Precision::kHighest,
              Location location = std::source_location::current());

namespace tridiagonal {

enum SolverAlgorithm { kThomas };

// x with A x = rhs for each row of rhs [.., k, n]; A has the diagonals lower (element 0 unused),
// main and upper (the last unused), [.., n] each, all of rhs's type. Solved with pivoting, whatever
// the algorithm is called. Errors, returned and recorded: the first one of the builder;
// INVALID_ARGUMENT for empty handles or other shapes.
StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algo, XlaOp lower_diagonal, XlaOp main_diagonal,
                                  XlaOp upper_diagonal, XlaOp rhs,
                                  Location location = std::source_location::current());

}  // namespace tridiagonal
}  // namespace axle

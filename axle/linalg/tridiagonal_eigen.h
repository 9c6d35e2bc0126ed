// Eigenvalues and vectors of a real symmetric tridiagonal matrix by implicit QL iteration with
// Wilkinson's shifts. The matrix is one of f64 for vectors of all types, so that the error of the
// eigenvalues is that of the reduction to this form.
#pragma once
#include "axle/linalg/norms.h"

namespace axle {

// Elements that the function needs beside its arguments.
inline i64 TridiagonalEigenScratch(i64 n) {
  return 200 * n;
}

// T = S diag(d) S^T for the tridiagonal T with diagonal d and off-diagonal e (which has n elements,
// the last one for use here). d becomes the eigenvalues, in no order; the rows of `vectors`
// are multiplied by S^T from the left, so that row i belongs to d[i]; it may be without memory.
// `converged` is false if there are more than 30 n iterations. Elements must be finite, and about
// 1 at most.
template <typename T>
Status TridiagonalEigen(double* d, double* e, i64 n, const Matrix<T>& vectors, Limits* limits,
                        bool& converged);

}  // namespace axle

// Singular values and vectors of square matrices of f32 and f64: reduction to a bidiagonal matrix,
// and QR iteration on that.
#pragma once
#include "axle/linalg/blocked.h"

namespace axle {

// Columns and rows that are reduced before the rest of the matrix is brought up to date. The bits
// depend on it.
inline constexpr i64 kBidiagonalBlock = 32;

// Elements of memory that SquareSvd needs beside its arguments.
i64 SquareSvdScratch(i64 n, bool with_vectors);

// The n x n matrix a = U diag(values) V^T, values in decreasing order. Elements of a must be
// finite, and about 1 at most. Uses a up. Row i of u is column i of U, row i of v column i of V;
// both may be null. `converged` is false after 30 n iterations.
template <typename T>
Status SquareSvd(const BlockKernels<T>& kernels, T* a, i64 n, double* values, T* u, T* v,
                 Limits* limits, bool& converged);

}  // namespace axle

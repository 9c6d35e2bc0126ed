// The reduction of a symmetric matrix of f32 or f64 to tridiagonal form, by blocks.
#pragma once
#include "axle/linalg/blocked.h"

namespace axle {

// Columns that are reduced before the rest of the matrix is brought up to date. The bits depend on
// it.
inline constexpr i64 kTridiagonalBlock = 32;

// Elements of memory that the reduction needs.
i64 TridiagonalScratch(i64 n);

// As ReduceToTridiagonal (tridiagonal.h).
template <typename T>
Status BlockedTridiagonal(const BlockKernels<T>& kernels, T* a, i64 stride, i64 n, T* d, T* e,
                          T* taus, Limits* limits);

}  // namespace axle

// Eigenvectors of a matrix from its Schur form (schur.h) by substitution. Vectors are scaled on the
// way so that nothing overflows; where an eigenvalue comes twice, pivots that would be zero are
// replaced by tiny ones, so a defective matrix gets vectors that are nearly parallel.
#pragma once
#include "axle/linalg/schur.h"

namespace axle {

// Right (left) eigenvectors of T, v with T v = w v (v^H T = w v^H), as the columns of `vectors`,
// the largest part of each about 1. A pair of complex eigenvalues of a real T has two columns, the
// real and the imaginary part of the vector of the first.
template <typename T>
Status SchurEigenvectors(const Matrix<T>& form, const Eigenvalues<T>& eigenvalues, bool right,
                         const Matrix<T>& vectors, Limits* limits);

}  // namespace axle

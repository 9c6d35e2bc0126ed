// The Schur form of a matrix by QR iteration: a = Z T Z^H, Z unitary. T is upper triangular if a is
// complex. If a is real, so are T and Z, and a pair of complex eigenvalues is a 2 by 2 block
// {{x, b}, {c, x}} on the diagonal of T with b c < 0: LAPACK's standard form. One fixed algorithm,
// without libm: small shifts, Francis' double one for real matrices.
#pragma once
#include "axle/linalg/hessenberg.h"

namespace axle {

// Where eigenvalues are stored: complex values, or real ones with separate imaginary parts.
template <typename T>
struct Eigenvalues {
  T* values = nullptr;
  PartType<T>* imaginary = nullptr;  // of real matrices only

  void Set(i64 i, T value, PartType<T> imaginary_part = 0) const {
    values[i] = value;
    if (imaginary != nullptr) imaginary[i] = imaginary_part;
  }
};

struct SchurOptions {
  bool whole_form = true;  // or the eigenvalues alone; T is then of no use
  i64 low = 0, high = 0;   // h is upper triangular outside of this range
};

// The Schur form T of the upper Hessenberg h, in place; row i of `vectors` is column i of Z,
// starting from what it is on entry. `vectors` may be without memory. The second member of a pair
// of eigenvalues has the negative imaginary part. `failed` is 0, or i + 1 if the iteration gives up
// with eigenvalues 0 .. i still to be found.
//
// Elements should be about 1 at most (ScaleToOne); all must be finite.
template <typename T>
Status HessenbergSchur(const Matrix<T>& h, const Matrix<T>& vectors, const SchurOptions& options,
                       const Eigenvalues<T>& eigenvalues, Limits* limits, i64& failed);

// An orthogonal 2 by 2 matrix {{c, s}, {-s, c}} that brings {{a, b}, {c, d}} to standard form.
template <typename P>
struct StandardBlock {
  P a, b, c, d;  // the standard form
  P cosine = 1, sine = 0;
  P imaginary = 0;  // of the eigenvalues a +- i imaginary, if c is not 0

  StandardBlock(P a, P b, P c, P d);

 private:
  void Rotate(P cosine_of_step, P sine_of_step);
  void MakeEqualDiagonal();
};

}  // namespace axle

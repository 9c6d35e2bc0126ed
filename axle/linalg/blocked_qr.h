// QR of matrices of f32 and f64 by blocks of reflectors.
#pragma once
#include <vector>

#include "axle/linalg/blocked.h"

namespace axle {

// Reflections that are applied together. The bits depend on it.
inline constexpr i64 kReflectorBlock = 32;

// The reflection of x, n > 0 elements side by side, as MakeReflector (householder.h) has it: beta
// replaces the first element, v[1..] the others. The sum of squares is one of kernels.dots.
template <typename T>
T MakeReflection(const BlockKernels<T>& kernels, T* x, i64 n);

// Elements of memory that the algorithms need for reflectors of so many rows, and other matrices
// with up to `others` rows or columns.
i64 ReflectorScratch(i64 rows, i64 others);

// A product of up to kReflectorBlock reflections, I - V T V^T. Column j of V is 1 in row j, 0
// above, and contiguous.
template <typename T>
class ReflectorBlock {
 public:
  ReflectorBlock(const BlockKernels<T>& kernels, i64 rows, i64 others, Limits* limits);

  // Takes the reflectors below the diagonal of the packed rows x count matrix a.
  void Load(const T* a, i64 stride, i64 rows, i64 count, const T* taus);
  // Factors the rows x count matrix a, packed as QrFactor does, and takes its reflectors.
  void Factor(T* a, i64 stride, i64 rows, i64 count, T* taus);
  // c = Q c, or Q^T c; c has as many rows as V.
  Status ApplyLeft(bool adjoint, T* c, i64 stride, i64 columns);
  // c = c Q, or c Q^T.
  Status ApplyRight(bool adjoint, T* c, i64 stride, i64 rows);

 private:
  // T of the reflectors in v_, of which the part on and above the diagonal is set.
  void MakeT(const T* taus);

  const BlockKernels<T>& kernels_;
  Blocked<T> blocked_;
  std::unique_ptr<T[]> v_, work_;
  T t_[kReflectorBlock * kReflectorBlock];  // column after column
  i64 rows_ = 0, count_ = 0, height_ = 0;
};

// As QrFactor and MultiplyByQ (householder.h), in blocks of kReflectorBlock columns.
template <typename T>
Status BlockedQr(const BlockKernels<T>& kernels, T* a, i64 stride, i64 rows, i64 columns, T* taus,
                 Limits* limits);
template <typename T>
Status BlockedMultiplyByQ(const BlockKernels<T>& kernels, const T* a, i64 stride, i64 rows,
                          const T* taus, i64 count, bool left, bool adjoint, T* c, i64 c_stride,
                          i64 c_rows, i64 c_columns, Limits* limits);
// q becomes the first columns of Q: of the identity, from the last block to the first. A block
// leaves the rows and columns before its own as they are.
template <typename T>
Status BlockedFormQ(const BlockKernels<T>& kernels, const T* a, i64 stride, i64 rows, const T* taus,
                    i64 count, T* q, i64 q_stride, i64 q_columns, Limits* limits);

}  // namespace axle

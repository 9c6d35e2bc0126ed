// Tridiagonal matrices: the reduction of a Hermitian matrix to one (by blocks if it is real,
// blocked_tridiagonal.h), and systems of equations.
#pragma once
#include "axle/linalg/blocked_tridiagonal.h"
#include "axle/linalg/householder.h"

namespace axle {

// Elements of memory that ReduceToTridiagonal needs.
template <typename T>
i64 ReductionScratch(i64 n) {
  return kIsComplexScalar<T> ? 2 * n : TridiagonalScratch(n);
}

// T = Q^H a Q, real and tridiagonal, for the Hermitian a whose lower triangle counts; the other one
// keeps its values. The lower triangle is replaced as LAPACK's sytrd does: T on diagonal
// and subdiagonal, which are d and e too, and below it the reflectors of Q = H[0] H[1] ..., that of
// column k from row k + 2 on. d has n elements, e and taus n - 1.
template <typename T>
Status ReduceToTridiagonal(const Matrix<T>& a, PartType<T>* d, PartType<T>* e, T* taus,
                           Limits* limits) {
  if constexpr (!kIsComplexScalar<T>) {
    return BlockedTridiagonal(HostBlockKernels<T>(), a.data, a.stride, a.rows, d, e, taus, limits);
  }
  const i64 n = a.rows;
  std::vector<T> v, x;
  for (i64 k = 0; k < n; ++k) {
    AXLE_TRY(CheckLimits(limits));
    d[k] = RealPart(a(k, k));
    a(k, k) = d[k];
    if (k + 1 == n) break;
    taus[k] = MakeReflector(a, k + 1, k);
    e[k] = RealPart(a(k + 1, k));
    if (taus[k] == T()) continue;
    // a = H^H a H = a - v w^H - w v^H, where x = tau a v and w = x - (tau (x^H v) / 2) v.
    CopyReflector(a, k + 1, k, v);
    const i64 size = n - k - 1;
    x.assign(size, T());
    for (i64 i = 0; i < size; ++i) {
      const T* row = a.row(k + 1 + i) + k + 1;
      T sum = T();
      for (i64 j = 0; j < i; ++j) {
        sum = MultiplyAdd(row[j], v[j], sum);
        x[j] = MultiplyAdd(Conjugate(row[j]), v[i], x[j]);
      }
      x[i] = sum + Scale(v[i], RealPart(row[i]));
    }
    for (T& element : x) element = Multiply(taus[k], element);
    const T half =
        Scale(Multiply(taus[k], InnerProduct(x.data(), v.data(), size)), PartType<T>(0.5));
    SubtractScaled(half, v.data(), x.data(), size);
    for (i64 i = 0; i < size; ++i) {
      T* row = a.row(k + 1 + i) + k + 1;
      for (i64 j = 0; j <= i; ++j) {
        row[j] = MultiplySubtract(x[i], Conjugate(v[j]),
                                  MultiplySubtract(v[i], Conjugate(x[j]), row[j]));
      }
    }
  }
  return {};
}

// Solves T x = b in place of b by elimination with partial pivoting, between neighbouring rows.
// below[i], diagonal[i] and above[i] are the elements of row i; below[0] and the last of above do
// not count. All three are replaced: the upper factor has its diagonals in `diagonal`, `above`
// and, the second one above, from position 1 of `below`. Returns the first i (from 1) whose pivot
// is zero, with which it stops, or 0.
template <typename T>
i64 SolveTridiagonal(T* below, T* diagonal, T* above, const Matrix<T>& b) {
  const i64 n = b.rows, columns = b.columns;
  const auto size = [](T x) { return Magnitude(RealPart(x)) + Magnitude(ImaginaryPart(x)); };
  T* second = below + 1;  // second[k]: below row k's diagonal, then two above it
  for (i64 k = 0; k + 1 < n; ++k) {
    if (size(diagonal[k]) >= size(second[k])) {
      if (diagonal[k] == T()) return k + 1;
      const T factor = Quotient(second[k], diagonal[k]);
      diagonal[k + 1] = MultiplySubtract(factor, above[k], diagonal[k + 1]);
      SubtractScaled(factor, b.row(k), b.row(k + 1), columns);
      if (k + 2 < n) second[k] = T();
      continue;
    }
    const T factor = Quotient(diagonal[k], second[k]), old = diagonal[k + 1];
    diagonal[k] = second[k];
    diagonal[k + 1] = MultiplySubtract(factor, old, above[k]);
    if (k + 2 < n) {
      second[k] = above[k + 1];
      above[k + 1] = Multiply(-factor, above[k + 1]);
    }
    above[k] = old;
    std::swap_ranges(b.row(k), b.row(k) + columns, b.row(k + 1));
    SubtractScaled(factor, b.row(k), b.row(k + 1), columns);
  }
  if (n > 0 && diagonal[n - 1] == T()) return n;
  for (i64 k = n - 1; k >= 0; --k) {
    if (k + 1 < n) SubtractScaled(above[k], b.row(k + 1), b.row(k), columns);
    if (k + 2 < n) SubtractScaled(second[k], b.row(k + 2), b.row(k), columns);
    for (i64 j = 0; j < columns; ++j) b(k, j) = Quotient(b(k, j), diagonal[k]);
  }
  return 0;
}

// The factors P T = L U of a tridiagonal matrix, for solutions that are finite even where T is
// singular: by LAPACK's lagtf and lagts.
template <typename T>
class PerturbedTridiagonal {
 public:
  using P = PartType<T>;

  // Rows as SolveTridiagonal has them. A row is a better pivot if its element is larger beside the
  // sum of its row.
  PerturbedTridiagonal(const T* below, const T* diagonal, const T* above, i64 n)
      : lower_(below + std::min<i64>(n, 1), below + n),
        diagonal_(diagonal, diagonal + n),
        above_(above, above + n),
        second_(n),
        exchanged_(n) {
    if (n > 0) above_[n - 1] = T();
    P row_sum = n > 0 ? AbsoluteValue(diagonal_[0]) + AbsoluteValue(above_[0]) : P(0);
    for (i64 k = 0; k + 1 < n; ++k) {
      const P size = AbsoluteValue(diagonal_[k]), below_size = AbsoluteValue(lower_[k]);
      const P next_sum =
          below_size + AbsoluteValue(diagonal_[k + 1]) + AbsoluteValue(above_[k + 1]);
      if (lower_[k] == T() || (size != 0 && below_size / next_sum <= size / row_sum)) {
        row_sum = next_sum;
        if (lower_[k] == T()) continue;
        lower_[k] = Quotient(lower_[k], diagonal_[k]);
        diagonal_[k + 1] = MultiplySubtract(lower_[k], above_[k], diagonal_[k + 1]);
        continue;
      }
      exchanged_[k] = true;
      const T factor = Quotient(diagonal_[k], lower_[k]), old = diagonal_[k + 1];
      diagonal_[k] = lower_[k];
      diagonal_[k + 1] = MultiplySubtract(factor, old, above_[k]);
      second_[k] = above_[k + 1];
      above_[k + 1] = Multiply(-factor, above_[k + 1]);
      above_[k] = old;
      lower_[k] = factor;
    }
    P largest = 0;
    for (const auto* elements : {&diagonal_, &above_, &second_}) {
      for (const T& x : *elements) largest = std::max(largest, AbsoluteValue(x));
    }
    perturbation_ =
        std::max(largest * std::numeric_limits<P>::epsilon(), std::numeric_limits<P>::min());
  }

  // x holds the right side, elements `stride` apart, and becomes the solution.
  void Solve(T* x, i64 stride) const {
    const i64 n = static_cast<i64>(diagonal_.size());
    for (i64 k = 0; k + 1 < n; ++k) {
      T &first = x[k * stride], &next = x[(k + 1) * stride];
      if (exchanged_[k]) std::swap(first, next);
      next = MultiplySubtract(lower_[k], first, next);
    }
    for (i64 k = n - 1; k >= 0; --k) {
      T value = x[k * stride];
      if (k + 1 < n) value = MultiplySubtract(above_[k], x[(k + 1) * stride], value);
      if (k + 2 < n) value = MultiplySubtract(second_[k], x[(k + 2) * stride], value);
      x[k * stride] = Divide(value, diagonal_[k]);
    }
  }

 private:
  // The quotient, of a pivot that is moved away from zero, in steps that double, until the quotient
  // does not overflow.
  T Divide(T value, T pivot) const {
    constexpr P kSmallest = std::numeric_limits<P>::min(), kLarge = 1 / kSmallest;
    P step = RealPart(pivot) < 0 ? -perturbation_ : perturbation_;
    const P size = AbsoluteValue(value);
    while (true) {
      const P pivot_size = AbsoluteValue(pivot);
      if (!(pivot_size < 1)) break;
      const bool too_small = pivot_size < kSmallest
                                 ? pivot_size == 0 || size * kSmallest > pivot_size
                                 : size > pivot_size * kLarge;
      if (!too_small) {
        if (pivot_size >= kSmallest) break;
        return Quotient(Scale(value, kLarge), Scale(pivot, kLarge));
      }
      pivot += step;
      step *= 2;
    }
    return Quotient(value, pivot);
  }

  std::vector<T> lower_;                      // factors of L
  std::vector<T> diagonal_, above_, second_;  // U
  std::vector<bool> exchanged_;
  P perturbation_;
};

}  // namespace axle

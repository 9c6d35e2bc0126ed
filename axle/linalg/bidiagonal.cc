// The reduction B = Q^T A P works column by column and row by row, with reflections v[i] from the
// left and u[i] from the right (blocked_qr.h). Inside a block of 32, A stays as it was, and the
// matrix so far is A - V Y^T - X U^T:
//
//   column i takes the chain of - v[t] y[t][i], then - x[t] u[t][i], for the t before i,
//   y[i] = tau (A^T v[i] - Y (V^T v[i]) - U (X^T v[i])), A^T v a chain down the rows,
//   row i takes - y[t] v[t][i], for t <= i, and then - u[t] x[t][i], for t < i,
//   x[i] = tau (A u[i] - V (Y^T u[i]) - X (U^T u[i])), the sums as those of `dots`.
//
// After the block come two products. Half of the work is in these, the other half reads the matrix
// twice per column.
//
// QR iteration works on the bidiagonal matrix in f64 for both types, so that the error of the
// singular values is that of the reduction. From the bottom, the block [l, m] whose elements above
// the diagonal are not negligible takes one implicit step, shifted by the smaller singular value of
// its last 2 by 2 matrix; without shift, in Demmel and Kahan's way, if the shift is small beside
// the first element, which also finds singular values of zero. At most 30 n steps in all.
//
// Vectors are rotated in rows, in reverse order, since a step goes upwards then, as `rotate` likes
// it; rotations are queued as those of tridiagonal_eigen.cc.

#include "axle/linalg/bidiagonal.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "axle/core/stable_sort.h"
#include "axle/linalg/blocked_qr.h"
#include "axle/linalg/norms.h"
#include "axle/linalg/rotation_queue.h"

namespace axle {
namespace {

constexpr i64 kBlock = kBidiagonalBlock;

i64 Height(i64 n) {
  return (n + 15) / 16 * 16;
}

// d and e become the diagonal and the elements above it. Below the diagonal of a are the reflectors
// of Q, right of the elements above it those of P.
template <typename T>
class Reduction {
 public:
  Reduction(const BlockKernels<T>& kernels, T* a, i64 n, Limits* limits)
      : kernels_(kernels),
        limits_(limits),
        blocked_(kernels, {n, n, kBlock}, limits),
        a_(a),
        n_(n),
        height_(Height(n)),
        memory_(new T[5 * kBlock * height_]) {}

  Status Run(double* d, double* e, T* left_taus, T* right_taus) {
    for (i64 first = 0; first < n_; first += kBlock) {
      AXLE_TRY(CheckLimits(limits_));
      const i64 size = n_ - first, count = std::min(kBlock, size);
      T* const corner = a_ + first * (n_ + 1);
      kernels_.transpose(corner, n_, size, count, panel(), height_);
      for (i64 j = 0; j < count; ++j) {
        left_taus[first + j] = ReduceColumn(corner, size, j, d[first + j]);
        if (j + 1 < size) right_taus[first + j] = ReduceRow(corner, size, j, e[first + j]);
      }
      // The panel holds what is on and below the diagonal.
      for (i64 i = 0; i < count; ++i) {
        for (i64 j = 0; j <= i; ++j) corner[i * n_ + j] = panel()[j * height_ + i];
      }
      const i64 rest = size - count;
      if (rest == 0) continue;
      kernels_.transpose(panel() + count, height_, count, rest, corner + count * n_, n_);
      AXLE_TRY(Subtract(v(), y(), corner, count, rest));
      AXLE_TRY(Subtract(x(), u(), corner, count, rest));
    }
    return {};
  }

 private:
  // Element i of column t belongs to row or column i of the block's matrix.
  T* panel() const { return memory_.get(); }
  T* v() const { return memory_.get() + kBlock * height_; }
  T* y() const { return memory_.get() + 2 * kBlock * height_; }
  T* x() const { return memory_.get() + 3 * kBlock * height_; }
  T* u() const { return memory_.get() + 4 * kBlock * height_; }

  // c[begin..] -= sum over t < count of p[t][begin..] q[t][at].
  void SubtractTerms(const T* p, const T* q, i64 at, i64 count, T* c, i64 begin, i64 end) {
    T factors[kBlock];
    for (i64 t = 0; t < count; ++t) factors[t] = q[t * height_ + at];
    kernels_.subtract_combination(p + begin, height_, factors, count, c, end - begin);
  }
  // c -= sum over t < count of p[t][begin..] (q[t][from..] . z), z and c as long as their part.
  void SubtractProjections(const T* p, i64 begin, i64 end, const T* q, i64 from, i64 to, const T* z,
                           i64 count, T* c) {
    T factors[kBlock];
    kernels_.dots(z, q + from, height_, to - from, count, factors);
    kernels_.subtract_combination(p + begin, height_, factors, count, c, end - begin);
  }
  Status Subtract(const T* p, const T* q, T* corner, i64 count, i64 rest) {
    return blocked_.Update({.a = p + count,
                            .a_row = 1,
                            .a_depth = height_,
                            .b = q + count,
                            .b_depth = height_,
                            .b_column = 1,
                            .c = corner + count * (n_ + 1),
                            .c_row = n_,
                            .rows = rest,
                            .columns = rest,
                            .depth = count});
  }

  T ReduceColumn(const T* corner, i64 size, i64 j, double& diagonal) {
    T* const column = panel() + j * height_ + j;
    SubtractTerms(v(), y(), j, j, column, j, size);
    SubtractTerms(x(), u(), j, j, column, j, size);
    const T tau = MakeReflection(kernels_, column, size - j);
    diagonal = column[0];
    T* const vj = v() + j * height_ + j;
    std::copy_n(column, size - j, vj);
    vj[0] = 1;
    const i64 begin = j + 1, length = size - begin;
    if (length == 0) return tau;
    T* const yj = y() + j * height_ + begin;
    std::fill_n(yj, length, T(0));
    if (tau == 0) return tau;
    // The kernel subtracts, and the signs are turned at the end.
    kernels_.subtract_combination(corner + j * n_ + begin, n_, vj, size - j, yj, length);
    for (i64 i = 0; i < length; ++i) yj[i] = -yj[i];
    SubtractProjections(y(), begin, size, v(), j, size, vj, j, yj);
    SubtractProjections(u(), begin, size, x(), j, size, vj, j, yj);
    for (i64 i = 0; i < length; ++i) yj[i] *= tau;
    return tau;
  }

  T ReduceRow(T* corner, i64 size, i64 j, double& above) {
    const i64 begin = j + 1, length = size - begin;
    T* const row = corner + j * n_ + begin;
    SubtractTerms(y(), v(), j, j + 1, row, begin, size);
    SubtractTerms(u(), x(), j, j, row, begin, size);
    const T tau = MakeReflection(kernels_, row, length);
    above = row[0];
    T *const uj = u() + j * height_ + begin, *const xj = x() + j * height_ + begin;
    std::copy_n(row, length, uj);
    uj[0] = 1;
    std::fill_n(xj, length, T(0));
    if (tau == 0) return tau;
    kernels_.dots(uj, corner + begin * (n_ + 1), n_, length, length, xj);
    SubtractProjections(v(), begin, size, y(), begin, size, uj, j + 1, xj);
    SubtractProjections(x(), begin, size, u(), begin, size, uj, j, xj);
    for (i64 i = 0; i < length; ++i) xj[i] *= tau;
    return tau;
  }

  const BlockKernels<T>& kernels_;
  Limits* limits_;
  Blocked<T> blocked_;
  T* a_;
  i64 n_, height_;
  std::unique_ptr<T[]> memory_;
};

// The rotation that makes (f, g) into (r, 0).
struct PlaneRotation {
  double c = 1, s = 0, r;

  PlaneRotation(double f, double g) : r(f) {
    const double square = FusedMultiplyAdd(f, f, g * g);
    if (g == 0 || square <= kSmallestSquare) return;
    r = SquareRoot(square);
    const double inverse = InverseOfRoot(r, square);
    c = f * inverse;
    s = g * inverse;
  }
};

// QR iteration on the matrix with diagonal d and e above it. Rotations of columns i, i + 1 of U and
// V are those of rows n - 2 - i and n - 1 - i in the queues.
template <typename T>
class BidiagonalQr {
 public:
  BidiagonalQr(double* d, double* e, i64 n, RotationQueue<T>* left, RotationQueue<T>* right,
               Limits* limits)
      : d_(d), e_(e), n_(n), left_(left), right_(right), limits_(limits) {}

  Status Run(bool& converged) {
    converged = true;
    i64 steps_left = 30 * n_;
    for (i64 m = n_ - 1; m > 0;) {
      if (IsNegligible(m - 1)) {
        --m;
        continue;
      }
      AXLE_TRY(CheckLimits(limits_));
      if (steps_left-- == 0) {
        converged = false;
        break;
      }
      i64 l = m - 1;
      while (l > 0 && !IsNegligible(l - 1)) --l;
      const double shift = Shift(m);
      const double ratio = d_[l] == 0 ? 0 : shift / d_[l];
      AXLE_TRY(ratio * ratio <= 0x1p-53 ? StepWithoutShift(l, m) : Step(l, m, shift));
    }
    if (left_ == nullptr) return {};
    AXLE_TRY(left_->Flush(limits_));
    return right_->Flush(limits_);
  }

 private:
  // Singular values of f32 need not be exact to the last bit of f64.
  static constexpr double kTolerance = sizeof(T) == 4 ? 0x1p-36 : 0x1p-52;

  bool IsNegligible(i64 i) {
    const double square = e_[i] * e_[i];
    if (square > kSmallestSquare &&
        square > kTolerance * kTolerance * Magnitude(d_[i] * d_[i + 1])) {
      return false;
    }
    e_[i] = 0;
    return true;
  }
  // The smaller singular value of [f g; 0 h]: the product of both is |f h|, and the square of their
  // sum, or difference, (|f| + |h|)^2 + g^2, or with a minus.
  double Shift(i64 m) const {
    const double f = Magnitude(d_[m - 1]), g = e_[m - 1], h = Magnitude(d_[m]);
    const double sum = f + h, difference = f - h, square = g * g;
    return 2 * f * h /
           (SquareRoot(FusedMultiplyAdd(sum, sum, square)) +
            SquareRoot(FusedMultiplyAdd(difference, difference, square)));
  }
  Status Queue(i64 i, const PlaneRotation& left, const PlaneRotation& right) {
    if (left_ == nullptr) return {};
    AXLE_TRY(left_->Add(n_ - 2 - i, left.c, left.s, limits_));
    return right_->Add(n_ - 2 - i, right.c, right.s, limits_);
  }
  Status Step(i64 l, i64 m, double shift) {
    const double size = Magnitude(d_[l]), sign = d_[l] < 0 ? -1 : 1;
    double f = (size - shift) * (sign + shift / d_[l]), g = e_[l];
    for (i64 i = l; i < m; ++i) {
      const PlaneRotation right(f, g);
      if (i > l) e_[i - 1] = right.r;
      const double diagonal = d_[i], above = e_[i];
      f = FusedMultiplyAdd(right.s, above, right.c * diagonal);
      const double next = FusedMultiplyAdd(-right.s, diagonal, right.c * above);
      g = right.s * d_[i + 1];
      const double below = right.c * d_[i + 1];
      const PlaneRotation left(f, g);
      d_[i] = left.r;
      f = FusedMultiplyAdd(left.s, below, left.c * next);
      d_[i + 1] = FusedMultiplyAdd(-left.s, next, left.c * below);
      if (i + 1 < m) {
        g = left.s * e_[i + 1];
        e_[i + 1] = left.c * e_[i + 1];
      }
      AXLE_TRY(Queue(i, left, right));
    }
    e_[m - 1] = f;
    return {};
  }
  Status StepWithoutShift(i64 l, i64 m) {
    double c = 1, old_c = 1, old_s = 0;
    for (i64 i = l; i < m; ++i) {
      const PlaneRotation right(d_[i] * c, e_[i]);
      if (i > l) e_[i - 1] = old_s * right.r;
      const PlaneRotation left(old_c * right.r, d_[i + 1] * right.s);
      d_[i] = left.r;
      c = right.c;
      old_c = left.c;
      old_s = left.s;
      AXLE_TRY(Queue(i, left, right));
    }
    const double last = d_[m] * c;
    d_[m] = last * old_c;
    e_[m - 1] = last * old_s;
    return {};
  }

  double *d_, *e_;
  i64 n_;
  RotationQueue<T>*left_, *right_;
  Limits* limits_;
};

// Row n - 1 - i of `rows` becomes column i of the product of the reflectors that begin in row
// `offset` of column 0 of a.
template <typename T>
Status FormReversedRows(const BlockKernels<T>& kernels, const T* a, i64 n, i64 offset,
                        const T* taus, T* memory, T* rows, Limits* limits) {
  const i64 count = n - offset;
  std::fill_n(memory, n * n, T(0));
  for (i64 i = 0; i < offset; ++i) memory[i * (n + 1)] = 1;
  if (count > 0) {
    AXLE_TRY(BlockedFormQ(kernels, a + offset * n, n, count, taus, count, memory + offset * (n + 1),
                          n, count, limits));
  }
  kernels.transpose(memory, n, n, n, rows + (n - 1) * n, -n);
  return {};
}

}  // namespace

i64 SquareSvdScratch(i64 n, bool with_vectors) {
  return 5 * kBlock * Height(n) + BlockedScratch({n, n, kBlock}) + 12 * n +
         (with_vectors ? 4 * n * n + ReflectorScratch(n, n) + 500 * n : 0);
}

template <typename T>
Status SquareSvd(const BlockKernels<T>& kernels, T* a, i64 n, double* values, T* u, T* v,
                 Limits* limits, bool& converged) {
  std::vector<double> d(n), e(n);
  std::vector<T> left_taus(n), right_taus(n);
  AXLE_TRY(Reduction<T>(kernels, a, n, limits)
               .Run(d.data(), e.data(), left_taus.data(), right_taus.data()));
  std::vector<T> left, right;
  if (u != nullptr) {
    left.resize(n * n);
    right.resize(n * n);
    std::vector<T> memory(n * n), transposed(n * n);
    AXLE_TRY(
        FormReversedRows(kernels, a, n, 0, left_taus.data(), memory.data(), left.data(), limits));
    kernels.transpose(a, n, n, n, transposed.data(), n);
    AXLE_TRY(FormReversedRows(kernels, transposed.data(), n, 1, right_taus.data(), memory.data(),
                              right.data(), limits));
    RotationQueue<T> left_queue(kernels, left.data(), n, n, n);
    RotationQueue<T> right_queue(kernels, right.data(), n, n, n);
    AXLE_TRY(
        BidiagonalQr<T>(d.data(), e.data(), n, &left_queue, &right_queue, limits).Run(converged));
  } else {
    AXLE_TRY(BidiagonalQr<T>(d.data(), e.data(), n, nullptr, nullptr, limits).Run(converged));
  }
  std::vector<i64> order(n);
  std::iota(order.begin(), order.end(), i64{0});
  StableSort(order, [&](i64 i, i64 j) { return Magnitude(d[i]) > Magnitude(d[j]); });
  for (i64 i = 0; i < n; ++i) {
    const i64 from = order[i];
    values[i] = Magnitude(d[from]);
    if (u == nullptr) continue;
    std::copy_n(left.data() + (n - 1 - from) * n, n, u + i * n);
    const T* const column = right.data() + (n - 1 - from) * n;
    std::transform(column, column + n, v + i * n, [&](T x) { return d[from] < 0 ? -x : x; });
  }
  return {};
}

template Status SquareSvd(const BlockKernels<float>&, float*, i64, double*, float*, float*, Limits*,
                          bool&);
template Status SquareSvd(const BlockKernels<double>&, double*, i64, double*, double*, double*,
                          Limits*, bool&);

}  // namespace axle

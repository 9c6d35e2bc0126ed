// QL iteration. From the top, EndOfBlock finds the first place where an off-diagonal element is
// negligible; QlStep does one implicit step on the block [l, m], shifted by the eigenvalue of its
// first 2 by 2 matrix that is closer to d[l], until e[l] vanishes and d[l] is an eigenvalue. At
// most 30 n steps in all.
//
// The rotations of a step act on rows of `vectors`, in which they are rounded to the type of the
// vectors. They are queued, up to 32 n of them, and then applied to a few columns at a time that
// stay in the cache: the rotations are read once per strip of columns instead of the matrix once
// per rotation. This changes the order of work only, since columns are independent.

#include "axle/linalg/tridiagonal_eigen.h"

#include <optional>

#include "axle/linalg/rotation_queue.h"

namespace axle {
namespace {

// The first m >= begin where the matrix splits below row m: e[m] is small beside its neighbours, or
// its square would underflow. `square` is that of the tolerance.
i64 EndOfBlock(const double* d, const double* e, i64 begin, i64 n, double square) {
  for (i64 m = begin; m + 1 < n; ++m) {
    const double size = e[m] * e[m];
    if (size <= kSmallestSquare || size <= square * Magnitude(d[m] * d[m + 1])) return m;
  }
  return n - 1;
}

// One QL step on rows [l, m], shifted by the eigenvalue of the first 2 by 2 block that is closer to
// d[l].
template <typename P>
Status QlStep(double* d, double* e, i64 l, i64 m, RotationQueue<P>* queue, Limits* limits) {
  const double ratio = (d[l + 1] - d[l]) / (2 * e[l]), magnitude = Magnitude(ratio);
  // sqrt(1 + ratio^2) must not overflow; beyond, the 1 does not count.
  const double root =
      magnitude > 1e15 ? magnitude : SquareRoot(FusedMultiplyAdd(ratio, ratio, 1.0));
  double g = d[m] - d[l] + e[l] / (ratio < 0 ? ratio - root : ratio + root);
  double s = 1, c = 1, shift = 0;
  for (i64 i = m - 1; i >= l; --i) {
    const double f = s * e[i], b = c * e[i], square = FusedMultiplyAdd(f, f, g * g);
    if (square <= kSmallestSquare) {
      e[i + 1] = e[m] = 0;  // it splits here already
      d[i + 1] -= shift;
      return {};
    }
    const double size = SquareRoot(square), inverse = InverseOfRoot(size, square);
    e[i + 1] = size;
    s = f * inverse;
    c = g * inverse;
    g = d[i + 1] - shift;
    const double next = FusedMultiplyAdd(d[i] - g, s, 2 * c * b);
    shift = s * next;
    d[i + 1] = g + shift;
    g = FusedMultiplyAdd(c, next, -b);
    if (queue != nullptr) AXLE_TRY(queue->Add(i, c, s, limits));
  }
  d[l] -= shift;
  e[l] = g;
  e[m] = 0;
  return {};
}

}  // namespace

template <typename T>
Status TridiagonalEigen(double* d, double* e, i64 n, const Matrix<T>& vectors, Limits* limits,
                        bool& converged) {
  using P = PartType<T>;
  converged = true;
  constexpr i64 kParts = kIsComplexScalar<T> ? 2 : 1;
  std::optional<RotationQueue<P>> queue;
  if (vectors.data != nullptr) {
    queue.emplace(HostBlockKernels<P>(), reinterpret_cast<P*>(vectors.data),
                  vectors.stride * kParts, vectors.rows, vectors.columns * kParts);
  }
  // Eigenvalues of f32 need not be exact to the last bit of f64.
  const double tolerance = sizeof(P) == 4 ? 0x1p-36 : std::numeric_limits<double>::epsilon();
  i64 steps_left = 30 * n;
  for (i64 l = 0; l < n;) {
    AXLE_TRY(CheckLimits(limits));
    const i64 m = EndOfBlock(d, e, l, n, tolerance * tolerance);
    if (m == l) {
      ++l;
      continue;
    }
    if (steps_left-- == 0) {
      converged = false;
      break;
    }
    AXLE_TRY(QlStep(d, e, l, m, queue ? &*queue : nullptr, limits));
  }
  return queue ? queue->Flush(limits) : Status();
}

#define INSTANTIATE(T) \
  template Status TridiagonalEigen<T>(double*, double*, i64, const Matrix<T>&, Limits*, bool&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace axle

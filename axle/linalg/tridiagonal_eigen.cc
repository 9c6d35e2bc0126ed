// QL iteration. From the top, EndOfBlock finds the first place where an off-diagonal element is
// negligible; QlStep does one implicit step on the block [l, m], shifted by the eigenvalue of its
// first 2 by 2 matrix that is closer to d[l], until e[l] vanishes and d[l] is an eigenvalue. At
// most 30 n steps in all.
//
// The rotations of a step act on rows of `vectors`. They are queued, up to 32 n of them, and then
// applied to 16 columns at a time that stay in the cache: the rotations are read once per 16
// columns instead of the matrix once per rotation. This changes the order of work only, since
// columns are independent.

#include "axle/linalg/tridiagonal_eigen.h"

#include <optional>

namespace axle {
namespace {

// Queues rotations and applies them to 16 columns at a time.
template <typename P>
class RotationQueue {
 public:
  explicit RotationQueue(const Matrix<P>& rows)
      : rows_(rows), capacity_(32 * rows.rows), columns_(kColumns * rows.rows) {
    rotations_.reserve(capacity_);
  }
  Status Add(const RowRotation<P>& rotation, Limits* limits) {
    rotations_.push_back(rotation);
    return static_cast<i64>(rotations_.size()) < capacity_ ? Status() : Flush(limits);
  }
  Status Flush(Limits* limits) {
    for (i64 begin = 0; begin < rows_.columns; begin += kColumns) {
      AXLE_TRY(CheckLimits(limits));
      const i64 count = std::min(kColumns, rows_.columns - begin);
      for (i64 i = 0; i < rows_.rows; ++i) {
        std::copy_n(rows_.row(i) + begin, count, columns_.data() + i * kColumns);
      }
      for (const RowRotation<P>& rotation : rotations_) {
        P *x = columns_.data() + rotation.row * kColumns, *y = x + kColumns;
        const P c = rotation.c, s = rotation.s;
        for (i64 j = 0; j < kColumns; ++j) {
          const P old = x[j];
          x[j] = FusedMultiplyAdd(-s, y[j], c * old);
          y[j] = FusedMultiplyAdd(s, old, c * y[j]);
        }
      }
      for (i64 i = 0; i < rows_.rows; ++i) {
        std::copy_n(columns_.data() + i * kColumns, count, rows_.row(i) + begin);
      }
    }
    rotations_.clear();
    return {};
  }

 private:
  static constexpr i64 kColumns = 16;
  Matrix<P> rows_;
  i64 capacity_;
  std::vector<P> columns_;
  std::vector<RowRotation<P>> rotations_;
};

// sqrt(x^2 + y^2) for numbers of about 1 at most.
template <typename P>
P Hypotenuse(P x, P y) {
  return AbsoluteValue(std::complex<P>(x, y));
}

// The first m >= begin where the matrix splits below row m: e[m] is small beside its neighbours, or
// its square would underflow.
template <typename P>
i64 EndOfBlock(const P* d, const P* e, i64 begin, i64 n) {
  const P smallest = SquareRoot(std::numeric_limits<P>::min());
  for (i64 m = begin; m + 1 < n; ++m) {
    const P size = Magnitude(e[m]);
    if (size <= smallest || size <= std::numeric_limits<P>::epsilon() *
                                        SquareRoot(Magnitude(d[m])) *
                                        SquareRoot(Magnitude(d[m + 1]))) {
      return m;
    }
  }
  return n - 1;
}

// One QL step on rows [l, m], shifted by the eigenvalue of the first 2 by 2 block that is closer to
// d[l].
template <typename P>
Status QlStep(P* d, P* e, i64 l, i64 m, RotationQueue<P>* queue, Limits* limits) {
  const P ratio = (d[l + 1] - d[l]) / (2 * e[l]), root = Hypotenuse(ratio, P(1));
  P g = d[m] - d[l] + e[l] / (ratio < 0 ? ratio - root : ratio + root);
  P s = 1, c = 1, shift = 0;
  for (i64 i = m - 1; i >= l; --i) {
    const P f = s * e[i], b = c * e[i], size = Hypotenuse(f, g);
    if (size <= std::numeric_limits<P>::min() / std::numeric_limits<P>::epsilon()) {
      e[i + 1] = e[m] = 0;  // it splits here already
      d[i + 1] -= shift;
      return {};
    }
    e[i + 1] = size;
    s = f / size;
    c = g / size;
    g = d[i + 1] - shift;
    const P next = FusedMultiplyAdd(d[i] - g, s, 2 * c * b);
    shift = s * next;
    d[i + 1] = g + shift;
    g = FusedMultiplyAdd(c, next, -b);
    if (queue != nullptr) AXLE_TRY(queue->Add({i, c, s}, limits));
  }
  d[l] -= shift;
  e[l] = g;
  e[m] = 0;
  return {};
}

}  // namespace

template <typename T>
Status TridiagonalEigen(PartType<T>* d, PartType<T>* e, i64 n, const Matrix<T>& vectors,
                        Limits* limits, bool& converged) {
  using P = PartType<T>;
  converged = true;
  constexpr i64 kParts = kIsComplexScalar<T> ? 2 : 1;
  std::optional<RotationQueue<P>> queue;
  if (vectors.data != nullptr) {
    queue.emplace(Matrix<P>(reinterpret_cast<P*>(vectors.data), vectors.rows,
                            vectors.columns * kParts, vectors.stride * kParts));
  }
  i64 steps_left = 30 * n;
  for (i64 l = 0; l < n;) {
    AXLE_TRY(CheckLimits(limits));
    const i64 m = EndOfBlock(d, e, l, n);
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

#define INSTANTIATE(T)                                                                            \
  template Status TridiagonalEigen<T>(PartType<T>*, PartType<T>*, i64, const Matrix<T>&, Limits*, \
                                      bool&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace axle

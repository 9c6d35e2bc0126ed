// A queue of rotations of the rows of a matrix, for iterations that make them one by one.
#pragma once
#include <memory>
#include <vector>

#include "axle/linalg/linear_algebra.h"

namespace axle {

// Up to 32 n rotations of f64, n being the number of rows, are rounded to the type of the matrix,
// queued, and then applied to a few columns at a time that stay in the cache: the rotations are
// read once per strip of columns instead of the matrix once per rotation. This changes the order of
// work only, since columns are independent.
template <typename P>
class RotationQueue {
 public:
  RotationQueue(const BlockKernels<P>& kernels, P* rows, i64 stride, i64 num_rows, i64 columns)
      : kernels_(kernels),
        rows_(rows, num_rows, columns, stride),
        capacity_(32 * num_rows),
        scratch_(new P[RotateScratch(num_rows)]) {
    rotations_.reserve(capacity_);
  }
  Status Add(i64 row, double c, double s, Limits* limits) {
    rotations_.push_back({row, static_cast<P>(c), static_cast<P>(s)});
    return static_cast<i64>(rotations_.size()) < capacity_ ? Status() : Flush(limits);
  }
  Status Flush(Limits* limits) {
    AXLE_TRY(CheckLimits(limits));
    kernels_.rotate(rotations_.data(), static_cast<i64>(rotations_.size()), rows_.data,
                    rows_.stride, rows_.rows, rows_.columns, scratch_.get());
    rotations_.clear();
    return {};
  }

 private:
  const BlockKernels<P>& kernels_;
  Matrix<P> rows_;
  i64 capacity_;
  std::unique_ptr<P[]> scratch_;
  std::vector<RowRotation<P>> rotations_;
};

// Squares that are smaller count as zero in an iteration on numbers of about 1.
inline constexpr double kSmallestSquare = 1e-290;

// 1 / root, where root is that of `square`: the division does not wait for the root, on which an
// iteration spends most of its time.
inline double InverseOfRoot(double root, double square) {
  return root * (1 / square);
}

}  // namespace axle

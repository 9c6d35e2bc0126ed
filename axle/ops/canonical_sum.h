// The canonical order of long sums and products (docs/numerics.md): which lane an element goes to,
// and how lanes and chunks are put together. Reductions, dots along rows and everything else that
// adds up many floats share it, so that any vector width and number of threads gives the same bits.
//
//   Elements are numbered r = 0, 1, ...; kSumChunk neighbours are a chunk. Inside a chunk, element
//   r goes to lane r mod L. Lane i takes lane i + L/2, halving; chunks are joined by a binary tree.
#pragma once
#include <algorithm>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/core/sum_chunk.h"

namespace axle {

// The number of lanes of a sum of `count` elements, `columns` of which stand side by side: the
// product of the kept dimensions to the right of the last reduced one. `type` is the declared type.
constexpr i64 SumLanes(i64 count, i64 columns, ElementType type) {
  if (columns >= 16 || count < 16) return 1;
  if (count < 512) return 16;
  return Info(type).bytes > 8 ? 16 : Info(type).bytes == 8 ? 32 : 64;
}

// Joins lanes 0 .. used - 1 of `lanes` into lane 0; the others hold nothing. A lane is `width`
// values side by side. join(acc, x, n) does acc[i] = f(acc[i], x[i]); T is what the pointers point
// to, and `width` counts it.
template <typename T, typename Join>
void JoinLanes(T* values, i64 lanes, i64 used, i64 width, const Join& join) {
  for (i64 half = lanes / 2; half > 0; half /= 2) {
    if (used > half) join(values, values + half * width, (used - half) * width);
    used = std::min(used, half);
  }
}

// Joins the results of chunks as they come: r(0..n) = f(r(0..half), r(half..n)), half the largest
// power of two below n. Keeps one result per bit of n.
template <typename T, typename Join>
class ChunkTree {
 public:
  ChunkTree(i64 width, Join join) : width_(width), join_(std::move(join)) {}

  void Add(const T* chunk) {
    partial_.insert(partial_.end(), chunk, chunk + width_);
    ++count_;
    for (i64 n = count_; n % 2 == 0; n /= 2) JoinLastTwo();
  }
  // Everything together, or null if there was nothing. The tree is empty afterwards; the result
  // stays until the next Add.
  const T* Finish() {
    if (count_ == 0) return nullptr;
    while (static_cast<i64>(partial_.size()) > width_) JoinLastTwo();
    count_ = 0;
    result_.swap(partial_);
    partial_.clear();
    return result_.data();
  }

 private:
  void JoinLastTwo() {
    T* right = partial_.data() + partial_.size() - width_;
    join_(right - width_, right, width_);
    partial_.resize(partial_.size() - width_);
  }

  i64 width_;
  Join join_;
  i64 count_ = 0;
  std::vector<T> partial_;  // results of subtrees, the largest first
  std::vector<T> result_;
};

}  // namespace axle

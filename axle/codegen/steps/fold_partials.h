// Partial results of folds of more than one chunk, for the steps that put chunks together.
#pragma once
#include <algorithm>

#include "axle/codegen/steps/fold_step.h"
#include "axle/ops/canonical_sum.h"

namespace axle {

// Partial results of chunks, as canonical_sum.h's ChunkTree keeps them, in memory of the caller's.
class Partials {
 public:
  Partials(const FoldPlan::Part& fold, std::byte* memory, i64 width)
      : fold_(fold), memory_(memory), width_(width) {}
  // Where the next chunk's result goes.
  std::byte* next() const { return memory_ + used_ * bytes(); }
  void Added() {
    ++used_;
    ++count_;
    for (i64 n = count_; n % 2 == 0; n /= 2) JoinLastTwo();
  }
  const std::byte* Finish() {
    while (used_ > 1) JoinLastTwo();
    return memory_;
  }
  i64 bytes() const { return width_ * fold_.bytes; }

 private:
  void JoinLastTwo() {
    --used_;
    fold_.join(memory_ + (used_ - 1) * bytes(), memory_ + used_ * bytes(), width_, 1, 0);
  }

  const FoldPlan::Part& fold_;
  std::byte* memory_;
  i64 width_;
  i64 used_ = 0, count_ = 0;
};

// The next chunk's result is that of operand `operand`.
inline void FoldInto(const LoopPlan& loop, size_t operand, const Partials& partial,
                     void** pointers) {
  pointers[operand] = partial.next();
  if (!loop.is_checked) return;
  SetBounds(pointers, loop.offsets.size(), operand, partial.next(), partial.bytes());
}

// `width` accumulators that nothing has been folded into.
inline void FillIdentity(const FoldPlan::Part& fold, std::byte* to, i64 width) {
  DispatchBytes(static_cast<int>(fold.bytes), [&]<typename T>() {
    if constexpr (sizeof(T) <= sizeof(fold.identity)) {
      std::fill_n(reinterpret_cast<T*>(to), width, static_cast<T>(fold.identity));
    }
  });
}

}  // namespace axle

// GroupFold: the fold of what the devices of a group have, a block of elements at a time, in the
// order of docs/numerics.md N9: a tree over the positions in the group for known operations, from
// the left for others. Sums and products of narrow floats are f32 from the first to the last.
#pragma once
#include <bit>
#include <memory>
#include <span>

#include "axle/codegen/steps/loop_step.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

struct GroupFold {
  ElementType type = PRIMITIVE_TYPE_INVALID;
  i64 element_bytes = 0;
  bool is_tree = false;
  std::shared_ptr<const LoopPlan> loop;  // of the reducer; null for narrow floats folded in f32
  // These fold two values of f32; widen one; widen the second of two, and fold; round to the type.
  FoldFn as_f32 = nullptr;
  std::shared_ptr<const LoopPlan> widen, fold_widened, narrow;

  // The most elements of a fold, and the scratch memory that a fold of so many values needs.
  i64 block_elements() const { return kBlockBytes / computed_bytes(); }
  static i64 ScratchBytes(std::uint64_t num_values) {
    return (static_cast<i64>(std::bit_width(num_values)) + 2) * kBlockBytes;
  }

  // A value of one position of the group: `count` elements, apart from each other if `run`, in
  // bytes, is less than all of them: then a run follows every `step` bytes.
  struct Runs {
    i64 run = 0, step = 0;
  };
  // The value of one position, or the fold of the values of several that the tree folds before
  // others: its elements are `partial_bytes()` wide and lie in one piece.
  struct Value {
    const std::byte* data = nullptr;
    size_t size = 1;
  };
  i64 partial_bytes() const { return computed_bytes(); }
  // out = the fold of the elements at `values`, at most block_elements(), rounded to the type; or
  // not rounded, if it `is_partial` and of several positions. `out` may be one of the values if
  // these are no runs and nothing is wider than the type.
  void Run(std::span<const Value> values, Runs runs, i64 count, std::byte* out, std::byte* scratch,
           bool is_partial = false) const;

  // Two blocks of the operands and one of the result stay in a first-level cache.
  static constexpr i64 kBlockBytes = 8192;

 private:
  i64 computed_bytes() const { return as_f32 != nullptr ? 4 : element_bytes; }
  // A value on the stack (group_fold.cc).
  struct Entry {
    const std::byte* data;
    size_t size;   // the values that it is the fold of
    bool is_wide;  // it is f32, in its block
  };
  Entry Leaf(const Value& value, Runs runs, i64 count, std::byte* block, std::byte* gathered) const;
  Entry Join(const Entry& a, const Entry& b, i64 count, std::byte* out) const;
};

}  // namespace axle

// The tree needs no recursion: values come one after the other, and two neighbours of equal size
// become one, as in a binary counter. For 7 values, the sizes on the stack are
//
//   1   2   2 1   4   4 1   4 2   4 2 1   and then, from the right,   4 3   7
//
// which is the tree whose left half is the largest power of two below the count. Entry d of the
// stack is in scratch block d, or, a single value that lies in one piece, where it is. A fold from
// the left is the same with one entry that takes all. The last join alone writes to the result, so
// that the result may be where a value was.
//
// Values that are folds already are pushed with their sizes: the stack is then as it is after their
// positions, because the tree folds those before others.
//
// Where the fold is in f32, a value becomes wider when it is joined: in its block if it is the left
// one, on the way if it is the right one. At the end the result is rounded.
#include "axle/codegen/steps/group_fold.h"

#include <cstring>

namespace axle {
namespace {

struct Operand {
  const std::byte* data;
  i64 element_bytes;
};

// One row of neighbours; the last operand is written.
template <size_t kCount>
void RunOn(const LoopPlan& loop, const Operand (&operands)[kCount], i64 count) {
  void* pointers[NumCheckedPointers(kCount)];
  for (size_t i = 0; i < kCount; ++i) {
    pointers[i] = const_cast<std::byte*>(operands[i].data);
    if (!loop.is_checked) continue;
    SetBounds(pointers, kCount, i, pointers[i], count * operands[i].element_bytes);
  }
  RunOneRow(loop, pointers, count);
}

}  // namespace

// A value as the stack has it. `gathered` has room for the elements.
GroupFold::Entry GroupFold::Leaf(const Value& value, Runs runs, i64 count, std::byte* block,
                                 std::byte* gathered) const {
  const std::byte* leaf = value.data;
  if (value.size > 1) return {leaf, value.size, as_f32 != nullptr};
  const i64 bytes = count * element_bytes;
  if (runs.run >= bytes) return {leaf, 1, false};
  std::byte* const to = loop == nullptr ? gathered : block;
  for (i64 at = 0; at < bytes; at += runs.run, leaf += runs.step) {
    std::memcpy(to + at, leaf, static_cast<size_t>(runs.run));
  }
  if (loop != nullptr) return {to, 1, false};
  RunOn(*widen, {{to, element_bytes}, {block, 4}}, count);
  return {block, 1, true};
}

GroupFold::Entry GroupFold::Join(const Entry& a, const Entry& b, i64 count, std::byte* out) const {
  const size_t size = a.size + b.size;
  if (loop != nullptr) {
    RunOn(*loop, {{a.data, element_bytes}, {b.data, element_bytes}, {out, element_bytes}}, count);
    return {out, size, false};
  }
  if (!a.is_wide) {
    RunOn(*widen, {{a.data, element_bytes}, {out, 4}}, count);
  } else if (a.data != out) {  // it came as the fold of several positions
    std::memcpy(out, a.data, static_cast<size_t>(count * 4));
  }
  if (b.is_wide) {
    as_f32(out, b.data, count, 1, 0);
  } else {
    RunOn(*fold_widened, {{out, 4}, {b.data, element_bytes}, {out, 4}}, count);
  }
  return {out, size, true};
}

void GroupFold::Run(std::span<const Value> leaves, Runs runs, i64 count, std::byte* out,
                    std::byte* scratch, bool is_partial) const {
  Entry stack[66];  // a number of values has 64 bits
  stack[0] = {nullptr, 0, false};
  size_t depth = 0;
  std::byte* const gathered =
      scratch + ScratchBytes(leaves.size()) - kBlockBytes;  // no entry gets that far
  const auto block = [&](size_t entry) { return scratch + static_cast<i64>(entry) * kBlockBytes; };
  for (size_t k = 0; k < leaves.size(); ++k) {
    const bool is_last = k + 1 == leaves.size();
    stack[depth] = Leaf(leaves[k], runs, count, block(depth), gathered);
    ++depth;
    while (depth > 1) {
      Entry &a = stack[depth - 2], &b = stack[depth - 1];
      if (is_tree && !is_last && a.size != b.size) break;
      const bool is_result = is_last && depth == 2 && loop != nullptr;
      a = Join(a, b, count, is_result ? out : block(depth - 2));
      --depth;
    }
  }
  if (stack[0].is_wide && !is_partial) {
    RunOn(*narrow, {{stack[0].data, 4}, {out, element_bytes}}, count);
  } else if (stack[0].data != out) {
    const i64 bytes = stack[0].is_wide ? 4 : element_bytes;
    std::memcpy(out, stack[0].data, static_cast<size_t>(count * bytes));
  }
}

}  // namespace axle

// The tree needs no recursion: values come one after the other, and two neighbours of equal size
// become one, as in a binary counter. For 7 values, the sizes on the stack are
//
//   1   2   2 1   4   4 1   4 2   4 2 1   and then, from the right,   4 3   7
//
// which is the tree whose left half is the largest power of two below the count. Entry d of the
// stack is in scratch block d, or, a single value that lies in one piece, where it is. A fold from
// the left is the same with one entry that takes all. The last join alone writes to the result, so
// that the result may be where a value was.
#include "axle/codegen/steps/group_fold.h"

#include <cstring>

#include "axle/core/convert.h"

namespace axle {

// A value as the stack has it. `scratch` is its block; `gathered` has room for the elements too.
const std::byte* GroupFold::Leaf(const std::byte* leaf, Runs runs, i64 count, std::byte* scratch,
                                 std::byte* gathered) const {
  const i64 bytes = count * element_bytes;
  if (runs.run < bytes) {
    std::byte* const to = as_f32 != nullptr ? gathered : scratch;
    for (i64 at = 0; at < bytes; at += runs.run, leaf += runs.step) {
      std::memcpy(to + at, leaf, static_cast<size_t>(runs.run));
    }
    leaf = to;
  }
  if (as_f32 == nullptr) return leaf;
  ConvertElements(type, leaf, F32, scratch, count);
  return scratch;
}

void GroupFold::Join(const std::byte* a, const std::byte* b, i64 count, std::byte* out) const {
  if (as_f32 != nullptr) return as_f32(out, b, count, 1, 0);  // a is there already
  void* pointers[NumCheckedPointers(3)] = {const_cast<std::byte*>(a), const_cast<std::byte*>(b),
                                           out};
  for (size_t i = 0; i < 3 && loop->is_checked; ++i) {
    SetBounds(pointers, 3, i, pointers[i], count * element_bytes);
  }
  RunOneRow(*loop, pointers, count);
}

void GroupFold::Run(std::span<const std::byte* const> leaves, Runs runs, i64 count, std::byte* out,
                    std::byte* scratch) const {
  struct Entry {
    const std::byte* data;
    size_t size;
  };
  Entry stack[66];  // a number of values has 64 bits
  size_t depth = 0;
  std::byte* const gathered =
      scratch + ScratchBytes(leaves.size()) - kBlockBytes;  // no entry gets that far
  const auto block = [&](size_t entry) { return scratch + static_cast<i64>(entry) * kBlockBytes; };
  for (size_t k = 0; k < leaves.size(); ++k) {
    const bool is_last = k + 1 == leaves.size();
    stack[depth] = {Leaf(leaves[k], runs, count, block(depth), gathered), 1};
    ++depth;
    while (depth > 1) {
      Entry &a = stack[depth - 2], &b = stack[depth - 1];
      if (is_tree && !is_last && a.size != b.size) break;
      const bool is_result = is_last && depth == 2 && as_f32 == nullptr;
      std::byte* const to = is_result ? out : block(depth - 2);
      Join(a.data, b.data, count, to);
      a = {to, a.size + b.size};
      --depth;
    }
  }
  if (as_f32 != nullptr) {
    ConvertElements(F32, stack[0].data, type, out, count);
  } else if (leaves.size() == 1 && stack[0].data != out) {
    std::memcpy(out, stack[0].data, static_cast<size_t>(count * element_bytes));
  }
}

}  // namespace axle

// Comparators to compiled merges: a pass of the merge sort that axle/ops/merge_sort.h defines, with
// the comparator in the midst of its loop.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "axle/codegen/llvm/jit.h"
#include "axle/emit/lane_program.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// Neighbouring runs of `width` elements, a power of two, become runs of twice that.
struct MergeKernelSpec {
  // SplitComparator::less. The arrays that are merged are the keys, then others.
  const LaneProgram* less;
  Dims other_bytes;  // of their elements: 1, 2, 4 or 8
  size_t num_keys() const { return less->inputs.size() / 2; }
  size_t num_arrays() const { return num_keys() + other_bytes.size(); }
  i64 bytes_of(size_t array) const {
    return array < num_keys() ? less->inputs[2 * array].element_bytes()
                              : other_bytes[array - num_keys()];
  }
  size_t num_pointers() const { return 2 * num_arrays() + 1; }
};

// Where a pass is. It goes on until `until` and leaves the rest for the next call.
struct MergeState {
  i64 width;
  i64 until;      // an element of the result
  i64 next = 0;   // the first element of the result that is not there yet
  i64 left = 0;   // the elements that are compared for it
  i64 right = 0;  // of the right run; it begins behind the left one
};

// Adds the function `name` to `module`: a LoopKernel of one row of neighbours, which are the line
// that is sorted. Pointers: the arrays as they are, the arrays as they become, and a MergeState.
void EmitMergeKernel(const MergeKernelSpec& spec, const JitTarget& target, const std::string& name,
                     llvm::Module& module);

}  // namespace axle

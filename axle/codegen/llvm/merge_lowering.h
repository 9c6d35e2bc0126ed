// Comparators to compiled merges: a pass of the merge sort that axle/ops/merge_sort.h defines, with
// the comparator inline in its loop.
#pragma once
#include <string>

#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/kernel_spec.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// Adds the function `name` to `module`: a LoopKernel of one row of neighbours, which are the line
// that is sorted. Pointers: the arrays as they are, the arrays as they become, and a MergeState.
void EmitMergeKernel(const MergeKernelSpec& spec, const JitTarget& target, const std::string& name,
                     llvm::Module& module);

}  // namespace axle

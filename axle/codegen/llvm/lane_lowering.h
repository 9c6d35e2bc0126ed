// Lane programs to loops with explicit vectors in LLVM IR.
#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "axle/codegen/llvm/jit.h"
#include "axle/emit/lane_program.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// How an input is read along the inner loop.
enum class InnerStride : std::uint8_t {
  kUnit,     // neighbours
  kUniform,  // one element for the whole row
  kOne,      // one element for all rows: its outer stride is 0
  kAny,      // elements `inner_strides` bytes apart
};

// A compiled loop over `outer` rows of `inner` positions. `pointers` are the elements that the
// first position reads and writes, inputs first; along a row outputs are neighbours, and a fold of
// rows is one element; from row to row operand i moves by outer_strides[i] bytes. An output may be
// the same array as inputs that are read at the same positions, or in later rows, but not overlap
// them otherwise.
// Checked code (JitTarget::checks) finds bounds behind the pointers: access_checks.h.
using LoopKernel = void(void* const* pointers, i64 inner, i64 outer, const i64* outer_strides,
                        const i64* inner_strides);

// What one position costs, roughly: inputs and constants do not count.
i64 NumOperations(const LaneProgram& program);

// Folds in a loop: the last outputs of its program are not stored but folded.
struct LoopFold {
  Primitive join = Primitive::kAdd;  // or kMul, kMin, kMax, kAnd or kOr
  std::uint64_t identity = 0;        // what lanes start from
  // Instead, with kColumns: what gives the new values of this fold and of the next ones, one for
  // each of its outputs, from theirs and then from this row's; these others have no reducer.
  const LaneProgram* reducer = nullptr;
  bool operator==(const LoopFold& other) const {
    return join == other.join && identity == other.identity &&
           (reducer == nullptr || other.reducer == nullptr ? reducer == other.reducer
                                                           : *reducer == *other.reducer);
  }
};

enum class FoldForm : std::uint8_t {
  kNone,
  // Each row becomes one value, which is stored. Position i of a row is in lane i mod `lanes`;
  // lanes are joined by halving, or one after the other if `in_order` (then a row has at most
  // `lanes` positions). Both as in the canonical order of sums, one chunk at most.
  kRows,
  // All rows become one row, on top of what is there: value j = join(value j, row 0), then row 1,
  // and so on.
  kColumns,
};

// What is known of the positions of each row that a kernel is called with.
struct RowSizes {
  static constexpr i64 kWhole = 64;
  bool are_whole = false;  // multiples of kWhole: the kernel may do without a masked tail
  i64 most = std::numeric_limits<i64>::max();  // a turn need not be longer
  // Of the rows of both.
  RowSizes Join(const RowSizes& other) const {
    return {are_whole && other.are_whole, std::max(most, other.most)};
  }
};

struct LoopKernelSpec {
  const LaneProgram* program;
  std::vector<InnerStride> inputs;
  FoldForm form = FoldForm::kNone;
  std::vector<LoopFold> folds = {};
  int lanes = 0;          // kRows: a multiple of 16
  bool in_order = false;  // kRows
  // kNone: whole vectors are written past the caches, and are seen by other threads only after
  // their fence. Each row of an output begins at a multiple of a vector.
  bool streams = false;
  // kNone: it runs over whole arrays once, not over parts that stay in a first-level cache.
  bool passes_once = false;
  // kNone: a few positions at a time. It is short rather than fast.
  bool is_brief = false;
  RowSizes row_sizes = {};
  // By input, or empty: how many bytes behind what it loads lies what it fetches into the caches
  // for later; 0: it does not. That may be behind the end of the array. Or kFetchesPlace: the input
  // is not read, its place is fetched for a loop that will write it.
  std::vector<i64> fetches = {};
  static constexpr i64 kFetchesPlace = -1;
};

// Adds the function `name` to `module`. For each row: a main loop over whole vectors and, where
// rows may need it, one masked tail.
void EmitLoopKernel(const LoopKernelSpec& spec, const JitTarget& target, const std::string& name,
                    llvm::Module& module);

}  // namespace axle

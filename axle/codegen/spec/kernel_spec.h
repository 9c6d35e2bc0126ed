// Kernel specs: what the functions that become machine code compute and how they are called. Data
// alone: schedule/ and steps/ fill specs in, kernel_cache/ compares them, llvm/ writes the code.
// There are three kinds of kernels: loops over arrays, merges of sorted runs, and functions of
// small regions (schedule/small_regions.h), which have a signature here and a region as their spec.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "axle/core/shape.h"
#include "axle/emit/lane_program.h"

namespace axle {

// Inputs and outputs of one loop.
inline constexpr size_t kMaxLoopOperands = 320;

// How an input is read along the inner loop.
enum class InnerStride : std::uint8_t {
  kUnit,     // neighbours
  kUniform,  // one element for the whole row
  kOne,      // one element for all rows: its outer stride is 0
  kAny,      // elements `inner_strides` bytes apart
  kPattern,  // where the pattern of the loop says
};

// Groups: what the row of a loop is made of where the dimensions that arrays agree on are short.
// A row is `inner` groups of `size` positions, and position p of group g of an operand is the
// element g * stride + offsets[p]. All of that is known to the code, which moves lanes by shuffles
// with constant indices. Of two rows of f32[n,3], x[n,i] * y[n,j] has groups of 9 positions:
//
//   x        stride 3, offsets 0 0 0 1 1 1 2 2 2
//   y        stride 3, offsets 0 1 2 0 1 2 0 1 2
//   result   neighbours
struct LoopPattern {
  struct Operand {
    i64 stride = 0;     // elements; of an input negative if groups are read backwards
    Dims offsets = {};  // elements, the least is 0; empty: neighbours, or what InnerStride says
    // Of an output that lies between the elements of another one, which has offsets too: that one,
    // and how many elements behind its first one the first of this one is. They are stored
    // together.
    std::int32_t beside = -1;
    i64 distance = 0;
    bool operator==(const Operand&) const = default;
  };
  i64 size = 0;                   // 0: there are no groups
  std::vector<Operand> operands;  // inputs, then outputs that are no folds
  // With folds: a group is arrays [reduced, columns], row-major, and each has `columns` results.
  // Elements are joined in their order, beginning with the identity.
  i64 reduced = 1, columns = 1;
  bool operator==(const LoopPattern&) const = default;
};

// A compiled loop over `outer` rows of `inner` positions. `pointers` are the elements that the
// first position reads and writes, inputs first; along a row outputs are neighbours, and a fold of
// rows is one element; from row to row operand i moves by outer_strides[i] bytes. An output may be
// the same array as inputs that are read at the same positions, or in later rows, but not overlap
// them otherwise. With a pattern, `inner` is the number of groups of a row.
// Checked code (JitTarget::checks) finds bounds behind the pointers: checked_kernel.h.
using LoopKernel = void(void* const* pointers, i64 inner, i64 outer, const i64* outer_strides,
                        const i64* inner_strides);

// Folds in a loop: the last outputs of its program are not stored but folded.
struct LoopFold {
  Primitive join = Primitive::kAdd;  // or kMul, kMin, kMax, kAnd, kOr, kXor
  std::uint64_t identity = 0;        // the value that lanes start from
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

// Facts about the number of positions of each row that a kernel is called with.
struct RowSizes {
  static constexpr i64 kWhole = 64;
  bool are_whole = false;  // multiples of kWhole: the kernel may do without a masked tail
  i64 most = std::numeric_limits<i64>::max();  // an iteration need not be longer
  // The facts that hold for the rows of both.
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
  // kNone: it runs over whole arrays once, in long rows, not over parts that stay in a first-level
  // cache: memory takes the time.
  bool passes_once = false;
  // kNone: a few positions at a time. It is short rather than fast.
  bool is_brief = false;
  RowSizes row_sizes = {};
  // By input, or empty: the distance in bytes from what a load reads to what it prefetches for
  // later; 0: it prefetches nothing. That may be behind the end of the array. Or kFetchesPlace: the
  // input is not read, its place is prefetched for a loop that will write it.
  std::vector<i64> fetches = {};
  static constexpr i64 kFetchesPlace = -1;
  // kNone, or with folds whose results are neighbours: then rows are groups.
  LoopPattern pattern = {};
};

// Outputs below this may still be in the caches, in part, when they are read.
inline constexpr i64 kMinStreamedBytes = i64{32} << 20;
// But not those of a loop that reads and writes so much in one pass: the end of the pass has pushed
// the beginning out. Outputs below the second number are not worth it.
inline constexpr i64 kMinStreamedPass = i64{48} << 20;
inline constexpr i64 kMinStreamedInPass = i64{4} << 20;

// Neighbouring runs of `width` elements, a power of two, become runs of twice that.
struct MergeKernelSpec {
  // SplitComparator::less. The arrays that are merged are the keys, then others.
  const LaneProgram* less;
  Dims other_bytes;  // bytes of their elements: 1, 2, 4 or 8
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
  i64 right = 0;  // the same of the right run, which begins behind the left one
};

// The fuel of loops in such a function: how many times they may still ask whether to go on. Asking
// when nothing is left gives a new number, or a negative one: the run ends.
struct Fuel {
  i64 left;
  i64 (*more)(Fuel* fuel);
};

// Gives kKernelOk or kKernelFailed. Buffers: inputs, then outputs; in checked code, bounds behind
// them (checked_kernel.h).
using SmallKernel = int(Fuel* fuel, void* const* buffers);

}  // namespace axle

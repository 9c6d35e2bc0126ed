// Regions: the instructions of a computation in groups, each of which becomes one record of a
// program (docs/adr/2026-11-22-cpu-compiler.md). Only arrays are values here: tuples are lists of
// them, and what only takes them apart or gives the same elements another shape is no region.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/codegen/schedule/dot_form.h"
#include "axle/codegen/schedule/fold.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/emit/lane_program.h"
#include "axle/ir/module.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {

// Number of a Value in Schedule::values.
using ValueId = std::uint32_t;

// An array, or the run-time sizes of one (an s64 per dimension).
struct Value {
  const Instruction* inst;  // that it is the value, or part of the value, of
  i64 bytes;
  LaneArray array = {LaneType::kU8};
  i64 num_elements() const { return bytes / array.element_bytes(); }
};

enum class RegionKind : std::uint8_t {
  kLoop,         // elementwise instructions, reading through index maps
  kRows,         // loops that run one after the other over a few rows at a time: row_regions.h
  kMove,         // an index map alone
  kContraction,  // dot or convolution, if a prebuilt kernel does it; else as kEvaluate
  kScatter,      // a scatter, if what it applies is straight-line code; else as kEvaluate
  kSort,         // a sort, if its comparator is straight-line code; else as kEvaluate
  kWindow,  // reduce-window or select-and-scatter, if they apply straight-line code; else likewise
  kEvaluate,  // the row's own evaluator
  kCall,      // a program of its own; likewise while and conditional
  kWhile,
  kConditional,
  kSmall,  // several regions of few elements as one function (small_regions.h)
};
std::string_view Name(RegionKind kind);

struct RegionInput {
  ValueId value;
  Access access = {};  // of kLoop, of kMove without a map, of kContraction with strides
};

// Output `output` may lie where input `input` lies, if nobody reads that afterwards.
struct InPlacePair {
  std::uint32_t output, input;
};

struct Schedule;

// An array that only the loops of one region write and read: memory for a block of its rows, or
// the place of an output of the region that is written after it.
struct RowLocal {
  ValueId value;
  i64 row_bytes;
  i64 offset;  // in the block
  std::optional<std::uint32_t> output = {};
};

struct Region {
  RegionKind kind;
  std::vector<const Instruction*> instructions;  // in order; the last one names the region
  i64 num_positions = 0;                         // kLoop
  std::vector<RegionInput> inputs = {};
  std::vector<ValueId> outputs = {};
  std::vector<InPlacePair> in_place = {};
  LaneProgram program = {};  // kLoop
  Dims sizes = {};           // kLoop: CommonSizes of the accesses
  // kLoop: reductions of positions. The last outputs of the program, and of the region, are theirs.
  FoldShape fold_shape = {};
  std::vector<Fold> folds = {};
  std::vector<i64> fetches = {};  // kLoop: as LoopKernelSpec::fetches
  // kContraction of a dot whose arrays lie apart; the last instruction is the transpose that it
  // writes, if there is one.
  std::optional<ContractionStrides> strides = {};
  // kMove; nothing: inputs[0] by its access.
  std::optional<IndexMap> map = {};
  // kSmall: in order, on values of the same schedule, with the small constants that they read; and
  // for kCall, kWhile and kConditional among them, the schedules of what they call. kRows: the
  // loops, each of which computes an equal part of its positions for each row.
  std::vector<Region> parts = {};
  std::vector<std::pair<ValueId, Literal>> constants = {};
  std::vector<std::shared_ptr<const Schedule>> callees = {};
  // kRows: the arrays between the parts.
  std::vector<RowLocal> locals = {};
  i64 rows = 0, rows_per_block = 0;
  i64 local_bytes = 0;  // for a block
};

// Why a loop does not compute an instruction although it could have: for `axle explain`.
enum class Apart : std::uint8_t {
  kOtherSize,
  kTooMuchWork,
  kTooManyArrays,
  kNoCommonSizes,
  kOtherReduction,
  // Why a loop does not run in blocks of rows together with another one:
  kOtherRows,
  kReadsOtherRows,
  kRowsTooLong,
  kRowsOfTooManyArrays,
};
struct NotFused {
  const Instruction* producer;
  const Instruction* consumer;
  Apart why;
};

struct Schedule {
  std::vector<Value> values;
  std::vector<Region> regions;                         // in the order in which they run
  std::vector<ValueId> arguments;                      // by block of the caller
  std::vector<ValueId> results;                        // likewise
  std::vector<std::pair<ValueId, Literal>> constants;  // that something reads
  std::vector<NotFused> not_fused;
};

// The blocks that hold a value of this shape: one per array, depth first, and for an array with
// dynamic dimensions another one behind it, its run-time sizes. Calls f(const Shape&, bool
// is_sizes) for each.
template <typename F>
void ForEachBlock(const Shape& shape, const F& f) {
  if (shape.is_tuple()) {
    for (const Shape& element : shape.elements()) ForEachBlock(element, f);
  } else if (shape.is_array()) {
    f(shape, false);
    if (!shape.is_static()) f(shape, true);
  }
}
inline i64 BlockBytes(const Shape& shape, bool is_sizes) {
  return is_sizes ? shape.rank() * static_cast<i64>(sizeof(i64)) : shape.num_bytes();
}
i64 NumBlocks(const Shape& shape);

// Whether `inst` is a call, while or conditional whose computations run as programs of a record.
// With dynamic dimensions anywhere in them, its evaluator calls them, in their plain form.
bool RunsPrograms(const Instruction& inst);

// UNIMPLEMENTED if an instruction has no definition that can be compiled; what the limits, unless
// null, say. The memory of the lane programs is reserved from them, also if it fails: the caller
// releases what was added to `reserved` when the schedule, and its copies, are gone.
StatusOr<Schedule> MakeSchedule(const HloComputation& computation,
                                Rounding rounding = Rounding::kStrict, Limits* limits = nullptr,
                                i64* reserved = nullptr);

}  // namespace axle

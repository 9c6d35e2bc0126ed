// Regions: the instructions of a computation in groups, each of which becomes one record of a
// program (docs/adr/2026-11-22-cpu-compiler.md). Only arrays are values here: a tuple is a list of
// them. Instructions that take tuples apart, or give the same elements another shape, need no
// region.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/codegen/schedule/dot_form.h"
#include "axle/codegen/schedule/fold.h"
#include "axle/codegen/schedule/region_kinds.h"
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
  const Instruction* inst;  // the instruction whose value, or part of it, this is
  i64 bytes;
  LaneArray array = {LaneType::kU8};
  i64 num_elements() const { return bytes / array.element_bytes(); }
};

struct RegionInput {
  ValueId value;
  Access access = {};  // for loops, moves without a map, contractions with strides
  // A loop reads elements anywhere in the value: `access` is only where their numbers count from
  // (schedule/indexed_read.h).
  bool is_table = false;
  bool operator==(const RegionInput&) const = default;
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

struct Region;

// The payload of a region beside its values, by kind. A kind that needs nothing more reads and
// writes whole values, as its only instruction says.
struct WholeValues {};
struct LoopRegion {
  i64 num_positions = 0;
  LaneProgram program = {};
  Dims sizes = {};  // CommonSizes of the accesses
  // Reductions of positions. The last outputs of the program, and of the region, are theirs.
  FoldShape fold_shape = {};
  std::vector<Fold> folds = {};
  std::vector<i64> fetches = {};  // as LoopKernelSpec::fetches
  // How its folds run, if it has any.
  FoldPath path() const { return *PathOf(fold_shape, folds, sizes); }
};
struct RowsRegion {
  std::vector<Region> loops;          // each computes an equal part of its positions for each row
  std::vector<RowLocal> locals = {};  // the arrays between them
  i64 rows = 0, rows_per_block = 0;
  i64 local_bytes = 0;  // for a block
};
struct MoveRegion {
  std::optional<IndexMap> map = {};  // nothing: inputs[0] by its access
};
struct ContractionRegion {
  // Set for a dot whose arrays are not row-major; the last instruction of the region is then the
  // transpose that the dot writes, if there is one.
  std::optional<ContractionStrides> strides = {};
};
struct ControlRegion {
  // The schedules of what it calls, if it may become part of a small region.
  std::vector<std::shared_ptr<const Schedule>> callees = {};
  // By callee: for each of its results the argument whose place it takes, or -1. Empty: none does.
  std::vector<std::vector<std::int32_t>> updates = {};
};
struct SmallRegion {
  // In order, on values of the same schedule, with the small constants that they read.
  std::vector<Region> parts;
  std::vector<std::pair<ValueId, Literal>> constants = {};
};

struct Region {
  RegionKind kind;
  std::vector<const Instruction*> instructions;  // in order; the last one names the region
  std::vector<RegionInput> inputs = {};
  std::vector<ValueId> outputs = {};
  std::vector<InPlacePair> in_place = {};
  std::variant<WholeValues, LoopRegion, RowsRegion, MoveRegion, ContractionRegion, ControlRegion,
               SmallRegion>
      payload = {};

  // The payload of that kind; null, or an exception, if the region has another one.
  const LoopRegion* if_loop() const { return std::get_if<LoopRegion>(&payload); }
  const MoveRegion* if_move() const { return std::get_if<MoveRegion>(&payload); }
  const ControlRegion* if_control() const { return std::get_if<ControlRegion>(&payload); }
  LoopRegion& loop() { return std::get<LoopRegion>(payload); }
  const LoopRegion& loop() const { return std::get<LoopRegion>(payload); }
  RowsRegion& rows() { return std::get<RowsRegion>(payload); }
  const RowsRegion& rows() const { return std::get<RowsRegion>(payload); }
  const MoveRegion& move() const { return std::get<MoveRegion>(payload); }
  const ContractionRegion& contraction() const { return std::get<ContractionRegion>(payload); }
  ControlRegion& control() { return std::get<ControlRegion>(payload); }
  const ControlRegion& control() const { return std::get<ControlRegion>(payload); }
  const SmallRegion& small() const { return std::get<SmallRegion>(payload); }
};

// Calls f(const Region&) for the regions that this one is made of.
template <typename F>
void ForEachPart(const Region& region, const F& f) {
  if (const auto* rows = std::get_if<RowsRegion>(&region.payload)) {
    for (const Region& loop : rows->loops) f(loop);
  } else if (const auto* small = std::get_if<SmallRegion>(&region.payload)) {
    for (const Region& part : small->parts) f(part);
  }
}

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
  std::vector<ValueId> results;                        // by block of the caller
  std::vector<std::pair<ValueId, Literal>> constants;  // those that something reads
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

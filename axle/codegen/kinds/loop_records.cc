// How a loop region becomes a record: its lane program moves into the kernel table, and one of
// four plans says how it runs.
//
//   no folds         LoopPlan, tiles of positions
//   folds in order   FoldPlan
//   folds of runs    RunFoldPlan
//   folds staged     StagedFoldPlan
//
// A loop over groups (schedule/loop_pattern.h), with short folds or without, is a LoopPlan too.
//
// The order here matters. Reciprocals are put in (kFast) before the spec, because the key is made
// from the final program; and rows of a kRows region are tiled (TileByRows) before RowSizesOf,
// because the kernel relies on what the tiles are.
//
// Streaming is decided here as well: the outputs of a loop go past the caches if they are large
// (IsWorthStreaming), and in a kRows region only if no later loop reads them.
#include "axle/codegen/kinds/loop_records.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "axle/codegen/steps/quotients.h"
#include "axle/codegen/steps/run_fold_step.h"
#include "axle/codegen/steps/staged_fold_step.h"
#include "axle/codegen/steps/step_time.h"

namespace axle {
namespace {

// The time of one position: the operations of the loop and of its reducers, and the bytes that it
// reads and writes.
double PositionTime(const LoopRegion& region) {
  const LaneProgram& lanes = region.program;
  i64 bytes = 0;
  for (const auto& input : lanes.inputs) bytes += input.element_bytes();
  for (const auto& output : lanes.outputs) bytes += output.element_bytes();
  size_t num_ops = lanes.code.size();
  for (const Fold& fold : region.folds) num_ops += fold.reducer ? fold.reducer->code.size() : 0;
  return static_cast<double>(num_ops) * kOpTime + static_cast<double>(bytes) * kByteTime;
}

// Says for each part of a region of rows whether no later part reads its outputs. Locals count as
// read: they lie in memory that stays in the cache.
std::vector<bool> WhoseOutputsNobodyReads(const RowsRegion& rows) {
  std::set<ValueId> used;  // read by later parts, or locals
  for (const RowLocal& local : rows.locals) used.insert(local.value);
  std::vector<bool> nobody_reads(rows.loops.size());
  for (size_t p = rows.loops.size(); p-- > 0;) {
    const Region& part = rows.loops[p];
    nobody_reads[p] =
        std::ranges::none_of(part.outputs, [&](ValueId value) { return used.contains(value); });
    for (const RegionInput& input : part.inputs) used.insert(input.value);
  }
  return nobody_reads;
}

// Where the parts of a region of rows find the values that they read and write.
std::map<ValueId, RowsPlan::Operand> OperandsOf(const Region& rows) {
  std::map<ValueId, RowsPlan::Operand> operand_of;
  for (size_t i = 0; i < rows.inputs.size(); ++i) operand_of[rows.inputs[i].value] = {.place = i};
  for (size_t o = 0; o < rows.outputs.size(); ++o) {
    operand_of[rows.outputs[o]] = {.place = rows.inputs.size() + o};
  }
  for (const RowLocal& local : rows.rows().locals) {
    operand_of[local.value] = {
        .is_local = true, .offset = local.offset, .row_bytes = local.row_bytes};
    if (local.output) operand_of[local.value] = {.place = rows.inputs.size() + *local.output};
  }
  return operand_of;
}

// Whether the rows of a region of kind kRows, unless there are none, are rows of the loop, as many
// for each, or groups of its only row.
bool HasRowsOf(const GroupedLoop& groups, const Dims& sizes, i64 rows) {
  if (rows == 0) return true;
  i64 of_loop = sizes[0];
  for (size_t d = 1; d + 1 < groups.num_dims; ++d) of_loop *= sizes[d];
  return of_loop % rows == 0;
}

std::shared_ptr<LoopPlan> PlanGroups(const GroupedLoop& groups, const Dims& sizes,
                                     std::span<const LoopOperand> operands) {
  std::shared_ptr<LoopPlan> plan = PlanLoop(sizes, operands, groups.num_dims);
  for (size_t i = 0; i < operands.size(); ++i) {
    plan->offsets[i] += groups.first[i] * operands[i].element_bytes;
  }
  return plan;
}

// At O0 a row costs as much as some hundred elements: what it needs goes through memory from one
// block of code to the next. Few rows are done before slower code for them would be there.
bool HasManyShortRows(const Dims& sizes) {
  constexpr i64 kMinRow = 512, kMinRows = 2048;
  i64 rows = 1;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) rows *= sizes[d];
  return rows >= kMinRows && sizes.back() < kMinRow;
}

}  // namespace

LoopRecords::Rows LoopRecords::MakeRows(Region& region, bool may_stream) {
  Rows made = {std::make_shared<RowsPlan>(), {}};
  RowsPlan& plan = *made.plan;
  RowsRegion& rows = region.rows();
  plan.rows = rows.rows;
  plan.rows_per_block = rows.rows_per_block;
  plan.scratch_place = region.inputs.size() + region.outputs.size();
  const std::map<ValueId, RowsPlan::Operand> operand_of = OperandsOf(region);
  const std::vector<bool> nobody_reads = WhoseOutputsNobodyReads(rows);
  for (size_t p = 0; p < rows.loops.size(); ++p) {
    Region& part = rows.loops[p];
    const LoopRecord& loop =
        made.loops.emplace_back(Make(part, may_stream && nobody_reads[p], rows.rows));
    RowsPlan::Step& step = plan.steps.emplace_back();
    step = {loop.function, loop.plan.get(), {}, loop.num_tiles / rows.rows};
    for (const RegionInput& input : part.inputs) {
      step.operands.push_back(operand_of.at(input.value));
    }
    for (const ValueId output : part.outputs) step.operands.push_back(operand_of.at(output));
    plan.positions_per_row += part.loop().num_positions / rows.rows;
  }
  return made;
}

LoopRecord LoopRecords::Make(Region& region, bool may_stream, i64 rows) {
  std::vector<LoopOperand> operands;
  std::vector<const Access*> accesses;
  LoopRegion& loop = region.loop();
  const LaneProgram& lanes = loop.program;
  for (size_t i = 0; i < region.inputs.size(); ++i) {
    operands.push_back({region.inputs[i].access, lanes.inputs[i].element_bytes()});
    accesses.push_back(&region.inputs[i].access);
  }
  const std::vector<Access> outputs = OutputAccesses(region, sub_views_);
  const Dims sizes = SizesOf(region, sub_views_, rows);
  const size_t num_stores = lanes.outputs.size() - loop.folds.size();
  for (size_t o = 0; o < lanes.outputs.size(); ++o) {
    operands.push_back({outputs[o], lanes.outputs[o].element_bytes()});
  }
  const double time = static_cast<double>(loop.num_positions) * PositionTime(loop);
  auto groups = FindGroups(lanes, sizes, accesses, outputs, loop.fold_shape, loop.folds);
  if (groups && !HasRowsOf(*groups, sizes, rows)) groups.reset();
  const std::vector<InnerStride> strides = groups ? groups->inputs : InnerStrides(accesses, sizes);
  if (rounding_ == Rounding::kFast) loop.program = WithReciprocals(loop.program, strides);
  LoopKernelSpec spec{&kernels_.Keep(std::move(loop.program)), strides};
  if (groups) {
    PutBeside(region, *groups);
    const std::shared_ptr<LoopPlan> plan = PlanGroups(*groups, sizes, operands);
    CheckMemory(*plan, region, outputs);
    CheckBeside(*plan, region, groups->pattern);
    if (rows > 0) TileByRows(*plan, rows);
    SetFoldForm(spec, loop.fold_shape, loop.folds, FoldPath::kInOrder, rounding_);
    spec.pattern = std::move(groups->pattern);
    kernels_.Add(std::move(spec), plan);
    return {&RunLoop, plan, plan.get(), plan->num_tiles, time};
  }
  spec.fetches = loop.fetches;
  if (loop.folds.empty()) {
    const std::shared_ptr<LoopPlan> plan = PlanLoop(sizes, operands);
    CheckMemory(*plan, region, outputs);
    spec.passes_once = rows == 0 && !HasManyShortRows(sizes);
    spec.is_brief = rows > 0 && loop.num_positions == rows;
    if (rows > 0) TileByRows(*plan, rows);
    const i64 passed_bytes = rows == 0 ? PassedBytesOf(region, *plan, operands) : 0;
    if (may_stream && IsWorthStreaming(*plan, operands, num_stores, passed_bytes)) {
      spec.streams = true;
      plan->num_streamed = num_stores;
    }
    spec.row_sizes = RowSizesOf(*plan);
    kernels_.Add(std::move(spec), plan);
    return {&RunLoop, plan, plan.get(), plan->num_tiles, time};
  }
  const FoldPath path = *PathOf(loop.fold_shape, loop.folds, sizes);
  if (path == FoldPath::kRuns) {
    const std::shared_ptr<RunFoldPlan> plan =
        PlanRunFold(loop.fold_shape, loop.folds, sizes, operands, /*has_parts=*/rows == 0, spec);
    CheckMemory(*plan->loop, region, outputs);
    kernels_.Add(std::move(spec), plan->loop);
    const KernelFunction join = plan->parts_per_result > 1 ? &JoinRunFold : nullptr;
    return {&RunRunFold, plan, plan->loop.get(), plan->num_tiles(), time, join};
  }
  if (path == FoldPath::kStaged) {
    spec.inputs.clear();
    const std::shared_ptr<StagedFoldPlan> plan =
        PlanStagedFold(loop.fold_shape, loop.folds, loop.sizes, operands, spec);
    CheckMemory(*plan->loop, region, outputs);
    if (auto program = ProbeProgram(spec, *plan)) {
      LoopKernelSpec probe = AddProbe(kernels_.Keep(*std::move(program)), *plan);
      kernels_.Add(std::move(probe), plan->probe);
    }
    kernels_.Add(std::move(spec), plan->loop);
    return {&RunStagedFold, plan, plan->loop.get(), plan->num_tiles, time};
  }
  SetFoldForm(spec, loop.fold_shape, loop.folds, path, rounding_);
  const std::shared_ptr<FoldPlan> plan =
      PlanFold(loop.fold_shape, loop.folds, spec, sizes, operands);
  CheckMemory(*plan->loop, region, outputs);
  if (rows == 0) FetchAhead(region, *plan->loop, operands, spec);
  if (rows > 0) TileByRows(*plan, rows);
  spec.row_sizes = RowSizesOf(*plan);
  kernels_.Add(std::move(spec), plan->loop);
  return {&RunFold, plan, plan->loop.get(), plan->num_tiles, time};
}

// Rows that come from memory, not from the caches: a processor that asks for neighbours by itself
// does so within a page of 4 KiB only, and not early enough.
void LoopRecords::FetchAhead(const Region& region, const LoopPlan& plan,
                             std::span<const LoopOperand> operands, LoopKernelSpec& spec) const {
  constexpr i64 kFetchedAhead = 1024;
  if (spec.form != FoldForm::kRows || PassedBytesOf(region, plan, operands) < kMinStreamedPass) {
    return;
  }
  for (const InnerStride stride : spec.inputs) {
    spec.fetches.push_back(stride == InnerStride::kUnit ? kFetchedAhead : 0);
  }
}

// Finds the outputs of a grouped loop that lie in the same array: the first of them there gets the
// others beside it.
void LoopRecords::PutBeside(const Region& region, GroupedLoop& groups) const {
  const auto outputs = std::span(groups.pattern.operands).subspan(region.inputs.size());
  const auto place_of = [&](size_t o) {
    return sub_views_.find(region.outputs[o])->second.access.offset +
           groups.first[region.inputs.size() + o];
  };
  std::map<ValueId, size_t> first_in;  // by whole value
  for (const bool is_second_pass : {false, true}) {
    for (size_t o = 0; o < outputs.size(); ++o) {
      const auto view = sub_views_.find(region.outputs[o]);
      if (view == sub_views_.end() || outputs[o].offsets.empty()) continue;
      size_t& first = first_in.try_emplace(view->second.whole, o).first->second;
      if (!is_second_pass) {
        if (place_of(o) < place_of(first)) first = o;
      } else if (first != o && outputs[o].stride == outputs[first].stride) {
        outputs[o].beside = static_cast<std::int32_t>(first);
        outputs[o].distance = place_of(o) - place_of(first);
      }
    }
  }
}

// An array that is read in several ways counts once, and none for more than fills the caches.
i64 LoopRecords::PassedBytesOf(const Region& region, const LoopPlan& plan,
                               std::span<const LoopOperand> operands) const {
  // Each operand is capped at the threshold, so the sum cannot overflow.
  const auto of_operand = [&](size_t i) {
    return std::min(PassedBytes(plan, operands, i), kMinStreamedPass);
  };
  std::map<ValueId, i64> passed;
  for (size_t i = 0; i < region.inputs.size(); ++i) {
    passed[region.inputs[i].value] += of_operand(i);
  }
  i64 bytes = 0;
  for (const auto& [value, read] : passed) bytes += std::min(read, schedule_.values[value].bytes);
  for (size_t i = region.inputs.size(); i < operands.size(); ++i) bytes += of_operand(i);
  return bytes;
}

// `outputs` say where they lie.
void LoopRecords::CheckMemory(LoopPlan& plan, const Region& region,
                              std::span<const Access> outputs) const {
  plan.is_checked = is_checked_;
  if (!is_checked_) return;
  plan.memory_bytes = MemoryBytes(schedule_, region);
  for (size_t o = 0; o < outputs.size(); ++o) {
    i64 last = 0;
    for (const AccessFactor& factor : outputs[o].factors) last += (factor.size - 1) * factor.stride;
    plan.memory_bytes[region.inputs.size() + o] =
        (last + 1) * schedule_.values[region.outputs[o]].array.element_bytes();
  }
}

// What lies beside an output is stored through its pointer.
void LoopRecords::CheckBeside(LoopPlan& plan, const Region& region,
                              const LoopPattern& pattern) const {
  const size_t num_inputs = region.inputs.size();
  for (size_t o = num_inputs; is_checked_ && o < pattern.operands.size(); ++o) {
    const auto& [stride, offsets, beside, distance] = pattern.operands[o];
    if (beside < 0) continue;
    const i64 bytes = schedule_.values[region.outputs[o - num_inputs]].array.element_bytes();
    i64& all = plan.memory_bytes[num_inputs + static_cast<size_t>(beside)];
    all = std::max(all, plan.memory_bytes[o] + distance * bytes);
  }
}

i64 LoopScratchBytes(const Region& region) {
  const LoopRegion& loop = region.loop();
  if (loop.folds.empty()) return 0;
  switch (loop.path()) {
    case FoldPath::kInOrder:
      return FoldScratchBytes(loop.fold_shape, loop.folds.size());
    case FoldPath::kRuns:
      return 0;
    case FoldPath::kStaged:
      return StagedFoldScratchBytes(loop.fold_shape, loop.folds, loop.program);
  }
  return 0;
}

i64 LoopSharedBytes(const Region& region) {
  const LoopRegion& loop = region.loop();
  if (loop.folds.empty() || loop.path() != FoldPath::kRuns) return 0;
  return RunFoldPartBytes(loop.fold_shape, loop.folds.size());
}

Dims MemoryBytes(const Schedule& schedule, const Region& region) {
  Dims bytes;
  for (const RegionInput& input : region.inputs)
    bytes.push_back(schedule.values[input.value].bytes);
  for (const ValueId output : region.outputs) bytes.push_back(schedule.values[output].bytes);
  return bytes;
}

}  // namespace axle

#include "axle/codegen/compiler.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <set>

#include "axle/codegen/contraction_steps.h"
#include "axle/codegen/evaluate_step.h"
#include "axle/codegen/kernel_table.h"
#include "axle/codegen/move_step.h"
#include "axle/codegen/quotients.h"
#include "axle/codegen/report.h"
#include "axle/codegen/row_regions.h"
#include "axle/codegen/rows_step.h"
#include "axle/codegen/scatter_step.h"
#include "axle/codegen/select_step.h"
#include "axle/codegen/sort_step.h"
#include "axle/codegen/staged_fold_step.h"
#include "axle/codegen/window_step.h"
#include "axle/core/strings.h"
#include "axle/ops/control_form.h"
#include "axle/passes/facts.h"
#include "axle/passes/pipeline.h"

namespace axle {
namespace {

// The operands of a loop and its scratch memory.
static_assert(kMaxLoopOperands + 1 <= kMaxParallelPlaces);

// Nanoseconds that one thread takes, roughly: per operation of a lane program and position, per
// byte read or written, per product of numbers.
constexpr double kOpTime = 0.006, kByteTime = 0.03, kProductTime = 0.02;
// Per element that a merge puts into its place.
constexpr double kMergeTime = 2;
// Below this, waking other threads costs more than they save.
constexpr double kLeastSharedTime = 40'000;

bool IsWorthThreads(double nanoseconds) {
  return nanoseconds >= kLeastSharedTime;
}

// The number of products is the geometric mean of the sizes of two operands and the result, or
// near it.
double ContractionTime(const Instruction& inst) {
  double sizes = static_cast<double>(inst.shape().num_elements());
  for (i64 i = 0; i < 2; ++i) sizes *= static_cast<double>(inst.operand(i)->shape().num_elements());
  return __builtin_sqrt(sizes) * kProductTime;
}

// How a computation is called: the same computation may be called in more than one way.
enum class CallForm : std::uint8_t {
  kPlain,   // results in blocks of their own
  kEntry,   // as the module's aliases say
  kUpdate,  // result i takes the place of argument i: the body of a loop
};

class Compiler {
 public:
  Compiler(CompiledModule& compiled, const NativeOptions& options)
      : compiled_(compiled),
        options_(options),
        num_threads_(std::clamp(options.num_threads, 1, kMaxThreads)),
        rounding_(options.fast ? Rounding::kFast : Rounding::kStrict),
        limits_(options.limits) {}

  Status Run() {
    const Module& module = *compiled_.module;
    AXLE_TRY(FindForms(module));
    for (const HloComputation* computation : CalleesFirst(module)) {
      for (const CallForm form : forms_[computation]) AXLE_TRY(Compile(*computation, form));
    }
    compiled_.entry = Find(*module.entry(), CallForm::kEntry);
    if (options_.report) FinishReport(compiled_.report);
    if (!options_.code) return {};
    const ScopedStage stage(compiled_.report, "kernels");
    // Who reads the code gets it in order.
    const bool is_read = options_.on_llvm != nullptr || options_.on_assembly != nullptr;
    return kernels_.Compile(*compiled_.jit, is_read ? 1 : num_threads_, limits_);
  }

 private:
  // Which computations run as programs, and how they are called. Callers first. A computation that
  // becomes part of its caller's functions is none of them.
  Status FindForms(const Module& module) {
    const ScopedStage stage(compiled_.report, "regions");
    forms_[module.entry()].insert(CallForm::kEntry);
    std::vector<const HloComputation*> order = CalleesFirst(module);
    std::ranges::reverse(order);
    for (const HloComputation* computation : order) {
      if (forms_[computation].empty()) continue;
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      AXLE_ASSIGN(const auto schedule, PlainSchedule(*computation));
      Schedule& grouped = grouped_.emplace(computation, *schedule).first->second;
      MakeRowRegions(grouped, num_threads_);
      AXLE_TRY(GroupSmallRegions(
          grouped, [this](const HloComputation& callee) { return PlainSchedule(callee); },
          options_.small_wherever_possible));
      for (const Region& region : grouped.regions) AddForms(region);
    }
    return {};
  }
  void AddForms(const Region& region) {
    // What folds do is part of a loop.
    if (region.kind == RegionKind::kLoop || region.kind == RegionKind::kSmall ||
        region.kind == RegionKind::kRows) {
      return;
    }
    const Instruction& inst = *region.instructions[0];
    for (size_t i = 0; i < inst.callees().size(); ++i) {
      const bool is_body = region.kind == RegionKind::kWhile && i == 1;
      forms_[inst.callee(static_cast<i64>(i))].insert(is_body ? CallForm::kUpdate
                                                              : CallForm::kPlain);
    }
  }

  StatusOr<std::shared_ptr<Schedule>> PlainSchedule(const HloComputation& computation) {
    std::shared_ptr<Schedule>& schedule = schedules_[&computation];
    if (schedule == nullptr) {
      AXLE_ASSIGN(Schedule made, MakeSchedule(computation, rounding_));
      schedule = std::make_shared<Schedule>(std::move(made));
    }
    return schedule;
  }

  CompiledComputation* Find(const HloComputation& computation, CallForm form) {
    const auto it = by_form_.find({&computation, form});
    return it == by_form_.end() ? nullptr : it->second;
  }

  Status Compile(const HloComputation& computation, CallForm form) {
    if (limits_ != nullptr) AXLE_TRY(limits_->Check());
    auto made = std::make_unique<CompiledComputation>();
    CompiledComputation& compiled = *made;
    compiled_.computations.push_back(std::move(made));
    by_form_[{&computation, form}] = &compiled;
    compiled.computation = &computation;
    if (form == CallForm::kPlain) compiled.lanes = CompileScalarComputation(computation);
    Schedule& schedule = used_schedules_.emplace_back(grouped_.at(&computation));
    compiled.blocks = BlocksOf(computation, schedule, form);
    compiled.call = PlanLiteralCall(computation, compiled.blocks);
    AXLE_TRY(PlanContractions(schedule));
    LeaveScattersToEvaluators(schedule);
    PlanSteps(schedule);
    const Parts parts = FindParts(schedule);
    std::map<size_t, ContractionStep> into_parts = PlanContractionsInto(schedule, parts);
    std::vector<i64> scratch_bytes;
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      const Region& region = schedule.regions[r];
      scratch_bytes.push_back(
          region.kind == RegionKind::kContraction ? contractions_[r].scratch_bytes * num_threads_
          : steps_[r].plan != nullptr             ? steps_[r].scratch_bytes * NumParts(steps_[r])
                                                  : ScratchBytes(region));
    }
    for (const auto& [r, step] : into_parts) {
      scratch_bytes[r] = std::max(scratch_bytes[r], step.scratch_bytes * num_threads_);
    }
    const BufferPlan plan = TimedPlan(schedule, compiled.blocks, scratch_bytes, parts);
    for (auto& [r, step] : into_parts) {
      if (plan.parts.contains(schedule.regions[r].outputs[0])) contractions_[r] = std::move(step);
    }
    if (!schedule.regions.empty()) {
      compiled.peak = schedule.regions[plan.peak_region].instructions.back()->name();
    }
    if (options_.report) {
      compiled_.report.programs.push_back(
          ReportProgram(computation, schedule, compiled.blocks, plan));
    }
    AXLE_ASSIGN(compiled.program, MakeProgram(computation, schedule, plan, compiled.blocks));
    if (options_.report) ReportRecords(*compiled.program, form);
    return {};
  }

  BufferPlan TimedPlan(const Schedule& schedule, const BlockUse& blocks,
                       std::span<const i64> scratch_bytes, const Parts& parts) {
    const ScopedStage stage(compiled_.report, "buffers");
    return PlanBuffers(schedule, blocks, scratch_bytes, parts);
  }

  // What only the records say: tiles, kernels and programs.
  void ReportRecords(const Program& program, CallForm form) {
    CompileReport::Program& report = compiled_.report.programs.back();
    if (form == CallForm::kUpdate) report.name += " (in place)";
    reported_names_[&program] = report.name;
    report.pointer_bytes = program.pointer_bytes();
    auto reported = report.records.begin();  // one per region; copies are no regions
    for (const Record& record : program.records) {
      if (record.function == &RunCopy) continue;
      CompileReport::Record& to = *reported++;
      to.num_tiles = record.num_tiles;
      for (const auto& inner : record.programs) to.programs.push_back(reported_names_[inner.get()]);
      if (record.function == &RunRowSteps) {
        for (const RowsPlan::Step& step : static_cast<const RowsPlan*>(record.plan)->steps) {
          to.kernels.push_back(KernelName(step.function, step.plan));
        }
      } else if (record.function == &RunWindow &&
                 !static_cast<const WindowPlan*>(record.plan)->needs_loop()) {
        to.engine = "library";
      } else if (record.function == &RunLoop || record.function == &RunFold ||
                 record.function == &RunStagedFold || record.function == &RunWindow ||
                 record.function == &RunSelect || record.function == &RunSmall) {
        to.kernels = {KernelName(record.function, record.plan)};
      } else if (record.function == &RunSort) {
        const auto& sort = *static_cast<const SortPlan*>(record.plan);
        if (sort.keys != nullptr) to.kernels.push_back(kernels_.NameFor(sort.keys.get()));
        to.kernels.push_back(kernels_.NameFor(sort.merge.get()));
      } else if (record.function == &RunEvaluate) {
        const size_t r = static_cast<size_t>(reported - report.records.begin()) - 1;
        to.note = contractions_[r].reason;
        for (const auto* callee : static_cast<const EvaluatePlan*>(record.plan)->callees) {
          if (!callee->lanes) to.programs.push_back(reported_names_[callee->program.get()]);
        }
      }
    }
  }

  std::string KernelName(KernelFunction function, const void* plan) const {
    if (function == &RunFold) plan = static_cast<const FoldPlan*>(plan)->loop.get();
    if (function == &RunStagedFold) plan = static_cast<const StagedFoldPlan*>(plan)->loop.get();
    if (function == &RunWindow) plan = static_cast<const WindowPlan*>(plan)->loop.get();
    if (function == &RunSelect) plan = static_cast<const SelectPlan*>(plan)->loop.get();
    return kernels_.NameFor(plan);
  }

  // The block of the array at `path` in a value of this shape, or -1: not a static array.
  static std::int32_t BlockAt(const Shape& shape, std::span<const i64> path, std::int32_t first) {
    if (path.empty()) return shape.is_array() && shape.is_static() ? first : -1;
    for (i64 i = 0; i < path[0]; ++i)
      first += static_cast<std::int32_t>(NumBlocks(shape.element(i)));
    return BlockAt(shape.element(path[0]), path.subspan(1), first);
  }

  BlockUse BlocksOf(const HloComputation& computation, const Schedule& schedule, CallForm form) {
    BlockUse blocks;
    blocks.argument_of_result.assign(schedule.results.size(), -1);
    for (size_t i = 0; i < schedule.results.size() && form == CallForm::kUpdate; ++i) {
      blocks.argument_of_result[i] = static_cast<std::int32_t>(i);
    }
    if (form != CallForm::kEntry) return blocks;
    std::set<std::int32_t> taken;
    for (const AliasEntry& alias : compiled_.module->config().input_output_alias) {
      std::int32_t first = 0;
      for (i64 p = 0; p < alias.parameter; ++p) {
        first += static_cast<std::int32_t>(NumBlocks(computation.parameters()[p]->shape()));
      }
      const Shape& parameter = computation.parameters()[alias.parameter]->shape();
      const std::int32_t argument = BlockAt(parameter, alias.parameter_index, first);
      const std::int32_t result = BlockAt(computation.root()->shape(), alias.output_index, 0);
      if (argument < 0 || result < 0 || !taken.insert(argument).second) continue;
      if (schedule.values[schedule.arguments[argument]].bytes !=
          schedule.values[schedule.results[result]].bytes) {
        continue;
      }
      blocks.argument_of_result[result] = argument;
    }
    return blocks;
  }

  InstructionSet kernel_set() const {
    return compiled_.jit->target().isa == NativeIsa::kAvx512 ? InstructionSet::kX86V4
                                                             : InstructionSet::kX86V3;
  }
  // Plans what prebuilt kernels do; for the rest, evaluators take over.
  Status PlanContractions(Schedule& schedule) {
    contractions_.assign(schedule.regions.size(), {});
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      Region& region = schedule.regions[r];
      if (region.kind != RegionKind::kContraction) continue;
      const ContractionStrides* strides = region.strides ? &*region.strides : nullptr;
      contractions_[r] = PlanContraction(*region.instructions[0], kernel_set(), strides);
      if (contractions_[r].reason.empty()) continue;
      AXLE_INVARIANT(strides == nullptr, "a dot that reads views has a kernel");
      region.kind = RegionKind::kEvaluate;
    }
    return {};
  }

  // What they do, by region, if their results are parts that are no runs.
  std::map<size_t, ContractionStep> PlanContractionsInto(const Schedule& schedule,
                                                         const Parts& parts) const {
    std::map<size_t, ContractionStep> steps;
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      const Region& region = schedule.regions[r];
      if (region.kind != RegionKind::kContraction) continue;
      const auto part = parts.find(region.outputs[0]);
      if (part == parts.end() || part->second.is_run()) continue;
      const Instruction& inst = *region.instructions[0];
      const auto strides =
          StridesInto(inst, *region.instructions.back(), region.strides, part->second.from_first());
      steps[r] = PlanContraction(inst, kernel_set(), &*strides);
    }
    return steps;
  }

  // Those that apply more than straight code.
  void LeaveScattersToEvaluators(Schedule& schedule) {
    for (Region& region : schedule.regions) {
      if (region.kind != RegionKind::kScatter) continue;
      const auto& lanes = Find(*region.instructions[0]->callee(0), CallForm::kPlain)->lanes;
      const bool can_loop =
          lanes && lanes->inputs.size() + lanes->outputs.size() <= kMaxLoopOperands;
      if (!can_loop) region.kind = RegionKind::kEvaluate;
    }
  }

  // A record that is planned before memory is.
  struct PlannedStep {
    KernelFunction function = nullptr;
    std::shared_ptr<const void> plan = nullptr;
    i64 num_tiles = 1, scratch_bytes = 0;
    double nanoseconds = 0;
  };
  // Plans what has a compiled form; for the rest, evaluators take over.
  void PlanSteps(Schedule& schedule) {
    steps_.assign(schedule.regions.size(), {});
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      Region& region = schedule.regions[r];
      if (region.kind != RegionKind::kWindow && region.kind != RegionKind::kSort) continue;
      const Instruction& inst = *region.instructions[0];
      steps_[r] = region.kind == RegionKind::kSort ? MakeSort(inst)
                  : inst.callees().size() == 1     ? MakeWindow(inst)
                                                   : MakeSelect(inst);
      if (steps_[r].plan == nullptr) region.kind = RegionKind::kEvaluate;
    }
  }
  // That run at a time.
  i64 NumParts(const PlannedStep& step) const {
    const bool is_shared = IsWorthThreads(step.nanoseconds);
    return is_shared ? std::min<i64>(num_threads_, step.num_tiles) : 1;
  }
  PlannedStep MakeSort(const Instruction& inst) {
    const auto& lanes = Find(*inst.callee(0), CallForm::kPlain)->lanes;
    const auto plan = lanes ? PlanSort(inst, *lanes) : nullptr;
    if (plan == nullptr) return {};
    const LaneProgram& keys = plan->comparator.keys;
    if (!keys.outputs.empty()) {
      const InnerStride stride = plan->step == 1 ? InnerStride::kUnit : InnerStride::kAny;
      plan->keys = NewLoop({&keys, std::vector<InnerStride>(keys.inputs.size(), stride)});
    }
    plan->merge = NewLoop(plan->merge_spec);
    return {&RunSort, plan, plan->num_lines, plan->scratch_bytes, plan->num_steps() * kMergeTime};
  }
  PlannedStep MakeWindow(const Instruction& inst) {
    CompiledComputation& applied = *Find(*inst.callee(0), CallForm::kPlain);
    const auto plan = applied.lanes ? PlanWindow(inst, *applied.lanes) : nullptr;
    if (plan == nullptr) return {};
    if (plan->needs_loop()) plan->loop = LoopOf(applied);
    if (plan->window.reads_apart) {
      std::vector<InnerStride> strides(2 * plan->arrays.size(), InnerStride::kUnit);
      std::fill(strides.begin() + std::ssize(plan->arrays), strides.end(), InnerStride::kAny);
      plan->apart = NewLoop({&*applied.lanes, std::move(strides)});
    }
    return {&RunWindow, plan, plan->num_tiles, plan->scratch_bytes,
            TimeOf(*applied.lanes, plan->num_folded)};
  }
  PlannedStep MakeSelect(const Instruction& inst) {
    const auto& select = Find(*inst.callee(0), CallForm::kPlain)->lanes;
    CompiledComputation& scatter = *Find(*inst.callee(1), CallForm::kPlain);
    const auto plan = select && scatter.lanes ? PlanSelect(inst, *scatter.lanes) : nullptr;
    if (plan == nullptr) return {};
    const LaneProgram& lanes = lane_programs_.emplace_back(SelectLoop(*select));
    const auto loop = [&](InnerStride next) {
      return NewLoop(
          {&lanes, {InnerStride::kUnit, InnerStride::kUnit, next, InnerStride::kUniform}});
    };
    plan->loop = loop(InnerStride::kUnit);
    if (plan->window.reads_apart) plan->apart = loop(InnerStride::kAny);
    if (!plan->fold) plan->scatter = LoopOf(scatter);
    return {&RunSelect, plan, plan->num_tiles, plan->scratch_bytes,
            TimeOf(lanes, static_cast<double>(plan->num_sources) *
                              static_cast<double>(plan->window.num_taps))};
  }
  static double TimeOf(const LaneProgram& lanes, double count) {
    return count * static_cast<double>(lanes.code.size()) * kOpTime;
  }

  const Program& ProgramOf(const Instruction& inst, i64 i, CallForm form = CallForm::kPlain) {
    return *Find(*inst.callee(i), form)->program;
  }

  // Of one call of a loop's step.
  static i64 LoopScratchBytes(const Region& region) {
    return IsStaged(region.fold_shape, region.folds)
               ? StagedFoldScratchBytes(region.fold_shape, region.folds, region.program)
               : FoldScratchBytes(region.fold_shape, region.folds.size());
  }

  // The frames of the programs that a region runs.
  i64 ScratchBytes(const Region& region) {
    const Instruction& inst = *region.instructions[0];
    switch (region.kind) {
      case RegionKind::kCall:
        return ProgramOf(inst, 0).frame_bytes;
      case RegionKind::kWhile:
        return kPlaceAlignment + ProgramOf(inst, 0).frame_bytes +
               ProgramOf(inst, 1, CallForm::kUpdate).frame_bytes;
      case RegionKind::kConditional: {
        i64 bytes = 0;
        for (size_t i = 0; i < inst.callees().size(); ++i) {
          bytes = std::max(bytes, ProgramOf(inst, static_cast<i64>(i)).frame_bytes);
        }
        return bytes;
      }
      case RegionKind::kLoop:
        return LoopScratchBytes(region) * num_threads_;
      case RegionKind::kRows:
        return region.local_bytes * num_threads_;
      default:
        return 0;
    }
  }

  StatusOr<std::shared_ptr<const Program>> MakeProgram(const HloComputation& computation,
                                                       Schedule& schedule, const BufferPlan& plan,
                                                       const BlockUse& blocks) {
    auto program = std::make_shared<Program>();
    program->name = computation.name();
    program->num_blocks = static_cast<i64>(schedule.arguments.size() +
                                           std::ranges::count(blocks.argument_of_result, -1));
    AXLE_TRY(SetConstants(*program, schedule, plan));
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      AXLE_TRY(AddRegion(*program, schedule, plan, r));
    }
    for (const BufferPlan::Copy& copy : plan.copies) {
      AddCopy(*program, copy.from, copy.to, copy.bytes);
    }
    // Values lie behind the pointers of all places.
    for (Place& place : program->places) {
      if (place.base == Place::kFrame) place.offset += program->pointer_bytes();
    }
    program->frame_bytes = program->pointer_bytes() + plan.frame_bytes;
    return std::shared_ptr<const Program>(std::move(program));
  }

  static Status SetConstants(Program& program, const Schedule& schedule, const BufferPlan& plan) {
    if (plan.constant_bytes == 0) return {};
    auto* const constants = static_cast<std::byte*>(
        std::aligned_alloc(kPlaceAlignment, static_cast<size_t>(plan.constant_bytes)));
    if (constants == nullptr) return ResourceExhausted("compile: no memory for constants");
    program.constants = std::shared_ptr<const std::byte>(
        constants, [](const std::byte* block) { std::free(const_cast<std::byte*>(block)); });
    for (const auto& [value, literal] : schedule.constants) {
      std::memcpy(constants + plan.places[value].offset, literal.bytes(),
                  static_cast<size_t>(literal.num_bytes()));
    }
    return {};
  }

  struct CopyPlan {
    i64 bytes;
  };
  static int RunCopy(const RunContext*, const void* plan, void* const* buffers, i64, i64) {
    std::memcpy(buffers[1], buffers[0],
                static_cast<size_t>(static_cast<const CopyPlan*>(plan)->bytes));
    return kKernelOk;
  }

  static Record& AddRecord(Program& program, std::span<const Place> places, std::string name) {
    Record& record = program.records.emplace_back();
    record.first_place = static_cast<std::uint32_t>(program.places.size());
    record.num_places = static_cast<std::uint32_t>(places.size());
    record.name = std::move(name);
    program.places.insert(program.places.end(), places.begin(), places.end());
    return record;
  }

  template <typename Plan>
  static void SetKernel(Program& program, Record& record, KernelFunction function,
                        std::shared_ptr<Plan> plan) {
    record.function = function;
    record.plan = plan.get();
    program.owned.push_back(std::move(plan));
  }

  static void AddCopy(Program& program, const Place& from, const Place& to, i64 bytes) {
    if (bytes == 0 || from == to) return;
    const Place places[] = {from, to};
    SetKernel(program, AddRecord(program, places, "copy"), &RunCopy,
              std::make_shared<CopyPlan>(CopyPlan{bytes}));
  }

  Status AddRegion(Program& program, Schedule& schedule, const BufferPlan& plan, size_t r) {
    Region& region = schedule.regions[r];
    const std::string name(region.instructions.back()->name());
    std::vector<Place> inputs, outputs;
    for (const RegionInput& input : region.inputs) inputs.push_back(plan.places[input.value]);
    for (const ValueId output : region.outputs) outputs.push_back(plan.places[output]);
    std::vector<Place> places = inputs;
    places.insert(places.end(), outputs.begin(), outputs.end());
    const Place scratch = {Place::kFrame, plan.scratch_offsets[r]};
    const Instruction& inst = *region.instructions[0];
    switch (region.kind) {
      case RegionKind::kLoop:
        places.push_back(scratch);
        AddLoop(program, schedule, region, plan.parts, AddRecord(program, places, name));
        return {};
      case RegionKind::kRows:
        places.push_back(scratch);
        AddRows(program, schedule, region, plan.parts, AddRecord(program, places, name));
        return {};
      case RegionKind::kMove: {
        std::shared_ptr<const MovePlan> move = PlanMove(region, schedule, plan.parts);
        Record& record = AddRecord(program, places, name);
        record.num_tiles = move->num_tiles;
        record.is_parallel = IsWorthThreads(2 * kByteTime * static_cast<double>(move->moved_bytes));
        SetKernel(program, record, &RunMove, std::move(move));
        return {};
      }
      case RegionKind::kContraction: {
        for (size_t i = 0; i < inputs.size(); ++i) {
          const i64 bytes = Info(inst.operand(static_cast<i64>(i))->shape().type()).bytes;
          places[i].offset += region.inputs[i].access.offset * bytes;
        }
        places.push_back(scratch);
        Record& record = AddRecord(program, places, name);
        record.num_tiles = contractions_[r].num_tiles;
        record.scratch_bytes = contractions_[r].scratch_bytes;
        record.is_parallel = IsWorthThreads(ContractionTime(inst));
        // A vector's memory is aligned for any plain data.
        auto plan = std::make_shared<std::vector<std::byte>>(std::move(contractions_[r].plan));
        record.function = contractions_[r].function;
        record.plan = plan->data();
        program.owned.push_back(std::move(plan));
        return {};
      }
      case RegionKind::kScatter: {
        CompiledComputation& applied = *Find(*inst.callee(0), CallForm::kPlain);
        auto scatter = PlanScatter(inst, *applied.lanes);
        if (scatter->how == ScatterPlan::How::kLoop) scatter->loop = LoopOf(applied);
        SetKernel(program, AddRecord(program, places, name), &RunScatter, std::move(scatter));
        return {};
      }
      case RegionKind::kSort:
      case RegionKind::kWindow: {
        places.push_back(scratch);
        Record& record = AddRecord(program, places, name);
        record.num_tiles = steps_[r].num_tiles;
        record.scratch_bytes = steps_[r].scratch_bytes;
        record.is_parallel = NumParts(steps_[r]) > 1;
        SetKernel(program, record, steps_[r].function, std::move(steps_[r].plan));
        return {};
      }
      case RegionKind::kEvaluate: {
        auto evaluate = std::make_shared<EvaluatePlan>(EvaluatePlan{&inst, {}});
        for (const HloComputation* callee : inst.callees()) {
          CompiledComputation* const compiled = Find(*callee, CallForm::kPlain);
          // A sort compares one by one.
          if (GetOpDef(inst).lowering != Lowering::kSort) LoopOf(*compiled);
          evaluate->callees.push_back(compiled);
        }
        SetKernel(program, AddRecord(program, places, name), &RunEvaluate, std::move(evaluate));
        return {};
      }
      case RegionKind::kCall: {
        places.push_back(scratch);
        Record& record = AddRecord(program, places, name);
        record.kind = Record::Kind::kCall;
        record.programs = {Find(*inst.callee(0), CallForm::kPlain)->program};
        return {};
      }
      case RegionKind::kWhile: {
        for (size_t i = 0; i < inputs.size(); ++i) {
          AddCopy(program, inputs[i], outputs[i], schedule.values[region.outputs[i]].bytes);
        }
        outputs.push_back(scratch);  // the pred
        outputs.push_back({Place::kFrame, scratch.offset + kPlaceAlignment});
        Record& record = AddRecord(program, outputs, name);
        record.kind = Record::Kind::kWhile;
        record.programs = {Find(*inst.callee(0), CallForm::kPlain)->program,
                           Find(*inst.callee(1), CallForm::kUpdate)->program};
        return {};
      }
      case RegionKind::kConditional:
        AddConditional(program, inst, inputs, outputs, scratch);
        return {};
      case RegionKind::kSmall: {
        Record& record = AddRecord(program, places, name);
        auto small = std::make_shared<SmallPlan>();
        if (is_checked()) small->memory_bytes = MemoryBytes(schedule, region);
        KeepConstants(program, region);
        SetKernel(program, record, &RunSmall, small);
        kernels_.Add(std::move(region), schedule, std::move(small));
        return {};
      }
    }
    return Internal("codegen: a region of no kind");
  }

  // The loop of a computation of scalars over arrays, or null: it is no straight code, or of too
  // many arrays.
  std::shared_ptr<LoopPlan> LoopOf(CompiledComputation& computation) {
    if (!computation.lanes || computation.lanes_loop) return computation.lanes_loop;
    const size_t num_inputs = computation.lanes->inputs.size();
    if (num_inputs + computation.lanes->outputs.size() > kMaxLoopOperands) return nullptr;
    computation.lanes_loop = NewLoop({&*computation.lanes, std::vector<InnerStride>(num_inputs)});
    return computation.lanes_loop;
  }
  // A kernel for steps that say themselves on what it runs.
  template <typename Spec = LoopKernelSpec>
  std::shared_ptr<LoopPlan> NewLoop(Spec spec) {
    auto loop = std::make_shared<LoopPlan>();
    loop->is_checked = is_checked();
    kernels_.Add(std::move(spec), loop);
    return loop;
  }

  // The large constants of callees stay where they are.
  static void KeepConstants(Program& program, const Region& region) {
    for (const auto& callee : region.callees) {
      const bool has_large = std::ranges::any_of(callee->constants, [&](const auto& constant) {
        return !IsSmall(callee->values[constant.first]);
      });
      if (has_large) program.owned.push_back(callee);
      for (const Region& inner : callee->regions) KeepConstants(program, inner);
    }
    for (const Region& part : region.parts) KeepConstants(program, part);
  }

  bool is_checked() const { return compiled_.checks != nullptr; }
  // Of the arrays that a region reads and writes.
  static Dims MemoryBytes(const Schedule& schedule, const Region& region) {
    Dims bytes;
    for (const RegionInput& input : region.inputs) {
      bytes.push_back(schedule.values[input.value].bytes);
    }
    for (const ValueId output : region.outputs) bytes.push_back(schedule.values[output].bytes);
    return bytes;
  }
  // `outputs` say where they lie.
  void CheckMemory(LoopPlan& plan, const Schedule& schedule, const Region& region,
                   std::span<const Access> outputs) const {
    plan.is_checked = is_checked();
    if (!plan.is_checked) return;
    plan.memory_bytes = MemoryBytes(schedule, region);
    for (size_t o = 0; o < outputs.size(); ++o) {
      i64 last = 0;
      for (const AccessFactor& factor : outputs[o].factors)
        last += (factor.size - 1) * factor.stride;
      plan.memory_bytes[region.inputs.size() + o] =
          (last + 1) * schedule.values[region.outputs[o]].array.element_bytes();
    }
  }

  // A loop, with folds or without, as a record or a part of one.
  struct LoopStep {
    KernelFunction function;
    std::shared_ptr<const void> plan;
    i64 num_tiles;
    double nanoseconds;
  };
  // With `rows`, the number of tiles is a multiple of it. `may_stream`: nobody needs its outputs in
  // the caches.
  LoopStep MakeLoop(const Schedule& schedule, Region& region, const Parts& parts, bool may_stream,
                    i64 rows = 0) {
    std::vector<LoopOperand> operands;
    std::vector<const Access*> accesses;
    const LaneProgram& lanes = region.program;
    for (size_t i = 0; i < region.inputs.size(); ++i) {
      operands.push_back({region.inputs[i].access, lanes.inputs[i].element_bytes()});
      accesses.push_back(&region.inputs[i].access);
    }
    const std::vector<Access> outputs = OutputAccesses(region, parts);
    const Dims sizes = SizesOf(region, parts, rows);
    const size_t num_stores = lanes.outputs.size() - region.folds.size();
    for (size_t o = 0; o < lanes.outputs.size(); ++o) {
      operands.push_back({outputs[o], lanes.outputs[o].element_bytes()});
    }
    double bytes = 0;
    for (const LoopOperand& operand : operands) bytes += static_cast<double>(operand.element_bytes);
    size_t num_ops = lanes.code.size();
    for (const Fold& fold : region.folds) num_ops += fold.reducer ? fold.reducer->code.size() : 0;
    const double time = static_cast<double>(region.num_positions) *
                        (static_cast<double>(num_ops) * kOpTime + bytes * kByteTime);
    const std::vector<InnerStride> strides = InnerStrides(accesses, sizes);
    if (rounding_ == Rounding::kFast) region.program = WithReciprocals(region.program, strides);
    LoopKernelSpec spec{&lane_programs_.emplace_back(std::move(region.program)), strides};
    if (region.folds.empty()) {
      std::shared_ptr<LoopPlan> plan = PlanLoop(sizes, operands);
      CheckMemory(*plan, schedule, region, outputs);
      spec.passes_once = rows == 0;
      if (rows > 0) TileByRows(*plan, rows);
      if (may_stream && IsWorthStreaming(*plan, operands, num_stores)) {
        spec.streams = true;
        plan->num_streamed = num_stores;
      }
      kernels_.Add(std::move(spec), plan);
      return {&RunLoop, plan, plan->num_tiles, time};
    }
    if (IsStaged(region.fold_shape, region.folds)) {
      spec.inputs.clear();
      std::shared_ptr<StagedFoldPlan> plan =
          PlanStagedFold(region.fold_shape, region.folds, region.sizes, operands, spec);
      CheckMemory(*plan->loop, schedule, region, outputs);
      kernels_.Add(std::move(spec), plan->loop);
      return {&RunStagedFold, plan, plan->num_tiles, time};
    }
    SetFoldForm(spec, region.fold_shape, region.folds, rounding_);
    std::shared_ptr<FoldPlan> plan =
        PlanFold(region.fold_shape, region.folds, spec, sizes, operands);
    CheckMemory(*plan->loop, schedule, region, outputs);
    if (rows > 0) TileByRows(*plan, rows);
    kernels_.Add(std::move(spec), plan->loop);
    return {&RunFold, plan, plan->num_tiles, time};
  }

  // Whether outputs may be written past the caches: none takes the place of an input, which has
  // been read into them, and each begins where such a write may begin.
  static bool MayStream(const Program& program, const Record& record, const Region& region) {
    const auto places = std::span(program.places).subspan(record.first_place);
    const auto inputs = places.first(region.inputs.size());
    const auto outputs = places.subspan(inputs.size(), region.outputs.size());
    return std::ranges::none_of(outputs, [&](const Place& output) {
      return output.offset % kPlaceAlignment != 0 ||
             std::ranges::find(inputs, output) != inputs.end();
    });
  }

  void AddLoop(Program& program, const Schedule& schedule, Region& region, const Parts& parts,
               Record& record) {
    record.scratch_bytes = LoopScratchBytes(region);
    LoopStep step = MakeLoop(schedule, region, parts, MayStream(program, record, region));
    record.num_tiles = step.num_tiles;
    record.is_parallel = IsWorthThreads(step.nanoseconds);
    SetKernel(program, record, step.function, std::move(step.plan));
  }

  void AddRows(Program& program, const Schedule& schedule, Region& region, const Parts& parts,
               Record& record) {
    auto plan = std::make_shared<RowsPlan>();
    plan->rows = region.rows;
    plan->rows_per_block = region.rows_per_block;
    plan->scratch_place = region.inputs.size() + region.outputs.size();
    std::map<ValueId, RowsPlan::Operand> operand_of;
    for (size_t i = 0; i < region.inputs.size(); ++i) {
      operand_of[region.inputs[i].value] = {.place = i};
    }
    for (size_t o = 0; o < region.outputs.size(); ++o) {
      operand_of[region.outputs[o]] = {.place = region.inputs.size() + o};
    }
    for (const RowLocal& local : region.locals) {
      operand_of[local.value] = {
          .is_local = true, .offset = local.offset, .row_bytes = local.row_bytes};
      if (local.output) operand_of[local.value] = {.place = region.inputs.size() + *local.output};
    }
    double time = 0;
    const bool may_any_stream = MayStream(program, record, region);
    std::set<ValueId> used;  // by later parts, or not outside
    for (const RowLocal& local : region.locals) used.insert(local.value);
    std::vector<bool> may_stream(region.parts.size());
    for (size_t p = region.parts.size(); p-- > 0;) {
      may_stream[p] =
          may_any_stream && std::ranges::none_of(region.parts[p].outputs,
                                                 [&](ValueId v) { return used.contains(v); });
      for (const RegionInput& input : region.parts[p].inputs) used.insert(input.value);
    }
    for (size_t p = 0; p < region.parts.size(); ++p) {
      Region& loop = region.parts[p];
      LoopStep made = MakeLoop(schedule, loop, parts, may_stream[p], region.rows);
      RowsPlan::Step step{made.function, made.plan.get(), {}, made.num_tiles / region.rows};
      for (const RegionInput& input : loop.inputs) step.operands.push_back(operand_of[input.value]);
      for (const ValueId output : loop.outputs) step.operands.push_back(operand_of[output]);
      plan->steps.push_back(std::move(step));
      plan->positions_per_row += loop.num_positions / region.rows;
      program.owned.push_back(std::move(made.plan));
      time += made.nanoseconds;
    }
    record.num_tiles = plan->num_tiles();
    record.is_parallel = IsWorthThreads(time);
    record.scratch_bytes = region.local_bytes;
    SetKernel(program, record, &RunRowSteps, std::move(plan));
  }

  void AddConditional(Program& program, const Instruction& inst, std::span<const Place> inputs,
                      std::span<const Place> outputs, const Place& scratch) {
    std::vector<Place> places = {inputs[0], scratch};
    size_t next = 1;
    for (i64 i = 1; i < inst.num_operands(); ++i) {
      const i64 count = NumBlocks(inst.operand(i)->shape());
      for (i64 k = 0; k < count; ++k) places.push_back(inputs[next++]);
      places.insert(places.end(), outputs.begin(), outputs.end());
    }
    Record& record = AddRecord(program, places, std::string(inst.name()));
    record.kind = Record::Kind::kConditional;
    record.index_is_pred = inst.operand(0)->shape().type() == PRED;
    for (const HloComputation* branch : inst.callees()) {
      record.programs.push_back(Find(*branch, CallForm::kPlain)->program);
    }
  }

  CompiledModule& compiled_;
  const NativeOptions& options_;
  const int num_threads_;
  const Rounding rounding_;
  Limits* const limits_;
  std::map<const Program*, std::string> reported_names_;
  std::map<const HloComputation*, std::set<CallForm>> forms_;
  std::map<std::pair<const HloComputation*, CallForm>, CompiledComputation*> by_form_;
  std::map<const HloComputation*, std::shared_ptr<Schedule>> schedules_;  // before grouping
  std::map<const HloComputation*, Schedule> grouped_;
  // Until they are compiled:
  std::deque<Schedule> used_schedules_;  // one per form
  std::deque<LaneProgram> lane_programs_;
  KernelTable kernels_;
  // Of the computation at hand, by region:
  std::vector<ContractionStep> contractions_;
  std::vector<PlannedStep> steps_;
};

}  // namespace

StatusOr<CompiledModule> CompileModule(const Module& module, const JitTarget& target,
                                       const NativeOptions& options) {
  CompiledModule compiled;
  {
    const ScopedStage stage(compiled.report, "passes");
    compiled.module = options.run_passes ? nullptr : module.Clone();
    if (compiled.module == nullptr) {
      PipelineOptions passes = {.limits = options.limits};
      if (options.report) {
        passes.after_each = [&](const PassReport& pass) {
          for (const PassNote& note : pass.notes) {
            compiled.report.layouts.push_back({note.computation, note.instruction, note.text});
          }
        };
      }
      AXLE_ASSIGN(compiled.module, RunPipeline(module, passes));
    }
  }
  JitTarget checked = target;
  if (options.check_accesses || kAlwaysChecksAccesses) {
    compiled.checks = std::make_unique<AccessChecks>();
    checked.checks = compiled.checks.get();
  }
  AXLE_ASSIGN(compiled.jit, Jit::Create(checked, options));
  compiled.report.target = Name(target.isa);
  AXLE_TRY(Compiler(compiled, options).Run());
  return compiled;
}

}  // namespace axle

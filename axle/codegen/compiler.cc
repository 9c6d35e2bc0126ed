// How a module becomes programs:
//
//   passes      RunPipeline: HLO to HLO
//   regions     FindForms: schedules, callers first, with their row regions and small regions. A
//               computation that is part of its caller's code (a reducer, the body of a small
//               loop) needs no program
//   programs    Compile, callees first: steps that say how much memory they need are planned,
//               then the buffers, then one record is written per region
//   kernels     all different kernels of the module, by several threads
//
// A computation is compiled once for each way in which it is called (CallForm): as the entry, whose
// results may replace donated arguments; as the body of a loop, whose result i always lies where
// argument i lies; as a branch, some of whose results lie where arguments lie; or plainly.
// Schedules are cached before grouping; each form works on a copy, because writing records moves
// lane programs out of it.
//
// A region whose kind turns out to have no step for it becomes one of kind kEvaluate (PlanSteps):
// its evaluator takes over. The kernel table points into the schedules of used_schedules_ (small
// regions, reducers), which therefore live until the kernels are compiled.
#include "axle/codegen/compiler.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/report.h"
#include "axle/codegen/schedule/row_regions.h"
#include "axle/codegen/schedule/small_regions.h"
#include "axle/codegen/schedule/sub_views.h"
#include "axle/codegen/steps/compiled_computations.h"
#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"
#include "axle/ops/control_form.h"
#include "axle/passes/facts.h"
#include "axle/passes/pipeline.h"

namespace axle {
namespace {

// The operands of a loop and its scratch memory.
static_assert(kMaxLoopOperands + 1 <= kMaxPlacesBesideScratch);

class Compiler {
 public:
  Compiler(CompiledModule& compiled, const JitTarget& target, const NativeOptions& options)
      : compiled_(compiled),
        target_(target),
        options_(options),
        num_threads_(std::clamp(options.num_threads, 1, kMaxThreads)),
        rounding_(options.fast ? Rounding::kFast : Rounding::kStrict),
        limits_(options.limits),
        computations_(compiled.computations),
        planner_(computations_, kernels_, KernelSetOf(target), rounding_, is_checked(),
                 num_threads_) {}

  ~Compiler() {
    if (limits_ != nullptr) limits_->Release(reserved_);
  }
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  Status Run(const MakeKernels& make_kernels) {
    const Module& module = *compiled_.module;
    AXLE_TRY(FindForms(module));
    for (const HloComputation* computation : CalleesFirst(module)) {
      for (const CallForm& form : forms_[computation]) AXLE_TRY(Compile(*computation, form));
    }
    compiled_.entry = &computations_.Get(*module.entry(), CallForm::Entry());
    if (options_.debug.report) FinishReport(compiled_.report);
    if (!options_.debug.code) return {};
    const ScopedStage stage(compiled_.report, "kernels");
    AXLE_ASSIGN(compiled_.code, make_kernels(kernels_, target_, options_));
    return {};
  }

 private:
  // Which computations run as programs, and how they are called. Callers first. A computation that
  // becomes part of its caller's functions is none of them.
  Status FindForms(const Module& module) {
    const ScopedStage stage(compiled_.report, "regions");
    forms_[module.entry()].insert(CallForm::Entry());
    std::vector<const HloComputation*> order = CalleesFirst(module);
    std::ranges::reverse(order);
    for (const HloComputation* computation : order) {
      const bool has_program = std::ranges::any_of(
          forms_[computation], [](const CallForm& form) { return form != CallForm::Lanes(); });
      if (!has_program) continue;
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      AXLE_ASSIGN(const auto schedule, PlainSchedule(*computation));
      Schedule& grouped = grouped_.emplace(computation, *schedule).first->second;
      MakeRowRegions(grouped, num_threads_);
      AXLE_TRY(GroupSmallRegions(
          grouped, [this](const HloComputation& callee) { return PlainSchedule(callee); },
          options_.debug.small_wherever_possible));
      for (const Region& region : grouped.regions) AddForms(region);
    }
    return {};
  }
  void AddForms(const Region& region) {
    const RegionKindDef& kind = GetKind(region.kind);
    if (kind.has_callees_inside) return;
    const Instruction& inst = *region.instructions[0];
    for (size_t i = 0; i < inst.callees().size(); ++i) {
      const HloComputation& callee = *inst.callee(static_cast<i64>(i));
      const ControlRegion* const control = region.if_control();
      const bool is_lanes = TakesLanes(inst) && CompileScalarComputation(callee).has_value();
      forms_[&callee].insert(control != nullptr ? CallForm::Of(*control, i)
                             : is_lanes         ? CallForm::Lanes()
                                                : CallForm());
    }
  }
  // Whether evaluators and steps of this instruction take straight-line code as a lane program.
  static bool TakesLanes(const Instruction& inst) {
    const Lowering lowering = GetOpDef(inst).lowering;
    return lowering == Lowering::kReduce || lowering == Lowering::kWindow ||
           lowering == Lowering::kScatter || lowering == Lowering::kSort;
  }

  StatusOr<std::shared_ptr<Schedule>> PlainSchedule(const HloComputation& computation) {
    std::shared_ptr<Schedule>& schedule = schedules_[&computation];
    if (schedule == nullptr) {
      AXLE_ASSIGN(Schedule made, MakeSchedule(computation, rounding_, limits_, &reserved_));
      schedule = std::make_shared<Schedule>(std::move(made));
    }
    return schedule;
  }

  // Plans of steps come before the plan of buffers, because they say how much scratch memory they
  // need, and the plan of buffers before records, because it says which sub-views there are.
  Status Compile(const HloComputation& computation, const CallForm& form) {
    using Kind = CallForm::Kind;
    if (limits_ != nullptr) AXLE_TRY(limits_->Check());
    CompiledComputation& compiled = computations_.Add(computation, form);
    if (form.kind == Kind::kPlain || form.kind == Kind::kLanes) {
      compiled.lanes = CompileScalarComputation(computation);
    }
    if (form.kind == Kind::kLanes) return {};
    Schedule& schedule = used_schedules_.emplace_back(grouped_.at(&computation));
    compiled.blocks = BlocksOf(computation, schedule, form);
    compiled.call = PlanLiteralCall(computation, compiled.blocks);
    PlanSteps(schedule);
    const SubViews sub_views = FindSubViews(schedule);
    std::map<size_t, PlannedStep> into_views = PlanIntoViews(schedule, sub_views);
    std::vector<i64> scratch_bytes;
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      const PlannedStep& step = planned_[r];
      scratch_bytes.push_back(step.function != nullptr
                                  ? step.scratch_bytes * step.NumParts(num_threads_)
                                  : ScratchBytes(schedule.regions[r]));
    }
    for (const auto& [r, step] : into_views) {
      scratch_bytes[r] =
          std::max(scratch_bytes[r], step.scratch_bytes * step.NumParts(num_threads_));
    }
    const BufferPlan plan = TimedPlan(schedule, compiled.blocks, scratch_bytes, sub_views);
    for (auto& [r, step] : into_views) {
      if (plan.sub_views.contains(schedule.regions[r].outputs[0])) planned_[r] = std::move(step);
    }
    if (!schedule.regions.empty()) {
      compiled.peak = schedule.regions[plan.peak_region].instructions.back()->name();
    }
    if (options_.debug.report) {
      compiled_.report.programs.push_back(
          ReportProgram(computation, schedule, compiled.blocks, plan));
    }
    AXLE_ASSIGN(compiled.program, MakeProgram(computation, schedule, plan, compiled.blocks));
    if (options_.debug.report) ReportRecords(schedule, *compiled.program, form);
    return {};
  }

  BufferPlan TimedPlan(const Schedule& schedule, const BlockUse& blocks,
                       std::span<const i64> scratch_bytes, const SubViews& sub_views) {
    const ScopedStage stage(compiled_.report, "buffers");
    return PlanBuffers(schedule, blocks, scratch_bytes, sub_views);
  }

  // Adds to the report what only the records say: tiles, kernels and programs.
  void ReportRecords(const Schedule& schedule, const Program& program, const CallForm& form) {
    CompileReport::Program& report = compiled_.report.programs.back();
    if (form.kind == CallForm::Kind::kUpdate) report.name += " (in place)";
    reported_names_[&program] = report.name;
    report.pointer_bytes = program.pointer_bytes();
    report.position = std::ssize(compiled_.report.programs) - 1;
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      const Region& region = schedule.regions[r];
      const Record& record = program.records[made_[r].record];
      CompileReport::Record& to = report.records[r];
      to.num_tiles = record.num_tiles;
      to.position = static_cast<i64>(made_[r].record);
      for (const auto& inner : record.programs) to.programs.push_back(reported_names_[inner.get()]);
      for (const void* kernel : made_[r].kernels) to.kernels.push_back(kernels_.NameFor(kernel));
      if (planned_[r].function != nullptr) to.engine = to.kernels.empty() ? "library" : "compiled";
      if (region.kind != RegionKind::kEvaluate) continue;
      to.note = planned_[r].reason;
      for (const HloComputation* callee : region.instructions[0]->callees()) {
        const CompiledComputation& called = computations_.Applied(*callee);
        if (!called.lanes) to.programs.push_back(reported_names_[called.program.get()]);
      }
    }
  }

  // The block of the array at `path` in a value of this shape, or -1: not a static array.
  static std::int32_t BlockAt(const Shape& shape, std::span<const i64> path, std::int32_t first) {
    if (path.empty()) return shape.is_array() && shape.is_static() ? first : -1;
    for (i64 i = 0; i < path[0]; ++i)
      first += static_cast<std::int32_t>(NumBlocks(shape.element(i)));
    return BlockAt(shape.element(path[0]), path.subspan(1), first);
  }

  // Aliases of the entry count for static arrays of equal size, and each argument is replaced at
  // most once; others have no effect here.
  BlockUse BlocksOf(const HloComputation& computation, const Schedule& schedule,
                    const CallForm& form) {
    BlockUse blocks;
    blocks.argument_of_result = form.argument_of_result;
    blocks.argument_of_result.resize(schedule.results.size(), -1);
    if (form.kind != CallForm::Kind::kEntry) return blocks;
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

  static InstructionSet KernelSetOf(const JitTarget& target) {
    return target.isa == NativeIsa::kAvx512 ? InstructionSet::kX86V4 : InstructionSet::kX86V3;
  }

  // Plans the steps that have to be planned before memory is. A region without a step for it goes
  // to its evaluator.
  void PlanSteps(Schedule& schedule) {
    planned_.clear();
    for (Region& region : schedule.regions) {
      PlannedStep& step = planned_.emplace_back();
      const RegionKindDef& kind = GetKind(region.kind);
      if (kind.plan == nullptr) continue;
      step = kind.plan(planner_, region);
      if (step.function != nullptr) continue;
      region.kind = RegionKind::kEvaluate;
      region.payload = WholeValues();
    }
  }

  // Plans of steps, by region, whose output is a strided slice of a larger buffer.
  std::map<size_t, PlannedStep> PlanIntoViews(const Schedule& schedule, const SubViews& sub_views) {
    std::map<size_t, PlannedStep> steps;
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      const Region& region = schedule.regions[r];
      const RegionKindDef& kind = GetKind(region.kind);
      if (kind.plan_into == nullptr) continue;
      const auto view = sub_views.find(region.outputs[0]);
      if (view == sub_views.end() || view->second.is_run()) continue;
      steps[r] = kind.plan_into(planner_, region, view->second);
    }
    return steps;
  }

  i64 ScratchBytes(const Region& region) const {
    const RegionKindDef& kind = GetKind(region.kind);
    return kind.scratch_bytes == nullptr ? 0 : kind.scratch_bytes(planner_, region);
  }

  StatusOr<std::shared_ptr<const Program>> MakeProgram(const HloComputation& computation,
                                                       Schedule& schedule, const BufferPlan& plan,
                                                       const BlockUse& blocks) {
    ProgramWriter program{std::string(computation.name())};
    AXLE_TRY(program.SetConstants(schedule, plan));
    made_.assign(schedule.regions.size(), {});
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      AddRegion(program, schedule, plan, r);
    }
    for (const BufferPlan::Copy& copy : plan.copies) {
      program.AddCopy(copy.from, copy.to, copy.bytes);
    }
    const auto num_results = std::ranges::count(blocks.argument_of_result, -1);
    return std::move(program).Finish(std::ssize(schedule.arguments) + num_results,
                                     plan.frame_bytes);
  }

  // Adds the record of a region, behind the copies that it wants.
  void AddRegion(ProgramWriter& program, Schedule& schedule, const BufferPlan& plan, size_t r) {
    Region& region = schedule.regions[r];
    RecordWriter writer{.program = program,
                        .schedule = schedule,
                        .sub_views = plan.sub_views,
                        .planner = planner_,
                        .planned = planned_[r],
                        .name = std::string(region.instructions.back()->name()),
                        .inputs = {},
                        .outputs = {},
                        .scratch = {Place::kFrame, plan.scratch_offsets[r]}};
    for (const RegionInput& input : region.inputs) {
      writer.inputs.push_back(plan.places[input.value]);
    }
    for (const ValueId output : region.outputs) writer.outputs.push_back(plan.places[output]);
    GetKind(region.kind).add_record(writer, region);
    made_[r].record = program.num_records() - 1 - writer.records_behind;
    made_[r].kernels = std::move(writer.kernels);
  }

  bool is_checked() const { return compiled_.checks != nullptr; }

  CompiledModule& compiled_;
  const JitTarget target_;
  const NativeOptions& options_;
  const int num_threads_;
  const Rounding rounding_;
  Limits* const limits_;
  i64 reserved_ = 0;  // from limits_, for schedules
  std::map<const Program*, std::string> reported_names_;
  std::map<const HloComputation*, std::set<CallForm>> forms_;
  std::map<const HloComputation*, std::shared_ptr<Schedule>> schedules_;  // before grouping
  std::map<const HloComputation*, Schedule> grouped_;
  std::deque<Schedule> used_schedules_;  // one per form, until the kernels are compiled
  KernelTable kernels_;
  CompiledComputations computations_;
  StepPlanner planner_;
  // By region of the computation at hand: the step that is planned ahead, and what became of it: a
  // record, and plans of compiled code, in the order in which they run.
  struct Made {
    size_t record = 0;
    std::vector<const void*> kernels;
  };
  std::vector<PlannedStep> planned_;
  std::vector<Made> made_;
};

}  // namespace

StatusOr<CompiledModule> CompileModule(const Module& module, const JitTarget& target,
                                       const NativeOptions& options,
                                       const MakeKernels& make_kernels) {
  CompiledModule compiled;
  {
    const ScopedStage stage(compiled.report, "passes");
    compiled.module = options.debug.run_passes ? nullptr : module.Clone();
    if (compiled.module == nullptr) {
      PipelineOptions passes = {.limits = options.limits};
      if (options.debug.report) {
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
  // An emulator has to know which memory a kernel may read anywhere: the bounds say it.
  if (options.debug.check_accesses || kAlwaysChecksAccesses || target.is_emulated()) {
    compiled.checks = std::make_unique<AccessChecks>();
    checked.checks = compiled.checks.get();
  }
  compiled.report.target = Name(target.isa);
  AXLE_TRY(Compiler(compiled, checked, options).Run(make_kernels));
  return compiled;
}

}  // namespace axle

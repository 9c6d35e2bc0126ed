// Makes the plan of a computation in one pass over its instructions.
//
// Elementwise instructions of one size are gathered into a run that becomes one lane program, so
// that a chain of a hundred ops is read and written once instead of a hundred times. One run is
// open at a time. It stays open while later instructions do not read its results: their steps are
// put in front of it. In
//
//   a = f32[8] add(x, y)
//   t = f32[4] slice(z)
//   b = f32[8] multiply(a, x)
//   r = f32[4] slice(b)
//
// add and multiply are one program, after the slice t and before the slice r. Scalar constants and
// broadcasts of scalars become part of the programs that read them, and values of their own only if
// something else reads them. A last pass, backwards over the steps, marks who reads a value for the
// last time; that step may take over its storage. The cost is linear in instructions and uses.

#include "axle/eval/plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "axle/core/strings.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/liveness.h"
#include "axle/ops/open_sizes.h"

namespace axle {
namespace {

// Whether the instruction may take so long that reading the clock costs little beside it.
bool IsLong(const Instruction& inst) {
  constexpr i64 kLongBytes = 1 << 14;
  if (IsTupleElement(inst)) return false;  // however large the tuple is
  i64 bytes = inst.shape().num_bytes();
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    bytes = std::max(bytes, inst.operand(i)->shape().num_bytes());
  }
  return bytes >= kLongBytes;
}

// Whether the result is one element of the operand everywhere. Lane programs need no array for it.
bool IsScalarBroadcast(const Instruction& inst, const IndexMap& map) {
  if (inst.num_operands() != 1 || inst.shape().rank() == 0 || map.size() != 1) return false;
  if (map[0].relinearize || !map[0].offsets.empty()) return false;
  return inst.operand(0)->shape().is_scalar() &&
         std::ranges::all_of(map[0].dims, [&, d = i64{0}](const IndexPiece::Dim& dim) mutable {
           return dim.begin == 0 && dim.step == 1 && dim.count == inst.shape().dim(d++);
         });
}

class Planner {
 public:
  explicit Planner(const HloComputation& computation)
      : computation_(computation),
        instructions_(computation.instructions()),
        live_(LiveInstructions(computation)),
        state_(instructions_.size(), State::kPending),
        run_of_(instructions_.size(), 0) {}

  StatusOr<Plan> Make() && {
    for (const Instruction* parameter : computation_.parameters()) {
      state_[parameter->index()] = State::kReady;
      plan_.is_dynamic |= !parameter->shape().is_static();
    }
    for (const Instruction* inst : instructions_) {
      if (!live_[inst->index()]) continue;
      if (state_[inst->index()] == State::kPending) AXLE_TRY(AddInstruction(*inst));
    }
    Need(*computation_.root());
    CloseRun();
    MarkLastUses();
    return std::move(plan_);
  }

 private:
  enum class State : std::uint8_t {
    kPending,
    kLazy,   // a broadcast of a scalar that nothing has asked for as an array
    kInRun,  // computed by the open run
    kReady,  // computed by a step, or there from the start
  };

  Status AddInstruction(const Instruction& inst) {
    const OpDef& def = GetOpDef(inst);
    AXLE_TRY(CheckSizesAreKnown(inst));
    if (def.check_run != nullptr) AXLE_TRY(def.check_run(inst));
    if (IsConstant(inst)) {
      plan_.constants.emplace_back(inst.index(), inst.attrs<ConstantAttrs>().literal.ToRowMajor());
      state_[inst.index()] = State::kReady;
      return {};
    }
    if (IsDynamic(inst)) {
      plan_.is_dynamic = true;
      AddStep(inst, {}, PlanStep::Kind::kDynamic);
      return {};
    }
    if (IsElementwise(inst)) return AddToRun(inst);
    IndexMap map = def.index_map != nullptr ? def.index_map(inst) : IndexMap();
    if (def.index_map != nullptr && IsScalarBroadcast(inst, map)) {
      state_[inst.index()] = State::kLazy;
      return {};
    }
    if (def.index_map == nullptr && def.eval == nullptr) {
      return OpError(inst, "has no evaluator", StatusCode::kUnimplemented);
    }
    AddStep(inst, std::move(map));
    return {};
  }

  // Makes sure that a step before the next one computes `inst`.
  void Need(const Instruction& inst) {
    if (state_[inst.index()] == State::kInRun) CloseRun();
    if (state_[inst.index()] == State::kLazy) AddStep(inst, GetOpDef(inst).index_map(inst));
  }

  void AddStep(const Instruction& inst, IndexMap map, PlanStep::Kind kind = PlanStep::Kind::kEval) {
    PlanStep step;
    step.inst = &inst;
    step.is_long = IsLong(inst);
    step.kind = kind;
    if (kind == PlanStep::Kind::kEval && GetOpDef(inst).index_map != nullptr) {
      step.kind = PlanStep::Kind::kIndexMap;
      step.index_map = std::move(map);
    } else if (IsTupleElement(inst)) {
      step.kind = PlanStep::Kind::kElement;
      step.element = inst.attrs<TupleIndexAttrs>().index;
    }
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      Need(*inst.operand(i));
      step.operands.push_back({inst.operand(i)->index()});
    }
    step.results = {inst.index()};
    state_[inst.index()] = State::kReady;
    plan_.steps.push_back(std::move(step));
  }

  Status AddToRun(const Instruction& inst) {
    if (!run_.empty() &&
        (run_[0]->shape().dims() != inst.shape().dims() || compiler_->size() >= kMaxLaneOps)) {
      CloseRun();
    }
    if (run_.empty()) compiler_.emplace();
    for (i64 i = 0; i < inst.num_operands(); ++i) AddOperand(inst, *inst.operand(i));
    if (!compiler_->Add(inst)) {
      return OpError(inst, "is not defined for these types", StatusCode::kUnimplemented);
    }
    run_.push_back(&inst);
    run_of_[inst.index()] = run_number_;
    state_[inst.index()] = State::kInRun;
    return {};
  }

  void AddOperand(const Instruction& inst, const Instruction& operand) {
    if (compiler_->Contains(operand)) return;
    if (state_[operand.index()] == State::kLazy) {
      const Instruction& scalar = *operand.operand(0);
      AddOperand(inst, scalar);
      compiler_->AddAlias(operand, scalar);
    } else if (IsConstant(operand) && operand.shape().is_scalar()) {
      compiler_->AddConstant(operand);
    } else {
      compiler_->AddInput(operand);
      const bool broadcast = operand.shape().is_scalar() && !inst.shape().is_scalar();
      inputs_.push_back({operand.index(), false, broadcast});
    }
  }

  // Turns the open run into a step. Its results are the values that are read outside the run.
  void CloseRun() {
    if (run_.empty()) return;
    PlanStep step;
    step.kind = PlanStep::Kind::kLanes;
    step.inst = run_[0];
    step.is_long = IsLong(*run_[0]);
    step.operands = std::move(inputs_);
    std::vector<const Instruction*> results;
    for (const Instruction* inst : run_) {
      state_[inst->index()] = State::kReady;
      if (!IsReadOutside(*inst)) continue;
      results.push_back(inst);
      step.results.push_back(inst->index());
      step.result_shapes.push_back(inst->shape().WithoutLayout());
    }
    step.program = std::move(*compiler_).Finish(results);
    step.run = std::exchange(run_, {});
    plan_.steps.push_back(std::move(step));
    inputs_.clear();
    compiler_.reset();
    ++run_number_;
  }

  bool IsReadOutside(const Instruction& inst) const {
    if (&inst == computation_.root()) return true;
    for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
      const std::uint32_t user = use->user->index();
      if (live_[user] && run_of_[user] != run_number_) return true;
    }
    return false;
  }

  void MarkLastUses() {
    std::vector<bool> read(instructions_.size());
    read[computation_.root()->index()] = true;
    for (const auto& [value, literal] : plan_.constants) read[value] = true;
    for (size_t s = plan_.steps.size(); s-- > 0;) {
      std::vector<PlanOperand>& operands = plan_.steps[s].operands;
      for (size_t i = operands.size(); i-- > 0;) {
        operands[i].last = !read[operands[i].value];
        read[operands[i].value] = true;
      }
    }
    for (const Instruction* parameter : computation_.parameters()) {
      if (!read[parameter->index()]) plan_.unread_parameters.push_back(parameter->index());
    }
    MarkTakenElements();
  }

  // If a tuple is only read by element, the step that reads an element last moves it out.
  void MarkTakenElements() {
    std::vector<bool> read_whole(instructions_.size());
    read_whole[computation_.root()->index()] = true;
    for (const PlanStep& step : plan_.steps) {
      if (step.kind == PlanStep::Kind::kElement) continue;
      for (const PlanOperand& operand : step.operands) read_whole[operand.value] = true;
    }
    for (const auto& [value, literal] : plan_.constants) read_whole[value] = true;
    std::set<std::pair<std::uint32_t, i64>> read;
    for (size_t s = plan_.steps.size(); s-- > 0;) {
      PlanStep& step = plan_.steps[s];
      if (step.kind != PlanStep::Kind::kElement || read_whole[step.operands[0].value]) continue;
      step.takes_element = read.insert({step.operands[0].value, step.element}).second;
    }
  }

  const HloComputation& computation_;
  std::span<Instruction* const> instructions_;
  Plan plan_;
  std::vector<bool> live_;
  std::vector<State> state_;
  // The open run.
  std::optional<LaneCompiler> compiler_;
  std::vector<const Instruction*> run_;
  std::vector<PlanOperand> inputs_;
  std::vector<std::uint32_t> run_of_;  // 0: none
  std::uint32_t run_number_ = 1;
};

}  // namespace

StatusOr<Plan> MakePlan(const HloComputation& computation) {
  return Planner(computation).Make();
}

StatusOr<std::shared_ptr<const Plan>> PlanCache::Get(const HloComputation& computation) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Plan>& plan = plans_[&computation];
  if (plan == nullptr) {
    AXLE_ASSIGN(Plan made, MakePlan(computation));
    plan = std::make_shared<const Plan>(std::move(made));
  }
  return plan;
}

}  // namespace axle

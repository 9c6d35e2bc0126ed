// How a computation runs: its Plan is made once, then each call walks the steps with one slot per
// instruction. A slot is emptied by the step that reads it last, which may take over its storage,
// so that no more is held than is still needed.
#include "axle/eval/evaluate.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>

#include "axle/core/float_environment.h"
#include "axle/core/progress_pace.h"
#include "axle/core/stack_room.h"
#include "axle/core/step_profile.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/eval/plan.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

// How many elements a lane program runs between two checks of the limits.
constexpr i64 kSliceSize = 1 << 16;
// The same when an operand is a scalar that stands for all elements: an array of this size is
// filled with copies of it.
constexpr i64 kBroadcastSliceSize = 4 * kBlockSize;
// How many bytes of results of calls without arguments one run keeps.
constexpr i64 kMaxKeptBytes = i64{1} << 20;

class Interpreter;

class InterpretedCallee : public Callee {
 public:
  InterpretedCallee(const HloComputation& computation, Interpreter& interpreter)
      : computation_(computation), interpreter_(interpreter) {}

  StatusOr<Literal> Call(std::span<Literal> args) override;
  const LaneProgram* lanes() override {
    if (!tried_lanes_) lanes_ = CompileScalarComputation(computation_);
    tried_lanes_ = true;
    return lanes_ ? &*lanes_ : nullptr;
  }

 private:
  Status Run(std::span<Literal> args);
  Status RunNext(size_t i);
  Status BindDynamic(std::span<Literal> args) const;
  Status RunStep(const PlanStep& step);
  std::span<Callee* const> CalleesOf(const PlanStep& step);
  Status RunLanes(const PlanStep& step);
  Status NoMemoryFor(const Instruction& inst, const Status& status) const;
  void RunElement(const PlanStep& step);

  const HloComputation& computation_;
  Interpreter& interpreter_;
  std::shared_ptr<const Plan> plan_;
  std::vector<std::vector<Callee*>> callees_;  // by step, filled in when it first runs
  std::vector<Literal> values_;  // by Instruction::index(); a computation never calls itself
  std::optional<LaneProgram> lanes_;
  bool tried_lanes_ = false;
  // The result of a computation without parameters, if it is the same each time. Computations that
  // call each other twice, level upon level, would take time exponential in the levels without it.
  std::optional<Literal> kept_;
};

// The arrays of one lane program under way; kept, so that small programs allocate nothing.
struct LaneScratch {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  std::vector<i64> input_bytes, output_bytes;    // per element; 0: the same array for each slice
  std::vector<std::vector<std::byte>> repeated;  // arrays of copies of one element
  std::vector<Literal> results;

  void Clear() {
    inputs.clear();
    outputs.clear();
    input_bytes.clear();
    output_bytes.clear();
    repeated.clear();
    results.clear();
  }
};

// The state that the computations of one run share.
class Interpreter {
 public:
  explicit Interpreter(const EvaluateOptions& options)
      : options_(options), executor_(options.executor) {
    if (executor_ == nullptr) executor_ = &own_executor_.emplace();
  }

  InterpretedCallee& callee(const HloComputation& computation) {
    std::unique_ptr<InterpretedCallee>& callee = callees_[&computation];
    if (callee == nullptr) callee = std::make_unique<InterpretedCallee>(computation, *this);
    return *callee;
  }
  LaneExecutor& executor() { return *executor_; }
  PlanCache& plans() { return options_.plans != nullptr ? *options_.plans : own_plans_; }
  Limits* limits() const { return options_.limits; }
  DeviceContext* device() const { return options_.device; }
  StepProfile* profile() const { return options_.profile; }
  RunState& run() { return run_; }
  int& depth() { return depth_; }
  // Values may have run-time sizes below their bounds.
  bool is_dynamic() const { return is_dynamic_; }
  void set_dynamic() { is_dynamic_ = true; }
  LaneScratch& scratch() { return scratch_; }
  // How many steps so far did, or met, something outside of their operands.
  i64& num_effects() { return num_effects_; }
  // Whether there is room to keep a result of so many bytes to the end of the run.
  bool MayKeep(i64 bytes) {
    if (bytes > kMaxKeptBytes - kept_bytes_) return false;
    kept_bytes_ += bytes;
    return true;
  }

  // One call at depth 1 is the run; deeper ones tell that it goes on.
  void Progress(double done) {
    if (limits() == nullptr) return;
    if (depth_ == 1) done_ = done;
    if (depth_ == 1 || pace_.IsDue()) limits()->Progress(done_);
  }

 private:
  const EvaluateOptions& options_;
  LaneExecutor* executor_;
  std::optional<BlockExecutor> own_executor_;
  PlanCache own_plans_;
  std::unordered_map<const HloComputation*, std::unique_ptr<InterpretedCallee>> callees_;
  LaneScratch scratch_;
  RunState run_;
  bool is_dynamic_ = false;
  i64 num_effects_ = 0;
  i64 kept_bytes_ = 0;
  int depth_ = 0;
  double done_ = 0;
  ProgressPace pace_;
};

StatusOr<Literal> InterpretedCallee::Call(std::span<Literal> args) {
  if (kept_) {
    if (interpreter_.limits() != nullptr) AXLE_TRY(interpreter_.limits()->Step());
    return *kept_;
  }
  const i64 effects_before = interpreter_.num_effects();
  AXLE_TRY(CheckCallDepth(interpreter_.depth(), computation_.name()));
  ++interpreter_.depth();
  const Status status = Run(args);
  --interpreter_.depth();
  if (!status.ok()) {
    values_.clear();
    return status;
  }
  const std::uint32_t root = computation_.root()->index();
  for (const auto& [value, literal] : plan_->constants) {
    if (value == root) return values_[root];
  }
  Literal result = std::exchange(values_[root], Literal());
  if (args.empty() && interpreter_.num_effects() == effects_before &&
      interpreter_.MayKeep(result.shape().num_bytes())) {
    kept_ = result;
  }
  return result;
}

Status InterpretedCallee::Run(std::span<Literal> args) {
  if (interpreter_.limits() != nullptr) AXLE_TRY(interpreter_.limits()->Step());
  if (plan_ == nullptr) {
    AXLE_ASSIGN(plan_, interpreter_.plans().Get(computation_));
    callees_.resize(plan_->steps.size());
    if (plan_->is_dynamic) interpreter_.set_dynamic();
  }
  if (values_.empty()) {
    values_.resize(computation_.instructions().size());
    for (const auto& [value, literal] : plan_->constants) values_[value] = literal;
  }
  const auto parameters = computation_.parameters();
  AXLE_INVARIANT(args.size() == parameters.size(), "a callee's arguments are its parameters");
  if (interpreter_.is_dynamic()) AXLE_TRY(BindDynamic(args));
  for (size_t i = 0; i < args.size(); ++i) values_[parameters[i]->index()] = std::move(args[i]);
  for (std::uint32_t parameter : plan_->unread_parameters) values_[parameter] = Literal();
  std::optional<StepProfile::Turn> turn;
  if (interpreter_.profile() != nullptr) {
    turn.emplace(*interpreter_.profile(), plan_.get(), plan_->steps.size());
  }
  for (size_t i = 0; i < plan_->steps.size(); ++i) {
    if (turn) turn->Begin(i);
    AXLE_TRY(RunNext(i));
    if (turn) turn->End(i);
  }
  return {};
}

// Runs step i, which the limits may forbid.
Status InterpretedCallee::RunNext(size_t i) {
  const PlanStep& step = plan_->steps[i];
  if (Limits* limits = interpreter_.limits(); limits != nullptr) {
    AXLE_TRY(step.is_long ? limits->CheckNow() : limits->Check());
  }
  AXLE_TRY(RunStep(step));
  interpreter_.Progress(static_cast<double>(i + 1) / static_cast<double>(plan_->steps.size()));
  return {};
}

// Gives arguments the dynamic flags of their parameters. A static parameter takes no padding.
Status InterpretedCallee::BindDynamic(std::span<Literal> args) const {
  for (size_t i = 0; i < args.size(); ++i) {
    const Instruction& parameter = *computation_.parameters()[i];
    args[i].SetDynamicFlags(parameter.shape());
    if (!args[i].is_padded() || EqualIgnoringLayout(args[i].shape(), parameter.shape())) continue;
    return InvalidArgument(StrCat("execute: parameter ", i, " \"", parameter.name(), "\" of \"",
                                  computation_.name(), "\" is ", parameter.shape().ToString(),
                                  " but gets ", args[i].ShapeToString(), " at run time"));
  }
  return {};
}

std::span<Callee* const> InterpretedCallee::CalleesOf(const PlanStep& step) {
  std::vector<Callee*>& callees = callees_[&step - plan_->steps.data()];
  if (callees.empty()) {
    for (const HloComputation* callee : step.inst->callees()) {
      callees.push_back(&interpreter_.callee(*callee));
    }
  }
  return callees;
}

Status InterpretedCallee::NoMemoryFor(const Instruction& inst, const Status& status) const {
  return {status.code(),
          StrCat(status.message(), ": \"", inst.name(), "\" of \"", computation_.name(), "\"")};
}

Status InterpretedCallee::RunStep(const PlanStep& step) {
  if (step.kind == PlanStep::Kind::kLanes) return RunLanes(step);
  if (step.kind == PlanStep::Kind::kElement) return RunElement(step), Status();
  const Instruction& inst = *step.inst;
  const OpDef& def = GetOpDef(inst);
  if (HasSideEffect(inst) || def.lowering == Lowering::kCollective) ++interpreter_.num_effects();
  if (def.lowering != Lowering::kData) {
    const Status fits = CheckStorage(inst.shape().num_bytes());
    if (!fits.ok()) return NoMemoryFor(inst, fits);
  }
  std::vector<Literal> operands;
  operands.reserve(step.operands.size());
  for (const PlanOperand& operand : step.operands) {
    Literal& value = values_[operand.value];
    if (operand.last) {
      operands.push_back(std::exchange(value, Literal()));
    } else {
      operands.push_back(value);
    }
  }
  Literal& result = values_[step.results[0]];
  if (step.kind == PlanStep::Kind::kIndexMap) {
    AXLE_ASSIGN(result, EvaluateIndexMap(step.index_map, inst.shape(), operands));
    return {};
  }
  const EvalContext context = {CalleesOf(step), interpreter_.executor(), interpreter_.limits(),
                               interpreter_.device(), &interpreter_.run()};
  if (step.kind == PlanStep::Kind::kDynamic) {
    AXLE_ASSIGN(result, EvaluateDynamic(inst, operands, context));
    return {};
  }
  AXLE_ASSIGN(result, def.eval(inst, operands, context));
  return {};
}

void InterpretedCallee::RunElement(const PlanStep& step) {
  Literal& tuple = values_[step.operands[0].value];
  Literal element;
  if (step.takes_element) {
    element = std::move(tuple.mutable_elements()[step.element]);
  } else {
    element = tuple.element(step.element);
  }
  if (step.operands[0].last) tuple = Literal();
  values_[step.results[0]] = std::move(element);
}

Status InterpretedCallee::RunLanes(const PlanStep& step) {
  LaneScratch& s = interpreter_.scratch();
  s.Clear();
  const i64 count = step.inst->shape().num_elements();
  const bool repeats = std::any_of(step.operands.begin(), step.operands.end(),
                                   [](const PlanOperand& o) { return o.broadcast; });
  const i64 slice = std::min(count, repeats ? kBroadcastSliceSize : kSliceSize);
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const Literal& value = values_[step.operands[i].value];
    const i64 bytes = step.program.inputs[i].element_bytes();
    if (step.operands[i].broadcast) {
      std::vector<std::byte>& copies = s.repeated.emplace_back(slice * bytes);
      for (i64 at = 0; at < slice * bytes; at += bytes) {
        std::memcpy(copies.data() + at, value.bytes(), bytes);
      }
      s.inputs.push_back(copies.data());
      s.input_bytes.push_back(0);
    } else {
      s.inputs.push_back(value.bytes());
      s.input_bytes.push_back(bytes);
    }
  }
  // A result takes over the storage of an operand that is not read again, if there is one.
  for (size_t r = 0; r < step.results.size(); ++r) {
    const i64 bytes = step.program.outputs[r].element_bytes();
    s.output_bytes.push_back(bytes);
    bool found = false;
    for (size_t i = 0; i < step.operands.size() && !found; ++i) {
      Literal& value = values_[step.operands[i].value];
      found = step.operands[i].last && s.input_bytes[i] == bytes && value.is_unique();
      if (found) {
        s.results.push_back(value.WithShape(step.result_shapes[r]));
        value = Literal();
      }
    }
    if (!found) {
      auto fresh = Literal::CreateUninitialized(step.result_shapes[r]);
      if (!fresh.ok()) {
        return NoMemoryFor(*computation_.instructions()[step.results[r]], fresh.status());
      }
      s.results.push_back(*std::move(fresh));
    }
    s.outputs.push_back(s.results.back().mutable_bytes());
  }
  for (i64 begin = 0; begin < count; begin += slice) {
    if (begin > 0 && interpreter_.limits() != nullptr) AXLE_TRY(interpreter_.limits()->CheckNow());
    AXLE_TRY(interpreter_.executor().Run(step.program, s.inputs, s.outputs,
                                         std::min(slice, count - begin)));
    for (size_t i = 0; i < s.inputs.size(); ++i) {
      s.inputs[i] = static_cast<const std::byte*>(s.inputs[i]) + slice * s.input_bytes[i];
    }
    for (size_t r = 0; r < s.outputs.size(); ++r) {
      s.outputs[r] = static_cast<std::byte*>(s.outputs[r]) + slice * s.output_bytes[r];
    }
  }
  for (const PlanOperand& operand : step.operands) {
    if (operand.last) values_[operand.value] = Literal();
  }
  for (size_t r = 0; r < s.results.size(); ++r) values_[step.results[r]] = std::move(s.results[r]);
  return {};
}

}  // namespace

namespace {

// Whether every dimension that is not full is dynamic in `shape`.
bool PaddingFits(const Literal& literal, const Shape& shape) {
  if (!literal.is_padded()) return true;
  Literal flagged = literal;
  flagged.SetDynamicFlags(shape);
  return EqualIgnoringLayout(flagged.shape(), shape);
}

}  // namespace

Status CheckArguments(const HloComputation& computation, std::span<const Argument> arguments) {
  const auto parameters = computation.parameters();
  if (arguments.size() != parameters.size()) {
    return InvalidArgument(StrCat("execute: \"", computation.name(), "\" takes ", parameters.size(),
                                  " arguments, not ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = parameters[i]->shape();
    const Literal& value = *arguments[i].value;
    if (Compatible(value.shape(), shape) && PaddingFits(value, shape)) continue;
    return InvalidArgument(StrCat("execute: argument ", i, " is ", value.ShapeToString(), " but \"",
                                  computation.name(), "\" expects ", shape.ToString(),
                                  " for parameter ", i, " \"", parameters[i]->name(), "\""));
  }
  return {};
}

StatusOr<Literal> Evaluate(const HloComputation& computation, std::vector<Literal>&& arguments,
                           const EvaluateOptions& options) {
  const ScopedFloatEnvironment float_environment;
  const StorageScope storage(options.limits);
  try {
    std::vector<Argument> checked;
    for (Literal& argument : arguments) checked.push_back({&argument, &argument});
    AXLE_TRY(CheckArguments(computation, checked));
    for (Literal& argument : arguments) argument = argument.ToRowMajor();
    Interpreter interpreter(options);
    AXLE_ASSIGN(Literal result, interpreter.callee(computation).Call(arguments));
    result.OwnStorage();
    return result;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("execute: no memory to go on with \"", computation.name(), "\""));
  }
}

StatusOr<Literal> Evaluate(const HloComputation& computation, std::span<const Literal> arguments,
                           const EvaluateOptions& options) {
  return Evaluate(computation, std::vector<Literal>(arguments.begin(), arguments.end()), options);
}

StatusOr<Literal> Evaluate(const Module& module, std::span<const Literal> arguments,
                           const EvaluateOptions& options) {
  return Evaluate(*module.entry(), arguments, options);
}

}  // namespace axle

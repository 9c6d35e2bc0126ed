// How an evaluator runs inside of a program. The operands become literals that are views of the
// program's memory, the evaluator runs as in the interpreter, and its result is copied to the
// places of the outputs. Three things avoid copies:
//
// 1. While the evaluator runs, StoragePlaces offers the memory of the outputs: the literal that it
// makes for an array of the result is written there in the first place.
//
// 2. An operand whose place an output takes over is no view but a literal that owns this place, so
// that an evaluator that reuses its operand changes it in place.
//
// 3. A lane program that the evaluator applies runs as a compiled loop (StepExecutor), if the
// program has one; a computation with control flow runs as a program of its own.
//
// Values that may outlive the run, in a queue of the device, are copied into storage of their own
// before the evaluator sees them (MayKeepValues).
#include "axle/codegen/steps/evaluate_step.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/ops/dynamic.h"

namespace axle {
namespace {

class CompiledCallee : public Callee {
 public:
  CompiledCallee(const CompiledComputation& compiled, HostRun& run)
      : compiled_(compiled), run_(run) {}

  StatusOr<Literal> Call(std::span<Literal> args) override {
    AXLE_TRY(run_.limits == nullptr ? Status() : run_.limits->Step());
    const StoragePlaces none({});  // callees must not write into the step's outputs
    return RunOnLiterals(compiled_, args, run_);
  }
  const LaneProgram* lanes() override { return compiled_.lanes ? &*compiled_.lanes : nullptr; }

 private:
  const CompiledComputation& compiled_;
  HostRun& run_;
};

// Values that outlive the step, in a queue of the device, must not be in the frame.
bool MayKeepValues(const Instruction& inst) {
  return HasSideEffect(inst) || GetOpDef(inst).lowering == Lowering::kCollective;
}

using Block = StoragePlaces::Block;

// The arrays of a value that has these blocks.
std::vector<Block> ArraysOf(const Shape& shape, void* const* blocks) {
  std::vector<Block> arrays;
  ForEachBlock(shape, [&](const Shape& array, bool is_sizes) {
    std::byte* const data = static_cast<std::byte*>(*blocks++);
    if (!is_sizes && array.num_bytes() > 0) arrays.push_back({data, array.num_bytes()});
  });
  return arrays;
}

// Takes the array at `data` out of the list, if it is there.
bool TakeOut(std::vector<Block>& arrays, const void* data) {
  const auto array = std::ranges::find(arrays, data, &Block::data);
  if (array == arrays.end()) return false;
  arrays.erase(array);
  return true;
}

// The operand, which the step may read; and change, if the result takes its place. `free` are the
// arrays of the result.
Literal OperandAt(const Shape& shape, void* const*& blocks, std::vector<Block>& free) {
  const bool is_plain = shape.is_array() && shape.is_static() && shape.num_bytes() > 0;
  if (!is_plain || !TakeOut(free, *blocks)) {
    return ViewOfBlocks(shape, blocks);
  }
  const StoragePlaces place({{static_cast<std::byte*>(*blocks++), shape.num_bytes()}});
  return Literal::Uninitialized(shape.WithoutLayout());
}

// An array of the result in the place of another one is copied out of the way of what follows.
void LeaveOthersPlaces(Literal& literal, const Shape& shape, std::span<const Block> arrays,
                       void* const*& blocks) {
  if (shape.is_tuple()) {
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      LeaveOthersPlaces(literal.mutable_elements()[i], shape.element(i), arrays, blocks);
    }
  } else if (shape.is_array()) {
    const auto is_inside = [&](const Block& array) {
      return literal.bytes() >= array.data && literal.bytes() < array.data + array.bytes;
    };
    if (literal.bytes() != *blocks && std::ranges::any_of(arrays, is_inside)) {
      Literal moved = Literal::Uninitialized(literal.shape());
      std::memcpy(moved.mutable_bytes(), literal.bytes(), literal.num_bytes());
      for (i64 d = 0; d < literal.shape().rank(); ++d) moved.SetSizeBeforeFlags(d, literal.size(d));
      literal = std::move(moved);
    }
    blocks += shape.is_static() ? 1 : 2;
  }
}

// Runs the lane programs of callees as compiled loops, and those that an evaluator makes itself as
// the interpreter does.
class StepExecutor : public LaneExecutor {
 public:
  StepExecutor(std::span<const CompiledComputation* const> callees, HostRun& run)
      : callees_(callees), run_(run) {}

  Status Run(const LaneProgram& program, std::span<const void* const> inputs,
             std::span<void* const> outputs, i64 count) override {
    for (const CompiledComputation* callee : callees_) {
      if (callee->lanes_loop == nullptr || &*callee->lanes != &program) continue;
      void* pointers[kMaxLoopPointers];
      void** const last = std::ranges::transform(inputs, pointers, [](const void* input) {
                            return const_cast<void*>(input);
                          }).out;
      std::ranges::copy(outputs, last);
      if (callee->lanes_loop->is_checked) SetLaneBounds(program, count, pointers);
      RunOneRow(*callee->lanes_loop, pointers, count);
      return {};
    }
    return run_.executor().Run(program, inputs, outputs, count);
  }

 private:
  static void SetLaneBounds(const LaneProgram& program, i64 count, void** pointers) {
    const size_t num_inputs = program.inputs.size(), n = num_inputs + program.outputs.size();
    for (size_t i = 0; i < n; ++i) {
      const LaneArray& array = i < num_inputs ? program.inputs[i] : program.outputs[i - num_inputs];
      SetBounds(pointers, n, i, pointers[i], count * array.element_bytes());
    }
  }

  std::span<const CompiledComputation* const> callees_;
  HostRun& run_;
};

StatusOr<Literal> Evaluate(const EvaluatePlan& plan, std::span<Literal> operands, HostRun& run) {
  std::vector<CompiledCallee> callees;
  callees.reserve(plan.callees.size());
  std::vector<Callee*> pointers;
  for (const CompiledComputation* callee : plan.callees) {
    pointers.push_back(&callees.emplace_back(*callee, run));
  }
  StepExecutor executor(plan.callees, run);
  const EvalContext context = {pointers, executor, run.limits, run.device, &run.state};
  if (IsDynamic(*plan.inst)) return EvaluateDynamic(*plan.inst, operands, context);
  return GetOpDef(*plan.inst).eval(*plan.inst, operands, context);
}

}  // namespace

int RunEvaluate(const RunContext* context, const void* data, void* const* buffers, i64, i64) {
  // Every run of this library is a HostRun.
  auto& run = *const_cast<HostRun*>(static_cast<const HostRun*>(context));
  const auto& plan = *static_cast<const EvaluatePlan*>(data);
  const Instruction& inst = *plan.inst;
  try {
    void* const* result_blocks = buffers;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      result_blocks += NumBlocks(inst.operand(i)->shape());
    }
    const std::vector<Block> arrays = ArraysOf(inst.shape(), result_blocks);
    const bool may_keep = MayKeepValues(inst);
    std::vector<Block> free = may_keep ? std::vector<Block>() : arrays;
    std::vector<Literal> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      operands.push_back(OperandAt(inst.operand(i)->shape(), buffers, free));
      if (may_keep) operands.back().OwnStorage();
    }
    StatusOr<Literal> result = [&] {
      const StoragePlaces places(std::move(free));
      return Evaluate(plan, operands, run);
    }();
    if (result.ok()) {
      if (arrays.size() > 1) LeaveOthersPlaces(*result, inst.shape(), arrays, result_blocks);
      CopyToBlocks(*result, inst.shape(), buffers);
      return kKernelOk;
    }
    run.status = result.status();
  } catch (const std::bad_alloc&) {
    run.status = ResourceExhausted(StrCat("execute: no memory for \"", inst.name(), "\""));
  }
  return kKernelFailed;
}

}  // namespace axle

// Running a compiled computation on literals: how the entry is called, and the computations that
// evaluators call.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "axle/codegen/schedule/buffers.h"
#include "axle/codegen/steps/loop_step.h"
#include "axle/core/argument.h"
#include "axle/emit/executor.h"
#include "axle/runtime/program.h"

namespace axle {

// A run in which evaluators may take part.
struct HostRun : ProgramRun {
  LaneExecutor& executor() {
    if (!own_executor) own_executor.emplace();
    return *own_executor;
  }
  std::optional<BlockExecutor> own_executor;
};

// Facts about a computation that a call on literals needs, worked out once.
struct LiteralCall {
  Shape result;                    // row-major
  size_t num_argument_blocks = 0;  // among those that the caller hands over
  size_t num_result_blocks = 0;
  bool has_dynamic_result = false;
  bool replaces_arguments = false;  // some result lies where an argument was
};
LiteralCall PlanLiteralCall(const HloComputation& computation, const BlockUse& blocks);

// A computation, compiled.
struct CompiledComputation {
  const HloComputation* computation = nullptr;
  std::shared_ptr<const Program> program;  // null if only `lanes` are used
  BlockUse blocks;
  LiteralCall call;
  std::optional<LaneProgram> lanes;  // if it is scalar arithmetic
  // The loop of `lanes` over arrays, if an evaluator may run it; null otherwise.
  std::shared_ptr<LoopPlan> lanes_loop;
  std::string peak;  // the instruction at which the frame is fullest
};

// Runs it on one literal per parameter, row-major; what the run is given and nobody else holds is
// overwritten where the computation replaces it. The result is row-major. Errors: those of
// Execute(Program), and RESOURCE_EXHAUSTED, with the name of an instruction, if there is no memory
// for the frame.
StatusOr<Literal> RunOnLiterals(const CompiledComputation& compiled,
                                std::span<const Argument> arguments, HostRun& run);
// The same with literals that the run owns.
StatusOr<Literal> RunOnLiterals(const CompiledComputation& compiled, std::span<Literal> arguments,
                                HostRun& run);

// A literal of this shape whose arrays are these blocks, in the order of ForEachBlock. It is valid
// as long as they are.
Literal ViewOfBlocks(const Shape& shape, void* const*& blocks);
// Copies the arrays and sizes of a literal to blocks, but for arrays that are there already. The
// literal has the dimensions of `shape`.
void CopyToBlocks(const Literal& literal, const Shape& shape, void* const*& blocks);

}  // namespace axle

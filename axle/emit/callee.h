// Callee: a computation that an op calls (a reducer, a loop body), as the op sees it. EvalContext:
// everything else that evaluation hands to an op.
//
// ops/ cannot run computations and need not know who does: eval/ implements this with the
// interpreter, compiled code with a native function.
#pragma once
#include <span>

#include "axle/core/device_context.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/core/run_state.h"
#include "axle/core/status.h"
#include "axle/emit/executor.h"

namespace axle {

class Callee {
 public:
  virtual ~Callee() = default;

  // Runs the computation on whole values; it may take over the storage of `args`.
  virtual StatusOr<Literal> Call(std::span<Literal> args) = 0;

  // The computation as a lane program, if it is nothing but scalar arithmetic; else null. Its
  // outputs are those of the root, one per tuple element.
  virtual const LaneProgram* lanes() = 0;
};

struct EvalContext {
  std::span<Callee* const> callees;  // in the order of the instruction's callees
  LaneExecutor& executor;            // runs lane programs
  Limits* limits = nullptr;          // checked in every long loop
  DeviceContext* device = nullptr;
  RunState* run = nullptr;  // null: every execution is the first one

  Callee& callee(size_t i = 0) const { return *callees[i]; }
  Status Check() const { return limits == nullptr ? Status() : limits->Check(); }
  Status Step() const { return limits == nullptr ? Status() : limits->Step(); }
  // The device of the run, or the default one.
  DeviceContext& Device() const { return device == nullptr ? DefaultDevice() : *device; }
};

}  // namespace axle

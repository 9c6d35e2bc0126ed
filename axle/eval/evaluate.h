// The reference interpreter walks a verified module and runs each op's definition. Tests compare
// everything compiled with it, so it is kept plain. Thread-safe; one thread per run.
#pragma once
#include <span>
#include <vector>

#include "axle/core/argument.h"
#include "axle/core/device_context.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/emit/executor.h"
#include "axle/ir/module.h"

namespace axle {

class PlanCache;
class StepProfile;  // core/step_profile.h

struct EvaluateOptions {
  Limits* limits = nullptr;          // memory cap, time limit, step limit, cancel
  DeviceContext* device = nullptr;   // null: device 0 of 1
  LaneExecutor* executor = nullptr;  // runs elementwise code; null: a BlockExecutor of its own
  PlanCache* plans = nullptr;        // the module's, if it runs more than once; null: own ones
  StepProfile* profile = nullptr;    // gets the times of the steps; null: nobody asks
};

// Runs the entry on one literal per parameter (any layout) and returns its result, row-major.
// INVALID_ARGUMENT if the arguments do not fit the parameters.
StatusOr<Literal> Evaluate(const Module& module, std::span<const Literal> arguments,
                           const EvaluateOptions& options = {});
// The same for one computation of a module.
StatusOr<Literal> Evaluate(const HloComputation& computation, std::span<const Literal> arguments,
                           const EvaluateOptions& options = {});

// The same with arguments that the run may take over: their storage is freed, or used again, as
// soon as nobody reads it any more.
StatusOr<Literal> Evaluate(const HloComputation& computation, std::vector<Literal>&& arguments,
                           const EvaluateOptions& options = {});

// INVALID_ARGUMENT unless there is one argument per parameter, of its shape; layouts and dynamic
// flags do not count.
Status CheckArguments(const HloComputation& computation, std::span<const Argument> arguments);

}  // namespace axle

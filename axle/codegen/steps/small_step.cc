// How functions of small regions are called, and how their loops are limited. Each iteration takes
// one unit of fuel; a function that has none asks for more (RunFuel::More), where steps are counted
// and the deadline is checked. So a loop looks at the limits once in kMaxFuel iterations, and still
// ends within the steps that it has.
#include "axle/codegen/steps/small_step.h"

#include <algorithm>
#include <limits>

#include "axle/codegen/spec/checked_kernel.h"
#include "axle/runtime/program.h"

namespace axle {
namespace {

// Iterations between two looks at the limits.
constexpr i64 kMaxFuel = 1024;

struct RunFuel : Fuel {
  explicit RunFuel(ProgramRun& run) : run(run) {
    more = &More;
    Fill();
  }
  void Fill() {
    given = std::numeric_limits<i64>::max();
    if (run.limits != nullptr) given = std::clamp<i64>(run.limits->steps_left(), 0, kMaxFuel);
    left = given;
  }
  void Count() {
    if (run.limits != nullptr) run.limits->AddSteps(given - left);
  }
  // Only with limits: without them, there is enough for ever.
  static i64 More(Fuel* fuel) {
    auto& self = *static_cast<RunFuel*>(fuel);
    Limits& limits = *self.run.limits;
    self.left = 0;
    self.Count();
    limits.Progress(self.run.done);
    // One step too many says so.
    self.run.status = limits.steps_left() <= 0 ? limits.Step() : limits.CheckNow();
    self.Fill();
    return self.run.status.ok() ? self.left : -1;
  }

  ProgramRun& run;
  i64 given = 0;
};

}  // namespace

int RunSmall(const RunContext* context, const void* data, void* const* buffers, i64, i64) {
  const auto& plan = *static_cast<const SmallPlan*>(data);
  auto& run = *const_cast<ProgramRun*>(static_cast<const ProgramRun*>(context));
  RunFuel fuel(run);
  std::vector<void*> checked;
  if (const size_t n = plan.memory_bytes.size(); n > 0) {
    checked.assign(buffers, buffers + n);
    checked.resize(NumCheckedPointers(n));
    for (size_t i = 0; i < n; ++i)
      SetBounds(checked.data(), n, i, buffers[i], plan.memory_bytes[i]);
    buffers = checked.data();
  }
  const int result = plan.kernel(&fuel, buffers);
  fuel.Count();
  return result;
}

}  // namespace axle

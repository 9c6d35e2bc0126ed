// A schedule and its buffers for people: the parts of a CompileReport.
#pragma once
#include <chrono>
#include <string_view>

#include "axle/codegen/schedule/buffers.h"
#include "axle/runtime/compile_report.h"

namespace axle {

// All but kernels, tiles and programs that are run, which the compiler fills in. `schedule` still
// has its lane programs.
CompileReport::Program ReportProgram(const HloComputation& computation, const Schedule& schedule,
                                     const BlockUse& blocks, const BufferPlan& plan);

// Adds the time from here to the end of its life to a stage of the report.
class ScopedStage {
 public:
  ScopedStage(CompileReport& report, std::string_view stage);
  ~ScopedStage();
  ScopedStage(const ScopedStage&) = delete;
  ScopedStage& operator=(const ScopedStage&) = delete;

 private:
  CompileReport& report_;
  const std::string_view stage_;
  const std::chrono::steady_clock::time_point begin_;
};

// Leaves out programs that the last one, the entry, does not run, and counts loops and kernels.
void FinishReport(CompileReport& report);

}  // namespace axle

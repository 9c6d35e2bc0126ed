// The compiler: from a module to programs, one for each computation that something calls
// (docs/adr/2026-11-22-cpu-compiler.md). Reads top to bottom in compiler.cc.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_compiler.h"
#include "axle/codegen/spec/checked_kernel.h"
#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/machine_code.h"
#include "axle/codegen/steps/literal_run.h"
#include "axle/ir/module.h"

namespace axle {

// A module, compiled. Owns everything that its programs point at.
struct CompiledModule {
  CompiledModule() = default;
  CompiledModule(CompiledModule&&) = default;
  CompiledModule& operator=(CompiledModule&&) = default;
  // Callers first: the other way round, a long chain of calls would be freed by as long a
  // recursion.
  ~CompiledModule() {
    while (!computations.empty()) computations.pop_back();
  }

  std::unique_ptr<const Module> module;  // after the passes
  std::unique_ptr<AccessChecks> checks;  // if code is checked, else null
  std::unique_ptr<MachineCode> code;     // the kernels that are not precompiled, or null
  std::vector<std::unique_ptr<CompiledComputation>> computations;  // each behind its callees
  const CompiledComputation* entry = nullptr;
  CompileReport report;  // stages; the rest if the options ask for it
};

// `module` is verified. Errors: UNIMPLEMENTED names an op that cannot be compiled; what the limits
// say.
// Runs may use options.num_threads threads, at most kMaxThreads.
// `make_kernels` fills in the kernels unless only the report is wanted (NativeOptions::code), and
// gives the code that they are in.
using MakeKernels = std::function<StatusOr<std::unique_ptr<MachineCode>>(
    KernelTable& kernels, const JitTarget& target, const NativeOptions& options)>;
StatusOr<CompiledModule> CompileModule(const Module& module, const JitTarget& target,
                                       const NativeOptions& options,
                                       const MakeKernels& make_kernels = &CompileKernels);

}  // namespace axle

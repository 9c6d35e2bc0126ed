// The compiler: from a module to programs, one for each computation that something calls
// (docs/adr/2026-11-22-cpu-compiler.md). Reads top to bottom in compiler.cc.
#pragma once
#include <memory>
#include <vector>

#include "axle/codegen/kernel_cache/precompiled_writer.h"
#include "axle/codegen/llvm/access_checks.h"
#include "axle/codegen/llvm/jit.h"
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
  std::unique_ptr<AccessChecks> checks;  // of checked code, else null
  std::unique_ptr<Jit> jit;  // the machine code of kernels that are not in stock, if there are any
  std::vector<std::unique_ptr<CompiledComputation>> computations;  // each behind its callees
  const CompiledComputation* entry = nullptr;
  CompileReport report;  // stages; the rest if the options ask for it
};

// `module` is verified. Errors: UNIMPLEMENTED names an op that cannot be compiled; what the limits
// say.
// Runs may use options.num_threads threads, at most kMaxThreads.
// With `stock`, kernels are added to it instead of compiled.
StatusOr<CompiledModule> CompileModule(const Module& module, const JitTarget& target,
                                       const NativeOptions& options, StockWriter* stock = nullptr);

}  // namespace axle

// The pipeline: which passes run, in which order.
//
//   AXLE_ASSIGN(std::unique_ptr<Module> optimized, RunPipeline(*module, {.limits = &limits}));
#pragma once
#include <functional>
#include <vector>

#include "axle/passes/pass.h"

namespace axle {

struct PassReport {
  const Pass* pass;
  const Module& module;  // after the pass; valid during the call
  i64 changes;
  double seconds;
  std::span<const PassNote> notes;
};

struct PipelineOptions {
  std::vector<const Pass*> passes = {};  // empty: DefaultPipeline()
  // VerifyModule after each pass; what it refuses is an INTERNAL error that names the pass.
  bool verify_each = false;
  std::function<void(const PassReport&)> after_each = {};
  Limits* limits = nullptr;
};

// In order; a pass may stand there more than once.
std::vector<const Pass*> DefaultPipeline();

// A new module with the same results, bit for bit. `module` is verified.
StatusOr<std::unique_ptr<Module>> RunPipeline(const Module& module,
                                              const PipelineOptions& options = {});

}  // namespace axle

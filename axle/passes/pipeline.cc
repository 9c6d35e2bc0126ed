// The table of passes and their default order. The comments in kDefault give the reason of each
// place that matters; `simplify`, `cse` and `inline` run twice because `loops` makes new work for
// them.

#include "axle/passes/pipeline.h"

#include <algorithm>
#include <chrono>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/passes/apply.h"
#include "axle/passes/batch_norm.h"
#include "axle/passes/complex.h"
#include "axle/passes/constant_folding.h"
#include "axle/passes/cse.h"
#include "axle/passes/dce.h"
#include "axle/passes/inline.h"
#include "axle/passes/layout/layout.h"
#include "axle/passes/loops.h"
#include "axle/passes/plain.h"
#include "axle/passes/scan.h"
#include "axle/passes/simplify/simplify.h"
#include "axle/passes/split.h"
#include "axle/passes/spmd/partition.h"

namespace axle {
namespace {

constexpr Pass kPasses[] = {
    {"partition", "gathers values that are divided among partitions", GatherShardings},
    {"plain", "writes down what layouts mean, and drops them and other annotations",
     TakeLayoutsAway},
    {"dce", "removes instructions that no result and no side effect needs", RemoveDeadCode},
    {"cse", "merges equal instructions and equal computations", MergeEqual},
    {"simplify", "applies the rewrite rules until nothing changes", Simplify},
    {"constant-folding", "evaluates instructions whose operands are constants", FoldConstants},
    {"scan", "expands scans to loops or reduce-windows", ExpandScans},
    {"apply", "expands map and other applied computations to array operations or loops",
     ApplyToElements},
    {"inline", "inlines called computations", InlineCalls},
    {"batch-norm", "expands batch norms to reductions and arithmetic", WriteBatchNorms},
    {"complex", "splits complex reductions into real and imaginary parts", TakeComplexApart},
    {"split", "splits variadic reductions into independent ones", SplitReductions},
    {"loops", "removes unused loop state, and loops that run at most once", SimplifyLoops},
    {"layout", "chooses the memory layout of arrays", ChooseLayouts},
};

// From the first pass to the last.
constexpr std::string_view kDefault[] = {
    "partition",  // the others know no shardings
    "plain",      // the others compare shapes, and leave alone what is annotated
    "dce",
    "scan",   // its loops call what it applies
    "apply",  // likewise
    "inline",
    "batch-norm",  // also of what scans and maps apply; calls were inlined by their size before
    "complex",    "split", "cse", "simplify", "constant-folding",
    "loops",     // needs initial values that are known
    "inline",    // of loops that run once, branches that are known
    "simplify",  // of tuples that loops leave behind
    "cse",
    "layout",  // behind everything that takes dimensions as they are written
};

}  // namespace

std::span<const Pass> AllPasses() {
  return kPasses;
}

const Pass* FindPass(std::string_view name) {
  const auto* const it = std::ranges::find(kPasses, name, &Pass::name);
  return it == std::end(kPasses) ? nullptr : it;
}

std::vector<const Pass*> DefaultPipeline() {
  std::vector<const Pass*> passes;
  for (const std::string_view name : kDefault) passes.push_back(FindPass(name));
  return passes;
}

StatusOr<std::unique_ptr<Module>> RunPipeline(const Module& module,
                                              const PipelineOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::unique_ptr<Module> owned;
  const Module* current = &module;
  for (const Pass* pass : options.passes.empty() ? DefaultPipeline() : options.passes) {
    const Clock::time_point begin = Clock::now();
    PassContext context = {.limits = options.limits};
    AXLE_ASSIGN(owned, pass->run(*current, context));
    current = owned.get();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (options.verify_each) {
      const Status status = VerifyModule(*current);
      AXLE_INVARIANT(status.ok(), StrCat("after pass ", pass->name, ": ", status.message()));
    }
    if (options.after_each)
      options.after_each({pass, *current, context.changes, seconds, context.notes});
  }
  if (owned == nullptr) owned = module.Clone();
  return owned;
}

}  // namespace axle

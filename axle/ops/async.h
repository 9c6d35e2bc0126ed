// Asynchronous computations: async-start, async-update and async-done, and their short form, in
// which HLO text writes a computation of one op as op-start, op-update and op-done.
#pragma once
#include <optional>
#include <string_view>
#include <unordered_map>

#include "axle/ops/op_def.h"

namespace axle {

// What "op-start", "op-update" or "op-done" means, where that is not an op of its own.
struct AsyncForm {
  const OpDef* op;       // that runs
  const OpDef* wrapper;  // async-start, async-update or async-done
  bool begins;           // op-start
};
std::optional<AsyncForm> FindAsyncForm(std::string_view text);

// What the instructions of chains run. It remembers heads, so that asking about every instruction
// of a chain takes time in proportion to its length.
class AsyncChains {
 public:
  // For an async-start, async-update or async-done whose computation is one op on its parameters in
  // their order: that op. Then HLO text has the short form. Null for others.
  const Instruction* WrappedOp(const Instruction& inst);
  // The row of WrappedOp, or null.
  const OpDef* WrappedDef(const Instruction& inst);

 private:
  const Instruction* StartOf(const Instruction& inst);

  std::unordered_map<const Instruction*, const Instruction*> starts_;  // of async-updates
};

// "-start" for async-start, and so on.
std::string_view AsyncSuffix(const Instruction& inst);

// INVALID_ARGUMENT if a computation that an async-start calls is called by anything else; that is
// in *caller then.
Status CheckAsyncCallees(const Module& module, const HloComputation** caller = nullptr);

// Lets the computation run on the thread that async-start's attributes (null: the defaults) name.
void SetThreadOfCallee(const OpDef& start, const void* attrs, HloComputation& callee);

}  // namespace axle

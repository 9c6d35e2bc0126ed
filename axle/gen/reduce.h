// The smallest module that still fails: `axle reduce`.
//
//   AXLE_ASSIGN(auto small, ReduceModule(*module, [&](const Module& m) { return Fails(m); }, {}));
//
// Steps that leave the module valid are tried one after the other, and kept if the predicate still
// holds: another root, nothing but the head of the entry, an instruction replaced by an operand, a
// parameter or zeros, a loop by one turn of its body, calls inlined, the compiler's passes, smaller
// sizes. It ends when no step helps. The predicate need not be monotone.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "axle/core/limits.h"
#include "axle/ir/module.h"

namespace axle {

struct ReduceOptions {
  i64 max_attempts = 20'000;  // calls of the predicate
  // Told about every step that was kept: instructions that are left, and attempts so far.
  std::function<void(i64 instructions, i64 attempts)> on_progress = {};
  Limits* limits = nullptr;  // what is reached when they end it is the result
};

// Valid modules only are asked about. INVALID_ARGUMENT if `fails` does not hold for `module`
// itself.
StatusOr<std::unique_ptr<Module>> ReduceModule(const Module& module,
                                               const std::function<bool(const Module&)>& fails,
                                               const ReduceOptions& options);

// The entry up to this instruction, which becomes the root; what it does not need is left out.
StatusOr<std::unique_ptr<Module>> ModuleUpTo(const Module& module, const Instruction& root);

}  // namespace axle

// Compiles random programs and compares what they give with the interpreter.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "axle/codegen/llvm/jit.h"
#include "axle/gen/random.h"
#include "tests/codegen/random_kernels/program.h"

namespace axle {

// Machine code of some programs; freed with the object.
class CompiledPrograms {
 public:
  // All are in one LLVM module, compiled at the target's level, or at least at 1 those of few
  // elements, as always (kernel_table.cc). `on_llvm`, if there, gets it before it is compiled.
  static StatusOr<CompiledPrograms> Create(std::span<const RandomProgram> programs,
                                           const JitTarget& target,
                                           std::function<void(std::string_view)> on_llvm = {});
  void* function(size_t program) const { return functions_[program]; }

 private:
  std::unique_ptr<Jit> jit_;
  std::vector<void*> functions_;
};

struct Comparison {
  bool is_equal = true;
  bool is_defined = true;  // else nothing can be compared: see Evaluate
  i64 num_values = 0;      // that were compared
  std::string difference;  // the first one, in words, with the inputs
};

// Runs `function`, compiled of `program`, on several sets of inputs, up to the first difference.
Comparison Compare(const RandomProgram& program, void* function, Random random, int num_sets = 6);

// The same, compiled here.
StatusOr<Comparison> CompileAndCompare(const RandomProgram& program, const JitTarget& target,
                                       Random random, int num_sets = 6);

}  // namespace axle

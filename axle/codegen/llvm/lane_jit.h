// LaneJit: lane programs compiled for this machine, as a LaneExecutor. Same bits as the
// BlockExecutor's, checked by tests/codegen/.
#pragma once
#include <memory>
#include <unordered_map>

#include "axle/codegen/llvm/jit.h"
#include "axle/codegen/llvm/lane_lowering.h"
#include "axle/emit/executor.h"

namespace axle {

class LaneJit : public LaneExecutor {
 public:
  static StatusOr<std::unique_ptr<LaneJit>> Create(const JitTarget& target);

  // Compiles `program` at its first run. Not thread-safe.
  Status Run(const LaneProgram& program, std::span<const void* const> inputs,
             std::span<void* const> outputs, i64 count) override;

 private:
  explicit LaneJit(std::unique_ptr<Jit> jit) : jit_(std::move(jit)) {}
  std::unique_ptr<Jit> jit_;
  std::unordered_map<std::uint64_t, LoopKernel*> kernels_;  // by serial number of the program
};

}  // namespace axle

// Runs lane programs without a compiler. This is the meaning of the primitives; codegen/ must agree
// bit for bit. The caller has set the floating-point mode (core/float_environment.h).
#pragma once
#include <memory>
#include <span>

#include "axle/core/status.h"
#include "axle/emit/lane_program.h"

namespace axle {

// Elements per primitive: dispatch is amortised, and registers stay in the first-level cache.
inline constexpr i64 kBlockSize = 256;

class LaneExecutor {
 public:
  virtual ~LaneExecutor() = default;
  // inputs[i] and outputs[i] are arrays of `count` elements, one per input and output of the
  // program. An output may be the same array as an input, but not overlap it otherwise.
  virtual Status Run(const LaneProgram& program, std::span<const void* const> inputs,
                     std::span<void* const> outputs, i64 count) = 0;
};

// The reference: each primitive on 256 elements at a time. Not thread-safe: one per thread.
class BlockExecutor : public LaneExecutor {
 public:
  BlockExecutor();
  ~BlockExecutor() override;
  Status Run(const LaneProgram& program, std::span<const void* const> inputs,
             std::span<void* const> outputs, i64 count) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One element through a program: what comparators and small reducers need. The same functions as
// the block executor's on blocks of one, without its bookkeeping per run.
class ScalarExecutor {
 public:
  // The program must outlive the executor.
  explicit ScalarExecutor(const LaneProgram& program);
  ~ScalarExecutor();
  // One element per input and output; an output may be an input.
  void Run(std::span<const void* const> inputs, std::span<void* const> outputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The exact remainder of x / y with a truncated quotient, and the sign of x. NaN if x is infinite
// or y is zero. The meaning of Primitive::kRem for floats; compiled code calls it too.
float FloatRemainder(float x, float y);
double FloatRemainder(double x, double y);

}  // namespace axle

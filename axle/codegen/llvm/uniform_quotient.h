// Quotients of many numbers by the same one, as LLVM IR: the bits of a division, by three
// multiplications, which take a fraction of its time on wide vectors.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <span>
#include <vector>

#include "axle/codegen/llvm/lane_emitter.h"

namespace axle {

class UniformQuotient {
 public:
  // `divisor`, of f32 or f64, has the same value in all lanes. What depends on it alone is computed
  // where the builder is now.
  UniformQuotient(llvm::IRBuilder<>& b, LaneEmitter& emitter, LaneType type, llvm::Value* divisor);

  // x / divisor in each lane of each vector. Ends the block where the builder is and leaves it in
  // another one.
  std::vector<llvm::Value*> Divide(llvm::IRBuilder<>& b, LaneEmitter& emitter,
                                   std::span<llvm::Value* const> xs) const;

 private:
  LaneType type_;
  llvm::Value* divisor_;
  llvm::Value* reciprocal_;
  llvm::Value *all_, *zero_, *range_;  // which dividends to divide
};

}  // namespace axle

#include "axle/codegen/llvm_faults.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace axle {
namespace {

constexpr unsigned kNarrow = 16, kWide = 64;

// What a truncation to vectors of 16 bits takes its bits from, if that is wide, else null. LLVM
// makes one truncation of several.
llvm::Value* WideSource(const llvm::TruncInst& truncation) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(truncation.getType());
  if (type == nullptr || type->getScalarSizeInBits() != kNarrow) return nullptr;
  llvm::Value* source = truncation.getOperand(0);
  while (auto* before = llvm::dyn_cast<llvm::TruncInst>(source)) source = before->getOperand(0);
  return source->getType()->getScalarSizeInBits() >= kWide ? source : nullptr;
}

llvm::Value* LowBits(llvm::IRBuilder<>& b, llvm::Value* wide) {
  auto* type = llvm::cast<llvm::FixedVectorType>(wide->getType());
  const unsigned lanes = type->getNumElements(), parts = type->getScalarSizeInBits() / kNarrow;
  std::vector<int> lowest;
  for (unsigned k = 0; k < lanes; ++k) lowest.push_back(static_cast<int>(k * parts));
  auto* narrow = llvm::FixedVectorType::get(b.getIntNTy(kNarrow), lanes * parts);
  return b.CreateShuffleVector(b.CreateBitCast(wide, narrow), lowest);
}

}  // namespace

void AvoidLlvmFaults(llvm::Module& module) {
  std::vector<llvm::TruncInst*> replaced;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& inst : block) {
        auto* truncation = llvm::dyn_cast<llvm::TruncInst>(&inst);
        if (truncation != nullptr && WideSource(*truncation)) replaced.push_back(truncation);
      }
    }
  }
  for (llvm::TruncInst* truncation : replaced) {
    llvm::IRBuilder<> b(truncation);
    truncation->replaceAllUsesWith(LowBits(b, WideSource(*truncation)));
    truncation->eraseFromParent();
  }
}

}  // namespace axle

#include "axle/codegen/llvm_faults.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

namespace axle {
namespace {

constexpr unsigned kNarrow = 16;  // bits of each side of products that LLVM mistakes

// A product of vectors of 64 bits or more that something else than a truncation reads.
bool IsWideProduct(const llvm::Instruction& inst) {
  const llvm::Type* type = inst.getType();
  if (inst.getOpcode() != llvm::Instruction::Mul || !type->isVectorTy() ||
      type->getScalarSizeInBits() < 64) {
    return false;
  }
  return !std::ranges::all_of(inst.users(),
                              [](const auto* user) { return llvm::isa<llvm::TruncInst>(user); });
}

// The same bits, of which nobody knows any more where they come from. There is such a fence for
// floats only; it is no instruction in the end.
llvm::Value* Fenced(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* type = value->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  llvm::Type* part = type->getScalarSizeInBits() < 64 ? b.getFloatTy() : b.getDoubleTy();
  auto* floats = llvm::FixedVectorType::get(part, bits / part->getScalarSizeInBits());
  llvm::Value* cast = b.CreateBitCast(value, floats);
  return b.CreateBitCast(b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats}, {cast}),
                         type);
}

// What is multiplied, before it is extended, if it may be more than narrow there: then the product
// and what reads it are compiled as ever. Else the product.
void FenceProduct(llvm::Instruction& product) {
  for (llvm::Value* operand : product.operands()) {
    auto* extended = llvm::dyn_cast<llvm::CastInst>(operand);
    if (extended == nullptr || !extended->isIntegerCast()) continue;
    llvm::Value* source = extended->getOperand(0);
    if (source->getType()->getScalarSizeInBits() <= kNarrow) continue;
    if (llvm::isa<llvm::LoadInst>(source)) return;  // nobody knows anything of it
    llvm::IRBuilder<> b(extended);
    extended->setOperand(0, Fenced(b, source));
    return;
  }
  llvm::IRBuilder<> b(product.getNextNode());
  auto* copy = product.clone();
  b.Insert(copy);
  product.replaceAllUsesWith(Fenced(b, copy));
  product.eraseFromParent();
}

}  // namespace

void AvoidLlvmFaults(llvm::Module& module) {
  std::vector<llvm::Instruction*> products;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& inst : block) {
        if (IsWideProduct(inst)) products.push_back(&inst);
      }
    }
  }
  for (llvm::Instruction* product : products) FenceProduct(*product);
}

}  // namespace axle

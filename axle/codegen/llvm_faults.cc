#include "axle/codegen/llvm_faults.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <vector>

namespace axle {
namespace {

constexpr unsigned kNarrow = 16;  // bits of each side of products that LLVM mistakes
constexpr unsigned kInBetween = 32;

// A product of vectors of 64 bits or more.
bool IsWideProduct(const llvm::Instruction& inst) {
  const llvm::Type* type = inst.getType();
  return inst.getOpcode() == llvm::Instruction::Mul && type->isVectorTy() &&
         type->getScalarSizeInBits() >= 64;
}

bool IsOnlyTruncated(const llvm::Instruction& inst) {
  return std::ranges::all_of(inst.users(),
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

// Loaded, and nothing was stored before in the same block, which might be what is loaded: anything
// may be in memory.
bool IsLoaded(const llvm::Value& value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load == nullptr) return false;
  for (const llvm::Instruction& inst : *load->getParent()) {
    if (&inst == load) return true;
    if (inst.mayWriteToMemory()) return false;
  }
  return false;
}

// What is extended passes a fence where it has 32 bits or more: as many may be anything then.
void FenceExtension(llvm::CastInst& extension) {
  llvm::Value* source = extension.getOperand(0);
  if (source->getType()->getScalarSizeInBits() > kNarrow && IsLoaded(*source)) return;
  llvm::IRBuilder<> b(&extension);
  if (source->getType()->getScalarSizeInBits() <= kNarrow) {
    llvm::Type* between = source->getType()->getWithNewBitWidth(kInBetween);
    source = b.CreateCast(extension.getOpcode(), source, between);
  }
  extension.setOperand(0, Fenced(b, source));
}

// One of the two sides is enough: LLVM is wrong where it knows that both are narrow. Where the
// product itself has the fence, it still knows what it multiplies.
void FenceProduct(llvm::Instruction& product) {
  for (llvm::Value* operand : product.operands()) {
    if (IsLoaded(*operand)) return;
    auto* cast = llvm::dyn_cast<llvm::CastInst>(operand);
    if (cast == nullptr || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast)) continue;
    FenceExtension(*cast);
    return;
  }
  if (IsOnlyTruncated(product)) {  // a fence behind it would keep it from being narrowed as well
    const unsigned side = llvm::isa<llvm::Constant>(product.getOperand(0)) ? 1 : 0;
    llvm::IRBuilder<> b(&product);
    product.setOperand(side, Fenced(b, product.getOperand(side)));
    return;
  }
  llvm::IRBuilder<> b(product.getNextNode());
  llvm::Instruction* copy = product.clone();
  b.Insert(copy);
  product.replaceAllUsesWith(Fenced(b, copy));
  product.eraseFromParent();
}

// A quotient of vectors, unless its divisor is a constant other than 0, or loaded: of those LLVM
// cannot find out that they are 0.
bool MayDivideByZero(const llvm::Instruction& inst) {
  if (inst.getOpcode() != llvm::Instruction::FDiv || !inst.getType()->isVectorTy()) return false;
  const llvm::Value* divisor = inst.getOperand(1);
  if (const auto* number = llvm::dyn_cast<llvm::Constant>(divisor)) {
    const auto* splat = llvm::dyn_cast_or_null<llvm::ConstantFP>(number->getSplatValue());
    return splat == nullptr || splat->isZero();
  }
  return !IsLoaded(*divisor);
}

int NumLanes(const llvm::Value& value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  return vector == nullptr ? 0 : static_cast<int>(vector->getNumElements());
}

bool IsRelation(const llvm::Instruction& inst) {
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&inst);
  return comparison != nullptr && !comparison->isEquality();
}

bool IsMaximum(const llvm::Instruction& inst) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::umax;
}

// The same number in all lanes (a part of others may be all ones), and not the greatest there is.
bool IsSafeConstant(const llvm::Value& value) {
  const auto* number = llvm::dyn_cast<llvm::Constant>(&value);
  if (number == nullptr) return false;
  const llvm::Constant* lane = number->getSplatValue();
  return lane != nullptr && !lane->isAllOnesValue();
}

// Which of two vectors of 64 bits is the greater one, or that one itself; unless LLVM cannot find
// out, because of one it knows nothing, and the other is loaded too or a safe constant. With a sign
// as well: turned around, such a comparison may be one without.
bool MayTellGreater(const llvm::Instruction& inst) {
  if (!IsRelation(inst) && !IsMaximum(inst)) return false;
  const llvm::Value &lhs = *inst.getOperand(0), &rhs = *inst.getOperand(1);
  if (NumLanes(lhs) < 2 || lhs.getType()->getScalarSizeInBits() != 64) return false;
  if (IsLoaded(lhs)) return !IsLoaded(rhs) && !IsSafeConstant(rhs);
  return !IsLoaded(rhs) || !IsSafeConstant(lhs);
}

// What is compared is not what a select chooses then, so nothing becomes of the two.
void FenceComparison(llvm::Instruction& inst) {
  const unsigned side = llvm::isa<llvm::Constant>(inst.getOperand(0)) ? 1 : 0;
  llvm::IRBuilder<> b(&inst);
  inst.setOperand(side, Fenced(b, inst.getOperand(side)));
}

// A number alone, of which the comparison may see only some bits: what is carried from one turn of
// a loop to the next, or loaded, is whole.
bool MayBePart(const llvm::Value& value) {
  return llvm::isa<llvm::Instruction>(value) && !llvm::isa<llvm::PHINode>(value) &&
         !IsLoaded(value);
}

bool MayCompareParts(const llvm::Instruction& inst) {
  if (!IsRelation(inst) && !IsMaximum(inst)) return false;
  const llvm::Value &lhs = *inst.getOperand(0), &rhs = *inst.getOperand(1);
  const unsigned bits = lhs.getType()->getScalarSizeInBits();
  return NumLanes(lhs) == 1 && bits >= 8 && bits <= 64 && (MayBePart(lhs) || MayBePart(rhs));
}

// A fence for a number in a register of integers; no instruction either.
llvm::Value* FencedAlone(llvm::IRBuilder<>& b, llvm::Value* value) {
  const unsigned bits = value->getType()->getScalarSizeInBits();
  llvm::IntegerType* integer = b.getIntNTy(bits);
  llvm::IntegerType* wide = b.getIntNTy(std::max(bits, 32U));
  auto* type = llvm::FunctionType::get(wide, {wide}, false);
  llvm::Value* number = b.CreateZExt(b.CreateBitCast(value, integer), wide);
  number = b.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", false), {number});
  return b.CreateBitCast(b.CreateTrunc(number, integer), value->getType());
}

void FencePart(llvm::Instruction& inst) {
  llvm::IRBuilder<> b(&inst);
  for (llvm::Use& operand : inst.operands()) {
    if (MayBePart(*operand)) operand.set(FencedAlone(b, operand));
  }
}

}  // namespace

void AvoidLlvmFaults(llvm::Module& module, const JitTarget& target) {
  std::vector<llvm::Instruction*> products, quotients, comparisons, parts;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& inst : block) {
        if (IsWideProduct(inst)) products.push_back(&inst);
        if (MayDivideByZero(inst)) quotients.push_back(&inst);
        if (target.isa == NativeIsa::kAarch64) continue;
        // With AVX-512 there are instructions for the greater and the smaller one.
        if (!target.has_avx512() && MayTellGreater(inst)) comparisons.push_back(&inst);
        if (MayCompareParts(inst)) parts.push_back(&inst);
      }
    }
  }
  for (llvm::Instruction* product : products) FenceProduct(*product);
  for (llvm::Instruction* quotient : quotients) {
    llvm::IRBuilder<> b(quotient);
    quotient->setOperand(1, Fenced(b, quotient->getOperand(1)));
  }
  for (llvm::Instruction* comparison : comparisons) FenceComparison(*comparison);
  for (llvm::Instruction* part : parts) FencePart(*part);
}

}  // namespace axle

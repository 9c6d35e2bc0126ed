#include "axle/codegen/llvm_faults.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace axle {
namespace {

constexpr unsigned kNarrow = 16;  // bits of each side of products that LLVM mistakes
constexpr unsigned kInBetween = 32;

// By how many bits all lanes are shifted; as many as there are if that is not known.
std::uint64_t Places(const llvm::Instruction& shift) {
  const std::uint64_t all = shift.getType()->getScalarSizeInBits();
  const auto* amount = llvm::dyn_cast<llvm::Constant>(shift.getOperand(1));
  const auto* lanes = llvm::dyn_cast_or_null<llvm::ConstantInt>(
      amount == nullptr ? nullptr : amount->getSplatValue());
  return lanes == nullptr ? all : lanes->getLimitedValue(all);
}

// What LLVM may take out of the way, or together with what is before and behind it.
bool IsTransparent(const llvm::Instruction& inst) {
  using llvm::Instruction;
  switch (inst.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::BitCast:
    case Instruction::Select:
    case Instruction::ShuffleVector:
    case Instruction::InsertElement:
    case Instruction::Freeze:
      return true;
    default:
      return llvm::isa<llvm::MinMaxIntrinsic>(inst);
  }
}

// Whether what comes of `value` is shifted to the right by more than kNarrow bits.
bool IsShiftedFar(const llvm::Value& value, bool is_shifted,
                  std::set<std::pair<const llvm::Value*, bool>>& seen) {
  if (!seen.emplace(&value, is_shifted).second) return false;
  return std::ranges::any_of(value.users(), [&](const llvm::User* user) {
    const auto& inst = *llvm::cast<llvm::Instruction>(user);
    if (!IsTransparent(inst)) return false;
    const bool shifts = (inst.getOpcode() == llvm::Instruction::LShr ||
                         inst.getOpcode() == llvm::Instruction::AShr) &&
                        inst.getOperand(0) == &value;
    if (shifts && (is_shifted || Places(inst) > kNarrow)) return true;
    return IsShiftedFar(inst, is_shifted || shifts, seen);
  });
}

// A product that LLVM may mistake, if what it multiplies is narrow.
bool IsMistaken(const llvm::Instruction& inst) {
  const llvm::Type* type = inst.getType();
  if (inst.getOpcode() != llvm::Instruction::Mul || !type->isVectorTy() ||
      type->getScalarSizeInBits() < 64) {
    return false;
  }
  std::set<std::pair<const llvm::Value*, bool>> seen;
  return IsShiftedFar(inst, false, seen);
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

// What is extended passes a fence where it has 32 bits or more: as many may be anything then, as
// they may of what is loaded.
void FenceExtension(llvm::CastInst& extension) {
  llvm::Value* source = extension.getOperand(0);
  const bool is_narrow = source->getType()->getScalarSizeInBits() <= kNarrow;
  if (!is_narrow && llvm::isa<llvm::LoadInst>(source)) return;
  llvm::IRBuilder<> b(&extension);
  if (is_narrow) {
    llvm::Type* between = source->getType()->getWithNewBitWidth(kInBetween);
    source = b.CreateCast(extension.getOpcode(), source, between);
  }
  extension.setOperand(0, Fenced(b, source));
}

// One of the two sides is enough: LLVM is wrong where it knows that both are narrow. Where the
// product itself has the fence, it still knows what it multiplies.
void FenceProduct(llvm::Instruction& product) {
  for (llvm::Value* operand : product.operands()) {
    if (llvm::isa<llvm::LoadInst>(operand)) return;
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

}  // namespace

void AvoidLlvmFaults(llvm::Module& module) {
  std::vector<llvm::Instruction*> products;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& inst : block) {
        if (IsMistaken(inst)) products.push_back(&inst);
      }
    }
  }
  for (llvm::Instruction* product : products) FenceProduct(*product);
}

}  // namespace axle

#include "axle/codegen/llvm/llvm_workarounds.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <vector>

namespace axle {
namespace {

constexpr unsigned kNarrow = 16;  // bits of each side of products that LLVM mistakes
constexpr unsigned kInBetween = 32;

int NumLanes(const llvm::Value& value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  return vector == nullptr ? 0 : static_cast<int>(vector->getNumElements());
}

bool IsOnlyTruncated(const llvm::Instruction& inst) {
  return std::ranges::all_of(inst.users(),
                             [](const auto* user) { return llvm::isa<llvm::TruncInst>(user); });
}

unsigned BitsOf(const llvm::Value& value) {
  return static_cast<unsigned>(value.getType()->getPrimitiveSizeInBits().getFixedValue());
}

// The same bits, in a register of integers, of which nobody knows any more where they come from; no
// instruction in the end. For numbers alone, and vectors that are no larger than one.
llvm::Value* FencedAlone(llvm::IRBuilder<>& b, llvm::Value* value) {
  const unsigned bits = BitsOf(*value);
  llvm::IntegerType* integer = b.getIntNTy(bits);
  llvm::IntegerType* wide = b.getIntNTy(std::max(bits, 32U));
  auto* type = llvm::FunctionType::get(wide, {wide}, false);
  llvm::Value* number = b.CreateZExt(b.CreateBitCast(value, integer), wide);
  llvm::CallInst* fence =
      b.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", false), {number});
  fence->setDoesNotAccessMemory();
  return b.CreateBitCast(b.CreateTrunc(fence, integer), value->getType());
}

// The same for vectors, of which there is such a fence for floats only.
llvm::Value* Fenced(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* type = value->getType();
  const unsigned bits = BitsOf(*value);
  const bool is_alone = NumLanes(*value) == 1 && type->isIntOrIntVectorTy() && bits <= 64;
  if (is_alone || bits < 32) return FencedAlone(b, value);
  llvm::Type* part = type->getScalarSizeInBits() < 64 ? b.getFloatTy() : b.getDoubleTy();
  auto* floats = llvm::FixedVectorType::get(part, bits / part->getScalarSizeInBits());
  llvm::Value* cast = b.CreateBitCast(value, floats);
  return b.CreateBitCast(b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats}, {cast}),
                         type);
}

void FenceOperand(llvm::Instruction& inst, unsigned operand) {
  llvm::IRBuilder<> b(&inst);
  inst.setOperand(operand, Fenced(b, inst.getOperand(operand)));
}

// What reads `inst` reads it behind a fence.
void FenceResult(llvm::Instruction& inst) {
  llvm::IRBuilder<> b(inst.getNextNode());
  llvm::Instruction* copy = inst.clone();
  b.Insert(copy);
  inst.replaceAllUsesWith(Fenced(b, copy));
  inst.eraseFromParent();
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

bool IsExtension(const llvm::Value& value) {
  return llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value);
}

bool IsFenced(const llvm::Value& value) {
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&value);
  const auto* fence =
      cast == nullptr ? nullptr : llvm::dyn_cast<llvm::IntrinsicInst>(cast->getOperand(0));
  return fence != nullptr && fence->getIntrinsicID() == llvm::Intrinsic::arithmetic_fence;
}

// Nothing is found out of what is loaded, and a constant is known from the beginning.
bool MayBeFoundOut(const llvm::Value& value) {
  return !llvm::isa<llvm::Constant>(value) && !IsLoaded(value) && !IsFenced(value);
}

void FenceOperandIfNeeded(llvm::Instruction& inst, unsigned operand) {
  if (MayBeFoundOut(*inst.getOperand(operand))) FenceOperand(inst, operand);
}

// Of an extension its source, so that it is still known to be one.
void FenceSides(llvm::Instruction& product) {
  const bool is_square = product.getOperand(0) == product.getOperand(1);
  for (const unsigned side : {0U, 1U}) {
    auto* extension = llvm::dyn_cast<llvm::CastInst>(product.getOperand(side));
    if (extension != nullptr && IsExtension(*extension) &&
        !extension->getSrcTy()->isIntOrIntVectorTy(1)) {
      FenceOperandIfNeeded(*extension, 0);
    } else {
      FenceOperandIfNeeded(product, side);
    }
    if (!is_square) continue;
    product.setOperand(1, product.getOperand(0));
    return;
  }
}

// Of two sides of 64 bits or more one shall be of any size, for all that LLVM knows: it is wrong
// where it knows that both are narrow. Where the product itself has the fence, it still knows what
// it multiplies.
void HideSize(llvm::Instruction& product) {
  for (llvm::Value* operand : product.operands()) {
    if (IsLoaded(*operand) || IsFenced(*operand)) return;
    if (!IsExtension(*operand)) continue;
    FenceExtension(llvm::cast<llvm::CastInst>(*operand));
    return;
  }
  FenceResult(product);
}

void FenceProduct(llvm::Instruction& product) {
  const bool is_wide = product.getType()->getScalarSizeInBits() >= 64;
  const bool is_of_extensions =
      IsExtension(*product.getOperand(0)) || IsExtension(*product.getOperand(1));
  // A fence behind what is only truncated would keep it from being narrowed as well.
  if (!is_wide || is_of_extensions || IsOnlyTruncated(product)) FenceSides(product);
  if (is_wide) HideSize(product);
}

// Of vectors, or of numbers alone that lane programs compute; addresses are computed without. A
// product of 8 bits has no upper half that LLVM makes shorter.
bool IsProduct(const llvm::Instruction& inst) {
  const llvm::Type* type = inst.getType();
  return inst.getOpcode() == llvm::Instruction::Mul && type->isVectorTy() &&
         type->getScalarSizeInBits() > 8;
}

bool IsIntegerQuotient(const llvm::Instruction& inst) {
  switch (inst.getOpcode()) {
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
      return true;
    default:
      return false;
  }
}

// A quotient of vectors of integers; by the same number in all lanes as well: in lanes that are
// left out divisors may be anything, 0 among them.
bool MayMoveDivisors(const llvm::Instruction& inst) {
  return IsIntegerQuotient(inst) && NumLanes(inst) >= 2;
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
  FenceOperand(inst, llvm::isa<llvm::Constant>(inst.getOperand(0)) ? 1 : 0);
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

void FencePart(llvm::Instruction& inst) {
  llvm::IRBuilder<> b(&inst);
  for (llvm::Use& operand : inst.operands()) {
    if (MayBePart(*operand)) operand.set(FencedAlone(b, operand));
  }
}

bool IsFunnelShift(const llvm::Instruction& inst) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return intrinsic != nullptr && (intrinsic->getIntrinsicID() == llvm::Intrinsic::fshl ||
                                  intrinsic->getIntrinsicID() == llvm::Intrinsic::fshr);
}

// The same number in all lanes, which was loaded; or some bits of what was.
bool IsLoadedCount(const llvm::Value& count) {
  const llvm::Value* value = &count;
  if (const auto* part = llvm::dyn_cast<llvm::BinaryOperator>(value);
      part != nullptr && part->getOpcode() == llvm::Instruction::And &&
      llvm::isa<llvm::Constant>(part->getOperand(1))) {
    value = part->getOperand(0);
  }
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
      shuffle != nullptr && shuffle->isZeroEltSplat()) {
    const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(shuffle->getOperand(0));
    if (insertion != nullptr) value = insertion->getOperand(1);
  }
  return IsLoaded(*value);
}

// A rotation of vectors, or a shift that may become a half of one, where the processor has no
// instruction for it: the halves may meet behind conversions, shuffles and masks.
bool MayRotate(const llvm::Instruction& inst, const JitTarget& target) {
  if (NumLanes(inst) < 2) return false;
  if (target.has_avx512() && inst.getType()->getScalarSizeInBits() >= 32) return false;
  return IsFunnelShift(inst) || inst.isLogicalShift();
}

void FenceCount(llvm::Instruction& shift) {
  const unsigned count = IsFunnelShift(shift) ? 2 : 1;
  if (!IsLoadedCount(*shift.getOperand(count))) FenceOperandIfNeeded(shift, count);
}

// A shift of a number of 64 bits alone, which may be there to test one of them.
bool MayTestABit(const llvm::Instruction& inst) {
  return inst.isShift() && NumLanes(inst) == 1 && inst.getType()->getScalarSizeInBits() == 64;
}

// The `& 63` of a count stays in sight of the shift: it costs an instruction otherwise.
void FenceCountAlone(llvm::Instruction& shift) {
  llvm::Value* count = shift.getOperand(1);
  const bool is_masked =
      match(count, llvm::PatternMatch::m_And(llvm::PatternMatch::m_Value(),
                                             llvm::PatternMatch::m_SpecificInt(63)));
  if (is_masked && llvm::isa<llvm::Instruction>(count)) {
    FenceOperandIfNeeded(llvm::cast<llvm::Instruction>(*count), 0);
  } else {
    FenceOperandIfNeeded(shift, 1);
  }
}

const llvm::Value& WithoutCasts(const llvm::Value& value) {
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&value);
  if (cast != nullptr && !IsFenced(value)) return WithoutCasts(*cast->getOperand(0));
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): values live in a module
}

// x << n | x >> m: no bits of two numbers, but of one.
bool IsRotation(const llvm::Instruction& inst) {
  const auto* lhs = llvm::dyn_cast<llvm::BinaryOperator>(inst.getOperand(0));
  const auto* rhs = llvm::dyn_cast<llvm::BinaryOperator>(inst.getOperand(1));
  return lhs != nullptr && rhs != nullptr && lhs->isLogicalShift() && rhs->isLogicalShift() &&
         lhs->getOpcode() != rhs->getOpcode() && lhs->getOperand(0) == rhs->getOperand(0);
}

// The greater or the smaller of two numbers, for which there is an instruction.
bool IsMinMax(const llvm::SelectInst& select) {
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(select.getCondition());
  if (comparison == nullptr || !IsRelation(*comparison)) return false;
  const llvm::Value *lhs = comparison->getOperand(0), *rhs = comparison->getOperand(1);
  return (select.getTrueValue() == lhs && select.getFalseValue() == rhs) ||
         (select.getTrueValue() == rhs && select.getFalseValue() == lhs);
}

// 0, 1 and -1, by which float arithmetic may give the other operand.
bool IsNeutral(const llvm::Value& value) {
  const auto* number = llvm::dyn_cast<llvm::Constant>(&value);
  if (number == nullptr) return false;
  const auto* lane = llvm::dyn_cast_or_null<llvm::ConstantFP>(number->getSplatValue());
  return lane == nullptr || lane->isZero() || lane->isExactlyValue(1) || lane->isExactlyValue(-1);
}

// A float that was computed: neither one of its operands nor joined bits.
bool IsComputedFloat(const llvm::Value& value) {
  if (!value.getType()->isFPOrFPVectorTy()) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value)) {
    return call->getIntrinsicID() != llvm::Intrinsic::fabs;
  }
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  return operation != nullptr &&
         std::ranges::none_of(operation->operands(),
                              [](const llvm::Use& operand) { return IsNeutral(*operand); });
}

// What may be the bits of two numbers joined, for all that LLVM may find out. What another choice
// chooses has fences of its own.
bool MayBeJoined(const llvm::Value& operand) {
  const llvm::Value& value = WithoutCasts(operand);
  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&value);
  if (choice != nullptr && choice->getCondition()->getType()->isVectorTy()) {
    return IsMinMax(*choice);
  }
  return MayBeFoundOut(value) && !llvm::isa<llvm::PHINode>(value) && !IsComputedFloat(value);
}

// A choice for which the processor writes only some lanes of what it computes.
bool MayWriteSomeLanes(const llvm::Instruction& inst, const JitTarget& target) {
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
  return select != nullptr && target.has_avx512() &&
         select->getCondition()->getType()->isVectorTy() && NumLanes(inst) >= 2 &&
         inst.getType()->getScalarSizeInBits() >= 32 && !IsMinMax(*select);
}

void FenceChoices(llvm::Instruction& select) {
  for (const unsigned choice : {1U, 2U}) {
    if (MayBeJoined(*select.getOperand(choice))) FenceOperand(select, choice);
  }
}

bool IsNumber(const llvm::Value& value) {
  return llvm::isa<llvm::Constant>(value) && !llvm::isa<llvm::UndefValue>(value);
}

// A shuffle of which some lanes are constants, and others are not.
bool MixesConstants(const llvm::Instruction& inst) {
  if (!llvm::isa<llvm::ShuffleVectorInst>(inst)) return false;
  if (inst.getType()->isIntOrIntVectorTy(1)) return false;
  const llvm::Value &lhs = *inst.getOperand(0), &rhs = *inst.getOperand(1);
  return (IsNumber(lhs) && !llvm::isa<llvm::Constant>(rhs)) ||
         (IsNumber(rhs) && !llvm::isa<llvm::Constant>(lhs));
}

void FenceConstant(llvm::Instruction& shuffle) {
  FenceOperand(shuffle, IsNumber(*shuffle.getOperand(0)) ? 0 : 1);
}

// Puts lanes of two vectors together.
bool MixesLanes(const llvm::Instruction& inst) {
  return llvm::isa<llvm::ShuffleVectorInst>(inst) &&
         std::ranges::none_of(inst.operands(), [](const llvm::Use& source) {
           return llvm::isa<llvm::UndefValue>(source.get());
         });
}

bool IsSplat(const llvm::Value& value) {
  const auto* number = llvm::dyn_cast<llvm::Constant>(&value);
  return number != nullptr && number->getSplatValue() != nullptr;
}

// x | y or x & y, of which LLVM may find out some lanes of either side. Of conditions there is no
// fence.
bool MayAbsorbLanes(const llvm::Instruction& inst) {
  const bool is_bitwise =
      inst.getOpcode() == llvm::Instruction::Or || inst.getOpcode() == llvm::Instruction::And;
  if (!is_bitwise || NumLanes(inst) < 2 || inst.getType()->isIntOrIntVectorTy(1)) return false;
  return std::ranges::none_of(inst.operands(),
                              [](const llvm::Use& side) { return IsSplat(*side); }) &&
         !(inst.getOpcode() == llvm::Instruction::Or && IsRotation(inst));
}

void FenceOneSide(llvm::Instruction& inst) {
  if (MayBeFoundOut(*inst.getOperand(0)) && MayBeFoundOut(*inst.getOperand(1))) {
    FenceOperand(inst, 0);
  }
}

// The fences of one instruction: each takes what it is wrong to know from it.
void FenceInstruction(llvm::Instruction& inst, const JitTarget& target, bool mixes_lanes) {
  if (IsProduct(inst)) return FenceProduct(inst);
  if (MayDivideByZero(inst)) return FenceOperand(inst, 1);
  if (MayMoveDivisors(inst)) return FenceResult(inst);
  if (target.isa == NativeIsa::kAarch64) return;
  if (MayRotate(inst, target)) return FenceCount(inst);
  if (MayTestABit(inst)) return FenceCountAlone(inst);
  if (MixesConstants(inst)) return FenceConstant(inst);
  if (mixes_lanes && MayAbsorbLanes(inst)) return FenceOneSide(inst);
  if (MayWriteSomeLanes(inst, target)) return FenceChoices(inst);
  // With AVX-512 there are instructions for the greater and the smaller one.
  if (!target.has_avx512() && MayTellGreater(inst)) return FenceComparison(inst);
  if (MayCompareParts(inst)) FencePart(inst);
}

}  // namespace

void WorkAroundLlvm(llvm::Module& module, const JitTarget& target) {
  for (llvm::Function& function : module) {
    std::vector<llvm::Instruction*> instructions;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& inst : block) instructions.push_back(&inst);
    }
    const bool mixes_lanes =
        std::ranges::any_of(instructions, [](const auto* inst) { return MixesLanes(*inst); });
    for (llvm::Instruction* inst : instructions) FenceInstruction(*inst, target, mixes_lanes);
  }
}

}  // namespace axle

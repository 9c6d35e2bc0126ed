// How the workarounds are made. Each bug is a rewrite of LLVM's code generator that is wrong for
// some operands. The rewrite cannot be switched off, so its pattern is broken: an operand, or the
// result, passes a barrier, an operation that returns its operand and that LLVM cannot see through.
// For example
//
//   %p = fdiv <4 x float> %x, %y
//
// becomes
//
//   %b = call <4 x float> @llvm.arithmetic.fence(<4 x float> %y)
//   %p = fdiv <4 x float> %x, %b
//
// and LLVM does not know any more that %y is zero, if it is. A barrier costs no instruction, but it
// ends a folding of loads and constants, so one is put only where the pattern may arise. One pass
// over all instructions, linear in their number: for each, the first bug that it may take part in
// decides (AddBarriers). Functions `May...` say whether, `BarrierOn...` put the barrier.
//
// A bug often needs a value that is known only after LLVM has chosen a form ("late"): a constant
// behind shifts that shift out all bits, say. Such a value cannot be recognised here, so anything
// that is neither a constant nor freshly loaded is taken for one (MayBecomeKnown).
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

constexpr unsigned kNarrowBits = 16;  // width of the factors of a mulhi that LLVM forms wrongly
constexpr unsigned kBetweenBits = 32;

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

// `value` behind an empty inline assembly statement, in a general-purpose register: LLVM knows
// nothing of the result. No instruction. For scalars and vectors of at most 64 bits.
llvm::Value* ScalarBarrier(llvm::IRBuilder<>& b, llvm::Value* value) {
  const unsigned bits = BitsOf(*value);
  llvm::IntegerType* integer = b.getIntNTy(bits);
  llvm::IntegerType* wide = b.getIntNTy(std::max(bits, 32U));
  auto* type = llvm::FunctionType::get(wide, {wide}, false);
  llvm::Value* number = b.CreateZExt(b.CreateBitCast(value, integer), wide);
  llvm::CallInst* barrier =
      b.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", false), {number});
  barrier->setDoesNotAccessMemory();
  return b.CreateBitCast(b.CreateTrunc(barrier, integer), value->getType());
}

// The same for vectors, through llvm.arithmetic.fence, which takes floats only.
llvm::Value* Barrier(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* type = value->getType();
  const unsigned bits = BitsOf(*value);
  const bool is_scalar = NumLanes(*value) == 1 && type->isIntOrIntVectorTy() && bits <= 64;
  if (is_scalar || bits < 32) return ScalarBarrier(b, value);
  llvm::Type* part = type->getScalarSizeInBits() < 64 ? b.getFloatTy() : b.getDoubleTy();
  auto* floats = llvm::FixedVectorType::get(part, bits / part->getScalarSizeInBits());
  llvm::Value* cast = b.CreateBitCast(value, floats);
  return b.CreateBitCast(b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats}, {cast}),
                         type);
}

void BarrierOnOperand(llvm::Instruction& inst, unsigned operand) {
  llvm::IRBuilder<> b(&inst);
  inst.setOperand(operand, Barrier(b, inst.getOperand(operand)));
}

// All users of `inst` read it behind a barrier.
void BarrierOnResult(llvm::Instruction& inst) {
  llvm::IRBuilder<> b(inst.getNextNode());
  llvm::Instruction* copy = inst.clone();
  b.Insert(copy);
  inst.replaceAllUsesWith(Barrier(b, copy));
  inst.eraseFromParent();
}

// A load with no store before it in its block. Its value is unknown to LLVM; a load behind a store
// may be replaced by what was stored.
bool IsLoaded(const llvm::Value& value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load == nullptr) return false;
  for (const llvm::Instruction& inst : *load->getParent()) {
    if (&inst == load) return true;
    if (inst.mayWriteToMemory()) return false;
  }
  return false;
}

// Puts the barrier where the extended value has 32 bits or more, so that the value may have that
// many significant bits for all that LLVM knows.
void BarrierOnExtension(llvm::CastInst& extension) {
  llvm::Value* source = extension.getOperand(0);
  if (source->getType()->getScalarSizeInBits() > kNarrowBits && IsLoaded(*source)) return;
  llvm::IRBuilder<> b(&extension);
  if (source->getType()->getScalarSizeInBits() <= kNarrowBits) {
    llvm::Type* between = source->getType()->getWithNewBitWidth(kBetweenBits);
    source = b.CreateCast(extension.getOpcode(), source, between);
  }
  extension.setOperand(0, Barrier(b, source));
}

bool IsExtension(const llvm::Value& value) {
  return llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value);
}

bool HasBarrier(const llvm::Value& value) {
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&value);
  const auto* barrier =
      cast == nullptr ? nullptr : llvm::dyn_cast<llvm::IntrinsicInst>(cast->getOperand(0));
  return barrier != nullptr && barrier->getIntrinsicID() == llvm::Intrinsic::arithmetic_fence;
}

// LLVM may find out this value, or some of its bits, after it has chosen a form: not so for a load
// or a value behind a barrier; and a constant is known from the beginning.
bool MayBecomeKnown(const llvm::Value& value) {
  return !llvm::isa<llvm::Constant>(value) && !IsLoaded(value) && !HasBarrier(value);
}

void BarrierOnOperandIfNeeded(llvm::Instruction& inst, unsigned operand) {
  if (MayBecomeKnown(*inst.getOperand(operand))) BarrierOnOperand(inst, operand);
}

// mulhu_by_one.ll: no factor may become the constant 1. If a factor is an extension, its source
// gets the barrier, so that LLVM still sees an extension.
void BarrierOnFactors(llvm::Instruction& product) {
  const bool is_square = product.getOperand(0) == product.getOperand(1);
  for (const unsigned side : {0U, 1U}) {
    auto* extension = llvm::dyn_cast<llvm::CastInst>(product.getOperand(side));
    if (extension != nullptr && IsExtension(*extension) &&
        !extension->getSrcTy()->isIntOrIntVectorTy(1)) {
      BarrierOnOperandIfNeeded(*extension, 0);
    } else {
      BarrierOnOperandIfNeeded(product, side);
    }
    if (!is_square) continue;
    product.setOperand(1, product.getOperand(0));
    return;
  }
}

// narrow_mul_trunc.ll, narrow_mul_lshr.ll: of two factors of 64 bits or more, LLVM must not know
// that both have at most 16 significant bits. One of them gets the barrier if it is an extension;
// otherwise the product gets it.
void HideWidth(llvm::Instruction& product) {
  for (llvm::Value* operand : product.operands()) {
    if (IsLoaded(*operand) || HasBarrier(*operand)) return;
    if (!IsExtension(*operand)) continue;
    BarrierOnExtension(llvm::cast<llvm::CastInst>(*operand));
    return;
  }
  BarrierOnResult(product);
}

void BarrierOnMultiply(llvm::Instruction& product) {
  const bool is_wide = product.getType()->getScalarSizeInBits() >= 64;
  const bool is_of_extensions =
      IsExtension(*product.getOperand(0)) || IsExtension(*product.getOperand(1));
  // A barrier on factors of a product that is only truncated would also prevent its narrowing.
  if (!is_wide || is_of_extensions || IsOnlyTruncated(product)) BarrierOnFactors(product);
  if (is_wide) HideWidth(product);
}

// A multiplication of a lane program, which is on vectors, of one lane at least; address arithmetic
// is on scalars. LLVM forms no high product of i8.
bool IsMultiply(const llvm::Instruction& inst) {
  const llvm::Type* type = inst.getType();
  return inst.getOpcode() == llvm::Instruction::Mul && type->isVectorTy() &&
         type->getScalarSizeInBits() > 8;
}

bool IsIntegerDivision(const llvm::Instruction& inst) {
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

// sdiv_of_shuffled_lanes.ll: a division of integer vectors. A divisor that is equal in all lanes is
// no exception: LLVM leaves it undefined in lanes that are not read.
bool MayShuffleDivisors(const llvm::Instruction& inst) {
  return IsIntegerDivision(inst) && NumLanes(inst) >= 2;
}

// fdiv_zero_by_zero.ll: a vector fdiv whose divisor may turn out to be zero: neither a constant
// other than zero nor a load.
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

bool IsUnsignedMax(const llvm::Instruction& inst) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::umax;
}

// A splat of a constant that is not all ones. (Of other constants some lanes may be all ones.)
bool IsSafeConstant(const llvm::Value& value) {
  const auto* number = llvm::dyn_cast<llvm::Constant>(&value);
  if (number == nullptr) return false;
  const llvm::Constant* lane = number->getSplatValue();
  return lane != nullptr && !lane->isAllOnesValue();
}

// abds_of_unsigned.ll: a comparison or maximum of i64 vectors, unless LLVM cannot learn which
// operand is greater: one is a load, and the other one a load or a safe constant. Signed
// comparisons count: LLVM may turn them into unsigned ones.
bool MayFormAbsoluteDifference(const llvm::Instruction& inst) {
  if (!IsRelation(inst) && !IsUnsignedMax(inst)) return false;
  const llvm::Value &lhs = *inst.getOperand(0), &rhs = *inst.getOperand(1);
  if (NumLanes(lhs) < 2 || lhs.getType()->getScalarSizeInBits() != 64) return false;
  if (IsLoaded(lhs)) return !IsLoaded(rhs) && !IsSafeConstant(rhs);
  return !IsLoaded(rhs) || !IsSafeConstant(lhs);
}

// The compared value is then not the one that the select reads, so that the two are not combined.
void BarrierOnCompare(llvm::Instruction& inst) {
  BarrierOnOperand(inst, llvm::isa<llvm::Constant>(inst.getOperand(0)) ? 1 : 0);
}

// umax_of_truncation.ll: a compared scalar that may hold the low bits of another value.
// Loop-carried values and loads are whole.
bool MayBeTruncation(const llvm::Value& value) {
  return llvm::isa<llvm::Instruction>(value) && !llvm::isa<llvm::PHINode>(value) &&
         !IsLoaded(value);
}

bool MayCompareTruncation(const llvm::Instruction& inst) {
  if (!IsRelation(inst) && !IsUnsignedMax(inst)) return false;
  const llvm::Value &lhs = *inst.getOperand(0), &rhs = *inst.getOperand(1);
  const unsigned bits = lhs.getType()->getScalarSizeInBits();
  return NumLanes(lhs) == 1 && bits >= 8 && bits <= 64 &&
         (MayBeTruncation(lhs) || MayBeTruncation(rhs));
}

void BarrierOnTruncations(llvm::Instruction& inst) {
  llvm::IRBuilder<> b(&inst);
  for (llvm::Use& operand : inst.operands()) {
    if (MayBeTruncation(*operand)) operand.set(ScalarBarrier(b, operand));
  }
}

bool IsFunnelShift(const llvm::Instruction& inst) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
  return intrinsic != nullptr && (intrinsic->getIntrinsicID() == llvm::Intrinsic::fshl ||
                                  intrinsic->getIntrinsicID() == llvm::Intrinsic::fshr);
}

// A splat of a loaded scalar, or of some of its bits.
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

// rotate_by_zero.ll: a vector rotate, or a shift that may be half of one, without an instruction
// for it. LLVM finds the other half behind conversions, shuffles and masks.
bool MayRotate(const llvm::Instruction& inst, const JitTarget& target) {
  if (NumLanes(inst) < 2) return false;
  if (target.has_avx512() && inst.getType()->getScalarSizeInBits() >= 32) return false;
  return IsFunnelShift(inst) || inst.isLogicalShift();
}

void BarrierOnCount(llvm::Instruction& shift) {
  const unsigned count = IsFunnelShift(shift) ? 2 : 1;
  if (!IsLoadedCount(*shift.getOperand(count))) BarrierOnOperandIfNeeded(shift, count);
}

// bit_test_cannot_select.ll: a shift of a scalar i64, which may be part of a test of one bit.
bool MayTestBit(const llvm::Instruction& inst) {
  return inst.isShift() && NumLanes(inst) == 1 && inst.getType()->getScalarSizeInBits() == 64;
}

// LLVM must still see the `& 63` of a count: shifts do it for free.
void BarrierOnScalarCount(llvm::Instruction& shift) {
  llvm::Value* count = shift.getOperand(1);
  const bool is_masked =
      match(count, llvm::PatternMatch::m_And(llvm::PatternMatch::m_Value(),
                                             llvm::PatternMatch::m_SpecificInt(63)));
  if (is_masked && llvm::isa<llvm::Instruction>(count)) {
    BarrierOnOperandIfNeeded(llvm::cast<llvm::Instruction>(*count), 0);
  } else {
    BarrierOnOperandIfNeeded(shift, 1);
  }
}

const llvm::Value& WithoutCasts(const llvm::Value& value) {
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&value);
  if (cast != nullptr && !HasBarrier(value)) return WithoutCasts(*cast->getOperand(0));
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): values live in a module
}

// x << n | x >> m: the bits of one value only.
bool IsRotation(const llvm::Instruction& inst) {
  const auto* lhs = llvm::dyn_cast<llvm::BinaryOperator>(inst.getOperand(0));
  const auto* rhs = llvm::dyn_cast<llvm::BinaryOperator>(inst.getOperand(1));
  return lhs != nullptr && rhs != nullptr && lhs->isLogicalShift() && rhs->isLogicalShift() &&
         lhs->getOpcode() != rhs->getOpcode() && lhs->getOperand(0) == rhs->getOperand(0);
}

// A minimum or maximum, for which there is an instruction.
bool IsMinMax(const llvm::SelectInst& select) {
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(select.getCondition());
  if (comparison == nullptr || !IsRelation(*comparison)) return false;
  const llvm::Value *lhs = comparison->getOperand(0), *rhs = comparison->getOperand(1);
  return (select.getTrueValue() == lhs && select.getFalseValue() == rhs) ||
         (select.getTrueValue() == rhs && select.getFalseValue() == lhs);
}

// 0, 1 and -1: with one of them, LLVM may replace float arithmetic by its other operand.
bool IsNeutral(const llvm::Value& value) {
  const auto* number = llvm::dyn_cast<llvm::Constant>(&value);
  if (number == nullptr) return false;
  const auto* lane = llvm::dyn_cast_or_null<llvm::ConstantFP>(number->getSplatValue());
  return lane == nullptr || lane->isZero() || lane->isExactlyValue(1) || lane->isExactlyValue(-1);
}

// The result of float arithmetic that is neither one of its operands nor a bit-select.
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

// select_of_bit_select.ll: LLVM may recognise this value as (x & m) | (y & ~m). Operands of another
// select have barriers of their own.
bool MayBeBitSelect(const llvm::Value& operand) {
  const llvm::Value& value = WithoutCasts(operand);
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value);
  if (select != nullptr && select->getCondition()->getType()->isVectorTy()) {
    return IsMinMax(*select);
  }
  return MayBecomeKnown(value) && !llvm::isa<llvm::PHINode>(value) && !IsComputedFloat(value);
}

// select_of_bit_select.ll: a select that becomes the lane mask of the instruction that computes its
// operand.
bool MayWriteMaskedLanes(const llvm::Instruction& inst, const JitTarget& target) {
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
  return select != nullptr && target.has_avx512() &&
         select->getCondition()->getType()->isVectorTy() && NumLanes(inst) >= 2 &&
         inst.getType()->getScalarSizeInBits() >= 32 && !IsMinMax(*select);
}

void BarrierOnSelected(llvm::Instruction& select) {
  for (const unsigned operand : {1U, 2U}) {
    if (MayBeBitSelect(*select.getOperand(operand))) BarrierOnOperand(select, operand);
  }
}

bool IsDefinedConstant(const llvm::Value& value) {
  return llvm::isa<llvm::Constant>(value) && !llvm::isa<llvm::UndefValue>(value);
}

// shift_of_partly_constant_vector.ll: a shuffle of constant lanes and others.
bool MixesConstantLanes(const llvm::Instruction& inst) {
  if (!llvm::isa<llvm::ShuffleVectorInst>(inst)) return false;
  if (inst.getType()->isIntOrIntVectorTy(1)) return false;
  const llvm::Value &lhs = *inst.getOperand(0), &rhs = *inst.getOperand(1);
  return (IsDefinedConstant(lhs) && !llvm::isa<llvm::Constant>(rhs)) ||
         (IsDefinedConstant(rhs) && !llvm::isa<llvm::Constant>(lhs));
}

void BarrierOnConstant(llvm::Instruction& shuffle) {
  BarrierOnOperand(shuffle, IsDefinedConstant(*shuffle.getOperand(0)) ? 0 : 1);
}

// A shuffle that takes lanes of two vectors.
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

// or_of_late_all_ones.ll: x | y or x & y, some lanes of which LLVM may find out on both sides.
// Vectors of i1 have no barrier.
bool MayAbsorbLanes(const llvm::Instruction& inst) {
  const bool is_bitwise =
      inst.getOpcode() == llvm::Instruction::Or || inst.getOpcode() == llvm::Instruction::And;
  if (!is_bitwise || NumLanes(inst) < 2 || inst.getType()->isIntOrIntVectorTy(1)) return false;
  return std::ranges::none_of(inst.operands(),
                              [](const llvm::Use& side) { return IsSplat(*side); }) &&
         !(inst.getOpcode() == llvm::Instruction::Or && IsRotation(inst));
}

void BarrierOnOneSide(llvm::Instruction& inst) {
  if (MayBecomeKnown(*inst.getOperand(0)) && MayBecomeKnown(*inst.getOperand(1))) {
    BarrierOnOperand(inst, 0);
  }
}

// The barriers of one instruction.
void AddBarriers(llvm::Instruction& inst, const JitTarget& target, bool mixes_lanes) {
  if (IsMultiply(inst)) return BarrierOnMultiply(inst);
  if (MayDivideByZero(inst)) return BarrierOnOperand(inst, 1);
  if (MayShuffleDivisors(inst)) return BarrierOnResult(inst);
  if (target.isa == NativeIsa::kAarch64) return;
  if (MayRotate(inst, target)) return BarrierOnCount(inst);
  if (MayTestBit(inst)) return BarrierOnScalarCount(inst);
  if (MixesConstantLanes(inst)) return BarrierOnConstant(inst);
  if (mixes_lanes && MayAbsorbLanes(inst)) return BarrierOnOneSide(inst);
  if (MayWriteMaskedLanes(inst, target)) return BarrierOnSelected(inst);
  // AVX-512 has instructions for the maximum and minimum of i64.
  if (!target.has_avx512() && MayFormAbsoluteDifference(inst)) return BarrierOnCompare(inst);
  if (MayCompareTruncation(inst)) BarrierOnTruncations(inst);
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
    for (llvm::Instruction* inst : instructions) AddBarriers(*inst, target, mixes_lanes);
  }
}

}  // namespace axle

// How primitives become LLVM IR. Requirements for changes of Lower: no fast-math flags; no
// operation whose result depends on the target or the optimisation level; shift counts are masked,
// because shifts by the width or more are poison in LLVM. Some primitives are therefore made of
// other operations:
//
//   min, max         two comparisons, and an and or an or of bits, so that NaN and the order of
//                    -0 and +0 come out as defined; one comparison if one side is a constant
//   to float         from u64: half of it, with the lost bit kept, and doubled
//   to int           to u64: numbers from 2^63 on are moved down first
//   fma              a call per lane without the instruction; LLVM would call libm
//   rem of floats    a call per lane
//
// With AVX-512 and full registers, the ordered minimum and maximum and the scaling by a power of
// two are single instructions (OnRegisters). One operation of a program is a constant number of
// instructions, except for calls per lane.
#include "axle/codegen/llvm/lane_emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "axle/codegen/llvm/llvm_versions.h"
#include "axle/emit/executor.h"

namespace axle {

using llvm::Value;

llvm::Type* LaneEmitter::Element(LaneType type, bool in_memory) {
  switch (type) {
    case LaneType::kPred:
      return in_memory ? b_.getInt8Ty() : b_.getInt1Ty();
    case LaneType::kF32:
      return b_.getFloatTy();
    case LaneType::kF64:
      return b_.getDoubleTy();
    default:
      return b_.getIntNTy(static_cast<unsigned>(axle::BitsOf(type)));
  }
}
llvm::Type* LaneEmitter::Vector(LaneType type, bool in_memory, unsigned parts) {
  return llvm::FixedVectorType::get(Element(type, in_memory), width_ * parts);
}

llvm::Constant* LaneEmitter::ConstantElement(LaneType type, std::uint64_t bits) {
  const auto width = static_cast<unsigned>(type == LaneType::kPred ? 1 : axle::BitsOf(type));
  const llvm::APInt value = llvm::APInt(64, bits).trunc(width);
  if (!IsFloat(type)) return llvm::ConstantInt::get(Element(type), value);
  const auto& semantics =
      type == LaneType::kF32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
  return llvm::ConstantFP::get(Element(type), llvm::APFloat(semantics, value));
}
Value* LaneEmitter::Constant(LaneType type, std::uint64_t bits) {
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width_),
                                        ConstantElement(type, bits));
}

// a and b of one float type. A comparison that fails takes the right operand: with NaN, and with
// zeros of two signs, where and, or or, gives the sign. All bits set are a NaN. (Each selection is
// one instruction on x86.)
Value* LaneEmitter::FloatMinMax(LaneType type, Value* a, Value* b, bool is_max) {
  Value* is_nan = b_.CreateFCmpUNO(a, b);
  if (Value* ordered = OrderedMinMax(type, a, b, is_max)) {
    return b_.CreateSelect(is_nan, b_.CreateFAdd(a, b), ordered);
  }
  llvm::Type* bits = Vector(UnsignedOf(type));
  const auto choose = [&](Value* left, Value* right) {
    Value* first = is_max ? b_.CreateFCmpOGT(left, right) : b_.CreateFCmpOLT(left, right);
    return b_.CreateBitCast(b_.CreateSelect(first, left, right), bits);
  };
  Value *x = choose(a, b), *y = choose(b, a);
  Value* ordered = is_max ? b_.CreateAnd(x, y) : b_.CreateOr(x, y);
  return b_.CreateBitCast(b_.CreateOr(ordered, b_.CreateSExt(is_nan, bits)), a->getType());
}

constexpr int kRegisterBits = 512;

bool LaneEmitter::HasRegisters(LaneType type) const {
  return target_.has_avx512() && target_.vector_bytes * 8 == kRegisterBits &&
         static_cast<int>(width_) * axle::BitsOf(type) % kRegisterBits == 0;
}

// An AVX-512 instruction that no generic operation stands for: on f32 or f64, of two operands and
// these immediates, masked and with a rounding mode. Null where vectors are not made of its
// registers.
Value* LaneEmitter::OnRegisters(LaneType type, llvm::Intrinsic::ID f32, llvm::Intrinsic::ID f64,
                                Value* a, Value* b, std::span<Value* const> immediates) {
  if (!HasRegisters(type)) return nullptr;
  constexpr unsigned kCurrentRounding = 4;
  const auto lanes = static_cast<unsigned>(kRegisterBits / axle::BitsOf(type));
  auto* piece = llvm::FixedVectorType::get(Element(type), lanes);
  auto* all = llvm::Constant::getAllOnesValue(b_.getIntNTy(lanes));
  Value* result = llvm::PoisonValue::get(Vector(type));
  for (unsigned k = 0; k < width_; k += lanes) {
    const int first = static_cast<int>(k);
    std::vector<Value*> arguments = {ExtractVector(b_, piece, a, first),
                                     ExtractVector(b_, piece, b, first)};
    arguments.insert(arguments.end(), immediates.begin(), immediates.end());
    arguments.push_back(llvm::PoisonValue::get(piece));
    arguments.push_back(all);
    arguments.push_back(b_.getInt32(kCurrentRounding));
    Value* part = b_.CreateIntrinsic(type == LaneType::kF32 ? f32 : f64, {}, arguments);
    result = InsertVector(b_, result, part, first);
  }
  return result;
}

Value* LaneEmitter::OrderedMinMax(LaneType type, Value* a, Value* b, bool is_max) {
  constexpr unsigned kSignOfResult = 4, kMax = 1;
  Value* const choice[] = {b_.getInt32(kSignOfResult + (is_max ? kMax : 0))};
  return OnRegisters(type, llvm::Intrinsic::x86_avx512_mask_range_ps_512,
                     llvm::Intrinsic::x86_avx512_mask_range_pd_512, a, b, choice);
}

// x * 2^n, as the executor computes it, or by the processor's instruction.
Value* LaneEmitter::TimesPowerOfTwo(LaneType type, Value* x, Value* n) {
  Value* result = OnRegisters(type, llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
                              llvm::Intrinsic::x86_avx512_mask_scalef_pd_512, x, n, {});
  if (result != nullptr) return result;
  const bool is_f32 = type == LaneType::kF32;
  const LaneType bits = UnsignedOf(type);
  Value* shifter = llvm::ConstantFP::get(Vector(type), is_f32 ? 0x1.8p23 + 254 : 0x1.8p52 + 2046);
  Value* fraction_bits = Constant(bits, is_f32 ? 23 : 52);
  Value* sum = b_.CreateBitCast(b_.CreateFAdd(n, shifter), Vector(bits));
  Value* half = b_.CreateLShr(sum, Constant(bits, 1));
  const auto power = [&](Value* exponent) {
    return b_.CreateBitCast(b_.CreateShl(exponent, fraction_bits), Vector(type));
  };
  return b_.CreateFMul(b_.CreateFMul(x, power(half)), power(b_.CreateSub(sum, half)));
}

Value* LaneEmitter::Sum(LaneType type, Value* a, Value* b) {
  if (type == LaneType::kPred) return b_.CreateOr(a, b);
  return IsFloat(type) ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
}
Value* LaneEmitter::Product(LaneType type, Value* a, Value* b) {
  if (type == LaneType::kPred) return b_.CreateAnd(a, b);
  return IsFloat(type) ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
}

Value* LaneEmitter::MinMax(LaneType type, Value* a, Value* b, bool is_max) {
  if (IsFloat(type)) return FloatMinMax(type, a, b, is_max);
  if (type == LaneType::kPred) return is_max ? b_.CreateOr(a, b) : b_.CreateAnd(a, b);
  Value* less = IsSigned(type) ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
  return is_max ? b_.CreateSelect(less, b, a) : b_.CreateSelect(less, a, b);
}

Value* LaneEmitter::MinMax(const LaneProgram& program, const LaneOp& op,
                           std::span<Value* const> values) {
  const bool is_max = op.primitive == Primitive::kMax;
  for (int side = 0; side < 2 && IsFloat(op.type); ++side) {
    const LaneOp& bound = program.code[op.operands[side]];
    if (bound.primitive != Primitive::kConstant) continue;
    Value* result = FloatBound(op.type, bound.immediate, values[op.operands[1 - side]], is_max);
    if (result != nullptr) return result;
  }
  return MinMax(op.type, values[op.operands[0]], values[op.operands[1]], is_max);
}

// The minimum or maximum of x and a constant: one comparison, chosen so that a NaN x stays, and
// that of two zeros the right one does. Null for a constant NaN.
Value* LaneEmitter::FloatBound(LaneType type, std::uint64_t bits, Value* x, bool is_max) {
  const int width = axle::BitsOf(type);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1), magnitude = bits & (sign - 1);
  const std::uint64_t infinity = type == LaneType::kF32 ? 0x7f800000 : 0x7ff0000000000000;
  if (magnitude > infinity) return nullptr;
  Value* bound = Constant(type, bits);
  if (magnitude != 0) {
    Value* is_bound = is_max ? b_.CreateFCmpOGT(bound, x) : b_.CreateFCmpOLT(bound, x);
    return b_.CreateSelect(is_bound, bound, x);
  }
  // Where x is a zero too, the bound wins if it is +0 in a maximum, or -0 in a minimum.
  const bool bound_wins = is_max == (bits == 0);
  if (bound_wins) {
    Value* is_x = is_max ? b_.CreateFCmpUGT(x, bound) : b_.CreateFCmpULT(x, bound);
    return b_.CreateSelect(is_x, x, bound);
  }
  Value* is_bound = is_max ? b_.CreateFCmpOLT(x, bound) : b_.CreateFCmpOGT(x, bound);
  return b_.CreateSelect(is_bound, bound, x);
}

Value* LaneEmitter::Fma(Value* a, Value* b, Value* c) {
  if (!target_.has_fma()) {  // LLVM would call libm
    return CallPerLane(a->getType()->getScalarType()->isFloatTy() ? kFmaF32 : kFmaF64, {a, b, c});
  }
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* LaneEmitter::Join(Primitive join, LaneType type, Value* a, Value* b) {
  switch (join) {
    case Primitive::kAdd:
      return Sum(type, a, b);
    case Primitive::kMul:
      return Product(type, a, b);
    case Primitive::kMin:
    case Primitive::kMax:
      return MinMax(type, a, b, join == Primitive::kMax);
    case Primitive::kAnd:
      return b_.CreateAnd(a, b);
    case Primitive::kXor:
      return b_.CreateXor(a, b);
    default:
      return b_.CreateOr(a, b);
  }
}

// A runtime function on each lane of operands of one type, which is that of the result.
Value* LaneEmitter::CallPerLane(const char* function, llvm::ArrayRef<Value*> operands) {
  llvm::Type* vector = operands[0]->getType();
  llvm::Type* element = vector->getScalarType();
  const std::vector<llvm::Type*> types(operands.size(), element);
  const llvm::FunctionCallee callee = b_.GetInsertBlock()->getModule()->getOrInsertFunction(
      function, llvm::FunctionType::get(element, types, /*isVarArg=*/false));
  Value* result = llvm::PoisonValue::get(vector);
  for (unsigned k = 0; k < width_; ++k) {
    std::vector<Value*> lanes;
    for (Value* operand : operands) lanes.push_back(b_.CreateExtractElement(operand, k));
    result = b_.CreateInsertElement(result, b_.CreateCall(callee, lanes), k);
  }
  return result;
}

// The product in twice the width: LLVM recognises the pattern and uses its instructions for the
// high half.
Value* LaneEmitter::MulHigh(LaneType type, Value* a, Value* b) {
  const auto bits = static_cast<unsigned>(axle::BitsOf(type));
  llvm::Type* wide = llvm::FixedVectorType::get(b_.getIntNTy(2 * bits), width_);
  const auto extend = [&](Value* x) {
    return IsSigned(type) ? b_.CreateSExt(x, wide) : b_.CreateZExt(x, wide);
  };
  Value* product = b_.CreateMul(extend(a), extend(b));
  return b_.CreateTrunc(b_.CreateLShr(product, bits), Vector(type));
}

// To nearest even, once. A 64-bit unsigned number with its top bit set is halved first, keeping
// the lost bit: halving and doubling are exact otherwise.
Value* LaneEmitter::ToFloat(LaneType to, LaneType from, Value* x) {
  llvm::Type* result = Vector(to);
  if (from == LaneType::kU64) {
    Value* half = b_.CreateOr(b_.CreateLShr(x, 1), b_.CreateAnd(x, Constant(from, 1)));
    Value* is_small = b_.CreateICmpSGE(x, Constant(from, 0));
    Value* converted = b_.CreateSIToFP(b_.CreateSelect(is_small, x, half), result);
    return b_.CreateSelect(is_small, converted, b_.CreateFAdd(converted, converted));
  }
  if (from == LaneType::kU32) {  // exact in f64
    Value* wide = b_.CreateUIToFP(x, Vector(LaneType::kF64));
    return to == LaneType::kF64 ? wide : b_.CreateFPTrunc(wide, result);
  }
  if (!IsSigned(from)) x = b_.CreateZExt(x, Vector(LaneType::kS32));
  return b_.CreateSIToFP(x, result);
}

// Towards zero; the operand is in range.
Value* LaneEmitter::ToInt(LaneType to, LaneType from, Value* x) {
  if (to == LaneType::kU32) {
    return b_.CreateTrunc(b_.CreateFPToSI(x, Vector(LaneType::kS64)), Vector(to));
  }
  if (to != LaneType::kU64) return b_.CreateFPToSI(x, Vector(to));
  Value* limit = llvm::ConstantFP::get(Vector(from), 0x1p63);
  Value* is_small = b_.CreateFCmpOLT(x, limit);
  Value* low = b_.CreateFPToSI(b_.CreateSelect(is_small, x, b_.CreateFSub(x, limit)), Vector(to));
  Value* high = b_.CreateXor(low, Constant(to, std::uint64_t{1} << 63));
  return b_.CreateSelect(is_small, low, high);
}

Value* LaneEmitter::Resize(LaneType to, LaneType from, Value* x) {
  if (from == LaneType::kPred || !IsSigned(from)) return b_.CreateZExtOrTrunc(x, Vector(to));
  return b_.CreateSExtOrTrunc(x, Vector(to));
}

// The only switch over primitives of the code generator.
Value* LaneEmitter::Lower(const LaneProgram& program, const LaneOp& op,
                          std::span<Value* const> values) {
  const auto in = [&](int i) { return values[op.operands[i]]; };
  const LaneType from = program.code[op.operands[0]].type;
  const bool is_float = IsFloat(from), is_signed = IsSigned(from);
  llvm::Type* to = Vector(op.type);
  const auto unary = [&](llvm::Intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, in(0)); };
  const auto shift_count = [&] {
    return b_.CreateAnd(in(1),
                        Constant(op.type, static_cast<std::uint64_t>(axle::BitsOf(op.type)) - 1));
  };
  switch (op.primitive) {
    case Primitive::kInput:
    case Primitive::kElement:
      return nullptr;  // the caller has loaded it
    case Primitive::kConstant:
      return Constant(op.type, op.immediate);
    case Primitive::kAdd:
      return Sum(from, in(0), in(1));
    case Primitive::kSub:
      return is_float ? b_.CreateFSub(in(0), in(1)) : b_.CreateSub(in(0), in(1));
    case Primitive::kMul:
      return Product(from, in(0), in(1));
    case Primitive::kDiv:
      if (is_float) return b_.CreateFDiv(in(0), in(1));
      return is_signed ? b_.CreateSDiv(in(0), in(1)) : b_.CreateUDiv(in(0), in(1));
    case Primitive::kRem:
      if (is_float) {
        return CallPerLane(from == LaneType::kF32 ? kRemainderF32 : kRemainderF64, {in(0), in(1)});
      }
      return is_signed ? b_.CreateSRem(in(0), in(1)) : b_.CreateURem(in(0), in(1));
    case Primitive::kNeg:
      return is_float ? b_.CreateFNeg(in(0)) : b_.CreateNeg(in(0));
    case Primitive::kAbs:
      if (is_float) return unary(llvm::Intrinsic::fabs);
      return b_.CreateSelect(b_.CreateICmpSLT(in(0), Constant(op.type, 0)), b_.CreateNeg(in(0)),
                             in(0));
    case Primitive::kMin:
    case Primitive::kMax:
      return MinMax(program, op, values);
    case Primitive::kFma:
      return Fma(in(0), in(1), in(2));
    case Primitive::kTimesPowerOfTwo:
      return TimesPowerOfTwo(op.type, in(0), in(1));
    case Primitive::kSqrt:
      return unary(llvm::Intrinsic::sqrt);
    case Primitive::kFloor:
      return unary(llvm::Intrinsic::floor);
    case Primitive::kCeil:
      return unary(llvm::Intrinsic::ceil);
    case Primitive::kTrunc:
      return unary(llvm::Intrinsic::trunc);
    case Primitive::kRint:
      return unary(llvm::Intrinsic::roundeven);
    case Primitive::kAnd:
      return b_.CreateAnd(in(0), in(1));
    case Primitive::kOr:
      return b_.CreateOr(in(0), in(1));
    case Primitive::kXor:
      return b_.CreateXor(in(0), in(1));
    case Primitive::kShl:
      return b_.CreateShl(in(0), shift_count());
    case Primitive::kShr:
      return is_signed ? b_.CreateAShr(in(0), shift_count()) : b_.CreateLShr(in(0), shift_count());
    case Primitive::kMulHigh:
      return MulHigh(op.type, in(0), in(1));
    case Primitive::kClz:
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, in(0), b_.getFalse());
    case Primitive::kPopcount:
      return unary(llvm::Intrinsic::ctpop);
    case Primitive::kEq:
      return is_float ? b_.CreateFCmpOEQ(in(0), in(1)) : b_.CreateICmpEQ(in(0), in(1));
    case Primitive::kLt:
      if (is_float) return b_.CreateFCmpOLT(in(0), in(1));
      return is_signed ? b_.CreateICmpSLT(in(0), in(1)) : b_.CreateICmpULT(in(0), in(1));
    case Primitive::kLe:
      if (is_float) return b_.CreateFCmpOLE(in(0), in(1));
      return is_signed ? b_.CreateICmpSLE(in(0), in(1)) : b_.CreateICmpULE(in(0), in(1));
    case Primitive::kSelect:
      return b_.CreateSelect(in(0), in(1), in(2));
    case Primitive::kBitcast:
      return b_.CreateBitCast(in(0), to);
    case Primitive::kResize:
      return Resize(op.type, from, in(0));
    case Primitive::kToFloat:
      return ToFloat(op.type, from, in(0));
    case Primitive::kToInt:
      return ToInt(op.type, from, in(0));
    case Primitive::kFloatToFloat:
      return op.type == LaneType::kF64 ? b_.CreateFPExt(in(0), to) : b_.CreateFPTrunc(in(0), to);
  }
  return nullptr;
}

}  // namespace axle

float axle_remainder_f32(float x, float y) {
  return axle::FloatRemainder(x, y);
}
double axle_remainder_f64(double x, double y) {
  return axle::FloatRemainder(x, y);
}

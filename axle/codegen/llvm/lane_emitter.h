// Operations of lane programs as LLVM IR on vectors of a given number of lanes: one switch over
// primitives. The results are those of emit/executor.h, bit for bit, whatever the number of lanes
// and the codegen level. Lanes that are not needed may hold anything: no operation traps.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <span>

#include "axle/codegen/llvm/jit.h"
#include "axle/emit/lane_program.h"

namespace axle {

class LaneEmitter {
 public:
  LaneEmitter(llvm::IRBuilder<>& b, unsigned width, const JitTarget& target)
      : b_(b), width_(width), target_(target) {}

  // A pred is a byte in memory and a bit in a register.
  llvm::Type* Element(LaneType type, bool in_memory = false);
  llvm::Type* Vector(LaneType type, bool in_memory = false, unsigned parts = 1);
  llvm::Constant* ConstantElement(LaneType type, std::uint64_t bits);
  // A vector with this number in all lanes.
  llvm::Value* Constant(LaneType type, std::uint64_t bits);

  // `op` of `program`, where `values` are those of the operations before it. Null for inputs and
  // their elements.
  llvm::Value* Lower(const LaneProgram& program, const LaneOp& op,
                     std::span<llvm::Value* const> values);
  llvm::Value* Fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  // kAdd, kMul, kMin, kMax, kAnd or kOr.
  llvm::Value* Join(Primitive join, LaneType type, llvm::Value* a, llvm::Value* b);
  // The minimum or maximum of floats, with -0 < +0, and anything where one is a NaN. Null where
  // that takes no fewer instructions than Join.
  llvm::Value* OrderedMinMax(LaneType type, llvm::Value* a, llvm::Value* b, bool is_max);
  bool HasOrderedMinMax(LaneType type) const { return IsFloat(type) && HasRegisters(type); }

 private:
  // Whether vectors are made of AVX-512 registers of this type.
  bool HasRegisters(LaneType type) const;
  llvm::Value* Sum(LaneType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* Product(LaneType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* MinMax(LaneType type, llvm::Value* a, llvm::Value* b, bool is_max);
  llvm::Value* MinMax(const LaneProgram& program, const LaneOp& op,
                      std::span<llvm::Value* const> values);
  llvm::Value* FloatMinMax(LaneType type, llvm::Value* a, llvm::Value* b, bool is_max);
  llvm::Value* OnRegisters(LaneType type, llvm::Intrinsic::ID f32, llvm::Intrinsic::ID f64,
                           llvm::Value* a, llvm::Value* b,
                           std::span<llvm::Value* const> immediates);
  llvm::Value* FloatBound(LaneType type, std::uint64_t bits, llvm::Value* x, bool is_max);
  llvm::Value* CallPerLane(const char* function, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* TimesPowerOfTwo(LaneType type, llvm::Value* x, llvm::Value* n);
  llvm::Value* MulHigh(LaneType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* ToFloat(LaneType to, LaneType from, llvm::Value* x);
  llvm::Value* ToInt(LaneType to, LaneType from, llvm::Value* x);
  llvm::Value* Resize(LaneType to, LaneType from, llvm::Value* x);

  llvm::IRBuilder<>& b_;
  unsigned width_;
  JitTarget target_;
};

// The runtime functions that compiled code may call. T(T, T): emit/executor.h's FloatRemainder,
// below; T(T, T, T): ExactFma.
inline constexpr char kRemainderF32[] = "axle_remainder_f32";
inline constexpr char kRemainderF64[] = "axle_remainder_f64";
inline constexpr char kFmaF32[] = "axle_fma_f32";
inline constexpr char kFmaF64[] = "axle_fma_f64";

}  // namespace axle

// Precompiled kernels are linked to the functions by these names.
extern "C" {
float axle_remainder_f32(float x, float y);
double axle_remainder_f64(double x, double y);
}

// Random programs: what one kernel computes, as data that the interpreter's steps run
// (reference.h), Axle's own emitters compile (emission.h), and a reducer makes smaller (reduce.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "axle/codegen/llvm/lane_lowering.h"
#include "axle/core/float_format.h"
#include "axle/emit/lane_program.h"

namespace axle {

// Which emitter compiles it: that of few elements in registers, or that of loops over arrays.
enum class KernelForm : std::uint8_t { kSmall, kLoop };
std::string_view Name(KernelForm form);  // "small", "loop"

enum class KernelOpKind : std::uint8_t {
  kInput,
  kConstant,   // the same in all elements
  kNumbers,    // constants that differ
  kPrimitive,  // a primitive of lane programs
  kFloatBits,  // the pattern of a float, and of any NaN always the same one
  kGather,     // elements of other values, or zeros
  kStored,     // the operand, stored and loaded again
  kUpdate,     // (operand, update, start_index): the operand with the update in it
  kSlice,      // (operand, start_index)
  kLoop,       // (initial values ...): kState each, a body, and the kNext that ends it
  kState,      // of the turn, and behind the loop what the last turn gave
  kNext,       // (values for the next turn ...)
};

// Indices of values are those of the operations that give them.
struct KernelOp {
  KernelOpKind kind = KernelOpKind::kInput;
  LaneType type = LaneType::kU64;
  i64 num_elements = 1;  // of a loop kernel: 1
  Primitive primitive = Primitive::kInput;
  std::vector<int> operands = {};
  std::uint64_t immediate = 0;              // kConstant: the bits; kLoop: turns
  std::vector<std::uint64_t> numbers = {};  // kNumbers: bits of each element
  std::vector<i64> elements = {};           // kGather: element of each operand
  InnerStride stride = InnerStride::kUnit;  // kInput of a loop kernel
};

struct RandomProgram {
  static constexpr std::uint64_t kMaxTurns = 3;

  KernelForm form = KernelForm::kSmall;
  std::vector<KernelOp> ops;
  std::vector<int> results;
  i64 rows = 1, inner = 1;  // kLoop: the positions that it runs on
  // kLoop: joins the elements of each row of each result, unless it is kInput (folds.h).
  Primitive join = Primitive::kInput;
  int lanes = 16;            // of such joins
  bool loads_apart = false;  // kSmall: inputs are loaded in a basic block of their own

  // How many elements of an operation there are: its own number, or one at each position.
  i64 NumElements(const KernelOp& op) const {
    return form == KernelForm::kSmall ? op.num_elements : rows * inner;
  }
  bool folds() const { return join != Primitive::kInput; }
  // How many elements of it the kernel gives.
  i64 NumResults(const KernelOp& op) const { return folds() ? rows : NumElements(op); }
  std::string ToString() const;  // one operation a line
};

// Without what no result needs.
RandomProgram Trimmed(const RandomProgram& program);

// Its primitives and types by index: what steps and emitters look up operands in.
LaneProgram LanesOf(const RandomProgram& program);

// The pattern that kFloatBits gives for a NaN.
constexpr std::uint64_t NanBits(LaneType type) {
  return type == LaneType::kF32 ? 0x7fc00000 : 0x7ff8000000000000;
}

}  // namespace axle

// Conversions between f16 and f32 in lane programs. Programs spell them out in integer arithmetic
// (core/float_format.h); processors with F16C have an instruction for each, with the same results.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "axle/codegen/spec/jit_target.h"
#include "axle/emit/lane_program.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace axle {

class HalfConversions {
 public:
  // Finds none if the target has no such instructions. The program lives longer.
  HalfConversions(const LaneProgram& program, const JitTarget& target);

  // Whether a result needs the operation, if conversions are not computed from what they are made
  // of.
  bool IsNeeded(size_t op) const { return is_needed_.empty() || is_needed_[op]; }
  // How many operations are needed, beside inputs and constants.
  i64 num_needed() const { return num_needed_; }
  // Whether the result of the operation is the bits of a conversion.
  bool IsConversion(size_t op) const {
    return !conversions_.empty() && conversions_[op].kind != Kind::kNone;
  }
  // What is converted: the operation that gives its bits.
  LaneId OperandOf(size_t op) const { return conversions_[op].bits; }
  // Its result, where `values` are those of the operations before it.
  llvm::Value* Lower(llvm::IRBuilderBase& b, size_t op, std::span<llvm::Value* const> values) const;

 private:
  enum class Kind : std::uint8_t { kNone, kRound, kWiden };
  struct Conversion {
    Kind kind = Kind::kNone;
    LaneId bits = 0;  // the operation that gives the bits to convert
  };
  std::vector<Conversion> conversions_;  // by operation, or empty
  std::vector<bool> is_needed_;
  i64 num_needed_;
};

}  // namespace axle

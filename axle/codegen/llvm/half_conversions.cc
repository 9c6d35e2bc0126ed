// How conversions are found: the program is built once more, which gives its operations the numbers
// that they have. Then the functions of core/float_format.h that made the conversions are called
// again on each operation that may be what is converted. A builder gives an operation that it has
// the number that it has, so a result with a number of the program is that conversion there.
// Results that have new numbers are in no way used.
//
// VCVTPS2PH and VCVTPH2PS neither flush subnormals of f16 nor read them as zeros, whatever the mode
// of the processor. The former rounds as the mode says, which is to nearest even (numerics.md N1).
// A subnormal of f32 is far below those of f16: it becomes a zero of its sign either way. NaNs stay
// NaNs, with other payloads.
#include "axle/codegen/llvm/half_conversions.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "axle/core/float_format.h"
#include "axle/emit/lane_builder.h"

namespace axle {
namespace {

const FloatFormat& HalfFormat() {
  return Info(F16).format;
}

// Conversions that are looked for: each takes some 40 operations of the builder.
constexpr size_t kMaxCandidates = 256;

bool HasInstructions(const JitTarget& target) {
  return target.isa == NativeIsa::kAvx2 || target.isa == NativeIsa::kAvx512;
}

}  // namespace

HalfConversions::HalfConversions(const LaneProgram& program, const JitTarget& target)
    : num_needed_(program.num_operations()) {
  const auto is_half = [](const LaneOp& op) { return op.type == LaneType::kU16; };
  if (!HasInstructions(target) || std::ranges::none_of(program.code, is_half)) return;
  LaneBuilder builder;
  for (const LaneOp& op : program.code) builder.Emit(op);
  const size_t size = program.code.size();
  std::vector<Conversion> found(size);
  size_t num_candidates = 0;
  bool is_any = false;
  for (size_t i = 0; i < size && num_candidates < kMaxCandidates; ++i) {
    const LaneOp& op = program.code[i];
    if (op.type != LaneType::kU32) continue;
    const Lane bits{&builder, static_cast<LaneId>(i)};
    const LaneOp& operand = program.code[op.operands[0]];
    Conversion conversion{Kind::kNone, bits.id};
    LaneId result = 0;
    if (op.primitive == Primitive::kBitcast && operand.type == LaneType::kF32) {
      conversion.kind = Kind::kRound;
      result = RoundToFormat(kF32Format, HalfFormat(), bits).id;
    } else if (op.primitive == Primitive::kResize && operand.type == LaneType::kU16) {
      conversion.kind = Kind::kWiden;
      result = WidenFromFormat(HalfFormat(), kF32Format, bits).id;
    } else {
      continue;
    }
    ++num_candidates;
    if (result >= size) continue;
    found[result] = conversion;
    is_any = true;
  }
  if (!is_any) return;
  conversions_ = std::move(found);
  is_needed_.resize(size);
  for (const LaneId id : program.results) is_needed_[id] = true;
  num_needed_ = 0;
  for (size_t i = size; i-- > 0;) {
    if (!is_needed_[i]) continue;
    const LaneOp& op = program.code[i];
    if (op.primitive != Primitive::kInput && op.primitive != Primitive::kConstant) ++num_needed_;
    if (IsConversion(i)) {
      is_needed_[conversions_[i].bits] = true;
    } else {
      for (const LaneId operand : op.taken()) is_needed_[operand] = true;
    }
  }
}

llvm::Value* HalfConversions::Lower(llvm::IRBuilderBase& b, size_t op,
                                    std::span<llvm::Value* const> values) const {
  const auto& [kind, id] = conversions_[op];
  llvm::Value* bits = values[id];
  llvm::Type* wide = bits->getType();
  const auto with_elements = [&](llvm::Type* element) {
    return llvm::VectorType::get(element, llvm::cast<llvm::VectorType>(wide)->getElementCount());
  };
  llvm::Type *half = with_elements(b.getHalfTy()), *narrow = with_elements(b.getInt16Ty()),
             *single = with_elements(b.getFloatTy());
  if (kind == Kind::kRound) {
    llvm::Value* rounded = b.CreateFPTrunc(b.CreateBitCast(bits, single), half);
    return b.CreateZExt(b.CreateBitCast(rounded, narrow), wide);
  }
  llvm::Value* stored = b.CreateBitCast(b.CreateTrunc(bits, narrow), half);
  return b.CreateBitCast(b.CreateFPExt(stored, single), wide);
}

}  // namespace axle

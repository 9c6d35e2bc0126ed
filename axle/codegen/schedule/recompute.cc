// Values that are computed again instead of stored. Take the variance of an outer product:
//
//   p = multiply(x of the row, y of the column)    f32[8000,8000]
//   s = reduce(p)                                  the loop of p folds s
//   d = subtract(p, mean)                          has to wait for s; so it is another loop
//
// p would go to memory, 256 MB, only to be read once more. It is one operation on two arrays that
// stay in the caches, so the second loop computes it again. That holds for large values that are
// made from much smaller ones by a few operations.
//
// A value is left out when a region closes because a reduction in it is read. Its state says so
// (is_again), and Add() puts it into an open region again before it looks at the reader. If it has
// to be in memory after all, that region stores it. A region that closes for any other reason
// stores all that is read outside of it.
#include <algorithm>

#include "axle/codegen/schedule/schedule_builder.h"

namespace axle {
namespace {

// Operations that cost less than to write and read an element.
constexpr i64 kMaxWeightAgain = 8;
// Values below this stay in a second-level cache until they are read.
constexpr i64 kMinBytesAgain = i64{1} << 20;
// The value is at least so many times as large as all that it is made from.
constexpr i64 kMinExpansion = 8;
// One value. A program may have a reader behind each of any number of reductions.
constexpr int kMaxTimesAgain = 4;

}  // namespace

bool ScheduleBuilder::HasRead(const Instruction& user, const Instruction& inst) const {
  const State& state = states_[user.index()];
  if (state.is_closed) return !state.is_again;
  if (!state.fold || state.fold->region != nullptr) return false;
  for (i64 i = user.num_operands() / 2; i < user.num_operands(); ++i) {
    if (user.operand(i) == &inst) return false;  // an init
  }
  return true;
}

std::vector<const Instruction*> ScheduleBuilder::CheapChain(const Instruction& inst,
                                                            const OpenRegion& region) {
  const i64 bytes = inst.shape().num_bytes();
  if (&inst == computation_.root() || bytes < kMinBytesAgain) return {};
  if (StateOf(inst).times_again == kMaxTimesAgain) return {};
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    const Instruction& user = *use->user;
    const bool is_loop = IsElementwise(user) || GetOpDef(user).lowering == Lowering::kReduce;
    if (live_[user.index()] && !HasRead(user, inst) && !is_loop) return {};
  }
  std::vector<const Instruction*> chain = {&inst};
  i64 weight = 0, bytes_read = 0;
  for (size_t k = 0; k < chain.size(); ++k) {
    const State& state = StateOf(*chain[k]);
    if (state.fold || state.read || !state.products.empty() || state.is_copied) return {};
    weight += WeightOf(*chain[k]);
    if (weight > kMaxWeightAgain) return {};
    for (i64 i = 0; i < chain[k]->num_operands(); ++i) {
      const View read = ReadFor(*chain[k]->operand(i), region.num_positions);
      if (IsInlineConstant(read)) continue;
      if (StateOf(*read.base).open != &region) {
        bytes_read += schedule_.values[StateOf(*read.base).values[0]].bytes;
      } else if (std::ranges::find(chain, read.base) == chain.end()) {
        chain.push_back(read.base);
      }
    }
  }
  if (bytes_read > bytes / kMinExpansion) return {};
  return chain;
}

std::vector<const Instruction*> ScheduleBuilder::StoredBy(const OpenRegion& region,
                                                          bool may_be_again) {
  std::vector<const Instruction*> stored;
  for (const Instruction* inst : region.instructions) {
    if (StateOf(*inst).is_copied) {  // somebody needs it
      stored.push_back(inst);
      continue;
    }
    if (!IsReadOutside(*inst, region)) continue;
    if (!may_be_again || CheapChain(*inst, region).empty()) stored.push_back(inst);
  }
  return stored;
}

void ScheduleBuilder::NoteAgain(const OpenRegion& region,
                                std::span<const Instruction* const> stored) {
  const auto is_stored = [&](const Instruction* inst) {
    return std::ranges::find(stored, inst) != stored.end();
  };
  // What is only below a stored link is not computed again: that link is read.
  std::vector<const Instruction*> again;
  for (const Instruction* inst : region.instructions) {
    if (is_stored(inst) || !IsReadOutside(*inst, region)) continue;
    const std::vector<const Instruction*> chain = CheapChain(*inst, region);
    std::vector<const Instruction*> reached = {inst};
    for (size_t k = 0; k < reached.size(); ++k) {
      again.push_back(reached[k]);
      for (i64 i = 0; i < reached[k]->num_operands(); ++i) {
        const Instruction* const link = ReadFor(*reached[k]->operand(i), region.num_positions).base;
        const bool is_new = std::ranges::find(reached, link) == reached.end();
        if (is_new && !is_stored(link) && std::ranges::find(chain, link) != chain.end()) {
          reached.push_back(link);
        }
      }
    }
  }
  for (const Instruction* inst : again) {
    if (StateOf(*inst).is_again) continue;
    StateOf(*inst).is_again = true;
    ++StateOf(*inst).times_again;
  }
}

// The recursion is as deep as a chain of kMaxWeightAgain operations.
Status ScheduleBuilder::ComputeAgain(const Instruction& inst) {
  const Instruction& base = *Read(inst).base;
  State& state = StateOf(base);
  if (!state.is_again) return {};
  state.is_again = state.is_closed = false;
  for (i64 i = 0; i < base.num_operands(); ++i) AXLE_TRY(ComputeAgain(*base.operand(i)));
  return AddElementwise(base);
}

}  // namespace axle

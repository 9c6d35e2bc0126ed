#include "axle/client/analysis.h"

#include <algorithm>
#include <map>
#include <vector>

#include "axle/client/op_table.h"

namespace axle {
namespace {

// Takes no memory of its own: a parameter, or what stands for (parts of) other values.
bool TakesNoMemory(const Instruction& inst) {
  return MovesNothing(inst) && inst.callees().empty() && !IsConstantOp(inst);
}

// The most that the values of a computation take at a time, by instruction order; what it calls
// takes its own share while the calling instruction runs.
class Peaks {
 public:
  i64 Of(const HloComputation& computation) {
    const auto known = peaks_.find(&computation);
    if (known != peaks_.end()) return known->second;
    peaks_[&computation] = 0;  // a computation does not call itself
    const auto instructions = computation.instructions();
    const std::vector<i64> last = LastUses(computation);
    std::vector<std::vector<i64>> dead_after(instructions.size());  // sizes
    i64 live = 0, peak = 0;
    for (size_t i = 0; i < instructions.size(); ++i) {
      const Instruction& inst = *instructions[i];
      i64 called = 0;
      for (const HloComputation* callee : inst.callees()) called = std::max(called, Of(*callee));
      const bool counts =
          !TakesNoMemory(inst) && !IsConstantOp(inst) && &inst != computation.root();
      const i64 size = counts ? inst.shape().num_bytes() : 0;
      live += size;
      peak = std::max(peak, live + called);
      if (last[i] >= 0) dead_after[last[i]].push_back(size);
      for (i64 dead : dead_after[i]) live -= dead;
    }
    return peaks_[&computation] = peak;
  }

 private:
  // The position of the last instruction that reads each value, also through a tuple; -1 for what
  // is part of the result. Its own position if nobody reads it.
  static std::vector<i64> LastUses(const HloComputation& computation) {
    const auto instructions = computation.instructions();
    std::map<const Instruction*, size_t> position;
    for (size_t i = 0; i < instructions.size(); ++i) position[instructions[i]] = i;
    std::vector<i64> last(instructions.size());
    for (size_t i = 0; i < instructions.size(); ++i) last[i] = static_cast<i64>(i);
    // From the end: a reader that takes no memory itself keeps what it reads as long as it lives.
    for (size_t i = instructions.size(); i-- > 0;) {
      const Instruction& inst = *instructions[i];
      const bool is_root = &inst == computation.root();
      if (is_root) last[i] = -1;
      for (i64 k = 0; k < inst.num_operands(); ++k) {
        i64& use = last[position[inst.operand(k)]];
        const i64 here = TakesNoMemory(inst) ? last[i] : static_cast<i64>(i);
        use = use < 0 || here < 0 ? -1 : std::max(use, here);
      }
    }
    return last;
  }

  std::map<const HloComputation*, i64> peaks_;
};

const Shape& Subshape(const Shape& shape, const Dims& index) {
  const Shape* at = &shape;
  for (i64 i : index) at = &at->element(i);
  return *at;
}

}  // namespace

CostAnalysis AnalyzeCost(const Module& module) {
  CostAnalysis cost;
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      ++cost.instructions;
      cost.flops += Flops(*inst);
      if (MovesNothing(*inst)) continue;
      cost.bytes_accessed += static_cast<double>(inst->shape().num_bytes());
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        cost.bytes_accessed += static_cast<double>(inst->operand(i)->shape().num_bytes());
      }
    }
  }
  return cost;
}

MemoryAnalysis AnalyzeMemory(const Module& module) {
  MemoryAnalysis memory;
  const HloComputation& entry = *module.entry();
  for (const Instruction* parameter : entry.parameters()) {
    memory.argument_bytes += parameter->shape().num_bytes();
  }
  memory.result_bytes = entry.root()->shape().num_bytes();
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (IsConstantOp(*inst)) memory.constant_bytes += inst->shape().num_bytes();
    }
  }
  for (const AliasEntry& alias : module.config().input_output_alias) {
    memory.alias_bytes += Subshape(entry.root()->shape(), alias.output_index).num_bytes();
  }
  memory.peak_temporary_bytes = Peaks().Of(entry);
  return memory;
}

}  // namespace axle

#include "axle/client/analysis.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle/client/op_table.h"
#include "axle/ir/callees_first.h"

namespace axle {
namespace {

// Sums of sizes that fit into i64 one by one may exceed it.
i64 SaturatingAdd(i64 a, i64 b) {
  return CheckedAdd(a, b).value_or(std::numeric_limits<i64>::max());
}

// Returns whether the value takes no memory of its own: a parameter, or an instruction that refers
// to (parts of) other values.
bool TakesNoMemory(const Instruction& inst) {
  return MovesNothing(inst) && inst.callees().empty() && !IsConstantOp(inst);
}

// Computes the most memory that the values of a computation take at a time, in the order of the
// instructions. A called computation adds its own maximum while the calling instruction runs.
class Peaks {
 public:
  // Calls may be nested more deeply than the stack allows, so this is not recursive.
  i64 Of(const HloComputation& computation) {
    const auto is_known = [&](const HloComputation* c) { return peaks_.contains(c); };
    for (const HloComputation* c : CalleesFirst(computation, is_known)) peaks_[c] = Peak(*c);
    return peaks_[&computation];
  }

 private:
  // Computes the maximum of one computation; those of its callees are known.
  i64 Peak(const HloComputation& computation) const {
    const auto instructions = computation.instructions();
    const std::vector<i64> last = LastUses(computation);
    std::vector<std::vector<i64>> dead_after(instructions.size());  // sizes
    i64 live = 0, peak = 0;
    for (size_t i = 0; i < instructions.size(); ++i) {
      const Instruction& inst = *instructions[i];
      i64 called = 0;
      for (const HloComputation* callee : inst.callees())
        called = std::max(called, peaks_.at(callee));
      const bool counts =
          !TakesNoMemory(inst) && !IsConstantOp(inst) && &inst != computation.root();
      const i64 size = counts ? inst.shape().num_bytes() : 0;
      live = SaturatingAdd(live, size);
      peak = std::max(peak, SaturatingAdd(live, called));
      if (last[i] >= 0) dead_after[last[i]].push_back(size);
      for (i64 dead : dead_after[i]) live = std::max<i64>(live - dead, 0);
    }
    return peak;
  }

  // Returns the position of the last instruction that reads each value, also through a tuple; -1
  // for values that are part of the result, and the value's own position if nothing reads it.
  static std::vector<i64> LastUses(const HloComputation& computation) {
    const auto instructions = computation.instructions();
    std::map<const Instruction*, size_t> position;
    for (size_t i = 0; i < instructions.size(); ++i) position[instructions[i]] = i;
    std::vector<i64> last(instructions.size());
    for (size_t i = 0; i < instructions.size(); ++i) last[i] = static_cast<i64>(i);
    // The walk starts at the end: a reader that takes no memory itself keeps its operands alive as
    // long as it lives.
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
  // Sizes are computed once per shape, which instructions share: many instructions may read one
  // wide tuple.
  std::unordered_map<const Shape*, double> sizes;
  std::unordered_set<const HloComputation*> called;
  const auto bytes_of = [&](const Instruction& inst) {
    const auto [size, is_new] = sizes.try_emplace(&inst.shape(), 0);
    if (is_new) size->second = static_cast<double>(inst.shape().num_bytes());
    return size->second;
  };
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      ++cost.instructions;
      cost.flops += Flops(*inst);
      cost.is_complete = cost.is_complete && CountsAllWork(*inst);
      for (const HloComputation* callee : inst->callees()) {
        // A computation that is called twice counts once, so that the numbers are too small.
        const bool is_first = called.insert(callee).second;
        if (MovesNothing(*inst) && !is_first) cost.is_complete = false;
      }
      if (MovesNothing(*inst)) continue;
      cost.bytes_accessed += bytes_of(*inst);
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        cost.bytes_accessed += bytes_of(*inst->operand(i));
      }
    }
  }
  return cost;
}

MemoryAnalysis AnalyzeMemory(const Module& module) {
  MemoryAnalysis memory;
  const HloComputation& entry = *module.entry();
  for (const Instruction* parameter : entry.parameters()) {
    memory.argument_bytes = SaturatingAdd(memory.argument_bytes, parameter->shape().num_bytes());
  }
  memory.result_bytes = entry.root()->shape().num_bytes();
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (!IsConstantOp(*inst)) continue;
      memory.constant_bytes = SaturatingAdd(memory.constant_bytes, inst->shape().num_bytes());
    }
  }
  for (const AliasEntry& alias : module.config().input_output_alias) {
    const i64 bytes = Subshape(entry.root()->shape(), alias.output_index).num_bytes();
    memory.alias_bytes = SaturatingAdd(memory.alias_bytes, bytes);
  }
  memory.peak_temporary_bytes = Peaks().Of(entry);
  return memory;
}

}  // namespace axle

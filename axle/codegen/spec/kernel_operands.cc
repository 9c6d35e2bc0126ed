// What memory the kernels of a spec touch, as LoopKernel and EmitMergeKernel say it.
#include "axle/codegen/spec/kernel_operands.h"

#include <algorithm>

namespace axle {
namespace {

// Of a row of groups: each reads or writes what lies between its first and its last element.
KernelOperands OperandsOfGroups(const LoopKernelSpec& spec) {
  using Row = KernelOperand::Row;
  const LaneProgram& program = *spec.program;
  const LoopPattern& pattern = spec.pattern;
  const size_t num_inputs = program.inputs.size(), num_folds = spec.folds.size();
  KernelOperands result{.is_loop = true, .operands = {}};
  const auto add = [&](const LaneArray& array, i64 neighbours, size_t operand, bool is_output) {
    Row row = Row::kNeighbours;
    i64 elements = neighbours;
    if (operand < pattern.operands.size() && !pattern.operands[operand].offsets.empty()) {
      row = Row::kApart;
      elements = std::ranges::max(pattern.operands[operand].offsets) + 1;
      // What lies beside it is stored together with it.
      for (size_t o = num_inputs; is_output && o < pattern.operands.size(); ++o) {
        const LoopPattern::Operand& other = pattern.operands[o];
        if (other.beside != static_cast<std::int32_t>(operand - num_inputs)) continue;
        elements = std::max(elements, other.distance + std::ranges::max(other.offsets) + 1);
      }
    } else if (!is_output && spec.inputs[operand] != InnerStride::kUnit) {
      row = Row::kOne;
      elements = 1;
    }
    result.operands.push_back({row, elements * array.element_bytes(), is_output});
  };
  for (size_t i = 0; i < num_inputs; ++i) add(program.inputs[i], pattern.size, i, false);
  for (const LaneOp& op : program.code) {
    if (op.primitive == Primitive::kElement) result.operands[op.input()].row = Row::kTable;
  }
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    const bool is_fold = o + num_folds >= program.outputs.size();
    add(program.outputs[o], is_fold ? pattern.size / pattern.reduced : pattern.size, num_inputs + o,
        true);
  }
  return result;
}

}  // namespace

// The operands as the comment of LoopKernel defines them: fold results of kRows are one element per
// row, all other outputs neighbours.
KernelOperands OperandsOf(const LoopKernelSpec& spec) {
  using Row = KernelOperand::Row;
  const LaneProgram& program = *spec.program;
  KernelOperands result{.is_loop = true, .operands = {}};
  if (spec.pattern.size > 0) return OperandsOfGroups(spec);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Row row = spec.inputs[i] == InnerStride::kUnit  ? Row::kNeighbours
                    : spec.inputs[i] == InnerStride::kAny ? Row::kApart
                                                          : Row::kOne;
    result.operands.push_back({row, program.inputs[i].element_bytes(), false});
  }
  for (const LaneOp& op : program.code) {
    if (op.primitive == Primitive::kElement) result.operands[op.input()].row = Row::kTable;
  }
  const size_t num_outputs = program.outputs.size();
  const size_t num_ones = spec.form == FoldForm::kRows ? spec.folds.size() : 0;
  for (size_t o = 0; o < num_outputs; ++o) {
    const Row row = o < num_outputs - num_ones ? Row::kNeighbours : Row::kOne;
    result.operands.push_back({row, program.outputs[o].element_bytes(), true});
  }
  return result;
}

KernelOperands OperandsOf(const MergeKernelSpec& spec) {
  using Row = KernelOperand::Row;
  KernelOperands result{.is_loop = true, .operands = {}};
  for (const bool is_output : {false, true}) {
    for (size_t i = 0; i < spec.num_arrays(); ++i) {
      result.operands.push_back({Row::kNeighbours, spec.bytes_of(i), is_output});
    }
  }
  result.operands.push_back({Row::kOne, sizeof(MergeState), true});
  return result;
}

}  // namespace axle

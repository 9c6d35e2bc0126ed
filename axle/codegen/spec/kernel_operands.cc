// What memory the kernels of a spec touch, as LoopKernel and EmitMergeKernel say it.
#include "axle/codegen/spec/kernel_operands.h"

namespace axle {

// The operands as the comment of LoopKernel defines them: fold results of kRows are one element per
// row, all other outputs neighbours.
KernelOperands OperandsOf(const LoopKernelSpec& spec) {
  using Row = KernelOperand::Row;
  const LaneProgram& program = *spec.program;
  KernelOperands result{.is_loop = true, .operands = {}};
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

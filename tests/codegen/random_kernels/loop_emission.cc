#include "axle/emit/lane_builder.h"
#include "tests/codegen/random_kernels/emission.h"
#include "tests/codegen/random_kernels/folds.h"

namespace axle {
namespace {

LaneType OperandType(const RandomProgram& program, const KernelOp& op) {
  return program.ops[op.operands[0]].type;
}

Lane LaneFor(const RandomProgram& program, const KernelOp& op, std::span<const Lane> lanes,
             LaneBuilder& builder) {
  switch (op.kind) {
    case KernelOpKind::kInput:
      return builder.Input(op.type);
    case KernelOpKind::kConstant:
      return builder.ConstantBits(op.type, op.immediate);
    case KernelOpKind::kFloatBits: {
      const Lane x = lanes[op.operands[0]];
      const Lane nan = builder.ConstantBits(op.type, NanBits(OperandType(program, op)));
      return Select(x == x, BitsOf(x), nan);
    }
    default: {
      LaneOp lane{op.primitive, op.type};
      for (size_t k = 0; k < op.operands.size(); ++k) {
        lane.operands[k] = lanes[op.operands[k]].id;
      }
      return builder.Emit(lane);
    }
  }
}

}  // namespace

void EmitLoopProgram(const RandomProgram& program, const JitTarget& target, const std::string& name,
                     llvm::Module& module) {
  LaneBuilder builder;
  std::vector<Lane> lanes;
  LoopKernelSpec spec{nullptr, {}};
  for (const KernelOp& op : program.ops) {
    lanes.push_back(LaneFor(program, op, lanes, builder));
    if (op.kind == KernelOpKind::kInput) spec.inputs.push_back(op.stride);
  }
  std::vector<Lane> results;
  for (const int result : program.results) {
    results.push_back(lanes[result]);
    if (program.folds()) spec.folds.push_back(FoldOf(program, program.ops[result].type));
  }
  if (program.folds()) {
    spec.form = FoldForm::kRows;
    spec.lanes = program.lanes;
  }
  const LaneProgram finished = std::move(builder).Finish(results);
  spec.program = &finished;
  EmitLoopKernel(spec, target, name, module);
}

}  // namespace axle

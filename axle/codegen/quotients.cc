#include "axle/codegen/quotients.h"

#include <algorithm>
#include <bit>

#include "axle/emit/lane_builder.h"

namespace axle {
namespace {

std::span<const LaneId> OperandsOf(const LaneOp& op) {
  return std::span(op.operands).first(static_cast<size_t>(Arity(op.primitive)));
}

bool IsOne(const LaneOp& op) {
  if (op.primitive != Primitive::kConstant) return false;
  return op.type == LaneType::kF32   ? op.immediate == std::bit_cast<std::uint32_t>(1.0f)
         : op.type == LaneType::kF64 ? op.immediate == std::bit_cast<std::uint64_t>(1.0)
                                     : false;
}

}  // namespace

LaneProgram JoinQuotients(const LaneProgram& program, std::span<const InnerStride> inputs) {
  const std::vector<LaneOp>& code = program.code;
  std::vector<bool> is_uniform(code.size());
  std::vector<int> uses(code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    const LaneOp& op = code[i];
    for (const LaneId operand : OperandsOf(op)) ++uses[operand];
    is_uniform[i] = op.primitive == Primitive::kInput
                        ? inputs[op.input()] == InnerStride::kUniform
                        : std::ranges::all_of(OperandsOf(op), [&](LaneId operand) -> bool {
                            return is_uniform[operand];
                          });
  }
  const auto is_divisor = [&](LaneId id) {
    const LaneOp& op = code[id];
    return op.primitive == Primitive::kDiv && IsOne(code[op.operands[0]]) && uses[id] == 1 &&
           !is_uniform[id];
  };

  LaneBuilder builder;
  for (const LaneArray& input : program.inputs) builder.AddInput(input);
  std::vector<Lane> lanes;
  for (const LaneOp& op : code) {
    LaneOp copy = op;
    if (op.primitive == Primitive::kMul && IsFloat(op.type)) {
      const auto reciprocal = std::ranges::find_if(OperandsOf(op), is_divisor);
      if (reciprocal != OperandsOf(op).end()) {
        const LaneId dividend = op.operands[reciprocal == OperandsOf(op).begin() ? 1 : 0];
        copy.primitive = Primitive::kDiv;
        copy.operands = {dividend, code[*reciprocal].operands[1]};
      }
    }
    for (size_t k = 0; k < OperandsOf(copy).size(); ++k) {
      copy.operands[k] = lanes[copy.operands[k]].id;
    }
    lanes.push_back(builder.Emit(copy));
  }
  std::vector<Lane> results;
  for (const LaneId result : program.results) results.push_back(lanes[result]);
  return std::move(builder).Finish(results, program.outputs);
}

}  // namespace axle

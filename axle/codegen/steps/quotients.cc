// Rounding::kFast may replace a / b by a * (1 / b). That is faster in two cases:
//
//   x[i] / s          s is one number per row: one division per row
//   x / d + y / d     two quotients by the same d: 1 / d is one operation of the program
//
// Other quotients stay, because a product beside a division only adds work and an error. One pass
// finds what is uniform along the row and counts the dividends of each divisor; the other one
// rebuilds the program, where LaneBuilder makes equal reciprocals one operation.
#include "axle/codegen/steps/quotients.h"

#include <algorithm>

#include "axle/emit/lane_builder.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

bool IsAnyQuotient(const LaneOp& op) {
  return op.primitive == Primitive::kDiv && IsFloat(op.type) && op.immediate == kAnyQuotient;
}

}  // namespace

LaneProgram WithReciprocals(const LaneProgram& program, std::span<const InnerStride> inputs) {
  const std::vector<LaneOp>& code = program.code;
  std::vector<bool> is_uniform(code.size());
  std::vector<int> dividends(code.size());  // number of dividends, by divisor
  for (size_t i = 0; i < code.size(); ++i) {
    const LaneOp& op = code[i];
    if (IsAnyQuotient(op)) ++dividends[op.operands[1]];
    is_uniform[i] = std::ranges::all_of(
        op.taken(), [&](LaneId operand) -> bool { return is_uniform[operand]; });
    if (op.primitive == Primitive::kInput || op.primitive == Primitive::kElement) {
      const InnerStride stride = inputs[op.input()];
      is_uniform[i] =
          is_uniform[i] && (stride == InnerStride::kUniform || stride == InnerStride::kOne);
    }
  }
  LaneBuilder builder;
  for (const LaneArray& input : program.inputs) builder.AddInput(input);
  std::vector<Lane> lanes;
  for (const LaneOp& op : code) {
    if (IsAnyQuotient(op)) {
      const LaneId a = op.operands[0], b = op.operands[1];
      const bool serves_a_row = is_uniform[b] && !is_uniform[a];
      const bool serves_several = dividends[b] > 1 && !is_uniform[b];
      lanes.push_back(serves_a_row || serves_several ? lanes[a] * (1.0 / lanes[b])
                                                     : lanes[a] / lanes[b]);
      continue;
    }
    LaneOp copy = op;
    for (size_t k = 0; k < copy.taken().size(); ++k) {
      copy.operands[k] = lanes[copy.operands[k]].id;
    }
    lanes.push_back(builder.Emit(copy));
  }
  std::vector<Lane> results;
  for (const LaneId result : program.results) results.push_back(lanes[result]);
  return std::move(builder).Finish(results, program.outputs);
}

}  // namespace axle

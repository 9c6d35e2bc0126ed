#include "axle/ops/comparator.h"

#include <algorithm>
#include <vector>

#include "axle/emit/lane_builder.h"

namespace axle {
namespace {

// What one side of a comparison is computed from.
struct Side {
  std::vector<LaneId> ids;  // ascending
  std::optional<std::uint64_t> input;
  bool single_input = true;
};

Side SideOf(const LaneProgram& program, LaneId root) {
  std::vector<bool> needed(program.code.size());
  needed[root] = true;
  Side side;
  for (size_t id = program.code.size(); id-- > 0;) {
    if (!needed[id]) continue;
    const LaneOp& op = program.code[id];
    side.ids.push_back(static_cast<LaneId>(id));
    for (int k = 0; k < Arity(op.primitive); ++k) needed[op.operands[k]] = true;
    if (op.primitive != Primitive::kInput) continue;
    const std::uint64_t input = op.immediate & 0xffffffff;
    side.single_input = side.single_input && side.input.value_or(input) == input;
    side.input = input;
  }
  std::ranges::reverse(side.ids);
  return side;
}

// The side as a program of its own. Inputs and constants come first and in a fixed order, then what
// is computed from constants alone, which both sides share and the first of them has in its midst:
// so two sides that compute the same become equal programs.
LaneProgram ProgramOf(const LaneProgram& program, const Side& side, LaneId root) {
  LaneBuilder builder;
  const LaneArray array = program.inputs[*side.input];
  builder.AddInput(array);
  std::vector<LaneId> inputs, constants, from_constants, rest;
  std::vector<bool> is_fixed(program.code.size());
  for (LaneId id : side.ids) {
    const LaneOp& op = program.code[id];
    is_fixed[id] = op.primitive != Primitive::kInput;
    for (int k = 0; k < Arity(op.primitive); ++k) {
      is_fixed[id] = is_fixed[id] && is_fixed[op.operands[k]];
    }
    (op.primitive == Primitive::kInput      ? inputs
     : op.primitive == Primitive::kConstant ? constants
     : is_fixed[id]                         ? from_constants
                                            : rest)
        .push_back(id);
  }
  std::ranges::sort(inputs, {}, [&](LaneId id) { return program.code[id].part(); });
  std::ranges::sort(constants, {}, [&](LaneId id) {
    return std::pair(program.code[id].type, program.code[id].immediate);
  });
  std::vector<Lane> lanes(program.code.size());
  for (LaneId id : inputs) {
    lanes[id] = builder.Part(0, static_cast<int>(program.code[id].part()));
  }
  for (const auto* ids : {&constants, &from_constants, &rest}) {
    for (LaneId id : *ids) {
      LaneOp op = program.code[id];
      for (int k = 0; k < Arity(op.primitive); ++k) op.operands[k] = lanes[op.operands[k]].id;
      lanes[id] = builder.Emit(op);
    }
  }
  return std::move(builder).Finish({&lanes[root], 1});
}

}  // namespace

std::optional<KeyedComparator> FindKey(const LaneProgram& comparator) {
  if (comparator.results.size() != 1) return std::nullopt;
  const LaneOp& op = comparator.code[comparator.results[0]];
  if (op.primitive != Primitive::kLt && op.primitive != Primitive::kLe) return std::nullopt;
  const Side less = SideOf(comparator, op.operands[0]);
  const Side greater = SideOf(comparator, op.operands[1]);
  if (!less.input || !greater.input || !less.single_input || !greater.single_input ||
      *less.input / 2 != *greater.input / 2 || *less.input == *greater.input) {
    return std::nullopt;
  }
  KeyedComparator found;
  found.operand = *less.input / 2;
  found.or_equal = op.primitive == Primitive::kLe;
  found.descending = *less.input % 2 == 1;
  found.key = ProgramOf(comparator, less, op.operands[0]);
  if (found.key != ProgramOf(comparator, greater, op.operands[1])) return std::nullopt;
  return found;
}

}  // namespace axle

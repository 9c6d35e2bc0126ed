#include "tests/codegen/random_kernels/program.h"

#include <algorithm>
#include <sstream>

namespace axle {
namespace {

constexpr std::string_view kTypeNames[] = {"pred", "u8",  "u16", "u32", "u64", "s8",
                                           "s16",  "s32", "s64", "f32", "f64"};
constexpr std::string_view kKindNames[] = {"input", "constant", "numbers", "primitive",
                                           "bits",  "gather",   "stored",  "update",
                                           "slice", "loop",     "state",   "next"};
constexpr std::string_view kStrideNames[] = {"", " one a row", " one", " strided"};

std::string ToString(const KernelOp& op) {
  std::ostringstream text;
  text << kTypeNames[static_cast<int>(op.type)] << "[" << op.num_elements << "] "
       << (op.kind == KernelOpKind::kPrimitive ? Name(op.primitive)
                                               : kKindNames[static_cast<int>(op.kind)]);
  if (op.kind == KernelOpKind::kInput) text << kStrideNames[static_cast<int>(op.stride)];
  for (size_t k = 0; k < op.operands.size(); ++k) {
    text << " %" << op.operands[k];
    if (op.kind == KernelOpKind::kGather) text << "." << op.elements[k];
  }
  text << std::hex;
  if (op.kind == KernelOpKind::kConstant) text << " 0x" << op.immediate;
  if (op.kind == KernelOpKind::kLoop) text << " turns=" << op.immediate;
  for (const std::uint64_t number : op.numbers) text << " 0x" << number;
  return text.str();
}

// For each operation the kLoop that it belongs to, itself included, or -1.
std::vector<int> LoopsOf(const RandomProgram& program) {
  std::vector<int> loops(program.ops.size(), -1);
  int loop = -1;
  for (size_t i = 0; i < loops.size(); ++i) {
    const KernelOpKind kind = program.ops[i].kind;
    if (kind == KernelOpKind::kLoop) loop = static_cast<int>(i);
    loops[i] = loop;
    if (kind == KernelOpKind::kNext) loop = -1;
  }
  return loops;
}

// What results need; of a loop always the states and the end.
std::vector<bool> NeededBy(const RandomProgram& program) {
  const std::vector<int> loops = LoopsOf(program);
  std::vector<bool> needed(program.ops.size());
  std::vector<int> todo = program.results;
  while (!todo.empty()) {
    const int value = todo.back();
    todo.pop_back();
    if (needed[value]) continue;
    needed[value] = true;
    const auto& operands = program.ops[value].operands;
    todo.insert(todo.end(), operands.begin(), operands.end());
    if (loops[value] < 0) continue;
    for (size_t i = loops[value]; i < loops.size() && loops[i] == loops[value]; ++i) {
      const KernelOpKind kind = program.ops[i].kind;
      if (kind == KernelOpKind::kLoop || kind == KernelOpKind::kState ||
          kind == KernelOpKind::kNext) {
        todo.push_back(static_cast<int>(i));
      }
    }
  }
  return needed;
}

}  // namespace

std::string_view Name(KernelForm form) {
  return form == KernelForm::kSmall ? "small" : "loop";
}

std::string RandomProgram::ToString() const {
  std::ostringstream text;
  for (size_t i = 0; i < ops.size(); ++i) {
    text << "  %" << i << " = " << axle::ToString(ops[i]) << "\n";
  }
  text << "  return";
  for (const int result : results) text << " %" << result;
  if (form == KernelForm::kLoop) text << ", " << rows << " rows of " << inner;
  if (folds()) text << ", each joined by " << Name(join) << " in " << lanes << " lanes";
  if (loads_apart) text << ", loads apart";
  text << "\n";
  return text.str();
}

RandomProgram Trimmed(const RandomProgram& program) {
  const std::vector<bool> needed = NeededBy(program);
  RandomProgram trimmed = program;
  trimmed.ops.clear();
  std::vector<int> moved(program.ops.size(), -1);
  for (size_t i = 0; i < program.ops.size(); ++i) {
    if (!needed[i]) continue;
    moved[i] = static_cast<int>(trimmed.ops.size());
    trimmed.ops.push_back(program.ops[i]);
    for (int& operand : trimmed.ops.back().operands) operand = moved[operand];
  }
  for (int& result : trimmed.results) result = moved[result];
  return trimmed;
}

LaneProgram LanesOf(const RandomProgram& program) {
  LaneProgram lanes;
  for (const KernelOp& op : program.ops) {
    LaneOp lane{Primitive::kInput, op.type};
    if (op.kind == KernelOpKind::kConstant) {
      lane = {Primitive::kConstant, op.type, {}, op.immediate};
    } else if (op.kind == KernelOpKind::kPrimitive) {
      lane.primitive = op.primitive;
      std::copy(op.operands.begin(), op.operands.end(), lane.operands.begin());
    }
    lanes.code.push_back(lane);
  }
  return lanes;
}

}  // namespace axle

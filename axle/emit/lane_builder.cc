// Lane programs under construction: value numbering while they grow, clean-up when they are
// finished.
//
// Emit looks every operation up in a hash table first, with the operands of commutative primitives
// in ascending order, so x * y and y * x are one operation. It folds nothing: what a program
// computes is what its definition says, in the same order of roundings. Finish drops the operations
// that no result needs, in one backward pass, and gives each of the rest a register in one forward
// pass. An operation takes its register before those of its operands are freed, so a step never
// writes over what it reads. Both passes are linear; programs are compared and cached by Hash().

#include "axle/emit/lane_builder.h"

#include <algorithm>
#include <atomic>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::string_view kPrimitiveNames[] = {
#define OP(name, arity) #name,
#include "axle/emit/primitives.def"
#undef OP
};

constexpr std::string_view kLaneTypeNames[] = {"pred", "u8",  "u16", "u32", "u64", "s8",
                                               "s16",  "s32", "s64", "f32", "f64"};

bool IsCommutative(Primitive p) {
  switch (p) {
    case Primitive::kAdd:
    case Primitive::kMul:
    case Primitive::kMin:
    case Primitive::kMax:
    case Primitive::kAnd:
    case Primitive::kOr:
    case Primitive::kXor:
    case Primitive::kMulHigh:
    case Primitive::kEq:
      return true;
    default:
      return false;
  }
}

std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

std::uint64_t HashOp(const LaneOp& op) {
  std::uint64_t hash =
      static_cast<std::uint64_t>(op.primitive) << 8 | static_cast<std::uint64_t>(op.type);
  for (LaneId id : op.operands) hash = Mix(hash, id);
  return Mix(hash, op.immediate);
}

// Drops the operations that no result needs and renumbers the others. The list of inputs stays.
void RemoveDead(LaneProgram& program) {
  std::vector<bool> live(program.code.size());
  for (LaneId id : program.results) live[id] = true;
  for (size_t i = program.code.size(); i-- > 0;) {
    const LaneOp& op = program.code[i];
    for (int k = 0; live[i] && k < Arity(op.primitive); ++k) live[op.operands[k]] = true;
  }
  std::vector<LaneId> renumbered(program.code.size());
  std::vector<LaneOp> code;
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (!live[i]) continue;
    LaneOp op = program.code[i];
    for (int k = 0; k < Arity(op.primitive); ++k) op.operands[k] = renumbered[op.operands[k]];
    renumbered[i] = static_cast<LaneId>(code.size());
    code.push_back(op);
  }
  program.code = std::move(code);
  for (LaneId& id : program.results) id = renumbered[id];
}

// A register is free again after the last operation that reads it; results are never freed.
void AssignRegisters(LaneProgram& program) {
  const size_t size = program.code.size();
  constexpr size_t kForever = ~size_t{0};
  std::vector<size_t> last_use(size, 0);
  for (size_t i = 0; i < size; ++i) {
    const LaneOp& op = program.code[i];
    last_use[i] = i;
    for (int k = 0; k < Arity(op.primitive); ++k) last_use[op.operands[k]] = i;
  }
  for (LaneId id : program.results) last_use[id] = kForever;
  std::vector<std::uint16_t> free;
  program.registers.assign(size, 0);
  program.num_registers = 0;
  for (size_t i = 0; i < size; ++i) {
    if (free.empty()) free.push_back(static_cast<std::uint16_t>(program.num_registers++));
    program.registers[i] = free.back();
    free.pop_back();
    const LaneOp& op = program.code[i];
    for (int k = 0; k < Arity(op.primitive); ++k) {
      const LaneId operand = op.operands[k];
      const bool again = std::find(op.operands.begin(), op.operands.begin() + k, operand) !=
                         op.operands.begin() + k;
      if (last_use[operand] == i && !again) free.push_back(program.registers[operand]);
    }
    if (last_use[i] == i) free.push_back(program.registers[i]);
  }
}

}  // namespace

std::string_view Name(Primitive p) {
  return kPrimitiveNames[static_cast<int>(p)];
}

i64 LaneProgram::num_operations() const {
  return std::ranges::count_if(code, [](const LaneOp& op) {
    return op.primitive != Primitive::kInput && op.primitive != Primitive::kConstant;
  });
}

std::uint64_t LaneProgram::Hash() const {
  std::uint64_t hash = code.size();
  for (const LaneOp& op : code) hash = Mix(hash, HashOp(op));
  for (LaneId id : results) hash = Mix(hash, id);
  for (const auto* arrays : {&inputs, &outputs}) {
    for (const LaneArray& array : *arrays) {
      hash = Mix(hash, static_cast<std::uint64_t>(array.type) << 8 | array.num_parts);
    }
  }
  return hash;
}

std::string LaneProgram::ToString() const {
  std::string out;
  for (size_t i = 0; i < code.size(); ++i) {
    const LaneOp& op = code[i];
    out +=
        StrCat("%", i, " = ", kLaneTypeNames[static_cast<int>(op.type)], " ", Name(op.primitive));
    for (int k = 0; k < Arity(op.primitive); ++k) out += StrCat(" %", op.operands[k]);
    if (Arity(op.primitive) == 0) out += StrCat(" ", op.immediate);
    out += "\n";
  }
  out += "results";
  for (LaneId id : results) out += StrCat(" %", id);
  return out + "\n";
}

size_t LaneBuilder::OpHash::operator()(const LaneOp& op) const {
  return static_cast<size_t>(HashOp(op));
}

int LaneBuilder::AddInput(LaneArray array) {
  program_.inputs.push_back(array);
  return static_cast<int>(program_.inputs.size()) - 1;
}

Lane LaneBuilder::Part(int input, int part) {
  return Emit({Primitive::kInput,
               program_.inputs[input].type,
               {},
               static_cast<std::uint64_t>(part) << 32 | static_cast<std::uint64_t>(input)});
}

Lane LaneBuilder::Element(int input, int part, Lane number) {
  return Emit({Primitive::kElement,
               program_.inputs[input].type,
               {number.id},
               static_cast<std::uint64_t>(part) << 32 | static_cast<std::uint64_t>(input)});
}

Lane LaneBuilder::Emit(LaneOp op) {
  if (IsCommutative(op.primitive) && op.operands[0] > op.operands[1]) {
    std::swap(op.operands[0], op.operands[1]);
  }
  const auto [it, is_new] = ids_.emplace(op, static_cast<LaneId>(program_.code.size()));
  if (is_new) program_.code.push_back(op);
  return {this, it->second};
}

LaneProgram LaneBuilder::Finish(std::span<const Lane> results,
                                std::span<const LaneArray> outputs) && {
  static std::atomic<std::uint64_t> next_serial = 1;
  for (Lane result : results) program_.results.push_back(result.id);
  program_.outputs.assign(outputs.begin(), outputs.end());
  RemoveDead(program_);
  AssignRegisters(program_);
  program_.serial = next_serial++;
  return std::move(program_);
}

LaneProgram LaneBuilder::Finish(std::span<const Lane> results) && {
  std::vector<LaneArray> outputs;
  for (Lane result : results) outputs.push_back({result.type()});
  return std::move(*this).Finish(results, outputs);
}

}  // namespace axle

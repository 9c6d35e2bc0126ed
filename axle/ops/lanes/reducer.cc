// Recognises a reducer by comparing programs. The program of one component is extracted and
// normalised (needed operations only; constants first, sorted; then operations on constants; then
// the rest) and compared with the program that the operation itself compiles to, with its operands
// in either order. Example: max written with compare and select is general, `maximum(b, a)` is
// kMaximum, and a bf16 add via f32 is kAdd because that is the program of the bf16 add. Programs of
// the known operations are cached per element type.

#include "axle/ops/lanes/reducer.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <ranges>

#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

bool IsInput(const LaneProgram& program, LaneId id, size_t number) {
  const LaneOp& op = program.code[id];
  return op.primitive == Primitive::kInput && op.immediate == number;
}

// The program of result `i` alone, as a function of inputs i and n + i; nothing if it reads others.
// Operations on constants come first, because their place in `program` depends on the other
// components.
// Two programs are equal if their normal forms are, operation by operation.
std::optional<LaneProgram> Component(const LaneProgram& program, size_t i, size_t n) {
  size_t first_result = 0;
  for (size_t k = 0; k < i; ++k) first_result += program.outputs[k].num_parts;
  LaneBuilder builder;
  builder.AddInput(program.inputs[i]);
  builder.AddInput(program.inputs[n + i]);
  // Marks the operations that the result needs, backwards.
  std::vector<bool> needed(program.code.size());
  for (int part = 0; part < program.outputs[i].num_parts; ++part) {
    needed[program.results[first_result + part]] = true;
  }
  for (size_t id = program.code.size(); id-- > 0;) {
    const LaneOp& op = program.code[id];
    for (int k = 0; needed[id] && k < Arity(op.primitive); ++k) needed[op.operands[k]] = true;
  }
  // Rank 0: constants; 1: operations on constants alone; 2: the rest.
  std::vector<size_t> ranks;
  std::array<std::vector<size_t>, 3> order;
  for (size_t id = 0; id < program.code.size(); ++id) {
    const LaneOp& op = program.code[id];
    size_t rank = op.primitive == Primitive::kConstant ? 0
                  : op.primitive == Primitive::kInput  ? 2
                                                       : 1;
    for (int k = 0; k < Arity(op.primitive); ++k) rank = std::max(rank, ranks[op.operands[k]]);
    ranks.push_back(rank);
    if (needed[id]) order[rank].push_back(id);
  }
  std::ranges::sort(order[0], {}, [&](size_t id) {
    return std::pair(program.code[id].type, program.code[id].immediate);
  });
  std::vector<Lane> lanes(program.code.size());
  for (const size_t id : std::ranges::join_view(order)) {
    LaneOp op = program.code[id];
    if (op.primitive == Primitive::kInput) {
      const std::uint32_t input = op.input();
      if (input != i && input != n + i) return std::nullopt;
      lanes[id] = builder.Part(input == i ? 0 : 1, static_cast<int>(op.part()));
      continue;
    }
    for (int k = 0; k < Arity(op.primitive); ++k) op.operands[k] = lanes[op.operands[k]].id;
    lanes[id] = builder.Emit(op);
  }
  std::vector<Lane> results;
  for (int part = 0; part < program.outputs[i].num_parts; ++part) {
    results.push_back(lanes[program.results[first_result + part]]);
  }
  return std::move(builder).Finish(results, std::vector<LaneArray>{program.outputs[i]});
}

// Parameters x and y of `type`; the result of `opcode` on them, as it is and as a component, either
// way round. Empty if the op has no definition for that type.
struct KnownReducer {
  LaneProgram program;
  std::optional<LaneProgram> straight, flipped;
};

// Compiles the reducer that is one instruction of two parameters, for comparison with reducers of
// programs.
KnownReducer MakeKnown(Opcode opcode, ElementType type) {
  // Both orders of the operands are compiled, because LaneBuilder may keep either.
  const auto make = [&](bool flip) {
    Module module("");
    HloComputation* computation = module.AddComputation("");
    Instruction* operands[2];
    for (Instruction*& operand : operands) {
      operand = computation->Add({.opcode = Opcode::kParameter, .name = "", .shape = Shape(type)});
    }
    computation->set_parameters({operands[0], operands[1]});
    if (flip) std::swap(operands[0], operands[1]);
    computation->Add({.opcode = opcode, .name = "", .shape = Shape(type), .operands = operands});
    std::optional<LaneProgram> program = CompileScalarComputation(*computation);
    return program ? *std::move(program) : LaneProgram();
  };
  KnownReducer known = {make(false), {}, {}};
  if (known.program.results.empty()) return known;
  known.straight = Component(known.program, 0, 1);
  known.flipped = Component(make(true), 0, 1);
  return known;
}

// Cached per process, because a reduction in a loop asks each time.
// The cache is shared by all threads.
const KnownReducer& Known(Opcode opcode, ElementType type) {
  static std::mutex mutex;
  static auto* const cache = new std::map<std::pair<Opcode, ElementType>, KnownReducer>;
  const std::lock_guard lock(mutex);
  const auto [it, is_new] = cache->try_emplace({opcode, type});
  if (is_new) it->second = MakeKnown(opcode, type);
  return it->second;
}

}  // namespace

LaneProgram BinaryProgram(Opcode opcode, ElementType type) {
  return Known(opcode, type).program;
}

// An accumulator of f32 and a value of a narrow type, widened: the sums of narrow floats between
// roundings.
LaneProgram WideningProgram(ReducerKind kind, ElementType type) {
  Module module("");
  HloComputation* computation = module.AddComputation("");
  Instruction* operands[] = {
      computation->Add({.opcode = Opcode::kParameter, .name = "", .shape = Shape(F32)}),
      computation->Add({.opcode = Opcode::kParameter, .name = "", .shape = Shape(type)})};
  computation->set_parameters({operands[0], operands[1]});
  operands[1] = computation->Add({.opcode = Opcode::kConvert,
                                  .name = "",
                                  .shape = Shape(F32),
                                  .operands = std::span(operands).subspan(1)});
  const Opcode opcode = kind == ReducerKind::kAdd ? Opcode::kAdd : Opcode::kMultiply;
  computation->Add({.opcode = opcode, .name = "", .shape = Shape(F32), .operands = operands});
  return *CompileScalarComputation(*computation);
}

LaneProgram ConversionProgram(ElementType from, ElementType to) {
  Module module("");
  HloComputation* computation = module.AddComputation("");
  Instruction* operands[] = {
      computation->Add({.opcode = Opcode::kParameter, .name = "", .shape = Shape(from)})};
  computation->set_parameters({operands[0]});
  computation->Add(
      {.opcode = Opcode::kConvert, .name = "", .shape = Shape(to), .operands = operands});
  return *CompileScalarComputation(*computation);
}

bool IsSumOrProduct(ReducerKind kind, ElementType type) {
  return (kind == ReducerKind::kAdd && (IsFloating(type) || IsComplex(type))) ||
         (kind == ReducerKind::kMultiply && IsFloating(type));
}

// Whether all components are chosen by one condition between the two sides, as argmax does.
bool IsSelection(const LaneProgram& program) {
  const size_t n = program.results.size();
  if (n != program.outputs.size() || n == 0) return false;
  const LaneOp& first = program.code[program.results[0]];
  for (size_t i = 0; i < n; ++i) {
    const LaneOp& op = program.code[program.results[i]];
    if (op.primitive != Primitive::kSelect || op.operands[0] != first.operands[0]) return false;
    const auto [_, on_true, on_false] = op.operands;
    if (!(IsInput(program, on_true, i) && IsInput(program, on_false, n + i)) &&
        !(IsInput(program, on_true, n + i) && IsInput(program, on_false, i))) {
      return false;
    }
  }
  return true;
}

Primitive PrimitiveOf(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kAdd:
      return Primitive::kAdd;
    case ReducerKind::kMultiply:
      return Primitive::kMul;
    case ReducerKind::kMinimum:
      return Primitive::kMin;
    case ReducerKind::kMaximum:
      return Primitive::kMax;
    case ReducerKind::kAnd:
      return Primitive::kAnd;
    case ReducerKind::kXor:
      return Primitive::kXor;
    default:
      return Primitive::kOr;
  }
}

// The value that changes nothing when it is joined, as bits of the type. Floats: -0 for sums,
// infinities for minimum and maximum.
std::uint64_t IdentityBits(ReducerKind kind, LaneType type) {
  const int bits = type == LaneType::kPred ? 1 : BitsOf(type);
  const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const bool is_f32 = type == LaneType::kF32, is_float = IsFloat(type);
  const std::uint64_t infinity = is_f32 ? 0x7f800000 : 0x7ff0000000000000;
  switch (kind) {
    case ReducerKind::kAdd:
      return is_float ? top : 0;
    case ReducerKind::kMultiply:
      return !is_float ? 1 : is_f32 ? 0x3f800000 : 0x3ff0000000000000;
    case ReducerKind::kMinimum:
      return is_float ? infinity : IsSigned(type) ? top - 1 : ones;
    case ReducerKind::kMaximum:
      return is_float ? infinity | top : IsSigned(type) ? top : 0;
    case ReducerKind::kAnd:
      return ones;
    default:
      return 0;
  }
}

// A component that reads others is general.
std::vector<ReducerKind> ClassifyReducer(const LaneProgram& program,
                                         std::span<const ElementType> types) {
  constexpr std::pair<Opcode, ReducerKind> kKnown[] = {
      {Opcode::kAdd, ReducerKind::kAdd},         {Opcode::kMultiply, ReducerKind::kMultiply},
      {Opcode::kMinimum, ReducerKind::kMinimum}, {Opcode::kMaximum, ReducerKind::kMaximum},
      {Opcode::kAnd, ReducerKind::kAnd},         {Opcode::kOr, ReducerKind::kOr},
      {Opcode::kXor, ReducerKind::kXor},
  };
  const size_t n = types.size();
  std::vector<ReducerKind> kinds(n, ReducerKind::kGeneral);
  for (size_t i = 0; i < n; ++i) {
    const std::optional<LaneProgram> component = Component(program, i, n);
    if (!component) continue;
    for (const auto& [opcode, kind] : kKnown) {
      const KnownReducer& known = Known(opcode, types[i]);
      if (component != known.straight && component != known.flipped) continue;
      kinds[i] = kind;
      break;
    }
  }
  return kinds;
}

}  // namespace axle

// Compiles instructions to a lane program by running their rows' `emit` functions on a LaneBuilder.
// Each value has two forms: `computed` (f32 for narrow floats) and `stored` (the bits in memory,
// zero-extended). For bf16 add the program is
//
//   widen(a), widen(b), sum = a + b, bits = round_to_bf16(sum), computed = widen(bits)
//
// With Rounding::kFast, Relaxed replaces a product with a single reader, an addition or
// subtraction, by an fma and marks quotients with kAnyQuotient; only instructions whose definition
// is a single primitive are touched, since other definitions rely on their roundings. StaysWide
// then keeps narrow results unrounded until they are stored.

#include "axle/ops/lanes/lane_compiler.h"

#include <algorithm>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/ops/lanes/straight_line.h"

namespace axle {
namespace {

// Complex instructions use the second emitter, on pairs of lanes.
bool HasComplex(const Instruction& inst) {
  if (IsComplex(inst.shape().type())) return true;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (IsComplex(inst.operand(i)->shape().type())) return true;
  }
  return false;
}

// The low `bits` bits of an 8-bit lane, extended by its signedness.
Lane Wrap(Lane x, int bits) {
  const int unused = 8 - bits;
  return (x << unused) >> unused;
}

}  // namespace

// An elementwise row with an evaluator (bitcast-convert, copy of a tuple) is a lane program only
// between arrays of equal dimensions.
bool IsElementwise(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  if (def.lowering != Lowering::kElementwise || def.eval == nullptr) {
    return def.lowering == Lowering::kElementwise;
  }
  const Shape& operand = inst.operand(0)->shape();
  return inst.shape().is_array() && operand.is_array() && SameDims(operand, inst.shape());
}

// Narrow floats are widened from their bits in integer arithmetic, since processors have no
// conversions for most of them.
LaneCompiler::Value LaneCompiler::FromStored(ElementType type, ComplexLane stored) {
  if (!IsNarrowFloat(type)) return {type, stored, stored};
  const Lane bits = Resize(LaneType::kU32, stored.re);
  const Lane wide = Bitcast(LaneType::kF32, WidenFromFormat(Info(type).format, kF32Format, bits));
  return {type, {wide, wide}, stored};
}

// Rounds to the stored form and widens again: later readers must see the value with the rounding
// that memory would give it.
LaneCompiler::Value LaneCompiler::FromComputed(ElementType type, ComplexLane computed) {
  if (IsNarrowFloat(type)) {
    const bool from_f64 = computed.re.type() == LaneType::kF64;
    const Lane bits =
        RoundToFormat(from_f64 ? kF64Format : kF32Format, Info(type).format, BitsOf(computed.re));
    const Lane stored = Resize(StorageType(type), bits);
    return FromStored(type, {stored, stored});
  }
  if (IsSubByte(type)) {
    const Lane wrapped = Wrap(computed.re, Info(type).bits);
    return {type, {wrapped, wrapped}, {wrapped, wrapped}};
  }
  return {type, computed, computed};
}

void LaneCompiler::AddInput(const Instruction& inst) {
  AddReader(inst, AddArray(inst.shape().type()));
}

// Complex elements have two parts, real types use one for both.
void LaneCompiler::AddReader(const Instruction& inst, int input) {
  const ElementType type = inst.shape().type();
  const Lane re = builder_.Part(input);
  values_.emplace(&inst, FromStored(type, {re, IsComplex(type) ? builder_.Part(input, 1) : re}));
}

void LaneCompiler::AddElements(const Instruction& inst, int input, Lane number) {
  const ElementType type = inst.shape().type();
  const Lane re = builder_.Element(input, 0, number);
  const Lane im = IsComplex(type) ? builder_.Element(input, 1, number) : re;
  values_.emplace(&inst, FromStored(type, {re, im}));
}

void LaneCompiler::AddConstant(const Instruction& inst) {
  const Literal& literal = inst.attrs<ConstantAttrs>().literal;
  const ElementType type = inst.shape().type();
  const LaneArray array = ArrayOf(type);
  std::uint64_t parts[2] = {0, 0};
  const auto bytes = static_cast<size_t>(BytesOf(array.type));
  for (size_t p = 0; p < array.num_parts; ++p) {
    std::memcpy(&parts[p], literal.bytes() + p * bytes, bytes);
  }
  const Lane re = builder_.ConstantBits(array.type, parts[0]);
  const Lane im = array.num_parts == 2 ? builder_.ConstantBits(array.type, parts[1]) : re;
  values_.emplace(&inst, FromStored(type, {re, im}));
}

// Used for copies and the like, which have no code.
void LaneCompiler::AddAlias(const Instruction& inst, const Instruction& other) {
  const Value value = values_.at(&other);
  values_.emplace(&inst, value);
}

// Applies to arithmetic of one primitive; longer definitions may rely on their roundings.
Lane LaneCompiler::Relaxed(const Instruction& inst, std::span<const Lane> operands, Lane result) {
  const LaneOp& op = builder_.op(result.id);
  const auto is_operand = [&](LaneId id) {
    return std::ranges::any_of(operands, [&](const Lane& operand) { return operand.id == id; });
  };
  const LaneId a = op.operands[0], b = op.operands[1];
  if (!IsFloat(op.type) || Arity(op.primitive) != 2 || !is_operand(a) || !is_operand(b)) {
    return result;
  }
  const auto lane = [&](LaneId id) { return Lane{&builder_, id}; };
  // Read by `inst` alone, and not through a view that others may read.
  const auto is_own = [&](LaneId id) {
    const auto it = products_.find(id);
    return it != products_.end() && it->second == &inst;
  };
  const auto fused = [&](LaneId product, bool negate, Lane summand) {
    const LaneOp factors = builder_.op(product);
    const Lane x = lane(factors.operands[0]), y = lane(factors.operands[1]);
    return Fma(negate ? -x : x, y, summand);
  };
  switch (op.primitive) {
    case Primitive::kMul:
      if (inst.first_use() != nullptr && inst.first_use()->next == nullptr) {
        products_.emplace(result.id, inst.first_use()->user);
      }
      return result;
    case Primitive::kAdd:
      if (is_own(a)) return fused(a, false, lane(b));
      if (is_own(b)) return fused(b, false, lane(a));
      return result;
    case Primitive::kSub:
      if (is_own(a)) return fused(a, false, -lane(b));
      if (is_own(b)) return fused(b, true, lane(a));
      return result;
    case Primitive::kDiv:
      return builder_.Emit({Primitive::kDiv, op.type, {a, b}, kAnyQuotient});
    default:
      return result;
  }
}

// Conversions between types keep their rounding, because the program asks for it. So do types
// without NaN, in which a rounded NaN is a number.
bool LaneCompiler::StaysWide(const Instruction& inst) const {
  const ElementType type = inst.shape().type();
  return rounding_ == Rounding::kFast && IsNarrowFloat(type) && HasNan(Info(type).format) &&
         inst.num_operands() > 0 && inst.operand(inst.num_operands() - 1)->shape().type() == type;
}

// False if the row has no definition for these types. The stored form is used where a row works on
// bits.
bool LaneCompiler::Add(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  const bool stored = def.in_stored_form != nullptr && def.in_stored_form(inst);
  const auto operand_of = [&](i64 i) {
    const Value& value = values_.at(inst.operand(i));
    return stored ? value.stored : value.computed;
  };
  ComplexLane result;
  if (HasComplex(inst)) {
    if (def.emit_complex == nullptr) return false;
    std::vector<ComplexLane> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      ComplexLane operand = operand_of(i);
      if (!IsComplex(inst.operand(i)->shape().type())) operand.im = operand.re.Like(0);
      operands.push_back(operand);
    }
    result = def.emit_complex(inst, operands);
  } else {
    if (def.emit == nullptr) return false;
    std::vector<Lane> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      operands.push_back(operand_of(i).re);
    }
    result.re = def.emit(inst, operands);
    if (rounding_ == Rounding::kFast) result.re = Relaxed(inst, operands, result.re);
    result.im = result.re;
  }
  // With Rounding::kFast the unrounded value goes on to later readers, and only the store rounds.
  const ElementType type = inst.shape().type();
  Value value = stored ? FromStored(type, result) : FromComputed(type, result);
  if (!stored && StaysWide(inst)) value.computed = result;
  values_.emplace(&inst, value);
  return true;
}

namespace {

// Whether the code for this operation is the same for any constant as operand k, so that one kernel
// serves all constants.
bool TakesAnyNumber(Primitive primitive, LaneType type, size_t k) {
  if (type == LaneType::kPred) return false;
  switch (primitive) {
    case Primitive::kAdd:
    case Primitive::kSub:
    case Primitive::kEq:
    case Primitive::kLt:
    case Primitive::kLe:
    case Primitive::kFma:
      return true;
    case Primitive::kMul:
    case Primitive::kDiv:
      return IsFloat(type);
    case Primitive::kSelect:
      return k > 0;
    case Primitive::kAnd:
    case Primitive::kOr:
    case Primitive::kXor:
      return !IsFloat(type);
    default:
      return false;
  }
}

}  // namespace

// Follows the uses of the constant through the program. Operations on constants alone are folded,
// so that they depend on its value.
bool LaneCompiler::SelectsCode(const Instruction& input) const {
  const Value& value = values_.at(&input);
  std::vector<bool> is_number(static_cast<size_t>(builder_.size()));
  LaneId last = 0;
  for (const ComplexLane& form : {value.computed, value.stored}) {
    for (const Lane& part : {form.re, form.im}) {
      is_number[part.id] = true;
      last = std::max(last, part.id);
    }
  }
  for (auto id = static_cast<size_t>(last) + 1; id < is_number.size(); ++id) {
    const LaneOp& op = builder_.op(static_cast<LaneId>(id));
    const std::span<const LaneId> operands = op.taken();
    const auto is_the_number = [&](LaneId operand) -> bool { return is_number[operand]; };
    if (std::ranges::none_of(operands, is_the_number)) continue;
    if (op.primitive == Primitive::kNeg) {
      is_number[id] = true;
      continue;
    }
    if (std::ranges::all_of(operands, [&](LaneId operand) {
          return is_number[operand] || builder_.op(operand).primitive == Primitive::kConstant;
        })) {
      return true;
    }
    for (size_t k = 0; k < operands.size(); ++k) {
      const LaneType type = builder_.type(operands[k]);
      if (is_number[operands[k]] && !TakesAnyNumber(op.primitive, type, k)) return true;
    }
  }
  return false;
}

// The fold of a reduction enters the program as an input; the initial value is joined on the left,
// once.
void LaneCompiler::AddFold(const Instruction& inst, Primitive join, const Instruction& init) {
  const ElementType type = inst.shape().type();
  const LaneType computed = IsNarrowFloat(type) ? LaneType::kF32 : StorageType(type);
  const auto joined = [&](Lane first) {
    const Lane fold = builder_.Part(builder_.AddInput({computed, 1}));
    return Apply(join, computed, {first, fold});
  };
  const ComplexLane first = values_.at(&init).computed;
  const Lane re = joined(first.re);
  values_.emplace(&inst, FromComputed(type, {re, IsComplex(type) ? joined(first.im) : re}));
}

// Results are in the stored form, folded operands in the computed one.
LaneProgram LaneCompiler::Finish(std::span<const Instruction* const> results,
                                 std::span<const Instruction* const> folded) && {
  std::vector<Lane> lanes;
  std::vector<LaneArray> outputs;
  for (const Instruction* result : results) {
    const Value& value = values_.at(result);
    outputs.push_back(ArrayOf(value.type));
    lanes.push_back(value.stored.re);
    if (IsComplex(value.type)) lanes.push_back(value.stored.im);
  }
  for (const Instruction* operand : folded) {
    const Value& value = values_.at(operand);
    lanes.push_back(value.computed.re);
    if (IsComplex(value.type)) lanes.push_back(value.computed.im);
    outputs.insert(outputs.end(), IsComplex(value.type) ? 2 : 1, {value.computed.re.type(), 1});
  }
  return std::move(builder_).Finish(lanes, outputs);
}

namespace {

// The program of a computation without calls and branches, otherwise nothing.
std::optional<LaneProgram> CompileStraightLine(const HloComputation& computation) {
  LaneCompiler compiler;
  for (const Instruction* parameter : computation.parameters()) {
    // The number of operations is limited (kMaxLaneOps).
    if (!parameter->shape().is_scalar() || compiler.size() > kMaxLaneOps) return std::nullopt;
    compiler.AddInput(*parameter);
  }
  const Instruction* root = computation.root();
  for (const Instruction* inst : computation.instructions()) {
    const bool is_result_tuple = inst == root && inst->opcode() == Opcode::kTuple;
    if (inst->opcode() == Opcode::kParameter || is_result_tuple) continue;
    if (!inst->shape().is_scalar() || compiler.size() > kMaxLaneOps) return std::nullopt;
    if (inst->opcode() == Opcode::kConstant) {
      compiler.AddConstant(*inst);
    } else if (!IsElementwise(*inst) || !compiler.Add(*inst)) {
      return std::nullopt;
    }
  }
  std::vector<const Instruction*> results = {root};
  if (root->opcode() == Opcode::kTuple) {
    results.clear();
    for (i64 i = 0; i < root->num_operands(); ++i) results.push_back(root->operand(i));
  }
  for (const Instruction* result : results) {
    if (!compiler.Contains(*result)) return std::nullopt;
  }
  return std::move(compiler).Finish(results);
}

}  // namespace

// Calls, branches and detours are removed first where there are any; loops have no lane program.
std::optional<LaneProgram> CompileScalarComputation(const HloComputation& computation) {
  if (auto program = CompileStraightLine(computation)) return program;
  const auto straight = StraightLine(computation, kMaxLaneOps);
  return straight == nullptr ? std::nullopt : CompileStraightLine(*straight->entry());
}

}  // namespace axle

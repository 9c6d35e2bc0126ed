// Rules for and, or, xor, not, comparisons and select. A comparison of floats is never negated to
// its opposite direction, since NaN makes both false; EQ and NE are.

#include "axle/ops/attributes/attributes.h"
#include "axle/passes/simplify/rules.h"

namespace axle {
namespace {

Instruction* SameOperands(Maker&, Instruction& inst) {
  return inst.operand(0) == inst.operand(1) ? inst.operand(0) : nullptr;
}
// The operand that is such a constant.
Instruction* TheConstant(const Instruction& inst, bool (*is)(const Instruction&)) {
  for (const i64 i : {0, 1}) {
    if (is(*inst.operand(i))) return inst.operand(i);
  }
  return nullptr;
}
Instruction* Beside(const Instruction& inst, bool (*is)(const Instruction&)) {
  for (const i64 i : {0, 1}) {
    if (is(*inst.operand(i))) return inst.operand(1 - i);
  }
  return nullptr;
}

bool HoldsForEqual(ComparisonDirection direction) {
  return direction == ComparisonDirection::kEq || direction == ComparisonDirection::kGe ||
         direction == ComparisonDirection::kLe;
}

ComparisonDirection Opposite(ComparisonDirection direction) {
  constexpr std::pair<ComparisonDirection, ComparisonDirection> kOpposites[] = {
      {ComparisonDirection::kEq, ComparisonDirection::kNe},
      {ComparisonDirection::kGe, ComparisonDirection::kLt},
      {ComparisonDirection::kGt, ComparisonDirection::kLe},
  };
  for (const auto& [a, b] : kOpposites) {
    if (direction == a) return b;
    if (direction == b) return a;
  }
  return direction;
}

// x < 0 is false and x >= 0 is true for unsigned integers.
Instruction* CompareUnsignedWithZero(Maker& to, Instruction& inst) {
  if (!IsUnsigned(TypeOf(*inst.operand(0))) || !IsUniformZero(*inst.operand(1))) return nullptr;
  const ComparisonDirection direction = inst.attrs<CompareAttrs>().direction;
  if (direction == ComparisonDirection::kLt) return to.Uniform(inst.shape(), 0);
  if (direction == ComparisonDirection::kGe) return to.Uniform(inst.shape(), 1);
  return nullptr;
}

// Floats keep EQ and NE only: a NaN is neither below nor not below.
Instruction* NotOfCompare(Maker& to, Instruction& inst) {
  const Instruction& compare = *inst.operand(0);
  if (!Is(compare, Opcode::kCompare)) return nullptr;
  CompareAttrs attrs = compare.attrs<CompareAttrs>();
  const bool is_equality =
      attrs.direction == ComparisonDirection::kEq || attrs.direction == ComparisonDirection::kNe;
  if (!is_equality && !IsIntegerOrPred(*compare.operand(0))) return nullptr;
  attrs.direction = Opposite(attrs.direction);
  return to.Make(Opcode::kCompare, inst.shape(), {compare.operand(0), compare.operand(1)}, attrs);
}

constexpr Rule kRules[] = {
    {"and-self", "x & x -> x", "exact", Opcode::kAnd, SameOperands,
     "x = s32[5] parameter(0)  ROOT r = s32[5] and(x, x)"},
    {"or-self", "x | x -> x", "exact", Opcode::kOr, SameOperands,
     "x = pred[5] parameter(0)  ROOT r = pred[5] or(x, x)"},
    {"xor-self", "x ^ x -> 0", "exact", Opcode::kXor,
     [](Maker& to, Instruction& inst) {
       return inst.operand(0) == inst.operand(1) ? to.Uniform(inst.shape(), 0) : nullptr;
     },
     "x = u4[5] parameter(0)  ROOT r = u4[5] xor(x, x)"},
    {"and-zero", "x & 0 -> 0", "exact", Opcode::kAnd,
     [](Maker&, Instruction& inst) { return TheConstant(inst, IsUniformZero); },
     "x = s32[5] parameter(0)  z = s32[] constant(0)  zs = s32[5] broadcast(z), dimensions={}\n"
     "ROOT r = s32[5] and(x, zs)"},
    {"and-ones", "x & ~0 -> x", "exact", Opcode::kAnd,
     [](Maker&, Instruction& inst) { return Beside(inst, IsUniformOnes); },
     "x = pred[5] parameter(0)  t = pred[] constant(true)\n"
     "ts = pred[5] broadcast(t), dimensions={}  ROOT r = pred[5] and(ts, x)"},
    {"or-zero", "x | 0 -> x", "exact", Opcode::kOr,
     [](Maker&, Instruction& inst) { return Beside(inst, IsUniformZero); },
     "x = u32[5] parameter(0)  z = u32[] constant(0)  zs = u32[5] broadcast(z), dimensions={}\n"
     "ROOT r = u32[5] or(x, zs)"},
    {"or-ones", "x | ~0 -> ~0", "exact", Opcode::kOr,
     [](Maker&, Instruction& inst) { return TheConstant(inst, IsUniformOnes); },
     "x = u4[5] parameter(0)  z = u4[] constant(15)  zs = u4[5] broadcast(z), dimensions={}\n"
     "ROOT r = u4[5] or(x, zs)"},
    {"xor-zero", "x ^ 0 -> x", "exact", Opcode::kXor,
     [](Maker&, Instruction& inst) { return Beside(inst, IsUniformZero); },
     "x = s64[5] parameter(0)  z = s64[] constant(0)  zs = s64[5] broadcast(z), dimensions={}\n"
     "ROOT r = s64[5] xor(x, zs)"},
    {"not-not", "~~x -> x", "exact", Opcode::kNot,
     [](Maker&, Instruction& inst) { return Under(inst, Opcode::kNot); },
     "x = s4[5] parameter(0)  n = s4[5] not(x)  ROOT r = s4[5] not(n)"},
    {"not-compare", "!(x < y) -> x >= y and so on; floats: EQ and NE only",
     "the opposite direction; NaN is in no relation but NE", Opcode::kNot, NotOfCompare,
     "x = s32[9] parameter(0)  y = s32[9] parameter(1)  c = pred[9] compare(x, y), direction=LT\n"
     "ROOT r = pred[9] not(c)"},
    {"compare-self", "x = x, <=, >= -> true; !=, <, > -> false; not of floats and complex",
     "exact; NaN is not equal to itself", Opcode::kCompare,
     [](Maker& to, Instruction& inst) -> Instruction* {
       if (inst.operand(0) != inst.operand(1) || !IsIntegerOrPred(*inst.operand(0))) return nullptr;
       return to.Uniform(inst.shape(), HoldsForEqual(inst.attrs<CompareAttrs>().direction) ? 1 : 0);
     },
     "x = s32[5] parameter(0)  ROOT r = pred[5] compare(x, x), direction=GE"},
    {"compare-unsigned-zero", "x < 0 -> false, x >= 0 -> true, unsigned", "nothing is below 0",
     Opcode::kCompare, CompareUnsignedWithZero,
     "x = u32[5] parameter(0)  z = u32[] constant(0)  zs = u32[5] broadcast(z), dimensions={}\n"
     "ROOT r = pred[5] compare(x, zs), direction=LT"},
    {"select-constant", "select(true, x, y) -> x, select(false, x, y) -> y",
     "the result is one operand, unchanged", Opcode::kSelect,
     [](Maker&, Instruction& inst) -> Instruction* {
       const auto pred = UniformInteger(*inst.operand(0));
       return pred ? inst.operand(*pred != 0 ? 1 : 2) : nullptr;
     },
     "x = f32[64] parameter(0)  y = f32[64] parameter(1)  p = pred[] constant(false)\n"
     "ROOT r = f32[64] select(p, x, y)"},
    {"select-same", "select(p, x, x) -> x", "both operands are x", Opcode::kSelect,
     [](Maker&, Instruction& inst) {
       return inst.operand(1) == inst.operand(2) ? inst.operand(1) : nullptr;
     },
     "p = pred[64] parameter(0)  x = f32[64] parameter(1)  ROOT r = f32[64] select(p, x, x)"},
    {"select-not", "select(!p, x, y) -> select(p, y, x)", "the result is one operand, unchanged",
     Opcode::kSelect,
     [](Maker& to, Instruction& inst) -> Instruction* {
       Instruction* p = Under(inst, Opcode::kNot);
       return p == nullptr ? nullptr : to.Again(inst, {p, inst.operand(2), inst.operand(1)});
     },
     "p = pred[64] parameter(0)  x = f32[64] parameter(1)  y = f32[64] parameter(2)\n"
     "n = pred[64] not(p)  ROOT r = f32[64] select(n, x, y)"},
    {"select-pred", "select(p, true, false) -> p", "the two values of pred", Opcode::kSelect,
     [](Maker&, Instruction& inst) -> Instruction* {
       const bool fits = TypeOf(inst) == PRED && IsUniformOne(*inst.operand(1)) &&
                         IsUniformZero(*inst.operand(2));
       return fits ? inst.operand(0) : nullptr;
     },
     "p = pred[5] parameter(0)  t = pred[] constant(true)  f = pred[] constant(false)\n"
     "ts = pred[5] broadcast(t), dimensions={}  fs = pred[5] broadcast(f), dimensions={}\n"
     "ROOT r = pred[5] select(p, ts, fs)"},
    {"select-select", "select(p, select(p, x, y), z) -> select(p, x, z), and on the other side",
     "the result is one operand, unchanged", Opcode::kSelect,
     [](Maker& to, Instruction& inst) -> Instruction* {
       Instruction* operands[] = {inst.operand(0), inst.operand(1), inst.operand(2)};
       for (const i64 i : {1, 2}) {
         const Instruction& inner = *inst.operand(i);
         if (!Is(inner, Opcode::kSelect) || inner.operand(0) != inst.operand(0)) continue;
         operands[i] = inner.operand(i);
         return to.Again(inst, {operands[0], operands[1], operands[2]});
       }
       return nullptr;
     },
     "p = pred[9] parameter(0)  x = f32[9] parameter(1)  y = f32[9] parameter(2)\n"
     "s = f32[9] select(p, x, y)  ROOT r = f32[9] select(p, y, s)"},
};

}  // namespace

std::span<const Rule> LogicRules() {
  return kRules;
}

}  // namespace axle

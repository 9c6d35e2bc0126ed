// Rules for sums, products, quotients, powers, signs and extremes. Each row is one rule: its
// algebra, why it keeps every bit, and a sample program in which a test sees it fire. Most IEEE
// identities fail for some value (x + 0 changes -0, x * 0 loses NaN), so the rows say for which
// types they hold.

#include <cstring>

#include "axle/core/float_format.h"
#include "axle/passes/simplify/rules.h"

namespace axle {
namespace {

// The other operand, if one of the two is such a constant.
Instruction* BesideEither(const Instruction& inst, bool (*is)(const Instruction&)) {
  for (const i64 i : {0, 1}) {
    if (is(*inst.operand(i))) return inst.operand(1 - i);
  }
  return nullptr;
}
// The left operand, if the right one is such a constant.
Instruction* LeftOf(const Instruction& inst, bool (*is)(const Instruction&)) {
  return is(*inst.operand(1)) ? inst.operand(0) : nullptr;
}
Instruction* IfInteger(const Instruction& inst, Instruction* replacement) {
  return IsInteger(inst) ? replacement : nullptr;
}
Instruction* IfNotComplex(const Instruction& inst, Instruction* replacement) {
  return IsComplex(TypeOf(inst)) ? nullptr : replacement;
}
// Types for which -(-x) is x: all but f8e8m0fnu, which has no sign.
bool HasNegation(const Instruction& inst) {
  return IsIntegral(TypeOf(inst)) || IsComplex(TypeOf(inst)) || IsSignedFloat(inst);
}
bool IsLowest(const Instruction& inst) {
  const auto value = UniformInteger(inst);
  if (!value || TypeOf(inst) == PRED) return false;
  const int bits = Info(TypeOf(inst)).bits;
  return *value == (IsSigned(TypeOf(inst)) ? INT64_MIN >> (64 - bits) : 0);
}
bool IsHighest(const Instruction& inst) {
  const auto value = UniformInteger(inst);
  if (!value || TypeOf(inst) == PRED) return false;
  const ElementType type = TypeOf(inst);
  const std::uint64_t highest = LowBits(Info(type).bits - (IsSigned(type) ? 1 : 0));
  return static_cast<std::uint64_t>(*value) == highest;
}

// 1 / c, if c is a power of two and both are normal numbers: the quotient and the product then
// round the same real number.
template <typename T>
std::optional<T> PowerOfTwoReciprocal(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const FloatFormat& format = sizeof(T) == 4 ? kF32Format : kF64Format;
  const Bits bits = std::bit_cast<Bits>(value);
  const Bits exponent = (bits & MagnitudeMask(format)) >> format.mantissa_bits;
  const Bits mantissa = bits & LowBits(format.mantissa_bits);
  // Normal, and so is the reciprocal: exponent fields 1 .. 2 * bias - 1.
  if (mantissa != 0 || exponent < 1 || exponent > static_cast<Bits>(2 * format.bias - 1)) return {};
  return T{1} / value;
}

Instruction* DivideByPowerOfTwo(Maker& to, Instruction& inst) {
  const ElementType type = TypeOf(inst);
  if ((type != F32 && type != F64) || IsUniformOne(*inst.operand(1))) return nullptr;
  const std::span<const std::byte> bytes = UniformBytes(*inst.operand(1));
  if (bytes.empty()) return nullptr;
  std::optional<Literal> reciprocal;
  if (type == F32) {
    if (const auto r = PowerOfTwoReciprocal<float>(bytes)) reciprocal = Literal::Scalar(type, *r);
  } else {
    if (const auto r = PowerOfTwoReciprocal<double>(bytes)) reciprocal = Literal::Scalar(type, *r);
  }
  if (!reciprocal) return nullptr;
  Instruction* factor = to.Uniform(inst.operand(1)->shape(), *reciprocal);
  return to.Make(Opcode::kMultiply, inst.shape(), {inst.operand(0), factor});
}

// Both operands without their negations.
Instruction* WithoutNegations(Maker& to, Instruction& inst) {
  Instruction *a = Under(inst, Opcode::kNegate, 0), *b = Under(inst, Opcode::kNegate, 1);
  if (a == nullptr || b == nullptr) return nullptr;
  return to.Make(inst.opcode(), inst.shape(), {a, b});
}

Instruction* DropAbsOfAbs(Maker&, Instruction& inst) {
  return Under(inst, Opcode::kAbs) != nullptr ? inst.operand(0) : nullptr;
}

// A rounded value is its own rounding. This does not hold for f4 and f6, which saturate: in
// f6e2m3fn the ceiling of 7.5 is 7.5.
Instruction* RoundedAlready(Maker&, Instruction& inst) {
  if (!HasNan(Info(TypeOf(inst)).format)) return nullptr;
  for (const Opcode rounding :
       {Opcode::kFloor, Opcode::kCeil, Opcode::kRoundNearestAfz, Opcode::kRoundNearestEven}) {
    if (Is(*inst.operand(0), rounding)) return inst.operand(0);
  }
  return nullptr;
}
constexpr std::string_view kRoundedWhy =
    "an integer, an infinity, NaN or zero of either sign is its own rounding; not f4 and f6";

constexpr std::string_view kInfinityWhy = "no value is beyond an infinity; NaN stays NaN";

Instruction* SameOperands(Maker&, Instruction& inst) {
  return inst.operand(0) == inst.operand(1) ? inst.operand(0) : nullptr;
}

Instruction* ShiftByZero(Maker&, Instruction& inst) {
  return LeftOf(inst, IsUniformZero);
}

constexpr Rule kRules[] = {
    {"add-zero", "x + 0 -> x, integers", "exact; of floats -0 + 0 is +0", Opcode::kAdd,
     [](Maker&, Instruction& inst) { return IfInteger(inst, BesideEither(inst, IsUniformZero)); },
     "x = s32[5] parameter(0)  z = s32[] constant(0)  zs = s32[5] broadcast(z), dimensions={}\n"
     "ROOT r = s32[5] add(zs, x)"},
    {"add-negative-zero", "x + -0 -> x, floats", "IEEE: also where x is a zero", Opcode::kAdd,
     [](Maker&, Instruction& inst) { return BesideEither(inst, IsUniformNegativeZero); },
     "x = f32[5] parameter(0)  z = f32[5] constant({-0, -0, -0, -0, -0})\n"
     "ROOT r = f32[5] add(x, z)"},
    {"add-negated", "x + -y -> x - y", "subtraction is addition of the negative", Opcode::kAdd,
     [](Maker& to, Instruction& inst) -> Instruction* {
       if (!HasNegation(inst)) return nullptr;
       if (Instruction* y = Under(inst, Opcode::kNegate, 1)) {
         return to.Make(Opcode::kSubtract, inst.shape(), {inst.operand(0), y});
       }
       Instruction* x = Under(inst, Opcode::kNegate, 0);
       return x == nullptr ? nullptr
                           : to.Make(Opcode::kSubtract, inst.shape(), {inst.operand(1), x});
     },
     "x = f32[64] parameter(0)  y = f32[64] parameter(1)  n = f32[64] negate(y)\n"
     "ROOT r = f32[64] add(n, x)"},
    {"subtract-zero", "x - 0 -> x, not complex", "IEEE: -0 - +0 is -0", Opcode::kSubtract,
     [](Maker&, Instruction& inst) { return LeftOf(inst, IsUniformZero); },
     "x = f32[5] parameter(0)  z = f32[] constant(0)  zs = f32[5] broadcast(z), dimensions={}\n"
     "ROOT r = f32[5] subtract(x, zs)"},
    {"subtract-negated", "x - -y -> x + y", "subtraction is addition of the negative",
     Opcode::kSubtract,
     [](Maker& to, Instruction& inst) -> Instruction* {
       Instruction* y = Under(inst, Opcode::kNegate, 1);
       if (y == nullptr || !HasNegation(inst)) return nullptr;
       return to.Make(Opcode::kAdd, inst.shape(), {inst.operand(0), y});
     },
     "x = c64[9] parameter(0)  y = c64[9] parameter(1)  n = c64[9] negate(y)\n"
     "ROOT r = c64[9] subtract(x, n)"},
    {"subtract-self", "x - x -> 0, integers", "exact; of floats inf - inf is NaN",
     Opcode::kSubtract,
     [](Maker& to, Instruction& inst) -> Instruction* {
       if (!IsInteger(inst) || inst.operand(0) != inst.operand(1)) return nullptr;
       return to.Uniform(inst.shape(), 0);
     },
     "x = u8[5] parameter(0)  ROOT r = u8[5] subtract(x, x)"},
    {"multiply-one", "x * 1 -> x, not complex", "exact", Opcode::kMultiply,
     [](Maker&, Instruction& inst) { return BesideEither(inst, IsUniformOne); },
     "x = f32[64] parameter(0)  o = f32[] constant(1)  os = f32[64] broadcast(o), dimensions={}\n"
     "ROOT r = f32[64] multiply(os, x)"},
    {"multiply-zero", "x * 0 -> 0, integers", "exact; of floats it may be -0 or NaN",
     Opcode::kMultiply,
     [](Maker&, Instruction& inst) -> Instruction* {
       if (!IsInteger(inst)) return nullptr;
       for (const i64 i : {0, 1}) {
         if (IsUniformZero(*inst.operand(i))) return inst.operand(i);
       }
       return nullptr;
     },
     "x = s4[5] parameter(0)  z = s4[5] constant({0, 0, 0, 0, 0})  ROOT r = s4[5] multiply(x, z)"},
    {"multiply-negated", "-x * -y -> x * y, not complex", "the signs cancel; integers wrap",
     Opcode::kMultiply,
     [](Maker& to, Instruction& inst) -> Instruction* {
       return IsInteger(inst) || IsSignedFloat(inst) ? WithoutNegations(to, inst) : nullptr;
     },
     "x = f32[64] parameter(0)  y = f32[64] parameter(1)\n"
     "n = f32[64] negate(x)  m = f32[64] negate(y)  ROOT r = f32[64] multiply(n, m)"},
    {"divide-one", "x / 1 -> x, not complex", "exact", Opcode::kDivide,
     [](Maker&, Instruction& inst) { return LeftOf(inst, IsUniformOne); },
     "x = s32[5] parameter(0)  o = s32[] constant(1)  os = s32[5] broadcast(o), dimensions={}\n"
     "ROOT r = s32[5] divide(x, os)"},
    {"divide-negated", "-x / -y -> x / y, floats", "the signs cancel; integers may overflow",
     Opcode::kDivide,
     [](Maker& to, Instruction& inst) -> Instruction* {
       return IsSignedFloat(inst) ? WithoutNegations(to, inst) : nullptr;
     },
     "x = f64[64] parameter(0)  y = f64[64] parameter(1)\n"
     "n = f64[64] negate(x)  m = f64[64] negate(y)  ROOT r = f64[64] divide(n, m)"},
    {"divide-power-of-two", "x / 2^k -> x * 2^-k, f32 and f64",
     "both are the same real number, rounded once; 2^k and 2^-k are normal", Opcode::kDivide,
     DivideByPowerOfTwo,
     "x = f32[64] parameter(0)  c = f32[] constant(-1024)\n"
     "cs = f32[64] broadcast(c), dimensions={}  ROOT r = f32[64] divide(x, cs)"},
    {"remainder-one", "x % 1 -> 0, integers", "exact", Opcode::kRemainder,
     [](Maker& to, Instruction& inst) -> Instruction* {
       if (!IsInteger(inst) || !IsUniformOne(*inst.operand(1))) return nullptr;
       return to.Uniform(inst.shape(), 0);
     },
     "x = s16[5] parameter(0)  o = s16[] constant(1)  os = s16[5] broadcast(o), dimensions={}\n"
     "ROOT r = s16[5] remainder(x, os)"},
    {"power-one", "x ^ 1 -> x, integers", "exact", Opcode::kPower,
     [](Maker&, Instruction& inst) { return IfInteger(inst, LeftOf(inst, IsUniformOne)); },
     "x = s32[5] parameter(0)  o = s32[] constant(1)  os = s32[5] broadcast(o), dimensions={}\n"
     "ROOT r = s32[5] power(x, os)"},
    {"negate-negate", "-(-x) -> x", "the sign bit is flipped twice; integers wrap", Opcode::kNegate,
     [](Maker&, Instruction& inst) {
       return HasNegation(inst) ? Under(inst, Opcode::kNegate) : nullptr;
     },
     "x = bf16[64] parameter(0)  n = bf16[64] negate(x)  ROOT r = bf16[64] negate(n)"},
    {"abs-abs", "||x|| -> |x|", "the sign bit is clear already; the lowest integer stays",
     Opcode::kAbs, DropAbsOfAbs,
     "x = s32[9] parameter(0)  a = s32[9] abs(x)  ROOT r = s32[9] abs(a)"},
    {"abs-negate", "|-x| -> |x|, not complex", "only the sign bit differs; integers wrap",
     Opcode::kAbs,
     [](Maker& to, Instruction& inst) -> Instruction* {
       Instruction* x = Under(inst, Opcode::kNegate);
       if (x == nullptr || !(IsInteger(*x) || IsSignedFloat(*x))) return nullptr;
       return to.Make(Opcode::kAbs, inst.shape(), {x});
     },
     "x = f32[64] parameter(0)  n = f32[64] negate(x)  ROOT r = f32[64] abs(n)"},
    {"sign-sign", "sign(sign(x)) -> sign(x), not complex",
     "the sign of -1, a zero, 1 or NaN is that value", Opcode::kSign,
     [](Maker&, Instruction& inst) {
       return Is(*inst.operand(0), Opcode::kSign) ? IfNotComplex(inst, inst.operand(0)) : nullptr;
     },
     "x = f32[64] parameter(0)  s = f32[64] sign(x)  ROOT r = f32[64] sign(s)"},
    {"floor-rounded", "floor(floor, ceil or round of x) -> its operand", kRoundedWhy,
     Opcode::kFloor, RoundedAlready,
     "x = f32[64] parameter(0)  c = f32[64] ceil(x)  ROOT r = f32[64] floor(c)"},
    {"ceil-rounded", "ceil(floor, ceil or round of x) -> its operand", kRoundedWhy, Opcode::kCeil,
     RoundedAlready, "x = f64[64] parameter(0)  c = f64[64] ceil(x)  ROOT r = f64[64] ceil(c)"},
    {"round-rounded", "round-nearest-afz(floor, ceil or round of x) -> its operand", kRoundedWhy,
     Opcode::kRoundNearestAfz, RoundedAlready,
     "x = f16[64] parameter(0)  c = f16[64] floor(x)  ROOT r = f16[64] round-nearest-afz(c)"},
    {"round-even-rounded", "round-nearest-even(floor, ceil or round of x) -> its operand",
     kRoundedWhy, Opcode::kRoundNearestEven, RoundedAlready,
     "x = f32[64] parameter(0)  c = f32[64] round-nearest-afz(x)\n"
     "ROOT r = f32[64] round-nearest-even(c)"},
    {"maximum-self", "max(x, x) -> x", "one of two equal values", Opcode::kMaximum, SameOperands,
     "x = f32[64] parameter(0)  ROOT r = f32[64] maximum(x, x)"},
    {"minimum-self", "min(x, x) -> x", "one of two equal values", Opcode::kMinimum, SameOperands,
     "x = f32[64] parameter(0)  ROOT r = f32[64] minimum(x, x)"},
    {"maximum-lowest", "max(x, the lowest integer) -> x", "nothing is lower", Opcode::kMaximum,
     [](Maker&, Instruction& inst) { return BesideEither(inst, IsLowest); },
     "x = s8[5] parameter(0)  z = s8[] constant(-128)  zs = s8[5] broadcast(z), dimensions={}\n"
     "ROOT r = s8[5] maximum(x, zs)"},
    {"minimum-highest", "min(x, the highest integer) -> x", "nothing is higher", Opcode::kMinimum,
     [](Maker&, Instruction& inst) { return BesideEither(inst, IsHighest); },
     "x = u16[5] parameter(0)  z = u16[] constant(65535)\n"
     "zs = u16[5] broadcast(z), dimensions={}  ROOT r = u16[5] minimum(zs, x)"},
    {"maximum-infinity", "max(x, -inf) -> x", kInfinityWhy, Opcode::kMaximum,
     [](Maker&, Instruction& inst) { return BesideEither(inst, IsUniformNegativeInfinity); },
     "x = f32[64] parameter(0)  z = f32[] constant(-inf)\n"
     "zs = f32[64] broadcast(z), dimensions={}  ROOT r = f32[64] maximum(zs, x)"},
    {"minimum-infinity", "min(x, inf) -> x", kInfinityWhy, Opcode::kMinimum,
     [](Maker&, Instruction& inst) { return BesideEither(inst, IsUniformInfinity); },
     "x = bf16[64] parameter(0)  z = bf16[] constant(inf)\n"
     "zs = bf16[64] broadcast(z), dimensions={}  ROOT r = bf16[64] minimum(x, zs)"},
    {"clamp-everything", "clamp(lowest, x, highest) -> x, integers",
     "no value is outside of the range", Opcode::kClamp,
     [](Maker&, Instruction& inst) {
       return IsLowest(*inst.operand(0)) && IsHighest(*inst.operand(2)) ? inst.operand(1) : nullptr;
     },
     "x = s32[5] parameter(0)  l = s32[] constant(-2147483648)  h = s32[] constant(2147483647)\n"
     "ROOT r = s32[5] clamp(l, x, h)"},
    {"clamp-clamp", "clamp(a, clamp(a, x, b), b) -> clamp(a, x, b), integers",
     "values in the range stay; the result is b if the range is empty", Opcode::kClamp,
     [](Maker&, Instruction& inst) -> Instruction* {
       Instruction* inner = inst.operand(1);
       if (!IsInteger(inst) || !Is(*inner, Opcode::kClamp)) return nullptr;
       const bool same =
           inner->operand(0) == inst.operand(0) && inner->operand(2) == inst.operand(2);
       return same ? inner : nullptr;
     },
     "x = s32[9] parameter(0)  a = s32[] parameter(1)  b = s32[] parameter(2)\n"
     "c = s32[9] clamp(a, x, b)  ROOT r = s32[9] clamp(a, c, b)"},
    {"shift-left-zero", "x << 0 -> x", "exact", Opcode::kShiftLeft, ShiftByZero,
     "x = s32[5] parameter(0)  z = s32[] constant(0)  zs = s32[5] broadcast(z), dimensions={}\n"
     "ROOT r = s32[5] shift-left(x, zs)"},
    {"shift-right-arithmetic-zero", "x >> 0 -> x", "exact", Opcode::kShiftRightArithmetic,
     ShiftByZero,
     "x = s4[5] parameter(0)  z = s4[] constant(0)  zs = s4[5] broadcast(z), dimensions={}\n"
     "ROOT r = s4[5] shift-right-arithmetic(x, zs)"},
    {"shift-right-logical-zero", "x >>> 0 -> x", "exact", Opcode::kShiftRightLogical, ShiftByZero,
     "x = s8[5] parameter(0)  z = s8[] constant(0)  zs = s8[5] broadcast(z), dimensions={}\n"
     "ROOT r = s8[5] shift-right-logical(x, zs)"},
};

}  // namespace

std::span<const Rule> ArithmeticRules() {
  return kRules;
}

}  // namespace axle

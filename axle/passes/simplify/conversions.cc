// Rules for conversions, copies, and the parts of complex numbers.

#include "axle/ops/attributes/attributes.h"
#include "axle/passes/simplify/rules.h"

namespace axle {
namespace {

// Whether the conversion keeps every value of `from`.
bool IsExact(ElementType from, ElementType to) {
  const ElementTypeInfo &a = Info(from), &b = Info(to);
  const bool to_wide_float = to == F32 || to == F64;
  if (IsFloating(from)) return to_wide_float && a.bits < b.bits;
  if (from == PRED) return to_wide_float || (IsIntegral(to) && b.bits >= 8);
  if (!IsIntegral(from)) return false;
  if (to_wide_float) return a.bits <= b.format.mantissa_bits;
  if (!IsIntegral(to)) return false;
  if (IsSigned(from)) return IsSigned(to) && a.bits <= b.bits;
  return IsSigned(to) ? a.bits < b.bits : a.bits <= b.bits;
}

// Whether converting from `from` over `through`, exactly, to `to` equals the direct conversion:
// both take the low bits of one integer, or round one number.
bool IsSameFrom(ElementType from, ElementType through, ElementType to) {
  if (from == to) return true;
  if (IsFloating(to)) return true;
  return IsIntegral(to) && IsIntegral(through);  // a float would saturate
}

Instruction* ConvertOfConvert(Maker& to, Instruction& inst) {
  Instruction* x = Under(inst, Opcode::kConvert);
  if (x == nullptr) return nullptr;
  const ElementType from = TypeOf(*x), through = TypeOf(*inst.operand(0)), type = TypeOf(inst);
  if (!IsExact(from, through) || !IsSameFrom(from, through, type)) return nullptr;
  return from == type ? x : to.Make(Opcode::kConvert, inst.shape(), {x});
}

Instruction* OperandOfSameType(Maker&, Instruction& inst) {
  return TypeOf(*inst.operand(0)) == TypeOf(inst) ? inst.operand(0) : nullptr;
}

Instruction* BitcastOfBitcast(Maker& to, Instruction& inst) {
  Instruction* x = Under(inst, Opcode::kBitcastConvert);
  if (x == nullptr) return nullptr;
  const ElementType middle = TypeOf(*inst.operand(0));
  const int bits = Info(TypeOf(inst)).bits;
  if (Info(TypeOf(*x)).bits != bits || Info(middle).bits != bits) return nullptr;
  if (middle == PRED) return nullptr;  // has one bit of x left
  return TypeOf(*x) == TypeOf(inst) ? x : to.Make(Opcode::kBitcastConvert, inst.shape(), {x});
}

Instruction* FullPrecision(Maker&, Instruction& inst) {
  const ElementType type = TypeOf(inst);
  if (type != F16 && type != BF16 && type != F32 && type != F64) return nullptr;
  const auto& [exponent_bits, mantissa_bits] = inst.attrs<ReducePrecisionAttrs>();
  const FloatFormat& format = Info(type).format;
  const bool keeps = exponent_bits == format.exponent_bits && mantissa_bits == format.mantissa_bits;
  return keeps ? inst.operand(0) : nullptr;
}

Instruction* PartsOfOne(Maker&, Instruction& inst) {
  Instruction *re = Under(inst, Opcode::kReal, 0), *im = Under(inst, Opcode::kImag, 1);
  return re == im ? re : nullptr;
}

constexpr Rule kRules[] = {
    {"convert-same", "convert to the type of x -> x", "nothing is rounded", Opcode::kConvert,
     OperandOfSameType, "x = f32[64] parameter(0)  ROOT r = f32[64] convert(x)"},
    {"convert-convert", "convert(convert(x)) -> x or convert(x), if the inner one is exact",
     "one number is rounded, or cut off, once", Opcode::kConvert, ConvertOfConvert,
     "x = bf16[64] parameter(0)  w = f32[64] convert(x)  ROOT r = f16[64] convert(w)"},
    {"bitcast-convert-same", "bitcast-convert to the type of x -> x", "the same bits",
     Opcode::kBitcastConvert, OperandOfSameType,
     "x = f32[64] parameter(0)  ROOT r = f32[64] bitcast-convert(x)"},
    {"bitcast-convert-twice", "bitcast-convert(bitcast-convert(x)) -> bitcast-convert(x) or x",
     "the same bits, all types of one width; not through pred, which keeps one bit",
     Opcode::kBitcastConvert, BitcastOfBitcast,
     "x = f32[64] parameter(0)  b = s32[64] bitcast-convert(x)\n"
     "ROOT r = u32[64] bitcast-convert(b)"},
    {"reduce-precision-full", "reduce-precision to all bits of the type -> x",
     "there is nothing to round", Opcode::kReducePrecision, FullPrecision,
     "x = f32[64] parameter(0)\n"
     "ROOT r = f32[64] reduce-precision(x), exponent_bits=8, mantissa_bits=23"},
    {"reduce-precision-twice", "reduce-precision twice to the same bits -> once",
     "rounded values stay", Opcode::kReducePrecision,
     [](Maker&, Instruction& inst) -> Instruction* {
       Instruction* inner = inst.operand(0);
       const bool same =
           Is(*inner, Opcode::kReducePrecision) && inner->attr_block() == inst.attr_block();
       return same ? inner : nullptr;
     },
     "x = f32[64] parameter(0)\n"
     "y = f32[64] reduce-precision(x), exponent_bits=5, mantissa_bits=7\n"
     "ROOT r = f32[64] reduce-precision(y), exponent_bits=5, mantissa_bits=7"},
    {"copy", "copy(x) -> x", "the same value; layouts must agree", Opcode::kCopy,
     [](Maker&, Instruction& inst) { return inst.operand(0); },
     "x = f32[4,3] parameter(0)  ROOT r = f32[4,3] copy(x)"},
    {"real-complex", "real(complex(x, y)) -> x", "bits are kept", Opcode::kReal,
     [](Maker&, Instruction& inst) { return Under(inst, Opcode::kComplex); },
     "x = f32[64] parameter(0)  y = f32[64] parameter(1)  z = c64[64] complex(x, y)\n"
     "ROOT r = f32[64] real(z)"},
    {"imag-complex", "imag(complex(x, y)) -> y", "bits are kept", Opcode::kImag,
     [](Maker&, Instruction& inst) -> Instruction* {
       Instruction* z = inst.operand(0);
       return Is(*z, Opcode::kComplex) ? z->operand(1) : nullptr;
     },
     "x = f64[64] parameter(0)  y = f64[64] parameter(1)  z = c128[64] complex(x, y)\n"
     "ROOT r = f64[64] imag(z)"},
    {"complex-parts", "complex(real(z), imag(z)) -> z", "bits are kept", Opcode::kComplex,
     PartsOfOne,
     "z = c64[64] parameter(0)  x = f32[64] real(z)  y = f32[64] imag(z)\n"
     "ROOT r = c64[64] complex(x, y)"},
    {"real-of-float", "real(x) -> x, floats", "a float is its own real part", Opcode::kReal,
     OperandOfSameType, "x = f32[64] parameter(0)  ROOT r = f32[64] real(x)"},
};

}  // namespace

std::span<const Rule> ConversionRules() {
  return kRules;
}

}  // namespace axle

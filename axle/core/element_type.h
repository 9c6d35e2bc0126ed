// Element types: XLA's PrimitiveType with its names and numbers, so that proto import is a cast.
//
// kElementTypes is the one table of facts about them (name, size, class, float format). The C++
// type that stores one element is StorageOf<type>; narrow floats and sub-byte integers have one
// byte (or two) per element and no arithmetic of their own: see core/narrow_types.h and
// core/convert.h. All functions are pure: any thread.
#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace axle {

using i64 = std::int64_t;

enum PrimitiveType : std::uint8_t {
  PRIMITIVE_TYPE_INVALID = 0,
  PRED = 1,
  S8 = 2,
  S16 = 3,
  S32 = 4,
  S64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  TUPLE = 13,
  OPAQUE_TYPE = 14,
  C64 = 15,
  BF16 = 16,
  TOKEN = 17,
  C128 = 18,
  F8E5M2 = 19,
  F8E4M3FN = 20,
  S4 = 21,
  U4 = 22,
  F8E4M3B11FNUZ = 23,
  F8E5M2FNUZ = 24,
  F8E4M3FNUZ = 25,
  S2 = 26,
  U2 = 27,
  F8E4M3 = 28,
  F8E3M4 = 29,
  S1 = 30,
  U1 = 31,
  F4E2M1FN = 32,
  F8E8M0FNU = 33,
  BUFFER = 34,
  F6E3M2FN = 35,
  F6E2M3FN = 36,
};
using ElementType = PrimitiveType;
inline constexpr int kNumElementTypes = 37;  // one more than the largest number

// Which bit patterns of a float format are not numbers.
enum class NanEncoding : std::uint8_t {
  kIeee,          // largest exponent: mantissa 0 is infinity, the rest are NaNs
  kAllOnes,       // exponent and mantissa all ones; no infinity (the "FN" types)
  kNegativeZero,  // the pattern of -0; neither infinity nor -0 (the "FNUZ" types)
  kNone,          // every pattern is a number (f4, f6): conversions saturate
};

// value = (-1)^sign * 2^(exponent - bias) * 1.mantissa, subnormal when exponent == 0.
struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  NanEncoding nan = NanEncoding::kIeee;
  bool is_signed = true;  // false for f8e8m0fnu only: it has neither sign nor zero
  // Of one number, its sign included.
  constexpr int bits() const { return exponent_bits + mantissa_bits + (is_signed ? 1 : 0); }
  bool operator==(const FloatFormat&) const = default;
};

enum class TypeClass : std::uint8_t { kOther, kPred, kSigned, kUnsigned, kFloat, kComplex };

struct ElementTypeInfo {
  ElementType type;
  std::string_view text;  // spelling in HLO text
  TypeClass type_class;
  int bits;   // logical width; packed layouts and bitcast-convert use it
  int bytes;  // of one element in a Literal; 0 for types without elements
  int align;
  FloatFormat format = {};  // of floats, and of the parts of complex types
  int digits = 0;           // significant digits that the text printer tries first
  int max_digits = 0;       // digits that always round-trip
};

inline constexpr FloatFormat kF16Format{5, 10, 15};
inline constexpr FloatFormat kBF16Format{8, 7, 127};
inline constexpr FloatFormat kF32Format{8, 23, 127};
inline constexpr FloatFormat kF64Format{11, 52, 1023};

// clang-format off
inline constexpr ElementTypeInfo kElementTypes[] = {
    {PRED, "pred", TypeClass::kPred, 8, 1, 1},
    {S1, "s1", TypeClass::kSigned, 1, 1, 1},
    {S2, "s2", TypeClass::kSigned, 2, 1, 1},
    {S4, "s4", TypeClass::kSigned, 4, 1, 1},
    {S8, "s8", TypeClass::kSigned, 8, 1, 1},
    {S16, "s16", TypeClass::kSigned, 16, 2, 2},
    {S32, "s32", TypeClass::kSigned, 32, 4, 4},
    {S64, "s64", TypeClass::kSigned, 64, 8, 8},
    {U1, "u1", TypeClass::kUnsigned, 1, 1, 1},
    {U2, "u2", TypeClass::kUnsigned, 2, 1, 1},
    {U4, "u4", TypeClass::kUnsigned, 4, 1, 1},
    {U8, "u8", TypeClass::kUnsigned, 8, 1, 1},
    {U16, "u16", TypeClass::kUnsigned, 16, 2, 2},
    {U32, "u32", TypeClass::kUnsigned, 32, 4, 4},
    {U64, "u64", TypeClass::kUnsigned, 64, 8, 8},
    {F16, "f16", TypeClass::kFloat, 16, 2, 2, kF16Format, 5, 5},
    {BF16, "bf16", TypeClass::kFloat, 16, 2, 2, kBF16Format, 4, 4},
    {F32, "f32", TypeClass::kFloat, 32, 4, 4, kF32Format, 6, 9},
    {F64, "f64", TypeClass::kFloat, 64, 8, 8, kF64Format, 15, 17},
    {F8E5M2, "f8e5m2", TypeClass::kFloat, 8, 1, 1, {5, 2, 15, NanEncoding::kIeee}, 2, 2},
    {F8E4M3, "f8e4m3", TypeClass::kFloat, 8, 1, 1, {4, 3, 7, NanEncoding::kIeee}, 3, 3},
    {F8E4M3FN, "f8e4m3fn", TypeClass::kFloat, 8, 1, 1, {4, 3, 7, NanEncoding::kAllOnes}, 3, 3},
    {F8E4M3B11FNUZ, "f8e4m3b11fnuz", TypeClass::kFloat, 8, 1, 1, {4, 3, 11, NanEncoding::kNegativeZero}, 3, 3},
    {F8E3M4, "f8e3m4", TypeClass::kFloat, 8, 1, 1, {3, 4, 3, NanEncoding::kIeee}, 3, 3},
    {F8E5M2FNUZ, "f8e5m2fnuz", TypeClass::kFloat, 8, 1, 1, {5, 2, 16, NanEncoding::kNegativeZero}, 2, 2},
    {F8E4M3FNUZ, "f8e4m3fnuz", TypeClass::kFloat, 8, 1, 1, {4, 3, 8, NanEncoding::kNegativeZero}, 3, 3},
    {F4E2M1FN, "f4e2m1fn", TypeClass::kFloat, 4, 1, 1, {2, 1, 1, NanEncoding::kNone}, 2, 2},
    {F6E3M2FN, "f6e3m2fn", TypeClass::kFloat, 6, 1, 1, {3, 2, 3, NanEncoding::kNone}, 2, 2},
    {F6E2M3FN, "f6e2m3fn", TypeClass::kFloat, 6, 1, 1, {2, 3, 1, NanEncoding::kNone}, 3, 3},
    {F8E8M0FNU, "f8e8m0fnu", TypeClass::kFloat, 8, 1, 1, {8, 0, 127, NanEncoding::kAllOnes, false}, 2, 2},
    {C64, "c64", TypeClass::kComplex, 64, 8, 4, kF32Format, 6, 9},
    {C128, "c128", TypeClass::kComplex, 128, 16, 8, kF64Format, 15, 17},
    {TUPLE, "tuple", TypeClass::kOther, 0, 0, 1},
    {OPAQUE_TYPE, "opaque", TypeClass::kOther, 0, 0, 1},
    {TOKEN, "token", TypeClass::kOther, 0, 0, 1},
    {BUFFER, "buffer", TypeClass::kOther, 0, 0, 1},
};
// clang-format on

inline constexpr auto kElementTypeByNumber = [] {
  std::array<ElementTypeInfo, kNumElementTypes> table = {};
  for (ElementTypeInfo& info : table) info = {PRIMITIVE_TYPE_INVALID, "invalid", {}, 0, 0, 1};
  for (const ElementTypeInfo& info : kElementTypes) table[info.type] = info;
  return table;
}();

// The facts about a type. Of a number that is no type: those of PRIMITIVE_TYPE_INVALID, which is
// called "invalid" and has no elements.
constexpr const ElementTypeInfo& Info(ElementType type) {
  return kElementTypeByNumber[type < kNumElementTypes ? type : PRIMITIVE_TYPE_INVALID];
}
// As HLO text spells it: "f32".
constexpr std::string_view Name(ElementType type) {
  return Info(type).text;
}

// A type of elements: not TUPLE, TOKEN, OPAQUE_TYPE, BUFFER or an invalid one.
constexpr bool IsArrayType(ElementType type) {
  return Info(type).bytes > 0;
}
// An integer type, s1 .. s64 or u1 .. u64.
constexpr bool IsSigned(ElementType type) {
  return Info(type).type_class == TypeClass::kSigned;
}
constexpr bool IsUnsigned(ElementType type) {
  return Info(type).type_class == TypeClass::kUnsigned;
}
// Signed or unsigned, but not pred.
constexpr bool IsIntegral(ElementType type) {
  return IsSigned(type) || IsUnsigned(type);
}
// A float of any width; a complex type is not one.
constexpr bool IsFloating(ElementType type) {
  return Info(type).type_class == TypeClass::kFloat;
}
constexpr bool IsComplex(ElementType type) {
  return Info(type).type_class == TypeClass::kComplex;
}
// Floats that are computed in f32 and rounded once per op (numerics.md N2).
constexpr bool IsNarrowFloat(ElementType type) {
  return IsFloating(type) && type != F32 && type != F64;
}
// Has fewer than 8 bits: s4, u2, f6e3m2fn; pred has 8.
constexpr bool IsSubByte(ElementType type) {
  return IsArrayType(type) && Info(type).bits < 8;
}
// c64 -> f32, c128 -> f64; any other type is its own part.
constexpr ElementType PartOf(ElementType type) {
  return type == C64 ? F32 : type == C128 ? F64 : type;
}

// The type of an array type's name ("f32"), or PRIMITIVE_TYPE_INVALID.
ElementType ElementTypeFromName(std::string_view text);

// One narrow float, as its bit pattern: core/narrow_types.h.
template <ElementType kType, typename BitsType>
class NarrowFloat;
using half = NarrowFloat<F16, std::uint16_t>;
using bfloat16 = NarrowFloat<BF16, std::uint16_t>;

// The C++ type with the storage of one element. Sub-byte integers are sign- or zero-extended to
// a byte; all 8-bit and smaller floats are their bits in a byte.
template <ElementType kType>
struct StorageTraits {
  using Type = NarrowFloat<kType, std::uint8_t>;
};
// clang-format off
template <> struct StorageTraits<PRED> { using Type = bool; };
template <> struct StorageTraits<S1> { using Type = std::int8_t; };
template <> struct StorageTraits<S2> { using Type = std::int8_t; };
template <> struct StorageTraits<S4> { using Type = std::int8_t; };
template <> struct StorageTraits<S8> { using Type = std::int8_t; };
template <> struct StorageTraits<S16> { using Type = std::int16_t; };
template <> struct StorageTraits<S32> { using Type = std::int32_t; };
template <> struct StorageTraits<S64> { using Type = std::int64_t; };
template <> struct StorageTraits<U1> { using Type = std::uint8_t; };
template <> struct StorageTraits<U2> { using Type = std::uint8_t; };
template <> struct StorageTraits<U4> { using Type = std::uint8_t; };
template <> struct StorageTraits<U8> { using Type = std::uint8_t; };
template <> struct StorageTraits<U16> { using Type = std::uint16_t; };
template <> struct StorageTraits<U32> { using Type = std::uint32_t; };
template <> struct StorageTraits<U64> { using Type = std::uint64_t; };
template <> struct StorageTraits<F16> { using Type = half; };
template <> struct StorageTraits<BF16> { using Type = bfloat16; };
template <> struct StorageTraits<F32> { using Type = float; };
template <> struct StorageTraits<F64> { using Type = double; };
template <> struct StorageTraits<C64> { using Type = std::complex<float>; };
template <> struct StorageTraits<C128> { using Type = std::complex<double>; };
// clang-format on
template <ElementType kType>
using StorageOf = StorageTraits<kType>::Type;

// Calls fn.template operator()<kType>() with the element type as a constant, for array types; any
// other type is taken for pred (callers check first). Dispatch once, at the edge.
template <typename Fn>
auto DispatchElementType(ElementType type, Fn&& fn) {
  switch (type) {
    case S1:
      return fn.template operator()<S1>();
    case S2:
      return fn.template operator()<S2>();
    case S4:
      return fn.template operator()<S4>();
    case S8:
      return fn.template operator()<S8>();
    case S16:
      return fn.template operator()<S16>();
    case S32:
      return fn.template operator()<S32>();
    case S64:
      return fn.template operator()<S64>();
    case U1:
      return fn.template operator()<U1>();
    case U2:
      return fn.template operator()<U2>();
    case U4:
      return fn.template operator()<U4>();
    case U8:
      return fn.template operator()<U8>();
    case U16:
      return fn.template operator()<U16>();
    case U32:
      return fn.template operator()<U32>();
    case U64:
      return fn.template operator()<U64>();
    case F16:
      return fn.template operator()<F16>();
    case BF16:
      return fn.template operator()<BF16>();
    case F32:
      return fn.template operator()<F32>();
    case F64:
      return fn.template operator()<F64>();
    case F8E5M2:
      return fn.template operator()<F8E5M2>();
    case F8E4M3:
      return fn.template operator()<F8E4M3>();
    case F8E4M3FN:
      return fn.template operator()<F8E4M3FN>();
    case F8E4M3B11FNUZ:
      return fn.template operator()<F8E4M3B11FNUZ>();
    case F8E3M4:
      return fn.template operator()<F8E3M4>();
    case F8E5M2FNUZ:
      return fn.template operator()<F8E5M2FNUZ>();
    case F8E4M3FNUZ:
      return fn.template operator()<F8E4M3FNUZ>();
    case F4E2M1FN:
      return fn.template operator()<F4E2M1FN>();
    case F6E3M2FN:
      return fn.template operator()<F6E3M2FN>();
    case F6E2M3FN:
      return fn.template operator()<F6E2M3FN>();
    case F8E8M0FNU:
      return fn.template operator()<F8E8M0FNU>();
    case C64:
      return fn.template operator()<C64>();
    case C128:
      return fn.template operator()<C128>();
    default:
      return fn.template operator()<PRED>();
  }
}

// The bits of an element of 16 bytes.
struct Bits128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Bits128&) const = default;
};
// Calls fn.template operator()<Bits>() with an unsigned type of the element's size (1, 2, 4, 8
// bytes; Bits128 for 16): for code that only moves elements.
template <typename Fn>
auto DispatchBytes(int bytes, Fn&& fn) {
  switch (bytes) {
    case 2:
      return fn.template operator()<std::uint16_t>();
    case 4:
      return fn.template operator()<std::uint32_t>();
    case 8:
      return fn.template operator()<std::uint64_t>();
    case 16:
      return fn.template operator()<Bits128>();
    default:
      return fn.template operator()<std::uint8_t>();
  }
}

}  // namespace axle

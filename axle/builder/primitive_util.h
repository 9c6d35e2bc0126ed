// primitive_util: XLA's names for facts about element types. The facts are in core/element_type.h.
//
//   primitive_util::BitWidth(S4)                     4
//   primitive_util::NativeToPrimitiveType<float>()   F32
//
// Pure functions: any thread. A type without elements (TUPLE, TOKEN, ...) has width 0 and belongs
// to no class.
#pragma once
#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "axle/core/shape.h"

namespace axle {

// The element type whose storage is the C++ type T; half and bfloat16 included.
template <typename T>
constexpr PrimitiveType NativeToPrimitiveType() {
  // clang-format off
  if constexpr (std::is_same_v<T, bool>) return PRED;
  else if constexpr (std::is_same_v<T, std::int8_t>) return S8;
  else if constexpr (std::is_same_v<T, std::int16_t>) return S16;
  else if constexpr (std::is_same_v<T, std::int32_t>) return S32;
  else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, long long>) return S64;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return U8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return U16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return U32;
  else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, unsigned long long>) return U64;
  else if constexpr (std::is_same_v<T, float>) return F32;
  else if constexpr (std::is_same_v<T, double>) return F64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return C128;
  else return T::kElementType;
  // clang-format on
}

namespace primitive_util {

using axle::NativeToPrimitiveType;
// The storage of one element: PrimitiveTypeToNative<F32>::type is float.
template <PrimitiveType kType>
using PrimitiveTypeToNative = StorageTraits<kType>;
template <PrimitiveType kType>
using NativeTypeOf = StorageOf<kType>;

// Classes of types, as core/element_type.h has them: of elements, floats of any width, complex,
// signed and unsigned integers; pred is in none but the first.
constexpr bool IsArrayType(PrimitiveType type) {
  return axle::IsArrayType(type);
}
constexpr bool IsFloatingPointType(PrimitiveType type) {
  return IsFloating(type);
}
constexpr bool IsComplexType(PrimitiveType type) {
  return IsComplex(type);
}
constexpr bool IsSignedIntegralType(PrimitiveType type) {
  return IsSigned(type);
}
// Integers without pred.
constexpr bool IsUnsignedIntegralType(PrimitiveType type) {
  return IsUnsigned(type);
}
constexpr bool IsIntegralType(PrimitiveType type) {
  return IsIntegral(type);
}
// S8 or U8; of fewer than 8 bits, floats too.
constexpr bool Is8BitIntegralType(PrimitiveType type) {
  return type == S8 || type == U8;
}
constexpr bool IsSubByteNonPredType(PrimitiveType type) {
  return IsSubByte(type);
}
// Whether it is one of the eight-bit floats.
constexpr bool IsF8Type(PrimitiveType type) {
  return IsFloating(type) && Info(type).bits == 8;
}

// Logical bits of an element: 4 for S4. Of PRED 1, although an element takes a byte.
constexpr int BitWidth(PrimitiveType type) {
  return type == PRED ? 1 : Info(type).bits;
}
// Bits that an element of a Literal takes: 8 for S4 and PRED.
constexpr int StorageBitWidth(PrimitiveType type) {
  return Info(type).bytes * 8;
}
// Bytes of one element of a Literal: 1 for S4.
constexpr int ByteWidth(PrimitiveType type) {
  return Info(type).bytes;
}
// Bits of a float's significand, the implicit one counted; 0 for other types.
constexpr int SignificandWidth(PrimitiveType type) {
  return IsFloating(type) ? Info(type).format.mantissa_bits + 1 : 0;
}
// Bits of a float's exponent; 0 for other types.
constexpr int ExponentWidth(PrimitiveType type) {
  return IsFloating(type) ? Info(type).format.exponent_bits : 0;
}
// Whether some float of the type is an infinity, or not a number; false for other types.
constexpr bool HasInfinity(PrimitiveType type) {
  return IsFloating(type) && Info(type).format.nan == NanEncoding::kIeee;
}
constexpr bool HasNaN(PrimitiveType type) {
  return IsFloating(type) && Info(type).format.nan != NanEncoding::kNone;
}

// The type of a class that has so many bits, or PRIMITIVE_TYPE_INVALID; below, of integers.
constexpr PrimitiveType IntegralTypeForBitWidth(int bits, TypeClass type_class) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.type_class == type_class && info.bits == bits) return info.type;
  }
  return PRIMITIVE_TYPE_INVALID;
}
constexpr PrimitiveType UnsignedIntegralTypeForBitWidth(int bits) {
  return IntegralTypeForBitWidth(bits, TypeClass::kUnsigned);
}
constexpr PrimitiveType SignedIntegralTypeForBitWidth(int bits) {
  return IntegralTypeForBitWidth(bits, TypeClass::kSigned);
}
// C64 -> F32, C128 -> F64; of other types PRIMITIVE_TYPE_INVALID.
constexpr PrimitiveType ComplexComponentType(PrimitiveType type) {
  return IsComplex(type) ? PartOf(type) : PRIMITIVE_TYPE_INVALID;
}
// F32 -> C64, F64 -> C128; of other types PRIMITIVE_TYPE_INVALID.
constexpr PrimitiveType ComplexType(PrimitiveType type) {
  return type == F32 ? C64 : type == F64 ? C128 : PRIMITIVE_TYPE_INVALID;
}
// The one of two floats (or two complex types) with the greater range or, if that is the same, the
// greater precision.
inline PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b) {
  return HigherPrecision(a, b);
}

// The name as HLO text has it: "f32"; "invalid" for PRIMITIVE_TYPE_INVALID.
constexpr std::string_view LowercasePrimitiveTypeName(PrimitiveType type) {
  return Name(type);
}
// Whether StringToPrimitiveType knows it.
constexpr bool IsPrimitiveTypeName(std::string_view name) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.text == name) return true;
  }
  return false;
}
// The type of a name. Errors: INVALID_ARGUMENT if there is none.
StatusOr<PrimitiveType> StringToPrimitiveType(std::string_view name);

}  // namespace primitive_util
}  // namespace axle

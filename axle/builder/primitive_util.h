// primitive_util: XLA's names for facts about element types. The facts are in core/element_type.h.
//
//   primitive_util::BitWidth(S4)                     4
//   primitive_util::NativeToPrimitiveType<float>()   F32
//
// The functions are pure, so that any thread may call them. A type without elements (TUPLE, TOKEN,
// ...) has width 0 and belongs to no class.
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

// Return whether the type belongs to a class, as core/element_type.h has them: types with elements,
// floats of any width, complex, signed and unsigned integers; pred belongs only to the first.
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
// Returns whether the type is an integer; pred is not.
constexpr bool IsUnsignedIntegralType(PrimitiveType type) {
  return IsUnsigned(type);
}
constexpr bool IsIntegralType(PrimitiveType type) {
  return IsIntegral(type);
}
// Return whether the type is S8 or U8; or has fewer than 8 bits, floats included.
constexpr bool Is8BitIntegralType(PrimitiveType type) {
  return type == S8 || type == U8;
}
constexpr bool IsSubByteNonPredType(PrimitiveType type) {
  return IsSubByte(type);
}
// Returns whether it is one of the eight-bit floats.
constexpr bool IsF8Type(PrimitiveType type) {
  return IsFloating(type) && Info(type).bits == 8;
}

// Returns the logical bits of an element: 4 for S4, and 1 for PRED, although an element takes a
// byte.
constexpr int BitWidth(PrimitiveType type) {
  return type == PRED ? 1 : Info(type).bits;
}
// Returns the bits that an element of a Literal takes: 8 for S4 and PRED.
constexpr int StorageBitWidth(PrimitiveType type) {
  return Info(type).bytes * 8;
}
// Returns the bytes of one element of a Literal: 1 for S4.
constexpr int ByteWidth(PrimitiveType type) {
  return Info(type).bytes;
}
// Returns the bits of a float's significand, including the implicit one; 0 for other types.
constexpr int SignificandWidth(PrimitiveType type) {
  return IsFloating(type) ? Info(type).format.mantissa_bits + 1 : 0;
}
// Returns the bits of a float's exponent; 0 for other types.
constexpr int ExponentWidth(PrimitiveType type) {
  return IsFloating(type) ? Info(type).format.exponent_bits : 0;
}
// Return whether the type has an infinity, or a NaN; false for types that are not floats.
constexpr bool HasInfinity(PrimitiveType type) {
  return IsFloating(type) && Info(type).format.nan == NanEncoding::kIeee;
}
constexpr bool HasNaN(PrimitiveType type) {
  return IsFloating(type) && Info(type).format.nan != NanEncoding::kNone;
}

// Return the type of a class with this number of bits, or PRIMITIVE_TYPE_INVALID; the functions
// below do so for integers.
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
// Returns F32 for C64 and F64 for C128; PRIMITIVE_TYPE_INVALID for other types.
constexpr PrimitiveType ComplexComponentType(PrimitiveType type) {
  return IsComplex(type) ? PartOf(type) : PRIMITIVE_TYPE_INVALID;
}
// Returns C64 for F32 and C128 for F64; PRIMITIVE_TYPE_INVALID for other types.
constexpr PrimitiveType ComplexType(PrimitiveType type) {
  return type == F32 ? C64 : type == F64 ? C128 : PRIMITIVE_TYPE_INVALID;
}
// Returns the one of two floats (or two complex types) with the greater range or, if that is the
// same, the greater precision.
inline PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b) {
  return HigherPrecision(a, b);
}

// Returns the name in HLO text: "f32"; "invalid" for PRIMITIVE_TYPE_INVALID.
constexpr std::string_view LowercasePrimitiveTypeName(PrimitiveType type) {
  return Name(type);
}
// Returns whether StringToPrimitiveType knows the name.
constexpr bool IsPrimitiveTypeName(std::string_view name) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.text == name) return true;
  }
  return false;
}
// Returns the type with this name. Errors: INVALID_ARGUMENT if there is none.
StatusOr<PrimitiveType> StringToPrimitiveType(std::string_view name);

}  // namespace primitive_util
}  // namespace axle

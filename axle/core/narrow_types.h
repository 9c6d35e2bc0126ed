// C++ types of the elements that C++ has no type for: floats of 16 bits and less, and integers of
// less than 8 bits.
//
//   const bfloat16 x(1.3);                       // rounded as the op `convert` does
//   const float y = static_cast<float>(x);       // exact: 1.296875
//   const auto one = bfloat16::FromBits(0x3f80);
//
// They are what Literal::data<T>() gives for such element types; an array of them has the bytes of
// the array's storage. They convert explicitly, compare as the numbers they are (a NaN equals
// nothing, -0 equals 0), have std::numeric_limits, and have no arithmetic: compute in float or
// double. No conversion depends on the floating-point mode of the processor. All functions are
// pure: any thread.
#pragma once
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "axle/core/element_type.h"
#include "axle/core/float_format.h"

namespace axle {

// `value` as an integer, as the op `convert` has it: truncated; the nearest value of T for what is
// beyond it; 0 for a NaN.
template <std::integral T>
constexpr T SaturatingCast(double value) {
  using Limits = std::numeric_limits<T>;
  // 2^digits, the first value above the largest T.
  constexpr T kHalf = Limits::max() / 2 + 1;
  constexpr double kAbove = 2 * static_cast<double>(kHalf);
  if (value != value) return 0;
  if (value >= kAbove) return Limits::max();
  if (Limits::is_signed ? value <= -kAbove : value <= 0) return Limits::min();
  return static_cast<T>(value);
}

// An integer as a double that every narrower float type rounds as it would round the integer
// itself: what 53 bits do not hold leaves a one in the last place.
template <std::integral T>
constexpr double RoundToOdd(T value) {
  const bool is_negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
  const int excess = 11 - std::countl_zero(magnitude | 1);
  const std::uint64_t low = LowBits(excess > 0 ? excess : 0);
  const std::uint64_t sticky = (magnitude & low) != 0 ? low + 1 : 0;
  const auto rounded = static_cast<double>((magnitude & ~low) | sticky);
  return is_negative ? -rounded : rounded;
}

// One narrow float: its pattern, in the low bits of an unsigned integer of 8 or 16 bits.
template <ElementType kType, typename BitsType>
class NarrowFloat {
 public:
  using Bits = BitsType;
  static constexpr ElementType kElementType = kType;
  static constexpr FloatFormat kFormat = Info(kType).format;

  // The pattern 0: the number 0, or 2^-127 of f8e8m0fnu.
  constexpr NarrowFloat() = default;
  // The nearest value, ties to even; what is too large becomes infinity, a NaN, or the largest
  // value, as the type has it.
  explicit constexpr NarrowFloat(float value)
      : bits_(static_cast<Bits>(RoundF32To(kFormat, value))) {}
  explicit constexpr NarrowFloat(double value)
      : bits_(static_cast<Bits>(RoundF64To(kFormat, value))) {}
  template <std::integral T>
  explicit constexpr NarrowFloat(T value) : NarrowFloat(RoundToOdd(value)) {}
  template <ElementType kOther, typename OtherBits>
  explicit constexpr NarrowFloat(NarrowFloat<kOther, OtherBits> value)
      : NarrowFloat(static_cast<double>(value)) {}
  static constexpr NarrowFloat FromBits(Bits bits) {
    NarrowFloat value;
    value.bits_ = bits;
    return value;
  }

  constexpr Bits bits() const { return bits_; }
  // Exact.
  explicit constexpr operator float() const { return WidenToF32(kFormat, bits_); }
  explicit constexpr operator double() const { return WidenToF64(kFormat, bits_); }
  // As SaturatingCast; true for everything but 0.
  template <std::integral T>
  explicit constexpr operator T() const {
    if constexpr (std::is_same_v<T, bool>) {
      return static_cast<double>(*this) != 0;
    } else {
      return SaturatingCast<T>(static_cast<double>(*this));
    }
  }

  friend constexpr bool operator==(NarrowFloat a, NarrowFloat b) {
    return static_cast<double>(a) == static_cast<double>(b);
  }
  friend constexpr std::partial_ordering operator<=>(NarrowFloat a, NarrowFloat b) {
    return static_cast<double>(a) <=> static_cast<double>(b);
  }

 private:
  Bits bits_ = 0;
};

// One integer of less than 8 bits, extended to a byte by its sign or with zeros.
template <ElementType kType>
class NarrowInteger {
 public:
  using Storage = StorageOf<kType>;
  static constexpr ElementType kElementType = kType;
  static constexpr int kBits = Info(kType).bits;

  constexpr NarrowInteger() = default;  // 0
  // The low bits of an integer, as the op `convert` takes them.
  template <std::integral T>
  explicit constexpr NarrowInteger(T value) : value_(Wrap(static_cast<std::uint64_t>(value))) {}
  // Truncated; the nearest value of the type for what is beyond it, 0 for a NaN.
  explicit constexpr NarrowInteger(double value) : value_(Clamp(SaturatingCast<int>(value))) {}
  explicit constexpr NarrowInteger(float value) : NarrowInteger(static_cast<double>(value)) {}

  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit constexpr operator T() const { return static_cast<T>(value_); }

  constexpr auto operator<=>(const NarrowInteger&) const = default;

  static constexpr int kMin = IsSigned(kType) ? -(1 << (kBits - 1)) : 0;
  static constexpr int kMax = (1 << (IsSigned(kType) ? kBits - 1 : kBits)) - 1;

 private:
  static constexpr Storage Wrap(std::uint64_t value) {
    constexpr int kSpare = 64 - kBits;
    if constexpr (IsSigned(kType)) {
      return static_cast<Storage>(static_cast<i64>(value << kSpare) >> kSpare);
    } else {
      return static_cast<Storage>(value << kSpare >> kSpare);
    }
  }
  static constexpr Storage Clamp(int value) {
    return static_cast<Storage>(value < kMin ? kMin : value > kMax ? kMax : value);
  }

  Storage value_ = 0;
};

// XLA's names. `half` and `bfloat16` are in core/element_type.h.
using float8_e5m2 = StorageOf<F8E5M2>;
using float8_e4m3 = StorageOf<F8E4M3>;
using float8_e4m3fn = StorageOf<F8E4M3FN>;
using float8_e4m3b11fnuz = StorageOf<F8E4M3B11FNUZ>;
using float8_e3m4 = StorageOf<F8E3M4>;
using float8_e5m2fnuz = StorageOf<F8E5M2FNUZ>;
using float8_e4m3fnuz = StorageOf<F8E4M3FNUZ>;
using float8_e8m0fnu = StorageOf<F8E8M0FNU>;
using float6_e3m2fn = StorageOf<F6E3M2FN>;
using float6_e2m3fn = StorageOf<F6E2M3FN>;
using float4_e2m1fn = StorageOf<F4E2M1FN>;
using s1 = NarrowInteger<S1>;
using s2 = NarrowInteger<S2>;
using s4 = NarrowInteger<S4>;
using u1 = NarrowInteger<U1>;
using u2 = NarrowInteger<U2>;
using u4 = NarrowInteger<U4>;

template <typename T>
inline constexpr bool kIsNarrowType = false;
template <ElementType kType, typename Bits>
inline constexpr bool kIsNarrowType<NarrowFloat<kType, Bits>> = true;
template <ElementType kType>
inline constexpr bool kIsNarrowType<NarrowInteger<kType>> = true;

// Whether T is a C++ type of the elements of `type`: the type of C++ or of this header that means
// the same numbers, or for integers of less than 8 bits the byte that they are stored in.
template <typename T>
constexpr bool IsElementOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  if constexpr (kIsNarrowType<T>) {
    return type == T::kElementType;
  } else if constexpr (std::is_same_v<T, bool>) {
    return type == PRED;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr TypeClass kClass = std::is_signed_v<T> ? TypeClass::kSigned : TypeClass::kUnsigned;
    return info.type_class == kClass && info.bytes == static_cast<int>(sizeof(T));
  } else {
    constexpr bool kIsComplex =
        std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
    if (!kIsComplex && !std::is_floating_point_v<T>) return false;
    return info.type_class == (kIsComplex ? TypeClass::kComplex : TypeClass::kFloat) &&
           info.bytes == static_cast<int>(sizeof(T));
  }
}

// The element type that a C++ type is for, as messages name it: "f32" for float, "bf16", "s32".
template <typename T>
constexpr std::string_view ElementName() {
  if constexpr (kIsNarrowType<T>) return Name(T::kElementType);
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsSubByte(info.type) && info.bytes > 0 && IsElementOf<T>(info.type)) return info.text;
  }
  return "another type";
}

}  // namespace axle

// What holds for a float format; what the type does not have (an infinity, a NaN) is 0 of it, as
// the standard has it.
// NOLINTBEGIN(readability-identifier-naming, bugprone-std-namespace-modification): it may be
// specialised for types of ours.
template <axle::ElementType kType, typename Bits>
class std::numeric_limits<axle::NarrowFloat<kType, Bits>> {
  using Float = axle::NarrowFloat<kType, Bits>;
  static constexpr axle::FloatFormat kFormat = Float::kFormat;
  static constexpr std::uint64_t kMaxBits = axle::FirstNonFinite(kFormat) - 1;
  static constexpr Float Of(std::uint64_t bits) { return Float::FromBits(static_cast<Bits>(bits)); }
  // Of 2^n, exactly: floor and ceiling of n * log10(2), for |n| below 1,000.
  static constexpr int Floor10(int n) {
    return n >= 0 ? n * 1233 / 4096 : -((-n * 1233 + 4095) / 4096);
  }
  static constexpr int Ceil10(int n) { return -Floor10(-n); }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = kFormat.is_signed;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = axle::HasInfinity(kFormat);
  static constexpr bool has_quiet_NaN = axle::HasNan(kFormat);
  static constexpr bool has_signaling_NaN = false;
  static constexpr float_denorm_style has_denorm =
      kFormat.is_signed ? std::denorm_present : std::denorm_absent;
  static constexpr bool has_denorm_loss = false;
  static constexpr float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = kType == axle::F16 || kType == axle::BF16;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int digits = kFormat.mantissa_bits + 1;
  static constexpr int digits10 = Floor10(digits - 1);
  static constexpr int max_digits10 = Ceil10(digits) + 1;
  static constexpr int radix = 2;
  static constexpr int min_exponent = (kFormat.is_signed ? 2 : 1) - kFormat.bias;
  static constexpr int min_exponent10 = Ceil10(min_exponent - 1);
  static constexpr int max_exponent =
      static_cast<int>(kMaxBits >> kFormat.mantissa_bits) - kFormat.bias + 1;
  // The largest value is below 2^max_exponent, by so little that it does not matter here or by so
  // much that this is right too.
  static constexpr int max_exponent10 = Floor10(max_exponent);
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  static constexpr Float min() { return Of(kFormat.is_signed ? 1ull << kFormat.mantissa_bits : 0); }
  static constexpr Float max() { return Of(kMaxBits); }
  static constexpr Float lowest() {
    return Of(kFormat.is_signed ? kMaxBits | axle::SignBit(kFormat) : 0);
  }
  static constexpr Float epsilon() {
    return Float(
        std::bit_cast<double>(static_cast<std::uint64_t>(1023 - kFormat.mantissa_bits) << 52));
  }
  static constexpr Float round_error() { return Float(0.5); }
  static constexpr Float infinity() { return Of(has_infinity ? axle::InfinityBits(kFormat) : 0); }
  static constexpr Float quiet_NaN() { return Of(has_quiet_NaN ? axle::NanBits(kFormat) : 0); }
  static constexpr Float signaling_NaN() { return Of(0); }
  static constexpr Float denorm_min() { return Of(kFormat.is_signed ? 1 : 0); }
};

template <axle::ElementType kType>
class std::numeric_limits<axle::NarrowInteger<kType>> {
  using Integer = axle::NarrowInteger<kType>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = axle::IsSigned(kType);
  static constexpr bool is_integer = true;
  static constexpr bool is_exact = true;
  static constexpr bool has_infinity = false;
  static constexpr bool has_quiet_NaN = false;
  static constexpr bool has_signaling_NaN = false;
  static constexpr float_denorm_style has_denorm = std::denorm_absent;
  static constexpr bool has_denorm_loss = false;
  static constexpr float_round_style round_style = std::round_toward_zero;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = true;
  static constexpr int digits = Integer::kBits - (is_signed ? 1 : 0);
  static constexpr int digits10 = digits == 4 ? 1 : 0;
  static constexpr int max_digits10 = 0;
  static constexpr int radix = 2;
  static constexpr int min_exponent = 0;
  static constexpr int min_exponent10 = 0;
  static constexpr int max_exponent = 0;
  static constexpr int max_exponent10 = 0;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  static constexpr Integer min() { return Integer(Integer::kMin); }
  static constexpr Integer max() { return Integer(Integer::kMax); }
  static constexpr Integer lowest() { return min(); }
  static constexpr Integer epsilon() { return Integer(); }
  static constexpr Integer round_error() { return Integer(); }
  static constexpr Integer infinity() { return Integer(); }
  static constexpr Integer quiet_NaN() { return Integer(); }
  static constexpr Integer signaling_NaN() { return Integer(); }
  static constexpr Integer denorm_min() { return Integer(); }
};
// NOLINTEND(readability-identifier-naming, bugprone-std-namespace-modification)

// Narrow floats to and from f32 or f64, by integer operations only: the hardware's conversions
// depend on the floating-point mode (numerics.md N2).
//
// The sequences are templates over "unsigned bits", so that literals (std::uint32_t, std::uint64_t)
// and lane programs (emit/lane_builder.h's Lane, whose type must have the width of the wide format)
// run the same lines. There is no other definition. Conditions are used only through Select; shift
// counts are always below the width; nothing wraps below zero except where a Select drops it.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "axle/core/element_type.h"

namespace axle {

constexpr std::uint32_t Select(bool condition, std::uint32_t on_true, std::uint32_t on_false) {
  return condition ? on_true : on_false;
}
constexpr std::uint64_t Select(bool condition, std::uint64_t on_true, std::uint64_t on_false) {
  return condition ? on_true : on_false;
}

// The number operands of Bits.
template <typename Bits>
using NumberFor = std::conditional_t<std::is_integral_v<Bits>, Bits, std::uint64_t>;

// A constant beside `like`, as a value of its type.
template <typename Bits>
constexpr Bits ConstantLike(const Bits& like, std::uint64_t value) {
  if constexpr (std::is_integral_v<Bits>) {
    return static_cast<Bits>(value);
  } else {
    return like.Like(value);
  }
}

constexpr std::uint64_t LowBits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Bit patterns of a format. "Magnitude" is a pattern without its sign.
constexpr std::uint64_t SignBit(const FloatFormat& format) {
  return format.is_signed ? std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
}
constexpr std::uint64_t MagnitudeMask(const FloatFormat& format) {
  return LowBits(format.exponent_bits + format.mantissa_bits);
}
constexpr bool HasInfinity(const FloatFormat& format) {
  return format.nan == NanEncoding::kIeee;
}
constexpr bool HasNan(const FloatFormat& format) {
  return format.nan != NanEncoding::kNone;
}
constexpr bool HasNegativeZero(const FloatFormat& format) {
  return format.is_signed && format.nan != NanEncoding::kNegativeZero;
}
// The magnitude just above the largest finite one.
constexpr std::uint64_t FirstNonFinite(const FloatFormat& format) {
  const std::uint64_t all = MagnitudeMask(format);
  if (format.nan == NanEncoding::kIeee) return all - LowBits(format.mantissa_bits);
  return format.nan == NanEncoding::kAllOnes ? all : all + 1;
}
constexpr std::uint64_t InfinityBits(const FloatFormat& format) {
  return FirstNonFinite(format);  // where HasInfinity
}
// The NaN without sign and payload; the pattern that stands for "no NaN here" in f4 and f6 is -0.
constexpr std::uint64_t NanBits(const FloatFormat& format) {
  switch (format.nan) {
    case NanEncoding::kIeee:
      return InfinityBits(format) | std::uint64_t{1} << (format.mantissa_bits - 1);
    case NanEncoding::kAllOnes:
      return MagnitudeMask(format);
    case NanEncoding::kNegativeZero:
    case NanEncoding::kNone:
      return SignBit(format);
  }
  return 0;
}
// What a value above the largest finite one becomes.
constexpr std::uint64_t OverflowBits(const FloatFormat& format) {
  switch (format.nan) {
    case NanEncoding::kIeee:
      return InfinityBits(format);
    case NanEncoding::kAllOnes:
      return MagnitudeMask(format);
    case NanEncoding::kNegativeZero:
      return SignBit(format);
    case NanEncoding::kNone:
      return MagnitudeMask(format);
  }
  return 0;
}
constexpr bool IsNanBits(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & MagnitudeMask(format);
  switch (format.nan) {
    case NanEncoding::kIeee:
      return magnitude > InfinityBits(format);
    case NanEncoding::kAllOnes:
      return magnitude == MagnitudeMask(format);
    case NanEncoding::kNegativeZero:
      return (bits & (SignBit(format) | MagnitudeMask(format))) == SignBit(format);
    case NanEncoding::kNone:
      return false;
  }
  return false;
}
constexpr bool IsFiniteBits(const FloatFormat& format, std::uint64_t bits) {
  return !IsNanBits(format, bits) && (bits & MagnitudeMask(format)) < FirstNonFinite(format);
}

// Bits of an f32 -> bits of the nearest bf16 (ties to even). A NaN stays a NaN: its quiet bit is
// set, because the payload bits that are cut off might have been the only ones.
template <typename Bits>
constexpr Bits RoundToBF16(const Bits& f32) {
  using Number = NumberFor<Bits>;
  const Bits truncated = f32 >> Number{16};
  const Bits rounded = (f32 + Number{0x7fff} + (truncated & Number{1})) >> Number{16};
  return Select(Number{0x7f800000} < (f32 & Number{0x7fffffff}), truncated | Number{0x40}, rounded);
}

// To f8e8m0fnu: the nearest power of two, halves up. Zero, negative values, infinities, NaNs and
// values from 1.5 * 2^127 become NaN; positive values below 2^-127 become 2^-127.
template <typename Bits>
constexpr Bits RoundToPowerOfTwo(const FloatFormat& from, const FloatFormat& to, const Bits& bits) {
  using Number = NumberFor<Bits>;
  const int shift = from.mantissa_bits;
  const Number half = Number{1} << (shift - 1);
  const Number rebias = static_cast<Number>(from.bias - to.bias);
  const Number lowest = rebias + 1;  // exponent field of 2^-126, which is 1 in the target
  const Bits rounded = (bits + half) >> static_cast<Number>(shift);
  // Below 2^-126 only two results are left: 2^-127 under, and 2^-126 from 1.5 * 2^-127.
  const Number threshold = rebias == 0 ? half + (half >> 1) : (rebias << shift) + half;
  const Bits low = Select(bits < threshold, ConstantLike(bits, 0), ConstantLike(bits, 1));
  const Bits normal = rounded - rebias;
  const Bits finite = Select(bits < (lowest << shift), low, normal);
  const Number first_bad = ((Number{254} + rebias) << shift) + half;
  const Bits nan = ConstantLike(bits, NanBits(to));
  return Select(bits < first_bad, Select(bits == Number{0}, nan, finite), nan);
}

// The pattern in `to` of the value whose pattern in `from` (f32 or f64) is `bits`: rounded once to
// nearest even, subnormals kept. Overflow and infinities become infinity, NaN where the format has
// no infinity, or the largest value where it has no NaN either. A NaN keeps its sign if it can.
template <typename Bits>
constexpr Bits RoundToFormat(const FloatFormat& from, const FloatFormat& to, const Bits& bits) {
  using Number = NumberFor<Bits>;
  if (!to.is_signed) return RoundToPowerOfTwo(from, to, bits);
  if (from == kF32Format && to == kBF16Format) return RoundToBF16(bits);
  const Number one = 1;
  const int shift = from.mantissa_bits - to.mantissa_bits;
  const Number rebias = static_cast<Number>(from.bias - to.bias);  // >= 1
  const Bits magnitude = bits & static_cast<Number>(MagnitudeMask(from));
  const Bits sign = (bits >> static_cast<Number>(from.bits() - 1))
                    << static_cast<Number>(to.exponent_bits + to.mantissa_bits);

  // Normal in the target: round away `shift` mantissa bits; a carry runs into the exponent.
  const Number half = static_cast<Number>((one << (shift - 1)) - 1);
  const Bits odd = (magnitude >> static_cast<Number>(shift)) & one;
  const Bits normal = ((magnitude + half + odd) >> static_cast<Number>(shift)) -
                      static_cast<Number>(rebias << to.mantissa_bits);

  // Subnormal in the target: the significand moves right by one more for every missing exponent.
  // Counts past from.mantissa_bits + 2 all give zero.
  const Number first_normal = rebias + 1;  // smallest exponent field that is normal in the target
  const Bits exponent = magnitude >> static_cast<Number>(from.mantissa_bits);
  const Bits low_exponent =
      Select(exponent < first_normal, exponent, ConstantLike(bits, first_normal));
  const Bits distance = ConstantLike(bits, first_normal + shift) - low_exponent;
  const Number most = from.mantissa_bits + 2;
  const Bits count = Select(distance < most, distance, ConstantLike(bits, most));
  const Bits significand = (magnitude & static_cast<Number>(LowBits(from.mantissa_bits))) |
                           static_cast<Number>(one << from.mantissa_bits);
  const Bits subnormal_half = (ConstantLike(bits, 1) << (count - one)) - one;
  const Bits subnormal = (significand + subnormal_half + ((significand >> count) & one)) >> count;

  const Bits rounded = Select(exponent < first_normal, subnormal, normal);
  const Bits finite = Select(rounded < static_cast<Number>(FirstNonFinite(to)), rounded,
                             ConstantLike(bits, OverflowBits(to)));
  const Bits nan = ConstantLike(bits, NanBits(to));
  const Bits unsigned_result =
      Select(static_cast<Number>(InfinityBits(from)) < magnitude, nan, finite);
  if (to.nan != NanEncoding::kNegativeZero) return unsigned_result | sign;
  // The pattern of -0 is the NaN, so a zero takes no sign.
  return Select(unsigned_result == Number{0}, unsigned_result, unsigned_result | sign);
}

// The pattern in `to` (f32 or f64) of the value whose pattern in `from` is `bits`: exact. NaNs are
// quiet and keep their payload; the sign of the only NaN of a format without -0 is dropped.
template <typename Bits>
constexpr Bits WidenFromFormat(const FloatFormat& from, const FloatFormat& to, const Bits& bits) {
  using Number = NumberFor<Bits>;
  const int shift = to.mantissa_bits - from.mantissa_bits;
  const Number rebias = static_cast<Number>(to.bias - from.bias);
  if (from == kBF16Format && to == kF32Format) return bits << Number{16};
  if (!from.is_signed) {  // f8e8m0fnu: 2^-127 is the one subnormal of f32
    const Bits scaled = (bits + rebias) << static_cast<Number>(to.mantissa_bits);
    const Bits lowest = ConstantLike(bits, std::uint64_t{1} << (to.mantissa_bits - 1));
    const Bits value = rebias == 0 ? Select(bits == Number{0}, lowest, scaled) : scaled;
    return Select(bits == static_cast<Number>(NanBits(from)), ConstantLike(bits, NanBits(to)),
                  value);
  }
  const Bits magnitude = bits & static_cast<Number>(MagnitudeMask(from));
  const Bits sign =
      (bits >> static_cast<Number>(from.exponent_bits + from.mantissa_bits) & Number{1})
      << static_cast<Number>(to.bits() - 1);
  const Bits normal =
      (magnitude << static_cast<Number>(shift)) + static_cast<Number>(rebias << to.mantissa_bits);

  // A subnormal is normal in the wide format: move its leading bit to the implicit place, by powers
  // of two, and count the exponent down.
  Bits significand = magnitude;
  Bits exponent = ConstantLike(bits, rebias);  // less the one that the implicit bit adds
  for (int step : {16, 8, 4, 2, 1}) {
    if (step > from.mantissa_bits) continue;
    const auto is_small = significand < (Number{1} << (from.mantissa_bits + 1 - step));
    significand = Select(is_small, significand << static_cast<Number>(step), significand);
    exponent = Select(is_small, exponent - static_cast<Number>(step), exponent);
  }
  const Bits subnormal = (significand << static_cast<Number>(shift)) +
                         (exponent << static_cast<Number>(to.mantissa_bits));
  const Bits small = Select(magnitude == Number{0}, magnitude, subnormal);
  const Bits finite = Select(magnitude < (Number{1} << from.mantissa_bits), small, normal);
  const Bits nan = ConstantLike(bits, NanBits(to));
  switch (from.nan) {
    case NanEncoding::kNone:
      return finite | sign;
    case NanEncoding::kNegativeZero:
      return Select(bits == static_cast<Number>(NanBits(from)), nan, finite | sign);
    case NanEncoding::kAllOnes:
      return Select(magnitude == static_cast<Number>(NanBits(from)), nan, finite) | sign;
    case NanEncoding::kIeee:
      break;
  }
  const Number infinity = static_cast<Number>(InfinityBits(from));
  const Bits payload = (magnitude << static_cast<Number>(shift)) | static_cast<Number>(NanBits(to));
  const Bits wide =
      Select(magnitude < infinity, finite,
             Select(magnitude == infinity, ConstantLike(bits, InfinityBits(to)), payload));
  return wide | sign;
}

// Host conversions over the same sequences.
constexpr std::uint32_t RoundF32To(const FloatFormat& format, float value) {
  return RoundToFormat(kF32Format, format, std::bit_cast<std::uint32_t>(value));
}
constexpr std::uint64_t RoundF64To(const FloatFormat& format, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return format == kF64Format ? bits : RoundToFormat(kF64Format, format, bits);
}
constexpr float WidenToF32(const FloatFormat& format, std::uint32_t bits) {
  return std::bit_cast<float>(format == kF32Format ? bits
                                                   : WidenFromFormat(format, kF32Format, bits));
}
constexpr double WidenToF64(const FloatFormat& format, std::uint64_t bits) {
  return std::bit_cast<double>(format == kF64Format ? bits
                                                    : WidenFromFormat(format, kF64Format, bits));
}

}  // namespace axle

#include "axle/core/convert.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "axle/core/float_format.h"
#include "axle/core/narrow_types.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Conversions run in blocks through one of three carriers that hold every value of their class
// exactly: 64-bit integers (sign- or zero-extended), f64, and pairs of f64. So there are as many
// loops as types, not as pairs of types.
constexpr i64 kBlock = 256;

enum class Carrier { kSigned, kUnsigned, kFloat, kComplex };

struct Block {
  Carrier carrier = Carrier::kSigned;
  std::uint64_t integers[kBlock];  // of kSigned and kUnsigned
  double real[kBlock];             // of kFloat and kComplex
  double imag[kBlock];             // of kComplex
};

template <ElementType kType>
double ToF64(StorageOf<kType> value) {
  return static_cast<double>(value);
}

template <ElementType kType>
void Load(const StorageOf<kType>* source, i64 n, Block& block) {
  if constexpr (IsComplex(kType)) {
    block.carrier = Carrier::kComplex;
    for (i64 i = 0; i < n; ++i) {
      block.real[i] = source[i].real();
      block.imag[i] = source[i].imag();
    }
  } else if constexpr (IsFloating(kType)) {
    block.carrier = Carrier::kFloat;
    for (i64 i = 0; i < n; ++i) block.real[i] = ToF64<kType>(source[i]);
  } else if constexpr (kType == PRED) {
    block.carrier = Carrier::kUnsigned;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(source);
    for (i64 i = 0; i < n; ++i) block.integers[i] = bytes[i] != 0;
  } else {
    block.carrier = IsSigned(kType) ? Carrier::kSigned : Carrier::kUnsigned;
    for (i64 i = 0; i < n; ++i) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign is meant to be extended
      const i64 value = static_cast<i64>(source[i]);
      block.integers[i] = static_cast<std::uint64_t>(value);
    }
  }
}

// An integer as an f64: rounded to nearest for f64 itself, to odd when another rounding follows.
double IntegerToF64(Carrier carrier, std::uint64_t bits, bool to_f64) {
  const bool negative = carrier == Carrier::kSigned && static_cast<i64>(bits) < 0;
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  const double value = to_f64 ? static_cast<double>(magnitude) : RoundToOdd(magnitude);
  return negative ? -value : value;
}

template <ElementType kType>
StorageOf<kType> FromF64(double value) {
  constexpr FloatFormat kFormat = Info(kType).format;
  const std::uint64_t bits = RoundF64To(kFormat, value);
  if constexpr (kType == F64) {
    return value;
  } else if constexpr (kType == F32) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    return StorageOf<kType>::FromBits(static_cast<StorageOf<kType>::Bits>(bits));
  }
}

// What `convert` makes of a float, and of an integer.
template <ElementType kType, typename From>
StorageOf<kType> ToInteger(From value) {
  if constexpr (IsSubByte(kType)) {
    return static_cast<StorageOf<kType>>(NarrowInteger<kType>(value));
  } else if constexpr (std::is_floating_point_v<From>) {
    return SaturatingCast<StorageOf<kType>>(value);
  } else {
    return static_cast<StorageOf<kType>>(value);
  }
}

template <ElementType kType>
void Store(const Block& block, i64 n, StorageOf<kType>* target) {
  const bool from_integer =
      block.carrier == Carrier::kSigned || block.carrier == Carrier::kUnsigned;
  const auto real = [&](i64 i, bool to_f64) {
    return from_integer ? IntegerToF64(block.carrier, block.integers[i], to_f64) : block.real[i];
  };
  for (i64 i = 0; i < n; ++i) {
    if constexpr (IsComplex(kType)) {
      constexpr ElementType kPart = PartOf(kType);
      const double imag = block.carrier == Carrier::kComplex ? block.imag[i] : 0.0;
      target[i] = {FromF64<kPart>(real(i, kPart == F64)), FromF64<kPart>(imag)};
    } else if constexpr (IsFloating(kType)) {
      target[i] = FromF64<kType>(real(i, kType == F64));
    } else if constexpr (kType == PRED) {
      target[i] = from_integer ? block.integers[i] != 0 : block.real[i] != 0.0;
    } else {
      target[i] =
          from_integer ? ToInteger<kType>(block.integers[i]) : ToInteger<kType>(block.real[i]);
    }
  }
}

}  // namespace

void ConvertElements(ElementType from, const void* source, ElementType to, void* target, i64 n) {
  const i64 from_bytes = Info(from).bytes;
  const i64 to_bytes = Info(to).bytes;
  if (from == to) {
    if (n > 0) std::memcpy(target, source, static_cast<size_t>(n * from_bytes));
    return;
  }
  const auto* in = static_cast<const std::byte*>(source);
  auto* out = static_cast<std::byte*>(target);
  Block block;
  for (i64 begin = 0; begin < n; begin += kBlock) {
    const i64 size = std::min(kBlock, n - begin);
    DispatchElementType(from, [&]<ElementType kType>() {
      Load<kType>(reinterpret_cast<const StorageOf<kType>*>(in + begin * from_bytes), size, block);
    });
    DispatchElementType(to, [&]<ElementType kType>() {
      Store<kType>(block, size, reinterpret_cast<StorageOf<kType>*>(out + begin * to_bytes));
    });
  }
}

StatusOr<Literal> Convert(const Literal& literal, ElementType type) {
  if (!literal.shape().is_array() || !IsArrayType(type)) {
    return InvalidArgument(StrCat("convert: ", literal.shape().ToString(), " to ", Name(type),
                                  " is not a conversion between arrays"));
  }
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(literal.shape().WithType(type)));
  ConvertElements(literal.shape().type(), literal.bytes(), type, result.mutable_bytes(),
                  literal.num_elements());
  return result;
}

namespace {

Status OutOfRange(const Literal& number, const ElementTypeInfo& info) {
  std::string range;
  if (IsIntegral(info.type)) {
    const std::uint64_t high = LowBits(IsSigned(info.type) ? info.bits - 1 : info.bits);
    range = IsSigned(info.type) ? StrCat(", ", -static_cast<i64>(high) - 1, " to ", high)
                                : StrCat(", 0 to ", high);
  }
  return InvalidArgument(StrCat(number.ToString(), " is out of the range of ", info.text, range));
}

bool IsInfinite(double x) {
  return x == x && x - x != 0;
}

// Of an integer type whether it has the whole number, given as bits that are sign-extended if the
// number is negative, or as a double.
bool HasInteger(const ElementTypeInfo& info, std::uint64_t bits, bool is_negative) {
  if (!IsSigned(info.type)) return !is_negative && bits <= LowBits(info.bits);
  const std::uint64_t high = LowBits(info.bits - 1);
  return is_negative ? ~bits <= high : bits <= high;
}
bool HasInteger(const ElementTypeInfo& info, double whole) {
  const int bits = IsSigned(info.type) ? info.bits - 1 : info.bits;
  const auto end = std::bit_cast<double>((std::uint64_t{1023} + bits) << 52);  // 2^bits
  return whole < end && whole >= (IsSigned(info.type) ? -end : 0);
}

template <ElementType kType>
StorageOf<kType> ValueAs(const Literal& number) {
  StorageOf<kType> value;
  ConvertElements(number.shape().type(), number.bytes(), kType, &value, 1);
  return value;
}

Status CheckInteger(const Literal& number, const ElementTypeInfo& info) {
  const ElementType from = number.shape().type();
  if (!IsFloating(from)) {
    const auto bits = ValueAs<U64>(number);  // the low bits, extended by the sign
    const bool is_negative = IsIntegral(from) && IsSigned(from) && bits >> 63 != 0;
    return HasInteger(info, bits, is_negative) ? Status() : OutOfRange(number, info);
  }
  const auto value = ValueAs<F64>(number);
  if (value - value == 0 && !HasInteger(info, value)) return OutOfRange(number, info);
  const bool is_whole =
      value - value == 0 &&
      (value < 0 ? static_cast<double>(static_cast<i64>(value))
                 : static_cast<double>(static_cast<std::uint64_t>(value))) == value;
  if (is_whole) return {};
  return InvalidArgument(StrCat(number.ToString(), " is not an integer, as ", info.text, " needs"));
}

// `part` is what is asked for, `rounded` what it becomes in the format.
Status CheckFloat(const Literal& number, const ElementTypeInfo& info, double part, double rounded) {
  const FloatFormat& format = info.format;
  if (part != part) {
    return HasNan(format)
               ? Status()
               : InvalidArgument(StrCat(number.ToString(), " is not a value of ", info.text));
  }
  bool fits = true;
  if (IsInfinite(part)) {
    fits = HasInfinity(format) && (part > 0 || format.is_signed);
  } else {
    fits = rounded - rounded == 0 && (part >= 0 || format.is_signed);
    // Where overflow saturates, only the comparison shows it.
    const double greatest = WidenToF64(format, FirstNonFinite(format) - 1);
    if (!HasNan(format)) fits = fits && part <= greatest && part >= -greatest;
  }
  return fits ? Status() : OutOfRange(number, info);
}

}  // namespace

StatusOr<Literal> ConvertNumber(const Literal& number, ElementType type) {
  if (!number.shape().is_scalar() || !IsArrayType(type)) {
    return InvalidArgument(
        StrCat("cannot make a scalar ", Name(type), " of ", number.ToStringWithShape()));
  }
  const ElementType from = number.shape().type();
  const ElementTypeInfo& info = Info(type);
  AXLE_ASSIGN(Literal converted, Convert(number, type));
  if (IsComplex(from) && !IsComplex(type)) {
    return InvalidArgument(StrCat(number.ToString(), " is complex, and ", info.text, " is not"));
  }
  if (IsIntegral(type)) {
    AXLE_TRY(CheckInteger(number, info));
    return converted;
  }
  const auto value = ValueAs<C128>(number);
  if (type == PRED) {
    if (value.real() == 0 || value.real() == 1) return converted;
    return InvalidArgument(StrCat(number.ToString(), " is neither true (1) nor false (0)"));
  }
  const auto rounded = ValueAs<C128>(converted);
  AXLE_TRY(CheckFloat(number, info, value.real(), rounded.real()));
  if (IsComplex(type)) AXLE_TRY(CheckFloat(number, info, value.imag(), rounded.imag()));
  return converted;
}

}  // namespace axle

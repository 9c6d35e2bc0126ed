// The definitions of the primitives, as loops over arrays. They are compiled with vectorisation and
// without contraction, and none of them depends on the vector width, so that a lane has the same
// bits in every loop. Whatever a primitive does not define (an integer divisor of 0, a shift count
// past the width) is kept away from it by the definitions of the ops; compiled code (codegen/) must
// agree with these functions bit for bit.

#include "axle/emit/primitives.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "axle/emit/dispatch.h"
#include "axle/emit/executor.h"

namespace axle {
namespace {

template <typename T>
constexpr bool kIsInt = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// Integers are computed in an unsigned type of at least 32 bits: no overflow, no promotion to int.
template <typename T>
using Wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// result[i] = Op::Apply(a[i], ...), as many operands as it takes.
template <typename To, typename From, typename Op>
void Loop(const StepArgs& args) {
  To* __restrict result = static_cast<To*>(args.result);
  const From* a = static_cast<const From*>(args.operands[0]);
  const From* b = static_cast<const From*>(args.operands[1]);
  const From* c = static_cast<const From*>(args.operands[2]);
  const i64 count = args.count;
  if constexpr (std::is_invocable_v<Op, From>) {
    for (i64 i = 0; i < count; ++i) result[i] = static_cast<To>(Op()(a[i]));
  } else if constexpr (std::is_invocable_v<Op, From, From>) {
    for (i64 i = 0; i < count; ++i) result[i] = static_cast<To>(Op()(a[i], b[i]));
  } else {
    for (i64 i = 0; i < count; ++i) result[i] = static_cast<To>(Op()(a[i], b[i], c[i]));
  }
}

// The functions of the primitives. A type that a primitive does not have gives no function.
template <typename T>
struct AddOp {
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a | b;
    } else if constexpr (kIsFloat<T>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    }
  }
};
template <typename T>
struct SubOp {
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      return a - b;
    } else {
      return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    }
  }
};
template <typename T>
struct MulOp {
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a & b;
    } else if constexpr (kIsFloat<T>) {
      return a * b;
    } else {
      return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    }
  }
};
template <typename T>
struct DivOp {
  T operator()(T a, T b) const { return static_cast<T>(a / b); }
};
template <typename T>
struct RemOp {
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      return FloatRemainder(a, b);
    } else {
      return static_cast<T>(a % b);
    }
  }
};
template <typename T>
struct NegOp {
  T operator()(T a) const {
    if constexpr (kIsFloat<T>) {
      return -a;
    } else {
      return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
    }
  }
};
template <typename T>
struct AbsOp {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_fabsf(a);
    } else if constexpr (std::is_same_v<T, double>) {
      return __builtin_fabs(a);
    } else {
      return a < 0 ? NegOp<T>()(a) : a;
    }
  }
};
// If two floats compare equal, their bit patterns decide: "and" gives the larger zero, "or" the
// smaller one.
template <typename T, bool kMax>
struct MinMaxOp {
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return kMax ? a | b : a & b;
    } else if constexpr (kIsFloat<T>) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      const Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
      const T equal = std::bit_cast<T>(kMax ? x & y : x | y);
      const T unequal = (kMax ? a > b : a < b) ? a : b;
      const T ordered = a == b ? equal : unequal;
      return a != a ? a
                    : ordered;  // a NaN in b is not equal to a, not passed by it, and so is taken
    } else {
      return (kMax ? a > b : a < b) ? a : b;
    }
  }
};
template <typename T>
using MinOp = MinMaxOp<T, false>;
template <typename T>
using MaxOp = MinMaxOp<T, true>;
template <typename T>
struct FmaOp {
  T operator()(T a, T b, T c) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_fmaf(a, b, c);
    } else {
      return __builtin_fma(a, b, c);
    }
  }
};
// Multiplies in two steps, because 2^n may lie outside of the normal range. The first product is
// exact, so a subnormal result is rounded once.
template <typename T>
struct TimesPowerOfTwoOp {
  T operator()(T x, T n) const {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int kFractionBits = sizeof(T) == 4 ? 23 : 52, kBias = sizeof(T) == 4 ? 127 : 1023;
    constexpr T kShifter = T(1.5) * (Bits{1} << kFractionBits) + 2 * kBias;
    const Bits sum = std::bit_cast<Bits>(n + kShifter);  // its low bits: n + 2 bias
    const Bits half = sum >> 1;                          // n / 2 + bias, an exponent field
    const T low = std::bit_cast<T>(half << kFractionBits);
    const T high = std::bit_cast<T>((sum - half) << kFractionBits);
    return x * low * high;
  }
};
template <typename T>
struct SqrtOp {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_sqrtf(a);
    } else {
      return __builtin_sqrt(a);
    }
  }
};
template <typename T>
struct FloorOp {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_floorf(a);
    } else {
      return __builtin_floor(a);
    }
  }
};
template <typename T>
struct CeilOp {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_ceilf(a);
    } else {
      return __builtin_ceil(a);
    }
  }
};
template <typename T>
struct TruncOp {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_truncf(a);
    } else {
      return __builtin_trunc(a);
    }
  }
};
template <typename T>
struct RintOp {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, float>) {
      return __builtin_rintf(a);
    } else {
      return __builtin_rint(a);
    }
  }
};
template <typename T>
struct AndOp {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <typename T>
struct OrOp {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <typename T>
struct XorOp {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
// Counts are below the width; masking them tells the compiler so.
template <typename T>
struct ShlOp {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a)
                          << (static_cast<Wide<T>>(b) & (sizeof(T) * 8 - 1)));
  }
};
template <typename T>
struct ShrOp {
  T operator()(T a, T b) const {
    return static_cast<T>(a >> (static_cast<Wide<T>>(b) & (sizeof(T) * 8 - 1)));
  }
};
template <typename T>
struct MulHighOp {
  T operator()(T a, T b) const {
    using Double =
        std::conditional_t<sizeof(T) == 8,
                           std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    return static_cast<T>((static_cast<Double>(a) * static_cast<Double>(b)) >> (sizeof(T) * 8));
  }
};
template <typename T>
struct ClzOp {
  T operator()(T a) const {
    return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
template <typename T>
struct PopcountOp {
  T operator()(T a) const {
    return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
template <typename T>
struct EqOp {
  bool operator()(T a, T b) const { return a == b; }
};
template <typename T>
struct LtOp {
  bool operator()(T a, T b) const { return a < b; }
};
template <typename T>
struct LeOp {
  bool operator()(T a, T b) const { return a <= b; }
};
template <typename T>
struct Same {
  T operator()(T a) const { return a; }
};

// Sets of types that a primitive has.
struct AnyType {
  template <typename T>
  static constexpr bool Takes() {
    return true;
  }
};
struct NotPred {
  template <typename T>
  static constexpr bool Takes() {
    return !std::is_same_v<T, bool>;
  }
};
struct Floats {
  template <typename T>
  static constexpr bool Takes() {
    return kIsFloat<T>;
  }
};
struct Integers {
  template <typename T>
  static constexpr bool Takes() {
    return kIsInt<T>;
  }
};
struct IntegersAndPred {
  template <typename T>
  static constexpr bool Takes() {
    return std::is_integral_v<T>;
  }
};
struct SignedOrFloat {
  template <typename T>
  static constexpr bool Takes() {
    return std::is_signed_v<T>;
  }
};

// A primitive whose operands and result are all of one type.
template <template <typename> typename Op, typename Accepts>
StepFn SameType(LaneType type, Accepts) {
  return DispatchLane(type, []<typename T>() -> StepFn {
    if constexpr (Accepts::template Takes<T>()) {
      return &Loop<T, T, Op<T>>;
    } else {
      return nullptr;
    }
  });
}

template <template <typename> typename Op>
StepFn Comparison(LaneType from) {
  return DispatchLane(from, []<typename T>() -> StepFn { return &Loop<bool, T, Op<T>>; });
}

template <typename T>
void ConstantLoop(const StepArgs& args) {
  T value;
  std::memcpy(&value, &args.immediate, sizeof(T));
  std::fill_n(static_cast<T*>(args.result), args.count, value);
}

template <typename T>
void SelectLoop(const StepArgs& args) {
  T* __restrict result = static_cast<T*>(args.result);
  const auto* condition = static_cast<const std::uint8_t*>(args.operands[0]);  // 0 or 1
  const T* on_true = static_cast<const T*>(args.operands[1]);
  const T* on_false = static_cast<const T*>(args.operands[2]);
  // A mask instead of a branch, so that the loop is a vector's whatever the widths are. Only
  // unsigned types come here (DispatchSize).
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
    for (i64 i = 0; i < args.count; ++i) {
      const T mask = static_cast<T>(-static_cast<T>(condition[i]));
      result[i] = static_cast<T>((on_true[i] & mask) | (on_false[i] & ~mask));
    }
  }
}

template <typename T>
void CopyLoop(const StepArgs& args) {
  std::memcpy(args.result, args.operands[0], static_cast<size_t>(args.count) * sizeof(T));
}

// Reads one part of complex elements, which is every second T.
template <typename T>
void PartLoop(const StepArgs& args) {
  const T* parts = static_cast<const T*>(args.operands[0]) + (args.immediate >> 32);
  for (i64 i = 0; i < args.count; ++i) static_cast<T*>(args.result)[i] = parts[2 * i];
}

// Reads elements of kParts parts by their numbers.
template <typename T, typename Number, int kParts>
void ElementLoop(const StepArgs& args) {
  const auto* numbers = static_cast<const Number*>(args.operands[0]);
  const T* parts = static_cast<const T*>(args.operands[1]) + (args.immediate >> 32);
  auto* result = static_cast<T*>(args.result);
  for (i64 i = 0; i < args.count; ++i) result[i] = parts[numbers[i] * kParts];
}

// Chooses the function by the size of the type: 1, 2, 4 or 8 bytes.
template <typename Fn>
StepFn DispatchSize(LaneType type, Fn fn) {
  return DispatchLane(UnsignedOf(type), fn);
}

template <bool kToFloat, bool kToInt>
StepFn Conversion(LaneType to, LaneType from) {
  return DispatchLane(to, [from]<typename To>() -> StepFn {
    return DispatchLane(from, []<typename From>() -> StepFn {
      constexpr bool kFits = kToFloat ? kIsFloat<To> && std::is_integral_v<From>
                             : kToInt ? kIsInt<To> && sizeof(To) >= 4 && kIsFloat<From>
                                      : kIsInt<To> && std::is_integral_v<From>;
      if constexpr (kFits) {
        return &Loop<To, From, Same<From>>;
      } else {
        return nullptr;
      }
    });
  });
}

template <typename Float, typename Bits, int kMantissaBits>
Float ExactRemainder(Float x, Float y) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  constexpr Bits kInfinity = ((kSign >> kMantissaBits) - 1) << kMantissaBits;
  constexpr Bits kImplicit = Bits{1} << kMantissaBits;
  const Bits x_bits = std::bit_cast<Bits>(x), sign = x_bits & kSign;
  const Bits a = x_bits & ~kSign, b = std::bit_cast<Bits>(y) & ~kSign;
  if (a >= kInfinity || b > kInfinity || b == 0) return (x * y) / (x * y);  // NaN
  if (a < b) return x;
  // value = mantissa * 2^(exponent - constant), with exponent >= 1.
  const auto split = [](Bits bits, i64& exponent) {
    exponent = static_cast<i64>(bits >> kMantissaBits);
    if (exponent == 0) return exponent = 1, bits;
    return (bits & (kImplicit - 1)) | kImplicit;
  };
  i64 a_exponent, b_exponent;
  Bits remainder = split(a, a_exponent);
  const Bits divisor = split(b, b_exponent);
  remainder %= divisor;
  // Long division: each step works out as many bits of the quotient as the type has room for.
  constexpr i64 kRoom = static_cast<i64>(sizeof(Bits)) * 8 - kMantissaBits - 1;
  for (i64 left = a_exponent - b_exponent; left > 0 && remainder != 0; left -= kRoom) {
    remainder = (remainder << std::min(left, kRoom)) % divisor;
  }
  if (remainder == 0) return std::bit_cast<Float>(sign);
  while (remainder < kImplicit && b_exponent > 1) {
    remainder <<= 1;
    --b_exponent;
  }
  const Bits exponent = remainder < kImplicit ? 0 : static_cast<Bits>(b_exponent);
  return std::bit_cast<Float>(sign | exponent << kMantissaBits | (remainder & (kImplicit - 1)));
}

}  // namespace

StepFn FindStep(const LaneProgram& program, const LaneOp& op) {
  const LaneType type = op.type, from = program.code[op.operands[0]].type;
  switch (op.primitive) {
    case Primitive::kInput: {
      const bool whole = program.inputs[op.input()].num_parts == 1;
      return DispatchSize(
          type, [whole]<typename T>() -> StepFn { return whole ? &CopyLoop<T> : &PartLoop<T>; });
    }
    case Primitive::kElement: {
      const bool whole = program.inputs[op.input()].num_parts == 1, narrow = from == LaneType::kS32;
      return DispatchSize(type, [=]<typename T>() -> StepFn {
        if (narrow)
          return whole ? &ElementLoop<T, std::int32_t, 1> : &ElementLoop<T, std::int32_t, 2>;
        return whole ? &ElementLoop<T, i64, 1> : &ElementLoop<T, i64, 2>;
      });
    }
    case Primitive::kConstant:
      return DispatchSize(type, []<typename T>() -> StepFn { return &ConstantLoop<T>; });
    case Primitive::kAdd:
      return SameType<AddOp>(type, AnyType());
    case Primitive::kSub:
      return SameType<SubOp>(type, NotPred());
    case Primitive::kMul:
      return SameType<MulOp>(type, AnyType());
    case Primitive::kDiv:
      return SameType<DivOp>(type, NotPred());
    case Primitive::kRem:
      return SameType<RemOp>(type, NotPred());
    case Primitive::kNeg:
      return SameType<NegOp>(type, NotPred());
    case Primitive::kAbs:
      return SameType<AbsOp>(type, SignedOrFloat());
    case Primitive::kMin:
      return SameType<MinOp>(type, AnyType());
    case Primitive::kMax:
      return SameType<MaxOp>(type, AnyType());
    case Primitive::kFma:
      return SameType<FmaOp>(type, Floats());
    case Primitive::kTimesPowerOfTwo:
      return SameType<TimesPowerOfTwoOp>(type, Floats());
    case Primitive::kSqrt:
      return SameType<SqrtOp>(type, Floats());
    case Primitive::kFloor:
      return SameType<FloorOp>(type, Floats());
    case Primitive::kCeil:
      return SameType<CeilOp>(type, Floats());
    case Primitive::kTrunc:
      return SameType<TruncOp>(type, Floats());
    case Primitive::kRint:
      return SameType<RintOp>(type, Floats());
    case Primitive::kAnd:
      return SameType<AndOp>(type, IntegersAndPred());
    case Primitive::kOr:
      return SameType<OrOp>(type, IntegersAndPred());
    case Primitive::kXor:
      return SameType<XorOp>(type, IntegersAndPred());
    case Primitive::kShl:
      return SameType<ShlOp>(type, Integers());
    case Primitive::kShr:
      return SameType<ShrOp>(type, Integers());
    case Primitive::kMulHigh:
      return SameType<MulHighOp>(type, Integers());
    case Primitive::kClz:
      return SameType<ClzOp>(type, Integers());
    case Primitive::kPopcount:
      return SameType<PopcountOp>(type, Integers());
    case Primitive::kEq:
      return Comparison<EqOp>(from);
    case Primitive::kLt:
      return Comparison<LtOp>(from);
    case Primitive::kLe:
      return Comparison<LeOp>(from);
    case Primitive::kSelect:
      return DispatchSize(type, []<typename T>() -> StepFn { return &SelectLoop<T>; });
    case Primitive::kBitcast:
      return DispatchSize(type, []<typename T>() -> StepFn { return &CopyLoop<T>; });
    case Primitive::kResize:
      return Conversion<false, false>(type, from);
    case Primitive::kToFloat:
      return Conversion<true, false>(type, from);
    case Primitive::kToInt:
      return Conversion<false, true>(type, from);
    case Primitive::kFloatToFloat:
      if (type == LaneType::kF32) return &Loop<float, double, Same<double>>;
      return &Loop<double, float, Same<float>>;
  }
  return nullptr;
}

float FloatRemainder(float x, float y) {
  return ExactRemainder<float, std::uint32_t, 23>(x, y);
}
double FloatRemainder(double x, double y) {
  return ExactRemainder<double, std::uint64_t, 52>(x, y);
}

}  // namespace axle

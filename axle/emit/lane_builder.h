// Builds lane programs from C++ expressions, so that a definition reads like its formula:
//
//   Lane Softsign(Lane x) { return x / (Abs(x) + 1.0f); }
//
// Equal subexpressions become one operation and commutative operands are put in order, so that
// programs which mean the same are mostly equal as data.
#pragma once
#include <bit>
#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "axle/emit/lane_program.h"

namespace axle {

class LaneBuilder;

// A value of the program under construction. Cheap to copy; valid while its builder lives.
struct Lane {
  LaneBuilder* builder;
  LaneId id;

  LaneType type() const;
  template <typename T>
  Lane Like(T value) const;  // a constant of this type
};

class LaneBuilder {
 public:
  // Declares the next input array; its parts are read with Part.
  int AddInput(LaneArray array);
  Lane Part(int input, int part = 0);
  // Part of the element with this number, s32 or s64, of an input that is read in no other way.
  Lane Element(int input, int part, Lane number);
  // The next input, of one part.
  Lane Input(LaneType type) { return Part(AddInput({type})); }
  template <typename T>
  Lane Constant(LaneType type, T value) {
    return ConstantBits(type, ConstantPattern(type, value));
  }
  Lane ConstantBits(LaneType type, std::uint64_t bits) {
    return Emit({Primitive::kConstant, type, {}, bits});
  }
  // The operation, or the equal one that is there already; folds nothing.
  Lane Emit(LaneOp op);
  LaneType type(LaneId id) const { return program_.code[id].type; }
  const LaneOp& op(LaneId id) const { return program_.code[id]; }
  i64 size() const { return static_cast<i64>(program_.code.size()); }
  // `results` has one lane per part of each output. Drops what no result needs; inputs stay.
  LaneProgram Finish(std::span<const Lane> results, std::span<const LaneArray> outputs) &&;
  // Outputs of one part each.
  LaneProgram Finish(std::span<const Lane> results) &&;

 private:
  template <typename T>
  static std::uint64_t ConstantPattern(LaneType type, T value) {
    if (type == LaneType::kF32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (type == LaneType::kF64) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    std::uint64_t bits;
    if constexpr (std::is_unsigned_v<T>) {
      bits = value;
    } else {
      bits = static_cast<std::uint64_t>(static_cast<i64>(value));
    }
    return BytesOf(type) == 8 ? bits : bits & ((std::uint64_t{1} << BitsOf(type)) - 1);
  }
  struct OpHash {
    size_t operator()(const LaneOp& op) const;
  };

  LaneProgram program_;
  std::unordered_map<LaneOp, LaneId, OpHash> ids_;
};

inline LaneType Lane::type() const {
  return builder->type(id);
}
template <typename T>
Lane Lane::Like(T value) const {
  return builder->Constant(type(), value);
}

inline Lane Apply(Primitive primitive, LaneType type, std::initializer_list<Lane> operands) {
  LaneOp op{primitive, type};
  auto* slot = op.operands.data();
  for (Lane operand : operands) *slot++ = operand.id;
  return operands.begin()->builder->Emit(op);
}

// Two operands of a formula: lanes, or a lane and a number that becomes a constant of its type.
template <typename A, typename B>
concept LaneOperands = (std::same_as<A, Lane> &&
                        (std::same_as<B, Lane> || std::is_arithmetic_v<B>)) ||
                       (std::is_arithmetic_v<A> && std::same_as<B, Lane>);

template <typename A, typename B>
Lane Apply2(Primitive primitive, const A& a, const B& b, bool gives_pred = false) {
  if constexpr (!std::same_as<A, Lane>) {
    return Apply2(primitive, b.Like(a), b, gives_pred);
  } else if constexpr (!std::same_as<B, Lane>) {
    return Apply2(primitive, a, a.Like(b), gives_pred);
  } else {
    return Apply(primitive, gives_pred ? LaneType::kPred : a.type(), {a, b});
  }
}

// clang-format off
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator+(const A& a, const B& b) { return Apply2(Primitive::kAdd, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator-(const A& a, const B& b) { return Apply2(Primitive::kSub, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator*(const A& a, const B& b) { return Apply2(Primitive::kMul, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator/(const A& a, const B& b) { return Apply2(Primitive::kDiv, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator&(const A& a, const B& b) { return Apply2(Primitive::kAnd, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator|(const A& a, const B& b) { return Apply2(Primitive::kOr, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator^(const A& a, const B& b) { return Apply2(Primitive::kXor, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator<<(const A& a, const B& b) { return Apply2(Primitive::kShl, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator>>(const A& a, const B& b) { return Apply2(Primitive::kShr, a, b); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator==(const A& a, const B& b) { return Apply2(Primitive::kEq, a, b, true); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator<(const A& a, const B& b) { return Apply2(Primitive::kLt, a, b, true); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator<=(const A& a, const B& b) { return Apply2(Primitive::kLe, a, b, true); }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator>(const A& a, const B& b) { return b < a; }
template <typename A, typename B> requires LaneOperands<A, B>
Lane operator>=(const A& a, const B& b) { return b <= a; }
// clang-format on

inline Lane operator-(Lane x) {
  return Apply(Primitive::kNeg, x.type(), {x});
}
inline Lane operator!(Lane x) {  // for a pred
  return x ^ true;
}
inline Lane operator~(Lane x) {  // for an integer
  return x ^ -1;
}
template <typename A, typename B>
requires LaneOperands<A, B> Lane operator%(const A& a, const B& b) {
  return Apply2(Primitive::kRem, a, b);
}
template <typename A, typename B>
requires LaneOperands<A, B> Lane operator!=(const A& a, const B& b) {
  return !(a == b);
}

inline Lane Select(Lane condition, Lane on_true, Lane on_false) {
  return Apply(Primitive::kSelect, on_true.type(), {condition, on_true, on_false});
}
inline Lane Fma(Lane a, Lane b, Lane c) {
  return Apply(Primitive::kFma, a.type(), {a, b, c});
}
inline Lane TimesPowerOfTwo(Lane x, Lane n) {
  return Apply(Primitive::kTimesPowerOfTwo, x.type(), {x, n});
}
inline Lane Bitcast(LaneType to, Lane x) {
  return x.type() == to ? x : Apply(Primitive::kBitcast, to, {x});
}
inline Lane Resize(LaneType to, Lane x) {
  return x.type() == to ? x : Apply(Primitive::kResize, to, {x});
}
inline Lane ToFloat(LaneType to, Lane x) {
  return Apply(Primitive::kToFloat, to, {x});
}
inline Lane ToInt(LaneType to, Lane x) {
  return Apply(Primitive::kToInt, to, {x});
}
inline Lane FloatToFloat(LaneType to, Lane x) {
  return x.type() == to ? x : Apply(Primitive::kFloatToFloat, to, {x});
}
template <typename A, typename B>
requires LaneOperands<A, B> Lane Min(const A& a, const B& b) {
  return Apply2(Primitive::kMin, a, b);
}
template <typename A, typename B>
requires LaneOperands<A, B> Lane Max(const A& a, const B& b) {
  return Apply2(Primitive::kMax, a, b);
}
template <typename A, typename B>
requires LaneOperands<A, B> Lane MulHigh(const A& a, const B& b) {
  return Apply2(Primitive::kMulHigh, a, b);
}
// clang-format off
inline Lane Abs(Lane x) { return Apply(Primitive::kAbs, x.type(), {x}); }
inline Lane Sqrt(Lane x) { return Apply(Primitive::kSqrt, x.type(), {x}); }
inline Lane Floor(Lane x) { return Apply(Primitive::kFloor, x.type(), {x}); }
inline Lane Ceil(Lane x) { return Apply(Primitive::kCeil, x.type(), {x}); }
inline Lane Trunc(Lane x) { return Apply(Primitive::kTrunc, x.type(), {x}); }
inline Lane Rint(Lane x) { return Apply(Primitive::kRint, x.type(), {x}); }
inline Lane Clz(Lane x) { return Apply(Primitive::kClz, x.type(), {x}); }
inline Lane Popcount(Lane x) { return Apply(Primitive::kPopcount, x.type(), {x}); }
// clang-format on
inline Lane IsNan(Lane x) {
  return x != x;
}
// The pattern of a float as an unsigned integer.
inline Lane BitsOf(Lane x) {
  return Bitcast(UnsignedOf(x.type()), x);
}

// A complex value: two lanes. A real value among complex ones has an imaginary part of +0.
struct ComplexLane {
  Lane re;
  Lane im;
};

}  // namespace axle

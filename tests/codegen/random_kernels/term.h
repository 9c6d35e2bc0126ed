// Terms: expressions over values of a random program, so that an idiom reads like its formula:
//
//   Term Distance(Term x, Term y) { return Max(x, y) - Min(x, y); }
//
// A term is data; ProgramGenerator::Keep adds its operations, those of operands first and from left
// to right, whatever the order in which a compiler evaluates the formula.
#pragma once
#include <bit>
#include <concepts>
#include <memory>
#include <vector>

#include "tests/codegen/random_kernels/program.h"

namespace axle {

class Term {
 public:
  struct Node {
    KernelOp op;  // its operands are those below
    std::vector<Term> operands;
    mutable int value = -1;  // once it is kept
  };

  static Term Make(KernelOp op, std::vector<Term> operands, int value = -1) {
    return Term(std::make_shared<const Node>(Node{std::move(op), std::move(operands), value}));
  }
  const Node& node() const { return *node_; }
  LaneType type() const { return node_->op.type; }
  i64 num_elements() const { return node_->op.num_elements; }

 private:
  explicit Term(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

inline Term Apply(Primitive primitive, LaneType type, std::vector<Term> operands) {
  KernelOp op{KernelOpKind::kPrimitive, type, operands[0].num_elements(), primitive};
  return Term::Make(std::move(op), std::move(operands));
}
inline Term Bits(LaneType type, i64 num_elements, std::uint64_t bits) {
  KernelOp op{KernelOpKind::kConstant, type, num_elements};
  op.immediate = bits & LowBits(BitsOf(type));
  return Term::Make(std::move(op), {});
}
// A constant like x: of its type, for as many elements.
template <typename T>
Term Like(const Term& x, T number) {
  std::uint64_t bits;
  if (x.type() == LaneType::kF32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  } else if (x.type() == LaneType::kF64) {
    bits = std::bit_cast<std::uint64_t>(static_cast<double>(number));
  } else {
    bits = static_cast<std::uint64_t>(number);
  }
  return Bits(x.type(), x.num_elements(), bits);
}

inline Term Cast(LaneType type, const Term& x) {
  return x.type() == type ? x : Apply(Primitive::kBitcast, type, {x});
}
inline Term Resized(LaneType type, const Term& x) {
  return x.type() == type ? x : Apply(Primitive::kResize, type, {x});
}
inline Term FloatOf(LaneType type, const Term& x) {
  return Apply(Primitive::kToFloat, type, {x});
}
inline Term FloatBits(const Term& x) {
  return Term::Make({KernelOpKind::kFloatBits, UnsignedOf(x.type()), x.num_elements()}, {x});
}
// What was in memory meanwhile.
inline Term Stored(const Term& x) {
  return Term::Make({KernelOpKind::kStored, x.type(), x.num_elements()}, {x});
}

// Two operands: terms, or a term and a number that becomes a constant like it.
template <typename A, typename B>
concept TermOperands = (std::same_as<A, Term> &&
                        (std::same_as<B, Term> || std::is_arithmetic_v<B>)) ||
                       (std::is_arithmetic_v<A> && std::same_as<B, Term>);

template <typename A, typename B>
Term Apply2(Primitive primitive, const A& a, const B& b, bool gives_pred = false) {
  if constexpr (!std::same_as<A, Term>) {
    return Apply2(primitive, Like(b, a), b, gives_pred);
  } else if constexpr (!std::same_as<B, Term>) {
    return Apply2(primitive, a, Like(a, b), gives_pred);
  } else {
    return Apply(primitive, gives_pred ? LaneType::kPred : a.type(), {a, b});
  }
}

// clang-format off
template <typename A, typename B> requires TermOperands<A, B>
Term operator+(const A& a, const B& b) { return Apply2(Primitive::kAdd, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator-(const A& a, const B& b) { return Apply2(Primitive::kSub, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator*(const A& a, const B& b) { return Apply2(Primitive::kMul, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator/(const A& a, const B& b) { return Apply2(Primitive::kDiv, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator%(const A& a, const B& b) { return Apply2(Primitive::kRem, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator&(const A& a, const B& b) { return Apply2(Primitive::kAnd, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator|(const A& a, const B& b) { return Apply2(Primitive::kOr, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator^(const A& a, const B& b) { return Apply2(Primitive::kXor, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator<<(const A& a, const B& b) { return Apply2(Primitive::kShl, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator==(const A& a, const B& b) { return Apply2(Primitive::kEq, a, b, true); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator<(const A& a, const B& b) { return Apply2(Primitive::kLt, a, b, true); }
template <typename A, typename B> requires TermOperands<A, B>
Term operator<=(const A& a, const B& b) { return Apply2(Primitive::kLe, a, b, true); }
template <typename A, typename B> requires TermOperands<A, B>
Term Min(const A& a, const B& b) { return Apply2(Primitive::kMin, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term Max(const A& a, const B& b) { return Apply2(Primitive::kMax, a, b); }
template <typename A, typename B> requires TermOperands<A, B>
Term MulHigh(const A& a, const B& b) { return Apply2(Primitive::kMulHigh, a, b); }
// clang-format on

// Right shifts that bring in zeros, or copies of the sign bit, whatever the type.
template <typename B>
Term ShiftRightIn(LaneType type, const Term& x, const B& count) {
  const Term bits = Cast(type, x);
  if constexpr (std::same_as<B, Term>) {
    return Cast(x.type(), Apply(Primitive::kShr, type, {bits, Cast(type, count)}));
  } else {
    return Cast(x.type(), Apply2(Primitive::kShr, bits, count));
  }
}
template <typename B>
Term LogicalRight(const Term& x, const B& count) {
  return ShiftRightIn(UnsignedOf(x.type()), x, count);
}
template <typename B>
Term ArithmeticRight(const Term& x, const B& count) {
  return ShiftRightIn(SignedOf(x.type()), x, count);
}

inline Term operator-(const Term& x) {
  return Apply(Primitive::kNeg, x.type(), {x});
}
inline Term operator~(const Term& x) {
  return x ^ -1;
}  // of an integer
inline Term operator!(const Term& x) {
  return x ^ 1;
}  // of a pred
inline Term Abs(const Term& x) {
  return Apply(Primitive::kAbs, x.type(), {x});
}
inline Term Clz(const Term& x) {
  return Apply(Primitive::kClz, x.type(), {x});
}
inline Term Popcount(const Term& x) {
  return Apply(Primitive::kPopcount, x.type(), {x});
}
template <typename A, typename B>
requires TermOperands<A, B> Term Select(const Term& condition, const A& on_true,
                                        const B& on_false) {
  if constexpr (!std::same_as<A, Term>) {
    return Select(condition, Like(on_false, on_true), on_false);
  } else if constexpr (!std::same_as<B, Term>) {
    return Select(condition, on_true, Like(on_true, on_false));
  } else {
    return Apply(Primitive::kSelect, on_true.type(), {condition, on_true, on_false});
  }
}

}  // namespace axle

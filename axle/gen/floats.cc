// Idioms of floats: minimum and maximum by comparison, sign tests, NaN tests, conversions to
// another type and back, division by powers of two, sums of products, arithmetic on the bits. Each
// method makes one idiom from `x`; the table in Next gives their weights.

#include "axle/gen/chain.h"
#include "axle/gen/patterns.h"

namespace axle {
namespace {

// f32 is the most frequent type of programs. Narrow floats occur in about one chain of seven; their
// code converts at every step.
constexpr ElementType kTypes[] = {F32, F32, F32, F64, F64, F16, BF16};

ElementType AnyType(Body& body) {
  if (body.random().Percent(85)) return body.random().Of(kTypes);
  return body.random().Of({F8E4M3FN, F8E5M2, F8E4M3B11FNUZ, F8E8M0FNU, F4E2M1FN, F6E2M3FN});
}

class FloatChain final : public Chain {
 public:
  FloatChain(Body& body, ChainKind kind) : Chain(body, AnyType(body), kind) {}

 private:
  using Idiom = Instruction* (FloatChain::*)(Instruction* x);

  // Operations and conversions are drawn several times as often as single idioms, so that idioms
  // have something between them.
  Instruction* Next(Instruction* x) override {
    constexpr Idiom kIdioms[] = {
        &FloatChain::Operation,      &FloatChain::Operation,      &FloatChain::Operation,
        &FloatChain::Conversion,     &FloatChain::Conversion,     &FloatChain::ByComparison,
        &FloatChain::ByComparison,   &FloatChain::ByItsSign,      &FloatChain::OfATest,
        &FloatChain::Quotient,       &FloatChain::SumOfProducts,  &FloatChain::Clamped,
        &FloatChain::ThroughAnother, &FloatChain::ThroughAnother, &FloatChain::ByItsBits,
        &FloatChain::ByItsBits,      &FloatChain::ByItsBits,
    };
    return (this->*random_.Of(kIdioms))(x);
  }

  Instruction* Operation(Instruction* x) {
    constexpr Opcode kOps[] = {Opcode::kAdd,     Opcode::kSubtract, Opcode::kMultiply,
                               Opcode::kMaximum, Opcode::kMinimum,  Opcode::kDivide};
    constexpr Opcode kUnary[] = {Opcode::kNegate,          Opcode::kAbs,  Opcode::kSign,
                                 Opcode::kFloor,           Opcode::kCeil, Opcode::kRoundNearestEven,
                                 Opcode::kRoundNearestAfz, Opcode::kSqrt};
    if (random_.Percent(40)) return body_.Add(random_.Of(kUnary), {x});
    Instruction* const other = Other(x->shape().type());
    const Opcode op = random_.Of(kOps);
    return random_.Percent(50) ? body_.Add(op, {x, other}) : body_.Add(op, {other, x});
  }

  // Conversions of a chain go through every width: matchers look through extensions and
  // truncations.
  Instruction* Conversion(Instruction* x) { return body_.Convert(x, AnyType(body_)); }

  // x < y ? x : y, in any direction and order.
  Instruction* ByComparison(Instruction* x) {
    Instruction* const y = Other(x->shape().type());
    const bool is_swapped = random_.Percent(50);
    Instruction* const test = Compared(x, y);
    return body_.Add(Opcode::kSelect, {test, is_swapped ? y : x, is_swapped ? x : y});
  }

  // |x| by comparison with zero, or the sign of one value with the magnitude of another.
  Instruction* ByItsSign(Instruction* x) {
    const ElementType type = x->shape().type();
    Instruction* const negated = random_.Percent(60)
                                     ? body_.Add(Opcode::kNegate, {x})
                                     : body_.Add(Opcode::kSubtract, {Number(type, 0), x});
    if (random_.Percent(30)) {
      Instruction* const other = Other(type);
      return body_.Add(Opcode::kMultiply,
                       {body_.Add(Opcode::kSign, {x}), body_.Add(Opcode::kAbs, {other})});
    }
    Instruction* const zero = Number(type, random_.Of({0.0, 0.0, -0.0, 1.0}));
    Instruction* const test = Compared(x, zero);
    return random_.Percent(50) ? body_.Add(Opcode::kSelect, {test, negated, x})
                               : body_.Add(Opcode::kSelect, {test, x, negated});
  }

  // A test for NaN or finiteness, or combined comparisons, as a number or as the condition of a
  // select.
  Instruction* OfATest(Instruction* x) {
    const ElementType type = x->shape().type();
    const i64 kind = random_.Below(10);
    Instruction* test = kind < 4   ? Compared(x, x)
                        : kind < 6 ? body_.Add(Opcode::kIsFinite, {x})
                                   : Compared(x, Other(type));
    if (random_.Percent(40)) {
      const Opcode op = random_.Of({Opcode::kAnd, Opcode::kOr, Opcode::kXor});
      test = body_.Add(op, {test, Compared(x, Other(type))});
    }
    if (random_.Percent(30)) return body_.Convert(test, type);
    Instruction* const other = Other(type);
    return random_.Percent(50) ? body_.Add(Opcode::kSelect, {test, x, other})
                               : body_.Add(Opcode::kSelect, {test, other, x});
  }

  // x / c, most often for a power of two; x / x; or 1 / x.
  Instruction* Quotient(Instruction* x) {
    const ElementType type = x->shape().type();
    if (random_.Percent(20)) return body_.Add(Opcode::kDivide, {x, x});
    if (random_.Percent(40)) return body_.Add(Opcode::kDivide, {Number(type, 1), x});
    return body_.Add(Opcode::kDivide,
                     {x, Number(type, random_.Of({2.0, 4.0, 0.5, -8.0, 3.0, 7.0, 0x1p-30, 0.0}))});
  }

  // a * b + c, a * b - c * d, -(a * b) - c
  Instruction* SumOfProducts(Instruction* x) {
    const ElementType type = x->shape().type();
    Instruction* lhs = body_.Add(Opcode::kMultiply, {x, Other(type)});
    if (random_.Percent(25)) lhs = body_.Add(Opcode::kNegate, {lhs});
    Instruction* rhs = Other(type);
    if (random_.Percent(30)) rhs = body_.Add(Opcode::kMultiply, {rhs, Other(type)});
    const Opcode op = random_.Of({Opcode::kAdd, Opcode::kSubtract});
    return random_.Percent(60) ? body_.Add(op, {lhs, rhs}) : body_.Add(op, {rhs, lhs});
  }

  // Both forms of a clamp, of which the bounds may cross or be NaN.
  Instruction* Clamped(Instruction* x) {
    const ElementType type = x->shape().type();
    Instruction* const low = Other(type);
    Instruction* const high = Other(type);
    if (random_.Percent(50)) return body_.Add(Opcode::kClamp, {low, x, high});
    return body_.Add(Opcode::kMinimum, {body_.Add(Opcode::kMaximum, {x, low}), high});
  }

  // Converted to another type and back, with an operation in between in two of five cases. Integers
  // saturate and NaN becomes zero, which code generators must not simplify away.
  Instruction* ThroughAnother(Instruction* x) {
    const ElementType type = x->shape().type();
    const ElementType other = random_.Percent(60)
                                  ? random_.Of({S8, U8, S16, U16, S32, U32, S64, U64, PRED, S4})
                                  : AnyType(body_);
    Instruction* value = body_.Convert(x, other);
    if (random_.Percent(40)) {
      const Opcode op = random_.Of({Opcode::kAdd, Opcode::kMultiply, Opcode::kAnd});
      if (Instruction* more = body_.Add(op, {value, AnyNumber(other)})) value = more;
    }
    return body_.Convert(value, random_.Percent(80) ? type : AnyType(body_));
  }

  // Arithmetic on the bits of a float as an integer.
  Instruction* ByItsBits(Instruction* x) {
    const ElementType type = x->shape().type();
    const int bits = Info(type).bits;
    if (bits != 16 && bits != 32 && bits != 64) return nullptr;
    const ElementType integer = bits == 16 ? U16 : bits == 32 ? U32 : U64;
    Instruction* value = body_.Add(Opcode::kBitcastConvert, {x}, Shape(integer, dims_));
    if (is_dense_ && random_.Percent(50)) {
      return FoundLate(body_.Add(Opcode::kBitcastConvert, {SameBits(value)}, Shape(type, dims_)));
    }
    const Opcode op = random_.Of({Opcode::kAnd, Opcode::kXor, Opcode::kOr, Opcode::kAdd,
                                  Opcode::kShiftLeft, Opcode::kShiftRightLogical});
    value = body_.Add(op, {value, AnyNumber(integer)});
    return body_.Add(Opcode::kBitcastConvert, {value}, Shape(type, dims_));
  }

  // A late constant of integer type, computed from `value`.
  Instruction* SameBits(Instruction* value) {
    Instruction* const none = NoBits(value);
    if (random_.Percent(50)) return none;
    return body_.Add(Opcode::kOr, {none, AnyNumber(value->shape().type())});
  }
};

}  // namespace

void DrawFloats(Body& body) {
  FloatChain(body, ChainKind::kPlain).Draw();
}

void DrawDenseFloats(Body& body) {
  FloatChain(body, ChainKind::kDense).Draw();
}

}  // namespace axle

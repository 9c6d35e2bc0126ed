// Idioms of integers, as in fixed-point arithmetic, hashes, packed fields and colours: scaled
// products, saturation, averages, rotations, bit fields, absolute differences, sign masks,
// divisions by constants, sums of products. Processors have an instruction for each, so code
// generators match them. Each method makes one idiom from `x`; the table in Next gives their
// weights.

#include <algorithm>
#include <vector>

#include "axle/gen/chain.h"
#include "axle/gen/patterns.h"

namespace axle {
namespace {

constexpr ElementType kTypes[] = {S8, S16, S32, S64, U8, U16, U32, U64};

ElementType AnyType(Body& body) {
  return body.random().Percent(85) ? body.random().Of(kTypes) : body.AnyType();
}

class IntegerChain final : public Chain {
 public:
  // A dense chain keeps to one to three types: a late constant then meets operands of its own type.
  IntegerChain(Body& body, ChainKind kind) : Chain(body, AnyType(body), kind) {
    const i64 count = is_dense_ ? random_.Between(1, 3) : 0;
    for (i64 i = 0; i < count; ++i) few_types_.push_back(random_.Of(kTypes));
  }

 private:
  using Idiom = Instruction* (IntegerChain::*)(Instruction* x);

  Instruction* Next(Instruction* x) override {
    constexpr Idiom kIdioms[] = {
        &IntegerChain::Operation,     &IntegerChain::Operation,     &IntegerChain::Operation,
        &IntegerChain::Operation,     &IntegerChain::Conversion,    &IntegerChain::Conversion,
        &IntegerChain::Conversion,    &IntegerChain::ScaledProduct, &IntegerChain::ScaledProduct,
        &IntegerChain::Saturated,     &IntegerChain::Average,       &IntegerChain::Rotation,
        &IntegerChain::Field,         &IntegerChain::Distance,      &IntegerChain::ByItsSign,
        &IntegerChain::OfATest,       &IntegerChain::Division,      &IntegerChain::SumOfProducts,
        &IntegerChain::ThroughAFloat, &IntegerChain::Emptied,
    };
    return (this->*random_.Of(kIdioms))(x);
  }

  // Multiplications and left shifts appear twice because most idioms of the instruction sets start
  // with them.
  Instruction* Operation(Instruction* x) {
    constexpr Opcode kOps[] = {Opcode::kMultiply,
                               Opcode::kMultiply,
                               Opcode::kMulhi,
                               Opcode::kAdd,
                               Opcode::kSubtract,
                               Opcode::kAnd,
                               Opcode::kOr,
                               Opcode::kXor,
                               Opcode::kMaximum,
                               Opcode::kMinimum,
                               Opcode::kDivide,
                               Opcode::kRemainder,
                               Opcode::kShiftLeft,
                               Opcode::kShiftLeft,
                               Opcode::kShiftRightArithmetic,
                               Opcode::kShiftRightLogical};
    // Unary operations have instructions of their own or are matched as bit tricks.
    constexpr Opcode kUnary[] = {Opcode::kNot, Opcode::kNegate, Opcode::kAbs, Opcode::kPopcnt,
                                 Opcode::kCountLeadingZeros};
    if (random_.Percent(15)) return body_.Add(random_.Of(kUnary), {x});
    Instruction* const other = Other(x->shape().type());
    const Opcode op = random_.Of(kOps);
    return random_.Percent(80) ? body_.Add(op, {x, other}) : body_.Add(op, {other, x});
  }

  // In a dense chain one of a few types.
  ElementType Type() { return few_types_.empty() ? random_.Of(kTypes) : random_.Of(few_types_); }

  Instruction* Conversion(Instruction* x) {
    return body_.Convert(x, few_types_.empty() ? AnyType(body_) : Type());
  }

  // The type of an intermediate result, mostly a wider one.
  ElementType Wide() {
    if (!few_types_.empty() && random_.Percent(60)) return Type();
    return random_.Of({S16, U16, S32, S32, U32, S64, S64, U64});
  }
  // Mostly the shift that fits the signedness of the type.
  Opcode ShiftRight(ElementType type) {
    const bool is_arithmetic = IsSigned(type) != random_.Percent(25);
    return is_arithmetic ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical;
  }
  Instruction* ShiftedRight(Instruction* value, ElementType type, i64 places) {
    return body_.Add(ShiftRight(type), {value, Number(type, static_cast<double>(places))});
  }

  // narrow(wide(x) * wide(y) >> n)
  Instruction* ScaledProduct(Instruction* x) {
    const ElementType wide = Wide();
    const Opcode op = random_.Percent(70) ? Opcode::kMultiply : Opcode::kMulhi;
    Instruction* product = body_.Add(op, {body_.Convert(x, wide), body_.Convert(Partner(x), wide)});
    if (random_.Percent(25)) product = body_.Add(Opcode::kAdd, {product, AnyNumber(wide)});
    if (random_.Percent(20)) {
      product = body_.Convert(body_.Convert(product, Type()), wide);
    }
    if (random_.Percent(75)) {
      product = ShiftedRight(product, wide, random_.Between(0, Info(wide).bits));
    }
    return body_.Convert(product, Type());
  }

  // Half of the time of the type of x: matchers require operands of one type.
  Instruction* Partner(Instruction* x) {
    return random_.Percent(50) ? Other(x->shape().type()) : random_.Of(made_);
  }

  // narrow(clamp(least, wide(x) + wide(y), most))
  Instruction* Saturated(Instruction* x) {
    const ElementType wide = Wide(), narrow = Type();
    const int bits = std::min<int>(Info(narrow).bits, 32) - (IsSigned(narrow) ? 1 : 0);
    const auto most = static_cast<double>((i64{1} << bits) - 1);
    const double least = IsSigned(narrow) ? -most - 1 : 0;
    Instruction* value = body_.Convert(x, wide);
    if (random_.Percent(60)) {
      const Opcode op = random_.Percent(60) ? Opcode::kAdd : Opcode::kSubtract;
      value = body_.Add(op, {value, body_.Convert(Partner(x), wide)});
    }
    if (random_.Percent(50)) {
      value = body_.Add(Opcode::kClamp, {Number(wide, least), value, Number(wide, most)});
    } else {
      if (random_.Percent(80)) value = body_.Add(Opcode::kMinimum, {value, Number(wide, most)});
      if (random_.Percent(80)) value = body_.Add(Opcode::kMaximum, {value, Number(wide, least)});
    }
    return body_.Convert(value, narrow);
  }

  // narrow(wide(x) + wide(y) + 1 >> 1)
  Instruction* Average(Instruction* x) {
    const ElementType wide = Wide();
    Instruction* sum =
        body_.Add(Opcode::kAdd, {body_.Convert(x, wide), body_.Convert(Partner(x), wide)});
    if (random_.Percent(60)) sum = body_.Add(Opcode::kAdd, {sum, Number(wide, 1)});
    Instruction* const half = ShiftedRight(sum, wide, 1);
    return body_.Convert(half, random_.Percent(60) ? x->shape().type() : Type());
  }

  // x << n | y >> bits - n
  Instruction* Rotation(Instruction* x) {
    const ElementType type = x->shape().type();
    const auto bits = static_cast<double>(Info(type).bits);
    const auto places = static_cast<double>(random_.Between(0, Info(type).bits));
    Instruction* left = Number(type, places);
    Instruction* right = Number(type, bits - places);
    if (random_.Percent(40)) {
      left = Other(type);
      right = body_.Add(Opcode::kSubtract, {Number(type, bits), left});
      if (random_.Percent(50)) {
        left = body_.Add(Opcode::kAnd, {left, Number(type, bits - 1)});
        right = body_.Add(Opcode::kAnd, {right, Number(type, bits - 1)});
      }
    }
    Instruction* const low = random_.Percent(70) ? x : Other(type);
    return body_.Add(random_.Of({Opcode::kOr, Opcode::kXor, Opcode::kAdd}),
                     {body_.Add(Opcode::kShiftLeft, {x, left}),
                      body_.Add(Opcode::kShiftRightLogical, {low, right})});
  }

  // (x >> n) & mask, or x << n >> n
  Instruction* Field(Instruction* x) {
    const ElementType type = x->shape().type();
    Instruction* places = Number(type, static_cast<double>(random_.Below(Info(type).bits)));
    const Opcode right = random_.Of({Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical});
    if (random_.Percent(50)) {
      return body_.Add(Opcode::kAnd, {body_.Add(right, {x, places}), AnyNumber(type)});
    }
    if (random_.Percent(30)) places = Other(type);
    return body_.Add(right, {body_.Add(Opcode::kShiftLeft, {x, places}), places});
  }

  // |wide(x) - wide(y)|, the greater minus the smaller, and one of both differences
  Instruction* Distance(Instruction* x) {
    const ElementType wide = random_.Percent(70) ? Wide() : x->shape().type();
    Instruction* const a = body_.Convert(x, wide);
    Instruction* const b = body_.Convert(Partner(x), wide);
    Instruction* const distance = DistanceOf(a, b);
    return body_.Convert(distance, Type());
  }

  // The three usual ways to write an absolute difference, each of which LLVM recognizes by itself.
  Instruction* DistanceOf(Instruction* a, Instruction* b) {
    switch (random_.Below(3)) {
      case 0:
        return body_.Add(Opcode::kAbs, {body_.Add(Opcode::kSubtract, {a, b})});
      case 1:
        return body_.Add(Opcode::kSubtract, {body_.Add(Opcode::kMaximum, {a, b}),
                                             body_.Add(Opcode::kMinimum, {a, b})});
      default:
        return body_.Add(Opcode::kSelect, {Compared(a, b), body_.Add(Opcode::kSubtract, {a, b}),
                                           body_.Add(Opcode::kSubtract, {b, a})});
    }
  }

  // Chosen by the sign of x, or with its sign spread over all bits.
  Instruction* ByItsSign(Instruction* x) {
    const ElementType type = x->shape().type();
    Instruction* const other = Other(type);
    if (random_.Percent(50)) {
      Instruction* sign =
          body_.Add(Opcode::kShiftRightArithmetic, {x, Number(type, Info(type).bits - 1.0)});
      return body_.Add(random_.Of({Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kAdd}),
                       {sign, other});
    }
    Instruction* const negated =
        random_.Percent(50) ? body_.Add(Opcode::kNegate, {x}) : body_.Add(Opcode::kNot, {x});
    Instruction* const limit = Number(type, random_.Of({-1.0, 0.0, 1.0}));
    return body_.Add(Opcode::kSelect,
                     {Compared(x, limit), negated, random_.Percent(60) ? x : other});
  }

  // A select by bits of x, or a comparison as a number.
  Instruction* OfATest(Instruction* x) {
    const ElementType type = x->shape().type();
    Instruction* const mask = Other(type);
    Instruction* const bits = body_.Add(Opcode::kAnd, {x, mask});
    Instruction* const number = random_.Percent(50) ? Number(type, 0) : mask;
    Instruction* test = Compared(random_.Percent(70) ? bits : x, number);
    if (random_.Percent(30)) {
      const Opcode op = random_.Of({Opcode::kAnd, Opcode::kOr, Opcode::kXor});
      test = body_.Add(op, {test, Compared(x, Other(type))});
    }
    return random_.Percent(40) ? body_.Convert(test, Type())
                               : body_.Add(Opcode::kSelect, {test, Other(type), Other(type)});
  }

  // Divisions by constants become multiplications by an inverse; the constant may be zero or -1,
  // whose results are defined (docs/numerics.md).
  Instruction* Division(Instruction* x) {
    const Opcode op = random_.Percent(60) ? Opcode::kDivide : Opcode::kRemainder;
    return body_.Add(op, {x, AnyNumber(x->shape().type())});
  }

  // wide(a) * wide(b) + wide(c) * wide(d)
  Instruction* SumOfProducts(Instruction* x) {
    const ElementType wide = Wide();
    const auto product = [&](Instruction* factor) {
      return body_.Add(Opcode::kMultiply,
                       {body_.Convert(factor, wide), body_.Convert(Partner(factor), wide)});
    };
    const Opcode op = random_.Percent(75) ? Opcode::kAdd : Opcode::kSubtract;
    return body_.Add(op, {product(x), product(random_.Of(made_))});
  }

  // A late constant: a value that is the same for every x, or its sign, and values derived from it.
  Instruction* Emptied(Instruction* x) {
    const ElementType type = x->shape().type();
    if (Info(type).bits < 2) return nullptr;
    Instruction* const none = None(x);
    switch (random_.Below(4)) {
      case 0:
        return FoundLate(none);
      case 1:
        return FoundLate(body_.Add(Opcode::kAdd, {none, AnyNumber(type)}));
      default:
        return FoundLate(body_.Add(
            random_.Of({Opcode::kCountLeadingZeros, Opcode::kNot, Opcode::kNot}), {none}));
    }
  }

  // Zero from x; in dense chains also 0 / x (-1 where x is 0) or the sign of x.
  Instruction* None(Instruction* x) {
    const ElementType type = x->shape().type();
    switch (is_dense_ ? random_.Below(5) : 0) {
      case 1:
        return body_.Add(Opcode::kDivide, {Number(type, 0), x});
      case 2:
        return body_.Add(Opcode::kShiftRightArithmetic, {x, Number(type, Info(type).bits - 1.0)});
      default:
        return NoBits(x);
    }
  }

  // Converted to a float, and from there to an integer.
  Instruction* ThroughAFloat(Instruction* x) {
    const ElementType type = random_.Of({F32, F32, F64, F16, BF16});
    Instruction* value = body_.Convert(x, type);
    if (random_.Percent(50)) {
      const Opcode op = random_.Of({Opcode::kMultiply, Opcode::kAdd, Opcode::kMaximum});
      value = body_.Add(op, {value, AnyNumber(type)});
    }
    return body_.Convert(value, Type());
  }

  std::vector<ElementType> few_types_;  // empty: all types
};

}  // namespace

void DrawIntegers(Body& body) {
  IntegerChain(body, ChainKind::kPlain).Draw();
}

void DrawDenseIntegers(Body& body) {
  IntegerChain(body, ChainKind::kDense).Draw();
}

}  // namespace axle

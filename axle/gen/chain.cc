// Chains grow by one idiom at a time, mostly from the newest value. In a dense chain a quarter of
// the steps start from a late constant: NoBits makes a zero that simplification does not see, for
// example x >> n >> (bits - n), and FoundLate remembers it as an operand for later steps. At the
// end of three in ten chains the last value is reduced.

#include "axle/gen/chain.h"

#include <algorithm>

#include "axle/gen/patterns.h"

namespace axle {

Chain::Chain(Body& body, ElementType type, ChainKind kind)
    : body_(body),
      random_(body.random()),
      dims_(body.AnyDims(0, 2, 200)),
      is_dense_(kind == ChainKind::kDense) {
  made_.push_back(body.Value(Shape(type, dims_)));
}

void Chain::Draw() {
  const i64 least = is_dense_ ? 16 : 3, most = is_dense_ ? 48 : 16;
  // Stops early if the first value was refused; each further step that an operation refuses is
  // skipped.
  for (i64 length = random_.Between(least, most); length > 0 && made_.back() != nullptr; --length) {
    const bool is_late = !found_late_.empty() && random_.Percent(25);
    Instruction* const x = is_late               ? random_.Of(found_late_)
                           : random_.Percent(75) ? made_.back()
                                                 : random_.Of(made_);
    if (Instruction* next = Next(x)) made_.push_back(next);
  }
  // A reduction of the last value: sums of products and of absolute differences have instructions
  // of their own.
  if (!random_.Percent(30) || made_.back() == nullptr || dims_.empty()) return;
  Reduced(body_, made_.back(), {random_.Below(std::ssize(dims_))});
}

Instruction* Chain::Number(ElementType type, double value) {
  return body_.BroadcastTo(body_.Constant(type, value), dims_);
}

Instruction* Chain::AnyNumber(ElementType type) {
  return body_.BroadcastTo(body_.Constant(type), dims_);
}

// A constant or an earlier value. In dense chains nearly half of the operands are late constants,
// so that several of them meet in one expression, which is where code generators have been wrong.
Instruction* Chain::Other(ElementType type) {
  if (!found_late_.empty() && random_.Percent(45)) {
    return body_.Convert(random_.Of(found_late_), type);
  }
  return random_.Percent(55) ? AnyNumber(type) : body_.Convert(random_.Of(made_), type);
}

// There are five ways to a zero, each of which another part of a code generator knows: shifts past
// the width, known bits of a shift, known bits of an extension, a division of zero, and two shifts
// that together move every bit out. The conditions on the width keep the constants within the type.
Instruction* Chain::NoBits(Instruction* integer) {
  const ElementType type = integer->shape().type();
  const i64 bits = Info(type).bits;
  const auto number = [&](i64 value) { return Number(type, static_cast<double>(value)); };
  const bool is_right = random_.Percent(60);
  const Opcode shift = is_right ? Opcode::kShiftRightLogical : Opcode::kShiftLeft;
  const i64 places = random_.Between(1, bits - 1);
  switch (is_dense_ ? random_.Below(5) : 0) {
    case 1:  // a shift by more than the width
      if (bits < 4) break;
      return body_.Add(shift, {integer, number(i64{1} << std::min<i64>(bits - 2, 14))});
    case 2: {  // the bits that a left shift fills in
      const i64 few = std::min<i64>(places, 30);
      Instruction* const shifted = body_.Add(Opcode::kShiftLeft, {integer, number(few)});
      return body_.Add(Opcode::kAnd, {shifted, number((i64{1} << few) - 1)});
    }
    case 3: {  // a zero-extended u8, shifted right by 8
      if (bits <= 8) break;
      Instruction* const narrow = body_.Convert(integer, U8);
      return body_.Add(Opcode::kShiftRightLogical, {body_.Convert(narrow, type), number(8)});
    }
    case 4:
      return body_.Add(Opcode::kDivide, {number(0), body_.Add(Opcode::kOr, {integer, number(1)})});
    default:
      break;
  }
  Instruction* const some = body_.Add(shift, {integer, number(places)});
  return body_.Add(shift, {some, number(bits - places)});
}

Instruction* Chain::FoundLate(Instruction* value) {
  if (is_dense_ && value != nullptr) found_late_.push_back(value);
  return value;
}

Instruction* Chain::Compared(Instruction* lhs, Instruction* rhs) {
  constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kLt,
      ComparisonDirection::kLe, ComparisonDirection::kGt, ComparisonDirection::kGe};
  return body_.AddWith(Opcode::kCompare, {lhs, rhs}, CompareAttrs{random_.Of(kDirections)});
}

}  // namespace axle

#include "axle/gen/chain.h"

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
  for (i64 length = random_.Between(least, most); length > 0 && made_.back() != nullptr; --length) {
    const bool is_late = !found_late_.empty() && random_.Percent(25);
    Instruction* const x = is_late               ? random_.Of(found_late_)
                           : random_.Percent(75) ? made_.back()
                                                 : random_.Of(made_);
    if (Instruction* next = Next(x)) made_.push_back(next);
  }
  if (!random_.Percent(30) || made_.back() == nullptr || dims_.empty()) return;
  Reduced(body_, made_.back(), {random_.Below(std::ssize(dims_))});
}

Instruction* Chain::Number(ElementType type, double value) {
  return body_.BroadcastTo(body_.Constant(type, value), dims_);
}

Instruction* Chain::AnyNumber(ElementType type) {
  return body_.BroadcastTo(body_.Constant(type), dims_);
}

Instruction* Chain::Other(ElementType type) {
  if (!found_late_.empty() && random_.Percent(45)) {
    return body_.Convert(random_.Of(found_late_), type);
  }
  return random_.Percent(55) ? AnyNumber(type) : body_.Convert(random_.Of(made_), type);
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

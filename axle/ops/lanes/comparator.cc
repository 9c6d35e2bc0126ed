// Splits a comparator by data flow. Each operation of the lane program depends on the left element,
// the right one, both or none. Operations of one side go to `keys`, those of both sides to `less`,
// whose inputs are the keys. For less(a, b) = total_order(a) < total_order(b) the keys are one
// program total_order and `less` is a single comparison; FindKey recognises this case. LaneBuilder
// has each operation once, so equal work of both sides becomes one key.

#include "axle/ops/lanes/comparator.h"

#include <algorithm>
#include <map>

#include "axle/emit/lane_builder.h"

namespace axle {
namespace {

class Splitter {
 public:
  // `arrays` maps the operand number to the type of its elements: inputs 2 k and 2 k + 1 are the
  // two sides of operand k.
  explicit Splitter(const LaneProgram& comparator) : from_(comparator) {
    std::map<size_t, LaneArray> arrays;
    for (const LaneOp& op : from_.code) {
      if (op.primitive == Primitive::kInput) arrays[op.input() / 2] = from_.inputs[op.input()];
    }
    for (const auto& [operand, array] : arrays) {
      split_.operands.push_back(operand);
      keys_.AddInput(array);
    }
  }

  // Operations come in the order of the program, so that operands are added before their readers.
  SplitComparator Run() && {
    for (const LaneOp& op : from_.code) Add(op);
    const Lane results[] = {InLess(from_.results[0])};
    split_.less = std::move(less_).Finish(results);
    split_.keys = std::move(keys_).Finish(outputs_);
    return std::move(split_);
  }

 private:
  // The elements that a value depends on.
  enum Sides : std::uint8_t { kNone = 0, kLeft = 1, kRight = 2, kBoth = 3 };

  // An operation that depends on neither side goes into both programs.
  void Add(const LaneOp& op) {
    int sides = kNone;
    if (op.primitive == Primitive::kInput) sides = op.input() % 2 == 0 ? kLeft : kRight;
    const std::span<const LaneId> operands = op.taken();
    for (const LaneId operand : operands) sides |= sides_[operand];
    sides_.push_back(static_cast<Sides>(sides));
    in_keys_.push_back({});
    in_less_.push_back({});
    if (op.primitive == Primitive::kInput) {
      const auto input = std::ranges::find(split_.operands, op.input() / 2);
      in_keys_.back() = keys_.Part(static_cast<int>(input - split_.operands.begin()),
                                   static_cast<int>(op.part()));
      return;
    }
    if (sides != kBoth)
      in_keys_.back() = keys_.Emit(With(op, [&](LaneId id) { return in_keys_[id]; }));
    if (sides == kBoth || sides == kNone) {
      in_less_.back() = less_.Emit(With(op, [&](LaneId id) { return InLess(id); }));
    }
  }

  // The operation with its operands replaced.
  template <typename LaneOf>
  static LaneOp With(LaneOp op, const LaneOf& lane_of) {
    for (int k = 0; k < Arity(op.primitive); ++k) op.operands[k] = lane_of(op.operands[k]).id;
    return op;
  }

  // The value in `less`: an input if one side computes it, that is, a key.
  Lane InLess(LaneId id) {
    if (sides_[id] == kNone || sides_[id] == kBoth) return in_less_[id];
    // One key serves both sides: the left and the right value of an operation are computed by the
    // same program on different elements.
    const auto [key, is_new] = inputs_.emplace(in_keys_[id].id, outputs_.size());
    if (is_new) {
      outputs_.push_back(in_keys_[id]);
      for (int side = 0; side < 2; ++side) less_.AddInput({in_keys_[id].type()});
    }
    return less_.Part(2 * static_cast<int>(key->second) + (sides_[id] == kRight ? 1 : 0));
  }

  const LaneProgram& from_;
  SplitComparator split_;
  LaneBuilder keys_, less_;
  std::vector<Lane> outputs_;        // of the keys
  std::map<LaneId, size_t> inputs_;  // operation of the keys -> output number
  // By operation of the comparator:
  std::vector<Sides> sides_;
  std::vector<Lane> in_keys_, in_less_;
};

}  // namespace

SplitComparator Split(const LaneProgram& comparator) {
  return Splitter(comparator).Run();
}

// Comparators of one key, in either direction. All others run as programs of both sides.
std::optional<KeyedComparator> FindKey(const LaneProgram& comparator) {
  SplitComparator split = Split(comparator);
  if (split.operands.size() != 1 || split.keys.results.size() != 1) return std::nullopt;
  const LaneOp& op = split.less.code[split.less.results[0]];
  if (op.primitive != Primitive::kLt && op.primitive != Primitive::kLe) return std::nullopt;
  const LaneOp& less = split.less.code[op.operands[0]];
  const LaneOp& greater = split.less.code[op.operands[1]];
  if (less.primitive != Primitive::kInput || greater.primitive != Primitive::kInput) {
    return std::nullopt;
  }
  return KeyedComparator{.operand = split.operands[0],
                         .key = std::move(split.keys),
                         .or_equal = op.primitive == Primitive::kLe,
                         .descending = less.input() == 1};
}

}  // namespace axle

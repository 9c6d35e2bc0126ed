// Simplifies while loops. Example:
//
//   state (i, x, w, unused), init (0, x0, w0, u0)         state (i, x, v), init (0, x0, negate(w0))
//   body  (i + 1, x * negate(w), w, unused + 1)      ->   body  (i + 1, x * v, v)
//
// 1. TripCount matches a counter with constant start, step and limit. A loop of no iterations is
//    its initial state, one of a single iteration a call.
// 2. The elements of the state are classified. Kept: the body returns the element as it got it; it
//    is read from outside after the loop, and if its initial value is a constant it is sunk into
//    condition and body. Needed: read by the condition, or after the loop and not kept, or by what
//    a needed element is computed from (a work list to a fixed point). The rest is dropped.
// 3. Instructions of the body on kept elements alone are hoisted, if they cannot fail, call nothing
//    and give no more bytes than they read, so that the state does not grow.
//
// Condition and body are copied for the new state (Shrunk). Preconditions: no effect or annotation
// on the loop, and state tuples that condition and body only take apart (PartsOf). The time is
// linear in the size of condition and body.

#include "axle/passes/loops.h"

#include <algorithm>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/passes/dce.h"
#include "axle/passes/simplify/rule.h"

namespace axle {
namespace {

// The index if `inst` is a get-tuple-element of `tuple`, otherwise -1.
i64 ElementOf(const Instruction& inst, const Instruction& tuple) {
  return IsTupleElement(inst) && inst.operand(0) == &tuple ? inst.attrs<TupleIndexAttrs>().index
                                                           : -1;
}

// The counter of a loop: state element `element` against a limit.
struct Counter {
  i64 element = 0;
  ElementType type = S32;
  i64 start = 0;
  i64 step = 0;
  i64 limit = 0;
  ComparisonDirection direction = ComparisonDirection::kLt;
};

ComparisonDirection Mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    default:
      return direction;
  }
}

// The value of a scalar integer that is known for the whole loop: a constant, or an element of the
// state that starts as one and that the body does not change.
std::optional<i64> Known(const Instruction& inst, const Instruction& loop) {
  if (!inst.shape().is_scalar() || !IsInteger(inst)) return {};
  if (const auto value = UniformInteger(inst)) return value;
  const Instruction &init = *loop.operand(0), &body_root = *loop.callee(1)->root();
  const i64 element = ElementOf(inst, *loop.callee(0)->parameters()[0]);
  if (element < 0 || !IsTuple(init) || !IsTuple(body_root)) return {};
  const bool is_kept =
      ElementOf(*body_root.operand(element), *loop.callee(1)->parameters()[0]) == element;
  return is_kept ? UniformInteger(*init.operand(element)) : std::nullopt;
}

std::optional<Counter> FindCounter(const Instruction& loop) {
  const Instruction& init = *loop.operand(0);
  const Instruction& compare = *loop.callee(0)->root();
  const Instruction& body_root = *loop.callee(1)->root();
  if (!IsTuple(init) || !IsTuple(body_root) || !Is(compare, Opcode::kCompare)) return {};
  for (const i64 side : {0, 1}) {
    Counter counter;
    counter.element = ElementOf(*compare.operand(side), *loop.callee(0)->parameters()[0]);
    const auto limit = Known(*compare.operand(1 - side), loop);
    if (counter.element < 0 || !limit) continue;
    const auto start = UniformInteger(*init.operand(counter.element));
    const Instruction& next = *body_root.operand(counter.element);
    if (!start || !next.shape().is_scalar() || !Is(next, Opcode::kAdd)) continue;
    for (const i64 addend : {0, 1}) {
      const auto step = UniformInteger(*next.operand(addend));
      const i64 added_to = ElementOf(*next.operand(1 - addend), *loop.callee(1)->parameters()[0]);
      if (!step || added_to != counter.element) continue;
      counter.type = TypeOf(next);
      counter.start = *start;
      counter.step = *step;
      counter.limit = *limit;
      counter.direction = compare.attrs<CompareAttrs>().direction;
      if (side == 1) counter.direction = Mirrored(counter.direction);
      return counter;
    }
  }
  return {};
}

}  // namespace

std::optional<i64> TripCount(const Instruction& loop) {
  const std::optional<Counter> counter = FindCounter(loop);
  if (!counter) return {};
  const ElementTypeInfo& info = Info(counter->type);
  for (const i64 value : {counter->start, counter->step, counter->limit}) {
    // Far from where i64 ends, so that nothing below overflows.
    constexpr i64 kFar = i64{1} << 61;
    if (value < (IsSigned(counter->type) ? -kFar : 0) || value > kFar) return {};
  }
  const bool is_signed = IsSigned(counter->type);
  const int bits = std::min(info.bits, 62);
  const i64 lowest = is_signed ? -(i64{1} << (bits - 1)) : 0;
  const i64 highest = is_signed ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  const auto [element, type, start, step, limit, direction] = *counter;
  // The loop goes on while the counter is in [from, to].
  i64 from = lowest, to = highest;
  switch (direction) {
    case ComparisonDirection::kLt:
      to = limit - 1;
      break;
    case ComparisonDirection::kLe:
      to = limit;
      break;
    case ComparisonDirection::kGt:
      from = limit + 1;
      break;
    case ComparisonDirection::kGe:
      from = limit;
      break;
    case ComparisonDirection::kEq:
      from = to = limit;
      break;
    case ComparisonDirection::kNe:
      if (start == limit) return 0;
      // The counter must hit the limit exactly.
      if (step == 0 || (limit - start) % step != 0 || (limit - start) / step < 0) return {};
      return (limit - start) / step;
  }
  if (start < from || start > to) return 0;
  if (step == 0) return {};
  const i64 last =
      step > 0 ? start + (to - start) / step * step : start - (start - from) / -step * -step;
  const i64 past = last + step;                    // the first value that is out of the range
  if (past < lowest || past > highest) return {};  // or it wraps
  return (last - start) / step + 1;
}

namespace {

// The state parameter of a condition or body and all its reads.
struct LoopParts {
  const Instruction* parameter = nullptr;
  std::vector<const Instruction*> reads;  // get-tuple-elements of it
};

// Nothing if the computation does more with its parameter than take it apart.
std::optional<LoopParts> PartsOf(const HloComputation& computation) {
  LoopParts parts = {computation.parameters()[0], {}};
  if (computation.root() == parts.parameter) return {};
  for (const Use* use = parts.parameter->first_use(); use != nullptr; use = use->next) {
    if (!IsTupleElement(*use->user) || HasAnnotations(*use->user)) return {};
    parts.reads.push_back(use->user);
  }
  // Uses are in no particular order.
  std::ranges::sort(parts.reads, {}, &Instruction::index);
  return parts;
}

class LoopSimplification : public Rebuilder, private Maker {
 public:
  LoopSimplification(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (!Is(inst, Opcode::kWhile) || IsPinned(inst)) return Copy(inst);
    replaced_ = &inst;
    Instruction* const copy = Copy(inst);
    Instruction* const made = Simplify(inst, *copy);
    if (made == nullptr) return copy;
    ++context_.changes;
    return made;
  }

  // `loop` is the copy of `old`; null if there is nothing to do.
  Instruction* Simplify(const Instruction& old, Instruction& loop) {
    Instruction* const init = loop.operand(0);
    HloComputation *condition = loop.callee(0), *body = loop.callee(1);
    if (init->shape() != loop.shape() || body->root()->shape() != loop.shape()) return nullptr;
    const auto always = UniformInteger(*condition->root());
    const auto count = always && *always == 0 ? std::optional<i64>(0) : TripCount(loop);
    if (count == 0) return init;
    if (body->parameters()[0]->shape() != loop.shape() ||
        condition->parameters()[0]->shape() != loop.shape()) {
      return nullptr;
    }
    if (count == 1) {
      const AttrSchema& schema = GetOpDef(Opcode::kCall).attrs;
      Instruction* operand = init;
      return Add(Opcode::kCall, loop.shape(), {&operand, 1}, {schema, schema.create()}, {&body, 1});
    }
    const auto condition_parts = PartsOf(*condition), body_parts = PartsOf(*body);
    const bool fits = IsTuple(*init) && IsTuple(*body->root()) && condition_parts && body_parts &&
                      !HasAnnotations(*body->root());
    return fits ? Shrink(old, loop, *condition_parts, *body_parts) : nullptr;
  }

  // The loop with the needed elements of its state, or null if nothing can be dropped or hoisted.
  Instruction* Shrink(const Instruction& old, Instruction& loop, const LoopParts& condition_parts,
                      const LoopParts& body_parts) {
    const Instruction &init = *loop.operand(0), &body_root = *loop.callee(1)->root();
    const auto size = static_cast<size_t>(init.num_operands());
    std::vector<bool> is_kept(size), is_sunk(size), is_needed(size);
    for (size_t i = 0; i < size; ++i) {
      const auto n = static_cast<i64>(i);
      is_kept[i] = ElementOf(*body_root.operand(n), *body_parts.parameter) == n;
      is_sunk[i] = is_kept[i] && IsConstant(*init.operand(n));
    }
    std::vector<i64> work;
    const auto need = [&](i64 element) {
      if (element < 0 || is_sunk[element] || is_needed[element]) return;
      is_needed[element] = true;
      work.push_back(element);
    };
    // After the loop: unchanged elements are read from outside.
    bool is_read_whole = old.parent()->root() == &old;
    for (const Use* use = old.first_use(); use != nullptr; use = use->next) {
      const i64 element = ElementOf(*use->user, old);
      is_read_whole |= element < 0;
      if (element >= 0 && !is_kept[element]) need(element);
    }
    for (size_t i = 0; is_read_whole && i < size; ++i) {
      if (!is_kept[i]) need(static_cast<i64>(i));
    }
    for (const Instruction* read : condition_parts.reads) {
      need(ElementOf(*read, *condition_parts.parameter));
    }
    // In the body: whatever needed elements are computed from.
    Hoisted hoisted = FindHoisted(loop, body_parts, is_kept, is_sunk);
    const std::vector<bool> live = LiveInBody(loop, body_parts, hoisted, work, need);
    std::erase_if(hoisted.results, [&](const Instruction* inst) { return !live[inst->index()]; });
    const auto dropped = static_cast<size_t>(std::ranges::count(is_needed, false));
    if (dropped == size || (dropped == 0 && hoisted.results.empty())) return nullptr;

    std::vector<i64> position(size, -1);
    std::vector<Instruction*> elements;
    Shape state;
    for (size_t i = 0; i < size; ++i) {
      if (!is_needed[i]) continue;
      position[i] = static_cast<i64>(elements.size());
      elements.push_back(init.operand(static_cast<i64>(i)));
      state.AddElement(elements.back()->shape());
    }
    for (Instruction* result : Hoist(hoisted, body_parts, init)) {
      elements.push_back(result);
      state.AddElement(result->shape());
    }
    HloComputation* const condition =
        Shrunk(*loop.callee(0), condition_parts, init, state, position, /*live=*/nullptr, {});
    HloComputation* const body =
        Shrunk(*loop.callee(1), body_parts, init, state, position, &live, hoisted);
    Instruction* const new_init = Maker::Make(Opcode::kTuple, state, elements);
    HloComputation* callees[] = {condition, body};
    const AttrSchema& schema = GetOpDef(loop).attrs;
    Instruction* operand = new_init;
    Instruction* const shrunk =
        Add(loop.opcode(), state, {&operand, 1}, {schema, schema.create()}, callees);
    std::vector<Instruction*> results;
    for (size_t i = 0; i < size; ++i) {
      const auto n = static_cast<i64>(i);
      // Unchanged, or not read by anybody.
      const bool from_outside = is_kept[i] || position[i] < 0;
      results.push_back(from_outside
                            ? init.operand(n)
                            : Maker::Make(Opcode::kGetTupleElement, init.operand(n)->shape(),
                                          {shrunk}, TupleIndexAttrs{position[i]}));
    }
    return Maker::Make(Opcode::kTuple, loop.shape(), results);
  }

  // Loop-invariant code: instructions of the body on unchanged elements and constants alone.
  struct Hoisted {
    std::vector<const Instruction*> instructions;  // operands first; constants are among them
    std::vector<const Instruction*> results;       // those of them that the rest of the body reads
    std::vector<bool> contains;                    // by index: in front of the loop, not in it
  };

  // Worth it are instructions that give no more bytes than they read, cannot fail, and call
  // nothing.
  bool IsWorthHoisting(const Instruction& inst) const {
    if (inst.num_operands() == 0 || !inst.shape().is_array() || !IsFoldable(inst) ||
        !inst.callees().empty() || HasAnnotations(inst) || IsDynamic(inst)) {
      return false;
    }
    // It is a part of the tuple, however large that is.
    if (IsTupleElement(inst)) return true;
    i64 bytes = 0;
    for (i64 i = 0; i < inst.num_operands(); ++i) bytes += inst.operand(i)->shape().num_bytes();
    return inst.shape().num_bytes() <= bytes;
  }

  Hoisted FindHoisted(const Instruction& loop, const LoopParts& body_parts,
                      const std::vector<bool>& is_kept, const std::vector<bool>& is_sunk) const {
    Hoisted hoisted;
    const HloComputation& body = *loop.callee(1);
    const size_t size = body.instructions().size();
    std::vector<bool> is_unchanged(size), is_tied(size);
    std::vector<bool>& is_hoisted = hoisted.contains;
    is_hoisted.resize(size);
    for (const Instruction* inst : body.instructions()) {
      if (inst->extras() == nullptr) continue;
      for (const Instruction* before : inst->extras()->control_predecessors) {
        is_tied[before->index()] = true;
      }
    }
    for (const Instruction* inst : body.instructions()) {
      if (is_tied[inst->index()]) continue;
      const i64 element = ElementOf(*inst, *body_parts.parameter);
      bool from_state = false, unchanged = true;
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        unchanged &= is_unchanged[inst->operand(i)->index()];
        from_state |= !IsConstant(*inst->operand(i));
      }
      if (IsConstant(*inst) && inst->shape().is_array()) {
        is_unchanged[inst->index()] = true;
      } else if (element >= 0) {
        is_unchanged[inst->index()] = is_kept[element] && !is_sunk[element];
      } else if (unchanged && from_state && IsWorthHoisting(*inst)) {
        is_unchanged[inst->index()] = is_hoisted[inst->index()] = true;
      }
    }
    for (const Instruction* inst : body.instructions()) {
      if (IsConstant(*inst) && is_unchanged[inst->index()]) hoisted.instructions.push_back(inst);
      if (!is_hoisted[inst->index()]) continue;
      hoisted.instructions.push_back(inst);
      hoisted.results.push_back(inst);
    }
    return hoisted;
  }

  // Copies the hoisted instructions to before the loop and returns their results.
  std::vector<Instruction*> Hoist(const Hoisted& hoisted, const LoopParts& body_parts,
                                  const Instruction& init) {
    if (hoisted.results.empty()) return {};
    std::unordered_map<const Instruction*, Instruction*> copies;
    for (const Instruction* read : body_parts.reads) {
      copies[read] = init.operand(ElementOf(*read, *body_parts.parameter));
    }
    CopyAll(hoisted.instructions, /*rename=*/true, copies);
    std::vector<Instruction*> results;
    for (const Instruction* inst : hoisted.results) results.push_back(copies.at(inst));
    return results;
  }

  // Marks what the needed elements of the body's result are computed from in the body, and needs
  // the elements that it reads.
  template <typename Need>
  std::vector<bool> LiveInBody(const Instruction& loop, const LoopParts& body_parts,
                               const Hoisted& hoisted, std::vector<i64>& elements,
                               const Need& need) {
    const Instruction& root = *loop.callee(1)->root();
    std::vector<bool> live(loop.callee(1)->instructions().size());
    std::vector<const Instruction*> work;
    const auto mark = [&](const Instruction* inst) {
      if (live[inst->index()]) return;
      live[inst->index()] = true;
      work.push_back(inst);
    };
    while (!elements.empty()) {
      const i64 element = elements.back();
      elements.pop_back();
      mark(root.operand(element));
      while (!work.empty()) {
        const Instruction* inst = work.back();
        work.pop_back();
        if (hoisted.contains[inst->index()]) continue;
        need(ElementOf(*inst, *body_parts.parameter));
        for (i64 i = 0; i < inst->num_operands(); ++i) mark(inst->operand(i));
        if (inst->extras() == nullptr) continue;
        for (const Instruction* before : inst->extras()->control_predecessors) mark(before);
      }
    }
    return live;
  }

  // The computation on the new state: the elements with a position, then what was hoisted. Of a
  // body (with `live`), the result is the new state too.
  HloComputation* Shrunk(const HloComputation& from, const LoopParts& parts,
                         const Instruction& init, const Shape& state,
                         const std::vector<i64>& position, const std::vector<bool>* live,
                         const Hoisted& hoisted) {
    Suspend(from.name());
    to()->set_execution_thread(from.execution_thread());
    Instruction* const parameter = Maker::Make(Opcode::kParameter, state, {}, ParameterAttrs{0});
    to()->set_parameters({parameter});
    std::unordered_map<const Instruction*, Instruction*> copies = {{parts.parameter, parameter}};
    for (const Instruction* read : parts.reads) {
      const i64 element = ElementOf(*read, *parts.parameter);
      if (position[element] >= 0) {
        copies[read] = Maker::Make(Opcode::kGetTupleElement, read->shape(), {parameter},
                                   TupleIndexAttrs{position[element]});
      } else if (IsConstant(*init.operand(element))) {
        const Instruction* constant = init.operand(element);
        copies[read] = Add(constant->opcode(), constant->shape(), {}, constant->attr_block(), {});
      }
    }
    auto next = static_cast<i64>(std::ranges::count_if(position, [](i64 p) { return p >= 0; }));
    std::vector<Instruction*> unchanged;
    for (const Instruction* inst : hoisted.results) {
      unchanged.push_back(Maker::Make(Opcode::kGetTupleElement, inst->shape(), {parameter},
                                      TupleIndexAttrs{next++}));
      copies[inst] = unchanged.back();
    }
    std::vector<const Instruction*> rest;
    for (const Instruction* inst : from.instructions()) {
      const bool is_there =
          live == nullptr || ((*live)[inst->index()] && !hoisted.contains[inst->index()]);
      const bool is_wanted = is_there && ElementOf(*inst, *parts.parameter) < 0;
      if (is_wanted) rest.push_back(inst);
    }
    CopyAll(rest, /*rename=*/false, copies);
    if (live == nullptr) {
      to()->set_root(copies.at(from.root()));
      return Resume();
    }
    std::vector<Instruction*> results;
    for (size_t i = 0; i < position.size(); ++i) {
      if (position[i] >= 0) results.push_back(copies.at(from.root()->operand(static_cast<i64>(i))));
    }
    results.insert(results.end(), unchanged.begin(), unchanged.end());
    Maker::Make(Opcode::kTuple, state, results);
    return Resume();
  }

  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }

  PassContext& context_;
  const Instruction* replaced_ = nullptr;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> SimplifyLoops(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> simpler, LoopSimplification(module, context).Run());
  if (context.changes == 0) return simpler;
  return RemoveDeadCode(*simpler, context.limits);
}

}  // namespace axle

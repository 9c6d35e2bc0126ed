// Base class of passes that replace an instruction by a loop over slices.
#pragma once
#include <functional>
#include <vector>

#include "axle/passes/dce.h"
#include "axle/passes/pass.h"
#include "axle/passes/rebuild.h"
#include "axle/passes/simplify/rule.h"

namespace axle {

class LoopMaker : public Rebuilder, protected Maker {
 public:
  LoopMaker(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 protected:
  // The replacement of `inst`, which is not tied (Rebuilder::IsTied), or null.
  virtual Instruction* Replacement(const Instruction& inst) = 0;

  // The initial counter of a loop of `num_turns` iterations.
  Instruction* Counter(i64 num_turns, bool is_reverse = false);
  // A loop whose state is a counter and other values. `turn` gets the elements of the state in the
  // body, and replaces those that it changes, but for the counter.
  using Turn = std::function<void(std::vector<Instruction*>& elements)>;
  Instruction* Loop(const std::vector<Instruction*>& state, i64 num_turns, const Turn& turn,
                    bool is_reverse = false);

  // Slice `i` along `dim`, as an array of this shape; and the array with another one there.
  Instruction* SliceAt(Instruction* array, i64 dim, Instruction* i, const Shape& shape);
  Instruction* WithSlice(Instruction* array, i64 dim, Instruction* slice, Instruction* i);
  // The same for an array of one dimension and its elements.
  Instruction* ElementAt(Instruction* line, Instruction* i) {
    return SliceAt(line, 0, i, Shape(line->shape().type()));
  }
  Instruction* WithElement(Instruction* line, Instruction* scalar, Instruction* i) {
    return WithSlice(line, 0, scalar, i);
  }
  Instruction* Call(HloComputation& callee, const std::vector<Instruction*>& arguments);
  Instruction* Element(Instruction* tuple, i64 i) {
    return Make(Opcode::kGetTupleElement, tuple->shape().element(i), {tuple}, TupleIndexAttrs{i});
  }
  Instruction* Zeros(const Shape& shape) { return Uniform(shape, Literal(Shape(shape.type()))); }

  using Maker::Make;
  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override;
  Instruction* Parameter(const Shape& shape);
  void AddStarts(i64 rank, i64 dim, Instruction* i, std::vector<Instruction*>& operands);

  PassContext& context_;
  const Instruction* replaced_ = nullptr;
};

// Runs `Pass` until it changes nothing. An applied computation is frozen, so instructions inside it
// are reached only in the next run, when a loop calls it.
template <typename Pass>
StatusOr<std::unique_ptr<Module>> ReplaceAll(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> replaced, Pass(module, context).Run());
  for (i64 before = 0; before != context.changes;) {
    before = context.changes;
    AXLE_ASSIGN(replaced, RemoveDeadCode(*replaced, context.limits));
    AXLE_ASSIGN(replaced, Pass(*replaced, context).Run());
  }
  return replaced;
}

}  // namespace axle

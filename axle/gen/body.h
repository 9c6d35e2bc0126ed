// Body: a computation that is being generated: the values that exist, and ways to get others.
//
// Instructions are added by trial: what a row's `infer` refuses is taken back, so the rules of
// operations stand in one place. A recipe asks for operands by shape and gets values that other
// instructions use too, adapted by movements of elements, or fresh ones.
#pragma once
#include <string>
#include <vector>

#include "axle/gen/random.h"
#include "axle/ops/op_def.h"

namespace axle {

// State that the bodies of one module share.
struct GeneratorState {
  GeneratorState(std::string name, Random stream)
      : module(std::move(name)), random(stream), layout_random(stream) {}

  Module module;
  Random random;
  // Layouts have a stream of their own, so that an argument that adds an instruction draws nothing
  // that another argument of the same call might draw first.
  Random layout_random;
  int next_name = 0;
  std::int64_t work = 0;  // elements that a run computes, roughly; trip counts multiply
  std::int64_t work_limit = 100'000;
  bool is_large = false;  // shapes of many elements, few instructions
  bool is_dynamic = false;
  bool has_layouts = false;  // of arrays in the middle of the program
};

// The shape with random orders of the dimensions of its arrays.
Shape WithAnyLayout(Random& random, const Shape& shape);

class Body {
 public:
  // `weight`: how often it runs for each run of the entry. `depth`: of calls above it.
  Body(GeneratorState& state, HloComputation* computation, int depth, i64 weight = 1)
      : state_(state), computation_(computation), depth_(depth), weight_(weight) {}
  // A computation that this one will call, with these parameters.
  Body Nested(std::span<const Shape> parameters, i64 weight = 1);

  Random& random() { return state_.random; }
  GeneratorState& state() { return state_; }
  HloComputation* computation() { return computation_; }
  int depth() const { return depth_; }
  bool is_entry() const { return depth_ == 0; }
  bool HasRoom() const { return state_.work < state_.work_limit; }
  const Status& refusal() const { return refusal_; }  // the last one

  // The instruction with the shape that its row infers; null if the row refuses it. `declared` is
  // for ops that need it.
  Instruction* Add(Opcode opcode, std::span<Instruction* const> operands, AttrBlock attrs,
                   std::span<HloComputation* const> callees = {}, const Shape& declared = {});
  Instruction* Add(Opcode opcode, std::initializer_list<Instruction*> operands,
                   const Shape& declared = {}) {
    return Add(opcode, std::span(operands.begin(), operands.size()), {}, {}, declared);
  }
  template <typename Attrs>
  Instruction* AddWith(Opcode opcode, std::span<Instruction* const> operands, Attrs attrs,
                       std::span<HloComputation* const> callees = {}, const Shape& declared = {}) {
    return Add(opcode, operands,
               AttrBlock{GetOpDef(opcode).attrs, std::make_shared<const Attrs>(std::move(attrs))},
               callees, declared);
  }
  template <typename Attrs>
  Instruction* AddWith(Opcode opcode, std::initializer_list<Instruction*> operands, Attrs attrs,
                       std::initializer_list<HloComputation*> callees = {},
                       const Shape& declared = {}) {
    return AddWith(opcode, std::span(operands.begin(), operands.size()), std::move(attrs),
                   std::span(callees.begin(), callees.size()), declared);
  }

  // Shapes. At most `max_elements`; 0 stands for what the module allows.
  i64 AnySize();
  Dims AnyDims(i64 min_rank = 0, i64 max_rank = 4, i64 max_elements = 0);
  ElementType AnyType();

  // Values. An array of this type and of a rank in between: one that is there or a fresh one.
  // Static, unless the body is about dynamic values.
  Instruction* Array(ElementType type, i64 min_rank = 0, i64 max_rank = 6);
  // A value of exactly this shape (static; a tuple is made of its elements): one that is there, one
  // made from it, or a fresh one.
  Instruction* Value(const Shape& shape);
  // A value that is not made from others: a parameter, a constant, an iota.
  Instruction* Fresh(const Shape& shape);
  // A scalar constant: a small number, or an integer that is special for its type; or `value`.
  Instruction* Constant(ElementType type);
  Instruction* Constant(ElementType type, double value);
  Instruction* ConstantOf(Literal literal);
  Instruction* Parameter(const Shape& shape, i64 number);
  // Element `i` of a tuple.
  Instruction* Element(Instruction* tuple, i64 i);
  // All arrays in it become values that others may use.
  void Use(Instruction* value);
  Instruction* Convert(Instruction* value, ElementType type);
  Instruction* BroadcastTo(Instruction* value, const Dims& dims, Dims dimensions = {});

  // Arrays that are there, in order.
  const std::vector<Instruction*>& values() const { return values_; }
  // Makes `root` the root and binds the parameters.
  Status Finish(Instruction* root);
  // Values without a stated shape are scalars from now on.
  void OnlyScalars() { only_scalars_ = true; }
  // Values of the entry are parameters more often than not: what is computed from others may be
  // computed with them, or known beforehand.
  void PreferArguments(bool prefers) { prefers_arguments_ = prefers; }
  // The next Array of that type is this one.
  void Prefer(Instruction* value) { preferred_ = value; }
  const Instruction* preferred() const { return preferred_; }

 private:
  Instruction* Adapted(Instruction* value, const Shape& shape);
  Instruction* EdgeConstant(ElementType type);
  std::string Name(std::string_view base);

  GeneratorState& state_;
  HloComputation* computation_;
  int depth_;
  i64 weight_;
  i64 num_parameters_ = 0;
  std::vector<Instruction*> values_;
  bool only_scalars_ = false;
  bool prefers_arguments_ = false;
  Instruction* preferred_ = nullptr;
  Status refusal_;
};

}  // namespace axle

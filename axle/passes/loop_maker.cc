// Builds while loops over slices, for passes that expand `scan`, `map` and general reductions:
//
//   state = (counter, arrays...)
//   condition: counter < n            (counter >= 0 in reverse)
//   body:      turn(elements); counter + 1          (counter - 1 in reverse)
//
// Two new computations are made beside the one that is being copied (Suspend and Resume). The
// counter is s32 where the count fits and s64 otherwise; slices are dynamic-slice and
// dynamic-update-slice with zero starts in the other dimensions.

#include "axle/passes/loop_maker.h"

#include <limits>

#include "axle/ops/attributes/attributes.h"

namespace axle {
namespace {

AttrBlock Plain(Opcode opcode) {
  const AttrSchema& schema = GetOpDef(opcode).attrs;
  return {schema, schema.create()};
}

// The shape of one slice along `dim`.
Shape SliceShape(const Shape& array, i64 dim) {
  Shape slice = array.WithoutLayout();
  slice.set_dim(dim, 1);
  return slice;
}

}  // namespace

StatusOr<Instruction*> LoopMaker::Visit(const Instruction& inst) {
  if (IsTied(inst)) return Copy(inst);
  replaced_ = &inst;
  Instruction* const made = Replacement(inst);
  if (made == nullptr) return Copy(inst);
  ++context_.changes;
  return made;
}

Instruction* LoopMaker::Counter(i64 num_turns, bool is_reverse) {
  const Shape shape(num_turns <= std::numeric_limits<std::int32_t>::max() ? S32 : S64);
  return Uniform(shape, is_reverse ? num_turns - 1 : 0);
}

Instruction* LoopMaker::Parameter(const Shape& shape) {
  Instruction* const parameter = Make(Opcode::kParameter, shape, {}, ParameterAttrs{0});
  to()->set_parameters({parameter});
  return parameter;
}

Instruction* LoopMaker::Loop(const std::vector<Instruction*>& state, i64 num_turns,
                             const Turn& turn, bool is_reverse) {
  std::vector<Shape> shapes;
  for (const Instruction* element : state) shapes.push_back(element->shape());
  const Shape shape = Shape::Tuple(shapes);
  const std::string base(GetOpDef(*replaced_).text);
  const std::string thread(to()->execution_thread());

  Suspend(FreshName(base + "_condition"));
  to()->set_execution_thread(thread);
  Instruction* const count = Element(Parameter(shape), 0);
  Make(Opcode::kCompare, Shape(PRED), {count, Uniform(count->shape(), is_reverse ? 0 : num_turns)},
       CompareAttrs{is_reverse ? ComparisonDirection::kGe : ComparisonDirection::kLt});
  HloComputation* const condition = Resume();

  Suspend(FreshName(base + "_body"));
  to()->set_execution_thread(thread);
  Instruction* const parameter = Parameter(shape);
  std::vector<Instruction*> elements;
  for (i64 i = 0; i < shape.num_tuple_elements(); ++i) elements.push_back(Element(parameter, i));
  turn(elements);
  Instruction* const step = Uniform(elements[0]->shape(), is_reverse ? -1 : 1);
  elements[0] = Make(Opcode::kAdd, elements[0]->shape(), {elements[0], step});
  Make(Opcode::kTuple, shape, elements);
  HloComputation* const body = Resume();

  HloComputation* const callees[] = {condition, body};
  Instruction* const init = Make(Opcode::kTuple, shape, state);
  return Add(Opcode::kWhile, shape, {&init, 1}, Plain(Opcode::kWhile), callees);
}

void LoopMaker::AddStarts(i64 rank, i64 dim, Instruction* i, std::vector<Instruction*>& operands) {
  for (i64 d = 0; d < rank; ++d) operands.push_back(d == dim ? i : Uniform(i->shape(), 0));
}

Instruction* LoopMaker::SliceAt(Instruction* array, i64 dim, Instruction* i, const Shape& shape) {
  const Shape slice = SliceShape(array->shape(), dim);
  std::vector<Instruction*> operands = {array};
  AddStarts(slice.rank(), dim, i, operands);
  Instruction* const taken =
      Make(Opcode::kDynamicSlice, slice, operands, DynamicSliceAttrs{Dims(slice.dims())});
  return Make(Opcode::kReshape, shape, {taken});
}

Instruction* LoopMaker::WithSlice(Instruction* array, i64 dim, Instruction* slice, Instruction* i) {
  const Shape shape = SliceShape(array->shape(), dim);
  std::vector<Instruction*> operands = {array, Make(Opcode::kReshape, shape, {slice})};
  AddStarts(shape.rank(), dim, i, operands);
  return Make(Opcode::kDynamicUpdateSlice, array->shape(), operands);
}

Instruction* LoopMaker::Call(HloComputation& callee, const std::vector<Instruction*>& arguments) {
  HloComputation* const callees[] = {&callee};
  return Add(Opcode::kCall, callee.root()->shape(), arguments, Plain(Opcode::kCall), callees);
}

}  // namespace axle

// Recipes of control flow (call, while, conditional, async), and of operations that hold, order or
// take apart values. Loops count to a small limit, so that every module ends; their weight
// multiplies the work that the body may do.

#include <algorithm>

#include "axle/gen/patterns.h"
#include "axle/gen/recipes.h"
#include "axle/ops/async.h"

namespace axle {
namespace {

// One to three static shapes, the first of which has this type.
std::vector<Shape> SomeShapes(Body& body, ElementType type) {
  std::vector<Shape> shapes;
  for (i64 count = body.random().Between(1, 3); count > 0; --count) {
    const ElementType t = shapes.empty() ? type : body.AnyType();
    shapes.emplace_back(t, body.random().Percent(25) ? Dims{} : body.AnyDims(0, 3));
  }
  return shapes;
}

std::vector<Instruction*> Values(Body& body, const std::vector<Shape>& shapes) {
  std::vector<Instruction*> values;
  for (const Shape& shape : shapes) values.push_back(body.Value(shape));
  return values;
}

// A computation with these parameters and this result.
HloComputation* DrawFunction(Body& body, const std::vector<Shape>& parameters,
                             const Shape& result) {
  Body nested = body.Nested(parameters);
  for (Instruction* parameter : std::vector(nested.computation()->instructions().begin(),
                                            nested.computation()->instructions().end())) {
    for (i64 i = 0; i < parameter->shape().num_tuple_elements(); ++i) nested.Element(parameter, i);
  }
  if (body.random().Percent(30)) DrawPattern(nested);
  DrawSome(nested, static_cast<int>(body.random().Between(1, 4)));
  Instruction* root = nested.Value(result);
  return root != nullptr && nested.Finish(root).ok() ? nested.computation() : nullptr;
}

// What a callee returns: one of its parameters' shapes, all of them as a tuple, or another array.
Shape ResultOf(Body& body, const std::vector<Shape>& shapes) {
  if (body.random().Percent(40)) return shapes[0];
  if (body.random().Percent(60)) return Shape::Tuple(shapes);
  const Dims dims = body.AnyDims(0, 2);
  return Shape(body.AnyType(), dims);
}

Instruction* DrawCall(Body& body, ElementType type) {
  const std::vector<Shape> shapes = SomeShapes(body, type);
  HloComputation* callee = DrawFunction(body, shapes, ResultOf(body, shapes));
  if (callee == nullptr) return nullptr;
  // Calls of the same thread are inlined.
  if (body.random().Percent(25)) callee->set_execution_thread("other");
  HloComputation* const callees[] = {callee};
  Instruction* inst = body.AddWith(Opcode::kCall, Values(body, shapes), CallAttrs{}, callees);
  if (inst != nullptr && body.random().Percent(30)) {  // again, with other arguments
    body.AddWith(Opcode::kCall, Values(body, shapes), CallAttrs{}, callees);
  }
  return inst;
}

// A fusion instruction in the input, whose body is elementwise.
Instruction* DrawFusion(Body& body, ElementType type) {
  const std::vector<Shape> shapes = SomeShapes(body, type);
  Body nested = body.Nested(shapes);
  DrawLanes(nested, 3);
  const Shape result = ResultOf(body, shapes);
  if (!nested.Finish(nested.Value(result)).ok()) return nullptr;
  HloComputation* const callees[] = {nested.computation()};
  const FusionAttrs attrs = {
      body.random().Of({FusionKind::kLoop, FusionKind::kInput, FusionKind::kOutput}), {}};
  return body.AddWith(Opcode::kFusion, Values(body, shapes), attrs, callees);
}

// Any number chooses the last branch, so most indices are made small.
Instruction* BranchIndex(Body& body) {
  Instruction* index = body.Value(Shape(S32));
  return body.random().Percent(25) ? index : body.Add(Opcode::kAnd, {index, body.Constant(S32, 3)});
}

// All branches have one result shape and each has an operand of its own shape. A single operand is
// passed as it is, several as a tuple.
Instruction* DrawConditional(Body& body, ElementType type) {
  const bool is_pred = body.random().Percent(50);
  const i64 branches = is_pred ? 2 : body.random().Between(1, 4);
  const Shape result = body.random().Percent(60)
                           ? Shape(type, body.AnyDims(0, 3))
                           : Shape::Tuple({Shape(type, body.AnyDims(0, 2)), Shape(body.AnyType())});
  std::vector<Instruction*> operands = {is_pred ? body.Value(Shape(PRED)) : BranchIndex(body)};
  std::vector<HloComputation*> callees;
  for (i64 i = 0; i < branches; ++i) {
    const std::vector<Shape> shapes = SomeShapes(body, type);
    const Shape parameter = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
    operands.push_back(body.Value(parameter));
    callees.push_back(DrawFunction(body, {parameter}, result));
    if (callees.back() == nullptr) return nullptr;
  }
  return body.Add(Opcode::kConditional, operands, {}, callees);
}

// One row of `value`, that of the counter, is replaced or added to.
Instruction* WithRowReplaced(Body& step, Instruction* value, Instruction* counter) {
  const Shape& shape = value->shape();
  const i64 d = step.random().Below(shape.rank());
  std::vector<Instruction*> operands(shape.rank() + 1, step.Constant(counter->shape().type(), 0));
  operands[0] = value;
  operands[d + 1] = counter;
  Shape row(shape.type(), shape.dims());
  row.set_dim(d, std::min<i64>(shape.dim(d), 1));
  Instruction* old_row =
      step.AddWith(Opcode::kDynamicSlice, operands, DynamicSliceAttrs{row.dims()});
  Instruction* new_row = step.Value(row);
  if (step.random().Percent(50)) {
    if (Instruction* sum = step.Add(Opcode::kAdd, {old_row, new_row})) new_row = sum;
  }
  operands.insert(operands.begin() + 1, new_row);
  return step.Add(Opcode::kDynamicUpdateSlice, operands, {});
}

// A loop over a counter: the state is (values..., counter). The body reads and writes slices at the
// counter now and then, and may end the loop early.
Instruction* DrawWhile(Body& body, ElementType type) {
  Random& random = body.random();
  std::vector<Shape> shapes = SomeShapes(body, type);
  const auto count = static_cast<i64>(shapes.size());
  const ElementType counter_type = random.Percent(85) ? S32 : random.Of({S64, U32, U8, S8});
  // Loops over few elements become one function in registers, and may run more often: 6 to 40
  // iterations instead of at most 4.
  const bool is_small =
      std::ranges::all_of(shapes, [](const Shape& s) { return s.num_elements() <= 4; });
  const i64 trips = is_small && random.Percent(40) ? random.Between(6, 40) : random.Between(0, 4);
  shapes.emplace_back(counter_type);
  const Shape state = Shape::Tuple(shapes);

  Body condition = body.Nested({&state, 1}, trips + 1);
  Instruction* whole = condition.computation()->instructions()[0];
  Instruction* goes_on =
      condition.AddWith(Opcode::kCompare,
                        {condition.Element(whole, count),
                         condition.Constant(counter_type, static_cast<double>(trips))},
                        CompareAttrs{ComparisonDirection::kLt});
  // The loop may end early by a computed condition, so that its trip count is not known.
  if (random.Percent(20)) {
    condition.Element(whole, random.Below(count));
    goes_on = condition.Add(Opcode::kAnd, {goes_on, condition.Value(Shape(PRED))});
  }
  if (!condition.Finish(goes_on).ok()) return nullptr;

  Body step = body.Nested({&state, 1}, std::max<i64>(trips, 1));
  whole = step.computation()->instructions()[0];
  Instruction* counter = step.Element(whole, count);
  std::vector<Instruction*> next;
  for (i64 i = 0; i < count; ++i) next.push_back(step.Element(whole, i));
  if (random.Percent(30)) DrawPattern(step);
  const bool only_lanes = random.Percent(40);
  only_lanes ? DrawLanes(step, static_cast<int>(random.Between(1, 5)))
             : DrawSome(step, static_cast<int>(random.Between(1, 4)));
  // Each value of the state is updated in one row, replaced, or kept.
  for (Instruction*& value : next) {
    if (value->shape().rank() > 0 && random.Percent(40)) {
      value = WithRowReplaced(step, value, counter);
    } else if (random.Percent(80)) {  // else it stays as it is
      value = step.Value(value->shape());
    }
  }
  next.push_back(step.Add(Opcode::kAdd, {counter, step.Constant(counter_type, 1)}));
  if (!step.Finish(step.Add(Opcode::kTuple, next, {})).ok()) return nullptr;

  shapes.pop_back();
  std::vector<Instruction*> init = Values(body, shapes);
  init.push_back(body.Constant(counter_type, random.Percent(80) ? 0 : 2));
  HloComputation* const callees[] = {condition.computation(), step.computation()};
  Instruction* const tuple[] = {body.Add(Opcode::kTuple, init, {})};
  return body.Add(Opcode::kWhile, tuple, {}, callees);
}

// An asynchronous operation: start, sometimes update, and done.
Instruction* DrawAsync(Body& body, ElementType type) {
  const std::vector<Shape> shapes = SomeShapes(body, type);
  const Shape result = ResultOf(body, shapes);
  HloComputation* callee = DrawFunction(body, shapes, result);
  if (callee == nullptr) return nullptr;
  HloComputation* const callees[] = {callee};
  const Shape begun = Shape::Tuple({Shape::Tuple(shapes), callee->root()->shape()});
  Instruction* at =
      body.AddWith(Opcode::kAsyncStart, Values(body, shapes), AsyncStartAttrs{}, callees, begun);
  while (at != nullptr && body.random().Percent(50)) {
    at = body.AddWith(Opcode::kAsyncUpdate, {at}, AsyncUpdateAttrs{}, {callee}, begun);
  }
  return at == nullptr ? nullptr
                       : body.AddWith(Opcode::kAsyncDone, {at}, AsyncDoneAttrs{}, {callee});
}

// A copy that is begun and finished in one place: the pair must give its operand.
Instruction* DrawCopyStart(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  const Shape shape = operand->shape().WithoutLayout();
  Instruction* start = body.AddWith(Opcode::kCopyStart, {operand}, CopyStartAttrs{}, {},
                                    Shape::Tuple({shape, shape, Shape(U32)}));
  return body.Add(Opcode::kCopyDone, {start});
}

Instruction* DrawTuple(Body& body, ElementType type) {
  std::vector<Instruction*> elements = {body.Array(type)};
  while (body.random().Percent(60) && elements.size() < 5) {
    elements.push_back(body.random().Percent(20) ? elements[0] : body.Array(body.AnyType()));
  }
  if (body.random().Percent(15)) elements.push_back(body.Add(Opcode::kTuple, {body.Array(type)}));
  return body.Add(Opcode::kTuple, elements, {});
}

Instruction* DrawTupleElement(Body& body, ElementType type) {
  Instruction* tuple = DrawTuple(body, type);
  return body.Element(tuple, 0);
}

Instruction* DrawBarrier(Body& body, ElementType type) {
  return body.Add(Opcode::kOptBarrier,
                  {body.random().Percent(50) ? body.Array(type) : DrawTuple(body, type)});
}

// Tokens order side effects; this one orders nothing, and the dependency must leave the value
// unchanged.
Instruction* DrawAddDependency(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  Instruction* token = body.Add(Opcode::kAfterAll, {});
  if (body.random().Percent(50)) token = body.Add(Opcode::kAfterAll, {token, token});
  return body.Add(Opcode::kAddDependency, {operand, token});
}

Instruction* DrawDomain(Body& body, ElementType type) {
  return body.AddWith(Opcode::kDomain, {body.Array(type)},
                      DomainAttrs{{"{replicated}", "{maximal device=0}"}});
}

constexpr Recipe kRecipes[] = {
    {Opcode::kCall, DrawCall},
    {Opcode::kFusion, DrawFusion},
    {Opcode::kConditional, DrawConditional},
    {Opcode::kWhile, DrawWhile},
    {Opcode::kAsyncStart, DrawAsync},
    {Opcode::kAsyncUpdate, DrawAsync},
    {Opcode::kAsyncDone, DrawAsync},
    {Opcode::kCopyStart, DrawCopyStart},
    {Opcode::kCopyDone, DrawCopyStart},
    {Opcode::kTuple, DrawTuple},
    {Opcode::kGetTupleElement, DrawTupleElement},
    {Opcode::kOptBarrier, DrawBarrier},
    {Opcode::kAfterAll, DrawAddDependency},
    {Opcode::kAddDependency, DrawAddDependency},
    {Opcode::kDomain, DrawDomain},
    {Opcode::kParameter,
     [](Body& body, ElementType type) { return body.Fresh(Shape(type, body.AnyDims())); }},
    {Opcode::kConstant, [](Body& body, ElementType type) { return body.Constant(type); }},
};

}  // namespace

std::span<const Recipe> ControlRecipes() {
  return kRecipes;
}

}  // namespace axle

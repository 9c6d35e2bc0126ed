// Settings: places where the compiler makes other code of an operation than on its own, one
// function per place: before a reduction (along the last dimension, the first, or both), between
// reductions over the same rows, in a loop over few elements, in a fusion, and on dynamic values.
// DrawSettings puts one operation in all of them in one module, with arguments of its own, so that
// constant folding does not remove it.

#include <algorithm>

#include "axle/gen/patterns.h"
#include "axle/gen/tested_ops.h"

namespace axle {
namespace {

// The op on `operand`, if it reads an array of this type at all.
Instruction* DrawOn(Body& body, const OpDef& def, Instruction* operand) {
  if (operand == nullptr) return nullptr;
  body.Prefer(operand);
  Instruction* inst = Draw(body, def, operand->shape().type());
  body.Prefer(nullptr);
  return inst != nullptr && inst->shape().is_array() ? inst : nullptr;
}

// Shapes for settings: a last dimension on both sides of a vector register, and a few rows.
Shape TableShape(Body& body, ElementType type, i64 rank) {
  Shape shape(type);
  for (i64 d = 0; d + 1 < rank; ++d) shape.AppendDim(body.random().Of<i64>({2, 3, 5, 8, 17}));
  shape.AppendDim(body.random().Of<i64>({2, 3, 8, 16, 33, 40}));
  return shape;
}

// Compiled code does not sum all types, so the reduction is sometimes of a converted value.
Instruction* OfFold(Body& body, Instruction* value) {
  if (value == nullptr) return nullptr;
  return body.random().Percent(IsSubByte(value->shape().type()) ? 90 : 45)
             ? body.Convert(value, body.random().Of({F32, F64, BF16, S32}))
             : value;
}

// The reduced dimensions: adjacent elements, elements a row apart, or both.
enum class FoldAlong : std::uint8_t { kLast, kFirst, kBoth, kSome };

// The operation, then a reduction that reads it: the compiler fuses both into one loop, whose form
// depends on the reduced dimensions.
void DrawBeforeFold(Body& body, const OpDef& def, ElementType type, FoldAlong along) {
  Instruction* value = OfFold(body, DrawOn(body, def, body.Value(TableShape(body, type, 3))));
  if (value == nullptr || value->shape().rank() == 0) return;
  const i64 rank = value->shape().rank();
  Dims dims;
  for (i64 d = 0; d < rank; ++d) {
    const bool is_first = d == 0, is_last = d == rank - 1;
    const bool chosen = along == FoldAlong::kLast    ? is_last
                        : along == FoldAlong::kFirst ? is_first
                        : along == FoldAlong::kBoth  ? is_first || is_last
                                                     : body.random().Percent(50);
    if (chosen) dims.push_back(d);
  }
  Reduced(body, value, dims);
}

void DrawBeforeAnyFold(Body& body, const OpDef& def, ElementType type) {
  using enum FoldAlong;
  const FoldAlong along = body.random().Of({kLast, kLast, kFirst, kFirst, kBoth, kBoth, kSome});
  DrawBeforeFold(body, def, type, along);
}

// A table, a reduction of its rows, and an operation on both. The operation under test makes the
// table, if `is_before`, and is applied to the combination. Tables of four dimensions are deep: a
// value is broadcast along every other dimension.
void DrawRows(Body& body, const OpDef& def, const Shape& shape, bool is_before) {
  constexpr Opcode kJoins[] = {Opcode::kSubtract, Opcode::kAdd, Opcode::kMaximum, Opcode::kXor};
  Random& random = body.random();
  const bool is_deep = shape.rank() == 4;
  Instruction* table = body.Value(shape);
  if (table == nullptr) return;
  if (is_before) {
    Instruction* made = OfFold(body, DrawOn(body, def, table));
    if (made != nullptr && made->shape().dims() == shape.dims()) table = made;
  }
  // A value of two of the four dimensions is joined in, so that the loop cannot merge dimensions.
  if (is_deep) {
    const Shape part(table->shape().type(), {shape.dim(1), shape.dim(3)});
    Instruction* repeated = body.BroadcastTo(body.Value(part), shape.dims(), {1, 3});
    if (Instruction* sum = body.Add(random.Of(kJoins), {table, repeated})) table = sum;
  }
  const i64 last = shape.rank() - 1;
  Instruction* along = Reduced(body, table, {last});
  if (along != nullptr) {
    along = body.BroadcastTo(along, shape.dims(), is_deep ? Dims{0, 1, 2} : Dims{0});
  }
  Instruction* both = nullptr;
  // The combination is between a row's elements and its reduction, which is what makes a
  // row-blocked fusion.
  for (int tries = 0; tries < 4 && both == nullptr; ++tries) {
    both = body.Add(random.Of(kJoins), {table, along});
  }
  if (both == nullptr) return;
  both = DrawOn(body, def, both);
  const bool has_rows = both != nullptr && both->shape().rank() == last + 1;
  if (has_rows && random.Percent(30)) Reduced(body, both, {last});
}

void DrawBetweenRows(Body& body, const OpDef& def, ElementType type) {
  Random& random = body.random();
  const bool is_deep = random.Percent(30);
  const Shape shape = is_deep ? Shape(type, {random.Between(2, 4), random.Between(2, 4),
                                             random.Between(2, 4), random.Between(2, 9)})
                              : TableShape(body, type, 2);
  DrawRows(body, def, shape, random.Percent(60));
}

// Brings the value that the operation gave to the shape of the loop state by reshape and
// conversion; takes another value if the number of elements differs.
Instruction* AsState(Body& body, Instruction* value, const Shape& shape) {
  if (value == nullptr || value->shape().num_elements() != shape.num_elements()) {
    return body.Value(shape);
  }
  if (value->shape().dims() != shape.dims()) {
    value = body.Add(Opcode::kReshape, {value}, shape.WithType(value->shape().type()));
  }
  return body.Convert(value, shape.type());
}

// The loop state is the value that the operation updates, a counter, and an array that it may read.
void DrawInLoop(Body& body, const OpDef& def, ElementType type) {
  Random& random = body.random();
  const Shape shape(type, random.Of<Dims>({{}, {}, {1}, {3}, {4}, {2, 2}, {8}}));
  const Shape state = Shape::Tuple({shape, Shape(S32), shape});
  const i64 turns = random.Between(1, 5);
  Body condition = body.Nested({&state, 1}, turns + 1);
  Instruction* whole = condition.computation()->instructions()[0];
  Instruction* goes_on = condition.AddWith(
      Opcode::kCompare,
      {condition.Element(whole, 1), condition.Constant(S32, static_cast<double>(turns))},
      CompareAttrs{ComparisonDirection::kLt});
  if (!condition.Finish(goes_on).ok()) return;

  Body step = body.Nested({&state, 1}, turns);
  whole = step.computation()->instructions()[0];
  Instruction* const old = step.Element(whole, 0);
  Instruction* const counter = step.Element(whole, 1);
  Instruction* const other = step.Element(whole, 2);
  Instruction* next = AsState(step, DrawOn(step, def, old), shape);
  if (next == nullptr) return;
  if (Instruction* sum = step.Add(Opcode::kAdd, {next, old}); random.Percent(40)) {
    if (sum != nullptr) next = sum;
  }
  Instruction* const count = step.Add(Opcode::kAdd, {counter, step.Constant(S32, 1)});
  if (!step.Finish(step.Add(Opcode::kTuple, {next, count, other})).ok()) return;

  HloComputation* const callees[] = {condition.computation(), step.computation()};
  Instruction* const init[] = {
      body.Add(Opcode::kTuple, {body.Value(shape), body.Constant(S32, 0), body.Value(shape)})};
  Instruction* loop = body.Add(Opcode::kWhile, init, {}, callees);
  for (i64 i = 0; i < 2; ++i) body.Element(loop, i);
}

// In a fusion.
void DrawInFusion(Body& body, const OpDef& def, ElementType type) {
  const Shape shape = TableShape(body, type, body.random().Between(2, 3));
  Body nested = body.Nested({&shape, 1});
  Instruction* root = DrawOn(nested, def, nested.values()[0]);
  if (root == nullptr || !nested.Finish(root).ok()) return;
  Instruction* const operands[] = {body.Value(shape)};
  HloComputation* const callees[] = {nested.computation()};
  // The root of the fusion is the operation itself.
  body.AddWith(Opcode::kFusion, operands, FusionAttrs{FusionKind::kLoop, {}}, callees);
}

// On an array with a dynamic first dimension.
void DrawOnDynamic(Body& body, const OpDef& def, ElementType type) {
  Shape shape = TableShape(body, type, body.random().Between(1, 3));
  Instruction* value = body.Value(shape);
  Instruction* number = body.Add(Opcode::kAnd, {body.Value(Shape(S32)), body.Constant(S32, 31)});
  const auto most = static_cast<double>(shape.dim(0));
  Instruction* size = body.Add(Opcode::kMinimum, {number, body.Constant(S32, most)});
  shape.set_dynamic(0, true);
  DrawOn(body, def,
         body.AddWith(Opcode::kSetDimensionSize, {value, size}, DimensionsAttrs{{0}}, {}, shape));
}

}  // namespace

// Tries operations until one accepts the type; some types have no order and some no sum.
Instruction* Reduced(Body& body, Instruction* operand, const Dims& dims) {
  constexpr Opcode kOps[] = {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd};
  const ElementType type = operand->shape().type();
  const std::vector<Shape> scalars = {Shape(type), Shape(type)};
  for (int tries = 0; tries < 6; ++tries) {
    Body nested = body.Nested(scalars);
    const std::vector<Instruction*> arguments = nested.values();
    Instruction* joined = nested.Add(body.random().Of(kOps), {arguments[0], arguments[1]});
    if (joined == nullptr || !nested.Finish(joined).ok()) continue;
    return body.AddWith(Opcode::kReduce, {operand, body.Constant(type, 0)}, DimensionsAttrs{dims},
                        {nested.computation()});
  }
  return nullptr;
}

void DrawSetting(Body& body, const OpDef& def, ElementType type) {
  constexpr void (*kSettings[])(Body&, const OpDef&, ElementType) = {
      DrawBeforeAnyFold, DrawBeforeAnyFold, DrawBeforeAnyFold, DrawBeforeAnyFold,
      DrawBetweenRows,   DrawBetweenRows,   DrawBetweenRows,   DrawInLoop,
      DrawInLoop,        DrawInFusion,      DrawOnDynamic};
  // Operations without settings of their own run the same code everywhere but on dynamic values.
  if (!HasSettings(def) && body.random().Percent(75)) return DrawOnDynamic(body, def, type);
  body.random().Of(kSettings)(body, def, type);
}

void DrawSettings(Body& body, const OpDef& def, ElementType type) {
  using enum FoldAlong;
  body.PreferArguments(true);
  DrawOn(body, def, body.Value(TableShape(body, type, 2)));
  for (const FoldAlong along : {kLast, kFirst, kBoth}) DrawBeforeFold(body, def, type, along);
  // The compiler would compile tables of few elements as one function in registers and not as
  // row-blocked fusions, so that the size is chosen above that limit.
  const i64 num_rows = body.random().Of<i64>({8, 17}), size = body.random().Of<i64>({33, 40, 64});
  DrawRows(body, def, Shape(type, {num_rows, size}), true);
  DrawInLoop(body, def, type);
  DrawInFusion(body, def, type);
  DrawOnDynamic(body, def, type);
  body.PreferArguments(false);
}

}  // namespace axle

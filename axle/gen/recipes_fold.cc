// Recipes of operations that apply a scalar computation: reductions, windows, select-and-scatter,
// sorts, maps, scans. The computations come from DrawReducer, DrawComparator and
// DrawScalarFunction.

#include <algorithm>

#include "axle/gen/recipes.h"

namespace axle {
namespace {

Instruction* DrawReduce(Body& body, ElementType type) {
  Instruction* first = body.Array(type);
  if (first == nullptr) return nullptr;
  Random& random = body.random();
  std::vector<ElementType> types = {type};
  while (random.Percent(30) && types.size() < 3) types.push_back(random.Of({S32, F32, type}));
  std::vector<Instruction*> operands = {first};
  for (size_t i = 1; i < types.size(); ++i) {
    operands.push_back(body.Value(Shape(types[i], first->shape().dims())));
  }
  for (const ElementType t : types) {
    operands.push_back(random.Percent(70) ? body.Constant(t, 0) : body.Value(Shape(t)));
  }
  Dims dims;
  for (i64 d = 0; d < first->shape().rank(); ++d) {
    if (random.Percent(55)) dims.push_back(d);
  }
  HloComputation* reducer = DrawReducer(body, types);
  if (reducer == nullptr) return nullptr;
  HloComputation* const callees[] = {reducer};
  Instruction* inst = body.AddWith(Opcode::kReduce, operands, DimensionsAttrs{dims}, callees);
  // A sibling over the same elements.
  if (inst != nullptr && types.size() == 1 && random.Percent(30)) {
    if (HloComputation* other = DrawReducer(body, types)) {
      HloComputation* const others[] = {other};
      body.AddWith(Opcode::kReduce, operands, DimensionsAttrs{dims}, others);
    }
  }
  return inst;
}

// `simple` windows, those of select-and-scatter, have no dilation and no negative padding.
Window DrawWindow(Random& random, const Shape& operand, bool simple) {
  Window window;
  for (i64 d = 0; d < operand.rank(); ++d) {
    WindowDim dim = {.size = random.Of<i64>({1, 1, 2, 2, 3, 5}),
                     .stride = random.Of<i64>({1, 1, 2, 3})};
    if (random.Percent(40)) {
      dim.pad_low = random.Between(0, 2);
      dim.pad_high = random.Between(0, 2);
    }
    if (!simple) {
      if (random.Percent(10)) dim.pad_low = -1;
      if (random.Percent(15)) dim.base_dilation = random.Between(1, 3);
      if (random.Percent(15)) dim.window_dilation = random.Between(1, 3);
      // A window of the whole dimension, padded on one side by all but one: the i-th result is a
      // prefix sum or a suffix sum.
      if (random.Percent(8) && operand.dim(d) > 0) {  // a cumulative window
        dim = {.size = operand.dim(d), .stride = 1};
        (random.Percent(50) ? dim.pad_low : dim.pad_high) = operand.dim(d) - 1;
      }
    }
    window.push_back(dim);
  }
  return window;
}

Instruction* DrawReduceWindow(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 0, 4);
  if (operand == nullptr) return nullptr;
  std::vector<Instruction*> operands = {operand};
  std::vector<ElementType> types = {type};
  if (body.random().Percent(10)) {
    types.push_back(S32);
    operands.push_back(body.Value(Shape(S32, operand->shape().dims())));
  }
  for (const ElementType t : types) operands.push_back(body.Value(Shape(t)));
  HloComputation* reducer = DrawReducer(body, types);
  if (reducer == nullptr) return nullptr;
  HloComputation* const callees[] = {reducer};
  return body.AddWith(Opcode::kReduceWindow, operands,
                      WindowAttrs{DrawWindow(body.random(), operand->shape(), false)}, callees);
}

Instruction* DrawSelectAndScatter(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 0, 4);
  if (operand == nullptr) return nullptr;
  const Window window = DrawWindow(body.random(), operand->shape(), true);
  Shape source(type);
  for (i64 d = 0; d < operand->shape().rank(); ++d) {
    // The number of places at which the window fits, which is the size of the source.
    const WindowDim& dim = window[d];
    const i64 positions = operand->shape().dim(d) + dim.pad_low + dim.pad_high;
    source.AppendDim(positions < dim.size ? 0 : 1 + (positions - dim.size) / dim.stride);
  }
  // The selection of a window: its largest or smallest element, ties kept first or last.
  const std::vector<Shape> scalars = {Shape(type), Shape(type)};
  Body nested = body.Nested(scalars);
  constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kGe, ComparisonDirection::kGt,
                                                 ComparisonDirection::kLe,
                                                 ComparisonDirection::kEq};
  const std::vector<Instruction*> arguments = nested.values();
  Instruction* root = nested.AddWith(Opcode::kCompare, {arguments[0], arguments[1]},
                                     CompareAttrs{body.random().Of(kDirections)});
  if (root == nullptr) root = nested.Value(Shape(PRED));
  if (!nested.Finish(root).ok()) return nullptr;
  HloComputation* scatter = DrawReducer(body, {&type, 1});
  if (scatter == nullptr) return nullptr;
  return body.AddWith(Opcode::kSelectAndScatter,
                      {operand, body.Value(source), body.Value(Shape(type))}, WindowAttrs{window},
                      {nested.computation(), scatter});
}

Instruction* DrawSort(Body& body, ElementType type) {
  Instruction* first = body.Array(type, 1);
  if (first == nullptr) return nullptr;
  std::vector<ElementType> types = {type};
  std::vector<Instruction*> operands = {first};
  // Complex numbers have no order: something beside them has.
  while ((IsComplex(type) && types.size() < 2) || (body.random().Percent(35) && types.size() < 3)) {
    types.push_back(
        types.size() == 1 && IsComplex(type) ? S32 : body.random().Of({S32, F32, BF16, type}));
    operands.push_back(body.Value(Shape(types.back(), first->shape().dims())));
  }
  HloComputation* comparator = DrawComparator(body, types);
  if (comparator == nullptr) comparator = DrawComparator(body, types);
  if (comparator == nullptr) return nullptr;
  HloComputation* const callees[] = {comparator};
  return body.AddWith(Opcode::kSort, operands,
                      SortAttrs{.dimensions = {body.random().Below(first->shape().rank())},
                                .is_stable = body.random().Percent(50)},
                      callees);
}

Instruction* DrawMap(Body& body, ElementType type) {
  Instruction* first = body.Array(type);
  if (first == nullptr) return nullptr;
  std::vector<ElementType> types = {type};
  std::vector<Instruction*> operands = {first};
  while (body.random().Percent(40) && types.size() < 3) {
    types.push_back(body.random().Of({F32, type, PRED}));
    operands.push_back(body.Value(Shape(types.back(), first->shape().dims())));
  }
  // Narrow and wide floats do not meet in one instruction's operands, which a row would refuse.
  const ElementType result = body.random().Of({type, type, F32, S32});
  HloComputation* mapped = DrawScalarFunction(body, types, {&result, 1});
  if (mapped == nullptr) return nullptr;
  Dims dims;
  for (i64 d = 0; d < first->shape().rank(); ++d) dims.push_back(d);
  HloComputation* const callees[] = {mapped};
  return body.AddWith(Opcode::kMap, operands, DimensionsAttrs{dims}, callees);
}

// A scan along one dimension: the callee takes a slice and a carry and gives an output and the next
// carry. Its trip count multiplies the work of the body.
Instruction* DrawScan(Body& body, ElementType type) {
  Instruction* input = body.Array(type, 1, 3);
  if (input == nullptr || !input->shape().is_static()) return nullptr;
  const i64 dim = body.random().Below(input->shape().rank());
  Shape slice = input->shape().WithoutLayout();
  const i64 steps = slice.dim(dim);
  slice.DeleteDim(dim);
  const bool is_scalar = body.random().Percent(60);
  const Shape carry(body.random().Of({type, F32}), is_scalar ? Dims{} : slice.dims());
  const std::vector<Shape> parameters = {slice, carry};
  Body nested = body.Nested(parameters, std::max<i64>(steps, 1));
  DrawLanes(nested, 2);
  const Shape output(type, body.random().Percent(70) ? slice.dims() : Dims{});
  // The dimension of the steps must have a place in the output.
  if (dim > output.rank()) return nullptr;
  Instruction* root = nested.Add(Opcode::kTuple, {nested.Value(output), nested.Value(carry)});
  if (!nested.Finish(root).ok()) return nullptr;
  const ScanAttrs attrs = {
      .dimensions = {dim}, .num_carries = 1, .is_reverse = body.random().Percent(40)};
  return body.AddWith(Opcode::kScan, {input, body.Value(carry)}, attrs, {nested.computation()});
}

constexpr Recipe kRecipes[] = {
    {Opcode::kReduce, DrawReduce},
    {Opcode::kReduceWindow, DrawReduceWindow},
    {Opcode::kSelectAndScatter, DrawSelectAndScatter},
    {Opcode::kSort, DrawSort},
    {Opcode::kMap, DrawMap},
    {Opcode::kScan, DrawScan},
};

}  // namespace

std::span<const Recipe> FoldRecipes() {
  return kRecipes;
}

}  // namespace axle

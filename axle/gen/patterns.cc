// Patterns are groups of instructions as programs contain them, or as passes and region kinds look
// for: softmax and layer norm (row regions), sums over rows and columns, loop nests over broadcast,
// transposed and shifted values, products with bias and activation, algebraic identities (the
// rewrite rules), many operands, chains of movements, control flow. A pattern ends early if a row
// refuses an operand type. The table at the end has entries several times: these weights say how
// often a pattern is drawn.

#include "axle/gen/patterns.h"

#include <algorithm>

namespace axle {
namespace {

// Types that exp and the like accept.
ElementType NumberType(Body& body) {
  return body.random().Of({F32, F32, F32, F64, BF16, F16, F8E4M3FN});
}

// Shapes of tables. Large ones have rows longer than a chunk of the canonical sum; the rows of
// small ones end before, at and after a vector register.
Shape Rows(Body& body, ElementType type) {
  Random& random = body.random();
  if (body.state().is_large) {
    // Past several chunks of the canonical order, or a few.
    if (random.Percent(25)) return Shape(type, {1, random.Of<i64>({12'289, 16'385, 20'481})});
    return Shape(type,
                 {random.Of<i64>({1, 2, 3}), random.Of<i64>({65, 128, 513, 1000, 4097, 5000})});
  }
  Shape shape(type, random.Percent(30) ? Dims{random.Between(1, 3)} : Dims{});
  shape.AppendDim(random.Of<i64>({0, 1, 2, 3, 5, 8, 17}));
  shape.AppendDim(random.Of<i64>({0, 1, 2, 7, 8, 16, 31, 33, 64, 65, 100}));
  return shape;
}

HloComputation* SimpleReducer(Body& body, Opcode opcode, ElementType type) {
  const std::vector<Shape> scalars = {Shape(type), Shape(type)};
  Body nested = body.Nested(scalars);
  const std::vector<Instruction*> arguments = nested.values();
  return nested.Finish(nested.Add(opcode, {arguments[0], arguments[1]})).ok() ? nested.computation()
                                                                              : nullptr;
}

// A null operand passes through the helpers of this file, so that a pattern needs no checks between
// its steps.
Instruction* Reduce(Body& body, Opcode opcode, Instruction* operand, const Dims& dims,
                    double init) {
  if (operand == nullptr) return nullptr;
  const ElementType type = operand->shape().type();
  HloComputation* reducer = SimpleReducer(body, opcode, type);
  if (reducer == nullptr) return nullptr;
  return body.AddWith(Opcode::kReduce, {operand, body.Constant(type, init)}, DimensionsAttrs{dims},
                      {reducer});
}

// A value of all dimensions but the last, repeated along it.
Instruction* Along(Body& body, Instruction* value, const Shape& shape) {
  Dims dimensions;
  for (i64 d = 0; d + 1 < shape.rank(); ++d) dimensions.push_back(d);
  return body.BroadcastTo(value, shape.dims(), dimensions);
}

// softmax(x) = exp(x - max) / sum(exp(x - max)), or its logarithm, along the last dimension.
void DrawSoftmax(Body& body) {
  const Shape shape = Rows(body, NumberType(body));
  Instruction* x = body.Value(shape);
  if (x == nullptr) return;
  const Dims last = {shape.rank() - 1};
  Instruction* largest = Reduce(body, Opcode::kMaximum, x, last, -1000);
  Instruction* shifted = body.Add(Opcode::kSubtract, {x, Along(body, largest, shape)});
  Instruction* powers = body.Add(Opcode::kExponential, {shifted});
  Instruction* sum = Reduce(body, Opcode::kAdd, powers, last, 0);
  if (body.random().Percent(50)) {
    body.Add(Opcode::kDivide, {powers, Along(body, sum, shape)});
  } else {
    body.Add(Opcode::kSubtract, {shifted, Along(body, body.Add(Opcode::kLog, {sum}), shape)});
  }
}

// Centred by the mean of each row, divided by the root of its variance, and in three of five cases
// scaled by one factor per column.
void DrawLayerNorm(Body& body) {
  const Shape shape = Rows(body, NumberType(body));
  Instruction* x = body.Value(shape);
  if (x == nullptr) return;
  const Dims last = {shape.rank() - 1};
  const ElementType type = shape.type();
  const Shape column(type, Dims(shape.dims().begin(), shape.dims().end() - 1));
  Instruction* count = body.BroadcastTo(body.Constant(type, 7), column.dims());
  Instruction* mean = body.Add(Opcode::kDivide, {Reduce(body, Opcode::kAdd, x, last, 0), count});
  Instruction* centred = body.Add(Opcode::kSubtract, {x, Along(body, mean, shape)});
  Instruction* squares = body.Add(Opcode::kMultiply, {centred, centred});
  Instruction* variance =
      body.Add(Opcode::kDivide, {Reduce(body, Opcode::kAdd, squares, last, 0), count});
  Instruction* scale = body.Add(Opcode::kRsqrt, {variance});
  Instruction* normal = body.Add(Opcode::kMultiply, {centred, Along(body, scale, shape)});
  if (normal == nullptr || body.random().Percent(40)) return;
  Instruction* gamma = body.Value(Shape(type, {shape.dim(shape.rank() - 1)}));
  body.Add(Opcode::kMultiply, {normal, body.BroadcastTo(gamma, shape.dims(), last)});
}

// Sums of the same elements over rows, columns and everything, with something done before.
void DrawSums(Body& body) {
  const ElementType type = body.random().Percent(70) ? NumberType(body) : body.AnyType();
  const Shape shape = Rows(body, type);
  Instruction* x = body.Value(shape);
  if (x == nullptr) return;
  if (Instruction* squares = body.Add(Opcode::kMultiply, {x, x}); body.random().Percent(60)) {
    if (squares != nullptr) x = squares;
  }
  constexpr Opcode kOps[] = {Opcode::kAdd,      Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum,
                             Opcode::kMultiply, Opcode::kAnd, Opcode::kOr};
  for (i64 n = body.random().Between(1, 3); n > 0; --n) {
    Dims dims;
    for (i64 d = 0; d < shape.rank(); ++d) {
      if (body.random().Percent(50)) dims.push_back(d);
    }
    const double init = body.random().Percent(50) ? 0 : 1;
    Reduce(body, body.random().Of(kOps), x, dims, init);
  }
}

// Four to six small dimensions that do not merge with their neighbours when a value is broadcast
// along every other one.
Dims ManyDims(Random& random) {
  Dims dims;
  for (i64 rank = random.Between(4, 6); rank > 0; --rank) {
    dims.push_back(random.Of<i64>({2, 2, 3, 4, 5}));
  }
  return dims;
}

// Elementwise code of one shape over values that are broadcast, transposed, sliced and
// concatenated.
void DrawLoopNest(Body& body) {
  const ElementType type = body.AnyType();
  const Shape shape(type, body.random().Percent(30) ? ManyDims(body.random()) : body.AnyDims(1, 3));
  constexpr Opcode kOps[] = {Opcode::kAdd,     Opcode::kSubtract, Opcode::kMultiply,
                             Opcode::kMaximum, Opcode::kMinimum,  Opcode::kAnd,
                             Opcode::kXor,     Opcode::kDivide};
  Instruction* sum = body.Value(shape);
  for (i64 n = body.random().Between(2, 6); n > 0 && sum != nullptr; --n) {
    Instruction* other = nullptr;
    switch (body.random().Below(6)) {
      case 0: {  // broadcast along some dimensions
        Dims dimensions;
        Shape small(type);
        for (i64 d = 0; d < shape.rank(); ++d) {
          if (body.random().Percent(50)) {
            dimensions.push_back(d);
            small.AppendDim(shape.dim(d));
          }
        }
        other = body.BroadcastTo(body.Value(small), shape.dims(), dimensions);
        break;
      }
      case 1: {  // turned
        Dims order(shape.rank());
        for (i64 d = 0; d < shape.rank(); ++d) order[d] = shape.rank() - 1 - d;
        Shape turned(type);
        for (const i64 d : order) turned.AppendDim(shape.dim(d));
        other = body.AddWith(Opcode::kTranspose, {body.Value(turned)}, DimensionsAttrs{order});
        break;
      }
      case 2:
        other = body.AddWith(Opcode::kReverse, {sum},
                             DimensionsAttrs{{body.random().Below(shape.rank())}});
        break;
      case 3: {  // two parts
        const i64 d = body.random().Below(shape.rank());
        Shape first = shape, second = shape;
        first.set_dim(d, body.random().Between(0, shape.dim(d)));
        second.set_dim(d, shape.dim(d) - first.dim(d));
        other = body.AddWith(Opcode::kConcatenate, {body.Value(first), body.Value(second)},
                             DimensionsAttrs{{d}});
        break;
      }
      case 4: {  // the same, shifted by one
        const i64 d = body.random().Below(shape.rank());
        PaddingConfig padding(shape.rank());
        padding[d] = body.random().Percent(50) ? PaddingDim{1, -1, 0} : PaddingDim{-1, 1, 0};
        other = body.AddWith(Opcode::kPad, {sum, body.Constant(type)}, PadAttrs{padding});
        break;
      }
      default:
        other = body.Value(shape);
    }
    // An operation that refuses the type, such as divide on pred, is replaced by another one.
    for (int tries = 0; tries < 4 && other != nullptr; ++tries) {
      Instruction* next = body.Add(body.random().Of(kOps), {sum, other});
      if (next == nullptr) continue;
      sum = next;
      break;
    }
  }
}

// A product with something done to its operands and its result.
void DrawProductPattern(Body& body) {
  const ElementType type = body.random().Of({F32, F32, F64, BF16, S8, S32});
  const i64 m = body.random().Of<i64>({1, 2, 5, 8, 17, 33}),
            k = body.random().Of<i64>({1, 3, 8, 16, 65}),
            n = body.random().Of<i64>({1, 4, 8, 15, 32, 33});
  DotAttrs attrs;
  attrs.lhs_contracting_dims = {1};
  attrs.rhs_contracting_dims = {0};
  Instruction* dot = body.AddWith(
      Opcode::kDot, {body.Value(Shape(type, {m, k})), body.Value(Shape(type, {k, n}))}, attrs);
  if (dot == nullptr) return;
  Instruction* bias = body.BroadcastTo(body.Value(Shape(type, {n})), {m, n}, {1});
  Instruction* sum = body.Add(Opcode::kAdd, {dot, bias});
  body.Add(Opcode::kMaximum, {sum, body.BroadcastTo(body.Constant(type, 0), {m, n})});
}

// Products with one reader, a sum or difference: `fast` contracts them.
void DrawProductSums(Body& body) {
  Random& random = body.random();
  const Dims dims = body.AnyDims(0, 3);
  const Shape shape(NumberType(body), dims);
  Instruction* sum = body.Value(shape);
  for (i64 n = random.Between(1, 3); n > 0 && sum != nullptr; --n) {
    Instruction* product = body.Add(Opcode::kMultiply, {body.Value(shape), body.Value(shape)});
    const Opcode op = random.Percent(40) ? Opcode::kAdd : Opcode::kSubtract;
    sum = random.Percent(50) ? body.Add(op, {sum, product}) : body.Add(op, {product, sum});
  }
}

// Targets of the rewrite rules: zeros, ones, the same operand twice, movements that undo each
// other, elements of known tuples.
void DrawIdioms(Body& body) {
  Random& random = body.random();
  const Dims dims = body.AnyDims(1, 3, 200);
  const ElementType type = body.AnyType();
  const Shape shape(type, dims);
  Instruction* x = body.Value(shape);
  for (i64 n = random.Between(3, 8); n > 0 && x != nullptr; --n) {
    Instruction* next = nullptr;
    switch (random.Below(8)) {
      // An operation with a neutral or an absorbing constant on either side.
      case 0: {
        constexpr Opcode kOps[] = {Opcode::kAdd,    Opcode::kMultiply, Opcode::kSubtract,
                                   Opcode::kDivide, Opcode::kMaximum,  Opcode::kAnd,
                                   Opcode::kOr,     Opcode::kPower};
        Instruction* same =
            body.BroadcastTo(body.Constant(type, random.Of({0.0, 1.0, -0.0, 2.0})), shape.dims());
        next = random.Percent(70) ? body.Add(random.Of(kOps), {x, same})
                                  : body.Add(random.Of(kOps), {same, x});
        break;
      }
      case 1:
        next = body.Add(random.Of({Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kXor,
                                   Opcode::kMinimum, Opcode::kDivide}),
                        {x, x});
        break;
      // Two transposes that undo each other.
      case 2: {
        Dims order(shape.rank()), back(shape.rank());
        for (i64 d = 0; d < shape.rank(); ++d) order[d] = d;
        random.Shuffle(order);
        for (i64 d = 0; d < shape.rank(); ++d) back[order[d]] = d;
        Instruction* turned = body.AddWith(Opcode::kTranspose, {x}, DimensionsAttrs{order});
        next = body.AddWith(Opcode::kTranspose, {turned}, DimensionsAttrs{back});
        break;
      }
      // An operation that undoes itself or has no effect the second time.
      case 3: {
        const Opcode op = random.Of({Opcode::kNegate, Opcode::kNot, Opcode::kAbs, Opcode::kSign});
        next = random.Percent(30)
                   ? body.AddWith(Opcode::kReverse,
                                  {body.AddWith(Opcode::kReverse, {x}, DimensionsAttrs{{0}})},
                                  DimensionsAttrs{{0}})
                   : body.Add(op, {body.Add(op, {x})});
        break;
      }
      // A reshape to one dimension and back.
      case 4: {
        Instruction* flat = body.Add(Opcode::kReshape, {x}, Shape(type, {shape.num_elements()}));
        next = body.Add(Opcode::kReshape, {flat}, shape);
        break;
      }
      case 5: {  // a slice of a concatenation
        Instruction* both =
            body.AddWith(Opcode::kConcatenate, {x, body.Value(shape)}, DimensionsAttrs{{0}});
        SliceConfig slice;
        for (const i64 size : shape.dims()) slice.push_back({0, size, 1});
        const i64 start = random.Between(0, shape.dim(0));
        slice[0] = {start, start + shape.dim(0), 1};
        next = body.AddWith(Opcode::kSlice, {both}, SliceAttrs{slice});
        break;
      }
      // A conversion to a wider type and back, which keeps the value only if the wide type holds
      // it.
      case 6: {
        const ElementType wide = random.Of({F64, F32, S64, S32, C64});
        next = body.Convert(body.Convert(x, wide), type);
        break;
      }
      // A select between equal values, and an element of a tuple that was just made.
      default: {
        Instruction* other = body.Value(shape);
        Instruction* less =
            body.AddWith(Opcode::kCompare, {x, other}, CompareAttrs{ComparisonDirection::kNe});
        if (random.Percent(50)) less = body.Add(Opcode::kNot, {less});
        Instruction* tuple =
            body.Add(Opcode::kTuple,
                     {body.Add(Opcode::kSelect, {less, x, random.Percent(50) ? x : other}), other});
        next = body.Element(tuple, 0);
      }
    }
    if (next != nullptr) x = next;
  }
}

// Variadic reductions of several types, often complex ones.
void DrawFoldedTogether(Body& body) {
  Random& random = body.random();
  std::vector<ElementType> types = {random.Percent(60) ? random.Of({C64, C128}) : body.AnyType()};
  while (random.Percent(50) && types.size() < 3) types.push_back(random.Of({S32, types[0]}));
  const Dims dims = body.AnyDims(1, 3);
  std::vector<Instruction*> operands;
  for (const ElementType type : types) operands.push_back(body.Value(Shape(type, dims)));
  for (const ElementType type : types) operands.push_back(body.Value(Shape(type)));
  Dims reduced;
  for (i64 d = 0; d < std::ssize(dims); ++d) {
    if (random.Percent(60)) reduced.push_back(d);
  }
  HloComputation* const reducer = DrawReducer(body, types);
  if (reducer == nullptr) return;
  HloComputation* const callees[] = {reducer};
  body.AddWith(Opcode::kReduce, operands, DimensionsAttrs{reduced}, callees);
}

// One instruction, or one fusion, with very many operands: lists of operands have limits in the
// compiler, and an algorithm that visits pairs of operands would become slow.
void DrawManyOperands(Body& body) {
  Random& random = body.random();
  const i64 count = random.Percent(25) ? random.Between(315, 330) : random.Between(9, 60);
  const ElementType type = body.AnyType();
  const Shape shape(type, {random.Of<i64>({1, 2, 16, 130})});
  std::vector<Instruction*> operands;
  for (i64 i = 0; i < count; ++i) {
    operands.push_back(random.Percent(50) ? body.Fresh(shape) : body.Value(shape));
    if (operands.back() == nullptr) return;
  }
  switch (random.Below(4)) {
    case 0:
      body.AddWith(Opcode::kConcatenate, operands, DimensionsAttrs{{0}});
      return;
    case 1: {
      const std::vector<ElementType> types(operands.size(), type);
      HloComputation* const comparator = DrawComparator(body, types);
      if (comparator == nullptr) return;
      HloComputation* const callees[] = {comparator};
      body.AddWith(Opcode::kSort, operands,
                   SortAttrs{.dimensions = {0}, .is_stable = random.Percent(50)}, callees);
      return;
    }
    case 2: {
      Instruction* tuple = body.Add(Opcode::kTuple, operands, {});
      if (random.Percent(50)) tuple = body.Add(Opcode::kOptBarrier, {tuple});
      for (int uses = 0; uses < 3 && tuple != nullptr; ++uses) {
        body.Use(body.Element(tuple, random.Below(count)));
      }
      return;
    }
    default: {
      const Opcode op = random.Of({Opcode::kAdd, Opcode::kMaximum, Opcode::kXor, Opcode::kOr});
      Instruction* sum = operands[0];
      for (i64 i = 1; i < count && sum != nullptr; ++i) sum = body.Add(op, {sum, operands[i]});
    }
  }
}

// Many small instructions.
void DrawScalars(Body& body) {
  const ElementType type = body.AnyType();
  for (int i = 0; i < 3; ++i) body.Value(Shape(type));
  DrawLanes(body, 12);
}

// Chains of movements whose result is read together with another value by one loop.
void DrawMovements(Body& body) {
  constexpr Opcode kOps[] = {Opcode::kTranspose, Opcode::kTranspose, Opcode::kReshape,
                             Opcode::kReshape,   Opcode::kReverse,   Opcode::kReverse,
                             Opcode::kSlice,     Opcode::kBroadcast, Opcode::kPad,
                             Opcode::kNegate,    Opcode::kCopy};
  const Dims dims = body.AnyDims(2, 5, 400);
  const Shape shape(body.AnyType(), dims);
  Instruction* x = body.Value(shape);
  if (x != nullptr && body.random().Percent(60)) {
    if (Instruction* computed = body.Add(Opcode::kAdd, {x, x})) x = computed;
  }
  for (i64 n = body.random().Between(2, 6); n > 0 && x != nullptr; --n) {
    body.Prefer(x);
    if (Instruction* next = Draw(body, GetOpDef(body.random().Of(kOps)), shape.type())) x = next;
  }
  body.Prefer(nullptr);
  if (x == nullptr || !x->shape().is_array()) return;
  body.Add(Opcode::kMultiply, {x, body.Value(x->shape())});
}

// Nested control flow is limited to two levels; deeper computations get rewrite targets instead.
void DrawControl(Body& body) {
  if (body.depth() >= 2) return DrawIdioms(body);
  constexpr Opcode kOps[] = {Opcode::kWhile, Opcode::kWhile, Opcode::kConditional, Opcode::kCall};
  const ElementType type = body.AnyType();
  Draw(body, GetOpDef(body.random().Of(kOps)), type);
}

}  // namespace

void DrawPattern(Body& body) {
  constexpr void (*kPatterns[])(Body&) = {
      DrawMovements,      DrawMovements, DrawSoftmax,        DrawLayerNorm,   DrawSums,
      DrawLoopNest,       DrawLoopNest,  DrawScalars,        DrawIdioms,      DrawIdioms,
      DrawControl,        DrawControl,   DrawProductPattern, DrawProductSums, DrawFoldedTogether,
      DrawFoldedTogether, DrawIntegers,  DrawIntegers,       DrawIntegers,    DrawIntegers,
      DrawIntegers,       DrawFloats,    DrawFloats,         DrawFloats,      DrawShuffles,
      DrawShuffles,       DrawShuffles,  DrawManyOperands};
  body.random().Of(kPatterns)(body);
}

}  // namespace axle

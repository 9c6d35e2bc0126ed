// Recipes of operations that move elements, at fixed or at computed places (gather, scatter,
// dynamic slices). Indices lie mostly in bounds and sometimes far outside, because both cases have
// defined results.

#include <algorithm>

#include "axle/gen/recipes.h"

namespace axle {
namespace {

Instruction* DrawBroadcast(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 0, 3);
  if (operand == nullptr) return nullptr;
  // The operand's dimensions among some new ones, sometimes in another order.
  Random& random = body.random();
  const i64 rank =
      operand->shape().rank() + random.Between(operand->shape().rank() == 0 ? 1 : 0, 2);
  Dims places(rank);
  for (i64 d = 0; d < rank; ++d) places[d] = d;
  random.Shuffle(places);
  places.resize(operand->shape().rank());
  if (random.Percent(80)) std::ranges::sort(places);
  Dims dims(rank);
  i64 elements = std::max<i64>(operand->shape().num_elements(), 1);
  for (i64& size : dims) {
    size = body.AnySize();
    while (size > 1 && elements * size > 4000) size /= 2;
    elements *= std::max<i64>(size, 1);
  }
  for (size_t i = 0; i < places.size(); ++i)
    dims[places[i]] = operand->shape().dim(static_cast<i64>(i));
  return body.BroadcastTo(operand, dims, places);
}

Instruction* DrawReshape(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  // Neighbours are merged, sizes split, ones added.
  Dims dims = operand->shape().dims();
  Random& random = body.random();
  for (i64 steps = random.Between(1, 3); steps > 0; --steps) {
    const auto rank = static_cast<i64>(dims.size());
    const i64 d = rank == 0 ? 0 : random.Below(rank);
    const i64 kind = random.Below(3);
    if (kind == 0 && rank >= 2 && d + 1 < rank) {
      dims[d] *= dims[d + 1];
      dims.erase(dims.begin() + d + 1);
    } else if (kind == 1 && rank >= 1) {
      for (const i64 factor : {2, 3, 5, 7, 13}) {
        if (dims[d] > 0 && dims[d] % factor == 0) {
          dims[d] /= factor;
          dims.insert(dims.begin() + d + random.Below(2), factor);
          break;
        }
      }
    } else if (rank < 6) {
      dims.insert(dims.begin() + random.Below(rank + 1), 1);
    }
  }
  return body.Add(Opcode::kReshape, {operand}, Shape(type, dims));
}

// A random subset of the dimensions in random order; all of them if `at_least` is the rank.
Dims SomeDims(Random& random, i64 rank, i64 at_least = 0) {
  Dims dims(rank);
  for (i64 d = 0; d < rank; ++d) dims[d] = d;
  random.Shuffle(dims);
  dims.resize(random.Between(std::min(at_least, rank), rank));
  return dims;
}

Instruction* DrawTranspose(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, body.random().Percent(90) ? 2 : 0);
  if (operand == nullptr) return nullptr;
  Dims order = SomeDims(body.random(), operand->shape().rank(), operand->shape().rank());
  return body.AddWith(Opcode::kTranspose, {operand}, DimensionsAttrs{order});
}

Instruction* DrawReverse(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  return body.AddWith(Opcode::kReverse, {operand},
                      DimensionsAttrs{SomeDims(body.random(), operand->shape().rank(), 1)});
}

Instruction* DrawSlice(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  SliceConfig slice;
  for (const i64 size : operand->shape().dims()) {
    const i64 start = body.random().Percent(40) ? 0 : body.random().Between(0, size);
    const i64 limit = body.random().Percent(40) ? size : body.random().Between(start, size);
    slice.push_back({start, limit, body.random().Of<i64>({1, 1, 1, 2, 3, 7})});
  }
  return body.AddWith(Opcode::kSlice, {operand}, SliceAttrs{slice});
}

Instruction* DrawPad(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 1);
  if (operand == nullptr) return nullptr;
  PaddingConfig padding;
  for (i64 d = 0; d < operand->shape().rank(); ++d) {
    padding.push_back({body.random().Of<i64>({0, 0, 1, 2, -1, 5}),
                       body.random().Of<i64>({0, 0, 1, 3, -1}),
                       body.random().Of<i64>({0, 0, 0, 1, 2})});
  }
  return body.AddWith(Opcode::kPad, {operand, body.Value(Shape(type))}, PadAttrs{padding});
}

Instruction* DrawConcatenate(Body& body, ElementType type) {
  Instruction* first = body.Array(type, 1);
  if (first == nullptr) return nullptr;
  const i64 dim = body.random().Below(first->shape().rank());
  std::vector<Instruction*> operands = {first};
  for (i64 more = body.random().Below(4); more > 0; --more) {
    Shape shape(type, first->shape().dims());
    if (body.random().Percent(60)) shape.set_dim(dim, std::min<i64>(body.AnySize(), 70));
    operands.push_back(body.Value(shape));
  }
  body.random().Shuffle(operands);
  return body.AddWith(Opcode::kConcatenate, operands, DimensionsAttrs{{dim}});
}

Instruction* DrawIota(Body& body, ElementType type) {
  const Dims dims = body.AnyDims(1);
  return body.AddWith(Opcode::kIota, {},
                      IotaAttrs{body.random().Below(static_cast<i64>(dims.size()))}, {},
                      Shape(type, dims));
}

// Index operands may have any integer type; a narrow one cannot hold every index.
ElementType IndexType(Random& random) {
  return random.Of({S32, S32, S32, S64, U32, U8, S8, S16, U64});
}

// Scalars, mostly inside of the operand, sometimes far outside.
Instruction* Index(Body& body, ElementType type, i64 size) {
  if (body.random().Percent(30)) return body.Value(Shape(type));
  return body.Constant(type, static_cast<double>(body.random().Between(-2, size + 2)));
}

Instruction* DrawDynamicSlice(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  std::vector<Instruction*> operands = {operand};
  const ElementType index_type = IndexType(body.random());
  Dims sizes;
  for (const i64 size : operand->shape().dims()) {
    operands.push_back(Index(body, index_type, size));
    sizes.push_back(body.random().Percent(30) ? size : body.random().Between(0, size));
  }
  return body.AddWith(Opcode::kDynamicSlice, operands, DynamicSliceAttrs{sizes});
}

Instruction* DrawDynamicUpdateSlice(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  Shape update(type);
  std::vector<Instruction*> operands = {operand, nullptr};
  const ElementType index_type = IndexType(body.random());
  for (const i64 size : operand->shape().dims()) {
    operands.push_back(Index(body, index_type, size));
    update.AppendDim(body.random().Percent(30) ? size : body.random().Between(0, size));
  }
  operands[1] = body.Value(update);
  return body.Add(Opcode::kDynamicUpdateSlice, operands, {});
}

// Indices of which nine in ten lie in [0, size) and the others in [-2, size + 1]; sometimes an
// arbitrary value of the program.
Instruction* Indices(Body& body, const Shape& shape, i64 size) {
  if (body.random().Percent(30)) return body.Value(shape);
  Literal numbers(shape.WithType(S32));
  for (std::int32_t& number : numbers.mutable_data<std::int32_t>()) {
    number = static_cast<std::int32_t>(body.random().Percent(90)
                                           ? body.random().Between(0, std::max<i64>(size - 1, 0))
                                           : body.random().Between(-2, size + 1));
  }
  return body.Convert(body.ConstantOf(std::move(numbers)), shape.type());
}

// How a gather or scatter goes through its operand: window dimensions, and those that are indexed.
struct Windows {
  Dims slice_sizes, index_map, collapsed, offset_dims;
  Shape indices;
  Dims batch;  // sizes of the result's batch dimensions
  i64 rank;    // of the result, or of the updates
  i64 longest = 0;
};

// Chooses the indexed dimensions, the window in each dimension and the order of the result's
// dimensions, which are the same for a gather and, read backwards, for a scatter.
Windows DrawWindows(Body& body, const Shape& operand) {
  Random& random = body.random();
  Windows w;
  w.index_map = SomeDims(random, operand.rank(), operand.rank() > 0 && random.Percent(90) ? 1 : 0);
  for (i64 d = 0; d < operand.rank(); ++d) {
    const bool is_indexed = std::ranges::find(w.index_map, d) != w.index_map.end();
    const bool collapse = is_indexed && random.Percent(60) && operand.dim(d) > 0;
    w.slice_sizes.push_back(collapse             ? 1
                            : random.Percent(50) ? operand.dim(d)
                                                 : random.Between(0, operand.dim(d)));
    if (collapse) w.collapsed.push_back(d);
    if (is_indexed) w.longest = std::max(w.longest, operand.dim(d) - w.slice_sizes[d] + 1);
  }
  // More than kMaxSmallElements, now and then: a gather of so many elements is a loop.
  w.batch = body.AnyDims(0, 2, random.Percent(30) ? 400 : 40);
  w.indices = Shape(IndexType(random), w.batch);
  w.indices.AppendDim(static_cast<i64>(w.index_map.size()));
  const auto windows = static_cast<i64>(w.slice_sizes.size() - w.collapsed.size());
  w.rank = static_cast<i64>(w.batch.size()) + windows;
  w.offset_dims = SomeDims(random, w.rank, w.rank);
  w.offset_dims.resize(windows);
  std::ranges::sort(w.offset_dims);
  return w;
}

Instruction* DrawGather(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 0, 4);
  if (operand == nullptr) return nullptr;
  const Windows w = DrawWindows(body, operand->shape());
  GatherAttrs attrs;
  attrs.offset_dims = w.offset_dims;
  attrs.collapsed_slice_dims = w.collapsed;
  attrs.start_index_map = w.index_map;
  attrs.index_vector_dim = w.indices.rank() - 1;
  attrs.slice_sizes = w.slice_sizes;
  return body.AddWith(Opcode::kGather, {operand, Indices(body, w.indices, w.longest)}, attrs);
}

Instruction* DrawScatter(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 0, 4);
  if (operand == nullptr) return nullptr;
  const Windows w = DrawWindows(body, operand->shape());
  // The updates have the window sizes at `offset_dims`, in order, and the batch sizes in the other
  // places.
  Dims dims(w.rank);
  size_t batch = 0, window = 0;
  Dims window_sizes;
  for (i64 d = 0; d < operand->shape().rank(); ++d) {
    if (std::ranges::find(w.collapsed, d) == w.collapsed.end())
      window_sizes.push_back(w.slice_sizes[d]);
  }
  for (i64 d = 0; d < w.rank; ++d) {
    const bool is_window = std::ranges::find(w.offset_dims, d) != w.offset_dims.end();
    dims[d] = is_window ? window_sizes[window++] : w.batch[batch++];
  }
  HloComputation* update = DrawReducer(body, {&type, 1});
  if (update == nullptr) return nullptr;
  ScatterAttrs attrs;
  attrs.update_window_dims = w.offset_dims;
  attrs.inserted_window_dims = w.collapsed;
  attrs.scatter_dims_to_operand_dims = w.index_map;
  attrs.index_vector_dim = w.indices.rank() - 1;
  return body.AddWith(Opcode::kScatter,
                      {operand, Indices(body, w.indices, w.longest), body.Value(Shape(type, dims))},
                      attrs, {update});
}

// A bitcast to a permutation of the dimensions keeps the bytes, unlike a transpose.
Instruction* DrawBitcast(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  Dims dims = operand->shape().dims();
  body.random().Shuffle(dims);
  return body.Add(Opcode::kBitcast, {operand}, Shape(type, dims));
}

Instruction* DrawGetDimensionSize(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 1);
  if (operand == nullptr) return nullptr;
  return body.AddWith(Opcode::kGetDimensionSize, {operand},
                      DimensionsAttrs{{body.random().Below(operand->shape().rank())}});
}

Instruction* DrawSetDimensionSize(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 1);
  if (operand == nullptr) return nullptr;
  const i64 d = body.random().Below(operand->shape().rank());
  Instruction* size =
      body.random().Percent(50)
          ? body.Value(Shape(S32))
          : body.Constant(S32,
                          static_cast<double>(body.random().Between(0, operand->shape().dim(d))));
  Shape result = operand->shape().WithoutLayout();
  result.set_dynamic(d, true);
  Instruction* cut =
      body.AddWith(Opcode::kSetDimensionSize, {operand, size}, DimensionsAttrs{{d}}, {}, result);
  if (cut == nullptr) return nullptr;
  // An op that uses the value at once; nothing else takes dynamic values.
  for (i64 uses = body.random().Below(3); uses > 0; --uses) {
    body.Prefer(cut);
    Draw(body, *body.random().Of(DrawnOps()), type);
  }
  body.Prefer(nullptr);
  // Setting the size back makes the array static again.
  if (body.random().Percent(40)) {
    const auto whole = static_cast<double>(operand->shape().dim(d));
    body.AddWith(Opcode::kSetDimensionSize, {cut, body.Constant(S32, whole)}, DimensionsAttrs{{d}},
                 {}, operand->shape().WithoutLayout());
  }
  return cut;
}

Instruction* DrawDynamicReshape(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 1);
  if (operand == nullptr) return nullptr;
  // The sizes are the static ones: others would rarely hold as many elements.
  std::vector<Instruction*> operands = {operand};
  Dims dims = operand->shape().dims();
  body.random().Shuffle(dims);
  Shape result(type, dims);
  for (i64 d = 0; d < result.rank(); ++d) {
    operands.push_back(body.Constant(S32, static_cast<double>(result.dim(d))));
    result.set_dynamic(d, body.random().Percent(30));
  }
  return body.Add(Opcode::kDynamicReshape, operands, {}, {}, result);
}

constexpr Recipe kRecipes[] = {
    {Opcode::kBroadcast, DrawBroadcast},
    {Opcode::kReshape, DrawReshape},
    {Opcode::kTranspose, DrawTranspose},
    {Opcode::kReverse, DrawReverse},
    {Opcode::kSlice, DrawSlice},
    {Opcode::kPad, DrawPad},
    {Opcode::kConcatenate, DrawConcatenate},
    {Opcode::kIota, DrawIota},
    {Opcode::kDynamicSlice, DrawDynamicSlice},
    {Opcode::kDynamicUpdateSlice, DrawDynamicUpdateSlice},
    {Opcode::kGather, DrawGather},
    {Opcode::kScatter, DrawScatter},
    {Opcode::kBitcast, DrawBitcast},
    {Opcode::kGetDimensionSize, DrawGetDimensionSize},
    {Opcode::kSetDimensionSize, DrawSetDimensionSize},
    {Opcode::kDynamicReshape, DrawDynamicReshape},
};

}  // namespace

std::span<const Recipe> MovementRecipes() {
  return kRecipes;
}

}  // namespace axle

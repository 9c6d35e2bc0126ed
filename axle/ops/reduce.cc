// reduce: folds dimensions with a computation.
//
// How it runs. Dimensions of size 1 are dropped and adjacent ones of the same kind merged; what is
// left of the operand is [outer.., run, columns]: `columns` adjacent kept elements (1 if the last
// dimension is reduced), `run` reduced ones left of them, and outer dimensions of both kinds. For
// example f32[8,16,4] over dimension 1 has outer 8, run 16, columns 4.
//
// 1. Reducers that are one known operation per component (reducer.h) run as plain loops over
//    contiguous memory: FoldKnown. On floats this is the canonical order of sums; other types are
//    exact in any order, so they use the same loops.
// 2. Any other reducer that is scalar arithmetic folds from the left, one step for a block of
//    results at a time, through its lane program: FoldLeft.
// 3. Any other reducer is called once per element: FoldByCalls.

#include <algorithm>
#include <cstring>

#include "axle/core/convert.h"
#include "axle/ops/canonical_reduce.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"
#include "axle/ops/dim_order.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/reduce_kernels.h"
#include "axle/ops/scalar_callee.h"

namespace axle {

extern const OpDef kReduceDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}, {"init_value", kVariadic}};
constexpr AttrSpec kAttrs[] = {Attr<&DimensionsAttrs::dimensions>("dimensions", {.field = 14})};
constexpr CalleeSpec kCallees[] = {{"to_apply"}};

bool IsReduced(const Dims& dimensions, i64 d) {
  return std::ranges::find(dimensions, d) != dimensions.end();
}

// The kept dimensions of each operand, in order.
StatusOr<Shape> InferReduce(const Instruction& inst) {
  const Dims& dimensions = inst.attrs<DimensionsAttrs>().dimensions;
  AXLE_ASSIGN(const std::vector<Shape> operands, CheckFoldOperands(inst));
  AXLE_TRY(CheckDims(inst, "dimensions", dimensions, operands[0].rank()));
  std::vector<Shape> results;
  for (const Shape& operand : operands) {
    Shape& result = results.emplace_back(operand.type());
    for (i64 d = 0; d < operand.rank(); ++d) {
      if (!IsReduced(dimensions, d)) result.AppendDim(operand.dim(d), operand.is_dynamic(d));
    }
  }
  return FoldResult(inst, std::move(results));
}

// Dimensions with their distances in memory.
struct Strided {
  Dims sizes, strides;
  i64 count = 1;

  void Add(i64 size, i64 stride) {
    sizes.push_back(size);
    strides.push_back(stride);
    count *= size;
  }
  // Where element `index`, in row-major order, is.
  i64 Offset(i64 index) const {
    i64 offset = 0;
    for (size_t d = sizes.size(); d-- > 0; index /= sizes[d]) {
      if (d == 0) return offset + index * strides[0];
      offset += index % sizes[d] * strides[d];
    }
    return offset;
  }
};

// The dimensions of the operand after merging: see "How it runs" above.
struct Geometry {
  Strided kept;     // outer kept dimensions: kept.count * columns results
  Strided reduced;  // outer reduced dimensions
  i64 run = 1;      // reduced elements that lie `columns` apart
  i64 columns = 1;

  i64 num_results() const { return kept.count * columns; }
  i64 num_reduced() const { return reduced.count * run; }
  // Where result `k` starts, and its reduced element `r` from there.
  i64 ResultOffset(i64 k) const { return kept.Offset(k / columns) + k % columns; }
  i64 ReducedOffset(i64 r) const { return reduced.Offset(r / run) + r % run * columns; }
};

// Neighbouring dimensions of one kind become one; the last group is the columns if it is kept, and
// the one before is the run.
Geometry MakeGeometry(const Shape& operand, const Dims& dimensions) {
  struct Group {
    bool is_reduced;
    i64 size, stride;
  };
  std::vector<Group> groups;
  const Dims strides = RowMajorStrides(operand.dims());
  for (i64 d = 0; d < operand.rank(); ++d) {
    if (operand.dim(d) == 1) continue;
    const bool is_reduced = IsReduced(dimensions, d);
    if (!groups.empty() && groups.back().is_reduced == is_reduced) {
      groups.back().size *= operand.dim(d);
      groups.back().stride = strides[d];
    } else {
      groups.push_back({is_reduced, operand.dim(d), strides[d]});
    }
  }
  Geometry g;
  if (!groups.empty() && !groups.back().is_reduced) {
    g.columns = groups.back().size;
    groups.pop_back();
  }
  if (!groups.empty()) {
    g.run = groups.back().size;
    groups.pop_back();
  }
  for (const Group& group : groups)
    (group.is_reduced ? g.reduced : g.kept).Add(group.size, group.stride);
  return g;
}

// The fold of one component whose reducer is known; canonical for floats.
class KnownFold {
 public:
  // `type` is the declared type of the operand, on which the number of lanes depends.
  KnownFold(const Geometry& g, ReducerKind kind, ElementType type)
      : g_(g),
        type_(type),
        kernel_(FindFoldKernel(kind, type)),
        source_bytes_(Info(type).bytes),
        value_bytes_(Info(kernel_.type).bytes * kernel_.parts),
        lanes_(SumLanes(g.num_reduced(), g.columns, type)),
        width_(std::min(g.columns, kMaxColumns)),
        lane_values_(lanes_ * width_ * value_bytes_),
        wide_(IsNarrowFloat(type) ? std::max(kMaxPiece, width_) : 0),
        join_{kernel_.fold, Info(kernel_.type).bytes},
        tree_(width_ * value_bytes_, join_) {}

  // Writes every result, init folded in once on the left. `init` and `results` are of the kernel's
  // type (f32 for narrow floats).
  Status Run(const std::byte* operand, const std::byte* init, std::byte* results,
             const EvalContext& context) {
    for (i64 outer = 0; outer < g_.kept.count; ++outer) {
      const i64 begin = g_.kept.Offset(outer);
      for (i64 column = 0; column < g_.columns; column += width_) {
        const i64 width = std::min(width_, g_.columns - column);
        std::byte* result = results + (outer * g_.columns + column) * value_bytes_;
        for (i64 j = 0; j < width; ++j) std::memcpy(result + j * value_bytes_, init, value_bytes_);
        AXLE_TRY(context.Check());
        AXLE_TRY(FoldColumns(operand, begin + column, width, result, context));
      }
    }
    return {};
  }

 private:
  // Wider rows of results are folded piece by piece, so that accumulators stay in the cache.
  static constexpr i64 kMaxColumns = 1024;
  static constexpr i64 kMaxPiece = 4096;  // elements that are widened at once

  // acc = f(acc, x) for as many values as have `bytes` bytes.
  struct Join {
    FoldFn fold;
    i64 element_bytes;
    void operator()(std::byte* acc, const std::byte* x, i64 bytes) const {
      fold(acc, x, bytes / element_bytes, 1, 0);
    }
  };

  // result[j] = f(result[j], fold of column j) for `width` columns from `begin` on.
  Status FoldColumns(const std::byte* operand, i64 begin, i64 width, std::byte* result,
                     const EvalContext& context) {
    const i64 count = g_.num_reduced();
    const i64 bytes = width * value_bytes_;
    if (count == 0) return {};
    // A single contiguous row of at most one chunk has a kernel of its own.
    if (g_.columns == 1 && g_.run == count && count <= kSumChunk && kernel_.parts == 1) {
      kernel_.fold_row(Values(operand, begin, count), count, lanes_, lane_values_.data());
      join_(result, lane_values_.data(), bytes);
      return {};
    }
    // One chunk needs no tree.
    if (count <= kSumChunk) {
      FoldChunk(operand, begin, width, 0, count);
      join_(result, lane_values_.data(), bytes);
      return {};
    }
    // The tree was made for full pieces; a narrower last piece has one of its own.
    ChunkTree<std::byte, Join> narrow(bytes, join_);
    ChunkTree<std::byte, Join>& tree = width == width_ ? tree_ : narrow;
    for (i64 r = 0; r < count; r += kSumChunk) {
      AXLE_TRY(context.Check());
      FoldChunk(operand, begin, width, r, std::min(count, r + kSumChunk));
      tree.Add(lane_values_.data());
    }
    join_(result, tree.Finish(), bytes);
    return {};
  }

  // Reduced elements [r, end) of the columns, into the first `width` values of lane_values_.
  void FoldChunk(const std::byte* operand, i64 begin, i64 width, i64 r, i64 end) {
    const i64 count = end - r;
    for (i64 done = 0; done < count;) {
      // A piece of neighbours; wide_ bounds how many are widened at once.
      const i64 piece =
          std::min({count - done, g_.run - (r + done) % g_.run,
                    wide_.empty() ? count : std::max<i64>(1, kMaxPiece / g_.columns)});
      const i64 offset = begin + g_.ReducedOffset(r + done);
      if (width == g_.columns) {
        FoldPiece(Values(operand, offset, piece * width), width, done, piece, width);
      } else if (wide_.empty()) {
        FoldPiece(Values(operand, offset, 0), width, done, piece, g_.columns);
      } else {
        for (i64 k = 0; k < piece; ++k) {
          FoldPiece(Values(operand, offset + k * g_.columns, width), width, done + k, 1, width);
        }
      }
      done += piece;
    }
    const i64 unit = width * value_bytes_;
    JoinLanes(lane_values_.data(), lanes_, std::min(lanes_, count), unit, join_);
  }

  // Elements `done` .. done + rows - 1 of a chunk, `stride` values apart, into their lanes. The
  // first element of a lane is its first value: what starting at the exact identity comes to.
  void FoldPiece(const std::byte* x, i64 width, i64 done, i64 rows, i64 stride) {
    const i64 unit = width * value_bytes_, step = stride * value_bytes_;
    const i64 parts = kernel_.parts;
    while (rows > 0) {
      const i64 lane = done % lanes_;
      std::byte* acc = lane_values_.data() + lane * unit;
      i64 taken = std::min(rows, lanes_ - lane);
      if (done < lanes_) {
        std::memcpy(acc, x, taken * unit);  // with more than one lane, stride == width
      } else if (lane == 0 && rows >= lanes_) {
        const i64 repeats = rows / lanes_;
        taken = repeats * lanes_;
        kernel_.fold(acc, x, lanes_ * width * parts, repeats, lanes_ * stride * parts);
      } else {
        kernel_.fold(acc, x, taken * width * parts, 1, 0);
      }
      done += taken;
      rows -= taken;
      x += taken * step;
    }
  }

  // `n` elements of the operand from `offset` on, as the kernel wants them.
  const std::byte* Values(const std::byte* operand, i64 offset, i64 n) {
    const std::byte* source = operand + offset * source_bytes_;
    if (wide_.empty()) return source;
    WidenElements(type_, source, wide_.data(), n);
    return reinterpret_cast<const std::byte*>(wide_.data());
  }

  const Geometry& g_;
  ElementType type_;
  FoldKernel kernel_;
  i64 source_bytes_;
  i64 value_bytes_;
  i64 lanes_;
  i64 width_;
  std::vector<std::byte> lane_values_;
  std::vector<float> wide_;
  Join join_;
  ChunkTree<std::byte, Join> tree_;
};

// One component. The sums of narrow floats are f32 and rounded once, at the end.
StatusOr<Literal> FoldKnown(const Geometry& g, ReducerKind kind, const Shape& result,
                            const Literal& operand, const Literal& init,
                            const EvalContext& context) {
  const ElementType type = operand.shape().type();
  const ElementType computed = IsNarrowFloat(type) ? F32 : type;
  AXLE_ASSIGN(const Literal wide_init, ConvertIfNeeded(init, computed));
  AXLE_ASSIGN(Literal folded, Literal::CreateUninitialized(result.WithType(computed)));
  KnownFold fold(g, kind, type);
  AXLE_TRY(fold.Run(operand.bytes(), wide_init.bytes(), folded.mutable_bytes(), context));
  if (IsSubByte(type) && IsIntegral(type)) WrapSubByte(folded);  // not the f32 of f4 and f6
  return ConvertIfNeeded(folded, type);
}

// One element of every array of a general reduction: accumulators and values, or results.
using Elements = std::vector<Literal>;

// A left fold through the reducer's lane program, for a block of results at a time.
// The results of a block are accumulators and outputs at once; row r of the elements is gathered if
// it is not contiguous.
Status FoldLeft(const Geometry& g, const LaneProgram& reducer, std::span<const Literal> operands,
                Elements& results, const EvalContext& context) {
  constexpr i64 kBlock = 1024;
  const size_t n = results.size();
  const i64 block = std::min(kBlock, g.num_results());
  Dims starts(block);
  Elements rows;
  for (const Literal& result : results) {
    rows.push_back(Literal::Uninitialized(Shape(result.shape().type(), {block})));
  }
  std::vector<const void*> inputs(2 * n);
  std::vector<void*> outputs(n);
  for (i64 begin = 0; begin < g.num_results(); begin += block) {
    AXLE_TRY(context.Check());
    const i64 count = std::min(block, g.num_results() - begin);
    for (i64 k = 0; k < count; ++k) starts[k] = g.ResultOffset(begin + k);
    const bool neighbours = starts[count - 1] - starts[0] == count - 1;
    for (size_t i = 0; i < n; ++i) {
      const i64 bytes = Info(results[i].shape().type()).bytes;
      inputs[i] = outputs[i] = results[i].mutable_bytes() + begin * bytes;
    }
    for (i64 r = 0; r < g.num_reduced(); ++r) {
      if (r % 16 == 0) AXLE_TRY(context.Check());
      const i64 offset = g.ReducedOffset(r);
      for (size_t i = 0; i < n; ++i) {
        const i64 bytes = Info(results[i].shape().type()).bytes;
        const std::byte* source = operands[i].bytes() + offset * bytes;
        inputs[n + i] = neighbours ? source + starts[0] * bytes : rows[i].bytes();
        if (neighbours) continue;
        DispatchBytes(static_cast<int>(bytes), [&]<typename T>() {
          T* row = reinterpret_cast<T*>(rows[i].mutable_bytes());
          const T* x = reinterpret_cast<const T*>(source);
          for (i64 k = 0; k < count; ++k) row[k] = x[starts[k]];
        });
      }
      AXLE_TRY(context.executor.Run(reducer, inputs, outputs, count));
    }
  }
  return {};
}

// A scalar that is element `index` of an array.
Literal ElementOf(const Literal& array, i64 index) {
  const ElementType type = array.shape().type();
  Literal scalar{Shape(type)};
  const i64 bytes = Info(type).bytes;
  std::memcpy(scalar.mutable_bytes(), array.bytes() + index * bytes, bytes);
  return scalar;
}

// A left fold that calls the reducer once per element.
// The slowest way, for reducers with loops or calls that are no scalar arithmetic.
Status FoldByCalls(const Geometry& g, std::span<const Literal> operands, Elements& results,
                   const EvalContext& context) {
  const size_t n = results.size();
  for (i64 k = 0; k < g.num_results(); ++k) {
    AXLE_TRY(context.Check());
    const i64 start = g.ResultOffset(k);
    for (i64 r = 0; r < g.num_reduced(); ++r) {
      Elements args;
      for (size_t i = 0; i < n; ++i) args.push_back(ElementOf(results[i], k));
      for (size_t i = 0; i < n; ++i) {
        args.push_back(ElementOf(operands[i], start + g.ReducedOffset(r)));
      }
      AXLE_TRY(context.Check());
      AXLE_ASSIGN(const Literal value, context.callee().Call(args));
      for (size_t i = 0; i < n; ++i) {
        const Literal& element = value.shape().is_tuple() ? value.element(i) : value;
        const i64 bytes = element.num_bytes();
        std::memcpy(results[i].mutable_bytes() + k * bytes, element.bytes(), bytes);
      }
    }
  }
  return {};
}

// Folds every component from the left, beginning with its initial value.
StatusOr<Elements> FoldGeneral(const Geometry& g, std::span<const Shape> shapes,
                               std::span<const Literal> operands, const EvalContext& context) {
  const size_t n = shapes.size();
  Elements results;
  for (size_t i = 0; i < n; ++i) {
    AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shapes[i]));
    DispatchBytes(Info(shapes[i].type()).bytes, [&]<typename T>() {
      std::ranges::fill(result.MutableUncheckedData<T>(), operands[n + i].UncheckedData<T>()[0]);
    });
    results.push_back(std::move(result));
  }
  const LaneProgram* reducer = context.callee().lanes();
  AXLE_TRY(reducer != nullptr ? FoldLeft(g, *reducer, operands, results, context)
                              : FoldByCalls(g, operands, results, context));
  return results;
}

// Known components run on their own; if one component is not known, all are folded from the left
// together, since its function may read the others, and the known ones are then replaced by their
// canonical folds.
StatusOr<Literal> EvalReduce(const Instruction& inst, std::span<Literal> operands,
                             const EvalContext& context) {
  const Shape& operand = inst.operand(0)->shape();
  const Shape result = inst.shape().WithoutLayout();
  const std::vector<Shape> shapes = result.is_tuple() ? result.elements() : std::vector{result};
  const Geometry g = MakeGeometry(operand, inst.attrs<DimensionsAttrs>().dimensions);
  const size_t n = shapes.size();
  std::vector<ElementType> types;
  for (const Shape& shape : shapes) types.push_back(shape.type());
  std::vector<ReducerKind> kinds(n, ReducerKind::kGeneral);
  if (const LaneProgram* reducer = context.callee().lanes()) {
    kinds = ClassifyReducer(*reducer, types);
  }
  Elements results(n);
  if (g.num_results() == 0) {
    // The dimensions beside a zero may be too long to walk.
    for (size_t i = 0; i < n; ++i) {
      AXLE_ASSIGN(results[i], Literal::CreateUninitialized(shapes[i]));
    }
    return result.is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
  }
  if (std::ranges::find(kinds, ReducerKind::kGeneral) != kinds.end()) {
    AXLE_ASSIGN(results, FoldGeneral(g, shapes, operands, context));
  }
  for (size_t i = 0; i < n; ++i) {
    if (kinds[i] == ReducerKind::kGeneral) continue;
    AXLE_ASSIGN(results[i],
                FoldKnown(g, kinds[i], shapes[i], operands[i], operands[n + i], context));
  }
  return result.is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

// Only sums and products of floats depend on the order.
bool IsCanonical(ReducerKind kind, ElementType type) {
  return (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply) &&
         (IsFloating(type) || IsComplex(type));
}

// The exact identity of the sum or product.
Literal IdentityOf(ReducerKind kind, ElementType type) {
  const bool is_add = kind == ReducerKind::kAdd;
  Literal identity{Shape(type)};
  DispatchElementType(type, [&]<ElementType kType>() {
    using T = StorageOf<kType>;
    if constexpr (kType == F32 || kType == F64) {
      identity.mutable_data<T>()[0] = is_add ? T(-0.0) : T(1);
    } else if constexpr (kType == C64 || kType == C128) {
      identity.mutable_data<T>()[0] = is_add ? T(-0.0, -0.0) : T(1, 0);
    }
  });
  return identity;
}

// The canonical order numbers elements in the shape of the bounds: the sum runs over all of it,
// with the identity in the padding, which is to skip it.
StatusOr<Literal> SumInBounds(const Instruction& inst, ReducerKind kind, const Literal& valid,
                              const Literal& init, const EvalContext& context) {
  const Shape& bounds = inst.operand(0)->shape();
  const Dims& dimensions = inst.attrs<DimensionsAttrs>().dimensions;
  const ElementType type = valid.shape().type();
  const ElementType computed = IsNarrowFloat(type) ? F32 : type;
  const Geometry g = MakeGeometry(bounds, dimensions);
  Dims sizes;
  for (i64 d = 0; d < bounds.rank(); ++d) {
    if (!IsReduced(dimensions, d)) sizes.push_back(bounds.dim(d));
  }
  const Shape result(computed, sizes);
  if (g.num_results() == 0) return Literal::Create(result.WithType(type));
  AXLE_ASSIGN(const Literal wide, ConvertIfNeeded(valid, computed));
  AXLE_ASSIGN(const Literal wide_init, ConvertIfNeeded(init, computed));
  AXLE_ASSIGN(const Literal whole, Extended(wide, bounds.dims(), IdentityOf(kind, computed)));
  AXLE_ASSIGN(const Literal sum, FoldKnown(g, kind, result, whole, wide_init, context));
  return ConvertIfNeeded(sum, type);
}

// Canonical components are computed in the bounds, the others on the valid part.
StatusOr<Literal> EvalReduceDynamic(const Instruction& inst, std::span<Literal> operands,
                                    const EvalContext& context) {
  const size_t n = operands.size() / 2;
  const std::span<Literal> values = operands.first(n);
  std::vector<ElementType> types;
  for (const Literal& operand : values) types.push_back(operand.shape().type());
  std::vector<ReducerKind> kinds(n, ReducerKind::kGeneral);
  if (const LaneProgram* reducer = context.callee().lanes()) {
    kinds = ClassifyReducer(*reducer, types);
  }
  AXLE_ASSIGN(const Dims sizes, AgreedSizes(inst, values));
  const auto is_canonical = [&](size_t i) { return IsCanonical(kinds[i], types[i]); };
  Elements results(n);
  size_t num_canonical = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!is_canonical(i)) continue;
    ++num_canonical;
    AXLE_ASSIGN(results[i], SumInBounds(inst, kinds[i], FirstElements(operands[i], sizes),
                                        operands[n + i], context));
    i64 kept = 0;
    for (i64 d = 0; d < static_cast<i64>(sizes.size()); ++d) {
      if (IsReduced(inst.attrs<DimensionsAttrs>().dimensions, d)) continue;
      results[i].SetSizeBeforeFlags(kept++, sizes[d]);
    }
  }
  if (num_canonical < n) {
    AXLE_ASSIGN(Literal others, EvaluateCutAlike(inst, operands, context));
    for (size_t i = 0; i < n; ++i) {
      if (is_canonical(i)) continue;
      results[i] = others.shape().is_tuple() ? others.element(static_cast<i64>(i)) : others;
    }
  }
  return inst.shape().is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace

// The sums of batch-norm and others are those of a reduce instruction with an add.
StatusOr<Literal> CanonicalSum(const Literal& operand, const Dims& dimensions,
                               const EvalContext& context) {
  const Shape& shape = operand.shape();
  Shape result(shape.type());
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (!IsReduced(dimensions, d)) result.AppendDim(shape.dim(d));
  }
  const Geometry g = MakeGeometry(shape, dimensions);
  if (g.num_results() == 0) return Literal::Create(result);
  AXLE_ASSIGN(const Literal zero, Literal::Create(Shape(shape.type())));
  return FoldKnown(g, ReducerKind::kAdd, result, operand, zero, context);
}

const OpDef kReduceDef = {
    .opcode = Opcode::kReduce,
    .text = "reduce",
    .summary = "Folds the given dimensions with a computation, starting from init_value.",
    .semantics =
        "The order in `dimensions` does not matter; the kept dimensions keep theirs. `to_apply` "
        "takes one accumulator per operand, then one value per operand, all scalars of the "
        "operands' types, and gives the new accumulators; it is folded in row-major order with "
        "the accumulator on the left and init_value as the first one. With no dimensions it is "
        "applied once to each element, and over a dimension of size 0 the result is init_value. "
        "Where a component is nothing but an add or a multiply of floats, also of narrow ones "
        "that are widened and rounded back, the canonical order of docs/numerics.md is used "
        "instead, init_value last and on the left, and narrow floats are rounded once. Several "
        "operands give a tuple. Padding of dynamic dimensions takes no part, but counts where the "
        "canonical order numbers elements: that is done in the bounds.",
    .source = "XLA Reduce; StableHLO reduce; docs/numerics.md N4",
    .operands = kOperands,
    .attrs = Schema<DimensionsAttrs>(kAttrs),
    .callees = kCallees,
    .lowering = Lowering::kReduce,
    .accuracy = "sums and products as in docs/numerics.md N4; otherwise that of to_apply",
    .infer = InferReduce,
    .eval = EvalReduce,
    .eval_dynamic = EvalReduceDynamic,
    .permute = {PermuteForm::kFold, RenumberedDimensions},
};

}  // namespace axle

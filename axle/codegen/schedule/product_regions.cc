// Dots of few products in open regions. In
//
//   r = dot(p, m)      p: f32[100000,3] points, m: f32[3,3] a rotation
//   d = add(r, t)
//
// each element of r is a chain of three products. A kernel for matrices would spend more on each
// row than on its arithmetic; a loop over all elements of r computes 16 of them at once, adds t and
// stores. It reads p and m once for each k, as arrays of its own: p[i,0], p[i,1], p[i,2], whose
// elements groups (loop_pattern.h) bring into place.
//
// The order of the sum is that of docs/numerics.md N5: a chain of fma from +0. The canonical order,
// which products with a vector have, gives the same results for fewer than 16 products: its only
// lane starts at -0, which shows in zeros alone, and is added to +0 at last.
#include <algorithm>

#include "axle/codegen/schedule/dot_form.h"
#include "axle/codegen/schedule/loop_pattern.h"
#include "axle/codegen/schedule/schedule_builder.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/blocked_dot.h"

namespace axle {
namespace {

// Products of an element; a loop reads two arrays for each.
constexpr i64 kMaxDepth = 8;
// Rows and columns of the matrices of a batch, or one side of a single matrix. Larger ones keep
// kernels for matrices busy.
constexpr i64 kMaxSide = 8;
// Smaller results are there before code for them is compiled.
constexpr i64 kMinResults = i64{1} << 12;

i64 Product(const std::vector<DotDim>& dims) {
  i64 total = 1;
  for (const DotDim& dim : dims) total *= dim.size;
  return total;
}

bool HasFewProducts(const Instruction& inst) {
  const ElementType type = inst.shape().type();
  if ((type != F32 && type != F64) || inst.operand(0)->shape().type() != type ||
      inst.operand(1)->shape().type() != type || inst.shape().num_elements() < kMinResults) {
    return false;
  }
  const DotForm dot = DotFormOf(inst, RowMajor(inst));
  const i64 depth = Product(dot.depth), rows = Product(dot.rows), columns = Product(dot.columns);
  if (depth < 1 || depth > kMaxDepth) return false;
  if (Product(dot.batch) == 1 && rows <= kMaxSide && columns >= kShortRow) return true;
  const bool is_batch = Product(dot.batch) > 1;
  const i64 side = is_batch ? std::max(rows, columns) : columns;
  const i64 positions = is_batch ? rows * columns : columns;
  return side <= kMaxSide && HasShortCode(positions, depth, 2 * depth);
}

// What operand `i` gives to each element of the result at index `k` of the contracting dimensions.
IndexPiece PieceOf(const Instruction& inst, i64 i, const Dims& k) {
  const auto& attrs = inst.attrs<DotAttrs>();
  const Dims& batch = i == 0 ? attrs.lhs_batch_dims : attrs.rhs_batch_dims;
  const Dims& contracting = i == 0 ? attrs.lhs_contracting_dims : attrs.rhs_contracting_dims;
  const Shape& shape = inst.operand(i)->shape();
  IndexPiece piece;
  piece.source_begin.assign(static_cast<size_t>(shape.rank()), 0);
  for (size_t d = 0; d < contracting.size(); ++d) piece.source_begin[contracting[d]] = k[d];
  for (i64 d = 0; d < inst.shape().rank(); ++d)
    piece.dims.push_back({.count = inst.shape().dim(d)});
  for (size_t d = 0; d < batch.size(); ++d) piece.dims[d].source_dim = batch[d];
  // The free dimensions of lhs follow the batch, and those of rhs come last.
  const Dims free = FreeDims(shape, batch, contracting);
  size_t at = i == 0 ? batch.size() : piece.dims.size() - free.size();
  for (const i64 d : free) piece.dims[at++].source_dim = d;
  return piece;
}

// The next index of dimensions of these sizes, the last one fastest; false behind the last one.
bool Advance(Dims& index, const Dims& sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

}  // namespace

// Afterwards, if there are any, all of them are of arrays in memory.
StatusOr<std::vector<ScheduleBuilder::View>> ScheduleBuilder::PrepareProducts(
    const Instruction& inst) {
  if (!HasFewProducts(inst)) return std::vector<View>();
  const auto& attrs = inst.attrs<DotAttrs>();
  Dims sizes;
  for (const i64 d : attrs.lhs_contracting_dims) {
    sizes.push_back(inst.operand(0)->shape().dim(d));
  }
  const i64 n = inst.shape().num_elements();
  const Access whole = Access::Whole(n);
  // Where an operand is a view, the loop reads what the view is of, if that is as easy.
  const auto reads_of = [&](const View(&views)[2]) {
    std::vector<View> reads;
    std::vector<const Access*> accesses = {&whole};
    Dims k(sizes.size(), 0);
    bool is_readable = true;
    do {
      for (i64 i = 0; i < 2 && is_readable; ++i) {
        auto access = Compose({PieceOf(inst, i, k)}, inst.shape().dims(),
                              inst.operand(i)->shape().dims(), views[i].access);
        is_readable = access && IsDenseRead(*access) && !IsInlineConstant(views[i]);
        if (is_readable) reads.push_back({views[i].base, *std::move(access)});
      }
    } while (is_readable && Advance(k, sizes));
    for (const View& read : reads) accesses.push_back(&read.access);
    if (!is_readable || !CommonSizes(accesses, n)) reads.clear();
    return reads;
  };
  std::vector<View> reads = reads_of({Read(*inst.operand(0)), Read(*inst.operand(1))});
  if (reads.empty()) {
    const auto as_it_is = [&](i64 i) {
      const Instruction* operand = inst.operand(i);
      return View{operand, Access::Whole(operand->shape().num_elements())};
    };
    reads = reads_of({as_it_is(0), as_it_is(1)});
  }
  for (const View& read : reads) AXLE_TRY(Need(*read.base));
  return reads;
}

Status ScheduleBuilder::AddProducts(const Instruction& inst, std::vector<View> reads) {
  StateOf(inst).products = std::move(reads);
  return JoinLoop(inst, inst.shape().num_elements());
}

void ScheduleBuilder::AddChain(LaneCompiler& compiler, const Instruction& inst,
                               std::span<const int> inputs) {
  std::optional<Lane> sum;
  for (size_t k = 0; k < inputs.size(); k += 2) {
    const Lane lhs = compiler.NumberIn(inputs[k]), rhs = compiler.NumberIn(inputs[k + 1]);
    sum = Fma(lhs, rhs, sum ? *sum : lhs.Like(0.0));
  }
  compiler.AddComputed(inst, *sum);
}

void ScheduleBuilder::AddChain(LaneCompiler& compiler, const Instruction& inst, Region& region,
                               std::vector<const Instruction*>& readers) {
  std::vector<int> inputs;
  for (const View& read : StateOf(inst).products) {
    const RegionInput wanted = {StateOf(*read.base).values[0], read.access};
    const auto found = std::ranges::find(region.inputs, wanted);
    inputs.push_back(static_cast<int>(found - region.inputs.begin()));
    if (found != region.inputs.end()) continue;
    region.inputs.push_back(wanted);
    readers.push_back(nullptr);
    compiler.AddArray(inst.shape().type());
  }
  AddChain(compiler, inst, inputs);
}

}  // namespace axle

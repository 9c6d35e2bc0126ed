// dot: sums of products over contracting dimensions, for each batch element.
//
// How it runs. Both operands are brought into the type of sums. Seen through offsets of their
// batch, free and contracting dimensions, each batch element is a product of [M, K] and [K, N];
// blocks of 4 x 16 results are added up by the kernels (contraction_kernels.h), every result in its
// own order of k. Narrow results swap the roles of rows and columns. The exception for matrix times
// vector along rows (docs/numerics.md N5) is CanonicalDot.
#include <algorithm>
#include <cstring>

#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kDotDef;

namespace {

// Four text attributes, one sub-message of the proto.
constexpr AttrSpec kAttrs[] = {
    Attr<&DotAttrs::lhs_batch_dims>("lhs_batch_dims", {30, 3}, Presence::kOptional),
    Attr<&DotAttrs::lhs_contracting_dims>("lhs_contracting_dims", {30, 1}, Presence::kPrinted),
    Attr<&DotAttrs::rhs_batch_dims>("rhs_batch_dims", {30, 4}, Presence::kOptional),
    Attr<&DotAttrs::rhs_contracting_dims>("rhs_contracting_dims", {30, 2}, Presence::kPrinted),
    Attr<&DotAttrs::operand_precision>("operand_precision", {51, 1}, Presence::kOptional),
    Attr<&DotAttrs::algorithm>("algorithm", {51, 2}, Presence::kOptional),
};

// Every named dimension exists, and none has two roles.
Status CheckRoles(const Instruction& inst, std::string_view side, const Dims& batch,
                  const Dims& contracting, i64 rank) {
  Dims all = batch;
  all.insert(all.end(), contracting.begin(), contracting.end());
  return CheckDims(inst, StrCat(side, "_batch_dims + ", side, "_contracting_dims"), all, rank);
}

Status CheckPairs(const Instruction& inst, std::string_view kind, const Dims& lhs_dims,
                  const Dims& rhs_dims) {
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  if (lhs_dims.size() != rhs_dims.size()) {
    return OpError(inst, StrCat("lhs has ", lhs_dims.size(), " ", kind, " dimensions but rhs has ",
                                rhs_dims.size()));
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const i64 l = lhs_dims[i], r = rhs_dims[i];
    if (lhs.dim(l) != rhs.dim(r)) {
      return OpError(inst, StrCat(kind, " dimension lhs ", l, " has size ", lhs.dim(l), " but rhs ",
                                  r, " has size ", rhs.dim(r)));
    }
  }
  return {};
}

Dims FreeDims(const Shape& shape, const Dims& batch, const Dims& contracting) {
  Dims free;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (std::ranges::count(batch, d) + std::ranges::count(contracting, d) == 0) free.push_back(d);
  }
  return free;
}

StatusOr<Shape> InferDot(const Instruction& inst) {
  const DotAttrs& attrs = inst.attrs<DotAttrs>();
  for (i64 i = 0; i < 2; ++i) AXLE_TRY(ExpectArray(inst, i));
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  AXLE_TRY(CheckRoles(inst, "lhs", attrs.lhs_batch_dims, attrs.lhs_contracting_dims, lhs.rank()));
  AXLE_TRY(CheckRoles(inst, "rhs", attrs.rhs_batch_dims, attrs.rhs_contracting_dims, rhs.rank()));
  AXLE_TRY(CheckPairs(inst, "contracting", attrs.lhs_contracting_dims, attrs.rhs_contracting_dims));
  AXLE_TRY(CheckPairs(inst, "batch", attrs.lhs_batch_dims, attrs.rhs_batch_dims));
  Shape result(ContractionType(inst));
  const auto append = [&](const Shape& from, const Dims& dims) {
    for (i64 d : dims) result.AppendDim(from.dim(d), from.is_dynamic(d));
  };
  append(lhs, attrs.lhs_batch_dims);
  append(lhs, FreeDims(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims));
  append(rhs, FreeDims(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims));
  return result;
}

// One operand: where its elements are, along the dimensions of each role.
struct Side {
  Side(const Literal& literal, const Dims& batch_dims, const Dims& contracting_dims)
      : bytes(literal.bytes()) {
    const Shape& shape = literal.shape();
    const Dims strides = RowMajorStrides(shape.dims());
    const auto offsets = [&](const Dims& dims) {
      Dims sizes, steps;
      for (i64 d : dims) {
        sizes.push_back(shape.dim(d));
        steps.push_back(strides[d]);
      }
      return RowMajorOffsets(sizes, steps);
    };
    batch = offsets(batch_dims);
    contracting = offsets(contracting_dims);
    free = offsets(FreeDims(shape, batch_dims, contracting_dims));
    for (i64 d = shape.rank(); d-- > 0;) {
      if (shape.dim(d) == 1) continue;
      contracts_last = std::ranges::count(contracting_dims, d) > 0;
      break;
    }
  }

  const std::byte* bytes;
  Dims batch, free, contracting;
  bool contracts_last = false;  // the last dimension whose size is not 1
};

// The rows of one batch element: arrays of contracted elements k = begin .. begin + count - 1, zero
// past the last. They are the operand's own where its elements lie in this order, else copies.
class Rows {
 public:
  // `most` is the largest count; `padded` says whether the last one goes past the end.
  Rows(const Side& side, i64 element_bytes, i64 most, bool padded)
      : side_(side), element_bytes_(element_bytes), rows_(side.free.size()) {
    const auto size = static_cast<i64>(side.contracting.size());
    for (i64 k = 0; k < size; ++k) is_in_order_ &= side.contracting[k] == k;
    if (!is_in_order_ || padded) copies_.resize(side.free.size() * most * element_bytes);
  }

  void Load(size_t batch, i64 begin, i64 count) {
    const i64 present = std::min(count, static_cast<i64>(side_.contracting.size()) - begin);
    const std::span<const i64> offsets = std::span(side_.contracting).subspan(begin, present);
    for (size_t i = 0; i < rows_.size(); ++i) {
      const std::byte* start = side_.bytes + (side_.batch[batch] + side_.free[i]) * element_bytes_;
      if (is_in_order_ && present == count) {
        rows_[i] = start + begin * element_bytes_;
        continue;
      }
      std::byte* copy = copies_.data() + i * count * element_bytes_;
      DispatchBytes(static_cast<int>(element_bytes_), [&]<typename T>() {
        const T* x = reinterpret_cast<const T*>(start);
        T* out = reinterpret_cast<T*>(copy);
        for (size_t k = 0; k < offsets.size(); ++k) out[k] = x[offsets[k]];
        std::fill(out + present, out + count, T());
      });
      rows_[i] = copy;
    }
  }
  std::span<const void* const> rows() const { return rows_; }

 private:
  const Side& side_;
  i64 element_bytes_;
  bool is_in_order_ = true;
  std::vector<std::byte> copies_;
  std::vector<const void*> rows_;
};

// In the order of the kernels: results[b, m, n].
class BlockedDot {
 public:
  BlockedDot(const BlockAccumulator& accumulator, const Side& rows, const Side& columns,
             bool is_flipped, const EvalContext& context)
      : accumulator_(accumulator),
        columns_(columns),
        context_(context),
        num_rows_(static_cast<i64>(rows.free.size())),
        num_columns_(static_cast<i64>(columns.free.size())),
        row_stride_(is_flipped ? 1 : num_columns_),
        column_stride_(is_flipped ? num_rows_ : 1),
        num_contracting_(static_cast<i64>(rows.contracting.size())),
        depth_(std::min(kSliceDepth, accumulator.Padded(num_contracting_))),
        rows_(rows, accumulator.element_bytes(), depth_,
              accumulator.Padded(num_contracting_) != num_contracting_),
        panel_(accumulator.PanelBytes(depth_)),
        accumulate_row_(accumulator.accumulate_row()) {
    for (i64 j = 0; j < num_columns_; ++j) columns_are_neighbours_ &= columns.free[j] == j;
  }

  Status Run(std::byte* results) {
    const i64 bytes = num_rows_ * num_columns_ * accumulator_.element_bytes();
    for (size_t b = 0; b < columns_.batch.size(); ++b, results += bytes) {
      i64 k = 0;
      do {
        AXLE_TRY(MultiplySlice(b, k, results));
        k += depth_;
      } while (k < num_contracting_);
    }
    return {};
  }

 private:
  // Contracted elements from `begin` on.
  Status MultiplySlice(size_t batch, i64 begin, std::byte* results) {
    const i64 present = std::min(depth_, num_contracting_ - begin);
    const i64 count = accumulator_.Padded(present);
    rows_.Load(batch, begin, count);
    const std::byte* columns =
        columns_.bytes + columns_.batch[batch] * accumulator_.element_bytes();
    if (num_rows_ == 1 && columns_are_neighbours_ && accumulate_row_ != nullptr) {
      if (begin == 0) std::memset(results, 0, num_columns_ * accumulator_.element_bytes());
      AXLE_TRY(context_.Check());
      accumulate_row_(rows_.rows()[0], columns, columns_.contracting.data() + begin, present,
                      num_columns_, results);
      return {};
    }
    for (i64 column = 0; column < num_columns_; column += kPanelColumns) {
      const i64 width = std::min(kPanelColumns, num_columns_ - column);
      AXLE_TRY(context_.Check());
      accumulator_.PackPanel(columns, std::span(columns_.contracting).subspan(begin, present),
                             std::span(columns_.free).subspan(column, width), count, panel_.data());
      for (i64 row = 0; row < num_rows_; row += kBlockRows) {
        const i64 height = std::min(kBlockRows, num_rows_ - row);
        i64 offsets[kBlockRows];
        for (i64 i = 0; i < height; ++i) {
          offsets[i] = (row + i) * row_stride_ + column * column_stride_;
        }
        AXLE_TRY(context_.Check());
        accumulator_.Multiply(rows_.rows().subspan(row, height), panel_.data(), count, begin == 0,
                              width, results, std::span(offsets, height), column_stride_);
      }
    }
    return {};
  }

  const BlockAccumulator& accumulator_;
  const Side& columns_;
  const EvalContext& context_;
  i64 num_rows_, num_columns_, row_stride_, column_stride_, num_contracting_, depth_;
  Rows rows_;
  std::vector<std::byte> panel_;
  AccumulateRowFn accumulate_row_;
  bool columns_are_neighbours_ = true;
};

// One result of CanonicalDot; `type` is f32, f64 or complex.
void CanonicalElement(ElementType type, const void* lhs, const void* rhs, i64 count, i64 lanes,
                      std::byte* result) {
  const auto real = [&]<typename T>(T* out) {
    *out = CanonicalProduct(static_cast<const T*>(lhs), static_cast<const T*>(rhs), count, lanes);
  };
  const auto complex = [&]<typename T>(T* out) {
    CanonicalComplexProduct(static_cast<const T*>(lhs), static_cast<const T*>(rhs), count, lanes,
                            out);
  };
  if (type == F32) return real(reinterpret_cast<float*>(result));
  if (type == F64) return real(reinterpret_cast<double*>(result));
  if (type == C64) return complex(reinterpret_cast<float*>(result));
  return complex(reinterpret_cast<double*>(result));
}

// One side has one row; every result is a long sum along memory, in the canonical order.
Status CanonicalDot(ElementType type, const Side& lhs, const Side& rhs, std::byte* results,
                    const EvalContext& context) {
  const auto count = static_cast<i64>(lhs.contracting.size());
  const i64 bytes = Info(type).bytes, lanes = SumLanes(count, 1, type);
  Rows lhs_rows(lhs, bytes, count, false), rhs_rows(rhs, bytes, count, false);
  for (size_t b = 0; b < lhs.batch.size(); ++b) {
    lhs_rows.Load(b, 0, count);
    rhs_rows.Load(b, 0, count);
    for (const void* row : lhs_rows.rows()) {
      for (const void* column : rhs_rows.rows()) {
        AXLE_TRY(context.Check());
        CanonicalElement(type, row, column, count, lanes, results);
        results += bytes;
      }
    }
  }
  return {};
}

bool IsCanonical(const Contraction& contraction, const Side& lhs, const Side& rhs) {
  const ElementType type = contraction.computed;
  if (contraction.is_tiled || !(IsFloating(type) || IsComplex(type))) return false;
  return (rhs.free.size() == 1 && lhs.contracts_last) ||
         (lhs.free.size() == 1 && rhs.contracts_last);
}

StatusOr<Literal> EvalDot(const Instruction& inst, std::span<Literal> operands,
                          const EvalContext& context) {
  const DotAttrs& attrs = inst.attrs<DotAttrs>();
  if (!inst.operand(0)->shape().is_static() || !inst.operand(1)->shape().is_static()) {
    return OpError(inst, "dynamic dimensions are not evaluated yet", StatusCode::kUnimplemented);
  }
  const Contraction contraction(operands[0].shape().type(), operands[1].shape().type(),
                                inst.shape().type());
  const Shape sums_shape = inst.shape().WithoutLayout().WithType(contraction.computed);
  AXLE_ASSIGN(Literal sums, Literal::CreateUninitialized(sums_shape));
  // Without results, operands may be longer than memory in the other dimensions.
  if (sums.num_elements() == 0) return contraction.Result(std::move(sums));
  AXLE_ASSIGN(const Literal lhs, contraction.Factor(operands[0], contraction.lhs_multiplied));
  AXLE_ASSIGN(const Literal rhs, contraction.Factor(operands[1], contraction.rhs_multiplied));
  const Side lhs_side(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims);
  const Side rhs_side(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims);
  if (IsCanonical(contraction, lhs_side, rhs_side)) {
    AXLE_TRY(CanonicalDot(contraction.computed, lhs_side, rhs_side, sums.mutable_bytes(), context));
  } else {
    const size_t num_columns = rhs_side.free.size();
    const bool is_flipped =
        num_columns < static_cast<size_t>(kPanelColumns) && lhs_side.free.size() > num_columns;
    ProductOrder order = BlockAccumulator::OrderFor(contraction, lhs, rhs);
    if (is_flipped && order == ProductOrder::kChain) order = ProductOrder::kFlippedChain;
    const BlockAccumulator accumulator(contraction, order);
    BlockedDot dot(accumulator, is_flipped ? rhs_side : lhs_side, is_flipped ? lhs_side : rhs_side,
                   is_flipped, context);
    AXLE_TRY(dot.Run(sums.mutable_bytes()));
  }
  return contraction.Result(std::move(sums));
}

}  // namespace

const OpDef kDotDef = {
    .opcode = Opcode::kDot,
    .text = "dot",
    .summary = "Sums of products over the contracting dimensions, for each batch element.",
    .semantics =
        "Batch and contracting dimensions are named in pairs, in any order and number; the result "
        "has the batch dimensions in the order of their list, then the free dimensions of lhs, "
        "then those of rhs. Both operands are converted to the result's element type, which is "
        "the declared one (XLA's preferred_element_type), or else the operand type of higher "
        "precision; operands may be of different types. Nothing to contract gives 0. Integers "
        "wrap around, pred is the or of ands, 0 * inf is NaN. Every result has one order of "
        "additions, see docs/numerics.md N5; operand_precision and algorithm are carried, and the "
        "one order satisfies them all, so they change nothing. Operands with dynamic dimensions "
        "are not evaluated yet.",
    .source = "XLA DotGeneral; StableHLO dot_general; docs/numerics.md N5",
    .operands = kBinaryOperands,
    .attrs = Schema<DotAttrs>(kAttrs),
    .traits = kMixedPrecision,
    .lowering = Lowering::kDot,
    .accuracy = "one fma per product in a fixed order, docs/numerics.md N5",
    .infer = InferDot,
    .eval = EvalDot,
};

}  // namespace axle

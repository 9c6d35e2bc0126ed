// The interpreter's matrix product, the definition of dot. An operand is seen through three lists
// of offsets: batch, free and contracting elements. Each batch element is then a product of [M, K]
// and [K, N]:
//
//   for each part of k (core/product_parts.h): for each panel of 16 columns: pack it
//     for each block of 4 rows: sums += rows * panel
//
// Every result takes its products in its own order of k (docs/numerics.md N5), so blocking does not
// show in the bits. Results with fewer than 16 columns and more rows swap the roles of the
// operands. A single row with adjacent columns is not packed. CanonicalDot is the exception of N5:
// one side has a single row and the other is contracted along memory, so each result is one long
// canonical sum.
//
// The compiled kernels (axle/kernels/) give the same bits faster; this file is what they are
// compared with.

#include "axle/ops/blocked_dot.h"

#include <algorithm>
#include <cstring>

#include "axle/ops/canonical_sum.h"
#include "axle/ops/scratch_memory.h"

namespace axle {
namespace {

// The rows of one batch element: arrays of contracted elements k = begin .. begin + count - 1,
// padded with zeros up to `count`. A row points into the operand if the elements are contiguous
// there, otherwise to a copy.
class Rows {
 public:
  // `most` is the largest count; `padded` says whether the last one reaches past the end.
  Rows(const DotSide& side, i64 element_bytes, i64 most, bool padded)
      : side_(side), element_bytes_(element_bytes), rows_(side.free.size()) {
    const auto size = static_cast<i64>(side.contracting.size());
    for (i64 k = 0; k < size; ++k) is_in_order_ &= side.contracting[k] == k;
    if (!is_in_order_ || padded) copies_.resize(side.free.size() * most * element_bytes);
  }

  // Copies at most the part of k at hand, so that the copies stay small for long products.
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
  const DotSide& side_;
  i64 element_bytes_;
  bool is_in_order_ = true;
  std::vector<std::byte> copies_;
  std::vector<const void*> rows_;
};

// Runs the loops of the file comment. Results are in the order [batch, row, column], or with rows
// and columns exchanged if the operands were (`is_flipped`), which the two strides express.
class BlockedProduct {
 public:
  BlockedProduct(const BlockAccumulator& accumulator, const DotSide& rows, const DotSide& columns,
                 bool is_flipped, const EvalContext& context)
      : accumulator_(accumulator),
        columns_(columns),
        context_(context),
        num_rows_(static_cast<i64>(rows.free.size())),
        num_columns_(static_cast<i64>(columns.free.size())),
        row_stride_(is_flipped ? 1 : num_columns_),
        column_stride_(is_flipped ? num_rows_ : 1),
        num_contracting_(static_cast<i64>(rows.contracting.size())),
        part_(PartsOf(accumulator.part_rule(), 1, num_contracting_, accumulator.unit()).elements),
        num_parts_((num_contracting_ + part_ - 1) / part_),
        rows_(rows, accumulator.element_bytes(), accumulator.Padded(part_),
              accumulator.Padded(num_contracting_) != num_contracting_),
        panel_(accumulator.PanelBytes(accumulator.Padded(part_))),
        accumulate_row_(accumulator.accumulate_row()) {
    for (i64 j = 0; j < num_columns_; ++j) columns_are_neighbours_ &= columns.free[j] == j;
  }

  // More parts than one group are added by a tree of groups (GroupTree); within a group the sums
  // are continued or added as SumMode says.
  Status Run(std::byte* results) {
    const i64 num_results = num_rows_ * num_columns_, group = accumulator_.part_rule().group_parts;
    const ScratchMemory scratch(context_, GroupTree::Bytes(accumulator_, num_parts_, num_results));
    AXLE_TRY(scratch.status());
    for (size_t b = 0; b < columns_.batch.size(); ++b) {
      GroupTree groups(accumulator_, num_results);
      i64 part = 0;
      do {
        AXLE_TRY(MultiplyPart(b, part, results));
        ++part;
        const bool is_last = part >= num_parts_;
        if (num_parts_ > group && (is_last || part % group == 0)) groups.Add(results, is_last);
      } while (part < num_parts_);
      results += num_results * accumulator_.element_bytes();
    }
    return {};
  }

 private:
  // One part of k for all results of a batch element. Panels are packed once and used for all rows.
  Status MultiplyPart(size_t batch, i64 part, std::byte* results) {
    const i64 begin = part * part_, present = std::min(part_, num_contracting_ - begin);
    const i64 count = accumulator_.Padded(present);
    const SumMode mode = accumulator_.ModeOf(part);
    rows_.Load(batch, begin, count);
    const std::byte* columns =
        columns_.bytes + columns_.batch[batch] * accumulator_.element_bytes();
    if (num_rows_ == 1 && columns_are_neighbours_ && accumulate_row_ != nullptr) {
      return MultiplyRow(columns, begin, present, mode, results);
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
        accumulator_.Multiply(rows_.rows().subspan(row, height), panel_.data(), count, mode, width,
                              results, std::span(offsets, height), column_stride_);
      }
    }
    return {};
  }

  // Computes a part of a single row whose columns are adjacent in memory: no panel is packed, and
  // whole rows of rhs are read.
  Status MultiplyRow(const std::byte* columns, i64 begin, i64 count, SumMode mode,
                     std::byte* results) {
    const i64 bytes = num_columns_ * accumulator_.element_bytes();
    std::byte* sums = results;
    if (mode == SumMode::kAdd) {
      part_sums_.resize(bytes);
      sums = part_sums_.data();
    }
    if (mode != SumMode::kContinue) std::memset(sums, 0, bytes);
    AXLE_TRY(context_.Check());
    accumulate_row_(rows_.rows()[0], columns, columns_.contracting.data() + begin, count,
                    num_columns_, sums);
    if (mode == SumMode::kAdd) {
      // The sums of other parts come first, which shows in nothing but the payloads of NaNs.
      accumulator_.join()(sums, results, num_columns_);
    }
    return {};
  }

  const BlockAccumulator& accumulator_;
  const DotSide& columns_;
  const EvalContext& context_;
  i64 num_rows_, num_columns_, row_stride_, column_stride_, num_contracting_, part_, num_parts_;
  Rows rows_;
  std::vector<std::byte> panel_, part_sums_;
  AccumulateRowFn accumulate_row_;
  bool columns_are_neighbours_ = true;
};

// One result of CanonicalDot; `type` is f32, f64 or complex.
// A single long product, added in the order of canonical sums. `lanes` depends on its length alone.
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

}  // namespace

// Offsets are listed once per operand: the loops then need no division and no knowledge of the
// dimensions' order.
DotSide::DotSide(const Literal& literal, const Dims& batch_dims, const Dims& free_dims,
                 const Dims& contracting_dims)
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
  free = offsets(free_dims);
  for (i64 d = shape.rank(); d-- > 0;) {
    if (shape.dim(d) == 1) continue;
    contracts_last = std::ranges::count(contracting_dims, d) > 0;
    break;
  }
}

// The dimensions with neither of the other two roles, in order.
Dims FreeDims(const Shape& shape, const Dims& batch, const Dims& contracting) {
  Dims free;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (std::ranges::count(batch, d) + std::ranges::count(contracting, d) == 0) free.push_back(d);
  }
  return free;
}

// With few columns, a panel of 16 would be mostly empty: the operands change roles. The flipped
// order of complex products keeps the two products of an imaginary part in the original order.
Status BlockedDot(const Contraction& contraction, ProductOrder order, const DotSide& lhs,
                  const DotSide& rhs, std::byte* results, const EvalContext& context) {
  const size_t num_columns = rhs.free.size();
  const bool is_flipped =
      num_columns < static_cast<size_t>(kPanelColumns) && lhs.free.size() > num_columns;
  if (is_flipped && order == ProductOrder::kChain) order = ProductOrder::kFlippedChain;
  const BlockAccumulator accumulator(contraction, order);
  return BlockedProduct(accumulator, is_flipped ? rhs : lhs, is_flipped ? lhs : rhs, is_flipped,
                        context)
      .Run(results);
}

// Each result is one call; rows and columns are the memory of the operands if it is contiguous.
Status CanonicalDot(ElementType type, const DotSide& lhs, const DotSide& rhs, std::byte* results,
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

// The rule of docs/numerics.md N5: one side is a single row and the other one is contracted along
// its fastest dimension.
bool IsCanonical(const Contraction& contraction, const DotSide& lhs, const DotSide& rhs) {
  const ElementType type = contraction.computed;
  if (contraction.is_tiled || !(IsFloating(type) || IsComplex(type))) return false;
  return (rhs.free.size() == 1 && lhs.contracts_last) ||
         (lhs.free.size() == 1 && rhs.contracts_last);
}

}  // namespace axle

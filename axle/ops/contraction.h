// What dot and convolution share: the types in which they multiply and add up, the order that goes
// with them, and blocks of results (docs/numerics.md N5, N6).
#pragma once
#include <span>

#include "axle/ops/contraction_kernels.h"
#include "axle/ops/op_def.h"

namespace axle {

// A plain product: not ragged or scaled.
bool IsDot(const Instruction& inst);

// The element type of the result: the declared one if the instruction has a shape, which is how the
// program's preferred_element_type arrives here; else the operand type of higher precision.
ElementType ContractionType(const Instruction& inst);

// How a product of arrays of two element types is computed.
struct Contraction {
  Contraction(ElementType lhs, ElementType rhs, ElementType result);

  ElementType lhs_multiplied;  // the types of the factors
  ElementType rhs_multiplied;
  ElementType computed;  // the type of sums: f32 for narrow floats
  ElementType result;
  bool is_tiled;  // both factors are bf16 or of 8 bits or less

  // An operand as it is multiplied, stored in the type of sums. In tile order, subnormal values
  // have become zeros.
  StatusOr<Literal> Factor(const Literal& operand, ElementType multiplied) const;
  // The sums, rounded or wrapped to the result's type.
  StatusOr<Literal> Result(Literal sums) const;
};

// Contracted elements that are multiplied at once: a panel of them stays in the first-level cache,
// and so do the lines of memory that its neighbour shares. Sums go on from slice to slice, so
// slices do not show in the bits. A multiple of kTileDepth.
inline constexpr i64 kSliceDepth = 256;

// Adds up blocks of one contraction.
class BlockAccumulator {
 public:
  // `is_flipped`: the rows are the right-hand side.
  BlockAccumulator(const Contraction& contraction, ProductOrder order);
  // The order that `contraction` needs for these factors; an exact one if tiled arithmetic on them
  // could underflow.
  static ProductOrder OrderFor(const Contraction& contraction, const Literal& lhs,
                               const Literal& rhs);

  i64 element_bytes() const { return element_bytes_; }
  AccumulateRowFn accumulate_row() const { return FindAccumulateRow(type_, order_); }
  // `count` rounded up to what the order takes.
  i64 Padded(i64 count) const;
  // Bytes of a panel of this many (padded) contracted elements.
  i64 PanelBytes(i64 count) const { return count * kPanelColumns * element_bytes_; }

  // Writes b[k][column] = source[k_offsets[k] + column_offsets[column]], zero past either;
  // k_offsets below zero mean zero too.
  void PackPanel(const std::byte* source, std::span<const i64> k_offsets,
                 std::span<const i64> column_offsets, i64 count, std::byte* panel) const;

  // results[row_offsets[i] + column * column_stride] takes in rows[i][k] * panel[k][column] for all
  // k, for up to kBlockRows rows and kPanelColumns columns; the first slice of k starts from +0.
  void Multiply(std::span<const void* const> rows, const std::byte* panel, i64 count, bool is_first,
                i64 num_columns, std::byte* results, std::span<const i64> row_offsets,
                i64 column_stride) const;

 private:
  ElementType type_;
  ProductOrder order_;
  AccumulateFn accumulate_;
  i64 element_bytes_;
};

// UNIMPLEMENTED for a type in which padding cannot become zeros.
Status CheckHasZero(const Instruction& inst, ElementType type);
// `literal` itself if it has this type, else as core/convert.h.
StatusOr<Literal> ConvertIfNeeded(const Literal& literal, ElementType type);
// An array of static shape made larger, zeros behind its elements: a factor without its padding.
// UNIMPLEMENTED for types without a zero.
StatusOr<Literal> ExtendedByZeros(const Instruction& inst, const Literal& value, const Dims& sizes);

// Brings integers of less than 8 bits that were computed as bytes back into their range.
void WrapSubByte(Literal& literal);

}  // namespace axle

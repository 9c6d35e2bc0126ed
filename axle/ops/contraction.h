// The common part of dot and convolution: the types in which they multiply and add, the order that
// goes with them, and blocks of results (docs/numerics.md N5, N6).
#pragma once
#include <span>
#include <vector>

#include "axle/core/product_parts.h"
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

// How a part of the contracted elements (core/product_parts.h) is combined with the sums so far.
enum class SumMode : std::uint8_t {
  kBegin,     // first of a group: sums begin at +0
  kContinue,  // the chain continues: the tile order, and types that are exact in any order
  kAdd,       // a new chain from +0 is added to them
};

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
  // The multiple to which contracted elements are padded, and how they are cut into parts.
  i64 unit() const { return is_tile() ? kTileDepth : 1; }
  const PartRule& part_rule() const;
  // The mode of part number `part`, if the parts before it in its group are not all empty.
  SumMode ModeOf(i64 part) const;
  JoinFn join() const { return join_; }
  // -0: the identity of sums.
  void FillNegativeZeros(i64 num_sums, std::byte* sums) const;
  i64 numbers_per_sum() const { return IsComplex(type_) ? 2 : 1; }
  // `count` rounded up to what the order takes.
  i64 Padded(i64 count) const;
  // Bytes of a panel of this many (padded) contracted elements.
  i64 PanelBytes(i64 count) const { return count * kPanelColumns * element_bytes_; }

  // Writes b[k][column] = source[k_offsets[k] + column_offsets[column]], zero past either;
  // k_offsets below zero mean zero too.
  void PackPanel(const std::byte* source, std::span<const i64> k_offsets,
                 std::span<const i64> column_offsets, i64 count, std::byte* panel) const;

  // results[row_offsets[i] + column * column_stride] takes in rows[i][k] * panel[k][column] for all
  // k, for up to kBlockRows rows and kPanelColumns columns.
  void Multiply(std::span<const void* const> rows, const std::byte* panel, i64 count, SumMode mode,
                i64 num_columns, std::byte* results, std::span<const i64> row_offsets,
                i64 column_stride) const;

 private:
  bool is_tile() const {
    return order_ == ProductOrder::kTile || order_ == ProductOrder::kTileExact;
  }

  ElementType type_;
  ProductOrder order_;
  AccumulateFn accumulate_;
  JoinFn join_;
  i64 element_bytes_;
};

// Sums of groups of parts, joined by the tree of canonical sums (docs/numerics.md) as they come.
class GroupTree {
 public:
  // `num_sums` of each group stand side by side.
  GroupTree(const BlockAccumulator& accumulator, i64 num_sums)
      : join_(accumulator.join()),
        numbers_(num_sums * accumulator.numbers_per_sum()),
        bytes_(num_sums * accumulator.element_bytes()) {}
  // Bytes that a tree over groups of so many parts comes to hold.
  static i64 Bytes(const BlockAccumulator& accumulator, i64 num_parts, i64 num_sums);

  // The sums of the next group; in place of those of the last one, the total is left.
  void Add(std::byte* sums, bool is_last);

 private:
  JoinFn join_;
  i64 numbers_, bytes_, num_groups_ = 0;
  std::vector<std::vector<std::byte>> waiting_;
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

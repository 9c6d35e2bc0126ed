// dot as numbers: which elements are multiplied, in which types and order (docs/numerics.md N5).
#pragma once
#include <optional>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/ir/module.h"
#include "axle/kernels/dot.h"

namespace axle {

// The types of a product of `inst`'s operands, in chain or tile order.
ProductTypes ProductTypesOf(const Instruction& inst);

// Where the elements of a dot are: by dimension of each array, in elements.
struct ContractionStrides {
  Dims lhs, rhs, result;
};
ContractionStrides RowMajor(const Instruction& inst);

// Operands and result of a dot.
struct DotForm {
  std::vector<DotDim> batch, rows, columns, depth;
  ProductTypes types;
  i64 lanes = 1;  // lanes of the canonical order
};
DotForm DotFormOf(const Instruction& dot, const ContractionStrides& strides);

// A product of few numbers, all of one type: result element (r, c), row-major, is the chain of
// fma(lhs[k], rhs[k], acc) over k, begun at +0, or at -0 and added to +0 in canonical order.
struct SmallDot {
  i64 num_rows, num_columns, depth;  // batch dimensions are rows
  bool is_canonical;
  // Which element of lhs row r takes at k; of rhs column c, where the rows of a batch share
  // columns.
  i64 lhs(i64 row, i64 k) const { return lhs_elements[static_cast<size_t>(row * depth + k)]; }
  i64 rhs(i64 row, i64 k, i64 column) const {
    const i64 batch = row / rows_per_batch;
    return rhs_elements[static_cast<size_t>((batch * depth + k) * num_columns + column)];
  }
  i64 rows_per_batch;
  std::vector<i64> lhs_elements, rhs_elements;
};
inline constexpr i64 kMaxSmallDotElements = 128;  // limit for each array
// Nothing if there are many numbers, or numbers of another kind.
std::optional<SmallDot> FindSmallDot(const Instruction& inst);

// Strides with which `inst` had better read operand `i` by this access than a copy of it in order;
// nothing if it is no dot, or copying is better.
std::optional<Dims> StridesInPlace(const Instruction& inst, i64 i, const Access& access);
// Strides with which a dot writes its result where `user`, a transpose that reads nothing else,
// wants it: at `user`'s row-major strides, or at these. Nothing if no kernel writes so.
std::optional<Dims> StridesOfResult(const Instruction& inst, const Instruction& user,
                                    const Dims* strides = nullptr);
}  // namespace axle

// Matrices in the last two dimensions, [.., m, n], and products by Einstein's convention, with
// XLA's names.
//
//   BatchDot(x, y)                       [.., m, k] . [.., k, n], batches broadcast
//   Einsum(x, y, "bij,bjk->bik")
//
// Element (i, j) is on diagonal k if j - i == k. A diagonal that is not there has no elements.
// Errors: as xla_builder.h says for all functions; INVALID_ARGUMENT for less than two dimensions.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axle/builder/xla_builder.h"

namespace axle {

// type[m, n]: 1 where row == column.
XlaOp IdentityMatrix(XlaBuilder* builder, PrimitiveType type, i64 m, i64 n,
                     Location location = std::source_location::current());
// pred of the shape of x: true on diagonal k.
XlaOp GetDiagonalMask(XlaOp x, i64 diagonal = 0,
                      Location location = std::source_location::current());
// [.., length of diagonal k]. Both names do the same.
XlaOp GetMatrixDiagonal(XlaOp x, i64 k = 0, Location location = std::source_location::current());
XlaOp GetMatrixDiagonalViaGather(XlaOp x, i64 k = 0,
                                 Location location = std::source_location::current());
// `matrix` with diag [.., length of diagonal k] as its diagonal k.
XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diag, i64 k = 0,
                        Location location = std::source_location::current());
// pred of the shape of x: true on `diagonal` and below.
XlaOp TriangleMask(XlaOp x, i64 diagonal, Location location = std::source_location::current());
// x with zeros above (below) the main diagonal.
XlaOp Triangle(XlaOp x, bool lower, Location location = std::source_location::current());
XlaOp UpperTriangle(XlaOp x, Location location = std::source_location::current());
XlaOp LowerTriangle(XlaOp x, Location location = std::source_location::current());
// [.., n, n] symmetric, or Hermitian if complex, with the lower (upper) triangle of x.
XlaOp Symmetrize(XlaOp x, bool lower = true, Location location = std::source_location::current());

// [.., n, m] of x [.., m, n]; or x itself if not `transpose`.
XlaOp TransposeInMinorDims(XlaOp x, Location location = std::source_location::current());
XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose,
                                Location location = std::source_location::current());

// [.., m, k] . [.., k, n] -> [.., m, n]. The dimensions in front are batches, aligned at the last,
// and size 1 goes with any size. Element types are those of DotGeneral; the precision changes no
// bit.
XlaOp BatchDot(XlaOp x, XlaOp y, Precision precision = Precision::kDefault,
               std::optional<PrimitiveType> preferred_element_type = std::nullopt,
               Location location = std::source_location::current());
// The same with x [.., k, m] or y [.., n, k] where they are said to be transposed.
XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y,
               Precision precision = Precision::kDefault,
               std::optional<PrimitiveType> preferred_element_type = std::nullopt,
               Location location = std::source_location::current());

// The labels of x, y and the result of "ab,bc->ac". A letter is its character; the dimensions of
// "..." are -1 (the last one), -2, ... Without "->" the result has "..." and the letters that occur
// once, in order of the alphabet. Spaces do not count.
// Errors: INVALID_ARGUMENT if the text is not of this form or does not fit the ranks.
StatusOr<std::array<std::vector<i64>, 3>> ParseEinsumString(std::string_view einsum_config,
                                                            i64 x_rank, i64 y_rank);

// The sum of x * y over all labels that the result lacks, at each combination of the ones it has.
// A label has one size wherever it is, except that dimensions of "..." broadcast size 1. A label
// twice in an operand takes its diagonal, twice in the result puts it on one, with zeros beside.
XlaOp Einsum(XlaOp x, XlaOp y, std::string_view einsum_config,
             Precision precision = Precision::kDefault,
             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
             Location location = std::source_location::current());
XlaOp Einsum(XlaOp x, ArraySlice<i64> x_config, XlaOp y, ArraySlice<i64> y_config,
             ArraySlice<i64> output_config, Precision precision = Precision::kDefault,
             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
             Location location = std::source_location::current());
// Of one operand: "ij->ji", "ii" (the trace), "ii->i", "i->ii", "ij->j".
XlaOp Einsum(XlaOp x, std::string_view einsum_config,
             Location location = std::source_location::current());

}  // namespace axle

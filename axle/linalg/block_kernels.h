// The innermost work of linear algebra on real matrices, compiled once per instruction set
// (kernels/x86/block_entries.h): products that update a matrix, and factorisations and solutions of
// small blocks. Every element keeps the chain that linear_algebra.h states, so all instruction sets
// give the same bits as the plain loops there; blocked.h puts whole algorithms together.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// The most rows and columns of a triangular block, and columns of a panel of LU.
inline constexpr i64 kTriangleBlock = 32;
inline constexpr i64 kLuPanel = 16;
// Chains of a sum whose elements lie side by side.
inline constexpr int kSumLanes = 16;

// c -= a b (or c += a b): each element of c is a chain that takes its products in increasing k.
// Element (i, k) of a is at a + i * a_row + k * a_depth, (k, j) of b at b + k * b_depth +
// j * b_column, (i, j) of c at c + i * c_row + j. Distances may be negative.
template <typename T>
struct ProductUpdate {
  const T* a;
  i64 a_row, a_depth;
  const T* b;
  i64 b_depth, b_column;
  T* c;
  i64 c_row;
  i64 rows, columns, depth;
  bool lower = false;  // writes only elements with j <= i
  bool add = false;
};

// A plane rotation of rows `row` and row + 1: x' = c x - s y, y' = s x + c y. The product with x in
// x', with y in y', is rounded, the other one is fused.
template <typename P>
struct RowRotation {
  i64 row;
  P c, s;
};

template <typename T>
struct BlockKernels {
  // `scratch` has UpdateScratch elements of memory.
  void (*update)(const ProductUpdate<T>& update, T* scratch);
  // The lower triangle of a, of n <= kTriangleBlock rows, becomes its Cholesky factor. Returns the
  // first row whose pivot is NaN, where it stops, or -1.
  i64 (*cholesky)(T* a, i64 stride, i64 n);
  // t x = b in place of b, for the lower triangular t of n <= kTriangleBlock rows; element (i, k)
  // of t is at t + i * t_row + k * t_column, (i, j) of b at b + i * b_row + j * b_column.
  void (*solve)(const T* t, i64 t_row, i64 t_column, bool unit_diagonal, i64 n, T* b, i64 b_row,
                i64 b_column, i64 columns);
  // LU with partial pivoting of a panel of columns <= kLuPanel; pivots count from 0. `scratch` has
  // LuScratch(rows) elements. Returns the first zero pivot or -1.
  i64 (*lu)(T* a, i64 stride, i64 rows, i64 columns, i64* pivots, T* scratch);
  // sums[j] = x . y_j, where y_j is at y + j * y_column: element i belongs to chain i mod
  // kSumLanes, chains start at +0, and are joined by halves: chain k takes chain k + 8, then k + 4,
  // ...
  void (*dots)(const T* x, const T* y, i64 y_column, i64 n, i64 count, T* sums);
  // y_j -= factors[j] x by fma.
  void (*subtract_multiples)(const T* x, const T* factors, T* y, i64 y_column, i64 n, i64 count);
  void (*divide)(T* x, T divisor, i64 n);
  // Element (j, i) of y is element (i, j) of x.
  void (*transpose)(const T* x, i64 x_row, i64 rows, i64 columns, T* y, i64 y_row);
  // y -= the sum over j < count of factors[j] x_j: a chain in increasing j.
  void (*subtract_combination)(const T* x, i64 x_column, const T* factors, i64 count, T* y, i64 n);
  // y = a x for the symmetric a whose lower triangle counts. y[i] is the sum over j < i of a[i][j]
  // x[j], as of `dots`; then it takes a[i][i] x[i], and the others in increasing j, by fma.
  void (*symmetric_times)(const T* a, i64 stride, i64 n, const T* x, T* y);
  // Applies the rotations, one after the other; `scratch` has RotateScratch elements.
  void (*rotate)(const RowRotation<T>* rotations, i64 count, T* rows, i64 stride, i64 num_rows,
                 i64 columns, T* scratch);
};

// Parts of a product that are packed at once, and the most columns and rows of a register tile. The
// memory is the same for all instruction sets.
inline constexpr i64 kPackedDepth = 256, kPackedColumns = 1152, kPackedRows = 96;
inline constexpr i64 kMostTileColumns = 48, kMostTileRows = 8;
constexpr i64 UpdateScratch(i64 rows, i64 columns, i64 depth) {
  const i64 wide = columns + kMostTileColumns, high = rows + kMostTileRows;
  return (depth < kPackedDepth ? depth : kPackedDepth) *
         ((wide < kPackedColumns ? wide : kPackedColumns) +
          (high < kPackedRows ? high : kPackedRows));
}
constexpr i64 RotateScratch(i64 rows) {
  return rows * 64;  // four of the widest vectors
}
constexpr i64 LuScratch(i64 rows) {
  return (rows + 16) * kLuPanel;
}

// Plain loops, for where there are no other kernels and as what tests compare with.
template <typename T>
const BlockKernels<T>& PortableBlockKernels();
// The kernels to call: the portable ones until UseBlockKernels is called, which libaxle_codegen.so
// does with those of kernels/block_kernels.h when it is loaded. The bits are the same.
template <typename T>
const BlockKernels<T>& HostBlockKernels();
// Thread-safe. Kernels stay in use until the process ends.
void UseBlockKernels(const BlockKernels<float>& f32, const BlockKernels<double>& f64);

}  // namespace axle

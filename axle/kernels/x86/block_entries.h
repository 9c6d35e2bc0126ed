// The kernels of linear algebra (block_kernels.h) for the instruction set of the file that includes
// this.
//
// Products. As in a matrix product, b is packed into panels as wide as a register tile, for up to
// kPackedDepth steps of k at a time, and a is packed where a part of it is used often. A tile loads
// its sums from c, takes its products in increasing k and stores them, so cuts of k change no bit.
//
// Small triangles are copied to memory of fixed size first, in which columns lie so that all loops
// run along vectors. A chain of one element never leaves its lane.
#pragma once
#include "axle/kernels/x86/vector.h"
#include "axle/linalg/block_kernels.h"

namespace axle::AXLE_ISA {
namespace {

constexpr int kTileRows = kIsWide ? 8 : 4;
constexpr int kTileVectors = 3;
template <typename T>
constexpr i64 kTileColumns = kTileVectors* kLanesOf<T>;
static_assert(kTileColumns<float> <= kMostTileColumns && kTileRows <= kMostTileRows);
static_assert(kPackedColumns % kTileColumns<float> == 0 && kPackedRows % kTileRows == 0);

constexpr i64 kFewRows = 2 * kTileRows;  // b is not packed for them
constexpr i64 kFewColumns = 128;         // nor a

// One tile of c; the last vector has `last` columns.
template <typename T, int kRows, int kVectors, bool kAdd>
void Tile(i64 depth, const T* __restrict a, i64 a_row, i64 a_depth, const T* __restrict b,
          i64 b_depth, T* __restrict c, i64 c_row, i64 last_columns) {
  constexpr int kLanes = kLanesOf<T>;
  const FirstLanes<T> last(last_columns);
  Vector<T> acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const T* x = c + i * c_row + v * kLanes;
      acc[i][v] = v + 1 < kVectors ? Load(x) : last.Load(x);
    }
  }
  for (i64 k = 0; k < depth; ++k) {
    Vector<T> x[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      x[v] = v + 1 < kVectors ? Load(b + v * kLanes) : last.Load(b + v * kLanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Vector<T> factor = Broadcast(a[i * a_row]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        acc[i][v] = kAdd ? MultiplyAdd(factor, x[v], acc[i][v])
                         : NegatedMultiplyAdd(factor, x[v], acc[i][v]);
      }
    }
    a += a_depth;
    b += b_depth;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* x = c + i * c_row + v * kLanes;
      if (v + 1 < kVectors) {
        Store(x, acc[i][v]);
      } else {
        last.Store(x, acc[i][v]);
      }
    }
  }
}

template <typename T>
using TileFunction = void (*)(i64, const T*, i64, i64, const T*, i64, T*, i64, i64);

// The rows of the next tile: powers of two, so that there are few functions.
constexpr i64 HeightOf(i64 rows) {
  i64 height = kTileRows;
  while (height > rows) height /= 2;
  return height;
}

template <typename T, bool kAdd>
struct Tiles {
  template <int kRows>
  static constexpr TileFunction<T> Of(i64 vectors) {
    return vectors == 1   ? &Tile<T, kRows, 1, kAdd>
           : vectors == 2 ? &Tile<T, kRows, 2, kAdd>
                          : &Tile<T, kRows, 3, kAdd>;
  }
  // `rows` is a height of HeightOf.
  static TileFunction<T> Find(i64 rows, i64 vectors) {
    switch (rows) {
      case 1:
        return Of<1>(vectors);
      case 2:
        return Of<2>(vectors);
      case 4:
        return Of<4>(vectors);
      default:
        return Of<kTileRows>(vectors);
    }
  }
};

// y[j * y_row + i] = x[i * x_row + j], four by four.
template <typename T>
void TransposeInto(const T* x, i64 x_row, i64 rows, i64 columns, T* y, i64 y_row) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  i64 i = 0;
  for (; i + 4 <= rows; i += 4) {
    i64 j = 0;
    for (; j + 4 <= columns; j += 4) {
      Four r[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) __builtin_memcpy(&r[k], x + (i + k) * x_row + j, sizeof(Four));
      const Four a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
      const Four b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
      const Four c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
      const Four d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
      r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
      r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
      r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
      r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) __builtin_memcpy(y + (j + k) * y_row + i, &r[k], sizeof(Four));
    }
    for (; j < columns; ++j) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) y[j * y_row + i + k] = x[(i + k) * x_row + j];
    }
  }
  for (; i < rows; ++i) {
    for (i64 j = 0; j < columns; ++j) y[j * y_row + i] = x[i * x_row + j];
  }
}

// count elements of x to y.
template <typename T>
void Copy(const T* x, T* y, i64 count) {
  constexpr i64 kLanes = kLanesOf<T>;
  i64 j = 0;
  for (; j + kLanes <= count; j += kLanes) Store(y + j, Load(x + j));
  if (j < count) {
    const FirstLanes<T> last(count - j);
    last.Store(y + j, last.Load(x + j));
  }
}

// packed[k * width + i] = x[i * x_line + k * x_depth] for i < lines.
template <typename T>
void PackLines(const T* x, i64 x_line, i64 x_depth, i64 lines, i64 depth, T* packed, i64 width) {
  if (x_line == 1) {
    for (i64 k = 0; k < depth; ++k) Copy(x + k * x_depth, packed + k * width, lines);
  } else if (x_depth == 1) {
    TransposeInto(x, x_line, lines, depth, packed, width);
  } else if (x_depth == -1) {
    TransposeInto(x - (depth - 1), x_line, lines, depth, packed + (depth - 1) * width, -width);
  } else {
    for (i64 k = 0; k < depth; ++k) {
      for (i64 i = 0; i < lines; ++i) packed[k * width + i] = x[i * x_line + k * x_depth];
    }
  }
}

template <typename T, bool kAdd>
void RunUpdate(const ProductUpdate<T>& u, T* scratch) {
  constexpr i64 kWide = kTileColumns<T>, kLanes = kLanesOf<T>;
  const bool packs_b = u.b_column != 1 || (u.rows > kFewRows && u.columns > kLanes);
  const bool packs_a = u.columns > kFewColumns;
  for (i64 first_k = 0; first_k < u.depth; first_k += kPackedDepth) {
    const i64 depth = Min(kPackedDepth, u.depth - first_k);
    const T *a_part = u.a + first_k * u.a_depth, *b_part = u.b + first_k * u.b_depth;
    for (i64 first_j = 0; first_j < u.columns; first_j += kPackedColumns) {
      const i64 columns = Min(kPackedColumns, u.columns - first_j);
      const T* b = b_part + first_j * u.b_column;
      T* const packed_a = scratch + (packs_b ? RoundUp(columns, kWide) * depth : 0);
      if (packs_b) {
        for (i64 j = 0; j < columns; j += kWide) {
          PackLines(b + j * u.b_column, u.b_column, u.b_depth, Min(kWide, columns - j), depth,
                    scratch + j * depth, kWide);
        }
      }
      // Of the lower triangle, rows above the first column have no elements.
      const i64 begin_i = u.lower ? first_j - first_j % kTileRows : 0;
      for (i64 first_i = begin_i; first_i < u.rows; first_i += kPackedRows) {
        const i64 rows = Min(kPackedRows, u.rows - first_i);
        const T* const a = a_part + first_i * u.a_row;
        if (packs_a) {
          for (i64 i = 0; i < rows; i += kTileRows) {
            PackLines(a + i * u.a_row, u.a_row, u.a_depth, Min(kTileRows, rows - i), depth,
                      packed_a + i * depth, kTileRows);
          }
        }
        for (i64 j = 0; j < columns; j += kWide) {
          const i64 width = Min(kWide, columns - j), vectors = CeilDivide(width, kLanes);
          const i64 last = width - (vectors - 1) * kLanes;
          const T* const tile_b = packs_b ? scratch + j * depth : b + j;
          for (i64 i = 0, height = 0; i < rows; i += height) {
            height = HeightOf(rows - i);
            // Columns up to the diagonal, in the first row of the tile.
            const i64 limit = first_i + i - (first_j + j) + 1;
            const bool crosses = u.lower && limit < width;
            if (crosses && limit + height - 1 <= 0) continue;
            T* const c = u.c + (first_i + i) * u.c_row + first_j + j;
            alignas(64) T part[kTileRows * kWide];  // of the triangle
            if (crosses) {
              for (i64 r = 0; r < height; ++r) Copy(c + r * u.c_row, part + r * kWide, width);
            }
            Tiles<T, kAdd>::Find(height, vectors)(
                depth,
                packs_a ? packed_a + (i - i % kTileRows) * depth + i % kTileRows : a + i * u.a_row,
                packs_a ? 1 : u.a_row, packs_a ? kTileRows : u.a_depth, tile_b,
                packs_b ? kWide : u.b_depth, crosses ? part : c, crosses ? kWide : u.c_row, last);
            if (crosses) {
              for (i64 r = 0; r < height; ++r) {
                Copy(part + r * kWide, c + r * u.c_row, Max(0, Min(width, limit + r)));
              }
            }
          }
        }
      }
    }
  }
}

template <typename T>
void Update(const ProductUpdate<T>& update, T* scratch) {
  if (update.add) {
    RunUpdate<T, true>(update, scratch);
  } else {
    RunUpdate<T, false>(update, scratch);
  }
}

[[gnu::always_inline]] inline float Root(float x) {
  return __builtin_sqrtf(x);
}
[[gnu::always_inline]] inline double Root(double x) {
  return __builtin_sqrt(x);
}

// The factor is computed as the transposed one, whose rows are the columns of L.
template <typename T>
i64 CholeskyBlock(T* a, i64 stride, i64 n) {
  constexpr i64 kSize = kTriangleBlock, kLanes = kLanesOf<T>;
  alignas(64) T u[kSize * kSize];
  for (i64 j = 0; j < n; ++j) {
    for (i64 i = j / kLanes * kLanes; i < j; ++i) u[j * kSize + i] = 0;
    for (i64 i = n; i < RoundUp(n, kLanes); ++i) u[j * kSize + i] = 0;
  }
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = 0; j <= i; ++j) u[j * kSize + i] = a[i * stride + j];
  }
  i64 failed = -1;
  for (i64 k = 0; k < n; ++k) {
    T* const row = u + k * kSize;
    const T pivot = Root(row[k]);
    if (pivot != pivot) {
      row[k] = pivot;
      failed = k;
      break;
    }
    const Vector<T> divisor = Broadcast(pivot);
    for (i64 j = k / kLanes * kLanes; j < n; j += kLanes) Store(row + j, Load(row + j) / divisor);
    row[k] = pivot;
    for (i64 i = k + 1; i < n; ++i) {
      const Vector<T> factor = Broadcast(row[i]);
      T* const below = u + i * kSize;
      for (i64 j = i / kLanes * kLanes; j < n; j += kLanes) {
        Store(below + j, NegatedMultiplyAdd(factor, Load(row + j), Load(below + j)));
      }
    }
  }
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = 0; j <= i; ++j) a[i * stride + j] = u[j * kSize + i];
  }
  return failed;
}

// Solves for the columns in x, which are kVectors vectors side by side, row after row. t is dense,
// with n a multiple of four.
template <typename T, int kVectors>
void SolveStrip(const T* t, i64 n, bool unit_diagonal, T* x) {
  constexpr i64 kSize = kTriangleBlock, kWidth = kVectors * kLanesOf<T>, kLanes = kLanesOf<T>;
  for (i64 i = 0; i < n; i += 4) {
    Vector<T> acc[4][kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) acc[r][v] = Load(x + (i + r) * kWidth + v * kLanes);
    }
    for (i64 k = 0; k < i; ++k) {
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        const Vector<T> factor = Broadcast(t[(i + r) * kSize + k]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          acc[r][v] = NegatedMultiplyAdd(factor, Load(x + k * kWidth + v * kLanes), acc[r][v]);
        }
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      if (!unit_diagonal) {
        const Vector<T> pivot = Broadcast(t[(i + k) * kSize + i + k]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) acc[k][v] = acc[k][v] / pivot;
      }
#pragma GCC unroll 4
      for (int r = k + 1; r < 4; ++r) {
        const Vector<T> factor = Broadcast(t[(i + r) * kSize + i + k]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          acc[r][v] = NegatedMultiplyAdd(factor, acc[k][v], acc[r][v]);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) Store(x + (i + k) * kWidth + v * kLanes, acc[k][v]);
    }
  }
}

// One right side: vectors run down the columns of t.
template <typename T>
void SolveColumn(const T* t, i64 t_row, i64 t_column, bool unit_diagonal, i64 n, T* b, i64 b_row) {
  constexpr i64 kSize = kTriangleBlock, kLanes = kLanesOf<T>;
  alignas(64) T x[kSize] = {};
  alignas(64) T columns[kSize * kSize];
  PackLines(t, t_row, t_column, n, n, columns, kSize);
  const i64 padded = RoundUp(n, kLanes);
  for (i64 k = 0; k < n; ++k) {
    for (i64 i = n; i < padded; ++i) columns[k * kSize + i] = 0;
    x[k] = b[k * b_row];
  }
  for (i64 k = 0; k < n; ++k) {
    const T* const column = columns + k * kSize;
    T value = x[k];
    if (!unit_diagonal) value = value / column[k];
    b[k * b_row] = value;
    const Vector<T> factor = Broadcast(value);
    for (i64 i = (k + 1) / kLanes * kLanes; i < n; i += kLanes) {
      Store(x + i, NegatedMultiplyAdd(factor, Load(column + i), Load(x + i)));
    }
  }
}

template <typename T>
void SolveBlock(const T* t, i64 t_row, i64 t_column, bool unit_diagonal, i64 n, T* b, i64 b_row,
                i64 b_column, i64 columns) {
  constexpr i64 kSize = kTriangleBlock, kLanes = kLanesOf<T>, kWide = 4 * kLanes;
  if (columns == 1) {
    SolveColumn(t, t_row, t_column, unit_diagonal, n, b, b_row);
    return;
  }
  // Rows that fill up the last four are those of the unit matrix.
  alignas(64) T dense[kSize * kSize];
  alignas(64) T x[kSize * kWide];
  const i64 padded = RoundUp(n, 4);
  for (i64 i = 0; i < padded; ++i) {
    for (i64 k = 0; k < padded; ++k) {
      dense[i * kSize + k] = i < n && k <= i ? t[i * t_row + k * t_column] : T(i == k);
    }
  }
  for (i64 j = 0; j < columns; j += kWide) {
    const i64 count = Min(kWide, columns - j), width = count <= kLanes ? kLanes : kWide;
    for (i64 i = 0; i < padded * width; i += kLanes) Store(x + i, Vector<T>{});
    T* const strip = b + j * b_column;
    PackLines(strip, b_column, b_row, count, n, x, width);
    if (width == kLanes) {
      SolveStrip<T, 1>(dense, padded, unit_diagonal, x);
    } else {
      SolveStrip<T, 4>(dense, padded, unit_diagonal, x);
    }
    if (b_column == 1) {
      for (i64 i = 0; i < n; ++i) Copy(x + i * width, strip + i * b_row, count);
    } else if (b_row == 1) {
      TransposeInto(x, width, n, count, strip, b_column);
    } else if (b_row == -1) {
      TransposeInto(x + (n - 1) * width, -width, n, count, strip - (n - 1), b_column);
    } else {
      for (i64 i = 0; i < n; ++i) {
        for (i64 k = 0; k < count; ++k) strip[i * b_row + k * b_column] = x[i * width + k];
      }
    }
  }
}

// The row from `begin` on whose element is the largest, the first of equals; `begin` if that one is
// NaN. Others that are NaN do not count.
template <typename T>
i64 FindPivot(const T* column, i64 begin, i64 rows) {
  constexpr i64 kLanes = kLanesOf<T>;
  const auto magnitude = [](Vector<T> x) { return x < Vector<T>{} ? -x : x; };
  const T first = column[begin];
  if (first != first) return begin;
  Vector<T> most = Broadcast(first < 0 ? -first : first);
  i64 i = begin;
  for (; i + kLanes <= rows; i += kLanes) {
    const Vector<T> x = magnitude(Load(column + i));
    most = x > most ? x : most;
  }
  T largest = 0;
  for (int k = 0; k < kLanes; ++k) largest = most[k] > largest ? most[k] : largest;
  for (; i < rows; ++i) {
    const T x = column[i] < 0 ? -column[i] : column[i];
    largest = x > largest ? x : largest;
  }
  const Vector<T> wanted = Broadcast(largest);
  for (i = begin; i + kLanes <= rows; i += kLanes) {
    const auto found = magnitude(Load(column + i)) == wanted;
    long long any = 0;
    long long parts[kVectorBytes / 8];
    __builtin_memcpy(parts, &found, sizeof parts);
    for (long long part : parts) any |= part;
    if (any != 0) break;
  }
  for (; i < rows; ++i) {
    if (column[i] == largest || -column[i] == largest) return i;
  }
  return begin;
}

// Without vectors, for tiny matrices.
template <typename T>
i64 TinyLu(T* a, i64 stride, i64 rows, i64 columns, i64* pivots) {
  i64 failed = -1;
  for (i64 k = 0; k < Min(rows, columns); ++k) {
    T* const row = a + k * stride;
    i64 pivot = k;
    T largest = row[k] < 0 ? -row[k] : row[k];
    for (i64 i = k + 1; i < rows; ++i) {
      const T x = a[i * stride + k], size = x < 0 ? -x : x;
      if (size > largest) {
        pivot = i;
        largest = size;
      }
    }
    pivots[k] = pivot;
    T* const other = a + pivot * stride;
    for (i64 j = 0; j < columns && pivot != k; ++j) {
      const T old = row[j];
      row[j] = other[j];
      other[j] = old;
    }
    const bool is_zero = row[k] == 0;
    if (is_zero && failed < 0) failed = k;
    for (i64 i = k + 1; i < rows; ++i) {
      T* const below = a + i * stride;
      const T factor = is_zero ? below[k] : below[k] / row[k];
      below[k] = factor;
      for (i64 j = k + 1; j < columns; ++j) below[j] = ScalarFma(-factor, row[j], below[j]);
    }
  }
  return failed;
}

// The panel is copied, so that its columns are contiguous.
template <typename T>
i64 LuPanel(T* a, i64 stride, i64 rows, i64 columns, i64* pivots, T* scratch) {
  if (rows * columns <= 64) return TinyLu(a, stride, rows, columns, pivots);
  constexpr i64 kLanes = kLanesOf<T>;
  const i64 height = RoundUp(rows, kLanes);
  TransposeInto(a, stride, rows, columns, scratch, height);
  i64 failed = -1;
  for (i64 k = 0; k < Min(rows, columns); ++k) {
    T* const column = scratch + k * height;
    const i64 pivot = FindPivot(column, k, rows);
    pivots[k] = pivot;
    if (pivot != k) {
      for (i64 j = 0; j < columns; ++j) {
        T* const other = scratch + j * height;
        const T old = other[k];
        other[k] = other[pivot];
        other[pivot] = old;
      }
    }
    const T diagonal = column[k];
    const bool is_zero = diagonal == 0;
    if (is_zero && failed < 0) failed = k;
    const Vector<T> divisor = Broadcast(is_zero ? T(1) : diagonal);
    for (i64 i = k + 1; i < rows; i += kLanes) {
      const FirstLanes<T> some(Min(kLanes, rows - i));
      const Vector<T> factor = some.Load(column + i) / divisor;
      some.Store(column + i, factor);
      for (i64 j = k + 1; j < columns; ++j) {
        T* const other = scratch + j * height;
        some.Store(other + i,
                   NegatedMultiplyAdd(factor, Broadcast(other[k]), some.Load(other + i)));
      }
    }
  }
  TransposeInto(scratch, height, columns, rows, a, stride);
  return failed;
}

// The sum of kSumLanes chains, as SumLanes of block_kernels.cc states it, for several pairs of
// vectors at once.
template <typename T>
constexpr int kSumVectors = kSumLanes / kLanesOf<T>;

// Lane k takes lane k + half, until one is left.
template <typename T, int kBytes>
struct PartOf {
  typedef T Type __attribute__((vector_size(kBytes)));
};
template <typename T, typename Part>
[[gnu::always_inline]] inline T SumOfHalves(Part x) {
  if constexpr (sizeof(Part) == 2 * sizeof(T)) {
    return x[0] + x[1];
  } else {
    typename PartOf<T, sizeof(Part) / 2>::Type low, high;
    __builtin_memcpy(&low, &x, sizeof low);
    __builtin_memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
    return SumOfHalves<T>(low + high);
  }
}

template <typename T>
struct LaneSums {
  Vector<T> lanes[kSumVectors<T>] = {};

  [[gnu::always_inline]] void Add(const T* x, const T* y) {
#pragma GCC unroll 4
    for (int v = 0; v < kSumVectors<T>; ++v) {
      lanes[v] = MultiplyAdd(Load(x + v * kLanesOf<T>), Load(y + v * kLanesOf<T>), lanes[v]);
    }
  }
  // Of the last `count` elements, fewer than kSumLanes.
  [[gnu::always_inline]] void AddSome(const T* x, const T* y, i64 count) {
#pragma GCC unroll 4
    for (int v = 0; v < kSumVectors<T>; ++v) {
      const i64 some = Max(0, Min(kLanesOf<T>, count - v * kLanesOf<T>));
      const FirstLanes<T> first(some);
      const Vector<T> sum =
          MultiplyAdd(first.Load(x + v * kLanesOf<T>), first.Load(y + v * kLanesOf<T>), lanes[v]);
      lanes[v] = first.Select(sum, lanes[v]);
    }
  }
  [[gnu::always_inline]] T Total() const {
    Vector<T> all[kSumVectors<T>];
#pragma GCC unroll 4
    for (int v = 0; v < kSumVectors<T>; ++v) all[v] = lanes[v];
#pragma GCC unroll 4
    for (int half = kSumVectors<T> / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
      for (int v = 0; v < half; ++v) all[v] = all[v] + all[v + half];
    }
    return SumOfHalves<T>(all[0]);
  }
};

// sums[j] = x . y_j for kCount columns y_j.
template <typename T, int kCount>
[[gnu::always_inline]] inline void DotColumns(const T* x, const T* y, i64 y_column, i64 n,
                                              T* sums) {
  LaneSums<T> lanes[kCount];
  i64 i = 0;
  for (; i + kSumLanes <= n; i += kSumLanes) {
#pragma GCC unroll 4
    for (int j = 0; j < kCount; ++j) lanes[j].Add(x + i, y + j * y_column + i);
  }
  if (i < n) {
#pragma GCC unroll 4
    for (int j = 0; j < kCount; ++j) lanes[j].AddSome(x + i, y + j * y_column + i, n - i);
  }
#pragma GCC unroll 4
  for (int j = 0; j < kCount; ++j) sums[j] = lanes[j].Total();
}

template <typename T>
void Dots(const T* x, const T* y, i64 y_column, i64 n, i64 count, T* sums) {
  i64 j = 0;
  for (; j + 4 <= count; j += 4) DotColumns<T, 4>(x, y + j * y_column, y_column, n, sums + j);
  const T* const rest = y + j * y_column;
  if (count - j == 3) DotColumns<T, 3>(x, rest, y_column, n, sums + j);
  if (count - j == 2) DotColumns<T, 2>(x, rest, y_column, n, sums + j);
  if (count - j == 1) DotColumns<T, 1>(x, rest, y_column, n, sums + j);
}

// y_j -= factors[j] x for kCount columns y_j.
template <typename T, int kCount>
void SubtractFromColumns(const T* x, const T* factors, T* y, i64 y_column, i64 n) {
  constexpr i64 kLanes = kLanesOf<T>;
  Vector<T> factor[kCount];
#pragma GCC unroll 4
  for (int j = 0; j < kCount; ++j) factor[j] = Broadcast(factors[j]);
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector<T> v = Load(x + i);
#pragma GCC unroll 4
    for (int j = 0; j < kCount; ++j) {
      T* const at = y + j * y_column + i;
      Store(at, NegatedMultiplyAdd(factor[j], v, Load(at)));
    }
  }
  if (i == n) return;
  const FirstLanes<T> some(n - i);
  const Vector<T> v = some.Load(x + i);
#pragma GCC unroll 4
  for (int j = 0; j < kCount; ++j) {
    T* const at = y + j * y_column + i;
    some.Store(at, NegatedMultiplyAdd(factor[j], v, some.Load(at)));
  }
}

template <typename T>
void SubtractMultiples(const T* x, const T* factors, T* y, i64 y_column, i64 n, i64 count) {
  i64 j = 0;
  for (; j + 4 <= count; j += 4) {
    SubtractFromColumns<T, 4>(x, factors + j, y + j * y_column, y_column, n);
  }
  for (; j < count; ++j) {
    SubtractFromColumns<T, 1>(x, factors + j, y + j * y_column, y_column, n);
  }
}

template <typename T>
void DivideAll(T* x, T divisor, i64 n) {
  constexpr i64 kLanes = kLanesOf<T>;
  const Vector<T> by = Broadcast(divisor);
  for (i64 i = 0; i < n; i += kLanes) {
    const FirstLanes<T> some(Min(kLanes, n - i));
    some.Store(x + i, some.Load(x + i) / by);
  }
}

// y -= the sum of factors[j] x_j over kCount of them, which are read side by side.
template <typename T, int kCount>
void SubtractSome(const T* x, i64 x_column, const T* factors, T* y, i64 n) {
  constexpr i64 kLanes = kLanesOf<T>;
  Vector<T> factor[kCount];
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) factor[j] = Broadcast(factors[j]);
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vector<T> acc = Load(y + i);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      acc = NegatedMultiplyAdd(factor[j], Load(x + j * x_column + i), acc);
    }
    Store(y + i, acc);
  }
  if (i == n) return;
  const FirstLanes<T> some(n - i);
  Vector<T> acc = some.Load(y + i);
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) {
    acc = NegatedMultiplyAdd(factor[j], some.Load(x + j * x_column + i), acc);
  }
  some.Store(y + i, acc);
}

template <typename T>
void SubtractCombination(const T* x, i64 x_column, const T* factors, i64 count, T* y, i64 n) {
  i64 j = 0;
  for (; j + 8 <= count; j += 8) SubtractSome<T, 8>(x + j * x_column, x_column, factors + j, y, n);
  if (j + 4 <= count) {
    SubtractSome<T, 4>(x + j * x_column, x_column, factors + j, y, n);
    j += 4;
  }
  for (; j < count; ++j) SubtractSome<T, 1>(x + j * x_column, x_column, factors + j, y, n);
}

// Four rows of the lower triangle at a time: each is one sum for its own element of y, and is
// added, times an element of x, to those before. The part that the rows do not share is done row by
// row.
template <typename T, int kRows>
[[gnu::always_inline]] inline void SymmetricRows(const T* a, i64 stride, i64 i, const T* x, T* y) {
  constexpr int kLanes = kLanesOf<T>;
  LaneSums<T> sums[kRows];
  Vector<T> factors[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) factors[r] = Broadcast(x[i + r]);
  i64 j = 0;
  for (; j + kSumLanes <= i; j += kSumLanes) {
#pragma GCC unroll 4
    for (int v = 0; v < kSumVectors<T>; ++v) {
      const Vector<T> other = Load(x + j + v * kLanes);
      Vector<T> result = Load(y + j + v * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const Vector<T> element = Load(a + (i + r) * stride + j + v * kLanes);
        sums[r].lanes[v] = MultiplyAdd(element, other, sums[r].lanes[v]);
        result = MultiplyAdd(element, factors[r], result);
      }
      Store(y + j + v * kLanes, result);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const T* const row = a + (i + r) * stride;
    i64 k = j;
#pragma GCC unroll 8
    for (int step = 0; step < 2 * kSumVectors<T>; ++step) {  // at most kSumLanes + 3 elements
      if (k >= i + r) break;
      const FirstLanes<T> some(Min(kLanes, i + r - k));
      const Vector<T> element = some.Load(row + k), result = some.Load(y + k);
      Vector<T>& lanes = sums[r].lanes[step % kSumVectors<T>];
      lanes = some.Select(MultiplyAdd(element, some.Load(x + k), lanes), lanes);
      some.Store(y + k, MultiplyAdd(element, factors[r], result));
      k += kLanes;
    }
    y[i + r] = ScalarFma(row[i + r], x[i + r], sums[r].Total());
  }
}

template <typename T>
void SymmetricTimes(const T* a, i64 stride, i64 n, const T* x, T* y) {
  i64 i = 0;
  for (; i + 4 <= n; i += 4) SymmetricRows<T, 4>(a, stride, i, x, y);
  for (; i < n; ++i) SymmetricRows<T, 1>(a, stride, i, x, y);
}

// Columns of one row, in registers.
template <typename T, int kVectors>
struct RowPart {
  Vector<T> v[kVectors];

  [[gnu::always_inline]] void Read(const T* x) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) v[k] = Load(x + k * kLanesOf<T>);
  }
  [[gnu::always_inline]] void Write(T* x) const {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) Store(x + k * kLanesOf<T>, v[k]);
  }
};

// x' = c x - s y, y' = s x + c y.
template <typename T, int kVectors>
[[gnu::always_inline]] inline void Turn(const RowRotation<T>& rotation, RowPart<T, kVectors>& x,
                                        RowPart<T, kVectors>& y) {
  const Vector<T> c = Broadcast(rotation.c), s = Broadcast(rotation.s);
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) {
    const Vector<T> old = x.v[k], other = y.v[k];
    x.v[k] = NegatedMultiplyAdd(s, other, c * old);
    y.v[k] = MultiplyAdd(s, old, c * other);
  }
}

// Rotations as they follow each other with rows that decrease by one: [begin, end) of the list.
struct Run {
  i64 begin, end;
};
template <typename T>
Run NextRun(const RowRotation<T>* rotations, i64 begin, i64 count) {
  i64 end = begin + 1;
  while (end < count && rotations[end].row + 1 == rotations[end - 1].row) ++end;
  return {begin, end};
}

// Goes on with a run whose row `rotations[begin].row + 1` is in `held`.
template <typename T, int kVectors>
[[gnu::always_inline]] inline void FinishRun(const RowRotation<T>* rotations, Run run,
                                             RowPart<T, kVectors>& held, T* x) {
  constexpr i64 kWidth = kVectors * kLanesOf<T>;
  for (i64 k = run.begin; k < run.end; ++k) {
    T* const at = x + rotations[k].row * kWidth;
    RowPart<T, kVectors> row;
    row.Read(at);
    Turn(rotations[k], row, held);
    held.Write(at + kWidth);
    held = row;
  }
  held.Write(x + rotations[run.end - 1].row * kWidth);
}

// kVectors vectors of columns, in memory where rows are side by side. Two runs that begin in the
// same row are done together, the second one row behind the first, so that a row is read and
// written once for two rotations.
template <typename T, int kVectors>
void RotateStrip(const RowRotation<T>* rotations, i64 count, T* x) {
  constexpr i64 kWidth = kVectors * kLanesOf<T>;
  for (i64 begin = 0; begin < count;) {
    const Run first = NextRun(rotations, begin, count);
    const i64 top = rotations[first.begin].row;
    RowPart<T, kVectors> held;
    held.Read(x + (top + 1) * kWidth);
    begin = first.end;
    if (begin == count || rotations[begin].row != top || first.end - first.begin < 2) {
      FinishRun(rotations, first, held, x);
      continue;
    }
    const Run second = NextRun(rotations, begin, count);
    begin = second.end;
    RowPart<T, kVectors> front, back = held;  // `front` is for the first run, `back` for the second
    front.Read(x + top * kWidth);
    Turn(rotations[first.begin], front, back);
    const i64 together = Min(first.end - first.begin - 1, second.end - second.begin);
    for (i64 k = 0; k < together; ++k) {
      T* const at = x + (top - 1 - k) * kWidth;
      RowPart<T, kVectors> row, middle = front;
      row.Read(at);
      Turn(rotations[first.begin + 1 + k], row, middle);
      Turn(rotations[second.begin + k], middle, back);
      back.Write(at + 2 * kWidth);
      front = row;
      back = middle;
    }
    // `front` is row top - together, `back` the one below it.
    T* const at = x + (top - together) * kWidth;
    if (const Run rest = {first.begin + 1 + together, first.end}; rest.begin < rest.end) {
      back.Write(at + kWidth);
      FinishRun(rotations, rest, front, x);
    } else if (const Run after = {second.begin + together, second.end}; after.begin < after.end) {
      front.Write(at);
      FinishRun(rotations, after, back, x);
    } else {
      front.Write(at);
      back.Write(at + kWidth);
    }
  }
}

template <typename T>
void Rotate(const RowRotation<T>* rotations, i64 count, T* rows, i64 stride, i64 num_rows,
            i64 columns, T* scratch) {
  constexpr i64 kLanes = kLanesOf<T>;
  for (i64 j = 0; j < columns;) {
    const i64 left = columns - j, vectors = left <= kLanes ? 1 : left <= 2 * kLanes ? 2 : 4;
    const i64 width = vectors * kLanes, some = Min(left, width);
    for (i64 i = 0; i < num_rows; ++i) {
      // Whatever was in the other columns might be slow numbers.
      T* const to = scratch + i * width;
      for (i64 k = some / kLanes * kLanes; k < width; k += kLanes) Store(to + k, Vector<T>{});
      Copy(rows + i * stride + j, to, some);
    }
    if (vectors == 1) {
      RotateStrip<T, 1>(rotations, count, scratch);
    } else if (vectors == 2) {
      RotateStrip<T, 2>(rotations, count, scratch);
    } else {
      RotateStrip<T, 4>(rotations, count, scratch);
    }
    for (i64 i = 0; i < num_rows; ++i) Copy(scratch + i * width, rows + i * stride + j, some);
    j += some;
  }
}

template <typename T>
void Transpose(const T* x, i64 x_row, i64 rows, i64 columns, T* y, i64 y_row) {
  TransposeInto(x, x_row, rows, columns, y, y_row);
}

template <typename T>
constexpr BlockKernels<T> kEntries = {
    .update = &Update<T>,
    .cholesky = &CholeskyBlock<T>,
    .solve = &SolveBlock<T>,
    .lu = &LuPanel<T>,
    .dots = &Dots<T>,
    .subtract_multiples = &SubtractMultiples<T>,
    .divide = &DivideAll<T>,
    .transpose = &Transpose<T>,
    .subtract_combination = &SubtractCombination<T>,
    .symmetric_times = &SymmetricTimes<T>,
    .rotate = &Rotate<T>,
};

}  // namespace

// NOLINTBEGIN(misc-definitions-in-headers): for one source file
extern const BlockKernels<float> kBlockKernelsF32 = kEntries<float>;
extern const BlockKernels<double> kBlockKernelsF64 = kEntries<double>;
// NOLINTEND(misc-definitions-in-headers)

}  // namespace axle::AXLE_ISA

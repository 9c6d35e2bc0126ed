// Register tiles: the innermost loops of dot and convolution, each in one of the orders of
// docs/numerics.md N5. A family says how one kind of numbers is multiplied: what packed operands
// look like, what sums are kept in, and a table of functions by the tile's size.
//
// A tile is `rows` results down and `vectors` vectors across. Of step k, row i has its factor at
// a + i * a_row + k * a_depth, broadcast, and the columns have theirs at b + k * b_depth, side by
// side. Sums are at c + i * c_row; `sum_mode` says what becomes of those that are there.
// All distances are in elements of the family's types; a complex element counts as one of a, whose
// parts are neighbours, and has 2 * kLanes places in b and c: a vector of real parts, then one of
// imaginary ones. Of the last vector only `last` columns exist in b and c.
#pragma once
#include <utility>

#include "axle/kernels/x86/vector.h"

namespace axle::AXLE_ISA {

enum class SumMode {
  kBegin,     // they are ignored: sums begin at +0
  kContinue,  // the chain continues from them
  kAdd,       // sums begin at +0 and are then added to them: a new part (docs/numerics.md N5)
};

using TileFunction = void (*)(i64 depth, const void* a, i64 a_row, i64 a_depth, const void* b,
                              i64 b_depth, void* c, i64 c_row, i64 last, SumMode sum_mode);

// All lanes of the vector exist: b and c are padded.
template <typename T>
struct AllLanes {
  explicit AllLanes(i64) {}
  [[gnu::always_inline]] Vector<T> Load(const T* x) const { return AXLE_ISA::Load(x); }
  [[gnu::always_inline]] void Store(T* x, Vector<T> v) const { AXLE_ISA::Store(x, v); }
};

template <typename T>
constexpr bool kIsFloat = static_cast<T>(0.5) != 0;

// Rounded once; integers modulo 2^N.
struct FusedChain {
  template <typename T>
  [[gnu::always_inline]] static Vector<T> Step(Vector<T> a, Vector<T> b, Vector<T> c) {
    if constexpr (kIsFloat<T>) {
      return MultiplyAdd(a, b, c);
    } else {
      return a * b + c;
    }
  }
};
struct OrOfAnds {
  template <typename T>
  [[gnu::always_inline]] static Vector<T> Step(Vector<T> a, Vector<T> b, Vector<T> c) {
    return (a & b) | c;
  }
};

// A part of k, in increasing k: acc = acc + a * b. Integers have no kAdd.
template <typename T, typename Op, template <typename> typename Last, int kRows, int kVectors>
void ChainTile(i64 depth, const void* a_bytes, i64 a_row, i64 a_depth, const void* b_bytes,
               i64 b_depth, void* c_bytes, i64 c_row, i64 last_columns, SumMode sum_mode) {
  constexpr int kLanes = kLanesOf<T>;
  const T* __restrict a = static_cast<const T*>(a_bytes);
  const T* __restrict b = static_cast<const T*>(b_bytes);
  T* __restrict c = static_cast<T*>(c_bytes);
  const Last<T> last(last_columns);
  Vector<T> acc[kRows][kVectors];
  if (sum_mode == SumMode::kContinue) {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const T* x = c + i * c_row + v * kLanes;
        acc[i][v] = v + 1 < kVectors ? Load(x) : last.Load(x);
      }
    }
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      __builtin_prefetch(c + i * c_row, 1);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) acc[i][v] = Vector<T>{};
    }
    if (sum_mode == SumMode::kAdd) {
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        for (int v = 1; v < kVectors; ++v) __builtin_prefetch(c + i * c_row + v * kLanes, 1);
      }
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
        acc[i][v] = Op::template Step<T>(factor, x[v], acc[i][v]);
      }
    }
    a += a_depth;
    b += b_depth;
  }
  if constexpr (kIsFloat<T>) {
    if (sum_mode == SumMode::kAdd) {
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          const T* x = c + i * c_row + v * kLanes;
          acc[i][v] = (v + 1 < kVectors ? Load(x) : last.Load(x)) + acc[i][v];
        }
      }
    }
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

// kSteps steps of k for kRows rows of `columns` results, from c or from +0: every factor of the
// columns is read once, along memory.
template <typename T, int kRows, int kSteps>
[[gnu::noinline]] void StreamSteps(const T* a, i64 a_row, i64 a_depth, const T* b, i64 b_depth,
                                   T* c, i64 c_row, i64 columns, bool continues) {
  constexpr i64 kLanes = kLanesOf<T>;
  Vector<T> factors[kRows][kSteps];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int k = 0; k < kSteps; ++k) factors[i][k] = Broadcast(a[i * a_row + k * a_depth]);
  }
  const auto run = [&](i64 n, const auto& lanes) {
    Vector<T> sums[kRows];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      sums[i] = continues ? lanes.Load(c + i * c_row + n) : Vector<T>{};
    }
#pragma GCC unroll 8
    for (int k = 0; k < kSteps; ++k) {
      const Vector<T> x = lanes.Load(b + k * b_depth + n);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) sums[i] = MultiplyAdd(factors[i][k], x, sums[i]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) lanes.Store(c + i * c_row + n, sums[i]);
  };
  i64 n = 0;
  for (; n + kLanes <= columns; n += kLanes) run(n, AllLanes<T>(kLanes));
  if (n < columns) run(n, FirstLanes<T>(columns - n));
}

// A part of k for kRows rows, from +0; as many steps at once as there are registers for their
// factors.
template <typename T, int kRows>
void StreamRows(i64 depth, const T* a, i64 a_row, i64 a_depth, const T* b, i64 b_depth, T* c,
                i64 c_row, i64 columns) {
  constexpr int kMost = kIsWide ? 20 : 10;
  constexpr int kSteps = kMost / kRows < 1 ? 1 : kMost / kRows > 8 ? 8 : kMost / kRows;
  i64 k = 0;
  for (; k + kSteps <= depth; k += kSteps) {
    StreamSteps<T, kRows, kSteps>(a + k * a_depth, a_row, a_depth, b + k * b_depth, b_depth, c,
                                  c_row, columns, k > 0);
  }
  for (; k < depth; ++k) {
    StreamSteps<T, kRows, 1>(a + k * a_depth, a_row, a_depth, b + k * b_depth, b_depth, c, c_row,
                             columns, k > 0);
  }
}

// Rows of the largest height that divides them evenly.
inline i64 TileHeight(i64 rows, i64 most) {
  return rows <= most ? rows : CeilDivide(rows, CeilDivide(rows, most));
}

// The functions of a family's tiles: of [v][r], v + 1 vectors and r + 1 rows.
struct TileTable {
  static constexpr int kMaxVectors = 4, kMaxTableRows = 14;
  TileFunction functions[kMaxVectors][kMaxTableRows] = {};
};
// Fills a table: Family::Tile<rows, vectors>, as far as Family::kMaxRows[vectors - 1] goes.
template <typename Family>
constexpr TileTable MakeTileTable() {
  TileTable table;
  const auto fill = [&]<int kVectors>(std::integral_constant<int, kVectors>) {
    if constexpr (Family::kMaxRows[kVectors - 1] > 0) {
      [&]<int... kRow>(std::integer_sequence<int, kRow...>) {
        ((table.functions[kVectors - 1][kRow] = &Family::template Tile<kRow + 1, kVectors>), ...);
      }
      (std::make_integer_sequence<int, Family::kMaxRows[kVectors - 1]>());
    }
  };
  fill(std::integral_constant<int, 1>());
  fill(std::integral_constant<int, 2>());
  fill(std::integral_constant<int, 3>());
  fill(std::integral_constant<int, 4>());
  return table;
}

}  // namespace axle::AXLE_ISA

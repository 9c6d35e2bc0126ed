// Families of numbers: one for every way in which operands are packed, multiplied and added up.
//
//   Packed     what panels and blocks hold       Element  one factor of a row, as loaded
//   Sum        what sums are kept in             kParts   places of an element in a panel, of a sum
//   kUnit      contracted elements come in such groups, the last one filled up with zeros
//   kInPlace   operands and results of the type itself can be used without copies
//   State      what is remembered about the factors of the sums in hand
#pragma once
#include "axle/kernels/dot.h"
#include "axle/kernels/x86/blocks.h"

namespace axle::AXLE_ISA {

inline bool IsStopped(const RunContext* run) {
  return run != nullptr && run->stopped != nullptr && run->stopped(run);
}

// What most families share.
struct NoState {};
template <typename Derived>
struct FamilyBase {
  using State = NoState;
  static constexpr bool kInterleaves = false;
  static constexpr i64 kUnit = 1;

  static constexpr TileTable Table() { return MakeTileTable<Derived>(); }
  static int SumBytes(const DotPlan&) {
    return static_cast<int>(sizeof(typename Derived::Element));
  }
  static void BeginSums(State&) {}
  template <typename Packed>
  static void SeePanel(State&, i64, Packed*, i64) {}
  static void SeeRows(State&, const RowBlock&, i64, i64) {}
  static const TileTable& Tiles(const State&, i64, const TileTable& tiles) { return tiles; }
  static const void* RowAt(const RowBlock& block, i64 row) {
    return static_cast<const typename Derived::Element*>(block.data) + row * block.row_step;
  }
};

// Columns whose contracted elements are neighbours, as they are loaded.
template <typename T>
inline void TransposeRuns(const Source& source, const i64* columns, i64 num_columns, i64 width,
                          i64 depth, i64 count, T* out) {
  TransposeColumns(num_columns, width, count, out, [&](i64 j, i64 k, i64 n, T* run) {
    source.LoadNeighbours(depth + columns[j] + k, n, run);
  });
}

// Real numbers of which T is operand, packed factor and sum.
template <typename T, typename Op>
struct ChainFamily : FamilyBase<ChainFamily<T, Op>> {
  using Packed = T;
  using Element = T;
  using Sum = T;
  static constexpr i64 kParts = 1;
  static constexpr bool kInPlace = sizeof(T) >= 4;
  static constexpr bool kTransposes = sizeof(T) >= 4;
  static constexpr bool kIsFast = kIsFloat<T>;  // takes most of the registers
  static constexpr int kMaxRows[4] = {kIsFast ? (kIsWide ? 14 : 12) : 6,
                                      kIsFast ? (kIsWide ? 12 : 6) : 4,
                                      kIsFast ? (kIsWide ? 8 : 4) : 0, kIsFast&& kIsWide ? 6 : 0};

  // 8-bit integers are computed with 16 bits.
  static int SumBytes(const DotPlan& plan) {
    return sizeof(T) == 2 ? (plan.store == StoreKind::kSame ? 2 : 1) : static_cast<int>(sizeof(T));
  }
  template <int kRows, int kVectors>
  static void Tile(i64 depth, const void* a, i64 a_row, i64 a_depth, const void* b, i64 b_depth,
                   void* c, i64 c_row, i64 last, bool continues) {
    if constexpr (kInPlace) {
      ChainTile<T, Op, FirstLanes, kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row,
                                                    last, continues);
    } else {
      ChainTile<T, Op, AllLanes, kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row,
                                                  last, continues);
    }
  }
  static void TransposePanel(const Source& source, const i64* columns, i64 num_columns, i64 width,
                             i64 depth, i64 count, T* out) {
    if constexpr (kTransposes) {
      TransposeRuns(source, columns, num_columns, width, depth, count, out);
    }
  }
  // n sums as elements of the result, at most kRun.
  static void StoreElements(const DotPlan& plan, const T* sums, i64 n, void* out) {
    StoreRun(plan, sums, n, out);
  }
  static void StoreRun(const DotPlan& plan, const T* sums, i64 n, void* out) {
    switch (plan.store) {
      case StoreKind::kInPlace:
      case StoreKind::kSame:
        __builtin_memcpy(out, sums, static_cast<std::size_t>(n) * sizeof(T));
        return;
      case StoreKind::kBF16:
        if constexpr (__is_same(T, float)) RoundToBF16(sums, static_cast<std::uint16_t*>(out), n);
        return;
      case StoreKind::kF16:
        if constexpr (__is_same(T, float)) RoundToF16(sums, static_cast<std::uint16_t*>(out), n);
        return;
      case StoreKind::kLowByte:
      case StoreKind::kConvert:
        if constexpr (sizeof(T) == 2) {
          std::uint8_t low[kRun];
          for (i64 i = 0; i < n; ++i) low[i] = static_cast<std::uint8_t>(sums[i]);
          ConvertSums(plan.sum, plan.result, low, out, n);
        } else {
          ConvertSums(plan.sum, plan.result, sums, out, n);
        }
        return;
    }
  }
};

}  // namespace axle::AXLE_ISA

// Families of numbers: one for every way in which operands are packed, multiplied and added up.
//
//   Packed     what panels and blocks hold       Element  one factor of a row, as loaded
//   Sum        what sums are kept in             kParts   places of an element in a panel, of a sum
//   kUnit      contracted elements come in such groups, the last one filled up with zeros
//   kInPlace   operands and results of the type itself can be used without copies
//   Mode       exists while tiles are multiplied
#pragma once
#include "axle/kernels/contraction_plan.h"
#include "axle/kernels/x86/blocks.h"

namespace axle::AXLE_ISA {

inline bool IsStopped(const RunContext* run) {
  return run != nullptr && run->stopped != nullptr && run->stopped(run);
}

// Indexed by DotFamily; tiles_v3.cc and tiles_v4.cc define them.
extern const TileTable kTileTables[];
extern const TileTable kFlippedC64Tiles, kFlippedC128Tiles;

// Defaults of most families.
struct NoMode {
  NoMode() {}  // NOLINT(modernize-use-equals-default): so that it counts as used
};
template <typename Derived>
struct FamilyBase {
  using Mode = NoMode;
  static constexpr bool kInterleaves = false;
  static constexpr bool kCopiesPanels =
      false;                                 // Packed is Element: columns side by side are copied
  static constexpr bool kStreams = false;    // has Stream
  static constexpr bool kAddsParts = false;  // parts of k are chains of their own: SumMode::kAdd
  static constexpr i64 kUnit = 1;

  static int SumBytes(const ProductPlan&) {
    return static_cast<int>(sizeof(typename Derived::Element));
  }
  static const TileTable& Tiles(const ProductPlan& plan) {
    return kTileTables[static_cast<int>(plan.family)];
  }
  static const void* RowAt(const RowBlock& block, i64 row) {
    return static_cast<const typename Derived::Element*>(block.data) + row * block.row_step;
  }
};

// Packs columns whose contracted elements are adjacent.
template <typename T>
inline void TransposeRuns(const Source& source, const i64* columns, i64 num_columns, i64 width,
                          i64 depth, i64 count, T* out) {
  TransposeColumns(
      num_columns, width, count, out,
      [&](i64 j, i64 k, i64 n, T* run) { source.LoadNeighbours(depth + columns[j] + k, n, run); },
      [&](i64 j) {
        return source.is_same() ? static_cast<const T*>(source.At(depth + columns[j])) : nullptr;
      });
}

// Real numbers: T is the type of operands, packed factors and sums.
template <typename T, typename Op>
struct ChainFamily : FamilyBase<ChainFamily<T, Op>> {
  using Packed = T;
  using Element = T;
  using Sum = T;
  static constexpr i64 kParts = 1;
  static constexpr bool kInPlace = sizeof(T) >= 4;
  static constexpr bool kCopiesPanels = true;
  static constexpr bool kStreams = kIsFloat<T>;
  static constexpr bool kAddsParts = kIsFloat<T>;
  static constexpr bool kTransposes = sizeof(T) >= 4;
  static constexpr bool kIsFast = kIsFloat<T>;  // takes most of the registers
  static constexpr int kMaxRows[4] = {kIsFast ? (kIsWide ? 14 : 12) : 6,
                                      kIsFast ? (kIsWide ? 12 : 6) : 4,
                                      kIsFast ? (kIsWide ? 8 : 4) : 0, kIsFast&& kIsWide ? 6 : 0};

  // Results of few rows, at most 8 at once.
  static void Stream(i64 rows, i64 depth, const T* a, i64 a_row, i64 a_depth, const T* b,
                     i64 b_depth, T* c, i64 c_row, i64 columns) {
    if constexpr (kStreams) {
      i64 i = 0;
      const auto take = [&]<int kRows>(std::integral_constant<int, kRows>) {
        for (; rows - i >= kRows; i += kRows) {
          StreamRows<T, kRows>(depth, a + i * a_row, a_row, a_depth, b, b_depth, c + i * c_row,
                               c_row, columns);
        }
      };
      take(std::integral_constant<int, 8>());
      take(std::integral_constant<int, 4>());
      take(std::integral_constant<int, 2>());
      take(std::integral_constant<int, 1>());
    }
  }
  // 8-bit integers are computed with 16 bits.
  static int SumBytes(const ProductPlan& plan) {
    return sizeof(T) == 2 ? (plan.store == StoreKind::kSame ? 2 : 1) : static_cast<int>(sizeof(T));
  }
  template <int kRows, int kVectors>
  static void Tile(i64 depth, const void* a, i64 a_row, i64 a_depth, const void* b, i64 b_depth,
                   void* c, i64 c_row, i64 last, SumMode sum_mode) {
    if constexpr (kInPlace) {
      ChainTile<T, Op, FirstLanes, kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row,
                                                    last, sum_mode);
    } else {
      ChainTile<T, Op, AllLanes, kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row,
                                                  last, sum_mode);
    }
  }
  static void TransposePanel(const Source& source, const i64* columns, i64 num_columns, i64 width,
                             i64 depth, i64 count, T* out) {
    if constexpr (kTransposes) {
      TransposeRuns(source, columns, num_columns, width, depth, count, out);
    }
  }
  // n sums as elements of the result, at most kRun.
  static void StoreElements(const ProductPlan& plan, const T* sums, i64 n, void* out) {
    StoreRun(plan, sums, n, out);
  }
  static void StoreRun(const ProductPlan& plan, const T* sums, i64 n, void* out) {
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

// Complex numbers. A vector of sums has its real parts, and another one their imaginary parts.
template <typename T, bool kFlipped, int kRows, int kVectors>
void ComplexTile(i64 depth, const void* a_bytes, i64 a_row, i64 a_depth, const void* b_bytes,
                 i64 b_depth, void* c_bytes, i64 c_row, i64, SumMode sum_mode) {
  constexpr int kLanes = kLanesOf<T>;
  const auto* a = static_cast<const ComplexPair<T>*>(a_bytes);
  const T* __restrict b = static_cast<const T*>(b_bytes);
  T* __restrict c = static_cast<T*>(c_bytes);
  Vector<T> re[kRows][kVectors], im[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const T* x = c + i * c_row + 2 * v * kLanes;
      __builtin_prefetch(x, 1);
      __builtin_prefetch(x + kLanes, 1);
      re[i][v] = sum_mode == SumMode::kContinue ? Load(x) : Vector<T>{};
      im[i][v] = sum_mode == SumMode::kContinue ? Load(x + kLanes) : Vector<T>{};
    }
  }
  for (i64 k = 0; k < depth; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Vector<T> b_re = Load(b + 2 * v * kLanes), b_im = Load(b + (2 * v + 1) * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vector<T> a_re = Broadcast(a[i * a_row].re), a_im = Broadcast(a[i * a_row].im);
        re[i][v] = NegatedMultiplyAdd(a_im, b_im, MultiplyAdd(a_re, b_re, re[i][v]));
        // The left-hand side's real part comes first.
        im[i][v] = kFlipped ? MultiplyAdd(a_re, b_im, MultiplyAdd(a_im, b_re, im[i][v]))
                            : MultiplyAdd(a_im, b_re, MultiplyAdd(a_re, b_im, im[i][v]));
      }
    }
    a += a_depth;
    b += b_depth;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* x = c + i * c_row + 2 * v * kLanes;
      Store(x, sum_mode == SumMode::kAdd ? Load(x) + re[i][v] : re[i][v]);
      Store(x + kLanes, sum_mode == SumMode::kAdd ? Load(x + kLanes) + im[i][v] : im[i][v]);
    }
  }
}

template <typename T, bool kFlipped>
struct ComplexTiles {
  static constexpr int kMaxRows[4] = {kIsWide ? 6 : 4, kIsWide ? 5 : 0, 0, 0};
  template <int kRows, int kVectors>
  static void Tile(i64 depth, const void* a, i64 a_row, i64 a_depth, const void* b, i64 b_depth,
                   void* c, i64 c_row, i64 last, SumMode sum_mode) {
    ComplexTile<T, kFlipped, kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row, last,
                                              sum_mode);
  }
};

template <typename T>
struct ComplexFamily : FamilyBase<ComplexFamily<T>>, ComplexTiles<T, false> {
  using Packed = T;
  using Element = ComplexPair<T>;
  using Sum = T;
  static constexpr i64 kParts = 2;
  static constexpr bool kInPlace = false;
  static constexpr bool kTransposes = false;
  static constexpr bool kAddsParts = true;

  static const TileTable& Tiles(const ProductPlan& plan) {
    if (plan.is_flipped) return sizeof(T) == 4 ? kFlippedC64Tiles : kFlippedC128Tiles;
    return kTileTables[static_cast<int>(plan.family)];
  }
  // Parts side by side.
  static void StoreElements(const ProductPlan& plan, const T* sums, i64 n, void* out) {
    if (plan.store == StoreKind::kSame) {
      __builtin_memcpy(out, sums, static_cast<std::size_t>(2 * n) * sizeof(T));
    } else {
      ConvertSums(plan.sum, plan.result, sums, out, n);
    }
  }
  static void StoreRun(const ProductPlan& plan, const T* sums, i64 n, void* out) {
    constexpr i64 kLanes = kLanesOf<T>;
    T elements[2 * kRun];
    for (i64 j = 0; j < n; ++j) {
      const T* x = sums + j / kLanes * 2 * kLanes + j % kLanes;
      elements[2 * j] = x[0];
      elements[2 * j + 1] = x[kLanes];
    }
    StoreElements(plan, elements, n, out);
  }
};

// Products of 16-bit integers, two at a time: sums of 32 bits, modulo 2^32.
template <int kRows, int kVectors>
void PairTile(i64 depth, const void* a_bytes, i64 a_row, i64, const void* b_bytes, i64 b_depth,
              void* c_bytes, i64 c_row, i64, SumMode sum_mode) {
  using Sums = Vector<std::uint32_t>;
  constexpr int kLanes = kLanesOf<std::uint32_t>;
  const auto* a = static_cast<const std::int16_t*>(a_bytes);
  const auto* b = static_cast<const std::int16_t*>(b_bytes);
  auto* __restrict c = static_cast<std::uint32_t*>(c_bytes);
  Sums acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      acc[i][v] = sum_mode == SumMode::kContinue ? Load(c + i * c_row + v * kLanes) : Sums{};
    }
  }
  for (i64 k = 0; k < depth; k += 2) {
    Sums x[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) __builtin_memcpy(&x[v], b + 2 * v * kLanes, sizeof x[v]);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      std::uint32_t pair;
      __builtin_memcpy(&pair, a + i * a_row + k, sizeof pair);
      const Sums factor = Broadcast(pair);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
#if defined(__AVX512F__)
        acc[i][v] += (Sums)_mm512_madd_epi16((__m512i)factor, (__m512i)x[v]);
#else
        acc[i][v] += (Sums)_mm256_madd_epi16((__m256i)factor, (__m256i)x[v]);
#endif
      }
    }
    b += 2 * b_depth;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Store(c + i * c_row + v * kLanes, acc[i][v]);
  }
}

struct PairFamily : FamilyBase<PairFamily> {
  using Packed = std::int16_t;
  using Element = std::int16_t;
  using Sum = std::uint32_t;
  static constexpr i64 kParts = 1;
  static constexpr i64 kUnit = 2;
  static constexpr bool kInPlace = false;
  static constexpr bool kInterleaves = true;
  static constexpr bool kTransposes = true;
  static constexpr int kMaxRows[4] = {kIsWide ? 12 : 8, kIsWide ? 12 : 5, kIsWide ? 8 : 0, 0};

  template <int kRows, int kVectors>
  static void Tile(i64 depth, const void* a, i64 a_row, i64 a_depth, const void* b, i64 b_depth,
                   void* c, i64 c_row, i64 last, SumMode sum_mode) {
    PairTile<kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row, last, sum_mode);
  }
  // Pairs of adjacent elements are transposed as elements of four bytes.
  static void TransposePanel(const Source& source, const i64* columns, i64 num_columns, i64 width,
                             i64 depth, i64 count, std::int16_t* out) {
    TransposeColumns(
        num_columns, width, CeilDivide(count, 2), reinterpret_cast<std::uint32_t*>(out),
        [&](i64 j, i64 k, i64 n, std::uint32_t* run) {
          const i64 elements = Min(2 * n, count - 2 * k);
          auto* pairs = reinterpret_cast<std::int16_t*>(run);
          source.LoadNeighbours(depth + columns[j] + 2 * k, elements, pairs);
          if (elements < 2 * n) pairs[elements] = 0;
        },
        [](i64) -> const std::uint32_t* { return nullptr; });
  }
  static void StoreElements(const ProductPlan& plan, const std::uint32_t* sums, i64 n, void* out) {
    StoreRun(plan, sums, n, out);
  }
  static void StoreRun(const ProductPlan& plan, const std::uint32_t* sums, i64 n, void* out) {
    ConvertSums(plan.sum, plan.result, sums, out, n);
  }
};

// The tile order (docs/numerics.md): blocks of 32, whose even and odd elements make a chain each,
// then acc = acc + (even + odd).
template <int kRows, int kVectors>
void OrderedTile(i64 depth, const void* a_bytes, i64 a_row, i64 a_depth, const void* b_bytes,
                 i64 b_depth, void* c_bytes, i64 c_row, i64, SumMode sum_mode) {
  constexpr int kLanes = kLanesOf<float>;
  const auto* a = static_cast<const float*>(a_bytes);
  const auto* b = static_cast<const float*>(b_bytes);
  auto* __restrict c = static_cast<float*>(c_bytes);
  if (sum_mode == SumMode::kBegin) {
    for (int i = 0; i < kRows; ++i) {
      for (int v = 0; v < kVectors; ++v) Store(c + i * c_row + v * kLanes, Vector<float>{});
    }
  }
  for (i64 block = 0; block < depth; block += 32) {
    Vector<float> even[kRows][kVectors], odd[kRows][kVectors];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) even[i][v] = odd[i][v] = Vector<float>{};
    }
    for (int k = 0; k < 32; k += 2) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Vector<float> x = Load(b + v * kLanes), y = Load(b + b_depth + v * kLanes);
#pragma GCC unroll 16
        for (int i = 0; i < kRows; ++i) {
          even[i][v] = MultiplyAdd(Broadcast(a[i * a_row]), x, even[i][v]);
          odd[i][v] = MultiplyAdd(Broadcast(a[i * a_row + a_depth]), y, odd[i][v]);
        }
      }
      a += 2 * a_depth;
      b += 2 * b_depth;
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        float* sum = c + i * c_row + v * kLanes;
        Store(sum, Load(sum) + (even[i][v] + odd[i][v]));
      }
    }
  }
}

struct TileFamily : FamilyBase<TileFamily> {
  using Packed = float;
  using Element = float;
  using Sum = float;
  static constexpr i64 kParts = 1;
  static constexpr i64 kUnit = 32;
  static constexpr bool kInPlace = false;
  static constexpr bool kCopiesPanels = true;
  static constexpr bool kTransposes = true;
  static constexpr int kMaxRows[4] = {kIsWide ? 12 : 5, kIsWide ? 6 : 2, 0, 0};

  // The arithmetic of the order is what this processor does with both of its modes for subnormal
  // numbers set: operands count as zeros, and results that would be subnormal after rounding become
  // zeros.
  class Mode {
   public:
    Mode() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
    ~Mode() { _mm_setcsr(before_); }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

   private:
    unsigned before_;
  };

  template <int kRows, int kVectors>
  static void Tile(i64 depth, const void* a, i64 a_row, i64 a_depth, const void* b, i64 b_depth,
                   void* c, i64 c_row, i64 last, SumMode sum_mode) {
    OrderedTile<kRows, kVectors>(depth, a, a_row, a_depth, b, b_depth, c, c_row, last, sum_mode);
  }
  static void TransposePanel(const Source& source, const i64* columns, i64 num_columns, i64 width,
                             i64 depth, i64 count, float* out) {
    TransposeRuns(source, columns, num_columns, width, depth, count, out);
    const i64 padded = RoundUp(count, kUnit);
    for (i64 i = count * width; i < padded * width; ++i) out[i] = 0;
  }
  static void StoreElements(const ProductPlan& plan, const float* sums, i64 n, void* out) {
    StoreRun(plan, sums, n, out);
  }
  static void StoreRun(const ProductPlan& plan, const float* sums, i64 n, void* out) {
    ChainFamily<float, FusedChain>::StoreRun(plan, sums, n, out);
  }
};

}  // namespace axle::AXLE_ISA

// The inner loops, written so that the compiler vectorises them: accumulators of a block (rows are
// a template parameter) stay in registers, the loop over 16 columns becomes vectors. About 70
// GFLOP/s in f32 on a 2023 server core.
//
// - Chain: acc = fma(a, b, acc) in increasing k. ComplexChain: four of them per product.
// - Tile: blocks of 32, even and odd elements in chains of their own, acc += even + odd.
//   TileArithmetic emulates 24-bit arithmetic with an unbounded exponent in double: the product of
//   two f32 is exact, the sum is rounded to odd and then once to f32 (RoundTileSum).
// - CanonicalFold: element k goes to lane k mod L, lanes join pairwise, chunks by a binary tree.
// - ChainRow: one row against an unpacked operand, four steps of k at a time in pieces of 1,024
//   columns that stay in the cache.

#include "axle/ops/contraction_kernels.h"

#include <bit>
#include <type_traits>

#include "axle/core/narrow_types.h"
#include "axle/ops/canonical_sum.h"

namespace axle {
namespace {

constexpr i64 kColumns = kPanelColumns;

// One chain step. __builtin_fma is one rounding on every machine; on pred, or and and take the
// places of sum and product. Integers below 32 bits are multiplied as u32, so that promotion to int
// cannot overflow.
template <typename T>
T MultiplyAdd(T a, T b, T c) {
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_fmaf(a, b, c);
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_fma(a, b, c);
  } else if constexpr (std::is_same_v<T, bool>) {
    return (a & b) | c;
  } else if constexpr (sizeof(T) < 4) {
    return static_cast<T>(std::uint32_t{a} * b + c);
  } else {
    return a * b + c;
  }
}

// Calls fn with the number of rows as a constant, so that a block's accumulators are registers.
// A block may have fewer than 4 rows at the end of a matrix.
template <typename Fn>
void DispatchRows(i64 num_rows, Fn&& fn) {
  switch (num_rows) {
    case 1:
      return fn(std::integral_constant<i64, 1>());
    case 2:
      return fn(std::integral_constant<i64, 2>());
    case 3:
      return fn(std::integral_constant<i64, 3>());
    default:
      return fn(std::integral_constant<i64, kBlockRows>());
  }
}

// The sums of a block stay in registers over the whole loop on k: 4 rows of 16 columns.
template <typename T, i64 kRows>
void ChainBlock(const void* const* rows, const T* __restrict panel, i64 count, T* __restrict out) {
  const T* a[kRows];
  T acc[kRows][kColumns];
#pragma GCC unroll 4
  for (i64 i = 0; i < kRows; ++i) {
    a[i] = static_cast<const T*>(rows[i]);
    for (i64 j = 0; j < kColumns; ++j) acc[i][j] = out[i * kColumns + j];
  }
  for (i64 k = 0; k < count; ++k) {
    const T* b = panel + k * kColumns;
#pragma GCC unroll 4
    for (i64 i = 0; i < kRows; ++i) {
      const T factor = a[i][k];
      for (i64 j = 0; j < kColumns; ++j) acc[i][j] = MultiplyAdd(factor, b[j], acc[i][j]);
    }
  }
#pragma GCC unroll 4
  for (i64 i = 0; i < kRows; ++i) {
    for (i64 j = 0; j < kColumns; ++j) out[i * kColumns + j] = acc[i][j];
  }
}

template <typename T>
void Chain(const void* const* rows, i64 num_rows, const void* panel, i64 count, void* acc) {
  DispatchRows(num_rows, [&](auto n) {
    ChainBlock<T, n()>(rows, static_cast<const T*>(panel), count, static_cast<T*>(acc));
  });
}

// Four products are chained per load and store of a sum, which the loop over columns would
// otherwise spend its time on.
template <typename T>
void ChainRow(const void* a_bytes, const void* b_bytes, const i64* k_offsets, i64 count,
              i64 num_columns, void* out_bytes) {
  constexpr i64 kPiece = 1024;
  const T* a = static_cast<const T*>(a_bytes);
  const T* b = static_cast<const T*>(b_bytes);
  for (i64 begin = 0; begin < num_columns; begin += kPiece) {
    const i64 n = std::min(kPiece, num_columns - begin);
    T* __restrict out = static_cast<T*>(out_bytes) + begin;
    i64 k = 0;
    for (; k + 4 <= count; k += 4) {
      const T *b0 = b + k_offsets[k] + begin, *b1 = b + k_offsets[k + 1] + begin;
      const T *b2 = b + k_offsets[k + 2] + begin, *b3 = b + k_offsets[k + 3] + begin;
      const T a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
      for (i64 j = 0; j < n; ++j) {
        const T half = MultiplyAdd(a1, b1[j], MultiplyAdd(a0, b0[j], out[j]));
        out[j] = MultiplyAdd(a3, b3[j], MultiplyAdd(a2, b2[j], half));
      }
    }
    for (; k < count; ++k) {
      const T* b0 = b + k_offsets[k] + begin;
      for (i64 j = 0; j < n; ++j) out[j] = MultiplyAdd(a[k], b0[j], out[j]);
    }
  }
}

// kFlipped: rows are the right-hand side, so the two products of an imaginary part are swapped.
// Real and imaginary parts of a panel lie apart, so that both loops read contiguous memory.
template <typename T, bool kFlipped>
void ComplexChain(const void* const* rows, i64 num_rows, const void* panel_bytes, i64 count,
                  void* acc_bytes) {
  for (i64 i = 0; i < num_rows; ++i) {
    const T* __restrict a = static_cast<const T*>(rows[i]);
    const T* __restrict panel = static_cast<const T*>(panel_bytes);
    T* __restrict re = static_cast<T*>(acc_bytes) + i * 2 * kColumns;
    T* __restrict im = re + kColumns;
    for (i64 k = 0; k < count; ++k) {
      const T a_re = a[2 * k], a_im = a[2 * k + 1];
      const T* b_re = panel + k * 2 * kColumns;
      const T* b_im = b_re + kColumns;
      for (i64 j = 0; j < kColumns; ++j) {
        re[j] = MultiplyAdd(-a_im, b_im[j], MultiplyAdd(a_re, b_re[j], re[j]));
        im[j] = kFlipped ? MultiplyAdd(a_re, b_im[j], MultiplyAdd(a_im, b_re[j], im[j]))
                         : MultiplyAdd(a_im, b_re[j], MultiplyAdd(a_re, b_im[j], im[j]));
      }
    }
  }
}

struct PlainArithmetic {
  static float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static float Add(float a, float c) { return a + c; }
  static double Add(double a, double c) { return a + c; }
};
// The slow but exact arithmetic of matrix units: no subnormals, 24 bits, one rounding per
// operation.
struct TileArithmetic {
  static float Fma(float a, float b, float c) { return TileFma(a, b, c); }
  static float Add(float a, float c) { return TileAdd(a, c); }
};

// Each block of 32 elements has an even and an odd chain, which are joined with the sum so far;
// `count` is a multiple of 32, padded with zeros.
template <typename Arithmetic>
void Tile(const void* const* rows, i64 num_rows, const void* panel_bytes, i64 count,
          void* acc_bytes) {
  for (i64 i = 0; i < num_rows; ++i) {
    const float* __restrict a = static_cast<const float*>(rows[i]);
    const float* __restrict panel = static_cast<const float*>(panel_bytes);
    float* __restrict acc = static_cast<float*>(acc_bytes) + i * kColumns;
    for (i64 block = 0; block < count; block += kTileDepth) {
      float even[kColumns] = {}, odd[kColumns] = {};
      for (i64 k = block; k < block + kTileDepth; k += 2) {
        const float* b = panel + k * kColumns;
        for (i64 j = 0; j < kColumns; ++j) {
          even[j] = Arithmetic::Fma(a[k], b[j], even[j]);
          odd[j] = Arithmetic::Fma(a[k + 1], b[kColumns + j], odd[j]);
        }
      }
      for (i64 j = 0; j < kColumns; ++j) {
        acc[j] = Arithmetic::Add(acc[j], Arithmetic::Add(even[j], odd[j]));
      }
    }
  }
}

// The nearest f32 of x + y with 24 bits and an unbounded exponent; below 2^-126 a zero.
float RoundTileSum(double x, double y) {
  // The sum rounded to odd has two bits to spare for the one rounding that counts (Boldo and
  // Melquiond, "Emulation of FMA and correctly rounded sums", 2008). Nothing here over- or
  // underflows in double.
  double sum = x + y;
  if (!(__builtin_fabs(sum) <= 0x1p1000)) return static_cast<float>(sum);  // infinite or NaN
  // The error term of the two-sum algorithm: sum + error == x + y exactly.
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) {
    // Towards the error: away from zero if it has the sign of the sum.
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    sum = std::bit_cast<double>(bits);
  }
  // The scaled sum rounds to 24 bits as if the exponent were unbounded: what rounds below 2^-126 is
  // a zero.
  const float scaled = static_cast<float>(sum * 0x1p64);
  if (__builtin_fabsf(scaled) < 0x1p-62f) return __builtin_copysignf(0.0f, static_cast<float>(sum));
  return static_cast<float>(sum);
}

float WithoutSubnormals(float x) {
  return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
}

template <typename T, typename Arithmetic>
void JoinSums(const void* from_bytes, void* to_bytes, i64 n) {
  const T* __restrict from = static_cast<const T*>(from_bytes);
  T* __restrict to = static_cast<T*>(to_bytes);
  for (i64 i = 0; i < n; ++i) to[i] = Arithmetic::Add(from[i], to[i]);
}

// Used for the lanes and for the tree over chunks.
template <typename T>
void AddInto(T* acc, const T* x, i64 n) {
  for (i64 j = 0; j < n; ++j) acc[j] += x[j];
}

// a and b have `kParts` parts per element; multiply(k, lane) takes element k into a lane.
template <typename T, i64 kParts, typename Multiply>
void CanonicalFold(i64 count, i64 lanes, T* result, const Multiply& multiply) {
  constexpr i64 kMaxLanes = 64;
  const auto join = AddInto<T>;
  ChunkTree<T, void (*)(T*, const T*, i64)> tree(kParts, join);
  for (i64 p = 0; p < kParts; ++p) result[p] = 0;
  for (i64 begin = 0; begin < count; begin += kSumChunk) {
    const i64 end = std::min(count, begin + kSumChunk);
    T acc[kMaxLanes * kParts];
    // Lanes begin at -0, which is the exact identity of addition.
    for (i64 j = 0; j < lanes * kParts; ++j) acc[j] = static_cast<T>(-0.0);
    i64 k = begin;
    // Whole rounds over all lanes, then the rest of the chunk in the first lanes.
    for (; k + lanes <= end; k += lanes) multiply(k, lanes, acc);
    if (k < end) multiply(k, end - k, acc);
    JoinLanes(acc, lanes, lanes, kParts, join);
    if (count <= kSumChunk) return join(result, acc, kParts);
    tree.Add(acc);
  }
  if (count > 0) join(result, tree.Finish(), kParts);
}

template <typename T>
T CanonicalReal(const T* __restrict a, const T* __restrict b, i64 count, i64 lanes) {
  T result;
  CanonicalFold<T, 1>(count, lanes, &result, [=](i64 k, i64 n, T* __restrict acc) {
    for (i64 j = 0; j < n; ++j) acc[j] = MultiplyAdd(a[k + j], b[k + j], acc[j]);
  });
  return result;
}

template <typename T>
void CanonicalComplex(const T* a, const T* b, i64 count, i64 lanes, T* result) {
  CanonicalFold<T, 2>(count, lanes, result, [=](i64 k, i64 n, T* acc) {
    for (i64 j = 0; j < n; ++j) {
      const T* x = a + 2 * (k + j);
      const T* y = b + 2 * (k + j);
      T* z = acc + 2 * j;
      z[0] = MultiplyAdd(-x[1], y[1], MultiplyAdd(x[0], y[0], z[0]));
      z[1] = MultiplyAdd(x[1], y[0], MultiplyAdd(x[0], y[1], z[1]));
    }
  });
}

}  // namespace

float TileFma(float a, float b, float c) {
  // The product of two 24-bit numbers is exact in double.
  return RoundTileSum(static_cast<double>(WithoutSubnormals(a)) * WithoutSubnormals(b),
                      WithoutSubnormals(c));
}

float TileAdd(float a, float c) {
  return RoundTileSum(WithoutSubnormals(a), WithoutSubnormals(c));
}

// The loops by type. Integers use unsigned types of their size, on which overflow is defined.
AccumulateFn FindAccumulate(ElementType type, ProductOrder order) {
  const bool is_flipped = order == ProductOrder::kFlippedChain;
  if (order == ProductOrder::kTile) return &Tile<PlainArithmetic>;
  if (order == ProductOrder::kTileExact) return &Tile<TileArithmetic>;
  if (type == C64) return is_flipped ? &ComplexChain<float, true> : &ComplexChain<float, false>;
  if (type == C128) return is_flipped ? &ComplexChain<double, true> : &ComplexChain<double, false>;
  if (type == F32) return &Chain<float>;
  if (type == F64) return &Chain<double>;
  if (type == PRED) return &Chain<bool>;
  switch (Info(type).bytes) {
    case 1:
      return &Chain<std::uint8_t>;
    case 2:
      return &Chain<std::uint16_t>;
    case 4:
      return &Chain<std::uint32_t>;
    default:
      return &Chain<std::uint64_t>;
  }
}

// Integers need a kernel per width only, since sums and products modulo 2^N are the same for both
// signs. The tile orders and complex numbers have no kernel of rows.
AccumulateRowFn FindAccumulateRow(ElementType type, ProductOrder order) {
  if (order == ProductOrder::kTile || order == ProductOrder::kTileExact) return nullptr;
  if (IsComplex(type)) return nullptr;
  if (type == F32) return &ChainRow<float>;
  if (type == F64) return &ChainRow<double>;
  if (type == PRED) return &ChainRow<bool>;
  switch (Info(type).bytes) {
    case 1:
      return &ChainRow<std::uint8_t>;
    case 2:
      return &ChainRow<std::uint16_t>;
    case 4:
      return &ChainRow<std::uint32_t>;
    default:
      return &ChainRow<std::uint64_t>;
  }
}

// Integers and pred have no join: their sums continue, as the order does not matter to them.
JoinFn FindJoin(ElementType type, ProductOrder order) {
  if (order == ProductOrder::kTileExact) return &JoinSums<float, TileArithmetic>;
  if (type == F32 || type == C64) return &JoinSums<float, PlainArithmetic>;
  if (type == F64 || type == C128) return &JoinSums<double, PlainArithmetic>;
  return nullptr;
}

float CanonicalProduct(const float* a, const float* b, i64 count, i64 lanes) {
  return CanonicalReal(a, b, count, lanes);
}
double CanonicalProduct(const double* a, const double* b, i64 count, i64 lanes) {
  return CanonicalReal(a, b, count, lanes);
}
void CanonicalComplexProduct(const float* a, const float* b, i64 count, i64 lanes, float* result) {
  CanonicalComplex(a, b, count, lanes, result);
}
void CanonicalComplexProduct(const double* a, const double* b, i64 count, i64 lanes,
                             double* result) {
  CanonicalComplex(a, b, count, lanes, result);
}

namespace {

// bf16 is the upper half of f32. Both conversions are loops without branches, which become vectors.
void WidenBf16(const std::uint16_t* x, float* target, i64 n) {
  for (i64 i = 0; i < n; ++i) target[i] = std::bit_cast<float>(std::uint32_t{x[i]} << 16);
}
void RoundToBf16(const float* source, std::uint16_t* target, i64 n) {
  for (i64 i = 0; i < n; ++i) {
    const auto x = std::bit_cast<std::uint32_t>(source[i]);
    const std::uint32_t rounded = (x + 0x7fff + (x >> 16 & 1)) >> 16;
    const std::uint32_t nan = (x >> 16 & 0x8000) | 0x7fc0;
    target[i] = static_cast<std::uint16_t>((x & 0x7fffffff) > 0x7f800000 ? nan : rounded);
  }
}

}  // namespace

void WidenElements(ElementType from, const void* source, float* target, i64 n) {
  if (from == BF16) return WidenBf16(static_cast<const std::uint16_t*>(source), target, n);
  DispatchElementType(from, [&]<ElementType kType>() {
    if constexpr (IsNarrowFloat(kType)) {
      const auto* x = static_cast<const StorageOf<kType>*>(source);
      for (i64 i = 0; i < n; ++i) target[i] = static_cast<float>(x[i]);
    }
  });
}

// All other narrow formats convert element by element.
void RoundElements(const float* source, ElementType to, void* target, i64 n) {
  if (to == BF16) return RoundToBf16(source, static_cast<std::uint16_t*>(target), n);
  DispatchElementType(to, [&]<ElementType kType>() {
    if constexpr (IsNarrowFloat(kType)) {
      auto* x = static_cast<StorageOf<kType>*>(target);
      for (i64 i = 0; i < n; ++i) x[i] = StorageOf<kType>(source[i]);
    }
  });
}

}  // namespace axle

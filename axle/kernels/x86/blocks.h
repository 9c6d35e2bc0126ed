// Packing of operands into blocks, and storing of sums: the code that knows element types and
// strides.
//
// PackPanel makes a panel [k][columns] as wide as a register tile, so that the kernel reads it
// along memory. Columns that are adjacent are copied; columns whose contracted elements are
// adjacent are transposed a square of vectors at a time; everything else is gathered. PackRows
// makes a block of rows, each padded so that rows of a power of two do not share cache sets.
// Elements are converted on the way (LoadRun). Zeros fill the columns past the last and the steps
// up to the family's unit.
#pragma once
#include "axle/core/element_type.h"
#include "axle/kernels/contraction_plan.h"
#include "axle/kernels/conversions.h"
#include "axle/kernels/x86/tiles.h"

namespace axle::AXLE_ISA {

// An element of a complex operand, as it is in memory.
template <typename T>
struct ComplexPair {
  T re, im;
};
template <typename T>
constexpr bool kIsPair = false;
template <typename T>
constexpr bool kIsPair<ComplexPair<T>> = true;

inline constexpr i64 kRun = 64;  // elements gathered or converted at once
// An offset that stands for a zero that is not in memory; far from any true offset, so it is never
// taken for an adjacent one.
inline constexpr i64 kNowhere = -(i64{1} << 62);

// offsets[i] = the offset of element begin + i of the role, for the array of `stride`.
[[gnu::noinline]] inline void FillOffsets(const RoleDims& dims, i64 RoleDim::*stride, i64 begin,
                                          i64 n, i64* offsets) {
  if (n == 0) return;
  if (dims.count <= 1) {
    const i64 step = dims.count == 0 ? 0 : dims.dims[0].*stride;
    for (i64 i = 0; i < n; ++i) offsets[i] = (begin + i) * step;
    return;
  }
  i64 index[kMaxRoleDims], offset = 0, rest = begin;
  for (int d = dims.count; d-- > 0;) {
    index[d] = rest % dims.dims[d].size;
    rest /= dims.dims[d].size;
    offset += index[d] * (dims.dims[d].*stride);
  }
  for (i64 i = 0; i < n; ++i) {
    offsets[i] = offset;
    for (int d = dims.count; d-- > 0;) {
      offset += dims.dims[d].*stride;
      if (++index[d] < dims.dims[d].size) break;
      offset -= dims.dims[d].size * (dims.dims[d].*stride);
      index[d] = 0;
    }
  }
}
inline i64 OffsetOf(const RoleDims& dims, i64 RoleDim::*stride, i64 i) {
  if (dims.count == 0) return 0;
  if (dims.count == 1) return i * (dims.dims[0].*stride);
  i64 offset = 0;
  FillOffsets(dims, stride, i, 1, &offset);
  return offset;
}

// Whether these elements are adjacent.
[[gnu::noinline]] inline bool AreNeighbours(const i64* offsets, i64 n) {
  for (i64 i = 1; i < n; ++i) {
    if (offsets[i] != offsets[0] + i) return false;
  }
  return true;
}

template <typename Wide, typename Narrow>
inline void WidenRun(const void* source, Wide* out, i64 n) {
  const Narrow* x = static_cast<const Narrow*>(source);
  for (i64 i = 0; i < n; ++i) out[i] = static_cast<Wide>(x[i]);
}

inline void WidenBF16(const std::uint16_t* x, float* out, i64 n) {
  i64 i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
    _mm512_storeu_si512(out + i, _mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
#else
  for (; i + 8 <= n; i += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
#endif
  for (; i < n; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(x[i]) << 16;
    __builtin_memcpy(out + i, &bits, 4);
  }
}
inline void WidenF16(const std::uint16_t* x, float* out, i64 n) {
  i64 i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(bits));
  }
  for (; i < n; ++i) out[i] = _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(x[i])));
}

// The first and the last `kBytes`, which overlap: all of kBytes .. 2 * kBytes.
template <int kBytes>
[[gnu::always_inline]] inline void CopyEnds(const unsigned char* x, i64 bytes, unsigned char* y) {
  unsigned char first[kBytes], last[kBytes];
  __builtin_memcpy(first, x, kBytes);
  __builtin_memcpy(last, x + bytes - kBytes, kBytes);
  __builtin_memcpy(y, first, kBytes);
  __builtin_memcpy(y + bytes - kBytes, last, kBytes);
}

// Runs are short, so a call of memcpy would cost more.
[[gnu::noinline]] inline void CopyBytes(const void* source, i64 bytes, void* out) {
  const auto* x = static_cast<const unsigned char*>(source);
  auto* y = static_cast<unsigned char*>(out);
  if (bytes >= 32) {
    for (i64 i = 0; i + 32 < bytes; i += 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i),
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i)));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + bytes - 32),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + bytes - 32)));
  } else if (bytes >= 16) {
    CopyEnds<16>(x, bytes, y);
  } else if (bytes >= 8) {
    CopyEnds<8>(x, bytes, y);
  } else if (bytes >= 4) {
    CopyEnds<4>(x, bytes, y);
  } else {
    for (i64 i = 0; i < bytes; ++i) y[i] = x[i];
  }
}

// Through core/convert.h; T has the size of the type of sums, or is wider.
template <typename T>
[[gnu::noinline]] void ConvertRun(const OperandPlan& operand, ElementType sum, int sum_bytes,
                                  const void* source, T* out, i64 n) {
  alignas(64) unsigned char buffer[kRun * 16];
  for (i64 begin = 0; begin < n; begin += kRun) {
    const i64 count = Min(kRun, n - begin);
    const void* x = static_cast<const unsigned char*>(source) + begin * operand.bytes;
    if (sum_bytes == static_cast<int>(sizeof(T))) {
      ConvertFactors(operand.type, operand.factor, sum, x, out + begin, count);
      continue;
    }
    ConvertFactors(operand.type, operand.factor, sum, x, buffer, count);
    if constexpr (!kIsPair<T>) {
      WidenRun<T, std::uint8_t>(buffer, out + begin, count);
    }
  }
}

// Loads n adjacent elements, converted to the type in which they are multiplied.
template <typename T>
[[gnu::noinline]] inline void LoadRun(const OperandPlan& operand, ElementType sum, int sum_bytes,
                                      const void* source, T* out, i64 n) {
  switch (operand.load) {
    case LoadKind::kSame:
      CopyBytes(source, n * static_cast<i64>(sizeof(T)), out);
      return;
    case LoadKind::kBF16:
      if constexpr (__is_same(T, float))
        WidenBF16(static_cast<const std::uint16_t*>(source), out, n);
      return;
    case LoadKind::kF16:
      if constexpr (__is_same(T, float))
        WidenF16(static_cast<const std::uint16_t*>(source), out, n);
      return;
    case LoadKind::kS8:
      if constexpr (!kIsPair<T>) WidenRun<T, std::int8_t>(source, out, n);
      return;
    case LoadKind::kU8:
      if constexpr (!kIsPair<T>) WidenRun<T, std::uint8_t>(source, out, n);
      return;
    case LoadKind::kS16:
      if constexpr (!kIsPair<T>) WidenRun<T, std::int16_t>(source, out, n);
      return;
    case LoadKind::kU16:
      if constexpr (!kIsPair<T>) WidenRun<T, std::uint16_t>(source, out, n);
      return;
    case LoadKind::kConvert:
      ConvertRun(operand, sum, sum_bytes, source, out, n);
      return;
  }
}

template <typename T>
inline void GatherElements(const void* source, const i64* offsets, i64 n, void* out) {
  const T* x = static_cast<const T*>(source);
  T* y = static_cast<T*>(out);
  for (i64 i = 0; i < n; ++i) y[i] = x[offsets[i]];
}
struct SixteenBytes {
  std::uint64_t low, high;
};

// The elements of one operand, from a base.
class Source {
 public:
  Source(const OperandPlan& operand, ElementType sum, int sum_bytes, void* const* buffers)
      : operand_(operand),
        sum_(sum),
        sum_bytes_(sum_bytes),
        base_(static_cast<const unsigned char*>(buffers[operand.buffer])) {}

  bool is_same() const { return operand_.load == LoadKind::kSame; }
  const void* At(i64 offset) const { return base_ + offset * operand_.bytes; }
  void MoveTo(void* const* buffers, i64 offset) {
    base_ = static_cast<const unsigned char*>(buffers[operand_.buffer]) + offset * operand_.bytes;
  }

  // out[i] = the element at `offset` + i.
  template <typename T>
  void LoadNeighbours(i64 offset, i64 n, T* out) const {
    LoadRun(operand_, sum_, sum_bytes_, At(offset), out, n);
  }
  // out[i] = the element at `offset` + offsets[i].
  template <typename T>
  [[gnu::noinline]] void Gather(i64 offset, const i64* offsets, i64 n, T* out) const {
    alignas(64) unsigned char raw[kRun * 16];
    for (i64 begin = 0; begin < n; begin += kRun) {
      const i64 count = Min(kRun, n - begin);
      GatherRaw(At(offset), offsets + begin, count, raw);
      LoadRun(operand_, sum_, sum_bytes_, raw, out + begin, count);
    }
  }

 private:
  [[gnu::noinline]] void GatherRaw(const void* source, const i64* offsets, i64 n, void* raw) const {
    switch (operand_.bytes) {
      case 1:
        return GatherElements<std::uint8_t>(source, offsets, n, raw);
      case 2:
        return GatherElements<std::uint16_t>(source, offsets, n, raw);
      case 4:
        return GatherElements<std::uint32_t>(source, offsets, n, raw);
      case 8:
        return GatherElements<std::uint64_t>(source, offsets, n, raw);
      default:
        return GatherElements<SixteenBytes>(source, offsets, n, raw);
    }
  }

  const OperandPlan& operand_;
  ElementType sum_;
  int sum_bytes_;
  const unsigned char* base_;
};

// Exchanges the blocks of kDistance elements beside the diagonals of a square of vectors.
template <typename T, int kDistance, int... kIndex>
[[gnu::always_inline]] inline void ExchangeBlocks(Vector<T>* rows,
                                                  std::integer_sequence<int, kIndex...>) {
  constexpr int kLanes = kLanesOf<T>;
#pragma GCC unroll 16
  for (int p = 0; p < kLanes; ++p) {
    if ((p & kDistance) != 0) continue;
    const Vector<T> low = rows[p], high = rows[p + kDistance];
    rows[p] = __builtin_shufflevector(
        low, high, ((kIndex & kDistance) != 0 ? kLanes + kIndex - kDistance : kIndex)...);
    rows[p + kDistance] = __builtin_shufflevector(
        low, high, ((kIndex & kDistance) != 0 ? kLanes + kIndex : kIndex + kDistance)...);
  }
}

// out[j * out_stride + i] = row(i)[j], a vector's lanes each way.
template <typename T, typename RowFn>
inline void TransposeSquare(const RowFn& row, T* out, i64 out_stride) {
  constexpr int kLanes = kLanesOf<T>;
  constexpr auto kAll = std::make_integer_sequence<int, kLanes>();
  Vector<T> rows[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) rows[i] = Load(row(i));
  if constexpr (kLanes == 16) ExchangeBlocks<T, 8>(rows, kAll);
  if constexpr (kLanes >= 8) ExchangeBlocks<T, 4>(rows, kAll);
  ExchangeBlocks<T, 2>(rows, kAll);
  ExchangeBlocks<T, 1>(rows, kAll);
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) Store(out + i * out_stride, rows[i]);
}

// Transposes columns whose contracted elements are adjacent, a square at a time: out[k * width + j]
// = the element of column j at k, zero for the columns past the last. T has 4 or 8 bytes; load(j,
// k, n, run) loads n elements, and in_place(j) is the address of column j if it is stored as T.
template <typename T, typename LoadFn, typename InPlaceFn>
[[gnu::noinline]] inline void TransposeColumns(i64 columns, i64 width, i64 count, T* out,
                                               const LoadFn& load, const InPlaceFn& in_place) {
  constexpr i64 kLanes = kLanesOf<T>;
  alignas(64) T square[kLanes * kLanes];
  for (i64 j = 0; j < width; j += kLanes) {
    const i64 filled = Min(kLanes, Max(0, columns - j));
    i64 begin = 0;
    if (filled == kLanes && in_place(j) != nullptr) {
      for (; begin + kLanes <= count; begin += kLanes) {
        TransposeSquare<T>([&](i64 i) { return in_place(j + i) + begin; }, out + begin * width + j,
                           width);
      }
    }
    for (i64 i = filled * kLanes; i < kLanes * kLanes; ++i) square[i] = 0;
    for (i64 k = begin; k < count; k += kLanes) {
      const i64 n = Min(kLanes, count - k);
      for (i64 i = 0; i < filled; ++i) load(j + i, k, n, square + i * kLanes);
      if (n == kLanes) {
        TransposeSquare<T>([&](i64 i) { return square + i * kLanes; }, out + k * width + j, width);
        continue;
      }
      for (i64 q = 0; q < n; ++q) {
        for (i64 i = 0; i < kLanes; ++i) out[(k + q) * width + j + i] = square[i * kLanes + q];
      }
    }
  }
}

// A panel of columns: out[k][width], `count` contracted elements (some may be kNowhere), zeros in
// the columns past the last and in the steps that fill up the family's unit.
template <typename Family>
[[gnu::noinline]] inline void PackPanel(const Source& source, const i64* columns, i64 num_columns,
                                        i64 width, const i64* depth, i64 count,
                                        typename Family::Packed* out) {
  using Packed = typename Family::Packed;
  using Element = typename Family::Element;
  const bool side_by_side = AreNeighbours(columns, num_columns);
  if constexpr (Family::kTransposes) {
    if (!(side_by_side && num_columns > 1) && count > 1 && AreNeighbours(depth, count)) {
      Family::TransposePanel(source, columns, num_columns, width, depth[0], count, out);
      return;
    }
  }
  const i64 row = width * Family::kParts;
  constexpr i64 kMaxWidth = TileTable::kMaxVectors * kVectorBytes;
  alignas(64) Element run[kMaxWidth];
  const auto load = [&](i64 k, Element* elements) {
    if (depth[k] < 0) {
      for (i64 j = 0; j < num_columns; ++j) elements[j] = Element();
    } else if (side_by_side) {
      source.LoadNeighbours(depth[k] + columns[0], num_columns, elements);
    } else {
      source.Gather(depth[k], columns, num_columns, elements);
    }
  };
  const i64 padded = RoundUp(count, Family::kUnit);
  if constexpr (Family::kInterleaves) {
    alignas(64) Element second[kMaxWidth];
    for (i64 k = 0; k < padded; k += 2) {
      load(k, run);
      if (k + 1 < count) load(k + 1, second);
      for (i64 j = 0; j < width; ++j) {
        out[k * width + 2 * j] = j < num_columns ? run[j] : 0;
        out[k * width + 2 * j + 1] = j < num_columns && k + 1 < count ? second[j] : 0;
      }
    }
  } else if constexpr (Family::kParts == 2) {
    for (i64 k = 0; k < count; ++k, out += row) {
      load(k, run);
      constexpr i64 kLanes = kLanesOf<Packed>;
      for (i64 j = 0; j < width; ++j) {
        Packed* at = out + j / kLanes * 2 * kLanes + j % kLanes;
        at[0] = j < num_columns ? run[j].re : 0;
        at[kLanes] = j < num_columns ? run[j].im : 0;
      }
    }
  } else {
    for (i64 k = 0; k < count; ++k, out += row) {
      load(k, out);
      for (i64 j = num_columns; j < width; ++j) out[j] = 0;
    }
    for (i64 j = 0; j < (padded - count) * row; ++j) out[j] = 0;
  }
}

// Copies adjacent columns, from `offset`, into consecutive panels, reading along memory. T is both
// the packed factor and the element; steps that fill up the family's unit become zeros.
template <typename T>
[[gnu::noinline]] inline void CopyPanels(const Source& source, i64 offset, i64 columns, i64 panel,
                                         const i64* depth, i64 count, i64 padded, T* panels) {
  constexpr i64 kLanes = kLanesOf<T>;
  for (i64 k = 0; k < padded; ++k) {
    const bool is_there = k < count && depth[k] >= 0;
    T* out = panels;
    for (i64 j = 0; j < columns; j += panel) {
      const i64 width = Min(panel, columns - j), lanes = RoundUp(width, kLanes);
      T* row = out + k * lanes;
      out += padded * lanes;
      if (!is_there) {
        for (i64 v = 0; v < lanes; v += kLanes) Store(row + v, Vector<T>{});
      } else if (source.is_same() && width == lanes) {
        const auto* x = static_cast<const T*>(source.At(offset + depth[k])) + j;
        for (i64 v = 0; v < lanes; v += kLanes) Store(row + v, Load(x + v));
      } else {
        source.LoadNeighbours(offset + depth[k] + j, width, row);
        for (i64 v = width; v < lanes; ++v) row[v] = T();
      }
    }
  }
}

// Row factors, in place or packed.
struct RowBlock {
  const void* data;
  i64 row_step, depth_step;  // in elements
};

// A block of rows: the contracted elements of each row are adjacent, or the rows are if they are
// adjacent in memory and contracted elements are not.
template <typename Family>
[[gnu::noinline]] inline RowBlock PackRows(const Source& source, const i64* rows, i64 num_rows,
                                           const i64* depth, i64 count,
                                           typename Family::Packed* block) {
  using Element = typename Family::Element;
  auto* out = reinterpret_cast<Element*>(block);
  const i64 padded = RoundUp(count, Family::kUnit);
  const bool in_order = AreNeighbours(depth, count);
  if constexpr (!Family::kInterleaves) {
    if (!in_order && num_rows > 1 && AreNeighbours(rows, num_rows)) {
      for (i64 k = 0; k < count; ++k) {
        source.LoadNeighbours(depth[k] + rows[0], num_rows, out + k * num_rows);
      }
      for (i64 i = count * num_rows; i < padded * num_rows; ++i) out[i] = Element();
      return {block, 1, num_rows};
    }
  }
  // The padding keeps rows of a power of two from sharing lines of the cache.
  const i64 row_step = RoundUp(padded, 16) + 16;
  for (i64 i = 0; i < num_rows; ++i, out += row_step) {
    if (in_order && count > 0) {
      source.LoadNeighbours(depth[0] + rows[i], count, out);
    } else {
      source.Gather(rows[i], depth, count, out);
    }
    for (i64 k = count; k < padded; ++k) out[k] = Element();
  }
  return {block, row_step, 1};
}

template <typename T>
inline void ScatterAs(const void* source, i64 n, const i64* offsets, void* target) {
  const T* x = static_cast<const T*>(source);
  T* y = static_cast<T*>(target);
  for (i64 i = 0; i < n; ++i) y[offsets[i]] = x[i];
}
[[gnu::noinline]] inline void ScatterElements(const void* source, i64 n, const i64* offsets,
                                              int bytes, void* target) {
  switch (bytes) {
    case 1:
      return ScatterAs<std::uint8_t>(source, n, offsets, target);
    case 2:
      return ScatterAs<std::uint16_t>(source, n, offsets, target);
    case 4:
      return ScatterAs<std::uint32_t>(source, n, offsets, target);
    case 8:
      return ScatterAs<std::uint64_t>(source, n, offsets, target);
    default:
      return ScatterAs<SixteenBytes>(source, n, offsets, target);
  }
}

// f32 to bf16, the nearest, as core/float_format.h does it.
[[gnu::noinline]] inline void RoundToBF16(const float* x, std::uint16_t* out, i64 n) {
  i64 i = 0;
  using Bits = Vector<std::uint32_t>;
  constexpr i64 kLanes = kLanesOf<float>;
  for (; i + kLanes <= n; i += kLanes) {
    const Bits bits = (Bits)Load(x + i);
    const Bits truncated = bits >> 16;
    const Bits rounded = (bits + 0x7fff + (truncated & 1)) >> 16;
    const Bits is_nan = (Bits)((bits & 0x7fffffff) > 0x7f800000);
    const Bits result = (is_nan & (truncated | 0x40)) | (~is_nan & rounded);
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm512_cvtepi32_epi16((__m512i)result));
#else
    const __m256i packed = _mm256_packus_epi32((__m256i)result, (__m256i)result);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
#endif
  }
  for (; i < n; ++i) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, x + i, 4);
    const std::uint32_t truncated = bits >> 16;
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    out[i] = static_cast<std::uint16_t>(is_nan ? truncated | 0x40
                                               : (bits + 0x7fff + (truncated & 1)) >> 16);
  }
}
[[gnu::noinline]] inline void RoundToF16(const float* x, std::uint16_t* out, i64 n) {
  i64 i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < n; ++i) {
    const __m128i bits = _mm_cvtps_ph(_mm_set_ss(x[i]), _MM_FROUND_TO_NEAREST_INT);
    out[i] = static_cast<std::uint16_t>(_mm_cvtsi128_si32(bits));
  }
}

}  // namespace axle::AXLE_ISA

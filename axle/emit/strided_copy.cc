// Copies a strided box. A box of one row is a memcpy, a fill or a loop; more dimensions are loops
// around the last one or two. What repeats itself is copied once, and then from where it was
// written.
//
// The case that needs care is a transposed matrix: neighbours on one side lie a row apart on the
// other, so a plain loop touches a new cache line for every element. CopyCrossed therefore goes by
// blocks of 64 x 64 elements, and inside a block by squares of 8 x 8 that are transposed on the way
// (in vector registers for elements of 4 bytes), so that a cache line is read and written in whole
// pieces. If the lines that are read are a multiple of 4096 bytes apart, they fall into one cache
// set and push each other out; if those that are written do not, the squares are taken in the order
// that finishes the lines of the reading side first.

#include "axle/emit/strided_copy.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "axle/emit/strided_dims.h"

namespace axle {
namespace {

template <typename T>
void CopyRow(const StridedDim& dim, std::byte* to, const std::byte* from) {
  constexpr i64 kSize = sizeof(T);
  if (dim.to_step == kSize && dim.from_step == kSize) {
    std::memcpy(to, from, static_cast<size_t>(dim.count * kSize));
  } else if (dim.to_step == kSize && dim.from_step == 0) {
    std::fill_n(reinterpret_cast<T*>(to), dim.count, *reinterpret_cast<const T*>(from));
  } else {
    for (i64 k = 0; k < dim.count; ++k) {
      *reinterpret_cast<T*>(to + k * dim.to_step) =
          *reinterpret_cast<const T*>(from + k * dim.from_step);
    }
  }
}

// to[k][u] = from[u][k] for a square of kUnit elements; steps are in bytes.
template <typename T>
struct Turn {
  static constexpr i64 kUnit = 8;
  static void Square(std::byte* to, i64 to_step, const std::byte* from, i64 from_step) {
    T square[kUnit][kUnit];
    for (i64 u = 0; u < kUnit; ++u) std::memcpy(square[u], from + u * from_step, sizeof(square[u]));
    for (i64 k = 0; k < kUnit; ++k) {
      T* const line = reinterpret_cast<T*>(to + k * to_step);
      for (i64 u = 0; u < kUnit; ++u) line[u] = square[u][k];
    }
  }
};

#if defined(__AVX2__)
template <typename T>
requires(sizeof(T) == 4) struct Turn<T> {
  static constexpr i64 kUnit = 8;
  static void Square(std::byte* to, i64 to_step, const std::byte* from, i64 from_step) {
    __m256 rows[8], pairs[8];
    for (i64 u = 0; u < 4; ++u) {  // line u below line u + 4
      for (i64 half = 0; half < 2; ++half) {
        const auto load = [&](i64 line) {
          return _mm_loadu_ps(reinterpret_cast<const float*>(from + line * from_step) + 4 * half);
        };
        rows[u + 4 * half] = _mm256_set_m128(load(u + 4), load(u));
      }
    }
    for (int h = 0; h < 8; h += 4) {
      pairs[h] = _mm256_unpacklo_ps(rows[h], rows[h + 1]);
      pairs[h + 1] = _mm256_unpackhi_ps(rows[h], rows[h + 1]);
      pairs[h + 2] = _mm256_unpacklo_ps(rows[h + 2], rows[h + 3]);
      pairs[h + 3] = _mm256_unpackhi_ps(rows[h + 2], rows[h + 3]);
    }
    const auto store = [&](i64 line, __m256 x) {
      _mm256_storeu_ps(reinterpret_cast<float*>(to + line * to_step), x);
    };
    for (int h = 0; h < 8; h += 4) {
      store(h, _mm256_shuffle_ps(pairs[h], pairs[h + 2], 0x44));
      store(h + 1, _mm256_shuffle_ps(pairs[h], pairs[h + 2], 0xee));
      store(h + 2, _mm256_shuffle_ps(pairs[h + 1], pairs[h + 3], 0x44));
      store(h + 3, _mm256_shuffle_ps(pairs[h + 1], pairs[h + 3], 0xee));
    }
  }
};
#endif

// A first-level cache: how many lines a set holds, at least, and how many bytes apart lines are
// that fall into the same set.
constexpr i64 kWays = 8, kWayBytes = 4096, kLineBytes = 64;

// Whether more of `count` lines, `step` bytes apart, fall into one cache set than it holds.
bool CollideInCache(i64 step, i64 count) {
  if (count <= kWays || std::abs(step) < kLineBytes) return false;
  std::uint8_t lines[kWayBytes / kLineBytes] = {};
  for (i64 k = 0; k < count; ++k) {
    if (++lines[(k * step & (kWayBytes - 1)) / kLineBytes] > kWays) return true;
  }
  return false;
}

// Copies a box whose contiguous dimension is another one on each side, as in a transposed matrix.
template <typename T>
void CopyCrossed(const StridedDim& outer, const StridedDim& inner, std::byte* to,
                 const std::byte* from) {
  constexpr i64 kBlock = 64, kUnit = Turn<T>::kUnit;
  // Squares fill a cache line one after the other. If lines that far apart push each other out of
  // the cache where they are read, but not where they are written, they use up the former instead.
  const bool reads_lines_whole = CollideInCache(inner.from_step, std::min(kBlock, inner.count)) &&
                                 !CollideInCache(outer.to_step, std::min(kBlock, outer.count));
  const auto copy_part = [&](i64 i, i64 i_end, i64 j, i64 j_end) {
    for (; i < i_end; ++i) {
      T* const line = reinterpret_cast<T*>(to + i * outer.to_step);
      for (i64 k = j; k < j_end; ++k) {
        line[k] = *reinterpret_cast<const T*>(from + i * outer.from_step + k * inner.from_step);
      }
    }
  };
  for (i64 i = 0; i < outer.count; i += kBlock) {
    const i64 i_end = std::min(outer.count, i + kBlock);
    for (i64 j = 0; j < inner.count; j += kBlock) {
      const i64 j_end = std::min(inner.count, j + kBlock);
      const i64 i_whole = i + (i_end - i) / kUnit * kUnit;
      const i64 j_whole = j + (j_end - j) / kUnit * kUnit;
      const auto turn = [&](i64 k, i64 u) {
        Turn<T>::Square(to + k * outer.to_step + u * static_cast<i64>(sizeof(T)), outer.to_step,
                        from + k * outer.from_step + u * inner.from_step, inner.from_step);
      };
      if (reads_lines_whole) {
        for (i64 u = j; u < j_whole; u += kUnit) {
          for (i64 k = i; k < i_whole; k += kUnit) turn(k, u);
        }
      } else {
        for (i64 k = i; k < i_whole; k += kUnit) {
          for (i64 u = j; u < j_whole; u += kUnit) turn(k, u);
        }
      }
      copy_part(i, i_whole, j_whole, j_end);
      copy_part(i_whole, i_end, j, j_end);
    }
  }
}

// Whether elements are contiguous along `inner` where they are written, and along `outer` where
// they are read.
bool IsCrossed(const StridedDim& outer, const StridedDim& inner, i64 element_bytes) {
  return inner.to_step == element_bytes && outer.from_step == element_bytes &&
         inner.from_step != 0 && outer.count >= 4 && inner.count >= 4;
}

// The bytes of a box whose elements are written one behind the other; 0 if they are not.
template <typename T>
i64 BytesInOnePiece(std::span<const StridedDim> dims) {
  i64 bytes = sizeof(T);
  for (size_t d = dims.size(); d-- > 0; bytes *= dims[d].count) {
    if (dims[d].to_step != bytes) return 0;
  }
  return bytes;
}

// Writes `count` times what `to` begins with, one behind the other. The source of a copy is the
// front of the array, which stays in a first-level cache.
void Repeat(std::byte* to, i64 bytes, i64 count) {
  constexpr i64 kMostBytes = i64{16} << 10;
  const i64 most = std::max(bytes, kMostBytes / bytes * bytes);
  for (i64 done = bytes, n; done < bytes * count; done += n) {
    n = std::min({done, most, bytes * count - done});
    std::memcpy(to + done, to, static_cast<size_t>(n));
  }
}

template <typename T>
void CopyShortRows(const StridedDim& outer, const StridedDim& inner, std::byte* to,
                   const std::byte* from) {
  for (i64 i = 0; i < outer.count; ++i) {
    for (i64 k = 0; k < inner.count; ++k) {
      *reinterpret_cast<T*>(to + i * outer.to_step + k * inner.to_step) =
          *reinterpret_cast<const T*>(from + i * outer.from_step + k * inner.from_step);
    }
  }
}

template <typename T>
void Copy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from) {
  constexpr i64 kShortRow = 8;
  if (dims.size() == 1) return CopyRow<T>(dims[0], to, from);
  if (dims[0].from_step == 0 && dims[0].count > 1) {
    const i64 bytes = BytesInOnePiece<T>(dims.subspan(1));
    if (bytes > 0 && bytes == dims[0].to_step) {
      Copy<T>(dims.subspan(1), to, from);
      return Repeat(to, bytes, dims[0].count);
    }
  }
  if (dims.size() == 2 && dims[1].count <= kShortRow && !IsCrossed(dims[0], dims[1], sizeof(T))) {
    return CopyShortRows<T>(dims[0], dims[1], to, from);
  }
  if (dims.size() == 2 && IsCrossed(dims[0], dims[1], sizeof(T))) {
    return CopyCrossed<T>(dims[0], dims[1], to, from);
  }
  for (i64 k = 0; k < dims[0].count; ++k) {
    Copy<T>(dims.subspan(1), to + k * dims[0].to_step, from + k * dims[0].from_step);
  }
}

}  // namespace

std::vector<StridedDim> MergeStridedDims(std::span<const StridedDim> dims) {
  std::vector<StridedDim> merged;
  for (const StridedDim& dim : dims) AppendDim(merged, dim);
  if (merged.empty()) merged.push_back({1, 0, 0});
  return merged;
}

void StridedCopy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from,
                 i64 element_bytes) {
  DispatchBytes(static_cast<int>(element_bytes), [&]<typename T>() { Copy<T>(dims, to, from); });
}

}  // namespace axle

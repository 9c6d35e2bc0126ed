// Products of a matrix along its rows with a vector (the exception of docs/numerics.md N5): every
// result is a long sum in the canonical order. Element k goes to lane k mod L by fma; lanes are
// joined pairwise, i with i + L / 2, and chunks of kSumChunk elements by a binary tree. A vector
// register holds neighbouring lanes, so its width does not show; several rows are taken at once,
// which share the vector's elements, and the instructions that join their lanes (JoinLanesOfRows).
#pragma once
#include <utility>

#include "axle/core/sum_chunk.h"
#include "axle/kernels/dot.h"
#include "axle/kernels/x86/families.h"

namespace axle::AXLE_ISA {

// Joins the results of chunks: r(0..n) = r(0..half) + r(half..n), half the largest power of two
// below n.
template <typename T, int kParts>
class SumTree {
 public:
  void Clear() { count_ = 0, size_ = 0; }
  void Add(const T* chunk) {
    for (int p = 0; p < kParts; ++p) partial_[size_][p] = chunk[p];
    ++size_;
    ++count_;
    for (i64 n = count_; n % 2 == 0; n /= 2) JoinLastTwo();
  }
  const T* Finish() {
    while (size_ > 1) JoinLastTwo();
    return partial_[0];
  }

 private:
  void JoinLastTwo() {
    --size_;
    for (int p = 0; p < kParts; ++p) partial_[size_ - 1][p] += partial_[size_][p];
  }

  i64 count_ = 0;
  int size_ = 0;
  T partial_[64][kParts];
};

// lanes[i] takes in lanes[i + half], down to lane 0. A lane has kParts values side by side.
template <typename T, int kParts>
inline void JoinLanes(T* lanes, i64 count) {
  for (i64 half = count / 2; half > 0; half /= 2) {
    for (i64 i = 0; i < half * kParts; ++i) lanes[i] += lanes[half * kParts + i];
  }
}

// Of a followed by b, cut into segments of kSegment lanes: the first halves of all segments
// (kHalf = 0), or the second ones (kHalf = 1).
template <int kSegment, int kHalf, typename T, size_t... kLane>
[[gnu::always_inline]] inline Vector<T> HalvesOf(Vector<T> a, Vector<T> b,
                                                 std::index_sequence<kLane...>) {
  constexpr int kSize = kSegment / 2;
  return __builtin_shufflevector(a, b,
                                 (static_cast<int>(kLane) / kSize * kSegment +
                                  static_cast<int>(kLane) % kSize + kHalf * kSize)...);
}
template <int kSegment, typename T>
[[gnu::always_inline]] inline Vector<T> JoinHalves(Vector<T> a, Vector<T> b) {
  constexpr auto kLanes = std::make_index_sequence<kLanesOf<T>>();
  return HalvesOf<kSegment, 0, T>(a, b, kLanes) + HalvesOf<kSegment, 1, T>(a, b, kLanes);
}

// JoinLanes of kRows vectors at once: sums[i] is what lane 0 of rows[i] would become. Each step
// joins the upper half of the lanes of every row with the lower one. Two vectors then fit into one,
// and when there is only one, half of it is of no use.
template <int kRows, int kSegment, typename T>
[[gnu::always_inline]] inline void JoinLanesOfRows(Vector<T>* rows, T* sums) {
  if constexpr (kSegment == 1) {
    __builtin_memcpy(sums, rows, kRows * sizeof(T));
  } else {
    constexpr int kVectors = kRows * kSegment <= kLanesOf<T> ? 1 : kRows * kSegment / kLanesOf<T>;
#pragma GCC unroll 16
    for (int i = 0; i < (kVectors + 1) / 2; ++i) {
      rows[i] = JoinHalves<kSegment, T>(rows[2 * i], rows[kVectors == 1 ? 0 : 2 * i + 1]);
    }
    JoinLanesOfRows<kRows, kSegment / 2, T>(rows, sums);
  }
}

// The sums of one chunk for kRows rows, with kVectors registers of lanes each.
template <typename T, int kRows, int kVectors>
inline void FoldChunk(const T* const* rows, const T* x, i64 n, T* sums) {
  constexpr i64 kLanes = kLanesOf<T>, kAll = kLanes * kVectors;
  Vector<T> acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) acc[i][v] = Broadcast(static_cast<T>(-0.0));
  }
  i64 k = 0;
  for (; k + kAll <= n; k += kAll) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      const Vector<T> factor = Load(x + k + v * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        acc[i][v] = MultiplyAdd(Load(rows[i] + k + v * kLanes), factor, acc[i][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const i64 left = Min(kLanes, n - k - v * kLanes);
    if (left > 0) {
      const FirstLanes<T> first(left);
      const Vector<T> factor = first.Load(x + k + v * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vector<T> row = first.Load(rows[i] + k + v * kLanes);
        acc[i][v] = first.Select(MultiplyAdd(row, factor, acc[i][v]), acc[i][v]);
      }
    }
  }
  Vector<T> first[kRows];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int half = kVectors / 2; half > 0; half /= 2) {
      for (int v = 0; v < half; ++v) acc[i][v] += acc[i][v + half];
    }
    first[i] = acc[i][0];
  }
  JoinLanesOfRows<kRows, kLanes, T>(first, sums);
}

// The same for any number of lanes, and for complex numbers.
template <typename T>
inline T FoldChunkPlain(const T* row, const T* x, i64 n, i64 lanes) {
  T acc[64];
  for (i64 j = 0; j < lanes; ++j) acc[j] = static_cast<T>(-0.0);
  for (i64 k = 0; k < n; ++k) {
    T& lane = acc[k & (lanes - 1)];
    lane = ScalarFma(row[k], x[k], lane);
  }
  JoinLanes<T, 1>(acc, lanes);
  return acc[0];
}
// `flipped`: x is the left-hand side.
template <typename T>
inline void FoldComplexChunk(const ComplexPair<T>* row, const ComplexPair<T>* x, i64 n, i64 lanes,
                             bool flipped, T* sum) {
  T acc[64][2];
  for (i64 j = 0; j < lanes; ++j) acc[j][0] = acc[j][1] = static_cast<T>(-0.0);
  for (i64 k = 0; k < n; ++k) {
    const ComplexPair<T> a = flipped ? x[k] : row[k], b = flipped ? row[k] : x[k];
    T* lane = acc[k & (lanes - 1)];
    lane[0] = ScalarFma(-a.im, b.im, ScalarFma(a.re, b.re, lane[0]));
    lane[1] = ScalarFma(a.im, b.re, ScalarFma(a.re, b.im, lane[1]));
  }
  JoinLanes<T, 2>(&acc[0][0], lanes);
  sum[0] = acc[0][0];
  sum[1] = acc[0][1];
}

template <typename Family>
class CanonicalProduct {
 public:
  using Element = typename Family::Element;
  using Sum = typename Family::Sum;
  static constexpr int kParts = static_cast<int>(Family::kParts);
  static constexpr int kMaxRows = 8;

  CanonicalProduct(const RunContext* run, const DotPlan& plan, void* const* buffers)
      : run_(run),
        plan_(plan),
        buffers_(buffers),
        rows_(plan.row_operand, plan.sum, Family::SumBytes(plan), buffers),
        columns_(plan.column_operand, plan.sum, Family::SumBytes(plan), buffers) {
    auto* scratch = static_cast<unsigned char*>(buffers[3]);
    vector_ = reinterpret_cast<Element*>(scratch + plan.panels_at);
    row_block_ = reinterpret_cast<Element*>(scratch + plan.row_block_at);
    depth_offsets_ = reinterpret_cast<i64*>(scratch + plan.offsets_at);
  }

  int Run(i64 batch, i64 m0, i64 m1) {
    rows_.MoveTo(buffers_, OffsetOf(plan_.batch, &RoleDim::row_stride, batch));
    columns_.MoveTo(buffers_, OffsetOf(plan_.batch, &RoleDim::column_stride, batch));
    const i64 result = OffsetOf(plan_.batch, &RoleDim::result_stride, batch);
    const Element* x = static_cast<const Element*>(columns_.At(0));
    if (!plan_.columns_in_place) {
      LoadDepth(columns_, &RoleDim::column_stride, 0, 0, plan_.depth.total, vector_);
      x = vector_;
    }
    if constexpr (kParts == 1) {
      if (IsDirect()) return RunDirect(m0, m1, x, result);
    }
    const i64 together = RowsTogether();
    for (i64 m = m0; m < m1; m += together) {
      if (IsStopped(run_)) return kKernelStopped;
      const i64 rows = Min(together, m1 - m);
      if (rows == together) {
        RunRows(m, rows, x, result);
      } else {
        for (i64 i = 0; i < rows; ++i) RunRows(m + i, 1, x, result);
      }
    }
    return kKernelOk;
  }

 private:
  int VectorsOfLanes() const { return static_cast<int>(plan_.lanes / kLanesOf<Sum>); }

  // Whether every row is one chunk, read where it is, and its sum is a result as it is, beside that
  // of the next row. Short rows take less time than looking up where they lie.
  bool IsDirect() const {
    const i64 depth = plan_.depth.total;
    return plan_.rows_in_place && depth > 0 && depth <= kSumChunk && plan_.lanes > 1 &&
           VectorsOfLanes() >= 1 && VectorsOfLanes() <= 2 && plan_.rows.count == 1 &&
           plan_.rows.dims[0].result_stride == 1 &&
           (plan_.store == StoreKind::kSame || plan_.store == StoreKind::kInPlace);
  }
  int RunDirect(i64 m0, i64 m1, const Element* x, i64 result) {
    constexpr i64 kRowsBetweenLooks = 256;
    auto* out = static_cast<Sum*>(buffers_[2]) + result;
    for (i64 m = m0; m < m1; m += kRowsBetweenLooks) {
      if (IsStopped(run_)) return kKernelStopped;
      const i64 end = Min(m1, m + kRowsBetweenLooks);
      VectorsOfLanes() == 1 ? FoldDirect<1>(m, end, x, out) : FoldDirect<2>(m, end, x, out);
    }
    return kKernelOk;
  }
  template <int kVectors>
  void FoldDirect(i64 m, i64 end, const Element* x, Sum* out) {
    if constexpr (kIsWide && kVectors == 1) m = FoldAll<16, kVectors>(m, end, x, out);
    m = FoldAll<8 / kVectors, kVectors>(m, end, x, out);
    FoldAll<1, kVectors>(m, end, x, out);
  }
  // As many rows as are whole groups of kRows, from m on. Gives the next row.
  template <int kRows, int kVectors>
  i64 FoldAll(i64 m, i64 end, const Element* x, Sum* out) {
    const i64 step = plan_.rows.dims[0].row_stride;
    for (; m + kRows <= end; m += kRows) {
      const Sum* rows[kRows];
      for (i64 i = 0; i < kRows; ++i) rows[i] = static_cast<const Sum*>(rows_.At((m + i) * step));
      Sum sums[kRows];
      FoldChunk<Sum, kRows, kVectors>(rows, x, plan_.depth.total, sums);
      for (i64 i = 0; i < kRows; ++i) out[m + i] = sums[i] + static_cast<Sum>(0);
    }
    return m;
  }
  // Rows at once: enough independent sums to hide the latency of fma, few enough for the registers.
  i64 RowsTogether() const {
    if (kParts == 2 || plan_.lanes == 1) return 1;
    switch (VectorsOfLanes()) {
      case 1:
        return 8;
      case 2:
        return 4;
      case 4:
        return kIsWide ? 4 : 2;
      default:
        return 1;
    }
  }

  // out[i] = contracted element begin + i, from `offset`.
  void LoadDepth(const Source& source, i64 RoleDim::*stride, i64 offset, i64 begin, i64 n,
                 Element* out) {
    for (i64 k = 0; k < n; k += kSumChunk) {
      const i64 count = Min(kSumChunk, n - k);
      FillOffsets(plan_.depth, stride, begin + k, count, depth_offsets_);
      if (AreNeighbours(depth_offsets_, count)) {
        source.LoadNeighbours(offset + depth_offsets_[0], count, out + k);
      } else {
        source.Gather(offset, depth_offsets_, count, out + k);
      }
    }
  }

  void RunRows(i64 m, i64 num_rows, const Element* x, i64 result) {
    const i64 depth = plan_.depth.total;
    i64 offsets[kMaxRows];
    FillOffsets(plan_.rows, &RoleDim::row_stride, m, num_rows, offsets);
    for (i64 i = 0; i < num_rows; ++i) trees_[i].Clear();
    for (i64 k = 0; k < depth; k += kSumChunk) {
      const i64 count = Min(kSumChunk, depth - k);
      const Element* rows[kMaxRows];
      for (i64 i = 0; i < num_rows; ++i) {
        if (plan_.rows_in_place) {
          rows[i] = static_cast<const Element*>(rows_.At(offsets[i] + k));
        } else {
          Element* block = row_block_ + i * kSumChunk;
          LoadDepth(rows_, &RoleDim::row_stride, offsets[i], k, count, block);
          rows[i] = block;
        }
      }
      FoldRows(rows, num_rows, x + k, count);
    }
    Sum sums[kRun];
    for (i64 i = 0; i < num_rows; ++i) {
      // The sum starts at +0.
      for (int p = 0; p < kParts; ++p) {
        sums[i * kParts + p] = depth == 0 ? 0 : trees_[i].Finish()[p] + static_cast<Sum>(0);
      }
    }
    alignas(64) unsigned char buffer[kRun * 16];
    Family::StoreElements(plan_, sums, num_rows, buffer);
    FillOffsets(plan_.rows, &RoleDim::result_stride, m, num_rows, offsets);
    ScatterElements(buffer, num_rows, offsets, plan_.result_bytes,
                    static_cast<unsigned char*>(buffers_[2]) + result * plan_.result_bytes);
  }

  template <int kRows, int kVectors>
  void FoldTogether(const Element* const* rows, const Element* x, i64 n) {
    Sum sums[kRows];
    FoldChunk<Sum, kRows, kVectors>(rows, x, n, sums);
    for (int i = 0; i < kRows; ++i) trees_[i].Add(sums + i);
  }
  template <int kVectors>
  void FoldVectors(const Element* const* rows, i64 num_rows, const Element* x, i64 n) {
    constexpr int kTogether = kVectors == 1   ? 8
                              : kVectors == 2 ? 4
                              : kVectors == 4 ? (kIsWide ? 4 : 2)
                                              : 1;
    if (num_rows == kTogether) return FoldTogether<kTogether, kVectors>(rows, x, n);
    FoldTogether<1, kVectors>(rows, x, n);
  }
  void FoldRows(const Element* const* rows, i64 num_rows, const Element* x, i64 n) {
    if constexpr (kParts == 2) {
      Sum sum[2];
      FoldComplexChunk(rows[0], x, n, plan_.lanes, plan_.is_flipped, sum);
      trees_[0].Add(sum);
    } else {
      if (plan_.lanes == 1) {
        const Sum sum = FoldChunkPlain(rows[0], x, n, 1);
        return trees_[0].Add(&sum);
      }
      switch (VectorsOfLanes()) {
        case 1:
          return FoldVectors<1>(rows, num_rows, x, n);
        case 2:
          return FoldVectors<2>(rows, num_rows, x, n);
        case 4:
          return FoldVectors<4>(rows, num_rows, x, n);
        default:
          return FoldVectors<8>(rows, num_rows, x, n);
      }
    }
  }

  const RunContext* run_;
  const DotPlan& plan_;
  void* const* buffers_;
  Source rows_, columns_;
  Element *vector_, *row_block_;
  i64* depth_offsets_;
  SumTree<Sum, kParts> trees_[kMaxRows];
};

// The KernelFunction: tiles are rows.
template <typename Family>
int RunCanonical(const RunContext* run, const void* plan_bytes, void* const* buffers, i64 begin,
                 i64 end) {
  const DotPlan& plan = *static_cast<const DotPlan*>(plan_bytes);
  CanonicalProduct<Family> product(run, plan, buffers);
  for (i64 tile = begin; tile < end;) {
    const i64 batch = tile / plan.num_row_tiles, first = tile - batch * plan.num_row_tiles;
    const i64 last = Min(plan.num_row_tiles, first + end - tile);
    const int status =
        product.Run(batch, first * plan.tile_rows, Min(plan.rows.total, last * plan.tile_rows));
    if (status != kKernelOk) return status;
    tile += last - first;
  }
  return kKernelOk;
}

}  // namespace axle::AXLE_ISA

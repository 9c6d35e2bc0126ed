// Products of many tiny matrices: a vector register holds the same element of neighbouring
// matrices, one lane for each, so that registers are full however small a matrix is. For each group
// of as many matrices as there are lanes:
//
//   bring the elements of both operands side by side: buffer[element][lane]
//   for each result: acc = 0, or -0 in the canonical order; acc = fma(a[k], b[k], acc) in order of
//   k put the results where they belong
//
// Each lane is the chain of docs/numerics.md N5, for at most as many contracted elements as have
// one lane in the canonical order, so that this is a chain as well. Groups whose matrices are
// adjacent element by element (the batch is the last dimension in memory) are read and written as
// vectors.
#pragma once
#include "axle/kernels/dot.h"
#include "axle/kernels/x86/families.h"

namespace axle::AXLE_ISA {

template <typename T>
class ProductAcross {
 public:
  static constexpr i64 kLanes = kLanesOf<T>;

  ProductAcross(const DotPlan& plan, void* const* buffers)
      : plan_(plan),
        num_rows_(plan.rows.total),
        num_columns_(plan.columns.total),
        depth_(plan.depth.total),
        a_(static_cast<const T*>(buffers[plan.row_operand.buffer])),
        b_(static_cast<const T*>(buffers[plan.column_operand.buffer])),
        c_(static_cast<T*>(buffers[2])) {
    auto* scratch = static_cast<unsigned char*>(buffers[3]);
    rows_ = reinterpret_cast<T*>(scratch + plan.row_block_at);
    columns_ = reinterpret_cast<T*>(scratch + plan.panels_at);
    sums_ = reinterpret_cast<T*>(scratch + plan.sums_at);
    row_offsets_ = reinterpret_cast<i64*>(scratch + plan.offsets_at);
    column_offsets_ = row_offsets_ + num_rows_ * depth_;
    sum_offsets_ = column_offsets_ + num_columns_ * depth_;
    FillMatrix(plan.rows, num_rows_, plan.depth, depth_, &RoleDim::row_stride, &RoleDim::row_stride,
               row_offsets_);
    FillMatrix(plan.columns, num_columns_, plan.depth, depth_, &RoleDim::column_stride,
               &RoleDim::column_stride, column_offsets_);
    FillMatrix(plan.rows, num_rows_, plan.columns, num_columns_, &RoleDim::result_stride,
               &RoleDim::result_stride, sum_offsets_);
  }

  // Matrices [begin, begin + n), n <= kLanes.
  void Run(i64 begin, i64 n) {
    i64 at[kLanes];
    Place(&RoleDim::row_stride, begin, n, at);
    Bring(a_, at, n, row_offsets_, num_rows_ * depth_, rows_);
    Place(&RoleDim::column_stride, begin, n, at);
    Bring(b_, at, n, column_offsets_, num_columns_ * depth_, columns_);
    Multiply();
    Place(&RoleDim::result_stride, begin, n, at);
    PutBack(at, n);
  }

 private:
  // offsets[i][j] of a matrix with these rows and columns.
  static void FillMatrix(const RoleDims& rows, i64 num_rows, const RoleDims& columns,
                         i64 num_columns, i64 RoleDim::*row_stride, i64 RoleDim::*column_stride,
                         i64* offsets) {
    for (i64 i = 0; i < num_rows; ++i) {
      const i64 row = OffsetOf(rows, row_stride, i);
      FillOffsets(columns, column_stride, 0, num_columns, offsets + i * num_columns);
      for (i64 j = 0; j < num_columns; ++j) offsets[i * num_columns + j] += row;
    }
  }

  // Where the matrices of a group begin. Lanes past the last read what the last one reads.
  void Place(i64 RoleDim::*stride, i64 begin, i64 n, i64* at) const {
    FillOffsets(plan_.batch, stride, begin, n, at);
    for (i64 lane = n; lane < kLanes; ++lane) at[lane] = at[n - 1];
  }

  static bool AreSame(const i64* at) {
    for (i64 lane = 1; lane < kLanes; ++lane) {
      if (at[lane] != at[0]) return false;
    }
    return true;
  }

  static void Bring(const T* from, const i64* at, i64 n, const i64* offsets, i64 count, T* out) {
    if (AreSame(at)) {
      for (i64 e = 0; e < count; ++e) Store(out + e * kLanes, Broadcast(from[at[0] + offsets[e]]));
    } else if (n == kLanes && AreNeighbours(at, n)) {
      for (i64 e = 0; e < count; ++e) Store(out + e * kLanes, Load(from + at[0] + offsets[e]));
    } else {
      for (i64 lane = 0; lane < kLanes; ++lane) {
        const T* const matrix = from + at[lane];
        for (i64 e = 0; e < count; ++e) out[e * kLanes + lane] = matrix[offsets[e]];
      }
    }
  }

  // kColumns results side by side, so that their chains overlap.
  template <int kColumns>
  void MultiplyColumns(const T* a, const T* b, Vector<T> start, Vector<T> end, T* c) const {
    Vector<T> acc[kColumns];
    for (Vector<T>& sum : acc) sum = start;
    for (i64 k = 0; k < depth_; ++k) {
      const Vector<T> factor = Load(a + k * kLanes);
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) {
        acc[j] = MultiplyAdd(factor, Load(b + (j * depth_ + k) * kLanes), acc[j]);
      }
    }
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) Store(c + j * kLanes, acc[j] + end);
  }

  void Multiply() const {
    // A chain begins at +0. In the canonical order it begins at -0, and the total is added to +0;
    // to add -0 changes nothing.
    const Vector<T> start = Broadcast(static_cast<T>(plan_.is_canonical ? -0.0 : 0.0));
    const Vector<T> end = Broadcast(static_cast<T>(plan_.is_canonical ? 0.0 : -0.0));
    for (i64 i = 0; i < num_rows_; ++i) {
      const T* const a = rows_ + i * depth_ * kLanes;
      T* const c = sums_ + i * num_columns_ * kLanes;
      i64 j = 0;
      for (; j + 4 <= num_columns_; j += 4) {
        MultiplyColumns<4>(a, columns_ + j * depth_ * kLanes, start, end, c + j * kLanes);
      }
      for (; j < num_columns_; ++j) {
        MultiplyColumns<1>(a, columns_ + j * depth_ * kLanes, start, end, c + j * kLanes);
      }
    }
  }

  void PutBack(const i64* at, i64 n) const {
    const i64 count = num_rows_ * num_columns_;
    if (n == kLanes && AreNeighbours(at, n)) {
      for (i64 e = 0; e < count; ++e) Store(c_ + at[0] + sum_offsets_[e], Load(sums_ + e * kLanes));
      return;
    }
    for (i64 lane = 0; lane < n; ++lane) {
      T* const matrix = c_ + at[lane];
      for (i64 e = 0; e < count; ++e) matrix[sum_offsets_[e]] = sums_[e * kLanes + lane];
    }
  }

  const DotPlan& plan_;
  const i64 num_rows_, num_columns_, depth_;
  const T *a_, *b_;
  T* c_;
  T *rows_, *columns_, *sums_;  // [element][lane]
  i64 *row_offsets_, *column_offsets_, *sum_offsets_;
};

// The KernelFunction: tiles are matrices, plan.batch_tile of them.
template <typename T>
int RunAcross(const RunContext* run, const void* plan_bytes, void* const* buffers, i64 begin,
              i64 end) {
  const DotPlan& plan = *static_cast<const DotPlan*>(plan_bytes);
  ProductAcross<T> product(plan, buffers);
  for (i64 tile = begin; tile < end; ++tile) {
    if (IsStopped(run)) return kKernelStopped;
    const i64 last = Min(plan.batch.total, (tile + 1) * plan.batch_tile);
    for (i64 i = tile * plan.batch_tile; i < last; i += kLanesOf<T>) {
      product.Run(i, Min(kLanesOf<T>, last - i));
    }
  }
  return kKernelOk;
}

}  // namespace axle::AXLE_ISA

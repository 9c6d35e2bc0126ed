// The portable kernels, which define the bits, and the choice of those of the processor.
#include "axle/linalg/block_kernels.h"

#include <algorithm>
#include <atomic>

#include "axle/linalg/scalar.h"

namespace axle {
namespace {

template <typename T>
void Update(const ProductUpdate<T>& u, T*) {
  for (i64 i = 0; i < u.rows; ++i) {
    T* const c = u.c + i * u.c_row;
    for (i64 k = 0; k < u.depth; ++k) {
      const T a = u.a[i * u.a_row + k * u.a_depth], factor = u.add ? a : -a;
      const T* const b = u.b + k * u.b_depth;
      const i64 columns = u.lower ? std::min(i + 1, u.columns) : u.columns;
      for (i64 j = 0; j < columns; ++j) c[j] = FusedMultiplyAdd(factor, b[j * u.b_column], c[j]);
    }
  }
}

template <typename T>
i64 Cholesky(T* a, i64 stride, i64 n) {
  for (i64 k = 0; k < n; ++k) {
    T* const row = a + k * stride;
    row[k] = SquareRoot(row[k]);
    if (row[k] != row[k]) return k;
    for (i64 i = k + 1; i < n; ++i) {
      T* const below = a + i * stride;
      below[k] /= row[k];
      for (i64 j = k + 1; j <= i; ++j) {
        below[j] = FusedMultiplyAdd(-below[k], a[j * stride + k], below[j]);
      }
    }
  }
  return -1;
}

template <typename T>
void Solve(const T* t, i64 t_row, i64 t_column, bool unit_diagonal, i64 n, T* b, i64 b_row,
           i64 b_column, i64 columns) {
  for (i64 j = 0; j < columns; ++j) {
    T* const x = b + j * b_column;
    for (i64 i = 0; i < n; ++i) {
      T value = x[i * b_row];
      for (i64 k = 0; k < i; ++k) {
        value = FusedMultiplyAdd(-t[i * t_row + k * t_column], x[k * b_row], value);
      }
      x[i * b_row] = unit_diagonal ? value : value / t[i * (t_row + t_column)];
    }
  }
}

template <typename T>
i64 Lu(T* a, i64 stride, i64 rows, i64 columns, i64* pivots, T*) {
  i64 failed = -1;
  const auto size = [&](i64 i, i64 k) {
    const T x = a[i * stride + k];
    return x < 0 ? -x : x;
  };
  for (i64 k = 0; k < std::min(rows, columns); ++k) {
    T* const row = a + k * stride;
    i64 pivot = k;
    for (i64 i = k + 1; i < rows; ++i) {
      if (size(i, k) > size(pivot, k)) pivot = i;
    }
    pivots[k] = pivot;
    if (pivot != k) std::swap_ranges(row, row + columns, a + pivot * stride);
    const bool is_zero = row[k] == 0;
    if (is_zero && failed < 0) failed = k;
    for (i64 i = k + 1; i < rows; ++i) {
      T* const below = a + i * stride;
      if (!is_zero) below[k] /= row[k];
      for (i64 j = k + 1; j < columns; ++j) {
        below[j] = FusedMultiplyAdd(-below[k], row[j], below[j]);
      }
    }
  }
  return failed;
}

template <typename T>
void Dots(const T* x, const T* y, i64 y_column, i64 n, i64 count, T* sums) {
  for (i64 j = 0; j < count; ++j) {
    T lanes[kSumLanes] = {};
    for (i64 i = 0; i < n; ++i) {
      T& lane = lanes[i % kSumLanes];
      lane = FusedMultiplyAdd(x[i], y[j * y_column + i], lane);
    }
    for (int half = kSumLanes / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    }
    sums[j] = lanes[0];
  }
}

template <typename T>
void SubtractMultiples(const T* x, const T* factors, T* y, i64 y_column, i64 n, i64 count) {
  for (i64 j = 0; j < count; ++j) {
    for (i64 i = 0; i < n; ++i) {
      T& to = y[j * y_column + i];
      to = FusedMultiplyAdd(-factors[j], x[i], to);
    }
  }
}

template <typename T>
void Divide(T* x, T divisor, i64 n) {
  for (i64 i = 0; i < n; ++i) x[i] /= divisor;
}

template <typename T>
void Transpose(const T* x, i64 x_row, i64 rows, i64 columns, T* y, i64 y_row) {
  for (i64 i = 0; i < rows; ++i) {
    for (i64 j = 0; j < columns; ++j) y[j * y_row + i] = x[i * x_row + j];
  }
}

template <typename T>
void SubtractCombination(const T* x, i64 x_column, const T* factors, i64 count, T* y, i64 n) {
  for (i64 j = 0; j < count; ++j) {
    for (i64 i = 0; i < n; ++i) {
      y[i] = FusedMultiplyAdd(-factors[j], x[j * x_column + i], y[i]);
    }
  }
}

template <typename T>
void SymmetricTimes(const T* a, i64 stride, i64 n, const T* x, T* y) {
  for (i64 i = 0; i < n; ++i) {
    const T* const row = a + i * stride;
    Dots(x, row, 0, i, 1, y + i);
    y[i] = FusedMultiplyAdd(row[i], x[i], y[i]);
    for (i64 j = 0; j < i; ++j) y[j] = FusedMultiplyAdd(row[j], x[i], y[j]);
  }
}

template <typename T>
void Rotate(const RowRotation<T>* rotations, i64 count, T* rows, i64 stride, i64, i64 columns, T*) {
  for (i64 k = 0; k < count; ++k) {
    const T c = rotations[k].c, s = rotations[k].s;
    T *const x = rows + rotations[k].row * stride, *const y = x + stride;
    for (i64 j = 0; j < columns; ++j) {
      const T old = x[j];
      x[j] = FusedMultiplyAdd(-s, y[j], c * old);
      y[j] = FusedMultiplyAdd(s, old, c * y[j]);
    }
  }
}

template <typename T>
constexpr BlockKernels<T> kPortable = {
    .update = &Update<T>,
    .cholesky = &Cholesky<T>,
    .solve = &Solve<T>,
    .lu = &Lu<T>,
    .dots = &Dots<T>,
    .subtract_multiples = &SubtractMultiples<T>,
    .divide = &Divide<T>,
    .transpose = &Transpose<T>,
    .subtract_combination = &SubtractCombination<T>,
    .symmetric_times = &SymmetricTimes<T>,
    .rotate = &Rotate<T>,
};

std::atomic<const BlockKernels<float>*> kernels_f32 = &kPortable<float>;
std::atomic<const BlockKernels<double>*> kernels_f64 = &kPortable<double>;

}  // namespace

template <typename T>
const BlockKernels<T>& PortableBlockKernels() {
  return kPortable<T>;
}
template const BlockKernels<float>& PortableBlockKernels();
template const BlockKernels<double>& PortableBlockKernels();

template <>
const BlockKernels<float>& HostBlockKernels() {
  return *kernels_f32.load(std::memory_order_acquire);
}
template <>
const BlockKernels<double>& HostBlockKernels() {
  return *kernels_f64.load(std::memory_order_acquire);
}

void UseBlockKernels(const BlockKernels<float>& f32, const BlockKernels<double>& f64) {
  kernels_f32.store(&f32, std::memory_order_release);
  kernels_f64.store(&f64, std::memory_order_release);
}

}  // namespace axle

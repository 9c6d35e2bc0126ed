// Loops for one operation and element type, instantiated from templates and found by
// FindFoldKernel. All folds are acc = f(acc, x) element by element over arrays that do not overlap,
// so the compiler vectorises them; the row folds have up to 64 accumulators, the lanes of the
// canonical order. Integer sums and products run on unsigned types (modulo 2^N). Minimum and
// maximum follow the lane primitives: NaN if either is, -0 < +0.
//
// All functions have one signature per kind of fold, so that callers keep pointers and never switch
// on types in loops.

#include "axle/ops/reduce_kernels.h"

#include <bit>
#include <cmath>
#include <complex>
#include <type_traits>

#include "axle/ops/canonical_sum.h"

namespace axle {
namespace {

// The cast makes sums of small integer types wrap, since `+` promotes them to int.
struct AddOp {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct MultiplyOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(std::uint64_t{a} * b);
    } else {
      return a * b;
    }
  }
  // As the op `multiply`, without the library's special cases for infinities. Written without a
  // subtraction: of (ac - bd, ad + bc) side by side, g++ 12 makes vfmaddsub, -ffp-contract=off or
  // not.
  template <typename T>
  std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    return {a.real() * b.real() + -a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};
// Bitwise and, or, exclusive or serve pred and integers.
struct AndOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct OrOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct XorOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
// Primitives Min and Max: NaN if either is, -0 < +0.
template <bool kMax>
struct MinMaxOp {
  template <typename T>
  T operator()(T a, T b) const {
    const T unequal = (kMax ? a > b : a < b) ? a : b;
    if constexpr (std::is_integral_v<T>) {
      return unequal;
    } else {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      const Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
      // Equal numbers may be zeros of both signs: the sign bits are joined, by and for the maximum,
      // by or for the minimum.
      const T equal = std::bit_cast<T>(kMax ? x & y : x | y);
      const T ordered = a == b ? equal : unequal;
      return a != a ? a : ordered;
    }
  }
  // Whether the result is `a`, and that takes one comparison to see.
  template <typename T>
  static bool Keeps(T a, T b) {
    return kMax ? a > b : a < b;
  }
  // The same for a pair at a time: which of two numbers is larger is not foreseen, and a branch for
  // it takes longer than the rest. Both orders differ in zeros alone.
  template <typename T>
  static T OfPair(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return MinMaxOp()(a, b);
    } else {
      if (std::isunordered(a, b)) return a != a ? a : b;
      const T one = (kMax ? a > b : a < b) ? a : b, other = (kMax ? b > a : b < a) ? b : a;
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      const Bits x = std::bit_cast<Bits>(one), y = std::bit_cast<Bits>(other);
      return std::bit_cast<T>(kMax ? x & y : x | y);
    }
  }
};

// `repeats` rows of `width` elements into one row of accumulators. A single accumulator is kept in
// a register.
template <typename T, typename Op>
void Fold(void* acc_bytes, const void* x_bytes, i64 width, i64 repeats, i64 stride) {
  T* __restrict acc = static_cast<T*>(acc_bytes);
  const T* __restrict x = static_cast<const T*>(x_bytes);
  const Op op;
  if (width == 1) {
    T value = acc[0];
    for (i64 k = 0; k < repeats; ++k) value = op(value, x[k * stride]);
    acc[0] = value;
    return;
  }
  for (i64 k = 0; k < repeats; ++k, x += stride) {
    for (i64 j = 0; j < width; ++j) acc[j] = op(acc[j], x[j]);
  }
}

// A row in the lanes of the canonical order: element k goes to lane k mod lanes, then the lanes are
// joined.
template <typename T, typename Op>
void FoldRow(const void* x_bytes, i64 count, i64 lanes, void* result) {
  constexpr i64 kMaxLanes = 64;
  const T* __restrict x = static_cast<const T*>(x_bytes);
  const Op op;
  T acc[kMaxLanes];
  const i64 used = std::min(count, lanes);
  for (i64 j = 0; j < used; ++j) acc[j] = x[j];
  i64 k = lanes;
  if (lanes == 1) {
    T value = acc[0];
    for (; k < count; ++k) value = op(value, x[k]);
    acc[0] = value;
  }
  for (; k + lanes <= count; k += lanes) {
    for (i64 j = 0; j < lanes; ++j) acc[j] = op(acc[j], x[k + j]);
  }
  for (i64 j = 0; k + j < count; ++j) acc[j] = op(acc[j], x[k + j]);
  JoinLanes(acc, lanes, used, 1, [&](T* a, const T* b, i64 n) {
    for (i64 j = 0; j < n; ++j) a[j] = op(a[j], b[j]);
  });
  *static_cast<T*>(result) = acc[0];
}

// Element k goes to accumulator at[k], or to none if that is negative.
template <typename T, typename Op>
void FoldAt(void* acc_bytes, const i64* at, const void* x_bytes, i64 step, i64 count) {
  T* __restrict acc = static_cast<T*>(acc_bytes);
  const T* __restrict x = static_cast<const T*>(x_bytes);
  const Op op;
  for (i64 k = 0; k < count; ++k) {
    if (at[k] < 0) continue;
    T& to = acc[at[k]];
    const T value = x[k * step];
    if constexpr (requires { Op::OfPair(to, value); }) {
      // Of a run of elements with one accumulator few change it: then a branch is foreseen, and the
      // next element need not wait.
      const bool is_run = k > 0 && at[k] == at[k - 1];
      if (is_run && Op::Keeps(to, value)) continue;
      to = Op::OfPair(to, value);
    } else {
      to = op(to, value);
    }
  }
}

// A row of `width` into each of some rows of accumulators. Widths that are given as kWidth are
// loops of known length.
template <i64 kWidth, typename T, typename Op>
void FoldRowsOf(T* acc_rows, const i64* at, const T* x_rows, const i64* from, i64 count,
                i64 width) {
  const Op op;
  const i64 known = kWidth > 0 ? kWidth : width;
  for (i64 k = 0; k < count; ++k) {
    T* __restrict acc = acc_rows + at[k];
    const T* __restrict x = x_rows + from[k];
    for (i64 j = 0; j < known; ++j) acc[j] = op(acc[j], x[j]);
  }
}

template <typename T, typename Op>
void FoldRowsAt(void* acc_bytes, const i64* at, const void* x_bytes, const i64* from, i64 count,
                i64 width) {
  const auto fold = width == 2    ? &FoldRowsOf<2, T, Op>
                    : width == 3  ? &FoldRowsOf<3, T, Op>
                    : width == 4  ? &FoldRowsOf<4, T, Op>
                    : width == 8  ? &FoldRowsOf<8, T, Op>
                    : width == 16 ? &FoldRowsOf<16, T, Op>
                                  : &FoldRowsOf<0, T, Op>;
  fold(static_cast<T*>(acc_bytes), at, static_cast<const T*>(x_bytes), from, count, width);
}

// Several rows at once, because each value waits for the one before. Not more than 4: row pitches
// are often a power of two, so that rows compete for cache sets.
template <int kRows, typename T, typename Op>
void ScanSome(T* acc, const T* __restrict x, T* __restrict out, i64 stride, i64 count, i64 step) {
  const Op op;
  T value[kRows];
  for (int r = 0; r < kRows; ++r) value[r] = acc[r];
  for (i64 k = 0; k < count; ++k) {
    for (int r = 0; r < kRows; ++r) {
      out[r * stride + k * step] = value[r] = op(value[r], x[r * stride + k * step]);
    }
  }
  for (int r = 0; r < kRows; ++r) acc[r] = value[r];
}

template <typename T, typename Op>
void ScanRows(void* acc_bytes, const void* x_bytes, void* out_bytes, i64 rows, i64 stride,
              i64 count, i64 step) {
  T* acc = static_cast<T*>(acc_bytes);
  const T* x = static_cast<const T*>(x_bytes);
  T* out = static_cast<T*>(out_bytes);
  constexpr int kRows = 4;
  i64 r = 0;
  for (; r + kRows <= rows; r += kRows) {
    ScanSome<kRows, T, Op>(acc + r, x + r * stride, out + r * stride, stride, count, step);
  }
  for (; r < rows; ++r) {
    ScanSome<1, T, Op>(acc + r, x + r * stride, out + r * stride, stride, count, step);
  }
}

// The functions of one operation and type.
struct Folds {
  FoldFn fold;
  FoldRowFn fold_row;
  FoldAtFn fold_at;
  FoldRowsAtFn fold_rows_at;
  ScanRowsFn scan_rows;
};
template <typename T, typename Op>
constexpr Folds kFolds = {&Fold<T, Op>, &FoldRow<T, Op>, &FoldAt<T, Op>, &FoldRowsAt<T, Op>,
                          &ScanRows<T, Op>};

// Sums and products of integers do not depend on the sign.
template <typename Op>
Folds UnsignedFold(int bytes) {
  return bytes == 1   ? kFolds<std::uint8_t, Op>
         : bytes == 2 ? kFolds<std::uint16_t, Op>
         : bytes == 4 ? kFolds<std::uint32_t, Op>
                      : kFolds<std::uint64_t, Op>;
}

template <typename Op>
Folds SignedFold(int bytes) {
  return bytes == 1   ? kFolds<std::int8_t, Op>
         : bytes == 2 ? kFolds<std::int16_t, Op>
         : bytes == 4 ? kFolds<std::int32_t, Op>
                      : kFolds<std::int64_t, Op>;
}

template <typename Op>
Folds FloatFold(int bytes) {
  return bytes == 4 ? kFolds<float, Op> : kFolds<double, Op>;
}

// On pred, add and maximum are or; multiply and minimum are and.
Folds PredFold(ReducerKind kind) {
  if (kind == ReducerKind::kXor) return kFolds<std::uint8_t, XorOp>;
  const bool is_or =
      kind == ReducerKind::kAdd || kind == ReducerKind::kMaximum || kind == ReducerKind::kOr;
  return is_or ? kFolds<std::uint8_t, OrOp> : kFolds<std::uint8_t, AndOp>;
}

template <typename Op>
Folds OrderedFold(ElementType type, int bytes) {
  return IsFloating(type) ? FloatFold<Op>(bytes)
         : IsSigned(type) ? SignedFold<Op>(bytes)
                          : UnsignedFold<Op>(bytes);
}

// The table of instantiations. Combinations that no reducer has are empty.
Folds FindFold(ReducerKind kind, ElementType type) {
  const int bytes = Info(type).bytes;
  if (type == PRED) return PredFold(kind);
  switch (kind) {
    case ReducerKind::kAdd:
      return IsFloating(type) ? FloatFold<AddOp>(bytes) : UnsignedFold<AddOp>(bytes);
    case ReducerKind::kMultiply:
      if (type == C64) return kFolds<std::complex<float>, MultiplyOp>;
      if (type == C128) return kFolds<std::complex<double>, MultiplyOp>;
      return IsFloating(type) ? FloatFold<MultiplyOp>(bytes) : UnsignedFold<MultiplyOp>(bytes);
    case ReducerKind::kMinimum:
      return OrderedFold<MinMaxOp<false>>(type, bytes);
    case ReducerKind::kMaximum:
      return OrderedFold<MinMaxOp<true>>(type, bytes);
    case ReducerKind::kAnd:
      return UnsignedFold<AndOp>(bytes);
    case ReducerKind::kOr:
      return UnsignedFold<OrOp>(bytes);
    case ReducerKind::kXor:
      return UnsignedFold<XorOp>(bytes);
    case ReducerKind::kGeneral:
      break;
  }
  return {};
}

}  // namespace

// Complex sums are two real sums; complex products are not, and have a type of their own.
FoldKernel FindFoldKernel(ReducerKind kind, ElementType type) {
  FoldKernel kernel;
  kernel.type = IsNarrowFloat(type) ? F32 : type;
  if (kind == ReducerKind::kAdd && IsComplex(type)) {
    kernel.type = PartOf(type);
    kernel.parts = 2;
  }
  const Folds folds = FindFold(kind, kernel.type);
  kernel.fold = folds.fold;
  kernel.fold_row = folds.fold_row;
  kernel.fold_at = folds.fold_at;
  kernel.fold_rows_at = folds.fold_rows_at;
  kernel.scan_rows = folds.scan_rows;
  return kernel;
}

}  // namespace axle

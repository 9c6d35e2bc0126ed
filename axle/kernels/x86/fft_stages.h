// The stages of a Fourier transform (docs/numerics.md), on vectors of lines or of places along a
// line. A pass runs one stage, or two on values that stay in registers.
//
// Both kinds of passes read values through a source and write them through a sink, which say what
// lies at an index: vectors of scratch memory, or places of an array. A source that `starts` is
// read by a first pass only, on transforms of length 1, which has no roots to multiply with but the
// constant ones of its second stage.
#pragma once
#include "axle/kernels/fft.h"
#include "axle/kernels/x86/fft_vectors.h"

namespace axle::AXLE_ISA {

// -- Sources and sinks --

// Vectors one after the other.
template <typename T>
struct BufferSource {
  const T* at;
  static constexpr bool kStarts = false;
  [[gnu::always_inline]] Parts<T> operator()(i64 j) const {
    return {Load(at + 2 * kLanesOf<T> * j), Load(at + 2 * kLanesOf<T> * j + kLanesOf<T>)};
  }
};
template <typename T>
struct BufferSink {
  T* at;
  [[gnu::always_inline]] void operator()(i64 j, Parts<T> x) const {
    Store(at + 2 * kLanesOf<T> * j, x.re);
    Store(at + 2 * kLanesOf<T> * j + kLanesOf<T>, x.im);
  }
};

// Adjacent elements of two arrays of parts.
template <typename T>
struct SplitSource {
  const T *re, *im;
  [[gnu::always_inline]] Parts<T> operator()(i64 j) const { return {Load(re + j), Load(im + j)}; }
};
template <typename T>
struct SplitSink {
  T *re, *im;
  [[gnu::always_inline]] void operator()(i64 j, Parts<T> x) const {
    Store(re + j, x.re);
    Store(im + j, x.im);
  }
};

// Adjacent complex numbers of an array, the first ones `stride` numbers after those before; `count`
// of them, if lanes are left over. Parts are exchanged for inverse transforms.
template <typename T>
struct MemorySource {
  const T* at;
  i64 stride;
  i64 count = kLanesOf<T>;
  bool exchanges = false;
  static constexpr bool kStarts = true;
  [[gnu::always_inline]] Parts<T> operator()(i64 j) const {
    constexpr i64 kLanes = kLanesOf<T>;
    const T* const x = at + j * stride;
    Parts<T> parts;
    if (count == kLanes) {
      parts = Separate(Load(x), Load(x + kLanes));
    } else {
      parts = Separate(FirstLanes<T>(Min(2 * count, kLanes)).Load(x),
                       FirstLanes<T>(Max(2 * count - kLanes, 0)).Load(x + kLanes));
    }
    return exchanges ? Parts<T>{parts.im, parts.re} : parts;
  }
};
// What results are divided by: a product where that is the same.
template <typename T>
struct Divisor {
  Vector<T> factor = Broadcast(T(1));
  Vector<T> divisor = Broadcast(T(1));
  bool divides = false;
  [[gnu::always_inline]] Vector<T> operator()(Vector<T> x) const {
    return divides ? x / divisor : x * factor;
  }
};
template <typename T>
struct MemorySink {
  T* at;
  i64 stride;
  Divisor<T> divisor = {};
  i64 count = kLanesOf<T>;
  bool exchanges = false;
  [[gnu::always_inline]] void operator()(i64 j, Parts<T> parts) const {
    constexpr i64 kLanes = kLanesOf<T>;
    T* const x = at + j * stride;
    if (exchanges) parts = {parts.im, parts.re};
    const Parts<T> both = Alternate(Parts<T>{divisor(parts.re), divisor(parts.im)});
    if (count == kLanes) {
      Store(x, both.re);
      Store(x + kLanes, both.im);
    } else {
      FirstLanes<T>(Min(2 * count, kLanes)).Store(x, both.re);
      FirstLanes<T>(Max(2 * count - kLanes, 0)).Store(x + kLanes, both.im);
    }
  }
};

// -- Butterflies: the transforms of `radix` numbers, in their places --

// i times x, and -i times x, are exchanges of parts with one sign.
template <int kRadix, typename T>
[[gnu::always_inline]] inline void Butterfly(Parts<T>* y, const T* roots) {
  if constexpr (kRadix == 2) {
    const Parts<T> a = y[0], b = y[1];
    y[0] = {a.re + b.re, a.im + b.im};
    y[1] = {a.re - b.re, a.im - b.im};
  } else if constexpr (kRadix == 4) {
    const Parts<T> sum = {y[0].re + y[2].re, y[0].im + y[2].im};
    const Parts<T> difference = {y[0].re - y[2].re, y[0].im - y[2].im};
    const Parts<T> odd = {y[1].re + y[3].re, y[1].im + y[3].im};
    const Parts<T> turn = {y[1].re - y[3].re, y[1].im - y[3].im};
    y[0] = {sum.re + odd.re, sum.im + odd.im};
    y[1] = {difference.re + turn.im, difference.im - turn.re};
    y[2] = {sum.re - odd.re, sum.im - odd.im};
    y[3] = {difference.re - turn.im, difference.im + turn.re};
  } else {
    // Numbers s and radix - s have conjugate roots: their sum meets the real parts of the roots,
    // their difference the imaginary ones.
    constexpr int kHalf = kRadix / 2;
    Parts<T> sums[kHalf], differences[kHalf], first = y[0];
#pragma GCC unroll 16
    for (int s = 1; s <= kHalf; ++s) {
      const Parts<T> a = y[s], b = y[kRadix - s];
      sums[s - 1] = {a.re + b.re, a.im + b.im};
      differences[s - 1] = {a.re - b.re, a.im - b.im};
      first = {first.re + sums[s - 1].re, first.im + sums[s - 1].im};
    }
#pragma GCC unroll 16
    for (int q = 1; q <= kHalf; ++q) {
      Parts<T> a = y[0], b = {};
#pragma GCC unroll 16
      for (int s = 1; s <= kHalf; ++s) {
        const T* const root = roots + 2 * (s * q % kRadix);
        const Vector<T> re = Broadcast(root[0]), im = Broadcast(root[1]);
        a = {MultiplyAdd(re, sums[s - 1].re, a.re), MultiplyAdd(re, sums[s - 1].im, a.im)};
        const Parts<T> d = differences[s - 1];
        b = s == 1 ? Parts<T>{im * d.re, im * d.im}
                   : Parts<T>{MultiplyAdd(im, d.re, b.re), MultiplyAdd(im, d.im, b.im)};
      }
      y[q] = {a.re - b.im, a.im + b.re};
      y[kRadix - q] = {a.re + b.im, a.im - b.re};
    }
    y[0] = first;
  }
}

// -- Passes over lanes: every root belongs to all lanes --

template <int kFirst, int kSecond, bool kIsFirst, typename T, typename Source, typename Sink>
[[gnu::always_inline]] inline void LaneButterflies(const FftPass& pass, i64 k, i64 inner,
                                                   const T* table, const Source& source,
                                                   const Sink& sink) {
  const T* const roots = table + pass.roots_at;
  const T* const first = table + pass.first_at + 2 * (kFirst - 1) * k;
  for (i64 j = 0; j < inner; ++j) {
    Parts<T> y[kSecond][kFirst];
#pragma GCC unroll 4
    for (int s = 0; s < kSecond; ++s) {
#pragma GCC unroll 32
      for (int f = 0; f < kFirst; ++f) {
        y[s][f] = source(((kFirst * k + f) * kSecond + s) * inner + j);
        if (kIsFirst || f == 0) continue;
        y[s][f] = Turn(Broadcast(first[2 * f - 2]), Broadcast(first[2 * f - 1]), y[s][f]);
      }
      Butterfly<kFirst>(y[s], roots);
    }
#pragma GCC unroll 32
    for (int f = 0; f < kFirst; ++f) {
      const i64 at = f * pass.length + k;
      Parts<T> z[kSecond];
#pragma GCC unroll 4
      for (int s = 0; s < kSecond; ++s) {
        z[s] = y[s][f];
        if ((kIsFirst && f == 0) || s == 0) continue;
        const T* const w = table + pass.second_at + 2 * ((kSecond - 1) * at + s - 1);
        z[s] = Turn(Broadcast(w[0]), Broadcast(w[1]), z[s]);
      }
      if constexpr (kSecond > 1) Butterfly<kSecond>(z, roots);
#pragma GCC unroll 4
      for (int s = 0; s < kSecond; ++s) {
        sink(((s * kFirst + f) * pass.length + k) * inner + j, z[s]);
      }
    }
  }
}

template <int kFirst, int kSecond, typename T, typename Source, typename Sink>
[[gnu::noinline]] void LanePass(const FftPass& pass, i64 size, const T* table, const Source& source,
                                const Sink& sink) {
  const i64 inner = size / (pass.length * kFirst * kSecond);
  LaneButterflies<kFirst, kSecond, true>(pass, 0, inner, table, source, sink);
  if constexpr (Source::kStarts) return;
  for (i64 k = 1; k < pass.length; ++k) {
    LaneButterflies<kFirst, kSecond, false>(pass, k, inner, table, source, sink);
  }
}

// Any odd radix up to 97.
inline constexpr int kMostSums = 48;

template <typename T>
struct OddValues {
  Parts<T> y0, sums[kMostSums], differences[kMostSums];
};

// Numbers q .. q + kCount - 1 of the transform, and those that have conjugate roots. Each takes its
// terms in order; several at once read the values once.
template <int kCount, typename T, typename Put>
[[gnu::always_inline]] inline void OddNumbers(int radix, int q, const T* roots,
                                              const OddValues<T>& values, const Put& put) {
  Parts<T> a[kCount], b[kCount];
  int turn[kCount];  // s * (q + i) modulo the radix
#pragma GCC unroll 4
  for (int i = 0; i < kCount; ++i) {
    a[i] = values.y0;
    b[i] = {Vector<T>{}, Vector<T>{}};
    turn[i] = 0;
  }
  for (int s = 0; s < radix / 2; ++s) {
    const Parts<T> sum = values.sums[s], d = values.differences[s];
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      turn[i] += q + i;
      if (turn[i] >= radix) turn[i] -= radix;
      const Vector<T> re = Broadcast(roots[2 * turn[i]]), im = Broadcast(roots[2 * turn[i] + 1]);
      a[i] = {MultiplyAdd(re, sum.re, a[i].re), MultiplyAdd(re, sum.im, a[i].im)};
      if (s == 0) {
        b[i] = {im * d.re, im * d.im};
      } else {
        b[i] = {MultiplyAdd(im, d.re, b[i].re), MultiplyAdd(im, d.im, b[i].im)};
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kCount; ++i) {
    put(q + i, Parts<T>{a[i].re - b[i].im, a[i].im + b[i].re});
    put(radix - q - i, Parts<T>{a[i].re + b[i].im, a[i].im - b[i].re});
  }
}

// put(q, number q of the transform).
template <typename T, typename Get, typename Put>
[[gnu::always_inline]] inline void OddButterfly(int radix, const T* roots, const Get& get,
                                                const Put& put) {
  constexpr int kBlock = kIsWide ? 4 : 2;
  OddValues<T> values;
  const int half = radix / 2;
  values.y0 = get(0);
  Parts<T> first = values.y0;
  for (int s = 1; s <= half; ++s) {
    const Parts<T> a = get(s), b = get(radix - s);
    const Parts<T> sum = {a.re + b.re, a.im + b.im};
    values.sums[s - 1] = sum;
    values.differences[s - 1] = {a.re - b.re, a.im - b.im};
    first = {first.re + sum.re, first.im + sum.im};
  }
  put(0, first);
  int q = 1;
  for (; q + kBlock - 1 <= half; q += kBlock) OddNumbers<kBlock>(radix, q, roots, values, put);
  for (; q <= half; ++q) OddNumbers<1>(radix, q, roots, values, put);
}

template <typename T, typename Source, typename Sink>
[[gnu::noinline]] void OddLanePass(const FftPass& pass, i64 size, const T* table,
                                   const Source& source, const Sink& sink) {
  const int radix = pass.first;
  const i64 inner = size / (pass.length * radix);
  for (i64 k = 0; k < pass.length; ++k) {
    const T* const w = table + pass.first_at + 2 * (radix - 1) * k;
    for (i64 j = 0; j < inner; ++j) {
      const auto get = [&](int s) __attribute__((always_inline)) {
        const Parts<T> x = source((radix * k + s) * inner + j);
        if (Source::kStarts || k == 0 || s == 0) return x;
        return Turn(Broadcast(w[2 * s - 2]), Broadcast(w[2 * s - 1]), x);
      };
      const auto put = [&](int q, Parts<T> x) __attribute__((always_inline)) {
        sink((q * pass.length + k) * inner + j, x);
      };
      OddButterfly<T>(radix, table + pass.roots_at, get, put);
    }
  }
}

template <typename T, typename Source, typename Sink>
void RunLanePass(const FftPass& pass, i64 size, const T* table, const Source& source,
                 const Sink& sink) {
  switch (pass.first * 8 + pass.second) {
    case 2 * 8 + 1:
      return LanePass<2, 1>(pass, size, table, source, sink);
    case 2 * 8 + 4:
      return LanePass<2, 4>(pass, size, table, source, sink);
    case 4 * 8 + 1:
      return LanePass<4, 1>(pass, size, table, source, sink);
    case 4 * 8 + 4:
      return LanePass<4, 4>(pass, size, table, source, sink);
    case 3 * 8 + 1:
      return LanePass<3, 1>(pass, size, table, source, sink);
    case 5 * 8 + 1:
      return LanePass<5, 1>(pass, size, table, source, sink);
    default:
      return OddLanePass(pass, size, table, source, sink);
  }
}

// -- Passes over places along a line: lane i has the roots of k + i. A transform of `length`
// elements is contiguous, and transforms whose inputs are adjacent in the line are so too. --

// The product of x with the root at `w`, but lane 0 is left as it is if it is that of k = 0.
template <bool kIsFirst, typename T>
[[gnu::always_inline]] inline Parts<T> TurnAlong(const T* w, i64 length, Parts<T> x) {
  const Parts<T> turned = Turn(Load(w), Load(w + length), x);
  if constexpr (!kIsFirst) return turned;
  const FirstLanes<T> one(1);
  return {one.Select(x.re, turned.re), one.Select(x.im, turned.im)};
}

template <int kFirst, int kSecond, bool kIsFirst, typename T, typename Source, typename Sink>
[[gnu::always_inline]] inline void WideButterflies(const FftPass& pass, i64 k, i64 inner,
                                                   const T* table, const Source& source,
                                                   const Sink& sink) {
  const T* const roots = table + pass.roots_at;
  const i64 length = pass.length, middle = length * kFirst;
  for (i64 j = 0; j < inner; ++j) {
    Parts<T> y[kSecond][kFirst];
#pragma GCC unroll 4
    for (int s = 0; s < kSecond; ++s) {
#pragma GCC unroll 32
      for (int f = 0; f < kFirst; ++f) {
        y[s][f] = source(((f * kSecond + s) * inner + j) * length + k);
        if (f == 0) continue;
        const T* const w = table + pass.first_at + 2 * (f - 1) * length + k;
        y[s][f] = TurnAlong<kIsFirst>(w, length, y[s][f]);
      }
      Butterfly<kFirst>(y[s], roots);
    }
#pragma GCC unroll 32
    for (int f = 0; f < kFirst; ++f) {
      const i64 at = f * length + k;
      Parts<T> z[kSecond];
#pragma GCC unroll 4
      for (int s = 0; s < kSecond; ++s) {
        z[s] = y[s][f];
        if (s == 0) continue;
        const T* const w = table + pass.second_at + 2 * (s - 1) * middle + at;
        z[s] = f == 0 ? TurnAlong<kIsFirst>(w, middle, z[s]) : TurnAlong<false>(w, middle, z[s]);
      }
      if constexpr (kSecond > 1) Butterfly<kSecond>(z, roots);
#pragma GCC unroll 4
      for (int s = 0; s < kSecond; ++s) sink((j * kSecond + s) * middle + at, z[s]);
    }
  }
}

// The last vector may cover places of the one before, whose values come out again.
template <int kFirst, int kSecond, typename T, typename Source, typename Sink>
[[gnu::noinline]] void WidePass(const FftPass& pass, i64 size, const T* table, const Source& source,
                                const Sink& sink) {
  constexpr i64 kLanes = kLanesOf<T>;
  const i64 length = pass.length, inner = size / (length * kFirst * kSecond);
  WideButterflies<kFirst, kSecond, true>(pass, 0, inner, table, source, sink);
  for (i64 k = kLanes; k < length; k += kLanes) {
    WideButterflies<kFirst, kSecond, false>(pass, Min(k, length - kLanes), inner, table, source,
                                            sink);
  }
}

template <typename T, typename Source, typename Sink>
[[gnu::noinline]] void OddWidePass(const FftPass& pass, i64 size, const T* table,
                                   const Source& source, const Sink& sink) {
  constexpr i64 kLanes = kLanesOf<T>;
  const int radix = pass.first;
  const i64 length = pass.length, inner = size / (length * radix);
  for (i64 next = 0; next < length; next += kLanes) {
    const i64 k = Min(next, length - kLanes);
    for (i64 j = 0; j < inner; ++j) {
      const auto get = [&](int s) __attribute__((always_inline)) {
        const Parts<T> x = source((s * inner + j) * length + k);
        if (s == 0) return x;
        const T* const w = table + pass.first_at + 2 * (s - 1) * length + k;
        return k == 0 ? TurnAlong<true>(w, length, x) : TurnAlong<false>(w, length, x);
      };
      const auto put = [&](int q, Parts<T> x) __attribute__((always_inline)) {
        sink((j * radix + q) * length + k, x);
      };
      OddButterfly<T>(radix, table + pass.roots_at, get, put);
    }
  }
}

template <typename T, typename Source, typename Sink>
void RunWidePass(const FftPass& pass, i64 size, const T* table, const Source& source,
                 const Sink& sink) {
  switch (pass.first * 8 + pass.second) {
    case 2 * 8 + 1:
      return WidePass<2, 1>(pass, size, table, source, sink);
    case 2 * 8 + 4:
      return WidePass<2, 4>(pass, size, table, source, sink);
    case 4 * 8 + 1:
      return WidePass<4, 1>(pass, size, table, source, sink);
    case 4 * 8 + 4:
      return WidePass<4, 4>(pass, size, table, source, sink);
    case 3 * 8 + 1:
      return WidePass<3, 1>(pass, size, table, source, sink);
    case 5 * 8 + 1:
      return WidePass<5, 1>(pass, size, table, source, sink);
    default:
      return OddWidePass(pass, size, table, source, sink);
  }
}

}  // namespace axle::AXLE_ISA

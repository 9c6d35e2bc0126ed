// The discrete Fourier transform of one length: the one algorithm behind the op fft, whose bits are
// its definition (docs/numerics.md N10).
//
//   X[k] = sum over j of x[j] e^(-2 pi i j k / n)
//
// Lengths whose prime factors are at most kMaxRadix are split by decimation in time, by 4 while it
// divides, then by the remaining primes in increasing order. Other lengths are a convolution
// (Bluestein's algorithm). Convolutions, and lengths with a prime factor above kMaxOwnRadix, are
// computed in f64 for both types, and rounded once: they have long sums. Roots of unity come from
// sin and cos of axle/ops/lanes/lane_math.h in f64, of angles in [0, pi/4], and are rounded once to
// the type at hand.
//
// A plan transforms several lines at once, side by side, so that loops run over neighbours. It is
// not thread-safe: it owns the arrays it works on.
#pragma once
#include <memory>
#include <vector>

#include "axle/emit/callee.h"
#include "axle/ir/instruction.h"

namespace axle {

// The largest prime that is a radix: its butterflies take half the square of it, which above is
// more than a convolution takes. And the largest one whose stages are computed in the type itself.
inline constexpr i64 kMaxRadix = 97, kMaxOwnRadix = 31;

// Values as two arrays of their parts.
template <typename T>
struct ComplexArrays {
  std::vector<T> re, im;
  explicit ComplexArrays(i64 count = 0) : re(count), im(count) {}
};

// Whether it is an fft, of which compiled programs have a kernel.
bool IsFft(const Instruction& inst);

// The radices of n >= 1, the first to run first; none if a prime factor is above kMaxRadix, or n is
// 1.
std::vector<std::int32_t> FftRadices(i64 n);
// Whether transforms of n elements are computed in f64 whatever their type.
bool FftComputesF64(i64 n);
// The length of the convolution that transforms n elements without radices.
i64 FftConvolutionLength(i64 n);

// e^(-2 pi i k / n) for k = 0 .. n - 1.
StatusOr<ComplexArrays<double>> RootsOfUnity(i64 n, const EvalContext& context);

template <typename T>
class FftPlan {
 public:
  // A plan for up to `width` lines of n >= 1 elements.
  static StatusOr<std::unique_ptr<FftPlan>> Make(i64 n, i64 width, const EvalContext& context);
  // The bytes that a plan allocates, approximately.
  static i64 ScratchBytes(i64 n, i64 width);

  // Element j of line w stands at j * width + w before Run, and of the result afterwards.
  T* re() { return values_.re.data(); }
  T* im() { return values_.im.data(); }
  // Of a length without radices: e^(-pi i j^2 / n), and what the convolution multiplies with.
  const ComplexArrays<double>& chirp() const { return chirp_; }
  const ComplexArrays<double>& filter() const { return filter_; }
  // Transforms `width` lines, at most as many as the plan was made for.
  Status Run(i64 width, const EvalContext& context);

 private:
  FftPlan(i64 n, i64 width) : n_(n), values_(n * width) {}

  void RunStage(i64 radix, i64 length, i64 inner);
  void Radix2(i64 k, i64 length, i64 inner);
  void Radix4(i64 k, i64 length, i64 inner);
  void RadixOdd(i64 radix, i64 k, i64 length, i64 inner);
  Status RunWide(i64 width, const EvalContext& context);
  Status MakeChirp(i64 width, const EvalContext& context);
  Status RunChirp(i64 width, const EvalContext& context);

  i64 n_;
  std::vector<std::int32_t>
      radices_;  // of the stages, the first to run first; empty for a convolution
  ComplexArrays<T> roots_;
  ComplexArrays<T> values_, next_;
  std::unique_ptr<FftPlan<double>> wide_;  // the same transform in f64, if that computes it
  // Bluestein: see chirp() and filter(), which is the transform of its conjugate, divided by the
  // length.
  std::unique_ptr<FftPlan<double>> convolution_;
  ComplexArrays<double> chirp_, filter_;

  template <typename U>
  friend class FftPlan;
};

}  // namespace axle

// Mixed-radix decimation in time without bit reversal (the Stockham order). For n = 12 = 4 * 3 the
// stages are radix 3, then radix 4; each stage reads one array and writes the other, and results
// come out in order. Before a stage, the array holds transforms of `length` elements: element k of
// the transform of x[c], x[c + L], x[c + 2 L], ... (L = n / length) is at k * L + c, so the L /
// radix adjacent elements that share roots of unity form the inner loop, times `width` lines. O(n
// log n); a radix r butterfly costs r^2.
//
// Other lengths (a prime factor above 97) use Bluestein's algorithm: j k = (j^2 + k^2 - (k - j)^2)
// / 2 turns the transform into a convolution with a chirp, done by two transforms in f64 of a
// length
// >= 2 n - 1 that has a power of two, or 3 or 5 times one.
//
// Roots of unity: angles are folded into [0, pi/4] exactly, in integers, so that sin and cos are as
// accurate as they can be and symmetric roots have equal bits.

#include "axle/ops/fft_plan.h"

#include <algorithm>
#include <type_traits>

#include "axle/linalg/linear_algebra.h"
#include "axle/ops/lanes/lane_math.h"

namespace axle {
namespace {

// Elements per input that RadixOdd holds at once.
constexpr i64 kPiece = 16;

// sin and cos of each of the angles.
// The same sine and cosine as in programs, run as a lane program: roots have the same bits on every
// machine.
Status SinCos(std::span<const double> angles, std::vector<double>& sin, std::vector<double>& cos,
              const EvalContext& context) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kF64);
  const Lane results[] = {Sin(x), Cos(x)};
  const LaneProgram program = std::move(builder).Finish(results);
  sin.resize(angles.size());
  cos.resize(angles.size());
  constexpr size_t kSlice = 1 << 16;
  for (size_t begin = 0; begin < angles.size(); begin += kSlice) {
    AXLE_TRY(context.Check());
    const void* input = angles.data() + begin;
    void* outputs[] = {sin.data() + begin, cos.data() + begin};
    const size_t count = std::min(kSlice, angles.size() - begin);
    AXLE_TRY(context.executor.Run(program, {&input, 1}, outputs, static_cast<i64>(count)));
  }
  return {};
}

// An angle 2 pi j / n brought into [0, pi/4]: pi/2 times numerator / n.
struct FoldedAngle {
  i64 numerator;
  bool negative_cos, swapped;
};
// Reflections at pi/2 and pi/4: cos(pi - a) = -cos(a), and cosine and sine exchange around pi/4.
FoldedAngle Fold(i64 j, i64 n) {  // 0 <= 2 j <= n
  FoldedAngle angle = {4 * j, false, false};
  if (angle.numerator > n) {
    angle.numerator = 2 * n - angle.numerator;
    angle.negative_cos = true;
  }
  if (2 * angle.numerator > n) {
    angle.numerator = n - angle.numerator;
    angle.swapped = true;
  }
  return angle;
}

template <typename T>
ComplexArrays<T> Rounded(const ComplexArrays<double>& values) {
  ComplexArrays<T> rounded(static_cast<i64>(values.re.size()));
  std::ranges::transform(values.re, rounded.re.begin(), [](double x) { return static_cast<T>(x); });
  std::ranges::transform(values.im, rounded.im.begin(), [](double x) { return static_cast<T>(x); });
  return rounded;
}

// (wr, wi) times (xr, xi): Multiply of linear_algebra.h.
template <typename T>
struct Turned {
  T re, im;
  Turned(T wr, T wi, T xr, T xi)
      : re(FusedMultiplyAdd(-wi, xi, wr * xr)), im(FusedMultiplyAdd(wi, xr, wr * xi)) {}
};

}  // namespace

// Fours first: a radix-4 stage has fewer operations than two radix-2 stages.
std::vector<std::int32_t> FftRadices(i64 n) {
  std::vector<std::int32_t> radices;
  for (; n % 4 == 0; n /= 4) radices.push_back(4);
  for (std::int32_t prime = 2; prime <= kMaxRadix; ++prime) {
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  }
  if (n > 1) radices.clear();
  std::ranges::reverse(radices);
  return radices;
}

bool FftComputesF64(i64 n) {
  const std::vector<std::int32_t> radices = FftRadices(n);
  if (radices.empty()) return n > 1;
  return std::ranges::max(radices) > kMaxOwnRadix;
}

i64 FftConvolutionLength(i64 n) {
  i64 least = 0;
  for (const i64 odd : {1, 3, 5}) {
    i64 length = odd;
    while (length < 2 * n - 1) length *= 2;
    if (least == 0 || length < least) least = length;
  }
  return least;
}

// Half of the circle is computed, the other half mirrored: conjugate roots have equal magnitudes
// bit for bit.
StatusOr<ComplexArrays<double>> RootsOfUnity(i64 n, const EvalContext& context) {
  const i64 half = n / 2;
  std::vector<double> angles(half + 1), sin, cos;
  for (i64 j = 0; j <= half; ++j) {
    const FoldedAngle angle = Fold(j, n);
    angles[j] = static_cast<double>(angle.numerator) / static_cast<double>(n) * 0x1.921fb54442d18p0;
  }
  AXLE_TRY(SinCos(angles, sin, cos, context));
  ComplexArrays<double> roots(n);
  for (i64 j = 0; j <= half; ++j) {
    const FoldedAngle angle = Fold(j, n);
    const double re = angle.swapped ? sin[j] : cos[j], im = angle.swapped ? cos[j] : sin[j];
    const i64 mirrored = j == 0 ? 0 : n - j;
    roots.re[mirrored] = roots.re[j] = angle.negative_cos ? -re : re;
    roots.im[mirrored] = im;
    roots.im[j] = -im;
  }
  return roots;
}

// The memory of a plan, charged to the limit of the run before the plan is made.
template <typename T>
i64 FftPlan<T>::ScratchBytes(i64 n, i64 width) {
  const i64 own = (2 * n * width + n) * i64{2 * sizeof(T)} + n * i64{6 * sizeof(double)};
  if (n == 1) return own;
  if (!FftRadices(n).empty()) {
    const bool is_wide = sizeof(T) < sizeof(double) && FftComputesF64(n);
    return is_wide ? own + FftPlan<double>::ScratchBytes(n, width) : own;
  }
  const i64 length = FftConvolutionLength(n);
  return own + FftPlan<double>::ScratchBytes(length, width) + length * i64{4 * sizeof(double)};
}

template <typename T>
StatusOr<std::unique_ptr<FftPlan<T>>> FftPlan<T>::Make(i64 n, i64 width,
                                                       const EvalContext& context) {
  std::unique_ptr<FftPlan> plan(new FftPlan(n, width));
  if (n == 1) return plan;
  plan->radices_ = FftRadices(n);
  if (plan->radices_.empty()) {
    AXLE_TRY(plan->MakeChirp(width, context));
    return plan;
  }
  if (sizeof(T) < sizeof(double) && FftComputesF64(n)) {
    AXLE_ASSIGN(plan->wide_, FftPlan<double>::Make(n, width, context));
    return plan;
  }
  plan->next_ = ComplexArrays<T>(n * width);
  AXLE_ASSIGN(const ComplexArrays<double> roots, RootsOfUnity(n, context));
  plan->roots_ = Rounded<T>(roots);
  return plan;
}

// Stages run from the innermost split outwards.
template <typename T>
Status FftPlan<T>::Run(i64 width, const EvalContext& context) {
  if (n_ == 1) return {};
  if (radices_.empty()) return RunChirp(width, context);
  if (wide_ != nullptr) return RunWide(width, context);
  i64 length = 1;
  for (std::int32_t radix : radices_) {
    AXLE_TRY(context.Check());
    RunStage(radix, length, n_ / (length * radix) * width);
    // Values and scratch arrays change roles after each stage, so that no stage works in place.
    std::swap(values_, next_);
    length *= radix;
  }
  return {};
}

template <typename T>
void FftPlan<T>::RunStage(i64 radix, i64 length, i64 inner) {
  for (i64 k = 0; k < length; ++k) {
    if (radix == 2) {
      Radix2(k, length, inner);
    } else if (radix == 4) {
      Radix4(k, length, inner);
    } else {
      RadixOdd(radix, k, length, inner);
    }
  }
}

// One product with a root, one sum and one difference. The root of k = 0 is 1 and is not
// multiplied, which keeps exact values exact.
template <typename T>
void FftPlan<T>::Radix2(i64 k, i64 length, i64 inner) {
  const i64 step = n_ / (2 * length);  // between roots of this stage
  const T wr = roots_.re[k * step], wi = roots_.im[k * step];
  const T *ar = values_.re.data() + 2 * k * inner, *ai = values_.im.data() + 2 * k * inner;
  const T *br = ar + inner, *bi = ai + inner;
  T *xr = next_.re.data() + k * inner, *xi = next_.im.data() + k * inner;
  T *yr = xr + length * inner, *yi = xi + length * inner;
  for (i64 j = 0; j < inner; ++j) {
    const Turned<T> b = k == 0 ? Turned<T>(1, 0, br[j], bi[j]) : Turned<T>(wr, wi, br[j], bi[j]);
    const T b_re = k == 0 ? br[j] : b.re, b_im = k == 0 ? bi[j] : b.im;
    xr[j] = ar[j] + b_re;
    xi[j] = ai[j] + b_im;
    yr[j] = ar[j] - b_re;
    yi[j] = ai[j] - b_im;
  }
}

// Four inputs at a time; a multiplication by i is an exchange of parts with one sign.
template <typename T>
void FftPlan<T>::Radix4(i64 k, i64 length, i64 inner) {
  const i64 step = n_ / (4 * length);
  const T *in_re = values_.re.data() + 4 * k * inner, *in_im = values_.im.data() + 4 * k * inner;
  T *out_re = next_.re.data() + k * inner, *out_im = next_.im.data() + k * inner;
  const i64 q = length * inner;  // between outputs
  T wr[4], wi[4];
  for (i64 s = 0; s < 4; ++s) {
    wr[s] = roots_.re[s * k * step];
    wi[s] = roots_.im[s * k * step];
  }
  const auto butterfly = [&](i64 j, T br, T bi, T cr, T ci, T dr, T di) {
    const T ar = in_re[j], ai = in_im[j];
    const T sum_re = ar + cr, sum_im = ai + ci, difference_re = ar - cr, difference_im = ai - ci;
    const T odd_re = br + dr, odd_im = bi + di, turn_re = br - dr, turn_im = bi - di;
    out_re[j] = sum_re + odd_re;
    out_im[j] = sum_im + odd_im;
    out_re[j + q] = difference_re + turn_im;
    out_im[j + q] = difference_im - turn_re;
    out_re[j + 2 * q] = sum_re - odd_re;
    out_im[j + 2 * q] = sum_im - odd_im;
    out_re[j + 3 * q] = difference_re - turn_im;
    out_im[j + 3 * q] = difference_im + turn_re;
  };
  const T *b_re = in_re + inner, *c_re = b_re + inner, *d_re = c_re + inner;
  const T *b_im = in_im + inner, *c_im = b_im + inner, *d_im = c_im + inner;
  for (i64 j = 0; j < inner; ++j) {
    if (k == 0) {
      butterfly(j, b_re[j], b_im[j], c_re[j], c_im[j], d_re[j], d_im[j]);
    } else {
      const Turned<T> b(wr[1], wi[1], b_re[j], b_im[j]), c(wr[2], wi[2], c_re[j], c_im[j]),
          d(wr[3], wi[3], d_re[j], d_im[j]);
      butterfly(j, b.re, b.im, c.re, c.im, d.re, d.im);
    }
  }
}

// The odd primes. Inputs s and radix - s have conjugate roots: their sum meets the real parts of
// the roots, their difference the imaginary ones. It works on pieces of 64 elements, so that all
// inputs stay in the cache.
template <typename T>
void FftPlan<T>::RadixOdd(i64 radix, i64 k, i64 length, i64 inner) {
  const i64 step = n_ / (radix * length), turn = n_ / radix, half = radix / 2;
  const T* in_re = values_.re.data() + radix * k * inner;
  const T* in_im = values_.im.data() + radix * k * inner;
  // Sums are at 1 .. half, differences at radix - 1 .. half + 1.
  T re[kMaxRadix][kPiece], im[kMaxRadix][kPiece];
  for (i64 begin = 0; begin < inner; begin += kPiece) {
    const i64 count = std::min(kPiece, inner - begin);
    for (i64 s = 0; s < radix; ++s) {
      const T wr = roots_.re[s * k * step], wi = roots_.im[s * k * step];
      const T *xr = in_re + s * inner + begin, *xi = in_im + s * inner + begin;
      for (i64 j = 0; j < count; ++j) {
        const Turned<T> x(wr, wi, xr[j], xi[j]);
        re[s][j] = s * k == 0 ? xr[j] : x.re;
        im[s][j] = s * k == 0 ? xi[j] : x.im;
      }
    }
    T* out_re = next_.re.data() + k * inner + begin;
    T* out_im = next_.im.data() + k * inner + begin;
    const i64 between = length * inner;  // outputs
    std::copy_n(re[0], count, out_re);
    std::copy_n(im[0], count, out_im);
    for (i64 s = 1; s <= half; ++s) {
      for (i64 j = 0; j < count; ++j) {
        const T ar = re[s][j], ai = im[s][j], br = re[radix - s][j], bi = im[radix - s][j];
        re[s][j] = ar + br;
        im[s][j] = ai + bi;
        re[radix - s][j] = ar - br;
        im[radix - s][j] = ai - bi;
        out_re[j] += re[s][j];
        out_im[j] += im[s][j];
      }
    }
    for (i64 q = 1; q <= half; ++q) {
      T ar[kPiece], ai[kPiece], br[kPiece], bi[kPiece];
      std::copy_n(re[0], count, ar);
      std::copy_n(im[0], count, ai);
      for (i64 s = 1; s <= half; ++s) {
        const T wr = roots_.re[s * q % radix * turn], wi = roots_.im[s * q % radix * turn];
        for (i64 j = 0; j < count; ++j) {
          ar[j] = FusedMultiplyAdd(wr, re[s][j], ar[j]);
          ai[j] = FusedMultiplyAdd(wr, im[s][j], ai[j]);
          const T dr = re[radix - s][j], di = im[radix - s][j];
          br[j] = s == 1 ? wi * dr : FusedMultiplyAdd(wi, dr, br[j]);
          bi[j] = s == 1 ? wi * di : FusedMultiplyAdd(wi, di, bi[j]);
        }
      }
      for (i64 j = 0; j < count; ++j) {
        out_re[q * between + j] = ar[j] - bi[j];
        out_im[q * between + j] = ai[j] + br[j];
        out_re[(radix - q) * between + j] = ar[j] + bi[j];
        out_im[(radix - q) * between + j] = ai[j] - br[j];
      }
    }
  }
}

template <typename T>
Status FftPlan<T>::RunWide(i64 width, const EvalContext& context) {
  const i64 count = n_ * width;
  std::copy_n(values_.re.data(), count, wide_->re());
  std::copy_n(values_.im.data(), count, wide_->im());
  AXLE_TRY(wide_->Run(width, context));
  for (i64 i = 0; i < count; ++i) {
    values_.re[i] = static_cast<T>(wide_->re()[i]);
    values_.im[i] = static_cast<T>(wide_->im()[i]);
  }
  return {};
}

// Bluestein: the chirp e^(-pi i j^2 / n) and the transform of its conjugate.
template <typename T>
Status FftPlan<T>::MakeChirp(i64 width, const EvalContext& context) {
  const i64 length = FftConvolutionLength(n_);
  AXLE_ASSIGN(const ComplexArrays<double> roots, RootsOfUnity(2 * n_, context));
  AXLE_ASSIGN(convolution_, FftPlan<double>::Make(length, width, context));
  chirp_ = ComplexArrays<double>(n_);
  // The square is kept modulo 2 n by its increments, because j^2 overflows for large n.
  i64 square = 0;  // j^2 modulo 2 n
  for (i64 j = 0; j < n_; ++j) {
    chirp_.re[j] = roots.re[square];
    chirp_.im[j] = roots.im[square];
    square = (square + 2 * j + 1) % (2 * n_);
  }
  double *re = convolution_->re(), *im = convolution_->im();
  std::fill_n(re, length, 0.0);
  std::fill_n(im, length, 0.0);
  for (i64 j = 0; j < n_; ++j) {
    const i64 mirrored = j == 0 ? 0 : length - j;
    re[mirrored] = re[j] = chirp_.re[j];
    im[mirrored] = im[j] = -chirp_.im[j];
  }
  AXLE_TRY(convolution_->Run(1, context));
  // Division here takes the place of the one in the inverse transform.
  filter_ = ComplexArrays<double>(length);
  for (i64 k = 0; k < length; ++k) {
    filter_.re[k] = convolution_->re()[k] / static_cast<double>(length);
    filter_.im[k] = convolution_->im()[k] / static_cast<double>(length);
  }
  return {};
}

// Multiply by the chirp, convolve by two transforms, and multiply by the chirp again.
template <typename T>
Status FftPlan<T>::RunChirp(i64 width, const EvalContext& context) {
  const i64 length = FftConvolutionLength(n_);
  double *re = convolution_->re(), *im = convolution_->im();
  for (i64 j = 0; j < n_; ++j) {
    for (i64 i = j * width; i < (j + 1) * width; ++i) {
      const Turned<double> x(chirp_.re[j], chirp_.im[j], values_.re[i], values_.im[i]);
      re[i] = x.re;
      im[i] = x.im;
    }
  }
  std::fill(re + n_ * width, re + length * width, 0.0);
  std::fill(im + n_ * width, im + length * width, 0.0);
  AXLE_TRY(convolution_->Run(width, context));
  // The inverse transform is the forward one with the parts exchanged, before and after.
  re = convolution_->re();
  im = convolution_->im();
  for (i64 k = 0; k < length; ++k) {
    for (i64 i = k * width; i < (k + 1) * width; ++i) {
      const Turned<double> x(filter_.re[k], filter_.im[k], re[i], im[i]);
      re[i] = x.im;
      im[i] = x.re;
    }
  }
  AXLE_TRY(convolution_->Run(width, context));
  re = convolution_->im();
  im = convolution_->re();
  for (i64 k = 0; k < n_; ++k) {
    for (i64 i = k * width; i < (k + 1) * width; ++i) {
      const Turned<double> x(chirp_.re[k], chirp_.im[k], re[i], im[i]);
      values_.re[i] = static_cast<T>(x.re);
      values_.im[i] = static_cast<T>(x.im);
    }
  }
  return {};
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace axle

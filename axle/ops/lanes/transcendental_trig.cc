// Sine, cosine and tangent, for any argument: Payne-Hanek reduction in floating point.
//
// x 2/pi is wanted modulo 4 only, so the bits of 2/pi whose product with x is a multiple of 4 can
// be left out. Which bits these are depends on the exponent of x alone: a window of 2/pi is picked
// by selects, and the products of x with its pieces are summed as exactly as the worst argument
// needs. The nearest that a non-zero f32 (f64) comes to a multiple of pi/2 is about 2^-29 (2^-61).
//
// With x 2/pi = n + fraction: sin x is sin, cos, -sin, -cos of r = fraction pi/2 for n mod 4 =
// 0..3. Coefficients are minimax fits of ours (tests/accuracy/coefficients.sollya).
#include <algorithm>
#include <array>

#include "axle/ops/lanes/lane_math.h"
#include "axle/ops/lanes/transcendental_pairs.h"

namespace axle {
namespace {

// Adding it rounds |x| < 2^51 to an integer, which stays in the low bits of the sum.
constexpr double kShifter = 0x1.8p52;

struct ReducedAngle {
  Lane r;         // |r| <= pi/4 and a little
  Lane r_low;     // what rounding left of r
  Lane quadrant;  // an integer; the lowest two bits count
};

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4, in r^2 <= 0.617.
// Relative error of the whole: 2^-30.9 and 2^-29.9 in f32, 2^-60.9 and 2^-60.5 in f64.
constexpr double kSinF32[] = {-0x1.555556p-3, 0x1.111198p-7, -0x1.a08312p-13, 0x1.8777ep-19};
constexpr double kCosF32[] = {0x1.555554p-5, -0x1.6c129cp-10, 0x1.9bc672p-16};
constexpr double kSinF64[] = {-0x1.5555555555555p-3, 0x1.111111111101fp-7,  -0x1.a01a019fe8dfep-13,
                              0x1.71de3a10dc51fp-19, -0x1.ae63f909cfa3p-26, 0x1.60e68fae7f559p-33,
                              -0x1.8dbcc418b639ap-41};
constexpr double kCosF64[] = {0x1.5555555555555p-5,  -0x1.6c16c16c168c9p-10,
                              0x1.a01a019f37fa7p-16, -0x1.27e4fa0294bd1p-22,
                              0x1.1eeb578302a2ep-29, -0x1.90734d02b1b47p-37};

// In f64 arithmetic: 2/pi in two parts, 106 bits from the first that counts, serves while
// |x| < 2^49; each further window begins 24 bits later.
ReducedAngle ReduceF32(Lane x_f32) {
  struct Window {
    double from, high, low;
  };
  constexpr Window kWindows[] = {
      {0, 0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55},
      {0x1p49, 0x1.b9391054a7f0ap-26, -0x1.505c1596447e5p-81},
      {0x1p73, 0x1.529fc2757d1f5p-52, 0x1.a6ee06db14acdp-107},
      {0x1p97, 0x1.3abe8fa9a6eep-75, 0x1.b6c52b3278872p-129},
      {0x1p121, 0x1.ea69bb81b6c53p-97, -0x1.3361de37df00dp-151},
  };
  const Lane x = FloatToFloat(LaneType::kF64, x_f32), size = Abs(x);
  Lane high = x.Like(kWindows[0].high), low = x.Like(kWindows[0].low);
  for (const Window& window : std::span(kWindows).subspan(1)) {
    const Lane beyond = size >= window.from;
    high = Select(beyond, x.Like(window.high), high);
    low = Select(beyond, x.Like(window.low), low);
  }
  const LanePair product = TwoProduct(x, high);
  const Lane shifted = product.high + kShifter;
  const Lane fraction = (product.high - (shifted - kShifter)) + Fma(x, low, product.low);
  const Lane angle = fraction * 0x1.921fb54442d18p+0;
  const Lane r = FloatToFloat(LaneType::kF32, angle);
  const Lane r_low = FloatToFloat(LaneType::kF32, angle - FloatToFloat(LaneType::kF64, r));
  return {r, r_low, Resize(LaneType::kU32, BitsOf(shifted))};
}

// 2/pi in pieces of 53 bits: piece j is kTwoOverPi[j] 2^(-53 j).
constexpr double kTwoOverPi[] = {
    0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-1, 0x1.a6ee06db14accp-1, 0x1.3c439041fe516p-1,
    0x1.d5ef5de2b0db8p-3, 0x1.2371d2126e970p-2, 0x1.924bba8274600p-8, 0x1.21cfe1deb1cb1p-1,
    0x1.4d39f74411af8p-3, 0x1.4baed1213a671p-1, 0x1.8135a2fbf209cp-1, 0x1.91d639835339fp-1,
    0x1.272117e2ef7e4p-2, 0x1.41d8ffc4bffeep-2, 0x1.02cc07f79788cp-1, 0x1.6b414da3eda6cp-2,
    0x1.fb3c9f2c26dd2p-2, 0x1.d18fd9a797fa8p-1, 0x1.6ba93dd63f5f2p-1, 0x1.f17b3d0739f78p-1,
    0x1.4a525d4d7f6bfp-1, 0x1.88fc6ae842b00p-2, 0x1.98237e3db5d5fp-1,
};
constexpr int kPieceBits = 53;
constexpr int kNumPieces = 5;  // of a window: at least 265 - 54 - 53 = 158 bits below the point

// Exact: the multiple of 4 that is nearest is subtracted by an fma.
Lane ModuloFour(Lane x) {
  return Fma(Rint(x * 0.25), x.Like(-4), x);
}

// The pieces j .. j + 4 of 2/pi, j <= 18. Halves the array at every step, by one bit of j.
std::array<Lane, kNumPieces> PickPieces(Lane like, Lane j) {
  std::array<Lane, std::size(kTwoOverPi)> pieces;
  for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = like.Like(kTwoOverPi[i]);
  size_t reachable = pieces.size();  // beyond, a piece is never picked
  for (size_t step = 16; step > 0; step /= 2) {
    const Lane skip = (j & step) != 0;
    const size_t needed = kNumPieces + step - 1;
    for (size_t i = 0; i < needed && i + step < reachable; ++i) {
      pieces[i] = Select(skip, pieces[i + step], pieces[i]);
    }
    reachable = std::min(reachable, needed);
  }
  std::array<Lane, kNumPieces> picked;
  std::copy_n(pieces.begin(), kNumPieces, picked.begin());
  return picked;
}

// x = M 2^E with an integer M < 2^53. The first j pieces are left out, j = floor((E - 2) / 53) (0
// if negative): their products with x are multiples of 4. The rest is a sum of x 2^(-53 (j + i))
// times piece i of the window.
ReducedAngle ReduceF64(Lane x) {
  const Lane exponent = (BitsOf(x) >> 52) & 0x7ff;  // E + 1075
  const Lane above = Select(exponent > 1077, exponent - 1077, exponent.Like(0));
  const Lane j = (above * 1237) >> 16;  // above / 53, for above <= 969
  const std::array<Lane, kNumPieces> piece = PickPieces(x, j);
  Lane scaled = x * Bitcast(LaneType::kF64, (1023 - j * kPieceBits) << 52);  // exact

  std::array<LanePair, kNumPieces> product;
  for (int i = 0; i < kNumPieces; ++i) {
    product[i] = TwoProduct(scaled, piece[i]);
    scaled = scaled * 0x1p-53;
  }
  // Magnitudes: the products are below 2^107, 2^54, 2, 2^-52, 2^-105, their low parts 2^-53 of
  // that. First the terms that can reach past the point; what each sum loses is kept.
  const LanePair first = FastTwoSum(ModuloFour(product[0].high), ModuloFour(product[0].low));
  const LanePair second = TwoSum(first.high, ModuloFour(product[1].high));
  const LanePair third = TwoSum(second.high, product[1].low);
  const LanePair fourth = TwoSum(third.high, product[2].high);
  const Lane shifted = fourth.high + kShifter;
  const Lane fraction = fourth.high - (shifted - kShifter);
  // Then the small ones, again with what is lost: after cancellation they may be all there is.
  Lane small = first.low, lost = product[3].low + product[4].high;
  for (Lane term : {second.low, third.low, fourth.low, product[2].low, product[3].high}) {
    const LanePair sum = TwoSum(small, term);
    small = sum.high;
    lost = lost + sum.low;
  }
  LanePair total = TwoSum(fraction, small);
  total = FastTwoSum(total.high, total.low + lost);

  // Times pi/2 in two parts.
  const Lane half_pi = x.Like(0x1.921fb54442d18p+0), half_pi_low = x.Like(0x1.1a62633145c07p-54);
  const LanePair r = TwoProduct(total.high, half_pi);
  const Lane r_low = Fma(total.high, half_pi_low, Fma(total.low, half_pi, r.low));
  return {r.high, r_low, BitsOf(shifted)};
}

// One reduction per type; both leave r as two parts.
ReducedAngle Reduce(Lane x) {
  return x.type() == LaneType::kF64 ? ReduceF64(x) : ReduceF32(x);
}

// sin(r + r_low) = r + r_low (1 - r^2 / 2) + r^3 S(r^2).
Lane SinNearZero(const ReducedAngle& a, Lane square) {
  const bool f64 = a.r.type() == LaneType::kF64;
  const Lane tail = f64 ? Polynomial(square, kSinF64) : Polynomial(square, kSinF32);
  const Lane low = Fma(square * -0.5, a.r_low, a.r_low);
  return a.r + Fma(square * a.r, tail, low);
}

// cos(r + r_low) = 1 - r^2 / 2 - r r_low + r^4 C(r^2); the first difference keeps its rounding
// error.
Lane CosNearZero(const ReducedAngle& a, Lane square) {
  const bool f64 = a.r.type() == LaneType::kF64;
  const Lane tail = f64 ? Polynomial(square, kCosF64) : Polynomial(square, kCosF32);
  const Lane half = square * 0.5, sum = 1.0 - half;
  const Lane lost = (1.0 - sum) - half;
  return sum + Fma(square * square, tail, Fma(-a.r, a.r_low, lost));
}

// sin(x) where x is the angle in quadrant 0.
Lane SinOfQuadrant(const ReducedAngle& angle, Lane quadrant) {
  const Lane square = angle.r * angle.r;
  const Lane magnitude =
      Select((quadrant & 1) == 0, SinNearZero(angle, square), CosNearZero(angle, square));
  return Select((quadrant & 2) == 0, magnitude, -magnitude);
}

}  // namespace

Lane Sin(Lane x) {
  const ReducedAngle angle = Reduce(x);
  // Near 0 the result is x to the last bit; this also keeps -0 and subnormals.
  return Select(Abs(x) < PerType(x, 0x1p-30, 0x1p-60), x, SinOfQuadrant(angle, angle.quadrant));
}

// cos x is sin of the next quadrant.
Lane Cos(Lane x) {
  const ReducedAngle angle = Reduce(x);
  return SinOfQuadrant(angle, angle.quadrant + 1);
}

namespace {

// Sine and cosine of the reduced angle, as pairs. What the formulas above round is kept.
SineAndCosine NearZero(const ReducedAngle& a) {
  const bool f64 = a.r.type() == LaneType::kF64;
  const LanePair z = TwoProduct(a.r, a.r);
  const Lane sin_tail = f64 ? Polynomial(z.high, kSinF64) : Polynomial(z.high, kSinF32);
  const Lane cos_tail = f64 ? Polynomial(z.high, kCosF64) : Polynomial(z.high, kCosF32);
  const Lane sin_low = Fma(z.high * -0.5, a.r_low, a.r_low);
  const LanePair sin = FastTwoSum(a.r, Fma(z.high * a.r, sin_tail, sin_low));
  // cos - 1 = -z / 2 + (z^2 C - r r_low).
  const Lane cos_low = Fma(z.low, a.r.Like(-0.5), -(a.r * a.r_low));
  const LanePair difference = FastTwoSum(z.high * -0.5, Fma(z.high * z.high, cos_tail, cos_low));
  const LanePair sum = FastTwoSum(a.r.Like(1), difference.high);
  return {sin, {sum.high, sum.low + difference.low}, difference};
}

}  // namespace

// The low part of the argument is added after the reduction, since it is small compared with a
// quarter turn.
SineAndCosine SineAndCosineOf(LanePair x) {
  ReducedAngle angle = Reduce(x.high);
  const LanePair r = TwoSum(angle.r, angle.r_low + x.low);  // x.low may be the larger of the three
  angle.r = r.high;
  angle.r_low = r.low;
  const Lane tiny = Abs(x.high) < PerType(x.high, 0x1p-30, 0x1p-60);
  angle.r = Select(tiny, x.high, angle.r);  // keeps -0 and subnormals
  angle.r_low = Select(tiny, x.low, angle.r_low);
  const SineAndCosine first = NearZero(angle);
  const Lane odd = (angle.quadrant & 1) != 0;
  const Lane negative_sin = (angle.quadrant & 2) != 0;
  const Lane negative_cos = negative_sin ^ odd;
  const LanePair sin = Select(odd, first.cos, first.sin);
  const LanePair cos = Select(odd, first.sin, first.cos);
  const LanePair signed_cos = Select(negative_cos, Negate(cos), cos);
  return {Select(negative_sin, Negate(sin), sin), signed_cos,
          Select(odd | negative_cos, Add(signed_cos, PairOf(x.high.Like(-1))), first.cos_minus_1)};
}

// tan = sin / cos in even quadrants, -cos / sin in odd ones.
Lane Tan(Lane x) {
  const ReducedAngle angle = Reduce(x);
  const SineAndCosine first = NearZero(angle);
  const Lane odd = (angle.quadrant & 1) != 0;
  const LanePair quotient =
      Divide(Select(odd, Negate(first.cos), first.sin), Select(odd, first.sin, first.cos));
  return Select(Abs(x) < PerType(x, 0x1p-30, 0x1p-60), x, Rounded(quotient));
}

}  // namespace axle

// Power: x^y = e^(y log |x|) with a logarithm precise enough to survive the product, and C's table
// of special cases on top.
#include "axle/ops/lane_math.h"
#include "axle/ops/transcendental_log.h"

namespace axle {
namespace {

// log2(1 + f) / f on [sqrt(1/2) - 1, sqrt(2) - 1] and (2^r - 1) / r on [-1/2, 1/2], for use in f64
// where the result is f32. Relative error of log2 and of 1 + r P: 2^-35.8 and 2^-33.3.
constexpr double kLog2[] = {0x1.71547652a1e5fp0,   -0x1.71547656603a4p-1, 0x1.ec709ebbb2437p-2,
                            -0x1.71547092b0d19p-2, 0x1.277651f04caep-2,   -0x1.ec72b7ced7958p-3,
                            0x1.a63f487adc831p-3,  -0x1.71413cd5a1e02p-3, 0x1.4528be1af0851p-3,
                            -0x1.25314f3d3edc8p-3, 0x1.2875b60a2c721p-3,  -0x1.24811390ed7dap-3,
                            0x1.3cc9c03f0ff17p-4};
constexpr double kExp2[] = {0x1.62e42fefd33f9p-1, 0x1.ebfbe04547a9p-3,   0x1.c6b08cb12d958p-5,
                            0x1.3b2a1c16bda22p-7, 0x1.5d88bdd859605p-10, 0x1.443f81c4f984dp-13,
                            0x1.ffcbdd822c7e1p-17};

// |x|^y for |x| neither 0 nor infinite, where the f64 format has room to spare.
Lane MagnitudeF32(Lane x_f32, Lane y_f32) {
  const Lane x = FloatToFloat(LaneType::kF64, Abs(x_f32));
  const Lane y = FloatToFloat(LaneType::kF64, y_f32);
  const LogParts parts = SplitLog(x);
  const Lane f = parts.m - 1.0;
  const Lane log2_x = Fma(f, Polynomial(f, kLog2), parts.k);
  // Beyond these bounds the result is 0 or inf in f32.
  const Lane exponent = Clamp(x.Like(-160), y * log2_x, x.Like(160));
  const Lane shifted = exponent + 0x1.8p52;
  const Lane r = exponent - (shifted - 0x1.8p52);
  const Lane scale = Bitcast(LaneType::kF64, (BitsOf(shifted) + 1023) << 52);
  const Lane exp2_r = Fma(r, Polynomial(r, kExp2), r.Like(1));  // powers of 2 are exact
  return FloatToFloat(LaneType::kF32, exp2_r * scale);
}

// (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2, |s| <= 0.1716. Relative error of the
// whole: 2^-69.2.
constexpr double kLogTail[] = {0x1.999999999999ap-2, 0x1.24924924922fcp-2, 0x1.c71c71c74d1cp-3,
                               0x1.745d173c57417p-3, 0x1.3b13aa0342a94p-3, 0x1.11154601f4b17p-3,
                               0x1.e01b9e2a1bb45p-4, 0x1.da9000072fdbp-4};

// log x for positive finite x, with a relative error of about 2^-65.
LanePair LogPair(Lane x) {
  const LogParts parts = SplitLog(x);
  const Lane m = parts.m, k = parts.k;
  // s = (m - 1) / (m + 1): the numerator is exact, denominator and quotient are pairs.
  const Lane f = m - 1.0;
  const LanePair denominator = FastTwoSum(x.Like(1), m);
  const Lane reciprocal = 1.0 / denominator.high;
  const Lane s = f * reciprocal;
  const Lane s_low = Fma(-s, denominator.low, Fma(-s, denominator.high, f)) * reciprocal;
  const LanePair square = TwoProduct(s, s);
  const Lane square_low = Fma(s + s, s_low, square.low);
  // 2/3 + s^2 tail, a pair.
  const LanePair c =
      FastTwoSum(x.Like(0x1.5555555555555p-1), square.high * Polynomial(square.high, kLogTail));
  const Lane c_low = c.low + 0x1.5555555555555p-55;
  // log m = 2 s + s (s^2 c).
  const LanePair sc = TwoProduct(square.high, c.high);
  const Lane sc_low = sc.low + Fma(square.high, c_low, square_low * c.high);
  const LanePair cubic = TwoProduct(s, sc.high);
  const Lane cubic_low = cubic.low + Fma(s, sc_low, s_low * sc.high);
  const LanePair log_m = FastTwoSum(s + s, cubic.high);
  const Lane log_m_low = log_m.low + Fma(s_low, x.Like(2), cubic_low);
  // ln 2 = 0x1.62e42fefa38p-1 + 0x1.ef35793c7673p-45; the first product is exact.
  const LanePair sum = FastTwoSum(k * 0x1.62e42fefa38p-1, log_m.high);
  return FastTwoSum(sum.high, sum.low + Fma(k, x.Like(0x1.ef35793c7673p-45), log_m_low));
}

// As MagnitudeF32.
Lane MagnitudeF64(Lane x, Lane y_any) {
  // |log x| is at least 2^-53, so beyond 2^65 the result is 0 or inf (or |x| = 1) whatever y is.
  const Lane y = Clamp(x.Like(-0x1p65), y_any, x.Like(0x1p65));
  const LanePair log_x = LogPair(Abs(x));
  const LanePair product = TwoProduct(y, log_x.high);
  const Lane inside = Abs(product.high) < 800.0;
  const Lane low = Select(inside, Fma(y, log_x.low, product.low), x.Like(0));
  return ExpOfSum({product.high, low});
}

}  // namespace

Lane Power(Lane x, Lane y) {
  const Lane size = Abs(x);
  Lane result = x.type() == LaneType::kF64 ? MagnitudeF64(x, y) : MagnitudeF32(x, y);
  const Lane is_zero = size == 0.0;
  const Lane at_edge = is_zero | (size == kInfinity);
  result = Select(at_edge, Select(is_zero ^ (y < 0.0), x.Like(0), x.Like(kInfinity)), result);
  result = Select(size == 1.0, x.Like(1), result);  // for infinite y

  // Negative bases: -0 and -inf count, except that they are not undefined anywhere.
  const Lane half_y = y * 0.5;
  const Lane is_integer = Floor(y) == y;  // infinities are even integers
  const Lane is_odd = is_integer & (Floor(half_y) != half_y);
  result = Select(is_odd, WithSignOf(x, result), result);
  const Lane undefined = (x < 0.0) & (size < kInfinity) & !is_integer;
  result = Select(undefined | IsNan(x) | IsNan(y), x.Like(kNan), result);
  return Select((y == 0.0) | (x == 1.0), x.Like(1), result);
}

Lane IntegerPower(Lane x, Lane y) {
  // Square and multiply, a bit of y at a time; 2^(N - 1) and beyond included.
  const int width = BitsOf(x.type());
  const Lane exponent = Bitcast(UnsignedOf(y.type()), y);
  Lane result = x.Like(1), square = x;
  for (int bit = 0; bit < width; ++bit) {
    const Lane wanted = ((exponent >> bit) & 1) != 0;
    result = Select(wanted, result * square, result);
    if (bit + 1 < width) square = square * square;
  }
  if (!IsSigned(x.type())) return result;
  // A negative exponent: 1 and -1 are their own inverses, and y mod 2 is that of -y.
  const Lane unit = (x == 1) | (x == -1);
  return Select((y < 0) & !unit, x.Like(0), result);
}

}  // namespace axle

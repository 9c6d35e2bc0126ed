// Power: x^y = e^(y log |x|) with a logarithm precise enough to survive the product, and C's table
// of special cases on top.
//
// f32 is computed in f64, which has enough bits for the product y log2 x. f64 needs the logarithm
// as a pair (LogPair): the integral part of the product takes up to 10 bits, and the bits after it
// decide about the rounding. Integer powers are repeated squaring with selects.
#include "axle/ops/lanes/lane_math.h"
#include "axle/ops/lanes/transcendental_log.h"

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

// The magnitude comes first; then edges, signs, and the undefined cases, in the order in which C's
// table overrides them.
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

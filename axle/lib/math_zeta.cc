// The incomplete beta function by its continued fraction (DLMF 8.17.22), evaluated by Lentz'
// method; the Hurwitz zeta function by the sum of its first terms and Euler and Maclaurin's rest.
#include "axle/lib/math.h"
#include "axle/lib/math_gamma.h"
#include "axle/lib/value.h"

namespace axle {
namespace {

constexpr double kEpsilon = 2.220446049250313e-16;
constexpr double kTiny = 1e-300;

Value AwayFromZero(const Value& x) {
  return Select(Abs(x) < kTiny, kTiny, x);
}

// The fraction that x^a (1 - x)^b / (a B(a, b)) is multiplied with; converges for
// x < (a + 1) / (a + b + 2).
Value BetaFraction(const Value& a, const Value& b, const Value& x, const Value& enabled) {
  enum { kEnabled, kM, kC, kD, kH, kA, kB, kX };
  const Value d0 = 1.0 / AwayFromZero(1.0 - (a + b) * x / (a + 1.0));
  const std::vector<Value> init = {enabled, a.Full(1), a.Full(1), d0, d0, a, b, x};
  const std::vector<Value> last = Iterate("betainc", init, 2000, [&](std::span<const Value> v) {
    const Value &m = v[kM], &a = v[kA], &b = v[kB], &x = v[kX];
    const Value even = m * (b - m) * x / ((a - 1.0 + 2.0 * m) * (a + 2.0 * m));
    const Value d_even = 1.0 / AwayFromZero(1.0 + even * v[kD]);
    const Value c_even = AwayFromZero(1.0 + even / v[kC]);
    const Value odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 1.0 + 2.0 * m));
    const Value d = 1.0 / AwayFromZero(1.0 + odd * d_even);
    const Value c = AwayFromZero(1.0 + odd / c_even);
    const Value change = d * c;
    const Value goes_on = Abs(change - 1.0) > kEpsilon;
    return std::vector<Value>{goes_on, m + 1.0, c, d, v[kH] * d_even * c_even * change, a, b, x};
  });
  return last[kH];
}

// (2k)! / B_2k, k = 1, 2, ...
constexpr double kEulerMaclaurin[] = {12.0,
                                      -720.0,
                                      30240.0,
                                      -1209600.0,
                                      47900160.0,
                                      -1307674368000.0 / 691.0,
                                      74724249600.0,
                                      -10670622842880000.0 / 3617.0,
                                      5109094217170944000.0 / 43867.0,
                                      -802857662698291200000.0 / 174611.0,
                                      14101100039391805440000.0 / 77683.0,
                                      -1693824136731743669452800000.0 / 236364091.0};

Value ZetaOf(const Value& x, const Value& q) {
  const Value is_integral = Floor(q) == q;
  const Value outside = (x != x) | (q != q) | (x < 1) | ((q <= 0) & !is_integral & (Floor(x) != x));
  const Value infinite = (x == 1) | ((q <= 0) & is_integral);
  const Value done = outside | infinite;
  // Terms of negative q one by one, until q is positive.
  enum { kEnabled, kQ, kSum, kX };
  const std::vector<Value> shifted =
      Iterate("zeta_shift", {(q < 0) & !done, Select(done, q.Full(1), q), q.Full(0), x}, 1000,
              [](std::span<const Value> v) {
                const Value next = v[kQ] + 1.0;
                return std::vector<Value>{next < 0, next, v[kSum] + Pow(v[kQ], -v[kX]), v[kX]};
              });
  const Value safe_x = Select(done, x.Full(2), x);
  Value sum = shifted[kSum], base = shifted[kQ], term = Pow(base, -safe_x);
  sum = sum + term;
  for (int i = 0; i < 9; ++i) {
    base = base + 1.0;
    term = Pow(base, -safe_x);
    sum = sum + term;
  }
  sum = sum + term * base / (safe_x - 1.0) - 0.5 * term;
  Value factor = x.Full(1);
  double k = 0;
  for (double coefficient : kEulerMaclaurin) {
    factor = factor * (safe_x + k);
    term = term / base;
    // The factors of a large x overflow where the term has long been 0.
    sum = sum + Select(term == 0, 0.0, factor * term / coefficient);
    factor = factor * (safe_x + (k + 1));
    term = term / base;
    k += 2;
  }
  // 1 / x of infinity: (q + k)^-inf.
  const Value limit = Select(q > 1, x.Full(0), Select(q == 1, x.Full(1), kInfinity));
  const Value result = Select(x == kInfinity, limit, sum);
  return Select(outside, kNan, Select(infinite, kInfinity, result));
}

}  // namespace

XlaOp RegularizedIncompleteBeta(XlaOp a_op, XlaOp b_op, XlaOp x_op, Location location) {
  return InDouble("betainc", {a_op, b_op, x_op}, location, [](std::span<const Value> v) {
    const Value &a = v[0], &b = v[1], &x = v[2];
    const Value outside = (a != a) | (b != b) | (x != x) | (a <= 0) | (b <= 0) | (x < 0) | (x > 1) |
                          (a == kInfinity) | (b == kInfinity);
    const Value at_end = (x == 0) | (x == 1);
    const Value enabled = !(outside | at_end);
    // I_x(a, b) = 1 - I_{1-x}(b, a), whichever fraction converges.
    const Value swaps = x >= (a + 1.0) / (a + b + 2.0);
    const Value p = Select(enabled, Select(swaps, b, a), 1.0);
    const Value q = Select(enabled, Select(swaps, a, b), 1.0);
    const Value y = Select(enabled, Select(swaps, 1.0 - x, x), 0.5);
    const Value safe_x = Select(enabled, x, 0.5);
    const Value log_y = Select(swaps, Log1p(-safe_x), Log(safe_x));
    const Value log_rest = Select(swaps, Log(safe_x), Log1p(-safe_x));
    const Value log_beta = LgammaOf(p) + LgammaOf(q) - LgammaOf(p + q);
    const Value scale = Exp(p * log_y + q * log_rest - log_beta) / p;
    const Value value = scale * BetaFraction(p, q, y, enabled);
    const Value inside = Select(swaps, 1.0 - value, value);
    return Select(outside, kNan, Select(at_end, x, inside));
  });
}

XlaOp Zeta(XlaOp x, XlaOp q, Location location) {
  return InDouble("zeta", {x, q}, location,
                  [](std::span<const Value> v) { return ZetaOf(v[0], v[1]); });
}

XlaOp Polygamma(XlaOp n, XlaOp x, Location location) {
  return InDouble("polygamma", {n, x}, location, [](std::span<const Value> v) {
    const Value &n = v[0], &x = v[1];
    const Value is_even = Floor(n * 0.5) * 2.0 == n;
    const Value magnitude = Exp(LgammaOf(n + 1.0)) * ZetaOf(n + 1.0, x);
    const Value value = Select(n == 0, DigammaOf(x), Select(is_even, -magnitude, magnitude));
    return Select((n < 0) | (Floor(n) != n), kNan, value);
  });
}

}  // namespace axle

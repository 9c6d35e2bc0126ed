// Erfc and ErfInv by rational approximations.
#include "axle/lib/math.h"
#include "axle/lib/value.h"

namespace axle {
namespace {

// erfc(x) exp(x^2) = P(x) / Q(x) on [1, 8], R(x) / S(x) beyond: the coefficients of Cephes.
constexpr double kP[] = {
    2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
    4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
    9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
constexpr double kQ[] = {1.0,
                         1.32281951154744992508e1,
                         8.67072140885989742329e1,
                         3.54937778887819891062e2,
                         9.75708501743205489753e2,
                         1.82390916687909736289e3,
                         2.24633760818710981792e3,
                         1.65666309194161350182e3,
                         5.57535340817727675546e2};
constexpr double kR[] = {5.64189583547755073984e-1, 1.27536670759978104416e0,
                         5.01905042251180477414e0,  6.16021097993053585195e0,
                         7.40974269950448939160e0,  2.97886665372100240670e0};
constexpr double kS[] = {1.0,
                         2.26052863220117276590e0,
                         9.39603524938001434673e0,
                         1.20489539808096656605e1,
                         1.70814450747565897222e1,
                         9.60896809063285878198e0,
                         3.36907645100081516050e0};

// The quantile of the normal distribution: Wichura, algorithm AS 241, PPND16.
constexpr double kCenterA[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                               6.7265770927008700853e+4, 4.5921953931549871457e+4,
                               1.3731693765509461125e+4, 1.9715909503065514427e+3,
                               1.3314166789178437745e+2, 3.3871328727963666080e0};
constexpr double kCenterB[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                               3.9307895800092710610e+4, 2.1213794301586595867e+4,
                               5.3941960214247511077e+3, 6.8718700749205790830e+2,
                               4.2313330701600911252e+1, 1.0};
constexpr double kMiddleC[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                               2.41780725177450611770e-1, 1.27045825245236838258e0,
                               3.64784832476320460504e0,  5.76949722146069140550e0,
                               4.63033784615654529590e0,  1.42343711074968357734e0};
constexpr double kMiddleD[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                               1.51986665636164571966e-2, 1.48103976427480074590e-1,
                               6.89767334985100004550e-1, 1.67638483018380384940e0,
                               2.05319162663775882187e0,  1.0};
constexpr double kTailE[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                             1.24266094738807843860e-3, 2.65321895265761230930e-2,
                             2.96560571828504891230e-1, 1.78482653991729133580e0,
                             5.46378491116411436990e0,  6.65790464350110377720e0};
constexpr double kTailF[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                             1.84631831751005468180e-5,  7.86869131145613259100e-4,
                             1.48753612908506148525e-2,  1.36929880922735805310e-1,
                             5.99832206555887937690e-1,  1.0};

// exp(-x^2), x >= 0, with an error of few units: x^2 is m^2, which is exact, and a rest.
Value ExpMinusSquare(const Value& x) {
  const Value m = Floor(x * 128.0 + 0.5) * (1.0 / 128), rest = x - m;
  return Exp(-(m * m)) * Exp(-(rest * (m + x)));
}

}  // namespace

XlaOp Erfc(XlaOp x_op, Location location) {
  return InDouble("erfc", {x_op}, location, [](std::span<const Value> v) {
    const Value& x = v[0];
    // erfc(28) is below the least number; beyond, the polynomials would run into infinities.
    const Value magnitude = Min(Abs(x), x.Like(28));
    const Value scaled =
        Select(magnitude < 8, Polynomial(magnitude, kP) / Polynomial(magnitude, kQ),
               Polynomial(magnitude, kR) / Polynomial(magnitude, kS));
    const Value tail = ExpMinusSquare(magnitude) * scaled;
    return Select(Abs(x) < 1, 1.0 - Erf(x), Select(x < 0, 2.0 - tail, tail));
  });
}

XlaOp ErfInv(XlaOp x_op, Location location) {
  return InDouble("erfinv", {x_op}, location, [](std::span<const Value> v) {
    const Value& x = v[0];
    // The quantile of (x + 1) / 2, divided by the square root of 2.
    const Value q = 0.5 * x;
    const Value r = 0.180625 - q * q;
    const Value center = q * (Polynomial(r, kCenterA) / Polynomial(r, kCenterB));
    const Value tail_mass = 0.5 * (1.0 - Abs(x));  // exact where it is used
    const Value t = Sqrt(-Log(tail_mass));
    const Value middle = Polynomial(t - 1.6, kMiddleC) / Polynomial(t - 1.6, kMiddleD);
    const Value far = Polynomial(t - 5.0, kTailE) / Polynomial(t - 5.0, kTailF);
    const Value side = Select(t <= 5, middle, far);
    const Value quantile = Select(Abs(q) <= 0.425, center, Sign(x) * side);
    const Value result = quantile * 0.70710678118654752440;
    return Select(Abs(x) == 1, x * kInfinity, Select(Abs(x) > 1, kNan, result));
  });
}

}  // namespace axle

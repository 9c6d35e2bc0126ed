#include "tests/accuracy/accuracy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace axle {
namespace {

constexpr mpfr_prec_t kPrecision = 200;

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kFractionBits = 23, kMinExponent = -126, kMaxExponent = 128;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kFractionBits = 52, kMinExponent = -1022, kMaxExponent = 1024;
};

// An MPFR number that frees itself.
struct Number {
  Number() { mpfr_init2(value, kPrecision); }
  explicit Number(double x) : Number() { mpfr_set_d(value, x, MPFR_RNDN); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  mpfr_t value;
};

double LogisticReference(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}
void LogisticExact(mpfr_t y, const mpfr_t x) {
  mpfr_neg(y, x, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}
// Not mpfr_rec_sqrt, which gives +inf for -0.
void RsqrtExact(mpfr_t y, const mpfr_t x) {
  mpfr_sqrt(y, x, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

constexpr UnaryFunction kFunctions[] = {
    {"exponential", Exp, [](double x) { return std::exp(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_exp(y, x, MPFR_RNDN); }},
    {"exponential-minus-one", ExpMinusOne, [](double x) { return std::expm1(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_expm1(y, x, MPFR_RNDN); }},
    {"log", Log, [](double x) { return std::log(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_log(y, x, MPFR_RNDN); }},
    {"log-plus-one", LogPlusOne, [](double x) { return std::log1p(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_log1p(y, x, MPFR_RNDN); }},
    {"tanh", Tanh, [](double x) { return std::tanh(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_tanh(y, x, MPFR_RNDN); }},
    {"logistic", Logistic, LogisticReference, LogisticExact},
    {"erf", Erf, [](double x) { return std::erf(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_erf(y, x, MPFR_RNDN); }},
    {"sqrt", [](Lane x) { return Sqrt(x); }, [](double x) { return std::sqrt(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_sqrt(y, x, MPFR_RNDN); }},
    {"rsqrt", Rsqrt, [](double x) { return 1 / std::sqrt(x); }, RsqrtExact},
    {"sine", Sin, [](double x) { return std::sin(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_sin(y, x, MPFR_RNDN); }},
    {"cosine", Cos, [](double x) { return std::cos(x); },
     [](mpfr_t y, const mpfr_t x) { mpfr_cos(y, x, MPFR_RNDN); }},
};

void Run(BlockExecutor& executor, const LaneProgram& program, std::span<const void* const> inputs,
         void* output, size_t count) {
  const Status status = executor.Run(program, inputs, {&output, 1}, static_cast<i64>(count));
  if (!status.ok()) std::abort();
}

// True where the f64 reference says that an error may be the largest so far: then MPFR decides.
// Half an ulp is no error, so values below that are not looked at.
bool MayBeWorst(double error, const Worst& worst) {
  constexpr double kSlack = 1e-6;  // in f32 ulps: hundreds of f64 ulps of the reference
  return !(error < std::max(worst.ulp, 0.5) - kSlack);
}

}  // namespace

std::span<const UnaryFunction> UnaryFunctions() {
  return kFunctions;
}

double PowerReference(double x, double y) {
  return std::pow(x, y);
}

LaneProgram ProgramOf(Lane (*f)(Lane), LaneType type) {
  LaneBuilder builder;
  const Lane result = f(builder.Input(type));
  return std::move(builder).Finish({&result, 1});
}

LaneProgram ProgramOf(Lane (*f)(Lane, Lane), LaneType type) {
  LaneBuilder builder;
  const Lane x = builder.Input(type), y = builder.Input(type);
  const Lane result = f(x, y);
  return std::move(builder).Finish({&result, 1});
}

double UlpError(float actual, double exact) {
  if (std::isnan(exact) || std::isnan(actual)) {
    return std::isnan(exact) && std::isnan(actual) ? 0 : INFINITY;
  }
  if (actual == 0 && std::signbit(actual) != std::signbit(exact)) return INFINITY;
  const double value = std::isinf(actual) ? std::copysign(0x1p128, actual) : actual;
  exact = std::clamp(exact, -0x1p128, 0x1p128);
  if (exact == value) return 0;
  const std::uint64_t field = std::bit_cast<std::uint64_t>(exact) >> 52 & 0x7ff;
  const int exponent = std::clamp(static_cast<int>(field) - 1023, -126, 127);
  // 1 / ulp, a power of two built from its exponent field.
  const double per_ulp =
      std::bit_cast<double>(static_cast<std::uint64_t>(1023 + 23 - exponent) << 52);
  return std::abs(value - exact) * per_ulp;
}

template <typename T>
double UlpError(T actual, const mpfr_t exact) {
  using F = Format<T>;
  if (mpfr_nan_p(exact) || std::isnan(actual)) {
    return mpfr_nan_p(exact) && std::isnan(actual) ? 0 : INFINITY;
  }
  if (actual == 0 && std::signbit(actual) != (mpfr_signbit(exact) != 0)) return INFINITY;
  Number limit, value(actual), difference;
  mpfr_set_ui_2exp(limit.value, 1, F::kMaxExponent, MPFR_RNDN);
  if (std::isinf(actual)) {
    mpfr_setsign(value.value, limit.value, std::signbit(actual), MPFR_RNDN);
  }
  int exponent = F::kMaxExponent - 1;
  if (mpfr_cmpabs(exact, limit.value) >= 0) {
    mpfr_setsign(difference.value, limit.value, mpfr_signbit(exact), MPFR_RNDN);
  } else {
    mpfr_set(difference.value, exact, MPFR_RNDN);
    exponent =
        mpfr_zero_p(exact)
            ? F::kMinExponent
            : static_cast<int>(std::max<mpfr_exp_t>(mpfr_get_exp(exact) - 1, F::kMinExponent));
  }
  mpfr_sub(difference.value, value.value, difference.value, MPFR_RNDN);
  mpfr_mul_2si(difference.value, difference.value, F::kFractionBits - exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
}

template <typename T>
double ExactUlpError(const UnaryFunction& f, T x, T actual) {
  const Number argument(x);
  Number exact;
  f.exact(exact.value, argument.value);
  return UlpError(actual, exact.value);
}

template <typename T>
double ExactPowerUlpError(T x, T y, T actual) {
  const Number base(x), exponent(y);
  Number exact;
  mpfr_pow(exact.value, base.value, exponent.value, MPFR_RNDN);
  return UlpError(actual, exact.value);
}

template double UlpError(float, const mpfr_t);
template double UlpError(double, const mpfr_t);
template double ExactUlpError(const UnaryFunction&, float, float);
template double ExactUlpError(const UnaryFunction&, double, double);
template double ExactPowerUlpError(float, float, float);
template double ExactPowerUlpError(double, double, double);

Worst MeasureF32(const UnaryFunction& f, BlockExecutor& executor, const LaneProgram& program,
                 std::span<const float> x, Worst worst) {
  std::vector<float> actual(x.size());
  const void* input = x.data();
  Run(executor, program, {&input, 1}, actual.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (!MayBeWorst(UlpError(actual[i], f.reference(x[i])), worst)) continue;
    worst.Take(ExactUlpError(f, x[i], actual[i]), x[i], 0, actual[i]);
  }
  return worst;
}

Worst MeasurePowerF32(BlockExecutor& executor, const LaneProgram& program, std::span<const float> x,
                      std::span<const float> y, Worst worst) {
  std::vector<float> actual(x.size());
  const void* inputs[] = {x.data(), y.data()};
  Run(executor, program, inputs, actual.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (!MayBeWorst(UlpError(actual[i], PowerReference(x[i], y[i])), worst)) continue;
    worst.Take(ExactPowerUlpError(x[i], y[i], actual[i]), x[i], y[i], actual[i]);
  }
  return worst;
}

Worst MeasureF64(const UnaryFunction& f, std::span<const double> x) {
  BlockExecutor executor;
  std::vector<double> actual(x.size());
  const void* input = x.data();
  Run(executor, ProgramOf(f.lane, LaneType::kF64), {&input, 1}, actual.data(), x.size());
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i) {
    worst.Take(ExactUlpError(f, x[i], actual[i]), x[i], 0, actual[i]);
  }
  return worst;
}

Worst MeasurePowerF64(std::span<const double> x, std::span<const double> y) {
  BlockExecutor executor;
  std::vector<double> actual(x.size());
  const void* inputs[] = {x.data(), y.data()};
  Run(executor, ProgramOf(Power, LaneType::kF64), inputs, actual.data(), x.size());
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i) {
    worst.Take(ExactPowerUlpError(x[i], y[i], actual[i]), x[i], y[i], actual[i]);
  }
  return worst;
}

template <typename T>
std::vector<T> SpecialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {
      0, 1, 2, 3, 4, 5, 7, 10, 0.5, 1.5, 2.5, 0.25, 1e-3f, 100, 101, Limits::min(),
      Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::max(), Limits::infinity(),
      Limits::quiet_NaN(), 1 + Limits::epsilon(), 1 - Limits::epsilon() / 2,
      // the largest odd integer and its neighbours, the largest with a fraction
      2 / Limits::epsilon() - 1, 2 / Limits::epsilon(), 4 / Limits::epsilon(),
      1 / Limits::epsilon() - T(0.5), 1 / Limits::epsilon() + 1};
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <typename T>
void PowerPair(Random& random, T& x, T& y) {
  using F = Format<T>;
  static const std::vector<T> specials = SpecialValues<T>();
  const auto any_bits = [&] {
    return std::bit_cast<T>(static_cast<typename F::Bits>(random.Next()));
  };
  const auto special = [&] { return specials[random.Next() % specials.size()]; };
  const double range = F::kMaxExponent;
  switch (random.Next() % 8) {
    case 0:
      x = any_bits(), y = any_bits();
      return;
    case 1:
      x = special(), y = special();
      return;
    case 2:
      x = special(), y = any_bits();
      return;
    case 3:
      x = any_bits(), y = special();
      return;
    case 4:  // an ordinary result of any base
      x = std::abs(any_bits());
      y = static_cast<T>(random.Uniform(-range, range) / std::log2(static_cast<double>(x)));
      return;
    case 5:  // close to overflow or underflow
      x = static_cast<T>(std::exp2(random.Uniform(-20, 20)));
      y = static_cast<T>((random.Next() % 2 ? range
                                            : 2 - range - F::kFractionBits +
                                                  random.Uniform(-3, F::kFractionBits)) /
                         std::log2(static_cast<double>(x)) * random.Uniform(0.999, 1.001));
      return;
    case 6:  // close to 1, to a large power
      x = static_cast<T>(1 +
                         random.Uniform(-1, 1) * std::exp2(random.Uniform(-F::kFractionBits, 0)));
      y = static_cast<T>(random.Uniform(-range, range) / std::log2(static_cast<double>(x)));
      return;
    default:  // moderate values, integer exponents of negative bases among them
      x = static_cast<T>(random.Uniform(-30, 30));
      y = static_cast<T>(random.Uniform(-30, 30));
      if (random.Next() % 2) y = std::rint(y);
      return;
  }
}

template std::vector<float> SpecialValues();
template std::vector<double> SpecialValues();
template void PowerPair(Random&, float&, float&);
template void PowerPair(Random&, double&, double&);

std::vector<double> InterestingDoubles(std::uint64_t seed, int64_t count) {
  Random random(seed);
  std::vector<double> centres = SpecialValues<double>();
  for (double edge : {709.782712893384, -708.3964185322641, -745.1332191019412, -36.7368005696771,
                      0.34657359027997264, 1.0397207708399179, 0.7071067811865476,
                      1.4142135623730951, 5.863584748755168, 19.06154746539849, 2.0, 0.1716,
                      // the closest that doubles of some exponents come to multiples of pi / 2
                      6381956970095103 * 0x1p797, 0x1.6ac5b262ca1ffp+849, 0x1.1p+11, 1e22, 1e300,
                      0x1p55, 0x1p107, 0x1p108, 0x1p120}) {
    centres.push_back(edge);
    centres.push_back(-edge);
  }
  std::vector<double> values;
  for (double centre : centres) {
    double up = centre, down = centre;
    for (int i = 0; i < 40; ++i) {
      values.push_back(up);
      values.push_back(down);
      up = std::nextafter(up, INFINITY);
      down = std::nextafter(down, -INFINITY);
    }
  }
  while (static_cast<int64_t>(values.size()) < count) {
    values.push_back(std::bit_cast<double>(random.Next()));
    values.push_back(random.Uniform(-1, 1));
    values.push_back(random.Uniform(-10, 10));
    values.push_back(random.Uniform(-750, 720));
    values.push_back(std::copysign(std::exp2(random.Uniform(-60, 10)), random.Uniform(-1, 1)));
    // Close to a multiple of pi / 2, of any size.
    const double n = std::rint(std::exp2(random.Uniform(0, 52)));
    values.push_back(n * 1.5707963267948966);
    values.push_back(std::fma(n, 1.5707963267948966, n * 6.123233995736766e-17));
  }
  return values;
}

}  // namespace axle

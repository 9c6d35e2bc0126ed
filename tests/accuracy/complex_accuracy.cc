#include "tests/accuracy/complex_accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

namespace axle {
namespace {

// Enough for sums of squares of moderate numbers, and of any doubles.
constexpr mpfr_prec_t kModerate = 400, kAny = 4400;
mpfr_prec_t precision = kModerate;

}  // namespace

class Real {
 public:
  Real() { mpfr_init2(value, precision); }
  Real(double x) : Real() { mpfr_set_d(value, x, MPFR_RNDN); }  // NOLINT
  Real(const Real& x) : Real() { mpfr_set(value, x.value, MPFR_RNDN); }
  Real& operator=(const Real& x) {
    mpfr_set(value, x.value, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value); }
  mpfr_t value;
};

namespace {

// clang-format off
Real operator+(const Real& a, const Real& b) { Real r; mpfr_add(r.value, a.value, b.value, MPFR_RNDN); return r; }
Real operator-(const Real& a, const Real& b) { Real r; mpfr_sub(r.value, a.value, b.value, MPFR_RNDN); return r; }
Real operator*(const Real& a, const Real& b) { Real r; mpfr_mul(r.value, a.value, b.value, MPFR_RNDN); return r; }
Real operator/(const Real& a, const Real& b) { Real r; mpfr_div(r.value, a.value, b.value, MPFR_RNDN); return r; }
Real operator-(const Real& a) { Real r; mpfr_neg(r.value, a.value, MPFR_RNDN); return r; }
// clang-format on
template <int (*kFunction)(mpfr_t, const mpfr_t, mpfr_rnd_t)>
Real Apply(const Real& x) {
  Real result;
  kFunction(result.value, x.value, MPFR_RNDN);
  return result;
}
// NOLINTBEGIN(readability-identifier-naming): formulas use them as those of the standard library
constexpr auto exp = Apply<mpfr_exp>, log = Apply<mpfr_log>, sin = Apply<mpfr_sin>,
               cos = Apply<mpfr_cos>, sinh = Apply<mpfr_sinh>, cosh = Apply<mpfr_cosh>,
               asinh = Apply<mpfr_asinh>;
// NOLINTEND(readability-identifier-naming)
Real sqrt(const Real& x) {
  Real result;
  mpfr_sqrt(result.value, x.value, MPFR_RNDN);
  return result;
}
Real atan2(const Real& y, const Real& x) {
  Real result;
  mpfr_atan2(result.value, y.value, x.value, MPFR_RNDN);
  return result;
}
bool IsNegative(const Real& x) {
  return mpfr_signbit(x.value) != 0;
}
// Far beyond overflow; so that a product with 0 is not NaN.
Real Bounded(const Real& x) {
  constexpr double kBound = 1e6;
  if (mpfr_cmp_d(x.value, kBound) > 0) return kBound;
  if (mpfr_cmp_d(x.value, -kBound) < 0) return -kBound;
  return x;
}

struct Complex {
  Real re, im;
};
Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator+(const Complex& a, const Complex& b) {
  return {a.re + b.re, a.im + b.im};
}
Complex operator/(const Complex& a, const Complex& b) {
  const Real square = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}
Complex Exp(const Complex& z) {
  const Real size = exp(Bounded(z.re));
  return {size * cos(z.im), size * sin(z.im)};
}
Complex Log(const Complex& z) {
  return {log(z.re * z.re + z.im * z.im) * 0.5, atan2(z.im, z.re)};
}
Complex Sqrt(const Complex& z) {
  if (mpfr_zero_p(z.re.value) != 0 && mpfr_zero_p(z.im.value) != 0) return {0.0, z.im};
  const Real size = sqrt(z.re * z.re + z.im * z.im);
  if (IsNegative(z.re)) {
    const Real im = sqrt((size - z.re) * 0.5);
    const Real re = z.im / (im * 2.0);
    return {IsNegative(re) ? -re : re, IsNegative(z.im) ? -im : im};
  }
  const Real re = sqrt((size + z.re) * 0.5);
  return {re, z.im / (re * 2.0)};
}
Complex Sinh(const Complex& z) {
  const Real x = Bounded(z.re);
  return {sinh(x) * cos(z.im), cosh(x) * sin(z.im)};
}
Complex Cosh(const Complex& z) {
  const Real x = Bounded(z.re);
  return {cosh(x) * cos(z.im), sinh(x) * sin(z.im)};
}
Complex Tanh(const Complex& z) {
  if (mpfr_cmp_d((z.re * z.re).value, 1e7) > 0) {  // squares of e^x would not fit
    const Real size = IsNegative(z.re) ? -z.re : z.re;
    return {IsNegative(z.re) ? -1.0 : 1.0, exp(Bounded(size * -2.0)) * sin(z.im) * cos(z.im) * 4.0};
  }
  const Real s = sinh(z.re), c = cos(z.im), d = s * s + c * c;
  return {s * cosh(z.re) / d, sin(z.im) * c / d};
}
Complex TimesI(const Complex& z) {
  return {-z.im, z.re};
}
Complex OverI(const Complex& z) {
  return {z.im, -z.re};
}
// Kahan's formulas.
Complex Asin(const Complex& z) {
  const Complex a = Sqrt({Real(1.0) - z.re, -z.im}), b = Sqrt({Real(1.0) + z.re, z.im});
  return {atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.re * b.im - a.im * b.re)};
}
Complex Acos(const Complex& z) {
  const Complex a = Sqrt({Real(1.0) - z.re, -z.im}), b = Sqrt({Real(1.0) + z.re, z.im});
  return {atan2(a.re, b.re) * 2.0, asinh(b.re * a.im - b.im * a.re)};
}
Complex Acosh(const Complex& z) {
  const Complex a = Sqrt({z.re - 1.0, z.im}), b = Sqrt({z.re + 1.0, z.im});
  return {asinh(a.re * b.re + a.im * b.im), atan2(a.im, b.re) * 2.0};
}
Complex Atanh(const Complex& z) {
  const Real minus = Real(1.0) - z.re, plus = Real(1.0) + z.re, square = z.im * z.im;
  return {log((plus * plus + square) / (minus * minus + square)) * 0.25,
          atan2(z.im * 2.0, minus * plus - square) * 0.5};
}

template <Complex (*kFunction)(const Complex&)>
void Unary(std::span<const Real> x, Real& re, Real& im) {
  const Complex result = kFunction({x[0], x[1]});
  re = result.re;
  im = result.im;
}
template <Complex (*kFunction)(const Complex&, const Complex&)>
void Binary(std::span<const Real> x, Real& re, Real& im) {
  const Complex result = kFunction({x[0], x[1]}, {x[2], x[3]});
  re = result.re;
  im = result.im;
}

Complex ExpMinusOne(const Complex& z) {
  const Complex e = Exp(z);
  return {e.re - 1.0, e.im};
}
Complex LogPlusOne(const Complex& z) {
  return Log({z.re + 1.0, z.im});
}
Complex Rsqrt(const Complex& z) {
  const Complex root = Sqrt(z);
  const Real size = sqrt(z.re * z.re + z.im * z.im);
  return {root.re / size, -root.im / size};
}
Complex Logistic(const Complex& z) {
  if (mpfr_cmp_d(z.re.value, -3000) < 0) return Exp(z);
  const Complex e = Exp({-z.re, -z.im});
  return Complex{1.0, 0.0} / Complex{e.re + 1.0, e.im};
}
Complex Sin(const Complex& z) {
  return OverI(Sinh(TimesI(z)));
}
Complex Cos(const Complex& z) {
  return Cosh(TimesI(z));
}
Complex Tan(const Complex& z) {
  return OverI(Tanh(TimesI(z)));
}
Complex Asinh(const Complex& z) {
  return OverI(Asin(TimesI(z)));
}
Complex Power(const Complex& a, const Complex& b) {
  return Exp(b * Log(a));
}
Complex Atan2(const Complex& y, const Complex& x) {
  const Complex direction = x + TimesI(y);
  return OverI(Log(direction / Sqrt(x * x + y * y)));
}

constexpr ComplexFunction kFunctions[] = {
    {"exponential", ComplexExp, nullptr, Unary<Exp>},
    {"exponential-minus-one", ComplexExpMinusOne, nullptr, Unary<ExpMinusOne>},
    {"log", ComplexLog, nullptr, Unary<Log>},
    {"log-plus-one", ComplexLogPlusOne, nullptr, Unary<LogPlusOne>},
    {"sqrt", ComplexSqrt, nullptr, Unary<Sqrt>},
    {"rsqrt", ComplexRsqrt, nullptr, Unary<Rsqrt>},
    {"tanh", ComplexTanh, nullptr, Unary<Tanh>},
    {"logistic", ComplexLogistic, nullptr, Unary<Logistic>},
    {"sine", ComplexSin, nullptr, Unary<Sin>},
    {"cosine", ComplexCos, nullptr, Unary<Cos>},
    {"tan", ComplexTan, nullptr, Unary<Tan>},
    {"sinh", ComplexSinh, nullptr, Unary<Sinh>},
    {"cosh", ComplexCosh, nullptr, Unary<Cosh>},
    {"asin", ComplexAsin, nullptr, Unary<Asin>},
    {"acos", ComplexAcos, nullptr, Unary<Acos>},
    {"asinh", ComplexAsinh, nullptr, Unary<Asinh>},
    {"acosh", ComplexAcosh, nullptr, Unary<Acosh>},
    {"atanh", ComplexAtanh, nullptr, Unary<Atanh>},
    {"power", nullptr, ComplexPower, Binary<Power>},
    {"atan2", nullptr, ComplexAtan2, Binary<Atan2>},
};

template <typename T>
constexpr LaneType kLaneType = std::is_same_v<T, float> ? LaneType::kF32 : LaneType::kF64;

// The larger of the two in size; zero counts as small.
const Real& Larger(const Real& a, const Real& b) {
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): callers pass variables
  return mpfr_cmpabs(a.value, b.value) < 0 ? b : a;
}

}  // namespace

std::span<const ComplexFunction> ComplexFunctions() {
  return kFunctions;
}

LaneProgram ProgramOf(const ComplexFunction& f, LaneType type) {
  LaneBuilder builder;
  const LaneArray array = {type, 2};
  const auto input = [&] {
    const int i = builder.AddInput(array);
    return ComplexLane{builder.Part(i), builder.Part(i, 1)};
  };
  const ComplexLane z = input();
  const ComplexLane result = f.lane != nullptr ? f.lane(z) : f.lane2(z, input());
  const Lane parts[] = {result.re, result.im};
  return std::move(builder).Finish(parts, {&array, 1});
}

template <typename T>
ComplexMeasurement<T>::ComplexMeasurement(const ComplexFunction& function)
    : function_(function), program_(ProgramOf(function, kLaneType<T>)) {}

template <typename T>
void ComplexMeasurement<T>::Run(std::span<const std::complex<T>> z,
                                std::span<const std::complex<T>> w) {
  std::vector<std::complex<T>> actual(z.size());
  const void* const inputs[] = {z.data(), w.data()};
  void* const output = actual.data();
  const size_t num_inputs = function_.lane != nullptr ? 1 : 2;
  if (!executor_
           .Run(program_, std::span(inputs).first(num_inputs), {&output, 1},
                static_cast<i64>(z.size()))
           .ok()) {
    std::abort();
  }
  num_values_ += static_cast<std::int64_t>(z.size());
  for (size_t i = 0; i < z.size(); ++i) {
    const std::complex<double> first = z[i], second = num_inputs == 2 ? w[i] : z[i];
    const double parts[] = {first.real(), first.imag(), second.real(), second.imag()};
    const bool moderate = std::ranges::all_of(
        parts, [](double x) { return x == 0 || (std::abs(x) < 0x1p40 && std::abs(x) > 0x1p-60); });
    precision = moderate ? kModerate : kAny;
    const std::vector<Real> arguments(parts, parts + 2 * num_inputs);
    Real re, im;
    function_.exact(arguments, re, im);
    const Real& larger = Larger(re, im);
    const std::pair<T, const Real*> results[] = {{actual[i].real(), &re}, {actual[i].imag(), &im}};
    for (const auto& [part, exact] : results) {
      // Which zero is exact is for the case tables to say.
      if (part == 0 && mpfr_zero_p(exact->value) != 0) continue;
      const auto take = [&](ComplexWorst& worst, const Real& unit_of) {
        const double error = UlpError(part, exact->value, unit_of.value);
        if (error > worst.ulp) worst = {error, first, second, actual[i]};
      };
      take(worst_part_, *exact);
      take(worst_larger_, larger);
    }
  }
}

template <typename T>
std::complex<T> ComplexArgument(Random& random) {
  constexpr double kPoles[][2] = {{1, 0},        {-1, 0},           {0, 1},
                                  {0, -1},       {0, 1.570796327},  {1.570796327, 0},
                                  {0, 3.141593}, {-1.570796327, 0}, {0, 0}};
  const auto finite = [&] {
    T x;
    do {
      x = static_cast<T>(std::bit_cast<double>(random.Next()));
      if constexpr (std::is_same_v<T, float>) {
        x = std::bit_cast<float>(static_cast<std::uint32_t>(random.Next()));
      }
    } while (!std::isfinite(x));
    return x;
  };
  const auto tiny = [&] { return random.Uniform(-1, 1) * std::exp2(random.Uniform(-60, 0)); };
  constexpr double kLargest = std::numeric_limits<T>::max();
  const auto part = [&](double x) {
    return static_cast<T>(std::isnan(x) ? 0 : std::clamp(x, -kLargest, kLargest));
  };
  switch (random.Next() % 10) {
    case 0:
      return {finite(), finite()};
    case 1:
      return {finite(), part(RandomDouble(random))};
    case 2:
      return {part(random.Uniform(-10, 10)), finite()};
    case 3: {
      const double angle = random.Uniform(-3.2, 3.2), size = 1 + tiny();
      return {part(size * std::cos(angle)), part(size * std::sin(angle))};
    }
    case 4: {
      const double angle = random.Uniform(-3.2, 3.2), size = 1 + tiny();
      return {part(size * std::cos(angle) - 1), part(size * std::sin(angle))};
    }
    case 5: {
      const auto& pole = kPoles[random.Next() % std::size(kPoles)];
      return {part(pole[0] + tiny()), part(pole[1] + tiny())};
    }
    case 6:
      return random.Next() % 2 != 0 ? std::complex<T>(part(random.Uniform(-3, 3)), 0)
                                    : std::complex<T>(0, part(random.Uniform(-3, 3)));
    case 7:
      return {part(random.Uniform(-750, 750)), part(random.Uniform(-10, 10))};
    case 8:
      return {part(random.Uniform(-90, 90)), part(random.Uniform(-90, 90))};
    default:
      return {part(random.Uniform(-4, 4)), part(random.Uniform(-4, 4))};
  }
}

template <typename T>
void ComplexMeasurement<T>::RunRandom(std::uint64_t seed, int count) {
  Random random(seed);
  std::vector<std::complex<T>> z(static_cast<size_t>(count)), w(z.size());
  for (size_t i = 0; i < z.size(); ++i) {
    z[i] = ComplexArgument<T>(random);
    // The second of two: exponents of moderate size, abscissas of about the ordinate's.
    w[i] = {static_cast<T>(random.Uniform(-6, 6)), static_cast<T>(random.Uniform(-6, 6))};
    if (function_.op == "atan2") {
      // Operands of like size, and parts that are not too far apart (see the row).
      const auto held = [](T x) {
        constexpr T kLeast = static_cast<T>(0x1p-120), kMost = static_cast<T>(0x1p120);
        return x == 0 ? x : std::copysign(std::clamp(std::abs(x), kLeast, kMost), x);
      };
      z[i] = {held(z[i].real()), held(z[i].imag())};
      w[i] *= std::max(std::abs(z[i].real()), std::abs(z[i].imag()));
    }
  }
  Run(z, w);
}

template class ComplexMeasurement<float>;
template class ComplexMeasurement<double>;

}  // namespace axle

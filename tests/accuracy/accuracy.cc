#include "tests/accuracy/accuracy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

constexpr mpfr_prec_t kPrecision = 200;

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  using Reference = double;
  static constexpr LaneType kLaneType = LaneType::kF32;
  static constexpr int kFractionBits = 23, kMinExponent = -126, kMaxExponent = 128;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  using Reference = long double;
  static constexpr LaneType kLaneType = LaneType::kF64;
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

template <typename T>
T LogisticReference(T x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const T e = std::exp(x);
  return e / (1 + e);
}
template <typename T>
T RsqrtReference(T x) {
  return 1 / std::sqrt(x);
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

template <int (*kFunction)(mpfr_t, const mpfr_t, mpfr_rnd_t)>
void Rounded(mpfr_t y, const mpfr_t x) {
  kFunction(y, x, MPFR_RNDN);
}

Lane SquareRoot(Lane x) {
  return Sqrt(x);
}

constexpr UnaryFunction kFunctions[] = {
    {"exponential", Symmetry::kNone, Exp, std::exp, std::exp, Rounded<mpfr_exp>},
    {"exponential-minus-one", Symmetry::kNone, ExpMinusOne, std::expm1, std::expm1,
     Rounded<mpfr_expm1>},
    {"log", Symmetry::kNone, Log, std::log, std::log, Rounded<mpfr_log>},
    {"log-plus-one", Symmetry::kNone, LogPlusOne, std::log1p, std::log1p, Rounded<mpfr_log1p>},
    {"tanh", Symmetry::kOdd, Tanh, std::tanh, std::tanh, Rounded<mpfr_tanh>},
    {"logistic", Symmetry::kNone, Logistic, LogisticReference<double>,
     LogisticReference<long double>, LogisticExact},
    {"erf", Symmetry::kOdd, Erf, std::erf, std::erf, Rounded<mpfr_erf>},
    {"sqrt", Symmetry::kNone, SquareRoot, std::sqrt, std::sqrt, Rounded<mpfr_sqrt>},
    {"rsqrt", Symmetry::kNone, Rsqrt, RsqrtReference<double>, RsqrtReference<long double>,
     RsqrtExact},
    {"sine", Symmetry::kOdd, Sin, std::sin, std::sin, Rounded<mpfr_sin>},
    {"cosine", Symmetry::kEven, Cos, std::cos, std::cos, Rounded<mpfr_cos>},
    {"tan", Symmetry::kOdd, Tan, std::tan, std::tan, Rounded<mpfr_tan>},
    {"asin", Symmetry::kOdd, Asin, std::asin, std::asin, Rounded<mpfr_asin>},
    {"acos", Symmetry::kNone, Acos, std::acos, std::acos, Rounded<mpfr_acos>},
    {"sinh", Symmetry::kOdd, Sinh, std::sinh, std::sinh, Rounded<mpfr_sinh>},
    {"cosh", Symmetry::kEven, Cosh, std::cosh, std::cosh, Rounded<mpfr_cosh>},
    {"asinh", Symmetry::kOdd, Asinh, std::asinh, std::asinh, Rounded<mpfr_asinh>},
    {"acosh", Symmetry::kNone, Acosh, std::acosh, std::acosh, Rounded<mpfr_acosh>},
    {"atanh", Symmetry::kOdd, Atanh, std::atanh, std::atanh, Rounded<mpfr_atanh>},
    {"cbrt", Symmetry::kOdd, Cbrt, std::cbrt, std::cbrt, Rounded<mpfr_cbrt>},
};

template <int (*kFunction)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t)>
void Rounded(mpfr_t result, const mpfr_t x, const mpfr_t y) {
  kFunction(result, x, y, MPFR_RNDN);
}

template <typename T>
void PowerPair(Random& random, T& x, T& y);
template <typename T>
void AnglePair(Random& random, T& y, T& x);

constexpr BinaryFunction kBinaryFunctions[] = {
    {"power", Power, std::pow, std::pow, Rounded<mpfr_pow>, PowerPair<float>, PowerPair<double>},
    {"atan2", Atan2, std::atan2, std::atan2, Rounded<mpfr_atan2>, AnglePair<float>,
     AnglePair<double>},
};

template <typename T>
constexpr SmallFormat kFormat = {Format<T>::kFractionBits, Format<T>::kMinExponent,
                                 Format<T>::kMaxExponent};

// The exponent of one ulp of a value of this exponent; below the normal range all share one.
int UlpExponent(const SmallFormat& format, int exponent) {
  return std::clamp(exponent, format.min_exponent, format.max_exponent - 1) - format.fraction_bits;
}

template <typename T, typename Reference>
double UlpErrorOfReference(T actual, Reference exact, const SmallFormat& format) {
  if (std::isnan(exact) || std::isnan(actual)) {
    return std::isnan(exact) && std::isnan(actual) ? 0 : INFINITY;
  }
  if (actual == 0 && std::signbit(actual) != std::signbit(exact)) return INFINITY;
  // With infinity as the power of two after the largest finite value.
  const Reference limit = std::ldexp(Reference{1}, format.max_exponent);
  const Reference value = std::clamp<Reference>(actual, -limit, limit);
  exact = std::clamp(exact, -limit, limit);
  if (exact == value) return 0;
  const int exponent = exact == 0 ? format.min_exponent : std::ilogb(exact);
  return static_cast<double>(std::ldexp(std::abs(value - exact), -UlpExponent(format, exponent)));
}

// True where the reference says that an error may be the largest so far: then MPFR decides. Errors
// below half an ulp are of no interest.
bool MayBeWorst(double error, const Worst& worst) {
  constexpr double kSlack = 0.02;  // the reference's own error is below that, in ulps of the result
  return !(error < std::max(worst.ulp, 0.5) - kSlack);
}

}  // namespace

std::span<const UnaryFunction> UnaryFunctions() {
  return kFunctions;
}

std::span<const BinaryFunction> BinaryFunctions() {
  return kBinaryFunctions;
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

LaneProgram ProgramOfRow(std::string_view op, ElementType type, int num_operands) {
  Module module("accuracy");
  HloComputation* computation = module.AddComputation("main");
  std::vector<Instruction*> operands;
  for (int i = 0; i < num_operands; ++i) {
    operands.push_back(computation->Add(
        {.opcode = Opcode::kParameter, .name = i == 0 ? "x" : "y", .shape = Shape(type)}));
  }
  computation->set_parameters(operands);
  computation->Add({.opcode = FindOpDef(op)->opcode,
                    .name = "result",
                    .shape = Shape(type),
                    .operands = operands});
  return *CompileScalarComputation(*computation);
}

double UlpError(float actual, double exact) {
  return UlpErrorOfReference(actual, exact, kFormat<float>);
}
double UlpError(double actual, long double exact) {
  return UlpErrorOfReference(actual, exact, kFormat<double>);
}
double UlpError(float actual, double exact, const SmallFormat& format) {
  return UlpErrorOfReference(actual, exact, format);
}

template <typename T>
double UlpError(T actual, const mpfr_t exact) {
  return UlpError(actual, exact, exact);
}

template <typename T>
double UlpError(T actual, const mpfr_t exact, const mpfr_t unit_of) {
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
  if (mpfr_cmpabs(unit_of, limit.value) < 0) {
    constexpr mpfr_exp_t kLeast = F::kMinExponent;
    exponent = mpfr_zero_p(unit_of)
                   ? F::kMinExponent
                   : static_cast<int>(std::max<mpfr_exp_t>(mpfr_get_exp(unit_of) - 1, kLeast));
  }
  if (mpfr_cmpabs(exact, limit.value) >= 0) {
    mpfr_setsign(difference.value, limit.value, mpfr_signbit(exact), MPFR_RNDN);
  } else {
    mpfr_set(difference.value, exact, MPFR_RNDN);
  }
  mpfr_sub(difference.value, value.value, difference.value, MPFR_RNDN);
  mpfr_mul_2si(difference.value, difference.value, -UlpExponent(kFormat<T>, exponent), MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
}

template <typename T>
double ExactUlpError(const UnaryFunction& f, double x, T actual) {
  const Number argument(x);
  Number exact;
  f.exact(exact.value, argument.value);
  return UlpError(actual, exact.value);
}

template <typename T>
double ExactUlpError(const BinaryFunction& f, double x, double y, T actual) {
  const Number first(x), second(y);
  Number exact;
  f.exact(exact.value, first.value, second.value);
  return UlpError(actual, exact.value);
}

template <typename T>
double ReferenceUlpError(const UnaryFunction& f, T x) {
  const typename Format<T>::Reference wide = x;
  const Number argument(x);
  Number exact, reference;
  f.exact(exact.value, argument.value);
  if constexpr (std::is_same_v<T, float>) {
    mpfr_set_d(reference.value, f.reference(wide), MPFR_RNDN);
  } else {
    mpfr_set_ld(reference.value, f.long_reference(wide), MPFR_RNDN);
  }
  if (mpfr_nan_p(exact.value) || mpfr_nan_p(reference.value)) {
    return mpfr_nan_p(exact.value) && mpfr_nan_p(reference.value) ? 0 : INFINITY;
  }
  // Beyond the range of T both count as infinite.
  if (mpfr_zero_p(exact.value) || mpfr_cmpabs(exact.value, reference.value) == 0 ||
      mpfr_get_exp(exact.value) > Format<T>::kMaxExponent) {
    return mpfr_cmp(exact.value, reference.value) == 0 ||
                   std::isinf(static_cast<T>(mpfr_get_d(reference.value, MPFR_RNDN)))
               ? 0
               : INFINITY;
  }
  const int exponent = static_cast<int>(mpfr_get_exp(exact.value)) - 1;
  mpfr_sub(exact.value, exact.value, reference.value, MPFR_RNDN);
  mpfr_mul_2si(exact.value, exact.value, -UlpExponent(kFormat<T>, exponent), MPFR_RNDN);
  return std::abs(mpfr_get_d(exact.value, MPFR_RNDN));
}

template double ReferenceUlpError(const UnaryFunction&, float);
template double ReferenceUlpError(const UnaryFunction&, double);
template double UlpError(float, const mpfr_t);
template double UlpError(double, const mpfr_t);
template double UlpError(float, const mpfr_t, const mpfr_t);
template double UlpError(double, const mpfr_t, const mpfr_t);
template double ExactUlpError(const UnaryFunction&, double, float);
template double ExactUlpError(const UnaryFunction&, double, double);
template double ExactUlpError(const BinaryFunction&, double, double, float);
template double ExactUlpError(const BinaryFunction&, double, double, double);

namespace {

// The value of a pattern of a 16-bit format.
float Widen(const SmallFormat& format, std::uint16_t bits) {
  const int magnitude = bits & 0x7fff, field = magnitude >> format.fraction_bits;
  const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const float sign = bits >> 15 != 0 ? -1.0f : 1.0f;
  if (field == format.max_exponent - format.min_exponent + 1) {
    return fraction != 0 ? NAN : sign * INFINITY;
  }
  const int implicit = field == 0 ? 0 : 1 << format.fraction_bits;
  return sign * std::ldexp(static_cast<float>(fraction + implicit),
                           std::max(field, 1) - 1 + format.min_exponent - format.fraction_bits);
}

}  // namespace

Worst MeasureNarrow(const UnaryFunction& f, ElementType type) {
  const SmallFormat format = type == BF16 ? SmallFormat{7, -126, 128} : SmallFormat{10, -14, 16};
  const LaneProgram program = ProgramOfRow(f.op, type, 1);
  std::vector<std::uint16_t> x(65536), y(65536);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  const void* const input = x.data();
  void* const output = y.data();
  BlockExecutor executor;
  if (!executor.Run(program, {&input, 1}, {&output, 1}, 65536).ok()) std::abort();
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i) {
    const float argument = Widen(format, x[i]), actual = Widen(format, y[i]);
    worst.Take(UlpError(actual, f.reference(argument), format), argument, 0, actual);
  }
  return worst;
}

bool IsSymmetric(const UnaryFunction& f, BlockExecutor& executor, const LaneProgram& program,
                 std::span<const float> x) {
  std::vector<float> minus_x(x.size()), y(x.size()), of_minus_x(x.size());
  for (size_t i = 0; i < x.size(); ++i) minus_x[i] = -x[i];
  for (const auto& [from, to] :
       {std::pair(x.data(), y.data()),
        std::pair<const float*, float*>(minus_x.data(), of_minus_x.data())}) {
    const void* const input = from;
    void* const output = to;
    if (!executor.Run(program, {&input, 1}, {&output, 1}, static_cast<i64>(x.size())).ok()) {
      return false;
    }
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(y[i]) && std::isnan(of_minus_x[i])) continue;
    const float expected = f.symmetry == Symmetry::kOdd ? -y[i] : y[i];
    if (std::bit_cast<std::uint32_t>(expected) != std::bit_cast<std::uint32_t>(of_minus_x[i])) {
      return false;
    }
  }
  return true;
}

template <typename T>
Measurement<T>::Measurement(const UnaryFunction& function)
    : function_(&function), program_(ProgramOf(function.lane, Format<T>::kLaneType)) {}

template <typename T>
Measurement<T>::Measurement(const BinaryFunction& function)
    : binary_(&function), program_(ProgramOf(function.lane, Format<T>::kLaneType)) {}

template <typename T>
void Measurement<T>::Run(std::span<const T> x, std::span<const T> y) {
  const bool is_binary = binary_ != nullptr;
  actual_.resize(x.size());
  num_values_ += static_cast<std::int64_t>(x.size());
  const void* const inputs[] = {x.data(), y.data()};
  void* const output = actual_.data();
  const Status status = executor_.Run(program_, std::span(inputs).first(is_binary ? 2 : 1),
                                      {&output, 1}, static_cast<i64>(x.size()));
  if (!status.ok()) std::abort();
  for (size_t i = 0; i < x.size(); ++i) {
    const typename Format<T>::Reference wide = x[i];
    typename Format<T>::Reference reference;
    if constexpr (std::is_same_v<T, float>) {
      reference = is_binary ? binary_->reference(wide, y[i]) : function_->reference(wide);
    } else {
      reference = is_binary ? binary_->long_reference(wide, y[i]) : function_->long_reference(wide);
    }
    // Most results are the reference, rounded: no more than half an ulp, and quickly seen.
    if (static_cast<T>(reference) == actual_[i] && actual_[i] != 0) continue;
    if (!MayBeWorst(UlpError(actual_[i], reference), worst_)) continue;
    const double error = is_binary ? ExactUlpError(*binary_, x[i], y[i], actual_[i])
                                   : ExactUlpError(*function_, x[i], actual_[i]);
    worst_.Take(error, x[i], is_binary ? y[i] : 0, actual_[i]);
  }
}

template class Measurement<float>;
template class Measurement<double>;

template <typename T>
std::vector<T> SpecialValues() {
  using Limits = std::numeric_limits<T>;
  const T epsilon = Limits::epsilon();
  std::vector<T> values = {
      0, 1, 2, 3, 4, 5, 7, 10, 100, 101, T(0.5), T(1.5), T(2.5), T(0.25), T(0.001), Limits::min(),
      Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::max(), Limits::infinity(),
      Limits::quiet_NaN(), 1 + epsilon, 1 - epsilon / 2,
      // around the largest odd integer and the largest value with a fraction
      2 / epsilon - 1, 2 / epsilon, 4 / epsilon, 1 / epsilon - T(0.5), 1 / epsilon + 1};
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

template std::vector<float> SpecialValues();
template std::vector<double> SpecialValues();

namespace {

// For power: any bits, results that are ordinary, bases near 1 with large exponents, results near
// overflow and underflow, small integers, and special values.
template <typename T>
void PowerPair(Random& random, T& x, T& y) {
  using F = Format<T>;
  static const std::vector<T> specials = SpecialValues<T>();
  const auto any = [&] { return std::bit_cast<T>(static_cast<typename F::Bits>(random.Next())); };
  const auto special = [&] { return specials[random.Next() % specials.size()]; };
  // An exponent that gives a result of about 2^log2_result.
  const auto exponent_for = [&](double log2_result) {
    return static_cast<T>(log2_result / std::log2(std::abs(static_cast<double>(x))));
  };
  constexpr double kLargest = F::kMaxExponent;
  constexpr double kSmallest = F::kMinExponent - F::kFractionBits;
  switch (random.Next() % 8) {
    case 0:
      x = any(), y = any();
      return;
    case 1:
      x = special(), y = special();
      return;
    case 2:
      x = special(), y = any();
      return;
    case 3:
      x = any(), y = special();
      return;
    case 4:  // an ordinary result of any base
      x = std::abs(any());
      y = exponent_for(random.Uniform(kSmallest, kLargest));
      return;
    case 5:  // close to overflow, or subnormal
      x = static_cast<T>(std::exp2(random.Uniform(-20, 20)));
      y = exponent_for(random.Next() % 2 != 0 ? kLargest * random.Uniform(0.999, 1.001)
                                              : random.Uniform(kSmallest - 2, F::kMinExponent + 2));
      return;
    case 6:  // a base close to 1
      x = static_cast<T>(1 +
                         random.Uniform(-1, 1) * std::exp2(random.Uniform(-F::kFractionBits, 0)));
      y = exponent_for(random.Uniform(kSmallest, kLargest));
      return;
    default:  // moderate values, integer exponents of negative bases among them
      x = static_cast<T>(random.Uniform(-30, 30));
      y = static_cast<T>(random.Uniform(-30, 30));
      if (random.Next() % 2 != 0) y = std::rint(y);
      return;
  }
}

// For atan2: any bits, special values, ordinary ratios, and ratios near 0, 1 and the borders
// between the pieces of the formula, at any magnitude.
template <typename T>
void AnglePair(Random& random, T& y, T& x) {
  using F = Format<T>;
  static const std::vector<T> specials = SpecialValues<T>();
  const auto any = [&] { return std::bit_cast<T>(static_cast<typename F::Bits>(random.Next())); };
  const auto special = [&] { return specials[random.Next() % specials.size()]; };
  constexpr double kRatios[] = {0, 0.2360679774997897, 0.5, 0.7207592200561265, 1};
  switch (random.Next() % 6) {
    case 0:
      y = any(), x = any();
      return;
    case 1:
      y = special(), x = special();
      return;
    case 2:
      y = special(), x = any();
      return;
    case 3:
      y = any(), x = special();
      return;
    case 4:
      y = static_cast<T>(random.Uniform(-2, 2));
      x = static_cast<T>(random.Uniform(-2, 2));
      return;
    default: {
      x = any();
      const double ratio =
          kRatios[random.Next() % 5] +
          random.Uniform(-1, 1) * std::exp2(random.Uniform(-F::kFractionBits - 2, -1));
      y = static_cast<T>(x * ratio);
      if (random.Next() % 2 != 0) std::swap(x, y);
      return;
    }
  }
}

}  // namespace

template <typename T>
std::vector<T> InterestingValues() {
  std::vector<T> centres = SpecialValues<T>();
  for (double edge :
       {// limits of exp, expm1, tanh, logistic and erf
        709.782712893384, 708.3964185322641, 745.1332191019412, 37.42994775023705, 36.7368005696771,
        22.0, 19.06154746539849, 6.0, 5.863584748755168, 88.72283905206835, 87.33654475055310,
        103.97207708399179, 17.32867951399863, 10.0, 9.010913339828, 4.0, 3.832506856900711,
        // borders of ln(2) / 2 and of [sqrt(1/2), sqrt(2)]
        0.34657359027997264, 1.0397207708399179, 0.17328679513998632, 0.7071067811865476,
        1.4142135623730951, 0.4142135623730951, 0.2928932188134524, 0x1p-60, 0x1p-53, 0x1p-27,
        0x1p-30, 0x1p-24, 0x1p-12,
        // the double closest to a multiple of pi/2, and where windows of 2/pi change
        6381956970095103 * 0x1p797, 0x1p54, 0x1p55, 0x1p107, 0x1p108, 0x1p161, 0x1p1008, 0x1p49,
        0x1p73, 0x1p97, 0x1p121, 1e22, 1e300}) {
    centres.push_back(static_cast<T>(edge));
    centres.push_back(static_cast<T>(-edge));
  }
  std::vector<T> values;
  for (T centre : centres) {
    T up = centre, down = centre;
    for (int i = 0; i < 40; ++i) {
      values.push_back(up);
      values.push_back(down);
      up = std::nextafter(up, std::numeric_limits<T>::infinity());
      down = std::nextafter(down, -std::numeric_limits<T>::infinity());
    }
  }
  return values;
}

template std::vector<float> InterestingValues();
template std::vector<double> InterestingValues();

double RandomDouble(Random& random) {
  switch (random.Next() % 8) {
    case 0:
      return std::bit_cast<double>(random.Next());
    case 1:
      return random.Uniform(-1, 1);
    case 2:
      return random.Uniform(-10, 10);
    case 3:
      return random.Uniform(-750, 720);
    case 4:
      return std::exp2(random.Uniform(-60, 10)) * random.Uniform(-1, 1);
    case 5:
      return 1 + random.Uniform(-1, 1) * std::exp2(random.Uniform(-40, 0));
    case 6:
      return std::rint(std::exp2(random.Uniform(0, 52))) * 1.5707963267948966;
    default:
      return random.Uniform(-100, 100);
  }
}

}  // namespace axle

// Measures the error of the functions of ops/lanes/lane_math.h, in units in the last place.
//
// One ulp is the spacing of the result's format in the binade of the exact value: 2^-149 (2^-1074)
// below the normal range of f32 (f64). Infinity counts as 2^128 (2^1024), so that the step from the
// largest finite value to infinity is one ulp. A wrong sign of zero or a NaN out of place is an
// infinite error.
#pragma once
#include <mpfr.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/emit/executor.h"
#include "axle/ops/lanes/lane_math.h"

namespace axle {

// Random bits: SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double Uniform(double low, double high) {
    return low + static_cast<double>(Next() >> 11) * 0x1p-53 * (high - low);
  }

 private:
  std::uint64_t state_;
};

enum class Symmetry { kNone, kOdd, kEven };

struct UnaryFunction {
  std::string_view op;
  Symmetry symmetry;
  Lane (*lane)(Lane);
  // Functions of the C library, which tests may use: good to a few ulp of their own format, so
  // nearly exact for the one below it. accuracy_test.cc holds them to that with MPFR.
  double (*reference)(double);                 // for f32
  long double (*long_reference)(long double);  // for f64; 64 bits of precision on x86
  void (*exact)(mpfr_t y, const mpfr_t x);     // to the precision of y
};
std::span<const UnaryFunction> UnaryFunctions();

// The i-th of a sequence of pairs that covers what a function of two arguments does.
template <typename T>
using PairMaker = void (*)(Random& random, T& x, T& y);

struct BinaryFunction {
  std::string_view op;
  Lane (*lane)(Lane, Lane);
  double (*reference)(double, double);
  long double (*long_reference)(long double, long double);
  void (*exact)(mpfr_t result, const mpfr_t x, const mpfr_t y);
  PairMaker<float> f32_pair;
  PairMaker<double> f64_pair;
};
std::span<const BinaryFunction> BinaryFunctions();

// The program of f on one lane type.
LaneProgram ProgramOf(Lane (*f)(Lane), LaneType type);
LaneProgram ProgramOf(Lane (*f)(Lane, Lane), LaneType type);

// op(x, ...) on scalars of `type`, as the op table defines it.
LaneProgram ProgramOfRow(std::string_view op, ElementType type, int num_operands);

// The error of `actual`. The first two take an exact value that is off by some ulps of its own
// format; the caller asks MPFR where that might matter.
double UlpError(float actual, double exact);
double UlpError(double actual, long double exact);
template <typename T>
double UlpError(T actual, const mpfr_t exact);
// In ulps of the binade of `unit_of`, as of the larger part of a complex number.
template <typename T>
double UlpError(T actual, const mpfr_t exact, const mpfr_t unit_of);

// The same for a format with fewer bits, whose values T holds.
struct SmallFormat {
  int fraction_bits, min_exponent, max_exponent;  // max_exponent: of infinity
};
double UlpError(float actual, double exact, const SmallFormat& format);

// The error of one value against MPFR, and the error of the reference in ulps of T.
template <typename T>
double ReferenceUlpError(const UnaryFunction& f, T x);
template <typename T>
double ExactUlpError(const UnaryFunction& f, double x, T actual);
template <typename T>
double ExactUlpError(const BinaryFunction& f, double x, double y, T actual);

// f on many values. The block executor runs it, the largest error and where it is come back.
struct Worst {
  double ulp = 0;
  double x = 0, y = 0;
  double actual = 0;
  void Take(double error, double x_value, double y_value, double actual_value) {
    if (!(error > ulp)) return;
    *this = {error, x_value, y_value, actual_value};
  }
};

// All 65,536 values of f16 or bf16 through the op's row, in ulps of that format.
Worst MeasureNarrow(const UnaryFunction& f, ElementType type);

// True if f(-x) has the bits that f(x) implies, for all of x.
bool IsSymmetric(const UnaryFunction& f, BlockExecutor& executor, const LaneProgram& program,
                 std::span<const float> x);

// Runs f on all of x, compares with the reference and, where that says that an error may be the
// largest so far, with MPFR. T is float or double.
template <typename T>
class Measurement {
 public:
  explicit Measurement(const UnaryFunction& function);
  explicit Measurement(const BinaryFunction& function);
  void Run(std::span<const T> x, std::span<const T> y = {});
  const Worst& worst() const { return worst_; }
  std::int64_t num_values() const { return num_values_; }

 private:
  const UnaryFunction* function_ = nullptr;  // one of these
  const BinaryFunction* binary_ = nullptr;
  LaneProgram program_;
  BlockExecutor executor_;
  std::vector<T> actual_;
  Worst worst_;
  std::int64_t num_values_ = 0;
};

// Zeros, ones, infinities, NaN, extremes, small integers and halves, with both signs.
template <typename T>
std::vector<T> SpecialValues();
// Neighbourhoods of special values and of the points where functions change.
template <typename T>
std::vector<T> InterestingValues();
// One more value of any magnitude, of a likely range, or close to a multiple of pi/2.
double RandomDouble(Random& random);

}  // namespace axle

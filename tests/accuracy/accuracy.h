// Measures the error of the functions of ops/lane_math.h, in units in the last place.
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

#include "axle/emit/executor.h"
#include "axle/ops/lane_math.h"

namespace axle {

struct UnaryFunction {
  std::string_view op;
  Lane (*lane)(Lane);
  double (*reference)(double);  // an f64 function good to a few ulp: exact enough for f32
  void (*exact)(mpfr_t y, const mpfr_t x);  // to the precision of y
};
std::span<const UnaryFunction> UnaryFunctions();

// Reference and exact value of x^y.
double PowerReference(double x, double y);

// The program of f on one lane type; of two inputs for power.
LaneProgram ProgramOf(Lane (*f)(Lane), LaneType type);
LaneProgram ProgramOf(Lane (*f)(Lane, Lane), LaneType type);

// `exact` is off by some f64 ulps at most; the caller asks MPFR where that might matter.
double UlpError(float actual, double exact);
template <typename T>
double UlpError(T actual, const mpfr_t exact);

// The error of one value against MPFR.
template <typename T>
double ExactUlpError(const UnaryFunction& f, T x, T actual);
template <typename T>
double ExactPowerUlpError(T x, T y, T actual);

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

// Against the reference, with MPFR where the error is close to the worst so far.
Worst MeasureF32(const UnaryFunction& f, BlockExecutor& executor, const LaneProgram& program,
                 std::span<const float> x, Worst worst = {});
Worst MeasurePowerF32(BlockExecutor& executor, const LaneProgram& program, std::span<const float> x,
                      std::span<const float> y, Worst worst = {});
// Against MPFR, every value.
Worst MeasureF64(const UnaryFunction& f, std::span<const double> x);
Worst MeasurePowerF64(std::span<const double> x, std::span<const double> y);

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

// The i-th of a sequence of pairs that covers what power does: any bits, results that are ordinary,
// bases near 1 with large exponents, results near overflow and underflow, small integers, and all
// combinations of special values.
template <typename T>
void PowerPair(Random& random, T& x, T& y);
// Zeros, ones, infinities, NaN, extremes, small integers and halves, with both signs.
template <typename T>
std::vector<T> SpecialValues();
// Random values of all magnitudes, neighbourhoods of special values and of the points where
// functions change (multiples of pi/2, the nearest doubles to those, ...).
std::vector<double> InterestingDoubles(std::uint64_t seed, int64_t count);

}  // namespace axle

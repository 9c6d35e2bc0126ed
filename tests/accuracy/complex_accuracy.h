// Measures the error of the complex functions of ops/lanes/complex_math.h against MPFR, in ulps of
// each part and in ulps of the larger part of the exact result.
#pragma once
#include <complex>

#include "axle/ops/lanes/complex_math.h"
#include "tests/accuracy/accuracy.h"

namespace axle {

class Real;  // an MPFR number; complex_accuracy.cc

struct ComplexFunction {
  std::string_view op;
  ComplexLane (*lane)(ComplexLane);                // one of these
  ComplexLane (*lane2)(ComplexLane, ComplexLane);  // of two arguments
  // (re, im) of the result from the parts of the arguments.
  void (*exact)(std::span<const Real> arguments, Real& re, Real& im);
};
std::span<const ComplexFunction> ComplexFunctions();

struct ComplexWorst {
  double ulp = 0;
  std::complex<double> z, w, actual;
};

// T is float or double: c64 or c128.
template <typename T>
class ComplexMeasurement {
 public:
  explicit ComplexMeasurement(const ComplexFunction& function);
  void Run(std::span<const std::complex<T>> z, std::span<const std::complex<T>> w);
  // Random arguments that cover what the functions do, special ones among them.
  void RunRandom(std::uint64_t seed, int count);
  const ComplexWorst& worst_part() const { return worst_part_; }      // in ulps of each part
  const ComplexWorst& worst_larger() const { return worst_larger_; }  // of the larger part
  std::int64_t num_values() const { return num_values_; }

 private:
  const ComplexFunction& function_;
  LaneProgram program_;
  BlockExecutor executor_;
  ComplexWorst worst_part_, worst_larger_;
  std::int64_t num_values_ = 0;
};

// A finite argument: any bits, moderate values, the neighbourhoods of the unit circle, of 1, -1 and
// i, of poles and of the axes.
template <typename T>
std::complex<T> ComplexArgument(Random& random);

// The program of f on complex lanes.
LaneProgram ProgramOf(const ComplexFunction& f, LaneType type);

}  // namespace axle

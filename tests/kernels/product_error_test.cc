// How far long products are from the exact ones: what docs/numerics.md promises of parts and
// groups. Kernels have the interpreter's bits, which the other tests of this folder see to.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"
#include "tests/kernels/contraction_check.h"

namespace axle {
namespace {

// The root of a module, run in f32 or bf16 and in f64 on the same values.
struct Error {
  double largest = 0;  // in units of 2^-24 times the sum of the products' magnitudes
  double rms = 0;      // in the same unit times the root of the sum of their squares
};

// `text` has $ in the place of the factors' type and % in that of the result's. Each result has
// `products` products, whose mean magnitude is `magnitude` and whose mean square is 1.
Error ErrorOf(const std::string& text, const std::string& type, i64 products, double magnitude,
              const std::function<double()>& value) {
  const auto module_of = [&](const std::string& factors, const std::string& result) {
    std::string filled;
    for (const char c : text) filled += c == '$' ? factors : c == '%' ? result : std::string(1, c);
    auto module = Parse(filled);
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    return *std::move(module);
  };
  const auto narrow = module_of(type, "f32"), wide = module_of("f64", "f64");
  std::vector<Literal> arguments, exact;
  for (i64 i = 0; i < 2; ++i) {
    Literal values(narrow->entry()->root()->operand(i)->shape().WithType(F64));
    for (double& x : values.mutable_data<double>()) x = value();
    arguments.push_back(*Convert(values, narrow->entry()->root()->operand(i)->shape().type()));
    exact.push_back(*Convert(arguments.back(), F64));
  }
  const auto result = Evaluate(*narrow, arguments), reference = Evaluate(*wide, exact);
  EXPECT_TRUE(result.ok() && reference.ok());
  const auto x = result->data<float>();
  const auto y = reference->data<double>();
  Error error;
  double squares = 0;
  const auto n = static_cast<double>(products);
  for (size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]) * 0x1p24;
    error.largest = std::max(error.largest, difference / (n * magnitude));
    squares += difference * difference / n;
  }
  error.rms = std::sqrt(squares / static_cast<double>(x.size()));
  return error;
}

std::string Dot(i64 rows, i64 columns, i64 k) {
  return StrCat("HloModule m\nENTRY e {\n  a = $[", rows, ",", k, "] parameter(0)\n  b = $[", k,
                ",", columns, "] parameter(1)\n  ROOT r = %[", rows, ",", columns,
                "] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
}
// The gradient of a kernel of `size` x `size` places: the window is the image.
std::string Convolution(i64 image, i64 batch, i64 size, i64 features) {
  return StrCat("HloModule m\nENTRY e {\n  a = $[", batch, ",", image + size - 1, ",",
                image + size - 1, ",", features, "] parameter(0)\n  b = $[", batch, ",", image, ",",
                image, ",", features, "] parameter(1)\n  ROOT r = %[", size, ",", size, ",",
                features, ",", features, "] convolution(a, b), window={size=", image, "x", image,
                "}, dim_labels=f01b_i01o->01bf\n}\n");
}

constexpr double kTenth = 0.1f, kNarrowTenth = 0.10009765625;

TEST(ProductError, OfConstants) {
  for (const char* type : {"f32", "bf16"}) {
    const double factor = type[0] == 'f' ? kTenth : kNarrowTenth;
    const auto constant = [=] { return factor; };
    for (i64 k : {1000, 10000, 100000, 1000000}) {
      EXPECT_LT(ErrorOf(Dot(1, 2, k), type, k, factor * factor, constant).largest, 128) << k;
    }
    EXPECT_LT(ErrorOf(Convolution(70, 2, 1, 2), type, 9800, factor * factor, constant).largest,
              128);
    EXPECT_LT(ErrorOf(Convolution(300, 1, 1, 1), type, 90000, factor * factor, constant).largest,
              128);
  }
}

// One chain of k products of normal numbers is off by about sqrt(k) / 3.7 of these units. XLA:CPU
// is off by 9 or 10, whatever k is; half as much again is allowed.
TEST(ProductError, OfRandomNumbers) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto value = [&] { return normal(random); };
  for (i64 k : {1000, 4000, 30000}) {
    EXPECT_LT(ErrorOf(Dot(32, 32, k), "f32", k, 1, value).rms, 13) << k;
    EXPECT_LT(ErrorOf(Dot(32, 32, k), "bf16", k, 1, value).rms, 13) << k;
  }
  EXPECT_LT(ErrorOf(Convolution(64, 4, 4, 8), "f32", 16384, 1, value).rms, 13);
}

}  // namespace
}  // namespace axle

// What the body of an entry computation gives, for tests of values with dynamic dimensions.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {

inline constexpr std::string_view kSmallComputations = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
sum_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }
sum_f64 { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }
sum_bf16 { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT r = bf16[] add(a, b) }
product { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] multiply(a, b) }
largest { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
difference { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] subtract(a, b) }
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
ge { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
twice { a = f32[] parameter(0)  ROOT r = f32[] add(a, a) }
)";

inline StatusOr<Literal> ResultOf(std::string_view body, std::span<const Literal> arguments,
                                  std::string_view computations = "") {
  const auto module = Parse(
      StrCat("HloModule m\n", kSmallComputations, computations, "ENTRY main {\n", body, "\n}\n"));
  if (!module.ok()) return module.status();
  return Evaluate(**module, arguments);
}

// The text of the result, or of the error.
inline std::string Result(std::string_view body, std::vector<std::string_view> arguments,
                          std::string_view computations = "") {
  std::vector<Literal> literals;
  for (std::string_view text : arguments) {
    auto literal = ParseLiteral(text);
    if (!literal.ok()) return literal.status().message();
    literals.push_back(*std::move(literal));
  }
  const auto result = ResultOf(body, literals, computations);
  return result.ok() ? result->ToStringWithShape() : result.status().ToString();
}

}  // namespace axle

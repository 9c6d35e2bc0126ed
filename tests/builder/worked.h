// The worked examples of XLA's documents as programs of a builder: one lambda, what it is applied
// to, and what it gives.
//
//   EXPECT_EQ(ResultOf([](XlaOp x) { return Neg(x); }, "f32[2] {1, 2}"), "f32[2] {-1,-2}");
#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>

#include "tests/builder/built.h"

namespace axle {

// "f32[2] {1,2}", or "(f32[1],s32[]) ({1},2)": no blanks but one, no signs of NaNs.
inline std::string Compact(const Literal& literal) {
  const auto squeezed = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    for (size_t at; (at = text.find("-nan")) != text.npos;) text.erase(at, 1);
    return Without(std::move(text), "/*", "*/");
  };
  return StrCat(squeezed(literal.shape().ToString()), " ", squeezed(literal.ToString()));
}

// A status without the place where it arose.
inline std::string WithoutPlace(const Status& status) {
  const std::string text = status.ToString();
  return text.substr(0, text.rfind(" at "));
}

// What `build` makes of parameters of these shapes; it may ask for the builder before them.
template <typename Build, typename... Shapes>
StatusOr<XlaComputation> BuiltOf(Build build, const Shapes&... shapes) {
  XlaBuilder b("worked");
  std::vector<XlaOp> parameters;
  for (const Shape& shape : std::vector<Shape>{shapes...}) {
    const auto number = static_cast<i64>(parameters.size());
    parameters.push_back(Parameter(&b, number, shape, StrCat("p", number)));
  }
  return [&]<size_t... I>(std::index_sequence<I...>) {
    if constexpr (std::is_invocable_v<Build, XlaBuilder*, decltype(parameters[I])...>) {
      return b.Build(build(&b, parameters[I]...));
    } else {
      return b.Build(build(parameters[I]...));
    }
  }
  (std::index_sequence_for<Shapes...>());
}

// The value for these arguments, or the error.
template <typename Build, typename... Texts>
std::string ResultOf(Build build, const Texts&... arguments) {
  const StatusOr<XlaComputation> computation = BuiltOf(build, Value(arguments).shape()...);
  if (!computation.ok()) return WithoutPlace(computation.status());
  const StatusOr<Literal> result = EvaluateBuilt(computation, Values({arguments...}));
  return result.ok() ? Compact(*result) : result.status().ToString();
}

// The result's shape for parameters of these shapes, or the error.
template <typename Build, typename... Texts>
std::string ShapeOf(Build build, const Texts&... shapes) {
  const StatusOr<XlaComputation> computation = BuiltOf(build, *ParseShape(shapes)...);
  if (!computation.ok()) return WithoutPlace(computation.status());
  return computation->GetProgramShape()->result.ToString();
}

}  // namespace axle

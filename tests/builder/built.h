// What the builder's tests share: arguments, small computations, and running what was built.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "axle/builder/xla_builder.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {

inline Literal Value(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << text << ": " << literal.status().message();
  return literal.ok() ? *literal : Literal();
}

inline std::vector<Literal> Values(const std::vector<std::string_view>& texts) {
  std::vector<Literal> values;
  for (std::string_view text : texts) values.push_back(Value(text));
  return values;
}

// The result of what was built. It goes through text first: what the builder made is a module like
// any other, so it prints, and reads back to the same text.
inline StatusOr<Literal> EvaluateBuilt(const StatusOr<XlaComputation>& computation,
                                       std::span<const Literal> arguments = {}) {
  if (!computation.ok()) return computation.status();
  const std::string text = Print(computation->module());
  const auto reread = Parse(text);
  EXPECT_TRUE(reread.ok()) << reread.status().message() << "\n" << text;
  if (reread.ok()) {
    EXPECT_EQ(Print(**reread), text);
  }
  return Evaluate(computation->module(), arguments);
}

// `text` without anything between `begin` and the next `end`.
inline std::string Without(std::string text, std::string_view begin, std::string_view end) {
  for (size_t at; (at = text.find(begin)) != text.npos;) {
    text.erase(at, text.find(end, at) + end.size() - at);
  }
  return text;
}

// The result of what was built as text, "shape value", or the error.
inline std::string RunBuilt(XlaBuilder& builder, std::vector<std::string_view> arguments = {}) {
  const StatusOr<Literal> result = EvaluateBuilt(builder.Build(), Values(arguments));
  if (!result.ok()) return result.status().ToString();
  return Without(StrCat(result->shape().ToString(), " ", result->ToString()), "/*index=", "*/");
}

inline XlaOp Param(XlaBuilder& b, i64 number, std::string_view shape) {
  return Parameter(&b, number, *ParseShape(shape), StrCat("p", number));
}

inline XlaComputation Scalar2(std::string_view name, PrimitiveType type,
                              XlaOp (*function)(XlaOp, XlaOp)) {
  XlaBuilder b(name);
  const XlaOp x = Parameter(&b, 0, Shape(type), "x"), y = Parameter(&b, 1, Shape(type), "y");
  auto computation = b.Build(function(x, y));
  EXPECT_TRUE(computation.ok()) << computation.status().message();
  return *computation;
}
inline XlaComputation AddF32() {
  return Scalar2("add", F32, [](XlaOp x, XlaOp y) { return Add(x, y); });
}

}  // namespace axle

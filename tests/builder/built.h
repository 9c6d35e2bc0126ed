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

// The result of what was built, as text without the shape.
inline std::string RunBuilt(XlaBuilder& builder, std::vector<std::string_view> arguments = {}) {
  StatusOr<XlaComputation> computation = builder.Build();
  if (!computation.ok()) return computation.status().ToString();
  std::vector<Literal> literals;
  for (std::string_view argument : arguments) literals.push_back(Value(argument));
  // What the builder made is a module like any other: it prints, and reads back to the same text.
  const std::string text = Print(computation->module());
  const auto reread = Parse(text);
  EXPECT_TRUE(reread.ok()) << reread.status().message() << "\n" << text;
  if (reread.ok()) {
    EXPECT_EQ(Print(**reread), text);
  }
  StatusOr<Literal> result = Evaluate(computation->module(), literals);
  if (!result.ok()) return result.status().ToString();
  std::string out = result->shape().ToString() + " " + result->ToString();
  for (size_t at; (at = out.find("/*index=")) != out.npos;) {
    out.erase(at, out.find("*/", at) + 2 - at);
  }
  return out;
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

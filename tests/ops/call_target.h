// Calls of built-in custom-call targets, from text to result.
#pragma once
#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {

inline StatusOr<Literal> CallTarget(std::string_view target, std::string_view config,
                                    std::string_view result,
                                    const std::vector<std::string>& operands) {
  std::string text = "HloModule m\nENTRY e {\n", names;
  std::vector<Literal> arguments;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto value = ParseLiteral(operands[i]);
    if (!value.ok()) return value.status();
    arguments.push_back(*value);
    text += StrCat("  p", i, " = ", value->shape().ToString(), " parameter(", i, ")\n");
    names += StrCat(i == 0 ? "p" : ", p", i);
  }
  text += StrCat("  ROOT r = ", result, " custom-call(", names, "), custom_call_target=\"", target,
                 "\", api_version=API_VERSION_TYPED_FFI, backend_config={", config, "}\n}\n");
  const auto module = Parse(text);
  if (!module.ok()) return module.status();
  return Evaluate(**module, arguments);
}

inline void ExpectCall(std::string_view target, std::string_view config, std::string_view result,
                       const std::vector<std::string>& operands, std::string_view expected) {
  const auto value = CallTarget(target, config, result, operands);
  ASSERT_TRUE(value.ok()) << value.status().message();
  const auto literal = ParseLiteral(StrCat(result, " ", expected));
  ASSERT_TRUE(literal.ok()) << literal.status().message();
  const auto difference = FirstDifference(*value, *literal);
  EXPECT_TRUE(!difference || difference->max_ulp <= 4)
      << target << ": " << value->ToString() << "\n"
      << difference->ToString();
}

inline void ExpectError(std::string_view target, std::string_view config, std::string_view result,
                        const std::vector<std::string>& operands, std::string_view what) {
  const auto value = CallTarget(target, config, result, operands);
  ASSERT_FALSE(value.ok());
  EXPECT_NE(value.status().message().find(what), std::string::npos) << value.status().message();
}

}  // namespace axle

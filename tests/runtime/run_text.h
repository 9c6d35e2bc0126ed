// What the tests of this folder share: running HLO text on a device.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {

inline Literal Value(std::string_view text) {
  auto value = ParseLiteral(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status().message();
  return value.ok() ? *value : Literal();
}

inline StatusOr<Literal> RunText(std::string_view text, DeviceContext* device,
                                 std::vector<Literal> arguments = {}, Limits* limits = nullptr) {
  AXLE_ASSIGN(const auto module, Parse(text));
  return Evaluate(*module, arguments, {.limits = limits, .device = device});
}

// An error without the instruction that it names at its end: `; recv-done "d"`.
inline std::string WithoutPlace(const std::string& error) {
  return error.substr(0, error.ends_with('"') ? error.rfind("; ") : error.npos);
}

// The value as text, without spaces inside of brackets, or the error without its place.
inline std::string ResultText(const StatusOr<Literal>& result) {
  if (!result.ok()) return WithoutPlace(result.status().ToString());
  std::string text = StrCat(result->shape().ToString(), " ");
  for (char c : result->ToString()) {
    if ((c == '}' || c == ')') && text.ends_with(' ')) text.pop_back();
    const bool opens = text.ends_with('{') || text.ends_with('(');
    if (c != ' ' || !opens) text += c;
  }
  return text;
}

}  // namespace axle

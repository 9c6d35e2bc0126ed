// What the tests of text share.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/paths.h"

namespace axle {

inline constexpr PrintOptions kShort = {.style = PrintOptions::Style::kShort};

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

// The module, or a failed expectation and null.
inline std::unique_ptr<Module> ParseOrFail(const std::string& text) {
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString() << "\nin\n" << text.substr(0, 2000);
  return module.ok() ? *std::move(module) : nullptr;
}

// A text and what Parse says of it, whole: code, position, message, the line and a caret.
struct ErrorRow {
  const char* what;
  const char* text;
  const char* expected;
};

inline void ExpectErrors(std::span<const ErrorRow> rows) {
  for (const ErrorRow& row : rows) {
    EXPECT_EQ(Parse(row.text, {.label = "t"}).status().ToString(), row.expected) << row.what;
  }
}

// Prints `module` in both styles; either must read back to what prints the same again.
inline void ExpectStable(const Module& module) {
  for (const PrintOptions& options : {PrintOptions{}, kShort}) {
    const std::string text = Print(module, options);
    const auto again = Parse(text);
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(Print(**again, options), text);
  }
}

}  // namespace axle

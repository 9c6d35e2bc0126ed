// Programs of one operation that breaks a rule of StableHLO, and what is said of it.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "axle/core/strings.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/mlir/text.h"

namespace axle {

struct VerifyRow {
  const char* arguments;  // of @main: "%x: tensor<2xf32>"
  const char* operation;
  const char* error;
  const char* sizes = nullptr;  // two integers, the constant %s before the operation
};

// Each program is refused, with the place of the operation and a caret under it.
inline void ExpectRefused(std::span<const VerifyRow> rows) {
  for (const VerifyRow& row : rows) {
    std::string text = StrCat("func.func @main(", row.arguments, ") {\n");
    if (row.sizes != nullptr) {
      StrAppend(text, "  %s = stablehlo.constant dense<", row.sizes, "> : tensor<2xi32>\n");
    }
    StrAppend(text, "  ", row.operation, "\n  return\n}\n");
    SCOPED_TRACE(text);
    auto source = mlir::ParseMlirText(text, {.label = "t"});
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    const auto module =
        ConvertOrKeepOpen(std::shared_ptr<const mlir::MlirModule>(*std::move(source)));
    ASSERT_FALSE(module.ok());
    const std::string message = module.status().ToString();
    const std::string first = message.substr(0, message.find('\n'));
    EXPECT_EQ(first,
              StrCat("INVALID_ARGUMENT: t ", row.sizes == nullptr ? 2 : 3, ":3: ", row.error));
    EXPECT_TRUE(message.ends_with("\n  ^")) << message;
    const std::string operation(row.operation);
    EXPECT_NE(message.find(StrCat("\n  ", operation.substr(0, operation.find('(')))),
              std::string::npos)
        << message;
  }
}

// The program is read, whatever is not known before it has arguments.
inline void ExpectAccepted(const std::string& text) {
  SCOPED_TRACE(text);
  auto source = mlir::ParseMlirText(text, {.label = "t"});
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  const auto module =
      ConvertOrKeepOpen(std::shared_ptr<const mlir::MlirModule>(*std::move(source)));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
}

}  // namespace axle

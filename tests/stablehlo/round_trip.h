// A module and what it becomes on its way through StableHLO.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "axle/core/literal.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/stablehlo/mlir/bytecode.h"
#include "axle/stablehlo/mlir/bytecode_writer.h"
#include "axle/stablehlo/mlir/compare.h"
#include "axle/stablehlo/mlir/print.h"
#include "axle/stablehlo/mlir/text.h"
#include "axle/text/print.h"

namespace axle {

// A tuple of one is a single result of StableHLO, which comes back as an array.
inline bool IsSingle(const Shape& shape) {
  return shape.is_tuple() && shape.num_tuple_elements() == 1;
}

inline Shape ResultOf(const Module& module) {
  const Shape shape = module.entry()->root()->shape().WithoutLayout();
  return IsSingle(shape) ? shape.element(0) : shape;
}

// Results depend on nothing but the arguments.
inline bool IsRandom(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      const std::string_view op = GetOpDef(*inst).text;
      if (op == "rng" || op == "rng-get-and-update-state") return true;
    }
  }
  return false;
}

// Both have the same signature and, with arguments, give the same bits or end the same way.
inline void ExpectSame(const Module& module, const Module& back,
                       const std::vector<Literal>* arguments) {
  const auto texts = [&] {
    return "from\n" + Print(module, {.style = PrintOptions::Style::kShort}) + "to\n" +
           Print(back, {.style = PrintOptions::Style::kShort});
  };
  EXPECT_TRUE(EqualIgnoringLayout(ResultOf(back), ResultOf(module))) << texts();
  ASSERT_EQ(back.entry()->parameters().size(), module.entry()->parameters().size());
  for (size_t i = 0; i < back.entry()->parameters().size(); ++i) {
    EXPECT_TRUE(EqualIgnoringLayout(back.entry()->parameters()[i]->shape(),
                                    module.entry()->parameters()[i]->shape()))
        << texts();
  }
  const Status verified = VerifyModule(back);
  EXPECT_TRUE(verified.ok()) << verified.message() << "\n" << texts();
  if (arguments == nullptr) return;
  const auto expected = Evaluate(module, *arguments);
  const auto actual = Evaluate(back, *arguments);
  // What does not run in its asynchronous form may run without.
  if (expected.status().code() == StatusCode::kUnimplemented) return;
  ASSERT_EQ(actual.ok(), expected.ok())
      << (actual.ok() ? expected : actual).status().message() << "\n"
      << texts();
  if (!expected.ok()) {
    EXPECT_EQ(actual.status().code(), expected.status().code()) << texts();
    return;
  }
  if (IsRandom(module)) return;
  const Literal& value = IsSingle(expected->shape()) ? expected->element(0) : *expected;
  EXPECT_TRUE(SameValue(*actual, value))
      << actual->ToString() << " is not " << value.ToString() << "\n"
      << texts();
}

// The text of a tree reads back as the same tree.
inline void ExpectSameText(const mlir::MlirModule& tree, bool generic) {
  const std::string text = mlir::PrintMlirText(tree, {.generic = generic, .locations = true});
  const auto reread = mlir::ParseMlirText(text);
  ASSERT_TRUE(reread.ok()) << reread.status().message();
  EXPECT_EQ(mlir::FirstDifference(tree, **reread), "") << text;
}

// So does its bytecode; false if there is none, because it has operations of CHLO.
inline bool ExpectSameBytecode(const mlir::MlirModule& tree) {
  const auto bytes = mlir::WriteMlirBytecode(tree);
  if (bytes.status().code() == StatusCode::kUnimplemented &&
      bytes.status().message().find("chlo.") != std::string::npos) {
    return false;
  }
  EXPECT_TRUE(bytes.ok()) << bytes.status().message() << "\n" << mlir::PrintMlirText(tree);
  if (!bytes.ok()) return false;
  const auto reread = mlir::ReadMlirBytecode(*bytes);
  EXPECT_TRUE(reread.ok()) << reread.status().message();
  if (reread.ok()) {
    EXPECT_EQ(mlir::FirstDifference(tree, **reread), "") << mlir::PrintMlirText(tree);
  }
  return true;
}

}  // namespace axle

// The rows of the verification against the rows of the dialect.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {
namespace {

size_t CountWords(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && (i == 0 || text[i - 1] == ' ')) ++count;
  }
  return count;
}

TEST(VerifyRules, NameAKindForEachOperandAndResult) {
  for (const Rule& rule : AllRules()) {
    SCOPED_TRACE(rule.name);
    const mlir::OpSyntax* row = mlir::FindSyntax(rule.name);
    ASSERT_NE(row, nullptr);
    if (rule.kinds.empty()) continue;
    const size_t arrow = rule.kinds.find("->");
    ASSERT_NE(arrow, std::string_view::npos);
    EXPECT_EQ(CountWords(rule.kinds.substr(0, arrow)), row->operands.size());
    EXPECT_EQ(CountWords(rule.kinds.substr(arrow + 2)), row->results.size());
    EXPECT_EQ(rule.kinds.find_first_not_of("*=<012pisufgcqawyxTUMV ->"), std::string_view::npos);
  }
}

TEST(VerifyRules, NameAttributesOfTheOperation) {
  for (const Rule& rule : AllRules()) {
    SCOPED_TRACE(rule.name);
    std::string_view least = rule.least;
    while (!least.empty()) {
      const size_t end = std::min(least.find(", "), least.size());
      const std::string_view entry = least.substr(0, end);
      least.remove_prefix(std::min(end + 2, least.size()));
      EXPECT_NE(mlir::FindSyntax(rule.name)->FindAttribute(entry.substr(0, entry.find(' '))),
                nullptr)
          << entry;
    }
  }
}

TEST(VerifyRules, AreThereForEveryOperation) {
  for (const mlir::OpSyntax* row : mlir::AllSyntax()) {
    const bool is_checked = row->name.starts_with("stablehlo.") || row->name.starts_with("chlo.");
    if (!is_checked || row->name == "stablehlo.return") continue;
    EXPECT_NE(FindRule(row->name), nullptr) << row->name;
  }
}

}  // namespace
}  // namespace axle::stablehlo

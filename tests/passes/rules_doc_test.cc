// docs/rewrite-rules.md is made from the table of rules. AXLE_UPDATE=1 writes it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/passes/simplify/rule.h"
#include "tests/paths.h"

namespace axle {
namespace {

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

std::string Page() {
  std::string page =
      "# Rewrite rules\n"
      "\n"
      "The pass `simplify` applies these rules, one row for each rule of `axle/passes/simplify/`. "
      "The page is generated\n"
      "(`AXLE_UPDATE=1 axle_passes_test --gtest_filter='RulesDoc.*'`). All rules keep every bit "
      "([numerics.md](numerics.md), N11).\n"
      "\n"
      "| rule | rewrites | why the bits stay |\n"
      "|---|---|---|\n";
  for (const Rule* rule : AllRules()) {
    StrAppend(page, "| `", rule->name, "` | ", Escaped(rule->algebra), " | ", Escaped(rule->why),
              " |\n");
  }
  return page;
}

TEST(RulesDoc, IsUpToDate) {
  const std::string path = (SourceFolder() / "docs/rewrite-rules.md").string();
  if (std::getenv("AXLE_UPDATE") != nullptr) {
    ASSERT_TRUE(WriteFile(path, Page()).ok());
  }
  const auto text = ReadFile(path);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_EQ(*text, Page()) << "AXLE_UPDATE=1 writes it";
}

}  // namespace
}  // namespace axle

// Every row of the case tables through StableHLO and back: the tree that the export makes of the
// row's module is converted to HLO again, and runs to the same bits. Its text and its bytecode read
// back as the same tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/export.h"
#include "axle/text/parse.h"
#include "tests/op_case_modules.h"
#include "tests/stablehlo/round_trip.h"

namespace axle {
namespace {

// What has no form in StableHLO: the row (all of the op's, if `what` is empty), and a part of the
// message.
struct WithoutForm {
  std::string_view op;
  std::string_view what;
  std::string_view message;
};
constexpr WithoutForm kWithoutForm[] = {
    {"", "", "StableHLO has no type"},
    {"", "", "StableHLO has no such operation"},  // an op without a row (export_test.cc)
    {"after-all", "", "not a token"},
    {"all-reduce", "", "stablehlo.all_reduce: result 0 is"},
    {"all-reduce", "", "the initial value"},
    {"bitcast", "", "its layouts say more than an order of the dimensions"},
    {"collective-broadcast", "", "\"replica_groups\" has -1"},
    {"collective-broadcast", "", "the root is"},
    {"collective-permute", "", "does not permute in place"},
    {"collective-permute-start", "", "does not permute in place"},
    {"conditional", "", "its branches have different dynamic dimensions"},
    {"custom-call", "", "custom_call does not have"},
    {"dot", "", "does not go with a precision"},
    {"gather", "", "\"start_indices_batching_dims\" have sizes"},
    {"infeed", "", "not a static tensor"},
    {"ragged-all-to-all", "", "no such collective"},
    {"recv", "", "not a static tensor"},
    {"reduce-scatter", "", "the initial value"},
    {"reshape", "where inferred_dimension says", "use dynamic-reshape"},
    {"rng-get-and-update-state", "", "no state of random numbers"},
    {"scaled-dot", "", "multiply the operands by their scales"},
    {"scatter", "", "\"scatter_indices_batching_dims\" have sizes"},
    {"send", "", "is !stablehlo.token, not a tensor"},
    {"stochastic-convert", "", "does not round by random bits"},
    {"topk", "", "use sort for the smallest"},
};

// Rows that a tree is made of, but that this release does not read back, and why.
struct NotReadBack {
  std::string_view op;
  std::string_view what;
  std::string_view message;
};
constexpr NotReadBack kNotReadBack[] = {
    {"negate", "a size that is left open", "leaves sizes open"},
    {"parameter", "a size that is left open", "leaves sizes open"},
};

template <typename Entry>
const Entry* Find(std::span<const Entry> entries, std::string_view op, std::string_view what,
                  const std::string& message) {
  for (const Entry& entry : entries) {
    if ((entry.op.empty() || entry.op == op) && (entry.what.empty() || entry.what == what) &&
        message.find(entry.message) != message.npos) {
      return &entry;
    }
  }
  return nullptr;
}

class OpExportTest : public testing::TestWithParam<const CaseTable*> {};

TEST_P(OpExportTest, EveryRowComesBack) {
  const CaseTable& table = *GetParam();
  std::set<const void*> used;
  for (const OpCase& c : table.cases) {
    if (c.expect.kind == Expect::Kind::kError) continue;
    SCOPED_TRACE(StrCat(table.op, ": ", c.what));
    const auto module = Parse(CaseModuleText(table, c));
    ASSERT_TRUE(module.ok()) << module.status().message();
    const auto tree = ExportToStablehlo(**module);
    if (!tree.ok()) {
      const WithoutForm* known =
          Find<WithoutForm>(kWithoutForm, table.op, c.what, tree.status().message());
      EXPECT_EQ(tree.status().code(), StatusCode::kUnimplemented);
      EXPECT_NE(known, nullptr) << tree.status().message();
      used.insert(known);
      continue;
    }
    const auto back = ConvertToHlo(**tree);
    if (!back.ok()) {
      const NotReadBack* known =
          Find<NotReadBack>(kNotReadBack, table.op, c.what, back.status().message());
      EXPECT_NE(known, nullptr) << back.status().message();
      used.insert(known);
      continue;
    }
    std::vector<Literal> arguments;
    for (std::string_view operand : c.operands) {
      const auto value = ParseLiteral(operand);
      if (value.ok()) arguments.push_back(*value);
    }
    const bool has_values = c.expect.kind == Expect::Kind::kValue && c.options.parens.empty();
    ExpectSame(**module, **back, has_values ? &arguments : nullptr);
    for (const bool generic : {false, true}) ExpectSameText(**tree, generic);
    ExpectSameBytecode(**tree);
  }
  for (const WithoutForm& entry : kWithoutForm) {
    EXPECT_TRUE(entry.op != table.op || used.contains(&entry)) << entry.what << " has a form";
  }
  for (const NotReadBack& entry : kNotReadBack) {
    EXPECT_TRUE(entry.op != table.op || used.contains(&entry)) << entry.what << " is read back";
  }
}

INSTANTIATE_TEST_SUITE_P(AllOps, OpExportTest, testing::ValuesIn(AllCaseTables()),
                         [](const auto& info) {
                           std::string name(info.param->op);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace axle

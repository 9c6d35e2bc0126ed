// Runs the case tables. A row becomes a module whose entry is the op on parameters:
//   1. parse; an Error row ends here, by its code and the exact text of the message
//   2. print, parse, print: the same text, the same structure, in both styles; a clone prints it
//   too
//      a proto and back: the same text and the same bytes
//   3. run on every engine, with row-major arguments and with reversed layouts: the same value
// A failing row prints a command that shows it again.
#include "tests/op_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/golden_bits.h"
#include "tests/op_case_modules.h"
#include "tests/op_engines.h"

namespace axle {

#define OP(name) extern const CaseTable k##name##Cases;
#include "axle/ir/opcodes.def"
#undef OP

std::span<const CaseTable* const> AllCaseTables() {
  static const CaseTable* const kTables[] = {
#define OP(name) &k##name##Cases,
#include "axle/ir/opcodes.def"
#undef OP
  };
  return kTables;
}

std::string_view ShapeText(std::string_view value) {
  Scanner scanner(value);
  const StatusOr<Shape> shape = ParseShape(scanner);
  return shape.ok() ? value.substr(0, scanner.position()) : std::string_view();
}

std::string CaseModuleText(const CaseTable& table, const OpCase& c) {
  std::string text = StrCat("HloModule case", c.options.module.empty() ? "" : ", ",
                            c.options.module, "\n", kHelpers, table.helpers, "ENTRY main {\n");
  std::string names;
  for (size_t i = 0; i < c.operands.size() && c.options.parens.empty(); ++i) {
    text += StrCat("  p", i, " = ", ShapeText(c.operands[i]), " parameter(", i, ")\n");
    names += StrCat(i == 0 ? "p" : ", p", i);
  }
  if (!c.options.body.empty()) return StrCat(text, c.options.body, "\n}\n");
  const std::string_view shape =
      c.expect.kind == Expect::Kind::kValue ? ShapeText(c.expect.text) : c.expect.declared_shape;
  return text + StrCat("  ROOT r = ", shape, shape.empty() ? "" : " ", table.op, "(",
                       c.options.parens.empty() ? names : c.options.parens, ")",
                       c.attrs.empty() ? "" : ", ", c.attrs, "\n}\n");
}

namespace {

// Without the position and the caret, which tests/text checks.
std::string Reason(const Status& status) {
  const std::string& message = status.message();
  const size_t begin = message.find(": ") + 2;
  return message.substr(begin, message.find('\n') - begin);
}

// Every array with the first dimension fastest.
Literal WithReversedLayouts(const Literal& literal) {
  if (literal.shape().is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) {
      elements.push_back(WithReversedLayouts(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!literal.shape().is_array()) return literal;
  Layout layout = Layout::RowMajor(literal.shape().rank());
  std::ranges::reverse(layout.minor_to_major);
  return literal.Relayout(layout);
}

bool IsClose(const Literal& actual, const Literal& expected, const CaseOptions& options) {
  if (options.exact_nan) return actual == expected;
  if (options.within_ulp == 0 || !Compatible(actual.shape(), expected.shape())) {
    return SameValue(actual, expected);
  }
  bool all_floats = true;
  ForEachLeaf(expected.shape(), [&](const Shape& leaf, const Dims&) {
    all_floats = all_floats && (IsFloating(leaf.type()) || IsComplex(leaf.type()));
  });
  const auto difference = FirstDifference(actual, expected);
  return all_floats && (!difference || difference->max_ulp <= options.within_ulp);
}

// The largest share of elements of one array with one value, of arrays with at least four.
double LargestShare(const Literal& literal) {
  double share = 0;
  for (const Literal& element : literal.elements()) share = std::max(share, LargestShare(element));
  if (!literal.shape().is_array() || literal.num_elements() < 4) return share;
  const auto bytes = static_cast<size_t>(Info(literal.shape().type()).bytes);
  std::map<std::string_view, i64> counts;
  for (i64 i = 0; i < literal.num_elements(); ++i) {
    ++counts[{reinterpret_cast<const char*>(literal.bytes()) + i * bytes, bytes}];
  }
  for (const auto& [value, count] : counts) {
    share = std::max(share, static_cast<double>(count) / literal.num_elements());
  }
  return share;
}

// Prints how to see a failing row again. Alive while the row runs.
class ReproPrinter {
 public:
  ReproPrinter(const CaseTable& table, const OpCase& c, const std::string& text)
      : table_(table), case_(c), text_(text) {}
  ~ReproPrinter() {
    if (!testing::Test::HasFailure() || failed_before_) return;
    const std::filesystem::path folder = BuildFolder() / "failed_cases";
    std::filesystem::create_directories(folder);
    std::string name = StrCat(table_.op, "_", case_.what, ".hlo");
    std::ranges::replace_if(
        name, [](char c) { return !IsAlnum(c) && c != '.'; }, '_');
    std::ofstream(folder / name) << text_;
    std::string arguments;
    for (size_t i = 0; i < case_.operands.size() && case_.options.parens.empty(); ++i) {
      arguments += StrCat(" --arg \"", i, "=", case_.operands[i], "\"");
    }
    std::cerr << "repro: axle run " << (folder / name).string() << arguments << "\n";
  }

 private:
  const CaseTable& table_;
  const OpCase& case_;
  const std::string& text_;
  const bool failed_before_ = testing::Test::HasFailure();
};

// A module reads back from its text, in both styles, and its clone is the same.
void CheckText(const Module& module) {
  for (const auto style : {PrintOptions::Style::kLong, PrintOptions::Style::kShort}) {
    const std::string printed = Print(module, {.style = style});
    const auto reread = Parse(printed);
    ASSERT_TRUE(reread.ok()) << reread.status().message();
    EXPECT_EQ(Print(**reread, {.style = style}), printed);
    EXPECT_EQ(StructuralHash(*(*reread)->entry()), StructuralHash(*module.entry()));
    EXPECT_EQ(Print(*module.Clone(), {.style = style}), printed);
  }
}

// A module reads back from its proto.
void CheckProto(const Module& module) {
  const std::string bytes = WriteModuleProto(module);
  const auto reread = ReadModuleProto(bytes);
  ASSERT_TRUE(reread.ok()) << reread.status().message();
  EXPECT_EQ(Print(**reread), Print(module));
  EXPECT_EQ(WriteModuleProto(**reread), bytes);
}

void CheckValue(const Module& module, const OpCase& c) {
  std::vector<Literal> arguments, reversed;
  for (std::string_view operand : c.operands) {
    const auto value = ParseLiteral(operand);
    ASSERT_TRUE(value.ok()) << operand << ": " << value.status().message();
    arguments.push_back(*value);
    reversed.push_back(WithReversedLayouts(*value));
  }
  const auto expected = ParseLiteral(c.expect.text);
  ASSERT_TRUE(expected.ok()) << c.expect.text << ": " << expected.status().message();
  EXPECT_TRUE(c.options.degenerate || LargestShare(expected->ValidPart()) <= 0.8)
      << "the expected value has more than 80 % equal elements, unless .degenerate";
  for (const Engine& engine : Engines()) {
    for (const auto* inputs : {&arguments, &reversed}) {
      const auto actual = engine.run(module, *inputs);
      if (engine.Refuses(actual.status())) continue;
      ASSERT_TRUE(actual.ok()) << engine.name << ": " << actual.status().message();
      EXPECT_TRUE(IsClose(*actual, *expected, c.options))
          << engine.name << (inputs == &reversed ? " with reversed layouts" : "") << " gives "
          << actual->ToString() << ", expected " << expected->ToString();
    }
  }
}

void RunCase(const CaseTable& table, const OpCase& c) {
  const std::string text = CaseModuleText(table, c);
  const ReproPrinter repro(table, c, text);
  const auto module = Parse(text, {.strict_types = true});
  if (c.expect.kind == Expect::Kind::kError) {
    // Some forms are read and printed, and refused only when they are to run.
    const Status status = module.ok() ? CheckRuns(**module) : module.status();
    ASSERT_FALSE(status.ok()) << "expected the error " << c.expect.text;
    EXPECT_EQ(module.ok() ? status.message() : Reason(status), c.expect.text);
    EXPECT_EQ(StatusCodeName(status.code()), StatusCodeName(c.expect.code))
        << "see Error and ErrorOf in tests/op_cases.h";
    return;
  }
  ASSERT_TRUE(module.ok()) << module.status().message();
  CheckText(**module);
  CheckProto(**module);
  if (c.expect.kind == Expect::Kind::kValue) CheckValue(**module, c);
}

class OpCasesTest : public testing::TestWithParam<const CaseTable*> {};

TEST_P(OpCasesTest, EveryRowHolds) {
  for (const OpCase& c : GetParam()->cases) {
    SCOPED_TRACE(StrCat(GetParam()->op, ": ", c.what));
    RunCase(*GetParam(), c);
  }
}

INSTANTIATE_TEST_SUITE_P(AllOps, OpCasesTest, testing::ValuesIn(AllCaseTables()),
                         [](const auto& info) {
                           std::string name(info.param->op);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(GoldenBits, CaseResultsAreThoseOfBefore) {
  BitsTable actual;
  for (const CaseTable* table : AllCaseTables()) {
    for (const OpCase& c : table->cases) {
      if (c.expect.kind != Expect::Kind::kValue) continue;
      const auto module = Parse(CaseModuleText(*table, c));
      std::vector<Literal> arguments;
      for (std::string_view operand : c.operands) {
        const auto value = ParseLiteral(operand);
        if (value.ok()) arguments.push_back(*value);
      }
      if (!module.ok() || arguments.size() != c.operands.size()) continue;
      const auto value = Evaluate(**module, arguments);
      const std::string key = StrCat("case ", table->op, ": ", c.what);
      EXPECT_FALSE(actual.contains(key)) << "two rows are called \"" << key << "\"";
      if (value.ok()) actual[key] = BitsHash(*value);
    }
  }
  ExpectGoldenBits("case ", actual);
}

}  // namespace
}  // namespace axle

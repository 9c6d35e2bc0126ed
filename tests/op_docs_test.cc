// docs/ops: a page for each operation and the table of element types, made from the op table and
// the case tables. The test compares what is committed with what comes out now; to write it again:
//
//   AXLE_UPDATE=1 build/dev/bin/axle_cases_test --gtest_filter='OpDocs.*'
//
// Element types are found by trying: in rows of the case table one element type is replaced by
// another, everywhere at once (operands, attributes, called computations), and the program is
// checked and run. So the table says what happens, not what is meant to happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "axle/client/op_table.h"
#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"
#include "tests/op_cases.h"
#include "tests/paths.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

// Better answers are larger.
enum class Answer { kRejected, kNotYet, kSupported };

struct TypeAnswers {
  std::map<ElementType, Answer> answers;
  void Add(ElementType type, Answer answer) {
    const auto [it, added] = answers.emplace(type, answer);
    if (!added) it->second = std::max(it->second, answer);
  }
  std::vector<ElementType> With(Answer wanted) const {
    std::vector<ElementType> types;
    for (const ElementTypeInfo& info : kElementTypes) {
      const auto it = answers.find(info.type);
      if (it != answers.end() && it->second == wanted) types.push_back(info.type);
    }
    return types;
  }
};

struct OpTypes {
  TypeAnswers any;                                 // of some operand or the result
  std::map<std::string_view, TypeAnswers> places;  // by name of the operand; "result"
};

bool IsNameCharacter(char c) {
  return IsAlnum(c) || c == '_';
}

// `text` with every shape of one element type made a shape of the other.
std::string WithType(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool starts = i == 0 || !IsNameCharacter(text[i - 1]);
    if (starts && text.substr(i).starts_with(from) && i + from.size() < text.size() &&
        text[i + from.size()] == '[') {
      out += to;
      i += from.size();
    } else {
      out += text[i++];
    }
  }
  return out;
}

// The element types that the text has shapes of.
std::vector<ElementType> TypesIn(std::string_view text) {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (IsArrayType(info.type) && WithType(text, info.text, "") != text) types.push_back(info.type);
  }
  return types;
}

// "sum { ... }" of a list of computations, by name.
std::map<std::string, std::string> Computations(std::string_view texts) {
  std::map<std::string, std::string> by_name;
  std::istringstream lines{std::string(texts)};
  std::string name;
  for (std::string line; std::getline(lines, line);) {
    const size_t brace = line.find(" {");
    if (!line.empty() && line[0] != ' ' && line[0] != '}' && brace != line.npos) {
      name = line.substr(0, line.find_first_of(" ("));
    }
    if (!name.empty()) StrAppend(by_name[name], line, "\n");
  }
  return by_name;
}

bool Mentions(std::string_view text, std::string_view name) {
  for (size_t i = text.find(name); i != text.npos; i = text.find(name, i + 1)) {
    const size_t end = i + name.size();
    if ((i == 0 || !IsNameCharacter(text[i - 1])) &&
        (end == text.size() || (!IsNameCharacter(text[end]) && text[end] != '-'))) {
      return true;
    }
  }
  return false;
}

// The computations that `text` calls, and those that they call, in their order.
std::string CalledBy(std::string_view text, const CaseTable& table) {
  std::string all(kHelpers), called;
  all += table.helpers;
  const auto by_name = Computations(all);
  std::set<std::string> needed;
  std::vector<std::string> todo = {std::string(text)};
  while (!todo.empty()) {
    const std::string next = std::move(todo.back());
    todo.pop_back();
    for (const auto& [name, body] : by_name) {
      if (!needed.contains(name) && Mentions(next, name)) {
        needed.insert(name);
        todo.push_back(body.substr(body.find('{')));
      }
    }
  }
  std::vector<std::pair<size_t, std::string>> ordered;
  for (const std::string& name : needed) ordered.emplace_back(all.find("\n" + name), name);
  std::ranges::sort(ordered);
  for (const auto& [position, name] : ordered) called += by_name.at(name);
  return called;
}

std::string_view ResultShape(const OpCase& c) {
  return c.expect.kind == Expect::Kind::kValue ? ShapeText(c.expect.text) : c.expect.declared_shape;
}

// The shape that the row declares for the op, wherever it stands.
std::string_view DeclaredShape(const OpInfo& op, const OpCase& c) {
  const std::string_view body = c.options.body;
  if (body.empty()) return ResultShape(c);
  const size_t end = body.find(StrCat(" ", op.name, "("));
  const size_t equals = body.substr(0, end).rfind(" = ");
  if (end == body.npos || equals == body.npos) return "";
  return body.substr(equals + 3, end - equals - 3);
}

// The instructions of a row that has its own, one a line.
std::string BodyLines(std::string_view body) {
  std::vector<std::string> words;
  std::istringstream in{std::string(body)};
  for (std::string word; in >> word;) words.push_back(word);
  std::string lines;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_root = words[i] == "ROOT";
    const size_t name = is_root ? i + 1 : i;
    const bool begins = name + 1 < words.size() && words[name + 1] == "=" &&
                        (is_root || i == 0 || words[i - 1] != "ROOT");
    StrAppend(lines, i == 0 ? "" : begins ? "\n" : " ", words[i]);
  }
  return lines;
}

// The op on the row's operands, or the row's own instructions.
std::string OpLines(const OpInfo& op, const OpCase& c, std::string_view result) {
  if (!c.options.body.empty()) return BodyLines(c.options.body);
  std::string names;
  for (size_t i = 0; i < c.operands.size(); ++i) StrAppend(names, i == 0 ? "p" : ", p", i);
  return StrCat("ROOT r = ", result, result.empty() ? "" : " ", op.name, "(",
                c.options.parens.empty() ? names : std::string(c.options.parens), ")",
                c.attrs.empty() ? "" : ", ", c.attrs);
}

// The row as a module; the result's shape only where the op does not imply it.
std::string ModuleText(const OpInfo& op, const CaseTable& table, const OpCase& c) {
  std::string text =
      StrCat("HloModule docs\n\n", CalledBy(StrCat(c.attrs, " ", c.options.body), table),
             "ENTRY main {\n");
  for (size_t i = 0; i < c.operands.size() && c.options.parens.empty(); ++i) {
    StrAppend(text, "  p", i, " = ", ShapeText(c.operands[i]), " parameter(", i, ")\n");
  }
  return StrCat(text, "  ", OpLines(op, c, op.declared_shape ? ResultShape(c) : ""), "\n}\n");
}

// The values of the row, in other types; zeros where it has none.
Literal ArgumentLike(const Shape& shape, const Literal& value) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      const bool has = value.shape().is_tuple() && i < value.elements().size();
      elements.push_back(ArgumentLike(shape.elements()[i], has ? value.elements()[i] : Literal()));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (shape.is_array() && value.shape().is_array() && SameDims(shape, value.shape())) {
    if (const auto converted = Convert(value, shape.type()); converted.ok()) return *converted;
  }
  return Literal(shape);
}

// The rule that a message states, without the element types that it names.
std::string RuleOf(std::string_view message) {
  std::string rule(message.substr(0, message.find_first_of(";\n")));
  for (const ElementTypeInfo& info : kElementTypes) {
    for (size_t i = rule.find(info.text); i != rule.npos; i = rule.find(info.text, i + 1)) {
      const size_t end = i + info.text.size();
      const bool is_name = (i == 0 || !IsNameCharacter(rule[i - 1])) &&
                           (end == rule.size() || !IsNameCharacter(rule[end]));
      if (is_name) rule.replace(i, info.text.size(), "T");
    }
  }
  return rule;
}

// An operation may say UNIMPLEMENTED by a rule that it has, with a row of its own, and otherwise
// because nobody has written that part yet.
Answer Refusal(const CaseTable& table, const Status& status) {
  if (status.code() != StatusCode::kUnimplemented) return Answer::kRejected;
  for (const OpCase& c : table.cases) {
    const bool is_rule =
        c.expect.kind == Expect::Kind::kError && c.expect.code == StatusCode::kUnimplemented;
    if (is_rule && RuleOf(status.message()).ends_with(RuleOf(c.expect.text))) {
      return Answer::kRejected;
    }
  }
  return Answer::kNotYet;
}

Answer Try(const CaseTable& table, const std::string& text, const OpCase& c) {
  Limits limits;
  limits.set_time_limit(0.5);
  limits.set_step_limit(1000);
  limits.set_memory_cap(i64{1} << 26);
  const auto module = Parse(text);
  if (!module.ok()) return Refusal(table, module.status());
  std::vector<Literal> arguments;
  const auto parameters = (*module)->entry()->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto value = ParseLiteral(c.operands[i]);
    arguments.push_back(ArgumentLike(parameters[i]->shape(), value.ok() ? *value : Literal()));
  }
  const auto result = Evaluate(**module, arguments, {.limits = &limits});
  return result.status().code() == StatusCode::kUnimplemented ? Answer::kNotYet
                                                              : Answer::kSupported;
}

// The name of operand i of `count`; variadic operands stand for as many as there are.
std::string_view OperandName(const OpInfo& op, size_t i, size_t count) {
  const size_t variadic = std::ranges::count(op.operands, true, &OperandInfo::variadic);
  const size_t fixed = op.operands.size() - variadic;
  for (const OperandInfo& operand : op.operands) {
    const size_t size = operand.variadic ? (count - fixed) / variadic : 1;
    if (i < size) return operand.name;
    i -= size;
  }
  return "";
}

// Gives every operand and a declared result of the row every element type in turn.
void TryTypes(const OpInfo& op, const CaseTable& table, const OpCase& c, OpTypes& types) {
  const std::string text = ModuleText(op, table, c);
  for (ElementType from : TypesIn(text)) {
    for (const ElementTypeInfo& to : kElementTypes) {
      if (!IsArrayType(to.type)) continue;
      const Answer answer = Try(table, WithType(text, Name(from), to.text), c);
      const auto has_type = [&](std::string_view shape) {
        return WithType(shape, Name(from), "") != shape;
      };
      bool any = false;
      for (size_t i = 0; i < c.operands.size(); ++i) {
        if (!has_type(ShapeText(c.operands[i]))) continue;
        types.places[OperandName(op, i, c.operands.size())].Add(to.type, answer);
        any = true;
      }
      if (op.declared_shape && has_type(DeclaredShape(op, c))) {
        types.places["result"].Add(to.type, answer);
        any = true;
      }
      if (any) types.any.Add(to.type, answer);
    }
  }
}

// Rows that differ in more than their numbers, a few for each op.
OpTypes FindTypes(const OpInfo& op, const CaseTable& table) {
  constexpr size_t kMaxRows = 16;
  OpTypes types;
  std::set<std::string> seen;
  for (const OpCase& c : table.cases) {
    if (c.expect.kind == Expect::Kind::kError || seen.size() == kMaxRows) continue;
    const auto is_open = [](std::string_view text) { return text.find('?') != text.npos; };
    if (std::ranges::any_of(c.operands, is_open)) continue;  // a size without values
    std::string key = StrCat(c.attrs, c.options.body, c.options.parens.empty() ? "" : "()");
    for (std::string_view operand : c.operands) {
      const std::string_view shape = ShapeText(operand);
      StrAppend(key, " ", shape.substr(0, shape.find('[')), std::ranges::count(shape, ','));
    }
    if (op.declared_shape) key += ResultShape(c);
    if (seen.insert(key).second) TryTypes(op, table, c, types);
  }
  return types;
}

std::string List(std::span<const ElementType> types) {
  return Join(types, ", ", [](ElementType type) { return StrCat("`", Name(type), "`"); });
}

// "all", "all but `c64`", or a list.
std::string Describe(const TypeAnswers& answers) {
  const auto supported = answers.With(Answer::kSupported);
  auto others = answers.With(Answer::kRejected);
  const auto not_yet = answers.With(Answer::kNotYet);
  others.insert(others.end(), not_yet.begin(), not_yet.end());
  std::string text = others.empty()       ? "all"
                     : others.size() <= 6 ? StrCat("all but ", List(others))
                     : supported.empty()  ? "none"
                                          : List(supported);
  if (!not_yet.empty()) StrAppend(text, "; not yet ", List(not_yet));
  return text;
}

std::string OperandSection(const OpInfo& op, const OpTypes& types) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view shown) {
    const auto it = types.places.find(name);
    StrAppend(text, "| ", shown, " | ", it == types.places.end() ? "" : Describe(it->second),
              " |\n");
  };
  for (const OperandInfo& operand : op.operands) {
    add(operand.name, StrCat("`", operand.name, operand.variadic ? "...`" : "`"));
  }
  if (op.declared_shape) add("result", "result, of the declared shape");
  return text.empty() ? "" : StrCat("\n| operand | element types |\n|---|---|\n", text);
}

// How an attribute of a kind is written, where its name does not say it.
std::string_view FormOf(std::string_view kind) {
  static const std::map<std::string_view, std::string_view> kForms = {
      {"padding",
       ": `low_high` or `low_high_interior` for each dimension, joined by `x`, as in `1_2x0_0_1`"},
      {"slice",
       ": `[start:limit]` or `[start:limit:stride]` for each dimension, as in `{[0:4], [1:9:2]}`"},
      {"window",
       ": `{size=2x3 stride=1x1 pad=0_1x0_0 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}`, a "
       "number for each dimension, of `pad` two; all but `size` may be left out and are then as "
       "here, with `pad` 0"},
      {"dimension labels",
       ": `b01f_01io->b01f`, for each dimension of lhs, rhs and the result `b` batch, `f` feature, "
       "`i` input feature, `o` output feature, or the number of a spatial dimension"},
      {"list of precisions",
       ": `default`, `high` or `highest` for each operand, as in `{high,default}`"},
  };
  const auto it = kForms.find(kind);
  return it == kForms.end() ? "" : it->second;
}

std::string AttributeSection(const OpInfo& op) {
  std::string text;
  for (const AttributeInfo& attribute : op.attributes) {
    const std::string where = op.attribute_in_parens && &attribute == &op.attributes[0]
                                  ? " (between the parentheses)"
                                  : "";
    StrAppend(text, "| `", attribute.name, "`", where, " | ", attribute.kind,
              FormOf(attribute.kind));
    if (!attribute.values.empty()) {
      StrAppend(text, ": ", Join(attribute.values, ", ", [](const std::string& value) {
                  return StrCat("`", value, "`");
                }));
    }
    StrAppend(text, " | ",
              attribute.presence == "required"  ? "required"
              : attribute.default_value.empty() ? "none"
                                                : StrCat("`", attribute.default_value, "`"),
              " |\n");
  }
  return text.empty() ? "" : StrCat("\n| attribute | value | default |\n|---|---|---|\n", text);
}

std::string CalleeSection(const OpInfo& op) {
  const auto names = [](std::span<const OperandInfo> callees) {
    return Join(callees, ", ", [](const OperandInfo& callee) {
      return StrCat("`", callee.name, callee.variadic ? "={...}`" : "`");
    });
  };
  if (op.callees.empty()) return "";
  std::string text = StrCat("\nCalls ", names(op.callees));
  if (!op.alternative_callees.empty()) StrAppend(text, ", or ", names(op.alternative_callees));
  return text + ".\n";
}

// The first row with a value; one without dynamic dimensions, if there is one.
std::string ExampleSection(const OpInfo& op, const CaseTable& table) {
  const OpCase* example = nullptr;
  for (const OpCase& c : table.cases) {
    if (c.expect.kind != Expect::Kind::kValue) continue;
    const auto is_dynamic = [](std::string_view text) { return text.find("<=") != text.npos; };
    if (example == nullptr) example = &c;
    if (std::ranges::any_of(c.operands, is_dynamic) || is_dynamic(c.expect.text)) continue;
    example = &c;
    break;
  }
  if (example == nullptr) return "";
  const OpCase& c = *example;
  std::string text = StrCat("\n## Example\n\n", c.what, ":\n\n```\n");
  std::istringstream called(CalledBy(StrCat(c.attrs, " ", c.options.body), table));
  for (std::string line; std::getline(called, line);) StrAppend(text, line, "\n");
  for (size_t i = 0; i < c.operands.size() && c.options.parens.empty(); ++i) {
    StrAppend(text, "p", i, " = ", c.operands[i], "\n");
  }
  return StrCat(text, OpLines(op, c, ResultShape(c)), "\nr = ", c.expect.text, "\n```\n");
}

std::string ErrorSection(const CaseTable& table) {
  std::string text;
  for (const OpCase& c : table.cases) {
    if (c.expect.kind != Expect::Kind::kError) continue;
    const bool is_usual = c.expect.code == StatusCode::kInvalidArgument;
    StrAppend(text, "* ", c.what, is_usual ? "" : StrCat(" (", StatusCodeName(c.expect.code), ")"),
              "\n  `", c.expect.text, "`\n");
  }
  return text.empty() ? "" : StrCat("\n## Errors\n\n", text);
}

// What all operations on pairs of elements have in common.
std::string_view CommonRule(const OpInfo& op) {
  if (op.lowering != "elementwise" || op.operands.size() != 2 || op.operands[0].name != "lhs") {
    return "";
  }
  return " lhs and rhs have one element type and the same dimensions, which the result has too: "
         "nothing is broadcast implicitly.";
}

std::string Page(const OpInfo& op, const CaseTable& table, const OpTypes& types) {
  std::string text =
      StrCat("# ", op.name, "\n\n", op.summary, "\n\n", op.semantics, CommonRule(op), "\n",
             OperandSection(op, types), AttributeSection(op), CalleeSection(op));
  StrAppend(text, "\nAccuracy: ", op.accuracy, ".\n");
  if (!op.traits.empty()) StrAppend(text, "\nTraits: ", Join(op.traits, ", "), ".\n");
  if (!op.builder_calls.empty()) {
    StrAppend(text, "\n## In C++\n\n```cpp\n", Join(op.builder_calls, "\n"), "\n```\n");
  }
  StrAppend(text, ExampleSection(op, table), ErrorSection(table), "\nSource: ", op.source, ".\n");
  return text;
}

std::string Overview(std::span<const OpInfo> ops, std::span<const OpTypes> types) {
  std::string text =
      "# Operations\n\n"
      "One page for each, and the element types of some operand or of a declared result:\n"
      "`+` supported, `-` rejected by a rule of the operation, `o` not yet, nothing: not tried.\n"
      "These pages are written by a test, from the op table and the case tables:\n\n"
      "    AXLE_UPDATE=1 build/dev/bin/axle_cases_test --gtest_filter='OpDocs.*'\n\n"
      "| operation |";
  std::string rule = "|---|";
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    StrAppend(text, " ", info.text, " |");
    rule += "---|";
  }
  StrAppend(text, "\n", rule, "\n");
  for (size_t i = 0; i < ops.size(); ++i) {
    StrAppend(text, "| [", ops[i].name, "](", ops[i].name, ".md) |");
    for (const ElementTypeInfo& info : kElementTypes) {
      if (!IsArrayType(info.type)) continue;
      const auto& answers = types[i].any.answers;
      const auto it = answers.find(info.type);
      const std::string_view signs[] = {" - |", " o |", " + |"};
      text += it == answers.end() ? "  |" : signs[static_cast<int>(it->second)];
    }
    text += "\n";
  }
  return text;
}

std::map<std::string, std::string> AllPages() {
  std::map<std::string, std::string> pages;
  const std::vector<OpInfo> ops = DescribeOps();
  std::vector<OpTypes> types;
  for (size_t i = 0; i < ops.size(); ++i) {
    const CaseTable& table = *AllCaseTables()[i];
    types.push_back(FindTypes(ops[i], table));
    pages[StrCat(ops[i].name, ".md")] = Page(ops[i], table, types.back());
  }
  pages["README.md"] = Overview(ops, types);
  return pages;
}

TEST(OpDocs, PagesAreThoseOfTheTables) {
  const fs::path folder = SourceFolder() / "docs/ops";
  const bool update = std::getenv("AXLE_UPDATE") != nullptr;
  if (!update && !fs::exists(folder)) {
    GTEST_SKIP() << "no docs/ops yet; AXLE_UPDATE=1 build/dev/bin/axle_cases_test "
                    "--gtest_filter='OpDocs.*' writes it";
  }
  const std::map<std::string, std::string> pages = AllPages();
  std::map<std::string, std::string> committed;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      committed[entry.path().filename().string()] = text.str();
    }
  }
  if (update) {
    fs::create_directories(folder);
    for (const auto& [name, text] : committed) {
      if (!pages.contains(name)) fs::remove(folder / name);
    }
    for (const auto& [name, text] : pages) {
      if (committed[name] != text) std::ofstream(folder / name) << text;
    }
    return;
  }
  std::string changes;
  for (const auto& [name, text] : pages) {
    if (!committed.contains(name)) StrAppend(changes, "missing: docs/ops/", name, "\n");
    if (committed.contains(name) && committed[name] != text) {
      StrAppend(changes, "differs: docs/ops/", name, "\n");
    }
  }
  for (const auto& [name, text] : committed) {
    if (!pages.contains(name)) StrAppend(changes, "gone:    docs/ops/", name, "\n");
  }
  EXPECT_EQ(changes, "") << "the pages are generated; to write them again:\n"
                            "  AXLE_UPDATE=1 build/dev/bin/axle_cases_test "
                            "--gtest_filter='OpDocs.*'";
}

}  // namespace
}  // namespace axle

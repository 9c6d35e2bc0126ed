// Every row is complete and says what its lowering class promises, and every op has a case table
// with the rows that show its edges. This is the check that replaces "did you remember the other 20
// files?".
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "tests/op_cases.h"

namespace axle {
namespace {

TEST(OpTable, RowsAreComplete) {
  std::set<std::string_view> texts;
  for (const OpDef* row : AllOpDefs()) {
    const OpDef& def = *row;
    SCOPED_TRACE(def.text);
    EXPECT_EQ(&GetOpDef(def.opcode), &def);
    EXPECT_TRUE(texts.insert(def.text).second) << "used twice";
    EXPECT_EQ(FindOpDef(def.text), &def);
    for (std::string_view prose : {def.summary, def.semantics}) {
      EXPECT_TRUE(prose.ends_with(".")) << prose;
    }
    EXPECT_FALSE(def.source.empty());
    EXPECT_FALSE(def.accuracy.empty());
    EXPECT_NE(def.infer, nullptr);
  }
}

TEST(OpTable, MeaningFitsTheLoweringClass) {
  for (const OpDef* def : AllOpDefs()) {
    SCOPED_TRACE(def->text);
    // An elementwise op may have .eval beside .emit, for its other forms.
    EXPECT_EQ((def->emit != nullptr) + (def->index_map != nullptr) +
                  (def->eval != nullptr && def->emit == nullptr),
              1);
    EXPECT_EQ(def->emit != nullptr, def->lowering == Lowering::kElementwise);
    EXPECT_TRUE(def->emit_complex == nullptr || def->emit != nullptr);
    EXPECT_TRUE(def->in_stored_form == nullptr || def->emit != nullptr);
    if (def->lowering == Lowering::kIndexMap) {
      EXPECT_NE(def->index_map, nullptr);
    }
    if (def->lowering == Lowering::kElementwise) {
      EXPECT_TRUE(def->callees.empty());
    }
    EXPECT_EQ(def->uses_alternative != nullptr, !def->alternative_callees.empty());
    EXPECT_TRUE(!def->has(kCommutative) || def->operands.size() == 2);
    EXPECT_TRUE(!def->has(kGivesOperand) || !def->operands.empty());
  }
}

TEST(OpTable, NamesAreThere) {
  for (const OpDef* def : AllOpDefs()) {
    SCOPED_TRACE(def->text);
    std::set<std::string_view> names;
    for (const OperandSpec& spec : def->operands) {
      EXPECT_FALSE(spec.name.empty());
      EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    }
    for (const auto& specs : {def->callees, def->alternative_callees}) {
      for (const CalleeSpec& spec : specs) EXPECT_TRUE(names.insert(spec.text).second) << spec.text;
      EXPECT_TRUE(specs.size() <= 1 ||
                  std::ranges::none_of(specs, [](const CalleeSpec& s) { return s.variadic; }));
    }
    for (const AttrSpec& spec : def->attrs.specs) {
      EXPECT_TRUE(names.insert(spec.text).second) << spec.text;
      EXPECT_NE(spec.kind, nullptr);
    }
    if (def->parens == ParenSyntax::kAttribute) {
      EXPECT_TRUE(def->operands.empty());
      EXPECT_FALSE(def->attrs.specs.empty());
    }
  }
}

// Two attributes of one op never share a place in the proto.
TEST(OpTable, AttributesHaveAPlaceInTheProto) {
  for (const OpDef* def : AllOpDefs()) {
    std::set<std::tuple<int, int, int>> paths;
    for (const AttrSpec& spec : def->attrs.specs) {
      if (spec.proto.field == 0) continue;  // not in the proto
      const auto [field, subfield, subsubfield] = spec.proto;
      EXPECT_TRUE(paths.emplace(field, subfield, subsubfield).second)
          << def->text << " " << spec.text;
    }
  }
}

// What the operands and the result of a row show.
struct Coverage {
  bool error = false, empty = false, one_element = false, scalar = false;
  bool floats = false, nan = false, infinity = false, negative_zero = false;
  bool integers = false, extreme = false;

  void Add(std::string_view value) {
    const std::string_view shape_text = ShapeText(value);
    const StatusOr<Shape> shape = ParseShape(shape_text);
    if (!shape.ok()) return;
    const std::string_view elements = value.substr(shape_text.size());
    const auto has = [&](std::string_view text) { return elements.find(text) != elements.npos; };
    ForEachLeaf(*shape, [&](const Shape& leaf, const Dims&) {
      if (!leaf.is_array()) return;
      scalar = scalar || leaf.is_scalar();
      empty = empty || leaf.num_elements() == 0;
      one_element = one_element || (leaf.rank() > 0 && leaf.num_elements() == 1);
      if (IsFloating(leaf.type()) && !elements.empty()) {
        floats = true;
        nan = nan || has("nan");
        infinity = infinity || has("inf");
        negative_zero = negative_zero || has("-0,") || has("-0}") || has("-0.0");
      }
      if (IsIntegral(leaf.type()) && !elements.empty()) {
        integers = true;
        for (std::string_view text :
             {"-2147483648", "2147483647", "-128", "127", "255", "-8", "4294967295",
              "-9223372036854775808", "9223372036854775807", "18446744073709551615", "65535"}) {
          extreme = extreme || has(text);
        }
      }
    });
  }
};

TEST(OpTable, EveryOpHasTheRowsThatShowItsEdges) {
  ASSERT_EQ(AllCaseTables().size(), AllOpDefs().size());
  for (size_t i = 0; i < AllOpDefs().size(); ++i) {
    const OpDef& def = *AllOpDefs()[i];
    const CaseTable& table = *AllCaseTables()[i];
    SCOPED_TRACE(def.text);
    EXPECT_EQ(table.op, def.text);
    Coverage seen;
    std::set<std::string_view> names;
    for (const OpCase& c : table.cases) {
      EXPECT_TRUE(names.insert(c.what).second) << "two rows are called \"" << c.what << "\"";
      seen.error = seen.error || c.expect.kind == Expect::Kind::kError;
      if (c.expect.kind != Expect::Kind::kValue) continue;
      for (std::string_view operand : c.operands) seen.Add(operand);
      seen.Add(c.expect.text);
    }
    EXPECT_TRUE(seen.error) << "no row with an error";
    if (table.without_values) continue;
    EXPECT_TRUE(seen.empty) << "no row with an array of size 0";
    EXPECT_TRUE(seen.one_element || seen.scalar) << "no row with one element";
    if (def.lowering != Lowering::kElementwise) continue;
    EXPECT_TRUE(seen.one_element) << "no row with an array of size 1";
    EXPECT_TRUE(seen.scalar) << "no row with a scalar";
    if (seen.floats) {
      EXPECT_TRUE(seen.nan) << "no row with NaN";
      EXPECT_TRUE(seen.infinity) << "no row with an infinity";
      EXPECT_TRUE(seen.negative_zero) << "no row with -0";
    }
    if (seen.integers) {
      EXPECT_TRUE(seen.extreme) << "no row with an extreme integer";
    }
  }
}

}  // namespace
}  // namespace axle

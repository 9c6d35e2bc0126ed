// What was printed is read back and printed the same again, byte for byte: the files of tests/data,
// the corpus, and snippets of HLO text, one for each part of the grammar.
#include "axle/ops/op_def.h"
#include "tests/paths.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".hlo") || name.ends_with(".hlo.txt")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(RoundTrip, CanonicalFilesAreUnchanged) {
  const std::vector<fs::path> files = FilesBelow(SourceFolder() / "tests/data/text");
  ASSERT_GE(files.size(), 9u);
  for (const fs::path& file : files) {
    const std::string text = ReadText(file);
    const auto module = ParseOrFail(text);
    if (module == nullptr) continue;
    EXPECT_EQ(Print(*module), text) << file;
    ExpectStable(*module);
    ExpectStable(*module->Clone());
    EXPECT_EQ(Print(*module->Clone()), text) << file;
  }
}

TEST(RoundTrip, SmallPrograms) {
  for (const fs::path& file : FilesBelow(SourceFolder() / "tests/data/programs")) {
    const auto module = ParseOrFail(ReadText(file));
    if (module != nullptr) ExpectStable(*module);
  }
}

// Every program whose operations all exist prints as it was; the others say what is missing.
TEST(RoundTrip, Corpus) {
  std::vector<fs::path> files = OptimizedPrograms();
  for (const fs::path& folder : CorpusPrograms()) files.push_back(folder / "program.hlo.txt");
  int num_same = 0;
  for (const fs::path& file : files) {
    const std::string text = ReadText(file);
    const auto module = Parse(text, {.label = file.filename().string()});
    if (!module.ok()) {
      EXPECT_EQ(module.status().code(), StatusCode::kUnimplemented) << module.status().ToString();
      continue;
    }
    const bool same = Print(**module) == text;
    EXPECT_TRUE(same) << file;
    num_same += same;
    ExpectStable(**module);
  }
  EXPECT_GE(num_same, 29);
}

// Modules that each show something of the text form, "===" between them.
std::vector<std::string> Snippets() {
  std::vector<std::string> snippets;
  const std::string text = ReadText(SourceFolder() / "tests/data/snippets.txt");
  for (size_t at = 0; at != text.npos + 4;) {
    const size_t end = text.find("===\n", at);
    snippets.push_back(text.substr(at, end - at));
    if (end == text.npos) break;
    at = end + 4;
  }
  return snippets;
}

TEST(RoundTrip, ReferenceSnippets) {
  const std::vector<std::string> snippets = Snippets();
  EXPECT_EQ(snippets.size(), 81u);
  // Read by a parser that does not verify: an unbounded parameter, and 4 batch groups of 2
  // features.
  constexpr std::string_view kInvalid[] = {"s05_layouts", "s27_conv_backward"};
  int num_read = 0;
  for (const std::string& snippet : snippets) {
    const auto module = Parse(snippet);
    if (module.ok()) {
      ++num_read;
      ExpectStable(**module);
      continue;
    }
    const bool invalid = std::ranges::any_of(
        kInvalid, [&](std::string_view name) { return snippet.find(name) != snippet.npos; });
    EXPECT_TRUE(invalid || module.status().code() == StatusCode::kUnimplemented)
        << module.status().ToString();
  }
  EXPECT_GE(num_read, 37);
}

TEST(RoundTrip, PrintOfOneInstruction) {
  const auto module = ParseOrFail(
      "ENTRY e { x = f32[2] parameter(0)\n"
      "ROOT y = f32[2] negate(x), metadata={op_name=\"n\"}, sharding={replicated} }");
  ASSERT_NE(module, nullptr);
  const Instruction& root = *module->entry()->root();
  EXPECT_EQ(Print(root),
            "%y = f32[2]{0} negate(%x), sharding={replicated}, metadata={op_name=\"n\"}");
  EXPECT_EQ(Print(root, kShort), "y = f32[2]{0} negate(x), sharding={replicated}");
}

TEST(RoundTrip, OperandsMayHaveTheirShapes) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[2,3]{0,1}, (s32[], f32[2]{0}))->s32[]}\n\n"
      "ENTRY %e (x: f32[2,3], t: (s32[], f32[2])) -> s32[] {\n"
      "  %x = f32[2,3]{0,1} parameter(0)\n"
      "  %t = (s32[], f32[2]{0}) parameter(1)\n"
      "  %y = f32[2,3]{1,0} add(f32[2,3]{0,1} %x, f32[2,3]{0,1} %x)\n"
      "  ROOT %n = s32[] get-tuple-element((s32[], f32[2]{0}) %t), index=0\n}\n\n";
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Print(*module, {.style = PrintOptions::Style::kLong, .operand_shapes = true}), text);
  EXPECT_EQ(Print(*module->entry()->root(), kShort), "n = s32[] get-tuple-element(t), index=0");
}

TEST(RoundTrip, WhatIsPrintedCanBeChosen) {
  const auto module = ParseOrFail(
      "HloModule m\nsum.3 { a.1 = f32[] parameter(0) b.2 = f32[] parameter(1)\n"
      "ROOT c.4 = f32[] add(a.1, b.2) }\n"
      "ENTRY e.9 { x.5 = f32[2] parameter(0), metadata={op_name=\"n\"} z.6 = f32[] constant(0)\n"
      "ROOT r.7 = f32[] reduce(x.5, z.6), dimensions={0}, to_apply=sum.3, "
      "control-predecessors={z.6}, backend_config={\"a\":1} }");
  ASSERT_NE(module, nullptr);
  const auto print = [&](PrintOptions options) {
    std::string text = Print(*module, options);
    return text.substr(text.find("ENTRY"));
  };
  EXPECT_EQ(print({.metadata = false, .backend_config = false, .ids = false}),
            "ENTRY %e (x: f32[2]) -> f32[] {\n"
            "  %x = f32[2]{0} parameter(0)\n"
            "  %z = f32[] constant(0)\n"
            "  ROOT %r = f32[] reduce(%x, %z), dimensions={0}, to_apply=%sum, "
            "control-predecessors={%z}\n}\n");
  const std::string canonical = Print(*module, {.canonical_names = true});
  EXPECT_EQ(canonical.substr(canonical.find("ENTRY")),
            "ENTRY %e.9 (tmp_0: f32[2]) -> f32[] {\n"
            "  %tmp_0 = f32[2]{0} parameter(0), metadata={op_name=\"n\"}\n"
            "  %tmp_1 = f32[] constant(0)\n"
            "  ROOT %tmp_2 = f32[] reduce(%tmp_0, %tmp_1), dimensions={0}, to_apply=%sum.3, "
            "control-predecessors={%tmp_1}, backend_config={\"a\":1}\n}\n");
  const auto read = ParseOrFail(canonical);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(StructuralHash(*read->entry()), StructuralHash(*module->entry()));
  const std::string indented = Print(*module, {.indent = 2});
  EXPECT_EQ(indented.substr(0, 15), "    HloModule m");
  EXPECT_NE(indented.find("\n\n    ENTRY %e.9 (x.5: f32[2]) -> f32[] {\n      %x.5 = "),
            std::string::npos)
      << indented;
}

TEST(RoundTrip, LargeConstantsCanBeLeftOut) {
  const auto module = ParseOrFail(
      "ENTRY e { a = s32[10] constant({1,2,3,4,5,6,7,8,9,10})\n"
      "b = s32[11] constant({1,2,3,4,5,6,7,8,9,10,11})\n"
      "p = s32[100] parameter(0)\n"
      "t = (s32[]) constant((1)) }");
  ASSERT_NE(module, nullptr);
  const auto inst = [&](int i) {
    return Print(*module->entry()->instructions()[i],
                 {.style = PrintOptions::Style::kShort, .large_constants = false});
  };
  EXPECT_EQ(inst(0), "a = s32[10]{0} constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})");
  EXPECT_EQ(inst(1), "b = s32[11]{0} constant({...})");
  EXPECT_EQ(inst(2), "p = s32[100]{0} parameter(0)");
  EXPECT_EQ(inst(3), "t = (s32[]) constant({...})");
}

// Each op's row can be written by the parser's and printer's generic code: no attribute hides
// another or one that every op takes.
TEST(RoundTrip, AttributeNamesAreUnique) {
  for (const OpDef* def : AllOpDefs()) {
    std::vector<std::string_view> names = {
        "metadata",   "sharding", "frontend_attributes",   "backend_config", "control-predecessors",
        "statistics", "origin",   "parameter_replication", "result_accuracy"};
    for (const AttrSpec& spec : def->attrs.specs) names.push_back(spec.text);
    for (const CalleeSpec& spec : def->callees) names.push_back(spec.text);
    for (const CalleeSpec& spec : def->alternative_callees) names.push_back(spec.text);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << def->text;
  }
}

}  // namespace
}  // namespace axle

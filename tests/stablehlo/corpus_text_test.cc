// The programs exported from JAX as MLIR text, with and without locations: read, printed in both
// forms and read back; and what damaged texts do: nothing but an error.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "axle/core/strings.h"
#include "tests/paths.h"
#include "tests/stablehlo/mlir_text.h"

namespace axle::mlir {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

std::string FileText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> Programs() {
  std::vector<fs::path> files;
  for (const fs::path& folder : CorpusPrograms()) {
    if (fs::exists(folder / "program.stablehlo.mlir")) {
      files.push_back(folder / "program.stablehlo.mlir");
    }
  }
  const fs::path located = SharedFolder() / "corpus" / "_locations";
  if (fs::is_directory(located)) {
    for (const auto& entry : fs::directory_iterator(located)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(MlirCorpus, EveryProgramIsReadAndPrintedBack) {
  const std::vector<fs::path> files = Programs();
  if (files.empty()) GTEST_SKIP() << "no programs in MLIR text here";
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.string());
    const auto module = ReadOrFail(FileText(path));
    ASSERT_NE(module, nullptr);
    ExpectPrintsBack(*module);
    // What is printed is stable.
    const std::string text = PrintMlirText(*module);
    const auto again = ReadOrFail(text);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(PrintMlirText(*again), text);
    EXPECT_EQ(text.find("<<unknown>>"), text.npos);
  }
}

// With something of everything.
constexpr std::string_view kDamaged = R"(#a = loc("f":1:2)
!t = tensor<2x?xf32, #stablehlo.bounds<?, 3>>
module @m attributes {k = [1 : i8, -2.5e1 : f32, "s\22", @f::@g, unit, array<i1: true>]} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<2x3xf32> {b.c = "d"} loc("x"), %i: tensor<i32>, %q: !t) -> (tensor<2xf32> {e}) {
    %c:2 = "x.y"(%q) <{p = dense<"0x0000803F"> : tensor<2xf32>}> ({
    ^bb0(%z: i1):
      "x.z"(%z) : (i1) -> ()
    }, {}) {g = #stablehlo.channel_handle<handle = 1, type = 1>} : (!t) -> (f32, f64)
    %0 = stablehlo.slice %arg0 [0:2:1, 1:3] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.constant dense<[[1.0, -0.5], [0x7FC00000, 2.0]]> : tensor<2x2xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %s = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %s) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %4:2 = stablehlo.while(%j = %i, %v = %3) : tensor<i32>, tensor<2xf32>
     cond {
      %5 = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      stablehlo.return %j, %v : tensor<i32>, tensor<2xf32>
    } loc(callsite(#a at fused<"m">["n", #a]))
    %6 = stablehlo.custom_call @f(%4#1) {api_version = 2 : i32, r = dense_resource<w> : tensor<1xi8>} : (tensor<2xf32>) -> tensor<2xf32>
    return %6 : tensor<2xf32> loc(#a)
  }
}
{-# dialect_resources: { builtin: { w: "0x0400000007" } } #-}
)";

// Read without a crash; what is read prints and is read back.
void ExpectHarmless(const std::string& text) {
  const auto module = ParseMlirText(text, {.label = "t"});
  if (!module.ok()) {
    EXPECT_FALSE(module.status().message().empty());
    EXPECT_FALSE(IsBug(module.status())) << module.status().ToString();
    return;
  }
  const std::string printed = PrintMlirText(**module, {.locations = true});
  const auto again = ParseMlirText(printed, {.label = "printed"});
  ASSERT_TRUE(again.ok()) << again.status().ToString() << "\nfrom\n" << text;
  EXPECT_EQ(FirstDifference(**module, **again, {.locations = true}), "") << text;
}

TEST(MlirDamage, TheTextIsWhole) {
  EXPECT_NE(ReadOrFail(std::string(kDamaged)), nullptr);
  ExpectHarmless(std::string(kDamaged));
}

TEST(MlirDamage, TruncatedTexts) {
  for (size_t i = 0; i < kDamaged.size(); ++i) ExpectHarmless(std::string(kDamaged.substr(0, i)));
  for (size_t i = 0; i < kDamaged.size(); ++i) ExpectHarmless(std::string(kDamaged.substr(i)));
}

TEST(MlirDamage, OneByteElse) {
  for (const char c : "\0\"%#@<>({[ ]})\n-9xz\xff,:"sv) {
    for (size_t i = 0; i < kDamaged.size(); ++i) {
      std::string text(kDamaged);
      text[i] = c;
      ExpectHarmless(text);
    }
  }
}

TEST(MlirDamage, OneByteLess) {
  for (size_t i = 0; i < kDamaged.size(); ++i) {
    std::string text(kDamaged);
    text.erase(i, 1);
    ExpectHarmless(text);
    text.insert(i, 2, kDamaged[i]);
    ExpectHarmless(text);
  }
}

// Nothing that nests ends the program.
TEST(MlirDamage, DeepTexts) {
  constexpr size_t kDeep = 200000;
  const auto repeat = [](std::string_view part) {
    std::string text;
    for (size_t i = 0; i < kDeep; ++i) text += part;
    return text;
  };
  for (const std::string_view part :
       {"[", "{a=", "tuple<", "() -> (", "\"a.b\"() ({", "module {", "dense<", "((", "#a<",
        "array<", "complex<", "tensor<2x", "#stablehlo.gather<", "#stablehlo<gather<", "loc(",
        "!quant.uniform<i8:"}) {
    const std::string deep = repeat(part);
    EXPECT_FALSE(ParseMlirText(deep).ok()) << part;
    EXPECT_FALSE(ParseMlirText("module attributes {a = " + deep).ok()) << part;
  }
  for (const std::string_view part : {"loc(fused[", "loc(callsite(", "\"a\"(", "fused<loc("}) {
    EXPECT_FALSE(ParseMlirText("\"a.b\"() : () -> () loc(" + repeat(part)).ok()) << part;
  }
}

// Aliases make deep and large trees of short texts.
TEST(MlirDamage, ChainsOfAliases) {
  constexpr int kLong = 20000;
  struct Row {
    const char* what;
    const char* first;
    const char* before;
    const char* between;
    const char* after;
    bool ok;
  };
  constexpr Row kRows[] = {
      {"deep attributes", "#a0 = 1 : i32", "#a", " = [#a", "]", false},
      {"wide attributes", "#a0 = 1 : i32", "#a", " = [\"x\", \"y\", #a", "]", false},
      {"deep types", "!a0 = i32", "!a", " = tuple<!a", ">", false},
      {"deep metadata", "#a0 = loc(unknown)", "#a", " = loc(fused<#a", ">[\"x\"])", false},
      {"metadata in calls", "#a0 = loc(unknown)", "#a",
       " = loc(callsite(fused<{k = loc(\"z\")}>[\"x\"] at #a", "))", true},
      {"locations", "#a0 = loc(unknown)", "#a", " = loc(callsite(\"f\" at #a", "))", true},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    std::string forward = StrCat(row.first, "\n");
    std::string backward;
    for (int i = 0; i < kLong; ++i) {
      StrAppend(forward, row.before, i + 1, row.between, i, row.after, "\n");
      StrAppend(backward, row.before, kLong - i, row.between, kLong - i - 1, row.after, "\n");
    }
    const auto module = ParseMlirText(forward);
    EXPECT_EQ(module.ok(), row.ok) << module.status().ToString();
    if (!row.ok) {
      EXPECT_NE(module.status().message().find("nested too deeply"), std::string::npos)
          << module.status().ToString();
    }
    // Behind their uses, one is read inside of the other.
    EXPECT_FALSE(ParseMlirText(backward + row.first).ok());
  }
  std::string doubling = "#a0 = 1 : i32\n!t0 = i32\n";
  for (int i = 0; i < 60; ++i) {
    StrAppend(doubling, "#a", i + 1, " = [#a", i, ", #a", i, "]\n");
  }
  EXPECT_EQ(ParseMlirText(doubling).status().code(), StatusCode::kResourceExhausted);
  doubling = "!a0 = i32\n";
  for (int i = 0; i < 60; ++i) {
    StrAppend(doubling, "!a", i + 1, " = tuple<!a", i, ", !a", i, ">\n");
  }
  EXPECT_EQ(ParseMlirText(doubling).status().code(), StatusCode::kResourceExhausted);
}

TEST(MlirDamage, LocationsThatShareParts) {
  std::string text = "#a0 = loc(\"x\")\n";
  for (int i = 0; i < 100; ++i) {
    StrAppend(text, "#a", i + 1, " = loc(fused[#a", i, ", #a", i, "])\n");
  }
  const auto module = ReadOrFail(text + "\"a.b\"() {k = #a100} : () -> () loc(#a100)");
  ASSERT_NE(module, nullptr);
  const Operation& operation = *module->top()->regions[0].blocks[0].operations[0];
  EXPECT_EQ(FilePlace(*operation.location), "");
  const auto again = ReadOrFail(PrintMlirText(*module, {.locations = true}));
  ASSERT_NE(again, nullptr);
}

TEST(MlirDamage, ResourcesAreReadOnce) {
  const std::string digits(2 << 20, '0');
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += "\"a.b\"() {k = dense_resource<r> : tensor<1048576xi8>} : () -> ()\n";
  }
  StrAppend(text, "{-# dialect_resources: { builtin: { r: \"0x04000000", digits, "\" } } #-}");
  const auto module = ReadOrFail(text);
  ASSERT_NE(module, nullptr);
  const auto& operations = module->top()->regions[0].blocks[0].operations;
  EXPECT_EQ(operations[0]->Find("k"), operations[19999]->Find("k"));
}

}  // namespace
}  // namespace axle::mlir

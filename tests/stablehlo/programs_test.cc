// Programs in StableHLO that check themselves (tests/data/stablehlo), on both engines, as they are
// written and as they are printed and as bytecode; and what is refused, with the exact text.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/stablehlo/converter.h"
#include "axle/stablehlo/mlir/bytecode_writer.h"
#include "axle/text/print.h"
#include "tests/paths.h"
#include "tests/skips.h"
#include "tests/stablehlo/mlir_text.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

// The programs of a file, which lines of dashes divide.
std::vector<std::string> Split(const std::string& text) {
  constexpr std::string_view kLine = "// -----";
  std::vector<std::string> parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = text.find(kLine, begin);
    parts.push_back(text.substr(begin, end == text.npos ? end : end - begin));
    if (end == text.npos) return parts;
    begin = end + kLine.size();
  }
}

std::vector<std::pair<std::string, std::string>> Programs() {
  std::vector<std::pair<std::string, std::string>> programs;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(SourceFolder() / "tests/data/stablehlo")) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    const std::vector<std::string> parts = Split(text.str());
    for (size_t i = 0; i < parts.size(); ++i) {
      programs.emplace_back(file.stem().string() + "_" + std::to_string(i), parts[i]);
    }
  }
  return programs;
}

Client& TheClient() {
  static Client* const client = Client::Create()->release();
  return *client;
}

// What a program without arguments says: "" if all its checks hold.
std::string RunProgram(std::string_view bytes, EngineKind engine) {
  const auto executable = TheClient().Compile(bytes, {.engine = engine});
  if (!executable.ok()) return executable.status().ToString();
  const auto result = (*executable)->Execute(std::vector<Literal>{});
  return result.ok() ? "" : result.status().ToString();
}

class SelfChecking : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(SelfChecking, HoldsInterpreted) {
  const std::string& text = GetParam().second;
  EXPECT_EQ(RunProgram(text, EngineKind::kInterpret), "");
  const auto module = mlir::ReadOrFail(text);
  ASSERT_NE(module, nullptr);
  for (const bool generic : {false, true}) {
    const std::string printed = mlir::PrintMlirText(*module, {.generic = generic});
    EXPECT_EQ(RunProgram(printed, EngineKind::kInterpret), "") << printed;
  }
}

TEST_P(SelfChecking, HoldsNative) {
  AXLE_SKIP_WITHOUT_CODEGEN();
  EXPECT_EQ(RunProgram(GetParam().second, EngineKind::kNative), "");
}

// The program with custom calls in the place of the operations of `check`, which bytecode of VHLO
// does not have.
std::string WithCustomCalls(const std::string& text) {
  static const std::regex constant(
      R"(^  check\.(expect_\w+)_const (%[\w#]+), (dense<.*>) : (tensor<.*>)(, tolerance = (\S+))?$)");
  static const std::regex values(
      R"(^  check\.(expect_\w+) (%[\w#]+), (%[\w#]+)(, (tolerance|max_ulp_difference) = ([^ ,]+))?)"
      R"((, min_ulp_difference = (\d+))? : (tensor<[^,]*>).*$)");
  std::istringstream lines(text);
  std::string out, line;
  for (int number = 0; std::getline(lines, line); ++number) {
    std::smatch match;
    std::string name, actual, expected, config, type;
    if (std::regex_match(line, match, constant)) {
      expected = "%expected" + std::to_string(number);
      name = match[1], actual = match[2], type = match[4];
      if (match[6].matched) config = "tolerance = " + match[6].str() + " : f64";
      out += "  " + expected + " = stablehlo.constant " + match[3].str() + " : " + type + "\n";
    } else if (std::regex_match(line, match, values)) {
      name = match[1], actual = match[2], expected = match[3], type = match[9];
      if (match[5] == "tolerance") config = "tolerance = " + match[6].str() + " : f64";
      if (match[5] == "max_ulp_difference") {
        config = "max_ulp_difference = " + match[6].str() + " : ui64";
      }
      if (match[8].matched) config += ", min_ulp_difference = " + match[8].str() + " : ui64";
    } else {
      out += line + "\n";
      continue;
    }
    out += "  stablehlo.custom_call @check." + name + "(" + actual + ", " + expected +
           ") {api_version = 4 : i32, backend_config = {" + config +
           "}, has_side_effect = true} : (" + type + ", " + type + ") -> ()\n";
  }
  return out;
}

TEST_P(SelfChecking, HoldsFromBytecode) {
  const std::string text = WithCustomCalls(GetParam().second);
  ASSERT_EQ(text.find(" check.expect"), text.npos) << text;
  const auto module = mlir::ReadOrFail(text);
  ASSERT_NE(module, nullptr);
  const StatusOr<std::string> bytes = mlir::WriteMlirBytecode(*module);
  if (!bytes.ok()) {
    // A portable artifact has neither CHLO nor Shardy's operations that are older than its version.
    EXPECT_EQ(bytes.status().code(), StatusCode::kUnimplemented) << bytes.status().ToString();
    const bool has_other = text.find("chlo.") != text.npos || text.find("sdy.") != text.npos;
    EXPECT_TRUE(has_other) << bytes.status().ToString();
    return;
  }
  EXPECT_EQ(RunProgram(*bytes, EngineKind::kInterpret), "") << text;
}

INSTANTIATE_TEST_SUITE_P(Programs, SelfChecking, testing::ValuesIn(Programs()),
                         [](const auto& info) { return info.param.first; });

// A wrong value is found, by each kind of check.
TEST(Checks, FindWhatDiffers) {
  const auto run = [](const std::string& check) {
    return RunProgram(
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "  %b = stablehlo.constant dense<[1.0, 2.00000095]> : tensor<2xf32>\n" +
            check + "\n  return\n}\n",
        EngineKind::kInterpret);
  };
  EXPECT_EQ(run("check.expect_eq %a, %b : tensor<2xf32>"),
            "INVALID_ARGUMENT: custom-call: \"check.expect_eq\": element 1 is 2, expected is "
            "2.00000095; operand.0 f32[2], operand.1 f32[2]");
  EXPECT_EQ(run("check.expect_almost_eq %a, %b : tensor<2xf32>"), "");
  EXPECT_EQ(
      run("check.expect_almost_eq %a, %b, tolerance = 1.0e-8 : tensor<2xf32>"),
      "INVALID_ARGUMENT: custom-call: \"check.expect_almost_eq\": element 1 is 2, expected is "
      "2.00000095; operand.0 f32[2], operand.1 f32[2]");
  EXPECT_EQ(run("check.expect_close %a, %b, max_ulp_difference = 4 : tensor<2xf32>, tensor<2xf32>"),
            "");
  EXPECT_EQ(run("check.expect_close %a, %b, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>"),
            "INVALID_ARGUMENT: custom-call: \"check.expect_close\": element 1 is 2, expected is "
            "2.00000095; operand.0 f32[2], operand.1 f32[2]");
}

// JAX's places are stacks: an error of either engine names the innermost line.
TEST(Locations, ErrorsOfARunNameTheLine) {
  const std::string program = R"(
#line = loc("net.py":17:4)
#caller = loc("train.py":40:2)
func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> () loc(callsite(#line at #caller))
  return
}
)";
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
    EXPECT_EQ(RunProgram(program, engine),
              "INVALID_ARGUMENT: custom-call: \"check.expect_eq\": element 0 is 1, expected is 2; "
              "operand.0 f32[], operand.1 f32[] at net.py:17");
  }
}

// Operations of the dialects that become no HLO, and why.
const std::set<std::string_view>& WithoutConversion() {
  static const std::set<std::string_view> names = {
      "builtin.module", "func.func", "func.return", "stablehlo.return", "sdy.return",  // structure
      "sdy.mesh",                     // says which devices there are
      "stablehlo.collective_reduce",  // HLO has no reduction to one device
      "chlo._asin_acos_kernel",       // a part of an expansion that nobody sends
      "chlo.dynamic_reshape",         // of older programs
      "check.expect_serialized_eq",   // compares with a file
      // Shardy's, for several devices.
      "sdy.all_gather", "sdy.all_reduce", "sdy.all_slice", "sdy.all_to_all",
      "sdy.collective_permute", "sdy.constant", "sdy.data_flow_edge", "sdy.reduce_scatter",
      "sdy.replicated_to_unreduced", "sdy.sharded_to_unreduced", "sdy.sharding_group",
      "func.constant",  // of a function
      // Of the interpreter of StableHLO: several devices, files.
      "interpreter.print", "interpreter.probe", "interpreter.run_parallel"};
  return names;
}

TEST(Rows, EveryOperationIsConvertedOrNamed) {
  for (const mlir::OpSyntax* row : mlir::AllSyntax()) {
    const bool converts = stablehlo::FindConversion(row->name) != nullptr;
    EXPECT_NE(converts, WithoutConversion().contains(row->name)) << row->name;
  }
  for (const std::string_view name : stablehlo::ConversionNames()) {
    EXPECT_NE(mlir::FindSyntax(name), nullptr) << name;
  }
}

// Transfers need a partner; they are converted only.
constexpr std::string_view kTransfers = R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "in"}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %1 = "stablehlo.outfeed"(%0#0, %0#1) <{outfeed_config = "out"}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.send"(%a, %1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %3#0 : tensor<2xf32>
}
)";

TEST(Conversion, Transfers) {
  const auto module = LoadModule(kTransfers);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(Print(**module, {.style = PrintOptions::Style::kShort}),
            R"(HloModule module, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

ENTRY main {
  Arg_0 = f32[2]{0} parameter(0)
  after-all = token[] after-all()
  infeed = ((f32[2]{0}), token[]) infeed(after-all), infeed_config="in"
  get-tuple-element = (f32[2]{0}) get-tuple-element(infeed), index=0
  get-tuple-element.1 = f32[2]{0} get-tuple-element(get-tuple-element), index=0
  get-tuple-element.2 = token[] get-tuple-element(infeed), index=1
  tuple = (f32[2]{0}) tuple(get-tuple-element.1)
  outfeed = token[] outfeed(tuple, get-tuple-element.2), outfeed_shape=(f32[2]{0}), outfeed_config="out"
  send = (f32[2]{0}, u32[], token[]) send(Arg_0, outfeed), channel_id=1, is_host_transfer=true
  send-done = token[] send-done(send), channel_id=1, is_host_transfer=true
  recv = (f32[2]{0}, u32[], token[]) recv(send-done), channel_id=2, is_host_transfer=true
  recv-done = (f32[2]{0}, token[]) recv-done(recv), channel_id=2, is_host_transfer=true
  ROOT get-tuple-element.3 = f32[2]{0} get-tuple-element(recv-done), index=0
  get-tuple-element.4 = token[] get-tuple-element(recv-done), index=1
}

)");
}

TEST(Rows, EveryConversionIsRun) {
  std::set<std::string_view> missing;
  for (const std::string_view name : stablehlo::ConversionNames()) missing.insert(name);
  std::vector<std::string> texts = {std::string(kTransfers)};
  for (const auto& [name, text] : Programs()) texts.push_back(text);
  for (const std::string& text : texts) {
    const auto module = mlir::ReadOrFail(text);
    ASSERT_NE(module, nullptr);
    const std::string generic = mlir::PrintMlirText(*module, {.generic = true});
    for (auto it = missing.begin(); it != missing.end();) {
      const bool found = generic.find("\"" + std::string(*it) + "\"") != generic.npos;
      it = found ? missing.erase(it) : std::next(it);
    }
  }
  for (const std::string_view name : missing) ADD_FAILURE() << "no program has " << name;
}

}  // namespace
}  // namespace axle

// Runs test vectors of all operations (JSON files below $AXLE_SHARED) where they are there: every
// entry whose operations all exist, and every module that must be refused.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"
#include "tests/op_engines.h"
#include "tests/paths.h"
#include "tests/simulated_devices.h"

namespace axle {
namespace {

using nlohmann::json;

std::filesystem::path VectorsFolder() {
  return SharedFolder() / "reference/ops/vectors";
}

// "nan:0x7fc00001" gives the bits of a NaN.
bool HasBits(const json& element) {
  return element.is_string() && element.get<std::string>().starts_with("nan:");
}

double AsDouble(const json& element) {
  if (!element.is_string()) return element.get<double>();
  const auto text = element.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

// Element `element` of `type`, written to `to`.
void Store(const json& element, ElementType type, std::byte* to) {
  if (HasBits(element)) {
    const std::uint64_t bits = std::stoull(element.get<std::string>().substr(4), nullptr, 16);
    std::memcpy(to, &bits, Info(type).bytes);
  } else if (IsComplex(type)) {
    Store(element.at(0), PartOf(type), to);
    Store(element.at(1), PartOf(type), to + Info(PartOf(type)).bytes);
  } else if (element.is_number_unsigned()) {
    const auto value = element.get<std::uint64_t>();
    ConvertElements(U64, &value, type, to, 1);
  } else if (element.is_number_integer()) {
    const auto value = element.get<std::int64_t>();
    ConvertElements(S64, &value, type, to, 1);
  } else {
    const double value = AsDouble(element);
    ConvertElements(F64, &value, type, to, 1);
  }
}

Literal ToLiteral(const json& array) {
  const StatusOr<Shape> shape = ParseShape(array.at("shape").get<std::string>());
  if (!shape.ok()) return {};
  Literal literal(*shape);
  const i64 bytes = Info(shape->type()).bytes;
  i64 i = 0;
  for (const json& element : array.at("data")) {
    Store(element, shape->type(), literal.mutable_bytes() + bytes * i++);
  }
  return literal;
}

void Flatten(const Literal& literal, std::vector<Literal>& leaves) {
  if (!literal.shape().is_tuple()) return leaves.push_back(literal);
  for (const Literal& element : literal.elements()) Flatten(element, leaves);
}

// Nests the leaves, in order, as `shape` says.
Literal Nest(const Shape& shape, std::span<const Literal>& leaves) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) elements.push_back(Nest(element, leaves));
    return Literal::Tuple(std::move(elements));
  }
  const Literal leaf = leaves.front();
  leaves = leaves.subspan(1);
  return leaf;
}

bool WithinTolerance(double actual, double expected, double abs, double rel) {
  if (actual == expected || (actual != actual && expected != expected)) return true;
  return __builtin_fabs(actual - expected) <= abs + rel * __builtin_fabs(expected);
}

void ExpectClose(const Literal& actual, const Literal& expected, const json& entry,
                 const json& output) {
  bool exact_nan = false;
  for (const json& element : output.at("data")) exact_nan = exact_nan || HasBits(element);
  bool same = exact_nan ? actual == expected : SameValue(actual, expected);
  if (entry.contains("check") && SameDims(actual.shape(), expected.shape()) &&
      actual.shape().type() == expected.shape().type()) {
    const json& check = entry.at("check");
    const auto a = Convert(actual, C128), b = Convert(expected, C128);
    same = a.ok() && b.ok();
    for (i64 i = 0; same && i < 2 * expected.num_elements(); ++i) {
      const double x = reinterpret_cast<const double*>(a->bytes())[i];
      const double y = reinterpret_cast<const double*>(b->bytes())[i];
      same = WithinTolerance(x, y, check.value("abs", 0.0), check.value("rel", 0.0));
    }
  }
  if (same) return;
  const auto difference = FirstDifference(actual, expected);
  ADD_FAILURE() << (difference ? difference->ToString() : "NaN bits differ") << "\ngives    "
                << actual.shape().ToString() << " " << actual.ToString() << "\nexpected "
                << expected.shape().ToString() << " " << expected.ToString();
}

std::vector<Literal> ArgumentsFrom(const json& inputs, const HloComputation& computation) {
  std::vector<Literal> leaves, arguments;
  for (const json& input : inputs) leaves.push_back(ToLiteral(input));
  std::span<const Literal> rest = leaves;
  for (const Instruction* parameter : computation.parameters()) {
    arguments.push_back(Nest(parameter->shape(), rest));
  }
  return arguments;
}

void ExpectOutputs(const Literal& result, const json& entry, const json& expected) {
  std::vector<Literal> outputs;
  Flatten(result, outputs);
  EXPECT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < std::min(outputs.size(), expected.size()); ++i) {
    ExpectClose(outputs[i], ToLiteral(expected[i]), entry, expected[i]);
  }
}

// Inputs and outputs are lists, one per device.
bool RunOnAllDevices(const json& entry, const Module& module) {
  std::vector<std::vector<Literal>> arguments;
  for (const json& inputs : entry.at("inputs")) {
    arguments.push_back(ArgumentsFrom(inputs, *module.entry()));
  }
  const auto results = RunOnDevices(module, arguments);
  if (results.status().code() == StatusCode::kUnimplemented) return false;
  if (!results.ok()) {
    ADD_FAILURE() << results.status().message();
    return true;
  }
  for (size_t device = 0; device < results->size(); ++device) {
    SCOPED_TRACE(StrCat("device ", device));
    ExpectOutputs((*results)[device], entry, entry.at("outputs").at(device));
  }
  return true;
}

// False if some engine cannot run the module yet.
bool RunEntry(const json& entry) {
  const auto module = Parse(entry.at("hlo").get<std::string>());
  if (module.status().code() == StatusCode::kUnimplemented) return false;
  if (!module.ok()) {
    ADD_FAILURE() << module.status().message();
    return true;
  }
  if (entry.value("replicas", 1) > 1 || entry.value("partitions", 1) > 1) {
    return RunOnAllDevices(entry, **module);
  }
  const std::vector<Literal> arguments = ArgumentsFrom(entry.at("inputs"), *(*module)->entry());
  for (const Engine& engine : Engines()) {
    const auto result = engine.run(**module, arguments);
    const bool is_unimplemented = result.status().code() == StatusCode::kUnimplemented;
    if (engine.is_reference && is_unimplemented) return false;
    if (engine.Refuses(result.status())) continue;
    SCOPED_TRACE(engine.name);
    if (!result.ok()) {
      ADD_FAILURE() << result.status().message();
      return true;
    }
    ExpectOutputs(*result, entry, entry.at("outputs"));
  }
  return true;
}

class OpVectorsTest : public testing::TestWithParam<const char*> {
 protected:
  // The entries of a file, or an empty list.
  static json Load(const std::string& name) {
    std::ifstream in(VectorsFolder() / (name + ".json"));
    return in ? json::parse(in) : json::array();
  }
};

TEST_P(OpVectorsTest, GiveTheExpectedValues) {
  const json entries = Load(GetParam());
  if (entries.empty()) GTEST_SKIP() << "no vectors of " << GetParam() << " in $AXLE_SHARED";
  int ran = 0;
  for (const json& entry : entries) {
    SCOPED_TRACE(entry.at("name").get<std::string>() + "\n" + entry.at("hlo").get<std::string>());
    ran += RunEntry(entry);
  }
  std::cout << GetParam() << ": ran " << ran << " of " << entries.size()
            << ", the others need operations that are still to come\n";
}

INSTANTIATE_TEST_SUITE_P(Files, OpVectorsTest,
                         testing::Values("batchnorm_control", "collectives", "compare_select",
                                         "convert", "dot_conv", "elementwise_binary",
                                         "gather_scatter_sort", "linalg_fft_rng", "movement",
                                         "reduce_window", "seed_examples", "unary"),
                         [](const auto& info) { return std::string(info.param); });

TEST(OpErrorVectors, AreRefused) {
  std::ifstream in(VectorsFolder() / "errors.json");
  if (!in) GTEST_SKIP() << "no vectors of errors in $AXLE_SHARED";
  for (const json& entry : json::parse(in)) {
    // A rule of StableHLO; XLA reads such HLO text and runs it.
    if (entry.at("name") == "after-all: non-token") continue;
    const auto module = Parse(entry.at("hlo").get<std::string>(), {.strict_types = true});
    if (!module.ok() || !CheckRuns(**module).ok()) continue;
    // What only running it shows: a target that is not there.
    std::vector<Literal> arguments;
    for (const Instruction* parameter : (*module)->entry()->parameters()) {
      arguments.emplace_back(parameter->shape());
    }
    EXPECT_EQ(Evaluate(**module, arguments).status().code(), StatusCode::kNotFound)
        << entry.at("name") << "\n"
        << entry.at("hlo");
  }
}

}  // namespace
}  // namespace axle

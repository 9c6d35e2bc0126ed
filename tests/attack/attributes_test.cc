// Every attribute of every op through the C interface, with values that fit, that do not, and that
// name what is not there: an op or a status each time, never the end of the process.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "axle/c_api.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

// Those that ops have beside the attributes of their rows.
constexpr std::string_view kCommon[] = {
    "metadata",
    "sharding",
    "frontend_attributes",
    "backend_config",
    "control-predecessors",
    "statistics",
    "origin",
    "parameter_replication",
    "result_accuracy",
    "calls",
    "to_apply",
    "condition",
    "body",
    "async_execution_thread",
    "no_such_attribute",
};

std::vector<std::string> Values() {
  std::vector<std::string> values = {
      "",
      "{}",
      "{0}",
      "{1,0}",
      "{0,1,2,3}",
      "0",
      "1",
      "-1",
      "true",
      "false",
      "{x}",
      "{%x}",
      "{x, %y.1}",
      "x",
      "%x",
      "\"x\"",
      "{\"x\"}",
      "{{0,1}}",
      "{{0},{1}}",
      "{{0,1},{2,3}}",
      "LT",
      "RFFT",
      "f32[2]",
      "(f32[], s32[2])",
      "{f32[2], s32[]}",
      "0_0_0x1_1",
      "{size=2 pad=0_1}",
      "b01f_01io->b01f",
      "[2,4]<=[8]",
      "{[0:1],[0:2:1]}",
      "{replicated}",
      "{devices=[2]0,1}",
      "{maximal device=0}",
      "{ROOT r = f32[] parameter(0)}",
      "{op_name=\"x\" source_line=3}",
      "{a=\"b\"}",
      "{{\"x\"}}",
      "{\"x\": {\"y\": [1]}}",
      "mean=1",
      "{false,true}",
      "default",
      "{highest,highest}",
      "99999999999999999999999999",
      "-9223372036854775808",
      "9223372036854775807",
      "{9223372036854775807,9223372036854775807}",
      "1e400",
      "nan",
      "{",
      "}",
      "(",
      "\"",
      "\\",
      "{{{{{{{{",
      "/*",
      "\xff\xfe",
      "{0}, {1}",
      "{}, dimensions={0}, dimensions={0}",
  };
  values.push_back(std::string(20000, '{'));
  values.push_back("{" + std::string(20000, '9') + "}");
  return values;
}

axle_shape* ShapeOf(const char* text) {
  axle_shape* shape = nullptr;
  EXPECT_EQ(axle_shape_parse(text, &shape), nullptr);
  return shape;
}

TEST(Attributes, AnyValueOfAnyAttributeIsAnOpOrAStatus) {
  const std::vector<std::string> values = Values();
  axle_shape* const shape = ShapeOf("f32[2,3]");
  i64 num_added = 0, num_refused = 0;
  for (const OpDef* def : AllOpDefs()) {
    std::vector<std::string> names(std::begin(kCommon), std::end(kCommon));
    for (const AttrSpec& spec : def->attrs.specs) names.emplace_back(spec.text);
    for (const CalleeSpec& spec : def->callees) names.emplace_back(spec.text);
    for (const CalleeSpec& spec : def->alternative_callees) names.emplace_back(spec.text);
    const std::string opcode(def->text);
    for (const std::string& name : names) {
      for (size_t v = 0; v < values.size(); ++v) {
        axle_builder* builder = nullptr;
        ASSERT_EQ(axle_builder_create("b", &builder), nullptr);
        axle_op x = -1, y = -1, added = -1;
        ASSERT_EQ(axle_builder_parameter(builder, 0, shape, "x", &x), nullptr);
        ASSERT_EQ(axle_builder_parameter(builder, 1, shape, "y", &y), nullptr);
        const axle_op operands[] = {x, y, x};
        const std::string text = name + "=" + values[v];
        axle_op_options options;
        std::memset(&options, 0, sizeof(options));
        options.struct_size = sizeof(options);
        options.attributes = text.c_str();
        if (def->declared_shape) options.shape = shape;
        axle_status* status =
            axle_builder_add(builder, opcode.c_str(), operands, v % 4, &options, &added);
        if (status == nullptr) {
          ++num_added;
        } else {
          ++num_refused;
          const std::string message = axle_status_message(status);
          EXPECT_FALSE(message.empty()) << opcode << " " << text;
          EXPECT_EQ(message.find(kBugSuffix), std::string::npos)
              << opcode << " " << text.substr(0, 200) << ": " << message;
          axle_status_destroy(status);
        }
        axle_builder_destroy(builder);
      }
    }
  }
  axle_shape_destroy(shape);
  EXPECT_GT(num_added, 500);
  EXPECT_GT(num_refused, 50000);
}

}  // namespace
}  // namespace axle

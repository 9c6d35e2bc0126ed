#include "axle/core/custom_call.h"

#include <gtest/gtest.h>

namespace axle {
namespace {

TEST(CustomCallAttributes, ReadsWhatJaxWrites) {
  const auto attributes = CustomCallAttributes::Parse(
      "{uplo = 76 : ui8, rate = 1.5e-1 : f32, name = \"a\\\"b\", flag, on = true, "
      "\"b.c\" = [1, 2 : i32], n = array<i64: 3, -4>, none = array<i64>, d = {x = 1}, "
      "t = dense<[1, 2]> : tensor<2xi32>, s = @f, u = unit}");
  ASSERT_TRUE(attributes.ok()) << attributes.status().message();
  EXPECT_EQ(*attributes->Integer("uplo"), 76);
  EXPECT_EQ(attributes->Find("uplo")->type, "ui8");
  EXPECT_EQ(*attributes->Float("rate"), 0.15);
  EXPECT_EQ(*attributes->Float("uplo"), 76.0);
  EXPECT_EQ(*attributes->String("name"), "a\"b");
  EXPECT_TRUE(*attributes->Bool("on"));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(attributes->Find("flag")->value));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(attributes->Find("u")->value));
  const auto& pair = std::get<CustomCallAttribute::List>(attributes->Find("b.c")->value);
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(std::get<i64>(pair[1].value), 2);
  EXPECT_EQ(pair[1].type, "i32");
  const auto& array = std::get<CustomCallAttribute::List>(attributes->Find("n")->value);
  ASSERT_EQ(array.size(), 2u);
  EXPECT_EQ(std::get<i64>(array[1].value), -4);
  EXPECT_EQ(array[1].type, "i64");
  EXPECT_TRUE(std::get<CustomCallAttribute::List>(attributes->Find("none")->value).empty());
  EXPECT_EQ(std::get<CustomCallAttribute::List>(attributes->Find("d")->value)[0].name, "x");
  EXPECT_EQ(std::get<std::string>(attributes->Find("t")->value), "dense<[1, 2]>");
  EXPECT_EQ(attributes->Find("t")->type, "?");
  EXPECT_EQ(std::get<std::string>(attributes->Find("s")->value), "@f");
}

TEST(CustomCallAttributes, ReadsJsonAndNothing) {
  const auto json = CustomCallAttributes::Parse("{\"k\":5,\"large\":false}");
  ASSERT_TRUE(json.ok()) << json.status().message();
  EXPECT_EQ(*json->Integer("k"), 5);
  EXPECT_FALSE(*json->Bool("large"));
  // Bytes as MLIR writes them, and the escapes that it shares with C.
  const auto escaped =
      CustomCallAttributes::Parse(R"({s = "a\22b\22c\0A\C3\A9", t = "\\22\n\"x\""})");
  ASSERT_TRUE(escaped.ok()) << escaped.status().message();
  EXPECT_EQ(*escaped->String("s"), "a\"b\"c\n\xC3\xA9");
  EXPECT_EQ(*escaped->String("t"), "\\22\n\"x\"");
  EXPECT_TRUE(CustomCallAttributes::Parse("")->list().empty());
  EXPECT_TRUE(CustomCallAttributes::Parse("{}")->list().empty());
}

TEST(CustomCallAttributes, SaysWhatIsMissingOrWrong) {
  const auto attributes = CustomCallAttributes::Parse("{uplo = \"L\"}");
  ASSERT_TRUE(attributes.ok());
  EXPECT_EQ(attributes->Integer("mode").status().ToString(),
            "INVALID_ARGUMENT: needs an attribute \"mode\"");
  EXPECT_EQ(*attributes->Integer("mode", 7), 7);
  EXPECT_EQ(attributes->Integer("uplo", 7).status().ToString(),
            "INVALID_ARGUMENT: attribute \"uplo\" is not an integer");
}

TEST(CustomCallAttributes, MalformedTextEnds) {
  for (const char* text : {"{", "{a", "{a =", "{a = }", "{a = )}", "{a = [)]}", "{a = array<", "x",
                           "{a = array<i64: )>}", "{a = 1} b", "{= 1}", "{\"a", "{a = [", "{1}"}) {
    EXPECT_EQ(CustomCallAttributes::Parse(text).status().code(), StatusCode::kInvalidArgument)
        << text;
  }
  const std::string deep(10000, '[');
  EXPECT_FALSE(CustomCallAttributes::Parse("{a = " + deep).ok());
}

TEST(CustomCallInvocation, FrontendAttributesAreUnquoted) {
  const std::pair<std::string, std::string> attributes[] = {{"num_batch_dims", "\"1\""},
                                                            {"json", "{\"a\":1}"}};
  CustomCallInvocation invocation;
  invocation.frontend_attributes = attributes;
  EXPECT_EQ(invocation.FrontendAttribute("num_batch_dims"), "1");
  EXPECT_EQ(invocation.FrontendAttribute("json"), "{\"a\":1}");
  EXPECT_EQ(invocation.FrontendAttribute("none"), std::nullopt);
}

}  // namespace
}  // namespace axle

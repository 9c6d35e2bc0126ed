#include "axle/core/safetensors.h"

#include <gtest/gtest.h>

#include <random>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "tests/paths.h"

namespace axle {
namespace {

Literal Parse(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status().ToString();
  return literal.ok() ? *literal : Literal();
}

std::string Size(std::uint64_t size) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(size >> (8 * i));
  return out;
}

// A file with this header, as it stands, in front of the data.
std::string File(std::string_view header, std::string_view data = "") {
  return StrCat(Size(header.size()), header, data);
}

std::string Error(const std::string& bytes) {
  const auto file = ReadSafetensors(bytes);
  return file.ok() ? "accepted" : file.status().message();
}

TEST(Safetensors, ReadsWhatTheHeaderSays) {
  const std::string bytes =
      File(R"({"__metadata__":{"format":"pt","a":"\u00e4\n"},)"
           R"("w":{"dtype":"F32","shape":[2,1],"data_offsets":[3,11]},)"
           R"("mask":{"shape":[3],"data_offsets":[0,3],"dtype":"BOOL"},)"
           R"("none":{"dtype":"F64","shape":[0,4],"data_offsets":[11,11]},)"
           R"("s\u00e9":{"dtype":"I16","shape":[],"data_offsets":[11,13]}}   )",
           std::string("\0\1\7\0\0\x80\x3f\0\0\0\xc0\xfe\xff", 13));
  const auto file = ReadSafetensors(bytes);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->arrays.size(), 4u);
  EXPECT_EQ(file->metadata.size(), 2u);
  EXPECT_EQ(file->metadata.at("format"), "pt");
  EXPECT_EQ(file->metadata.at("a"), "\xc3\xa4\n");
  EXPECT_EQ(file->arrays.at("w").bytes.data(), bytes.data() + bytes.size() - 10);  // not copied
  EXPECT_EQ(*MemberLiteral(*file, "w"), Parse("f32[2,1] {{1}, {-2}}"));
  EXPECT_EQ(*MemberLiteral(*file, "mask"), Parse("pred[3] {0, 1, 1}"));
  EXPECT_EQ(*MemberLiteral(*file, "none"), Parse("f64[0,4] {}"));
  EXPECT_EQ(*MemberLiteral(*file, "s\xc3\xa9"), Parse("s16[] -2"));
  const Status absent = MemberLiteral(*file, "bias").status();
  EXPECT_EQ(absent.code(), StatusCode::kNotFound);
  EXPECT_EQ(absent.message().substr(0, 39), "no member bias; there are mask, none, s");
}

// What the package safetensors wrote, by make.py.
TEST(Safetensors, ReadsWhatThePackageWrites) {
  const auto bytes =
      ReadFile((SourceFolder() / "tests/data/safetensors/package.safetensors").string());
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  const auto file = ReadSafetensors(*bytes);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const std::pair<const char*, const char*> kCases[] = {
      {"t_bool", "pred[2,3] {{0, 1, 0}, {1, 0, 1}}"},
      {"t_int8", "s8[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_int16", "s16[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_int32", "s32[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_int64", "s64[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_uint8", "u8[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_uint16", "u16[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_uint32", "u32[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_uint64", "u64[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float16", "f16[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_bfloat16", "bf16[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float32", "f32[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float64", "f64[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_complex64", "c64[2,3] {{(0,0),(1,-1),(2,-2)},{(3,-3),(4,-4),(5,-5)}}"},
      {"t_float8_e4m3fn", "f8e4m3fn[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float8_e5m2", "f8e5m2[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float8_e4m3fnuz", "f8e4m3fnuz[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float8_e5m2fnuz", "f8e5m2fnuz[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float8_e8m0fnu", "f8e8m0fnu[2,3] {{nan, 1, 2}, {4, 4, 4}}"},
      {"scalar", "f32[] 0"},
      {"empty", "f32[0,3] {}"},
      {"layer.0.weight", "f32[4,2] {{0, 1}, {2, 3}, {4, 5}, {6, 7}}"},
      {"\xc3\xa4 \"b\"\\", "s32[1] {0}"},
  };
  for (const auto& [name, text] : kCases) {
    const auto literal = MemberLiteral(*file, name);
    ASSERT_TRUE(literal.ok()) << literal.status().ToString();
    const auto difference = FirstDifference(*literal, Parse(text));
    EXPECT_FALSE(difference) << name << ": " << difference->ToString();
  }
  EXPECT_EQ(file->arrays.size(), std::size(kCases));
  EXPECT_EQ(file->metadata.at("format"), "np");
  EXPECT_EQ(file->metadata.at("\xc3\xa4"), "\"\n");
}

TEST(Safetensors, AFileOfNothing) {
  for (const char* header : {"{}", "{ }  ", R"({"__metadata__":{}})"}) {
    const auto file = ReadSafetensors(File(header));
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_TRUE(file->arrays.empty());
    EXPECT_EQ(MemberLiteral(*file, "x").status().message(), "no member x; there are none");
  }
}

// The name of each type, and back. What the format lacks cannot be written.
TEST(Safetensors, EveryTypeRoundTripsOrIsRefused) {
  const std::pair<ElementType, std::string_view> kNames[] = {
      {PRED, "BOOL"},
      {S8, "I8"},
      {S16, "I16"},
      {S32, "I32"},
      {S64, "I64"},
      {U8, "U8"},
      {U16, "U16"},
      {U32, "U32"},
      {U64, "U64"},
      {F16, "F16"},
      {BF16, "BF16"},
      {F32, "F32"},
      {F64, "F64"},
      {F8E5M2, "F8_E5M2"},
      {F8E4M3FN, "F8_E4M3"},
      {C64, "C64"},
      {F8E8M0FNU, "F8_E8M0"},
      {F8E5M2FNUZ, "F8_E5M2FNUZ"},
      {F8E4M3FNUZ, "F8_E4M3FNUZ"},
  };
  std::mt19937_64 random(9);
  std::vector<std::pair<std::string, Literal>> members;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    Literal literal(Shape(info.type, {5, 7}));
    const auto* known =
        std::ranges::find(kNames, info.type, &std::pair<ElementType, std::string_view>::first);
    if (known == std::end(kNames)) {
      const std::pair<std::string, Literal> member = {"x", literal};
      EXPECT_EQ(WriteSafetensors({&member, 1}).status().message(),
                StrCat("safetensors: cannot write ", info.text, "[5,7] as \"x\""));
      continue;
    }
    for (i64 i = 0; i < literal.num_bytes(); ++i) {
      literal.mutable_bytes()[i] = static_cast<std::byte>(random() & (info.type == PRED ? 1 : 255));
    }
    const auto one = WriteSafetensors(std::vector{std::pair<std::string, Literal>("x", literal)});
    ASSERT_TRUE(one.ok());
    EXPECT_NE(one->find(StrCat("\"dtype\":\"", known->second, "\"")), one->npos) << info.text;
    members.emplace_back(StrCat("folder/", info.text), literal);
  }
  EXPECT_EQ(members.size(), std::size(kNames));
  members.emplace_back("empty", Literal(Shape(F32, {0})));
  members.emplace_back("odd", Parse("s8[3] {1, 2, 3}"));  // what follows it would not be aligned
  members.emplace_back("scalar", Parse("c64[] (1, -0)"));
  members.emplace_back("\"quoted\"\\\n\x01\xc3\xa4", Parse("f32[] 3"));
  const auto bytes = WriteSafetensors(members, {{"made\tby", "a \"test\""}});
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  const auto file = ReadSafetensors(*bytes);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->arrays.size(), members.size());
  EXPECT_EQ(file->metadata.at("made\tby"), "a \"test\"");
  const auto arrays = ReadArrays(*bytes);
  ASSERT_TRUE(arrays.ok());
  for (const auto& [name, literal] : members) {
    EXPECT_EQ(*MemberLiteral(*file, name), literal) << name;
    // With the shape that is wanted, as from a .npz.
    EXPECT_EQ(*MemberLiteral(*arrays, name, literal.shape()), literal) << name;
    // Where the elements lie in the file, they are aligned.
    const SafetensorsArray& array = file->arrays.find(name)->second;
    EXPECT_EQ((array.bytes.data() - bytes->data()) % Info(array.shape.type()).bytes, 0) << name;
  }
}

TEST(Safetensors, ColumnMajorAndDynamicLiterals) {
  Layout layout;
  layout.minor_to_major = {0, 1};
  const Literal literal = Parse("s16[2,2] {{1, 2}, {3, 4}}");
  const auto write = [](const Literal& value) {
    return *WriteSafetensors(std::vector{std::pair<std::string, Literal>("x", value)});
  };
  EXPECT_EQ(write(literal.Relayout(layout)), write(literal));
  EXPECT_EQ(write(Parse("s16[<=3](2) {1, 2}")), write(Parse("s16[2] {1, 2}")));
  const auto arrays = ReadArrays(write(Parse("s16[2] {1, 2}")));
  auto dynamic = MemberLiteral(*arrays, "x", *ParseShape("s16[<=3]"));
  EXPECT_EQ(dynamic->ToStringWithShape(), "s16[<=3](2) {1, 2}");
}

TEST(Safetensors, NamesAndMetadataThatCannotBeWritten) {
  const auto error = [](const std::vector<std::pair<std::string, Literal>>& members,
                        const std::map<std::string, std::string>& metadata = {}) {
    return WriteSafetensors(members, metadata).status().message();
  };
  const Literal one = Parse("f32[] 1");
  EXPECT_EQ(error({{"a", one}, {"b", one}, {"a", one}}), "safetensors: two arrays are called a");
  EXPECT_EQ(error({{"__metadata__", one}}), "safetensors: cannot write f32[] as \"__metadata__\"");
  EXPECT_EQ(error({{"t", Literal()}}), "safetensors: cannot write () as \"t\"");
  EXPECT_EQ(error({{"\xff", one}}), "safetensors: a name or the metadata are no UTF-8");
  EXPECT_EQ(error({}, {{"a", "\xc3"}}), "safetensors: a name or the metadata are no UTF-8");
}

// `text` in the place of an array's description, with eight bytes of data.
std::string Array(std::string_view text) {
  return File(StrCat(R"({"x":)", text, "}"), "12345678");
}

TEST(Safetensors, MalformedFilesAreRefusedWithAReason) {
  const std::string good = Array(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})");
  ASSERT_EQ(Error(good), "accepted");
  const struct {
    std::string bytes, error;
  } kCases[] = {
      {"", "the file ends inside the size of its header"},
      {"\x08", "the file ends inside the size of its header"},
      {Size(2), "the file ends inside its header of 2 bytes"},
      {good.substr(0, 30), "the file ends inside its header of 54 bytes"},
      {Size(UINT64_MAX) + "{}",
       "the header would have 18446744073709551615 bytes, more than 100000000"},
      {Size(100000001) + "{}", "the header would have 100000001 bytes, more than 100000000"},
      {File(""), "the header does not begin with {"},
      {File(" {}"), "the header does not begin with {"},
      {File("[]"), "the header does not begin with {"},
      {File("{"), "the header is no JSON from its byte 2 on"},
      {File("{}x"), "the header is no JSON from its byte 3 on"},
      {File("{}{}"), "the header is no JSON from its byte 3 on"},
      {File("{\"\xff\":1}"), "the header is no JSON from its byte 3 on"},
      {File(R"({"x":1})"), "the header has a number at \"x\""},
      {File(R"({"x":"y"})"), "the header has a text at \"x\""},
      {File(R"({"x":null})"), "the header has null at \"x\""},
      {File(R"({"x":true})"), "the header has a truth value at \"x\""},
      {File(R"({"x":[]})"), "the header has a list at \"x\""},
      {File(R"({"x":-1})"), "the header has a negative number at \"x\""},
      {File(R"({"__metadata__":{"a":1}})"), "the header has a number at \"a\""},
      {File(R"({"__metadata__":{"a":{}}})"), "the header has an object at \"a\""},
      {File(R"({"__metadata__":{"a":"","a":""}})"), "the metadata have \"a\" twice"},
      {File(R"({"__metadata__":{},"__metadata__":{}})"), "there is \"__metadata__\" twice"},
      {Array("{}"), "\"x\" needs dtype, shape and data_offsets"},
      {Array(R"({"dtype":"F32","shape":[2]})"), "\"x\" needs dtype, shape and data_offsets"},
      {Array(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"dtype":"F32"})"),
       "\"x\" has \"dtype\" twice"},
      {Array(R"({"dtype":"F32","shape":[2],"shape":[2]})"), "\"x\" has \"shape\" twice"},
      {Array(R"({"data_offsets":[0,8],"data_offsets":[0,8]})"), "\"x\" has \"data_offsets\" twice"},
      {Array(R"({"dtype":"F32","device":"cpu"})"), "\"x\" has the unknown key \"device\""},
      {Array(R"({"dtype":{}})"), "the header has an object at \"dtype\""},
      {Array(R"({"dtype":7})"), "the header has a number at \"dtype\""},
      {Array(R"({"dtype":["F32"]})"), "the header has a list at \"dtype\""},
      {Array(R"({"shape":"2"})"), "the header has a text at \"shape\""},
      {Array(R"({"shape":[[2]]})"), "the header has a list at \"shape\""},
      {Array(R"({"shape":[-2]})"), "the header has a negative number at \"shape\""},
      {Array(R"({"shape":[2.0]})"),
       "the header has a number that is no integer below 2^64 at \"shape\""},
      {Array(R"({"shape":[18446744073709551616]})"),
       "the header has a number that is no integer below 2^64 at \"shape\""},
      {Array(R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]})"),
       "\"x\" has a dimension of size 9223372036854775808"},
      {Array(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})"),
       "\"x\" cannot be: shape f32[4294967296,4294967296] has too many elements"},
      {Array(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})"),
       "\"x\" has 3 data_offsets; must be 2"},
      {Array(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"),
       "\"x\" lies at 8 to 0, which is backwards"},
      {Array(R"({"dtype":"F32","shape":[2],"data_offsets":[8,16]})"),
       "\"x\" lies at 8 to 16, but the file has only 8 bytes behind the header"},
      {Array(R"({"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]})"),
       "\"x\" lies at 0 to 18446744073709551615, but the file has only 8 bytes behind the header"},
      {Array(R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})"),
       "\"x\" has 8 bytes, but f32[1] needs 4"},
      {Array(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})"),
       "the last 4 bytes belong to no array"},
      {Array(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"),
       "\"x\" lies behind a gap of 4 bytes"},
      {Array(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
             R"("y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})"),
       "\"y\" and \"x\" overlap"},
      {Array(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
             R"("y":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})"),
       "\"y\" and \"x\" overlap"},
      {Array(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
             R"("x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})"),
       "\"x\" appears twice"},
  };
  for (const auto& test : kCases) EXPECT_EQ(Error(test.bytes), "safetensors: " + test.error);
}

TEST(Safetensors, OverlapsAmongEmptyArraysAreNone) {
  EXPECT_EQ(Error(Array(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                        R"("a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
                        R"("z":{"dtype":"U8","shape":[0],"data_offsets":[8,8]})")),
            "accepted");
}

TEST(Safetensors, TypesThatAreNotReadAreNamed) {
  for (const char* dtype : {"F4", "F6_E2M3", "F6_E3M2", "F128", "f32", ""}) {
    const auto file = ReadSafetensors(
        Array(StrCat(R"({"dtype":")", dtype, R"(","shape":[2],"data_offsets":[0,8]})")));
    EXPECT_EQ(file.status().code(), StatusCode::kUnimplemented);
    EXPECT_TRUE(file.status().message().starts_with(
        StrCat("safetensors: \"x\" has elements of type ", dtype,
               ", which are not read; there are BOOL, U8, ")))
        << file.status().message();
  }
}

// Neither stack nor time follows what a file nests or repeats.
TEST(Safetensors, HostileHeadersEndSoon) {
  const size_t many = 3'000'000;
  EXPECT_EQ(Error(File("{\"x\":" + std::string(many, '['))),
            "safetensors: the header has a list at \"x\"");
  std::string deep = "{";
  for (size_t i = 0; i < many / 5; ++i) deep += "\"a\":{";
  EXPECT_EQ(Error(File(deep)), "safetensors: \"a\" has the unknown key \"a\"");
  std::string dims = R"({"x":{"shape":[1)";
  for (size_t i = 0; i < many / 2; ++i) dims += ",1";
  EXPECT_EQ(Error(File(dims)), "safetensors: \"x\" has more than 256 dimensions");
  std::string arrays = "{";
  for (size_t i = 0; i < 50'000; ++i) {
    StrAppend(arrays, i == 0 ? "" : ",", "\"", i,
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})");
  }
  EXPECT_EQ(ReadSafetensors(File(arrays + "}"))->arrays.size(), 50'000u);
}

TEST(Safetensors, MemoryIsLimited) {
  const std::string bytes = *WriteSafetensors(
      std::vector{std::pair<std::string, Literal>("a", Literal(Shape(F32, {1 << 18}))),
                  std::pair<std::string, Literal>("b", Literal(Shape(F32, {1})))});
  EXPECT_TRUE(ReadArrays(bytes, (1 << 20) + 4).ok());
  const Status status = ReadArrays(bytes, 1 << 20).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "safetensors: more than 1 MiB of arrays");
}

TEST(Safetensors, OtherFormatsAreToldApart) {
  const std::vector members = {std::pair<std::string, Literal>("x", Parse("f32[] 1"))};
  const std::string npz = *WriteNpz(members, false), ours = *WriteSafetensors(members);
  EXPECT_FALSE(IsSafetensors(npz));
  EXPECT_TRUE(IsSafetensors(ours));
  EXPECT_TRUE(IsSafetensors(File("{}")));
  EXPECT_FALSE(IsSafetensors(""));
  EXPECT_FALSE(IsSafetensors("HloModule m\nENTRY e { ROOT x = f32[] constant(1) }"));
  EXPECT_EQ(*MemberLiteral(*ReadArrays(npz), "x", Shape(F32)), Parse("f32[] 1"));
  EXPECT_EQ(*MemberLiteral(*ReadArrays(ours), "x", Shape(F32)), Parse("f32[] 1"));
  EXPECT_EQ(MemberLiteral(*ReadArrays(ours), "x", Shape(S32)).status().message(),
            "x: has float32 (), wanted int32 () for s32[]");
  const std::vector bf16 = {std::pair<std::string, Literal>("x", Parse("bf16[1] {1}"))};
  EXPECT_EQ(MemberLiteral(*ReadArrays(*WriteSafetensors(bf16)), "x", Shape(F32)).status().message(),
            "x: has bf16 (1,), wanted float32 () for f32[]");
  EXPECT_EQ(ReadArrays("PK").status().message(), "npz: not a zip archive (too short)");
}

// Any change of any byte is refused, or gives arrays that are parts of the file, whole and apart.
TEST(Safetensors, DamagedBytesAreRefusedOrReadFromInsideOfTheFile) {
  const std::string good = *WriteSafetensors(
      std::vector{std::pair<std::string, Literal>("a", Parse("s32[2] {1, 2}")),
                  std::pair<std::string, Literal>("b", Parse("pred[3] {1, 0, 1}"))},
      {{"format", "np"}});
  int num_read = 0;
  const auto read = [&](std::string_view bytes) {
    const auto file = ReadSafetensors(bytes);
    if (!file.ok()) return;
    ++num_read;
    size_t size = 0;
    for (const auto& [name, array] : file->arrays) {
      EXPECT_TRUE(array.bytes.empty() || (array.bytes.data() >= bytes.data() &&
                                          array.bytes.end() <= bytes.data() + bytes.size()));
      size += array.bytes.size();
      const auto literal = ToLiteral(array);
      ASSERT_TRUE(literal.ok()) << literal.status().ToString();
      EXPECT_EQ(literal->num_elements() * Info(literal->shape().type()).bytes,
                static_cast<i64>(array.bytes.size()));
    }
    EXPECT_LT(size, bytes.size());
  };
  for (size_t i = 0; i < good.size(); ++i) {
    SCOPED_TRACE(StrCat("byte ", i));
    for (const int change : {1, 0x10, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ change);
      read(bad);
    }
    EXPECT_FALSE(ReadSafetensors(std::string_view(good).substr(0, i)).ok());
    EXPECT_EQ(ReadSafetensors(std::string_view(good).substr(i)).ok(), i == 0);
  }
  std::mt19937 random(4);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int n = 0; n < 4; ++n) bad[random() % bad.size()] = static_cast<char>(random());
    read(bad);
  }
  EXPECT_GT(num_read, 44);  // at least those whose 11 bytes of elements changed
}

}  // namespace
}  // namespace axle

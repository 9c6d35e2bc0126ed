#include "axle/core/npz.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "tests/paths.h"

namespace axle {
namespace {

std::string Data(const std::string& name) {
  auto bytes = ReadFile((SourceFolder() / "tests/data/npz" / name).string());
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? *bytes : "";
}

Literal Parse(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status().ToString();
  return literal.ok() ? *literal : Literal();
}

std::string Npy(std::string_view header, std::string_view data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += {version, '\0', static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
  if (version > 1) out += {'\0', '\0'};
  out += header;
  out += data;
  return out;
}

std::string FirstLine(const Status& status) {
  return status.message().substr(0, status.message().find('\n'));
}

class NumpyFiles : public testing::TestWithParam<const char*> {};

// What NumPy wrote, by make.py.
TEST_P(NumpyFiles, ReadAsTheirValues) {
  const auto npz = ReadNpz(Data(GetParam()));
  ASSERT_TRUE(npz.ok()) << npz.status().ToString();
  const struct {
    const char *name, *literal;
  } kCases[] = {
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
      {"t_float32", "f32[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_float64", "f64[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"t_complex64", "c64[2,3] {{(0,0),(1,-1),(2,-2)},{(3,-3),(4,-4),(5,-5)}}"},
      {"t_complex128", "c128[2,3] {{(0,0),(1,-1),(2,-2)},{(3,-3),(4,-4),(5,-5)}}"},
      {"scalar", "f32[] 0"},
      {"empty", "f32[0,3] {}"},
      {"fortran",
       "s32[2,3,4] "
       "{{{0,1,2,3},{4,5,6,7},{8,9,10,11}},{{12,13,14,15},{16,17,18,19},{20,21,22,23}}}"},
      {"big_endian", "s32[2,3] {{0, 1, 2}, {3, 4, 5}}"},
      {"big_endian_complex", "c64[2] {(0,0),(1,-1)}"},
      {"folder/name", "s32[1] {0}"},
      {"raw", "bf16[3] {0, 9.184e-41, 1.837e-40}"},
  };
  for (const auto& test : kCases) {
    const Literal expected = Parse(test.literal);
    const auto literal = MemberLiteral(*npz, test.name, expected.shape());
    ASSERT_TRUE(literal.ok()) << literal.status().ToString();
    const auto difference = FirstDifference(*literal, expected);
    EXPECT_FALSE(difference) << test.name << ": " << difference->ToString();
  }
  EXPECT_EQ(npz->size(), std::size(kCases));
}

INSTANTIATE_TEST_SUITE_P(Npz, NumpyFiles, testing::Values("stored.npz", "deflated.npz"),
                         [](const auto& info) {
                           return std::string(info.param, std::strchr(info.param, '.'));
                         });

TEST(Npz, ReadsEveryVersionOfNpy) {
  for (const char* name : {"version_1.npy", "version_2.npy", "version_3.npy"}) {
    const auto array = ReadNpy(Data(name));
    ASSERT_TRUE(array.ok()) << array.status().ToString();
    EXPECT_EQ(array->ToString(), "int16 (3,)");
    EXPECT_EQ(*ToLiteral(*array, Shape(S16, {3})), Parse("s16[3] {0, 1, 2}")) << name;
  }
}

TEST(Npz, ReadsZip64AndPassesOverOtherMembers) {
  const auto npz = ReadNpz(Data("zip64.npz"));
  ASSERT_TRUE(npz.ok()) << npz.status().ToString();
  EXPECT_EQ(npz->size(), 1u);
  EXPECT_EQ(*MemberLiteral(*npz, "x", Shape(F32, {5})), Parse("f32[5] {0, 1, 2, 3, 4}"));
}

TEST(Npz, WritesTheBytesThatNumpyWrites) {
  EXPECT_EQ(WriteNpy(Parse("s16[3] {0, 1, 2}")), Data("version_1.npy"));
}

TEST(Npz, WritesColumnMajorLiteralsInRowMajorOrder) {
  const Literal literal = Parse("s16[2,2] {{1, 2}, {3, 4}}");
  Layout layout;
  layout.minor_to_major = {0, 1};
  EXPECT_EQ(WriteNpy(literal.Relayout(layout)), WriteNpy(literal));
}

TEST(Npz, EveryTypeRoundTrips) {
  std::mt19937_64 random(9);
  std::vector<std::pair<std::string, Literal>> members;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    Literal literal(Shape(info.type, {5, 7}));
    for (i64 i = 0; i < literal.num_bytes(); ++i) {
      int byte = static_cast<int>(random() & 0xff);
      if (info.type == PRED) byte &= 1;
      if (info.bits < 8) {
        byte &= (1 << info.bits) - 1;
        if (IsSigned(info.type) && byte >> (info.bits - 1) != 0) byte -= 1 << info.bits;
      }
      literal.mutable_bytes()[i] = static_cast<std::byte>(byte);
    }
    members.emplace_back(StrCat("folder/", info.text), literal);
  }
  members.emplace_back("empty", Literal(Shape(F32, {0})));
  members.emplace_back("scalar", Parse("c128[] (1, -0)"));
  members.emplace_back("large", Literal(Shape(F64, {1 << 17})));
  for (bool deflate : {false, true}) {
    const auto bytes = WriteNpz(members, deflate);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->size() < 200000, deflate);
    EXPECT_EQ(*bytes, *WriteNpz(members, deflate));
    const auto npz = ReadNpz(*bytes);
    ASSERT_TRUE(npz.ok()) << npz.status().ToString();
    EXPECT_EQ(npz->size(), members.size());
    for (const auto& [name, literal] : members) {
      const auto again = MemberLiteral(*npz, name, literal.shape());
      ASSERT_TRUE(again.ok()) << again.status().ToString();
      EXPECT_TRUE(*again == literal) << name;
    }
  }
  EXPECT_TRUE(ReadNpz(*WriteNpz({}, false))->empty());
}

TEST(Npz, TravelTypesAreThoseOfTheCommandLine) {
  const struct {
    ElementType type;
    ElementType file;
  } kCases[] = {
      {PRED, PRED}, {BF16, U16}, {F16, F16}, {F8E4M3FN, U8}, {F8E8M0FNU, U8}, {S4, S8},
      {U4, U8},     {S1, S8},    {U2, U8},   {F4E2M1FN, U8}, {C64, C64},      {F6E2M3FN, U8},
  };
  for (const auto& test : kCases) {
    const auto array = ReadNpy(WriteNpy(Literal(Shape(test.type, {2}))));
    ASSERT_TRUE(array.ok());
    EXPECT_EQ(array->type, test.file) << Name(test.type);
  }
}

TEST(Npz, PredTakesAnyByteAndSubByteTypesOnlyTheirValues) {
  NpyArray array{PRED, {3}, std::string("\0\1\7", 3)};
  EXPECT_EQ(*ToLiteral(array, Shape(PRED, {3})), Parse("pred[3] {0, 1, 1}"));
  array = {S8, {2}, "\x07\x08"};
  EXPECT_EQ(ToLiteral(array, Shape(S4, {2})).status().message(),
            "holds 8, which is not a value of s4");
  array = {U8, {2}, "\x07\x10"};
  EXPECT_EQ(ToLiteral(array, Shape(F4E2M1FN, {2})).status().message(),
            "holds 16, which is not a value of f4e2m1fn");
}

TEST(Npz, ErrorsSayWhatTheFileHasAndWhatWasWanted) {
  Npz npz;
  npz["in_0"] = {F32, {2, 3}, std::string(24, '\0')};
  npz["in_1"] = {F32, {}, std::string(4, '\0')};
  const auto error = [&](const char* name, const Shape& shape) {
    return MemberLiteral(npz, name, shape).status().message();
  };
  EXPECT_EQ(error("in_0", Shape(F32, {3, 2})),
            "in_0: has float32 (2, 3), wanted float32 (3, 2) for f32[3,2]");
  EXPECT_EQ(error("in_0", Shape(BF16, {2, 3})),
            "in_0: has float32 (2, 3), wanted uint16 (2, 3) for bf16[2,3]");
  EXPECT_EQ(error("in_1", Shape(F32, {1})), "in_1: has float32 (), wanted float32 (1,) for f32[1]");
  EXPECT_EQ(error("in_2", Shape(F32)), "no member in_2; there are in_0, in_1");
  EXPECT_EQ(error("in_0", Shape::Token()), "in_0: token[] cannot be read from an array");
  EXPECT_EQ(MemberLiteral({}, "x", Shape(F32)).status().message(), "no member x; there are none");
}

TEST(Npz, MalformedNpyIsRefusedWithAReason) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  const std::string data(8, '\0');
  ASSERT_TRUE(ReadNpy(Npy(good, data)).ok());
  ASSERT_TRUE(ReadNpy(Npy("{\"shape\": (2L,), 'fortran_order':False,'descr': 'f4'}", data)).ok());
  const struct {
    std::string bytes, error;
  } kCases[] = {
      {"", "npy: no NumPy array (wrong magic number)"},
      {"\x93NUMPX", "npy: no NumPy array (wrong magic number)"},
      {"\x93NUMPY", "npy: unknown version 0"},
      {Npy(good, data, 4), "npy: unknown version 4"},
      {Npy(good, data).substr(0, 9), "npy: the file ends inside its header"},
      {Npy(good, data).substr(0, 30), "npy: the file ends inside its header"},
      {Npy(good, "1234567"), "npy: float32 (2,) needs 8 bytes but 7 follow the header"},
      {Npy(good, "123456789"), "npy: float32 (2,) needs 8 bytes but 9 follow the header"},
      {Npy("", ""), "npy header 1:1: expected '{' before the end of the text"},
      {Npy("{'descr': '<f4', 'shape': (2,)}", data),
       "npy header 1:32: needs descr, fortran_order and shape"},
      {Npy("{'descr': 'O', 'fortran_order': False, 'shape': (2,)}", data),
       "npy: elements of type 'O' are not supported"},
      {Npy("{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}", data),
       "npy: elements of type '<f16' are not supported"},
      {Npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", data),
       "npy header 1:35: expected True or False"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", data),
       "npy header 1:52: negative size"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': 2}", data),
       "npy header 1:51: expected '('"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", data),
       "shape f32[4294967296,4294967296] has too many elements"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}", data),
       "npy: float32 (99999999999,) needs 399999999996 bytes but 8 follow the header"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", data),
       "npy header 1:60: unknown key \"x\""},
      {Npy("{'descr': '<f4'", data),
       "npy header 1:16: expected a string in quotation marks before "
       "the end of the text"},
      {Npy(good + "x", data), "npy header 2:1: unexpected text after the dictionary"},
  };
  for (const auto& test : kCases) {
    const auto array = ReadNpy(test.bytes);
    EXPECT_EQ(array.ok() ? "accepted" : FirstLine(array.status()), test.error);
  }
  const auto structured = ReadNpy(Data("structured.npy"));
  EXPECT_EQ(structured.status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(FirstLine(structured.status()), "npy header 1:11: structured arrays are not supported");
}

std::string Archive(bool deflate) {
  const std::vector<std::pair<std::string, Literal>> members = {{"a", Parse("s32[2] {1, 2}")},
                                                                {"b", Parse("f32[] 3")}};
  return *WriteNpz(members, deflate);
}

// Replaces the first `from` at or after the last occurrence of `near`.
std::string Replace(std::string text, std::string_view near, size_t offset, std::string_view with) {
  return text.replace(text.rfind(near) + offset, with.size(), with);
}

TEST(Npz, MalformedArchivesAreRefusedWithAReason) {
  const std::string good = Archive(false);
  const std::string central = {'P', 'K', 1, 2};
  const std::string end = {'P', 'K', 5, 6};
  const std::string local = {'P', 'K', 3, 4};
  const struct {
    std::string bytes, error;
  } kCases[] = {
      {"", "npz: not a zip archive (too short)"},
      {std::string(100, 'x'), "npz: not a zip archive (no end record)"},
      {good.substr(0, good.size() - 10), "npz: not a zip archive (no end record)"},
      {Replace(good, central, 0, "x"), "npz: the central directory is damaged"},
      {Replace(good, end, 16, "\xff\xff\xff\x7f"), "npz: the central directory is damaged"},
      {Replace(good, end, 10, "\x09"), "npz: the central directory is damaged"},
      {Replace(good, local, 0, "x"), "npz: member b.npy has no local header"},
      {Replace(good, local, 26, "\xff\xff"), "npz: member b.npy ends beyond the archive"},
      {Replace(good, central, 8, "\1"), "npz: member b.npy is encrypted"},
      {Replace(good, central, 10, "\x0c"), "npz: member b.npy uses compression method 12"},
      {Replace(good, central, 16, "\1"), "npz: member b.npy has a wrong checksum"},
      {Replace(good, central, 24, "\1"), "npz: member b.npy has two different sizes"},
      {Replace(good, central, 20, "\xff\xff\xff\x7f"), "npz: members overlap"},
      {Replace(good, central, 46, "a"), "npz: member a.npy appears twice"},
      {Replace(good, central, 28, "\xff\xff"), "npz: the central directory is cut off"},
      {Replace(Archive(true), central, 24, "\xff\xff\xff\x7f"),
       "npz: member b.npy claims an impossible size"},
      {Replace(Archive(true), central, 24, "\xff\x01"),
       "npz: member b.npy has damaged compressed data"},
  };
  ASSERT_TRUE(ReadNpz(good).ok());
  for (const auto& test : kCases) {
    const auto npz = ReadNpz(test.bytes);
    EXPECT_EQ(npz.ok() ? "accepted" : npz.status().message(), test.error);
  }
}

TEST(Npz, MemoryIsLimited) {
  const std::vector<std::pair<std::string, Literal>> members = {
      {"a", Literal(Shape(F32, {1 << 20}))}};
  const std::string bytes = *WriteNpz(members, true);
  EXPECT_LT(bytes.size(), 10000u);
  const auto npz = ReadNpz(bytes, 1 << 20);
  EXPECT_EQ(npz.status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(npz.status().message(), "npz: more than 1 MiB of arrays");
}

// Any change of any byte is refused or leaves the arrays as they were: a checksum covers each of
// them, header included. Names have none, so that they may be others.
TEST(Npz, DamagedBytesAreRefusedOrChangeNoArray) {
  for (const bool deflate : {false, true}) {
    const std::string good = Archive(deflate);
    const auto undamaged = ReadNpz(good);
    ASSERT_TRUE(undamaged.ok()) << undamaged.status().ToString();
    std::set<std::pair<std::string, std::string>> arrays;
    for (const auto& [name, array] : *undamaged) arrays.emplace(array.ToString(), array.bytes);
    const auto expect_no_other_array = [&](const StatusOr<Npz>& npz) {
      if (!npz.ok()) return;
      for (const auto& [name, array] : *npz) {
        EXPECT_TRUE(arrays.contains({array.ToString(), array.bytes}))
            << name << ": " << array.ToString();
      }
    };
    for (size_t i = 0; i < good.size(); ++i) {
      SCOPED_TRACE(StrCat("byte ", i));
      for (const int change : {1, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ change);
        expect_no_other_array(ReadNpz(bad, 1 << 24));
      }
      EXPECT_FALSE(ReadNpz(std::string_view(good).substr(0, i)).ok());
      EXPECT_EQ(ReadNpz(std::string_view(good).substr(i)).ok(), i == 0);
    }
    std::mt19937 random(4);
    for (int i = 0; i < 20000; ++i) {
      std::string bad = good;
      for (int n = 0; n < 4; ++n) bad[random() % bad.size()] = static_cast<char>(random());
      expect_no_other_array(ReadNpz(bad, 1 << 24));
    }
  }
}

TEST(Npz, TuplesAreNotWritten) {
  const std::vector<std::pair<std::string, Literal>> members = {{"t", Literal()}};
  EXPECT_EQ(WriteNpz(members, false).status().message(), "npz: cannot write () as member t.npy");
}

class FileTest : public testing::Test {
 protected:
  FileTest() : path_(testing::TempDir() + "axle_file_test") {}
  ~FileTest() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(FileTest, BytesRoundTrip) {
  std::string bytes(300000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 / 3);
  ASSERT_TRUE(WriteFile(path_, bytes).ok());
  EXPECT_EQ(*ReadFile(path_), bytes);
  ASSERT_TRUE(WriteFile(path_, "short").ok());
  EXPECT_EQ(*ReadFile(path_), "short");
  ASSERT_TRUE(WriteFile(path_, "").ok());
  EXPECT_EQ(*ReadFile(path_), "");
}

// Longer than the pieces in which what has no size is kept.
TEST_F(FileTest, LongPipesAreRead) {
  std::string bytes((size_t{70} << 20) + 13, '\0');
  for (size_t i = 0; i < bytes.size(); i += 4099) bytes[i] = static_cast<char>(i * 7 / 3);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::thread writer([&] { EXPECT_TRUE(WriteFile(path_, bytes).ok()); });
  const StatusOr<std::string> read = ReadFile(path_);
  writer.join();
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(*read == bytes);
}

TEST_F(FileTest, ErrorsNameThePath) {
  const Status missing = ReadFile("/nonexistent/x").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), "cannot read /nonexistent/x: No such file or directory");
  EXPECT_EQ(ReadFile("/").status().message(), "cannot read /: Is a directory");
  EXPECT_EQ(WriteFile("/nonexistent/x", "").message(),
            "cannot write /nonexistent/x: No such file or directory");
  EXPECT_EQ(ReadFile("/dev/zero", 1 << 20).status().message(),
            "cannot read /dev/zero: more than 1 MiB");
  EXPECT_EQ(WriteFile("/dev/full", "x").message(),
            "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace axle

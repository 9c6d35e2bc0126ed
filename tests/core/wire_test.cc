// The protobuf wire format.
#include "axle/core/wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace axle {
namespace {

TEST(Wire, ValuesComeBack) {
  WireWriter message;
  message.Int(1, -5);
  message.Bool(2, true);
  message.Text(3, "text");
  message.Double(4, 0.5);
  message.Float(5, -0.0f);
  message.Ints(6, std::vector<i64>{0, -1, std::numeric_limits<i64>::max()});
  const float floats[] = {1, 2};
  message.PackedFixed<float>(7, floats);
  WireWriter out;
  out.Message(15, message);

  WireReader in(out.bytes(), "test");
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.field(), 15);
  std::vector<i64> list;
  std::vector<float> numbers;
  const Status status = ReadMessage(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case 1:
        EXPECT_EQ(*field.Int(), -5);
        EXPECT_EQ(*field.Int32(), -5);
        EXPECT_FALSE(field.Bytes().ok());
        break;
      case 2:
        EXPECT_TRUE(*field.Bool());
        break;
      case 3:
        EXPECT_EQ(*field.Bytes(), "text");
        EXPECT_EQ(field.Int().status().message(),
                  "test: byte 15, field 15.3: has wire type 2, not 0");
        break;
      case 4:
        EXPECT_EQ(*field.Double(), 0.5);
        break;
      case 5:
        EXPECT_TRUE(std::signbit(*field.Float()));
        break;
      case 6:
        return field.Ints(list);
      case 7:
        return field.Floats(numbers);
      default:
        ADD_FAILURE() << field.field();
    }
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(list, (std::vector<i64>{0, -1, std::numeric_limits<i64>::max()}));
  EXPECT_EQ(numbers, (std::vector<float>{1, 2}));
  EXPECT_FALSE(in.Next());
  EXPECT_TRUE(in.status().ok());
}

TEST(Wire, DefaultsAreNotWritten) {
  WireWriter out;
  out.Int(1, 0);
  out.Bool(2, false);
  out.Text(3, "");
  out.Double(4, 0);
  out.Float(5, 0);
  out.Ints(6, {});
  EXPECT_EQ(out.bytes(), "");
  out.ExplicitInt(1, 0);
  out.Bytes(2, "");
  EXPECT_EQ(out.bytes(), std::string_view("\x08\x00\x12\x00", 4));
}

TEST(Wire, FieldsAreSorted) {
  WireWriter out;
  out.Text(3, "b");
  out.Int(1, 7);
  out.Text(3, "a");
  out.SortFields();
  EXPECT_EQ(out.bytes(),
            "\x08\x07\x1a\x01"
            "b\x1a\x01"
            "a");
}

TEST(Wire, ListsMayBeUnpacked) {
  WireWriter out;
  out.ExplicitInt(1, 3);
  out.Ints(1, std::vector<i64>{4, 5});
  WireReader in(out.bytes(), "test");
  std::vector<i64> list;
  while (in.Next()) ASSERT_TRUE(in.Ints(list).ok());
  EXPECT_EQ(list, (std::vector<i64>{3, 4, 5}));
}

TEST(Wire, DamagedBytes) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"\x08", "test: byte 0, field 1: a varint is cut off or too long"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
       "test: byte 0, field 1: a varint is cut off or too long"},
      {"\x0d\x01\x02\x03", "test: byte 0, field 1: has 4 bytes but only 3 are left"},
      {"\x08\x01\x12\x7f", "test: byte 2, field 2: has 127 bytes but only 0 are left"},
      {"\x0c", "test: byte 0, field 1: wire type 4 is not used by these messages"},
  };
  for (const auto& [bytes, expected] : rows) {
    WireReader in(bytes, "test");
    while (in.Next()) {
    }
    EXPECT_EQ(in.status().message(), expected);
  }
}

}  // namespace
}  // namespace axle

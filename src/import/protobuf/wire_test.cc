#include "import/protobuf/wire.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpscope::import::protobuf {
namespace {

using std::string_literals::operator""s;

TEST(ProtobufWire, ReadsEveryType) {
  const std::string message =
      "\x08\x96\x01"s
      "\x12\x02hi"s
      "\x19\x01\0\0\0\0\0\0\0"s
      "\x25\x02\0\0\0"s;
  Fields fields(message);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields->number, 1u);
  EXPECT_EQ(fields->value, 150u);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields->bytes, "hi");
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields->value, 1u);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields->value, 2u);
  EXPECT_FALSE(fields.Next());
  EXPECT_FALSE(fields.damaged());
}

TEST(ProtobufWire, DamageIsSeen) {
  for (const std::string& message : {"\x12\x05hi"s, "\x08"s, "\x0b\x00"s, "\x00\x00"s, "\x19\x01"s,
                                     "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s}) {
    Fields fields(message);
    EXPECT_FALSE(fields.Next());
    EXPECT_TRUE(fields.damaged());
  }
}

TEST(ProtobufWire, StreamKeepsOrderAndPassesOverLargeFields) {
  std::string message;
  for (int i = 0; i < 1000; ++i)
    message +=
        "\x0a\x03"
        "abc"s;
  message += "\x12\x90\x4e"s + std::string(10000, 'x');
  message += "\x18\x07"s;
  const auto source = OpenMemory(message);
  MessageStream stream(source.get(), 1000);
  Field field;
  int count = 0;
  for (;;) {
    const auto more = stream.Next(&field);
    ASSERT_TRUE(more.ok());
    if (!more.value()) break;
    ++count;
    if (count <= 1000) {
      EXPECT_EQ(field.bytes, "abc");
    }
  }
  EXPECT_EQ(count, 1001);
  EXPECT_EQ(field.value, 7u);
  EXPECT_EQ(stream.too_large(), 1u);
  EXPECT_FALSE(stream.cut_short());
}

TEST(ProtobufWire, StreamSeesTheCut) {
  const std::string message =
      "\x0a\x03"
      "abc\x0a\x03"
      "ab"s;
  const auto source = OpenMemory(message);
  MessageStream stream(source.get(), 1000);
  Field field;
  EXPECT_TRUE(stream.Next(&field).value());
  EXPECT_FALSE(stream.Next(&field).value());
  EXPECT_TRUE(stream.cut_short());
  EXPECT_EQ(stream.offset_bytes(), 5u);
}

TEST(ProtobufWire, PackedAndSingleNumbers) {
  std::vector<uint64_t> values;
  const auto add = [&](uint64_t value) { values.push_back(value); };
  const std::string packed = "\x01\x96\x01"s, fixed = "\x05\0\0\0\0\0\0\0"s;
  ForEachNumber(Field{1, WireType::kBytes, 0, packed}, false, add);
  ForEachNumber(Field{1, WireType::kBytes, 0, fixed}, true, add);
  ForEachNumber(Field{1, WireType::kFixed64, 9, {}}, true, add);
  EXPECT_EQ(values, (std::vector<uint64_t>{1, 150, 5, 9}));
}

}  // namespace
}  // namespace warpscope::import::protobuf

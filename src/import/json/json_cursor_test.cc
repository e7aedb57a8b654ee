#include "import/json/json_cursor.h"

#include <gtest/gtest.h>

namespace warpscope::import {
namespace {

TEST(JsonCursor, WalksAndTakes) {
  const std::string text =
      "\xEF\xBB\xBF {\"a\" : [1, {\"x\":\"]}\\\"\"}, \"s\"], \"skip\":{\"b\":[[]]}, \"n\": -1.5e3}";
  const auto source = OpenMemory(text);
  JsonCursor cursor(source.get());
  std::string key, value;
  ASSERT_TRUE(cursor.Enter('{'));
  ASSERT_TRUE(cursor.NextKey(&key));
  EXPECT_EQ(key, "a");
  ASSERT_TRUE(cursor.Enter('['));
  std::vector<std::string> items;
  while (cursor.NextItem() && cursor.Take(&value, 1000)) items.push_back(value);
  EXPECT_EQ(items, (std::vector<std::string>{"1", "{\"x\":\"]}\\\"\"}", "\"s\""}));
  ASSERT_TRUE(cursor.NextKey(&key) && cursor.Skip() && cursor.NextKey(&key) && cursor.Take(&value, 1000));
  EXPECT_EQ(key + "=" + value, "n=-1.5e3");
  EXPECT_FALSE(cursor.NextKey(&key));
  EXPECT_EQ(cursor.Peek(), '\0');
  EXPECT_FALSE(cursor.cut_short() || cursor.broken());
}

TEST(JsonCursor, StringsAndNumbersAcrossBlocks) {
  const std::string long_text(size_t{300} << 10, 'x');
  const std::string text = "[\"" + long_text + "\", \"" + long_text + "\\\\\", 12]";
  const auto source = OpenMemory(text);
  JsonCursor cursor(source.get());
  std::string value;
  ASSERT_TRUE(cursor.Enter('['));
  ASSERT_TRUE(cursor.NextItem() && cursor.Take(&value, size_t{1} << 20));
  EXPECT_EQ(value.size(), long_text.size() + 2);
  EXPECT_TRUE(cursor.NextItem());
  EXPECT_FALSE(cursor.Take(&value, 10));  // too long, but passed
  ASSERT_TRUE(cursor.NextItem() && cursor.Take(&value, 10));
  EXPECT_EQ(value, "12");
}

TEST(JsonCursor, CutAndBrokenEndTheWalk) {
  for (const std::string text : {"{\"a\":[1,{\"b\"", "{\"a\":[\"x", "{\"a\":[1"}) {
    const auto source = OpenMemory(text);
    JsonCursor cursor(source.get());
    std::string key;
    ASSERT_TRUE(cursor.Enter('{') && cursor.NextKey(&key) && cursor.Enter('['));
    while (cursor.NextItem() && cursor.Skip()) {
    }
    EXPECT_TRUE(cursor.cut_short()) << text;
  }
  const auto source = OpenMemory("{12:3}");
  JsonCursor cursor(source.get());
  std::string key;
  EXPECT_TRUE(cursor.Enter('{'));
  EXPECT_FALSE(cursor.NextKey(&key));
  EXPECT_TRUE(cursor.broken());
}

TEST(WithoutBadUtf8, KeepsGoodSequences) {
  EXPECT_EQ(WithoutBadUtf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(WithoutBadUtf8("\xFF\xC3("), "\xEF\xBF\xBD\xEF\xBF\xBD(");
  EXPECT_EQ(WithoutBadUtf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace warpscope::import

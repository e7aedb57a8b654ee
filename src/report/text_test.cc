#include "report/text.h"

#include <gtest/gtest.h>

#include <random>

#include "report/utf8.h"

namespace warpscope::report {
namespace {

TEST(Wrap, WholeWordsStayWhole) {
  const std::string path(60, 'p');
  EXPECT_EQ(WrapWholeWords("cannot open " + path + " today", 20),
            (std::vector<std::string>{"cannot open", path, "today"}));
  EXPECT_EQ(WrapWholeWords("one two three", 8), (std::vector<std::string>{"one two", "three"}));
}

TEST(Clean, EscapeSequencesBecomeVisible) {
  EXPECT_EQ(Clean("\x1b[31mred\x1b[0m", true), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(Clean("a\r\nb\tc\x7f", true), "a\\x0d\\x0ab\\x09c\\x7f");
  EXPECT_EQ(Clean(std::string_view("a\0b", 3), true), "a\\x00b");
  EXPECT_EQ(Clean("\xC2\x9B"
                  "31m",
                  true),
            "\\x9b31m");  // C1: one-byte CSI
  EXPECT_EQ(Clean("\xE2\x80\xAE"
                  "gpj.exe",
                  true),
            "\\u202egpj.exe");  // right-to-left override
}

TEST(Clean, BadUtf8IsReplaced) {
  EXPECT_EQ(Clean("a\xff"
                  "b",
                  true),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(Clean("\xC0\xAF", true), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong "/"
  EXPECT_EQ(Clean("\xED\xA0\x80", true), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(Clean("\xE2\x80", true), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut short
}

TEST(Clean, AsciiTerminalGetsAscii) { EXPECT_EQ(Clean("na\xC3\xAFve \xE6\xA0\xB8", false), "na?ve ?"); }

TEST(Width, CountsColumns) {
  EXPECT_EQ(Width("abc"), 3U);
  EXPECT_EQ(Width("\xE6\xA0\xB8\xE5\xBF\x83"), 4U);  // two wide characters
  EXPECT_EQ(Width("e\xCC\x81"), 1U);                 // e + combining accent
}

TEST(CutMiddle, KeepsBothEnds) {
  EXPECT_EQ(CutMiddle("short", 10, true), "short");
  EXPECT_EQ(CutMiddle("abcdefghijkl", 7, true), "abcd\xE2\x80\xA6kl");
  EXPECT_EQ(CutMiddle("abcdefghijkl", 8, false), "abcd..kl");
  EXPECT_EQ(CutMiddle("abcdef", 1, true), "a");
}

TEST(Wrap, BreaksBetweenWideCharacters) {
  // Two columns each; no line begins with closing punctuation, and a word of Latin letters stays whole.
  EXPECT_EQ(Wrap("等待输入数据。", 8), (std::vector<std::string>{"等待输入", "数据。"}));
  EXPECT_EQ(Wrap("等待输入。数据", 8), (std::vector<std::string>{"等待输", "入。数据"}));
  EXPECT_EQ(Wrap("等待（输入）", 6), (std::vector<std::string>{"等待", "（输", "入）"}));
  EXPECT_EQ(Wrap("每步 Tensor 空闲", 10), (std::vector<std::string>{"每步", "Tensor 空", "闲"}));
  EXPECT_EQ(Wrap("共 3.84 ms，等待", 10), (std::vector<std::string>{"共", "3.84 ms，", "等待"}));
  for (const auto& line : Wrap("GPU 每步有 88 % 的时间在等待输入数据，而程序正在 CPU 上计算。", 13))
    EXPECT_LE(Width(line), 13U) << line;
}

TEST(Wrap, BreaksAtSpacesAndInsideLongWords) {
  EXPECT_EQ(Wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(Wrap("abcdefghij kl", 4), (std::vector<std::string>{"abcd", "efgh", "ij", "kl"}));
  EXPECT_EQ(Wrap("takes 12.4 ms, or", 11), (std::vector<std::string>{"takes", "12.4 ms, or"}));
  EXPECT_EQ(Wrap("", 10), (std::vector<std::string>{""}));
}

// Whatever the bytes: printable result, and no line wider than asked for.
TEST(Text, RandomBytesStayHarmlessAndWithinWidth) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (const bool utf8 : {true, false}) {
      const std::string clean = Clean(bytes, utf8);
      for (const char c : clean) ASSERT_TRUE(static_cast<uint8_t>(c) >= 0x20 && c != 0x7F);
      for (size_t at = 0; at < clean.size();) {
        const CodePoint c = DecodeUtf8(clean, at);
        ASSERT_TRUE(c.valid);
        ASSERT_FALSE(c.value >= 0x80 && c.value < 0xA0);
        at += c.size_bytes;
      }
      ASSERT_LE(Width(CutMiddle(clean, 11, utf8)), 11U);
      for (const auto& line : Wrap(clean, 13)) ASSERT_LE(Width(line), 13U);
    }
  }
}

}  // namespace
}  // namespace warpscope::report

// What bytes are text, and in which encoding.
#include <gtest/gtest.h>

#include <string>

#include "base/text_decoder.h"
#include "base/text_kind.h"

namespace warpscope {
namespace {

std::string Utf16(std::string_view ascii, bool big, bool mark) {
  std::string bytes = !mark ? "" : big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : ascii) {
    if (big) bytes.push_back('\0');
    bytes.push_back(c);
    if (!big) bytes.push_back('\0');
  }
  return bytes;
}

TEST(TextDecoder, Utf16WithAndWithoutMark) {
  constexpr std::string_view kText =
      "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus\r\nnext line of it\r\n";
  for (const bool big : {false, true}) {
    for (const bool mark : {false, true}) {
      const std::string bytes = Utf16(kText, big, mark);
      EXPECT_EQ(DecodeText(bytes), kText);
      for (const size_t piece : {size_t{1}, size_t{3}, size_t{65}}) {
        TextDecoder decoder;
        std::string text;
        for (size_t at = 0; at < bytes.size(); at += piece)
          text += decoder.Decode(std::string_view(bytes).substr(at, piece));
        text += decoder.Finish();
        EXPECT_EQ(text, kText);
      }
    }
  }
  EXPECT_EQ(DecodeText(Utf16("short", false, true)), "short");
  EXPECT_EQ(DecodeText(std::string_view("\xFF\xFE\x3D\xD8\x00\xDE", 6)), "\xF0\x9F\x98\x80");  // a pair of halves
  EXPECT_EQ(DecodeText(std::string_view("\xFF\xFE\x3D\xD8\x41\x00", 6)),
            "\xEF\xBF\xBD"
            "A");
}

TEST(TextDecoder, OtherBytesStay) {
  EXPECT_EQ(DecodeText("\xEF\xBB\xBFplain"), "plain");
  EXPECT_EQ(DecodeText(""), "");
  EXPECT_EQ(DecodeText("a"), "a");
  const std::string odd("a\0b\xFF\xFE", 5);
  EXPECT_EQ(DecodeText(odd), odd);
}

TEST(TextKind, ProgramsAndArchivesAreNoText) {
  EXPECT_EQ(BinaryKindOf("\x7F"
                         "ELF\x02\x01\x01 GPU has fallen off the bus")
                .what,
            "a program or library");
  EXPECT_NE(BinaryKindOf("LPKSHHRH....").next.find("journalctl"), std::string_view::npos);
  std::string noise;
  for (unsigned i = 0; i < 20000; ++i) noise.push_back(static_cast<char>((i * 2654435761U) >> 13));
  EXPECT_TRUE(BinaryKindOf(noise));
}

TEST(TextKind, DamagedLogsAreText) {
  EXPECT_FALSE(BinaryKindOf(""));
  EXPECT_FALSE(BinaryKindOf("\x1b[31mred\x1b[0m\ttext\r\n"));
  std::string log;
  for (int i = 0; i < 4000; ++i) log += "[   12.345678] usb 1-1: new device\n";
  log.replace(1000, 8192, 8192, '\0');
  EXPECT_FALSE(BinaryKindOf(log));
}

}  // namespace
}  // namespace warpscope

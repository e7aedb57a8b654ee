#include "record/native/symbolize.h"

#include <gtest/gtest.h>

#include <string>

#include "record/native/debug_line.h"

namespace warpscope::record::native {
namespace {

using namespace std::string_literals;

template <typename Value>
void Put(std::string* bytes, Value value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Sequence from 0x1000: line 10 at once, line 12 after 8 bytes, end after 8 more.
std::string Program() {
  std::string code = "\0\x09\x02"s;
  Put(&code, uint64_t{0x1000});
  return code + "\x03\x09\x01"s + "\x02\x08\x03\x02\x01"s + "\x02\x08\0\x01\x01"s;
}

std::string Unit(uint16_t version, const std::string& lists, const std::string& program) {
  std::string tail = "\x01"s;         // smallest step
  if (version >= 4) tail += "\x01"s;  // operations of a bundle
  tail += "\x01\xfb\x0e\x0d"s + "\0\1\1\1\1\0\0\0\1\0\0\1"s + lists;
  std::string body;
  Put(&body, version);
  if (version >= 5) body += "\x08\0"s;
  Put(&body, static_cast<uint32_t>(tail.size()));
  body += tail + program;
  std::string bytes;
  Put(&bytes, static_cast<uint32_t>(body.size()));
  return bytes + body;
}

const std::string kOldLists = "include\0\0main.cc\0\0\0\0util.h\0\x01\0\0\0"s;

TEST(DebugLine, FindsLinesOfOldTables) {
  const std::string unit = Unit(4, kOldLists, Program());
  const auto lines = FindLines({unit, "", ""}, {0xfff, 0x1000, 0x1007, 0x1008, 0x1010});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines.at(0x1000).file, "main.cc");
  EXPECT_EQ(lines.at(0x1000).line, 10U);
  EXPECT_EQ(lines.at(0x1007).line, 10U);
  EXPECT_EQ(lines.at(0x1008).line, 12U);
}

TEST(DebugLine, FindsLinesOfDwarf5) {
  // Folders: by offset into .debug_line_str; files: offset and number of the folder.
  std::string lists = "\x01\x01\x1f\x02"s;
  Put(&lists, uint32_t{0});
  Put(&lists, uint32_t{5});
  lists += "\x02\x01\x1f\x02\x0b\x02"s;
  Put(&lists, uint32_t{9});
  lists += "\x00"s;
  Put(&lists, uint32_t{9});
  lists += "\x01"s;
  const std::string unit = Unit(5, lists, Program());
  const auto lines = FindLines({unit, "/src\0sub\0main.cc\0"s, ""}, {0x1000});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines.at(0x1000).file, "/src/sub/main.cc");
}

TEST(DebugLine, SurvivesAnyCut) {
  const std::string unit = Unit(4, kOldLists, Program()) + Unit(3, kOldLists, Program());
  for (size_t size = 0; size < unit.size(); ++size)
    FindLines({std::string_view(unit).substr(0, size), "", ""}, {0x1000});
  for (size_t at = 0; at < unit.size(); ++at) {
    std::string damaged = unit;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    FindLines({damaged, "", ""}, {0x1000});
  }
}

TEST(Symbolize, ReadsTheMapOfGeneratedCode) {
  const auto names = NamesOfGenerated(
      "7f00 40 kernel one\n7f40 10 two\x01\x1b[31m\nnot a line\nffffffffffffffff 10 wraps\n7f48 8\n7f80 ",
      {0x7f10, 0x7f44, 0x7f60});
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names.at(0x7f10).name, "kernel one");
  EXPECT_EQ(names.at(0x7f44).name, "two[31m");  // no control characters
}

}  // namespace
}  // namespace warpscope::record::native

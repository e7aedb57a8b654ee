#include "record/host/elf_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

extern "C" int warpscope_elf_test_symbol;
int warpscope_elf_test_symbol = 7;

namespace warpscope::record::host {
namespace {

std::string Self() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(ElfFile, FindsSymbolsOfThisProgram) {
  const auto elf = ElfFile::Open("/proc/self/exe");
  ASSERT_NE(elf, nullptr);
  const auto found = elf->Find({"warpscope_elf_test_symbol", "there_is_no_such_symbol", "warpscope_elf_test"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0]);
  EXPECT_FALSE(found[1]);
  EXPECT_FALSE(found[2]);  // only the beginning of a name
  size_t functions = 0;
  bool main_seen = false;
  elf->ForEachFunction([&](const ElfFile::Function& function) {
    ++functions;
    main_seen |= function.name == "main";
  });
  EXPECT_GT(functions, 10U);
  EXPECT_TRUE(main_seen);
  EXPECT_EQ(elf->AddressOfOffset(0), 0U);
}

TEST(ElfFile, RefusesWhatIsNone) {
  EXPECT_EQ(ElfFile::Open("/proc/self/maps"), nullptr);
  EXPECT_EQ(ElfFile::Open("/there/is/no/such/file"), nullptr);
  EXPECT_EQ(ElfFile::FromBytes(""), nullptr);
  EXPECT_EQ(ElfFile::FromBytes(std::string(100, '\x7f')), nullptr);
}

TEST(ElfFile, SurvivesCutAndDamagedFiles) {
  const std::string whole = Self();
  for (size_t size = 0; size < whole.size(); size = size * 3 / 2 + 7) {
    if (const auto elf = ElfFile::FromBytes(std::string_view(whole).substr(0, size))) elf->Find({"main"});
  }
  for (size_t at = 0; at < 64; ++at) {
    std::string damaged = whole.substr(0, 1 << 16);
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    if (const auto elf = ElfFile::FromBytes(damaged)) {
      elf->Find({"main"});
      elf->AddressOfOffset(0xffffffffffff0000);
    }
  }
}

}  // namespace
}  // namespace warpscope::record::host

#include "import/code/code_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace warpscope::import::code {
namespace {

namespace fs = std::filesystem;

constexpr char kChase[] = "_Z5chasePKiPfi";

std::string Bytes() {
  std::ifstream file(WS_TEST_DATA "/code/waits.cubin", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class CodeTextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ws_code_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "1f.cubin", std::ios::binary) << Bytes();
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

// The lines are those of `readelf --debug-dump=decodedline`.
TEST_F(CodeTextTest, TellsTheLineOfEachInstruction) {
  const auto text = CodeText::Open((folder_ / "1f.cubin").string());
  ASSERT_NE(text, nullptr);
  const auto line = [&](const char* function, uint64_t offset) -> uint32_t {
    const auto found = text->LineOf(function, offset);
    return found ? found->line : 0;
  };
  EXPECT_EQ(line(kChase, 0x00), 6u);
  EXPECT_EQ(line(kChase, 0x10), 8u);
  EXPECT_EQ(line(kChase, 0x20), 7u);
  EXPECT_EQ(line(kChase, 0x620), 8u);
  EXPECT_EQ(line(kChase, 0x650), 3u);  // of the inlined function
  EXPECT_EQ(line(kChase, 0x660), 9u);
  EXPECT_EQ(line(kChase, 0x770), 10u);
  EXPECT_EQ(line(kChase, 0x780), 0u);  // behind its end
  EXPECT_EQ(line("plain", 0x10), 13u);
  EXPECT_EQ(line("plain", 0x170), 14u);
  EXPECT_EQ(line("absent", 0), 0u);
  EXPECT_EQ(text->LineOf("plain", 0)->file, "/demo/waits.cu");
}

TEST_F(CodeTextTest, TellsTheTextOfInstructionsFromTheDisassemblyBesideIt) {
  std::ofstream(folder_ / "1f.sass") << "\t.section\t.text.plain,\"ax\",@progbits\n"
                                        ".text.plain:\n"
                                        "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                                        "        /*0010*/              @!P0 BRA `(.L_x_0) ;  /* 0x00 */\n"
                                        "\t.section\t.text._Z5chasePKiPfi,\"ax\",@progbits\n"
                                        "        /*0010*/                   LDG.E R2, desc[UR4][R2.64] ;\n";
  const auto text = CodeText::Open((folder_ / "1f.cubin").string());
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->SassOf("plain", 0), "LDC R1, c[0x0][0x28]");
  EXPECT_EQ(text->SassOf("plain", 0x10), "@!P0 BRA `(.L_x_0)");
  EXPECT_EQ(text->SassOf(kChase, 0x10), "LDG.E R2, desc[UR4][R2.64]");
  EXPECT_EQ(text->SassOf(kChase, 0x20), "");
}

TEST_F(CodeTextTest, TellsTheNumberOfAFunctionsSymbol) {
  const auto text = CodeText::Open((folder_ / "1f.cubin").string());
  ASSERT_NE(text, nullptr);
  EXPECT_TRUE(text->SymbolOf(kChase));
  EXPECT_NE(text->SymbolOf(kChase), text->SymbolOf("plain"));
  EXPECT_FALSE(text->SymbolOf("absent"));
}

TEST_F(CodeTextTest, SurvivesEveryCutAndManyChangedBytes) {
  const std::string whole = Bytes();
  for (size_t size = 0; size < whole.size(); size += 13) {
    const std::string cut = whole.substr(0, size);
    if (const auto cubin = Cubin::FromBytes(cut)) LineTable(*cubin).Find(20, 0x10);
  }
  uint32_t state = 12345;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 4; ++k) {
      state = state * 1664525u + 1013904223u;
      changed[(state >> 8) % changed.size()] = static_cast<char>(state);
    }
    const auto cubin = Cubin::FromBytes(changed);
    if (cubin == nullptr) continue;
    const LineTable lines(*cubin);
    if (const auto function = cubin->Find(kChase)) lines.Find(function->section, function->offset);
  }
}

TEST(CodeFileTest, TakesNamesOfKeptCodeAlone) {
  EXPECT_TRUE(IsCodeFile("code/1f2e.cubin"));
  EXPECT_EQ(CodeFileName(0x1f2e), "code/1f2e.cubin");
  for (const char* name : {"", "code/.cubin", "code/../x.cubin", "/etc/passwd", "code/1F.cubin", "code/1f.cubin/x",
                           "code/11111111111111111.cubin", "1f.cubin"})
    EXPECT_FALSE(IsCodeFile(name)) << name;
}

}  // namespace
}  // namespace warpscope::import::code

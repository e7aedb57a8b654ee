#include "record/disassemble.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace warpscope::record {
namespace {

namespace fs = std::filesystem;

class DisassembleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ws_disassemble_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "1f.cubin") << "code";
  }
  void TearDown() override { fs::remove_all(folder_); }
  // A program in place of nvdisasm.
  std::string Tool(const std::string& script) {
    const fs::path path = folder_ / "nvdisasm";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  Status Run(const std::string& script, int limit_s = 20) {
    return Disassemble(Tool(script), {{(folder_ / "1f.cubin").string(), {14, 15}}}, limit_s);
  }
  std::string Text() const {
    std::ifstream file(folder_ / "1f.sass");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  size_t Files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(DisassembleTest, PutsTheTextBesideTheCode) {
  EXPECT_TRUE(Run("echo \"$@\"").ok());
  EXPECT_EQ(Text(), "--print-code --cuda-function-index 14,15 " + (folder_ / "1f.cubin").string() + "\n");
  EXPECT_EQ(Files(), 3u);
}

TEST_F(DisassembleTest, AToolThatFailsLeavesNothingAndIsTold) {
  const Status status = Run("echo half; exit 1");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("1 of 1 modules"), std::string::npos) << status.message();
  EXPECT_EQ(Files(), 2u);
}

TEST_F(DisassembleTest, WhatTheToolSaysIsTold) {
  const Status status = Run("echo >&2; echo 'nvdisasm fatal : no such arch' >&2; exit 1");
  EXPECT_NE(status.message().find("It says: nvdisasm fatal : no such arch"), std::string::npos) << status.message();
  EXPECT_EQ(Files(), 2u);
}

TEST_F(DisassembleTest, OneThatDoesNotEndIsEnded) {
  EXPECT_FALSE(Run("sleep 60", 1).ok());
  EXPECT_EQ(Files(), 2u);
}

TEST_F(DisassembleTest, TheFirstOfThePathIsTaken) {
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (folder_.string() + ":" + before).c_str(), 1);
  const std::string tool = Tool("true");
  EXPECT_EQ(FindDisassembler(), tool);
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace warpscope::record

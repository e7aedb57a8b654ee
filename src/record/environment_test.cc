#include "record/environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace warpscope::record {
namespace {

TEST(Environment, SecretsOfACommandAreHidden) {
  EXPECT_EQ(RedactedCommand({"python", "train.py", "--lr", "0.1"}), "python train.py --lr 0.1");
  EXPECT_EQ(RedactedCommand({"serve", "--api-key", "abc", "--port", "1"}), "serve --api-key *** --port 1");
  EXPECT_EQ(RedactedCommand({"serve", "--hf_token=abc"}), "serve --hf_token=***");
  EXPECT_EQ(RedactedCommand({"get", "https://me:pass@host/x"}), "get https://***@host/x");
  EXPECT_EQ(RedactedCommand({"x", "--password", "-v"}), "x --password -v");
}

TEST(Environment, VariablesOfGpuWorkWithoutSecrets) {
  EXPECT_TRUE(IsShownVariable("CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(IsShownVariable("NCCL_DEBUG"));
  EXPECT_FALSE(IsShownVariable("HF_TOKEN"));
  EXPECT_FALSE(IsShownVariable("NVIDIA_API_KEY"));
  EXPECT_FALSE(IsShownVariable("HOME"));
}

TEST(Environment, RevisionOfTheRepositoryAround) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("warpscope_git_" + std::to_string(::getpid()));
  fs::create_directories(folder / ".git/refs/heads");
  fs::create_directories(folder / "src/deep");
  std::ofstream(folder / ".git/HEAD") << "ref: refs/heads/main\n";
  std::ofstream(folder / ".git/refs/heads/main") << "0123456789012345678901234567890123456789\n";
  EXPECT_EQ(GitRevision((folder / "src/deep").string()), "main 0123456789012345678901234567890123456789");
  std::ofstream(folder / ".git/HEAD") << "abcdef\n";
  EXPECT_EQ(GitRevision(folder.string()), "abcdef");
  std::ofstream(folder / ".git/HEAD") << "ref: ../../../etc/passwd\n";
  EXPECT_EQ(GitRevision(folder.string()), "");
  fs::remove_all(folder);
}

TEST(Environment, AlwaysTellsTheCommandFirst) {
  const auto facts = CollectEnvironment({"prog", "1"}, nullptr);
  ASSERT_FALSE(facts.empty());
  EXPECT_EQ(facts[0].name, "command");
  EXPECT_EQ(facts[0].value, "prog 1");
}

}  // namespace
}  // namespace warpscope::record

#include "record/not_started.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "record/testing/fake_system.h"

namespace warpscope::record {
namespace {

using testing::FakeSystem;

std::string Why(const FakeSystem& system, const std::string& word, int error) {
  const std::string text = WhyNotStarted(system, word, error);
  EXPECT_EQ(text.rfind(word + ": cannot be started: ", 0), 0u) << text;
  return text;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(NotStarted, AScriptThatIsNotExecutableIsStartedWithItsInterpreter) {
  FakeSystem system;
  system.files[system.WorkingFolder() + "/p.py"] = "print(1)\n";
  EXPECT_TRUE(Has(Why(system, "./p.py", EACCES), "(python3 ./p.py), or do: chmod +x ./p.py"));
  system.files[system.WorkingFolder() + "/run"] = "#!/usr/bin/env ruby\n";
  EXPECT_TRUE(Has(Why(system, "./run", EACCES), "(ruby ./run)"));
  system.files[system.WorkingFolder() + "/tool"] =
      "\x7f"
      "ELF";
  EXPECT_TRUE(Has(Why(system, "./tool", EACCES), "Do: chmod +x ./tool"));
}

TEST(NotStarted, WhatIsMissingIsNamed) {
  FakeSystem system;
  EXPECT_TRUE(Has(Why(system, "notthere", ENOENT), "no such program in the folders of PATH"));
  EXPECT_TRUE(Has(Why(system, "./notthere", ENOENT), "no such file"));
  system.files[system.WorkingFolder() + "/here"] = "x";
  EXPECT_TRUE(Has(Why(system, "here", ENOENT), "Give it as ./here"));
  system.files[system.WorkingFolder() + "/q.sh"] = "#!/no/such\n";
  EXPECT_TRUE(Has(Why(system, "./q.sh", ENOENT), "its first line names /no/such, which is not there"));
}

}  // namespace
}  // namespace warpscope::record

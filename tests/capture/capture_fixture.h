// Capture: records a scenario of capture_host in a run folder of its own, and reads what it left.
// [one thread] of a test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "import/import.h"
#include "record/launch.h"
#include "wire/control.h"

namespace warpscope {

namespace fs = std::filesystem;

class Capture : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpscope_capture_" + std::to_string(::getpid()) + "_" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ::setenv("WARPSCOPE_CUPTI", WS_FAKE_CUPTI, 1);
    ::unsetenv("FAKE_REFUSES");
    ::unsetenv("FAKE_CANNOT_COUNT");
  }
  void TearDown() override { fs::remove_all(folder_); }

  // What the next recordings collect beside the usual: bits of wire::Collect.
  void Ask(uint32_t collect) {
    wire::Control settings;
    settings.collect = wire::kCollectDefault | collect;
    std::ofstream(folder_ / wire::kControlName, std::ios::binary)
        .write(reinterpret_cast<const char*>(&settings), sizeof(settings));
  }
  record::Ended Record(const std::string& scenario, int count) {
    return RecordWords({WS_CAPTURE_HOST, WS_AGENT, WS_FAKE_CUPTI, scenario, std::to_string(count)});
  }
  record::Ended RecordWords(const std::vector<std::string>& words) {
    record::Launch launch;
    launch.words = words;
    launch.run_folder = folder_.string();
    launch.agent_path = WS_AGENT;
    auto ended = record::RunUnderAgent(launch);
    EXPECT_TRUE(ended.ok()) << ended.status().message();
    return ended.ok() ? ended.value() : record::Ended();
  }
  model::Trace Load() {
    auto trace = import::Load({folder_.string()});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    return trace.ok() ? std::move(trace).value() : model::Trace();
  }

  fs::path folder_;
};

}  // namespace warpscope

// The sampler over a real program, and what the importer makes of its stream. For tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "import/import.h"
#include "record/host/host_sampler.h"
#include "record/launch.h"

namespace warpscope {

class HostSampling : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("warpscope_host_" + std::to_string(::getpid()) + "_" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  int Record(std::vector<std::string> words, unsigned hz = 200) {
    record::host::HostSampler sampler(folder_.string(), {.hz = hz, .most_cpu_ratio = 1});
    record::Launch launch;
    launch.words = std::move(words);
    launch.run_folder = folder_.string();
    launch.on_started = [&](int pid) {
      pid_ = pid;
      sampler.Start(pid);
    };
    const auto ended = record::RunUnderAgent(launch);
    sampler.Stop();
    EXPECT_TRUE(ended.ok()) << ended.status().message();
    auto trace = import::Load({folder_.string()});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    if (trace.ok()) trace_ = std::move(trace).value();
    return ended.ok() ? ended.value().exit_code : -1;
  }
  // A busy machine finds a thread late and wakes it late: records anew until `told` says that the times can be judged.
  template <typename Told>
  int RecordUntil(const std::vector<std::string>& words, unsigned hz, Told told) {
    int code = -1;
    for (int attempt = 0; attempt < 5; ++attempt) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
      code = Record(words, hz);
      if (told()) break;
    }
    return code;
  }
  std::string Program(const char* name) { return std::string(WS_PROGRAMS) + "/" + name; }

  // Time of all rows of that name, by thread; of one kind.
  int64_t TimeOf(const std::string& name, model::HostKind kind) {
    int64_t total_ns = 0;
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (trace_.host.kind[row] == kind && trace_.HostName(row) == name) total_ns += trace_.host.dur_ns[row];
    }
    return total_ns;
  }
  // The row of that name that lasts longest; kNone.
  uint32_t Longest(const std::string& name) {
    uint32_t best = model::kNone;
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (trace_.HostName(row) != name) continue;
      if (best == model::kNone || trace_.host.dur_ns[row] > trace_.host.dur_ns[best]) best = row;
    }
    return best;
  }
  // "name < parent < ..." of a row.
  std::string Chain(uint32_t row) {
    std::string text;
    for (; row != model::kNone; row = trace_.host.parent[row])
      text += (text.empty() ? "" : " < ") + std::string(trace_.HostName(row));
    return text;
  }
  std::string ProcessNames() {
    std::string text;
    for (const model::Process& process : trace_.processes) text += std::string(trace_.Text(process.name)) + "; ";
    return text;
  }
  std::string FactOf(const std::string& name) {
    for (const model::Reading& row : trace_.readings) {
      if (trace_.Text(row.name) == name) return std::string(trace_.Text(row.text));
    }
    return {};
  }
  std::string DetailOf(model::LedgerCode code) {
    for (const model::LedgerEntry& entry : trace_.ledger.Entries()) {
      if (entry.code == code) return entry.message;
    }
    return {};
  }

  std::filesystem::path folder_;
  int pid_ = 0;
  model::Trace trace_;
};

}  // namespace warpscope

// A recording as the agent and the host sampler leave it, written by hand: the rules name what the host did.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "import/import.h"
#include "record/host/host_stream.h"
#include "record/host/wait_stream.h"
#include "rules/engine.h"
#include "wire/stream_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using record::host::FrameKind;
using record::host::HostStream;
using record::host::ThreadSample;

constexpr int64_t kMs = 1'000'000, kBegin = 1'700'000'000'000'000'000;
constexpr int kSteps = 30, kKernels = 10, kPeriodMs = 10, kStepMs = 60;

// One thread. A step of 60 ms: it launches ten kernels of 1 ms at its begin, and 15 ms later does something for 40 ms.
class HostRules : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpscope_host_rules_" + std::to_string(::getpid()) + "_" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    WriteDeviceWork();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void WriteDeviceWork() {
    wire::StreamFile file;
    ASSERT_TRUE(file.Open(folder_.c_str(), nullptr, 130001));
    const auto text = [&](uint64_t ref, const std::string& words) {
      wire::BlockWriter& block = file.BlockFor(static_cast<uint32_t>(words.size()));
      block.Begin(wire::kText);
      block.Put(ref);
      block.PutBytes(words.data(), static_cast<uint32_t>(words.size()));
    };
    const auto record = [&](wire::Tag tag, const std::vector<uint64_t>& fields) -> wire::BlockWriter& {
      wire::BlockWriter& block = file.block();
      block.Begin(tag);
      for (const uint64_t field : fields) block.Put(field);
      return block;
    };
    text(1, "work");
    text(2, "cudaLaunchKernel");
    const auto tid = static_cast<uint64_t>(::getpid());
    record(wire::kThread, {1, tid, 0});
    record(wire::kStream, {1, 0, 1, 7});
    record(wire::kLaunchShape, {1, 512, 1, 1, 256, 1, 1, 32, 0, 1, 1, 1});
    uint64_t correlation = 0;
    for (int step = 0; step < kSteps; ++step) {
      for (int kernel = 0; kernel < kKernels; ++kernel) {
        const int64_t launch = kBegin + step * kStepMs * kMs + kernel * 20'000;
        wire::BlockWriter& call = record(wire::kCall, {0, 2, 1});
        call.PutTime(launch);
        call.Put(5'000);
        call.PutCorrelation(++correlation);
        call.Put(0);
        wire::BlockWriter& work = record(wire::kKernel, {1, 1, 1});
        work.PutTime(kBegin + step * kStepMs * kMs + kernel * kMs + 30'000);
        work.Put(kMs);
        work.PutCorrelation(correlation);
      }
    }
    wire::BlockWriter& end = record(wire::kEnd, {});
    end.PutTime(kBegin + kSteps * kStepMs * kMs);
    end.Put(correlation * 2);
    end.Put(0);
    file.Close();
  }

  // A program without Python: main > Tokenizer::Encode > std::sort > memcpy for the 40 ms.
  rules::Verdict JudgeNative() {
    HostStream host;
    EXPECT_TRUE(host.Open(folder_.string()));
    host.Period(kPeriodMs * kMs);
    const uint32_t thread = host.Thread(::getpid(), ::getpid(), "server");
    const uint32_t server = host.stacks().Text("/home/me/server"), libc = host.stacks().Text("/usr/lib/libc.so.6");
    const auto frame = [&](uint32_t outer, uint32_t module, uint64_t address) {
      return host.stacks().Frame({outer, FrameKind::kNative, 0, module, address});
    };
    const uint32_t start = frame(0, server, 0x1000), main = frame(start, server, 0x2000);
    const uint32_t encode = frame(main, server, 0x3000), sort = frame(encode, server, 0x4000);
    const uint32_t copy = frame(sort, libc, 0x9000);
    for (int64_t ms = 3; ms < kSteps * kStepMs; ms += kPeriodMs) {
      const bool inside = ms % kStepMs >= 15 && ms % kStepMs < 55;
      host.Sample(thread, kBegin + ms * kMs, {wire::kOnCpu, 0, inside ? (ms % 20 == 3 ? copy : sort) : main});
    }
    host.NativeName(server, 0x1000, "_start", "", 0);
    host.NativeName(server, 0x2000, "main", "src/main.cc", 7);
    host.NativeName(server, 0x3000, "_ZN9Tokenizer6EncodeERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
                    "src/tokenizer.cc", 42);
    host.NativeName(server, 0x4000, "_ZSt4sortIPiEvT_S1_", "/usr/include/c++/12/bits/stl_algo.h", 4800);
    host.NativeName(libc, 0x9000, "memcpy", "", 0);
    host.Close(kBegin + kSteps * kStepMs * kMs, 0);
    auto trace = import::Load({folder_.string()});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    auto verdict = rules::Analyze(trace.value());
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return std::move(verdict).value();
  }

  // `frames` outermost first, for the 40 ms; `call`: the system call that it waits in, "" if it computes.
  rules::Verdict Judge(const std::vector<std::pair<std::string, std::string>>& frames, const std::string& call,
                       bool exact) {
    HostStream host;
    EXPECT_TRUE(host.Open(folder_.string()));
    host.Period(kPeriodMs * kMs);
    const uint32_t thread = host.Thread(::getpid(), ::getpid(), "python3");
    const auto stack = [&](size_t depth) {
      uint32_t frame = 0;
      for (size_t i = 0; i < depth; ++i) {
        const uint32_t function = host.stacks().Text(frames[i].second), file = host.stacks().Text(frames[i].first);
        frame = host.stacks().Frame({frame, FrameKind::kPython, function, file, static_cast<uint32_t>(10 + i)});
      }
      return frame;
    };
    record::host::WaitStream waits;
    if (exact) {
      EXPECT_TRUE(waits.Open(folder_.string()));
    }
    for (int64_t ms = 3; ms < kSteps * kStepMs; ms += kPeriodMs) {
      const bool inside = ms % kStepMs >= 15 && ms % kStepMs < 55;
      ThreadSample sample{wire::kOnCpu, 0, stack(inside ? frames.size() : 1)};
      if (inside && !call.empty()) {
        sample.state = ms % kStepMs < 15 + kPeriodMs ? wire::kWaiting : wire::kStillWaiting;
        if (!exact) sample.call = host.stacks().Text(call);
      }
      host.Sample(thread, kBegin + ms * kMs, sample);
    }
    host.Close(kBegin + kSteps * kStepMs * kMs, 0);
    for (int step = 0; exact && step < kSteps; ++step)
      waits.Wait(::getpid(), ::getpid(), call, kBegin + (step * kStepMs + 16) * kMs, 38 * kMs);
    if (exact) waits.Close(kBegin + kSteps * kStepMs * kMs);
    auto trace = import::Load({folder_.string()});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    auto verdict = rules::Analyze(trace.value());
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return std::move(verdict).value();
  }
  static const rules::Finding* Find(const rules::Verdict& verdict, const std::string& id) {
    for (const rules::Finding& finding : verdict.findings) {
      if (finding.id == id) return &finding;
    }
    return nullptr;
  }

  fs::path folder_;
};

TEST_F(HostRules, DataLoadingOnTheMainThread) {
  const auto verdict = Judge({{"train.py", "<module>"},
                              {"torch/utils/data/dataloader.py", "__next__"},
                              {"torch/utils/data/_utils/fetch.py", "fetch"},
                              {"train.py", "__getitem__"}},
                             "", false);
  const rules::Finding* found = Find(verdict, "data_loading");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->subject.find("dataloader.py(11): __next__"), std::string::npos) << found->subject;
  ASSERT_TRUE(found->share_pct);
  EXPECT_NEAR(*found->share_pct, 40.0 / 60 * 100, 15);
}

TEST_F(HostRules, WaitForWorkersOfALoaderIsDataLoading) {
  const auto verdict = Judge({{"train.py", "<module>"},
                              {"torch/utils/data/dataloader.py", "__next__"},
                              {"torch/utils/data/dataloader.py", "_try_get_data"},
                              {"queue.py", "get"}},
                             "futex", true);
  EXPECT_NE(Find(verdict, "data_loading"), nullptr);
  EXPECT_EQ(Find(verdict, "host_wait"), nullptr);
}

TEST_F(HostRules, Sleep) {
  const auto verdict = Judge({{"serve.py", "<module>"}, {"serve.py", "poll_queue"}}, "clock_nanosleep", true);
  const rules::Finding* found = Find(verdict, "host_wait");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->title.find("sleeps"), std::string::npos) << found->title;
  EXPECT_NE(found->subject.find("serve.py(11): poll_queue"), std::string::npos) << found->subject;
}

TEST_F(HostRules, LockThatIsOnlySampled) {
  const auto verdict = Judge({{"serve.py", "<module>"}, {"serve.py", "swap"}}, "futex", false);
  const rules::Finding* found = Find(verdict, "host_wait");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->title.find("waits for a lock"), std::string::npos) << found->title;
}

TEST_F(HostRules, PythonBetweenSteps) {
  const auto verdict = Judge({{"train.py", "<module>"}, {"train.py", "log_metrics"}}, "", false);
  const rules::Finding* found = Find(verdict, "cpu_bound_host");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->subject.find("log_metrics"), std::string::npos) << found->subject;
}

TEST_F(HostRules, AFunctionOfAProgramWithoutPython) {
  const auto verdict = JudgeNative();
  const rules::Finding* found = Find(verdict, "cpu_bound_host");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->subject, "src/tokenizer.cc(42): Tokenizer::Encode");
  EXPECT_EQ(found->confidence, rules::Confidence::kHigh);
  for (const rules::Action& action : found->actions) EXPECT_EQ(action.text.find("torch"), std::string::npos);
  EXPECT_EQ(verdict.answer.find("Python"), std::string::npos) << verdict.answer;
  for (const rules::TimePart& part : verdict.breakdown)
    EXPECT_EQ(part.label.find("Python"), std::string::npos) << part.label;
}

}  // namespace
}  // namespace warpscope

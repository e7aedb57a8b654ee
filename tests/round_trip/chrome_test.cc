// Trace -> chrome JSON -> trace: every event of every table that a timeline has comes back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "describe.h"
#include "export/export.h"
#include "export/place.h"
#include "import/import.h"

namespace warpscope::round_trip {
namespace {

using model::Trace;

class Chrome : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("warpscope_chrome_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const Trace& trace, const std::string& name) {
    const std::string path = folder_ / name;
    const auto written =
        exporting::WriteTo(*exporting::FindExporter("chrome"), trace, {path, true, {}}, exporting::Options());
    EXPECT_TRUE(written.ok()) << written.status().message();
    return path;
  }
  Trace Again(const Trace& trace, const std::string& name = "again.json") {
    auto again = import::Load({Write(trace, name)});
    EXPECT_TRUE(again.ok()) << again.status().message();
    return again.ok() ? std::move(again).value() : Trace();
  }
  static void ExpectSame(const Trace& before, const Trace& after) {
    const auto want = Describe(before), got = Describe(after);
    ASSERT_EQ(want.size(), got.size());
    int shown = 0;
    for (size_t i = 0; i < want.size() && shown < 5; ++i) {
      if (want[i] == got[i]) continue;
      ++shown;
      EXPECT_EQ(want[i], got[i]);
    }
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Chrome, Recordings) {
  for (const auto& entry : std::filesystem::directory_iterator(WS_TEST_DATA "/kineto")) {
    if (entry.path().extension() != ".gz") continue;
    SCOPED_TRACE(entry.path().filename());
    auto before = import::Load({entry.path().string()});
    ASSERT_TRUE(before.ok());
    ExpectSame(*before, Again(*before, "again.json.gz"));
  }
}

TEST_F(Chrome, PackedAndPlainHoldTheSameText) {
  auto before = import::Load({WS_TEST_DATA "/kineto/tiny.pt.trace.json.gz"});
  ASSERT_TRUE(before.ok());
  ExpectSame(Again(*before, "a.json"), Again(*before, "a.json.gz"));
  std::ifstream packed(Write(*before, "a.json.gz"), std::ios::binary);
  EXPECT_EQ(packed.get(), 0x1F);
}

// Every table, every kind, names as hostile as they come.
Trace Hostile() {
  Trace trace;
  trace.sources.push_back(
      {.path = "x", .format = "made", .producer = "a \"tool\"", .base_time_ns = 1700000000000000000});
  const auto text = [&](std::string_view name) { return trace.strings.Intern(name); };
  trace.devices.push_back({.id = 3, .name = "GPU \"3\"\\", .memory_bytes = 1, .sm_count = 7});
  trace.processes.push_back({0, 77, 0, text("main \t \"p\""), std::nullopt});
  trace.threads.push_back({0, 78, text("t\n1")});
  trace.threads.push_back({0, -1, text("profiler")});
  trace.streams.push_back({0, 0, 5, 9, text("s;\"9\"")});
  trace.streams.push_back({0, 0, 5, 10, model::kNoString});
  trace.op_details.push_back(
      {text("[[1, 2], []]"), text("[\"float\"]"), model::kNoString, text("[\"\\\"\"]"), text("a\nb")});
  trace.launch_configs.push_back({{1, 2, 3}, {4, 5, 6}, 7, 8, 9, 10, 11});
  trace.copy_details.push_back(
      {model::CopyKind::kPeerToPeer, model::MemoryKind::kManaged, model::MemoryKind::kArray, 12});
  const int64_t base = 1700000000000000000;
  const auto host = [&](int64_t start, int64_t dur, std::string_view name, model::HostKind kind, uint64_t id,
                        uint32_t thread = 0) {
    trace.host.start_ns.push_back(base + start);
    trace.host.dur_ns.push_back(dur);
    trace.host.name.push_back(text(name));
    trace.host.thread.push_back(thread);
    trace.host.kind.push_back(kind);
    trace.host.correlation.push_back(id);
    trace.host.external_id.push_back(UINT64_MAX - 1);
    trace.host.forward_thread.push_back(kind == model::HostKind::kOperator ? 2 : 0);
    trace.host.detail.push_back(kind == model::HostKind::kOperator ? 0 : model::kNone);
  };
  using enum model::HostKind;
  host(1, 100, "a\"b\\c\n\t\x7f", kAnnotation, model::kNoId);
  host(2, 90, "x.py(3): f<\xC3\xA9>", kPython, 44);
  host(3, 80, "aten::\xE2\x82\xAC", kOperator, 55);
  host(4, 70, "cudaLaunchKernel", kRuntimeCall, 18446744073709551614ULL);
  host(5, 60, "cuLaunchKernel", kDriverCall, 67);
  host(6, 50, "poll", kOsCall, model::kNoId);
  host(7, 0, "", kOverhead, model::kNoId, 1);
  const auto gpu = [&](int64_t start, model::GpuKind kind, std::string_view name, uint32_t detail, uint64_t id) {
    trace.gpu.start_ns.push_back(base + start);
    trace.gpu.dur_ns.push_back(1);
    trace.gpu.name.push_back(text(name));
    trace.gpu.kind.push_back(kind);
    trace.gpu.stream.push_back(0);
    trace.gpu.correlation.push_back(id);
    trace.gpu.external_id.push_back(model::kNoId);
    trace.gpu.detail.push_back(detail);
  };
  gpu(200, model::GpuKind::kKernel, "void k<\"{\">(a, b)}, {\"ph\": \"X\"", 0, 18446744073709551614ULL);
  gpu(300, model::GpuKind::kCopy, "peer", 0, 67);
  gpu(400, model::GpuKind::kMemset, "set", 0, model::kNoId);
  gpu(500, model::GpuKind::kGraphLaunch, "graph", model::kNone, model::kNoId);
  trace.gpu_annotations.push_back({base + 150, 600, text("step"), 0});
  trace.syncs.push_back({base + 10, 5, model::SyncKind::kStreamWaitEvent, 0, 1, 67, 12, 0, model::kNone});
  trace.syncs.push_back({base + 20, 5, model::SyncKind::kContext, model::kNone, model::kNone, 67, model::kNoId, 0});
  trace.memory.push_back({base + 3, -4096, 0xFFFFFFFFFFFFFFF0ULL, 0, 0, 5, -6});
  trace.memory.push_back({base + 4, 8, 1, model::kNone, 0, std::nullopt, std::nullopt});
  trace.counters.push_back({base + 5, text("c \"1\""), 0, 0.1, text("pct")});
  trace.counters.push_back({base + 6, text("c"), model::kNone, -1e300, model::kNoString});
  model::Collective collective;
  collective.gpu_row = 0;
  collective.name = text("all\"reduce");
  collective.comms_id = text("18446744073709551615");
  collective.in_elements = 1, collective.out_elements = 2, collective.group_size = 3, collective.sequence = 4;
  trace.collectives.push_back(collective);
  trace.Finish();
  return trace;
}

TEST_F(Chrome, EveryTableWithHostileNames) {
  const Trace before = Hostile();
  ExpectSame(before, Again(before));
}

// Steps are found from frames unless those were sampled.
TEST_F(Chrome, SampledStacksStaySampled) {
  Trace before = Hostile();
  EXPECT_EQ(Again(before).sources[0].sample_period_ns, std::nullopt);
  before.sources[0].sample_period_ns = 10'000'000;
  EXPECT_EQ(Again(before).sources[0].sample_period_ns, 10'000'000);
}

TEST_F(Chrome, WritingWhatWasReadGivesTheSameBytes) {
  const Trace first = Again(Hostile());
  const auto read = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string once = read(Write(first, "one.json"));
  EXPECT_EQ(once, read(Write(Again(first, "two.json"), "three.json")));
  EXPECT_GT(once.size(), 1000U);
}

TEST_F(Chrome, RandomNames) {
  std::mt19937 random(7);
  Trace before;
  before.sources.emplace_back();
  before.processes.push_back({0, 1, 0, model::kNoString, std::nullopt});
  before.threads.push_back({0, 1, model::kNoString});
  constexpr std::string_view kPieces[] = {
      "\"",   "\\", "{", "}", "[", "]", ",", ":", " ", "a", "\xC3\xA9", "\n", "ph", "\\u0041", "\xF0\x9F\x98\x80",
      "\x01", "/"};
  for (int i = 0; i < 500; ++i) {
    std::string name = "n";
    for (unsigned k = random() % 12; k > 0; --k) name += kPieces[random() % std::size(kPieces)];
    before.host.start_ns.push_back(1000 + i * 10);
    before.host.dur_ns.push_back(static_cast<int64_t>(random() % 9));
    before.host.name.push_back(before.strings.Intern(name));
    before.host.thread.push_back(0);
    before.host.kind.push_back(model::HostKind::kAnnotation);
    before.host.correlation.push_back(model::kNoId);
    before.host.external_id.push_back(model::kNoId);
    before.host.forward_thread.push_back(0);
    before.host.detail.push_back(model::kNone);
  }
  before.Finish();
  ExpectSame(before, Again(before));
}

TEST_F(Chrome, SaysWhatHasNoPlace) {
  Trace trace = Hostile();
  trace.readings.resize(2);
  trace.summaries.resize(1);
  trace.counters.push_back({1700000000000000000, trace.strings.Intern("n"), model::kNone, NAN, model::kNoString});
  auto written = exporting::FindExporter("chrome")->write(trace, "/dev/null", exporting::Options());
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->left_out.size(), 3U);
}

}  // namespace
}  // namespace warpscope::round_trip

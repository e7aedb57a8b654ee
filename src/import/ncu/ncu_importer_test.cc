// Reports made by hand: what is read of them, and what damage costs.
#include "import/ncu/ncu_importer.h"

#include <gtest/gtest.h>

#include "import/import.h"
#include "import/ncu/message_text.h"
#include "import/ncu/testing.h"

namespace warpscope::import::ncu {
namespace {

using testing::Block;
using testing::Extent;
using testing::FileBegin;
using testing::Framed;
using testing::Message;
using testing::MetricCount;
using testing::MetricDouble;
using testing::Strings;

Message Kernel(std::string_view name) {
  Message kernel;
  kernel.Bytes(6, "short").Bytes(7, name).Add(10, Extent(132, 2, 1)).Add(11, Extent(256, 1, 1));
  kernel.Add(13, MetricDouble(0, 2048.0)).Add(13, MetricCount(1, 40)).Add(13, MetricCount(2, 0));
  kernel.Add(13, Message().Number(1, 3).Add(2, Message()));                           // no value
  kernel.Add(13, Message().Number(1, 4).Add(2, Message().Bytes(1, "PolicySpread")));  // a text
  kernel.Add(13, MetricDouble(5, 1)).Number(22, 1).Number(23, 7);
  const Message words = Message().Bytes(1, "See @section:A:The Section@ first.").Number(2, 4).Bytes(4, "Title");
  const Message item = Message().Add(1, words).Add(10, Message().Number(1, 2).Double(2, 12.5));
  kernel.Add(19, Message().Bytes(1, "Rule").Bytes(2, "Display").Add(3, Message().Add(1, item)).Bytes(4, "Section"));
  return kernel;
}

Message Header() {
  Message attribute = Message().Bytes(1, "device__attribute_multiprocessor_count").Add(2, Message().Number(5, 132));
  Message device = Message().Number(1, 0).Bytes(2, "NVIDIA H200").Add(3, attribute);
  Message version = Message().Bytes(1, "Nsight Compute Target").Bytes(2, "2025.3.1.0 (build 1)");
  Message header;
  header.Add(3, Message().Add(6, device).Add(8, version));
  header.Add(4, Strings({"gpu__time_duration.sum", "launch__registers_per_thread", "launch__device_id",
                         "dram__bytes_read.sum", "launch__cluster_scheduling_policy", "group:memory__chart"}));
  return header.Add(6, Message().Number(1, 743).Bytes(3, std::string_view("C:\\app.exe\0", 11)));
}

std::string Report(int kernels) {
  std::string results;
  for (int i = 0; i < kernels; ++i) results += Framed(Kernel("gemm<4>(float *)").bytes());
  return FileBegin() + Block(Header(), "", 0, results, static_cast<uint64_t>(kernels));
}

uint64_t Noted(const model::Trace& trace, std::string_view name) {
  for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
    if (entry.name == name) return entry.count;
  }
  return 0;
}

TEST(NcuImporter, ReadsKernelsMetricsAndAdvice) {
  const auto trace = LoadBytes(Report(2), "r.ncu-rep");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  const model::Trace& t = trace.value();
  ASSERT_EQ(t.kernel_profiles.size(), 2U);
  const model::KernelProfile& profile = t.kernel_profiles[1];
  EXPECT_EQ(t.Text(profile.name), "gemm<4>(float *)");
  EXPECT_EQ(profile.id, 1U);
  EXPECT_EQ(profile.dur_ns, 2048);
  EXPECT_EQ(profile.stream, 7);
  const model::LaunchConfig& config = t.launch_configs[profile.config];
  EXPECT_EQ(config.grid[1], 2U);
  EXPECT_EQ(config.block[0], 256U);
  EXPECT_EQ(config.registers_per_thread, 40U);
  ASSERT_EQ(profile.metric_end - profile.metric_begin, 5U);  // a name of a group is no metric
  const model::Metric& first = t.metrics[profile.metric_begin];
  EXPECT_EQ(t.Text(first.name), "gpu__time_duration.sum");
  EXPECT_EQ(t.Text(first.unit), "ns");
  EXPECT_EQ(std::get<double>(first.value), 2048.0);
  EXPECT_EQ(t.metrics[profile.metric_begin + 3].value.index(), 0U);
  EXPECT_EQ(t.Text(std::get<model::StringId>(t.metrics[profile.metric_begin + 4].value)), "PolicySpread");
  ASSERT_EQ(profile.advice_end - profile.advice_begin, 1U);
  const model::Advice& advice = t.advice[profile.advice_begin];
  EXPECT_EQ(t.Text(advice.text), "See The Section first.");
  EXPECT_EQ(t.Text(advice.rule), "Rule");
  EXPECT_EQ(advice.kind, model::AdviceKind::kOptimization);
  EXPECT_EQ(advice.speedup_pct, 12.5);
  EXPECT_TRUE(advice.speedup_is_global);
  EXPECT_EQ(t.devices.at(0).name, "NVIDIA H200");
  EXPECT_EQ(t.devices.at(0).sm_count, 132U);
  EXPECT_EQ(t.sources.at(0).version, "2025.3.1.0");
  EXPECT_EQ(t.Text(t.processes.at(0).name), "C:\\app.exe");
}

TEST(NcuImporter, StringTablesOfAllBlocksAreOneList) {
  const std::string results = Framed(Message().Bytes(7, "k").Add(13, MetricDouble(1, 5)).bytes());
  const std::string text = FileBegin() + Block(Message().Add(4, Strings({"launch__grid_size"})), "", 0, results, 1) +
                           Block(Message().Add(4, Strings({"gpu__time_duration.sum"})), "", 0, "", 0);
  const auto trace = LoadBytes(text, "r");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace.value().kernel_profiles.at(0).dur_ns, 5);
}

TEST(NcuImporter, RepeatedMetricKeepsItsLastValue) {
  const Message kernel = Message().Bytes(7, "k").Add(13, MetricDouble(0, 5)).Add(13, MetricDouble(0, 6));
  const auto trace = LoadBytes(
      FileBegin() + Block(Message().Add(4, Strings({"gpu__time_duration.sum"})), "", 0, Framed(kernel.bytes()), 1),
      "r");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace.value().metrics.size(), 1U);
  EXPECT_EQ(trace.value().kernel_profiles.at(0).dur_ns, 6);
}

TEST(NcuImporter, CutFileKeepsWhatIsWhole) {
  const std::string whole = Report(3);
  for (size_t size = FileBegin().size(); size < whole.size(); size += 7) {
    const auto trace = LoadBytes(std::string_view(whole).substr(0, size), "r");
    if (!trace.ok()) continue;
    EXPECT_EQ(Noted(trace.value(), "truncated_file"), 1U) << size;
    EXPECT_LT(trace.value().kernel_profiles.size(), 3U);
  }
}

TEST(NcuImporter, DamagedKernelCostsItself) {
  std::string results = Framed("\xFF\xFF\xFF") + Framed(Kernel("good").bytes());
  const auto trace = LoadBytes(FileBegin() + Block(Header(), "", 0, results, 2), "r");
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace.value().kernel_profiles.size(), 1U);
  EXPECT_EQ(Noted(trace.value(), "damaged_profile"), 1U);
  EXPECT_EQ(trace.value().Text(trace.value().kernel_profiles[0].name), "good");
}

TEST(NcuImporter, LengthsThatLieCostNoMemory) {
  std::string text = FileBegin() + std::string("\xFF\xFF\xFF\x3F", 4) + "abc";
  EXPECT_FALSE(LoadBytes(text, "r").ok());
  EXPECT_FALSE(LoadBytes(FileBegin() + Block(Message().Number(7, 1), "", UINT64_MAX, "", UINT64_MAX), "r").ok());
}

TEST(NcuImporter, ReportWithoutKernelsIsRefused) {
  const auto trace = LoadBytes(FileBegin() + Block(Header(), "", 0, "", 0), "r.ncu-rep");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(trace.status().message().find("no profiled kernel"), std::string::npos);
}

TEST(PlainMessage, ResolvesLinks) {
  EXPECT_EQ(PlainMessage("a @section:X:Memory Tables@ b"), "a Memory Tables b");
  EXPECT_EQ(PlainMessage("@url:Guide:https://x.y/z#a@."), "Guide (https://x.y/z#a).");
  EXPECT_EQ(PlainMessage("me@home, @odd"), "me@home, @odd");
  EXPECT_EQ(PlainMessage("@"), "@");
  EXPECT_EQ(PlainMessage(""), "");
}

}  // namespace
}  // namespace warpscope::import::ncu

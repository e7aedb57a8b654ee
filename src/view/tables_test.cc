// Every table of a small recording with work of each kind: as many cells as columns, names as promised, same twice.
#include "view/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/testing/trace_builder.h"

namespace warpscope::view {
namespace {

class TablesTest : public ::testing::Test {
 protected:
  TablesTest() {
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t at = i * 1'000'000;
      builder_.AddAnnotation("ProfilerStep#" + std::to_string(i), at, 900'000);
      builder_.AddPython("train.py(12): step", at + 1'000, 800'000);
      builder_.AddOp("aten::mul", at + 2'000, 100'000);
      builder_.Launch("void mul_kernel<float>(float*)", at + 10'000, 5'000, at + 20'000, 200'000);
      builder_.Launch("add_kernel", at + 300'000, 5'000, at + 310'000, 100'000);
      const auto correlation = static_cast<uint64_t>(100'000 + i);
      builder_.AddCall("cudaMemcpyAsync", at + 420'000, 5'000, correlation);
      builder_.AddCopy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable, model::MemoryKind::kDevice, 4096,
                       at + 430'000, 20'000, correlation);
      builder_.AddMemory(at + 2'000, 1024, static_cast<uint64_t>(0x1000 * (i + 1)));
      builder_.AddCall("cudaDeviceSynchronize", at + 500'000, 10'000);
    }
    model::Trace& trace = builder_.trace();
    const auto metric = [&](std::string_view name, model::MetricValue value) {
      trace.metrics.push_back({trace.strings.Intern(name), trace.strings.Intern("%"), value});
    };
    metric("sm__throughput.avg.pct_of_peak_sustained_elapsed", 42.5);
    metric("launch__grid_size", uint64_t{7});
    metric("launch__func_cache_config", trace.strings.Intern("CachePreferNone"));
    metric("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 3.0);
    metric("smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", 9.0);
    trace.advice.push_back({.rule = trace.strings.Intern("Rule"),
                            .text = trace.strings.Intern("do it"),
                            .kind = model::AdviceKind::kOptimization,
                            .speedup_pct = 12.0});
    model::KernelProfile profile;
    profile.name = trace.strings.Intern("add_kernel");
    profile.dur_ns = 1500;
    profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
    profile.advice_end = 1;
    trace.kernel_profiles = {profile, profile};
    trace_ = &builder_.Finish();
    index_ = std::make_unique<analysis::Index>(*trace_);
    steps_ = analysis::FindSteps(*trace_, index_->default_domain());
  }

  std::vector<Table> All() const {
    const Subject subject{*index_, steps_, {}, {}, 0};
    std::vector<Table> tables;
    for (const auto by : {KernelsBy::kName, KernelsBy::kGeometry, KernelsBy::kCategory})
      tables.push_back(KernelTable(subject, by));
    for (const auto by : {OpsBy::kOp, OpsBy::kShape, OpsBy::kModule, OpsBy::kLine, OpsBy::kAnnotation}) {
      tables.push_back(OperatorTable(subject, by));
    }
    for (const auto by : {GapsBy::kCause, GapsBy::kSubject, GapsBy::kGap}) tables.push_back(GapTable(subject, by));
    for (const auto by : {CopiesBy::kKind, CopiesBy::kCaller}) tables.push_back(CopyTable(subject, by));
    for (const auto by : {SyncsBy::kCaller, SyncsBy::kCall}) tables.push_back(SyncTable(subject, by));
    for (const auto by : {LaunchesBy::kKernel, LaunchesBy::kSummary, LaunchesBy::kQueue})
      tables.push_back(LaunchTable(subject, by));
    const auto all = [](std::string_view) { return true; };
    for (const auto by : {CountersBy::kKernel, CountersBy::kLaunch, CountersBy::kMetric, CountersBy::kAdvice})
      tables.push_back(CountersTable(subject, by, {all, all}));
    for (const auto by : {CollectivesBy::kName, CollectivesBy::kCall, CollectivesBy::kRank})
      tables.push_back(CollectiveTable(subject, by));
    for (const auto by : {MemoryBy::kDevice, MemoryBy::kStep, MemoryBy::kTime})
      tables.push_back(MemoryTable(subject, by));
    tables.push_back(StepTable(subject));
    tables.push_back(StreamTable(subject));
    tables.push_back(DeviceTable(subject));
    tables.push_back(LedgerTable(*trace_));
    tables.push_back(EnvironmentTable(subject));
    tables.push_back(CapabilityTable());
    tables.push_back(OccupancyTable(*analysis::LimitsOf(9, 0), {256, 64, 0}));
    return tables;
  }

  model::testing::TraceBuilder builder_;
  const model::Trace* trace_ = nullptr;
  std::unique_ptr<analysis::Index> index_;
  analysis::Steps steps_;
};

TEST_F(TablesTest, RowsFitTheirColumns) {
  std::set<std::string> schemas;
  for (const Table& table : All()) {
    SCOPED_TRACE(table.name);
    EXPECT_TRUE(schemas.insert(table.schema()).second);
    EXPECT_FALSE(table.title.empty());
    std::set<std::string> names;
    for (const Column& column : table.columns) {
      EXPECT_TRUE(names.insert(column.name).second) << column.name;
      // A unit that a name tells and its kind must agree.
      if (column.name.ends_with("_ns")) {
        EXPECT_EQ(UnitName(column.kind), "ns") << column.name;
      }
      if (column.name.ends_with("_pct")) {
        EXPECT_EQ(UnitName(column.kind), "%") << column.name;
      }
      if (column.name.ends_with("_bytes")) {
        EXPECT_EQ(UnitName(column.kind), "bytes") << column.name;
      }
    }
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  }
}

TEST_F(TablesTest, TablesHoldWhatWasRecorded) {
  const Subject subject{*index_, steps_, {}, {}, 0};
  const Table kernels = KernelTable(subject, KernelsBy::kName);
  ASSERT_EQ(kernels.rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(kernels.rows[0][0]), "void mul_kernel<float>(float*)");
  EXPECT_EQ(std::get<int64_t>(kernels.rows[0][2]), 6);
  EXPECT_EQ(std::get<int64_t>(kernels.rows[0][3]), 1'200'000);
  EXPECT_FALSE(LaunchTable(subject, LaunchesBy::kKernel).rows.empty());
  EXPECT_FALSE(CopyTable(subject, CopiesBy::kCaller).rows.empty());
  EXPECT_FALSE(MemoryTable(subject, MemoryBy::kTime).rows.empty());
  EXPECT_FALSE(SyncTable(subject, SyncsBy::kCaller).rows.empty());
  EXPECT_EQ(StepTable(subject).rows.size(), 6U);
}

// Warps that are ready and stand behind another one wait for nothing.
TEST_F(TablesTest, TheTopStallIsAWait) {
  const auto all = [](std::string_view) { return true; };
  const Table table = CountersTable(Subject{*index_, steps_, {}, {}, 0}, CountersBy::kKernel, {all, all});
  const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                   [](const Column& each) { return each.name == "top_stall"; });
  ASSERT_NE(column, table.columns.end());
  const auto& cell = table.rows.at(0)[static_cast<size_t>(column - table.columns.begin())];
  EXPECT_EQ(std::get<std::string>(cell), "wait");
}

TEST_F(TablesTest, SameInputSameTables) {
  const auto first = All(), second = All();
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].rows, second[i].rows) << first[i].name;
}

}  // namespace
}  // namespace warpscope::view

// Exact counters: chosen launches are measured by the fake range profiler and read back as profiles.
#include <stdlib.h>

#include <fstream>
#include <map>

#include "capture_fixture.h"
#include "wire/counter_plan.h"

namespace warpscope {
namespace {

using model::LedgerCode;

class ExactCounters : public Capture {
 protected:
  void SetUp() override {
    Capture::SetUp();
    ::unsetenv("FAKE_COUNTERS");
  }
  void TearDown() override {
    ::unsetenv("FAKE_COUNTERS");
    ::unsetenv("FAKE_SUBSCRIBED");
    Capture::TearDown();
  }

  // A plan with `lines` and a few metrics that the fake knows.
  void Plan(const std::string& lines) {
    std::ofstream(folder_ / wire::kCounterPlanName) << "mode exact\nmetric gpu__time_duration.sum\n"
                                                       "metric smsp__inst_executed.sum\nmetric fake__runs.sum\n"
                                                    << lines;
  }
  void RemoveStreams() {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".capture") fs::remove(entry.path());
    }
  }
  // Measured launches of each kernel.
  std::map<std::string, int> Profiles(const model::Trace& trace) {
    std::map<std::string, int> names;
    for (const auto& profile : trace.kernel_profiles) ++names[std::string(trace.Text(profile.name))];
    return names;
  }
  std::optional<double> Value(const model::Trace& trace, size_t profile, std::string_view metric) {
    const model::KernelProfile& row = trace.kernel_profiles.at(profile);
    for (uint32_t at = row.metric_begin; at < row.metric_end; ++at) {
      if (trace.Text(trace.metrics[at].name) != metric) continue;
      if (const auto* count = std::get_if<uint64_t>(&trace.metrics[at].value)) return static_cast<double>(*count);
      return std::get<double>(trace.metrics[at].value);
    }
    return std::nullopt;
  }
  std::string Told(const model::Trace& trace) {
    std::string all;
    for (const auto& entry : trace.ledger.Entries()) all += entry.message + "\n";
    return all;
  }
};

TEST_F(ExactCounters, MeasuresEveryLaunchWithItsGeometry) {
  Plan("");
  EXPECT_EQ(Record("counters", 2).exit_code, 0);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.kernel_profiles.size(), 4u) << Told(trace);
  const model::KernelProfile& odd = trace.kernel_profiles[3];
  EXPECT_EQ(trace.Text(odd.name), "odd(float*, int)");
  EXPECT_EQ(trace.Text(odd.mangled_name), "_Z3oddPfi");
  EXPECT_EQ(odd.id, 3u);
  EXPECT_EQ(odd.dur_ns, 21000);
  EXPECT_EQ(odd.stream, 7);
  const model::LaunchConfig& config = trace.launch_configs[odd.config];
  EXPECT_EQ(config.grid[0], 21u);
  EXPECT_EQ(config.block[0], 128u);
  EXPECT_EQ(config.shared_bytes, 512u);
  EXPECT_EQ(Value(trace, 3, "smsp__inst_executed.sum"), 32.0 * 21);
  EXPECT_EQ(Value(trace, 3, "fake__runs.sum"), 2) << "three metrics take two passes";
  EXPECT_EQ(Value(trace, 3, "profiler__replayer_passes"), 2);
  EXPECT_EQ(Value(trace, 3, "launch__grid_size"), 21);
  EXPECT_EQ(trace.gpu.size(), 0u) << "nothing is traced";
}

TEST_F(ExactCounters, SkipsCountsAndFiltersByName) {
  Plan("kernel ^_Z3odd\nskip 1\ncount 2\n");
  Record("counters", 5);
  const model::Trace trace = Load();
  EXPECT_EQ(Profiles(trace), (std::map<std::string, int>{{"odd(float*, int)", 2}}));
  EXPECT_EQ(Value(trace, 0, "launch__grid_size"), 21);
}

TEST_F(ExactCounters, MeasuresSoManyOfANameAndGeometry) {
  Plan("per-name 1\n");
  Record("counters", 4);
  EXPECT_EQ(Profiles(Load()), (std::map<std::string, int>{{"even(float*)", 1}, {"odd(float*, int)", 4}}));
}

TEST_F(ExactCounters, TakesDemangledNames) {
  Plan("name odd(float*, int)\n");
  Record("counters", 2);
  EXPECT_EQ(Profiles(Load()), (std::map<std::string, int>{{"odd(float*, int)", 2}}));
}

TEST_F(ExactCounters, LeavesOutWhatTheChipDoesNotKnowAndWhatGoesWithNoOther) {
  Plan("metric no__such.sum\nmetric fake__alone.sum\nmetric smsp__sass_fake.sum\nmetric fake__absent.sum\n");
  Record("counters", 1);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.kernel_profiles.size(), 2u) << Told(trace);
  EXPECT_EQ(Value(trace, 0, "gpu__time_duration.sum"), 10000);
  EXPECT_FALSE(Value(trace, 0, "fake__alone.sum"));
  EXPECT_FALSE(Value(trace, 0, "smsp__sass_fake.sum"));
  EXPECT_FALSE(Value(trace, 0, "fake__absent.sum")) << "a value that is none is absent, not 0";
  EXPECT_NE(Told(trace).find("no__such.sum"), std::string::npos) << Told(trace);
}

TEST_F(ExactCounters, AMetricThatGoesWithNoOtherIsMeasuredAlone) {
  std::ofstream(folder_ / wire::kCounterPlanName) << "mode exact\nmetric fake__alone.sum\n";
  Record("counters", 1);
  EXPECT_EQ(Value(Load(), 1, "fake__alone.sum"), 7);
}

TEST_F(ExactCounters, NoPermissionIsToldWithTheFixAndTheProgramRuns) {
  ::setenv("FAKE_COUNTERS", "refused", 1);
  Plan("");
  EXPECT_EQ(Record("counters", 3).exit_code, 0);
  const model::Trace trace = Load();
  EXPECT_TRUE(trace.kernel_profiles.empty());
  EXPECT_NE(Told(trace).find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << Told(trace);
}

TEST_F(ExactCounters, AnotherProfilerIsTold) {
  ::setenv("FAKE_SUBSCRIBED", "1", 1);
  Plan("");
  EXPECT_EQ(Record("counters", 3).exit_code, 0);
  EXPECT_NE(Told(Load()).find("another profiler"), std::string::npos);
}

TEST_F(ExactCounters, ALaunchThatCannotBeMeasuredIsNamed) {
  ::setenv("FAKE_COUNTERS", "held", 1);
  Plan("");
  EXPECT_EQ(Record("counters", 3).exit_code, 0);
  const model::Trace trace = Load();
  EXPECT_TRUE(trace.kernel_profiles.empty());
  EXPECT_NE(Told(trace).find("_Z"), std::string::npos) << Told(trace);
}

TEST_F(ExactCounters, ALaunchThatFailsIsTheProgramsAffair) {
  Plan("");
  EXPECT_EQ(Record("counters_failing", 1).exit_code, 0);
  const model::Trace trace = Load();
  EXPECT_EQ(Profiles(trace), (std::map<std::string, int>{{"good", 1}}));
  EXPECT_NE(Told(trace).find("failing"), std::string::npos) << Told(trace);
}

TEST_F(ExactCounters, ThreadsAreMeasuredOneAtATime) {
  Plan("");
  EXPECT_EQ(Record("counters_threads", 50).exit_code, 0);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.kernel_profiles.size(), 200u) << Told(trace);
  for (size_t i = 0; i < trace.kernel_profiles.size(); ++i) {
    const std::string_view name = trace.Text(trace.kernel_profiles[i].name);
    EXPECT_EQ(Value(trace, i, "gpu__time_duration.sum"), 1000.0 * (10 + name.back() - '0'))
        << "no launch of another thread was counted with " << name;
  }
}

TEST_F(ExactCounters, LaunchesOfOtherThreadsWaitForAMeasuredOne) {
  Plan("kernel kernel_2\n");
  EXPECT_EQ(Record("counters_threads", 200).exit_code, 0);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.kernel_profiles.size(), 200u);
  for (size_t i = 0; i < trace.kernel_profiles.size(); ++i) EXPECT_EQ(trace.kernel_profiles[i].dur_ns, 12000);
}

TEST_F(ExactCounters, EachContextHasItsProfiler) {
  Plan("");
  EXPECT_EQ(Record("counters_contexts", 2).exit_code, 0);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.kernel_profiles.size(), 4u) << Told(trace);
  EXPECT_EQ(trace.devices[trace.kernel_profiles[0].device].id, 0);
  EXPECT_EQ(trace.devices[trace.kernel_profiles[1].device].id, 1);
  EXPECT_EQ(trace.kernel_profiles[1].context, 2);
  EXPECT_EQ(trace.kernel_profiles[1].dur_ns, 20000);
}

TEST_F(ExactCounters, AForkedChildRunsUntouched) {
  Plan("");
  EXPECT_EQ(Record("counters_fork", 2).exit_code, 0);
  EXPECT_EQ(Profiles(Load()), (std::map<std::string, int>{{"parent", 3}}));
}

// As `warpscope counters --replay application` does it: two passes, so each of the four launches has its turn.
TEST_F(ExactCounters, AnApplicationReplayRunsTheProgramForEachPassOfEachLaunch) {
  for (int turn = 0; turn < 4; ++turn) {
    for (int pass = 0; pass < 2; ++pass) {
      RemoveStreams();
      Plan("replay application\npass " + std::to_string(pass) + "\nturn " + std::to_string(turn) + "\n");
      EXPECT_EQ(Record("counters", 2).exit_code, 0);
      const model::Trace trace = Load();
      ASSERT_EQ(trace.kernel_profiles.size(), pass == 0 ? 0u : 1u) << Told(trace);
      if (pass == 0) continue;
      EXPECT_EQ(Value(trace, 0, "fake__runs.sum"), 1) << "nothing runs twice within a run";
    }
  }
  EXPECT_EQ(Load().kernel_profiles[0].dur_ns, 21000) << "the fourth launch";
  const auto told = [&](const char* name) {
    std::ifstream file(folder_ / wire::kCounterImagesFolder / name);
    int number = 0;
    file >> number;
    return number;
  };
  EXPECT_EQ(told("passes"), 2);
  EXPECT_EQ(told("launches"), 4);
}

// CUPTI leaves a graph out that is launched while it replays a kernel.
TEST_F(ExactCounters, AGraphIsNamedAndRunsUnmeasured) {
  Plan("");
  EXPECT_EQ(Record("counters_graph", 2).exit_code, 0);
  const model::Trace trace = Load();
  EXPECT_EQ(Profiles(trace), (std::map<std::string, int>{{"first", 1}}));
  EXPECT_NE(Told(trace).find("--replay application"), std::string::npos) << Told(trace);
}

TEST_F(ExactCounters, AnApplicationReplayMeasuresAGraphAsOne) {
  for (int pass = 0; pass < 2; ++pass) {
    RemoveStreams();
    Plan("replay application\nkernel graph\npass " + std::to_string(pass) + "\nturn 0\n");
    EXPECT_EQ(Record("counters_graph", 2).exit_code, 0);
  }
  const model::Trace trace = Load();
  EXPECT_EQ(Profiles(trace), (std::map<std::string, int>{{"(CUDA graph)", 1}}));
  EXPECT_EQ(Value(trace, 0, "fake__runs.sum"), 1);
  EXPECT_EQ(trace.kernel_profiles[0].dur_ns, 60000) << "six kernels of ten blocks";
  EXPECT_FALSE(Value(trace, 0, "launch__grid_dim_x")) << "a graph has no geometry";
}

TEST_F(ExactCounters, AnApplicationReplayRefusesLaunchesThatDiffer) {
  std::map<std::string, int> measured;
  std::string said;
  for (const char* turn : {"0", "1"}) {
    ::unsetenv("VARIES");
    Plan(std::string("replay application\npass 0\nturn ") + turn + "\n");
    Record("counters_varying", 1);
    RemoveStreams();
    Plan(std::string("replay application\npass 1\nturn ") + turn + "\n");
    ::setenv("VARIES", "1", 1);
    Record("counters_varying", 1);
    const model::Trace trace = Load();
    for (const auto& [name, count] : Profiles(trace)) measured[name] += count;
    said += Told(trace);
    RemoveStreams();
  }
  ::unsetenv("VARIES");
  EXPECT_EQ(measured, (std::map<std::string, int>{{"same", 1}}));
  EXPECT_NE(said.find("launches the same in every run"), std::string::npos) << said;
}

TEST_F(ExactCounters, AnExpressionThatIsNoneIsTold) {
  Plan("kernel (\n");
  EXPECT_EQ(Record("counters", 2).exit_code, 0);
  EXPECT_NE(Told(Load()).find("no regular expression"), std::string::npos);
}

}  // namespace
}  // namespace warpscope

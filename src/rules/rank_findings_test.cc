#include "rules/rank_findings.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/testing/trace_builder.h"
#include "rules/rule.h"
#include "rules/testing/loop.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::testing::TraceBuilder;

TEST(CoverRatio, CountsTheSharedPartOfHostTime) {
  TraceBuilder builder;
  const uint32_t thread = builder.ThreadRow(1);
  builder.AddOp("aten::mul", 0, 1000);
  const model::Trace& trace = builder.Finish();
  WhatIf outer;
  outer.ScaleHost(thread, 0, 600, 0.0);
  WhatIf inner;
  inner.OffloadHost(thread, 400, 800);
  EXPECT_DOUBLE_EQ(CoverRatio(trace, outer, inner), 0.5);  // [400, 600) of [400, 800)
  EXPECT_DOUBLE_EQ(CoverRatio(trace, inner, outer), 1.0 / 3);
}

TEST(CoverRatio, DifferentThreadsShareNothing) {
  TraceBuilder builder;
  builder.AddOp("aten::mul", 0, 1000);
  const uint32_t one = builder.ThreadRow(1);
  const uint32_t two = builder.ThreadRow(2);
  WhatIf outer;
  outer.ScaleHost(one, 0, 600, 0.0);
  WhatIf inner;
  inner.ScaleHost(two, 0, 600, 0.0);
  EXPECT_DOUBLE_EQ(CoverRatio(builder.Finish(), outer, inner), 0.0);
}

TEST(CoverRatio, NothingTouchedIsNothingCovered) {
  TraceBuilder builder;
  builder.AddOp("aten::mul", 0, 1000);
  EXPECT_DOUBLE_EQ(CoverRatio(builder.Finish(), WhatIf{}, WhatIf{}), 0.0);
}

// A loop that sleeps, launches and then waits for the device.
struct SleepingLoop {
  SleepingLoop() {
    loop.Steps(8, [&](int) {
      sleeps.push_back({loop.now, loop.now + 10 * testing::kMs});
      loop.Work(10 * testing::kMs).Kernels(20, 400 * testing::kUs).Sync("cudaDeviceSynchronize");
    });
    index = std::make_unique<analysis::Index>(loop.builder.Finish());
    context = Context::Build(*index, index->ranks().front(), {});
  }

  // A finding of a rule's id about a change, priced by the replay.
  Candidate Of(std::string_view rule, WhatIf change, Confidence confidence = Confidence::kHigh) const {
    Finding finding;
    finding.id = rule;
    finding.confidence = confidence;
    finding.predicted = context->Predict(change, analysis::Side::kHost);
    finding.change = std::move(change);
    return {FindRule(rule), std::move(finding)};
  }
  WhatIf NoSleep() const {
    WhatIf change;
    for (const analysis::Interval& sleep : sleeps)
      change.ScaleHost(context->gaps.front().thread, sleep.begin_ns, sleep.end_ns, 0.0);
    return change;
  }
  WhatIf NoWait() const {
    WhatIf change;
    for (uint32_t row = 0; row < context->trace.host.size(); ++row) {
      if (context->trace.HostName(row) == "cudaDeviceSynchronize") change.DropWait(row);
    }
    return change;
  }
  WhatIf Kernels(double ratio) const {
    WhatIf change;
    for (const uint32_t row : context->gpu_rows) {
      change.SetGpuDuration(row, static_cast<int64_t>(ratio * static_cast<double>(context->trace.gpu.dur_ns[row])));
    }
    return change;
  }

  testing::Loop loop;
  std::vector<analysis::Interval> sleeps;
  std::unique_ptr<analysis::Index> index;
  std::unique_ptr<Context> context;
};

// Without the wait the sleep would run beside the kernels. Without the sleep the wait costs next to nothing.
TEST(RankFindings, WhatCostsNothingWithoutItsCauseIsASymptom) {
  const SleepingLoop program;
  const Candidate wait = program.Of("host_sync", program.NoWait());
  ASSERT_GT(wait.finding.predicted->gain_pct, 25);
  const auto findings = RankFindings(*program.context, {wait, program.Of("host_wait", program.NoSleep())});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "host_wait");
  EXPECT_EQ(findings[1].caused_by, "host_wait");
}

TEST(RankFindings, LargerGainFirstAndTheSurerOneOfEqualGains) {
  const SleepingLoop program;
  const WhatIf half = program.Kernels(0.5), fifth = program.Kernels(0.8);
  const auto by_gain = RankFindings(*program.context, {program.Of("gemm_misaligned", fifth, Confidence::kHigh),
                                                       program.Of("host_wait", program.NoSleep(), Confidence::kLow)});
  EXPECT_EQ(by_gain[0].id, "host_wait");
  const auto by_confidence =
      RankFindings(*program.context, {program.Of("fp64_promotion", half, Confidence::kLow),
                                      program.Of("layout_transform", half, Confidence::kMedium)});
  EXPECT_EQ(by_confidence[0].id, "layout_transform");
}

// The same where the host's work has a general rule: the wait is its symptom and takes nothing away from its worth.
TEST(RankFindings, AGeneralCauseStandsBeforeWhatHangsOnIt) {
  const SleepingLoop program;
  const auto findings =
      RankFindings(*program.context, {program.Of("host_sync", program.NoWait()),
                                      program.Of("cpu_bound_host", program.NoSleep(), Confidence::kMedium)});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "cpu_bound_host");
  EXPECT_EQ(findings[1].caused_by, "cpu_bound_host");
}

TEST(RankFindings, AGeneralCauseThatNamesAPlaceIsRankedByItsGain) {
  const SleepingLoop program;
  const auto of = [&](bool upper_bound) {
    Candidate cause = program.Of("cpu_bound_host", program.NoSleep());
    cause.finding.upper_bound = upper_bound;
    return RankFindings(*program.context, {program.Of("layout_transform", program.Kernels(0.3)), cause});
  };
  EXPECT_EQ(of(false).front().id, "cpu_bound_host");
  EXPECT_EQ(of(true).front().id, "layout_transform");  // it may bring nothing
}

// A captured graph brings far more than one pause of the host, which does not outweigh it.
TEST(RankFindings, AGeneralCauseDoesNotOutrankALargerResidualOne) {
  const SleepingLoop program;
  WhatIf all = program.NoSleep(), part;
  all.Add(program.Kernels(0.6));
  for (size_t i = 0; i < program.sleeps.size(); ++i) {
    const analysis::Interval& sleep = program.sleeps[i];
    part.ScaleHost(program.context->gaps.front().thread, sleep.begin_ns, sleep.end_ns, 0.6);
  }
  const auto findings =
      RankFindings(*program.context, {program.Of("layout_transform", program.Kernels(0.95)),
                                      program.Of("cpu_bound_host", part), program.Of("launch_bound", all)});
  EXPECT_EQ(findings[0].id, "launch_bound");
}

// A general remedy stands below a smaller gain only with the reason: what it brings once that is fixed.
TEST(RankFindings, WhatStandsBelowASmallerGainSaysWhatIsLeft) {
  const SleepingLoop program;
  const auto findings = RankFindings(*program.context, {program.Of("layout_transform", program.Kernels(0.3)),
                                                        program.Of("launch_bound", program.NoSleep())});
  ASSERT_EQ(findings.size(), 2U);
  ASSERT_EQ(findings[0].id, "layout_transform");
  ASSERT_GT(findings[1].predicted->gain_pct, findings[0].predicted->gain_pct);
  ASSERT_FALSE(findings[1].evidence.empty());
  EXPECT_NE(findings[1].evidence.back().text.find(" fixed, it brings a step from"), std::string::npos);
  EXPECT_TRUE(findings[0].evidence.empty());
}

// 10 ms of the host before 8 ms of kernels: the host's work is the larger part, however short the kernels become.
TEST(RankFindings, AGeneralCauseLeadsWhereItBringsMoreBeyondTheSpecificOne) {
  const SleepingLoop program;
  const auto first = [&](double kernels) {
    return RankFindings(*program.context, {program.Of("layout_transform", program.Kernels(kernels)),
                                           program.Of("cpu_bound_host", program.NoSleep())})[0]
        .id;
  };
  EXPECT_EQ(first(0.3), "cpu_bound_host");
  // Without the wait the kernels run beside the sleep: making them shorter then brings nothing.
  const auto findings = RankFindings(*program.context, {program.Of("layout_transform", program.NoWait()),
                                                        program.Of("cpu_bound_host", program.Kernels(0.5))});
  EXPECT_EQ(findings[0].id, "layout_transform");
}

}  // namespace
}  // namespace warpscope::rules

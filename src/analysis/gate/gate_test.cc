// The gate's answers on traces of known change.
#include "analysis/gate/gate.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

// Runs of a loop of 10 kernels; `slower` changes the first one's time, `stall` adds to some steps.
class Program {
 public:
  double slower = 1;
  int stall_every = 0;
  int steps = 20;
  std::string device = "GPU A";
  std::string prefix = "kernel_";
  int64_t wait_ns = 25'000;  // idle between steps
  int tiny = 0;              // kernels of about 0.4 us a step, besides
  double tiny_slower = 1;
  std::vector<std::pair<std::string, double>> readings;
  double all = 1;

  RunSide Run(unsigned seed, Words* words) const {
    TraceBuilder b;
    b.device().name = device;
    unsigned state = seed;
    int64_t now = 1'000'000;
    for (int step = 0; step < steps; ++step) {
      const int64_t begin = now;
      for (int k = 0; k < 10; ++k) {
        state = state * 1664525u + 1013904223u;
        const double noise = 1 + 0.04 * (static_cast<double>(state >> 8) / (1u << 24) - 0.5);
        const auto ns = static_cast<int64_t>(100'000 * noise * all * (k == 0 ? slower : 1));
        b.Launch(prefix + std::to_string(k), begin + k * 2'000, 1'500, now + 20'000, ns);
        now += ns;
      }
      for (int k = 0; k < tiny; ++k) {
        const auto ns = static_cast<int64_t>((300 + 10 * k) * tiny_slower);
        b.Launch("elementwise_kernel<Tiny" + std::string(static_cast<size_t>(k + 1), 'x') + ">", begin + k * 2'000,
                 1'500, now + 20'000, ns);
        now += ns;
      }
      now += wait_ns;
      if (stall_every > 0 && step % stall_every == 0) now += 500'000;
      b.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, now - begin);
    }
    const Index index(b.Finish());
    RunSide side = RunSideOf(index, index.default_domain(), words);
    for (const auto& [name, value] : readings) side.facts.push_back({"device", name, std::to_string(value), true});
    return side;
  }
};

class Gate : public testing::Test {
 protected:
  GateResult Judged(const Program& before, size_t base_runs, const Program& after, size_t next_runs,
                    const GateOptions& options = {}) {
    std::vector<const RunSide*> base, next;
    for (size_t i = 0; i < base_runs; ++i)
      base.push_back(&sides_.emplace_back(before.Run(static_cast<unsigned>(i + 1), &words_)));
    for (size_t i = 0; i < next_runs; ++i)
      next.push_back(&sides_.emplace_back(after.Run(static_cast<unsigned>(i + 100), &words_)));
    return Judge(base, next, words_, options);
  }
  Words words_;
  std::deque<RunSide> sides_;
};

TEST_F(Gate, TheSameProgramPasses) {
  const GateResult result = Judged({}, 3, {}, 2);
  EXPECT_EQ(result.outcome, GateOutcome::kPass);
  EXPECT_EQ(result.reason, GateReason::kWithinLimit);
  EXPECT_TRUE(result.kernels.slower.empty());
  EXPECT_TRUE(result.environment.empty());
  EXPECT_EQ(result.base_ms.size(), 3u);
}

TEST_F(Gate, ASlowerStepIsARegressionAndItsKernelIsNamed) {
  Program slow;
  slow.slower = 1.5;  // 5 % of the step
  const GateResult result = Judged({}, 3, slow, 2);
  EXPECT_EQ(result.outcome, GateOutcome::kRegression);
  EXPECT_EQ(result.reason, GateReason::kSlowerStep);
  EXPECT_NEAR(result.step->diff_pct, 4.9, 0.5);
  ASSERT_EQ(result.kernels.slower.size(), 1u);
  EXPECT_EQ(result.kernels.slower[0].kernel, "kernel_0");
  EXPECT_NEAR(result.kernels.slower[0].diff_pct, 50, 3);
  ASSERT_TRUE(result.diff);
  EXPECT_EQ(result.diff->causes.front().kind, CauseKind::kKernelSpeed);
}

TEST_F(Gate, OneRunASideIsJudgedToo) {
  Program slow;
  slow.slower = 1.5;
  EXPECT_EQ(Judged({}, 1, {}, 1).outcome, GateOutcome::kPass);
  EXPECT_EQ(Judged({}, 1, slow, 1).outcome, GateOutcome::kRegression);
}

TEST_F(Gate, WithinTheLimitPassesAndTheKernelIsTold) {
  Program little;
  little.slower = 1.12;  // 1.2 % of the step
  const GateResult result = Judged({}, 3, little, 3);
  EXPECT_EQ(result.outcome, GateOutcome::kPass);
  ASSERT_EQ(result.kernels.slower.size(), 1u);
  GateOptions options;
  options.fail_on_kernels = true;
  const GateResult failed = Judged({}, 3, little, 3, options);
  EXPECT_EQ(failed.outcome, GateOutcome::kRegression);
  EXPECT_EQ(failed.reason, GateReason::kSlowerKernel);
}

TEST_F(Gate, SlowStepsAreSeenThoughTheMiddleStays) {
  Program stalls;
  stalls.steps = 40, stalls.stall_every = 4;
  Program usual;
  usual.steps = 40;
  const GateResult result = Judged(usual, 3, stalls, 2);
  EXPECT_EQ(result.outcome, GateOutcome::kRegression);
  EXPECT_EQ(result.reason, GateReason::kSlowSteps);
}

TEST_F(Gate, FasterPasses) {
  Program fast;
  fast.slower = 0.2;
  const GateResult result = Judged({}, 2, fast, 2);
  EXPECT_EQ(result.outcome, GateOutcome::kPass);
  EXPECT_EQ(result.reason, GateReason::kFaster);
}

TEST_F(Gate, AnotherDeviceIsNotComparable) {
  Program other;
  other.device = "GPU B";
  const GateResult result = Judged({}, 2, other, 2);
  EXPECT_EQ(result.outcome, GateOutcome::kNotComparable);
  EXPECT_EQ(result.reason, GateReason::kOtherDevice);
  GateOptions options;
  options.force = true;
  EXPECT_EQ(Judged({}, 2, other, 2, options).outcome, GateOutcome::kPass);
}

TEST_F(Gate, LowerClocksExplainASlowerStep) {
  Program usual, slow;
  usual.readings = {{"clock_sm", 1980}};
  slow.readings = {{"clock_sm", 1860}};
  slow.all = 1.06;
  const GateResult result = Judged(usual, 2, slow, 2);
  EXPECT_EQ(result.outcome, GateOutcome::kInconclusive);
  EXPECT_EQ(result.reason, GateReason::kClocks);
  ASSERT_FALSE(result.environment.empty());
  slow.all = 1.2;  // more than the clocks explain
  EXPECT_EQ(Judged(usual, 2, slow, 2).outcome, GateOutcome::kRegression);
}

TEST_F(Gate, SettingsThatDifferAmongRepeatsAreNamed) {
  Program other;
  other.readings = {{"driver_version", 570}};
  std::vector<const RunSide*> base, next;
  Program first;
  first.readings = {{"driver_version", 580}};
  base.push_back(&sides_.emplace_back(first.Run(1, &words_)));
  base.push_back(&sides_.emplace_back(other.Run(2, &words_)));
  next.push_back(&sides_.emplace_back(first.Run(3, &words_)));
  const GateResult result = Judge(base, next, words_);
  ASSERT_EQ(result.mixed.size(), 1u);
  EXPECT_EQ(result.mixed[0].name, "driver_version");
}

TEST_F(Gate, TooFewStepsAreNoAnswer) {
  Program short_run;
  short_run.steps = 2;
  const GateResult result = Judged(short_run, 1, short_run, 1);
  EXPECT_NE(result.outcome, GateOutcome::kPass);
  EXPECT_NE(result.outcome, GateOutcome::kRegression);
}

TEST_F(Gate, AnotherProgramIsNotComparable) {
  Program other;
  other.prefix = "sgemm_", other.wait_ns = 3'000'000;
  const GateResult result = Judged({}, 2, other, 1);
  EXPECT_EQ(result.outcome, GateOutcome::kNotComparable);
  ASSERT_FALSE(result.objections.empty());
  EXPECT_NE(result.objections.front().text.find("another program"), std::string::npos);
  GateOptions options;
  options.force = true;
  EXPECT_EQ(Judged({}, 2, other, 1, options).outcome, GateOutcome::kRegression);
}

TEST_F(Gate, OtherKernelsOfTheSameKindsAreTheSameProgram) {
  Program before, after;
  before.prefix = "sgemm_float_", after.prefix = "bf16_gemm_bf16_";
  after.slower = 1.5;
  EXPECT_EQ(Judged(before, 2, after, 2).outcome, GateOutcome::kRegression);
}

// What is small hangs on a run's own kernels: a long wait moves none of them into the pool.
TEST_F(Gate, KernelsArePooledAlikeThoughOneSideWaitsLong) {
  Program usual, waits;
  usual.tiny = waits.tiny = 20;
  waits.wait_ns = 60'000'000;
  RunSide base = usual.Run(1, &words_);
  const size_t kernels = base.parts.works.size();
  Thin({.tail_ratio = 0.005, .most_works = 0}, &base, &words_);
  ASSERT_LT(base.parts.works.size(), kernels);
  RunSide whole = waits.Run(2, &words_), thinned = waits.Run(2, &words_);
  Thin({.tail_ratio = 0.005, .most_works = 0}, &thinned, &words_);
  ASSERT_EQ(thinned.parts.works.size(), base.parts.works.size());
  for (const RunSide* next : {&whole, &thinned}) {
    const GateResult result = Judge({&base}, {next}, words_);
    EXPECT_EQ(result.outcome, GateOutcome::kRegression);
    EXPECT_TRUE(result.kernels.slower.empty()) << result.kernels.slower.front().kernel;
    EXPECT_TRUE(result.kernels.faster.empty()) << result.kernels.faster.front().kernel;
    const Diff diff = Compare(base, *next, words_, {});
    EXPECT_NEAR(*diff.paired_a_pct, 100, 1e-6);
    EXPECT_NEAR(*diff.paired_b_pct, 100, 1e-6);
  }
}

TEST_F(Gate, APoolThatBecameSlowerIsStillSeen) {
  Program usual, slow;
  usual.tiny = slow.tiny = 20;
  slow.tiny_slower = 1.8;
  RunSide base = usual.Run(1, &words_);
  Thin({.tail_ratio = 0.01, .most_works = 0}, &base, &words_);
  const RunSide next = slow.Run(2, &words_);
  GateOptions options;
  options.kernel_min_effect_pct = 0.2;
  const GateResult result = Judge({&base}, {&next}, words_, options);
  ASSERT_EQ(result.kernels.slower.size(), 1u);
  EXPECT_NEAR(result.kernels.slower[0].diff_pct, 80, 2);
}

TEST(Thin, PartsStillAddUpAndTotalsStay) {
  Words words;
  Program program;
  program.steps = 60;
  RunSide side = program.Run(1, &words);
  const uint64_t kernels = side.parts.kernels;
  const uint32_t totals_of = side.parts.totals_of;
  Thin({.most_steps = 8, .tail_ratio = 0.25, .most_works = 0}, &side, &words);
  EXPECT_EQ(side.parts.counted, 8u);
  EXPECT_EQ(side.parts.totals_of, totals_of);
  EXPECT_EQ(side.parts.kernels, kernels);
  EXPECT_LT(side.parts.works.size(), 10u);
  for (size_t step = 0; step < 8; ++step) {
    int64_t sum = side.parts.rest_ns[step];
    for (const Work& work : side.parts.works) sum += work.step_ns[step];
    for (const IdleWork& idle : side.parts.idles) sum += idle.step_ns[step];
    EXPECT_EQ(sum, side.parts.length_ns[step]);
  }
}

}  // namespace
}  // namespace warpscope::analysis

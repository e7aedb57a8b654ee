#include "rules/engine.h"
#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "exposed_communication";
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

TEST(ExposedCommunication, Fires) {
  TraceBuilder b;
  DeviceProgram().Filler(500).Add(2, {.op = "c10d::allreduce_", .kernel = kAllReduce, .us = 200}).Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 22, 3);  // half of the transfer
  EXPECT_LE(outcome.findings[0].predicted->low_pct, 1);         // one rank: the others may be late
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
}

TEST(ExposedCommunication, StaysSilent) {
  {  // none
    TraceBuilder b;
    DeviceProgram().Filler(500).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // hardly any
    TraceBuilder b;
    DeviceProgram().Filler(5000).Add({.op = "c10d::allreduce_", .kernel = kAllReduce, .us = 20}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(ExposedCommunication, Abstains) {
  TraceBuilder b;
  DeviceProgram().Filler(500).Add({.kernel = kAllReduce, .us = 200}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

// Two ranks with 1 ms of kernels and an all-reduce a step; rank 1 computes `extra_us` longer, or its host sleeps that
// long.
void BuildRanks(TraceBuilder& b, int64_t extra_ns, bool by_compute) {
  for (int rank = 0; rank < 2; ++rank) {
    if (rank == 0) {
      b.trace().processes[0].rank = 0;
    } else {
      b.AddProcess(101, 1);
      b.UseThread(2);
    }
    const bool late = rank == 1;
    int64_t t = 1'000'000;
    for (int step = 0; step < 6; ++step, t += 2'000'000 + extra_ns) {
      const int64_t sleep = late && !by_compute ? extra_ns : 0;
      const int64_t work = 1'000'000 + (late && by_compute ? extra_ns : 0);
      const int64_t arrive = t + sleep + 20'000 + work, leave = t + 1'200'000 + extra_ns;
      b.AddAnnotation("ProfilerStep#" + std::to_string(step), t, 1'950'000 + extra_ns);
      b.AddCall("cudaEventRecord", t + 1'000, 1'000, 700'000 + static_cast<uint64_t>(step));
      b.Launch("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", t + sleep + 5'000, 5'000, t + sleep + 15'000, work);
      b.Launch(kAllReduce, t + sleep + 11'000, 5'000, arrive, leave - arrive, 20);
      b.AddCollectiveOfLastKernel("allreduce", "0", static_cast<uint64_t>(step), 1 << 20);
      b.AddCall("cudaDeviceSynchronize", t + sleep + 20'000, leave + 10'000 - (t + sleep + 20'000),
                800'000 + static_cast<uint64_t>(step));
    }
  }
}

// One rank of several waits most of each step: no gain, but the waiting and what would tell its cause are named.
TEST(ExposedCommunication, WaitingOfASingleRankIsToldWithoutAGain) {
  TraceBuilder b;
  for (int step = 0; step < 6; ++step) {
    const int64_t t = step * 8'000'000;
    b.AddAnnotation("ProfilerStep#" + std::to_string(step), t, 7'990'000);
    b.Launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", t + 5'000, 5'000, t + 15'000, 6'000'000);
    b.Launch("some_kernel", t + 20'000, 5'000, t + 6'017'000, 1'500'000);
    b.Launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", t + 30'000, 5'000, t + 7'519'000, 30'000);
    b.AddCall("cudaDeviceSynchronize", t + 40'000, 7'530'000, 900'000 + static_cast<uint64_t>(step));
  }
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_FALSE(outcome.findings[0].predicted.has_value());
  EXPECT_GT(outcome.findings[0].share_pct.value_or(0), 60);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);
  EXPECT_NE(outcome.findings[0].actions.at(0).text.find("all ranks"), std::string::npos);
}

TEST(ExposedCommunication, NamesTheRankThatComputesLonger) {
  TraceBuilder b;
  BuildRanks(b, 800'000, true);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].subject, "rank 1");
  EXPECT_NE(outcome.findings[0].title.find("its kernels take 800 us"), std::string::npos) << outcome.findings[0].title;
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kHigh);
}

TEST(ExposedCommunication, NamesTheRankThatStandsStill) {
  TraceBuilder b;
  BuildRanks(b, 800'000, false);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].subject, "rank 1");
  EXPECT_NE(outcome.findings[0].title.find("its CPU stands still"), std::string::npos) << outcome.findings[0].title;
}

// On the rank that waits, a kernel beside the waiting collective takes twice as long as the same one without. It would
// not, if nobody came late.
TEST(ExposedCommunication, GivesBackWhatWaitingTookFromKernels) {
  TraceBuilder b;
  for (int rank = 0; rank < 2; ++rank) {
    if (rank == 0) {
      b.trace().processes[0].rank = 0;
    } else {
      b.AddProcess(101, 1);
      b.UseThread(2);
    }
    const int64_t sleep = rank == 1 ? 2'400'000 : 0, beside = rank == 1 ? 500'000 : 1'000'000;
    for (int step = 0; step < 8; ++step) {
      const int64_t t = 1'000'000 + step * 3'550'000, leave = t + 3'500'000;
      b.AddAnnotation("ProfilerStep#" + std::to_string(step), t, 3'540'000);
      b.AddCall("cudaEventRecord", t + 1'000, 1'000, 700'000 + static_cast<uint64_t>(step));
      b.Launch("some_kernel", t + sleep + 5'000, 5'000, t + sleep + 15'000, 500'000);
      b.Launch(kAllReduce, t + sleep + 11'000, 5'000, t + sleep + 518'000, leave - (t + sleep + 518'000), 20);
      b.AddCollectiveOfLastKernel("allreduce", "0", static_cast<uint64_t>(step), 1 << 20);
      b.Launch("some_kernel", t + sleep + 17'000, 5'000, t + sleep + 520'000, beside);
      b.AddCall("cudaDeviceSynchronize", t + sleep + 25'000, leave + 10'000 - (t + sleep + 25'000),
                800'000 + static_cast<uint64_t>(step));
    }
  }
  const Outcome outcome = Evaluate(kId, b);  // of the first rank
  ExpectFires(outcome);
  const auto& predicted = outcome.findings[0].predicted;
  ASSERT_TRUE(predicted.has_value());
  EXPECT_NEAR(predicted->step_ms_before, 3.5, 0.2);
  EXPECT_LT(predicted->step_ms_after, 1.45);  // 0.5 + 0.58 ms of transfer and a tenth of the waiting; else 1.55
}

// The straggler's own base, its finding's and the verdict's are one step.
TEST(ExposedCommunication, AllSpeakOfOneStep) {
  TraceBuilder b;
  BuildRanks(b, 800'000, false);
  auto verdict = Analyze(b.Finish());
  ASSERT_TRUE(verdict.ok());
  ASSERT_TRUE(verdict->base_step_ms.has_value());
  int predicted = 0;
  for (const Finding& finding : verdict->findings) {
    if (!finding.predicted) continue;
    ++predicted;
    EXPECT_DOUBLE_EQ(finding.predicted->step_ms_before, *verdict->base_step_ms) << finding.id;
  }
  EXPECT_GT(predicted, 0);
}

TEST(ExposedCommunication, NamesNobodyAmongEqualRanks) {
  TraceBuilder b;
  BuildRanks(b, 0, true);
  for (const Finding& finding : Evaluate(kId, b).findings) EXPECT_EQ(finding.subject.find("rank"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::rules::testing

#include "analysis/gaps.h"

#include <gtest/gtest.h>

#include <numeric>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::kNone;
using model::testing::TraceBuilder;

int64_t Of(const GapSummary& gaps, GapCause cause) { return gaps.by_cause_ns[static_cast<size_t>(cause)]; }

void ExpectConsistent(const GapSummary& gaps) {
  EXPECT_EQ(std::accumulate(gaps.by_cause_ns.begin(), gaps.by_cause_ns.end(), int64_t{0}), gaps.idle_ns);
  int64_t subjects = 0;
  for (const GapSubject& subject : gaps.subjects) subjects += subject.total_ns;
  EXPECT_EQ(subjects, gaps.idle_ns);
  EXPECT_EQ(gaps.gap_ns + gaps.short_gap_ns, gaps.idle_ns);
  for (const Gap& gap : gaps.gaps) {
    int64_t sum = 0;
    for (const GapPart& part : gap.parts) sum += part.dur_ns;
    EXPECT_EQ(sum, gap.dur_ns());
  }
}

TEST(Gaps, AGapIsSplitByWhatTheHostDid) {
  TraceBuilder b;
  b.Launch("k1", 0, 10'000, 12'000, 100'000);  // device busy until 112,000
  b.AddAnnotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 50'000, 450'000);
  b.AddPython("data.py(3): __getitem__", 60'000, 400'000);
  b.AddOp("aten::mul", 500'000, 100'000);
  b.Launch("k2", 560'000, 10'000, 573'000, 50'000);
  const Index index(b.Finish());
  const GapSummary gaps = FindGaps(index);
  ExpectConsistent(gaps);
  ASSERT_EQ(gaps.gaps.size(), 1U);
  EXPECT_EQ(gaps.idle_ns, 573'000 - 112'000);
  EXPECT_EQ(Of(gaps, GapCause::kDataLoading), 500'000 - 112'000);
  EXPECT_EQ(Of(gaps, GapCause::kDispatch), 60'000);
  EXPECT_EQ(Of(gaps, GapCause::kLaunchCall), 10'000);
  EXPECT_EQ(Of(gaps, GapCause::kLaunchLatency), 3'000);
  EXPECT_EQ(gaps.gaps[0].cause, GapCause::kDataLoading);
  EXPECT_EQ(index.trace().Text(gaps.subjects[0].user_frame), "data.py(3): __getitem__");
}

TEST(Gaps, CausesByName) {
  struct Case {
    const char* name;
    model::HostKind kind;
    GapCause cause;
  };
  const Case cases[] = {
      {"aten::rand", model::HostKind::kOperator, GapCause::kOperator},
      {"cudaMalloc", model::HostKind::kRuntimeCall, GapCause::kAllocation},
      {"cuModuleLoadData", model::HostKind::kDriverCall, GapCause::kCompilation},
      {"cudaStreamSynchronize", model::HostKind::kRuntimeCall, GapCause::kSyncWait},
      {"torch/serialization.py(800): save", model::HostKind::kPython, GapCause::kFileIo},
      {"<built-in function collect>", model::HostKind::kPython, GapCause::kGarbageCollect},
      {"<built-in function sleep>", model::HostKind::kPython, GapCause::kHostWait},
      {"train.py(7): augment", model::HostKind::kPython, GapCause::kPython},
      {"Activity Buffer Request", model::HostKind::kOverhead, GapCause::kProfiler},
      {"torch/_dynamo/convert_frame.py(1): _compile", model::HostKind::kPython, GapCause::kCompilation},
      {"nccl:all_reduce", model::HostKind::kAnnotation, GapCause::kCommunication},
      {"my phase", model::HostKind::kAnnotation, GapCause::kUnrecorded},
  };
  for (const Case& c : cases) {
    TraceBuilder b;
    b.Launch("k1", 0, 1000, 2000, 1000);
    b.AddHost(c.kind, c.name, 3000, 300'000);
    b.Launch("k2", 303'000, 1000, 304'000, 1000);
    const GapSummary gaps = FindGaps(Index(b.Finish()));
    ExpectConsistent(gaps);
    EXPECT_EQ(Of(gaps, c.cause), 300'000) << c.name;
    ASSERT_EQ(gaps.gaps.size(), 1U);
    EXPECT_EQ(gaps.gaps[0].cause, c.cause) << c.name;
  }
}

TEST(Gaps, AnotherThreadExplainsWhatTheIssuingOneDoesNot) {
  TraceBuilder b;
  b.Launch("k1", 0, 1000, 2000, 1000);
  b.AddPython("loop.py(1): prepare", 3000, 300'000);
  b.UseThread(2);
  b.AddAutogradOp("autograd::engine::evaluate_function: X", 303'000, 5000, 1, 1);
  b.Launch("k2", 304'000, 1000, 305'000, 1000);
  const GapSummary gaps = FindGaps(Index(b.Finish()));
  ExpectConsistent(gaps);
  EXPECT_EQ(Of(gaps, GapCause::kPython), 300'000);
}

TEST(Gaps, WorkIssuedLongBeforeIsADependency) {
  TraceBuilder b;
  b.Launch("k1", 0, 1000, 2000, 1000);
  b.Launch("k2", 1000, 1000, 200'000, 1000);
  const GapSummary gaps = FindGaps(Index(b.Finish()));
  ExpectConsistent(gaps);
  EXPECT_GT(Of(gaps, GapCause::kDependency), 150'000);
}

TEST(Gaps, TheRecordersBuffersAreNotTheDevicesFault) {
  TraceBuilder b;
  b.Launch("k1", 0, 1000, 2000, 1000);
  b.Launch("k2", 4000, 1000, 2'010'000, 1000);
  b.UseThread(0).AddHost(model::HostKind::kOverhead, "Activity Buffer Request", 5000, 2'000'000);
  const GapSummary gaps = FindGaps(Index(b.Finish()));
  ExpectConsistent(gaps);
  EXPECT_EQ(Of(gaps, GapCause::kProfiler), 2'000'000);
  EXPECT_EQ(Of(gaps, GapCause::kDependency), 0);
}

TEST(Gaps, LibrarySearchInsideAConvolutionIsCompilation) {
  TraceBuilder b;
  b.Launch("k1", 0, 1000, 2000, 1000);
  b.AddOp("aten::cudnn_convolution", 3000, 20'000'000);
  b.Launch("conv", 19'900'000, 1000, 19'910'000, 1000);
  const GapSummary gaps = FindGaps(Index(b.Finish()));
  ExpectConsistent(gaps);
  EXPECT_GT(Of(gaps, GapCause::kCompilation), 19'000'000);
}

TEST(Gaps, WindowEdgesCountAndShortGapsAreNotListed) {
  TraceBuilder b;
  for (int i = 0; i < 10; ++i) b.Launch("k", i * 10'000, 2000, i * 10'000 + 3000, 2000);
  Scope scope;
  scope.window = {0, 100'000};
  const GapSummary gaps = FindGaps(Index(b.Finish()), scope);
  ExpectConsistent(gaps);
  EXPECT_EQ(gaps.idle_ns, 80'000);
  EXPECT_TRUE(gaps.gaps.empty());
  EXPECT_EQ(gaps.short_gaps, 11U);
}

TEST(Gaps, NoHostRows) {
  TraceBuilder b;
  b.AddKernel("a", 0, 10).AddKernel("b", 100'000, 10);
  const GapSummary gaps = FindGaps(Index(b.Finish()));
  ExpectConsistent(gaps);
  EXPECT_EQ(Of(gaps, GapCause::kUnrecorded), gaps.idle_ns);
}

}  // namespace
}  // namespace warpscope::analysis

#include "analysis/collectives.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::kNoId;
using model::kNone;
using model::testing::TraceBuilder;

constexpr int64_t kUs = 1000;

// Adds an all-reduce kernel on the process in use. `sequence` < 0: none recorded.
void AllReduce(TraceBuilder* b, int64_t start_ns, int64_t dur_ns, int64_t sequence, uint64_t elements = 1000,
               std::string_view group = "0", std::string_view name = "allreduce") {
  b->AddKernel("ncclDevKernel_AllReduce_Sum_f32", start_ns, dur_ns, kNoId, 20);
  b->AddCollectiveOfLastKernel(name, group, 0, elements);
  auto& recorded = b->trace().collectives.back().sequence;
  if (sequence < 0) {
    recorded.reset();
  } else {
    recorded = static_cast<uint64_t>(sequence);
  }
}

TEST(Collectives, OneRankTimeBytesAndExposure) {
  TraceBuilder b;
  b.AddKernel("gemm", 100, 100);
  AllReduce(&b, 150, 100, 1);
  AllReduce(&b, 300, 50, 2);
  const model::Trace& trace = b.Finish();
  const CollectiveSummary s = SummarizeCollectives(Index(trace));
  ASSERT_EQ(s.calls.size(), 2U);
  EXPECT_EQ(s.calls[0].exposed_ns, 50);
  EXPECT_EQ(s.calls[1].exposed_ns, 50);
  EXPECT_EQ(s.calls[0].bytes, 4000U);
  EXPECT_EQ(trace.Text(s.calls[0].name), "allreduce");
  EXPECT_EQ(trace.Text(s.calls[0].group), "0");
  ASSERT_EQ(s.rows.size(), 1U);
  const CollectiveRow& row = s.rows[0];
  EXPECT_EQ(row.count, 2U);
  EXPECT_EQ(row.total_ns, 150);
  EXPECT_EQ(row.exposed_ns, 100);
  EXPECT_EQ(row.min_ns, 50);
  EXPECT_EQ(row.max_ns, 100);
  EXPECT_DOUBLE_EQ(row.median_ns, 75);
  EXPECT_EQ(row.bytes, 8000U);
  EXPECT_DOUBLE_EQ(*row.algorithm_bandwidth_bytes_per_s, 8000 / 150e-9);
  EXPECT_FALSE(row.transfer_ns);
  EXPECT_TRUE(s.ranks.empty());
  EXPECT_TRUE(s.matched.empty());
  EXPECT_EQ(s.unmatched, 0U);
  EXPECT_FALSE(s.straggler_domain);
}

TEST(Collectives, KernelWithoutDescriptionKeepsItsName) {
  TraceBuilder b;
  b.AddKernel("ncclKernel_AllReduce_RING_LL_Sum_float", 0, 100);
  b.AddKernel("gemm", 20, 30);
  const model::Trace& trace = b.Finish();
  const CollectiveSummary s = SummarizeCollectives(Index(trace));
  ASSERT_EQ(s.calls.size(), 1U);
  EXPECT_EQ(trace.Text(s.calls[0].name), "ncclKernel_AllReduce_RING_LL_Sum_float");
  EXPECT_EQ(s.calls[0].group, model::kNoString);
  EXPECT_FALSE(s.calls[0].bytes);
  EXPECT_EQ(s.calls[0].exposed_ns, 70);
}

TEST(Collectives, DescriptionOfTheOperatorAroundTheLaunch) {
  TraceBuilder b;
  b.AddHost(model::HostKind::kOperator, "record_param_comms", 0, 100);
  b.AddAnnotation("nccl:all_reduce", 10, 80);
  b.Launch("ncclDevKernel_AllReduce", 20, 30, 200, 50);
  model::Collective row;
  row.host_row = 0;
  row.name = b.trace().strings.Intern("allreduce");
  row.dtype = b.trace().strings.Intern("BFloat16");
  row.group_name = b.trace().strings.Intern("7");
  row.in_elements = 10;
  row.out_elements = 40;
  b.trace().collectives.push_back(row);
  const model::Trace& trace = b.Finish();
  const CollectiveSummary s = SummarizeCollectives(Index(trace));
  ASSERT_EQ(s.calls.size(), 1U);
  EXPECT_EQ(trace.Text(s.calls[0].name), "allreduce");
  EXPECT_EQ(trace.Text(s.calls[0].group), "7");
  EXPECT_EQ(s.calls[0].bytes, 80U);
}

TEST(Collectives, ScopeSelectsRankDeviceAndWindow) {
  TraceBuilder b;
  AllReduce(&b, 100, 10, 1);
  AllReduce(&b, 200, 10, 2);
  b.AddProcess(200, 1);
  AllReduce(&b, 100, 10, 1);
  const Index index(b.Finish());
  Scope scope;
  scope.window = {150, 300};
  EXPECT_EQ(SummarizeCollectives(index, scope).calls.size(), 1U);
  scope.window = {};
  scope.link_domain = 0;
  const CollectiveSummary one = SummarizeCollectives(index, scope);
  EXPECT_EQ(one.calls.size(), 2U);
  EXPECT_TRUE(one.ranks.empty());
  EXPECT_EQ(one.unmatched, 0U);
  scope.link_domain.reset();
  scope.device = 5;
  EXPECT_TRUE(SummarizeCollectives(index, scope).calls.empty());
}

// Four ranks; one computes longer, so its collectives are the shortest.
TEST(Collectives, LateRankHasTheShortestCollectives) {
  TraceBuilder b;
  b.trace().processes[0].rank = 0;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    if (rank > 0) b.AddProcess(100 + rank, rank);
    for (int i = 0; i < 10; ++i) {
      AllReduce(&b, i * 10000 * kUs + 1000 * kUs * (rank == 2 ? 5 : 0) + rank, rank == 2 ? 300 * kUs : 5300 * kUs, i);
    }
  }
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  ASSERT_EQ(s.matched.size(), 10U);
  EXPECT_EQ(s.unmatched, 0U);
  EXPECT_EQ(s.matched[0].calls.size(), 4U);
  EXPECT_EQ(s.matched[0].transfer_ns, 300 * kUs);
  EXPECT_EQ(s.matched[0].skew_ns, 5000 * kUs);
  EXPECT_EQ(s.matched[0].last_domain, 2U);
  EXPECT_EQ(s.calls[s.matched[3].calls[1]].match, 3U);
  ASSERT_EQ(s.ranks.size(), 4U);
  EXPECT_EQ(s.ranks[2].last_count, 10U);
  EXPECT_EQ(s.ranks[2].waiting_ns, 0);
  EXPECT_EQ(s.ranks[2].caused_ns, 50000 * kUs);
  EXPECT_EQ(s.ranks[0].waiting_ns, 50000 * kUs);
  EXPECT_EQ(s.straggler_domain, 2U);
  EXPECT_EQ(s.rows[0].transfer_ns, 40 * 300 * kUs);
  EXPECT_EQ(s.rows[0].waiting_ns, 30 * 5000 * kUs);
}

// The window's edge lies between the two ranks' parts of one collective: it counts as a whole, and no other is
// mispaired.
TEST(Collectives, WindowKeepsWhatRanksDidTogether) {
  TraceBuilder b;
  b.trace().processes[0].rank = 0;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    if (rank > 0) b.AddProcess(100 + rank, rank);
    for (int i = 0; i < 10; ++i)
      AllReduce(&b, i * 10000 * kUs + 1000 * kUs * (rank == 1 ? 5 : 0), (rank == 1 ? 300 : 5300 + i) * kUs, -1);
  }
  const model::Trace& trace = b.Finish();
  const Index index(trace);
  Scope scope;
  scope.window = {23'000 * kUs, 82'000 * kUs};  // rank 1's third part, but not rank 0's; rank 0's ninth alone
  const CollectiveSummary s = SummarizeCollectives(index, scope);
  ASSERT_EQ(s.matched.size(), 6U);
  EXPECT_EQ(s.calls.size(), 12U);
  EXPECT_EQ(s.unmatched, 0U);
  for (uint32_t i = 0; i < s.matched.size(); ++i) {
    EXPECT_EQ(s.matched[i].skew_ns, (5000 + 3 + i) * kUs);
    for (const uint32_t call : s.matched[i].calls) EXPECT_EQ(s.calls[call].match, i);
  }
  EXPECT_EQ(s.ranks[1].last_count, 6U);
}

TEST(Collectives, TellsLateHostsFromLateDevices) {
  TraceBuilder b;
  b.trace().processes[0].rank = 0;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    if (rank > 0) b.AddProcess(100 + rank, rank);
    b.UseThread(1);
    for (int i = 0; i < 4; ++i) {
      const int64_t start_ns = (i * 10000 + (rank == 1 ? 5000 : 0)) * kUs, dur_ns = (rank == 1 ? 300 : 5300) * kUs;
      const int64_t queued_ns = (i == 0 ? 2000 : 8) * kUs;  // the first one waited for the device
      b.Launch("ncclDevKernel_AllReduce", start_ns - queued_ns, 4 * kUs, start_ns, dur_ns, 20);
      b.AddCollectiveOfLastKernel("allreduce", "0", static_cast<uint64_t>(i), 10);
    }
  }
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  ASSERT_EQ(s.ranks.size(), 2U);
  EXPECT_EQ(s.ranks[1].last_count, 4U);
  EXPECT_EQ(s.ranks[1].last_by_host_count, 3U);
  EXPECT_EQ(s.straggler_domain, 1U);
}

TEST(Collectives, EvenRanksHaveNoStraggler) {
  TraceBuilder b;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    if (rank > 0) b.AddProcess(100 + rank, rank);
    for (int i = 0; i < 10; ++i) AllReduce(&b, i * 1000 * kUs, (300 + (rank + i) % 2) * kUs, i);
  }
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  EXPECT_EQ(s.matched.size(), 10U);
  EXPECT_EQ(s.ranks[0].last_count + s.ranks[1].last_count, 0U);
  EXPECT_FALSE(s.straggler_domain);
}

TEST(Collectives, TakingTurnsIsNoStraggler) {
  TraceBuilder b;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    if (rank > 0) b.AddProcess(100 + rank, rank);
    for (int i = 0; i < 10; ++i) AllReduce(&b, i * 10000 * kUs, (rank + i) % 2 == 0 ? 300 * kUs : 2000 * kUs, i);
  }
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  EXPECT_EQ(s.ranks[0].last_count, 5U);
  EXPECT_FALSE(s.straggler_domain);
}

TEST(Collectives, SequenceNumbersMatchWhatOrderWouldNot) {
  TraceBuilder b;
  for (int i = 3; i < 8; ++i) AllReduce(&b, i * 1000, 10, i);
  b.AddProcess(200, 1);
  for (int i = 0; i < 6; ++i) AllReduce(&b, i * 1000, 10, i);
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  ASSERT_EQ(s.matched.size(), 3U);
  for (const MatchedCollective& match : s.matched) {
    EXPECT_EQ(s.calls[match.calls[0]].sequence, s.calls[match.calls[1]].sequence);
  }
  EXPECT_EQ(s.unmatched, 5U);
}

TEST(Collectives, OrderIsFoundAgainAfterAMissingCall) {
  TraceBuilder b;
  for (int i = 0; i < 30; ++i) AllReduce(&b, i * 1000, 10, -1, 100 + i % 13);
  b.AddProcess(200, 1);
  for (int i = 2; i < 30; ++i) {
    if (i != 17) AllReduce(&b, i * 1000, 10, -1, 100 + i % 13);
  }
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  EXPECT_EQ(s.matched.size(), 27U);
  EXPECT_EQ(s.unmatched, 3U);
  for (const MatchedCollective& match : s.matched) {
    EXPECT_EQ(s.calls[match.calls[0]].start_ns, s.calls[match.calls[1]].start_ns);
  }
}

TEST(Collectives, UnevenSizesMatchByOrder) {
  TraceBuilder b;
  for (int i = 0; i < 5; ++i) AllReduce(&b, i * 1000, 10, -1, 100 + i, "0", "all_to_allv");
  b.AddProcess(200, 1);
  for (int i = 0; i < 5; ++i) AllReduce(&b, i * 1000, 10, -1, 900 - i, "0", "all_to_allv");
  EXPECT_EQ(SummarizeCollectives(Index(b.Finish())).matched.size(), 5U);
}

TEST(Collectives, GroupsMatchApart) {
  TraceBuilder b;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    if (rank > 0) b.AddProcess(100 + rank, rank);
    // Other order on the other rank.
    AllReduce(&b, rank == 0 ? 0 : 1000, 10, -1, 100, "a");
    AllReduce(&b, rank == 0 ? 1000 : 0, 10, -1, 100, "b");
  }
  const model::Trace& trace = b.Finish();
  const CollectiveSummary s = SummarizeCollectives(Index(trace));
  ASSERT_EQ(s.matched.size(), 2U);
  for (const MatchedCollective& match : s.matched) {
    EXPECT_EQ(s.calls[match.calls[0]].group, s.calls[match.calls[1]].group);
  }
  EXPECT_EQ(s.rows.size(), 2U);
}

// The same rank recorded twice: the two runs must not be mixed.
TEST(Collectives, RepeatedRankNumbersAreSeparateRuns) {
  TraceBuilder b;
  b.trace().processes[0].rank = 0;
  for (uint32_t domain = 0; domain < 4; ++domain) {
    if (domain > 0) b.AddProcess(100 + domain, domain % 2);
    for (int i = 0; i < 4; ++i) AllReduce(&b, (domain < 2 ? 0 : 1000000) + i * 1000, 10 + domain, -1);
  }
  const CollectiveSummary s = SummarizeCollectives(Index(b.Finish()));
  ASSERT_EQ(s.matched.size(), 8U);
  for (const MatchedCollective& match : s.matched) {
    ASSERT_EQ(match.calls.size(), 2U);
    EXPECT_EQ(s.calls[match.calls[0]].link_domain / 2, s.calls[match.calls[1]].link_domain / 2);
  }
}

}  // namespace
}  // namespace warpscope::analysis

// exposed_communication: the device waits for other devices. Trigger: collectives that run while no compute does. One
// rank: the transfer could be hidden behind compute; what exceeds the fastest equal call is waiting for others. Several
// ranks: waiting is told from transfer, and the rank that comes last is named. Must not claim: from one rank alone,
// that the network is slow (others may be late), so the low end is no gain.
#include "analysis/collectives.h"
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::CollectiveCall;
using analysis::CollectiveSummary;
using analysis::WhatIf;
using model::kNone;

constexpr double kMinSharePct = 2;

struct Call {
  uint32_t row;
  int64_t dur_ns, exposed_ns, transfer_ns;
};

// This rank's calls in the window; transfer: of the matched ranks, else the fastest call of the same kind and size.
std::vector<Call> CallsOf(const Context& c, const CollectiveSummary& summary) {
  std::map<std::tuple<model::StringId, model::StringId, uint64_t>, int64_t> fastest;
  const auto key = [](const CollectiveCall& call) { return std::tuple(call.name, call.group, call.bytes.value_or(0)); };
  for (const CollectiveCall& call : summary.calls) {
    if (call.link_domain != c.rank.link_domain || call.gpu_row == kNone) continue;
    const auto [it, fresh] = fastest.try_emplace(key(call), call.dur_ns);
    if (!fresh) it->second = std::min(it->second, call.dur_ns);
  }
  std::vector<Call> calls;
  for (const CollectiveCall& call : summary.calls) {
    if (call.link_domain != c.rank.link_domain || call.gpu_row == kNone) continue;
    if (call.start_ns < c.begin_ns || call.start_ns >= c.end_ns) continue;
    int64_t transfer_ns = fastest[key(call)];
    if (call.match != kNone) transfer_ns = summary.matched[call.match].transfer_ns;
    calls.push_back({call.gpu_row, call.dur_ns, call.exposed_ns, std::min(transfer_ns, call.dur_ns)});
  }
  return calls;
}

// Hides `ratio` of the exposed transfer behind compute, and takes away `waiting_ratio` of the waiting.
WhatIf Change(const std::vector<Call>& calls, double ratio, double waiting_ratio) {
  WhatIf change;
  for (const Call& call : calls) {
    const int64_t waiting_ns = call.dur_ns - call.transfer_ns;
    const int64_t hidden_ns = std::min(call.transfer_ns, call.exposed_ns);
    const double ns = static_cast<double>(call.dur_ns) - ratio * static_cast<double>(hidden_ns) -
                      waiting_ratio * static_cast<double>(waiting_ns);
    change.SetGpuDuration(call.row, std::max<int64_t>(static_cast<int64_t>(ns), 0));
  }
  return change;
}

std::string RankName(const Context& c, uint32_t domain) {
  const analysis::Rank* rank = c.index.FindRank(domain);
  if (rank == nullptr) return "another rank";
  return rank->rank ? "rank " + std::to_string(*rank->rank) : rank->label;
}

void DescribeRanks(const Context& c, const CollectiveSummary& summary, Finding& finding) {
  for (const analysis::RankSkew& skew : summary.ranks) {
    if (!summary.straggler_domain || skew.link_domain != *summary.straggler_domain) continue;
    finding.evidence.push_back({RankName(c, skew.link_domain) + " comes last in " +
                                    Count(static_cast<double>(skew.last_count)) + " of " +
                                    Plural(static_cast<double>(skew.matched), "collective") + "; the others wait " +
                                    Ns(skew.caused_ns) + " for it in this recording",
                                c.Query("collectives")});
  }
}

void AdviseOverlap(Finding& finding) {
  finding.actions.push_back(
      {"Let the gradients travel while the backward pass still runs: DDP does so in buckets; avoid what forces it to "
       "wait (find_unused_parameters, no_sync misuse, one huge last bucket).",
       "DistributedDataParallel(model, bucket_cap_mb=25, gradient_as_bucket_view=True, static_graph=True)"});
  finding.actions.push_back(
      {"Send less: bf16 gradients, or one exchange for several micro-batches.",
       "model.register_comm_hook(None, torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_hook)"});
  finding.actions.push_back(
      {"In CUDA C++: start the collective on its own stream as soon as its input is ready.",
       "cudaStreamWaitEvent(comm, ready);  ncclAllReduce(g, g, n, ncclBfloat16, ncclSum, nccl, comm);"});
}

void AdviseStraggler(Finding& finding, const std::string& rank) {
  finding.actions.push_back(
      {"Look at " + rank + " alone: its input, its share of the data, its clocks and its neighbours.",
       "warpscope analyze <recording of that rank>"});
  finding.actions.push_back(
      {"Balance the work: batches of equal token counts, equal shards, equal pipeline stages.", ""});
}

Outcome Evaluate(const Context& c) {
  const bool any =
      std::any_of(c.gpu_rows.begin(), c.gpu_rows.end(), [&](uint32_t row) { return c.index.is_communication(row); });
  if (!any) return Clean();
  const bool several = c.index.ranks().size() > 1;
  const CollectiveSummary summary = analysis::SummarizeCollectives(c.index, several ? analysis::Scope{} : c.scope());
  const std::vector<Call> calls = CallsOf(c, summary);
  int64_t exposed_ns = 0, transfer_ns = 0, waiting_ns = 0;
  for (const Call& call : calls) {
    exposed_ns += call.exposed_ns;
    transfer_ns += std::min(call.transfer_ns, call.exposed_ns);
    waiting_ns += call.dur_ns - call.transfer_ns;
  }
  if (calls.empty() || c.SharePct(exposed_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const bool straggler = several && summary.straggler_domain && waiting_ns > transfer_ns;

  Finding finding;
  finding.share_pct = c.SharePct(exposed_ns);
  const Call& longest = *std::max_element(calls.begin(), calls.end(),
                                          [](const Call& a, const Call& b) { return a.exposed_ns < b.exposed_ns; });
  finding.subject = straggler ? RankName(c, *summary.straggler_domain) : ShortName(c, longest.row);
  finding.title = straggler ? "The other GPUs wait for " + finding.subject +
                                  ", which comes last: " + Pct(*finding.share_pct) + " of the step"
                            : "The GPU does nothing but exchange data with other GPUs for " + Pct(*finding.share_pct) +
                                  " of the step";
  finding.evidence.push_back({Plural(static_cast<double>(calls.size()) / c.step_count(), "collective") + " a step, " +
                                  Ms(c.PerStepMs(exposed_ns)) + " of it while nothing else runs",
                              c.Query("collectives")});
  finding.evidence.push_back({several ? Ms(c.PerStepMs(transfer_ns)) + " of that is transfer, " +
                                            Ms(c.PerStepMs(waiting_ns)) + " waiting for other ranks"
                                      : "calls take up to " + Ms(c.PerStepMs(waiting_ns)) +
                                            " a step longer than the fastest equal ones: that part is waiting for "
                                            "other ranks, which this file does not show",
                              c.Query("collectives")});
  DescribeRanks(c, summary, finding);
  if (straggler) AdviseStraggler(finding, finding.subject);
  AdviseOverlap(finding);
  finding.verify = "Record all ranks again: exposed time in `warpscope collectives` should fall.";
  finding.confidence = straggler ? Confidence::kHigh : several ? Confidence::kMedium : Confidence::kLow;
  finding.change = straggler ? Change(calls, 0, 0.9) : Change(calls, 0.5, 0);
  const WhatIf low = several ? Change(calls, straggler ? 0 : 0.2, straggler ? 0.5 : 0) : WhatIf{};
  const WhatIf high = Change(calls, 1, 1);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace

extern const Rule kExposedCommunicationRule;
const Rule kExposedCommunicationRule = {
    "exposed_communication",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "When several GPUs train together, they exchange gradients or activations. That costs nothing while other work "
    "runs "
    "beside it. What is exposed is the rest: the GPU waits for the data, or for the slowest of the others to arrive."};

}  // namespace warpscope::rules

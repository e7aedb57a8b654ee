// exposed_communication: the device waits for other devices. Trigger: collectives that run while no compute does. One
// rank: the transfer could be hidden behind compute; what exceeds the fastest equal call is waiting for others. Several
// ranks: a rank whose kernels or host stalls exceed the others' by 5 % of a step holds them up and is named. Must not
// claim: from one rank alone, that the network is slow (others may be late), so the low end is no gain; that the rank
// which comes last is at fault, if nothing but the recorder makes it late.
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/collectives.h"
#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/framework/collective_calls.h"
#include "rules/framework/rank_pace.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::CollectiveSummary;
using analysis::WhatIf;
using model::kNone;

constexpr double kMinSharePct = 2;
constexpr double kMuchPct = 10;            // of the step: worth telling without a gain
constexpr double kMostOfStall = 0.5;       // of the straggler's excess: one place is told
constexpr double kRunsDifferRatio = 0.12;  // of the step after, between runs: docs/whatif.md

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

struct Totals {
  int64_t exposed_ns = 0, transfer_ns = 0, waiting_ns = 0;
};
Totals TotalsOf(const std::vector<CollectiveCost>& calls) {
  Totals totals;
  for (const CollectiveCost& call : calls) {
    totals.exposed_ns += call.exposed_ns;
    totals.transfer_ns += std::min(call.transfer_ns, call.exposed_ns);
    totals.waiting_ns += call.dur_ns - call.transfer_ns;
  }
  return totals;
}

// The straggler without what it has over the others: its kernels shorter, or its long host stalls.
WhatIf Balanced(const Context& c, const Straggler& straggler) {
  WhatIf change;
  const double excess_ns = straggler.excess_ms * 1e6 * c.step_count();
  if (straggler.by_compute) {
    double total_ns = 0;
    for (const uint32_t row : c.gpu_rows)
      total_ns += c.index.is_communication(row) ? 0.0 : static_cast<double>(c.trace.gpu.dur_ns[row]);
    const double left = std::max(0.0, 1.0 - excess_ns / std::max(total_ns, 1.0));
    for (const uint32_t row : c.gpu_rows) {
      if (!c.index.is_communication(row))
        change.SetGpuDuration(row, std::llround(left * static_cast<double>(c.trace.gpu.dur_ns[row])));
    }
    return change;
  }
  double stalled_ns = 0;
  const auto is_stall = [](const analysis::IssueGap& gap) { return gap.end_ns - gap.start_ns >= kLongStallNs; };
  for (const analysis::IssueGap& gap : c.gaps)
    stalled_ns += is_stall(gap) ? static_cast<double>(gap.end_ns - gap.start_ns) : 0.0;
  const double left = std::max(0.0, 1.0 - excess_ns / std::max(stalled_ns, 1.0));
  for (const analysis::IssueGap& gap : c.gaps) {
    if (is_stall(gap)) change.ScaleHost(gap.thread, gap.start_ns, gap.end_ns, left);
  }
  return change;
}

// All ranks step at the pace of the straggler when it waits for nobody: the context's baseline. In the recording it
// may wait too, for ranks that the recorder slowed.
std::optional<analysis::Prediction> GainOfAll(const Context& c, const Straggler& straggler) {
  const double pace_ms = c.base_step_ms().value_or(0);
  if (!(pace_ms > 0)) return std::nullopt;
  const auto replayed = c.Predict(Balanced(c, straggler), analysis::Side::kHost);
  // Two bounds: the replay keeps what the recorder slowed, and cannot gain more than its host allows; the difference
  // between the ranks is all that there is to gain. The truth lies between, with what runs of one program differ by.
  const double replayed_ms = replayed ? replayed->step_ms_after : pace_ms;
  const double whole_ms = std::max(pace_ms - straggler.excess_ms, 0.0);
  analysis::Prediction prediction{pace_ms, (replayed_ms + whole_ms) / 2};
  const auto gain_pct = [&](double ms) { return 100.0 * (1.0 - ms / pace_ms); };
  const double runs_ms = kRunsDifferRatio * prediction.step_ms_after;
  prediction.gain_pct = gain_pct(prediction.step_ms_after);
  prediction.low_pct = std::max(0.0, gain_pct(std::max(replayed_ms, whole_ms) + runs_ms));
  prediction.high_pct = std::min(100.0, gain_pct(std::max(0.0, std::min(replayed_ms, whole_ms) - runs_ms)));
  prediction.low_pct = std::min(prediction.low_pct, prediction.gain_pct);
  if (prediction.gain_pct < kMinGainPct) return std::nullopt;
  return prediction;
}

// What to do about the place where this rank alone stands still. `where`: the user's frame, or what it stands in.
Action AdviseStall(analysis::GapCause cause, const std::string& where, const std::string& query) {
  switch (cause) {
    case analysis::GapCause::kHostWait:
      return {where +
                  ": this rank sleeps or waits there while the others wait for it. Take that out of the step, or "
                  "wait on another thread.",
              query};
    case analysis::GapCause::kDataLoading:
      return {where +
                  ": this rank's input comes later than the others'. Compare its shard, its workers and its disk "
                  "with theirs, and load a step ahead.",
              query};
    case analysis::GapCause::kFileIo:
      return {where + ": this rank reads or writes files in the step. Do it on another thread, or less often.", query};
    default:
      return {where +
                  ": this rank computes there what the others do not (logging, checks, metrics). Take it out of the "
                  "step, or share it out.",
              query};
  }
}

// Where the host of the straggler stands still, if that rank is the one looked at and one place makes up most of it:
// the place is told with what to do there. False if no place does.
bool TellStall(const Context& c, const Straggler& straggler, Finding& finding) {
  struct Place {
    int64_t total_ns = 0;
    const HostWork* longest = nullptr;
  };
  std::map<model::StringId, Place> places;
  const std::vector<HostWork> work = LongHostWork(c);
  const Place* most = nullptr;
  for (const HostWork& piece : work) {
    if (piece.row == kNone) continue;
    Place& place = places[c.trace.host.name[piece.row]];
    place.total_ns += piece.length_ns();
    if (place.longest == nullptr || piece.length_ns() > place.longest->length_ns()) place.longest = &piece;
    if (most == nullptr || place.total_ns > most->total_ns) most = &place;
  }
  if (most == nullptr || c.PerStepMs(most->total_ns) < kMostOfStall * straggler.excess_ms) return false;
  const std::string name(c.trace.HostName(most->longest->row)), frame = c.UserFrame(most->longest->row);
  finding.evidence.push_back({Ms(c.PerStepMs(most->total_ns)) + " a step of that is in " + Short(name, 60) +
                                  (frame.empty() || frame == name ? "" : ", called from " + frame),
                              c.Query("gaps --by subject")});
  const std::string where = frame.empty() ? Short(name, 60) : frame;
  finding.subject += ", " + where;
  finding.actions.push_back(AdviseStall(most->longest->cause, where, c.Query("gaps --by subject")));
  return true;
}

// One rank computes longer or stands still longer than the others: that is what they wait for.
Outcome NameStraggler(const Context& c, const CollectiveSummary& summary, const std::vector<CollectiveCost>& calls,
                      const Straggler& straggler) {
  Finding finding;
  finding.subject = RankName(c, straggler.link_domain);
  finding.share_pct = 100 * straggler.excess_ms / std::max(straggler.step_ms, 1e-6);
  finding.title = "The other GPUs wait for " + finding.subject + ": " +
                  (straggler.by_compute ? "its kernels take " : "its CPU stands still ") + Ms(straggler.excess_ms) +
                  " a step longer than theirs, " + Pct(*finding.share_pct) + " of the step";
  const std::string number = finding.subject.starts_with("rank ") ? " --rank " + finding.subject.substr(5) : "";
  finding.evidence.push_back({straggler.by_compute
                                  ? "kernels (without communication) of " + finding.subject + " run " +
                                        Ms(straggler.excess_ms) + " a step longer than those of the others"
                                  : "its host issues nothing for stretches that are " + Ms(straggler.excess_ms) +
                                        " a step longer than those of the others",
                              c.Query((straggler.by_compute ? "kernels" : "gaps") + number)});
  const bool place =
      !straggler.by_compute && c.rank.link_domain == straggler.link_domain && TellStall(c, straggler, finding);
  const bool agrees = summary.straggler_domain == straggler.link_domain;
  if (agrees) {
    DescribeRanks(c, summary, finding);
  } else if (summary.straggler_domain) {
    finding.evidence.push_back({RankName(c, *summary.straggler_domain) +
                                    " comes last most often in this recording, but neither computes nor stands still "
                                    "longer: its CPU launches later, which the recorder itself can cause",
                                c.Query("collectives")});
  }
  if (!place)
    finding.actions.push_back(
        {straggler.by_compute
             ? "Balance the work: batches of equal token counts, equal shards, equal pipeline stages; and compare "
               "clocks."
             : "Look at what this rank alone does at that moment: loading, logging, saving, a lock, a busy CPU.",
         "warpscope analyze" + number + " " + c.file});
  finding.verify = "Record all ranks again: no rank should come last in most collectives.";
  finding.confidence = agrees ? Confidence::kHigh : Confidence::kMedium;
  if (c.rank.link_domain != straggler.link_domain && c.sim) {
    finding.change = UnslowedKernels(c, calls);
    WhatIf high = finding.change;
    finding.change.Add(CheaperCollectives(calls, 0, 0.9));
    const WhatIf low = CheaperCollectives(calls, 0, 0.5);
    high.Add(CheaperCollectives(calls, 0, 1));
    finding.predicted = c.Predict(finding.change, DeviceSide(c), &low, &high);
    if (finding.predicted && finding.predicted->gain_pct < kMinGainPct) finding.predicted.reset();
  }
  if (c.rank.link_domain == straggler.link_domain && c.sim) {
    finding.change = Balanced(c, straggler);
    finding.predicted = GainOfAll(c, straggler);
  }
  if (!finding.predicted) {
    finding.change = {};
    finding.evidence.push_back(
        {"no gain is predicted: it shows on the ranks that wait, up to the difference above", c.Query("collectives")});
  }
  return Found(std::move(finding));
}

// Hardly anything of it is transfer: this rank waits, and why only the others' recordings tell.
Outcome WaitsForUnseen(const Context& c, Finding finding) {
  finding.change = {};
  finding.predicted.reset();
  finding.evidence.push_back(
      {"no gain is predicted: what makes the others late is not in this file", c.Query("collectives")});
  finding.actions.insert(finding.actions.begin(),
                         {"Record all ranks at the same time and analyse their files together: the verdict then names "
                          "the rank that is late, and why.",
                          "warpscope analyze rank0.json.gz rank1.json.gz"});
  return Found(std::move(finding));
}

Outcome Evaluate(const Context& c) {
  const bool any =
      std::any_of(c.gpu_rows.begin(), c.gpu_rows.end(), [&](uint32_t row) { return c.index.is_communication(row); });
  if (!any) return Clean();
  const bool several = c.index.ranks().size() > 1;
  analysis::Scope scope = c.scope();
  if (several) {
    // As the table of collectives: start-up is left out where it is long. Ranks come late there for other reasons.
    scope.link_domain.reset();
    if (!c.steps.starts_late()) scope.window = {};
  }
  const CollectiveSummary summary = analysis::SummarizeCollectives(c.index, scope);
  const std::vector<CollectiveCost> calls = CollectiveCallsOf(c, summary);
  if (several) {
    if (const auto straggler = FindStraggler(RankPaces(c.index))) return NameStraggler(c, summary, calls, *straggler);
  }
  const Totals totals = TotalsOf(calls);
  if (calls.empty() || c.SharePct(totals.exposed_ns) < kMinSharePct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(totals.exposed_ns);
  const CollectiveCost& longest =
      *std::max_element(calls.begin(), calls.end(),
                        [](const CollectiveCost& a, const CollectiveCost& b) { return a.exposed_ns < b.exposed_ns; });
  finding.subject = ShortName(c, longest.row);
  finding.title =
      "The GPU does nothing but exchange data with other GPUs for " + Pct(*finding.share_pct) + " of the step";
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(calls.size())), "collective") + " a step, " +
                                  Ms(c.PerStepMs(totals.exposed_ns)) + " of it while nothing else runs",
                              c.Query("collectives")});
  finding.evidence.push_back({several
                                  ? Ms(c.PerStepMs(totals.transfer_ns)) + " of that is transfer; " +
                                        Ms(c.PerStepMs(totals.waiting_ns)) + " a step go into waiting for other ranks"
                                  : "calls take up to " + Ms(c.PerStepMs(totals.waiting_ns)) +
                                        " a step longer than the fastest equal ones: that part is waiting for "
                                        "other ranks, which this file does not show",
                              c.Query("collectives")});
  if (several && totals.waiting_ns > totals.transfer_ns) {
    finding.evidence.push_back(
        {"no rank computes or stands still longer than the others: the waiting may come from the "
         "recorder, which slows each process differently",
         c.Query("collectives --by rank")});
  }
  AdviseOverlap(finding);
  finding.verify = "Record all ranks again: exposed time in `warpscope collectives` should fall.";
  finding.confidence = several && totals.waiting_ns < totals.transfer_ns ? Confidence::kMedium : Confidence::kLow;
  finding.change = CheaperCollectives(calls, 0.5, 0);
  const WhatIf low = several ? CheaperCollectives(calls, 0.2, 0) : WhatIf{};
  const WhatIf high = CheaperCollectives(calls, 1, 1);
  Outcome outcome = Conclude(c, finding, DeviceSide(c), &low, &high);
  if (!outcome.findings.empty() || several || *finding.share_pct < kMuchPct) return outcome;
  return WaitsForUnseen(c, std::move(finding));
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
    "runs beside it. What is exposed is the rest: the GPU waits for the data, or for the slowest of the others to "
    "arrive."};

}  // namespace warpscope::rules

// cpu_bound_host: the program computes on the CPU between launches and the GPU waits. Trigger: long stretches without
// any device call that no more exact cause explains. Must not claim: loading, waiting, compiling, file access, garbage
// collection, allocation (they have their own rules), nor many short pauses (launch_bound). Without Python frames it
// says only that the host was busy with something that was not recorded.
#include <algorithm>
#include <map>

#include "rules/application/host_work.h"
#include "rules/application/loading.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::GapCause;
using analysis::WhatIf;
using model::kNone;

constexpr uint32_t kWorkers = 4;  // suggested

// What stands for a piece of work in the text: the user's line, else the operator or range around it.
std::string NameOf(const Context& c, uint32_t row) {
  if (row == kNone) return "";
  const std::string frame = c.UserFrame(row);
  if (!frame.empty()) return frame;
  const uint32_t named = c.Enclosing(row, [&](uint32_t at) {
    const analysis::HostLabel label = c.index.host_label(at);
    return !c.index.is_call(at) && label != analysis::HostLabel::kStepMarker &&
           label != analysis::HostLabel::kLibraryPython;
  });
  return named == kNone ? "" : std::string(c.trace.HostName(named));
}

bool InOptimizer(const Context& c, uint32_t row) {
  return row != kNone && c.Enclosing(row, [&](uint32_t at) {
    return c.index.host_label(at) == analysis::HostLabel::kOptimizerStep;
  }) != kNone;
}

std::vector<HostWork> Work(const Context& c) {
  auto work =
      Only(LongHostWork(c), {GapCause::kPython, GapCause::kOperator, GapCause::kDispatch, GapCause::kUnrecorded});
  const auto load = FindModelLoad(c);
  std::erase_if(work, [&](const HostWork& piece) {
    return InOptimizer(c, piece.row) || (load && piece.start_ns >= load->begin_ns && piece.end_ns <= load->end_ns);
  });
  return work;
}

struct Named {
  std::string name;
  int64_t ns = 0;
};

// By name, longest first.
std::vector<Named> ByName(const Context& c, const std::vector<HostWork>& work) {
  std::map<std::string, int64_t> sums;
  for (const HostWork& piece : work) sums[NameOf(c, piece.row)] += piece.length_ns();
  std::vector<Named> named;
  for (const auto& [name, ns] : sums) {
    if (!name.empty()) named.push_back({name, ns});
  }
  std::stable_sort(named.begin(), named.end(), [](const Named& a, const Named& b) { return a.ns > b.ns; });
  return named;
}

// In the background: a few workers, a step ahead.
WhatIf InBackground(const std::vector<HostWork>& work) {
  WhatIf change;
  for (const HostWork& piece : work) change.OffloadHost(piece.thread, piece.start_ns, piece.end_ns, kWorkers);
  return change;
}

size_t GapCount(const std::vector<HostWork>& work) {
  size_t count = 0;
  for (size_t i = 0; i < work.size(); ++i) count += i == 0 || work[i].gap != work[i - 1].gap;
  return count;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const auto work = Work(c);
  const int64_t idle_ns = IdleNs(c, work);
  if (work.empty() || c.SharePct(idle_ns) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const int64_t total_ns = TotalNs(work);
  const int64_t unnamed_ns = TotalNs(Only(work, {GapCause::kUnrecorded, GapCause::kDispatch}));
  const auto named = ByName(c, work);
  const bool has_stacks = HasStacks(c);

  Finding finding;
  finding.share_pct = c.SharePct(idle_ns);
  finding.subject = named.empty() ? "" : named.front().name;
  finding.title =
      has_stacks || 2 * unnamed_ns < total_ns
          ? "The GPU waits " + Pct(*finding.share_pct) + " of the step while the program computes on the CPU"
          : "The GPU waits " + Pct(*finding.share_pct) +
                " of the step while the CPU does something that was not recorded";
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(GapCount(work))), "long pause") + " a step, " +
                                  Ms(c.PerStepMs(total_ns)) +
                                  " together, in which nothing is sent to the GPU; it is idle for " +
                                  Ms(c.PerStepMs(idle_ns)) + " of that",
                              c.Query("gaps")});
  for (size_t i = 0; i < named.size() && i < 3; ++i) {
    finding.evidence.push_back(
        {Short(named[i].name, 80) + ": " + Ms(c.PerStepMs(named[i].ns)) + " a step", c.Query("gaps")});
  }
  if (!has_stacks) {
    finding.evidence.push_back(
        {"the recording holds no Python frames, so it cannot say which line does it: record with " +
             std::string(kRecordStacks),
         ""});
  }
  finding.actions.push_back(
      {"Do this work less often, once before the loop, or as tensor operations on the GPU.",
       "mask = torch.rand(ids.shape, device=\"cuda\") < 0.15      # in place of a Python loop over tokens"});
  finding.actions.push_back({"Or prepare the next step's data in a worker process while the GPU computes.",
                             "loader = DataLoader(dataset, num_workers=4, persistent_workers=True, pin_memory=True)"});
  finding.actions.push_back(
      {"In C++: move it to another thread that runs one step ahead and hands over finished buffers.", ""});
  finding.verify =
      "Record again: the pauses should be gone from `" + c.Query("gaps") + "` and the device busy share rise.";
  finding.confidence = 2 * unnamed_ns < total_ns ? Confidence::kHigh : Confidence::kLow;
  finding.change = Shrink(work, 0.05);
  const WhatIf low = InBackground(work);
  const WhatIf high = Shrink(work, 0);
  Outcome outcome = Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
  for (Finding& found : outcome.findings) {
    if (3 * found.predicted->gain_pct > *found.share_pct) continue;
    found.evidence.push_back(
        {"the gain is far below that share: most of these pauses is what the recorder itself costs, or hides behind "
         "the GPU's work",
         ""});
  }
  return outcome;
}

}  // namespace

extern const Rule kCpuBoundHostRule;
const Rule kCpuBoundHostRule = {
    "cpu_bound_host",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kGeneral,
    Evaluate,
    "The GPU works only on what the CPU sends it. While the program runs Python code or CPU arithmetic of its own, "
    "nothing is sent, and once the queued work is done the GPU stands still."};

}  // namespace warpscope::rules

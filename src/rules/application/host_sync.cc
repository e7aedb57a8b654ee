// host_sync: the program waits for the device where it need not, and the device then stands idle until the host has
// caught up. Trigger: device idle time caused by stream, device or event synchronisation, by polling, or by small
// blocking read-backs (.item(), .cpu(), print, boolean masks). Must not claim: the time a call waits for work that had
// to be done anyway, the waits of uploads (pageable_copy, small_copies), of large downloads (d2h_copy), of cudaFree
// (allocator_churn), of library searches and compilation, nor the recorder's own.
#include <algorithm>
#include <map>
#include <set>

#include "analysis/call_tree.h"
#include "analysis/syncs.h"
#include "rules/application/host_speed.h"
#include "rules/build.h"
#include "rules/framework/conv_search.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::SyncCallKind;
using analysis::WhatIf;
using model::CopyKind;
using model::kNone;

constexpr size_t kNamedCallers = 3;

// Calls whose wait another rule explains.
std::set<uint32_t> OwnedByCopies(const Context& c) {
  std::set<uint32_t> owned;
  for (const HostCopy& copy : HostCopies(c)) {
    if (copy.kind == CopyKind::kDeviceToHost && copy.small) continue;
    owned.insert(c.trace.gpu.call[copy.row]);
    if (copy.blocking.sync_call != kNone) owned.insert(copy.blocking.sync_call);
  }
  return owned;
}

// The call that waits for a small download -> the download.
std::map<uint32_t, uint32_t> ReadBacks(const Context& c) {
  std::map<uint32_t, uint32_t> copies;
  for (const HostCopy& copy : HostCopies(c)) {
    if (copy.kind != CopyKind::kDeviceToHost || !copy.small || !copy.blocking.blocked) continue;
    const uint32_t waits = copy.blocking.sync_call != kNone ? copy.blocking.sync_call : c.trace.gpu.call[copy.row];
    copies[waits] = copy.row;
  }
  return copies;
}

// Row of Steps::steps that holds a host row; the last one before it if it lies between two.
size_t StepAt(const Context& c, uint32_t row) {
  const auto& steps = c.steps.steps;
  const auto after = std::upper_bound(steps.begin(), steps.end(), c.trace.host.start_ns[row],
                                      [](int64_t time, const analysis::Step& step) { return time < step.begin_ns; });
  return static_cast<size_t>(after - steps.begin());
}

bool OwnedByActivity(const Context& c, uint32_t row) {
  switch (analysis::ActivityOf(c.index, row).cause) {
    case analysis::GapCause::kDataLoading:
    case analysis::GapCause::kCompilation:
    case analysis::GapCause::kFileIo:
    case analysis::GapCause::kProfiler: return true;
    default: return false;
  }
}

// One wait, with the small read-back that it belongs to, if any.
struct Wait {
  uint32_t call;          // host row
  uint32_t last_call;     // of a polling loop; else == call
  uint32_t copy = kNone;  // gpu row of the read-back
};

struct Waits {
  std::vector<Wait> list;  // in time order
  int64_t caused_ns = 0, total_ns = 0;
  std::vector<std::pair<int64_t, const analysis::SyncGroup*>> groups;  // most caused idle first
};

Waits Collect(const Context& c, const analysis::SyncSummary& summary) {
  const std::set<uint32_t> owned = OwnedByCopies(c);
  const std::map<uint32_t, uint32_t> read_backs = ReadBacks(c);
  const ConvSearches searches = FindConvSearches(c);
  Waits waits;
  for (const analysis::SyncGroup& group : summary.groups) {
    if (group.recorder || group.kind == SyncCallKind::kFree) continue;
    int64_t caused_ns = 0;
    for (const uint32_t at : group.calls) {
      const analysis::SyncCall& call = summary.calls[at];
      if (owned.contains(call.row) || searches.Covers(c, call.row) || OwnedByActivity(c, call.row)) continue;
      const auto read_back = read_backs.find(call.row);
      waits.list.push_back({call.row, call.last_row, read_back == read_backs.end() ? kNone : read_back->second});
      caused_ns += call.caused_idle_ns;
      waits.total_ns += call.end_ns - call.begin_ns;
    }
    waits.caused_ns += caused_ns;
    if (caused_ns > 0) waits.groups.push_back({caused_ns, &group});
  }
  std::stable_sort(waits.groups.begin(), waits.groups.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::stable_sort(waits.list.begin(), waits.list.end(), [&](const Wait& a, const Wait& b) {
    return c.trace.host.start_ns[a.call] < c.trace.host.start_ns[b.call];
  });
  return waits;
}

// Nobody waits; everything else stays.
WhatIf WithoutWaiting(const Waits& waits) {
  WhatIf change;
  for (const Wait& wait : waits.list) {
    change.DropWait(wait.call);
    if (wait.last_call != wait.call) change.DropWait(wait.last_call);
  }
  return change;
}

bool ReadsBack(std::string_view op) {
  for (const std::string_view name : {"aten::item", "aten::is_nonzero", "aten::_local_scalar_dense", "aten::to",
                                      "aten::_to_copy", "aten::copy_", "aten::equal", "aten::nonzero"}) {
    if (op == name) return true;
  }
  return false;
}

// Outermost operator around a call that does nothing but read values back.
uint32_t ReadBackOperator(const Context& c, uint32_t call) {
  uint32_t found = kNone;
  for (uint32_t row = call; row != kNone; row = c.trace.host.parent[row]) {
    if (c.trace.host.kind[row] != model::HostKind::kOperator) continue;
    if (!ReadsBack(c.trace.HostName(row))) break;
    found = row;
  }
  return found;
}

// Values are read once a step: of each step only the last read-back stays, and nobody waits for it.
WhatIf ReadOnce(const Context& c, const Waits& waits) {
  WhatIf change = WithoutWaiting(waits);
  for (size_t i = 0; i < waits.list.size(); ++i) {
    const Wait& wait = waits.list[i];
    const bool last = i + 1 == waits.list.size() || StepAt(c, wait.call) != StepAt(c, waits.list[i + 1].call);
    if (wait.copy != kNone && last) continue;
    change.RemoveCall(wait.call);
    if (wait.copy == kNone) continue;
    change.RemoveGpu(wait.copy);
    const uint32_t op = ReadBackOperator(c, wait.call);
    if (op != kNone) change.ScaleHost(c.trace.host.thread[op], c.trace.host.start_ns[op], c.trace.host.end_ns(op), 0);
  }
  return change;
}

bool Reads(const std::string& caller) {
  for (const std::string_view name : {"aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::index",
                                      "aten::masked_select", "aten::is_nonzero"}) {
    if (caller.find(name) != std::string::npos) return true;
  }
  return false;
}

// What the gain is made of: the idle time above is the smallest part of it.
void TellParts(const Context& c, const WhatIf& waiting, const WhatIf& reading, Finding& finding) {
  const auto no_waits = c.Predict(waiting, analysis::Side::kHost), once = c.Predict(reading, analysis::Side::kHost);
  const auto all = c.Predict(finding.change, analysis::Side::kHost);
  if (!no_waits || !once || !all) return;
  const double waits_ms = std::max(0.0, no_waits->step_ms_before - no_waits->step_ms_after);
  const double reads_ms = std::max(0.0, no_waits->step_ms_after - once->step_ms_after);
  const double speed_ms = std::max(0.0, once->step_ms_after - all->step_ms_after);
  const double least_ms = 0.01 * no_waits->step_ms_before;
  std::string text = "the gain: " + Ms(waits_ms) + " of a step without the waits";
  if (reads_ms > least_ms) text += ", " + Ms(reads_ms) + " for the reads themselves (calls, copies, operators)";
  if (speed_ms > least_ms)
    text += ", " + Ms(speed_ms) +
            " for the rest of the host's work, which runs slower here than elsewhere and usually recovers without such "
            "waits: the doubtful part";
  finding.evidence.push_back({text, c.Query("syncs")});
}

void AddActions(const Waits& waits, Finding& finding) {
  bool reads = false, masks = false, explicit_sync = false;
  for (const auto& [caused, group] : waits.groups) {
    reads |= Reads(group->caller);
    masks |= group->caller.find("aten::nonzero") != std::string::npos ||
             group->caller.find("aten::index") != std::string::npos ||
             group->caller.find("aten::masked_select") != std::string::npos;
    explicit_sync |= group->kind == SyncCallKind::kDevice;
  }
  if (reads || !explicit_sync) {
    finding.actions.push_back({"Read values back once, at the end of the step or every N steps, not one by one.",
                               "values = torch.stack(scalars)          # stays on the device\n"
                               "if step % 50 == 0: print(values.tolist())\n"
                               "# keep `loss.detach()`, not `loss.item()`; compare on the device with torch.where"});
  }
  if (masks) {
    finding.actions.push_back({"A boolean mask must tell the host its size. Keep the shape fixed instead.",
                               "h = torch.where(mask[:, None], update, h)     # in place of h[mask] = update[mask]"});
  }
  if (explicit_sync) {
    finding.actions.push_back(
        {"Leave out torch.cuda.synchronize() in the loop; time with events.",
         "begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)"});
  }
  finding.actions.push_back(
      {"In CUDA C++: wait for an event on the stream that needs the result, not for the device.",
       "cudaEventRecord(done, producer); cudaStreamWaitEvent(consumer, done, 0);   // no cudaDeviceSynchronize()"});
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const analysis::SyncSummary summary = analysis::SummarizeSyncs(c.index, c.scope());
  if (summary.calls.empty()) return Clean();
  const Waits waits = Collect(c, summary);
  if (waits.groups.empty() || c.SharePct(waits.caused_ns) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  const analysis::SyncGroup& top = *waits.groups.front().second;
  finding.share_pct = c.SharePct(waits.caused_ns);
  finding.subject = top.caller.empty() ? top.call : top.caller;
  finding.title = "The program stops to wait for the GPU " +
                  Plural(c.CountPerStep(static_cast<double>(waits.list.size())), "time") +
                  " a step, and the GPU then idles until new work arrives";
  finding.evidence.push_back({"these waits leave the GPU idle for " + Ms(c.PerStepMs(waits.caused_ns)) +
                                  " of each step (the calls themselves last " + Ms(c.PerStepMs(waits.total_ns)) +
                                  ", mostly for work that had to be done)",
                              c.Query("syncs")});
  for (size_t i = 0; i < waits.groups.size() && i < kNamedCallers; ++i) {
    const analysis::SyncGroup& group = *waits.groups[i].second;
    if (i > 0 && static_cast<double>(group.count) < 0.05 * c.step_count()) continue;  // "0 times a step"
    finding.evidence.push_back({group.call +
                                    (group.caller.empty() || group.caller == group.call ? "" : " in " + group.caller) +
                                    ": " + Plural(c.CountPerStep(static_cast<double>(group.count)), "time") +
                                    " a step, " + Ms(c.PerStepMs(waits.groups[i].first)) + " idle",
                                c.Query("syncs")});
  }
  AddActions(waits, finding);
  finding.verify = "Record again: `" + c.Query("syncs") + "` should show fewer calls a step and less idle time caused.";
  const double unit = HostSpeedUnit(c);
  finding.confidence = unit > 1.5 ? Confidence::kMedium : Confidence::kHigh;
  const WhatIf low = WithoutWaiting(waits);
  WhatIf high = ReadOnce(c, waits);
  finding.change = high;
  SpeedUpHost(c, (1 + unit) / 2, finding.change);
  TellParts(c, low, high, finding);
  SpeedUpHost(c, unit, high);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kHostSyncRule;
const Rule kHostSyncRule = {
    "host_sync",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "The CPU normally runs ahead and queues work for the GPU. Reading a value from the GPU (.item(), print, an if on a "
    "tensor) empties that queue: the CPU waits, and then the GPU waits until the CPU has issued new work."};

}  // namespace warpscope::rules

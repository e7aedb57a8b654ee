// small_copies: many tiny copies where one would do. Trigger: runs of uploads (and of downloads that nobody waits for)
// up to 64 KiB each, at least eight in a run. Must not claim: read-backs that the host waits for (host_sync), large
// copies, nor that the link is slow: what costs is the fixed price of each copy.
#include <algorithm>
#include <map>

#include "analysis/call_tree.h"
#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::CopyKind;
using model::kNone;

constexpr size_t kMinRun = 8;
constexpr size_t kMaxLaunchesBetween = 3;   // a conversion of what was copied; more is a step's own work
constexpr int64_t kMaxApartNs = 2'000'000;  // more host work between two copies than that is another matter

// Kernels launched by the thread between two rows.
size_t LaunchesBetween(const Context& c, uint32_t from, uint32_t to) {
  size_t count = 0;
  for (uint32_t row = from + 1; row < to; ++row)
    count += c.index.is_call(row) && c.index.call_kind(row) == analysis::CallKind::kLaunch;
  return count;
}

// Copies that could be one: same direction and thread, close to each other and with hardly anything launched between.
std::vector<std::vector<HostCopy>> Runs(const Context& c) {
  std::vector<std::vector<HostCopy>> runs;
  std::map<uint32_t, std::vector<HostCopy>> by_thread;
  for (const HostCopy& copy : HostCopies(c)) {
    const bool read_back = copy.kind == CopyKind::kDeviceToHost && copy.blocking.blocked;
    if (copy.small && !read_back) by_thread[c.trace.host.thread[c.trace.gpu.call[copy.row]]].push_back(copy);
  }
  for (auto& [thread, copies] : by_thread) {
    std::stable_sort(copies.begin(), copies.end(), [&](const HostCopy& a, const HostCopy& b) {
      return c.trace.gpu.call[a.row] < c.trace.gpu.call[b.row];
    });
    std::vector<HostCopy> run;
    for (const HostCopy& copy : copies) {
      const uint32_t call = c.trace.gpu.call[copy.row];
      if (!run.empty()) {
        const uint32_t last = c.trace.gpu.call[run.back().row];
        if (run.back().kind != copy.kind || c.trace.host.start_ns[call] - c.trace.host.end_ns(last) > kMaxApartNs ||
            LaunchesBetween(c, last, call) > kMaxLaunchesBetween) {
          runs.push_back(std::move(run));
          run.clear();
        }
      }
      run.push_back(copy);
    }
    if (!run.empty()) runs.push_back(std::move(run));
  }
  std::erase_if(runs, [](const std::vector<HostCopy>& run) { return run.size() < kMinRun; });
  return runs;
}

// Start of the outermost operator of a copy (aten::to over copy_), or of its call.
int64_t BeginNs(const Context& c, const HostCopy& copy) {
  const uint32_t op = c.OutermostOperatorOf(copy.row);
  const uint32_t call = c.trace.gpu.call[copy.row];
  return op != kNone && c.trace.host.dur_ns[op] < kMaxApartNs ? c.trace.host.start_ns[op] : c.trace.host.start_ns[call];
}
int64_t EndNs(const Context& c, const HostCopy& copy) {
  const uint32_t op = c.OutermostOperatorOf(copy.row);
  const uint32_t call = copy.blocking.sync_call != kNone ? copy.blocking.sync_call : c.trace.gpu.call[copy.row];
  return op != kNone && c.trace.host.dur_ns[op] < kMaxApartNs ? c.trace.host.end_ns(op) : c.trace.host.end_ns(call);
}

// All but the first copy of each run go. Of the host work from copy to copy `rest_ratio` stays (packing on the host);
// of that inside the copies' operators only, if `operators_only`.
WhatIf Change(const Context& c, const std::vector<std::vector<HostCopy>>& runs, double rest_ratio,
              bool operators_only) {
  WhatIf change;
  for (const auto& run : runs) {
    const uint32_t thread = c.trace.host.thread[c.trace.gpu.call[run.front().row]];
    if (!operators_only) change.ScaleHost(thread, EndNs(c, run.front()), EndNs(c, run.back()), rest_ratio);
    for (size_t i = 1; i < run.size(); ++i) {
      const HostCopy& copy = run[i];
      if (operators_only) change.ScaleHost(thread, BeginNs(c, copy), EndNs(c, copy), rest_ratio);
      if (copy.blocking.sync_call != kNone) change.RemoveCall(copy.blocking.sync_call);
      change.DropWait(c.trace.gpu.call[copy.row]);
      change.RemoveGpu(copy.row);
    }
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const auto runs = Runs(c);
  if (runs.empty()) return Clean();
  std::vector<HostCopy> copies;
  for (const auto& run : runs) copies.insert(copies.end(), run.begin(), run.end());
  int64_t device_ns = 0, held_ns = 0;
  uint64_t bytes = 0;
  for (const HostCopy& copy : copies) {
    device_ns += c.trace.gpu.dur_ns[copy.row];
    held_ns += std::max(copy.blocking.blocked_ns, c.trace.host.dur_ns[c.trace.gpu.call[copy.row]]);
    bytes += copy.bytes.value_or(0);
  }
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(held_ns);
  const CopyGroup top = GroupByCaller(c, copies).front();
  finding.subject = top.caller;
  const double count = static_cast<double>(copies.size()) / c.step_count();
  finding.title = Plural(count, "tiny copy") + " a step go to the GPU one by one (" +
                  Bytes(static_cast<double>(bytes) / static_cast<double>(copies.size())) +
                  " each) where one copy would do";
  finding.evidence.push_back({"the calls take the host " + Ms(c.PerStepMs(held_ns)) +
                                  " a step, the transfers themselves " + Ms(c.PerStepMs(device_ns)),
                              c.Query("copies")});
  if (!top.caller.empty()) finding.evidence.push_back({"most are asked for by " + top.caller, c.Query("copies")});
  finding.actions.push_back({"Put the pieces into one array on the host, upload it once, and split it on the device.",
                             "batch = torch.tensor(rows).pin_memory().to(\"cuda\", non_blocking=True)\n"
                             "columns = batch.split(1, dim=1)       # views, no copies"});
  finding.actions.push_back(
      {"In CUDA C++: one staging buffer and one cudaMemcpyAsync, or cudaMemcpyBatchAsync.",
       "cudaMemcpyAsync(device_all, staging_all, total_bytes,\n                cudaMemcpyHostToDevice, stream);"});
  finding.verify = "Record again: `" + c.Query("copies") + "` should count a few copies a step.";
  finding.confidence = Confidence::kHigh;
  finding.change = Change(c, runs, 0.15, false);
  const WhatIf low = Change(c, runs, 0.3, true);
  const WhatIf high = Change(c, runs, 0, false);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kSmallCopiesRule;
const Rule kSmallCopiesRule = {
    "small_copies",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "Every copy costs some 10 us of the CPU's time before the first byte moves, and often a wait at its end. For a few "
    "bytes that is all cost and no work: a thousand small copies take as long as one of hundreds of megabytes."};

}  // namespace warpscope::rules

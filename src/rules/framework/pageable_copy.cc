// pageable_copy: large uploads from pageable memory hold the host and run at a fraction of the link's speed. Trigger:
// host-to-device copies over 64 KiB whose source is pageable. Must not claim: small copies (small_copies), waits for
// kernels that were queued before the copy, nor that the link is slow.
#include "analysis/replay/simulator.h"
#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::CopyKind;
using model::MemoryKind;

constexpr double kContention = 1.25;  // copy and kernels share the memory: 10-20 % slower, and the first use waits

// Pinned: the transfer at link speed, no wait of the host; on a lane of its own if it also overlaps with compute.
WhatIf Change(const Context& c, const std::vector<HostCopy>& copies, const LinkRate& rate, double slower,
              bool overlapped) {
  WhatIf change;
  for (const HostCopy& copy : copies) {
    if (overlapped) change.MoveToLane(copy.row, 0);
    change.SetGpuDuration(copy.row, Scaled(PinnedNs(c, copy, rate), slower));
    change.DropWait(c.trace.gpu.call[copy.row]);
    if (copy.blocking.sync_call != model::kNone) change.DropWait(copy.blocking.sync_call);
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const std::vector<HostCopy> all = HostCopies(c);
  std::vector<HostCopy> copies;
  int64_t total_ns = 0, unknown_ns = 0, held_ns = 0;
  uint64_t bytes = 0;
  for (const HostCopy& copy : all) {
    if (copy.kind != CopyKind::kHostToDevice || copy.small) continue;
    const int64_t ns = c.trace.gpu.dur_ns[copy.row];
    if (copy.memory == MemoryKind::kUnknown) unknown_ns += ns;
    if (copy.memory != MemoryKind::kPageable) continue;
    copies.push_back(copy);
    total_ns += ns;
    held_ns += copy.blocking.blocked_ns;
    bytes += copy.bytes.value_or(0);
  }
  if (copies.empty() && c.SharePct(unknown_ns) >= 5) {
    return Abstain(
        "uploads take " + Pct(c.SharePct(unknown_ns)) +
            " of the step, but the recorder does not say whether their memory is pinned",
        "a recorder that names the memory kind of copies (CUPTI does: \"Memcpy HtoD (Pageable -> Device)\")");
  }
  if (copies.empty() || c.SharePct(std::max(total_ns, held_ns)) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const LinkRate rate = PinnedRate(c, all, CopyKind::kHostToDevice);

  Finding finding;
  finding.share_pct = c.SharePct(total_ns);
  const CopyGroup top = GroupByCaller(c, copies).front();
  finding.subject = top.caller;
  // A short transfer behind a long queue: what costs is that the host cannot run ahead.
  finding.title = held_ns > 3 * total_ns
                      ? "An upload from ordinary (pageable) memory makes the program wait for the GPU for " +
                            Ms(c.PerStepMs(held_ns)) + " of each step"
                      : "Uploads from ordinary (pageable) memory take " + Ms(c.PerStepMs(total_ns)) +
                            " of each step and hold the program meanwhile";
  const double achieved = total_ns > 0 ? static_cast<double>(bytes) / static_cast<double>(total_ns) : 0;  // GB/s
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(copies.size())), "copy") + " of " +
                                  Bytes(static_cast<double>(bytes) / static_cast<double>(copies.size())) +
                                  " a step run at " + Count(achieved) + " GB/s; pinned memory " +
                                  (rate.seen ? "reaches " : "should reach about ") + Count(rate.bytes_per_s / 1e9) +
                                  " GB/s" + (rate.seen ? " in this recording" : " here"),
                              c.Query("copies")});
  if (held_ns > 0) {
    finding.evidence.push_back(
        {"the calls hold the host for " + Ms(c.PerStepMs(held_ns)) + " a step, in which it issues nothing",
         c.Query("syncs")});
  }
  if (!top.caller.empty()) finding.evidence.push_back({"most of it is asked for by " + top.caller, c.Query("copies")});
  finding.actions.push_back({"Keep the batch in pinned memory and copy it without waiting.",
                             "loader = DataLoader(..., pin_memory=True)        # or: host = host.pin_memory(), once\n"
                             "batch = batch.to(\"cuda\", non_blocking=True)"});
  finding.actions.push_back(
      {"Upload the next batch on a side stream while the present one is used.",
       "with torch.cuda.stream(side): upcoming = pinned.to(\"cuda\", non_blocking=True)\n"
       "torch.cuda.current_stream().wait_stream(side)\nupcoming.record_stream(torch.cuda.current_stream())"});
  finding.actions.push_back(
      {"In CUDA C++: allocate the staging buffer with cudaMallocHost and copy on a second stream.",
       "cudaMallocHost(&staging, bytes);\n"
       "cudaMemcpyAsync(device, staging, bytes, cudaMemcpyHostToDevice, copy_stream);\n"
       "cudaEventRecord(ready, copy_stream); cudaStreamWaitEvent(compute_stream, ready, 0);"});
  finding.verify =
      "Record again: `" + c.Query("copies") + "` should list these copies as pinned, at link speed and overlapped.";
  finding.confidence = Confidence::kHigh;
  finding.change = Change(c, copies, rate, 1.0, true);
  const WhatIf low = Change(c, copies, rate, kContention, false);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low);
}

}  // namespace

extern const Rule kPageableCopyRule;
const Rule kPageableCopyRule = {
    "pageable_copy",
    Layer::kFramework,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "The GPU can fetch data by itself only from pinned memory, which the system promises not to move. From ordinary "
    "memory the driver first copies piece by piece into a pinned buffer, and the program waits until that is done."};

}  // namespace warpscope::rules

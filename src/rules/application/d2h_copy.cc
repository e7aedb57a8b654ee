// d2h_copy: large results are brought to the host while the program waits. Trigger: device-to-host copies over 64 KiB
// that hold the host. Must not claim: the time the call waits for kernels queued before it (the replay keeps that if
// the next step needs it), nor small read-backs such as .item() (host_sync).
#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::CopyKind;
using model::MemoryKind;

constexpr uint32_t kLane = 1;

void DropWaits(const Context& c, const HostCopy& copy, WhatIf& change) {
  change.DropWait(c.trace.gpu.call[copy.row]);
  if (copy.blocking.sync_call != model::kNone) change.DropWait(copy.blocking.sync_call);
}

// Copied rarely: the copies and their waits are gone.
WhatIf Rarely(const Context& c, const std::vector<HostCopy>& copies) {
  WhatIf change;
  for (const HostCopy& copy : copies) {
    DropWaits(c, copy, change);
    change.RemoveGpu(copy.row);
  }
  return change;
}

// Still copied, into pinned memory and beside the kernels.
WhatIf Asynchronously(const Context& c, const std::vector<HostCopy>& copies, const LinkRate& rate) {
  WhatIf change;
  for (const HostCopy& copy : copies) {
    DropWaits(c, copy, change);
    change.MoveToLane(copy.row, kLane);
    change.SetGpuDuration(copy.row, PinnedNs(c, copy, rate));
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const std::vector<HostCopy> all = HostCopies(c);
  std::vector<HostCopy> copies;
  int64_t total_ns = 0, held_ns = 0, pageable_ns = 0;
  uint64_t bytes = 0;
  for (const HostCopy& copy : all) {
    if (copy.kind != CopyKind::kDeviceToHost || copy.small || !copy.blocking.blocked) continue;
    copies.push_back(copy);
    total_ns += c.trace.gpu.dur_ns[copy.row];
    held_ns += copy.blocking.blocked_ns;
    bytes += copy.bytes.value_or(0);
    if (copy.memory == MemoryKind::kPageable) pageable_ns += c.trace.gpu.dur_ns[copy.row];
  }
  if (copies.empty() || c.SharePct(std::max(total_ns, held_ns)) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const LinkRate rate = PinnedRate(c, all, CopyKind::kDeviceToHost);

  Finding finding;
  finding.share_pct = c.SharePct(total_ns);
  const CopyGroup top = GroupByCaller(c, copies).front();
  finding.subject = top.caller;
  finding.title = "Copying " + Bytes(static_cast<double>(bytes) / c.step_count()) +
                  " of results to the host holds up each step for " + Ms(c.PerStepMs(total_ns));
  finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(copies.size())), "copy") +
                                  " a step from the device at " +
                                  Count(total_ns > 0 ? static_cast<double>(bytes) / static_cast<double>(total_ns) : 0) +
                                  " GB/s; the host stands in these calls for " + Ms(c.PerStepMs(held_ns)) + " a step",
                              c.Query("copies")});
  if (2 * pageable_ns > total_ns) {
    finding.evidence.push_back(
        {"the destination is pageable memory, so even a copy asked for as non-blocking waits; pinned memory should "
         "reach " +
             Count(rate.bytes_per_s / 1e9) + " GB/s",
         c.Query("copies")});
  }
  if (!top.caller.empty()) finding.evidence.push_back({"most of it is asked for by " + top.caller, c.Query("syncs")});
  finding.actions.push_back(
      {"Bring back less: reduce on the device first, or copy only every N-th step.",
       "if step % 50 == 0:\n    kept = output.cpu()            # or output.mean(1).cpu(), output.argmax(-1).cpu()"});
  finding.actions.push_back(
      {"If all of it is needed: copy into pinned memory without waiting, and look at it a step later.",
       "host = torch.empty(output.shape, dtype=output.dtype, pin_memory=True)   # once\n"
       "host.copy_(output, non_blocking=True); done = torch.cuda.Event(); done.record()\n"
       "# a step later: done.synchronize(); use(host)"});
  finding.actions.push_back(
      {"In CUDA C++: cudaMallocHost for the destination, cudaMemcpyAsync on a side stream, an event to wait for.",
       "cudaMemcpyAsync(pinned, result, bytes, cudaMemcpyDeviceToHost, copy_stream);\ncudaEventRecord(done, "
       "copy_stream);"});
  finding.verify = "Record again: `" + c.Query("copies") + "` should list no large blocking device-to-host copy.";
  finding.confidence = Confidence::kHigh;
  finding.change = Rarely(c, copies);
  const WhatIf low = Asynchronously(c, copies, rate);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low);
}

}  // namespace

extern const Rule kD2hCopyRule;
const Rule kD2hCopyRule = {
    "d2h_copy",
    Layer::kApplication,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Results that leave the GPU travel over a link that is tens of times slower than its own memory, and the program "
    "waits for them before it can start the next work. What stays on the GPU, or travels beside the work, costs "
    "nothing."};

}  // namespace warpscope::rules

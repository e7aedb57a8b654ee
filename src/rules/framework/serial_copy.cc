// serial_copy: uploads or downloads that could run beside the kernels stand in line with them. Trigger: large pinned
// copies without a wait of the host, on a stream that also runs kernels, while no kernel runs; and work that they could
// run beside. Must not claim: copies from pageable memory (pageable_copy), copies that the host waits for (d2h_copy),
// copies already overlapped, nor more than there is to hide behind: kernels, or copies of the other direction.
#include <algorithm>
#include <set>

#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::CopyKind;
using model::MemoryKind;

constexpr double kContention = 1.2;

std::set<uint32_t> StreamsWithKernels(const Context& c) {
  std::set<uint32_t> streams;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] == model::GpuKind::kKernel) streams.insert(c.trace.gpu.stream[row]);
  }
  return streams;
}

// The change of `whatif --overlap copies`. A wait of the host that is for this copy goes with it (MoveToLane); one that
// is for the kernels too stays.
// A device with an engine for each direction may also overlap uploads with downloads: the hopeful version.
WhatIf Change(const Context& c, const std::vector<HostCopy>& copies, double slower, uint32_t download_lane) {
  WhatIf change;
  for (const HostCopy& copy : copies) {
    change.MoveToLane(copy.row, copy.kind == CopyKind::kHostToDevice ? 0 : download_lane);
    if (slower > 1) {
      change.SetGpuDuration(copy.row, Scaled(c.trace.gpu.dur_ns[copy.row], slower));
    }
  }
  return change;
}

// Time of the device's copies in one direction in which no kernel runs: all of them, since all share the engine.
int64_t EngineNs(const Context& c, CopyKind kind, const analysis::IntervalSet& kernels) {
  analysis::IntervalSet copies;
  for (const uint32_t row : c.gpu_rows) {
    const model::CopyDetail* detail = c.trace.gpu.kind[row] == model::GpuKind::kCopy ? c.trace.Copy(row) : nullptr;
    if (detail == nullptr || detail->kind != kind) continue;
    copies.Append(std::max(c.device_begin_ns, c.trace.gpu.start_ns[row]),
                  std::min(c.device_end_ns, c.trace.gpu.end_ns(row)));
  }
  return copies.length_ns() - copies.IntersectionLength(kernels);
}

// What side by side can save at most: a device with an engine for each direction is done when its busiest part is.
// Copies of one direction never run beside each other.
int64_t HideableNs(const Context& c, const analysis::IntervalSet& kernels) {
  const int64_t up = EngineNs(c, CopyKind::kHostToDevice, kernels);
  const int64_t down = EngineNs(c, CopyKind::kDeviceToHost, kernels);
  const int64_t computing = kernels.length_ns();
  return up + down + computing - std::max({up, down, computing});
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  std::vector<HostCopy> copies;
  const std::set<uint32_t> streams = StreamsWithKernels(c);
  for (const HostCopy& copy : HostCopies(c)) {
    if (copy.small || copy.memory != MemoryKind::kPinned || !streams.contains(c.trace.gpu.stream[copy.row])) continue;
    if (copy.kind == CopyKind::kDeviceToHost && copy.blocking.blocked) continue;
    copies.push_back(copy);
  }
  if (copies.empty()) return Clean();
  const analysis::IntervalSet kernels = KernelIntervals(c);
  int64_t alone_ns = 0, total_ns = 0;
  uint64_t bytes = 0;
  for (const HostCopy& copy : copies) {
    alone_ns += AloneNs(c, copy.row, kernels);
    total_ns += c.trace.gpu.dur_ns[copy.row];
    bytes += copy.bytes.value_or(0);
  }
  const int64_t hideable_ns = std::min(alone_ns, HideableNs(c, kernels));
  if (c.SharePct(hideable_ns) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(hideable_ns);
  const CopyGroup top = GroupByCaller(c, copies).front();
  finding.subject = top.caller;
  finding.title = "Copies stand in line with the kernels for " + Ms(c.PerStepMs(hideable_ns)) +
                  " of each step, though the GPU could do both at once";
  finding.evidence.push_back(
      {Plural(c.CountPerStep(static_cast<double>(copies.size())), "pinned copy") + " a step, " +
           Bytes(static_cast<double>(bytes) / c.step_count()) + " together, take " + Ms(c.PerStepMs(total_ns)) +
           "; during " + Pct(total_ns > 0 ? 100.0 * static_cast<double>(alone_ns) / static_cast<double>(total_ns) : 0) +
           " of that no kernel runs",
       c.Query("copies")});
  finding.evidence.push_back(
      {"they were issued on a stream that also runs kernels, so each waits for the other", c.Query("streams")});
  if (!top.caller.empty()) finding.evidence.push_back({"most of it is asked for by " + top.caller, c.Query("copies")});
  finding.actions.push_back(
      {"Copy what the next step (or layer) needs on a side stream while this one computes.",
       "side = torch.cuda.Stream()\n"
       "with torch.cuda.stream(side): upcoming = pinned.to(\"cuda\", non_blocking=True)\n"
       "# before its first use:\n"
       "torch.cuda.current_stream().wait_stream(side)\nupcoming.record_stream(torch.cuda.current_stream())"});
  finding.actions.push_back({"In CUDA C++: a second stream and an event.",
                             "cudaMemcpyAsync(next, pinned, bytes, cudaMemcpyHostToDevice, copy_stream);\n"
                             "cudaEventRecord(ready, copy_stream); cudaStreamWaitEvent(compute_stream, ready, 0);"});
  finding.verify = "Record again: `" + c.Query("copies") + "` should show these copies overlapped with kernels.";
  finding.confidence = Confidence::kHigh;
  finding.change = Change(c, copies, 1.0, 0);
  const WhatIf low = Change(c, copies, kContention, 0), high = Change(c, copies, 1.0, 1);
  return Conclude(c, std::move(finding), analysis::Side::kGpu, &low, &high);
}

}  // namespace

extern const Rule kSerialCopyRule;
const Rule kSerialCopyRule = {
    "serial_copy",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "Work in one stream runs in order: a copy waits for the kernels before it and the kernels behind it wait for the "
    "copy. The GPU has separate engines for copies, so on a second stream they cost nothing while kernels run."};

}  // namespace warpscope::rules

// serialized_streams: kernels that fill a small part of the device each, one after the other on a single stream.
// Trigger: most device time in kernels with fewer blocks than half the multiprocessors, long enough that launching is
// not the limit. Must not claim: that the work is independent: the recording cannot show it, so this is a suspicion
// with no gain at the low end. Nor anything about one repeated kernel (small_grid's) or communication.
#include <set>

#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::KernelCategory;
using analysis::WhatIf;

constexpr int64_t kLongNs = 10'000;  // well over a launch: the device is the limit
constexpr double kMinSharePct = 30;
constexpr double kMinBusyPct = 50;
constexpr double kMinPerStep = 6;

uint64_t Blocks(const Context& c, uint32_t row) {
  const model::LaunchConfig* config = c.trace.Launch(row);
  return config == nullptr ? 0 : uint64_t{config->grid[0]} * config->grid[1] * config->grid[2];
}

struct Work {
  std::vector<uint32_t> rows;  // small kernels in order of start
  std::set<uint32_t> streams;  // that hold kernels
  std::set<model::StringId> names;
  uint64_t most_blocks = 0;
};

Work FindWork(const Context& c, uint32_t sm_count) {
  Work work;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || c.index.is_communication(row)) continue;
    if (c.trace.gpu.dur_ns[row] >= kLongNs) work.streams.insert(c.trace.gpu.stream[row]);
    const uint64_t blocks = Blocks(c, row);
    if (blocks == 0 || 2 * blocks > sm_count || c.trace.gpu.dur_ns[row] < kLongNs) continue;
    work.rows.push_back(row);
    work.names.insert(c.trace.gpu.name[row]);
    work.most_blocks = std::max(work.most_blocks, blocks);
  }
  return work;
}

// What says that a step's work has parts; "" if nothing does. ATen's operators on lists of tensors.
std::string SignOfParts(const Context& c, const Work& work) {
  constexpr std::string_view kApart[] = {"aten::unbind", "aten::split",        "aten::split_with_sizes",
                                         "aten::chunk",  "aten::tensor_split", "aten::stack"};
  std::set<uint32_t> threads;
  for (const uint32_t row : work.rows) {
    if (c.trace.gpu.call[row] != model::kNone) threads.insert(c.trace.host.thread[c.trace.gpu.call[row]]);
  }
  if (threads.size() > 1) return Plural(static_cast<double>(threads.size()), "host thread") + " launch them";
  for (const std::string_view name : kApart) {
    double count = 0;
    for (uint32_t row = 0; row < c.trace.host.size(); ++row) {
      const bool counts = c.trace.host.kind[row] == model::HostKind::kOperator && c.InWindow(row) &&
                          c.trace.HostDomain(row) == c.rank.link_domain && c.trace.HostName(row) == name;
      count += counts ? 1 : 0;
    }
    if (count < c.step_count()) continue;
    return std::string(name) + (name == "aten::stack" ? " puts parts together" : " takes a tensor apart") +
           " in each step";
  }
  return "";
}

// Each step's small kernels in `lanes` stretches of equal number, side by side.
WhatIf Spread(const Context& c, const Work& work, uint32_t lanes) {
  WhatIf change;
  size_t begin = 0;
  for (size_t step = 0; step < c.steps.steps.size() && begin < work.rows.size(); ++step) {
    const bool last = step + 1 == c.steps.steps.size();
    size_t end = begin;
    while (end < work.rows.size() && (last || c.trace.gpu.start_ns[work.rows[end]] < c.steps.steps[step + 1].begin_ns))
      ++end;
    const size_t each = (end - begin + lanes - 1) / lanes;
    // The first stretch stays on its stream.
    for (size_t i = begin + each; i < end; ++i)
      change.MoveToLane(work.rows[i], static_cast<uint32_t>((i - begin) / each) - 1);
    begin = end;
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  const model::Device* device = MainDevice(c);
  if (device == nullptr) return Clean();
  if (!device->sm_count || *device->sm_count == 0) return Clean();
  const Work work = FindWork(c, *device->sm_count);
  const int64_t total_ns = TotalNs(c, work.rows);
  const double per_step = static_cast<double>(work.rows.size()) / c.step_count();
  if (c.SharePct(total_ns) < kMinSharePct || per_step < kMinPerStep || c.busy_pct() < kMinBusyPct) return Clean();
  if (work.streams.size() != 1) return Clean();
  const std::string sign = SignOfParts(c, work);
  if (sign.empty() && (HasHostRows(c) || c.sim)) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const auto fit = static_cast<uint32_t>(*device->sm_count / std::max<uint64_t>(work.most_blocks, 1));

  Finding finding;
  finding.subject = ShortName(c, work.rows.front());
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "Kernels that use a part of the GPU run one after the other for " + Pct(*finding.share_pct) +
                  " of the step; if they are independent, they could run side by side";
  finding.evidence.push_back({Plural(per_step, "kernel") + " a step have at most " +
                                  Plural(static_cast<double>(work.most_blocks), "block") + ", the device has " +
                                  Plural(*device->sm_count, "multiprocessor") + "; all of them are on one stream",
                              c.Query("kernels --by geometry")});
  finding.evidence.push_back(
      {sign + ", so the work has parts; whether one needs the result of another a recording cannot show",
       c.Query("streams")});
  finding.actions.push_back(
      {"Where the parts are independent (experts, heads, models of an ensemble), join them into one batched product.",
       "y = torch.bmm(x, weights)   # [experts, n, k] x [experts, k, m] in place of a loop"});
  finding.actions.push_back({"Or give each part its own stream.",
                             "with torch.cuda.stream(streams[i]):\n    outputs[i] = "
                             "experts[i](x[i])\ntorch.cuda.current_stream().wait_stream(streams[i])"});
  finding.actions.push_back({"In CUDA C++: launch on several streams, joined by events.",
                             "expert<<<grid, block, 0, stream[i]>>>(...);  cudaEventRecord(done[i], stream[i]);  "
                             "cudaStreamWaitEvent(main, done[i]);"});
  finding.verify = "Record again: `warpscope streams` should show several busy streams that overlap.";
  finding.confidence = Confidence::kLow;
  finding.change = Spread(c, work, 2);
  const WhatIf none;
  const WhatIf high = Spread(c, work, std::clamp<uint32_t>(fit, 2, 8));
  return Conclude(c, std::move(finding), DeviceSide(c), &none, &high);
}

}  // namespace

extern const Rule kSerializedStreamsRule;
const Rule kSerializedStreamsRule = {
    "serialized_streams",
    Layer::kFramework,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "Work on one stream runs in order, even if nothing demands it. A kernel with few blocks leaves most of the GPU "
    "empty; others could run beside it if they were on other streams, or part of one larger launch."};

}  // namespace warpscope::rules

// activation_recompute: the forward pass is computed a second time within the backward pass (activation checkpointing).
// Trigger: operators with sequence numbers of their own (forward work) inside autograd nodes, or under a checkpoint's
// frames. Must not claim: that it can be dropped, unless recorded memory shows room for the activations; nor double
// backward (gradients of gradients), which also runs forward operators there.
#include "analysis/memory_usage.h"
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::HostKind;
using model::kNone;

constexpr double kMinSharePct = 2;

bool IsForwardOp(const model::HostTable& host, uint32_t row) {
  return host.kind[row] == HostKind::kOperator && host.forward_thread[row] == 0 &&
         host.correlation[row] != model::kNoId;
}

struct Recompute {
  std::vector<uint32_t> rows;                     // gpu rows launched by recomputed forward operators
  std::map<uint32_t, std::vector<uint32_t>> ops;  // outermost recomputed operators by thread, in order
  bool by_frames = false;                         // a checkpoint's own frame or node was seen
  size_t repeated = 0;                            // of those operators: also run in the forward pass
  size_t count = 0;
};

struct Chain {
  bool backward = false, checkpoint = false;
  uint32_t forward = kNone;  // outermost forward operator below the autograd node
};

Chain Classify(const Context& c, uint32_t call, PerName<bool (*)(std::string_view)>& is_checkpoint) {
  const model::HostTable& host = c.trace.host;
  Chain chain;
  for (uint32_t row = call; row != kNone; row = host.parent[row]) {
    if (is_checkpoint(host.name[row])) chain.checkpoint = true;
    if (host.kind[row] != HostKind::kOperator) continue;
    if (host.forward_thread[row] > 0) {
      chain.backward = true;
      // Frames and nodes of a checkpoint may lie further out.
    } else if (!chain.backward && IsForwardOp(host, row)) {
      chain.forward = row;
    }
  }
  return chain;
}

bool IsCheckpointName(std::string_view name) {
  return ContainsAny(name,
                     {"torch/utils/checkpoint.py", "CheckpointFunctionBackward", "recompute_fn", "_checkpoint_hook"});
}

// Rows launched by forward operators inside the backward pass.
Recompute FindRecompute(const Context& c) {
  Recompute found;
  PerName<bool (*)(std::string_view)> is_checkpoint(c.trace, IsCheckpointName);
  std::vector<uint8_t> forward_names(c.trace.strings.size(), 0);
  std::vector<std::pair<uint32_t, uint32_t>> rows;  // gpu row, outermost forward operator
  for (const uint32_t row : c.gpu_rows) {
    const uint32_t call = c.trace.gpu.call[row];
    if (call == kNone) continue;
    const Chain chain = Classify(c, call, is_checkpoint);
    if (chain.forward == kNone) continue;
    if (!chain.backward) {
      forward_names[c.trace.host.name[chain.forward]] = 1;
      continue;
    }
    found.by_frames |= chain.checkpoint;
    rows.push_back({row, chain.forward});
  }
  for (const auto& [row, op] : rows) {
    found.rows.push_back(row);
    auto& ops = found.ops[c.trace.host.thread[op]];
    if (!ops.empty() && ops.back() == op) continue;
    ops.push_back(op);
    ++found.count;
    found.repeated += forward_names[c.trace.host.name[op]];
  }
  return found;
}

WhatIf Change(const Context& c, const Recompute& found, bool with_host) {
  WhatIf change;
  for (const uint32_t row : found.rows) change.RemoveGpu(row);
  if (!with_host) return change;
  for (const auto& [thread, ops] : found.ops) {
    for (const uint32_t op : ops) change.ScaleHost(thread, c.trace.host.start_ns[op], c.trace.host.end_ns(op), 0);
  }
  return change;
}

struct Room {
  std::optional<double> free_bytes;  // of the device at its peak
  double total_bytes = 0;
};

Room FindRoom(const Context& c) {
  Room room;
  const model::Device* device = MainDevice(c);
  if (device == nullptr || !device->memory_bytes) return room;
  room.total_bytes = static_cast<double>(*device->memory_bytes);
  if (c.trace.memory.empty()) return room;
  const analysis::MemoryUsage usage = analysis::SummarizeMemory(c.index, c.scope(), &c.steps);
  for (const analysis::DeviceMemory& memory : usage.devices) {
    if (memory.device != c.device || !memory.absolute || !memory.peak_allocated_bytes) continue;
    room.free_bytes = room.total_bytes - static_cast<double>(*memory.peak_allocated_bytes);
  }
  return room;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const Recompute found = FindRecompute(c);
  const int64_t total_ns = TotalNs(c, found.rows);
  if (found.rows.empty() || c.SharePct(total_ns) < kMinSharePct) return Clean();
  // Without a checkpoint's own marks, the operators must be those of the forward pass.
  if (!found.by_frames && found.repeated * 10 < found.count * 8) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const Room room = FindRoom(c);

  Finding finding;
  const auto groups =
      GroupKernels(c, [&](uint32_t row) { return std::binary_search(found.rows.begin(), found.rows.end(), row); });
  finding.subject = groups.empty() ? "" : analysis::ShortKernelName(c.trace.Text(groups.front().name));
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "The forward pass is computed twice: repeating it in the backward pass takes " +
                  Pct(*finding.share_pct) + " of the step";
  finding.evidence.push_back({Count(c.CountPerStep(static_cast<double>(found.count))) +
                                  " forward operators a step run inside the backward pass, " +
                                  Ms(c.PerStepMs(total_ns)) + " of device time" +
                                  (found.by_frames ? ", called by torch.utils.checkpoint" : ""),
                              c.Query("ops")});
  if (room.free_bytes && room.total_bytes > 0) {
    finding.evidence.push_back(
        {Bytes(*room.free_bytes) + " of " + Bytes(room.total_bytes) + " device memory are free at the peak",
         c.Query("memory")});
  } else {
    finding.evidence.push_back(
        {"the recording does not say how much memory is free: this helps only if the activations fit",
         c.Query("memory")});
  }
  finding.actions.push_back(
      {"If memory allows, keep the activations: no checkpoint at all, or only for some of the layers.",
       "h = block(h)   # in place of checkpoint(block, h)"});
  finding.actions.push_back({"Or keep what is dear to compute (products, attention) and repeat only the cheap rest.",
                             "from torch.utils.checkpoint import create_selective_checkpoint_contexts\n"
                             "checkpoint(block, h, use_reentrant=False, \n           "
                             "context_fn=partial(create_selective_checkpoint_contexts, policy))"});
  finding.verify =
      "Record again with profile_memory=True: the forward kernels should run once a step and the peak stay below the "
      "device's memory.";
  const bool roomy = room.free_bytes && *room.free_bytes > 0.3 * room.total_bytes;
  finding.confidence = roomy ? Confidence::kHigh : Confidence::kLow;
  finding.change = Change(c, found, true);
  const WhatIf low = Change(c, found, false);
  return Conclude(c, std::move(finding), DeviceSide(c), &low);
}

}  // namespace

extern const Rule kActivationRecomputeRule;
const Rule kActivationRecomputeRule = {
    "activation_recompute",
    Layer::kFramework,
    Dimension::kCompute,
    Breadth::kSpecific,
    Evaluate,
    "Training needs the forward pass's intermediate results again in the backward pass. Checkpointing throws them away "
    "to "
    "save memory and computes them anew: about a third more work. With memory to spare that is a bad trade."};

}  // namespace warpscope::rules

// model_load: the recording is of a start-up: weights are read and uploaded. Trigger: no steady steps, many uploads of
// different tensors that nothing repeats, and little kernel time while they last. Must not claim: uploads of inputs in
// a loop (pageable_copy, data_loading), nor loading outside the counted window.
#include <algorithm>

#include "rules/application/loading.h"
#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::GapCause;
using analysis::WhatIf;
using model::CopyKind;
using model::kNone;

constexpr double kFirstTouchRatio = 1.1;  // reading into fresh pinned pages

// Reading costs what it costs (`host_ratio`: a faster format, several readers); the copies run at link speed beside it.
WhatIf Change(const Context& c, const ModelLoad& load, const LinkRate& rate, double host_ratio, bool overlapped) {
  WhatIf change;
  change.ScaleHost(load.thread, load.begin_ns, load.end_ns, host_ratio);
  for (const HostCopy& copy : load.copies) {
    if (overlapped) change.MoveToLane(copy.row, 0);
    change.SetGpuDuration(copy.row, PinnedNs(c, copy, rate));
    change.DropWait(c.trace.gpu.call[copy.row]);
    if (copy.blocking.sync_call != kNone) change.DropWait(copy.blocking.sync_call);
  }
  return change;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const auto found = FindModelLoad(c);
  if (!found) return Clean();
  const ModelLoad& load = *found;
  if (!c.sim) return AbstainNoSteps(c);
  const int64_t length_ns = load.end_ns - load.begin_ns;
  const LinkRate rate = PinnedRate(c, load.copies, CopyKind::kHostToDevice);
  int64_t read_ns = 0;
  for (const ThreadSpan& piece : SpansOf(c, {GapCause::kFileIo})) {
    read_ns +=
        std::max<int64_t>(0, std::min(piece.span.end_ns, load.end_ns) - std::max(piece.span.start_ns, load.begin_ns));
  }

  Finding finding;
  finding.share_pct = c.SharePct(length_ns);
  finding.subject = GroupByCaller(c, load.copies).front().caller;
  finding.title = "This is a start-up: reading and uploading " + Bytes(static_cast<double>(load.bytes)) +
                  " of weights takes " + Pct(*finding.share_pct) + " of the recorded time";
  finding.evidence.push_back({Plural(static_cast<double>(load.copies.size()), "tensor") +
                                  " are uploaded one after another in " + Ns(length_ns) + "; the link is busy for " +
                                  Ns(load.copy_ns) + " of that and could move them in " +
                                  Ns(Scaled(1, static_cast<double>(load.bytes) * 1e9 / rate.bytes_per_s)),
                              c.Query("copies")});
  if (read_ns > 0) finding.evidence.push_back({"reading files takes " + Ns(read_ns) + " of it", c.Query("gaps")});
  finding.evidence.push_back(
      {"no step repeats in this recording, so nothing is said about steady speed", c.Query("steps")});
  finding.actions.push_back(
      {"Read into pinned memory and upload in large pieces without waiting, so that reading and uploading overlap.",
       "from safetensors.torch import load_file\n"
       "state = load_file(\"model.safetensors\", device=\"cuda\")        # mapped, uploaded without a detour\n"
       "# or: staging = torch.empty(bytes, dtype=torch.uint8, pin_memory=True); file.readinto(...); "
       "copy_(non_blocking=True)"});
  finding.actions.push_back({"Avoid building the model twice: create it without memory and assign the loaded weights.",
                             "with torch.device(\"meta\"): model = Model()\nmodel.load_state_dict(torch.load(path, "
                             "mmap=True), assign=True)"});
  finding.verify = "Record the start-up again and compare its length.";
  finding.confidence = Confidence::kMedium;
  finding.change = Change(c, load, rate, 0.95, true);
  const WhatIf low = Change(c, load, rate, kFirstTouchRatio, false);
  const WhatIf high = Change(c, load, rate, 0.5, true);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kModelLoadRule;
const Rule kModelLoadRule = {
    "model_load",
    Layer::kApplication,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Before a model can work, its weights are read from disk and sent to the GPU. Read and sent piece by piece, one "
    "waits "
    "for the other; in large pieces and overlapped it takes as long as the slower of the two."};

}  // namespace warpscope::rules

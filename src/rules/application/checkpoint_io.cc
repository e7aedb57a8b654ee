// checkpoint_io: the loop stops to write files (checkpoints, journals, results). Trigger: file frames (torch.save,
// write, fsync) on a thread that feeds the device; without frames, bursts of many blocking downloads of different sizes
// with host work between them, which is what saving a state dict looks like. Must not claim: reading (model_load,
// data_loading), single result copies (d2h_copy), nor that the disk is slow.
#include <algorithm>
#include <set>

#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/framework/host_copies.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::GapCause;
using analysis::WhatIf;
using model::CopyKind;
using model::kNone;

constexpr size_t kMinTensors = 8;       // fewer are results, not a model
constexpr size_t kMinSizes = 3;         // layers differ: weights, biases, embeddings
constexpr double kMinHostShare = 0.2;   // of the burst: serialising and writing
constexpr int64_t kTailNs = 2'000'000;  // at least this long is the host busy after or between the copies

struct Save {
  uint32_t thread;
  int64_t start_ns, end_ns;
  std::vector<HostCopy> copies;
  uint32_t row = kNone;  // frame or call that stands for it
};

bool IsRead(std::string_view name) {
  return name.find("load") != std::string_view::npos || name.find("read") != std::string_view::npos;
}

// Stretches under file frames that write; pieces close to each other are one.
std::vector<Save> ByFrames(const Context& c) {
  constexpr int64_t kJoinNs = 1'000'000;
  std::vector<Save> saves;
  for (const ThreadSpan& piece : SpansOf(c, {GapCause::kFileIo})) {
    if (piece.span.row == kNone || IsRead(c.trace.HostName(piece.span.row))) continue;
    if (!saves.empty() && saves.back().thread == piece.thread && piece.span.start_ns - saves.back().end_ns < kJoinNs) {
      saves.back().end_ns = piece.span.end_ns;
    } else {
      saves.push_back({piece.thread, piece.span.start_ns, piece.span.end_ns, {}, piece.span.row});
    }
  }
  return saves;
}

// End of the last call that put work on the device before a row: packing starts there.
int64_t LastLaunchEndNs(const Context& c, uint32_t call) {
  const auto rows = c.trace.thread_rows[c.trace.host.thread[call]];
  for (uint32_t row = call; row-- > rows.begin && c.trace.host.end_ns(row) > c.begin_ns;) {
    if (c.index.is_call(row) && analysis::Issues(c.index.call_kind(row))) return c.trace.host.end_ns(row);
  }
  return c.trace.host.start_ns[call];
}

// First launch of the thread at or after a time; the window's end if there is none.
int64_t NextLaunchNs(const Context& c, uint32_t thread, int64_t from_ns) {
  const auto rows = c.trace.thread_rows[thread];
  const auto& starts = c.trace.host.start_ns;
  const auto first = std::lower_bound(starts.begin() + rows.begin, starts.begin() + rows.end, from_ns);
  for (auto row = static_cast<uint32_t>(first - starts.begin()); row < rows.end && starts[row] < c.end_ns; ++row) {
    if (c.index.is_call(row) && analysis::Issues(c.index.call_kind(row))) return starts[row];
  }
  return c.end_ns;
}

bool LooksLikeSaving(const Context& c, const Save& burst) {
  if (burst.copies.size() < kMinTensors) return false;
  std::set<uint64_t> sizes;
  int64_t blocked_ns = 0;
  for (const HostCopy& copy : burst.copies) {
    sizes.insert(copy.bytes.value_or(0));
    blocked_ns += std::max(copy.blocking.blocked_ns, c.trace.gpu.dur_ns[copy.row]);
  }
  const int64_t host_ns = burst.end_ns - burst.start_ns - blocked_ns;
  return sizes.size() >= kMinSizes && host_ns >= kTailNs &&
         static_cast<double>(host_ns) >= kMinHostShare * static_cast<double>(burst.end_ns - burst.start_ns);
}

// Runs of downloads with no other device work issued between them.
std::vector<Save> ByCopies(const Context& c, const std::vector<HostCopy>& copies) {
  std::vector<Save> bursts;
  int64_t next_launch_ns = INT64_MIN;
  for (const HostCopy& copy : copies) {
    const uint32_t call = c.trace.gpu.call[copy.row];
    const int64_t call_ns = c.trace.host.start_ns[call];
    if (copy.kind != CopyKind::kDeviceToHost || !copy.blocking.blocked) continue;
    const bool continues =
        !bursts.empty() && bursts.back().thread == c.trace.host.thread[call] && call_ns == next_launch_ns;
    if (!continues) bursts.push_back({c.trace.host.thread[call], LastLaunchEndNs(c, call), call_ns, {}, call});
    bursts.back().copies.push_back(copy);
    next_launch_ns = NextLaunchNs(c, c.trace.host.thread[call], c.trace.host.end_ns(call));
    bursts.back().end_ns = next_launch_ns;
  }
  std::erase_if(bursts, [&](const Save& burst) { return !LooksLikeSaving(c, burst); });
  return bursts;
}

void AttachCopies(const Context& c, const std::vector<HostCopy>& copies, std::vector<Save>& saves) {
  for (Save& save : saves) {
    for (const HostCopy& copy : copies) {
      const uint32_t call = c.trace.gpu.call[copy.row];
      const int64_t call_ns = c.trace.host.start_ns[call];
      if (c.trace.host.thread[call] == save.thread && call_ns >= save.start_ns && call_ns < save.end_ns)
        save.copies.push_back(copy);
    }
  }
}

// `rest_ratio` of the writing stays; the downloads stay too if `keep_copies` (a background thread still needs them).
WhatIf Change(const Context& c, const std::vector<Save>& saves, double rest_ratio, bool keep_copies) {
  WhatIf change;
  for (const Save& save : saves) {
    change.ScaleHost(save.thread, save.start_ns, save.end_ns, rest_ratio);
    if (keep_copies) continue;
    for (const HostCopy& copy : save.copies) {
      change.DropWait(c.trace.gpu.call[copy.row]);
      if (copy.blocking.sync_call != kNone) change.DropWait(copy.blocking.sync_call);
      change.RemoveGpu(copy.row);
    }
  }
  return change;
}

size_t StepsWith(const Context& c, const std::vector<Save>& saves) {
  std::set<size_t> steps;
  for (const Save& save : saves) {
    for (size_t i = 0; i < c.steps.steps.size(); ++i) {
      const analysis::Step& step = c.steps.steps[i];
      if (save.start_ns >= step.begin_ns && save.start_ns < step.end_ns) steps.insert(i);
    }
  }
  return steps.size();
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const std::vector<HostCopy> copies = HostCopies(c);
  std::vector<Save> saves = ByFrames(c);
  const bool by_frames = !saves.empty();
  if (by_frames) {
    AttachCopies(c, copies, saves);
  } else {
    saves = ByCopies(c, copies);
  }
  if (saves.empty()) return Clean();
  int64_t total_ns = 0;
  uint64_t bytes = 0;
  size_t tensors = 0;
  for (const Save& save : saves) {
    total_ns += save.end_ns - save.start_ns;
    tensors += save.copies.size();
    for (const HostCopy& copy : save.copies) bytes += copy.bytes.value_or(0);
  }
  if (c.SharePct(total_ns) < kMinGainPct) return Clean();
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(total_ns);
  const std::string frame = c.UserFrame(saves.front().row);
  finding.subject = by_frames ? (frame.empty() ? std::string(c.trace.HostName(saves.front().row)) : frame) : "";
  finding.title = (by_frames ? "Writing files stops the loop for " : "Saving tensors one by one stops the loop for ") +
                  Ms(c.PerStepMs(total_ns)) + " a step";
  finding.evidence.push_back({"it happens in " + Count(static_cast<double>(StepsWith(c, saves))) + " of " +
                                  Count(c.step_count()) + " steps and takes " +
                                  Ms(static_cast<double>(total_ns) / 1e6 / static_cast<double>(saves.size())) +
                                  " each time",
                              c.Query("gaps")});
  if (tensors * 2 >= saves.size() && tensors > 0) {
    finding.evidence.push_back({Plural(static_cast<double>(tensors) / static_cast<double>(saves.size()), "tensor") +
                                    " (" + Bytes(static_cast<double>(bytes) / static_cast<double>(saves.size())) +
                                    ") are copied to the host each time",
                                c.Query("copies")});
  }
  if (!by_frames) {
    finding.evidence.push_back(
        {"no Python frames were recorded; that it is saving is concluded from many blocking downloads of different "
         "sizes with host work between them",
         c.Query("copies")});
  }
  finding.actions.push_back(
      {"Save rarely, and leave the writing to a background thread that works on a copy in pinned memory.",
       "if step % 1000 == 0:\n"
       "    state = {k: v.to(\"cpu\", non_blocking=True) for k, v in model.state_dict().items()}; "
       "torch.cuda.synchronize()\n"
       "    threading.Thread(target=torch.save, args=(state, path)).start()\n"
       "# or: torch.distributed.checkpoint.async_save(model.state_dict(), checkpoint_id=path)"});
  finding.actions.push_back(
      {"Journals and results: collect in memory, write in a background thread, call fsync rarely.", ""});
  finding.verify = "Record again: no file access in `" + c.Query("gaps") + "` in ordinary steps.";
  finding.confidence = by_frames ? Confidence::kHigh : Confidence::kMedium;
  finding.change = Change(c, saves, 0.02, false);
  const WhatIf low = Change(c, saves, 0.1, true);
  const WhatIf high = Change(c, saves, 0, false);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kCheckpointIoRule;
const Rule kCheckpointIoRule = {
    "checkpoint_io",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "Saving a model copies every tensor to the host, packs it and writes it to disk. Done inside the loop, the GPU has "
    "nothing to do until the file is written."};

}  // namespace warpscope::rules

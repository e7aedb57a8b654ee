// memory_leak: device memory grows from step to step and never comes back. Trigger: the level that survives each step
// rises steadily, and so does the number of live blocks. Must not claim: warm-up that levels off, a saw-tooth, or one
// buffer that is meant to grow (a cache whose number of blocks stays the same: fragmentation looks at those).
// A leak costs no time until it ends the run, so no gain is predicted.
#include <algorithm>
#include <cmath>

#include "analysis/memory_usage.h"
#include "rules/application/live_blocks.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::DeviceMemory;
using analysis::GrowthShape;
using model::kNone;

constexpr double kMinBytesPerStep = 64 * 1024;
constexpr uint32_t kMinSteps = 3;
constexpr double kUrgentSteps = 100'000;  // a run of some hours meets the end

const DeviceMemory* Growing(const analysis::MemoryUsage& usage) {
  const DeviceMemory* most = nullptr;
  for (const DeviceMemory& memory : usage.devices) {
    if (memory.device == kNone || memory.growth.shape != GrowthShape::kRamp ||
        memory.growth.bytes_per_step < kMinBytesPerStep)
      continue;
    if (most == nullptr || memory.growth.bytes_per_step > most->growth.bytes_per_step) most = &memory;
  }
  return most;
}

Outcome Evaluate(const Context& c) {
  if (c.trace.memory.empty()) {
    if (c.source().profile_memory.value_or(false)) return Clean();
    return Abstain("no memory events were recorded",
                   "torch.profiler.profile(..., profile_memory=True), at least 4 steps");
  }
  if (c.steps.counted() < kMinSteps) {
    return Abstain("growth from step to step needs at least " + Count(kMinSteps) + " counted steps",
                   "more steps, with profile_memory=True");
  }
  const analysis::MemoryUsage usage = analysis::SummarizeMemory(c.index, c.scope(), &c.steps);
  const DeviceMemory* memory = Growing(usage);
  if (memory == nullptr) return Clean();
  const LiveBlocks blocks = CountLiveBlocks(c, memory->device);
  if (blocks.net_per_step < 0.5) return Clean();

  Finding finding;
  finding.title =
      "GPU memory grows by " + Bytes(memory->growth.bytes_per_step) + " with every step and is never given back";
  if (memory->growth.steps_to_full)
    finding.title += ": the run ends after about " + Count(std::floor(*memory->growth.steps_to_full)) + " more steps";
  finding.evidence.push_back({"the level that survives a step rose in " + Pct(100 * memory->growth.rising_ratio) +
                                  " of " + Count(c.steps.counted()) + " steps, by " +
                                  Bytes(memory->growth.low_bytes_per_step) + " to " +
                                  Bytes(memory->growth.high_bytes_per_step) + " a step",
                              c.Query("steps")});
  finding.evidence.push_back(
      {Count(blocks.net_per_step) + " more blocks a step stay alive than are freed", c.Query("ops")});
  if (blocks.largest_kept_row != kNone) {
    finding.subject = Place(c, blocks.largest_kept_row);
    if (!finding.subject.empty()) {
      finding.evidence.push_back({"the largest blocks that stay (" +
                                      Bytes(static_cast<double>(blocks.largest_kept_bytes)) + ") are made by " +
                                      finding.subject,
                                  c.Query("ops")});
    }
  }
  finding.evidence.push_back({"it costs hardly any time until memory is full, so no gain is predicted", ""});
  finding.actions.push_back({"Keep numbers, not tensors that hold their graph.",
                             "history.append(loss.detach())      # or loss.item() every N steps; not: total += loss"});
  finding.actions.push_back(
      {"In evaluation: no gradients, and move results off the device (or reduce them) as they come.",
       "with torch.inference_mode():\n    kept.append(model(x).argmax(-1).cpu())"});
  finding.verify = "Record again with profile_memory=True: the level after each step should stay the same.";
  finding.urgent = !memory->growth.steps_to_full || *memory->growth.steps_to_full < kUrgentSteps;
  finding.confidence = c.steps.counted() >= 5 ? Confidence::kHigh : Confidence::kMedium;
  return Found(std::move(finding));
}

}  // namespace

extern const Rule kMemoryLeakRule;
const Rule kMemoryLeakRule = {
    "memory_leak",
    Layer::kApplication,
    Dimension::kMemory,
    Breadth::kSpecific,
    Evaluate,
    "Memory stays in use as long as something refers to it. A list of losses keeps, with each loss, everything that "
    "was "
    "needed to compute it. The program runs at full speed until the memory is full, and then it dies."};

}  // namespace warpscope::rules

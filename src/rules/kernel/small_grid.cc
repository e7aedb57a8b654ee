// small_grid: a long kernel that starts fewer blocks than the device has multiprocessors, so most of it stands idle.
// Trigger: such kernels with a notable share of the step. Must not claim: anything about short kernels (they are
// launch bound), library products of small problems (small_batch), or communication, which uses few blocks by design.
#include <cmath>

#include "rules/build.h"
#include "rules/kernel/counter_join.h"
#include "rules/kernel/launch_shapes.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;

constexpr double kMinSharePct = 5;
constexpr int64_t kMinMeanNs = 15'000;
constexpr double kMaxFillRatio = 0.7;         // blocks / multiprocessors
constexpr double kMinFrameworkSharePct = 12;  // of the framework's own kernels, which are harder to change

std::vector<LaunchShape> SmallGrids(const Context& c, uint32_t sm_count) {
  auto shapes = NotableShapes(c, kMinSharePct, kMinMeanNs, "small_grid");
  std::erase_if(shapes, [&](const LaunchShape& shape) {
    const bool framework = ContainsAny(c.trace.Text(shape.name), {"at::native", "at_cuda_detail", "cudnn", "cub::"});
    if (framework && c.SharePct(shape.total_ns) < kMinFrameworkSharePct) return true;
    return shape.library || static_cast<double>(shape.waves.blocks) > kMaxFillRatio * sm_count;
  });
  return shapes;
}

// How much faster a full grid is. At most by the share of idle multiprocessors, and more if the blocks are small, as a
// full grid also puts several on each: by the share of idle threads. At least: a lone multiprocessor draws several
// times its fair share of memory bandwidth, so the others do not come on top in full.
struct Speedup {
  double low, point, high;
};
Speedup SpeedupOf(const Context& c, const LaunchShape& shape, double sm_count) {
  const model::LaunchConfig& config = c.trace.launch_configs[shape.config];
  const double blocks = static_cast<double>(shape.waves.blocks);
  const double threads = blocks * config.block[0] * config.block[1] * config.block[2];
  const double by_sms = sm_count / blocks;
  const double by_threads =
      std::max(by_sms, sm_count * MainDevice(c)->max_threads_per_sm.value_or(2048) / std::max(threads, 1.0));
  return {std::max(1.0, 0.2 * by_sms), std::max(1.0, 0.5 * std::sqrt(by_sms * by_threads)), 0.5 * by_threads};
}

enum class End : uint8_t { kLow, kPoint, kHigh };

WhatIf Change(const Context& c, const std::vector<LaunchShape>& shapes, double sm_count, End end) {
  const auto bandwidth = UsableBandwidth(MainPeaks(c));
  ShapeCache operands(c);
  WhatIf change;
  for (const LaunchShape& shape : shapes) {
    const Speedup range = SpeedupOf(c, shape, sm_count);
    const double speedup = end == End::kLow     ? range.low
                           : end == End::kPoint ? range.point
                                                : std::max(range.high, range.point);
    for (const uint32_t row : shape.rows) {
      const double old_ns = static_cast<double>(c.trace.gpu.dur_ns[row]);
      double ns = std::max(old_ns / speedup, 1.0 * kShortestKernelNs);
      const OpShapes* sizes = operands.Shapes(row);
      if (sizes != nullptr && bandwidth) ns = std::max(ns, sizes->input_bytes() / *bandwidth * 1e9);
      change.SetGpuDuration(row, static_cast<int64_t>(std::min(ns, old_ns)));
    }
  }
  return change;
}

// From launch data alone, of kernels without counters.
Outcome Guess(const Context& c) {
  const model::Device* device = MainDevice(c);
  if (device == nullptr) return Clean();
  if (!device->sm_count) {
    return Abstain("the recording does not say how many multiprocessors the device has",
                   "a recording with device properties (torch.profiler writes them)");
  }
  const auto shapes = SmallGrids(c, *device->sm_count);
  if (shapes.empty()) return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  const LaunchShape& worst = shapes.front();
  int64_t total_ns = 0;
  for (const LaunchShape& shape : shapes) total_ns += shape.total_ns;

  Finding finding;
  finding.subject = ShortName(c, worst.rows.front());
  finding.share_pct = c.SharePct(total_ns);
  finding.title = "A long kernel runs on " + Count(static_cast<double>(worst.waves.blocks)) + " of " +
                  Count(*device->sm_count) + " multiprocessors: the rest of the GPU idles for " +
                  Pct(*finding.share_pct) + " of the step";
  for (size_t i = 0; i < shapes.size() && i < 3; ++i) {
    const LaunchShape& shape = shapes[i];
    finding.evidence.push_back({ShortName(c, shape.rows.front()) + ": " +
                                    GeometryText(c.trace.launch_configs[shape.config]) + ", " + Ns(shape.mean_ns()) +
                                    " each, " + Pct(c.SharePct(shape.total_ns)) + " of the step",
                                c.Query("kernels --by geometry")});
  }
  const std::string place = Place(c, c.trace.gpu.call[worst.rows.front()]);
  if (!place.empty()) finding.evidence.push_back({"launched by " + place, c.Query("ops")});
  finding.actions.push_back(
      {"Cut the work into more blocks: reduce long rows in two stages, or put more rows into one call.",
       "part = x.view(rows, 512, -1).amax(-1)   # many blocks\ntop = part.amax(-1)                     # a short "
       "second stage"});
  finding.actions.push_back({"In CUDA C++: size the grid by the device, and let each block stride over the data.",
                             "int blocks = 8 * prop.multiProcessorCount;\nfor (size_t i = blockIdx.x * blockDim.x + "
                             "threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) ..."});
  finding.verify = "Record again: the grid should hold at least one block a multiprocessor, better several.";
  finding.confidence = Confidence::kMedium;
  const double sm_count = *device->sm_count;
  finding.change = Change(c, shapes, sm_count, End::kPoint);
  const WhatIf low = Change(c, shapes, sm_count, End::kLow);
  const WhatIf high = Change(c, shapes, sm_count, End::kHigh);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

Outcome Evaluate(const Context& c) { return WithCounters(c, "small_grid", Guess(c)); }

}  // namespace

extern const Rule kSmallGridRule;
const Rule kSmallGridRule = {"small_grid",
                             Layer::kKernel,
                             Dimension::kCompute,
                             Breadth::kSpecific,
                             Evaluate,
                             "A GPU is made of many multiprocessors, and a kernel is cut into blocks that are spread "
                             "over them. With fewer blocks "
                             "than multiprocessors, some get none and stand still while the others do all the work."};

}  // namespace warpscope::rules

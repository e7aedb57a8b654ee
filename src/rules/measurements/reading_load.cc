// What a monitoring log shows about the load: a link narrower than it can be, memory nearly full, a device that mostly
// waits.
#include <fmt/format.h>

#include "rules/measurements/device_case.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using model::ReadingName;

// With less free than this, one more large allocation fails; caching allocators come close to it on purpose.
constexpr double kFullPct = 95;
// A log with fewer looks or a shorter time is a moment.
constexpr size_t kMinLooks = 10;
constexpr int64_t kMinSpanNs = 10'000'000'000;
// Below this the device waited most of the time, whatever the reason.
constexpr double kLowLoadPct = 40;

std::optional<Hit> NarrowLink(const DeviceCase& device) {
  if (device.is_part || device.busy.empty()) return std::nullopt;
  double now = 0, most = 0;
  size_t looks = 0;
  for (const analysis::Look* look : device.busy) {
    const auto width = device.log.Value(*look, ReadingName::kPcieWidthCurrent);
    if (!width) continue;
    now = std::max(now, *width);
    ++looks;
  }
  most = device.Last(ReadingName::kPcieWidthMax).value_or(0);
  if (looks == 0 || now <= 0 || now >= most) return std::nullopt;
  return Hit{fmt::format("{}'s PCIe link has {} of {} lanes under load", device.who, Number(now), Number(most)),
             fmt::format("at most {} lanes in {}", Number(now), Plural(static_cast<double>(looks), "busy look")),
             most / now};
}

// Under load the generation is the highest that both ends can do; lower means a riser, a cable or a setting.
std::optional<Hit> SlowLink(const DeviceCase& device) {
  if (device.is_part || device.busy.empty()) return std::nullopt;
  double now = 0;
  for (const analysis::Look* look : device.busy)
    now = std::max(now, device.log.Value(*look, ReadingName::kPcieGenCurrent).value_or(0));
  const double most = device.Last(ReadingName::kPcieGenMax).value_or(0);
  if (now <= 0 || now >= most) return std::nullopt;
  return Hit{
      fmt::format("{}'s PCIe link runs at generation {} of {} under load", device.who, Number(now), Number(most)),
      fmt::format("at most generation {} while busy", Number(now)), most / now};
}

std::optional<Hit> MemoryFull(const DeviceCase& device) {
  const auto total = device.Last(ReadingName::kMemoryTotal);
  const auto used = device.Max(ReadingName::kMemoryUsed);
  if (!total || !used || *total <= 0) return std::nullopt;
  const double reserved = device.Last(ReadingName::kMemoryReserved).value_or(0);
  const double share = 100 * *used / std::max(1.0, *total - reserved);
  if (share < kFullPct) return std::nullopt;
  return Hit{fmt::format("{}'s memory is {} full", device.who, Pct(std::min(share, 100.0))),
             fmt::format("up to {} of {} used", Bytes(*used), Bytes(*total)), share};
}

std::optional<Hit> LowLoad(const DeviceCase& device) {
  const size_t looks = device.Count(ReadingName::kUtilizationGpu);
  const auto span_ns = device.log.span_ns();
  if (looks < kMinLooks || (span_ns && *span_ns > 0 && *span_ns < kMinSpanNs)) return std::nullopt;
  const auto mean = device.Mean(device.all(), ReadingName::kUtilizationGpu);
  if (!mean || *mean >= kLowLoadPct || device.busy.empty()) return std::nullopt;  // never busy: nobody used it
  const double busy_pct = 100.0 * static_cast<double>(device.busy.size()) / static_cast<double>(looks);
  return Hit{fmt::format("{} ran kernels only {} of the time", device.who, Pct(*mean)),
             fmt::format("utilisation {} on average over {} looks, {} of them with kernels", Pct(*mean),
                         Count(static_cast<double>(looks)), Pct(busy_pct)),
             100 - *mean};
}

}  // namespace

const std::vector<Check>& LoadChecks() {
  static const std::vector<Check> kChecks = {
      {"pcie_link_narrow", Dimension::kHardware, true, NarrowLink, "pcie",
       "Reseat the board, then check slot, riser and the slot's settings: copies between host and device are slower by "
       "that factor.",
       "nvidia-smi -q | grep -A3 'Link Width'", "All lanes under load.",
       "A PCIe link trains to as many lanes as work. An idle link may be narrower to save power; one under load may "
       "not."},
      {"pcie_link_slow", Dimension::kHardware, false, SlowLink, "pcie",
       "Check the slot's generation in the firmware settings, and risers and cables.",
       "nvidia-smi -q | grep -A5 'PCIe Generation'", "The highest generation under load.",
       "Each PCIe generation doubles the speed of a lane; an idle link goes down to save power."},
      {"memory_nearly_full", Dimension::kMemory, false, MemoryFull, "memory",
       "Find out who holds it: frameworks keep freed memory for themselves, so this may be a cache and no need. "
       "Smaller batches "
       "or a limit make room.",
       "torch.cuda.set_per_process_memory_fraction(0.9)", "Free memory under the same load.",
       "Monitors count what processes took from the driver, not what they use: PyTorch gives memory back only under "
       "pressure."},
      {"low_utilisation", Dimension::kLatency, false, LowLoad, "utilization",
       "Record a timeline: it shows what the device waits for (input data, Python, copies, other ranks).",
       "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])   # then: warpscope "
       "trace.json",
       "Utilisation of the same program.",
       "Utilisation is the share of time in which at least one kernel ran. Low means waiting; high does not mean that "
       "the "
       "device is used well."},
  };
  return kChecks;
}

}  // namespace warpscope::rules

#include "rules/shared_device.h"

#include <algorithm>

#include "analysis/monitor_match.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::IntervalSet;
using analysis::Window;

// NVML's utilisation is the share of the past sample period in which a kernel ran; the period is between a sixth of a
// second and a second (NVML API reference, nvmlUtilization_t). Both ends are tried, so that the program's own work is
// never counted too low.
constexpr int64_t kLongPeriodNs = 1'000'000'000, kShortPeriodNs = kLongPeriodNs / 6;
constexpr double kForeignPct = 30;  // points above the program's own work: more than periods that do not meet explain
constexpr double kHardlyPct = 1;
constexpr size_t kLeastLooks = 3;

// What the recorded processes work on the device, as one set, and the time that the recording covers. Devices meet by
// number: one of another machine makes the program's own work larger, so that less is said.
struct OwnWork {
  IntervalSet busy;
  Window covered{INT64_MAX, INT64_MIN};
};

OwnWork OwnWorkOn(const model::Trace& trace, int64_t device_id) {
  OwnWork own;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    own.covered.begin_ns = std::min(own.covered.begin_ns, trace.gpu.start_ns[row]);
    own.covered.end_ns = std::max(own.covered.end_ns, trace.gpu.end_ns(row));
    const uint32_t device = trace.streams[trace.gpu.stream[row]].device;
    if (device >= trace.devices.size() || trace.devices[device].id != device_id) continue;
    own.busy.Append(trace.gpu.start_ns[row], trace.gpu.end_ns(row));
  }
  return own;
}

bool MayMissWork(const model::Trace& trace) {
  for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
    if (entry.code == model::LedgerCode::kPartlyRecorded || entry.code == model::LedgerCode::kLostRecord) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> OtherProgramOnDevice(const Context& c) {
  if (c.trace.readings.empty() || c.device == model::kNone || MayMissWork(c.trace)) return std::nullopt;
  const OwnWork own = OwnWorkOn(c.trace, c.trace.devices[c.device].id);
  const std::vector<analysis::DeviceLog> logs = analysis::DeviceLogsOf(c.trace);
  const analysis::MonitorMatch match = analysis::MatchMonitor(c.trace, logs, c.device, own.covered);
  if (match.log == nullptr || !match.by_time) return std::nullopt;
  size_t looks = 0, foreign = 0;
  double seen_pct = 0, own_pct = 0;
  for (const analysis::Look* look : match.looks) {
    const auto load = match.log->Value(*look, model::ReadingName::kUtilizationGpu);
    if (!load || !look->time_ns) continue;
    const int64_t end_ns = *look->time_ns + match.shift_ns;
    if (end_ns - kLongPeriodNs < own.covered.begin_ns || end_ns > own.covered.end_ns) continue;
    double most_pct = 0;
    for (const int64_t period_ns : {kLongPeriodNs, kShortPeriodNs}) {
      const int64_t busy_ns = own.busy.LengthWithin(end_ns - period_ns, end_ns);
      most_pct = std::max(most_pct, 100.0 * static_cast<double>(busy_ns) / static_cast<double>(period_ns));
    }
    ++looks;
    seen_pct += *load, own_pct += most_pct;
    foreign += *load - most_pct >= kForeignPct ? 1 : 0;
  }
  if (looks < kLeastLooks || 2 * foreign < looks) return std::nullopt;
  const auto count = static_cast<double>(looks);
  const double mean_pct = own_pct / count;
  return "Another program works on this GPU: a monitor saw it busy " + Pct(seen_pct / count) + " of the time, " +
         (mean_pct < kHardlyPct ? "while the recorded program gave it hardly any work"
                                : "and the recorded work takes " + Pct(mean_pct) + " at most") +
         ". Recorded times of kernels and gaps hold its turns: record on a GPU that nobody else uses.";
}

}  // namespace warpscope::rules

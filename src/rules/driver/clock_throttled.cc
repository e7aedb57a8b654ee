// clock_throttled: the device ran below its highest clock during the recorded steps because heat, power, the machine's
// power brake or a setting held it down. Needs the recording's own samples of the device, or
// a monitor's log beside the timeline. Trigger: a reason for low clocks in
// at least a fifth of the looks taken meanwhile, and an SM clock at least 5 % below its maximum. Must not claim: that
// memory bound kernels gain (only the hopeful end scales them), nor that a power limit can be lifted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/monitor_match.h"
#include "rules/build.h"
#include "rules/kernel/device_work.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::DeviceLog;
using analysis::Look;
using analysis::WhatIf;
using model::ReadingName;

constexpr double kMinReasonPct = 20;     // of the looks: less is a moment
constexpr double kMaxClockRatio = 0.95;  // nearer to the maximum the loss is within the noise of kernels' times
constexpr double kBusyPct = 10;          // looks at an idle device say nothing: it lowers its clocks by itself

struct Reason {
  ReadingName name;
  std::string_view words, action, code;
};
constexpr std::array kReasons = {
    Reason{ReadingName::kThrottleHwThermal, "heat (by hardware)",
           "Improve the cooling: airflow, fans, intake temperature.", "nvidia-smi -q -d TEMPERATURE,PERFORMANCE"},
    Reason{ReadingName::kThrottleSwThermal, "heat", "Improve the cooling: airflow, fans, intake temperature.",
           "nvidia-smi -q -d TEMPERATURE,PERFORMANCE"},
    Reason{ReadingName::kThrottleThermal, "heat", "Improve the cooling: airflow, fans, intake temperature.", ""},
    Reason{ReadingName::kThrottleHwPowerBrake, "the machine's power brake",
           "Check the power supplies and the machine's power settings (BMC).", "nvidia-smi -q -d PERFORMANCE"},
    Reason{ReadingName::kThrottleHwSlowdown, "a slowdown by hardware", "Check power supply and cooling.",
           "nvidia-smi -q -d PERFORMANCE"},
    Reason{ReadingName::kThrottleAppClocks, "clocks that were set", "Take the clock setting back, if nobody needs it.",
           "nvidia-smi -rac; nvidia-smi -rgc"},
    Reason{ReadingName::kThrottleSwPowerCap, "the power limit",
           "Raise the power limit if it was set below its standard; else fewer or leaner operations (a smaller number "
           "format) draw less.",
           "nvidia-smi -q -d POWER"},
    Reason{ReadingName::kThrottlePower, "power", "Check the power limit.", ""},
};

struct Throttle {
  const Reason* reason = nullptr;
  double share_pct = 0, clock_mhz = 0, max_mhz = 0;
  size_t looks = 0;
  double ratio() const { return clock_mhz / max_mhz; }
};

bool IsIdle(const DeviceLog& log, const Look& look) {
  const auto load = log.Value(look, ReadingName::kUtilizationGpu);
  return load && *load < kBusyPct;
}

std::optional<double> ClockOf(const DeviceLog& log, const Look& look) {
  const auto sm = log.Value(look, ReadingName::kClockSm);
  return sm ? sm : log.Value(look, ReadingName::kClockGraphics);
}

// Absent: the looks do not tell the clock, its maximum, or any reason.
std::optional<Throttle> Measure(const analysis::MonitorMatch& match) {
  const DeviceLog& log = *match.log;
  Throttle found;
  std::array<size_t, kReasons.size()> active{};
  size_t told = 0, clocks = 0;
  for (const Look* look : match.looks) {
    if (IsIdle(log, *look)) continue;
    ++found.looks;
    if (const auto clock = ClockOf(log, *look)) found.clock_mhz += *clock, ++clocks;
    bool any = false;
    for (size_t i = 0; i < kReasons.size(); ++i) {
      const auto value = log.Value(*look, kReasons[i].name);
      any |= value.has_value();
      active[i] += value.value_or(0) != 0 ? 1 : 0;
    }
    told += any ? 1 : 0;
  }
  const auto max_sm = log.Last(ReadingName::kClockMaxSm);
  found.max_mhz = max_sm ? *max_sm : log.Last(ReadingName::kClockMaxGraphics).value_or(0);
  if (told == 0 || clocks == 0 || found.max_mhz <= 0) return std::nullopt;
  found.clock_mhz /= static_cast<double>(clocks);
  for (size_t i = 0; i < kReasons.size(); ++i) {
    const double share_pct = 100.0 * static_cast<double>(active[i]) / static_cast<double>(told);
    if (share_pct > found.share_pct) found.share_pct = share_pct, found.reason = &kReasons[i];
  }
  return found;
}

bool IsArithmetic(analysis::KernelCategory category) {
  return category == analysis::KernelCategory::kGemm || category == analysis::KernelCategory::kConvolution ||
         category == analysis::KernelCategory::kAttention;
}

// Kernels at the highest clock. `part`: how much of the loss comes back.
WhatIf Change(const Context& c, double ratio, double part, bool all_kernels) {
  WhatIf change;
  const double scale = 1 - part * (1 - ratio);
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
    const auto category = c.index.kernel_class(row).category;
    if (category == analysis::KernelCategory::kCommunication || (!all_kernels && !IsArithmetic(category))) continue;
    change.SetGpuDuration(row, static_cast<int64_t>(static_cast<double>(c.trace.gpu.dur_ns[row]) * scale));
  }
  return change;
}

constexpr const char* kRecord =
    "warpscope record -- PROGRAM   # samples the clocks; beside another recorder: nvidia-smi "
    "--query-gpu=timestamp,index,"
    "utilization.gpu,clocks.sm,clocks.max.sm,clocks_event_reasons.active --format=csv -lms 200 > smi.csv";
constexpr const char* kRecordLonger = "warpscope record -- PROGRAM   # a longer run";

bool HasOwnSamples(const Context& c) {
  return std::any_of(c.trace.readings.begin(), c.trace.readings.end(), [&](const model::Reading& reading) {
    return reading.time_ns && c.trace.sources[reading.source].format == "capture";
  });
}

std::string WhenText(const analysis::MonitorMatch& match) {
  if (!match.by_time) return "in the whole log (its times cannot be compared with the recording's)";
  if (match.shift_ns == 0) return "while the recording ran";
  const double hours = static_cast<double>(match.shift_ns) / 3.6e12;
  return fmt::format("while the recording ran (the log's clock taken as {:+g} hours off)", -hours);
}

Finding Describe(const Context& c, const analysis::MonitorMatch& match, const Throttle& throttle) {
  Finding finding;
  const std::string percent = Pct(100 * throttle.ratio());
  finding.title =
      fmt::format("The GPU ran at {} of its highest clock, held down by {}", percent, throttle.reason->words);
  finding.evidence.push_back({fmt::format("SM clock {} of {} MHz on average over {} {}; {} in {} of them",
                                          Count(std::round(throttle.clock_mhz)), Count(throttle.max_mhz),
                                          Plural(static_cast<double>(throttle.looks), "look"), WhenText(match),
                                          throttle.reason->words, Pct(throttle.share_pct)),
                              c.Query("readings --by time")});
  finding.evidence.push_back(
      {"arithmetic follows the clock, memory traffic hardly: the prediction scales products, convolutions and "
       "attention; its upper end all kernels",
       c.Query("kernels --by category")});
  finding.actions.push_back({std::string(throttle.reason->action), std::string(throttle.reason->code)});
  finding.verify = "Record again with the monitor: no reason is active, and the SM clock is near its maximum.";
  finding.confidence = match.by_time && throttle.looks >= 3 ? Confidence::kMedium : Confidence::kLow;
  return finding;
}

Outcome Evaluate(const Context& c) {
  if (c.trace.readings.empty())
    return Abstain("clocks are not in this recording; a monitor's log beside it tells them", kRecord);
  if (c.gpu_rows.empty()) return Clean();
  const std::vector<DeviceLog> logs = analysis::DeviceLogsOf(c.trace);
  const auto match = analysis::MatchMonitor(c.trace, logs, c.device, {c.device_begin_ns, c.device_end_ns});
  const bool own = HasOwnSamples(c);
  if (match.log == nullptr) return Abstain(match.problem, own ? kRecordLonger : kRecord);
  const auto throttle = Measure(match);
  if (!throttle)
    return own ? Abstain("no sample of the busy device tells its clock and what holds it down", kRecordLonger)
               : Abstain("the monitor's log lacks the SM clock, its maximum or the reasons at a busy moment", kRecord);
  if (throttle->reason == nullptr || throttle->share_pct < kMinReasonPct || throttle->ratio() > kMaxClockRatio)
    return Clean();
  if (!c.sim) return AbstainNoSteps(c);
  Finding finding = Describe(c, match, *throttle);
  finding.change = Change(c, throttle->ratio(), 1, false);
  const WhatIf low = Change(c, throttle->ratio(), 0.5, false);
  const WhatIf high = Change(c, throttle->ratio(), 1, true);
  return Conclude(c, std::move(finding), DeviceSide(c), &low, &high);
}

}  // namespace

extern const Rule kClockThrottledRule;
const Rule kClockThrottledRule = {"clock_throttled",
                                  Layer::kDriver,
                                  Dimension::kHardware,
                                  Breadth::kGeneral,
                                  Evaluate,
                                  "A GPU lowers its clock when it gets too hot or draws too much power, or because "
                                  "someone set it lower. All arithmetic "
                                  "slows down by the same factor, and nothing in the program's own timeline shows it."};

}  // namespace warpscope::rules

#include "analysis/monitor_match.h"

#include <cstdlib>

namespace warpscope::analysis {
namespace {

constexpr int64_t kEpochNs = 1'000'000'000'000'000'000;  // 2001: smaller times count from something else
constexpr int64_t kQuarterHourNs = 900'000'000'000;
constexpr int kMaxQuarters = 14 * 4;  // UTC+14 is the farthest zone

bool SameModel(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a.find(b) != std::string::npos || b.find(a) != std::string::npos;
}

bool IsPart(const model::Device& device) {
  return device.name.find(" MIG ") != std::string::npos || device.name.rfind("MIG ", 0) == 0;
}

// Looks whose shifted time lies in the window, give or take the sampling period.
std::vector<const Look*> LooksIn(const DeviceLog& log, Window window, int64_t shift_ns) {
  std::vector<const Look*> looks;
  for (const Look& look : log.looks) {
    if (!look.time_ns) continue;
    const int64_t time_ns = *look.time_ns + shift_ns;
    if (time_ns >= window.begin_ns - kSamplingNs && time_ns <= window.end_ns + kSamplingNs) looks.push_back(&look);
  }
  return looks;
}

bool HasEpochTimes(const DeviceLog& log) {
  for (const Look& look : log.looks) {
    if (look.time_ns) return *look.time_ns > kEpochNs && *look.time_ns < 4 * kEpochNs;
  }
  return false;
}

void MatchTime(Window window, MonitorMatch& match) {
  const bool comparable = HasEpochTimes(*match.log) && window.begin_ns > kEpochNs && window.end_ns < 4 * kEpochNs;
  if (!comparable) {
    for (const Look& look : match.log->looks) match.looks.push_back(&look);
    return;
  }
  // The nearest zone that makes them meet. A log that is longer than a quarter of an hour meets in several: then only
  // its times as they stand count.
  const bool unique = match.log->span_ns().value_or(0) < kQuarterHourNs / 2;
  for (int quarters = 0; quarters <= (unique ? kMaxQuarters : 0); ++quarters) {
    for (const int sign : {1, -1}) {
      const int64_t shift_ns = sign * quarters * kQuarterHourNs;
      match.looks = LooksIn(*match.log, window, shift_ns);
      if (match.looks.empty()) continue;
      match.by_time = true;
      match.shift_ns = shift_ns;
      return;
    }
  }
  match.log = nullptr;
  match.problem = "the monitor took no look while the recording ran";
}

}  // namespace

MonitorMatch MatchMonitor(const model::Trace& trace, const std::vector<DeviceLog>& logs, uint32_t device,
                          Window window) {
  MonitorMatch match;
  if (device == model::kNone || logs.empty()) {
    match.problem = "no monitor's log was given";
    return match;
  }
  const model::Device& wanted = trace.devices[device];
  std::vector<const DeviceLog*> whole, fitting;
  for (const DeviceLog& log : logs) {
    const model::Device& one = trace.devices[log.device];
    if (IsPart(one)) continue;
    if (log.device == device) {  // samples that the recording itself carries
      match.log = &log;
      MatchTime(window, match);
      return match;
    }
    whole.push_back(&log);
    if (one.id == wanted.id && SameModel(one.name, wanted.name)) fitting.push_back(&log);
  }
  if (whole.size() == 1 && SameModel(trace.devices[whole[0]->device].name, wanted.name)) fitting = whole;
  if (fitting.size() != 1) {
    match.problem = fitting.empty() ? "the monitor's log has no device like the recorded one"
                                    : "several devices of the monitor's logs may be the recorded one";
    return match;
  }
  match.log = fitting[0];
  MatchTime(window, match);
  return match;
}

}  // namespace warpscope::analysis

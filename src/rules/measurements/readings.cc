// What a monitoring log alone shows: what the devices did, and what of it proves a problem. It cannot tell why a
// program is slow, and says so with the command that can.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measurements/device_case.h"
#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::DeviceLog;
using model::ReadingName;

constexpr size_t kEvidenceShown = 4;  // devices named one by one
constexpr size_t kManyLooks = 10;     // fewer are a moment

// One finding for all devices that show the same.
std::optional<Finding> Judge(const Check& check, const std::vector<DeviceCase>& devices, const std::string& file) {
  std::vector<std::pair<Hit, const DeviceCase*>> hits;
  for (const DeviceCase& device : devices) {
    if (auto hit = check.look(device)) hits.emplace_back(std::move(*hit), &device);
  }
  if (hits.empty()) return std::nullopt;
  std::stable_sort(hits.begin(), hits.end(),
                   [](const auto& a, const auto& b) { return a.first.weight > b.first.weight; });
  Finding finding;
  finding.id = check.id;
  finding.layer = Layer::kDriver;
  finding.dimension = check.dimension;
  finding.title = hits[0].first.title;
  if (hits.size() > 1)
    finding.title += fmt::format(
        "; {} like it", hits.size() == 2 ? "one more is" : Count(static_cast<double>(hits.size() - 1)) + " more are");
  finding.subject = hits[0].second->who;
  for (size_t i = 0; i < hits.size() && i < kEvidenceShown; ++i) {
    finding.evidence.push_back({hits[i].second->who + ": " + hits[i].first.text,
                                fmt::format("warpscope readings {} --match {}", file, check.reading)});
  }
  // The commands are nvidia-smi's.
  const model::Vendor vendor = hits[0].second->trace.sources[hits[0].second->log.source].vendor;
  const bool nvidia = vendor == model::Vendor::kNvidia || vendor == model::Vendor::kUnknown;
  const auto fits = [&](std::string_view text) { return nvidia || text.find("nvidia-smi") == std::string_view::npos; };
  finding.actions.push_back({std::string(check.action), fits(check.code) ? std::string(check.code) : std::string()});
  finding.verify = fits(check.verify) ? check.verify : "A new log of the same load no longer shows it.";
  finding.concept_text = check.concept_text;
  const size_t looks = hits[0].second->Looks();
  finding.confidence = looks >= kManyLooks ? (check.is_fault ? Confidence::kHigh : Confidence::kMedium)
                       : check.is_fault    ? Confidence::kMedium
                                           : Confidence::kLow;
  return finding;
}

void Summarize(const DeviceCase& device, Verdict& verdict) {
  DeviceSummary summary;
  const model::Device& row = device.trace.devices[device.log.device];
  summary.name = row.name;
  summary.id = row.id;
  summary.busy_pct = device.Mean(device.all(), ReadingName::kUtilizationGpu);
  verdict.devices.push_back(std::move(summary));
}

std::string OfLimit(std::optional<double> value, std::optional<double> limit, std::string_view unit) {
  if (!value) return "";
  const std::string now = Number(std::round(*value));
  return limit ? fmt::format("{} of {} {}", now, Number(std::round(*limit)), unit) : fmt::format("{} {}", now, unit);
}

// "92 % utilisation, 612 of 700 W, 1,755 of 1,980 MHz, 61 C": while busy, or all of it if the device never was.
std::string StateText(const DeviceCase& device) {
  const bool busy = !device.busy.empty();
  const auto looks = busy ? device.busy : device.all();
  std::vector<std::string> parts;
  const auto add = [&](std::string text) {
    if (!text.empty()) parts.push_back(std::move(text));
  };
  if (const auto load = device.Mean(device.all(), ReadingName::kUtilizationGpu)) add(Pct(*load) + " utilisation");
  add(OfLimit(device.Mean(looks, ReadingName::kPowerDraw), device.Last(ReadingName::kPowerLimit), "W"));
  add(OfLimit(device.Mean(looks, ReadingName::kClockSm), device.Last(ReadingName::kClockMaxSm), "MHz"));
  add(OfLimit(device.Mean(looks, ReadingName::kTemperatureGpu), std::nullopt, "C"));
  if (const auto used = device.Max(ReadingName::kMemoryUsed)) {
    const auto total = device.Last(ReadingName::kMemoryTotal);
    add(Bytes(*used) + (total ? " of " + Bytes(*total) : std::string()) + " of memory");
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string NamedDevice(const DeviceCase& device) {
  const std::string& name = device.trace.devices[device.log.device].name;
  return name.empty() || device.is_part ? device.who : fmt::format("{} ({})", device.who, Short(name));
}

// Without a finding: what the devices did, in one sentence.
std::string PlainAnswer(const std::vector<DeviceCase>& devices) {
  const DeviceCase* busiest = nullptr;
  double most = -1;
  for (const DeviceCase& device : devices) {
    const double load = device.Mean(device.all(), ReadingName::kUtilizationGpu).value_or(0);
    if (load > most && !device.is_part) most = load, busiest = &device;
  }
  if (busiest == nullptr) return "The file describes devices; it holds no reading of what they did.";
  const size_t looks = busiest->Looks();
  const std::string state = StateText(*busiest);
  std::string answer = devices.size() > 1 ? fmt::format("{} devices; ", devices.size()) : "";
  answer += (devices.size() > 1 ? "the busiest, " : "") + NamedDevice(*busiest);
  if (state.empty())
    return answer + ": no load, power, clocks or errors were read, so nothing can be said about its health.";
  const bool knows_load =
      busiest->Count(ReadingName::kUtilizationGpu) > 0 || busiest->Count(ReadingName::kPowerDraw) > 0;
  answer += !busiest->busy.empty() ? " was at work" : knows_load ? " was idle" : " was seen (its load is not told)";
  answer += (looks > 1 ? fmt::format(" in {}", Plural(static_cast<double>(looks), "look")) : " in the one look taken") +
            ": " + state;
  return answer + ". No fault shows; why a program is slow, a monitor cannot tell.";
}

// What is worth knowing and no problem by itself.
std::string_view RecordCommand(model::Vendor vendor) {
  switch (vendor) {
    case model::Vendor::kAmd: return "rocprofv3 --sys-trace -- python train.py";
    case model::Vendor::kHuawei: return "torch_npu.profiler";
    case model::Vendor::kIntel: return "unitrace --chrome-call-logging --chrome-kernel-logging python train.py";
    default: return "nsys profile -t cuda,nvtx,osrt python train.py";
  }
}

void AddNotes(const model::Trace& trace, const std::vector<DeviceCase>& devices, Verdict& verdict) {
  size_t parts = 0, not_persistent = 0, capped = 0;
  for (const DeviceCase& device : devices) {
    parts += device.is_part ? 1 : 0;
    const bool on = device.Last(ReadingName::kPersistenceMode).value_or(1) != 0;
    not_persistent += on ? 0 : 1;
    const auto share = device.SharePct(device.busy, ReadingName::kThrottleSwPowerCap);
    capped += share.value_or(0) > 0 ? 1 : 0;
  }
  if (parts > 0) {
    verdict.notes.push_back(fmt::format("A device is split into {} (MIG): its utilisation is not told as a whole.",
                                        Plural(static_cast<double>(parts), "instance")));
  }
  if (not_persistent > 0) {
    verdict.notes.push_back(
        "Persistence mode is off: on Linux every first program pays seconds to load the driver "
        "(nvidia-smi -pm 1 keeps it loaded).");
  }
  if (trace.strings.Find("column_1") != model::kNoString || trace.strings.Find("column_2") != model::kNoString ||
      trace.strings.Find("column_3") != model::kNoString) {
    verdict.notes.push_back(
        "The table has no header: columns that the values do not name are called column_N and judged by nothing. "
        "Record "
        "without noheader.");
  }
  if (capped > 0)
    verdict.notes.push_back("The power limit was reached at times, which is how large devices work under full load.");
  verdict.notes.push_back(
      fmt::format("A monitor shows what the devices did, not why. To see why, record a timeline of the program "
                  "(torch.profiler, or: {}) and give both: warpscope TIMELINE LOG",
                  RecordCommand(trace.sources.front().vendor)));
}

}  // namespace

bool JudgeReadings(const model::Trace& trace, const std::string& file, Verdict& verdict) {
  if (trace.readings.empty()) return false;
  const std::vector<DeviceLog> logs = analysis::DeviceLogsOf(trace);
  std::vector<DeviceCase> devices;
  devices.reserve(logs.size());
  for (const DeviceLog& log : logs) devices.emplace_back(trace, log);
  for (const DeviceCase& device : devices) Summarize(device, verdict);
  for (const auto* checks : {&FaultChecks(), &ClockChecks(), &LoadChecks()}) {
    for (const Check& check : *checks) {
      if (auto finding = Judge(check, devices, file)) verdict.findings.push_back(std::move(*finding));
    }
  }
  if (verdict.findings.empty()) {
    verdict.answer = PlainAnswer(devices);
  } else {
    verdict.answer = verdict.findings.front().title + ".";
  }
  AddNotes(trace, devices, verdict);
  verdict.further = {"readings", "readings --by time"};
  return true;
}

}  // namespace warpscope::rules

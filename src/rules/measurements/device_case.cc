#include "rules/measurements/device_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Look;
using model::ReadingName;

// A device at work draws far more than an idle one (a tenth to a fifth of its limit).
constexpr double kBusyPowerRatio = 0.4;

// Kernels ran in the sampling period; where the tool does not tell, the power shows it.
bool IsBusy(const analysis::DeviceLog& log, const Look& look, std::optional<double> power_limit) {
  if (const auto used = log.Value(look, ReadingName::kUtilizationGpu)) return *used >= kBusyPct;
  if (const auto active = log.Value(look, ReadingName::kProfGraphicsActive)) return *active >= kBusyPct;
  const auto power = log.Value(look, ReadingName::kPowerDraw);
  return power && power_limit && *power >= kBusyPowerRatio * *power_limit;
}

std::string NameOfPart(const model::Device& device) {
  const size_t at = device.name.rfind("MIG ");
  return at == std::string::npos ? std::string() : device.name.substr(at);
}

}  // namespace

DeviceCase::DeviceCase(const model::Trace& of, const analysis::DeviceLog& device_log) : trace(of), log(device_log) {
  const model::Device& device = trace.devices[log.device];
  const model::Source& source = trace.sources[log.source];
  who = source.vendor == model::Vendor::kHuawei ? "NPU" : "GPU";
  if (device.id >= 0) who += fmt::format(" {}", device.id);
  const std::string part = NameOfPart(device);
  is_part = !part.empty();
  if (is_part) who += " " + part;
  if (trace.sources.size() > 1) who += " of " + source.path;
  const auto power_limit = log.Last(ReadingName::kPowerLimit);
  for (const Look& look : log.looks) {
    if (IsBusy(log, look, power_limit)) busy.push_back(&look);
  }
}

std::vector<const Look*> DeviceCase::all() const {
  std::vector<const Look*> looks;
  for (const Look& look : log.looks) looks.push_back(&look);
  return looks;
}

size_t DeviceCase::Looks() const {
  for (const ReadingName name : {ReadingName::kUtilizationGpu, ReadingName::kPowerDraw, ReadingName::kClockSm,
                                 ReadingName::kTemperatureGpu, ReadingName::kMemoryUsed}) {
    if (const size_t count = Count(name); count > 0) return count;
  }
  return 0;
}

size_t DeviceCase::Count(ReadingName name) const {
  return static_cast<size_t>(std::count_if(log.looks.begin(), log.looks.end(),
                                           [&](const Look& look) { return log.Value(look, name).has_value(); }));
}

std::optional<double> DeviceCase::SharePct(const std::vector<const Look*>& looks, ReadingName state) const {
  size_t known = 0, on = 0;
  for (const Look* look : looks) {
    const auto value = log.Value(*look, state);
    known += value ? 1 : 0;
    on += value.value_or(0) != 0 ? 1 : 0;
  }
  if (known == 0) return std::nullopt;
  return 100.0 * static_cast<double>(on) / static_cast<double>(known);
}

std::optional<double> DeviceCase::Mean(const std::vector<const Look*>& looks, ReadingName name) const {
  double sum = 0;
  size_t known = 0;
  for (const Look* look : looks) {
    const auto value = log.Value(*look, name);
    if (!value) continue;
    sum += *value;
    ++known;
  }
  if (known == 0) return std::nullopt;
  return sum / static_cast<double>(known);
}

std::optional<double> DeviceCase::Max(ReadingName name) const {
  std::optional<double> max;
  for (const Look& look : log.looks) {
    const auto value = log.Value(look, name);
    if (value && (!max || *value > *max)) max = value;
  }
  return max;
}

std::string Number(double value) { return Count(value); }

std::string InLooks(double share_pct, size_t looks) {
  return looks <= 1 ? "in the one look that tells it"
                    : fmt::format("in {} of {} looks", Pct(share_pct), Count(static_cast<double>(looks)));
}

}  // namespace warpscope::rules

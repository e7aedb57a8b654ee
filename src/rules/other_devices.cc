#include "rules/other_devices.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/device_time.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

constexpr double kNotablePoints = 15;
constexpr size_t kMostNamed = 8;

std::string Name(const model::Device& device) { return "GPU " + std::to_string(device.id); }

double BusyPct(const Context& c, uint32_t device) {
  const analysis::Scope scope{std::nullopt, device, {c.device_begin_ns, c.device_end_ns}};
  return c.SharePct(analysis::GpuIntervals(c.index, scope).length_ns());
}

// "A, B and C"
std::string Joined(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : i + 1 < items.size() ? ", " : " and ") + items[i];
  return text;
}

// One process alone lists the devices that it could use; a rank's list holds those of the other ranks too.
bool ListsItsOwn(const Context& c) {
  return c.index.ranks().size() == 1 && c.trace.sources.size() == 1 && c.source().world_size.value_or(1) <= 1 &&
         !c.rank.rank.value_or(0);
}

}  // namespace

std::string DeviceWords(const Context& context) {
  const auto& devices = context.trace.devices;
  const auto used = std::count_if(devices.begin(), devices.end(), [](const model::Device& d) { return d.used; });
  return used > 1 && context.device != model::kNone ? Name(devices[context.device]) : "The GPU";
}

std::optional<std::string> DevicesInTurns(const Context& c) {
  if (c.window_ns() <= 0) return std::nullopt;
  constexpr double kLeastPct = 10, kMostAtOncePct = 10, kLeastTogetherPct = 80;
  std::vector<std::string> names;
  analysis::IntervalSet any;
  int64_t sum_ns = 0;
  for (uint32_t device = 0; device < c.trace.devices.size(); ++device) {
    const analysis::Scope scope{c.rank.link_domain, device, {c.device_begin_ns, c.device_end_ns}};
    const analysis::IntervalSet busy = analysis::GpuIntervals(c.index, scope);
    if (c.SharePct(busy.length_ns()) < kLeastPct) continue;
    names.push_back(Name(c.trace.devices[device]));
    sum_ns += busy.length_ns();
    any = any.empty() ? busy : any.Union(busy);
  }
  const double together_pct = c.SharePct(any.length_ns());
  const double at_once_pct = c.SharePct(sum_ns - any.length_ns());
  if (names.size() < 2 || names.size() > kMostNamed || at_once_pct > kMostAtOncePct || together_pct < kLeastTogetherPct)
    return std::nullopt;
  return Joined(names) + " work in turns: one of them is busy " + Pct(together_pct) + " of the step, two at once " +
         Pct(at_once_pct) + ". Several smaller batches on their way at a time (pipeline parallelism) let them overlap.";
}

std::optional<std::string> OtherDevices(const Context& c) {
  if (c.device == model::kNone || c.window_ns() <= 0) return std::nullopt;
  const double own_pct = BusyPct(c, c.device);
  std::vector<std::string> busy, idle;
  for (uint32_t device = 0; device < c.trace.devices.size(); ++device) {
    const model::Device& other = c.trace.devices[device];
    if (device == c.device) continue;
    if (!other.used) {
      if (ListsItsOwn(c)) idle.push_back(Name(other));
      continue;
    }
    const double pct = BusyPct(c, device);
    if (std::abs(pct - own_pct) >= kNotablePoints) busy.push_back(Name(other) + " " + Pct(pct));
  }
  std::string text;
  if (!busy.empty() && busy.size() <= kMostNamed) {
    text = Name(c.trace.devices[c.device]) + " is busy " + Pct(own_pct) + " of this time, but " + Joined(busy) +
           ": the findings are about " + Name(c.trace.devices[c.device]) + ".";
  } else if (!busy.empty()) {
    text = Name(c.trace.devices[c.device]) + " is busy " + Pct(own_pct) + " of this time, and " + Count(busy.size()) +
           " others notably more or less: see " + c.Query("devices") + ".";
  }
  if (!idle.empty() && idle.size() <= kMostNamed) {
    text += (text.empty() ? "" : " ") + Joined(idle) + (idle.size() == 1 ? " was" : " were") +
            " there and got no work from this program.";
  }
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace warpscope::rules

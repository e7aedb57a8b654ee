// Looks: what the health checks ask of the readings of one device. [MT] Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine.h"

namespace warpscope::doctor {

// A device that works: clocks, link and power of an idle one say nothing.
inline constexpr double kBusyPct = 10;
inline bool IsBusy(const Look& look) { return look.Number(ReadingName::kUtilizationGpu).value_or(0) >= kBusyPct; }

// A reason for low clocks. Those that are a choice or mean "idle" are not among them.
struct Reason {
  ReadingName state;
  std::optional<ReadingName> time;  // counter, ns since the driver was loaded
  std::string_view words;
  enum class Kind : uint8_t { kHardwareHeat, kHeat, kBrake, kHardware, kPowerCap, kGroup } kind;
};
const std::vector<Reason>& Reasons();

// What a reason held down: over the looks in which it was active.
struct Throttle {
  const Reason* reason = nullptr;
  size_t looks = 0, active = 0;                    // with that reading; with the reason active
  std::optional<int64_t> since_ns;                 // time of the first of them, where the file tells times
  std::optional<double> clock_mhz, clock_max_mhz;  // median while active; the highest
  std::optional<double> time_ns;                   // its counter
  bool is_on = false;                              // in the last look

  std::optional<double> cost_pct() const;  // of the clock
};
// Those that were active at least once, worst kind first.
std::vector<Throttle> ThrottlesOf(const Gpu& gpu);

// How much a counter grew between looks with times; a counter that begins anew (a driver loaded again) grows from 0.
struct Growth {
  double count = 0, seconds = 0;
};
std::optional<Growth> GrowthOf(const Gpu& gpu, ReadingName counter);  // absent with less than two such looks
// A count as a rate: "12 a minute", "0.3 a day".
std::string RateText(double count, double seconds);

std::optional<double> Median(std::vector<double> values);
// GB/s of a link in one direction, after encoding (PCIe base specifications); 0 if unknown.
double PcieGbPerS(int generation, unsigned width);
std::string Duration(double ns);  // "12.3 s", "4 min"

}  // namespace warpscope::doctor

#include "doctor/physical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

// Of counters: an error every nanosecond for a quarter of an hour. Driver and firmware count to 32 bits, mostly; all
// ones of those are their word for "no value".
constexpr double kMostCount = 1e12, kAllOnes32 = 4294967295.0;

std::optional<PhysicalRange> RangeOfUnit(std::string_view unit) {
  // JEDEC's storage range begins at -65; silicon is rated to 150 at most (AEC-Q100 grade 0), GPUs turn off before 130.
  if (unit == "celsius") return PhysicalRange{-65, 150};
  // A superchip module of 2026 draws below 4 kW; a rack, which is no device, some hundred.
  if (unit == "watts") return PhysicalRange{0, 20000};
  // The data rate of GDDR7 that tools call a clock is 18 GHz; twice that and more is none.
  if (unit == "mhz") return PhysicalRange{0, 50000};
  // 64 TiB: more than a hundred times the largest device, 30 times a superchip with its host memory.
  if (unit == "bytes") return PhysicalRange{0, 70368744177664.0};
  if (unit == "bytes_per_s") return PhysicalRange{0, 1e15};
  // Fans may run beyond what counts as their full speed (NVML: nvmlDeviceGetFanSpeed), tiles are added up by some
  // tools.
  if (unit == "pct") return PhysicalRange{0, 800};
  if (unit == "volts") return PhysicalRange{0, 1000};
  if (unit == "ns") return PhysicalRange{0, 3.2e18};      // a hundred years
  if (unit == "joules") return PhysicalRange{0, 6.4e13};  // 20 kW for as long
  return std::nullopt;
}

}  // namespace

std::optional<PhysicalRange> PhysicalRangeOf(ReadingName name) {
  const model::ReadingInfo& info = model::InfoOf(name);
  if (info.kind == model::ReadingKind::kText || info.kind == model::ReadingKind::kState) return std::nullopt;
  switch (name) {
    case ReadingName::kPcieGenCurrent:
    case ReadingName::kPcieGenMax:
    case ReadingName::kPcieGenDeviceMax:
    case ReadingName::kPcieGenHostMax: return PhysicalRange{0, 8};  // 7 is the newest that PCI-SIG published
    case ReadingName::kPcieWidthCurrent:
    case ReadingName::kPcieWidthMax: return PhysicalRange{0, 32};  // the widest that PCIe knows
    case ReadingName::kNvlinkLinks:
    case ReadingName::kNvlinkLinksDown:
      return PhysicalRange{0, 1024};  // 18 a device of 2025
    // A device has 512 spare rows or less, and 64 pages to retire (NVIDIA: GPU memory error management).
    case ReadingName::kRemappedCorrectable:
    case ReadingName::kRemappedUncorrectable:
    case ReadingName::kPagesRetiredSingle:
    case ReadingName::kPagesRetiredDouble: return PhysicalRange{0, 65536};
    default: break;
  }
  if (const auto range = RangeOfUnit(info.unit)) return range;
  return PhysicalRange{0, kMostCount};
}

namespace {

struct Rejected {
  double first = 0;
  size_t count = 0;
};

bool CannotBe(ReadingName name, double value) {
  const auto range = PhysicalRangeOf(name);
  if (!range) return !std::isfinite(value);
  // Events are counted one by one.
  const bool is_part = model::InfoOf(name).kind == model::ReadingKind::kCounter && model::InfoOf(name).unit.empty() &&
                       value != std::floor(value);
  const bool is_blank = model::InfoOf(name).kind == model::ReadingKind::kCounter && value == kAllOnes32;
  return !(value >= range->least && value <= range->most) || is_blank || is_part;
}

void Reject(Value& value, Rejected& rejected) {
  if (rejected.count++ == 0) rejected.first = *value.number;
  value.number.reset();
  value.is_absent_word = value.is_impossible = true;
}

}  // namespace

void RejectImpossible(Machine& machine) {
  constexpr size_t kMostTold = 16, kMostFields = 10;
  // Tools round, and a device's own firmware is counted by some of them.
  constexpr double kMoreThanAll = 1.05;
  for (Gpu& gpu : machine.gpus) {
    std::map<ReadingName, Rejected> rejected;
    for (Look& look : gpu.looks) {
      for (auto& [name, value] : look.values) {
        if (value.number && CannotBe(name, *value.number)) Reject(value, rejected[name]);
      }
      const auto total = look.Number(ReadingName::kMemoryTotal);
      const auto used = look.values.find(ReadingName::kMemoryUsed);
      if (total && *total > 0 && used != look.values.end() && used->second.number.value_or(0) > *total * kMoreThanAll)
        Reject(used->second, rejected[ReadingName::kMemoryUsed]);
    }
    std::vector<std::string> fields;
    for (const auto& [name, one] : rejected) {
      const model::ReadingInfo& info = model::InfoOf(name);
      std::string text = fmt::format("{} {:.6g}", info.name, one.first);
      if (!info.unit.empty()) text += fmt::format(" {}", info.unit);
      if (one.count > 1) text += fmt::format(" ({} times)", one.count);
      fields.push_back(std::move(text));
    }
    if (fields.empty()) continue;
    if (machine.impossible.size() < kMostTold)
      machine.impossible.push_back(fmt::format("{}: {}", gpu.Label(), Joined(fields, kMostFields)));
    else ++machine.impossible_more;
  }
}

}  // namespace warpscope::doctor

#include "rules/measurements/kernel/sectors.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kActualToIdeal = 2;   // triage guide; the same as 16 of 32 bytes of a sector
constexpr double kWidestSectors = 16;  // of a request whose 32 threads read 16 bytes each, side by side
constexpr double kUsualSectors = 4;    // and 4 bytes each

std::optional<Sectors> BySource(const KernelCase& kernel) {
  const auto moved = kernel[Counter::kGlobalSectors], needed = kernel[Counter::kGlobalSectorsIdeal];
  if (!moved || !needed || !(*moved > 0)) return std::nullopt;
  Sectors sectors;
  sectors.moved = *moved;
  sectors.needed = std::min(*needed, *moved);
  sectors.how =
      fmt::format("{} sectors of global memory were moved where {} would do ({}, {})", Count(*moved), Count(*needed),
                  analysis::CounterName(Counter::kGlobalSectors), analysis::CounterName(Counter::kGlobalSectorsIdeal));
  return sectors;
}

std::optional<Sectors> ByBytes(const KernelCase& kernel) {
  Sectors sum;
  const auto add = [&](Counter sectors, Counter bytes, std::string_view what, double& needed) {
    const auto moved = kernel[sectors], used = kernel[bytes];
    if (!moved || !used || !(*moved > 0)) return;
    needed = *moved * std::clamp(*used / kSectorBytes, 0.0, 1.0);
    sum.moved += *moved;
    sum.needed += needed;
    sum.how += fmt::format("{}{} use {:.3g} of the 32 bytes of a sector ({})", sum.how.empty() ? "" : "; ", what, *used,
                           analysis::CounterName(bytes));
  };
  add(Counter::kLoadSectors, Counter::kLoadBytesPerSector, "loads", sum.loads_needed);
  add(Counter::kStoreSectors, Counter::kStoreBytesPerSector, "stores", sum.stores_needed);
  return sum.moved > 0 ? std::optional(sum) : std::nullopt;
}

// Without the width of the accesses: what exceeds the widest is surely too much, and then 4 bytes are the usual width.
std::optional<Sectors> ByRequests(const KernelCase& kernel) {
  Sectors sum;
  sum.is_guess = true;
  const auto add = [&](Counter sectors, Counter requests, Counter average, std::string_view what, double& needed) {
    const auto moved = kernel[sectors], asked = kernel[requests], per = kernel[average];
    const auto ratio = per ? per : moved && asked && *asked > 0 ? std::optional(*moved / *asked) : std::nullopt;
    if (!ratio) return;
    const double weight = moved.value_or(*ratio);
    needed = weight * (*ratio > kWidestSectors ? kUsualSectors / *ratio : 1);
    sum.moved += weight;
    sum.needed += needed;
    sum.how += fmt::format("{}{} move {:.3g} sectors a request", sum.how.empty() ? "" : "; ", what, *ratio);
  };
  add(Counter::kLoadSectors, Counter::kLoadRequests, Counter::kSectorsPerLoad, "loads", sum.loads_needed);
  add(Counter::kStoreSectors, Counter::kStoreRequests, Counter::kSectorsPerStore, "stores", sum.stores_needed);
  return sum.moved > 0 ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<Sectors> SectorsOf(const KernelCase& kernel) {
  std::optional<Sectors> sectors = ByBytes(kernel);
  if (!sectors) sectors = BySource(kernel);
  if (!sectors) sectors = ByRequests(kernel);
  return sectors;
}

bool IsScattered(const Sectors& sectors) {
  return sectors.needed > 0 && sectors.moved / sectors.needed >= kActualToIdeal;
}

}  // namespace warpscope::rules

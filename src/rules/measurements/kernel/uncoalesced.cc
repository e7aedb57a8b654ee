// Threads of a warp that read or write far apart: memory moves in sectors of 32 bytes, of which little is used.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kActualToIdeal = 2;      // triage guide; the same as 16 of 32 bytes of a sector
constexpr double kMemoryStalledPct = 50;  // of warp time: else memory does not set the pace
constexpr double kSectorBytes = 32;
constexpr double kWidestSectors = 16;  // of a request whose 32 threads read 16 bytes each, side by side

// Sectors moved, and those that the accessed bytes would need side by side.
struct Sectors {
  double moved = 0, needed = 0;
  std::string how;
};

std::optional<Sectors> BySource(const KernelCase& kernel) {
  const auto moved = kernel[Counter::kGlobalSectors], needed = kernel[Counter::kGlobalSectorsIdeal];
  if (!moved || !needed || !(*moved > 0)) return std::nullopt;
  return Sectors{
      *moved, std::min(*needed, *moved),
      fmt::format("{} sectors of global memory were moved where {} would do ({}, {})", Count(*moved), Count(*needed),
                  analysis::CounterName(Counter::kGlobalSectors), analysis::CounterName(Counter::kGlobalSectorsIdeal))};
}

std::optional<Sectors> ByBytes(const KernelCase& kernel) {
  Sectors sum;
  const auto add = [&](Counter sectors, Counter bytes, std::string_view what) {
    const auto moved = kernel[sectors], used = kernel[bytes];
    if (!moved || !used || !(*moved > 0)) return;
    sum.moved += *moved;
    sum.needed += *moved * std::clamp(*used / kSectorBytes, 0.0, 1.0);
    sum.how += fmt::format("{}{} use {:.3g} of the 32 bytes of a sector ({})", sum.how.empty() ? "" : "; ", what, *used,
                           analysis::CounterName(bytes));
  };
  add(Counter::kLoadSectors, Counter::kLoadBytesPerSector, "loads");
  add(Counter::kStoreSectors, Counter::kStoreBytesPerSector, "stores");
  return sum.moved > 0 ? std::optional(sum) : std::nullopt;
}

// Without the width of the accesses only what exceeds the widest is surely too much.
std::optional<Sectors> ByRequests(const KernelCase& kernel) {
  Sectors sum;
  const auto add = [&](Counter sectors, Counter requests, Counter average, std::string_view what) {
    const auto moved = kernel[sectors], asked = kernel[requests], per = kernel[average];
    const auto ratio = per ? per : moved && asked && *asked > 0 ? std::optional(*moved / *asked) : std::nullopt;
    if (!ratio) return;
    const double weight = moved.value_or(*ratio);
    sum.moved += weight;
    sum.needed += weight * std::min(1.0, kWidestSectors / std::max(*ratio, 1.0));
    sum.how += fmt::format("{}{} move {:.3g} sectors a request", sum.how.empty() ? "" : "; ", what, *ratio);
  };
  add(Counter::kLoadSectors, Counter::kLoadRequests, Counter::kSectorsPerLoad, "loads");
  add(Counter::kStoreSectors, Counter::kStoreRequests, Counter::kSectorsPerStore, "stores");
  return sum.moved > 0 ? std::optional(sum) : std::nullopt;
}

KernelOutcome Judge(const KernelCase& kernel) {
  std::optional<Sectors> sectors = BySource(kernel);
  if (!sectors) sectors = ByBytes(kernel);
  if (!sectors) sectors = ByRequests(kernel);
  if (!sectors) return Misses({Counter::kLoadSectors, Counter::kLoadBytesPerSector});
  if (!(sectors->needed > 0) || sectors->moved / sectors->needed < kActualToIdeal) return Silent();
  const auto memory = kernel[Counter::kMemoryPct];
  if (!memory && kernel.counters.stalls.empty()) return Misses({Counter::kMemoryPct});
  const double stalled = StalledPct(kernel, {"long_scoreboard", "lg_throttle", "drain"});
  if (memory.value_or(0) < kLowPct && stalled < kMemoryStalledPct) return Silent();

  Diagnosis diagnosis;
  const double waste = 1 - sectors->needed / sectors->moved;
  diagnosis.title = fmt::format(
      "its global memory accesses are scattered: {} of the sectors that it moves are not needed", Pct(100 * waste));
  diagnosis.evidence.push_back(sectors->how);
  if (memory) diagnosis.evidence.push_back(Shown(kernel, Counter::kMemoryPct, "%"));
  if (stalled > 0)
    diagnosis.evidence.push_back(fmt::format("warps wait for global memory {} of their time", Pct(stalled)));
  diagnosis.actions = {
      {"Let neighbouring threads access neighbouring addresses: structure of arrays, the fastest index on threadIdx.x, "
       "or a "
       "transposition through shared memory.",
       "// x[i * stride + field]: 32 threads touch 32 sectors\n"
       "// x[field * n + i]:      32 threads touch 4 sectors"}};
  diagnosis.waste_ratio = waste;
  // The units that move sectors have the needed part left to do, until another unit is the busiest.
  const double busiest = std::max({UsePct(kernel, Unit::kDram), UsePct(kernel, Unit::kL2), UsePct(kernel, Unit::kL1)});
  if (busiest > 0) {
    const double after = std::max(busiest * (1 - waste), UsePct(kernel, Unit::kCompute));
    diagnosis.time_ratio = std::clamp(after / std::max(busiest, UsePct(kernel, Unit::kCompute)), 0.0, 1.0);
    diagnosis.waste_ratio = 1 - *diagnosis.time_ratio;
  }
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kUncoalescedCause;
const KernelCause kUncoalescedCause = {
    .id = "uncoalesced",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "UncoalescedGlobalAccess|MemoryCacheAccessPattern",
    .concept_text =
        "Global memory moves in sectors of 32 bytes. When the 32 threads of a warp access 32 neighbouring "
        "4-byte values, 4 sectors carry them all; when they lie far apart, 32 sectors are moved and 28 of 32 "
        "bytes are thrown away.",
};

}  // namespace warpscope::rules

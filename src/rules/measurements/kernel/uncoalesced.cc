// Threads of a warp that read or write far apart: memory moves in sectors of 32 bytes, of which little is used. Must
// not claim: waste that caches absorb, or that something else hides.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kActualToIdeal = 2;  // triage guide; the same as 16 of 32 bytes of a sector
constexpr double kSectorBytes = 32;
constexpr double kWidestSectors = 16;  // of a request whose 32 threads read 16 bytes each, side by side
constexpr double kUsualSectors = 4;    // and 4 bytes each

// Sectors moved, and those that the accessed bytes would need side by side.
struct Sectors {
  double moved = 0, needed = 0;
  double loads_needed = 0, stores_needed = 0;  // 0 if not told apart
  bool is_guess = false;                       // the width of the accesses is not known
  std::string how;
};

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

// What the L2 has left to do: data fall with the sectors; tags and the way in count requests, one for each scattered
// sector and one for four neighbouring ones.
double L2Left(const KernelCase& kernel, const Pace& pace, double part) {
  const auto share = [&](Counter counter) { return kernel[counter].value_or(0) / 100; };
  const double data = std::max(share(Counter::kL2SectorsPct), share(Counter::kL2OutPct));
  const double requests = std::max(share(Counter::kL2TagsPct), share(Counter::kL2InPct));
  if (!(pace[Part::kL2] > 0) || data + requests == 0) return part;
  constexpr double kOfRequests = 1.25 / 4;  // a head for four sectors, and the sectors of stores
  return std::min(1.0, std::max(data * part, requests * part * kOfRequests) / pace[Part::kL2]);
}

// What the units behind the L1 have left to do. Sectors that a cache served cost the next unit nothing, and what the
// caches already make good is no waste of the DRAM's: it keeps at least the bytes that are needed.
Change Coalesced(const KernelCase& kernel, const Sectors& sectors, const Pace& pace) {
  Change change;
  const double part = sectors.needed / sectors.moved;
  const double missing = 1 - kernel[Counter::kL1LoadHitPct].value_or(0) / 100;
  change[Part::kL1] = part;
  change[Part::kLsu] = std::max(part, 0.5);
  change[Part::kL2] = L2Left(kernel, pace, missing > 0 ? std::min(1.0, part / missing) : 1);
  const auto read = kernel[Counter::kDramReadBytes], written = kernel[Counter::kDramWriteBytes];
  if (read && written && *read + *written > 0 && sectors.loads_needed + sectors.stores_needed > 0) {
    const double kept = std::min(*read, sectors.loads_needed * kSectorBytes) +
                        std::min(*written, std::max(sectors.stores_needed * kSectorBytes, *written * part));
    change[Part::kDram] = kept / (*read + *written);
  } else {
    change[Part::kDram] = missing > 0 ? std::min(1.0, part / missing) : 1;
  }
  return change;
}

KernelOutcome Judge(const KernelCase& kernel) {
  std::optional<Sectors> sectors = ByBytes(kernel);
  if (!sectors) sectors = BySource(kernel);
  if (!sectors) sectors = ByRequests(kernel);
  if (!sectors) return Misses({Counter::kLoadSectors, Counter::kLoadBytesPerSector});
  if (!(sectors->needed > 0) || sectors->moved / sectors->needed < kActualToIdeal) return Silent();
  const auto memory = kernel[Counter::kMemoryPct];
  if (!memory && kernel.counters.stalls.empty()) return Misses({Counter::kMemoryPct});
  const Pace pace = PaceOf(kernel);
  const auto ratio = TimeRatio(pace, Coalesced(kernel, *sectors, pace));
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format(
      "its global memory accesses are scattered: {} of the sectors that it moves are not needed{}",
      Pct(100 * (1 - sectors->needed / sectors->moved)), sectors->is_guess ? ", if threads access 4 bytes each" : "");
  diagnosis.evidence.push_back(sectors->how);
  if (memory) diagnosis.evidence.push_back(Shown(kernel, Counter::kMemoryPct, "%"));
  const double stalled = StalledPct(kernel, {"long_scoreboard", "lg_throttle", "drain"});
  if (stalled > 0)
    diagnosis.evidence.push_back(fmt::format("warps wait for global memory {} of their time", Pct(stalled)));
  diagnosis.actions = {
      {"Let neighbouring threads access neighbouring addresses: structure of arrays, the fastest index on threadIdx.x, "
       "or a "
       "transposition through shared memory.",
       "// x[i * stride + field]: 32 threads touch 32 sectors\n"
       "// x[field * n + i]:      32 threads touch 4 sectors"}};
  SetTimeRatio(diagnosis, *ratio);
  if (sectors->is_guess) diagnosis.confidence = Confidence::kLow;
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

// Threads of a warp that read or write far apart: memory moves in sectors of 32 bytes, of which little is used. Must
// not claim: waste that caches absorb, or that something else hides.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/measurements/kernel/sectors.h"
#include "rules/measurements/kernel/stalled_text.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

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

// AMD's tools count look-ups of cache lines, not bytes used. The widest accesses of a wave, 64 times 16 bytes, are 16
// lines of 64 bytes; rocprof-compute's workloads show two look-ups a line (64 neighbouring doubles: 16). More than 32
// are surely too many. (Its "Coalescing" is no sign: it says 25 %, the worst, of that same copy.)
constexpr double kWidestLines = 32;

KernelOutcome JudgeByLines(const KernelCase& kernel) {
  const auto lines = kernel[Counter::kLinesPerAccess];
  if (!lines) return Misses({Counter::kLinesPerAccess});
  if (*lines <= kWidestLines) return Silent();
  const auto memory = kernel[Counter::kMemoryPct], wait = kernel[Counter::kWaveWaitPct];
  if (!memory || !wait) return Misses({Counter::kMemoryPct, Counter::kWaveWaitPct});
  const double held_pct = std::max(*memory, *wait);
  if (*memory < kLowPct && *wait < kManyWaitsPct) return Silent();
  const double waste = (1 - kWidestLines / *lines) * std::min(1.0, held_pct / 100);
  if (waste < kWorthwhileShare) return Silent();
  Diagnosis diagnosis;
  diagnosis.title = fmt::format(
      "its global memory accesses are scattered: one of a warp looks up {:.3g} cache lines, where {} are enough for 16 "
      "bytes a thread",
      *lines, Count(kWidestLines));
  diagnosis.evidence = {Shown(kernel, Counter::kLinesPerAccess), Shown(kernel, Counter::kMemoryPct, "% of the busiest"),
                        Shown(kernel, Counter::kWaveWaitPct, "%")};
  diagnosis.actions = {
      {"Let neighbouring threads access neighbouring addresses: structure of arrays, the fastest index on threadIdx.x, "
       "or a transposition through shared memory.",
       "// x[i * stride + field]: 64 threads touch 64 cache lines\n"
       "// x[field * n + i]:      64 threads touch 4 cache lines"}};
  diagnosis.waste_ratio = waste;
  return Fires(std::move(diagnosis));
}

KernelOutcome Judge(const KernelCase& kernel) {
  if (!kernel.HasModel()) return JudgeByLines(kernel);
  const std::optional<Sectors> sectors = SectorsOf(kernel);
  if (!sectors) return Misses({Counter::kLoadSectors, Counter::kLoadBytesPerSector});
  if (!IsScattered(*sectors)) return Silent();
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
    diagnosis.evidence.push_back(fmt::format("warps wait for global memory {} of their time ({})", Pct(stalled),
                                             StalledText(kernel, {"long_scoreboard", "lg_throttle", "drain"})));
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
    .amd_concept_text =
        "Global memory moves in cache lines of 64 or 128 bytes. When the 64 threads of a wave access 64 neighbouring "
        "4-byte values, a few lines carry them all; when they lie far apart, each thread needs a line of its own, of "
        "which most is thrown away.",
};

}  // namespace warpscope::rules

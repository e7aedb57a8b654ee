// The same bytes are read from the DRAM again and again, because the L2 does not hold them from one use to the next.
// Must not claim: reuse that is not proven: one pass over large data misses the L2 as well, and nothing is wrong with
// it; what scattered accesses alone read again: a sector that comes once for each of its values is uncoalesced's.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/measurements/kernel/sectors.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kReread = 1.1;      // bytes read over all bytes that the process has on the device: surely read again
constexpr double kWasted = 1.5;      // bytes read over bytes asked for. Own threshold: neighbours need 1.0
constexpr double kHitPct = 60;       // of the L2's reads: more, and it works
constexpr double kTagsOfHit = 0.6;   // of the looks into the tags that a miss takes. Measured.
constexpr double kHitLatency = 0.4;  // of the DRAM's: 270 of 680 cycles
constexpr double kDramBusy = 0.5;    // of its peak: less, and something else sets the pace. Own threshold.

// Bytes that the SMs ask of the L2; absent if unknown.
std::optional<double> Asked(const KernelCase& kernel) {
  const auto sectors = kernel[Counter::kLoadSectors], hits = kernel[Counter::kL1LoadHitPct];
  if (!sectors || !hits) return std::nullopt;
  return *sectors * 32 * (1 - *hits / 100);
}

KernelOutcome Judge(const KernelCase& kernel) {
  const auto read = kernel[Counter::kDramReadBytes], reachable = kernel[Counter::kReachableBytes];
  const auto asked = Asked(kernel);
  if (!read || (!reachable && !asked)) return Misses({Counter::kDramReadBytes, Counter::kReachableBytes});
  const auto hits = kernel[Counter::kL2ReadHitPct] ? kernel[Counter::kL2ReadHitPct] : kernel[Counter::kL2HitPct];
  // Bytes that would still be read if neighbours read neighbours.
  const auto sectors = SectorsOf(kernel);
  const bool is_scattered = sectors && IsScattered(*sectors);
  const double kept = is_scattered ? sectors->needed / sectors->moved : 1;
  const bool rereads = reachable && *reachable > 0 && *read * kept >= kReread * *reachable;
  // Sectors of rows far apart: the DRAM hands out two at a time, and the second is gone before it is asked for.
  const bool wastes = !is_scattered && asked && *asked > 0 && *read >= kWasted * *asked;
  if ((!rereads && !wastes) || hits.value_or(0) > kHitPct) return Silent();
  const Pace pace = PaceOf(kernel);
  if (pace[Part::kDram] < kDramBusy) return Silent();
  // Read a few times at most, and from the L2 afterwards: sooner, and without a second look into its tags for a miss.
  const double written = kernel[Counter::kDramWriteBytes].value_or(0);
  Change change;
  change[Part::kDram] = (std::min(*read, reachable.value_or(*read) / 4) + written) / (*read + written);
  const auto share = [&](Counter counter) { return kernel[counter].value_or(0) / 100; };
  const double tags = std::max(share(Counter::kL2TagsPct), share(Counter::kL2SectorsPct)) * kTagsOfHit;
  const double data = std::max(share(Counter::kL2OutPct), share(Counter::kL2InPct));
  if (pace[Part::kL2] > 0 && tags + data > 0) change[Part::kL2] = std::min(1.0, std::max(tags, data) / pace[Part::kL2]);
  if (pace.cycles > 0) change.latency = pace.Alone("long_scoreboard", kHitLatency) / pace.Alone();
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      rereads
          ? fmt::format("it reads the same bytes from the DRAM again: {} from {} of memory, past the L2", Bytes(*read),
                        Bytes(*reachable))
          : fmt::format("it reads {} from the DRAM for {} that it asks for: rows leave the L2 before they are used up",
                        Bytes(*read), Bytes(*asked));
  diagnosis.evidence = {Shown(kernel, Counter::kDramReadBytes, "bytes")};
  if (rereads)
    diagnosis.evidence.push_back(
        Shown(kernel, Counter::kReachableBytes, "bytes: all that the process has on the device"));
  if (hits) diagnosis.evidence.push_back(Shown(kernel, Counter::kL2ReadHitPct, "%"));
  if (const auto size = kernel[Counter::kL2SizeBytes])
    diagnosis.evidence.push_back(fmt::format("the L2 holds {}", Bytes(*size)));
  diagnosis.actions = {
      {"Work in pieces that fit the L2: all passes over one piece before the next, blocks that share data side by "
       "side.",
       "for (int tile = 0; tile < tiles; ++tile)   // a tile of a quarter of the L2\n"
       "  for (int pass = 0; pass < passes; ++pass) work(tile, pass);"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kL2ThrashCause;
const KernelCause kL2ThrashCause = {
    .id = "l2_thrash",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "Memory|MemoryCacheAccessPattern|SOLBottleneck",
    .concept_text =
        "The L2 keeps what was used last, some tens of megabytes. Data that come back after more than that has passed "
        "through are fetched from the DRAM again, every time.",
};

}  // namespace warpscope::rules

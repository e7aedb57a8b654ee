// Neighbouring threads access neighbouring values of 1 to 4 bytes: each request carries 32 to 128 bytes where 512 are
// possible, and the way of requests is the limit, not the memory. Must not claim: anything where the DRAM is the
// busiest unit and sets the pace, where accesses are scattered (uncoalesced), where hardly any data move
// (latency_bound), or where instructions are the limit.
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kNarrowSectors = 4.5;  // a request: 32 values of 4 bytes, and a little misalignment
constexpr double kWidestSectors = 16;   // 32 values of 16 bytes
constexpr double kUsedBytes = 24;       // of a sector's 32: fewer, and the accesses are scattered
constexpr double kMovingRatio = 0.15;   // of the DRAM's peak, or half of the requests' way: data move. Own threshold.
// Instructions around an access (addresses, the loop) that one wide access needs as often as a narrow one. Own
// estimate.
constexpr double kAround = 6;

KernelOutcome Judge(const KernelCase& kernel) {
  const auto loads = kernel[Counter::kLoadRequests], stores = kernel[Counter::kStoreRequests];
  const auto load_sectors = kernel[Counter::kLoadSectors], store_sectors = kernel[Counter::kStoreSectors];
  if (!loads || !load_sectors) return Misses({Counter::kLoadRequests, Counter::kLoadSectors});
  const double requests = *loads + stores.value_or(0), sectors = *load_sectors + store_sectors.value_or(0);
  if (!(requests > 0) || sectors / requests > kNarrowSectors) return Silent();
  for (const Counter used : {Counter::kLoadBytesPerSector, Counter::kStoreBytesPerSector}) {
    if (kernel[used] && *kernel[used] > 0 && *kernel[used] < kUsedBytes) return Silent();
  }
  // Fewer threads than 32 in a request make it narrow too: divergence.
  constexpr double kFullThreads = 28;
  if (kernel[Counter::kThreadsPerInst] && *kernel[Counter::kThreadsPerInst] < kFullThreads) return Silent();
  const Pace pace = PaceOf(kernel);
  if (pace[Part::kDram] < kMovingRatio && std::max(pace[Part::kLsu], pace[Part::kL1]) < 0.5) return Silent();
  // Busy (triage guide), and it sets the pace: measured kernels that read and write 16 bytes a thread keep it 80 to 88
  // % busy, those of 4 bytes 68 to 73 %, so that wider accesses bring a tenth.
  if (100 * pace[Part::kDram] >= kLowPct) return Silent();
  // Where instructions are the limit, arithmetic is most of them, and that stays.
  for (const Part part : {Part::kIssue, Part::kFma, Part::kAlu, Part::kXu, Part::kFp64, Part::kTensor}) {
    if (100 * pace[part] >= kLowPct) return Silent();
  }
  const double times = std::max(1.0, kWidestSectors * requests / sectors);
  const double accesses = std::min(
      1.0, kAround * PerInstruction(kernel, Counter::kLoadRequests).value_or(0) * (requests / std::max(*loads, 1.0)));
  Change change;
  change.ScaleInstructions(1 - accesses * (1 - 1 / times));
  change[Part::kLsu] = std::max(1 / times, 0.25);
  // Of the wavefronts those of shared memory stay.
  const double all = Wavefronts(kernel).value_or(0), shared = kernel[Counter::kSharedWavefronts].value_or(0);
  const double others = all > 0 ? std::clamp(1 - shared / all, 0.0, 1.0) : 1;
  change[Part::kL1] = 1 - others * (1 - change[Part::kLsu]);
  change.latency = 1 - accesses * (1 - 1 / times);
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title =
      fmt::format("its accesses are narrow: {:.3g} bytes a thread, where 16 are possible", sectors / requests);
  diagnosis.evidence = {fmt::format("{:.3g} sectors of 32 bytes a request of 32 threads ({}, {})", sectors / requests,
                                    kernel.Name(Counter::kLoadSectors), kernel.Name(Counter::kLoadRequests))};
  if (kernel[Counter::kDramPct]) diagnosis.evidence.push_back(Shown(kernel, Counter::kDramPct, "%"));
  if (kernel[Counter::kIssueActive]) diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {{"Let each thread load and store 16 bytes at once.",
                        "float4 v = reinterpret_cast<const float4*>(in)[i];  // i counts groups of four; in aligned to "
                        "16 bytes"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kNarrowAccessCause;
const KernelCause kNarrowAccessCause = {
    .id = "narrow_access",
    .dimension = Dimension::kMemory,
    .judge = Judge,
    .tool_rules = "Memory|MemoryCacheAccessPattern",
    .concept_text =
        "A load instruction fetches 1 to 16 bytes for each thread. Sixteen times as many narrow loads take as many "
        "instructions and turns in the load/store unit for the same bytes, and keep fewer bytes on their way at a "
        "time.",
};

}  // namespace warpscope::rules

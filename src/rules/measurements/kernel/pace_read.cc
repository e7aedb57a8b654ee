// Pace from counters: units, waits and places of warps (PaceOf), and the counts that causes share.
#include <algorithm>
#include <cmath>

#include "rules/measurements/kernel/pace.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

// Cycles without a queue on recent devices: L1 and shared memory, L2, DRAM. Measured: chains of dependent loads of an
// H200 whose hit rates are known.
constexpr double kL1Cycles = 33, kL2Cycles = 270, kDramCycles = 680;
constexpr double kSharedCycles = 15;    // half of the latency: accesses are rarely used at once
constexpr double kConstantCycles = 30;  // of a constant that is indexed
constexpr double kXuPerCycle = 0.125;   // 16 lanes an SM (CUDA programming guide, arithmetic throughput)
// A launch that does nothing, and the ramp of one that does: measured, an H200 takes 1.5 to 2 us for an empty kernel,
// and SMs stand idle for 1.8 to 2.2 us of even kernels of any length.
constexpr double kRampNs = 2000;
// Until the next block's warps run where a block has ended: measured, 275 to 560 cycles of kernels whose blocks live
// for 600 to 5,000. What is empty beyond it waits for the other warps of a block, or is its ragged end.
constexpr double kStartCycles = 400;
constexpr double kLoads = 0.5;  // for each warp: fewer, and most warps have none
constexpr double kSchedulers = 4, kWarpThreads = 32;

double Share(std::optional<double> pct) { return std::clamp(pct.value_or(0) / 100, 0.0, 1.0); }

double PipeShare(const KernelCase& kernel, std::string_view name) {
  for (const analysis::Pipe& pipe : kernel.counters.pipes) {
    if (pipe.name == name) return Share(pipe.pct);
  }
  return 0;
}

double BusyRatio(const KernelCase& kernel) {
  const auto active = kernel[Counter::kCyclesActiveAvg], elapsed = kernel[Counter::kCyclesElapsed];
  if (!active || !elapsed || !(*elapsed > 0)) return 1;
  // Replayed passes differ where blocks are uneven: no SM works longer than the kernel takes.
  const double whole = std::max(*elapsed, kernel[Counter::kCyclesActiveMax].value_or(0));
  return std::clamp(*active / whole, 0.001, 1.0);
}

void ReadUnits(const KernelCase& kernel, Pace& pace) {
  const auto set = [&](Part part, double use) { pace.use[static_cast<size_t>(part)] = std::clamp(use, 0.0, 1.0); };
  set(Part::kDram, Share(kernel[Counter::kDramPct]));
  double l2 = 0;
  for (const Counter counter : {Counter::kL2SectorsPct, Counter::kL2TagsPct, Counter::kL2OutPct, Counter::kL2InPct})
    l2 = std::max(l2, Share(kernel[counter]));
  // The tool's throughput also counts work inside the cache that no request waits for.
  set(Part::kL2, l2 > 0 ? l2 : std::min(Share(kernel[Counter::kL2Pct]), UsePct(kernel, Unit::kL2) / 100));
  const auto data = kernel[Counter::kL1DataPct];
  const bool knows_memory = kernel[Counter::kDramPct] || data || kernel[Counter::kL1Pct] || pace[Part::kL2] > 0;
  if (!knows_memory) set(Part::kL2, Share(kernel[Counter::kMemoryPct]));
  set(Part::kL1, data ? Share(data) : UsePct(kernel, Unit::kL1) / 100 * pace.busy);
  set(Part::kLsu, std::max({Share(kernel[Counter::kLsuInPct]), Share(kernel[Counter::kWritebackPct]),
                            PipeShare(kernel, "lsu") * pace.busy}));
  const auto issue = kernel[Counter::kIssueActive];
  set(Part::kIssue, issue ? *issue * pace.busy : Share(kernel[Counter::kInstructionPct]));
  set(Part::kFma, PipeShare(kernel, "fma") * pace.busy);
  set(Part::kAlu, PipeShare(kernel, "alu") * pace.busy);
  set(Part::kXu, PipeShare(kernel, "xu") * pace.busy);
  set(Part::kFp64, PipeShare(kernel, "fp64") * pace.busy);
  set(Part::kTensor, std::max(Share(kernel[Counter::kTensorPct]), PipeShare(kernel, "tensor") * pace.busy));
  set(Part::kConstant, Share(kernel[Counter::kConstantPct]));
  set(Part::kAtomic, std::max(Share(kernel[Counter::kL2AtomicMaxPct]), Share(kernel[Counter::kL2AtomicPct])));
  // Where the parts are not known the sum stands for them.
  double known = 0;
  for (const Part part : {Part::kIssue, Part::kFma, Part::kAlu, Part::kXu, Part::kFp64, Part::kTensor})
    known = std::max(known, pace[part]);
  if (kernel.counters.pipes.empty()) set(Part::kIssue, std::max(known, Share(kernel[Counter::kComputePct])));
}

double LocalLatency(const KernelCase& kernel) {
  const auto sectors = kernel[Counter::kLocalLoadSectors], misses = kernel[Counter::kLocalLoadMisses];
  const double missing = sectors && misses && *sectors > 0 ? std::clamp(*misses / *sectors, 0.0, 1.0) : 0;
  return (1 - missing) * kL1Cycles + missing * kL2Cycles;
}

double AloneCycles(const KernelCase& kernel, const Pace& pace, std::string_view reason, double cycles) {
  // Turns at a busy unit, not latency.
  for (const std::string_view queue :
       {"not_selected", "math_pipe_throttle", "mio_throttle", "lg_throttle", "tex_throttle", "dispatch_stall"}) {
    if (reason == queue) return 0;
  }
  if (reason == "long_scoreboard") {
    double loads = PerInstruction(kernel, Counter::kLoadRequests).value_or(0) * LoadLatency(kernel);
    loads += PerInstruction(kernel, Counter::kAtomicRequests).value_or(0) * kL2Cycles;
    loads += PerInstruction(kernel, Counter::kLocalLoadRequests).value_or(0) * LocalLatency(kernel);
    // Without their number: the queue grows as the memory's use nears its peak.
    return loads > 0 ? std::min(cycles, loads) : cycles * (1 - std::max(pace[Part::kDram], pace[Part::kL2]));
  }
  if (reason == "short_scoreboard") {
    const double issue = kernel[Counter::kIssueActive].value_or(0);
    const auto shared = SharedPerInstruction(kernel);
    const auto constants = PerInstruction(kernel, Counter::kConstantRequests);
    if (!shared && !constants) return cycles * (1 - std::max(pace[Part::kL1], pace[Part::kXu]));
    double alone = shared.value_or(0) * kSharedCycles + std::min(1.0, constants.value_or(0)) * kConstantCycles;
    if (issue > 0) alone += PipeShare(kernel, "xu") * kXuPerCycle / issue * kSharedCycles;
    // Turns of an access at one bank are part of its own latency.
    alone += PerInstruction(kernel, Counter::kBankConflicts).value_or(0);
    return std::min(cycles, alone);
  }
  if (reason == "drain") return std::min(cycles, 1.0);
  return cycles;
}

void ReadWaits(const KernelCase& kernel, Pace& pace) {
  for (const analysis::Stall& stall : kernel.counters.stalls) {
    const double cycles = stall.cycles_per_issue;
    if (!(cycles > 0)) continue;
    pace.waits.push_back({stall.reason, cycles, AloneCycles(kernel, pace, stall.reason, cycles)});
    pace.cycles += cycles;
  }
}

// Warps that a scheduler gets in all; absent if unknown.
std::optional<double> WarpsInAll(const KernelCase& kernel) {
  const auto blocks = kernel[Counter::kGridSize], threads = kernel[Counter::kBlockSize],
             sms = kernel[Counter::kSmCount];
  if (!blocks || !threads || !sms || !(*blocks > 0) || !(*threads > 0) || !(*sms > 0)) return std::nullopt;
  return *blocks * std::ceil(*threads / kWarpThreads) / (*sms * kSchedulers);
}

// A place for a warp is taken for as long as the warp lives (Little's law), and then empty until the next one begins.
void ReadPlaces(const KernelCase& kernel, Pace& pace) {
  const auto there = kernel[Counter::kWarpsPerScheduler], cycles = kernel[Counter::kCyclesActiveAvg];
  const auto in_all = WarpsInAll(kernel);
  if (!there || !cycles || !in_all || !(*there > 0) || !(*cycles > 0)) return;
  const double life = *there * *cycles / *in_all;
  const auto possible = kernel[Counter::kTheoreticalOccupancyPct], achieved = kernel[Counter::kOccupancyPct];
  const auto waves = kernel[Counter::kWaves];
  double empty = 0;
  // In one wave no place is taken twice.
  if (possible && achieved && *achieved > 0 && waves && *waves > 1)
    empty = std::max(0.0, life * (*possible / *achieved - 1));
  pace.start = std::min(empty, kStartCycles) / (life + empty);
  const double loads = kernel[Counter::kLoadRequests].value_or(0) / (*in_all * kSchedulers);
  const auto sms = kernel[Counter::kSmCount];
  if (sms && loads / *sms >= kLoads) pace.load = std::min(1.0, LoadLatency(kernel) / (life + empty));
}

}  // namespace

Pace PaceOf(const KernelCase& kernel) {
  Pace pace;
  pace.is_known = kernel.HasModel();
  pace.busy = BusyRatio(kernel);
  ReadUnits(kernel, pace);
  ReadWaits(kernel, pace);
  ReadPlaces(kernel, pace);
  if (const auto ns = kernel[Counter::kDurationNs]; ns && *ns > 0) pace.ramp = std::min(1.0, kRampNs / *ns);
  pace.warps = kernel[Counter::kWarpsPerScheduler].value_or(0) * pace.busy;
  return pace;
}

std::optional<double> PerInstruction(const KernelCase& kernel, Counter count) {
  const auto value = kernel[count], executed = kernel[Counter::kInstExecuted];
  if (!value || !executed || !(*executed > 0)) return std::nullopt;
  return *value / *executed;
}

std::optional<double> SharedPerInstruction(const KernelCase& kernel) {
  if (const auto all = PerInstruction(kernel, Counter::kSharedInst)) return all;
  const auto loads = PerInstruction(kernel, Counter::kSharedLoads);
  if (loads) return *loads + PerInstruction(kernel, Counter::kSharedStores).value_or(0);
  const auto wavefronts = PerInstruction(kernel, Counter::kSharedWavefronts);
  if (!wavefronts) return std::nullopt;
  return std::max(0.0, *wavefronts - PerInstruction(kernel, Counter::kBankConflicts).value_or(0));
}

std::optional<double> Wavefronts(const KernelCase& kernel) {
  if (const auto counted = kernel[Counter::kWavefronts]) return counted;
  const auto pct = kernel[Counter::kL1DataPct], cycles = kernel[Counter::kCyclesElapsed];
  const auto sms = kernel[Counter::kSmCount];
  if (!pct || !cycles || !sms) return std::nullopt;
  return *pct / 100 * *cycles * *sms;  // one a cycle
}

double LoadLatency(const KernelCase& kernel) {
  const double l1 = Share(kernel[Counter::kL1LoadHitPct] ? kernel[Counter::kL1LoadHitPct] : kernel[Counter::kL1HitPct]);
  const double l2 = Share(kernel[Counter::kL2ReadHitPct] ? kernel[Counter::kL2ReadHitPct] : kernel[Counter::kL2HitPct]);
  return l1 * kL1Cycles + (1 - l1) * (l2 * kL2Cycles + (1 - l2) * kDramCycles);
}

}  // namespace warpscope::rules

// KernelCause: one reason why a kernel takes its time, judged from the counters of one profiled launch. The ids are
// those of the timeline's rules where both exist. A cause fires with numbers, stays silent, or names the metrics that
// it misses. Adding one: a file here, a line in causes.def, a test with three kinds (fires, silent, abstains).
// Thresholds: "Compute Triage Guide" of Nsight Compute's documentation; where a cause uses another one it says why.
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/amd_counters.h"
#include "analysis/counters.h"
#include "rules/finding.h"

namespace warpscope::rules {

// A profiled kernel as causes see it.
struct KernelCase {
  const analysis::KernelCounters& counters;
  const model::LaunchConfig* config = nullptr;  // null if unknown

  std::optional<double> operator[](analysis::Counter counter) const { return counters[counter]; }
  std::string_view Name(analysis::Counter counter) const { return analysis::CounterName(counter, counters); }
  // The model of a kernel's time (pace.h) is one of NVIDIA's devices and needs waits by reason. Where it does not hold
  // a finding stands on its sign and on the share of the kernel's time at stake, and promises no time.
  bool HasModel() const { return !counters.is_amd; }
};

struct Diagnosis {
  std::string title;                  // what is wrong, after the kernel's name: "its loads are scattered: ..."
  std::vector<std::string> evidence;  // sentences with metric names and values
  std::vector<Action> actions;
  double waste_ratio = 0;            // the part of the kernel's time in question, 0-1: ranks findings
  std::optional<double> time_ratio;  // time without it / time now, estimated; absent if the counters cannot tell
  Confidence confidence = Confidence::kMedium;
};

struct KernelOutcome {
  std::optional<Diagnosis> diagnosis;
  std::vector<std::string_view> missing;  // names of metrics without which nothing can be said
};

struct KernelCause {
  std::string_view id;
  Dimension dimension;
  // What a kernel at its limit or one that waits is called when no cause of waste was found in it.
  bool is_remainder = false;
  KernelOutcome (*judge)(const KernelCase& kernel);
  std::string_view tool_rules;  // Nsight Compute's rules about the same: "A|B"
  std::string_view concept_text;
  std::string_view amd_concept_text = {};  // where numbers or names differ beyond words (vendor_words.h)
};

// In the order of causes.def (sorted by id).
const std::vector<const KernelCause*>& AllKernelCauses();

// ---- Pieces.

inline KernelOutcome Silent() { return {}; }
inline KernelOutcome Misses(std::initializer_list<analysis::Counter> counters) {
  KernelOutcome outcome;
  for (const analysis::Counter counter : counters) {
    const std::string_view name = analysis::CounterName(counter);
    outcome.missing.push_back(name.empty() ? analysis::RocmName(counter) : name);
  }
  return outcome;
}
inline KernelOutcome MissesStalls() {
  return {std::nullopt, {"smsp__average_warps_issue_stalled_*_per_issue_active.ratio"}};
}
inline KernelOutcome Fires(Diagnosis diagnosis) { return {std::move(diagnosis), {}}; }

// Below: low use of a unit; above: high, its roof (triage guide).
inline constexpr double kLowPct = 60, kHighPct = 80;
// Without a model: the share of the kernel's time at stake that is worth a finding, the same tenth as with one.
inline constexpr double kWorthwhileShare = 0.1;
// Waves that wait so much of their time for memory are held up by it. Own threshold.
inline constexpr double kManyWaitsPct = 50;

enum class Unit : uint8_t { kCompute, kDram, kL2, kL1 };
std::string_view UnitText(Unit unit);  // "the DRAM"
struct UnitUse {
  Unit unit;
  double pct;  // of its peak; the DRAM's of what programs reach of it
};
// The units that are known, busiest first; near ties of memory units go to the one farther from the SM, which sets
// the pace of those before it.
std::vector<UnitUse> UnitsByUse(const KernelCase& kernel);
// Use of the busiest unit but `except`; 0 if there is none.
double NextUsePct(const KernelCase& kernel, Unit except);
double UsePct(const KernelCase& kernel, Unit unit);  // 0 if unknown

// Share of warp time spent waiting for any of the reasons.
double StalledPct(const KernelCase& kernel, std::initializer_list<std::string_view> reasons);
// Share of warp time spent waiting for latency of any kind: not issuing, not merely waiting for its turn or a busy
// pipe.
double LatencyPct(const KernelCase& kernel);

// "sm__throughput.avg.pct_of_peak_sustained_elapsed = 23.7 %"
std::string Shown(const KernelCase& kernel, analysis::Counter counter, std::string_view unit = {});

}  // namespace warpscope::rules

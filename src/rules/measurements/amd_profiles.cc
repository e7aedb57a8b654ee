// What counters of AMD's tools show of a kernel beside its causes: traffic, hits, and those numbers that a cause would
// judge but for another one that was not counted. Claims nothing about a step.
#include "rules/measurements/amd_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/kernel_name.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

constexpr size_t kShownKernels = 3;
constexpr double kFewLanesPct = 70, kManyConflictsPct = 20;

struct Mean {
  double sum = 0, weight = 0;
  std::optional<double> value() const { return weight > 0 ? std::optional(sum / weight) : std::nullopt; }
};

// All launches of one kernel in one geometry.
struct Totals {
  double memory_bytes = 0;
  uint64_t memory_launches = 0;
  int64_t memory_ns = 0;
  std::map<std::string_view, Mean> means;
  std::optional<double> mean(std::string_view metric) const {
    const auto it = means.find(metric);
    return it == means.end() ? std::nullopt : it->second.value();
  }
};

void AddProfile(const model::Trace& trace, const model::KernelProfile& profile, Totals& totals) {
  const int64_t dur_ns = profile.dur_ns.value_or(0);
  double read = -1, written = -1;
  for (uint32_t row = profile.metric_begin; row < profile.metric_end; ++row) {
    const model::Metric& metric = trace.metrics[row];
    const double* value = std::get_if<double>(&metric.value);
    if (value == nullptr) continue;
    const std::string_view name = trace.Text(metric.name);
    if (name == "memory_read_bytes") read = *value;
    if (name == "memory_write_bytes") written = *value;
    for (const std::string_view wanted :
         {"l2_hit_pct", "valu_active_lanes_pct", "lds_bank_conflict_pct", "wave_wait_pct"}) {
      if (name != wanted) continue;
      const double weight = static_cast<double>(std::max<int64_t>(dur_ns, 1));
      totals.means[wanted].sum += *value * weight;
      totals.means[wanted].weight += weight;
    }
  }
  if (read < 0 || written < 0 || dur_ns <= 0) return;
  totals.memory_bytes += read + written;
  totals.memory_ns += dur_ns;
  ++totals.memory_launches;
}

std::string Describe(const model::Trace& trace, const JudgedKernel& kernel) {
  Totals totals;
  for (const uint32_t row : kernel.group.profiles) AddProfile(trace, trace.kernel_profiles[row], totals);
  std::vector<std::string> facts;
  const auto judged = [&](std::string_view cause) { return kernel.judged.contains(cause); };
  if (totals.memory_ns > 0)
    facts.push_back(fmt::format("moves {} a launch between L2 and memory at {} GB/s",
                                Bytes(totals.memory_bytes / static_cast<double>(totals.memory_launches)),
                                Count(totals.memory_bytes / static_cast<double>(totals.memory_ns))));
  if (const auto hit = totals.mean("l2_hit_pct")) facts.push_back("hits L2 in " + Pct(*hit) + " of its requests");
  if (const auto wait = totals.mean("wave_wait_pct"); wait && !judged("latency_bound"))
    facts.push_back("its waves wait " + Pct(*wait) + " of their time");
  if (const auto lanes = totals.mean("valu_active_lanes_pct"); lanes && *lanes < kFewLanesPct && !judged("divergence"))
    facts.push_back("only " + Pct(*lanes) +
                    " of the lanes of a wave work in vector instructions (threads take different ways)");
  if (const auto conflicts = totals.mean("lds_bank_conflict_pct");
      conflicts && *conflicts >= kManyConflictsPct && !judged("bank_conflict"))
    facts.push_back("LDS accesses wait for each other's banks in " + Pct(*conflicts) + " of their cycles");
  std::string text;
  for (size_t i = 0; i < facts.size(); ++i) text += (i == 0 ? "" : i + 1 == facts.size() ? ", and " : ", ") + facts[i];
  return text;
}

}  // namespace

std::vector<std::string> AmdNotes(const model::Trace& trace, const std::vector<JudgedKernel>& kernels) {
  std::vector<std::string> notes;
  for (size_t i = 0; i < kernels.size() && i < kShownKernels; ++i) {
    const std::string facts = kernels[i].is_amd ? Describe(trace, kernels[i]) : std::string();
    const std::string_view name = trace.Text(trace.kernel_profiles[kernels[i].group.typical].name);
    if (!facts.empty()) notes.push_back(analysis::ShortKernelName(name) + ": it " + facts + ".");
  }
  notes.push_back(
      "Counters of one kernel may come from several runs of the program, and their times from yet another one. The "
      "causes promise no kernel time: AMD's tools count no waits by reason.");
  return notes;
}

}  // namespace warpscope::rules

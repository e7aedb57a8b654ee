// What counters of AMD's tools alone show: for the kernels with most time, the metrics that the importers derived,
// against the measured peaks of the same folder (rocprof-compute's roofline.csv) where they are there. Claims nothing
// about a step.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

constexpr size_t kShownKernels = 3;
constexpr double kMemoryBoundPct = 60;  // of the measured peak: little more is left for streaming kernels
constexpr double kManyWaitsPct = 50, kFewLanesPct = 70, kManyConflictsPct = 20;

struct Mean {
  double sum = 0, weight = 0;
  std::optional<double> value() const { return weight > 0 ? std::optional(sum / weight) : std::nullopt; }
};

// All launches of one kernel.
struct Kernel {
  model::StringId name = model::kNoString;
  uint64_t launches = 0;
  int64_t dur_ns = 0;
  double memory_bytes = 0;
  int64_t memory_ns = 0;  // of the launches whose bytes are known
  std::map<std::string_view, Mean> means;
  std::optional<double> mean(std::string_view metric) const {
    const auto it = means.find(metric);
    return it == means.end() ? std::nullopt : it->second.value();
  }
};

void AddProfile(const model::Trace& trace, const model::KernelProfile& profile, Kernel& kernel) {
  kernel.name = profile.name;
  ++kernel.launches;
  const int64_t dur_ns = profile.dur_ns.value_or(0);
  kernel.dur_ns += dur_ns;
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
      kernel.means[wanted].sum += *value * weight;
      kernel.means[wanted].weight += weight;
    }
  }
  if (read < 0 || written < 0 || dur_ns <= 0) return;
  kernel.memory_bytes += read + written;
  kernel.memory_ns += dur_ns;
}

// Bytes a second between L2 and memory: what a micro benchmark reached, else the data sheet; 0 if the folder has
// neither.
std::pair<double, std::string_view> Peak(const model::Trace& trace) {
  std::pair<double, std::string_view> peak{0, ""};
  for (const model::Reading& reading : trace.readings) {
    if (!reading.value) continue;
    const std::string_view name = trace.Text(reading.name);
    if (name == "measured peak HBMBw") return {*reading.value * 1e9, "of the measured peak"};
    if (name == "memory bandwidth, data sheet") peak = {*reading.value * 1e9, "of the data sheet's bandwidth"};
  }
  return peak;
}

std::string Describe(const Kernel& kernel, std::pair<double, std::string_view> peak) {
  std::vector<std::string> facts;
  bool has_room = false;  // memory is known not to be the limit
  if (kernel.memory_ns > 0) {
    const double rate = kernel.memory_bytes * 1e9 / static_cast<double>(kernel.memory_ns);
    std::string fact =
        fmt::format("moves {} a launch between L2 and memory at {} GB/s",
                    Bytes(kernel.memory_bytes / static_cast<double>(kernel.launches)), Count(rate / 1e9));
    if (peak.first > 0) {
      const double pct = 100 * rate / peak.first;
      fact += fmt::format(", {} {}", Pct(pct), peak.second);
      has_room = pct < kMemoryBoundPct;
      if (!has_room) fact += " (memory bound: only fewer bytes make it faster)";
    }
    facts.push_back(std::move(fact));
  }
  if (const auto hit = kernel.mean("l2_hit_pct")) facts.push_back("hits L2 in " + Pct(*hit) + " of its requests");
  if (const auto wait = kernel.mean("wave_wait_pct")) {
    facts.push_back("its waves wait " + Pct(*wait) + " of their time" +
                    (has_room && *wait >= kManyWaitsPct
                         ? " (more waves on a compute unit, or more loads in flight, hide that)"
                         : ""));
  }
  if (const auto lanes = kernel.mean("valu_active_lanes_pct"); lanes && *lanes < kFewLanesPct)
    facts.push_back("only " + Pct(*lanes) +
                    " of the lanes of a wave work in vector instructions (threads take different ways)");
  if (const auto conflicts = kernel.mean("lds_bank_conflict_pct"); conflicts && *conflicts >= kManyConflictsPct)
    facts.push_back("LDS accesses wait for each other's banks in " + Pct(*conflicts) + " of their cycles");
  std::string text;
  for (size_t i = 0; i < facts.size(); ++i) text += (i == 0 ? "" : i + 1 == facts.size() ? ", and " : ", ") + facts[i];
  return text;
}

}  // namespace

bool JudgeAmdProfiles(const model::Trace& trace, const std::string&, Verdict& verdict) {
  const auto is_amd = [&](const model::KernelProfile& profile) {
    return trace.sources[profile.source].vendor == model::Vendor::kAmd;
  };
  if (trace.kernel_profiles.empty() || !std::all_of(trace.kernel_profiles.begin(), trace.kernel_profiles.end(), is_amd))
    return false;
  std::map<model::StringId, Kernel> by_name;
  int64_t total_ns = 0;
  for (const model::KernelProfile& profile : trace.kernel_profiles) {
    AddProfile(trace, profile, by_name[profile.name]);
    total_ns += profile.dur_ns.value_or(0);
  }
  std::vector<const Kernel*> kernels;
  for (const auto& [name, kernel] : by_name) kernels.push_back(&kernel);
  std::sort(kernels.begin(), kernels.end(), [&](const Kernel* a, const Kernel* b) {
    if (a->dur_ns != b->dur_ns) return a->dur_ns > b->dur_ns;
    if (a->launches != b->launches) return a->launches > b->launches;
    return trace.Text(a->name) < trace.Text(b->name);
  });
  const auto peak = Peak(trace);
  const size_t launches = trace.kernel_profiles.size();
  verdict.answer = fmt::format("{} kernel launch{} measured", Count(static_cast<double>(launches)),
                               launches == 1 ? " was" : "es were");
  if (total_ns > 0) {
    verdict.answer +=
        fmt::format("; {} takes {} of their time", Short(trace.Text(kernels.front()->name)),
                    Pct(100.0 * static_cast<double>(kernels.front()->dur_ns) / static_cast<double>(total_ns)));
    const std::string first = Describe(*kernels.front(), peak);
    if (!first.empty()) verdict.answer += ". It " + first;
  }
  verdict.answer += ".";
  for (size_t i = 0; i < std::min(kernels.size(), kShownKernels); ++i) {
    if (i == 0 && total_ns > 0) continue;  // in the answer
    const std::string facts = Describe(*kernels[i], peak);
    if (!facts.empty()) verdict.notes.push_back(Short(trace.Text(kernels[i]->name)) + ": " + facts + ".");
  }
  verdict.notes.push_back(
      "Counters come from runs that the tool serialised, and those of one kernel may come from several runs: times are "
      "not those of "
      "the undisturbed program.");
  return true;
}

}  // namespace warpscope::rules

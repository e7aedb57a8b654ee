#include "rules/verify/verify_kernels.h"

#include <algorithm>
#include <map>

#include "analysis/kernel_profiles.h"
#include "rules/engine.h"

namespace warpscope::rules {
namespace {

struct Measured {
  std::string name;
  std::optional<int64_t> dur_ns;
  uint64_t launches = 0;
  std::map<std::string, std::optional<double>> findings;  // id -> promised speed-up
  bool matched = false;
};

// A roof is a state, not a flaw: it has no speed-up and does not get fixed.
bool IsFlaw(const Finding& finding) { return finding.kernel_speedup.has_value(); }

std::vector<Measured> Read(const model::Trace& trace) {
  std::vector<Measured> kernels;
  std::map<std::string_view, size_t> places;
  for (const analysis::ProfileGroup& group : analysis::GroupProfiles(trace, analysis::GroupBy::kName)) {
    const model::KernelProfile& typical = trace.kernel_profiles[group.typical];
    places.emplace(trace.Text(typical.name), kernels.size());
    kernels.push_back({std::string(trace.Text(typical.name)), typical.dur_ns, group.profiles.size(), {}});
  }
  auto verdict = Analyze(trace);
  if (!verdict.ok()) return kernels;
  for (const Finding& finding : verdict->findings) {
    const auto place = places.find(finding.subject);
    if (place == places.end() || !IsFlaw(finding)) continue;
    kernels[place->second].findings.emplace(finding.id, finding.kernel_speedup);
  }
  return kernels;
}

Measured* Same(const Measured& kernel, std::vector<Measured>& after) {
  const auto same = std::find_if(after.begin(), after.end(),
                                 [&](const Measured& other) { return !other.matched && other.name == kernel.name; });
  return same == after.end() ? nullptr : &*same;
}

VerifiedKernel Compare(const Measured& first, const Measured* second) {
  VerifiedKernel kernel;
  kernel.name = first.name;
  kernel.before_ns = first.dur_ns;
  kernel.launches_before = first.launches;
  if (second == nullptr) return kernel;
  if (second->name != first.name) kernel.new_name = second->name;
  kernel.after_ns = second->dur_ns;
  kernel.launches_after = second->launches;
  for (const auto& [id, speedup] : first.findings) {
    const bool remains = second->findings.contains(id);
    (remains ? kernel.remaining : kernel.gone).push_back(id);
    if (!remains && speedup) kernel.promised = std::max(kernel.promised.value_or(0), *speedup);
  }
  for (const auto& [id, speedup] : second->findings) {
    if (!first.findings.contains(id)) kernel.added.push_back(id);
  }
  return kernel;
}

}  // namespace

std::vector<VerifiedKernel> VerifyKernels(const model::Trace& before, const model::Trace& after) {
  std::vector<Measured> first = Read(before), second = Read(after);
  std::vector<std::pair<Measured*, Measured*>> pairs;
  for (Measured& kernel : first) {
    Measured* same = Same(kernel, second);
    if (same != nullptr) kernel.matched = same->matched = true;
    pairs.emplace_back(&kernel, same);
  }
  const auto is_left = [](const Measured& kernel) { return !kernel.matched; };
  if (std::count_if(first.begin(), first.end(), is_left) == 1 &&
      std::count_if(second.begin(), second.end(), is_left) == 1) {
    Measured& renamed = *std::find_if(second.begin(), second.end(), is_left);
    for (auto& [kernel, same] : pairs) {
      if (same == nullptr) same = &renamed;
    }
    renamed.matched = true;
  }
  std::vector<VerifiedKernel> kernels;
  for (const auto& [kernel, same] : pairs) kernels.push_back(Compare(*kernel, same));
  for (const Measured& kernel : second) {
    if (kernel.matched) continue;
    VerifiedKernel added;
    added.name = kernel.name;
    added.after_ns = kernel.dur_ns;
    added.launches_after = kernel.launches;
    for (const auto& [id, speedup] : kernel.findings) added.added.push_back(id);
    kernels.push_back(std::move(added));
  }
  return kernels;
}

}  // namespace warpscope::rules

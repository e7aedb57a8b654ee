#include "analysis/kernel_profiles.h"

#include <algorithm>
#include <map>

namespace warpscope::analysis {

std::vector<ProfileGroup> GroupProfiles(const model::Trace& trace, GroupBy by) {
  std::vector<ProfileGroup> groups;
  std::map<std::pair<uint64_t, uint64_t>, size_t> known;
  int64_t all_ns = 0;
  for (uint32_t row = 0; row < trace.kernel_profiles.size(); ++row) {
    const model::KernelProfile& profile = trace.kernel_profiles[row];
    const uint64_t second = by == GroupBy::kName ? 0 : by == GroupBy::kLaunch ? row : profile.config;
    const auto [it, fresh] = known.try_emplace({profile.name, second}, groups.size());
    if (fresh) groups.emplace_back();
    ProfileGroup& group = groups[it->second];
    group.profiles.push_back(row);
    // Sums of what a file claims may be absurd; they must not overflow.
    const int64_t dur_ns = std::clamp<int64_t>(profile.dur_ns.value_or(0), 0, INT64_MAX / 4);
    group.total_ns = std::min(group.total_ns + dur_ns, INT64_MAX / 4);
    all_ns = std::min(all_ns + dur_ns, INT64_MAX / 4);
  }
  for (ProfileGroup& group : groups) {
    std::vector<uint32_t> timed;
    for (const uint32_t row : group.profiles) {
      if (trace.kernel_profiles[row].dur_ns) timed.push_back(row);
    }
    std::stable_sort(timed.begin(), timed.end(), [&](uint32_t a, uint32_t b) {
      return *trace.kernel_profiles[a].dur_ns < *trace.kernel_profiles[b].dur_ns;
    });
    group.typical = timed.empty() ? group.profiles.front() : timed[(timed.size() - 1) / 2];
    if (all_ns > 0) group.share_pct = 100.0 * static_cast<double>(group.total_ns) / static_cast<double>(all_ns);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const ProfileGroup& a, const ProfileGroup& b) { return a.total_ns > b.total_ns; });
  return groups;
}

}  // namespace warpscope::analysis

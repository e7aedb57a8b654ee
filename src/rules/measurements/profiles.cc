// What a counter report alone shows.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {

bool JudgeProfiles(const model::Trace& trace, const std::string&, Verdict& verdict) {
  if (trace.kernel_profiles.empty()) return false;
  std::map<model::StringId, int64_t> time_ns;
  int64_t total_ns = 0;
  for (const model::KernelProfile& profile : trace.kernel_profiles) {
    time_ns[profile.name] += profile.dur_ns.value_or(0);
    total_ns += profile.dur_ns.value_or(0);
  }
  const auto longest = std::max_element(time_ns.begin(), time_ns.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  verdict.answer = fmt::format("{} kernel launches were measured", trace.kernel_profiles.size());
  if (total_ns > 0) {
    verdict.answer += fmt::format("; {} takes {} of their time", trace.Text(longest->first),
                                  Pct(100.0 * static_cast<double>(longest->second) / static_cast<double>(total_ns)));
  }
  verdict.answer += ".";
  return true;
}

}  // namespace warpscope::rules

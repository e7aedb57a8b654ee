#include "explain/platform/quota.h"

#include <fmt/format.h>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {

void WorkQuota(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = std::string_view(matches.front().window).substr(0, 900);
  const auto add = [&](const char* name, const char* label, std::string_view words) {
    const auto number = NumberAfter(window, words);
    if (number) answer->facts.push_back({name, label, fmt::format("{:g}", *number), *number});
    return number;
  };
  auto limit = add("limit_count", "limit", "Current Limit:");
  if (!limit) limit = add("limit_count", "limit", "Limit:");
  if (!limit) limit = add("limit_count", "limit", "vCPU limit of");
  add("used_count", "in use", "Current Usage:");
  add("required_count", "needed besides", "Additional Required:");
  add("new_limit_count", "limit to ask for", "New Limit Required:");
  if (limit && *limit == 0) answer->cause = "The limit is 0: this kind of GPU was never granted to the account.";
  else if (limit)
    answer->cause =
        fmt::format("The limit of {:g} is used up by machines that run, or the request alone exceeds it.", *limit);
}

}  // namespace warpscope::explain

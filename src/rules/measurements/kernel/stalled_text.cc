#include "rules/measurements/kernel/stalled_text.h"

#include <fmt/format.h>

#include "rules/text.h"

namespace warpscope::rules {

std::string StalledText(const KernelCase& kernel, std::initializer_list<std::string_view> reasons) {
  std::string text;
  for (const std::string_view reason : reasons) {
    const double pct = kernel.counters.StallPct(reason);
    if (pct >= 1) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, Pct(pct));
  }
  return text;
}

}  // namespace warpscope::rules

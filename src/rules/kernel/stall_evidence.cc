#include "rules/kernel/stall_evidence.h"

#include <fmt/format.h>

#include "analysis/kernel_name.h"
#include "analysis/stall_profiles.h"
#include "analysis/stalls.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

// "model.py:15", or "+0x380 (LDG.E.128 R4, ...)" where the code carries no lines.
std::string PlaceText(const model::Trace& trace, const analysis::StallPlace& place) {
  if (place.line == 0) {
    const std::string at = fmt::format("+0x{:x}", place.offset_bytes);
    return place.sass == model::kNoString ? at : fmt::format("{} ({})", at, trace.Text(place.sass));
  }
  const std::string_view file = trace.Text(place.file);
  return fmt::format("{}:{}", file.substr(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1),
                     place.line);
}

uint64_t SamplesOf(const analysis::StallPlace& place, std::string_view reason) {
  for (const analysis::StallCount& count : place.reasons) {
    if (count.reason == reason) return count.samples;
  }
  return 0;
}

}  // namespace

std::optional<Evidence> StallEvidence(const Context& c, model::StringId name) {
  if (c.trace.pc_samples.empty()) return std::nullopt;
  for (const analysis::StalledKernel& kernel : analysis::SummarizeStalls(c.trace)) {
    if (kernel.name != name) continue;
    const analysis::StallCount* wait = kernel.top_wait();
    if (kernel.samples < analysis::kLeastStallSamples || wait == nullptr) return std::nullopt;
    const auto pct = [&](uint64_t samples) {
      return Pct(100.0 * static_cast<double>(samples) / static_cast<double>(kernel.samples));
    };
    std::string text =
        fmt::format("{}: its warps are {} {} of their time ({} samples)", analysis::ShortKernelName(c.trace.Text(name)),
                    analysis::StallText(wait->reason), pct(wait->samples), Count(static_cast<double>(kernel.samples)));
    if (const analysis::StallPlace* place = kernel.Hottest(wait->reason))
      text += fmt::format(", most at {} ({})", PlaceText(c.trace, *place), pct(SamplesOf(*place, wait->reason)));
    return Evidence{text, c.Query("stalls --by line")};
  }
  return std::nullopt;
}

}  // namespace warpscope::rules

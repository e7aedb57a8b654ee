#include "rules/capture_words.h"

#include <string>
#include <string_view>

namespace warpscope::rules {
namespace {

constexpr std::string_view kStacks = "torch.profiler.profile(..., with_stack=True)";
constexpr std::string_view kSamples =
    "warpscope record without --no-host-samples; where the system does not permit samples, NVTX ranges around the "
    "parts of a step";

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::string Instead(std::string text, bool python) {
  if (Has(text, "with_stack=True")) return std::string(kSamples);
  if (Has(text, "profile_memory=True")) {
    // PyTorch asks the driver for large pieces and deals them out by itself.
    return python ? "torch.profiler.profile(..., profile_memory=True): only the framework knows what its allocator "
                    "deals out; warpscope record --memory shows what it takes from the driver"
                  : "warpscope record --memory -- <program>, at least 4 steps";
  }
  if (Has(text, "torch.profiler")) return "warpscope record --calls all -- <program>";
  return text;
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

void SpeakOfCapture(bool python, Verdict& verdict) {
  for (Abstention& abstention : verdict.abstained) {
    abstention.record_instead = Instead(std::move(abstention.record_instead), python);
    Replace(abstention.reason, "a sleep or a lock is seen only with Python frames",
            "a sleep or a lock is seen only in samples of the host");
  }
  for (Finding& finding : verdict.findings) {
    if (python) {
      for (Evidence& evidence : finding.evidence) Replace(evidence.text, kStacks, kSamples);
    }
    Replace(finding.verify, "Record again with stacks", "Record again with host samples");
    Replace(finding.verify, "Record again with profile_memory=True", "Record again with memory");
  }
}

}  // namespace warpscope::rules

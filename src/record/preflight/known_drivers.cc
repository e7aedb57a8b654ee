// Drivers that are known to break recordings, and what nvidia-smi prints of a driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "record/preflight/checks.h"

namespace warpscope::record {
namespace {

struct KnownDriver {
  std::string_view version, problem, source;
};
constexpr std::array kKnownDrivers = {
    KnownDriver{"465.19.01", "CUPTI can wait for ever when the first work of a recording starts",
                "pytorch/pytorch#60158"},
};

const KnownDriver* FindKnown(std::string_view version) {
  const auto* const found = std::find_if(kKnownDrivers.begin(), kKnownDrivers.end(),
                                         [&](const KnownDriver& one) { return one.version == version; });
  return found == kKnownDrivers.end() ? nullptr : found;
}

// The number behind a word: digits and points.
std::string VersionBehind(const std::string& text, const std::string& word) {
  constexpr size_t kFarthest = 64;  // blanks and a colon stand between
  constexpr size_t kLongest = 32;
  const size_t at = text.find(word);
  if (at == std::string::npos) return {};
  const size_t begin = text.find_first_of("0123456789", at + word.size());
  if (begin == std::string::npos || begin - at - word.size() > kFarthest) return {};
  const size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
  return text.substr(begin, std::min(end - begin, kLongest));
}

void Judge(const std::string& version, const std::string& cuda, preflight::Checks& checks) {
  constexpr uint64_t kOldestMajor = 11;  // CUPTI before CUDA 11.6 lacks what is recorded
  const auto cuda_major = NumberIn(cuda.substr(0, cuda.find('.')));
  const std::string shown = cuda.empty() ? version : version + ", CUDA " + cuda;
  if (const KnownDriver* known = FindKnown(version)) {
    checks.Fail("driver", fmt::format("driver {}: {} ({})", version, known->problem, known->source),
                "install another version of the driver");
  } else if (cuda_major && *cuda_major < kOldestMajor) {
    checks.Fail("driver", fmt::format("driver {}: recording needs one for CUDA 11 or newer", shown),
                "install a newer driver");
  } else {
    checks.Ok("driver", fmt::format("driver {}: none of those known to break recordings", shown));
  }
}

}  // namespace

void preflight::CheckDriverVersion(const Context& context, Checks& checks) {
  std::string version = context.devices.driver_version;
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Wed ...", or "... for x86_64  580.159.04  Release
  // Build".
  const std::string line = FirstLineOf(context.system, "/proc/driver/nvidia/version");
  for (const std::string& word : Split(line, ' ')) {
    const bool is_version =
        word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos;
    if (version.empty() && is_version) version = word;
  }
  if (!version.empty()) return Judge(version, context.devices.cuda_version, checks);
  checks.Unknown("driver", "no driver tells its version").because_of = context.root_failure;
}

Check CheckSmi(const std::string& text) {
  std::vector<Check> all;
  preflight::Checks checks(&all);
  std::string version = VersionBehind(text, "Driver Version");
  if (version.empty()) version = VersionBehind(text, "<driver_version>");
  std::string cuda = VersionBehind(text, "CUDA Version");
  if (cuda.empty()) cuda = VersionBehind(text, "<cuda_version>");
  if (version.empty())
    checks.Unknown("driver", "the text names no driver version", "give what nvidia-smi or nvidia-smi -q printed there");
  else Judge(version, cuda, checks);
  return all.front();
}

}  // namespace warpscope::record

// What nvidia-smi and NVML print when they cannot answer.
#include <algorithm>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

constexpr std::string_view kErrors[] = {
    "Failed to initialize NVML:",
    "NVIDIA-SMI has failed because",
    "Unable to determine the device handle for",
    "NVIDIA-SMI couldn't find libnvidia-ml.so",
    "NVML: Driver Not Loaded",
};

class SmiErrors final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"NVML", "NVIDIA-SMI", "Unable to determine", "No devices were found", "has the version"};
  }
  bool Line(std::string_view line, Machine& machine) override {
    if (const auto version = Behind(line, "NVML library version:")) {
      machine.library_version = VersionIn(*version);
      return true;
    }
    const std::string_view text = Trim(line);
    // "NVML-Bibliotheksversion: 570.86".
    const std::string head = Lower(text.substr(0, 60));
    const bool is_library = head.find("bib") != std::string::npos || head.find("lib") != std::string::npos;
    if (text.starts_with("NVML") && is_library && text.find(':') < 60 && text.find(": ") + 2 < text.size() &&
        VersionIn(text) == Trim(text.substr(text.find(':') + 1))) {
      machine.library_version = VersionIn(text);
      return true;
    }
    if (text == "No devices were found") return Fail(text, machine);
    if (const auto words = Behind(text, "nvmlInit")) {
      if (words->find("mismatch") != std::string_view::npos || words->find("Unknown Error") != std::string_view::npos)
        return Fail(text, machine);
    }
    for (const std::string_view error : kErrors) {
      const size_t at = text.find(error);
      if (at != std::string_view::npos) return Fail(text.substr(at), machine);
    }
    // Of other programs that ask NVML, and in other languages: its own words are the same.
    const std::string lower = Lower(text.substr(0, 1024));
    if (const size_t nvml = lower.find("nvml"); nvml != std::string::npos) {
      for (const std::string_view words : {"driver/library version mismatch", ": unknown error", "driver not loaded",
                                           "insufficient permissions", "gpu is lost"}) {
        if (lower.find(words, nvml) != std::string::npos)
          return Fail(text.substr(nvml, std::min<size_t>(text.find('"', nvml) - nvml, 120)), machine);
      }
    }
    // "API mismatch: the client has the version 525.85.12, but this kernel module has the version 520.56.06."
    if (const auto client = Behind(text, "the client has the version")) {
      machine.library_version = VersionIn(*client);
      if (const auto kernel = Behind(text, "kernel module has the version"))
        machine.nvidia_version = VersionIn(*kernel);
      return true;
    }
    // The second line of the same message.
    if (const auto kernel = Behind(text, "this kernel module has the version")) {
      machine.nvidia_version = VersionIn(*kernel);
      return true;
    }
    return false;
  }

 private:
  static bool Fail(std::string_view words, Machine& machine) {
    constexpr size_t kMost = 200;
    // The first message counts: what is printed behind it repeats or follows.
    if (!machine.management || machine.management->works)
      machine.management = Management{false, std::string(words.substr(0, kMost)), false};
    if (words.find("find libnvidia-ml.so") != std::string_view::npos) machine.management->is_missing = true;
    return true;
  }
};

}  // namespace

std::unique_ptr<LineReader> Make_smi_errors() { return std::make_unique<SmiErrors>(); }

}  // namespace warpscope::doctor::read

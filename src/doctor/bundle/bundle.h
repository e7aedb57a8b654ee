// Bundle: what support needs of a machine, in one archive, without secrets and names of hosts and people. [one thread]
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/system.h"

namespace warpscope::doctor {

struct BundleRequest {
  std::string report_text, report_json;                    // of the diagnosis
  std::vector<std::pair<std::string, std::string>> texts;  // further files: name, content (inputs, the kernel log)
  const record::System* system = nullptr;                  // of the machine itself; null for files of another
};

struct Bundle {
  std::string bytes;  // of the tar.gz
  size_t files = 0;
  uint64_t hidden = 0;  // secrets and names that were masked
};

// The same request gives the same bytes. Texts keep at most 16 MiB each, their end.
Bundle MakeBundle(const BundleRequest& request);

// Lines of a kernel log that speak of GPUs, their links, or memory that ran out.
std::string GpuLines(std::string_view log);

}  // namespace warpscope::doctor

#include "cli/diff_input.h"

#include <fmt/format.h>

namespace warpscope::cli {

report::DiffInput DiffInputOf(const model::Trace& trace, const std::string& path) {
  report::DiffInput input;
  input.path = path;
  if (!trace.sources.empty()) {
    input.format = trace.sources.front().format;
    input.producer = trace.sources.front().producer;
  }
  size_t used = 0;
  for (const model::Device& device : trace.devices) {
    if (!device.used) continue;
    if (used++ == 0) input.device = device.name;
    else if (device.name != input.device) input.device = "devices";
  }
  if (used > 1) input.device = fmt::format("{} x {}", used, input.device.empty() ? "devices" : input.device);
  input.ledger = trace.ledger.Entries();
  return input;
}

}  // namespace warpscope::cli

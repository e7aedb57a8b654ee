#include "export/text/left_out.h"

#include <fmt/format.h>

namespace warpscope::exporting {

std::vector<std::string> WithoutTimeline(const model::Trace& trace) {
  std::vector<std::string> sentences;
  const auto add = [&](size_t count, std::string_view what) {
    if (count > 0) sentences.push_back(fmt::format("{} {}: they have no place on a timeline", count, what));
  };
  add(trace.kernel_profiles.size(), "profiled kernels with their counters");
  add(trace.advice.size(), "remarks of the profiler");
  add(trace.kernel_codes.size(), "kernels' code");
  add(trace.pc_samples.size(), "sampled stall reasons of instructions");
  add(trace.summaries.size(), "rows of summary tables");
  add(trace.readings.size(), "readings of devices");
  return sentences;
}

}  // namespace warpscope::exporting

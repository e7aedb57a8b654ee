// What a monitoring log alone shows.
#include <fmt/format.h>

#include "rules/measurements/measurements.h"

namespace warpscope::rules {

bool JudgeReadings(const model::Trace& trace, const std::string&, Verdict& verdict) {
  if (trace.readings.empty()) return false;
  verdict.answer =
      fmt::format("The file holds {} device readings and no timeline: it shows what the device did, not why.",
                  trace.readings.size());
  return true;
}

}  // namespace warpscope::rules

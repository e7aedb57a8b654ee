// Units of Nsight Compute's metrics. A report holds none: the tool derives them from the metric's name, and so do we
// (docs/formats/ncu.md has the rules and how well they are checked).
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpscope::import::ncu {

// Base unit of a metric ("ns", "byte/s", "inst/cycle", "%"); "" for a plain number and for names that the rules do not
// know. REQUIRES nothing of the name.
std::string MetricUnit(std::string_view name);

// A unit as any version of the tool prints it, scaled or not ("Gbyte/s", "usecond", "Kbyte/block", "cycle/nsecond",
// "sector/us"), as base unit and factor: value x factor is in `unit`.
struct ScaledUnit {
  std::string unit;
  double factor = 1;
};
ScaledUnit BaseUnit(std::string_view printed);

}  // namespace warpscope::import::ncu

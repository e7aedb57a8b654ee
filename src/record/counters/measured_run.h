// A program under a plan of exact counters: once, or once for each pass of an application replay. [one thread]
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "record/launch.h"

namespace warpscope::record {

using CounterPlan = std::vector<std::pair<std::string, std::string>>;  // words and values of wire/counter_plan.h

// Writes the plan into the run folder and runs the program. With "replay application" it runs as often as the agents
// say that the metrics take passes, and if these are several, for each launch asked for in turn; streams of all runs
// but those of a launch's last pass are removed, since only these have values. Stops after a run that fails. `tell`:
// what a user should know meanwhile. The result is that of the last run.
Result<Ended> RunMeasured(const Launch& launch, const CounterPlan& plan,
                          const std::function<void(const std::string&)>& tell);

}  // namespace warpscope::record

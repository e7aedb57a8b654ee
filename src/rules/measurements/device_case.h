// DeviceCase: one device of a monitoring log with what every check asks of it. Check: one thing that can be wrong with
// it. [MT] Immutable after construction; refers to the trace and the log, which must outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/readings.h"
#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

// At least this much of the sampling period with a kernel (nvmlUtilization_t::gpu): the device was at work, not waking
// up.
inline constexpr double kBusyPct = 10;

class DeviceCase {
 public:
  DeviceCase(const model::Trace& trace, const analysis::DeviceLog& log);

  const model::Trace& trace;
  const analysis::DeviceLog& log;
  std::string who;  // "GPU 0", "GPU 0 of node1.csv", "GPU 0 MIG 3/0"
  bool is_part = false;
  std::vector<const analysis::Look*> busy;  // looks at which the device worked

  // Looks that tell what the device did: its load, else its power or clock.
  size_t Looks() const;
  // Looks that carry this reading.
  size_t Count(model::ReadingName name) const;
  // Share of looks at which the state is on, 0-100, among those that tell it; absent if none does.
  std::optional<double> SharePct(const std::vector<const analysis::Look*>& looks, model::ReadingName state) const;
  std::optional<double> Mean(const std::vector<const analysis::Look*>& looks, model::ReadingName name) const;
  std::optional<double> Max(model::ReadingName name) const;
  std::optional<double> Last(model::ReadingName name) const { return log.Last(name); }
  std::vector<const analysis::Look*> all() const;
};

struct Hit {
  std::string title;  // "GPU 0 lowered its clocks because of heat in 40 % of the busy looks"
  std::string text;   // evidence, without the device's name
  double weight = 0;  // the worst device speaks for all
};

struct Check {
  std::string_view id;
  Dimension dimension;
  bool is_fault;  // something broken, before anything that only costs speed
  std::optional<Hit> (*look)(const DeviceCase& device);
  std::string_view reading;  // what the query shows: part of the readings' names
  std::string_view action, code, verify, concept_text;
};

// In the order in which they lead the verdict.
const std::vector<Check>& FaultChecks();
const std::vector<Check>& ClockChecks();
const std::vector<Check>& LoadChecks();

std::string Number(double value);  // "1,410", "62.5": what people read
// "in 40 % of 120 looks", "in the one look that there is"
std::string InLooks(double share_pct, size_t looks);

}  // namespace warpscope::rules

// What the tests of monitors' importers ask of a trace. Header-only; for tests. [one thread]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/import.h"

namespace warpscope::import::testing {

struct Monitored {
  model::Trace trace;
  std::string error;

  // Numbers of one reading, in the order of the rows; `device`: row of devices, kNone for the machine.
  std::vector<double> All(std::string_view name, uint32_t device = 0) const {
    std::vector<double> values;
    for (const model::Reading& reading : trace.readings) {
      if (reading.device == device && trace.Text(reading.name) == name && reading.value)
        values.push_back(*reading.value);
    }
    return values;
  }
  std::optional<double> One(std::string_view name, uint32_t device = 0) const {
    const auto all = All(name, device);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }
  std::string Text(std::string_view name, uint32_t device = 0) const {
    for (const model::Reading& reading : trace.readings) {
      if (reading.device == device && trace.Text(reading.name) == name && reading.text != model::kNoString)
        return std::string(trace.Text(reading.text));
    }
    return "";
  }
  bool Told(std::string_view name, uint32_t device = 0) const {
    for (const model::Reading& reading : trace.readings) {
      if (reading.device == device && trace.Text(reading.name) == name) return true;
    }
    return false;
  }
  // Every text that the trace holds, for what must not be among them.
  std::string AllText() const {
    std::string all;
    for (model::StringId id = 1; id < trace.strings.size(); ++id) all += std::string(trace.strings.Get(id)) + "\n";
    for (const model::Device& device : trace.devices) all += device.name + "\n";
    for (const model::Source& source : trace.sources) all += source.producer + source.version + source.host_name + "\n";
    return all;
  }
};

inline Monitored ReadMonitored(std::string_view bytes) {
  auto trace = LoadBytes(bytes, "log");
  if (!trace.ok()) return {model::Trace(), trace.status().message()};
  return {std::move(trace).value(), ""};
}

}  // namespace warpscope::import::testing

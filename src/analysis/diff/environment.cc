#include "analysis/diff/environment.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/readings.h"

namespace warpscope::analysis {
namespace {

using FactKey = std::pair<std::string, std::string>;  // subject, name
struct FactValue {
  std::string value;
  bool suspect = false;
};
using Facts = std::map<FactKey, FactValue>;

std::string NumberText(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4).ptr;
  return {text, end};
}

std::string Joined(const std::set<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

void AddDevices(const model::Trace& trace, Facts* facts) {
  std::set<std::string> names, memory, capability;
  for (const model::Device& device : trace.devices) {
    if (!device.used && trace.devices.size() > 1) continue;
    if (!device.name.empty()) names.insert(device.name);
    if (device.memory_bytes) memory.insert(NumberText(static_cast<double>(*device.memory_bytes) / (1u << 30)) + " GiB");
    if (device.sm_count) capability.insert(std::to_string(*device.sm_count));
  }
  (*facts)[{"device", "name"}] = {Joined(names), true};
  (*facts)[{"device", "memory"}] = {Joined(memory), true};
  (*facts)[{"device", "multiprocessors"}] = {Joined(capability), true};
}

// A bare number is the version of the file's form, not of the tool; some tools' names hold their version already.
std::string ProducerOf(const model::Source& source) {
  const bool of_tool = source.version.find('.') != std::string::npos;
  const bool held = source.producer.find(source.version) != std::string::npos;
  return of_tool && !held ? source.producer + " " + source.version : source.producer;
}

std::string YesNo(const std::optional<bool>& value) { return !value ? "" : *value ? "yes" : "no"; }

// How it was recorded: each option slows the host in its own way.
void AddRecorders(const model::Trace& trace, Facts* facts) {
  std::set<std::string> formats, producers, shapes, stacks, memory, hosts;
  for (const model::Source& source : trace.sources) {
    formats.insert(source.format);
    if (!source.producer.empty()) producers.insert(ProducerOf(source));
    if (source.record_shapes) shapes.insert(YesNo(source.record_shapes));
    if (source.with_stack) stacks.insert(YesNo(source.with_stack));
    if (source.profile_memory) memory.insert(YesNo(source.profile_memory));
    if (!source.host_name.empty()) hosts.insert(source.host_name);
  }
  (*facts)[{"recording", "format"}] = {Joined(formats), true};
  (*facts)[{"recording", "producer"}] = {Joined(producers), true};
  (*facts)[{"recording", "shapes recorded"}] = {Joined(shapes), true};
  (*facts)[{"recording", "stacks recorded"}] = {Joined(stacks), true};
  (*facts)[{"recording", "memory recorded"}] = {Joined(memory), true};
  (*facts)[{"machine", "host"}] = {Joined(hosts), false};
}

// Facts of a run folder that can change times; others (process ids, free memory, uptime) differ from run to run.
bool IsLasting(std::string_view name, bool* suspect) {
  constexpr std::string_view kSuspects[] = {"driver_version",
                                            "cuda_version",
                                            "cupti",
                                            "torch_cuda_version",
                                            "python_version",
                                            "cpu",
                                            "cpu_governor",
                                            "cpu_limit",
                                            "cpu_cores",
                                            "cpu_affinity",
                                            "kernel",
                                            "container",
                                            "virtual_machine",
                                            "huge_pages",
                                            "git_revision",
                                            "command",
                                            "mig_mode",
                                            "compute_mode",
                                            "persistence_mode",
                                            "ecc_mode"};
  *suspect = true;
  for (const std::string_view known : kSuspects) {
    if (name == known) return true;
  }
  for (const std::string_view prefix : {"variable ", "package ", "tag ", "cuda_toolkit "}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

void AddRecordedFacts(const model::Trace& trace, Facts* facts) {
  for (const model::Reading& reading : trace.readings) {
    if (reading.time_ns) continue;
    const std::string_view name = trace.Text(reading.name);
    bool suspect = false;
    if (!IsLasting(name, &suspect)) continue;
    std::string value = reading.text != model::kNoString ? std::string(trace.Text(reading.text))
                        : reading.value                  ? NumberText(*reading.value)
                                                         : std::string();
    FactValue& fact = (*facts)[{reading.device == model::kNone ? "machine" : "device", std::string(name)}];
    if (fact.value.empty()) fact = {std::move(value), suspect};
  }
}

// Limits as they stood, clocks and power as means over the readings of the devices.
void AddReadings(const model::Trace& trace, Facts* facts) {
  struct Sum {
    double total = 0;
    uint64_t count = 0;
    const model::ReadingInfo* info = nullptr;
  };
  std::map<std::string, Sum> sums;
  for (const ReadingSeries& series : ReadingSeriesOf(trace)) {
    if (series.info == nullptr || series.numbers == 0 || series.device == model::kNone) continue;
    if (!trace.devices[series.device].used && trace.has_timeline() && trace.devices.size() > 1) continue;
    Sum& sum = sums[std::string(trace.Text(series.name))];
    sum.total += series.mean * static_cast<double>(series.numbers);
    sum.count += series.numbers;
    sum.info = series.info;
  }
  for (const std::string_view name : {"clock_sm", "clock_graphics", "clock_memory", "clock_limit_graphics",
                                      "power_limit", "pcie_gen_current", "pcie_width_current", "temperature_gpu"}) {
    const auto it = sums.find(std::string(name));
    if (it == sums.end()) continue;
    (*facts)[{"device", std::string(name)}] = {NumberText(it->second.total / static_cast<double>(it->second.count)),
                                               true};
  }
}

bool IsSetByUser(std::string_view name) { return name.starts_with("variable ") || name.starts_with("tag "); }

// Means of readings differ a little always.
bool SameValue(const FactKey& key, const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (!key.second.starts_with("clock_") && !key.second.starts_with("temperature_")) return false;
  double x = 0, y = 0;
  const bool numbers = std::from_chars(a.data(), a.data() + a.size(), x).ec == std::errc() &&
                       std::from_chars(b.data(), b.data() + b.size(), y).ec == std::errc();
  if (!numbers) return false;
  const double near = key.second.starts_with("temperature_") ? 10 : 0.02 * std::max(std::abs(x), std::abs(y));
  return std::abs(x - y) <= near;
}

}  // namespace

std::vector<Fact> FactsOf(const model::Trace& trace) {
  Facts facts;
  AddDevices(trace, &facts);
  AddRecorders(trace, &facts);
  AddRecordedFacts(trace, &facts);
  AddReadings(trace, &facts);
  std::vector<Fact> out;
  for (const auto& [key, fact] : facts) {
    if (!fact.value.empty() || IsSetByUser(key.second))
      out.push_back({key.first, key.second, fact.value, fact.suspect});
  }
  return out;
}

std::vector<EnvironmentChange> CompareFacts(const std::vector<Fact>& a, const std::vector<Fact>& b) {
  std::map<FactKey, std::pair<const Fact*, const Fact*>> both;
  for (const Fact& fact : a) both[{fact.subject, fact.name}].first = &fact;
  for (const Fact& fact : b) both[{fact.subject, fact.name}].second = &fact;
  std::vector<EnvironmentChange> out;
  for (const auto& [key, pair] : both) {
    const auto [x, y] = pair;
    const std::string va = x == nullptr ? "" : x->value, vb = y == nullptr ? "" : y->value;
    if (SameValue(key, va, vb)) continue;
    if ((va.empty() || vb.empty()) && !IsSetByUser(key.second)) continue;
    const bool suspect = (x != nullptr && x->suspect) || (y != nullptr && y->suspect);
    out.push_back({key.first, key.second, va, vb, suspect});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const EnvironmentChange& p, const EnvironmentChange& q) { return p.suspect > q.suspect; });
  return out;
}

}  // namespace warpscope::analysis

// Readings of monitors: by device, by reading, or one line a look.
#include "analysis/readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "view/format.h"
#include "view/reading_table.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::DeviceLog;
using analysis::Look;
using analysis::ReadingSeries;
using model::ReadingName;

// Units that people read: the table says which, so the numbers of JSON and CSV are the same.
struct Shown {
  std::string_view unit;
  double factor = 1;
};
Shown ShownUnit(std::string_view unit) {
  if (unit == "bytes") return {"MiB", 1.0 / (1 << 20)};
  if (unit == "bytes_per_s") return {"MB/s", 1e-6};
  if (unit == "ns") return {"ms", 1e-6};
  if (unit == "pct") return {"%"};
  if (unit == "watts") return {"W"};
  if (unit == "celsius") return {"C"};
  if (unit == "mhz") return {"MHz"};
  if (unit == "volts") return {"V"};
  if (unit == "joules") return {"J"};
  return {unit};
}

Cell Shown3(double value, double factor) { return Number(value * factor); }

std::string Label(const Subject& subject, uint32_t device) {
  return device == model::kNone ? "machine" : DeviceLabel(subject.trace(), device);
}

void AddSeries(const Subject& subject, const ReadingSeries& series, Table& table) {
  const model::Trace& trace = subject.trace();
  const Shown shown = ShownUnit(trace.Text(series.unit));
  const auto number = [&](double value) { return series.numbers > 0 ? Shown3(value, shown.factor) : Cell{}; };
  std::string text(trace.Text(series.last_text));
  if (series.first_text != series.last_text) text = fmt::format("{} .. {}", trace.Text(series.first_text), text);
  table.rows.push_back({Text(Label(subject, series.device)), Text(trace.Text(series.name)), Int(series.count),
                        number(series.first), number(series.min), number(series.mean), number(series.max),
                        number(series.last), Text(shown.unit), Text(text),
                        Text(series.info != nullptr ? series.info->meaning : std::string_view()),
                        Text(trace.sources[series.source].path)});
}

// What a look at a device is for comes first; then errors and low clocks that are there; then all else, by name.
constexpr ReadingName kMainReadings[] = {
    ReadingName::kUtilizationGpu, ReadingName::kUtilizationMemory, ReadingName::kPowerDraw,
    ReadingName::kPowerLimit,     ReadingName::kTemperatureGpu,    ReadingName::kClockSm,
    ReadingName::kClockMaxSm,     ReadingName::kMemoryUsed,        ReadingName::kMemoryTotal};

size_t PlaceOf(const model::Trace& trace, const ReadingSeries& series) {
  const std::string_view name = trace.Text(series.name);
  constexpr size_t kMain = std::size(kMainReadings);
  for (size_t i = 0; i < kMain; ++i) {
    if (name == model::NameOf(kMainReadings[i])) return i;
  }
  const bool is_trouble = name.starts_with("throttle_") || name.starts_with("ecc_") || name.starts_with("xid") ||
                          name.find("error") != std::string_view::npos ||
                          name.find("links_down") != std::string_view::npos;
  const bool is_there = series.numbers > 0 && series.max > 0 && name.find("mode") == std::string_view::npos;
  return is_trouble && is_there ? kMain : kMain + 1;
}

// "0 NVIDIA H200: 87 % busy, 81 of 700 W, 1,163 of 1,980 MHz, 45 C, 3 GiB of 141 GiB of memory": means over the looks.
std::string SentenceOf(const Subject& subject, uint32_t device, const std::vector<ReadingSeries>& series) {
  const model::Trace& trace = subject.trace();
  const auto mean = [&](ReadingName name) -> std::optional<double> {
    for (const ReadingSeries& one : series) {
      if (one.device == device && one.numbers > 0 && trace.Text(one.name) == model::NameOf(name)) return one.mean;
    }
    return std::nullopt;
  };
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const auto add_of = [&](ReadingName name, ReadingName of, const char* unit) {
    const auto value = mean(name), limit = mean(of);
    if (value) add(FormatNumber(*value) + (limit ? " of " + FormatNumber(*limit) : "") + " " + unit);
  };
  if (const auto load = mean(ReadingName::kUtilizationGpu)) add(FormatPct(*load) + " busy");
  add_of(ReadingName::kPowerDraw, ReadingName::kPowerLimit, "W");
  add_of(ReadingName::kClockSm, ReadingName::kClockMaxSm, "MHz");
  if (const auto heat = mean(ReadingName::kTemperatureGpu)) add(FormatNumber(*heat) + " C");
  if (const auto used = mean(ReadingName::kMemoryUsed)) {
    const auto total = mean(ReadingName::kMemoryTotal);
    add(FormatBytes(*used) + (total ? " of " + FormatBytes(*total) : "") + " of memory");
  }
  return text.empty() ? text : Label(subject, device) + ": " + text + ".";
}

void AddSentences(const Subject& subject, const std::vector<ReadingSeries>& series, Table& table) {
  constexpr size_t kMostDevices = 4;
  std::vector<uint32_t> devices;
  for (const ReadingSeries& one : series) {
    if (std::find(devices.begin(), devices.end(), one.device) == devices.end()) devices.push_back(one.device);
  }
  size_t left = 0;
  for (const uint32_t device : devices) {
    std::string sentence = SentenceOf(subject, device, series);
    if (sentence.empty()) continue;
    if (table.summary.size() < kMostDevices) table.summary.push_back(std::move(sentence));
    else ++left;
  }
  if (left > 0) table.summary.push_back(fmt::format("{} more below.", Plural(left, "device")));
}

Table SeriesTable(const Subject& subject, ReadingsBy by) {
  Table table;
  table.name = by == ReadingsBy::kDevice ? "readings" : "readings.reading";
  table.title = "What the monitor read from the devices";
  table.columns = {{"device", "device", Kind::kName},
                   {"reading", "reading", Kind::kText},
                   {"samples", "samples", Kind::kCount, 3},
                   {"first", "first", Kind::kNumber, 4},
                   {"min", "min", Kind::kNumber, 2},
                   {"mean", "mean", Kind::kNumber},
                   {"max", "max", Kind::kNumber, 1},
                   {"last", "last", Kind::kNumber, 5},
                   {"unit", "unit", Kind::kText},
                   {"text", "text", Kind::kName, 6},
                   {"meaning", "meaning", Kind::kText, kDataOnly},
                   {"file", "file", Kind::kName, kDataOnly}};
  std::vector<ReadingSeries> series = analysis::ReadingSeriesOf(subject.trace());
  const auto unwanted = [&](const ReadingSeries& one) {
    // Words that a run wrote down once (its command, versions of packages) are facts: `env` shows them.
    if (one.numbers == 0 && subject.trace().sources[one.source].format == "capture") return true;
    return subject.device_scope.device && one.device != *subject.device_scope.device;
  };
  series.erase(std::remove_if(series.begin(), series.end(), unwanted), series.end());
  if (by == ReadingsBy::kReading) {
    std::stable_sort(series.begin(), series.end(), [&](const ReadingSeries& a, const ReadingSeries& b) {
      return subject.trace().Text(a.name) < subject.trace().Text(b.name);
    });
  }
  AddSentences(subject, series, table);
  if (by == ReadingsBy::kDevice) {
    std::stable_sort(series.begin(), series.end(), [&](const ReadingSeries& a, const ReadingSeries& b) {
      return std::tuple(a.device, PlaceOf(subject.trace(), a)) < std::tuple(b.device, PlaceOf(subject.trace(), b));
    });
  }
  constexpr size_t kNamed = 3;
  std::set<std::string_view> without;
  for (const ReadingSeries& one : series) {
    if (one.count > 0) AddSeries(subject, one, table);
    else without.insert(subject.trace().Text(one.name));
  }
  std::string names;
  size_t named = 0;
  for (const std::string_view name : without) {
    if (named++ < kNamed) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (named > kNamed) names += fmt::format(" and {} more", named - kNamed);
  if (named > 0) table.notes.push_back("The tool has no value for: " + names + ".");
  return table;
}

struct TimeColumn {
  ReadingName name;
  std::string_view column, heading;
  Kind kind;
  int rank;
};
constexpr TimeColumn kTimeColumns[] = {
    {ReadingName::kUtilizationGpu, "utilization_gpu_pct", "busy", Kind::kPct, 0},
    {ReadingName::kUtilizationMemory, "utilization_memory_pct", "memory active", Kind::kPct, 4},
    {ReadingName::kMemoryUsed, "memory_used_bytes", "memory used", Kind::kBytes, 2},
    {ReadingName::kPowerDraw, "power_draw_watts", "W", Kind::kNumber, 0},
    {ReadingName::kPowerLimit, "power_limit_watts", "limit W", Kind::kNumber, 5},
    {ReadingName::kTemperatureGpu, "temperature_gpu_celsius", "C", Kind::kNumber, 1},
    {ReadingName::kClockSm, "clock_sm_mhz", "MHz", Kind::kNumber, 0},
    {ReadingName::kClockMemory, "clock_memory_mhz", "memory MHz", Kind::kNumber, 3},
};

// The active reasons for low clocks, without "throttle_".
std::string ReasonsAt(const model::Trace& trace, const DeviceLog& log, const Look& look) {
  constexpr std::string_view kPrefix = "throttle_";
  std::vector<std::string_view> active;
  for (uint32_t i = look.begin; i < look.end; ++i) {
    const model::Reading& reading = trace.readings[log.rows[i]];
    const std::string_view name = trace.Text(reading.name);
    if (reading.value.value_or(0) == 0 || name.substr(0, kPrefix.size()) != kPrefix) continue;
    const model::ReadingInfo* info = model::FindReadingInfo(name);
    if (info != nullptr && info->kind == model::ReadingKind::kState) active.push_back(name.substr(kPrefix.size()));
  }
  std::sort(active.begin(), active.end());
  std::string reasons;
  for (const std::string_view reason : active) reasons += (reasons.empty() ? "" : ", ") + std::string(reason);
  return reasons;
}

Table TimeTable(const Subject& subject) {
  Table table;
  table.name = "readings.time";
  table.title = "What the monitor read from the devices, one line a look";
  table.columns = {{"time_ns", "at", Kind::kTimeNs}, {"device", "device", Kind::kName}};
  for (const TimeColumn& column : kTimeColumns)
    table.columns.push_back({std::string(column.column), std::string(column.heading), column.kind, column.rank});
  table.columns.push_back({"throttle_reasons", "clocks lowered by", Kind::kText, 1});
  struct Row {
    int64_t time_ns;
    const DeviceLog* log;
    const Look* look;
  };
  const std::vector<DeviceLog> logs = analysis::DeviceLogsOf(subject.trace());
  std::vector<Row> rows;
  const analysis::Window& window = subject.device_scope.window;
  for (const DeviceLog& log : logs) {
    if (subject.device_scope.device && log.device != *subject.device_scope.device) continue;
    const bool is_run = subject.trace().sources[log.source].format == "capture";
    for (const Look& look : log.looks) {
      if (is_run && !look.time_ns) continue;  // facts of the device, not a look at it
      const int64_t time_ns = look.time_ns.value_or(INT64_MIN);
      if (!window.everything() && (time_ns < window.begin_ns || time_ns >= window.end_ns)) continue;
      rows.push_back({time_ns, &log, &look});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time_ns < b.time_ns; });
  for (const Row& row : rows) {
    std::vector<Cell> cells = {row.look->time_ns ? TimeCell(subject, row.time_ns) : Cell{},
                               Text(Label(subject, row.log->device))};
    bool any = false;
    for (const TimeColumn& column : kTimeColumns) {
      cells.push_back(Maybe(row.log->Value(*row.look, column.name)));
      any |= !std::holds_alternative<std::monostate>(cells.back());
    }
    cells.push_back(Text(ReasonsAt(subject.trace(), *row.log, *row.look)));
    any |= !std::holds_alternative<std::monostate>(cells.back());
    if (any) table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Table ReadingTable(const Subject& subject, ReadingsBy by) {
  Table table = by == ReadingsBy::kTime ? TimeTable(subject) : SeriesTable(subject, by);
  if (by == ReadingsBy::kDevice)
    table.notes.insert(
        table.notes.begin(),
        "More: --by reading, --by time. A reading is what it was at that moment; nothing in between is known.");
  table.empty_text =
      "No readings of devices were recorded. For NVIDIA: nvidia-smi "
      "--query-gpu=timestamp,index,name,utilization.gpu,power.draw,clocks.sm --format=csv -l 1";
  return table;
}

}  // namespace warpscope::view

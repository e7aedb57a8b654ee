#include "analysis/readings.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpscope::analysis {
namespace {

using model::Reading;
using model::ReadingName;
using model::Trace;

// Rows in the order of source, device and time; those without a time keep their place among themselves.
std::vector<uint32_t> OrderedRows(const Trace& trace) {
  std::vector<uint32_t> rows(trace.readings.size());
  for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto key = [&](uint32_t row) {
    const Reading& reading = trace.readings[row];
    return std::tuple(reading.source, reading.device, reading.time_ns.value_or(INT64_MIN));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  return rows;
}

void Take(const Reading& reading, ReadingSeries& series) {
  if (reading.value) {
    const double value = *reading.value;
    if (series.numbers == 0) series.first = series.min = series.max = value;
    series.min = std::min(series.min, value);
    series.max = std::max(series.max, value);
    series.last = value;
    ++series.numbers;
    series.mean += (value - series.mean) / static_cast<double>(series.numbers);
  }
  if (reading.text != model::kNoString) {
    if (series.first_text == model::kNoString) series.first_text = reading.text;
    series.last_text = reading.text;
  }
  if (reading.value || reading.text != model::kNoString) ++series.count;
  else ++series.absent;
}

}  // namespace

std::vector<ReadingSeries> ReadingSeriesOf(const Trace& trace) {
  std::map<std::tuple<uint32_t, uint32_t, model::StringId, model::StringId>, ReadingSeries> series;
  for (const uint32_t row : OrderedRows(trace)) {
    const Reading& reading = trace.readings[row];
    ReadingSeries& one = series[{reading.source, reading.device, reading.name, reading.unit}];
    one.source = reading.source;
    one.device = reading.device;
    one.name = reading.name;
    one.unit = reading.unit;
    Take(reading, one);
  }
  std::vector<ReadingSeries> sorted;
  sorted.reserve(series.size());
  for (auto& [key, one] : series) {
    one.info = model::FindReadingInfo(trace.Text(one.name));
    sorted.push_back(one);
  }
  const auto order = [&](const ReadingSeries& one) {
    return std::tuple(one.source, one.device, trace.Text(one.name), trace.Text(one.unit));
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const ReadingSeries& a, const ReadingSeries& b) { return order(a) < order(b); });
  return sorted;
}

std::optional<double> DeviceLog::Value(const Look& look, ReadingName name) const {
  const model::StringId id = ids_[static_cast<size_t>(name)];
  if (id == model::kNoString) return std::nullopt;
  for (uint32_t i = look.begin; i < look.end; ++i) {
    const Reading& reading = trace_->readings[rows[i]];
    if (reading.name == id && reading.value) return reading.value;
  }
  return std::nullopt;
}

std::optional<double> DeviceLog::Last(ReadingName name) const {
  for (auto look = looks.rbegin(); look != looks.rend(); ++look) {
    if (const auto value = Value(*look, name)) return value;
  }
  return std::nullopt;
}

std::optional<double> DeviceLog::First(ReadingName name) const {
  for (const Look& look : looks) {
    if (const auto value = Value(look, name)) return value;
  }
  return std::nullopt;
}

std::optional<int64_t> DeviceLog::span_ns() const {
  std::optional<int64_t> first, last;
  for (const Look& look : looks) {
    if (!look.time_ns) continue;
    if (!first) first = look.time_ns;
    last = look.time_ns;
  }
  if (!first) return std::nullopt;
  return *last - *first;
}

std::vector<DeviceLog> DeviceLogsOf(const Trace& trace) {
  std::vector<DeviceLog> logs;
  std::vector<uint32_t> seen_in(trace.strings.size(), 0);  // by name: number of the look in which it was seen last
  uint32_t look_number = 0;
  for (const uint32_t row : OrderedRows(trace)) {
    const Reading& reading = trace.readings[row];
    if (reading.device == model::kNone) continue;
    if (logs.empty() || logs.back().source != reading.source || logs.back().device != reading.device) {
      DeviceLog& log = logs.emplace_back();
      log.source = reading.source;
      log.device = reading.device;
      log.trace_ = &trace;
      for (size_t i = 0; i < log.ids_.size(); ++i)
        log.ids_[i] = trace.strings.Find(model::NameOf(static_cast<ReadingName>(i)));
    }
    DeviceLog& log = logs.back();
    // Another time, or the same name once more: the next look.
    const bool same =
        !log.looks.empty() && log.looks.back().time_ns == reading.time_ns && seen_in[reading.name] != look_number;
    if (!same) {
      log.looks.push_back({reading.time_ns, static_cast<uint32_t>(log.rows.size()), 0});
      ++look_number;
    }
    seen_in[reading.name] = look_number;
    log.rows.push_back(row);
    log.looks.back().end = static_cast<uint32_t>(log.rows.size());
  }
  return logs;
}

}  // namespace warpscope::analysis

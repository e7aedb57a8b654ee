#include "page/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/memory_usage.h"
#include "analysis/monitor_match.h"
#include "analysis/readings.h"
#include "model/sampled_metrics.h"

namespace warpscope::page {
namespace {

using model::kNone;

constexpr float kEnd = std::numeric_limits<float>::quiet_NaN();

// One look is no line, and zero all the time says nothing.
bool IsEmpty(const std::vector<Point>& points) {
  return points.size() < 2 || std::all_of(points.begin(), points.end(), [](const Point& point) {
           return point.value == 0 || std::isnan(point.value);
         });
}

class Collector {
 public:
  explicit Collector(const analysis::Index& index) : index_(index), trace_(index.trace()) {}

  std::vector<Series> Take() {
    Memory();
    SampledCounters();
    RecordedCounters();
    Readings();
    for (Series& series : out_) {
      series.recorded = std::max<uint64_t>(series.recorded, series.points.size());
      series.points = Thin(std::move(series.points), kMaxPoints);
    }
    std::erase_if(out_, [](const Series& series) { return IsEmpty(series.points); });
    return std::move(out_);
  }

 private:
  void Memory() {
    if (trace_.memory.empty()) return;
    std::map<uint32_t, uint64_t> events;  // kNone, the host, comes last
    for (const model::MemoryEvent& event : trace_.memory) ++events[event.device];
    for (const auto& [device, count] : events) {
      Series allocated{"memory", device == kNone ? "host memory allocated" : "allocated", "bytes", device, {}, count};
      Series reserved{"memory", device == kNone ? "host memory reserved" : "reserved", "bytes", device, {}, count};
      for (const analysis::MemoryPoint& point : analysis::MemoryTimeline(index_, device, {}, kMaxPoints)) {
        allocated.points.push_back({point.time_ns, static_cast<float>(point.allocated_bytes)});
        if (point.reserved_bytes) reserved.points.push_back({point.time_ns, static_cast<float>(*point.reserved_bytes)});
      }
      out_.push_back(std::move(allocated));
      out_.push_back(std::move(reserved));
    }
  }

  // One series a device and metric, over all windows; between windows nothing is known.
  void SampledCounters() {
    std::map<std::pair<uint32_t, model::StringId>, Series> found;
    std::vector<const model::CounterWindow*> windows;
    for (const model::CounterWindow& window : trace_.counter_windows) windows.push_back(&window);
    std::stable_sort(windows.begin(), windows.end(),
                     [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
    for (const model::CounterWindow* window : windows) {
      for (uint32_t metric = window->metric_begin; metric < window->metric_end; ++metric) {
        const model::SampledMetric& of = trace_.sampled_metrics[metric];
        Series& series = found[{window->device, of.name}];
        if (series.name.empty()) series = SampledSeries(*window, of);
        AddWindow(*window, metric - window->metric_begin, &series.points);
      }
    }
    for (auto& [key, series] : found) out_.push_back(std::move(series));
  }
  Series SampledSeries(const model::CounterWindow& window, const model::SampledMetric& metric) const {
    std::string name(trace_.Text(metric.name));
    if (const auto quantity = model::SampledQuantityOf(name)) {
      const model::SampledInfo& info = model::InfoOf(*quantity);
      name = info.lane.empty() ? info.id : info.lane;
      std::replace(name.begin(), name.end(), '_', ' ');
    }
    return {"counter", std::move(name), std::string(trace_.Text(metric.unit)), window.device, {}, 0};
  }
  void AddWindow(const model::CounterWindow& window, uint32_t offset, std::vector<Point>* points) const {
    int64_t end_ns = INT64_MIN;
    for (uint32_t row = window.sample_begin; row < window.sample_end; ++row) {
      const model::DeviceSample& sample = trace_.device_samples[row];
      if (end_ns != INT64_MIN && sample.start_ns > end_ns + window.interval_ns) points->push_back({end_ns, kEnd});
      points->push_back({sample.start_ns, trace_.sampled_values[sample.value_begin + offset]});
      end_ns = sample.start_ns + sample.dur_ns;
    }
    if (end_ns != INT64_MIN) points->push_back({end_ns, kEnd});
  }

  void RecordedCounters() {
    std::map<std::pair<uint32_t, model::StringId>, Series> found;
    for (const model::CounterSample& sample : trace_.counters) {
      Series& series = found[{sample.device, sample.name}];
      if (series.name.empty())
        series = {
            "counter", std::string(trace_.Text(sample.name)), std::string(trace_.Text(sample.unit)), sample.device, {},
            0};
      series.points.push_back({sample.time_ns, static_cast<float>(sample.value)});
    }
    for (auto& [key, series] : found) out_.push_back(std::move(series));
  }

  void Readings() {
    if (trace_.readings.empty()) return;
    const std::vector<analysis::DeviceLog> logs = analysis::DeviceLogsOf(trace_);
    if (!trace_.has_timeline()) {
      for (const analysis::DeviceLog& log : logs) {
        std::vector<const analysis::Look*> looks;
        for (const analysis::Look& look : log.looks) looks.push_back(&look);
        AddLooks(log, looks, 0, log.device);
      }
      return;
    }
    const analysis::Window window = RecordedTime();
    for (uint32_t device = 0; device < trace_.devices.size(); ++device) {
      if (!trace_.devices[device].used) continue;
      const analysis::MonitorMatch match = analysis::MatchMonitor(trace_, logs, device, window);
      if (match.log != nullptr && match.by_time) AddLooks(*match.log, match.looks, match.shift_ns, device);
    }
  }
  void AddLooks(const analysis::DeviceLog& log, const std::vector<const analysis::Look*>& looks, int64_t shift_ns,
                uint32_t device) {
    std::map<std::string_view, Series> found;
    for (const analysis::Look* look : looks) {
      if (!look->time_ns) continue;
      for (uint32_t i = look->begin; i < look->end; ++i) {
        const model::Reading& reading = trace_.readings[log.rows[i]];
        if (!reading.value || !std::isfinite(*reading.value)) continue;
        Series& series = found[trace_.Text(reading.name)];
        if (series.name.empty())
          series = {
              "readings", std::string(trace_.Text(reading.name)), std::string(trace_.Text(reading.unit)), device, {},
              0};
        series.points.push_back({*look->time_ns + shift_ns, static_cast<float>(*reading.value)});
      }
    }
    for (auto& [name, series] : found) out_.push_back(std::move(series));
  }
  analysis::Window RecordedTime() const {
    analysis::Window window{INT64_MAX, INT64_MIN};
    const auto take = [&](int64_t begin_ns, int64_t end_ns) {
      window.begin_ns = std::min(window.begin_ns, begin_ns);
      window.end_ns = std::max(window.end_ns, end_ns);
    };
    for (uint32_t row = 0; row < trace_.host.size(); ++row) take(trace_.host.start_ns[row], trace_.host.end_ns(row));
    for (uint32_t row = 0; row < trace_.gpu.size(); ++row) take(trace_.gpu.start_ns[row], trace_.gpu.end_ns(row));
    return window;
  }

  const analysis::Index& index_;
  const model::Trace& trace_;
  std::vector<Series> out_;
};

}  // namespace

std::vector<Point> Thin(std::vector<Point> points, size_t max_points) {
  if (points.size() <= max_points || max_points < 8) return points;
  constexpr size_t kKept = 5;
  const size_t stretches = max_points / kKept;
  std::vector<Point> out;
  for (size_t stretch = 0; stretch < stretches; ++stretch) {
    const size_t begin = points.size() * stretch / stretches, end = points.size() * (stretch + 1) / stretches;
    size_t keep[kKept] = {begin, begin, begin, begin, end - 1};  // first, lowest, highest, an end, last
    for (size_t i = begin; i < end; ++i) {
      if (std::isnan(points[i].value)) {
        keep[3] = i;
        continue;
      }
      if (!(points[keep[1]].value <= points[i].value)) keep[1] = i;
      if (!(points[keep[2]].value >= points[i].value)) keep[2] = i;
    }
    std::sort(std::begin(keep), std::end(keep));
    for (size_t i = 0; i < kKept; ++i) {
      if (i == 0 || keep[i] != keep[i - 1]) out.push_back(points[keep[i]]);
    }
  }
  return out;
}

std::vector<Series> SeriesOf(const analysis::Index& index) { return Collector(index).Take(); }

}  // namespace warpscope::page

// Hardware counters that the agent sampled: samples, then the window that they belong to. Those with a lane become
// counters of the timeline besides, which all exporters and SQL know.
#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "import/capture/plausible_counters.h"
#include "import/capture/record_group.h"
#include "model/sampled_metrics.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

class SampledCounters : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    const uint64_t device = Narrow(in.Get()), set = in.Get();
    if (tag == wire::kCounterSamples) ReadSamples({device, set}, in);
    else ReadWindow({device, set}, in);
  }

  void Finish() override {
    // Killed before the window was told.
    for (auto& [key, open] : open_) {
      if (!open.samples.empty()) Close(key, open, {});
    }
    if (windows_.empty()) return;
    for (const ImpossibleCounter& counter : LeaveImpossibleOut(windows_, &state_.to.trace()))
      state_.to.Note(counter.has_other ? LedgerCode::kRecorderNote : LedgerCode::kRecorderFailure, 1, std::nullopt,
                     counter.sentence);
    ScaleL2Hits(windows_, &state_.to.trace());
    for (const uint32_t window : windows_) AddLanes(state_.to.trace().counter_windows[window]);
    state_.to.Note(LedgerCode::kSampledCounters, windows_.size(), std::nullopt, Coverage());
    if (overflows_ > 0)
      state_.to.Note(LedgerCode::kLostRecord, overflows_, std::nullopt, "counter windows that overflowed");
    if (behind_ > 0)
      state_.to.Note(LedgerCode::kLostRecord, behind_, std::nullopt, "counter windows that were read too late");
  }

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // device, set as the stream numbers them
  struct Open {
    std::vector<model::DeviceSample> samples;
  };

  void ReadSamples(const Key& key, wire::BlockReader& in) {
    const uint64_t count = in.Get();
    std::vector<model::DeviceSample> samples;
    bool valid = true;
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
      model::DeviceSample sample;
      sample.start_ns = in.GetTime();
      sample.dur_ns = Length(in.Get());
      samples.push_back(sample);
    }
    if (!in.ok()) return;
    if (state_.metric_sets.Find(key.second) == nullptr) {  // how long the values are is told by the set alone
      in.GetRaw(UINT64_MAX);
      return;
    }
    const auto [begin, end] = MetricsOf(key.second);
    const uint64_t metrics = end - begin;
    // Both are bounded by the block's bytes: no overflow.
    const std::string_view bytes = in.GetRaw(samples.size() * metrics * sizeof(float));
    if (!in.ok() || metrics == 0) return;
    auto& values = state_.to.trace().sampled_values;
    Open& open = open_[key];
    for (size_t i = 0; i < samples.size(); ++i) {
      valid = state_.InRange(samples[i].start_ns, samples[i].dur_ns) && samples[i].dur_ns > 0;
      if (!valid) continue;
      samples[i].value_begin = values.size();
      for (size_t metric = 0; metric < metrics; ++metric) values.push_back(FloatAt(bytes, metric * samples.size() + i));
      open.samples.push_back(samples[i]);
      state_.Saw(samples[i].start_ns + samples[i].dur_ns);
    }
  }

  static float FloatAt(std::string_view bytes, size_t index) {
    uint32_t word = 0;
    for (size_t byte = 0; byte < sizeof(word); ++byte)
      word |= uint32_t{static_cast<uint8_t>(bytes[index * sizeof(word) + byte])} << (8 * byte);
    return std::bit_cast<float>(word);
  }

  void ReadWindow(const Key& key, wire::BlockReader& in) {
    model::CounterWindow window;
    window.interval_ns = Length(in.Get());
    window.start_ns = in.GetTime();
    window.dur_ns = Length(in.Get());
    in.Get();  // samples: as many as were read
    const uint64_t loss = in.Get();
    if (!in.ok() || !state_.InRange(window.start_ns, window.dur_ns)) return;
    window.overflow = (loss & wire::kHardwareOverflow) != 0;
    window.behind = (loss & wire::kDecodeBehind) != 0;
    Close(key, open_[key], window);
  }

  void Close(const Key& key, Open& open, model::CounterWindow window) {
    model::Trace& trace = state_.to.trace();
    window.process = state_.process;
    window.device = state_.to.Device(static_cast<int64_t>(key.first));
    const auto [begin, end] = MetricsOf(key.second);
    window.metric_begin = begin, window.metric_end = end;
    std::stable_sort(open.samples.begin(), open.samples.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    window.sample_begin = static_cast<uint32_t>(trace.device_samples.size());
    int64_t last_end_ns = INT64_MIN;
    for (const model::DeviceSample& sample : open.samples) {
      if (sample.start_ns < last_end_ns) {
        state_.to.Note(LedgerCode::kOutOfRange);
        continue;
      }
      last_end_ns = sample.start_ns + sample.dur_ns;
      sampled_ns_ += std::min(sample.dur_ns, INT64_MAX / 8 - sampled_ns_);
      trace.device_samples.push_back(sample);
    }
    window.sample_end = static_cast<uint32_t>(trace.device_samples.size());
    if (window.dur_ns == 0 && window.sample_end > window.sample_begin) {
      window.start_ns = trace.device_samples[window.sample_begin].start_ns;
      window.dur_ns = last_end_ns - window.start_ns;
    }
    open.samples.clear();
    windows_.push_back(static_cast<uint32_t>(trace.counter_windows.size()));
    trace.counter_windows.push_back(window);
    samples_ += window.sample_end - window.sample_begin;
    overflows_ += window.overflow ? 1 : 0;
    behind_ += window.behind ? 1 : 0;
    if (window.sample_end > window.sample_begin) widest_ = std::max<uint64_t>(widest_, end - begin);
  }

  void AddLanes(const model::CounterWindow& window) {
    model::Trace& trace = state_.to.trace();
    const model::StringId unit = state_.to.Text("%");
    std::bitset<model::kSampledQuantities> seen;
    for (uint32_t metric = window.metric_begin; metric < window.metric_end; ++metric) {
      const auto quantity = model::SampledQuantityOf(trace.Text(trace.sampled_metrics[metric].name));
      if (!quantity || model::InfoOf(*quantity).lane.empty() || seen[static_cast<size_t>(*quantity)]) continue;
      seen.set(static_cast<size_t>(*quantity));
      const model::StringId name = state_.to.Text(model::InfoOf(*quantity).lane);
      for (uint32_t row = window.sample_begin; row < window.sample_end; ++row) {
        const model::DeviceSample& sample = trace.device_samples[row];
        const double value = trace.sampled_values[sample.value_begin + metric - window.metric_begin];
        if (std::isfinite(value)) trace.counters.push_back({sample.start_ns, name, window.device, value, unit});
      }
    }
  }

  // Rows of the set's metrics. The first definition holds: values were read by it.
  std::pair<uint32_t, uint32_t> MetricsOf(uint64_t set) {
    if (const auto it = metrics_.find(set); it != metrics_.end()) return it->second;
    const CounterSet* const known = state_.metric_sets.Find(set);
    if (known == nullptr) return {0, 0};
    std::vector<model::SampledMetric>& rows = state_.to.trace().sampled_metrics;
    const auto begin = static_cast<uint32_t>(rows.size());
    for (const CounterMetric& metric : known->metrics) rows.push_back({metric.name, metric.unit});
    return metrics_[set] = {begin, static_cast<uint32_t>(rows.size())};
  }

  std::string Coverage() const {
    const bool known = state_.attached_ns > 0 && state_.last_ns > state_.attached_ns;
    std::string text = "process " + std::to_string(state_.to.trace().processes[state_.process].pid) + ": " +
                       std::to_string(samples_) + " samples of up to " + std::to_string(widest_) + " metrics";
    if (known) {
      const double share = static_cast<double>(sampled_ns_) / static_cast<double>(state_.last_ns - state_.attached_ns);
      const auto tenths = static_cast<int64_t>(std::min(share, 1.0) * 1000 + 0.5);
      text += ", " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " % of the time";
    }
    return text;
  }

  std::map<Key, Open> open_;
  std::map<uint64_t, std::pair<uint32_t, uint32_t>> metrics_;
  std::vector<uint32_t> windows_;  // rows of counter_windows
  uint64_t samples_ = 0, overflows_ = 0, behind_ = 0, widest_ = 0;
  int64_t sampled_ns_ = 0;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeSampledCounters(State* state) { return std::make_unique<SampledCounters>(state); }

}  // namespace warpscope::import::capture

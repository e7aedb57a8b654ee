// The machine: devices as CUPTI describes them, facts, and series of samples. What the catalogue of readings names
// becomes a reading, so that rules and tables made for monitors' logs serve a recording as well; samples are counters
// besides.
#include <charconv>

#include "import/capture/record_group.h"
#include "model/reading_names.h"

namespace warpscope::import::capture {
namespace {

// The number behind the words of a fact of the catalogue.
std::optional<double> ValueOf(const model::ReadingInfo& info, std::string_view text) {
  if (info.kind == model::ReadingKind::kText) return std::nullopt;
  if (info.kind == model::ReadingKind::kState && text == "on") return 1;
  if (info.kind == model::ReadingKind::kState && text == "off") return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Machine : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kDevice) ReadDevice(in);
    else if (tag == wire::kFact) ReadFact(in);
    else if (tag == wire::kSeries) ReadSeries(in);
    else ReadSample(in);
  }

 private:
  void ReadDevice(wire::BlockReader& in) {
    const uint64_t id = Narrow(in.Get());
    const model::StringId name = state_.Text(in.Get());
    const uint64_t count = in.Get();
    uint64_t values[wire::kDeviceFieldCount] = {};
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
      const uint64_t value = in.Get();
      if (i < wire::kDeviceFieldCount) values[i] = value;
    }
    if (!in.ok() || count < wire::kDeviceFieldCount) return;
    model::Device& device = state_.to.DeviceAt(state_.to.Device(static_cast<int64_t>(id)));
    device.name = state_.to.trace().Text(name);
    device.cc_major = Narrow(values[wire::kCcMajor]);
    device.cc_minor = Narrow(values[wire::kCcMinor]);
    device.sm_count = Narrow(values[wire::kSmCount]);
    device.warp_size = Narrow(values[wire::kWarpSize]);
    device.memory_bytes = values[wire::kMemoryBytes];
    device.max_threads_per_block = Narrow(values[wire::kMaxThreadsPerBlock]);
    device.max_threads_per_sm = Narrow(values[wire::kMaxWarpsPerSm] * values[wire::kWarpSize]);
    device.registers_per_block = Narrow(values[wire::kRegistersPerBlock]);
    device.registers_per_sm = Narrow(values[wire::kRegistersPerSm]);
    device.shared_bytes_per_block = Narrow(values[wire::kSharedPerBlock]);
    device.shared_bytes_per_sm = Narrow(values[wire::kSharedPerSm]);
  }

  void ReadFact(wire::BlockReader& in) {
    model::Reading row;
    row.source = state_.to.source_row();
    const uint64_t device = in.Get();
    row.name = state_.Text(in.Get());
    row.text = state_.Text(in.Get());
    if (!in.ok()) return;
    row.device = state_.DeviceOf(device);
    if (const auto* info = model::FindReadingInfo(state_.to.trace().Text(row.name))) {
      row.value = ValueOf(*info, state_.to.trace().Text(row.text));
      if (row.value && !info->unit.empty()) row.unit = state_.to.Text(info->unit);
      // A number alone; a state keeps its word.
      if (row.value && info->kind != model::ReadingKind::kState) row.text = model::kNoString;
    }
    state_.to.trace().readings.push_back(row);
  }

  void ReadSeries(wire::BlockReader& in) {
    const uint64_t ref = in.Get(), device = in.Get();
    SeriesOf series;
    series.sample.name = state_.Text(in.Get());
    series.sample.unit = state_.Text(in.Get());
    if (!in.ok()) return;
    series.sample.device = state_.DeviceOf(device);
    series.is_reading = model::FindReadingInfo(state_.to.trace().Text(series.sample.name)) != nullptr;
    series_.Set(ref, series);
  }

  void ReadSample(wire::BlockReader& in) {
    const SeriesOf* series = series_.Find(in.Get());
    const int64_t time_ns = in.GetTime();
    const int64_t thousandths = in.GetSigned();
    if (!in.ok() || series == nullptr || series->sample.name == model::kNoString || !state_.InRange(time_ns)) return;
    model::CounterSample row = series->sample;
    row.time_ns = time_ns;
    row.value = static_cast<double>(thousandths) / 1000;
    state_.to.trace().counters.push_back(row);
    if (!series->is_reading) return;
    model::Reading reading;
    reading.source = state_.to.source_row();
    reading.device = row.device;
    reading.time_ns = time_ns;
    reading.name = row.name;
    reading.unit = row.unit;
    reading.value = row.value;
    state_.to.trace().readings.push_back(reading);
  }

  struct SeriesOf {
    model::CounterSample sample;  // without time and value
    bool is_reading = false;
  };
  RefTable<SeriesOf> series_;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeMachine(State* state) { return std::make_unique<Machine>(state); }

}  // namespace warpscope::import::capture

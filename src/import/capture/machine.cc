// The machine: devices as CUPTI describes them, facts, and series of samples.
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

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
    state_.to.trace().readings.push_back(row);
  }

  void ReadSeries(wire::BlockReader& in) {
    const uint64_t ref = in.Get(), device = in.Get();
    model::CounterSample series;
    series.name = state_.Text(in.Get());
    series.unit = state_.Text(in.Get());
    if (!in.ok()) return;
    series.device = state_.DeviceOf(device);
    series_.Set(ref, series);
  }

  void ReadSample(wire::BlockReader& in) {
    const model::CounterSample* series = series_.Find(in.Get());
    const int64_t time_ns = in.GetTime();
    const int64_t thousandths = in.GetSigned();
    if (!in.ok() || series == nullptr || series->name == model::kNoString || !state_.InRange(time_ns)) return;
    model::CounterSample row = *series;
    row.time_ns = time_ns;
    row.value = static_cast<double>(thousandths) / 1000;
    state_.to.trace().counters.push_back(row);
  }

  RefTable<model::CounterSample> series_;  // without time and value
};

}  // namespace

std::unique_ptr<RecordGroup> MakeMachine(State* state) { return std::make_unique<Machine>(state); }

}  // namespace warpscope::import::capture

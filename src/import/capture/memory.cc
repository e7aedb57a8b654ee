// Device memory: allocations, pools, and what unified memory moves and faults.
#include "import/capture/cupti_words.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

class Memory : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kPool) ReadPool(in);
    else if (tag == wire::kUnified) ReadUnified(in);
    else ReadEvent(tag, in);
  }

  // The thread of the call that allocated: what it was in tells who asked for the memory.
  void Finish() override {
    if (rows_of_.empty()) return;
    model::Trace& trace = state_.to.trace();
    for (uint32_t row = first_row_; row < trace.host.size(); ++row) {
      const model::HostKind kind = trace.host.kind[row];
      if (kind != model::HostKind::kRuntimeCall && kind != model::HostKind::kDriverCall) continue;
      const auto it = rows_of_.find(trace.host.correlation[row]);
      if (it == rows_of_.end()) continue;
      for (const uint32_t event : it->second) trace.memory[event].thread = trace.host.thread[row];
    }
  }

 private:
  void ReadEvent(wire::Tag tag, wire::BlockReader& in) {
    const bool release = in.Get() == 1;
    const model::MemoryKind kind = MemoryKindOf(in.Get());
    const uint64_t device = in.Get();
    if (tag == wire::kMemoryEvent) in.Get();  // stream
    model::MemoryEvent row;
    row.address = in.Get();
    int64_t bytes = Length(in.Get());
    row.time_ns = in.GetTime();
    const uint64_t correlation = in.GetCorrelation();
    if (tag == wire::kMemoryEvent) in.Get();  // pool
    if (!in.ok() || !state_.InRange(row.time_ns)) return;
    // A release tells its size not always.
    if (!release) live_[row.address] = bytes;
    else if (const auto it = live_.find(row.address); it != live_.end()) {
      if (bytes == 0) bytes = it->second;
      live_.erase(it);
    }
    const bool on_host = kind == model::MemoryKind::kPageable || kind == model::MemoryKind::kPinned;
    if (!on_host) row.device = state_.to.Device(static_cast<int64_t>(Narrow(device)));
    row.bytes = release ? -bytes : bytes;
    state_.Saw(row.time_ns);
    if (!release && correlation != 0 && correlation != model::kNoId)
      rows_of_[correlation].push_back(static_cast<uint32_t>(state_.to.trace().memory.size()));
    state_.to.trace().memory.push_back(row);
  }

  void Count(int64_t time_ns, uint32_t device, std::string_view name, std::string_view unit, uint64_t value) {
    model::CounterSample row;
    row.time_ns = time_ns;
    row.device = device;
    row.name = state_.to.Text(name);
    row.unit = state_.to.Text(unit);
    row.value = static_cast<double>(value);
    state_.to.trace().counters.push_back(row);
  }

  void ReadPool(wire::BlockReader& in) {
    in.Get();  // operation
    in.Get();  // type
    const uint64_t device = in.Get();
    in.Get();  // address
    const uint64_t bytes = in.Get(), used_bytes = in.Get();
    const int64_t time_ns = in.GetTime();
    if (!in.ok() || !state_.InRange(time_ns)) return;
    const uint32_t row = state_.to.Device(static_cast<int64_t>(Narrow(device)));
    Count(time_ns, row, "memory pool size", "bytes", bytes);
    Count(time_ns, row, "memory pool in use", "bytes", used_bytes);
  }

  // CUpti_ActivityUnifiedMemoryCounterKind
  void ReadUnified(wire::BlockReader& in) {
    const uint64_t kind = in.Get(), source = in.Get(), destination = in.Get();
    in.Get();  // address
    const uint64_t value = in.Get();
    const int64_t start_ns = in.GetTime(), dur_ns = Length(in.Get());
    if (!in.ok() || !state_.InRange(start_ns, dur_ns)) return;
    state_.Saw(start_ns + dur_ns);
    switch (kind) {
      case 1: return AddMigration(model::CopyKind::kHostToDevice, destination, value, start_ns, dur_ns);
      case 2: return AddMigration(model::CopyKind::kDeviceToHost, source, value, start_ns, dur_ns);
      case 8: return AddMigration(model::CopyKind::kDeviceToDevice, destination, value, start_ns, dur_ns);
      case 3:  // the value is where the program was, not a number of faults
        return Count(start_ns, model::kNone, "unified memory page faults on the CPU", "faults", 1);
      case 4: return Count(start_ns, state_.DeviceOf(source), "unified memory page faults on the GPU", "faults", value);
      case 5: return Count(start_ns, state_.DeviceOf(source), "unified memory thrashing", "bytes", value);
      case 6: return Count(start_ns, state_.DeviceOf(source), "unified memory throttling", "events", 1);
      case 7: return Count(start_ns, state_.DeviceOf(source), "unified memory remote mapping", "bytes", value);
      default: state_.to.Note(model::LedgerCode::kUnknownEvent);
    }
  }

  // The driver moves pages on its own: in a stream that the program does not have.
  void AddMigration(model::CopyKind kind, uint64_t device, uint64_t bytes, int64_t start_ns, int64_t dur_ns) {
    model::CopyDetail detail;
    detail.kind = kind;
    detail.src = detail.dst = model::MemoryKind::kManaged;
    detail.bytes = bytes;
    Appender::Gpu row;
    row.kind = model::GpuKind::kCopy;
    row.stream = state_.to.Stream(state_.process, state_.DeviceOf(device), -1, -1);
    state_.to.trace().streams[row.stream].name = state_.to.Text("unified memory");
    row.start_ns = start_ns;
    row.dur_ns = dur_ns;
    row.name = state_.to.Text(CopyName(detail));
    row.detail = state_.to.Copy(detail);
    state_.to.Add(row);
  }

  const uint32_t first_row_ = state_.to.trace().host.size();
  std::unordered_map<uint64_t, int64_t> live_;                   // address -> bytes
  std::unordered_map<uint64_t, std::vector<uint32_t>> rows_of_;  // correlation id of a call -> rows of memory
};

}  // namespace

std::unique_ptr<RecordGroup> MakeMemory(State* state) { return std::make_unique<Memory>(state); }

}  // namespace warpscope::import::capture

// Kernels, copies, memsets and whole graphs, and the launches that are known by the kernels' queue times alone.
#include "import/capture/cupti_words.h"
#include "import/capture/queued_launches.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

class DeviceWork : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    switch (tag) {
      case wire::kCopy:
      case wire::kGraphCopy: return ReadCopy(tag, in);
      case wire::kMemset:
      case wire::kGraphMemset: return ReadMemset(tag, in);
      case wire::kKeyed:
      case wire::kKeyedQueued: return ReadKeyed(tag, in);
      case wire::kGraph: return ReadGraph(in);
      default: return ReadKernel(tag, in);
    }
  }

  // Most launches need no record of their own: the kernels tell when they were queued.
  void Finish() override { queued_.Finish(state_); }

 private:
  void ReadTimes(Appender::Gpu& row, wire::BlockReader& in) {
    row.start_ns = in.GetTime();
    row.dur_ns = Length(in.Get());
    row.correlation = in.GetCorrelation();
  }

  void Add(const Appender::Gpu& row) {
    if (!state_.InRange(row.start_ns, row.dur_ns)) return;
    state_.Saw(row.start_ns + row.dur_ns);
    state_.to.Add(row);
  }

  void AddLaunch(const Appender::Gpu& row, int64_t before_ns, int64_t length_ns) {
    const int64_t queued_ns = row.start_ns - before_ns;
    queued_.Add({row.correlation, queued_ns, queued_ns + std::min(length_ns, before_ns), row.start_ns + row.dur_ns});
  }

  void ReadKernel(wire::Tag tag, wire::BlockReader& in) {
    Appender::Gpu row;
    row.name = state_.Text(in.Get());
    const uint64_t stream = in.Get();
    const model::LaunchConfig* shape = state_.shapes.Find(in.Get());
    ReadTimes(row, in);
    model::LaunchConfig config = shape != nullptr ? *shape : model::LaunchConfig();
    int64_t before_ns = 0, length_ns = 0;
    if (tag == wire::kGraphKernel) {
      config.graph_id = in.Get();
      config.graph_node_id = in.Get();
    } else if (tag == wire::kKernelQueued) {
      before_ns = Length(in.Get());
      length_ns = Length(in.Get());
    }
    if (!in.ok() || !state_.InRange(row.start_ns, row.dur_ns)) return;
    if (tag == wire::kKernelQueued) AddLaunch(row, before_ns, length_ns);
    if (row.name == model::kNoString) row.name = state_.to.Text("(name lost)");
    row.stream = state_.StreamOf(stream);
    row.detail = state_.to.Launch(config);
    Add(row);
  }

  void ReadKeyed(wire::Tag tag, wire::BlockReader& in) {
    const LaunchKey* launch = state_.launches.Find(in.Get());
    Appender::Gpu row;
    ReadTimes(row, in);
    int64_t before_ns = 0, length_ns = 0;
    if (tag == wire::kKeyedQueued) {
      before_ns = Length(in.Get());
      length_ns = Length(in.Get());
    }
    if (!in.ok() || !state_.InRange(row.start_ns, row.dur_ns)) return;
    if (tag == wire::kKeyedQueued) AddLaunch(row, before_ns, length_ns);
    row.name = launch != nullptr ? launch->name : state_.to.Text("(name lost)");
    row.stream = launch != nullptr ? launch->stream : state_.StreamOf(0);
    row.detail = launch != nullptr ? launch->detail : state_.to.Launch({});
    Add(row);
  }

  void ReadCopy(wire::Tag tag, wire::BlockReader& in) {
    Appender::Gpu row;
    row.kind = model::GpuKind::kCopy;
    model::CopyDetail detail;
    detail.kind = CopyKindOf(in.Get());
    detail.src = MemoryKindOf(in.Get());
    detail.dst = MemoryKindOf(in.Get());
    const uint64_t stream = in.Get();
    detail.bytes = in.Get();
    ReadTimes(row, in);
    if (tag == wire::kGraphCopy) {
      in.Get();
      in.Get();
    }
    if (!in.ok()) return;
    row.name = state_.to.Text(CopyName(detail));
    row.stream = state_.StreamOf(stream);
    row.detail = state_.to.Copy(detail);
    Add(row);
  }

  void ReadMemset(wire::Tag tag, wire::BlockReader& in) {
    Appender::Gpu row;
    row.kind = model::GpuKind::kMemset;
    model::CopyDetail detail;
    detail.dst = MemoryKindOf(in.Get());
    const uint64_t stream = in.Get();
    detail.bytes = in.Get();
    ReadTimes(row, in);
    if (tag == wire::kGraphMemset) {
      in.Get();
      in.Get();
    }
    if (!in.ok()) return;
    row.name = state_.to.Text(MemsetName(detail));
    row.stream = state_.StreamOf(stream);
    row.detail = state_.to.Copy(detail);
    Add(row);
  }

  void ReadGraph(wire::BlockReader& in) {
    Appender::Gpu row;
    row.kind = model::GpuKind::kGraphLaunch;
    const uint64_t stream = in.Get(), graph = in.Get();
    ReadTimes(row, in);
    if (!in.ok()) return;
    row.stream = state_.StreamOf(stream);
    row.name = state_.to.Text("CUDA graph " + std::to_string(graph));
    Add(row);
  }

  QueuedLaunches queued_;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeDeviceWork(State* state) { return std::make_unique<DeviceWork>(state); }

}  // namespace warpscope::import::capture

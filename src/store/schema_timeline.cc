// The tables of timed rows.
#include "store/rows_of.h"
#include "store/schema.h"

namespace warpscope::store {
namespace {

using model::kNoId;
using model::kNone;
using model::Trace;

static_assert(sizeof(model::GpuAnnotation) == 24, "new member of GpuAnnotation: give it a column");
static_assert(sizeof(model::Sync) == 56, "new member of Sync: give it a column");
static_assert(sizeof(model::MemoryEvent) == 64, "new member of MemoryEvent: give it a column");
static_assert(sizeof(model::CounterSample) == 32, "new member of CounterSample: give it a column");
static_assert(sizeof(model::Collective) == 96, "new member of Collective: give it a column");
static_assert(sizeof(model::HostTable) == 10 * sizeof(std::vector<int>), "new column of HostTable");
static_assert(sizeof(model::GpuTable) == 9 * sizeof(std::vector<int>), "new column of GpuTable");

constexpr std::string_view kHostKinds[] = {"annotation",   "python",      "native",  "operator",
                                           "runtime_call", "driver_call", "os_call", "overhead"};
constexpr std::string_view kGpuKinds[] = {"kernel", "copy", "memset", "graph_launch"};
constexpr std::string_view kSyncKinds[] = {"unknown", "stream", "event", "context", "stream_wait_event"};

template <auto kColumn>
constexpr auto kHost = [](auto& trace, uint64_t row) -> auto& {
  return (trace.host.*kColumn)[row];
};
template <auto kColumn>
constexpr auto kGpu = [](auto& trace, uint64_t row) -> auto& {
  return (trace.gpu.*kColumn)[row];
};

using Number = std::optional<int64_t>;

Number RowNumber(const Trace&, uint64_t row) { return static_cast<int64_t>(row); }

const model::Process& ProcessOfHost(const Trace& trace, uint64_t row) {
  return trace.processes[trace.threads[trace.host.thread[row]].process];
}

const model::Stream& StreamOfGpu(const Trace& trace, uint64_t row) { return trace.streams[trace.gpu.stream[row]]; }

// The rank of the process that owns a link domain.
Number RankOfGpu(const Trace& trace, uint64_t row) {
  for (const model::Process& process : trace.processes) {
    if (process.link_domain == StreamOfGpu(trace, row).link_domain && process.rank) return process.rank;
  }
  return std::nullopt;
}

// One column of detail rows in memory, one a kind of row in the file.
template <auto kTable, typename Mine>
Field DetailOf(std::string name, std::string doc, Target target, Mine mine) {
  Field field{std::move(name), duckdb::Type::kInt64, std::move(doc), nullptr, nullptr, false};
  field.write = [mine](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    const auto& table = from.trace.*kTable;
    int64_t* out = to.Data<int64_t>();
    for (size_t i = 0; i < count; ++i) {
      out[i] = table.detail[begin + i];
      if (out[i] == kNone || !mine(table.kind[begin + i])) to.SetNull(i);
    }
  };
  field.read = [mine, target](const Cells& in, uint64_t row, Reading& reading) {
    const Ranges::Range range = (*reading.ranges)[target];
    auto& table = reading.trace->*kTable;
    for (size_t i = 0; i < in.count; ++i) {
      if (in.Null(i)) continue;
      const auto value = static_cast<uint64_t>(in.Integer(i));
      if (!mine(table.kind[row + i]) || value >= range.rows) return i;
      table.detail[row + i] = range.base + static_cast<uint32_t>(value);
    }
    return in.count;
  };
  return field;
}

// The details of new rows are absent until a column says otherwise.
template <typename Table>
void GrowColumns(Table& table, uint64_t rows) {
  const size_t old = table.size();
  table.VisitColumns([&](auto& column) { column.resize(old + rows); });
  std::fill(table.detail.begin() + static_cast<std::ptrdiff_t>(old), table.detail.end(), kNone);
}

TableSchema Host() {
  using H = model::HostTable;
  TableSchema table{
      "host",
      "Spans on host threads: operators, annotations, Python frames, API calls. Sorted by thread, then start.",
      [](const Trace& trace) { return uint64_t{trace.host.size()}; },
      [](Trace* trace, uint64_t rows) { GrowColumns(trace->host, rows); },
      {
          Derived("row", "number of this row, to which parent and gpu.call refer", RowNumber),
          Time("start_ns", "begin", -kMaxTimeNs, kHost<&H::start_ns>),
          Time("dur_ns", "length", 0, kHost<&H::dur_ns>),
          Text("name", "what ran", kHost<&H::name>),
          Word("kind", "what it is", kHostKinds, kHost<&H::kind>),
          RowOf("thread", "row of threads", Target::kThreads, true, kHost<&H::thread>),
          Derived("pid", "process id",
                  [](const Trace& trace, uint64_t row) { return Number(ProcessOfHost(trace, row).pid); }),
          Derived("tid", "thread id",
                  [](const Trace& trace, uint64_t row) { return Number(trace.threads[trace.host.thread[row]].tid); }),
          Derived("rank_id", "rank of the process",
                  [](const Trace& trace, uint64_t row) { return ProcessOfHost(trace, row).rank; }),
          OrNull("correlation", "calls: correlation id; operators: sequence number; Python frames: Python id", kNoId,
                 kHost<&H::correlation>),
          OrNull("external_id", "operators: own id; calls: that of the operator around them", kNoId,
                 kHost<&H::external_id>),
          OrNull("forward_thread", "operators run by autograd: number of the forward thread", uint32_t{0},
                 kHost<&H::forward_thread>),
          DetailOf<&Trace::host>("op_detail", "all but annotations: row of op_details", Target::kOpDetails,
                                 [](model::HostKind kind) { return kind != model::HostKind::kAnnotation; }),
          DetailOf<&Trace::host>("annotation_detail", "annotations: row of annotation_details",
                                 Target::kAnnotationDetails,
                                 [](model::HostKind kind) { return kind == model::HostKind::kAnnotation; }),
          RowOf("parent", "row of host: the innermost span of the same thread around this one", Target::kHost, false,
                kHost<&H::parent>),
      }};
  return table;
}

TableSchema Gpu() {
  using G = model::GpuTable;
  using model::GpuKind;
  return {"gpu",
          "Work on devices: kernels, copies, memsets, graph launches. Sorted by start.",
          [](const Trace& trace) { return uint64_t{trace.gpu.size()}; },
          [](Trace* trace, uint64_t rows) { GrowColumns(trace->gpu, rows); },
          {
              Derived("row", "number of this row, to which collectives.gpu_row refers", RowNumber),
              Time("start_ns", "begin", -kMaxTimeNs, kGpu<&G::start_ns>),
              Time("dur_ns", "length", 0, kGpu<&G::dur_ns>),
              Text("name", "kernel name; for copies and memsets the recorded text", kGpu<&G::name>),
              Word("kind", "what it is", kGpuKinds, kGpu<&G::kind>),
              RowOf("stream", "row of streams", Target::kStreams, true, kGpu<&G::stream>),
              Derived("device_id", "device, as the input numbers it",
                      [](const Trace& trace, uint64_t row) {
                        return Number(trace.devices[StreamOfGpu(trace, row).device].id);
                      }),
              Derived("stream_id", "stream, as the input numbers it",
                      [](const Trace& trace, uint64_t row) { return Number(StreamOfGpu(trace, row).id); }),
              Derived("rank_id", "rank of the process", RankOfGpu),
              OrNull("correlation", "id that the API call carries too", kNoId, kGpu<&G::correlation>),
              OrNull("external_id", "id of the operator around the call", kNoId, kGpu<&G::external_id>),
              DetailOf<&Trace::gpu>("launch_config", "kernels: row of launch_configs", Target::kLaunchConfigs,
                                    [](GpuKind kind) { return kind == GpuKind::kKernel; }),
              DetailOf<&Trace::gpu>("copy_detail", "copies, memsets: row of copy_details", Target::kCopyDetails,
                                    [](GpuKind kind) { return kind == GpuKind::kCopy || kind == GpuKind::kMemset; }),
              RowOf("call", "row of host: the API call that issued it", Target::kHost, false, kGpu<&G::call>),
          }};
}

TableSchema GpuAnnotations() {
  using A = model::GpuAnnotation;
  constexpr auto kRows = &Trace::gpu_annotations;
  return RowsOf<kRows>("gpu_annotations", "Ranges of the program as the device saw them. Sorted by start.",
                       {
                           Time("start_ns", "begin", -kMaxTimeNs, kCell<kRows, &A::start_ns>),
                           Time("dur_ns", "length", 0, kCell<kRows, &A::dur_ns>),
                           Text("name", "of the range", kCell<kRows, &A::name>),
                           RowOf("stream", "row of streams", Target::kStreams, true, kCell<kRows, &A::stream>),
                       });
}

TableSchema Syncs() {
  using S = model::Sync;
  constexpr auto kRows = &Trace::syncs;
  return RowsOf<kRows>("syncs", "Synchronisations as the recorder wrote them. Sorted by start.",
                       {
                           Time("start_ns", "begin", -kMaxTimeNs, kCell<kRows, &S::start_ns>),
                           Time("dur_ns", "length", 0, kCell<kRows, &S::dur_ns>),
                           Word("kind", "what was waited for", kSyncKinds, kCell<kRows, &S::kind>),
                           RowOf("stream", "row of streams: waited for, or made to wait", Target::kStreams, false,
                                 kCell<kRows, &S::stream>),
                           RowOf("wait_on_stream", "row of streams where the event was recorded", Target::kStreams,
                                 false, kCell<kRows, &S::wait_on_stream>),
                           OrNull("correlation", "of the API call", kNoId, kCell<kRows, &S::correlation>),
                           OrNull("event_record_correlation", "of the call that recorded the event", kNoId,
                                  kCell<kRows, &S::event_record_correlation>),
                           RowOf("link_domain", "of the call where no stream tells it", Target::kLinkDomains, false,
                                 kCell<kRows, &S::link_domain>),
                           RowOf("call", "row of host: the API call", Target::kHost, false, kCell<kRows, &S::call>),
                       });
}

TableSchema Memory() {
  using M = model::MemoryEvent;
  constexpr auto kRows = &Trace::memory;
  return RowsOf<kRows>(
      "memory", "Allocations (bytes > 0) and frees (bytes < 0). Sorted by time.",
      {
          Time("time_ns", "when", -kMaxTimeNs, kCell<kRows, &M::time_ns>),
          Value("bytes", "change", kCell<kRows, &M::bytes>),
          Value("address", "address, as 64 bits with a sign", kCell<kRows, &M::address>),
          RowOf("device", "row of devices; NULL: host memory", Target::kDevices, false, kCell<kRows, &M::device>),
          RowOf("thread", "row of threads", Target::kThreads, false, kCell<kRows, &M::thread>),
          Value("total_allocated_bytes", "as the allocator counted", kCell<kRows, &M::total_allocated_bytes>),
          Value("total_reserved_bytes", "as the allocator counted", kCell<kRows, &M::total_reserved_bytes>),
      });
}

TableSchema Counters() {
  using C = model::CounterSample;
  constexpr auto kRows = &Trace::counters;
  return RowsOf<kRows>("counters", "Values that a timeline recorder sampled. Sorted by time.",
                       {
                           Time("time_ns", "when", -kMaxTimeNs, kCell<kRows, &C::time_ns>),
                           Text("name", "of the counter", kCell<kRows, &C::name>),
                           RowOf("device", "row of devices", Target::kDevices, false, kCell<kRows, &C::device>),
                           Value("value", "value", kCell<kRows, &C::value>),
                           Text("unit", "unit", kCell<kRows, &C::unit>),
                       });
}

TableSchema Collectives() {
  using C = model::Collective;
  constexpr auto kRows = &Trace::collectives;
  return RowsOf<kRows>(
      "collectives", "Collectives and point-to-point communications.",
      {
          RowOf("gpu_row", "row of gpu: its kernel", Target::kGpu, false, kCell<kRows, &C::gpu_row>),
          RowOf("host_row", "row of host: its operator", Target::kHost, false, kCell<kRows, &C::host_row>),
          Text("name", "allreduce ...", kCell<kRows, &C::name>),
          Text("dtype", "of the elements", kCell<kRows, &C::dtype>),
          Text("group_name", "of the process group", kCell<kRows, &C::group_name>),
          Text("group_ranks", "text \"[0, 1]\"", kCell<kRows, &C::group_ranks>),
          Text("comms_id", "decimal text", kCell<kRows, &C::comms_id>),
          Value("in_elements", "elements in", kCell<kRows, &C::in_elements>),
          Value("out_elements", "elements out", kCell<kRows, &C::out_elements>),
          Value("group_size", "ranks", kCell<kRows, &C::group_size>),
          Value("sequence", "number in the group", kCell<kRows, &C::sequence>),
      });
}

}  // namespace

std::vector<TableSchema> TimelineTables() {
  return {Host(), Gpu(), GpuAnnotations(), Syncs(), Memory(), Counters(), Collectives()};
}

}  // namespace warpscope::store

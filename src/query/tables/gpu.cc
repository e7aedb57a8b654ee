// gpu, kernels, copies, memsets, graph_launches, launches: what the devices did.
#include <algorithm>

#include "analysis/copies.h"
#include "analysis/kernel_name.h"
#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::CopyKind;
using model::GpuKind;
using model::HostKind;
using model::kNone;
using model::kNoString;
using model::MemoryKind;

constexpr std::string_view kRecordGpu =
    "Device activity was not recorded: nsys profile --trace=cuda; torch.profiler with ProfilerActivity.CUDA; rocprofv3 "
    "--kernel-trace --memory-copy-trace.";

std::vector<Column> PlaceColumns(const Recording& r) {
  const model::Trace& t = r.trace();
  std::vector<uint32_t> device_names;
  for (const model::Device& device : t.devices) {
    device_names.push_back(const_cast<Recording&>(r).texts.Add(device.name));
  }
  const auto stream = [&t](uint32_t row) -> const model::Stream& { return t.streams[t.gpu.stream[row]]; };
  return {
      Int("device", "", "number of the device, as the file numbers it",
          [&t, stream](uint32_t row) -> std::optional<int64_t> {
            const uint32_t device = stream(row).device;
            return device == kNone ? std::nullopt : std::optional<int64_t>(t.devices[device].id);
          }),
      Name("device_name", "its product name",
           [stream, device_names](uint32_t row) {
             const uint32_t device = stream(row).device;
             return device == kNone ? kNoString : device_names[device];
           }),
      Int("stream", "", "number of the stream, as the file numbers it",
          [stream](uint32_t row) { return stream(row).id; }),
      Int("context", "", "number of the context",
          [stream](uint32_t row) {
            const int64_t context = stream(row).context;
            return context < 0 ? std::nullopt : std::optional<int64_t>(context);
          }),
      Int("rank", "", "rank of the process that issued it, if the file tells",
          [&r, &t](uint32_t row) { return r.RankOf(t.GpuDomain(row)); }),
      Int("pid", "", "process that issued it",
          [&r, &t](uint32_t row) -> std::optional<int64_t> {
            const uint32_t call = t.gpu.call[row];
            const uint32_t process =
                call != kNone ? t.threads[t.host.thread[call]].process : r.ProcessOf(t.GpuDomain(row));
            return process == kNone ? std::nullopt : std::optional<int64_t>(t.processes[process].pid);
          }),
  };
}

std::vector<Column> TimeColumns(const Recording& r) {
  const model::Trace& t = r.trace();
  return {
      Int("id", "", "row number in gpu: joins with every column that ends in gpu_id", [](uint32_t row) { return row; }),
      Name("name", "kernel name, or the recorded text of a copy or memset",
           [&t](uint32_t row) { return t.gpu.name[row]; }),
      Int("start_ns", "ns", "start, since the first moment of the recording",
          [&r, &t](uint32_t row) { return t.gpu.start_ns[row] - r.origin_ns(); }),
      Int("end_ns", "ns", "end", [&r, &t](uint32_t row) { return t.gpu.end_ns(row) - r.origin_ns(); }),
      Int("dur_ns", "ns", "time on the device", [&t](uint32_t row) { return t.gpu.dur_ns[row]; }),
  };
}

// Text of the host row that `find` yields for a gpu row.
template <typename F>
Column CallText(const model::Trace& t, std::string_view name, std::string_view meaning, F find) {
  return Name(name, meaning, [&t, find](uint32_t row) {
    const uint32_t host = find(row);
    return host == kNone ? kNoString : t.host.name[host];
  });
}
template <typename F>
Column CallRow(std::string_view name, std::string_view meaning, F find) {
  return Int(name, "", meaning, [find](uint32_t row) { return RowOrAbsent(find(row)); });
}

std::vector<Column> CallColumns(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto call = [&t](uint32_t row) { return t.gpu.call[row]; };
  const auto around = [&r, &t](HostKind kind) {
    return [&r, &t, kind](uint32_t row) { return r.Innermost(t.gpu.call[row], kind); };
  };
  return {
      UInt("correlation", "id that links it with its API call",
           [&t](uint32_t row) { return IdOrAbsent(t.gpu.correlation[row]); }),
      CallRow("call_id", "row number in host of the API call that issued it", call),
      CallText(t, "call_name", "name of that call", call),
      Int("call_start_ns", "ns", "start of that call",
          [&r, &t](uint32_t row) -> std::optional<int64_t> {
            const uint32_t host = t.gpu.call[row];
            return host == kNone ? std::nullopt : std::optional<int64_t>(t.host.start_ns[host] - r.origin_ns());
          }),
      Int("call_dur_ns", "ns", "duration of that call",
          [&t](uint32_t row) -> std::optional<int64_t> {
            const uint32_t host = t.gpu.call[row];
            return host == kNone ? std::nullopt : std::optional<int64_t>(t.host.dur_ns[host]);
          }),
      Int("delay_ns", "ns", "from the end of the call to the start; negative if it started before the call returned",
          [&t](uint32_t row) -> std::optional<int64_t> {
            const uint32_t host = t.gpu.call[row];
            return host == kNone ? std::nullopt : std::optional<int64_t>(t.gpu.start_ns[row] - t.host.end_ns(host));
          }),
      Int("tid", "", "thread that issued it",
          [&t](uint32_t row) -> std::optional<int64_t> {
            const uint32_t host = t.gpu.call[row];
            return host == kNone ? std::nullopt : std::optional<int64_t>(t.threads[t.host.thread[host]].tid);
          }),
      CallRow("operator_id", "row number in host of the innermost operator around the call",
              around(HostKind::kOperator)),
      CallText(t, "operator", "name of that operator", around(HostKind::kOperator)),
      CallRow("annotation_id", "row number in host of the innermost annotation around the call",
              around(HostKind::kAnnotation)),
      CallText(t, "annotation", "name of that annotation (NVTX range, record_function)", around(HostKind::kAnnotation)),
      CallText(t, "python_frame", "innermost Python frame around the call", around(HostKind::kPython)),
      CallText(t, "native_frame", "innermost frame of C, C++ and the like around the call", around(HostKind::kNative)),
      Int("step", "", "number of the step in which it was issued, from 0 in each rank",
          [&r](uint32_t row) { return r.StepOfGpu(row); }),
  };
}

// Per name of a gpu row: short form, category and precision.
struct KernelWords {
  std::vector<uint32_t> short_name, category, precision;
};

KernelWords WordsOfKernels(Recording& r) {
  const model::Trace& t = r.trace();
  KernelWords words;
  for (auto* list : {&words.short_name, &words.category, &words.precision}) list->resize(t.strings.size(), kNoString);
  for (uint32_t row = 0; row < t.gpu.size(); ++row) {
    const uint32_t name = t.gpu.name[row];
    if (t.gpu.kind[row] != GpuKind::kKernel || words.short_name[name] != kNoString) continue;
    const analysis::KernelClass& kernel = r.index().kernel_class(row);
    words.short_name[name] = r.texts.Add(analysis::ShortKernelName(t.Text(name)));
    words.category[name] = r.texts.Add(analysis::KernelCategoryName(kernel.category));
    if (kernel.precision != analysis::Precision::kUnknown)
      words.precision[name] = r.texts.Add(analysis::PrecisionName(kernel.precision));
  }
  return words;
}

template <typename F>
Column OfLaunch(const model::Trace& t, std::string_view name, std::string_view unit, std::string_view meaning,
                F value) {
  return Int(name, unit, meaning, [&t, value](uint32_t row) -> std::optional<int64_t> {
    const model::LaunchConfig* launch = t.Launch(row);
    return launch ? value(*launch) : std::nullopt;
  });
}

std::optional<int64_t> Axis(const uint32_t (&sizes)[3], size_t axis) {
  return sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0 ? std::nullopt : std::optional<int64_t>(sizes[axis]);
}

std::vector<Column> KernelColumns(Recording& r) {
  const model::Trace& t = r.trace();
  const auto words = std::make_shared<KernelWords>(WordsOfKernels(r));
  using Launch = model::LaunchConfig;
  using Value = std::optional<int64_t>;
  return {
      Name("short_name", "the name without template arguments that tell nothing apart",
           [&t, words](uint32_t row) { return words->short_name[t.gpu.name[row]]; }),
      Name("category", "gemm, convolution, attention, elementwise ... by its name",
           [&t, words](uint32_t row) { return words->category[t.gpu.name[row]]; }),
      Name("precision", "number format that its name tells",
           [&t, words](uint32_t row) { return words->precision[t.gpu.name[row]]; }),
      Bool("is_communication", "a collective or point-to-point kernel (NCCL, RCCL)",
           [&r](uint32_t row) { return r.index().is_communication(row); }),
      OfLaunch(t, "grid_x", "", "blocks in x", [](const Launch& l) { return Axis(l.grid, 0); }),
      OfLaunch(t, "grid_y", "", "blocks in y", [](const Launch& l) { return Axis(l.grid, 1); }),
      OfLaunch(t, "grid_z", "", "blocks in z", [](const Launch& l) { return Axis(l.grid, 2); }),
      OfLaunch(t, "block_x", "", "threads a block in x", [](const Launch& l) { return Axis(l.block, 0); }),
      OfLaunch(t, "block_y", "", "threads a block in y", [](const Launch& l) { return Axis(l.block, 1); }),
      OfLaunch(t, "block_z", "", "threads a block in z", [](const Launch& l) { return Axis(l.block, 2); }),
      OfLaunch(t, "registers_per_thread", "", "registers a thread",
               [](const Launch& l) -> Value { return l.registers_per_thread; }),
      OfLaunch(t, "shared_bytes", "bytes", "static and dynamic shared memory a block",
               [](const Launch& l) -> Value { return l.shared_bytes; }),
      OfLaunch(t, "recorded_occupancy_pct", "%", "occupancy as the recorder estimated it",
               [](const Launch& l) -> Value { return l.recorded_occupancy_pct; }),
      UInt("graph_id", "graph that launched it",
           [&t](uint32_t row) {
             const Launch* launch = t.Launch(row);
             return launch ? IdOrAbsent(launch->graph_id) : std::nullopt;
           }),
      UInt("graph_node_id", "its node of that graph",
           [&t](uint32_t row) {
             const Launch* launch = t.Launch(row);
             return launch ? IdOrAbsent(launch->graph_node_id) : std::nullopt;
           }),
  };
}

std::optional<int64_t> BytesOf(const model::Trace& t, uint32_t row) {
  const model::CopyDetail* copy = t.Copy(row);
  return copy && copy->bytes ? std::optional<int64_t>(*copy->bytes) : std::nullopt;
}

std::vector<Column> SizeColumns(const Recording& r) {
  const model::Trace& t = r.trace();
  return {
      Int("bytes", "bytes", "size", [&t](uint32_t row) { return BytesOf(t, row); }),
      Double("bandwidth_bytes_per_s", "bytes/s", "bytes a second; absent for one that took no measurable time",
             [&t](uint32_t row) -> std::optional<double> {
               const auto bytes = BytesOf(t, row);
               if (!bytes || t.gpu.dur_ns[row] <= 0) return std::nullopt;
               return static_cast<double>(*bytes) * 1e9 / static_cast<double>(t.gpu.dur_ns[row]);
             }),
  };
}

// "[CUDA memcpy Host-to-Device]": how reports of copies name them.
std::string_view Operation(CopyKind kind) {
  switch (kind) {
    case CopyKind::kUnknown: return "[CUDA memcpy Unknown]";
    case CopyKind::kHostToDevice: return "[CUDA memcpy Host-to-Device]";
    case CopyKind::kDeviceToHost: return "[CUDA memcpy Device-to-Host]";
    case CopyKind::kDeviceToDevice: return "[CUDA memcpy Device-to-Device]";
    case CopyKind::kHostToHost: return "[CUDA memcpy Host-to-Host]";
    case CopyKind::kPeerToPeer: return "[CUDA memcpy Peer-to-Peer]";
  }
  return "";
}

std::vector<Column> CopyColumns(Recording& r) {
  const model::Trace& t = r.trace();
  const NamedWords<6, CopyKind> kinds(r, &analysis::CopyKindText), operations(r, &Operation);
  const NamedWords<6, MemoryKind> memories(r, &analysis::MemoryKindText);
  const auto of = [&t](const auto& words, auto member) {
    return [&t, words, member](uint32_t row) {
      const model::CopyDetail* copy = t.Copy(row);
      return copy ? words[copy->*member] : kNoString;
    };
  };
  return std::vector<Column>{
             Name("copy_kind", "\"host to device\", \"device to device\" ...", of(kinds, &model::CopyDetail::kind)),
             Name("src_memory", "\"pageable\", \"pinned\", \"device\" ... of the source",
                  of(memories, &model::CopyDetail::src)),
             Name("dst_memory", "the same of the destination", of(memories, &model::CopyDetail::dst)),
             Name("operation", "as nsys names it: \"[CUDA memcpy Host-to-Device]\"",
                  of(operations, &model::CopyDetail::kind)),
             Bool("blocked_host", "the host was held until it had ended",
                  [&r](uint32_t row) { return analysis::BlockingOf(r.index(), row).blocked; }),
         } +
         SizeColumns(r);
}

std::vector<Column> MemsetColumns(Recording& r) {
  const model::Trace& t = r.trace();
  const NamedWords<6, MemoryKind> memories(r, &analysis::MemoryKindText);
  return std::vector<Column>{Name("memory", "kind of the memory that was set",
                                  [&t, memories](uint32_t row) {
                                    const model::CopyDetail* copy = t.Copy(row);
                                    return copy ? memories[copy->dst != MemoryKind::kUnknown ? copy->dst : copy->src]
                                                : kNoString;
                                  })} +
         SizeColumns(r);
}

Table OfKind(const Recording& r, GpuKind kind, std::string_view name, std::string_view meaning, std::string_view record,
             std::vector<Column> columns) {
  const model::Trace& t = r.trace();
  return {name,
          meaning,
          record,
          std::move(columns),
          RowsThat(t.gpu.size(), [&t, kind](uint32_t row) { return t.gpu.kind[row] == kind; }),
          std::nullopt};
}

}  // namespace

void AddGpuTables(Recording& r, std::vector<Table>& tables) {
  const model::Trace& t = r.trace();
  constexpr std::string_view kKinds[] = {"kernel", "copy", "memset", "graph"};
  const Words<4, GpuKind> kinds(r, kKinds);
  const std::vector<Column> common = TimeColumns(r) + PlaceColumns(r) + CallColumns(r);
  const std::vector<Column> kind = {
      Name("kind", "\"kernel\", \"copy\", \"memset\", or \"graph\" for a whole graph whose kernels were not recorded",
           [&t, kinds](uint32_t row) { return kinds[t.gpu.kind[row]]; }),
      Bool("is_communication", "a collective or point-to-point kernel (NCCL, RCCL)",
           [&r](uint32_t row) { return r.index().is_communication(row); }),
      Int("bytes", "bytes", "size of a copy or memset", [&t](uint32_t row) { return BytesOf(t, row); })};
  tables.push_back({"gpu", "one row a kernel, copy, memset or whole graph on a device", kRecordGpu, common + kind,
                    AllRows(t.gpu.size()), t.gpu.size()});
  tables.push_back(
      OfKind(r, GpuKind::kKernel, "kernels", "one row a kernel execution", kRecordGpu, common + KernelColumns(r)));
  tables.push_back(OfKind(r, GpuKind::kCopy, "copies", "one row a copy between or within memories",
                          "No copy was recorded: the program made none, or the recorder left them out.",
                          common + CopyColumns(r)));
  tables.push_back(OfKind(r, GpuKind::kMemset, "memsets", "one row a memset on a device",
                          "No memset was recorded: the program made none, or the recorder left them out.",
                          common + MemsetColumns(r)));
  tables.push_back(OfKind(r, GpuKind::kGraphLaunch, "graph_launches",
                          "one row a launch of a whole graph whose kernels were not recorded one by one",
                          "Every graph was recorded node by node, or none was launched.", common));
  tables.push_back({"launches", "one row a device item whose API call is known: what waited how long between the two",
                    "No device item could be linked with its API call: record the CUDA API beside the device.",
                    common + kind, RowsThat(t.gpu.size(), [&t](uint32_t row) { return t.gpu.call[row] != kNone; }),
                    std::nullopt});
}

}  // namespace warpscope::query

// Kernels, copies, memsets and graphs recorded as a whole.
#include <limits>

#include "import/nsys/reader.h"
#include "model/copy_words.h"

namespace warpscope::import::nsys {
namespace {

using model::CopyKind;
using model::GpuKind;
using model::LedgerCode;
using model::MemoryKind;

// The columns that every kind of device work has.
struct Common {
  explicit Common(Columns& columns)
      : start(columns.Add("start")),
        end(columns.Add("end")),
        device(columns.Add("deviceId")),
        context(columns.Add("contextId")),
        stream(columns.Add("streamId")),
        correlation(columns.Add("correlationId")),
        process(columns.Add("globalPid")),
        external(columns.Add("warpscopeExternalId")),
        name(columns.Add("warpscopeNameId")) {}
  int start, end, device, context, stream, correlation, process, external, name;

  // False (and counted) where it has no time.
  bool Read(Reader& reader, const Query& row, Appender::Gpu& gpu) const {
    const auto begin_ns = row.Int(start), end_ns = row.Int(end);
    if (!begin_ns || !end_ns || (*begin_ns == 0 && *end_ns == 0 && !reader.is_own())) {
      reader.add().Note(LedgerCode::kUntimedRecord);
      return false;
    }
    const auto span = reader.Times(begin_ns, end_ns);
    if (!span) return false;
    gpu.start_ns = span->start_ns;
    gpu.dur_ns = span->dur_ns;
    gpu.stream = reader.Stream(row.Int(process), row.Int(device), row.Int(context), row.Int(stream));
    gpu.correlation = reader.Id(row.Int(correlation));
    gpu.external_id = reader.Id(row.Int(external));
    gpu.name = reader.Name(row.Int(name));
    return true;
  }
};

template <typename T>
std::optional<T> Fits(std::optional<int64_t> value) {
  return value && *value >= 0 && static_cast<uint64_t>(*value) <= std::numeric_limits<T>::max()
             ? std::optional<T>(static_cast<T>(*value))
             : std::nullopt;
}

MemoryKind MemoryOf(std::optional<int64_t> code) {  // ENUM_CUDA_MEM_KIND
  switch (code.value_or(-1)) {
    case 0: return MemoryKind::kPageable;
    case 1: return MemoryKind::kPinned;
    case 2:
    case 5: return MemoryKind::kDevice;
    case 3: return MemoryKind::kArray;
    case 4:
    case 6: return MemoryKind::kManaged;
    default: return MemoryKind::kUnknown;
  }
}

CopyKind CopyOf(std::optional<int64_t> code) {  // ENUM_CUDA_MEMCPY_OPER
  switch (code.value_or(-1)) {
    case 1:
    case 3:
    case 11: return CopyKind::kHostToDevice;
    case 2:
    case 4:
    case 12: return CopyKind::kDeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8:
    case 13: return CopyKind::kDeviceToDevice;
    case 9: return CopyKind::kHostToHost;
    case 10: return CopyKind::kPeerToPeer;
    default: return CopyKind::kUnknown;
  }
}

bool IsMigration(std::optional<int64_t> code) { return code && *code >= 11 && *code <= 13; }

// "Memcpy HtoD (Pageable -> Device)", as CUPTI's own words are shown elsewhere.
std::string CopyName(const model::CopyDetail& detail, bool migration) {
  std::string name = migration ? "Unified memory migration" : "Memcpy";
  if (detail.kind != CopyKind::kUnknown) name += " " + std::string(model::CopyWord(detail.kind));
  if (migration || (detail.src == MemoryKind::kUnknown && detail.dst == MemoryKind::kUnknown)) return name;
  return name + " (" + std::string(model::MemoryWord(detail.src)) + " -> " +
         std::string(model::MemoryWord(detail.dst)) + ")";
}

struct KernelColumns {
  explicit KernelColumns(Columns& columns)
      : demangled(columns.Add("demangledName")),
        short_name(columns.Add("shortName")),
        mangled(columns.Add("mangledName")),
        registers(columns.Add("registersPerThread")),
        static_shared(columns.Add("staticSharedMemory")),
        dynamic_shared(columns.Add("dynamicSharedMemory")),
        graph(columns.Add("graphId")),
        node(columns.Add("graphNodeId")),
        occupancy(columns.Add("warpscopeOccupancyPct")) {
    const char* sizes[] = {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"};
    for (int i = 0; i < 6; ++i) size[i] = columns.Add(sizes[i]);
  }
  int demangled, short_name, mangled, registers, static_shared, dynamic_shared, graph, node, occupancy;
  int size[6];

  std::optional<model::LaunchConfig> Config(const Reader& reader, const Query& row) const {
    model::LaunchConfig config;
    for (int i = 0; i < 3; ++i) config.grid[i] = Fits<uint32_t>(row.Int(size[i])).value_or(0);
    for (int i = 0; i < 3; ++i) config.block[i] = Fits<uint32_t>(row.Int(size[3 + i])).value_or(0);
    config.registers_per_thread = Fits<uint32_t>(row.Int(registers));
    const auto fixed = Fits<uint32_t>(row.Int(static_shared)), dynamic = Fits<uint32_t>(row.Int(dynamic_shared));
    if (fixed || dynamic) config.shared_bytes = fixed.value_or(0) + dynamic.value_or(0);
    config.recorded_occupancy_pct = Fits<uint32_t>(row.Int(occupancy));
    config.graph_id = reader.Id(row.Int(graph));
    config.graph_node_id = reader.Id(row.Int(node));
    if (config == model::LaunchConfig{} && row.is_null(size[0])) return std::nullopt;
    return config;
  }
};

void ReadKernels(Reader& reader, std::vector<uint32_t>* rows) {
  Columns columns("CUPTI_ACTIVITY_KIND_KERNEL");
  const Common common(columns);
  const KernelColumns more(columns);
  reader.Rows(columns, [&](const Query& row) {
    if (rows) rows->push_back(reader.trace().gpu.size());
    Appender::Gpu gpu;
    if (!common.Read(reader, row, gpu)) return;
    gpu.kind = GpuKind::kKernel;
    for (const int name : {more.demangled, more.mangled, more.short_name}) {
      if (const auto id = row.Int(name); id && gpu.name == model::kNoString) gpu.name = reader.Name(id);
    }
    if (const auto config = more.Config(reader, row)) gpu.detail = reader.add().Launch(*config);
    reader.add().Add(gpu);
  });
}

void ReadCopies(Reader& reader, std::vector<uint32_t>* rows) {
  Columns columns("CUPTI_ACTIVITY_KIND_MEMCPY");
  const Common common(columns);
  const int bytes = columns.Add("bytes"), kind = columns.Add("copyKind");
  const int src = columns.Add("srcKind"), dst = columns.Add("dstKind");
  reader.Rows(columns, [&](const Query& row) {
    if (rows) rows->push_back(reader.trace().gpu.size());
    Appender::Gpu gpu;
    if (!common.Read(reader, row, gpu)) return;
    gpu.kind = GpuKind::kCopy;
    const auto code = row.Int(kind);
    model::CopyDetail detail{CopyOf(code), MemoryOf(row.Int(src)), MemoryOf(row.Int(dst)),
                             Fits<uint64_t>(row.Int(bytes))};
    if (IsMigration(code)) detail.src = detail.dst = MemoryKind::kManaged;
    if (!(detail == model::CopyDetail{}) || code) gpu.detail = reader.add().Copy(detail);
    if (gpu.name == model::kNoString) gpu.name = reader.add().Text(CopyName(detail, IsMigration(code)));
    reader.add().Add(gpu);
  });
}

void ReadMemsets(Reader& reader, std::vector<uint32_t>* rows) {
  Columns columns("CUPTI_ACTIVITY_KIND_MEMSET");
  const Common common(columns);
  const int bytes = columns.Add("bytes"), kind = columns.Add("memKind");
  reader.Rows(columns, [&](const Query& row) {
    if (rows) rows->push_back(reader.trace().gpu.size());
    Appender::Gpu gpu;
    if (!common.Read(reader, row, gpu)) return;
    gpu.kind = GpuKind::kMemset;
    model::CopyDetail detail;
    detail.dst = MemoryOf(row.Int(kind));
    detail.bytes = Fits<uint64_t>(row.Int(bytes));
    if (!(detail == model::CopyDetail{})) gpu.detail = reader.add().Copy(detail);
    if (gpu.name == model::kNoString)
      gpu.name = reader.add().Text("Memset (" + std::string(model::MemoryWord(detail.dst)) + ")");
    reader.add().Add(gpu);
  });
}

// One row for everything that a launch of a graph did: nsys's default, "--cuda-graph-trace=graph".
void ReadGraphs(Reader& reader, std::vector<uint32_t>* rows) {
  Columns columns("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  const Common common(columns);
  const int graph = columns.Add("graphId");
  uint64_t launches = 0;
  reader.Rows(columns, [&](const Query& row) {
    if (rows) rows->push_back(reader.trace().gpu.size());
    Appender::Gpu gpu;
    if (!common.Read(reader, row, gpu)) return;
    gpu.kind = GpuKind::kGraphLaunch;
    if (gpu.name == model::kNoString) {
      const auto id = row.Int(graph);
      gpu.name = reader.add().Text(id ? "CUDA graph " + std::to_string(*id) : "CUDA graph");
    }
    reader.add().Add(gpu);
    ++launches;
  });
  if (!reader.is_own()) reader.add().Note(LedgerCode::kGraphAsOneRecord, launches);
}

}  // namespace

void Reader::ReadDeviceWork() {
  const auto rows = [&](GpuKind kind) {
    return is_own_ && db_.HasTable("WARPSCOPE_COLLECTIVES") ? &device_rows_[static_cast<uint8_t>(kind)] : nullptr;
  };
  ReadKernels(*this, rows(GpuKind::kKernel));
  ReadCopies(*this, rows(GpuKind::kCopy));
  ReadMemsets(*this, rows(GpuKind::kMemset));
  ReadGraphs(*this, rows(GpuKind::kGraphLaunch));
}

}  // namespace warpscope::import::nsys

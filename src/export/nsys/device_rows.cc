// Device work: kernels, copies, memsets, whole graphs.
#include <array>
#include <optional>

#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

using model::CopyKind;
using model::GpuKind;
using model::kNoId;
using model::kNone;
using model::MemoryKind;

constexpr char kCommon[] = "start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid";

std::optional<int64_t> CopyCode(CopyKind kind) {  // ENUM_CUDA_MEMCPY_OPER
  switch (kind) {
    case CopyKind::kUnknown: return 0;
    case CopyKind::kHostToDevice: return 1;
    case CopyKind::kDeviceToHost: return 2;
    case CopyKind::kDeviceToDevice: return 8;
    case CopyKind::kHostToHost: return 9;
    case CopyKind::kPeerToPeer: return 10;
  }
  return std::nullopt;
}

std::optional<int64_t> MemoryCode(MemoryKind kind) {  // ENUM_CUDA_MEM_KIND
  switch (kind) {
    case MemoryKind::kUnknown: return std::nullopt;
    case MemoryKind::kPageable: return 0;
    case MemoryKind::kPinned: return 1;
    case MemoryKind::kDevice: return 2;
    case MemoryKind::kArray: return 3;
    case MemoryKind::kManaged: return 4;
  }
  return std::nullopt;
}

// "void ns::(anonymous namespace)::f<int>(float*)" -> "f", as nsys shortens names.
std::string_view BaseName(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  size_t begin = 0, at = 0;
  for (; at < name.size() && name[at] != '<'; ++at) {
    if (name.substr(at, kAnonymous.size()) == kAnonymous) at += kAnonymous.size() - 1;
    else if (name[at] == '(') break;
    else if (name[at] == ':' || name[at] == ' ') begin = at + 1;
  }
  const std::string_view base = name.substr(begin, at - begin);
  return base.empty() ? name : base;
}

class DeviceWriter {
 public:
  explicit DeviceWriter(Job& job) : job_(job), gpu_(job.trace.gpu) {
    for (const uint64_t id : gpu_.external_id) external_id_ |= id != kNoId;
    for (const model::LaunchConfig& config : job.trace.launch_configs)
      occupancy_ |= config.recorded_occupancy_pct.has_value();
  }

  void Write() {
    std::array<uint64_t, 4> rows{};
    for (const GpuKind kind : gpu_.kind) ++rows[static_cast<size_t>(kind)];
    if (rows[static_cast<size_t>(GpuKind::kKernel)] > 0) WriteKernels();
    if (rows[static_cast<size_t>(GpuKind::kCopy)] > 0) WriteCopies();
    if (rows[static_cast<size_t>(GpuKind::kMemset)] > 0) WriteMemsets();
    if (rows[static_cast<size_t>(GpuKind::kGraphLaunch)] > 0) WriteGraphs();
    job_.written.event_count += gpu_.size();
  }

 private:
  template <typename F>
  void Rows(GpuKind kind, const std::string& table, std::string columns, const F& more) {
    if (external_id_) columns += ", warpscopeExternalId";
    job_.file.MakeTable(table, columns);
    Insert insert(job_.file, table, columns);
    int64_t rowid = 0;
    for (uint32_t row = 0; row < gpu_.size(); ++row) {
      if (gpu_.kind[row] != kind) continue;
      Common(insert, row);
      more(insert, row);
      if (external_id_) Id(insert, gpu_.external_id[row]);
      insert.Row();
      ++rowid;
      if (!job_.device_row.empty() && job_.device_row[row] != 0) job_.device_row[row] = rowid;
    }
  }

  static void Id(Insert& insert, uint64_t id) { id == kNoId ? insert.Null() : insert.Int(static_cast<int64_t>(id)); }

  void Common(Insert& insert, uint32_t row) {
    const model::Stream& stream = job_.trace.streams[gpu_.stream[row]];
    const int64_t start = gpu_.start_ns[row] - job_.base_ns;
    insert.Int(start).Int(start + gpu_.dur_ns[row]);
    stream.device == kNone ? insert.Null() : insert.Int(job_.trace.devices[stream.device].id);
    stream.context < 0 ? insert.Null() : insert.Int(stream.context);
    insert.Null().Int(stream.id);
    Id(insert, gpu_.correlation[row]);
    insert.Int(job_.ids.Domain(stream.link_domain));
  }

  int64_t ShortName(model::StringId name) {
    const auto [it, fresh] = short_names_.try_emplace(name, 0);
    if (fresh) it->second = job_.texts.Id(BaseName(job_.trace.Text(name)));
    return it->second;
  }

  void WriteKernels() {
    std::string columns =
        std::string(kCommon) +
        ", demangledName, shortName, mangledName, launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, "
        "blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, "
        "gridId, sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig, graphId";
    if (occupancy_) columns += ", warpscopeOccupancyPct";
    Rows(GpuKind::kKernel, "CUPTI_ACTIVITY_KIND_KERNEL", columns, [&](Insert& insert, uint32_t row) {
      insert.Int(gpu_.name[row]).Int(ShortName(gpu_.name[row])).Null().Null().Null();
      if (gpu_.detail[row] == kNone) {
        for (int i = 0; i < 15 + (occupancy_ ? 1 : 0); ++i) insert.Null();
        return;
      }
      const model::LaunchConfig& config = job_.trace.launch_configs[gpu_.detail[row]];
      insert.Maybe(config.registers_per_thread);
      for (const uint32_t size : config.grid) insert.Int(size);
      for (const uint32_t size : config.block) insert.Int(size);
      // The model keeps the sum of both kinds of shared memory.
      config.shared_bytes ? insert.Int(0).Int(*config.shared_bytes) : insert.Null().Null();
      insert.Null().Null().Null().Null();
      Id(insert, config.graph_node_id);
      insert.Null();
      Id(insert, config.graph_id);
      if (occupancy_) insert.Maybe(config.recorded_occupancy_pct);
    });
  }

  // What the model's name says beyond the kind of copy goes into an extra column.
  void WriteCopies() {
    const std::string columns =
        std::string(kCommon) +
        ", bytes, copyKind, deprecatedSrcId, srcKind, dstKind, srcDeviceId, srcContextId, dstDeviceId, dstContextId, "
        "migrationCause, graphNodeId, virtualAddress, copyCount, warpscopeNameId";
    Rows(GpuKind::kCopy, "CUPTI_ACTIVITY_KIND_MEMCPY", columns, [&](Insert& insert, uint32_t row) {
      if (gpu_.detail[row] == kNone) {
        for (int i = 0; i < 13; ++i) insert.Null();
      } else {
        const model::CopyDetail& detail = job_.trace.copy_details[gpu_.detail[row]];
        insert.Maybe(detail.bytes).Maybe(CopyCode(detail.kind)).Null();
        insert.Maybe(MemoryCode(detail.src)).Maybe(MemoryCode(detail.dst));
        for (int i = 0; i < 8; ++i) insert.Null();
      }
      insert.Int(gpu_.name[row]);
    });
  }

  void WriteMemsets() {
    const std::string columns = std::string(kCommon) + ", value, bytes, graphNodeId, memKind, warpscopeNameId";
    Rows(GpuKind::kMemset, "CUPTI_ACTIVITY_KIND_MEMSET", columns, [&](Insert& insert, uint32_t row) {
      if (gpu_.detail[row] == kNone) {
        insert.Null().Null().Null().Null();
      } else {
        const model::CopyDetail& detail = job_.trace.copy_details[gpu_.detail[row]];
        insert.Null().Maybe(detail.bytes).Null().Maybe(MemoryCode(detail.dst));
      }
      insert.Int(gpu_.name[row]);
    });
  }

  void WriteGraphs() {
    const std::string columns = std::string(kCommon) + ", graphId, graphExecId, warpscopeNameId";
    Rows(GpuKind::kGraphLaunch, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns,
         [&](Insert& insert, uint32_t row) { insert.Null().Null().Int(gpu_.name[row]); });
  }

  Job& job_;
  const model::GpuTable& gpu_;
  bool external_id_ = false, occupancy_ = false;
  std::unordered_map<model::StringId, int64_t> short_names_;
};

}  // namespace

void WriteDeviceRows(Job& job) { DeviceWriter(job).Write(); }

}  // namespace warpscope::exporting

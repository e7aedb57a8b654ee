#include "import/ascend/database.h"

#include <algorithm>
#include <cmath>

#include "import/ascend/kernels.h"

namespace warpscope::import::ascend {
namespace {

using model::kNone;
using model::LedgerCode;

constexpr int64_t kMaxNs = int64_t{1} << 61;

bool IsSpan(std::optional<int64_t> start_ns, std::optional<int64_t> end_ns) {
  return start_ns && end_ns && *start_ns >= 0 && *start_ns < kMaxNs && *end_ns >= *start_ns && *end_ns < kMaxNs;
}

std::string OneOf(std::string_view text, char what) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), what), out.end());
  return out;
}

// "16,512;\r\n512;\r\n" -> "[[16,512],[512],[]]": lists inside are one text in these files; the form of Kineto is JSON.
std::string ShapesAsJson(std::string_view text) {
  std::string out = "[";
  bool first = true;
  for (;;) {
    const size_t end = text.find(';');
    const std::string part = OneOf(OneOf(text.substr(0, end), '\r'), '\n');
    if (!first) out += ",";
    first = false;
    const bool numbers = part.find_first_not_of("0123456789, ") == std::string::npos;
    out += numbers ? "[" + part + "]" : "[]";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out + "]";
}

std::string TypesAsJson(std::string_view text) {
  std::string out = "[";
  bool first = true;
  for (;;) {
    const size_t end = text.find(';');
    const std::string part = OneOf(OneOf(OneOf(OneOf(text.substr(0, end), '\r'), '\n'), '"'), '\\');
    if (!first) out += ",";
    first = false;
    out += "\"" + part + "\"";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out + "]";
}

}  // namespace

template <typename F>
Status DatabaseReader::ForEach(const std::string& table, const std::string& sql, const F& visit) {
  if (!database_.HasTable(table)) return Status::Ok();
  WS_ASSIGN_OR_RETURN(Query query, database_.Run(sql));
  for (;;) {
    auto more = query.Step();
    if (!more.ok()) {
      // What was read before the damage stands.
      out_->Note(LedgerCode::kBrokenRecord);
      return Status::Ok();
    }
    if (!more.value()) return Status::Ok();
    visit(query);
  }
}

model::StringId DatabaseReader::Name(std::optional<int64_t> id) const {
  const auto it = id ? strings_.find(*id) : strings_.end();
  return it == strings_.end() ? model::kNoString : it->second;
}

uint32_t DatabaseReader::ThreadOf(int64_t global_tid) {
  return out_->Thread(out_->Process(global_tid >> 32), global_tid & 0xFFFFFFFF);
}

Status DatabaseReader::ReadNames() {
  WS_RETURN_IF_ERROR(ForEach("STRING_IDS", "SELECT id, value FROM STRING_IDS", [&](const Query& row) {
    if (const auto id = row.Int(0)) strings_[*id] = out_->Text(row.Bytes(1));
  }));
  return ForEach("ENUM_API_TYPE", "SELECT id, name FROM ENUM_API_TYPE", [&](const Query& row) {
    if (const auto id = row.Int(0)) api_types_[*id] = row.Bytes(1);
  });
}

Status DatabaseReader::ReadRun() {
  std::vector<int64_t> devices;
  WS_RETURN_IF_ERROR(ForEach("RANK_DEVICE_MAP", "SELECT rankId, deviceId FROM RANK_DEVICE_MAP", [&](const Query& row) {
    const auto rank = row.Int(0), device = row.Int(1);
    if (device) devices.push_back(*device);
    if (rank && *rank >= 0 && !out_->source().rank) out_->source().rank = rank;
  }));
  WS_RETURN_IF_ERROR(ForEach("TASK", "SELECT DISTINCT deviceId FROM TASK", [&](const Query& row) {
    if (const auto device = row.Int(0)) devices.push_back(*device);
  }));
  if (!devices.empty()) only_device_ = devices.front();
  WS_RETURN_IF_ERROR(ForEach("NPU_INFO", "SELECT id, name FROM NPU_INFO", [&](const Query& row) {
    const auto id = row.Int(0);
    const bool used = id && (devices.empty() || std::find(devices.begin(), devices.end(), *id) != devices.end());
    if (used) out_->DeviceAt(out_->Device(*id)).name = row.Bytes(1);
  }));
  WS_RETURN_IF_ERROR(ForEach("HOST_INFO", "SELECT hostName FROM HOST_INFO", [&](const Query& row) {
    if (out_->source().host_name.empty()) out_->source().host_name = row.Bytes(0);
  }));
  // ENV_VARIABLES stands in this table too and stays where it is.
  return ForEach("META_DATA", "SELECT value FROM META_DATA WHERE name = 'SCHEMA_VERSION'",
                 [&](const Query& row) { out_->source().version = row.Bytes(0); });
}

Status DatabaseReader::ReadLinks() {
  return ForEach("CONNECTION_IDS", "SELECT id, connectionId FROM CONNECTION_IDS ORDER BY id", [&](const Query& row) {
    const auto id = row.Int(0), connection = row.Int(1);
    if (id && connection) operator_of_[*connection] = *id;
  });
}

Status DatabaseReader::ReadTasks() {
  if (!database_.HasTable("TASK")) return Status::Ok();
  const bool compute = database_.HasTable("COMPUTE_TASK_INFO");
  const bool communication = database_.HasTable("COMMUNICATION_TASK_INFO");
  const auto column = [&](std::string_view names) { return "t." + Column("TASK", names); };
  const std::string null = "t.NULL";
  std::string sql = "SELECT " + column("startNs") + ", " + column("endNs") + ", " + column("deviceId") + ", " +
                    column("connectionId") + ", " + column("globalPid") + ", " + column("streamId") + ", " +
                    column("taskType") + ", " + (compute ? "c.name" : "NULL") + ", " +
                    (communication ? "m.globalTaskId" : "NULL") + " FROM TASK t";
  if (compute) sql += " LEFT JOIN COMPUTE_TASK_INFO c ON c.globalTaskId = t.globalTaskId";
  if (communication)
    sql +=
        " LEFT JOIN (SELECT DISTINCT globalTaskId FROM COMMUNICATION_TASK_INFO) m ON m.globalTaskId = t.globalTaskId";
  for (size_t at = sql.find(null); at != std::string::npos; at = sql.find(null)) sql.replace(at, null.size(), "NULL");
  return ForEach("TASK", sql, [&](const Query& row) {
    const auto start_ns = row.Int(0), end_ns = row.Int(1);
    if (!IsSpan(start_ns, end_ns)) return static_cast<void>(++bad_);
    const model::StringId type = Name(row.Int(6));
    const bool copy = type != model::kNoString && IsCopyType(out_->trace().Text(type));
    model::StringId name = Name(row.Int(7));
    // Events, notifications and the parts of a collective are no work of their own.
    if (name == model::kNoString && (!copy || !row.is_null(8))) return static_cast<void>(++passed_over_);
    if (name == model::kNoString) name = type;
    const int64_t pid = row.Int(4).value_or(-1);
    if (pid >= 0) pid_ = pid;
    Appender::Gpu gpu;
    gpu.name = name;
    gpu.stream =
        out_->Stream(out_->Process(pid), out_->Device(row.Int(2).value_or(only_device_)), -1, row.Int(5).value_or(0));
    gpu.start_ns = *start_ns;
    gpu.dur_ns = *end_ns - *start_ns;
    if (const auto connection = row.Int(3); connection && *connection >= 0) {
      gpu.correlation = static_cast<uint64_t>(*connection);
      const auto it = operator_of_.find(*connection);
      if (it != operator_of_.end()) gpu.external_id = static_cast<uint64_t>(it->second);
    }
    if (copy) {
      gpu.kind = model::GpuKind::kCopy;
      gpu.detail = out_->Copy({});
    }
    out_->Add(gpu);
    ++rows_;
  });
}

Status DatabaseReader::ReadCollectives() {
  const std::string table = "COMMUNICATION_OP";
  if (!database_.HasTable(table)) return Status::Ok();
  const std::string sql = "SELECT startNs, endNs, opName, connectionId, groupName, " + Column(table, "count") + ", " +
                          Column(table, "deviceId") + " FROM COMMUNICATION_OP ORDER BY startNs, rowid";
  std::unordered_map<model::StringId, int64_t> group_streams;
  return ForEach(table, sql, [&](const Query& row) {
    const auto start_ns = row.Int(0), end_ns = row.Int(1);
    const model::StringId name = Name(row.Int(2)), group = Name(row.Int(4));
    if (!IsSpan(start_ns, end_ns) || name == model::kNoString) return static_cast<void>(++bad_);
    const auto [it, fresh] =
        group_streams.try_emplace(group, kFirstHcclStream - static_cast<int64_t>(group_streams.size()));
    const std::string stream_name =
        "HCCL" + (group == model::kNoString ? std::string() : " " + std::string(out_->trace().Text(group)));
    Appender::Gpu gpu;
    gpu.name = name;
    gpu.stream = NamedStream(out_, out_->Process(pid_), out_->Device(row.Int(6).value_or(only_device_)), it->second,
                             stream_name);
    gpu.start_ns = *start_ns;
    gpu.dur_ns = *end_ns - *start_ns;
    if (const auto connection = row.Int(3); connection && *connection >= 0)
      gpu.correlation = static_cast<uint64_t>(*connection);
    const uint32_t before = out_->trace().gpu.size();
    out_->Add(gpu);
    if (out_->trace().gpu.size() == before) return;
    ++rows_;
    model::Collective collective;
    collective.gpu_row = before;
    const std::string_view kind = CollectiveName(out_->trace().Text(name));
    collective.name = kind.empty() ? name : out_->Text(kind);
    collective.group_name = group;
    if (const auto count = row.Int(5); count && *count > 0) collective.in_elements = static_cast<uint64_t>(*count);
    out_->trace().collectives.push_back(collective);
  });
}

Status DatabaseReader::ReadCalls() {
  const std::string table = "CANN_API";
  if (!database_.HasTable(table)) return Status::Ok();
  const std::string sql = "SELECT startNs, endNs, globalTid, name, connectionId, type FROM CANN_API";
  return ForEach(table, sql, [&](const Query& row) {
    const auto start_ns = row.Int(0), end_ns = row.Int(1), tid = row.Int(2);
    const model::StringId name = Name(row.Int(3));
    if (!IsSpan(start_ns, end_ns) || !tid || name == model::kNoString) return static_cast<void>(++bad_);
    Appender::Host host;
    // "runtime" stands nearest to the device; acl, node, model and hccl lie above it.
    const auto type = api_types_.find(row.Int(5).value_or(-1));
    host.kind = type != api_types_.end() && type->second == "runtime" ? model::HostKind::kDriverCall
                                                                      : model::HostKind::kRuntimeCall;
    host.name = name;
    host.thread = ThreadOf(*tid);
    host.start_ns = *start_ns;
    host.dur_ns = *end_ns - *start_ns;
    if (const auto connection = row.Int(4); connection && *connection >= 0) {
      host.correlation = static_cast<uint64_t>(*connection);
      const auto it = operator_of_.find(*connection);
      if (it != operator_of_.end()) host.external_id = static_cast<uint64_t>(it->second);
    }
    out_->Add(host);
    ++rows_;
  });
}

void DatabaseReader::AddFramework(const Query& row) {
  const auto start_ns = row.Int(0), end_ns = row.Int(1), tid = row.Int(2);
  const model::StringId name = Name(row.Int(3));
  if (!IsSpan(start_ns, end_ns) || !tid || name == model::kNoString) return static_cast<void>(++bad_);
  const std::string_view text = out_->trace().Text(name);
  const auto type = api_types_.find(row.Int(8).value_or(-1));
  const std::string_view type_name = type == api_types_.end() ? std::string_view() : type->second;
  Appender::Host host;
  host.name = name;
  host.thread = ThreadOf(*tid);
  host.start_ns = *start_ns;
  host.dur_ns = *end_ns - *start_ns;
  const bool step = text.substr(0, 13) == "ProfilerStep#";
  if (type_name == "trace" || (type_name.empty() && text.find("): ") != std::string_view::npos)) {
    host.kind = model::HostKind::kPython;
  } else if (step || type_name == "mstx" || type_name == "queue") {
    host.kind = model::HostKind::kAnnotation;
  } else {
    host.kind = model::HostKind::kOperator;
    if (const auto number = row.Int(4)) host.external_id = static_cast<uint64_t>(*number);
    if (const auto sequence = row.Int(5); sequence && *sequence >= 0)
      host.correlation = static_cast<uint64_t>(*sequence);
    if (const auto forward = row.Int(6); forward && *forward > 0 && *forward < UINT32_MAX)
      host.forward_thread = static_cast<uint32_t>(*forward);
    const model::StringId shapes = Name(row.Int(7)), types = Name(row.Int(9));
    if (shapes != model::kNoString || types != model::kNoString) {
      const auto [it, fresh] = details_.try_emplace(uint64_t{shapes} << 32 | types, kNone);
      if (fresh) {
        model::OpDetail detail;
        const auto json = [&](model::StringId id, auto convert) {
          return id == model::kNoString ? id : out_->Text(convert(std::string(out_->trace().Text(id))));
        };
        detail.input_dims = json(shapes, ShapesAsJson);
        detail.input_types = json(types, TypesAsJson);
        out_->trace().op_details.push_back(detail);
        it->second = static_cast<uint32_t>(out_->trace().op_details.size() - 1);
      }
      host.detail = it->second;
    }
  }
  out_->Add(host);
  ++rows_;
}

Status DatabaseReader::ReadFramework() {
  const std::string table = "PYTORCH_API";
  if (database_.HasTable(table)) {
    WS_RETURN_IF_ERROR(ForEach(table,
                               "SELECT startNs, endNs, globalTid, name, " + Column(table, "connectionId") + ", " +
                                   Column(table, "sequenceNumber") + ", " + Column(table, "fwdThreadId") + ", " +
                                   Column(table, "inputShapes") + ", " + Column(table, "type") + ", " +
                                   Column(table, "inputDtypes|inputDTypes") + " FROM PYTORCH_API",
                               [&](const Query& row) { AddFramework(row); }));
  }
  return ForEach("MSTX_EVENTS", "SELECT startNs, endNs, globalTid, message FROM MSTX_EVENTS", [&](const Query& row) {
    const auto start_ns = row.Int(0), end_ns = row.Int(1), tid = row.Int(2);
    const model::StringId name = Name(row.Int(3));
    if (!IsSpan(start_ns, end_ns) || !tid || name == model::kNoString) return static_cast<void>(++bad_);
    Appender::Host host;
    host.name = name;
    host.thread = ThreadOf(*tid);
    host.start_ns = *start_ns;
    host.dur_ns = *end_ns - *start_ns;
    out_->Add(host);
    ++rows_;
  });
}

// The same ranges as the operators named ProfilerStep#N, where those were recorded.
Status DatabaseReader::ReadSteps() {
  if (database_.HasTable("PYTORCH_API")) return Status::Ok();
  StepRanges steps;
  WS_RETURN_IF_ERROR(ForEach("STEP_TIME", "SELECT id, startNs, endNs FROM STEP_TIME", [&](const Query& row) {
    const auto id = row.Int(0), start_ns = row.Int(1), end_ns = row.Int(2);
    if (id && IsSpan(start_ns, end_ns)) steps.Add(*id, *start_ns, *end_ns);
  }));
  steps.MakeRows(out_);
  return Status::Ok();
}

void DatabaseReader::Finish() {
  out_->Note(LedgerCode::kMissingField, bad_);
  out_->Note(LedgerCode::kUnknownEvent, passed_over_);
}

// Parts that need no timeline, in database_totals.cc's terms below.
void DatabaseReader::AddMemoryEvent(const Query& row) {
  const auto bytes = row.Int(0), alloc_ns = row.Int(1), free_ns = row.Int(2);
  if (!bytes || *bytes <= 0 || *bytes > kMaxNs) return static_cast<void>(++bad_);
  model::MemoryEvent event;
  event.device = out_->Device(row.Int(7).value_or(only_device_));
  if (alloc_ns && *alloc_ns >= 0 && *alloc_ns < kMaxNs) {
    event.time_ns = *alloc_ns;
    event.bytes = *bytes;
    event.total_allocated_bytes = row.Int(3);
    event.total_reserved_bytes = row.Int(4);
    out_->trace().memory.push_back(event);
    ++rows_;
  }
  if (free_ns && *free_ns >= 0 && *free_ns < kMaxNs) {
    event.time_ns = *free_ns;
    event.bytes = -*bytes;
    event.total_allocated_bytes = row.Int(5);
    event.total_reserved_bytes = row.Int(6);
    out_->trace().memory.push_back(event);
    ++rows_;
  }
}

void DatabaseReader::AddCounter(model::StringId name, std::string_view unit, std::optional<int64_t> time_ns,
                                std::optional<double> value, std::optional<int64_t> device) {
  if (!time_ns || *time_ns < 0 || *time_ns >= kMaxNs || !value || !std::isfinite(*value)) return;
  out_->trace().counters.push_back(
      {*time_ns, name, out_->Device(device.value_or(only_device_)), *value, out_->Text(unit)});
  ++rows_;
}

Status DatabaseReader::ReadMemory() {
  WS_RETURN_IF_ERROR(
      ForEach("OP_MEMORY",
              "SELECT size, allocationTime, releaseTime, allocationTotalAllocated, allocationTotalReserved, "
              "releaseTotalAllocated, releaseTotalReserved, deviceId FROM OP_MEMORY",
              [&](const Query& row) { AddMemoryEvent(row); }));
  return ForEach("MEMORY_RECORD",
                 "SELECT component, timestamp, totalAllocated, totalReserved, deviceId FROM MEMORY_RECORD",
                 [&](const Query& row) {
                   const model::StringId component = Name(row.Int(0));
                   if (component == model::kNoString) return static_cast<void>(++bad_);
                   const std::string text(out_->trace().Text(component));
                   AddCounter(out_->Text(text + " allocated"), "bytes", row.Int(1), row.Number(2), row.Int(4));
                   AddCounter(out_->Text(text + " reserved"), "bytes", row.Int(1), row.Number(3), row.Int(4));
                 });
}

Status DatabaseReader::ReadCounters() {
  WS_RETURN_IF_ERROR(
      ForEach("AICORE_FREQ", "SELECT timestampNs, freq, deviceId FROM AICORE_FREQ", [&](const Query& row) {
        AddCounter(out_->Text("AI Core frequency"), "MHz", row.Int(0), row.Number(1), row.Int(2));
      }));
  WS_RETURN_IF_ERROR(ForEach("NPU_MEM", "SELECT timestampNs, hbm, deviceId, type FROM NPU_MEM", [&](const Query& row) {
    const model::StringId type = Name(row.Int(3));
    const std::string name =
        "HBM used" + (type == model::kNoString ? "" : " (" + std::string(out_->trace().Text(type)) + ")");
    AddCounter(out_->Text(name), "bytes", row.Int(0), row.Number(1), row.Int(2));
  }));
  return ForEach("HBM", "SELECT timestampNs, bandwidth, deviceId, type, hbmId FROM HBM", [&](const Query& row) {
    const model::StringId type = Name(row.Int(3));
    const std::string name = "HBM " + std::to_string(row.Int(4).value_or(0)) + " bandwidth" +
                             (type == model::kNoString ? "" : " (" + std::string(out_->trace().Text(type)) + ")");
    AddCounter(out_->Text(name), "bytes_per_s", row.Int(0), row.Number(1), row.Int(2));
  });
}

}  // namespace warpscope::import::ascend

// rocpd databases of ROCprofiler-SDK, schema 3 and later.
// Source: generateRocpd.cpp of github.com/ROCm/rocprofiler-sdk.
#include <algorithm>
#include <unordered_map>

#include "import/amd/names.h"
#include "import/amd/profiles.h"
#include "import/appender.h"
#include "import/json/json_cursor.h"
#include "import/rocpd/rocpd_sqlite.h"
#include "import/rocpd/sdk_schema.h"
#include "import/rocprofv3/csv_tables.h"
#include "import/rocprofv3/sdk_names.h"
#include "import/rocprofv3/stream_choice.h"

namespace warpscope::import::rocpd {
namespace {

using model::LedgerCode;
using rocprofv3::Json;

// One set of tables: one process.
class Set {
 public:
  Set(Database* database, const std::string& suffix, Appender* to, amd::ProfileTable* profiles,
      rocprofv3::StreamChoice* streams)
      : database_(database), suffix_(suffix), to_(to), profiles_(profiles), streams_(streams) {}

  void Read() {
    ReadStrings();
    ReadNodes();
    ReadProcesses();
    ReadThreads();
    ReadAgents();
    ReadSymbols();
    ReadRegions();
    ReadMarks();
    ReadKernels();
    ReadCopies();
    ReadAllocations();
    ReadCounters();
    ReadSamples();
  }
  uint64_t rows() const { return rows_; }

 private:
  std::string Name(std::string_view base) const { return std::string(base) + suffix_; }
  bool Has(std::string_view base) const { return database_->HasTable(Name(base)); }

  // Every row of a query; a damaged page costs the rest of that table.
  template <typename Use>
  void Each(const std::string& sql, const Use& use) {
    auto query = database_->Run(sql);
    if (!query.ok()) return to_->Note(LedgerCode::kBrokenRecord, 1, std::nullopt, query.status().message());
    for (;;) {
      const auto more = query->Step();
      if (!more.ok()) return to_->Note(LedgerCode::kTruncatedFile, 1, std::nullopt, more.status().message());
      if (!more.value()) return;
      use(*query);
    }
  }

  std::string Timed(std::string_view base, std::initializer_list<std::string_view> columns) {
    return SelectTimed(*database_, suffix_, base, columns);
  }

  void ReadStrings() {
    if (!Has("rocpd_string")) return;
    Each("SELECT id, string FROM " + QuoteName(Name("rocpd_string")),
         [&](const Query& row) { strings_[row.Int(0).value_or(0)] = to_->Text(row.Bytes(1)); });
  }
  std::string_view String(std::optional<int64_t> id) const {
    const auto it = id ? strings_.find(*id) : strings_.end();
    return it == strings_.end() ? std::string_view() : to_->trace().Text(it->second);
  }

  void ReadNodes() {
    const std::string table = Name("rocpd_info_node");
    if (!database_->HasTable(table)) return;
    Each("SELECT " + database_->ColumnOrNull(table, "hostname") + " FROM " + QuoteName(table) + " ORDER BY id LIMIT 1",
         [&](const Query& row) {
           if (to_->source().host_name.empty()) to_->source().host_name = std::string(row.Bytes(0));
         });
  }

  uint32_t ProcessOf(std::optional<int64_t> id) {
    const auto [it, fresh] = processes_.try_emplace(id.value_or(-1), 0);
    if (fresh) it->second = to_->Process(id.value_or(-1));
    return it->second;
  }

  // Only the rank is taken from the environment; it and the command line may hold secrets.
  void ReadProcesses() {
    const std::string table = Name("rocpd_info_process");
    if (!database_->HasTable(table)) return;
    Each("SELECT id, pid, " + database_->ColumnOrNull(table, "environment") + " FROM " + QuoteName(table),
         [&](const Query& row) {
           model::Process& process = to_->trace().processes[ProcessOf(row.Int(0))];
           process.pid = row.Int(1).value_or(-1);
           Json environment;
           if (!Parse(row.Bytes(2), &environment)) return;
           simdjson::dom::object variables;
           if (environment.get(variables) != simdjson::SUCCESS) return;
           int best = INT32_MAX;
           for (const auto [name, text] : variables) {
             const auto order = amd::RankVariable(name);
             const auto rank = rocprofv3::CountIn(environment, name);
             if (!order || *order >= best || !rank || *rank > INT32_MAX) continue;
             best = *order;
             process.rank = static_cast<int64_t>(*rank);
           }
           to_->source().rank = process.rank;
         });
  }

  void ReadThreads() {
    const std::string table = Name("rocpd_info_thread");
    if (!database_->HasTable(table)) return;
    Each("SELECT id, pid, tid, " + database_->ColumnOrNull(table, "name") + " FROM " + QuoteName(table),
         [&](const Query& row) {
           const uint32_t thread = to_->Thread(ProcessOf(row.Int(1)), row.Int(2).value_or(0));
           threads_[row.Int(0).value_or(0)] = thread;
           if (!row.Bytes(3).empty()) to_->trace().threads[thread].name = to_->Text(row.Bytes(3));
         });
  }
  uint32_t ThreadOf(const Query& row, int pid, int tid) {
    const auto it = threads_.find(row.Int(tid).value_or(-1));
    return it != threads_.end() ? it->second : to_->Thread(ProcessOf(row.Int(pid)), row.Int(tid).value_or(0));
  }

  bool Parse(std::string_view text, Json* value) {
    if (text.empty()) return false;
    json_.assign(text);
    json_.reserve(json_.size() + simdjson::SIMDJSON_PADDING);
    auto error = parser_.parse(json_.data(), json_.size(), false).get(*value);
    if (error != simdjson::UTF8_ERROR) return error == simdjson::SUCCESS;
    json_ = WithoutBadUtf8(json_);
    json_.reserve(json_.size() + simdjson::SIMDJSON_PADDING);
    return parser_.parse(json_.data(), json_.size(), false).get(*value) == simdjson::SUCCESS;
  }

  struct Agent {
    uint32_t device = model::kNone;
    bool is_cpu = false;
  };
  void ReadAgents() {
    const std::string table = Name("rocpd_info_agent");
    if (!database_->HasTable(table)) return;
    Each("SELECT id, " + database_->ColumnOrNull(table, "type") + ", " +
             database_->ColumnOrNull(table, "absolute_index") + ", " + database_->ColumnOrNull(table, "product_name") +
             ", " + database_->ColumnOrNull(table, "name") + ", " + database_->ColumnOrNull(table, "extdata") +
             " FROM " + QuoteName(table) + " ORDER BY id",
         [&](const Query& row) {
           Agent& agent = agents_[row.Int(0).value_or(0)];
           agent.is_cpu = row.Bytes(1) == "CPU";
           if (agent.is_cpu) return;
           agent.device = to_->Device(row.Int(2).value_or(row.Int(0).value_or(0)));
           model::Device& device = to_->DeviceAt(agent.device);
           if (device.name.empty()) device.name = std::string(row.Bytes(3).empty() ? row.Bytes(4) : row.Bytes(3));
           Json description;
           if (Parse(row.Bytes(5), &description)) rocprofv3::DescribeDevice(description, &device);
         });
  }
  Agent AgentOf(std::optional<int64_t> id) {
    Agent& agent = agents_[id.value_or(0)];
    if (agent.device == model::kNone && !agent.is_cpu) agent.device = to_->Device(id.value_or(0));
    return agent;
  }

  void ReadSymbols() {
    const std::string table = Name("rocpd_info_kernel_symbol");
    if (!database_->HasTable(table)) return;
    const auto column = [&](std::string_view name) { return database_->ColumnOrNull(table, name); };
    Each("SELECT id, " + column("display_name") + ", " + column("kernel_name") + ", " + column("arch_vgpr_count") +
             ", " + column("accum_vgpr_count") + " FROM " + QuoteName(table),
         [&](const Query& row) {
           rocprofv3::KernelSymbol& symbol = symbols_[row.Int(0).value_or(0)];
           symbol.name = to_->Text(amd::KernelName(row.Bytes(1).empty() ? row.Bytes(2) : row.Bytes(1)));
           const int64_t vector = row.Int(3).value_or(0), accumulation = row.Int(4).value_or(0);
           if (vector > 0 && vector <= 65536 && accumulation >= 0 && accumulation <= 65536)
             symbol.registers = static_cast<uint32_t>(vector + accumulation);
         });
  }

  // Start and length; counts the row as lost where it has none.
  bool Times(const Query& row, int start, int64_t* start_ns, int64_t* dur_ns) {
    const auto begin = row.Int(start), end = row.Int(start + 1);
    if (!begin || !end) {
      to_->Note(LedgerCode::kMissingField);
      return false;
    }
    *start_ns = *begin;
    if (__builtin_sub_overflow(*end, *begin, dur_ns)) *dur_ns = -1;
    return true;
  }
  static uint64_t Id(std::optional<int64_t> value) {
    return value && *value > 0 ? static_cast<uint64_t>(*value) : model::kNoId;
  }

  void ReadRegions() {
    if (!Has("rocpd_region")) return;
    Each(Timed("rocpd_region", {"pid", "tid", "start", "end", "name_id", "category_id", "stack_id", "event_extdata"}),
         [&](const Query& row) {
           ++rows_;
           Appender::Host host;
           if (!Times(row, 2, &host.start_ns, &host.dur_ns)) return;
           host.kind = KindOf(String(row.Int(5)));
           host.name = to_->Text(String(row.Int(4)));
           if (host.kind == model::HostKind::kAnnotation && !NameRange(row.Bytes(7), &host.name)) return;
           host.thread = ThreadOf(row, 0, 1);
           host.correlation = Id(row.Int(6));
           to_->Add(host);
         });
  }

  // Marks have no length.
  void ReadMarks() {
    if (!Has("rocpd_sample")) return;
    Each(Timed("rocpd_sample", {"pid", "tid", "timestamp", "name_id", "category_id", "event_extdata"}),
         [&](const Query& row) {
           if (KindOf(String(row.Int(4))) != model::HostKind::kAnnotation || !row.Int(2)) return;
           Appender::Host host;
           host.start_ns = *row.Int(2);
           host.name = to_->Text(String(row.Int(3)));
           if (!NameRange(row.Bytes(5), &host.name)) return;
           ++rows_;
           host.thread = ThreadOf(row, 0, 1);
           to_->Add(host);
         });
  }

  // The text of a range or mark lies in its event. False for calls that are no range ("roctxRangePop").
  bool NameRange(std::string_view extdata, model::StringId* name) {
    Json event;
    if (Parse(extdata, &event)) {
      const std::string_view message = rocprofv3::TextIn(event, "message");
      if (!message.empty()) {
        *name = to_->Text(message);
        return true;
      }
    }
    if (to_->trace().Text(*name).substr(0, 5) == "roctx" || to_->trace().Text(*name).empty()) {
      to_->Note(LedgerCode::kUnknownEvent);
      return false;
    }
    return true;
  }

  static model::HostKind KindOf(std::string_view category) {
    const auto starts = [&](std::string_view word) { return category.substr(0, word.size()) == word; };
    if (starts("HIP") || starts("RCCL") || starts("ROCDECODE") || starts("ROCJPEG") || starts("OMPT") ||
        starts("rocm_hip") || starts("rocm_rccl"))
      return model::HostKind::kRuntimeCall;
    if (starts("HSA") || starts("rocm_hsa")) return model::HostKind::kDriverCall;
    if (category == "python") return model::HostKind::kPython;
    if (category == "pthread" || category == "mpi") return model::HostKind::kOsCall;
    return model::HostKind::kAnnotation;  // markers, and functions that rocprofiler-systems instrumented
  }

  void AddGpu(const Appender::Gpu& row, const Query& query, int pid, uint32_t device, int queue, int stream) {
    const auto number = [&](int column) {
      const auto value = query.Int(column);
      return value && *value >= 0 ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
    };
    Appender::Gpu placed = row;
    placed.stream = streams_->Place(to_, ProcessOf(query.Int(pid)), device, number(stream), number(queue));
    const uint32_t before = to_->trace().gpu.size();
    to_->Add(placed);
    if (to_->trace().gpu.size() > before) streams_->Added();
  }

  void ReadKernels() {
    if (!Has("rocpd_kernel_dispatch")) return;
    const bool counted = database_->CountRows(Name("rocpd_pmc_event")) > 0;
    Each(Timed("rocpd_kernel_dispatch",
               {"pid", "agent_id", "queue_id", "stream_id", "start", "end", "kernel_id", "workgroup_size_x",
                "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z",
                "group_segment_size", "region_name_id", "stack_id", "event_id", "dispatch_id"}),
         [&](const Query& row) {
           ++rows_;
           Appender::Gpu gpu;
           if (!Times(row, 4, &gpu.start_ns, &gpu.dur_ns)) return;
           const auto symbol = symbols_.find(row.Int(6).value_or(0));
           model::LaunchConfig config;
           const auto size = [&](int column) {
             return static_cast<uint64_t>(std::max<int64_t>(row.Int(column).value_or(0), 0));
           };
           amd::SetShape(&config, {size(10), size(11), size(12)}, {size(7), size(8), size(9)});
           if (row.Int(13) && size(13) <= UINT32_MAX) config.shared_bytes = static_cast<uint32_t>(size(13));
           if (symbol != symbols_.end()) {
             gpu.name = symbol->second.name;
             config.registers_per_thread = symbol->second.registers;
           } else {
             gpu.name = to_->Text("kernel " + std::to_string(row.Int(6).value_or(0)));
           }
           if (const std::string_view renamed = String(row.Int(14)); !renamed.empty()) gpu.name = to_->Text(renamed);
           gpu.correlation = Id(row.Int(15));
           gpu.detail = to_->Launch(config);
           const uint32_t device = AgentOf(row.Int(1)).device;
           if (device == model::kNone) return to_->Note(LedgerCode::kUnknownEvent);
           AddGpu(gpu, row, 0, device, 2, 3);
           if (counted)
             dispatches_[row.Int(16).value_or(-1)] = {
                 ProcessOf(row.Int(0)), device, size(17), gpu.name, gpu.detail, gpu.dur_ns};
         });
  }

  void ReadCopies() {
    if (!Has("rocpd_memory_copy")) return;
    Each(Timed("rocpd_memory_copy", {"pid", "queue_id", "stream_id", "start", "end", "name_id", "src_agent_id",
                                     "dst_agent_id", "size", "stack_id"}),
         [&](const Query& row) {
           ++rows_;
           Appender::Gpu gpu;
           if (!Times(row, 3, &gpu.start_ns, &gpu.dur_ns)) return;
           model::CopyDetail detail;
           detail.kind = amd::CopyKindOf(String(row.Int(5)));
           if (detail.kind == model::CopyKind::kDeviceToDevice && row.Int(6) != row.Int(7))
             detail.kind = model::CopyKind::kPeerToPeer;
           if (row.Int(8) && *row.Int(8) >= 0) detail.bytes = static_cast<uint64_t>(*row.Int(8));
           gpu.kind = model::GpuKind::kCopy;
           gpu.name = to_->Text(amd::CopyName(detail.kind));
           gpu.correlation = Id(row.Int(9));
           gpu.detail = to_->Copy(detail);
           const bool from_device = detail.kind == model::CopyKind::kDeviceToHost;
           Agent agent = AgentOf(row.Int(from_device ? 6 : 7));
           if (agent.device == model::kNone) agent = AgentOf(row.Int(from_device ? 7 : 6));
           if (agent.device == model::kNone) return to_->Note(LedgerCode::kUnknownEvent);  // within host memory
           AddGpu(gpu, row, 0, agent.device, 1, 2);
         });
  }

  void ReadAllocations() {
    if (!Has("rocpd_memory_allocate")) return;
    std::unordered_map<int64_t, std::pair<int64_t, uint32_t>> allocated;
    Each(Timed("rocpd_memory_allocate", {"pid", "tid", "end", "agent_id", "type", "level", "address", "size"}) +
             " ORDER BY 3",
         [&](const Query& row) {
           if (row.Bytes(5) == "SCRATCH" || !row.Int(2)) return;
           model::MemoryEvent event;
           event.time_ns = *row.Int(2);
           event.address = static_cast<uint64_t>(row.Int(6).value_or(0));
           event.thread = ThreadOf(row, 0, 1);
           const int64_t key = row.Int(6).value_or(0);
           if (row.Bytes(4) == "FREE") {
             const auto known = allocated.find(key);
             if (known == allocated.end()) return;
             event.bytes = -known->second.first;
             event.device = known->second.second;
             allocated.erase(known);
           } else {
             event.bytes = std::max<int64_t>(row.Int(7).value_or(0), 0);
             event.device = row.Int(3) ? AgentOf(row.Int(3)).device : model::kNone;
             allocated[key] = {event.bytes, event.device};
           }
           to_->trace().memory.push_back(event);
         });
  }

  std::string CounterName(const std::string& info) {
    return "I." + QuoteName(database_->HasColumn(info, "symbol") ? "symbol" : "name");
  }

  void ReadCounters() {
    const std::string info = Name("rocpd_info_pmc");
    if (dispatches_.empty() || !Has("rocpd_pmc_event") || !database_->HasTable(info)) return;
    Each("SELECT P.event_id, P.value, " + CounterName(info) + " FROM " + QuoteName(Name("rocpd_pmc_event")) +
             " P JOIN " + QuoteName(info) + " I ON I.id = P.pmc_id",
         [&](const Query& row) {
           const auto it = dispatches_.find(row.Int(0).value_or(-1));
           if (it == dispatches_.end() || !row.Number(1)) return;
           const Dispatch& dispatch = it->second;
           bool fresh = false;
           model::KernelProfile& profile = profiles_->Dispatch(dispatch.process, dispatch.device, dispatch.id, &fresh);
           if (fresh) {
             profile.name = dispatch.name;
             profile.config = dispatch.config;
             profile.dur_ns = dispatch.dur_ns;
           }
           profiles_->AddCounter(row.Bytes(2), *row.Number(1));
         });
  }

  // Values that rocprofiler-systems sampled: clocks, power, utilisation.
  void ReadSamples() {
    const std::string info = Name("rocpd_info_pmc");
    if (!Has("rocpd_sample") || !Has("rocpd_pmc_event") || !database_->HasTable(info)) return;
    const bool apart = database_->HasColumn(Name("rocpd_sample"), "timestamp_id");
    Each("SELECT " + std::string(apart ? "B.value" : "S.timestamp") + ", P.value, " + CounterName(info) + ", " +
             (database_->HasColumn(info, "units") ? "I.units" : "NULL") + ", " +
             (database_->HasColumn(info, "agent_id") ? "I.agent_id" : "NULL") + " FROM " +
             QuoteName(Name("rocpd_sample")) + " S JOIN " + QuoteName(Name("rocpd_pmc_event")) +
             " P ON P.event_id = S.event_id JOIN " + QuoteName(info) + " I ON I.id = P.pmc_id" +
             (apart ? " LEFT JOIN " + QuoteName(Name("rocpd_timestamp")) + " B ON B.id = S.timestamp_id" : ""),
         [&](const Query& row) {
           if (!row.Int(0) || !row.Number(1)) return;
           ++rows_;
           model::CounterSample sample;
           sample.time_ns = *row.Int(0);
           sample.value = *row.Number(1);
           sample.name = to_->Text(row.Bytes(2));
           if (!row.Bytes(3).empty()) sample.unit = to_->Text(row.Bytes(3));
           const auto agent = row.Int(4) ? agents_.find(*row.Int(4)) : agents_.end();
           if (agent != agents_.end()) sample.device = agent->second.device;
           to_->trace().counters.push_back(sample);
         });
  }

  struct Dispatch {
    uint32_t process, device;
    uint64_t id;
    model::StringId name;
    uint32_t config;
    int64_t dur_ns;
  };
  Database* database_;
  const std::string suffix_;
  Appender* to_;
  amd::ProfileTable* profiles_;
  rocprofv3::StreamChoice* streams_;
  std::unordered_map<int64_t, model::StringId> strings_;
  std::unordered_map<int64_t, uint32_t> processes_, threads_;
  std::unordered_map<int64_t, Agent> agents_;
  std::unordered_map<int64_t, rocprofv3::KernelSymbol> symbols_;
  std::unordered_map<int64_t, Dispatch> dispatches_;  // by event, where counters were collected
  simdjson::dom::parser parser_;
  std::string json_;
  uint64_t rows_ = 0;
};

}  // namespace

namespace {

// Reads one set as a source of its own: another process, perhaps of another machine. Returns its rows.
uint64_t ReadSet(Database& database, const std::string& path, const std::string& suffix, bool only,
                 model::Trace* trace) {
  Appender to(trace, path, "rocpd");
  to.source().vendor = model::Vendor::kAmd;
  to.source().producer = "rocprofv3";
  to.source().representation = "db";
  to.source().part_of = amd::PartOf(path, rocprofv3::TableInName(path), only ? "rocprofv3" : "rocprofv3" + suffix);
  to.source().text_bytes = database.size_bytes();
  const std::string metadata = "rocpd_metadata" + suffix;
  if (database.HasTable(metadata)) {
    auto query = database.Run("SELECT value FROM " + QuoteName(metadata) + " WHERE tag = 'schema_version'");
    if (query.ok()) {
      const auto more = query->Step();
      if (more.ok() && more.value()) to.source().version = "schema " + std::string(query->Bytes(0).substr(0, 16));
    }
  }
  amd::ProfileTable profiles(&to);
  rocprofv3::StreamChoice streams;
  Set set(&database, suffix, &to, &profiles, &streams);
  set.Read();
  streams.Settle(&to);
  profiles.Finish();
  return set.rows();
}

}  // namespace

Status ReadSdk(Database& database, const std::string& path, const Options& options, model::Trace* trace) {
  const std::vector<std::string> suffixes = TableSuffixes(database);
  uint64_t rows = 0;
  for (size_t i = 0; i < suffixes.size(); ++i) {
    rows += ReadSet(database, path, suffixes[i], suffixes.size() == 1, trace);
    if (options.progress) options.progress(static_cast<double>(i + 1) / static_cast<double>(suffixes.size()));
  }
  if (rows == 0) {
    return Status(StatusCode::kCorrupt,
                  path +
                      ": byte 0: this rocpd database has its tables, and no call, kernel or copy in them: nothing "
                      "was traced. Record with rocprofv3 --runtime-trace -- PROGRAM.");
  }
  return Status::Ok();
}

}  // namespace warpscope::import::rocpd

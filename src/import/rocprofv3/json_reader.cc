// rocprofv3's results.json: {"rocprofiler-sdk-tool": [one object a process]}. The document is walked as a stream; each
// record is parsed by itself, so memory does not grow with the file and a damaged record costs only itself.
#include <algorithm>
#include <charconv>
#include <functional>

#include "import/amd/names.h"
#include "import/amd/profiles.h"
#include "import/appender.h"
#include "import/json/json_cursor.h"
#include "import/rocprofv3/csv_tables.h"
#include "import/rocprofv3/rocprofv3_importer.h"
#include "import/rocprofv3/sdk_names.h"
#include "import/rocprofv3/stream_choice.h"

namespace warpscope::import::rocprofv3 {
namespace {

using model::LedgerCode;

constexpr size_t kMaxRecordBytes = size_t{8} << 20;
constexpr size_t kMaxMetadataBytes = size_t{64} << 20;

class Reader {
 public:
  Reader(ByteSource* bytes, const std::string& path, const Options& options, model::Trace* trace)
      : bytes_(bytes), cursor_(bytes), options_(options), to_(trace, path, "rocprofv3"), profiles_(&to_), path_(path) {
    to_.source().vendor = model::Vendor::kAmd;
    to_.source().producer = "rocprofv3";
    to_.source().representation = "json";
    to_.source().part_of = amd::PartOf(path, TableInName(path), "rocprofv3");
  }

  Status Read() {
    std::string key;
    if (cursor_.Enter('{')) {
      while (cursor_.NextKey(&key)) {
        if (key != "rocprofiler-sdk-tool") {
          if (!cursor_.Skip()) break;
          continue;
        }
        if (cursor_.Enter('[')) {
          while (cursor_.NextItem()) {
            if (!ReadProcess()) break;
          }
        } else if (!ReadProcess()) {
          break;
        }
      }
    }
    streams_.Settle(&to_);
    profiles_.Finish();
    if (!cursor_.status().ok()) return cursor_.status();
    if (cursor_.cut_short() || bytes_->cut_short()) to_.Note(LedgerCode::kTruncatedFile, 1, cursor_.offset_bytes());
    else if (cursor_.broken()) to_.Note(LedgerCode::kBrokenRecord, 1, cursor_.offset_bytes());
    to_.source().text_bytes = cursor_.offset_bytes();
    if (records_ == 0) {
      return Status(
          StatusCode::kCorrupt,
          path_ + ": byte " + std::to_string(cursor_.offset_bytes()) +
              ": rocprofv3 JSON without a single record: nothing was "
              "traced, or the file is cut off. Record with rocprofv3 --runtime-trace --output-format json -- PROGRAM.");
    }
    return Status::Ok();
  }

 private:
  // Names that were unknown when their record came.
  struct Late {
    uint32_t row;
    bool is_gpu;
    uint64_t kind_or_kernel, operation;
  };
  struct LateProfile {
    uint32_t device;
    uint64_t dispatch, kernel;
  };

  bool ReadProcess() {
    if (!cursor_.Enter('{')) return cursor_.Skip();
    names_ = {};
    late_.clear();
    // Told apart by a number of their own until the process id is known.
    process_ = to_.Process(-1 - processes_++);
    std::string key;
    bool whole = false;
    while (!(whole = !cursor_.NextKey(&key))) {
      bool ok = true;
      if (key == "metadata") ok = ReadMetadata();
      else if (key == "agents") ok = Each([&](Json value) { names_.AddAgent(value, &to_); });
      else if (key == "counters") ok = Each([&](Json value) { AddCounterName(value); });
      else if (key == "strings") ok = ReadStrings();
      else if (key == "kernel_symbols") ok = Each([&](Json value) { names_.AddKernel(value, &to_); });
      else if (key == "callback_records") ok = ReadLists(true);
      else if (key == "buffer_records") ok = ReadLists(false);
      else ok = cursor_.Skip();
      if (!ok) break;
    }
    Resolve();
    model::Process& process = to_.trace().processes[process_];
    if (process.pid < 0) process.pid = -1;
    return whole && !cursor_.cut_short() && !cursor_.broken();
  }

  // Parses the taken text; counts it if it is no JSON.
  bool Parse(Json* value) {
    text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
    auto error = parser_.parse(text_.data(), text_.size(), false).get(*value);
    if (error == simdjson::UTF8_ERROR) {
      to_.Note(LedgerCode::kBadName, 1, cursor_.offset_bytes());
      text_ = WithoutBadUtf8(text_);
      text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
      error = parser_.parse(text_.data(), text_.size(), false).get(*value);
    }
    if (error != simdjson::SUCCESS) to_.Note(LedgerCode::kBrokenRecord, 1, cursor_.offset_bytes());
    return error == simdjson::SUCCESS;
  }

  // Every item of the list that comes next. False if the data ends in it.
  template <typename Use>
  bool Each(const Use& use) {
    if (!cursor_.Enter('[')) return cursor_.Skip();
    while (cursor_.NextItem()) {
      if (!cursor_.Take(&text_, kMaxRecordBytes)) {
        if (cursor_.cut_short() || cursor_.broken()) return false;
        to_.Note(LedgerCode::kBrokenRecord, 1, cursor_.offset_bytes());
        continue;
      }
      Json value;
      if (Parse(&value)) use(value);
      if (options_.progress && (++shown_ & 0xFFFF) == 0) options_.progress(std::clamp(bytes_->done_ratio(), 0.0, 1.0));
    }
    return !cursor_.cut_short() && !cursor_.broken();
  }

  // Only the process, the host's name and the rank are taken; command line and environment are nobody's business.
  bool ReadMetadata() {
    if (!cursor_.Take(&text_, kMaxMetadataBytes)) return !cursor_.cut_short() && !cursor_.broken();
    Json value;
    if (!Parse(&value)) return true;
    model::Process& process = to_.trace().processes[process_];
    if (const auto pid = CountIn(value, "pid")) process.pid = static_cast<int64_t>(*pid & INT64_MAX);
    if (const auto node = Member(value, "node")) to_.source().host_name = std::string(TextIn(*node, "hostname"));
    const auto environment = Member(value, "environment");
    simdjson::dom::object variables;
    if (!environment || environment->get(variables) != simdjson::SUCCESS) return true;
    int best = INT32_MAX;
    for (const auto [name, text] : variables) {
      const auto order = amd::RankVariable(name);
      const auto rank = CountIn(*environment, name);
      if (!order || *order >= best || !rank || *rank > INT32_MAX) continue;
      best = *order;
      process.rank = static_cast<int64_t>(*rank);
    }
    if (process.rank && processes_ == 1) to_.source().rank = process.rank;
    return true;
  }

  bool ReadStrings() {
    if (!cursor_.Enter('{')) return cursor_.Skip();
    std::string key;
    while (cursor_.NextKey(&key)) {
      bool ok = true;
      if (key == "buffer_records") ok = Each([&](Json value) { names_.AddKind(value); });
      else if (key == "marker_api") ok = Each([&](Json value) { names_.AddMarker(value, &to_, &names_.markers); });
      else if (key == "correlation_id") ok = ReadRenamed();
      else ok = cursor_.Skip();
      if (!ok) return false;
    }
    return !cursor_.cut_short() && !cursor_.broken();
  }

  bool ReadRenamed() {
    if (!cursor_.Enter('{')) return cursor_.Skip();
    std::string key;
    while (cursor_.NextKey(&key)) {
      const bool ok = key == "external" ? Each([&](Json value) { names_.AddMarker(value, &to_, &names_.renamed); })
                                        : cursor_.Skip();
      if (!ok) return false;
    }
    return !cursor_.cut_short() && !cursor_.broken();
  }

  bool ReadLists(bool callbacks) {
    if (!cursor_.Enter('{')) return cursor_.Skip();
    std::string key;
    while (cursor_.NextKey(&key)) {
      const bool ok = Each([&](Json value) {
        ++records_;
        if (callbacks) return key == "counter_collection" ? AddCounters(value) : Unknown();
        if (key == "kernel_dispatch") return AddKernel(value);
        if (key == "memory_copy") return AddCopy(value);
        if (key == "memory_allocation") return AddAllocation(value);
        if (key == "marker_api") return AddMarker(value);
        if (key.find("pc_sampl") != std::string::npos || key.find("page_migration") != std::string::npos)
          return Unknown();
        AddCall(value, key == "hsa_api" || key == "scratch_memory" ? model::HostKind::kDriverCall
                                                                   : model::HostKind::kRuntimeCall);
      });
      if (!ok) return false;
    }
    return !cursor_.cut_short() && !cursor_.broken();
  }

  void Unknown() { to_.Note(LedgerCode::kUnknownEvent, 1, cursor_.offset_bytes()); }

  bool Times(Json value, int64_t* start_ns, int64_t* dur_ns) {
    const auto start = CountIn(value, "start_timestamp"), end = CountIn(value, "end_timestamp");
    if (!start || !end || *start > INT64_MAX || *end > INT64_MAX) {
      to_.Note(LedgerCode::kMissingField, 1, cursor_.offset_bytes());
      return false;
    }
    *start_ns = static_cast<int64_t>(*start);
    *dur_ns = static_cast<int64_t>(*end) - *start_ns;
    return true;
  }

  static uint64_t Correlation(Json value, std::string_view which) {
    const auto id = Member(value, "correlation_id");
    return (id ? CountIn(*id, which) : std::nullopt).value_or(model::kNoId);
  }

  SdkNames::Agent AgentOf(std::optional<uint64_t> handle) {
    SdkNames::Agent& agent = names_.agents[handle.value_or(0)];
    // Its description may still follow; then it gets name and number.
    if (agent.device == model::kNone && !agent.is_cpu)
      agent.device = to_.Device(static_cast<int64_t>(handle.value_or(0) & INT64_MAX));
    return agent;
  }

  static model::LaunchConfig Shape(Json info) {
    model::LaunchConfig config;
    const auto sizes = [&](std::string_view key) {
      std::array<uint64_t, 3> size{};
      if (const auto dims = Member(info, key))
        size = {CountIn(*dims, "x").value_or(0), CountIn(*dims, "y").value_or(0), CountIn(*dims, "z").value_or(0)};
      return size;
    };
    amd::SetShape(&config, sizes("grid_size"), sizes("workgroup_size"));
    const auto shared = CountIn(info, "group_segment_size");
    if (shared && *shared <= UINT32_MAX) config.shared_bytes = static_cast<uint32_t>(*shared);
    return config;
  }

  const KernelSymbol* SymbolOf(uint64_t kernel) const {
    const auto it = names_.kernels.find(kernel);
    return it == names_.kernels.end() ? nullptr : &it->second;
  }

  void AddGpu(Appender::Gpu& row, uint32_t device, Json value, std::optional<uint64_t> queue) {
    row.stream = streams_.Place(&to_, process_, device, HandleIn(value, "stream_id"), queue);
    const uint32_t before = to_.trace().gpu.size();
    to_.Add(row, cursor_.offset_bytes());
    if (to_.trace().gpu.size() > before) streams_.Added();
  }

  void AddKernel(Json value) {
    Appender::Gpu row;
    const auto info = Member(value, "dispatch_info");
    if (!info) return to_.Note(LedgerCode::kMissingField, 1, cursor_.offset_bytes());
    if (!Times(value, &row.start_ns, &row.dur_ns)) return;
    const uint64_t kernel = CountIn(*info, "kernel_id").value_or(0);
    model::LaunchConfig config = Shape(*info);
    const KernelSymbol* symbol = SymbolOf(kernel);
    if (symbol != nullptr) {
      row.name = symbol->name;
      config.registers_per_thread = symbol->registers;
    }
    const auto renamed = names_.renamed.find(Correlation(value, "external"));
    if (renamed != names_.renamed.end()) row.name = renamed->second;
    row.correlation = Correlation(value, "internal");
    row.detail = to_.Launch(config);
    const uint32_t before = to_.trace().gpu.size();
    AddGpu(row, AgentOf(HandleIn(*info, "agent_id")).device, value, HandleIn(*info, "queue_id"));
    if (row.name == model::kNoString && to_.trace().gpu.size() > before) late_.push_back({before, true, kernel, 0});
  }

  void AddCopy(Json value) {
    Appender::Gpu row;
    if (!Times(value, &row.start_ns, &row.dur_ns)) return;
    const uint64_t operation = CountIn(value, "operation").value_or(0);
    model::CopyDetail detail;
    detail.kind = amd::CopyKindOf(names_.Operation(CountIn(value, "kind").value_or(0), operation));
    if (detail.kind == model::CopyKind::kUnknown) {
      // rocprofiler_memory_copy_operation_t (rocprofiler-sdk/fwd.h).
      constexpr model::CopyKind kKinds[] = {model::CopyKind::kUnknown, model::CopyKind::kHostToHost,
                                            model::CopyKind::kHostToDevice, model::CopyKind::kDeviceToHost,
                                            model::CopyKind::kDeviceToDevice};
      if (operation < std::size(kKinds)) detail.kind = kKinds[operation];
    }
    if (detail.kind == model::CopyKind::kDeviceToDevice &&
        HandleIn(value, "src_agent_id") != HandleIn(value, "dst_agent_id"))
      detail.kind = model::CopyKind::kPeerToPeer;
    detail.bytes = CountIn(value, "bytes");
    row.kind = model::GpuKind::kCopy;
    row.name = to_.Text(amd::CopyName(detail.kind));
    row.correlation = Correlation(value, "internal");
    row.detail = to_.Copy(detail);
    const bool from_device = detail.kind == model::CopyKind::kDeviceToHost;
    SdkNames::Agent agent = AgentOf(HandleIn(value, from_device ? "src_agent_id" : "dst_agent_id"));
    if (agent.device == model::kNone) agent = AgentOf(HandleIn(value, from_device ? "dst_agent_id" : "src_agent_id"));
    if (agent.device == model::kNone) return Unknown();  // within host memory
    AddGpu(row, agent.device, value, std::nullopt);
  }

  void AddAllocation(Json value) {
    model::MemoryEvent event;
    int64_t dur_ns = 0;
    if (!Times(value, &event.time_ns, &dur_ns)) return;
    event.time_ns += std::max<int64_t>(dur_ns, 0);
    event.thread = to_.Thread(process_, static_cast<int64_t>(CountIn(value, "thread_id").value_or(0) & INT64_MAX));
    std::string_view address = TextIn(value, "address");
    if (address.substr(0, 2) == "0x") address.remove_prefix(2);
    std::from_chars(address.data(), address.data() + address.size(), event.address, 16);
    const uint64_t size = CountIn(value, "allocation_size").value_or(0);
    if (size > 0) {
      event.bytes = static_cast<int64_t>(std::min<uint64_t>(size, INT64_MAX));
      event.device = AgentOf(HandleIn(value, "agent_id")).device;
      allocated_[event.address] = {event.bytes, event.device};
    } else {
      const auto known = allocated_.find(event.address);
      if (known == allocated_.end()) return Unknown();
      event.bytes = -known->second.first;
      event.device = known->second.second;
      allocated_.erase(known);
    }
    to_.trace().memory.push_back(event);
  }

  Appender::Host HostRow(Json value, model::HostKind kind) {
    Appender::Host row;
    row.kind = kind;
    row.thread = to_.Thread(process_, static_cast<int64_t>(CountIn(value, "thread_id").value_or(0) & INT64_MAX));
    row.correlation = Correlation(value, "internal");
    return row;
  }

  void AddCall(Json value, model::HostKind kind) {
    Appender::Host row = HostRow(value, kind);
    if (!Times(value, &row.start_ns, &row.dur_ns)) return;
    const uint64_t number = CountIn(value, "kind").value_or(UINT64_MAX),
                   operation = CountIn(value, "operation").value_or(UINT64_MAX);
    const std::string_view name = names_.Operation(number, operation);
    if (!name.empty()) row.name = to_.Text(name);
    const uint32_t before = to_.trace().host.size();
    to_.Add(row, cursor_.offset_bytes());
    if (name.empty() && to_.trace().host.size() > before) late_.push_back({before, false, number, operation});
  }

  // Ranges and marks carry their text apart; what has none is a call about ranges.
  void AddMarker(Json value) {
    Appender::Host row = HostRow(value, model::HostKind::kAnnotation);
    if (!Times(value, &row.start_ns, &row.dur_ns)) return;
    const auto message = names_.markers.find(row.correlation);
    if (message == names_.markers.end()) {
      late_markers_.push_back(row);
      return;
    }
    row.name = message->second;
    to_.Add(row, cursor_.offset_bytes());
  }

  void AddCounterName(Json value) {
    const auto id = HandleIn(value, "id");
    if (id) names_.counters.insert_or_assign(*id, std::string(TextIn(value, "name")));
  }

  void AddCounters(Json value) {
    const auto data = Member(value, "dispatch_data");
    const auto info = data ? Member(*data, "dispatch_info") : std::nullopt;
    if (!info) return to_.Note(LedgerCode::kMissingField, 1, cursor_.offset_bytes());
    const SdkNames::Agent agent = AgentOf(HandleIn(*info, "agent_id"));
    bool fresh = false;
    model::KernelProfile& profile =
        profiles_.Dispatch(process_, agent.device, CountIn(*info, "dispatch_id").value_or(0), &fresh);
    if (fresh) {
      model::LaunchConfig config = Shape(*info);
      const KernelSymbol* symbol = SymbolOf(CountIn(*info, "kernel_id").value_or(0));
      profile.name = symbol != nullptr ? symbol->name
                                       : to_.Text("kernel " + std::to_string(CountIn(*info, "kernel_id").value_or(0)));
      if (symbol != nullptr) config.registers_per_thread = symbol->registers;
      profile.config = to_.Launch(config);
      const auto start = CountIn(*data, "start_timestamp"), end = CountIn(*data, "end_timestamp");
      if (start && end && *start > 0 && *end > *start && *end <= INT64_MAX)
        profile.dur_ns = static_cast<int64_t>(*end - *start);
    }
    simdjson::dom::array records;
    const auto list = Member(value, "records");
    if (!list || list->get(records) != simdjson::SUCCESS) return;
    for (const Json record : records) {
      const auto id = HandleIn(record, "counter_id");
      double number = 0;
      const auto measured = Member(record, "value");
      if (!id || !measured || measured->get(number) != simdjson::SUCCESS) {
        to_.Note(LedgerCode::kBadNumber, 1, cursor_.offset_bytes());
        continue;
      }
      const auto name = names_.counters.find(*id);
      profiles_.AddCounter(name == names_.counters.end() ? "counter " + std::to_string(*id) : name->second, number);
    }
  }

  void Resolve() {
    model::Trace& trace = to_.trace();
    for (const Late& late : late_) {
      if (late.is_gpu) {
        const KernelSymbol* symbol = SymbolOf(late.kind_or_kernel);
        trace.gpu.name[late.row] = symbol != nullptr && symbol->name != model::kNoString
                                       ? symbol->name
                                       : to_.Text("kernel " + std::to_string(late.kind_or_kernel));
        continue;
      }
      const std::string_view name = names_.Operation(late.kind_or_kernel, late.operation);
      trace.host.name[late.row] = to_.Text(name.empty() ? std::string_view("unknown call") : name);
    }
    for (Appender::Host& row : late_markers_) {
      const auto message = names_.markers.find(row.correlation);
      if (message == names_.markers.end()) {
        Unknown();
        continue;
      }
      row.name = message->second;
      to_.Add(row);
    }
    late_.clear();
    late_markers_.clear();
  }

  ByteSource* bytes_;
  JsonCursor cursor_;
  const Options& options_;
  Appender to_;
  amd::ProfileTable profiles_;
  StreamChoice streams_;
  const std::string path_;
  simdjson::dom::parser parser_;
  std::string text_;
  SdkNames names_;
  uint32_t process_ = 0;
  int64_t processes_ = 0;
  uint64_t records_ = 0, shown_ = 0;
  std::vector<Late> late_;
  std::vector<Appender::Host> late_markers_;
  std::unordered_map<uint64_t, std::pair<int64_t, uint32_t>> allocated_;  // by address
};

}  // namespace

Status ReadJson(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Reader reader(&bytes, path, options, trace);
  return reader.Read();
}

}  // namespace warpscope::import::rocprofv3

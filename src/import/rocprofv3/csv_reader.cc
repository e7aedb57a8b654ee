// rocprofv3's CSV tables: one file a kind of record. Columns by name, as they differ by version.
#include "import/csv/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "import/amd/names.h"
#include "import/amd/profiles.h"
#include "import/appender.h"
#include "import/rocprofv3/csv_tables.h"
#include "import/rocprofv3/rocprofv3_importer.h"
#include "import/rocprofv3/stream_choice.h"

namespace warpscope::import::rocprofv3 {
namespace {

using model::LedgerCode;

Status Refuse(const std::string& path, std::string_view what, std::string_view advice) {
  return Status(StatusCode::kUnsupported, path + ": line 1: " + std::string(what) + ". " + std::string(advice));
}

// One table on its way into the trace.
class Table {
 public:
  Table(CsvReader* csv, const std::string& path, model::Trace* trace)
      : csv_(csv), path_(path), to_(trace, path, "rocprofv3"), profiles_(&to_) {
    to_.source().vendor = model::Vendor::kAmd;
    to_.source().producer = "rocprofv3";
    to_.source().representation = "csv";
    to_.source().part_of = amd::PartOf(path, TableInName(path), "rocprofv3");
  }

  Status Read(CsvTable table, const std::string& path) {
    for (;;) {
      WS_ASSIGN_OR_RETURN(const bool more, csv_->Next());
      if (!more) break;
      if (csv_->fields().size() < csv_->header().size()) {
        const bool last = csv_->cut_short();
        to_.Note(last ? LedgerCode::kTruncatedFile : LedgerCode::kBrokenRecord, 1, csv_->offset_bytes());
        continue;
      }
      ++rows_;
      Add(table);
    }
    if (csv_->cut_short()) to_.Note(LedgerCode::kTruncatedFile, 1, csv_->offset_bytes());
    else to_.Note(LedgerCode::kBrokenRecord, csv_->broken_records(), csv_->offset_bytes());
    profiles_.Finish();
    streams_.Settle(&to_);
    to_.source().text_bytes = csv_->offset_bytes();
    if (rows_ == 0) {
      return Status(StatusCode::kCorrupt,
                    path +
                        ": line 2: the table of rocprofv3 has a header and no rows. The program did none of "
                        "this while it was recorded; give the other tables of the same output.");
    }
    return Status::Ok();
  }

 private:
  std::optional<uint64_t> Count(std::string_view column) const {
    const auto at = csv_->Column(column);
    return at ? ParseCount(csv_->field(*at)) : std::nullopt;
  }
  std::string_view Field(std::string_view column) const {
    const auto at = csv_->Column(column);
    return at ? csv_->field(*at) : std::string_view();
  }
  uint32_t Process() { return to_.Process(static_cast<int64_t>(Count("Process_Id").value_or(UINT64_MAX))); }
  uint32_t Device(std::string_view column) {
    const auto agent = amd::ParseAgent(Field(column));
    return to_.Device(agent ? agent->id : 0);
  }
  // Start and length; counts the row as lost where it has none.
  bool Times(int64_t* start_ns, int64_t* dur_ns) {
    const auto start = ParseTimeNs(Field("Start_Timestamp"), 1), end = ParseTimeNs(Field("End_Timestamp"), 1);
    if (!start || !end) {
      to_.Note(LedgerCode::kMissingField, 1, csv_->offset_bytes());
      return false;
    }
    *start_ns = *start;
    if (__builtin_sub_overflow(*end, *start, dur_ns)) *dur_ns = -1;
    return true;
  }

  void Add(CsvTable table) {
    switch (table) {
      case CsvTable::kKernels: return AddKernel();
      case CsvTable::kCalls: return AddCall();
      case CsvTable::kCopies: return AddCopy();
      case CsvTable::kAllocations: return AddAllocation();
      case CsvTable::kScratch: return AddScratch();
      case CsvTable::kCounters: return AddCounter();
      case CsvTable::kTotals: return AddTotal();
      case CsvTable::kAgents: return AddAgent();
      default: return;
    }
  }

  model::LaunchConfig Shape() const {
    model::LaunchConfig config;
    if (csv_->Column("Grid_Size_X")) {
      amd::SetShape(
          &config,
          {Count("Grid_Size_X").value_or(0), Count("Grid_Size_Y").value_or(0), Count("Grid_Size_Z").value_or(0)},
          {Count("Workgroup_Size_X").value_or(0), Count("Workgroup_Size_Y").value_or(0),
           Count("Workgroup_Size_Z").value_or(0)});
    } else {
      amd::SetShape(&config, {Count("Grid_Size").value_or(0), 1, 1}, {Count("Workgroup_Size").value_or(0), 1, 1});
    }
    config.shared_bytes = Small(Count("LDS_Block_Size|Group_Segment_Size"));
    const auto vector = Count("VGPR_Count");
    if (vector)
      config.registers_per_thread =
          Small(*vector + std::min<uint64_t>(Count("Accum_VGPR_Count").value_or(0), UINT32_MAX));
    return config;
  }
  static std::optional<uint32_t> Small(std::optional<uint64_t> value) {
    return value && *value <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
  }

  void AddKernel() {
    Appender::Gpu row;
    if (!Times(&row.start_ns, &row.dur_ns)) return;
    row.name = to_.Text(amd::KernelName(Field("Kernel_Name")));
    row.correlation = Count("Correlation_Id").value_or(model::kNoId);
    row.detail = to_.Launch(Shape());
    AddGpu(row, Process(), Device("Agent_Id"), Count("Stream_Id"), Count("Queue_Id"));
  }

  void AddCopy() {
    Appender::Gpu row;
    if (!Times(&row.start_ns, &row.dur_ns)) return;
    model::CopyDetail detail;
    detail.kind = amd::CopyKindOf(Field("Direction"));
    if (detail.kind == model::CopyKind::kDeviceToDevice && Field("Source_Agent_Id") != Field("Destination_Agent_Id"))
      detail.kind = model::CopyKind::kPeerToPeer;
    row.kind = model::GpuKind::kCopy;
    row.name = to_.Text(amd::CopyName(detail.kind));
    row.correlation = Count("Correlation_Id").value_or(model::kNoId);
    row.detail = to_.Copy(detail);
    const bool from_device = detail.kind == model::CopyKind::kDeviceToHost;
    AddGpu(row, Process(), Device(from_device ? "Source_Agent_Id" : "Destination_Agent_Id"), Count("Stream_Id"),
           std::nullopt);
  }

  void AddGpu(Appender::Gpu& row, uint32_t process, uint32_t device, std::optional<uint64_t> stream,
              std::optional<uint64_t> queue) {
    row.stream = streams_.Place(&to_, process, device, stream, queue);
    const uint32_t before = to_.trace().gpu.size();
    to_.Add(row, csv_->offset_bytes());
    if (to_.trace().gpu.size() > before) streams_.Added();
  }

  void AddCall() {
    Appender::Host row;
    if (!Times(&row.start_ns, &row.dur_ns)) return;
    const std::string_view domain = Field("Domain"), function = Field("Function");
    row.kind = KindOfDomain(domain);
    if (row.kind == model::HostKind::kAnnotation && function.substr(0, 5) == "roctx") {
      to_.Note(LedgerCode::kUnknownEvent, 1, csv_->offset_bytes());  // a call about ranges, not a range
      return;
    }
    row.name = to_.Text(function);
    row.thread = to_.Thread(Process(), static_cast<int64_t>(Count("Thread_Id").value_or(0)));
    row.correlation = Count("Correlation_Id").value_or(model::kNoId);
    to_.Add(row, csv_->offset_bytes());
  }

  void AddScratch() {
    Appender::Host row;
    if (!Times(&row.start_ns, &row.dur_ns)) return;
    row.kind = model::HostKind::kDriverCall;
    row.name = to_.Text(Field("Operation"));
    row.thread = to_.Thread(Process(), static_cast<int64_t>(Count("Thread_Id").value_or(0)));
    to_.Add(row, csv_->offset_bytes());
  }

  void AddAllocation() {
    model::MemoryEvent event;
    int64_t dur_ns = 0;
    if (!Times(&event.time_ns, &dur_ns)) return;
    event.time_ns += std::max<int64_t>(dur_ns, 0);
    std::string_view address = Field("Address");
    if (address.substr(0, 2) == "0x") address.remove_prefix(2);
    std::from_chars(address.data(), address.data() + address.size(), event.address, 16);
    const bool frees = Field("Operation").find("FREE") != std::string_view::npos;
    const auto agent = amd::ParseAgent(Field("Agent_Id"));
    if (frees) {
      const auto known = allocated_.find(event.address);
      if (known == allocated_.end()) return to_.Note(LedgerCode::kUnknownEvent, 1, csv_->offset_bytes());
      event.bytes = -known->second.bytes;
      event.device = known->second.device;
      allocated_.erase(known);
    } else {
      event.bytes = static_cast<int64_t>(std::min<uint64_t>(Count("Allocation_Size").value_or(0), INT64_MAX));
      if (agent && !agent->is_cpu) event.device = to_.Device(agent->id);
      allocated_[event.address] = {event.bytes, event.device};
    }
    to_.trace().memory.push_back(event);
  }

  void AddCounter() {
    bool fresh = false;
    const uint32_t device = Device("Agent_Id");
    model::KernelProfile& profile = profiles_.Dispatch(Process(), device, Count("Dispatch_Id").value_or(0), &fresh);
    if (fresh) {
      profile.name = to_.Text(amd::KernelName(Field("Kernel_Name")));
      profile.config = to_.Launch(Shape());
      profile.stream = static_cast<int64_t>(std::min<uint64_t>(Count("Queue_Id").value_or(0), INT64_MAX));
      const auto start = ParseTimeNs(Field("Start_Timestamp"), 1), end = ParseTimeNs(Field("End_Timestamp"), 1);
      if (start && end && *end > *start && *start > 0) profile.dur_ns = *end - *start;
      if (const auto bytes = Count("Scratch_Size")) profiles_.AddScratch(*bytes);
    }
    if (const auto value = ParseNumber(Field("Counter_Value"), '.'))
      profiles_.AddCounter(Field("Counter_Name"), *value);
    else to_.Note(LedgerCode::kBadNumber, 1, csv_->offset_bytes());
  }

  void AddTotal() {
    model::SummaryRow row;
    const std::string_view name = Field("Name");
    row.source = to_.source_row();
    row.kind = KindOfTotal(name);
    row.name = to_.Text(row.kind == model::SummaryKind::kKernel ? amd::KernelName(name) : name);
    row.count = Count("Calls");
    row.total_ns = ParseTimeNs(Field("TotalDurationNs"), 1);
    row.min_ns = ParseTimeNs(Field("MinNs"), 1);
    row.max_ns = ParseTimeNs(Field("MaxNs"), 1);
    if (!csv_->Column("MinNs")) to_.source().producer = "rocprof";
    if (!row.total_ns && !row.count) return to_.Note(LedgerCode::kMissingField, 1, csv_->offset_bytes());
    to_.trace().summaries.push_back(row);
  }

  model::SummaryKind KindOfTotal(std::string_view name) const {
    const auto starts = [&](std::string_view word) { return name.substr(0, word.size()) == word; };
    const std::string_view table = TableInName(path_);
    if (table == "domain_stats" || IsDomain(name)) return model::SummaryKind::kStepPart;
    if (table.substr(0, 6) == "marker") return model::SummaryKind::kAnnotation;
    if (starts("MEMORY_COPY") || starts("CopyHost") || starts("CopyDevice") || starts("hcMemcpy"))
      return model::SummaryKind::kCopy;
    if (starts("hip") || starts("__hip") || starts("hsa_") || starts("nccl") || starts("MEMORY_ALLOCATION") ||
        starts("SCRATCH_MEMORY"))
      return model::SummaryKind::kApiCall;
    return model::SummaryKind::kKernel;
  }
  static bool IsDomain(std::string_view name) {
    return name == "HIP_API" || name == "HSA_API" || name == "KERNEL_DISPATCH" || name == "MARKER_API" ||
           name == "RCCL_API";
  }

  void AddAgent() {
    if (Field("Agent_Type") != "GPU") return;
    model::Device& device = to_.DeviceAt(to_.Device(static_cast<int64_t>(Count("Node_Id").value_or(0))));
    device.name = std::string(Field("Product_Name"));
    if (device.name.empty()) device.name = std::string(Field("Name"));
    device.sm_count = Small(Count("Cu_Count"));
    device.warp_size = Small(Count("Wave_Front_Size"));
    device.max_threads_per_block = Small(Count("Workgroup_Max_Size"));
    const auto waves = Count("Max_Waves_Per_Cu");
    if (waves && device.warp_size && *waves <= 4096) device.max_threads_per_sm = Small(*waves * *device.warp_size);
    const auto lds_kb = Count("Lds_Size_In_Kb");
    if (lds_kb && *lds_kb <= 65536) device.shared_bytes_per_sm = device.shared_bytes_per_block = Small(*lds_kb * 1024);
  }

  static model::HostKind KindOfDomain(std::string_view domain) {
    if (domain.substr(0, 6) == "MARKER") return model::HostKind::kAnnotation;
    return domain.substr(0, 4) == "HSA_" ? model::HostKind::kDriverCall : model::HostKind::kRuntimeCall;
  }

  struct Allocation {
    int64_t bytes = 0;
    uint32_t device = model::kNone;
  };
  CsvReader* csv_;
  const std::string path_;
  Appender to_;
  amd::ProfileTable profiles_;
  StreamChoice streams_;
  std::unordered_map<uint64_t, Allocation> allocated_;
  uint64_t rows_ = 0;
};

}  // namespace

Status ReadCsv(ByteSource& bytes, const std::string& path, model::Trace* trace) {
  CsvReader csv(&bytes);
  WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
  if (!more) return Refuse(path, "a table of rocprofv3 was expected", "Give one of its CSV files.");
  csv.TakeHeader();
  const CsvTable table = TableOf(csv);
  if (table == CsvTable::kPcSamples) {
    return Refuse(path, "this is a table of PC samples of rocprofv3 (which instruction waves stood at), not a timeline",
                  "Give the *_kernel_trace.csv and *_hip_api_trace.csv of the same program (rocprofv3 --runtime-trace "
                  "--output-format csv).");
  }
  if (table == CsvTable::kThreadTrace) {
    return Refuse(path,
                  "this is the instruction table of an AMD thread trace (ATT: hits, latency and stalls in cycles of "
                  "single waves), "
                  "not a timeline",
                  "Open it with ROCprof Compute Viewer, or give the *_kernel_trace.csv of the same program.");
  }
  Table reader(&csv, path, trace);
  return reader.Read(table, path);
}

}  // namespace warpscope::import::rocprofv3

#include "import/amd/dispatch_table.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "import/amd/names.h"
#include "import/amd/profiles.h"

namespace warpscope::import::amd {
namespace {

using model::LedgerCode;

// Columns that are no counters, in any version's spelling; "|" separates.
constexpr std::string_view kName = "KernelName|Kernel_Name", kGpu = "gpu-id|GPU_ID", kGrid = "grd|Grid_Size",
                           kGroup = "wgr|Workgroup_Size", kShared = "lds|LDS_Per_Workgroup|LDS_Block_Size",
                           kVector = "arch_vgpr|vgpr", kAccumulation = "accum_vgpr", kBegin = "BeginNs|Start_Timestamp",
                           kEnd = "EndNs|End_Timestamp", kIndex = "Index|Dispatch_ID|Dispatch_Id",
                           kQueue = "queue-id|Queue_ID", kPid = "pid", kCorrelation = "Correlation_ID",
                           kScratch = "scr|Scratch_Per_Workitem|Scratch_Size";
constexpr std::string_view kOthers[] = {
    "queue-index", "Queue_Index", "tid",         "sgpr",      "fbar",       "wave_size", "sig",
    "obj",         "DispatchNs",  "CompleteNs",  "Kernel_ID", "Node",       "XCC_ID",    "Run",
    "Stream_Id",   "stream-id",   "roctx-range", "Thread_ID", "Process_ID", "Agent_ID",  "Agent_Type"};

bool EqualNoCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool AnyOf(std::string_view name, std::string_view names) {
  while (!names.empty()) {
    const size_t bar = std::min(names.find('|'), names.size());
    if (EqualNoCase(name, names.substr(0, bar))) return true;
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  return false;
}

// "wave_size_12" is the twelfth repetition of a column when tables were joined.
std::string_view WithoutRepetition(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' && name[name.size() - 1 - digits] <= '9')
    ++digits;
  if (digits == 0 || digits + 1 >= name.size() || name[name.size() - 1 - digits] != '_') return name;
  return name.substr(0, name.size() - 1 - digits);
}

bool IsCounter(std::string_view name) {
  for (const std::string_view candidate : {name, WithoutRepetition(name)}) {
    for (const std::string_view names : {kName, kGpu, kGrid, kGroup, kShared, kVector, kAccumulation, kBegin, kEnd,
                                         kIndex, kQueue, kPid, kCorrelation, kScratch}) {
      if (AnyOf(candidate, names)) return false;
    }
    if (std::any_of(std::begin(kOthers), std::end(kOthers),
                    [&](std::string_view other) { return EqualNoCase(candidate, other); }))
      return false;
  }
  return !name.empty();
}

class Table {
 public:
  Table(CsvReader* csv, Appender* to) : csv_(csv), to_(to), profiles_(to) {
    for (size_t i = 0; i < csv->header().size(); ++i) {
      const std::string& name = csv->header()[i];
      if (!IsCounter(name)) continue;
      counters_.push_back(i);
      // Instances of one counter ("TCC_HIT[3]") also give their sum where the file lacks it.
      const size_t bracket = name.find('[');
      std::string sum = bracket == std::string::npos || bracket == 0 ? std::string() : name.substr(0, bracket) + "_sum";
      if (!sum.empty() && csv->Column(sum)) sum.clear();
      sums_.push_back(std::move(sum));
    }
    const std::array<std::pair<std::string_view, std::optional<size_t>*>, 14> columns = {
        {{kName, &name_},
         {kGpu, &gpu_},
         {kGrid, &grid_},
         {kGroup, &group_},
         {kShared, &shared_},
         {kVector, &vector_},
         {kAccumulation, &accumulation_},
         {kBegin, &begin_},
         {kEnd, &end_},
         {kIndex, &index_},
         {kQueue, &queue_},
         {kPid, &pid_},
         {kCorrelation, &correlation_},
         {kScratch, &scratch_}}};
    for (const auto& [names, column] : columns) *column = csv->Column(names);
  }

  Status Read(const std::string& path) {
    uint64_t rows = 0;
    for (;; ++rows) {
      WS_ASSIGN_OR_RETURN(const bool more, csv_->Next());
      if (!more) break;
      if (csv_->fields().size() < csv_->header().size()) to_->Note(LedgerCode::kBrokenRecord, 1, csv_->offset_bytes());
      else AddRow(rows);
    }
    if (csv_->cut_short()) to_->Note(LedgerCode::kTruncatedFile, 1, csv_->offset_bytes());
    else to_->Note(LedgerCode::kBrokenRecord, csv_->broken_records(), csv_->offset_bytes());
    profiles_.Finish();
    to_->source().text_bytes = csv_->offset_bytes();
    if (rows > 0) return Status::Ok();
    return Status(StatusCode::kCorrupt,
                  path +
                      ": line 2: the table has a header and no kernel. The program launched none while it was "
                      "recorded, or the run was cut off; record it again.");
  }

 private:
  std::optional<uint64_t> Count(const std::optional<size_t>& column) const {
    return column ? ParseCount(csv_->field(*column)) : std::nullopt;
  }
  // -1: not recorded.
  int64_t Time(const std::optional<size_t>& column) const {
    return column ? ParseTimeNs(csv_->field(*column), 1).value_or(-1) : -1;
  }
  static std::optional<uint32_t> Small(std::optional<uint64_t> value) {
    return value && *value <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
  }

  void AddRow(uint64_t number) {
    const uint32_t process = to_->Process(pid_ ? static_cast<int64_t>(Count(pid_).value_or(UINT64_MAX)) : -1);
    const uint32_t device = to_->Device(static_cast<int64_t>(Count(gpu_).value_or(0) & INT64_MAX));
    model::LaunchConfig config;
    SetShape(&config, {Count(grid_).value_or(0), 1, 1}, {Count(group_).value_or(0), 1, 1});
    config.shared_bytes = Small(Count(shared_));
    if (const auto vector = Small(Count(vector_)))
      config.registers_per_thread = Small(uint64_t{*vector} + Small(Count(accumulation_)).value_or(0));
    const model::StringId name = to_->Text(KernelName(csv_->field(name_.value_or(0))));
    const int64_t begin = Time(begin_), end = Time(end_);
    if (counters_.empty()) {
      if (begin < 0 || end < 0) return to_->Note(LedgerCode::kMissingField, 1, csv_->offset_bytes());
      Appender::Gpu row;
      row.name = name;
      row.stream = to_->Stream(process, device, -1, static_cast<int64_t>(Count(queue_).value_or(0) & INT64_MAX));
      row.start_ns = begin;
      row.dur_ns = end - begin;
      row.correlation = Count(correlation_).value_or(model::kNoId);
      row.detail = to_->Launch(config);
      return to_->Add(row, csv_->offset_bytes());
    }
    bool fresh = false;
    model::KernelProfile& profile = profiles_.Dispatch(process, device, Count(index_).value_or(number), &fresh);
    if (fresh) {
      profile.name = name;
      profile.config = to_->Launch(config);
      if (queue_) profile.stream = static_cast<int64_t>(Count(queue_).value_or(0) & INT64_MAX);
      if (begin > 0 && end > begin) profile.dur_ns = end - begin;
      if (const auto bytes = Count(scratch_)) profiles_.AddScratch(*bytes);
    }
    AddCounters();
  }

  void AddCounters() {
    for (size_t i = 0; i < counters_.size(); ++i) {
      const std::string_view text = csv_->field(counters_[i]);
      const auto value = ParseNumber(text, '.');
      if (!value) {
        if (!text.empty()) to_->Note(LedgerCode::kBadNumber, 1, csv_->offset_bytes());
        continue;
      }
      profiles_.AddMetric(to_->Text(csv_->header()[counters_[i]]), model::kNoString, *value);
      if (!sums_[i].empty()) profiles_.AddCounter(sums_[i], *value);
    }
  }

  CsvReader* csv_;
  Appender* to_;
  ProfileTable profiles_;
  std::vector<size_t> counters_;
  std::vector<std::string> sums_;
  std::optional<size_t> name_, gpu_, grid_, group_, shared_, vector_, accumulation_, begin_, end_, index_, queue_, pid_,
      correlation_, scratch_;
};

}  // namespace

DispatchDialect DialectOf(const CsvReader& csv) {
  const auto has = [&](std::string_view column) { return csv.Column(column).has_value(); };
  if (!has(kName) || !has(kGpu)) return DispatchDialect::kNone;
  if (has("KernelName") && has("grd")) return DispatchDialect::kRocprof1;
  if (has("GRD") && has("Dispatch_ID")) return DispatchDialect::kRocprof2;
  if (has("Dispatch_ID") && has("Grid_Size") && has("Workgroup_Size")) return DispatchDialect::kCompute;
  return DispatchDialect::kNone;
}

Status ReadDispatchTable(CsvReader* csv, const std::string& path, Appender* to) {
  Table table(csv, to);
  return table.Read(path);
}

}  // namespace warpscope::import::amd

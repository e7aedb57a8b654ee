#include "import/rocprof_compute/rocprof_compute_importer.h"

#include <algorithm>

#include "import/amd/dispatch_table.h"
#include "import/amd/names.h"
#include "model/reading_names.h"

namespace warpscope::import::rocprof_compute {
namespace {

constexpr size_t kMaxHeaderBytes = size_t{256} << 10;  // hundreds of counters

enum class Table : uint8_t { kNone, kDispatches, kSystem, kRoofline };

Table TableOf(const CsvReader& csv) {
  const auto has = [&](std::string_view column) { return csv.Column(column).has_value(); };
  if (amd::DialectOf(csv) == amd::DispatchDialect::kCompute) return Table::kDispatches;
  if (has("workload_name") && has("gpu_model|gpu_arch") && has("cu_per_gpu")) return Table::kSystem;
  if (has("device") && has("HBMBw") && has("LDSBw")) return Table::kRoofline;
  return Table::kNone;
}

Confidence Sniff(const Head& head) {
  const std::string_view line = head.bytes.substr(0, std::min(head.bytes.find('\n'), kMaxHeaderBytes));
  if (line.find(',') == std::string_view::npos) return Confidence::kNo;
  const auto source = OpenMemory(line);
  CsvReader csv(source.get());
  const auto more = csv.Next();
  if (!more.ok() || !more.value()) return Confidence::kNo;
  csv.TakeHeader();
  return TableOf(csv) != Table::kNone ? Confidence::kYes : Confidence::kNo;
}

class Facts {
 public:
  Facts(CsvReader* csv, Appender* to) : csv_(csv), to_(to) {}

  void AddSystem() {
    // The file does not number the device; the folder's other tables do (join.h).
    const uint32_t row = to_->Device(-1);
    model::Device& device = to_->DeviceAt(row);
    device.name = "AMD " + std::string(Field("gpu_model").empty() ? Field("gpu_arch") : Field("gpu_model"));
    device.sm_count = Small("cu_per_gpu");
    device.warp_size = Small("wave_size");
    device.max_threads_per_block = Small("workgroup_max_size");
    const auto waves = Small("max_waves_per_cu");
    if (waves && device.warp_size && *waves <= 4096 && *device.warp_size <= 4096)
      device.max_threads_per_sm = *waves * *device.warp_size;
    to_->source().host_name = std::string(Field("hostname"));
    to_->source().version = std::string(Field("version"));
    using model::ReadingName;
    AddReading(row, ReadingName::kClockMaxSm, "max_sclk");
    AddReading(row, ReadingName::kClockMaxMemory, "max_mclk");
    AddReading(row, ReadingName::kClockSm, "cur_sclk");
    AddReading(row, ReadingName::kClockMemory, "cur_mclk");
    AddNamed(row, "memory bandwidth, data sheet", "gb_per_s", "hbm_bw");
    AddNamed(row, "accelerator dies", "count", "num_xcd");
    AddNamed(row, "shader engines", "count", "se_per_gpu");
    if (!Field("rocm_version").empty()) {
      model::Reading reading;
      reading.source = to_->source_row();
      reading.device = row;
      reading.name = to_->Text("rocm_version");
      reading.text = to_->Text(Field("rocm_version"));
      to_->trace().readings.push_back(reading);
    }
  }

  // Peaks that a micro benchmark reached; each has a low and a high beside it.
  void AddRoofline() {
    const uint32_t row = to_->Device(static_cast<int64_t>(ParseCount(Field("device")).value_or(0) & INT64_MAX));
    for (const std::string& column : csv_->header()) {
      if (Ends(column, "Low") || Ends(column, "High") || column == "device") continue;
      if (Ends(column, "Bw")) AddNamed(row, "measured peak " + column, "gb_per_s", column);
      if (Ends(column, "Flops")) AddNamed(row, "measured peak " + column, "gflop_per_s", column);
      if (Ends(column, "Ops")) AddNamed(row, "measured peak " + column, "gop_per_s", column);
    }
  }

 private:
  static bool Ends(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  }
  std::string_view Field(std::string_view column) const {
    const auto at = csv_->Column(column);
    return at ? csv_->field(*at) : std::string_view();
  }
  std::optional<uint32_t> Small(std::string_view column) const {
    const auto value = ParseNumber(Field(column), '.');
    return value && *value > 0 && *value < 4e9 ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
  }
  void AddNamed(uint32_t device, std::string_view name, std::string_view unit, std::string_view column) {
    const auto value = ParseNumber(Field(column), '.');
    if (!value) return;
    model::Reading reading;
    reading.source = to_->source_row();
    reading.device = device;
    reading.name = to_->Text(name);
    reading.unit = to_->Text(unit);
    reading.value = *value;
    to_->trace().readings.push_back(reading);
  }
  void AddReading(uint32_t device, model::ReadingName name, std::string_view column) {
    AddNamed(device, model::NameOf(name), model::InfoOf(name).unit, column);
  }

  CsvReader* csv_;
  Appender* to_;
};

Status Read(ByteSource& bytes, const std::string& path, const Options&, model::Trace* trace) {
  CsvReader csv(&bytes);
  WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
  if (!more)
    return Status(StatusCode::kCorrupt,
                  path + ": line 1: a table of rocprof-compute was expected. Give its workload folder.");
  csv.TakeHeader();
  const Table table = TableOf(csv);
  Appender to(trace, path, "rocprof_compute");
  to.source().vendor = model::Vendor::kAmd;
  to.source().producer = "rocprof-compute";
  to.source().representation = "csv";
  for (const std::string_view name : {"pmc_perf", "timestamps", "sysinfo", "roofline"}) {
    if (path.rfind(name) != std::string::npos || name == "roofline") {
      to.source().part_of = amd::PartOf(path, name, "rocprof-compute");
      break;
    }
  }
  if (table == Table::kDispatches) return amd::ReadDispatchTable(&csv, path, &to);
  Facts facts(&csv, &to);
  uint64_t rows = 0;
  for (;; ++rows) {
    WS_ASSIGN_OR_RETURN(const bool next, csv.Next());
    if (!next) break;
    if (table == Table::kSystem) facts.AddSystem();
    else facts.AddRoofline();
  }
  to.Note(model::LedgerCode::kBrokenRecord, csv.broken_records(), csv.offset_bytes());
  to.source().text_bytes = csv.offset_bytes();
  if (rows > 0) return Status::Ok();
  return Status(
      StatusCode::kCorrupt,
      path + ": line 2: the table has a header and no row. Give the whole workload folder of rocprof-compute.");
}

}  // namespace

const Importer kImporter = {"rocprof_compute", "rocprof-compute (Omniperf) workload", &Sniff, &Read};

}  // namespace warpscope::import::rocprof_compute

// kernel_details.csv and op_summary_*.csv: one row a kernel.
#include "import/ascend/kernels.h"
#include "import/ascend/tables.h"

namespace warpscope::import::ascend {
namespace {

struct Columns {
  std::optional<size_t> step, device, stream, name, type, core, start, duration;

  std::string_view Field(const CsvReader& csv, std::optional<size_t> column) const {
    return column ? csv.field(*column) : std::string_view();
  }
};

constexpr int64_t kMaxNs = int64_t{1} << 61;

void AddCollective(std::string_view name, Appender* out) {
  const std::string_view kind = CollectiveName(name);
  if (kind.empty()) return;
  model::Collective row;
  row.gpu_row = out->trace().gpu.size() - 1;
  row.name = out->Text(kind);
  out->trace().collectives.push_back(row);
}

Result<uint64_t> Read(CsvReader& csv, const Columns& columns, Appender* out) {
  const uint32_t process = out->Process(-1);
  StepRanges steps;
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) break;
    const std::string_view name = columns.Field(csv, columns.name);
    const auto start_ns = ParseTimeNs(columns.Field(csv, columns.start), kUs);
    const auto dur_ns = LengthNs(columns.Field(csv, columns.duration));
    if (name.empty() || !start_ns || !dur_ns || *start_ns < 0 || *start_ns > kMaxNs || *dur_ns > kMaxNs) {
      out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
      continue;
    }
    const auto device_id = ParseCount(columns.Field(csv, columns.device));
    const uint32_t device = out->Device(device_id ? static_cast<int64_t>(*device_id & UINT32_MAX) : 0);
    const std::string_view core = columns.Field(csv, columns.core);
    const auto stream = ParseCount(columns.Field(csv, columns.stream));
    const bool hccl = !CollectiveName(name).empty() || core == "HCCL" || core == "COMMUNICATION";
    Appender::Gpu row;
    row.name = out->Text(name);
    // Collectives are not tied to one stream; level 0 tells no streams at all.
    row.stream = hccl      ? NamedStream(out, process, device, kFirstHcclStream, "HCCL")
                 : !stream ? NamedStream(out, process, device, kComputeStream, "compute (streams were not recorded)")
                           : out->Stream(process, device, -1, static_cast<int64_t>(*stream & INT64_MAX));
    row.start_ns = *start_ns;
    row.dur_ns = *dur_ns;
    if (IsCopyType(columns.Field(csv, columns.type)) || IsCopyType(name)) {
      row.kind = model::GpuKind::kCopy;
      row.detail = out->Copy({});
    }
    const uint32_t before = out->trace().gpu.size();
    out->Add(row, csv.offset_bytes());
    if (out->trace().gpu.size() == before) continue;
    ++rows;
    if (hccl) AddCollective(name, out);
    if (const auto step = ParseSigned(columns.Field(csv, columns.step)))
      steps.Add(*step, *start_ns, *start_ns + *dur_ns);
  }
  steps.MakeRows(out);
  return rows;
}

}  // namespace

Result<uint64_t> ReadKernelDetails(CsvReader& csv, Appender* out) {
  return Read(csv,
              {csv.Column("Step Id|Step ID"), csv.Column("Device_id|Device Id|Device ID"),
               csv.Column("Stream ID|Stream Id"), csv.Column("Name"), csv.Column("Type"),
               csv.Column("Accelerator Core"), csv.Column("Start Time(us)"), csv.Column("Duration(us)")},
              out);
}

Result<uint64_t> ReadOpSummary(CsvReader& csv, Appender* out) {
  return Read(csv,
              {csv.Column("Step Id|Step ID"), csv.Column("Device_id|Device Id|Device ID"),
               csv.Column("Stream ID|Stream Id"), csv.Column("Op Name"), csv.Column("OP Type"), csv.Column("Task Type"),
               csv.Column("Task Start Time(us)|Start Time(us)"), csv.Column("Task Duration(us)")},
              out);
}

}  // namespace warpscope::import::ascend

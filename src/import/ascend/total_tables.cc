// Tables of totals: operators by type, calls by name, operators by name, parts of a step.
#include <map>
#include <string>

#include "import/ascend/tables.h"

namespace warpscope::import::ascend {
namespace {

using model::SummaryKind;

model::SummaryRow Row(const Appender& out, SummaryKind kind) {
  model::SummaryRow row;
  row.source = out.source_row();
  row.kind = kind;
  return row;
}

std::optional<uint64_t> Count(const CsvReader& csv, std::optional<size_t> column) {
  return column ? ParseCount(csv.field(*column)) : std::nullopt;
}

std::optional<int64_t> Length(const CsvReader& csv, std::optional<size_t> column) {
  return column ? LengthNs(csv.field(*column)) : std::nullopt;
}

// name, group, count, total, min and max as columns of a table.
Result<uint64_t> ReadTotals(CsvReader& csv, SummaryKind kind, std::string_view name, std::string_view group,
                            std::string_view total, Appender* out) {
  const auto name_at = csv.Column(name), group_at = csv.Column(group), total_at = csv.Column(total);
  const auto count_at = csv.Column("Count"), min_at = csv.Column("Min Time(us)|Min(us)"),
             max_at = csv.Column("Max Time(us)|Max(us)");
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) return rows;
    model::SummaryRow row = Row(*out, kind);
    row.total_ns = Length(csv, total_at);
    if (csv.field(*name_at).empty() || !row.total_ns || *row.total_ns < 0) {
      out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
      continue;
    }
    row.name = out->Text(csv.field(*name_at));
    if (group_at && !csv.field(*group_at).empty()) row.group = out->Text(csv.field(*group_at));
    row.count = Count(csv, count_at);
    row.min_ns = Length(csv, min_at);
    row.max_ns = Length(csv, max_at);
    row.rank = out->source().rank;
    out->trace().summaries.push_back(row);
    ++rows;
  }
}

}  // namespace

Result<uint64_t> ReadOpStatistic(CsvReader& csv, Appender* out) {
  return ReadTotals(csv, SummaryKind::kKernel, "OP Type", "Core Type", "Total Time(us)", out);
}

Result<uint64_t> ReadApiStatistic(CsvReader& csv, Appender* out) {
  return ReadTotals(csv, SummaryKind::kApiCall, "API Name", "Level", "Time(us)", out);
}

// One row a call; summed by name here.
Result<uint64_t> ReadOperatorDetails(CsvReader& csv, Appender* out) {
  struct Sum {
    uint64_t count = 0;
    int64_t host_ns = 0, device_ns = 0;
  };
  const auto name_at = csv.Column("Name");
  const auto host_at = csv.Column("Host Self Duration(us)"), device_at = csv.Column("Device Self Duration(us)");
  std::map<std::string, Sum, std::less<>> sums;
  constexpr int64_t kMaxNs = int64_t{1} << 52;  // a table of 2^10 such rows still adds up
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) break;
    const auto host_ns = Length(csv, host_at), device_ns = Length(csv, device_at);
    const std::string_view name = csv.field(*name_at);
    if (name.empty() || !host_ns || *host_ns < 0 || *host_ns > kMaxNs || device_ns.value_or(0) < 0 ||
        device_ns.value_or(0) > kMaxNs) {
      out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
      continue;
    }
    auto it = sums.find(name);
    if (it == sums.end()) it = sums.emplace(std::string(name), Sum()).first;
    Sum& sum = it->second;
    ++sum.count;
    if (sum.host_ns < INT64_MAX / 2) sum.host_ns += *host_ns;
    if (sum.device_ns < INT64_MAX / 2) sum.device_ns += device_ns.value_or(0);
    ++rows;
  }
  for (const auto& [name, sum] : sums) {
    model::SummaryRow row = Row(*out, SummaryKind::kOperator);
    row.name = out->Text(name);
    row.count = sum.count;
    row.rank = out->source().rank;
    row.group = out->Text("host self");
    row.total_ns = sum.host_ns;
    out->trace().summaries.push_back(row);
    if (!device_at) continue;
    row.group = out->Text("device self");
    row.total_ns = sum.device_ns;
    out->trace().summaries.push_back(row);
  }
  return rows;
}

// step_trace_time.csv: one row a step. cluster_step_trace_time.csv: one a rank, and rows of stages that repeat their
// slowest rank, which are passed over.
Result<uint64_t> ReadStepTraceTime(CsvReader& csv, Appender* out) {
  const auto step_at = csv.Column("Step"), type_at = csv.Column("Type"), index_at = csv.Column("Index"),
             device_at = csv.Column("Device_id|Device Id");
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) return rows;
    if (type_at && csv.field(*type_at) != "rank") continue;
    const auto rank = index_at ? ParseSigned(csv.field(*index_at)) : std::nullopt;
    bool any = false;
    for (size_t column = 0; column < csv.header().size(); ++column) {
      if (column == step_at || column == type_at || column == index_at || column == device_at) continue;
      const auto total_ns = LengthNs(csv.field(column));
      if (!total_ns || *total_ns < 0) continue;
      model::SummaryRow row = Row(*out, SummaryKind::kStepPart);
      row.name = out->Text(csv.header()[column]);
      if (!csv.field(*step_at).empty()) row.group = out->Text(csv.field(*step_at));
      row.total_ns = total_ns;
      row.rank = rank ? rank : out->source().rank;
      out->trace().summaries.push_back(row);
      any = true;
    }
    if (any) ++rows;
    else out->Note(model::LedgerCode::kMissingField, 1, csv.offset_bytes());
  }
}

}  // namespace warpscope::import::ascend

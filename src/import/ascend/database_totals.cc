// analysis.db: parts of steps and totals of collectives, as in step_trace_time.csv and communication.json.
#include <cmath>

#include "import/ascend/database.h"

namespace warpscope::import::ascend {
namespace {

std::optional<int64_t> LengthNs(std::optional<double> value, double unit_ns) {
  if (!value || !(*value >= 0) || *value > 1e18 / unit_ns) return std::nullopt;
  return static_cast<int64_t>(*value * unit_ns);
}

struct Part {
  std::string_view column, name;
};

}  // namespace

Status DatabaseReader::ReadTotals() {
  const auto run = [&](const std::string& table, const std::string& sql, const auto& visit) -> Status {
    if (!database_.HasTable(table)) return Status::Ok();
    WS_ASSIGN_OR_RETURN(Query query, database_.Run(sql));
    for (;;) {
      WS_ASSIGN_OR_RETURN(const bool more, query.Step());
      if (!more) return Status::Ok();
      visit(query);
    }
  };
  const auto add = [&](model::SummaryKind kind, model::StringId name, model::StringId group,
                       std::optional<int64_t> total_ns, std::optional<uint64_t> count) {
    if (!total_ns) return;
    model::SummaryRow row;
    row.source = out_->source_row();
    row.kind = kind;
    row.name = name;
    row.group = group;
    row.total_ns = total_ns;
    row.count = count;
    row.rank = out_->source().rank;
    out_->trace().summaries.push_back(row);
    ++rows_;
  };
  constexpr double kUsNs = 1e3, kMsNs = 1e6;
  constexpr Part kStepParts[] = {{"computing", "Computing"},
                                 {"communication_not_overlapped", "Communication(Not Overlapped)"},
                                 {"overlapped", "Overlapped"},
                                 {"communication", "Communication"},
                                 {"free", "Free"},
                                 {"stage", "Stage"},
                                 {"bubble", "Bubble"},
                                 {"preparing", "Preparing"}};
  for (const Part& part : kStepParts) {
    const std::string table = "StepTraceTime";
    WS_RETURN_IF_ERROR(run(
        table, "SELECT step, " + database_.ColumnOrNull(table, part.column) + " FROM StepTraceTime",
        [&](const Query& row) {
          const model::StringId step = row.Bytes(0).empty() ? model::kNoString : out_->Text(row.Bytes(0));
          add(model::SummaryKind::kStepPart, out_->Text(part.name), step, LengthNs(row.Number(1), kUsNs), std::nullopt);
        }));
  }
  constexpr Part kTimes[] = {{"elapse_time", ""},
                             {"transit_time", "transit"},
                             {"wait_time", "wait"},
                             {"synchronization_time", "synchronization"},
                             {"idle_time", "idle"}};
  for (const Part& part : kTimes) {
    const std::string table = "CommAnalyzerTime";
    WS_RETURN_IF_ERROR(
        run(table, "SELECT hccl_op_name, " + database_.ColumnOrNull(table, part.column) + " FROM CommAnalyzerTime",
            [&](const Query& row) {
              if (row.Bytes(0).substr(0, 5) == "Total") return;  // sums the others
              add(model::SummaryKind::kCollective, out_->Text(row.Bytes(0)),
                  part.name.empty() ? model::kNoString : out_->Text(part.name), LengthNs(row.Number(1), kMsNs),
                  part.name.empty() ? std::optional<uint64_t>(1) : std::nullopt);
            }));
  }
  const auto add_bandwidth = [&](const std::string& link, std::string_view operation,
                                 std::optional<double> gigabytes_per_s) {
    if (!gigabytes_per_s || !std::isfinite(*gigabytes_per_s)) return;
    model::Reading row;
    row.source = out_->source_row();
    row.name = out_->Text("bandwidth " + link + " " + std::string(operation));
    row.unit = out_->Text("bytes_per_s");
    row.value = *gigabytes_per_s * 1e9;
    out_->trace().readings.push_back(row);
    ++rows_;
  };
  WS_RETURN_IF_ERROR(
      run("CommAnalyzerMatrix",
          "SELECT src_rank, dst_rank, transport_type, hccl_op_name, bandwidth FROM CommAnalyzerMatrix WHERE "
          "transit_size > 0",
          [&](const Query& row) {
            add_bandwidth(std::string(row.Bytes(0)) + "-" + std::string(row.Bytes(1)) + " " + std::string(row.Bytes(2)),
                          row.Bytes(3), row.Number(4));
          }));
  // One row a packet size; all carry the bandwidth of the whole.
  return run(
      "CommAnalyzerBandwidth",
      "SELECT DISTINCT transport_type, hccl_op_name, bandwidth FROM CommAnalyzerBandwidth WHERE transit_size > 0",
      [&](const Query& row) { add_bandwidth(std::string(row.Bytes(0)), row.Bytes(1), row.Number(2)); });
}

}  // namespace warpscope::import::ascend

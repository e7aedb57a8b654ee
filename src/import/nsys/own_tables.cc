// WARPSCOPE_*: what `warpscope convert --to sqlite` keeps beside nsys's own tables.
#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

uint32_t At(const std::vector<uint32_t>& rows, std::optional<int64_t> rowid) {
  return rowid && *rowid > 0 && static_cast<uint64_t>(*rowid) <= rows.size() ? rows[static_cast<size_t>(*rowid) - 1]
                                                                             : model::kNone;
}

std::optional<uint64_t> Count(std::optional<int64_t> value) {
  return value ? std::optional<uint64_t>(static_cast<uint64_t>(*value)) : std::nullopt;
}

}  // namespace

void Reader::ReadOwnDetails() {
  if (!is_own_) return;
  Columns columns("WARPSCOPE_OPERATOR_DETAILS");
  const int id = columns.Add("id");
  int texts[5];
  const char* names[] = {"inputDimsId", "inputTypesId", "inputStridesId", "concreteInputsId", "callStackId"};
  for (int i = 0; i < 5; ++i) texts[i] = columns.Add(names[i]);
  constexpr int64_t kMost = 50000000;
  Rows(columns, [&](const Query& row) {
    const int64_t at = row.Int(id).value_or(-1);
    if (at < 0 || at > kMost || static_cast<size_t>(at) < own_op_details_.size()) return;
    model::OpDetail detail;
    model::StringId* to[] = {&detail.input_dims, &detail.input_types, &detail.input_strides, &detail.concrete_inputs,
                             &detail.call_stack};
    for (int i = 0; i < 5; ++i) *to[i] = Name(row.Int(texts[i]));
    if (static_cast<size_t>(at) != own_op_details_.size()) return;  // rows are dense
    trace().op_details.push_back(detail);
    own_op_details_.push_back(static_cast<uint32_t>(trace().op_details.size() - 1));
  });
}

void Reader::ReadOwnTables() {
  if (!is_own_) return;
  Columns limits("WARPSCOPE_DEVICES");
  const int machine = limits.Add("globalVid"), device_id = limits.Add("deviceId"),
            threads = limits.Add("maxThreadsPerSm");
  Rows(limits, [&](const Query& row) {
    const uint32_t source = add_.source_row() + static_cast<uint32_t>((row.Int(machine).value_or(0) >> 48) - 1);
    const auto known = devices_.find({source, row.Int(device_id).value_or(-1)});
    if (known != devices_.end() && row.Int(threads))
      add_.DeviceAt(known->second).max_threads_per_sm = static_cast<uint32_t>(*row.Int(threads));
  });

  Columns streams("WARPSCOPE_STREAMS");
  const int stream_process = streams.Add("globalPid"), stream_device = streams.Add("deviceId");
  const int stream_context = streams.Add("contextId"), stream_id = streams.Add("streamId"),
            label = streams.Add("nameId");
  Rows(streams, [&](const Query& row) {
    const uint32_t stream =
        Stream(row.Int(stream_process), row.Int(stream_device), row.Int(stream_context), row.Int(stream_id));
    trace().streams[stream].name = Name(row.Int(label));
  });

  Columns annotations("WARPSCOPE_GPU_ANNOTATIONS");
  const int start = annotations.Add("start"), end = annotations.Add("end"), name = annotations.Add("nameId");
  const int process = annotations.Add("globalPid"), device = annotations.Add("deviceId");
  const int context = annotations.Add("contextId"), stream = annotations.Add("streamId");
  Rows(annotations, [&](const Query& row) {
    const auto span = Times(row.Int(start), row.Int(end));
    if (!span) return;
    trace().gpu_annotations.push_back({span->start_ns, span->dur_ns, Name(row.Int(name)),
                                       Stream(row.Int(process), row.Int(device), row.Int(context), row.Int(stream))});
  });

  Columns collectives("WARPSCOPE_COLLECTIVES");
  const int kind = collectives.Add("deviceKind"), device_row = collectives.Add("deviceRow");
  const int range = collectives.Add("rangeRow");
  int texts[5], counts[4];
  const char* text_names[] = {"nameId", "dtypeId", "groupNameId", "groupRanksId", "commsIdId"};
  const char* count_names[] = {"inElements", "outElements", "groupSize", "sequence"};
  for (int i = 0; i < 5; ++i) texts[i] = collectives.Add(text_names[i]);
  for (int i = 0; i < 4; ++i) counts[i] = collectives.Add(count_names[i]);
  Rows(collectives, [&](const Query& row) {
    model::Collective to;
    const auto rows = device_rows_.find(static_cast<uint8_t>(row.Int(kind).value_or(255)));
    if (rows != device_rows_.end()) to.gpu_row = nsys::At(rows->second, row.Int(device_row));
    to.host_row = nsys::At(nvtx_rows_, row.Int(range));
    // A place behind the last row: its own was dropped.
    if (to.gpu_row != model::kNone && to.gpu_row >= trace().gpu.size()) to.gpu_row = model::kNone;
    if (to.host_row != model::kNone && to.host_row >= trace().host.size()) to.host_row = model::kNone;
    model::StringId* names[] = {&to.name, &to.dtype, &to.group_name, &to.group_ranks, &to.comms_id};
    for (int i = 0; i < 5; ++i) *names[i] = Name(row.Int(texts[i]));
    std::optional<uint64_t>* numbers[] = {&to.in_elements, &to.out_elements, &to.group_size, &to.sequence};
    for (int i = 0; i < 4; ++i) *numbers[i] = Count(row.Int(counts[i]));
    trace().collectives.push_back(to);
  });

  Columns ledger("WARPSCOPE_LEDGER");
  const int code_name = ledger.Add("name"), count = ledger.Add("count"), offset = ledger.Add("firstOffset");
  const int detail = ledger.Add("detail"), file = ledger.Add("file");
  Rows(ledger, [&](const Query& row) {
    for (size_t i = 0; i < static_cast<size_t>(model::LedgerCode::kCount); ++i) {
      const auto code = static_cast<model::LedgerCode>(i);
      if (model::Ledger::Name(code) != row.Bytes(code_name)) continue;
      trace().ledger.Add(code, Count(row.Int(count)).value_or(0), Count(row.Int(offset)), row.Bytes(detail),
                         row.Bytes(file));
    }
  });
}

}  // namespace warpscope::import::nsys

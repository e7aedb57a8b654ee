// WARPSCOPE_*: what a trace holds and nsys has no place for. Scripts made for nsys do not look at them; reading the
// file back does, so that the same events give the same verdict. See docs/formats/nsys.md.
#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

using model::kNoId;
using model::kNone;
using model::kNoString;

Insert& TextId(Insert& insert, model::StringId id) { return id == kNoString ? insert.Null() : insert.Int(id); }

Insert& TextOrNull(Insert& insert, const std::string& text) { return text.empty() ? insert.Null() : insert.Text(text); }

void WriteSources(Job& job) {
  const std::string columns =
      "id, globalVid, path, format, producer, version, rank, worldSize, baseTimeNs, hostName, recordShapes, withStack, "
      "profileMemory, vendor, hasSyncRows, samplePeriodNs, launchCostNs";
  job.file.MakeTable("WARPSCOPE_SOURCES", columns);
  Insert insert(job.file, "WARPSCOPE_SOURCES", columns);
  for (uint32_t row = 0; row < job.trace.sources.size(); ++row) {
    const model::Source& source = job.trace.sources[row];
    // The name alone: the folders above it are the user's own business.
    const std::string name = source.path.substr(source.path.find_last_of('/') + 1);
    insert.Int(row).Int(job.ids.Machine(row)).Text(name).Text(source.format);
    TextOrNull(TextOrNull(insert, source.producer), source.version);
    insert.Maybe(source.rank).Maybe(source.world_size).Maybe(source.base_time_ns);
    TextOrNull(insert, source.host_name).Maybe(source.record_shapes).Maybe(source.with_stack);
    insert.Maybe(source.profile_memory)
        .Int(static_cast<int64_t>(source.vendor))
        .Int(source.has_sync_rows ? 1 : 0)
        .Maybe(source.sample_period_ns)
        .Maybe(source.launch_cost_ns)
        .Row();
  }
}

void WriteProcesses(Job& job) {
  const std::string columns = "globalPid, pid, sourceId, rank";
  job.file.MakeTable("WARPSCOPE_PROCESSES", columns);
  Insert insert(job.file, "WARPSCOPE_PROCESSES", columns);
  for (uint32_t row = 0; row < job.trace.processes.size(); ++row) {
    const model::Process& process = job.trace.processes[row];
    insert.Int(job.ids.Process(row)).Int(process.pid).Int(process.source).Maybe(process.rank).Row();
  }
}

void WriteThreads(Job& job) {
  job.file.MakeTable("WARPSCOPE_THREADS", "globalTid, tid");
  Insert insert(job.file, "WARPSCOPE_THREADS", "globalTid, tid");
  for (uint32_t row = 0; row < job.trace.threads.size(); ++row) {
    if (job.ids.IsReplaced(row)) insert.Int(job.ids.Thread(row)).Int(job.trace.threads[row].tid).Row();
  }
}

void WriteStreamNames(Job& job) {
  const std::string columns = "globalPid, deviceId, contextId, streamId, nameId";
  job.file.MakeTable("WARPSCOPE_STREAMS", columns);
  Insert insert(job.file, "WARPSCOPE_STREAMS", columns);
  for (const model::Stream& stream : job.trace.streams) {
    if (stream.name == kNoString) continue;
    insert.Int(job.ids.Domain(stream.link_domain));
    stream.device == kNone ? insert.Null() : insert.Int(job.trace.devices[stream.device].id);
    stream.context < 0 ? insert.Null() : insert.Int(stream.context);
    insert.Int(stream.id).Int(stream.name).Row();
  }
}

void WriteDeviceLimits(Job& job) {
  // nsys counts warps; a device whose warp size is unknown tells its threads here.
  job.file.MakeTable("WARPSCOPE_DEVICES", "globalVid, deviceId, maxThreadsPerSm");
  Insert insert(job.file, "WARPSCOPE_DEVICES", "globalVid, deviceId, maxThreadsPerSm");
  for (const model::Device& device : job.trace.devices) {
    if (device.max_threads_per_sm)
      insert.Int(job.ids.Machine(device.source)).Int(device.id).Int(*device.max_threads_per_sm).Row();
  }
}

void WriteOperatorDetails(Job& job) {
  if (job.trace.op_details.empty()) return;
  const std::string columns = "id, inputDimsId, inputTypesId, inputStridesId, concreteInputsId, callStackId";
  job.file.Execute(
      "CREATE TABLE WARPSCOPE_OPERATOR_DETAILS (id INTEGER NOT NULL PRIMARY KEY, inputDimsId INTEGER, "
      "inputTypesId INTEGER, inputStridesId INTEGER, concreteInputsId INTEGER, callStackId INTEGER)");
  Insert insert(job.file, "WARPSCOPE_OPERATOR_DETAILS", columns);
  for (size_t row = 0; row < job.trace.op_details.size(); ++row) {
    const model::OpDetail& detail = job.trace.op_details[row];
    insert.Int(static_cast<int64_t>(row));
    for (const model::StringId id :
         {detail.input_dims, detail.input_types, detail.input_strides, detail.concrete_inputs, detail.call_stack}) {
      TextId(insert, id);
    }
    insert.Row();
  }
}

void WriteGpuAnnotations(Job& job) {
  if (job.trace.gpu_annotations.empty()) return;
  const std::string columns = "start, end, nameId, globalPid, deviceId, contextId, streamId";
  job.file.MakeTable("WARPSCOPE_GPU_ANNOTATIONS", columns);
  Insert insert(job.file, "WARPSCOPE_GPU_ANNOTATIONS", columns);
  for (const model::GpuAnnotation& row : job.trace.gpu_annotations) {
    const model::Stream& stream = job.trace.streams[row.stream];
    insert.Int(row.start_ns - job.base_ns).Int(row.start_ns - job.base_ns + row.dur_ns).Int(row.name);
    insert.Int(job.ids.Domain(stream.link_domain));
    stream.device == kNone ? insert.Null() : insert.Int(job.trace.devices[stream.device].id);
    stream.context < 0 ? insert.Null() : insert.Int(stream.context);
    insert.Int(stream.id).Row();
  }
  job.written.event_count += job.trace.gpu_annotations.size();
}

void WriteCollectives(Job& job) {
  if (job.trace.collectives.empty()) return;
  const std::string columns =
      "deviceKind, deviceRow, rangeRow, nameId, dtypeId, groupNameId, groupRanksId, commsIdId, inElements, "
      "outElements, "
      "groupSize, sequence";
  job.file.MakeTable("WARPSCOPE_COLLECTIVES", columns);
  Insert insert(job.file, "WARPSCOPE_COLLECTIVES", columns);
  for (const model::Collective& row : job.trace.collectives) {
    if (row.gpu_row == kNone) {
      insert.Null().Null();
    } else {
      insert.Int(static_cast<int64_t>(job.trace.gpu.kind[row.gpu_row])).Int(job.device_row[row.gpu_row]);
    }
    row.host_row == kNone ? insert.Null() : insert.Int(job.nvtx_row[row.host_row]);
    for (const model::StringId id : {row.name, row.dtype, row.group_name, row.group_ranks, row.comms_id})
      TextId(insert, id);
    insert.Maybe(row.in_elements).Maybe(row.out_elements).Maybe(row.group_size).Maybe(row.sequence).Row();
  }
}

// Counted while reading; what Finish() and the alignment of ranks count is counted again when this file is
// read.
bool IsOfReading(model::LedgerCode code) {
  switch (code) {
    case model::LedgerCode::kAlignedClock:
    case model::LedgerCode::kClockSkew:
    case model::LedgerCode::kDuplicateCorrelation:
    case model::LedgerCode::kGraphUnderRecorded:
    case model::LedgerCode::kKernelBeforeLaunch:
    case model::LedgerCode::kLaunchWithoutKernel:
    case model::LedgerCode::kOverlapOnStream:
    case model::LedgerCode::kUnmatchedKernel:
    case model::LedgerCode::kZeroDuration: return false;
    default: return true;
  }
}

void WriteLedger(Job& job) {
  const std::string columns = "name, count, firstOffset, detail, file";
  job.file.MakeTable("WARPSCOPE_LEDGER", columns);
  Insert insert(job.file, "WARPSCOPE_LEDGER", columns);
  for (const model::LedgerEntry& entry : job.trace.ledger.Entries()) {
    if (!IsOfReading(entry.code)) continue;
    const std::string file = entry.file.substr(entry.file.find_last_of('/') + 1);
    insert.Text(entry.name).Int(static_cast<int64_t>(entry.count)).Maybe(entry.first_offset_bytes);
    TextOrNull(TextOrNull(insert, entry.detail), file).Row();
  }
}

}  // namespace

void WriteOwnTables(Job& job) {
  WriteSources(job);
  WriteProcesses(job);
  WriteThreads(job);
  WriteStreamNames(job);
  WriteDeviceLimits(job);
  WriteOperatorDetails(job);
  WriteGpuAnnotations(job);
  WriteCollectives(job);
  WriteLedger(job);
}

}  // namespace warpscope::exporting

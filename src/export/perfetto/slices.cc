// Host spans, device work and ranges as slices; a flow leads from each call to its work.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "export/perfetto/job.h"

namespace warpscope::exporting::perfetto {
namespace {

using model::kNoId;
using model::kNone;

Category CategoryOf(model::HostKind kind) {
  switch (kind) {
    case model::HostKind::kAnnotation: return Category::kAnnotation;
    case model::HostKind::kPython: return Category::kPython;
    case model::HostKind::kNative: return Category::kNative;
    case model::HostKind::kOperator: return Category::kOperator;
    case model::HostKind::kRuntimeCall: return Category::kRuntimeCall;
    case model::HostKind::kDriverCall: return Category::kDriverCall;
    case model::HostKind::kOsCall: return Category::kOsCall;
    case model::HostKind::kOverhead: return Category::kOverhead;
  }
  return Category::kAnnotation;
}

Category CategoryOf(model::GpuKind kind) {
  switch (kind) {
    case model::GpuKind::kKernel: return Category::kKernel;
    case model::GpuKind::kCopy: return Category::kCopy;
    case model::GpuKind::kMemset: return Category::kMemset;
    case model::GpuKind::kGraphLaunch: return Category::kGraphLaunch;
  }
  return Category::kKernel;
}

void AnnotateId(PacketFile& file, Key key, uint64_t id) {
  if (id != kNoId) file.Annotate(key, id);
}

void AnnotateOperation(PacketFile& file, const model::OpDetail& detail) {
  file.Annotate(Key::kInputDims, detail.input_dims);
  file.Annotate(Key::kInputTypes, detail.input_types);
  file.Annotate(Key::kInputStrides, detail.input_strides);
  file.Annotate(Key::kConcreteInputs, detail.concrete_inputs);
  file.Annotate(Key::kCallStack, detail.call_stack);
}

// What the row's detail is depends on its kind.
void AnnotateDetail(PacketFile& file, const model::Trace& trace, uint32_t row) {
  const uint32_t detail = trace.host.detail[row];
  if (detail == kNone) return;
  if (trace.host.kind[row] == model::HostKind::kOperator && detail < trace.op_details.size())
    return AnnotateOperation(file, trace.op_details[detail]);
  if (trace.host.kind[row] != model::HostKind::kAnnotation || detail >= trace.annotation_details.size()) return;
  const model::AnnotationDetail& range = trace.annotation_details[detail];
  file.Annotate(Key::kRangeForm, static_cast<uint64_t>(range.form));
  file.Annotate(Key::kRangeDomain, range.domain);
  file.Annotate(Key::kRangeCategory, range.category);
  file.Annotate(Key::kRangePayload, range.payload);
  file.Annotate(Key::kRangeColor, range.color_argb);
}

void AnnotateLaunch(PacketFile& file, const model::LaunchConfig& config) {
  file.Annotate(Key::kGrid, config.grid);
  file.Annotate(Key::kBlock, config.block);
  file.Annotate(Key::kRegistersPerThread, config.registers_per_thread);
  file.Annotate(Key::kSharedMemory, config.shared_bytes);
  file.Annotate(Key::kOccupancyPct, config.recorded_occupancy_pct);
  AnnotateId(file, Key::kGraphId, config.graph_id);
  AnnotateId(file, Key::kGraphNodeId, config.graph_node_id);
}

void AnnotateCopy(PacketFile& file, const model::CopyDetail& detail) {
  file.Annotate(Key::kBytes, detail.bytes);
  file.Annotate(Key::kCopyKind, static_cast<uint64_t>(detail.kind));
  file.Annotate(Key::kSrcKind, static_cast<uint64_t>(detail.src));
  file.Annotate(Key::kDstKind, static_cast<uint64_t>(detail.dst));
}

void AnnotateCollective(PacketFile& file, const model::Collective& row) {
  file.Annotate(Key::kCollectiveName, row.name);
  file.Annotate(Key::kDtype, row.dtype);
  file.Annotate(Key::kProcessGroupName, row.group_name);
  file.Annotate(Key::kProcessGroupRanks, row.group_ranks);
  file.Annotate(Key::kCommsId, row.comms_id);
  file.Annotate(Key::kInElements, row.in_elements);
  file.Annotate(Key::kOutElements, row.out_elements);
  file.Annotate(Key::kGroupSize, row.group_size);
  file.Annotate(Key::kSequence, row.sequence);
}

// The collective that a row carries. Those of a kernel stand at the kernel.
using Collectives = std::unordered_map<uint32_t, const model::Collective*>;
Collectives CollectivesOf(const model::Trace& trace, bool of_device) {
  Collectives out;
  for (const model::Collective& row : trace.collectives) {
    if (of_device && row.gpu_row != kNone) out.emplace(row.gpu_row, &row);
    if (!of_device && row.gpu_row == kNone && row.host_row != kNone) out.emplace(row.host_row, &row);
  }
  return out;
}

// Flow numbers are rows of device work, from 1.
uint64_t FlowOf(uint32_t gpu_row) { return uint64_t{gpu_row} + 1; }

}  // namespace

void WriteHostSlices(Job& job) {
  const model::Trace& trace = job.trace;
  const model::HostTable& host = trace.host;
  PacketFile& file = job.file;
  std::vector<std::pair<uint32_t, uint32_t>> work;  // (call, device row)
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.call[row] != kNone) work.emplace_back(trace.gpu.call[row], row);
  }
  std::sort(work.begin(), work.end());
  const Collectives collectives = CollectivesOf(trace, false);
  size_t at = 0;
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    Lanes lanes(&job, TrackKind::kThread, thread);
    for (uint32_t row = trace.thread_rows[thread].begin; row < trace.thread_rows[thread].end; ++row) {
      const uint64_t track = lanes.Begin(host.start_ns[row], host.end_ns(row));
      file.BeginSlice(track, job.Time(host.start_ns[row]), CategoryOf(host.kind[row]), host.name[row]);
      AnnotateId(file, host.kind[row] == model::HostKind::kOperator ? Key::kSequenceNumber : Key::kCorrelation,
                 host.correlation[row]);
      AnnotateId(file, Key::kExternalId, host.external_id[row]);
      if (host.forward_thread[row] != 0) file.Annotate(Key::kForwardThread, uint64_t{host.forward_thread[row]});
      AnnotateDetail(file, trace, row);
      if (const auto it = collectives.find(row); it != collectives.end()) AnnotateCollective(file, *it->second);
      at = static_cast<size_t>(std::lower_bound(work.begin(), work.end(), std::pair(row, uint32_t{0})) - work.begin());
      for (; at < work.size() && work[at].first == row; ++at) file.Flow(FlowOf(work[at].second), false);
      file.End();
      ++job.written.event_count;
    }
    lanes.Finish();
  }
}

void WriteDeviceSlices(Job& job) {
  const model::Trace& trace = job.trace;
  const model::GpuTable& gpu = trace.gpu;
  PacketFile& file = job.file;
  const Collectives collectives = CollectivesOf(trace, true);
  for (uint32_t stream = 0; stream < trace.stream_rows.size(); ++stream) {
    Lanes lanes(&job, TrackKind::kStream, stream);
    for (const uint32_t row : trace.stream_rows[stream]) {
      const uint64_t track = lanes.Begin(gpu.start_ns[row], gpu.end_ns(row));
      file.BeginSlice(track, job.Time(gpu.start_ns[row]), CategoryOf(gpu.kind[row]), gpu.name[row]);
      AnnotateId(file, Key::kCorrelation, gpu.correlation[row]);
      AnnotateId(file, Key::kExternalId, gpu.external_id[row]);
      if (const model::LaunchConfig* config = trace.Launch(row)) AnnotateLaunch(file, *config);
      if (const model::CopyDetail* detail = trace.Copy(row)) AnnotateCopy(file, *detail);
      if (const auto it = collectives.find(row); it != collectives.end()) AnnotateCollective(file, *it->second);
      if (gpu.call[row] != kNone) file.Flow(FlowOf(row), true);
      file.End();
      ++job.written.event_count;
    }
    lanes.Finish();
  }
  // Sorted by start; longer ones first, so that ranges nest.
  std::vector<const model::GpuAnnotation*> ranges;
  for (const model::GpuAnnotation& row : trace.gpu_annotations) ranges.push_back(&row);
  std::stable_sort(ranges.begin(), ranges.end(), [](const auto* a, const auto* b) {
    if (a->stream != b->stream) return a->stream < b->stream;
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->dur_ns > b->dur_ns;
  });
  for (size_t first = 0; first < ranges.size();) {
    Lanes lanes(&job, TrackKind::kGpuAnnotation, ranges[first]->stream);
    size_t row = first;
    for (; row < ranges.size() && ranges[row]->stream == ranges[first]->stream; ++row) {
      const uint64_t track = lanes.Begin(ranges[row]->start_ns, ranges[row]->start_ns + ranges[row]->dur_ns);
      file.BeginSlice(track, job.Time(ranges[row]->start_ns), Category::kGpuAnnotation, ranges[row]->name);
      file.End();
      ++job.written.event_count;
    }
    lanes.Finish();
    first = row;
  }
}

}  // namespace warpscope::exporting::perfetto

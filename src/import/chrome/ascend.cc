// Ascend: trace_view.json of torch_npu and msprof_*.json of msprof. Layers are processes with made-up pids, told by
// their names: "Python" (operators, enqueue and dequeue), "CANN" (API calls of the real threads), "Ascend Hardware"
// (one thread a stream), "Communication" or "HCCL" (collectives by group, and below them their parts by plane),
// "Overlap Analysis" (sums of a viewer), and counters. Sources: the writers of msprof (timeline assemblers) and of
// torch_npu (TraceEventManager); see docs/formats/chrome.md.
#include <algorithm>
#include <cctype>
#include <string>

#include "import/chrome/dialect.h"

namespace warpscope::import::chrome {
namespace {

using kineto::ExtraRow;
using model::CopyKind;
using model::GpuKind;
using model::HostKind;
using model::kNoId;
using model::kNone;

constexpr std::string_view kHardware = "Ascend Hardware";
bool IsHardware(const Lane& lane) { return StartsWith(lane.process, kHardware); }
bool IsCann(const Lane& lane) { return lane.process == "CANN"; }
bool IsCommunication(const Lane& lane) { return lane.process == "Communication" || lane.process == "HCCL"; }
bool IsViewer(const Lane& lane) { return lane.process == "Overlap Analysis"; }

// Made-up pids end in 5 bits that number the device; 31 stands for the host (msprof's and torch_npu's pid format).
int64_t DeviceOf(const Lane& lane) {
  constexpr int64_t kHost = 31;
  const int64_t id = lane.pid == kineto::kNoNumber ? 0 : lane.pid & 31;
  return id == kHost ? 0 : id;
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

enum class Task : uint8_t { kKernel, kCopy, kMemset, kMark };

// Tasks of a stream that compute nothing: it waits, tells others, or serves the recorder.
Task TaskOf(std::string_view type, std::string_view name) {
  const std::string upper = Upper(type.empty() ? name : type);
  for (const std::string_view word :
       {"WAIT", "RECORD", "NOTIFY", "PLACE_HOLDER", "PROFILING", "BARRIER", "MAINTENANCE", "EVENT", "MODEL_UPDATE",
        "STREAM_SWITCH", "STREAM_ACTIVE", "LABEL", "FLIP", "NOP"}) {
    if (Contains(upper, word)) return Task::kMark;
  }
  for (const std::string_view word : {"MEMCPY", "SDMA", "PCIE_DMA", "MEM_COPY"}) {
    if (Contains(upper, word)) return Task::kCopy;
  }
  if (Contains(upper, "MEMSET") || Contains(upper, "MEM_SET")) return Task::kMemset;
  return Task::kKernel;
}

void PlaceHardware(Document* document, const Lane& lane) {
  const model::Trace& trace = document->trace();
  const uint32_t device = document->Device(DeviceOf(lane), "");
  const uint32_t stream = document->Stream(device, lane.tid == kineto::kNoNumber ? 0 : lane.tid, lane.thread);
  for (const uint32_t row : document->RowsOf(lane)) {
    const ExtraRow* extra = document->Extra({false, row});
    const std::string_view type = extra == nullptr ? std::string_view() : trace.Text(extra->task_type);
    switch (TaskOf(type, trace.HostName(row))) {
      case Task::kMark: document->MoveToAnnotation(row, stream); break;
      case Task::kKernel: document->MoveToDevice(row, GpuKind::kKernel, stream); break;
      case Task::kMemset: document->MoveToDevice(row, GpuKind::kMemset, stream, document->Copy({})); break;
      case Task::kCopy: {
        model::CopyDetail detail;  // the task does not tell its direction
        if (extra != nullptr && extra->bytes != kNoId) detail.bytes = extra->bytes;
        document->MoveToDevice(row, GpuKind::kCopy, stream, document->Copy(detail));
      }
    }
  }
}

// "hcom_allReduce__631_0_1" -> "allReduce".
std::string_view CollectiveName(std::string_view name) {
  for (const std::string_view prefix : {"hcom_", "Hcom", "hccl_"}) {
    if (StartsWith(name, prefix)) name.remove_prefix(prefix.size());
  }
  return name.substr(0, name.find("__"));
}

// "Group 7390 Communication" -> "7390".
std::string_view GroupName(std::string_view thread) {
  if (StartsWith(thread, "Group ")) thread.remove_prefix(6);
  const size_t end = thread.find("Communication");
  thread = thread.substr(0, end);
  while (!thread.empty() && thread.back() == ' ') thread.remove_suffix(1);
  return thread;
}

// Collectives stand on a track of their group; what they consist of (copies between ranks, notifications) stands below
// on tracks of planes, and again among the tasks of the hardware.
void PlaceCommunication(Document* document, const Lane& lane) {
  constexpr int64_t kFirstNumber = 1000000;  // apart from the numbers of hardware streams
  model::Trace& trace = document->trace();
  const uint32_t device = document->Device(DeviceOf(lane), "");
  const uint32_t stream =
      document->Stream(device, kFirstNumber + (lane.tid == kineto::kNoNumber ? 0 : lane.tid), lane.thread);
  const bool is_part = StartsWith(lane.thread, "Plane");
  const std::string_view group = GroupName(lane.thread);
  for (const uint32_t row : document->RowsOf(lane)) {
    if (is_part) {
      document->MoveToAnnotation(row, stream);
      continue;
    }
    const ExtraRow* extra = document->Extra({false, row});
    model::Collective collective;
    collective.gpu_row = document->MoveToDevice(row, GpuKind::kKernel, stream);
    // What follows "__" numbers the single call.
    const std::string name(trace.HostName(row));
    trace.gpu.name[collective.gpu_row] = trace.strings.Intern(name.substr(0, name.find("__")));
    collective.name = trace.strings.Intern(CollectiveName(trace.HostName(row)));
    if (!group.empty()) collective.group_name = trace.strings.Intern(group);
    if (extra != nullptr) {
      collective.dtype = extra->dtype;
      if (extra->elements != kNoId) collective.in_elements = extra->elements;
    }
    document->AddCollective(collective);
  }
}

// The calls belong to the real threads, which the framework's rows name under another made-up pid.
void PlaceCann(Document* document, const Lane& lane) {
  model::HostTable& host = document->trace().host;
  uint32_t thread = kNone;
  for (const Lane& other : document->lanes()) {
    if (other.process == "Python" && other.tid == lane.tid && other.row != kNone) thread = other.row;
  }
  for (const uint32_t row : document->RowsOf(lane)) {
    host.kind[row] = HostKind::kRuntimeCall;
    if (thread != kNone) host.thread[row] = thread;
  }
}

// "Enqueue" puts a call into the queue of another thread, "Dequeue" runs it there.
void PlacePython(Document* document, const Lane& lane) {
  model::Trace& trace = document->trace();
  for (const uint32_t row : document->RowsOf(lane)) {
    if (trace.host.kind[row] == HostKind::kAnnotation && StartsWith(trace.HostName(row), "Enqueue"))
      trace.host.kind[row] = HostKind::kRuntimeCall;
  }
}

void LinkByFlows(Document* document) {
  document->VisitFlows("HostToDevice", [&](RowRef from, RowRef to) {
    if (!from.is_gpu && to.is_gpu) document->Link(from.row, to.row);
  });
  document->VisitFlows("async_npu", [&](RowRef from, RowRef to) {
    if (!from.is_gpu && to.is_gpu) document->LinkOperator(from.row, to);
  });
}

// Level 0 and copies come without flows; the number of the connection stands on both sides.
void LinkByConnection(Document* document, const std::vector<std::pair<uint32_t, uint64_t>>& device_rows) {
  model::Trace& trace = document->trace();
  std::unordered_map<uint64_t, uint32_t> call_of;
  for (auto row = static_cast<uint32_t>(document->host_begin()); row < document->host_end(); ++row) {
    const ExtraRow* extra = document->Extra({false, row});
    if (extra == nullptr || extra->connection == kNoId || trace.host.kind[row] != HostKind::kRuntimeCall) continue;
    const auto [it, fresh] = call_of.try_emplace(extra->connection, row);
    if (!fresh && StartsWith(trace.HostName(row), "Node@launch")) it->second = row;
  }
  for (const auto& [gpu_row, connection] : device_rows) {
    if (trace.gpu.correlation[gpu_row] != kNoId) continue;
    const auto call = call_of.find(connection);
    if (call != call_of.end()) document->Link(call->second, gpu_row);
  }
}

// The operator that a call was made for is told only by way of the device row.
void LinkCallsToOperators(Document* document) {
  model::Trace& trace = document->trace();
  std::unordered_map<uint64_t, uint64_t> external_of;
  for (size_t row = document->gpu_begin(); row < trace.gpu.size(); ++row) {
    if (trace.gpu.correlation[row] != kNoId && trace.gpu.external_id[row] != kNoId)
      external_of.try_emplace(trace.gpu.correlation[row], trace.gpu.external_id[row]);
  }
  for (size_t row = document->host_begin(); row < document->host_end(); ++row) {
    if (trace.host.kind[row] != HostKind::kRuntimeCall || trace.host.external_id[row] != kNoId) continue;
    const auto found = external_of.find(trace.host.correlation[row]);
    if (found != external_of.end()) trace.host.external_id[row] = found->second;
  }
}

bool Speaks(const Signs& signs) {
  return std::any_of(signs.lanes.begin(), signs.lanes.end(),
                     [](const Lane& lane) { return IsHardware(lane) || IsCann(lane); });
}

void Apply(Document* document) {
  model::Trace& trace = document->trace();
  std::vector<std::pair<uint32_t, uint64_t>> device_rows;
  for (const Lane& lane : document->lanes()) {
    const size_t before = trace.gpu.size();
    if (IsHardware(lane)) PlaceHardware(document, lane);
    else if (IsCommunication(lane)) PlaceCommunication(document, lane);
    else if (IsCann(lane)) PlaceCann(document, lane);
    else if (IsViewer(lane)) {
      for (const uint32_t row : document->RowsOf(lane)) document->Drop(row);
    } else if (lane.process == "Python") PlacePython(document, lane);
    if (trace.gpu.size() == before) continue;
    for (const uint32_t row : document->RowsOf(lane)) {
      const uint32_t moved = document->MovedTo(row);
      if (moved == kNone) continue;
      const ExtraRow* extra = document->Extra({false, row});
      if (extra != nullptr && extra->connection != kNoId) device_rows.emplace_back(moved, extra->connection);
    }
  }
  LinkByFlows(document);
  LinkByConnection(document, device_rows);
  LinkCallsToOperators(document);
  model::Source& source = document->source();
  source.vendor = model::Vendor::kHuawei;
  source.producer = document->HasProcess("Python") ? "torch_npu profiler (msprof)" : "msprof";
  source.format = "ascend";
}

}  // namespace

extern const Dialect kAscend;
const Dialect kAscend = {"ascend", &Speaks, &Apply};

}  // namespace warpscope::import::chrome

// Intel unitrace (pti-gpu): host rows and device rows both carry known categories (cpu_op, gpu_op); the device's
// process is "DEVICE<host>domain:bus:device.function #n", its threads "Thread 77 L0 Engine<0,0>" or "... CL
// Queue<0x..>". A call and what it issued share a flow of category Flow_H2D_<id>_<rank> (OpenCL: CL_Flow_...). Source:
// the writer's chromelogger.h.
#include <algorithm>
#include <cctype>

#include "import/chrome/dialect.h"
#include "import/kineto/category.h"

namespace warpscope::import::chrome {
namespace {

using model::GpuKind;
using model::HostKind;
using model::kNone;

bool IsDevice(const Lane& lane) { return Contains(lane.process, "DEVICE<"); }
bool IsHost(const Lane& lane) { return Contains(lane.process, "HOST<"); }

bool Speaks(const Signs& signs) {
  return std::any_of(signs.lanes.begin(), signs.lanes.end(),
                     [](const Lane& lane) { return IsDevice(lane) || IsHost(lane); });
}

// zeX, zesX, clX: Level Zero and OpenCL calls; urX, piX: SYCL's runtime below the language.
bool IsCall(std::string_view name) {
  for (const std::string_view prefix : {"ze", "zes", "zet", "cl", "ur", "pi"}) {
    if (StartsWith(name, prefix) && name.size() > prefix.size() &&
        std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0) {
      return true;
    }
  }
  return false;
}

// "zeCommandListAppendMemoryCopy(M2D)[4096 bytes]": M is host memory, D the device, S shared between them.
model::CopyDetail CopyOf(std::string_view name) {
  model::CopyDetail detail;
  const size_t open = name.find('(');
  if (open != std::string_view::npos && name.size() > open + 4 && name[open + 2] == '2') {
    const char from = name[open + 1], to = name[open + 3];
    const auto memory = [](char c) {
      if (c == 'D') return model::MemoryKind::kDevice;
      if (c == 'S') return model::MemoryKind::kManaged;
      return c == 'H' ? model::MemoryKind::kPinned : model::MemoryKind::kUnknown;
    };
    const auto is_host = [](char c) { return c == 'M' || c == 'H'; };
    detail.src = memory(from), detail.dst = memory(to);
    if (is_host(from) && to == 'D') detail.kind = model::CopyKind::kHostToDevice;
    if (from == 'D' && is_host(to)) detail.kind = model::CopyKind::kDeviceToHost;
    if (from == 'D' && to == 'D') detail.kind = model::CopyKind::kDeviceToDevice;
    if (is_host(from) && is_host(to)) detail.kind = model::CopyKind::kHostToHost;
  }
  const size_t bracket = name.find('[');
  if (bracket != std::string_view::npos && Contains(name.substr(bracket), " bytes")) {
    uint64_t bytes = 0;
    size_t at = bracket + 1;
    for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && at - bracket < 16; ++at)
      bytes = bytes * 10 + static_cast<uint64_t>(name[at] - '0');
    if (at > bracket + 1 && name[at] == ' ') detail.bytes = bytes;
  }
  return detail;
}

// "... #2" or "... #0.1": root device, and tile of it.
int64_t DeviceNumber(std::string_view process) {
  const size_t hash = process.rfind('#');
  if (hash == std::string_view::npos) return 0;
  const std::string_view text = process.substr(hash + 1);
  const size_t dot = text.find('.');
  const int64_t root = NumberAtEnd(text.substr(0, dot)).value_or(0);
  return dot == std::string_view::npos ? root : root * 100 + NumberAtEnd(text.substr(dot + 1)).value_or(0);
}

const Lane* LaneOf(const Document& document, int64_t pid, int64_t tid) {
  const Lane* of_process = nullptr;
  for (const Lane& lane : document.lanes()) {
    if (lane.pid != pid) continue;
    if (lane.tid == tid && !lane.thread.empty()) return &lane;
    if (of_process == nullptr) of_process = &lane;
  }
  return of_process;
}

void NameDevices(Document* document) {
  model::Trace& trace = document->trace();
  for (const Document::FileStream& stream : document->file_streams()) {
    const Lane* lane = LaneOf(*document, stream.pid, stream.number);
    if (lane == nullptr || !IsDevice(*lane)) continue;
    trace.streams[stream.row].device = document->Device(DeviceNumber(lane->process), "");
    if (!lane->thread.empty()) trace.streams[stream.row].name = trace.strings.Intern(lane->thread);
  }
}

void KindOfRows(Document* document) {
  model::Trace& trace = document->trace();
  for (size_t row = document->gpu_begin(); row < trace.gpu.size(); ++row) {
    const std::string_view name = trace.GpuName(static_cast<uint32_t>(row));
    const GpuKind kind = KindByName(name);
    if (kind == GpuKind::kKernel || trace.gpu.kind[row] != GpuKind::kKernel) continue;
    trace.gpu.kind[row] = kind;
    trace.gpu.detail[row] = document->Copy(CopyOf(name));
  }
  for (size_t row = document->host_begin(); row < document->host_end(); ++row) {
    if (IsCall(trace.HostName(static_cast<uint32_t>(row)))) trace.host.kind[row] = HostKind::kRuntimeCall;
    else if (trace.host.kind[row] == HostKind::kOperator) trace.host.kind[row] = HostKind::kAnnotation;
  }
}

void Apply(Document* document) {
  NameDevices(document);
  KindOfRows(document);
  for (const std::string_view kind : {"Flow_H2D", "CL_Flow_H2D"}) {
    document->VisitFlows(kind, [&](RowRef from, RowRef to) {
      if (!from.is_gpu && to.is_gpu) document->Link(from.row, to.row);
    });
  }
  model::Source& source = document->source();
  source.vendor = model::Vendor::kIntel;
  source.producer = "Intel unitrace";
  source.format = "unitrace";
  for (const Lane& lane : document->lanes()) {
    if (!IsHost(lane) || !StartsWith(lane.process, "RANK ")) continue;
    source.rank = NumberAtEnd(lane.process.substr(0, lane.process.find(" HOST<")));
  }
}

}  // namespace

extern const Dialect kUnitrace;
const Dialect kUnitrace = {"unitrace", &Speaks, &Apply};

}  // namespace warpscope::import::chrome

// TensorFlow and JAX: <host>.trace.json.gz. Processes are "/device:GPU:0", "/device:TPU:0", "/host:CPU"; threads of a
// device are its streams ("Stream #14(Compute)") and lines that a viewer derived from them ("XLA Ops", "XLA Modules",
// "Steps", "Framework Ops" ...). Details stand in one text: "regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1
// block:128,1,1 occ_pct:100", "kind_src:pageable kind_dst:device size:4096 dest:0 async:1". Sources: XLA's
// xplane_schema and the exporter of the trace viewer; the texts: GpuTimelineEvent annotations.
#include <algorithm>
#include <array>
#include <charconv>

#include "import/chrome/dialect.h"
#include "import/kineto/category.h"

namespace warpscope::import::chrome {
namespace {

using kineto::ExtraRow;
using model::GpuKind;
using model::HostKind;
using model::kNone;

bool IsDevice(const Lane& lane) { return StartsWith(lane.process, "/device:"); }
bool IsStream(const Lane& lane) { return StartsWith(lane.thread, "Stream #"); }

bool Speaks(const Signs& signs) {
  return std::any_of(signs.lanes.begin(), signs.lanes.end(),
                     [](const Lane& lane) { return IsDevice(lane) || StartsWith(lane.process, "/host:"); });
}

// The number behind "key:" in a text of such pairs; up to three behind each other, by commas.
bool Numbers(std::string_view text, std::string_view key, uint32_t* to, size_t count) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ' ' && text[at - 1] != '\n') continue;
    const char* p = text.data() + at + key.size();
    const char* const end = text.data() + text.size();
    bool any = false;
    for (size_t i = 0; i < count && p < end; ++i) {
      const auto [after, error] = std::from_chars(p, end, to[i]);
      if (error != std::errc()) break;
      any = true;
      p = after < end && *after == ',' ? after + 1 : end;
    }
    return any;
  }
  return false;
}

uint32_t LaunchOf(Document* document, std::string_view text) {
  model::LaunchConfig config;
  uint32_t value = 0, other = 0;
  if (Numbers(text, "regs:", &value, 1) && value > 0) config.registers_per_thread = value;
  if (Numbers(text, "static_shared:", &value, 1) && Numbers(text, "dynamic_shared:", &other, 1) &&
      uint64_t{value} + other <= UINT32_MAX) {
    config.shared_bytes = value + other;
  }
  if (Numbers(text, "occ_pct:", &value, 1) && value <= 100) config.recorded_occupancy_pct = value;
  Numbers(text, "grid:", config.grid, 3);
  Numbers(text, "block:", config.block, 3);
  return config == model::LaunchConfig() ? kNone : document->Launch(config);
}

// "key:word".
std::string_view Word(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find_first_of(" \n"));
}

model::MemoryKind MemoryOf(std::string_view word) {
  if (word == "pageable") return model::MemoryKind::kPageable;
  if (word == "pinned") return model::MemoryKind::kPinned;
  if (word == "device") return model::MemoryKind::kDevice;
  if (word == "array") return model::MemoryKind::kArray;
  return word == "managed" ? model::MemoryKind::kManaged : model::MemoryKind::kUnknown;
}

// "MemcpyH2D", "MemcpyD2H", "MemcpyD2D", "MemcpyP2P" ...
model::CopyKind CopyKindOf(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, model::CopyKind>, 5> kKinds = {{
      {"H2D", model::CopyKind::kHostToDevice},
      {"D2H", model::CopyKind::kDeviceToHost},
      {"D2D", model::CopyKind::kDeviceToDevice},
      {"P2P", model::CopyKind::kPeerToPeer},
      {"H2H", model::CopyKind::kHostToHost},
  }};
  for (const auto& [word, kind] : kKinds) {
    if (Contains(name, word)) return kind;
  }
  return model::CopyKind::kUnknown;
}

uint32_t CopyOf(Document* document, std::string_view name, std::string_view text) {
  model::CopyDetail detail;
  detail.kind = CopyKindOf(name);
  detail.src = MemoryOf(Word(text, "kind_src:"));
  detail.dst = MemoryOf(Word(text, "kind_dst:"));
  const std::string_view size = Word(text, "size:");
  uint64_t bytes = 0;
  if (std::from_chars(size.data(), size.data() + size.size(), bytes).ec == std::errc() && bytes < uint64_t{1} << 50)
    detail.bytes = bytes;
  return document->Copy(detail);
}

void PlaceDevice(Document* document, const Lane& lane, bool is_work) {
  model::Trace& trace = document->trace();
  const int64_t id = NumberAtEnd(lane.process.substr(0, lane.process.find_first_of(" ("))).value_or(0);
  const uint32_t device = document->Device(id, "");
  const uint32_t stream = document->Stream(device, lane.tid == kineto::kNoNumber ? 0 : lane.tid, lane.thread);
  for (const uint32_t row : document->RowsOf(lane)) {
    if (!is_work) {
      document->MoveToAnnotation(row, stream);
      continue;
    }
    const std::string_view name = trace.HostName(row);
    const ExtraRow* extra = document->Extra({false, row});
    const std::string text(extra == nullptr ? std::string_view() : trace.Text(extra->details));
    const GpuKind kind = KindByName(name);
    const uint32_t detail = kind == GpuKind::kKernel ? LaunchOf(document, text) : CopyOf(document, name, text);
    const uint32_t moved = document->MoveToDevice(row, kind, stream, detail);
    if (extra != nullptr) trace.gpu.correlation[moved] = extra->connection;
  }
}

// Steps of JAX and Keras ("train 12") stand on the host; device rows without streams are those of a TPU.
void Apply(Document* document) {
  std::map<std::string_view, bool> has_streams;
  for (const Lane& lane : document->lanes()) {
    if (IsDevice(lane)) has_streams[lane.process] = has_streams[lane.process] || (IsStream(lane) && lane.row != kNone);
  }
  for (const Lane& lane : document->lanes()) {
    if (!IsDevice(lane)) continue;
    const bool is_work = has_streams[lane.process] ? IsStream(lane) : lane.thread == "XLA Ops";
    PlaceDevice(document, lane, is_work);
  }
  document->VisitFlows("", [&](RowRef from, RowRef to) {
    const model::Trace& trace = document->trace();
    if (from.is_gpu || !to.is_gpu || trace.gpu.correlation[to.row] != model::kNoId) return;
    const HostKind kind = trace.host.kind[from.row];
    if (kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall) document->Link(from.row, to.row);
  });
  model::Source& source = document->source();
  const bool is_amd = std::any_of(document->lanes().begin(), document->lanes().end(),
                                  [](const Lane& lane) { return Contains(lane.labels, "AMD"); });
  source.vendor = is_amd ? model::Vendor::kAmd : model::Vendor::kUnknown;
  source.producer = "TensorFlow or JAX profiler";
  source.format = "tensorflow";
}

}  // namespace

extern const Dialect kTensorflow;
const Dialect kTensorflow = {"tensorflow", &Speaks, &Apply};

}  // namespace warpscope::import::chrome

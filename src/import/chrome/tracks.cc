// Chrome traces of tools that are not known: tracks are told by their names, and only where a name leaves no doubt.
// What is not told so stays on the host; a browser's "GPU Process" is a process like any other.
#include <algorithm>
#include <cctype>
#include <string>

#include "import/chrome/dialect.h"
#include "import/kineto/category.h"

namespace warpscope::import::chrome {
namespace {

using model::GpuKind;
using model::kNone;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// What follows one of the words, if the text begins with it.
bool TakeWord(std::string_view* text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (!StartsWith(*text, word)) continue;
    text->remove_prefix(word.size());
    return true;
  }
  return false;
}

bool IsNumber(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '#' || text.front() == ':' || text.front() == '_'))
    text.remove_prefix(1);
  text = text.substr(0, text.find_first_of(" (["));
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "GPU 0", "CUDA device 1", "NPU:3", "Xe 0": a device and its number.
bool IsDeviceProcess(std::string_view name) {
  const std::string lower = Lower(name);
  std::string_view text = lower;
  const bool maker = TakeWord(&text, {"cuda ", "hip ", "amd ", "nvidia ", "intel "});
  if (TakeWord(&text, {"gpu", "npu", "xpu", "tpu", "xe"}))
    return text.empty() ? lower == "gpu" || maker : IsNumber(text);
  return maker && TakeWord(&text, {"device", "hw"}) && (text.empty() || IsNumber(text));
}

// "CUDA stream 7", "HIP stream 0", "GPU stream 2", "Level Zero queue 0".
bool IsStreamThread(std::string_view name) {
  const std::string lower = Lower(name);
  std::string_view text = lower;
  return TakeWord(&text, {"cuda ", "hip ", "gpu ", "opencl ", "level zero ", "sycl "}) &&
         TakeWord(&text, {"stream", "queue", "command queue"}) && (text.empty() || IsNumber(text));
}

bool IsDevice(const Lane& lane) { return IsDeviceProcess(lane.process) || IsStreamThread(lane.thread); }

bool Speaks(const Signs& signs) { return !signs.has_header && !signs.has_device_rows; }

int64_t DeviceNumber(const Lane& lane) {
  if (!IsDeviceProcess(lane.process)) return 0;
  const std::string_view name = lane.process.substr(0, lane.process.find_first_of("(["));
  return NumberAtEnd(name).value_or(0);
}

void Place(Document* document, const Lane& lane) {
  const model::Trace& trace = document->trace();
  const uint32_t device = document->Device(DeviceNumber(lane), "");
  const uint32_t stream = document->Stream(device, lane.tid == kineto::kNoNumber ? 0 : lane.tid, lane.thread);
  for (const uint32_t row : document->RowsOf(lane)) {
    const std::string_view name = trace.HostName(row);
    const GpuKind kind = KindByName(name);
    document->MoveToDevice(
        row, kind, stream,
        kind == GpuKind::kKernel ? kNone : document->Copy(kineto::ParseCopyName(name, kind == GpuKind::kMemset)));
  }
}

void Apply(Document* document) {
  const model::Trace& trace = document->trace();
  bool any = false;
  for (const Lane& lane : document->lanes()) {
    if (lane.row == kNone || !IsDevice(lane)) continue;
    any = true;
    Place(document, lane);
  }
  const auto known = [&](size_t row) { return trace.host.kind[row] != model::HostKind::kAnnotation; };
  bool kineto = false;
  for (size_t row = document->host_begin(); row < document->host_end(); ++row) kineto = kineto || known(row);
  if (kineto && !any) return;  // a recording of torch.profiler without device work
  if (any) {
    document->VisitFlows("", [&](RowRef from, RowRef to) {
      if (from.is_gpu || !to.is_gpu) return;
      model::HostTable& host = document->trace().host;
      if (host.kind[from.row] == model::HostKind::kAnnotation) host.kind[from.row] = model::HostKind::kRuntimeCall;
      document->Link(from.row, to.row);
    });
  }
  document->source().vendor = model::Vendor::kUnknown;
  document->source().producer = "chrome trace events";
  document->source().format = "chrome";
}

}  // namespace

extern const Dialect kTracks;
const Dialect kTracks = {"tracks", &Speaks, &Apply};

}  // namespace warpscope::import::chrome

#include "export/csv/words.h"

#include <array>

namespace warpscope::exporting::csv {
namespace {

template <typename Kind, size_t count>
std::string_view Word(const std::array<std::string_view, count>& words, Kind kind) {
  const auto at = static_cast<size_t>(kind);
  return at < count ? words[at] : "unknown";
}

}  // namespace

std::string_view WordOf(model::HostKind kind) {
  return Word<model::HostKind, 8>(
      {"annotation", "python", "native", "operator", "runtime_call", "driver_call", "os_call", "overhead"}, kind);
}
std::string_view WordOf(model::GpuKind kind) {
  return Word<model::GpuKind, 4>({"kernel", "copy", "memset", "graph"}, kind);
}
std::string_view WordOf(model::CopyKind kind) {
  return Word<model::CopyKind, 6>(
      {"unknown", "host_to_device", "device_to_host", "device_to_device", "host_to_host", "peer_to_peer"}, kind);
}
std::string_view WordOf(model::MemoryKind kind) {
  return Word<model::MemoryKind, 6>({"unknown", "pageable", "pinned", "device", "managed", "array"}, kind);
}
std::string_view WordOf(model::SyncKind kind) {
  return Word<model::SyncKind, 5>({"unknown", "stream", "event", "context", "stream_wait_event"}, kind);
}
std::string_view WordOf(model::Vendor vendor) {
  return Word<model::Vendor, 5>({"unknown", "nvidia", "amd", "intel", "huawei"}, vendor);
}
std::string_view WordOf(model::SummaryKind kind) {
  return Word<model::SummaryKind, 8>(
      {"kernel", "copy", "operator", "api_call", "collective", "annotation", "os_call", "step_part"}, kind);
}
std::string_view WordOf(model::AdviceKind kind) {
  return Word<model::AdviceKind, 5>({"ok", "note", "warning", "error", "optimization"}, kind);
}

}  // namespace warpscope::exporting::csv

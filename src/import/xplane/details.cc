#include "import/xplane/details.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace warpscope::import::xplane {
namespace {

// Bounds of every CUDA and HIP device: registers a thread (CUDA 255, CDNA 512), bytes a block.
constexpr uint64_t kMaxRegisters = 1024;
constexpr uint64_t kMaxSharedBytes = uint64_t{1} << 20;

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // "occ_pct:98.4" counts as 98.
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// Calls visit(key, value) for each "key:value".
template <typename Visit>
void ForEachPair(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    const size_t colon = word.find(':');
    if (colon != std::string_view::npos) visit(word.substr(0, colon), word.substr(colon + 1));
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
}

void ReadTriple(std::string_view text, uint32_t (&to)[3]) {
  uint32_t values[3] = {0, 0, 0};
  for (uint32_t& value : values) {
    const size_t comma = text.find(',');
    const auto number = Number(text.substr(0, comma));
    if (!number || *number > UINT32_MAX) return;
    value = static_cast<uint32_t>(*number);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::copy(std::begin(values), std::end(values), std::begin(to));
}

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

model::MemoryKind MemoryOf(std::string_view word) {
  using model::MemoryKind;
  if (word == "pageable") return MemoryKind::kPageable;
  if (word == "pinned") return MemoryKind::kPinned;
  if (Has(word, "device")) return MemoryKind::kDevice;
  if (Has(word, "managed")) return MemoryKind::kManaged;
  if (word == "array") return MemoryKind::kArray;
  return MemoryKind::kUnknown;
}

model::CopyKind KindOf(std::string_view name) {
  using model::CopyKind;
  struct Word {
    std::string_view text;
    CopyKind kind;
  };
  static constexpr Word kWords[] = {
      {"H2D", CopyKind::kHostToDevice},
      {"HtoD", CopyKind::kHostToDevice},
      {"HostToDevice", CopyKind::kHostToDevice},
      {"D2H", CopyKind::kDeviceToHost},
      {"DtoH", CopyKind::kDeviceToHost},
      {"DeviceToHost", CopyKind::kDeviceToHost},
      {"D2D", CopyKind::kDeviceToDevice},
      {"DtoD", CopyKind::kDeviceToDevice},
      {"DeviceToDevice", CopyKind::kDeviceToDevice},
      {"P2P", CopyKind::kPeerToPeer},
      {"PtoP", CopyKind::kPeerToPeer},
      {"PeerToPeer", CopyKind::kPeerToPeer},
      {"H2H", CopyKind::kHostToHost},
      {"HtoH", CopyKind::kHostToHost},
      {"HostToHost", CopyKind::kHostToHost},
  };
  for (const Word& word : kWords) {
    if (Has(name, word.text)) return word.kind;
  }
  return CopyKind::kUnknown;
}

}  // namespace

model::LaunchConfig ParseKernelDetails(std::string_view text, bool* implausible) {
  model::LaunchConfig config;
  std::optional<uint64_t> registers, static_bytes, dynamic_bytes, occupancy;
  ForEachPair(text, [&](std::string_view key, std::string_view value) {
    if (key == "regs") registers = Number(value);
    if (key == "static_shared") static_bytes = Number(value);
    if (key == "dynamic_shared") dynamic_bytes = Number(value);
    if (key == "occ_pct") occupancy = Number(value);
    if (key == "grid") ReadTriple(value, config.grid);
    if (key == "block") ReadTriple(value, config.block);
  });
  *implausible = registers.value_or(0) > kMaxRegisters || static_bytes.value_or(0) > kMaxSharedBytes ||
                 dynamic_bytes.value_or(0) > kMaxSharedBytes;
  if (*implausible) return config;
  if (registers.value_or(0) > 0) config.registers_per_thread = static_cast<uint32_t>(*registers);
  if (static_bytes || dynamic_bytes)
    config.shared_bytes = static_cast<uint32_t>(static_bytes.value_or(0) + dynamic_bytes.value_or(0));
  // 0 stands for "not computed".
  if (occupancy.value_or(0) > 0 && *occupancy <= 100) config.recorded_occupancy_pct = static_cast<uint32_t>(*occupancy);
  return config;
}

bool IsCopyName(std::string_view name) {
  return name.substr(0, 6) == "Memcpy" || (name.substr(0, 4) == "Copy" && KindOf(name) != model::CopyKind::kUnknown);
}

bool IsMemsetName(std::string_view name) {
  return name.substr(0, 6) == "Memset" || name.substr(0, 6) == "MemSet" || name == "FillBuffer";
}

model::CopyDetail ParseCopyDetails(std::string_view name, std::string_view details) {
  using model::CopyKind;
  using model::MemoryKind;
  model::CopyDetail detail;
  detail.kind = KindOf(name);
  ForEachPair(details, [&](std::string_view key, std::string_view value) {
    if (key == "kind_src") detail.src = MemoryOf(value);
    if (key == "kind_dst") detail.dst = MemoryOf(value);
    if (key == "size") detail.bytes = Number(value);
  });
  const bool to_device = detail.kind == CopyKind::kHostToDevice, to_host = detail.kind == CopyKind::kDeviceToHost;
  if (detail.kind == CopyKind::kDeviceToDevice || detail.kind == CopyKind::kPeerToPeer) {
    if (detail.src == MemoryKind::kUnknown) detail.src = MemoryKind::kDevice;
    if (detail.dst == MemoryKind::kUnknown) detail.dst = MemoryKind::kDevice;
  }
  if (to_device && detail.dst == MemoryKind::kUnknown) detail.dst = MemoryKind::kDevice;
  if (to_host && detail.src == MemoryKind::kUnknown) detail.src = MemoryKind::kDevice;
  return detail;
}

}  // namespace warpscope::import::xplane

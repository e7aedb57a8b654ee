#include "import/amd/names.h"

#include <algorithm>
#include <cctype>

#include "import/csv/csv_reader.h"

namespace warpscope::import::amd {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string_view KernelName(std::string_view name) {
  for (const std::string_view end : {" [clone .kd]", ".kd"}) {
    if (EndsWith(name, end) && name.size() > end.size()) name.remove_suffix(end.size());
  }
  return name;
}

void SetShape(model::LaunchConfig* config, const std::array<uint64_t, 3>& work_items,
              const std::array<uint64_t, 3>& workgroup) {
  for (size_t i = 0; i < 3; ++i) {
    if (work_items[i] == 0 || workgroup[i] == 0 || workgroup[i] > UINT32_MAX) return;
  }
  for (size_t i = 0; i < 3; ++i) {
    const uint64_t groups = (work_items[i] - 1) / workgroup[i] + 1;
    config->grid[i] = static_cast<uint32_t>(std::min<uint64_t>(groups, UINT32_MAX));
    config->block[i] = static_cast<uint32_t>(workgroup[i]);
  }
}

model::CopyKind CopyKindOf(std::string_view direction) {
  const std::string text = Lower(direction);
  const auto any = [&](std::string_view a, std::string_view b, std::string_view c) {
    return Has(text, a) || Has(text, b) || Has(text, c);
  };
  if (any("host_to_device", "hosttodevice", "htod")) return model::CopyKind::kHostToDevice;
  if (any("device_to_host", "devicetohost", "dtoh")) return model::CopyKind::kDeviceToHost;
  if (any("device_to_device", "devicetodevice", "dtod")) return model::CopyKind::kDeviceToDevice;
  if (any("host_to_host", "hosttohost", "htoh")) return model::CopyKind::kHostToHost;
  if (any("peer_to_peer", "peertopeer", "ptop")) return model::CopyKind::kPeerToPeer;
  return model::CopyKind::kUnknown;
}

std::string_view CopyName(model::CopyKind kind) {
  switch (kind) {
    case model::CopyKind::kHostToDevice: return "Memcpy HtoD";
    case model::CopyKind::kDeviceToHost: return "Memcpy DtoH";
    case model::CopyKind::kDeviceToDevice: return "Memcpy DtoD";
    case model::CopyKind::kHostToHost: return "Memcpy HtoH";
    case model::CopyKind::kPeerToPeer: return "Memcpy PtoP";
    case model::CopyKind::kUnknown: break;
  }
  return "Memcpy";
}

std::optional<AgentRef> ParseAgent(std::string_view text) {
  const size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  const auto id = ParseSigned(text.substr(digit));
  if (!id) return std::nullopt;
  return AgentRef{*id, text.substr(0, 3) == "CPU"};
}

std::string PartOf(std::string_view path, std::string_view table, std::string_view kind) {
  if (path.empty() || path == "-") return {};
  const size_t name = path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1;
  const size_t at = path.find(table, name);
  const std::string_view output = at == std::string_view::npos ? path : path.substr(0, at);
  return std::string(output) + "|" + std::string(kind);
}

std::optional<int> RankVariable(std::string_view variable) {
  constexpr std::string_view kVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",      "RANK",
                                             "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", "FLUX_TASK_RANK"};
  const auto* const found = std::find(std::begin(kVariables), std::end(kVariables), variable);
  if (found == std::end(kVariables)) return std::nullopt;
  return static_cast<int>(found - std::begin(kVariables));
}

}  // namespace warpscope::import::amd

// Collectives of one rank: what was transfer, what was waiting for the others.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {
namespace {

bool IsCollective(std::string_view kernel) {
  return kernel.find("nccl") != std::string_view::npos || kernel.find("rccl") != std::string_view::npos;
}

}  // namespace

void FindCollectives(Model& model) {
  const auto& trace = *model.trace;
  std::map<uint32_t, uint64_t> elements;  // gpu row -> size of the message
  for (const auto& collective : trace.collectives) {
    if (collective.gpu_row != model::kNone) elements[collective.gpu_row] = collective.in_elements.value_or(0);
  }
  using Kind = std::tuple<model::StringId, uint64_t>;
  const auto kind_of = [&](uint32_t row) -> std::optional<Kind> {
    const auto known = elements.find(row);
    if (known == elements.end() && !IsCollective(trace.GpuName(row))) return std::nullopt;
    return Kind{trace.gpu.name[row], known == elements.end() ? 0 : known->second};
  };
  // Of all ranks in the trace: the one that came last did not wait.
  std::map<Kind, int64_t> shortest;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    const auto kind = kind_of(row);
    if (!kind) continue;
    const auto [it, fresh] = shortest.try_emplace(*kind, trace.gpu.dur_ns[row]);
    if (!fresh) it->second = std::min(it->second, trace.gpu.dur_ns[row]);
  }
  if (shortest.empty()) return;
  for (uint32_t item = 0; item < model.graph.size(); ++item) {
    if (model.graph.kind[item] != ItemKind::kGpu || model.graph.row[item] == kNoItem) continue;
    const auto kind = kind_of(model.graph.row[item]);
    if (!kind) continue;
    const int64_t wait = model.structural.dur[item] - shortest[*kind];
    if (wait > 0) model.collective_waits.push_back({item, wait});
  }
}

}  // namespace warpscope::analysis::replay

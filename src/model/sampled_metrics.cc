#include "model/sampled_metrics.h"

#include <algorithm>

namespace warpscope::model {
namespace {

constexpr SampledQuantity kNoWeight = SampledQuantity::kCount;
constexpr SampledInfo kInfos[] = {
#define WS_SAMPLED(enumerator, id, names, weight, lane) {id, names, weight, lane},
#include "model/sampled_metrics.def"
#undef WS_SAMPLED
};

// "TPC.TriageCompute.sm__cycles_active_realtime.avg.pct..." -> "sm__cycles_active".
std::string_view BaseOf(std::string_view metric) {
  if (const size_t family = metric.find("Triage"); family != metric.npos) {
    const size_t dot = metric.find('.', family);
    if (dot != metric.npos) metric.remove_prefix(dot + 1);
  }
  metric = metric.substr(0, metric.find('.'));
  constexpr std::string_view kRealtime = "_realtime";
  if (metric.ends_with(kRealtime)) metric.remove_suffix(kRealtime.size());
  return metric;
}

}  // namespace

const SampledInfo& InfoOf(SampledQuantity quantity) { return kInfos[static_cast<size_t>(quantity)]; }

std::optional<SampledQuantity> SampledQuantityOf(std::string_view metric) {
  const std::string_view base = BaseOf(metric);
  for (size_t i = 0; i < kSampledQuantities; ++i) {
    for (std::string_view rest = kInfos[i].names; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find('|'));
      if (name == base) return static_cast<SampledQuantity>(i);
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
  return std::nullopt;
}

}  // namespace warpscope::model

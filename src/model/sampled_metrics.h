// The catalogue of quantities that sampled counters tell, under one name whatever the chip calls them. [MT] Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::model {

enum class SampledQuantity : uint8_t {
#define WS_SAMPLED(enumerator, id, names, weight, lane) enumerator,
#include "model/sampled_metrics.def"
#undef WS_SAMPLED
  kCount,
};
inline constexpr size_t kSampledQuantities = static_cast<size_t>(SampledQuantity::kCount);

struct SampledInfo {
  std::string_view id;     // "dram_read"
  std::string_view names;  // of metrics, parted by '|'
  SampledQuantity weight;  // of a ratio: what it is a share of; kCount: no ratio
  std::string_view lane;   // title; "" if it has none
};
const SampledInfo& InfoOf(SampledQuantity quantity);

// Of a metric's name as recorded; absent: none of ours.
std::optional<SampledQuantity> SampledQuantityOf(std::string_view metric);

}  // namespace warpscope::model

// RankPace: how long each rank's step would keep it busy if it waited for nobody, and which rank holds the others up.
// Arrival order alone does not tell: a recorder that slows one process more than another makes a rank late that is not.
// [MT] Pure functions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analysis/index.h"

namespace warpscope::rules {

// One kernel name on one rank. Clean: no communication ran beside it. A collective that waits for another rank spins
// and slows what runs beside it, so only clean durations compare ranks.
struct KernelWork {
  uint64_t count = 0, clean = 0;
  int64_t total_ns = 0, clean_ns = 0;
};

struct RankPace {
  uint32_t link_domain = 0;
  double steps = 1;
  double step_ms = 0;  // recorded
  std::map<model::StringId, KernelWork> kernels;
  double stall_ms = 0;  // stretches of at least kLongStallNs in which the host issues nothing, a step
};

inline constexpr int64_t kLongStallNs = 500'000;

// Two ranks have one number: the files come from different runs, which must not be compared with each other.
bool RankNumbersRepeat(const analysis::Index& index);

// Every rank with device work, in the order of Index::ranks(). Empty if rank numbers repeat.
std::vector<RankPace> RankPaces(const analysis::Index& index);

struct Straggler {
  uint32_t link_domain = 0;
  double excess_ms = 0;  // a step, over the median of the other ranks
  double step_ms = 0;
  bool by_compute = false;  // else: its host stands still
};
// The rank whose compute or stalls exceed the others' by most, if by at least 5 % of its step; absent if none does.
std::optional<Straggler> FindStraggler(const std::vector<RankPace>& paces);

}  // namespace warpscope::rules

// Whether a sample of "warps active" can be true. On some H200 the counter tpc__warps_active_shader_cs_realtime counts
// down from some level (CUPTI 13.0.1): an idle device then has 75 or 100 % of its warps active. The recorder asks this to
// sample occupancy another way, the reader to leave such values out. [MT] Pure.
#pragma once

#include <cstdint>

namespace warpscope::wire {

// Shares of the peak over the time that elapsed, in percent. Their edges differ by a part of a sample; one warp is at
// least 1 / 64 of the most that an SM holds.
constexpr bool WarpsContradictSms(double sm_active_pct, double warps_active_pct) {
  constexpr double kSlackPct = 5, kOneWarpPct = 100.0 / 64, kActivePct = 99;
  return warps_active_pct > sm_active_pct + kSlackPct ||
         (sm_active_pct > kActivePct && warps_active_pct < kOneWarpPct / 2);
}

// Single samples may be torn; a counter that lies does so all the time.
constexpr bool WarpsLie(uint64_t contradicting, uint64_t samples) {
  constexpr uint64_t kFewest = 3, kShare = 100;  // one in a hundred
  return contradicting >= kFewest && contradicting * kShare >= samples;
}

}  // namespace warpscope::wire

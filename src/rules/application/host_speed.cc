#include "rules/application/host_speed.h"

#include <algorithm>

namespace warpscope::rules {
namespace {

constexpr double kQuickLaunchNs = 5'000;
constexpr size_t kMinLaunches = 20;
constexpr double kNotable = 1.2;

}  // namespace

double HostSpeedUnit(const Context& c) {
  std::vector<int64_t> calls;
  for (const uint32_t thread : c.rank.issuing_threads) {
    const auto rows = c.trace.thread_rows[thread];
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (c.InWindow(row) && c.index.is_call(row) && c.index.call_kind(row) == analysis::CallKind::kLaunch) {
        calls.push_back(c.trace.host.dur_ns[row]);
      }
    }
  }
  if (calls.size() < kMinLaunches) return 1;
  const auto quartile = calls.begin() + static_cast<long>(calls.size() / 4);
  std::nth_element(calls.begin(), quartile, calls.end());
  return std::max(1.0, static_cast<double>(*quartile) / kQuickLaunchNs);
}

void SpeedUpHost(const Context& c, double factor, analysis::WhatIf& change) {
  if (factor < kNotable) return;
  for (const uint32_t thread : c.rank.issuing_threads) change.ScaleHost(thread, c.begin_ns, c.end_ns, 1 / factor);
}

}  // namespace warpscope::rules

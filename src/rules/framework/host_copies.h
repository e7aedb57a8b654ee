// Copies between host and device in the counted steps, as the copy rules share them out among themselves.
// [MT] Pure functions.
//
// Each copy belongs to one rule, by what limits it:
// - kSmall: the fixed cost of a copy (call, staging, a wait) outweighs its transfer; 64 KiB is the size up to which the
//   runtime stages a pageable upload and returns at once (CUDA API synchronization behavior).
// - kLarge: the transfer itself takes the time.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/copies.h"
#include "analysis/interval_set.h"
#include "rules/context.h"

namespace warpscope::rules {

inline constexpr uint64_t kSmallCopyBytes = 64 * 1024;
// Where no size was recorded: a small copy's transfer is over in this time on any link since PCIe 3.
inline constexpr int64_t kSmallCopyNs = 8'000;

struct HostCopy {
  uint32_t row;              // gpu row
  model::CopyKind kind;      // host to device or device to host
  model::MemoryKind memory;  // of the host side
  std::optional<uint64_t> bytes;
  bool small;
  analysis::CopyBlocking blocking;
};

// Host copies of the window in start order. Copies inside a graph (no call of their own) are left out.
std::vector<HostCopy> HostCopies(const Context& context);

// Part of a device row in which no kernel runs on the same device set. `kernels` = union of kernels in the window.
int64_t AloneNs(const Context& context, uint32_t gpu_row, const analysis::IntervalSet& kernels);
analysis::IntervalSet KernelIntervals(const Context& context);

// Bytes per second that a pinned copy in this direction reaches: the best copy of >= 1 MiB seen in this recording,
// else 0.85 of the link that machines with this device have (PCIe generation by compute capability; measured on an
// H200: 55 of 63 GB/s). `seen` tells which.
struct LinkRate {
  double bytes_per_s;
  bool seen;
};
LinkRate PinnedRate(const Context& context, const std::vector<HostCopy>& copies, model::CopyKind kind);

// A duration times a factor; ends at a century, so that no recorded number overflows.
int64_t Scaled(int64_t ns, double factor);

// How long the copy takes from or to pinned memory; never longer than recorded.
int64_t PinnedNs(const Context& context, const HostCopy& copy, const LinkRate& rate);

// The copies of one caller ("train.py(12): step"), most time first.
struct CopyGroup {
  std::string caller;
  uint64_t count = 0, bytes = 0;
  int64_t total_ns = 0;
  uint32_t first_row = model::kNone;
};
std::vector<CopyGroup> GroupByCaller(const Context& context, const std::vector<HostCopy>& copies);

}  // namespace warpscope::rules

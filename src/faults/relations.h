// Which fault follows from which: driver and hardware report one failure many times, and only the first tells its
// cause. [MT] Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "faults/burst.h"
#include "faults/pci_tree.h"

namespace warpscope::faults {

// How near to the cause a fault is: lower explains higher. Faults of one rank never explain each other.
int RankOf(const Entry& entry, int code);

// For each burst the one that it follows from, if any. No circles: a leader's rank is always lower.
std::vector<std::optional<size_t>> FindLeaders(const std::vector<Burst>& bursts, const PciTree& pci);

}  // namespace warpscope::faults

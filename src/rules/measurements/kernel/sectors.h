// Sectors of global memory that a kernel moves, and those that it would need with its accesses side by side.
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string>

#include "rules/measurements/kernel/cause.h"

namespace warpscope::rules {

inline constexpr double kSectorBytes = 32;

// Sectors moved, and those that the accessed bytes would need side by side.
struct Sectors {
  double moved = 0, needed = 0;
  double loads_needed = 0, stores_needed = 0;  // 0 if not told apart
  bool is_guess = false;                       // the width of the accesses is not known
  std::string how;
};

// By the bytes used of each sector, else by counts at the source lines, else by sectors a request (a guess); absent
// without any of them.
std::optional<Sectors> SectorsOf(const KernelCase& kernel);

// Twice the needed sectors are moved: the triage guide's threshold, the same as 16 of a sector's 32 bytes.
bool IsScattered(const Sectors& sectors);

}  // namespace warpscope::rules

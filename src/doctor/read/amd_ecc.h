// AmdEcc: amd-smi's counts of errors. Its totals add up every block of the chip (memory, caches, copy engines, links),
// and "cache" is what is left of them without the memory controllers (UMC): amdsmi_commands.py of ROCm. The memory's
// own count is that of UMC; errors elsewhere are told by their block. [one thread] For one file.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "doctor/machine.h"

namespace warpscope::doctor::read {

class AmdEcc {
 public:
  // `path` in small letters: "ecc.total_correctable_count", "ecc_blocks.sdma.uncorrectable_count". False, and nothing
  // done, for others. `device` tells the devices of the file apart; the counts go to the last look of `gpu`.
  bool Take(size_t device, const std::string& path, double count, Gpu& gpu);

 private:
  struct Counts {
    std::optional<double> total, outside, memory;
  };
  struct Device {
    Counts corrected, uncorrected;
    std::map<std::string, double> blocks;  // uncorrected, without the memory
  };
  std::map<size_t, Device> devices_;
};

}  // namespace warpscope::doctor::read

// Which devices a program sees, and under which numbers: CUDA numbers those of CUDA_VISIBLE_DEVICES from 0, the
// driver's management library all of the machine. [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/nvml.h"

namespace warpscope::record {

struct VisibleDevice {
  unsigned index = 0;  // row of the management library
  int number = 0;      // as CUDA counts
};

// `wanted`: CUDA_VISIBLE_DEVICES, absent if it is not set. As CUDA does, a word that names no device ends the list.
// Parts of a split device (MIG) cannot be told apart here: then all devices count as they stand.
std::vector<VisibleDevice> VisibleDevices(const std::vector<device::GpuFacts>& gpus,
                                          const std::optional<std::string>& wanted);

// CUDA puts the fastest device first unless CUDA_DEVICE_ORDER is PCI_BUS_ID; with devices of several models the numbers
// are then not those of the management library.
bool NumbersMayDiffer(const std::vector<device::GpuFacts>& gpus, const std::optional<std::string>& order);

}  // namespace warpscope::record

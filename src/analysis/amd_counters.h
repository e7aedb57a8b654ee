// AmdCounters: counters of AMD's tools (rocprof, rocprofv3, rocprof-compute) under the meanings that causes and tables
// share with NVIDIA's. A meaning is set only where a counter, or a formula of the tool's own documentation, says the
// same in the same unit; the rest stays absent, so that causes abstain.
// Sources: rocprof-compute's analysis configs (panels 2, 6, 7, 11, 12, 16 and 17; gfx90a, gfx942) and its "Performance
// model" pages; "MI300 and MI200 Series performance counters and metrics" of ROCm's documentation; the roofline's
// traffic of roofline_calc.py. Instances of a counter are added up, as importers do.
// [MT] after construction; holds a reference to the trace.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/counters.h"
#include "model/trace.h"

namespace warpscope::analysis {

class AmdCounters {
 public:
  explicit AmdCounters(const model::Trace& trace);
  // REQUIRES: the profile's source is AMD's.
  void Fill(const model::KernelProfile& profile, KernelCounters* counters) const;

 private:
  struct Fact {
    uint32_t device;
    double value;
  };
  const model::Device* DeviceOf(const model::KernelProfile& profile) const;
  // What the folder says of the device: its own value, else the only one that there is.
  std::optional<double> DeviceFact(std::string_view name, uint32_t device) const;

  const model::Trace& trace_;
  std::unordered_map<model::StringId, std::vector<size_t>> wanted_;  // metric -> rows of kCounters
  std::unordered_map<std::string_view, std::vector<Fact>> facts_;
};

// The counters that tell it in ROCm's tools: "SQ_LDS_IDX_ACTIVE"; "" if none does.
std::string_view RocmName(Counter counter);
// The same for what a cause misses, by the name of counters.def.
std::string_view RocmNameOfMissing(std::string_view nvidia_name);

// Whether the counter that a cause asks for by that name is set.
bool HasRocm(const KernelCounters& counters, std::string_view nvidia_name);

// Waves that fit a compute unit of CDNA 2 and later, by what its registers and LDS hold. Other devices: nothing is set.
void FillAmdOccupancy(const model::Device& device, const model::LaunchConfig& config, KernelCounters* counters);

}  // namespace warpscope::analysis

// What AMD's profilers share: names of kernels, agents and copy directions, launch shapes, files of one output.
// [MT] Pure functions.
// Sources: rocprofiler-sdk's generateCSV.cpp and domain_type.cpp, rocprofiler's tblextr.py (github.com/ROCm).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/trace.h"

namespace warpscope::import::amd {

// "vecCopy(double*) [clone .kd]" and "vecCopy.kd" -> without the suffix of the kernel descriptor.
std::string_view KernelName(std::string_view name);

// Grids are recorded in work-items (HSA); the model counts workgroups. A size of 0 leaves the shape unknown. A partial
// last workgroup counts as one.
void SetShape(model::LaunchConfig* config, const std::array<uint64_t, 3>& work_items,
              const std::array<uint64_t, 3>& workgroup);

// "MEMORY_COPY_HOST_TO_DEVICE", "CopyHostToDevice", "hipMemcpyHostToDevice", "HtoD".
model::CopyKind CopyKindOf(std::string_view direction);
// "Memcpy HtoD", as Kineto names them, so that copies of every source read alike.
std::string_view CopyName(model::CopyKind kind);

// "4", "Agent 4", "GPU 0", "CPU-0".
struct AgentRef {
  int64_t id = 0;
  bool is_cpu = false;  // the text says so
};
std::optional<AgentRef> ParseAgent(std::string_view text);

// The output that a file belongs to: its folder and its name before `table` ("out/12_kernel_trace.csv" with
// "kernel_trace" -> "out/12_"). Ends in `kind`, so that outputs of different tools in one folder stay apart. "" for
// data that has no file.
std::string PartOf(std::string_view path, std::string_view table, std::string_view kind);

// Where copies go that are recorded without a stream: engines of their own.
inline constexpr int64_t kCopyEngineStream = -2;

// The rank that a launcher told the process in its environment. `variable`: "RANK", "OMPI_COMM_WORLD_RANK" ...; lower
// is surer.
std::optional<int> RankVariable(std::string_view variable);

}  // namespace warpscope::import::amd

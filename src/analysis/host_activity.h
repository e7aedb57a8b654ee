// What a moment of host time was spent on, as a reason for the device to wait: one cause for every host row.
// [MT] Values; HostActivities is immutable once built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace warpscope::analysis {

class Index;

enum class GapCause : uint8_t {
  kDataLoading,  // the training loop waits for its input
  kPython,       // Python code between operators
  kOperator,     // an operator that computes on the CPU
  kSyncWait,     // inside a blocking call whose work is done: wake-up
  kCopyCall,     // inside a copy call: staging of pageable memory
  kLaunchCall,   // inside launch calls
  kDispatch,     // operator code around launches, and short unrecorded spaces between them
  kAllocation,   // cudaMalloc, cudaFree, cudaHostAlloc ...
  kCompilation,  // dynamo, inductor, triton, module loading, graph capture and instantiation
  kFileIo,
  kGarbageCollect,
  kHostWait,       // sleep, lock, condition, select
  kCommunication,  // host side of a collective
  kProfiler,       // the recorder itself
  kLaunchLatency,  // issued, not started yet, nothing to wait for
  kDependency,     // issued long before: waits for another stream, an event or another device
  kUnrecorded,     // no host row covers it, or only an annotation that says nothing
  kCount,
};
inline constexpr size_t kGapCauses = static_cast<size_t>(GapCause::kCount);
std::string_view GapCauseName(GapCause cause);  // "data loading" ...

struct HostActivity {
  GapCause cause;
  uint32_t row;  // the row that decided it (an ancestor for data loading); kNone: nothing did
};

// The activity of every host row's own time (what is left when its children are taken out). A phase such as data
// loading, compilation or file access covers all that happens inside it; else the innermost row that means something
// decides. Operators that issue device work are dispatch; those that issue none and last over kCpuOperatorNs compute
// on the CPU; convolutions that spend over kPlanningNs outside of their children search for an algorithm or build a
// plan (compilation). Built in one pass over the rows, parents first.
class HostActivities {
 public:
  static constexpr int64_t kCpuOperatorNs = 50'000;
  static constexpr int64_t kPlanningNs = 2'000'000;

  void Build(const Index& index);
  HostActivity Of(uint32_t host_row) const { return {causes_[host_row], rows_[host_row]}; }

 private:
  std::vector<GapCause> causes_;
  std::vector<uint32_t> rows_;
};

}  // namespace warpscope::analysis

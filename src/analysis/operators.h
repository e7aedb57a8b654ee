// Host work with the device work it caused: by operator, annotation, module and Python source line.
// [MT] Pure functions. Rows that start in the window count whole.
// Attribution follows torch.profiler (torch/autograd/profiler_util.py): device work belongs to the operator in which
// its call was made (correlation id, else External id); "self" is launched directly in the row, "total" adds what its
// children of the same kind of tree launched. Host self time is duration minus the recorded children (calls included).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

// Sums over equal names. Times in ns.
struct HostTimeRow {
  model::StringId name = model::kNoString;
  model::StringId input_dims = model::kNoString;  // only when grouped by shape
  model::StringId input_types = model::kNoString;
  uint64_t calls = 0;
  int64_t host_total_ns = 0, host_self_ns = 0;
  int64_t device_total_ns = 0, device_self_ns = 0;
  uint64_t kernels_total = 0, kernels_self = 0;  // device rows of any kind
  // Allocated minus freed while it ran; absent if the trace has no memory events.
  std::optional<int64_t> device_memory_total_bytes, device_memory_self_bytes;
  std::optional<int64_t> host_memory_total_bytes, host_memory_self_bytes;
  // Annotations only: work that other threads of the process launched while the range was open (autograd threads in a
  // "backward" range). Not part of the totals.
  int64_t device_other_threads_ns = 0;
  uint32_t first_row = model::kNone;  // host row of the first call
  uint32_t longest_row = model::kNone;
};

struct OperatorOptions {
  bool by_shape = false;
};

// Operators. A name nested in itself counts its total once per recorded call, as torch's tables do; an operator that is
// the only child of one of the same name is taken as the same call, also as there.
std::vector<HostTimeRow> SummarizeOperators(const Index& index, const Scope& scope = {},
                                            const OperatorOptions& options = {});

// User annotations and NVTX ranges; device time = work launched while one was open on the launching thread, counted
// once per range; self = without what belongs to ranges inside it.
std::vector<HostTimeRow> SummarizeAnnotations(const Index& index, const Scope& scope = {});

// nn.Module frames. Device work of backward operators is credited to the module whose forward operator made them
// (sequence number and forward thread): `backward_device_ns`, apart from the totals.
struct ModuleRow {
  model::StringId name = model::kNoString;  // "nn.Module: Linear_0"
  std::string path;                         // "Model_0 / Block_3 / Linear_0": enclosing modules
  uint64_t calls = 0;
  int64_t host_total_ns = 0, host_self_ns = 0;
  int64_t device_total_ns = 0, device_self_ns = 0;
  int64_t backward_device_ns = 0, backward_host_ns = 0;  // of its own and its inner modules' forward operators
  uint64_t kernels_total = 0;
  uint32_t first_row = model::kNone;
};
std::vector<ModuleRow> SummarizeModules(const Index& index, const Scope& scope = {});

// Innermost user Python frame (file, line as recorded, function).
struct SourceLineRow {
  model::StringId frame = model::kNoString;  // "train.py(12): step"
  uint64_t calls = 0;
  int64_t host_total_ns = 0;       // while the frame was open
  int64_t host_self_ns = 0;        // while it was the innermost user frame
  int64_t device_self_ns = 0;      // launched while it was the innermost user frame
  int64_t backward_device_ns = 0;  // by the backward of forward operators it called
  uint64_t kernels_self = 0;
  uint32_t first_row = model::kNone;
};
std::vector<SourceLineRow> SummarizeSourceLines(const Index& index, const Scope& scope = {});
// All: most device total first (annotations, operators, modules) or device self (lines), then most host time, then
// name.

// Which forward operator a backward row belongs to; kNone if unknown. `host_row` may be any row under an autograd node.
// Several forward operators can carry one sequence number: the number is that of the next graph node, so the last
// operator that starts with it made the node.
class BackwardLinks {
 public:
  explicit BackwardLinks(const Index& index);
  uint32_t ForwardOf(uint32_t host_row) const;

 private:
  struct Forward {
    uint32_t thread;
    uint64_t sequence;
    uint32_t row;
  };
  struct ThreadNumber {
    uint32_t link_domain, number;  // as autograd operators name their forward thread
    uint32_t thread;               // row of threads
  };
  void FindThreads();

  const Index* index_;
  std::vector<Forward> forward_;       // sorted by (thread, sequence); one row each: the last to start
  std::vector<ThreadNumber> numbers_;  // sorted by (link_domain, number)
};

}  // namespace warpscope::analysis

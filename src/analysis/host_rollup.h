// HostRollup: device work and child time summed up along the tree of operators, annotations and calls (Python frames
// left out, as in torch's tables). Internal to the tables of operators, annotations, modules and source lines.
// [MT] Immutable once built. O(rows).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct HostRollup {
  HostRollup(const Index& index, const Scope& scope);

  bool InScope(const Index& index, uint32_t row) const;

  Scope scope;
  // By host row:
  std::vector<uint32_t> parent;      // nearest enclosing row that is no Python frame; kNone
  std::vector<int64_t> children_ns;  // durations of the rows whose parent this is
  std::vector<uint32_t> child_count;
  std::vector<int64_t> device_self_ns;  // device work issued here: on the nearest operator or annotation of its call
  std::vector<uint32_t> kernels_self;
  std::vector<int64_t> device_total_ns;  // with everything below in this tree
  std::vector<uint32_t> kernels_total;
};

// Allocator events of each thread as running sums, to answer "how much between two moments".
class MemorySums {
 public:
  explicit MemorySums(const model::Trace& trace);
  bool empty() const { return empty_; }
  struct Sum {
    int64_t device_bytes = 0, host_bytes = 0;
  };
  // Of one thread; of all threads with kNone. Both ends included.
  Sum Between(uint32_t thread, int64_t begin_ns, int64_t end_ns) const;

 private:
  struct Events {
    std::vector<int64_t> time_ns, device_bytes, host_bytes;  // sums up to and with each event
  };
  static Sum UpTo(const Events& events, size_t count);
  bool empty_ = true;
  std::vector<Events> by_thread_;
  Events all_;
};

}  // namespace warpscope::analysis

// Counters: what the metrics of one profiled launch say, under names that rules and tables use. Metric names differ by
// tool and version; counters.def lists those of NVIDIA's tools, amd_counters.cc derives the same from AMD's.
// [MT] after construction; holds a reference to the trace.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/trace.h"

namespace warpscope::analysis {

enum class Counter : uint8_t {
#define WS_COUNTER(enumerator, names) enumerator,
#include "analysis/counters.def"
#undef WS_COUNTER
  kCount,
};

// Why warps did not issue; the words of the metric names: "long_scoreboard", "math_pipe_throttle" ...
struct Stall {
  std::string_view reason;
  double share_pct = 0;         // of all cycles of warps between two issues, 0-100
  double cycles_per_issue = 0;  // of one warp; 0 if only samples are known
};

struct Pipe {
  std::string_view name;  // "fma", "tensor", "lsu"
  double pct = 0;         // of its peak while the SM was active
};

struct KernelCounters {
  std::array<std::optional<double>, static_cast<size_t>(Counter::kCount)> values;
  std::vector<Stall> stalls;  // largest share first; empty if none was recorded
  std::vector<Pipe> pipes;    // busiest first
  double lanes = 32;          // of a warp; AMD's waves: 64
  // Of AMD's tools: no waits by reason and no single pipes, other names.
  bool is_amd = false;
  // What of kDramPct's peak programs reach: a measured peak is one that was reached, a data sheet's is not.
  double dram_reach_ratio = 1;
  bool computes_by_matrix = false;  // AMD: kComputePct is that of the matrix units

  std::optional<double> operator[](Counter counter) const { return values[static_cast<size_t>(counter)]; }
  const Stall* FindStall(std::string_view reason) const;
  double StallPct(std::string_view reason) const;  // 0 if it is not among them
};

class AmdCounters;

class CounterReader {
 public:
  explicit CounterReader(const model::Trace& trace);
  ~CounterReader();
  KernelCounters Read(const model::KernelProfile& profile) const;

 private:
  enum class Role : uint8_t { kValue, kStall, kStallSample, kPipe };
  struct Meaning {
    Role role = Role::kValue;
    uint8_t index = 0;     // of the counter, the stall reason or the pipe
    uint8_t priority = 0;  // 0 is the best name
  };
  const model::Trace& trace_;
  std::unordered_map<model::StringId, std::vector<Meaning>> meanings_;
  std::unique_ptr<AmdCounters> amd_;  // null if no source is AMD's
};

// Metric's first name, for evidence: "smsp__issue_active.avg.per_cycle_active".
std::string_view CounterName(Counter counter);
// As the tool of these counters calls it: "SQ_LDS_BANK_CONFLICT".
std::string_view CounterName(Counter counter, const KernelCounters& counters);
// "waiting for data from global or local memory (long scoreboard)"
std::string_view StallText(std::string_view reason);

}  // namespace warpscope::analysis

// Stalls: why the warps of each kernel waited and at which source line, from PC samples (model/pc_samples.h).
// A sample is one look at one warp of one SM, every so many cycles while the SM has warps: the share of a kernel's
// samples with a reason is the share of its warps' time, and a kernel's share of all samples its share of the SMs'
// time. Near-linear in the rows. [MT] Pure functions; texts live as long as the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/counters.h"
#include "model/trace.h"

namespace warpscope::analysis {

struct StallCount {
  std::string_view reason;  // "long_scoreboard": the words of StallText()
  uint64_t samples = 0;
};

// A source line, or an instruction, of one kernel.
struct StallPlace {
  model::StringId file = model::kNoString;  // kNoString: the code carries no lines
  uint32_t line = 0;                        // 0: unknown
  uint64_t offset_bytes = 0;                // of the instruction; of a line: of its hottest one
  model::StringId sass = model::kNoString;  // of that instruction; kNoString: not disassembled
  uint64_t samples = 0;
  std::vector<StallCount> reasons;  // most samples first

  const StallCount* top_wait() const;  // null: it only issued
};

struct StalledKernel {
  model::StringId name = model::kNoString;
  uint64_t samples = 0;
  double share_pct = 0;                         // of all samples
  std::vector<StallCount> reasons;              // most samples first, then by name
  std::vector<StallPlace> lines, instructions;  // most samples first, then by place

  const StallCount* top_wait() const;
  uint64_t Samples(std::string_view reason) const;
  // The source line, or else the instruction, where most samples have this reason. Null: none has.
  const StallPlace* Hottest(std::string_view reason) const;
};

// Most samples first, then by name.
std::vector<StalledKernel> SummarizeStalls(const model::Trace& trace);

// As KernelCounters::stalls has them: shares of the warps' time, largest first; for kernels without counters.
std::vector<Stall> StallShares(const StalledKernel& kernel);

// How the samples of a trace were taken.
struct StallSampling {
  uint64_t samples = 0, dropped = 0, foreign = 0;
  uint32_t least_period_log2 = 0, most_period_log2 = 0;  // cycles of an SM between two of its samples
};
StallSampling SamplingOf(const model::Trace& trace);

// "long_scoreboard" of "smsp__pcsamp_warps_issue_stalled_long_scoreboard"; "" for what counts no reason, and for
// "..._not_issued", whose samples the reason's own count holds already.
std::string_view StallReason(std::string_view metric);

// Issuing, or ready with another warp chosen: no wait.
bool IsWait(std::string_view reason);

}  // namespace warpscope::analysis

// Context: what every rule reads about one rank, computed once.
// [MT] Immutable after Context::Build(). Holds references to the index and its trace: REQUIRES that they outlive the
// context. All rows and times are limited to the counted steps' window [begin_ns, end_ns).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/host_time.h"
#include "analysis/index.h"
#include "analysis/interval_set.h"
#include "analysis/replay/simulator.h"
#include "analysis/steps.h"
#include "analysis/window.h"
#include "model/trace.h"

namespace warpscope::rules {

struct MeasuredKernels;  // rules/kernel/counter_join.h

struct ThreadTime {
  uint32_t thread;
  std::vector<analysis::HostSpan> spans;  // partition of the window
};

class Context {
 public:
  struct Options {
    std::optional<double> true_step_ms;
    std::string file_argument = "FILE";
    std::optional<std::pair<size_t, size_t>> only{};  // these of the found steps: analysis::CountOnly
  };
  // REQUIRES: `rank` is one of index.ranks().
  static std::unique_ptr<Context> Build(const analysis::Index& index, const analysis::Rank& rank,
                                        const Options& options);

  const analysis::Index& index;
  const model::Trace& trace;
  const analysis::Rank& rank;
  std::string file;  // how queries name the input
  analysis::Steps steps;
  std::unique_ptr<analysis::Simulator> sim;  // null: see sim_reason
  std::string sim_reason;
  // What is not the program's own: waiting for other ranks, on the rank that these wait for. Taken out of every
  // predicted step, so that all speak of one.
  analysis::WhatIf baseline;
  double turns_per_step = 1;                       // found steps in the step whose time was given; 1 if none was
  int64_t begin_ns = 0, end_ns = 0;                // of the counted steps on the host
  int64_t device_begin_ns = 0, device_end_ns = 0;  // and on the device, which an asynchronous host runs ahead of

  std::vector<uint32_t> gpu_rows;                   // device rows of this rank in the window, by start
  std::vector<ThreadTime> host_time;                // of each issuing thread, most launches first
  std::vector<analysis::IssueGap> gaps;             // stretches without any device call
  uint32_t device = model::kNone;                   // device row with most work of this rank
  analysis::IntervalSet busy;                       // union of that device's work in the window
  std::shared_ptr<const MeasuredKernels> measured;  // kernels of a counter report beside the timeline; null without one

  // ---- Units.
  double step_count() const { return std::max(steps.equivalents(), 1.0); }
  // How many a step, to be told: what the ends of the window cut off, or let in, does not make 0.88 of one.
  double CountPerStep(double total) const;
  double PerStepMs(int64_t total_ns) const { return static_cast<double>(total_ns) / 1e6 / step_count(); }
  // Share of the recorded step, 0-100.
  double SharePct(int64_t total_ns) const;
  // Length of the counted steps, as the device saw them.
  int64_t window_ns() const { return device_end_ns - device_begin_ns; }
  double busy_pct() const { return SharePct(busy.length_ns()); }
  analysis::Scope scope() const { return {rank.link_domain, std::nullopt, {begin_ns, end_ns}}; }
  analysis::Scope device_scope() const { return {rank.link_domain, std::nullopt, {device_begin_ns, device_end_ns}}; }

  // ---- Rows.
  bool InWindow(uint32_t host_row) const {
    return trace.host.start_ns[host_row] >= begin_ns && trace.host.start_ns[host_row] < end_ns;
  }
  // Operator that launched a device row: innermost, or outermost of the nest; kNone without host rows.
  uint32_t OperatorOf(uint32_t gpu_row) const;
  uint32_t OutermostOperatorOf(uint32_t gpu_row) const;
  // Nearest enclosing row (itself included) for which `matches(row)`; kNone.
  template <typename F>
  uint32_t Enclosing(uint32_t host_row, const F& matches) const {
    for (uint32_t row = host_row; row != model::kNone; row = trace.host.parent[row]) {
      if (matches(row)) return row;
    }
    return model::kNone;
  }
  // "train.py(41): forward" of the innermost user frame around a host row; "" without Python rows.
  std::string UserFrame(uint32_t host_row) const;
  const model::Source& source() const;

  // ---- Prediction; absent if the steps cannot be simulated.
  // The step that gains refer to: without the recorder's cost, in the baseline.
  std::optional<double> base_step_ms() const;
  bool knows_recorder() const;
  std::optional<analysis::Prediction> Predict(const analysis::WhatIf& point, analysis::Side side,
                                              const analysis::WhatIf* low = nullptr,
                                              const analysis::WhatIf* high = nullptr) const;
  std::string Query(std::string_view command) const;  // "warpscope gaps FILE"

 private:
  Context(const analysis::Index& built, const analysis::Rank& of) : index(built), trace(built.trace()), rank(of) {}
};

}  // namespace warpscope::rules

// What-if simulation: rebuilds the dependency graph of the recorded steps and replays it with changes, so that a
// predicted gain is a difference of two simulated step times, never a share of recorded time.
// Method and sources: docs/whatif.md.
// [MT] A built Simulator is immutable; Predict() may be called from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/steps.h"
#include "base/status.h"
#include "model/trace.h"

namespace warpscope::analysis {

// A set of changes to the recorded program. Rows are rows of Trace::gpu or Trace::host; rows outside the simulated
// window are ignored. Later edits of one row win. Host spans are [start_ns, end_ns) of one thread; what lies partly
// inside is changed in proportion.
class WhatIf {
 public:
  // Device side.
  void RemoveGpu(uint32_t gpu_row);  // the work and the host cost of its own launch call
  void SetGpuDuration(uint32_t gpu_row, int64_t dur_ns);
  // Onto an extra stream `lane` (>= 0): waits only for its launch, for `lane`'s previous work and, if a copy, for the
  // copy before it in its direction, moved or not (one engine each); host waits for it go (its consumer is a step off).
  void MoveToLane(uint32_t gpu_row, uint32_t lane);
  // Rows that become one launch (CUDA graph, or fusion when `fused_dur_ns` is given): the first row's call stays with
  // cost `call_cost_ns`, the calls of the others and the host work between them vanish; the rows run back to back with
  // `node_gap_ns` between them, or as one item of `fused_dur_ns`.
  void MergeLaunches(std::vector<uint32_t> gpu_rows, int64_t call_cost_ns, int64_t node_gap_ns,
                     std::optional<int64_t> fused_dur_ns = std::nullopt);
  // Host side.
  void DropWait(uint32_t call_row);    // the call no longer waits for the device
  void RemoveCall(uint32_t call_row);  // the call, its wait and its cost
  void ScaleHost(uint32_t thread, int64_t start_ns, int64_t end_ns,
                 double ratio);  // host work only, not waits; 0 removes
  // The span's host work runs on a worker one step ahead; the step is then bounded by the worker's own time
  // (`workers` of them share the load).
  void OffloadHost(uint32_t thread, int64_t start_ns, int64_t end_ns, uint32_t workers = 1);
  // For causes that block or enter the driver: they often slow the host work around them too. Divides the host work of
  // the whole loop by how much slower this host was than usual (when over 1.2); share 0.5 goes half way. Use 0.5 for
  // the point and 1.0 for the hopeful version, none for the cautious one.
  void NormaliseHostSpeed(double share);
  // Union of both (for all findings together).
  void Add(const WhatIf& other);
  bool empty() const;

  struct Gpu {
    uint32_t row;
    enum Kind : uint8_t { kRemove, kDuration, kLane } kind;
    int64_t value;
  };
  struct Merge {
    std::vector<uint32_t> rows;
    int64_t call_cost_ns;
    int64_t node_gap_ns;
    std::optional<int64_t> fused_dur_ns;
  };
  struct Call {
    uint32_t row;
    enum Kind : uint8_t { kDropWait, kRemove } kind;
  };
  struct Host {
    uint32_t thread;
    int64_t start_ns, end_ns;
    enum Kind : uint8_t { kScale, kOffload } kind;
    double ratio;
    uint32_t workers;
  };
  std::vector<Gpu> gpu_edits;
  std::vector<Merge> merges;
  std::vector<Call> call_edits;
  std::vector<Host> host_edits;
  double host_speed_share = 0;
};

// A predicted step time with its honest interval. Percentages are of the step before: gain = 100 * (1 - after/before).
// Invariant: low_pct <= gain_pct <= high_pct.
struct Prediction {
  double step_ms_before = 0;  // base_step_ms() of the simulator
  double step_ms_after = 0;
  double gain_pct = 0, low_pct = 0, high_pct = 0;
};

// Where the change acts decides how far recorder dilation blurs it.
enum class Side : uint8_t { kGpu, kHost };

struct SimulatorOptions {
  std::optional<double> true_step_ms;  // the step time without a profiler, if the user knows it
  double least_step_ms = 0;            // what the busiest device works in a step: no correction makes a step shorter
  double most_step_ms = 0;             // the mean recorded step, if above 0: no recorder makes a step shorter either
  uint32_t link_domain = 0;            // which process/rank
};

// How well the model reproduces the recording with no change. Values of nothing are absent.
struct ModelError {
  double step_error_pct = 0;  // structural replay against recording, signed
  double kernel_start_error_p95_us = 0;
  std::optional<double> wait_error_pct;  // total recomputed wait against recorded
};

class Simulator {
 public:
  // Fails (kUnsupported, with the reason) if the window cannot be replayed: no device work, no host rows, or an error
  // over 10 % of the step.
  static Result<Simulator> Build(const model::Trace& trace, const Steps& steps, const SimulatorOptions& options);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  const ModelError& error() const;
  double recorded_step_ms() const;  // structural replay of the recording as it is
  double base_step_ms() const;  // the recorded step with the recorder's cost taken out, no less than least_step_ms and
                                // no more than most_step_ms (or true_step_ms)
  double dilation_ratio() const;  // the recorded step / base_step_ms
  // base_step_ms if the recorder cost half as much as is taken, and one and a half times as much; the same two times
  // where a given step tells the cost.
  std::pair<double, double> doubtful_base_steps_ms() const;
  const std::vector<std::string>& notes() const;  // sentences on assumptions made (targets guessed, cycles cut ...)

  // `low` and `high` default to `point`: a cautious and a hopeful version of the same change.
  Prediction Predict(const WhatIf& point, Side side, const WhatIf* low = nullptr, const WhatIf* high = nullptr) const;

  // Critical path of the unchanged base replay: its items in time order, whole window.
  struct PathItem {
    enum Kind : uint8_t { kHostGap, kHostCall, kHostWait, kGpu, kLaunchLatency } kind;
    uint32_t row;      // host row (calls), gpu row (gpu); kNone for gaps and latency
    uint32_t thread;   // host items: thread row; else kNone
    int64_t start_ns;  // recorded time of the item
    int64_t dur_ns;    // its share of the path
  };
  std::vector<PathItem> CriticalPath() const;

 private:
  struct Impl;
  explicit Simulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpscope::analysis

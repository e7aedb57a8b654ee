// Finding: one cause of lost time with its evidence, change and predicted gain; Verdict: all of them, ranked.
// The JSON fields of docs/schema/verdict.md mirror these names. [MT] Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/replay/simulator.h"
#include "model/ledger.h"

namespace warpscope::rules {

enum class Layer : uint8_t { kApplication, kFramework, kDriver, kKernel };
enum class Dimension : uint8_t { kCompute, kMemory, kLatency, kHardware };
enum class Confidence : uint8_t { kHigh, kMedium, kLow };

struct Evidence {
  std::string text;   // "1,800 kernels of 1.3 us (median) in 5 steps; the device is idle 91 % of the step"
  std::string query;  // the command that shows it: "warpscope launches FILE"
};

struct Action {
  std::string text;  // what to do, one sentence
  std::string code;  // the change itself (PyTorch or CUDA C++); "" if there is none
};

struct Finding {
  std::string id;  // "launch_bound"
  Layer layer = Layer::kFramework;
  Dimension dimension = Dimension::kLatency;
  std::string title;                // one line, plain words, with the number that matters
  std::string subject;              // kernel, operator, call or source line it is about; "" if the whole step
  std::optional<double> share_pct;  // of the step
  std::optional<analysis::Prediction> predicted;  // absent: the data carries no prediction
  bool upper_bound = false;  // predicted is what the change brings at best: it takes work to be avoidable
  std::optional<double>
      kernel_speedup;  // old time of the kernel over its new one; absent: not about one, or not promised
  std::optional<double> kernel_speedup_low, kernel_speedup_high;  // with kernel_speedup: its interval
  Confidence confidence = Confidence::kMedium;
  std::vector<Evidence> evidence;
  std::vector<Action> actions;
  std::string verify;        // how to see that the fix worked
  std::string once;          // the gain in words where it is had once, not in each step; "" otherwise
  bool urgent = false;       // ends the run if left alone: leads, whatever it costs in time (engine only, not shown)
  std::string caused_by;     // id of the finding that explains this one; "" if it stands alone
  std::string concept_text;  // for --explain: the idea behind it, for someone new to GPUs
  // For the engine, not shown: the change that was simulated, to predict all findings together.
  analysis::WhatIf change;
};

struct Abstention {
  std::string id;
  std::string reason;
  std::string record_instead;  // what to record so that the rule can judge
};

struct DeviceSummary {
  std::string name;  // "" if unknown
  int64_t id = 0;
  std::optional<double> busy_pct;  // of the counted steps' window
  std::optional<double> idle_ms_per_step;
};

// One part of a step's time, as recorded; the parts add up to the step.
struct TimePart {
  std::string name;   // stable word: "device_compute", "data_loading"
  std::string label;  // plain words: "GPU computes", "idle: CPU waits for input data"
  double ms = 0;      // a step
  double pct = 0;     // of the step
  bool busy = false;  // the device works during it
};

struct SourceSummary {
  std::string format, producer, version, path;
};

struct Verdict {
  std::string answer;  // one sentence, the first line of every output
  SourceSummary source;
  std::vector<DeviceSummary> devices;  // used ones
  uint32_t step_count = 0, warmup_excluded = 0;
  std::string step_source;  // "ProfilerStep annotations", ...
  std::optional<double> step_median_ms, step_p90_ms;
  // Recorded time that is not judged, where it is notable: start-up and warm-up; what follows the counted steps.
  std::optional<double> before_steps_ms, after_steps_ms;
  std::optional<double> base_step_ms;  // with the recorder's cost taken out, or as given
  bool knows_recorder = true;          // its cost is known; else base_step_ms is as recorded
  std::optional<double> device_busy_pct, device_idle_ms_per_step;
  std::vector<TimePart> breakdown;  // busy first, then idle by cause, largest first; empty without device work
  std::vector<Finding> findings;    // ranked; those with caused_by follow after the others
  std::optional<analysis::Prediction> together;  // all standing findings at once
  std::vector<Abstention> abstained;
  std::vector<model::LedgerEntry> ledger;
  std::vector<std::string> notes;  // assumptions, recorder dilation, model error
  // Commands that show more of such an input, where nothing was found.
  std::vector<std::string> further = {"kernels", "critical-path", "ops"};
};

}  // namespace warpscope::rules

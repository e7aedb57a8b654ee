// What recording cost the host, taken out of a model's weights. Device times are left alone: recorders move them by a
// few per cent at most.
// Constants: fitted on labelled recordings of known programs (H200, torch.profiler, CUPTI 13), each program left out of
// the fit that judged it; docs/whatif.md has the method and the errors.
// [MT] Pure functions.
#pragma once

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {

struct DilationCosts {
  double operator_us = 2.7;        // a recorded framework operator
  double shapes_us = 1.1;          // the same, more with record_shapes
  double memory_us = 0.6;          // the same, more with profile_memory
  double python_us = 0.9;          // a recorded Python frame
  double launch_us = 2.6;          // a recorded launch, copy or memset call (call and device record)
  double call_us = 0.15;           // any other recorded call
  double python_only_ratio = 1.0;  // slow-down of Python code that makes no rows, with stacks: time x (1 + ratio)
  double return_ratio = 0.6;       // share of the return time of a wait that is the program's own (assumed)
  double least_left_ratio = 0.25;  // no gap or call keeps less
  // How recorded host time follows the speed of the host during the recording. On the machine of the constants the
  // programs' own speed is known: what is left is divided by speed^host_speed_power. Elsewhere only the costs scale.
  double host_speed_power = 0.55;
  bool costs_follow_speed = false;
  bool spills = false;  // a launch costs more than its recorded call shows: the rest lies in the time before it
};

// `warpscope record`: CUPTI's records of the kernel and of its launch call, per launch. Measured on an H200
// (CUPTI 13.0), a storm of empty kernels with recording on against off in one process: 0.65 to 0.82 us
// (docs/performance.md). Used where the recording does not tell its own (Source::launch_cost_ns).
inline constexpr double kCaptureLaunchUs = 0.8;
inline constexpr double kCaptureCallUs = 0.6;  // any other recorded call

struct Correction {
  double lambda = 1.0;  // 0: as recorded; 1: the constants as they are
  double mu = 1.0;      // scales what is left of host gaps and calls
  double quiet = 1.0;   // scales long stretches without rows (files, sleep, other processes): runs differ in them
};

// Whether the trace comes from a recorder whose costs are known.
bool KnownRecorder(const model::Trace& trace);

DilationCosts CostsFor(const model::Trace& trace);

Weights Corrected(const Model& model, const DilationCosts& costs, const Correction& correction);

}  // namespace warpscope::analysis::replay

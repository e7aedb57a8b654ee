// What recording cost the host, taken out of a model's weights. Device times are left alone: recorders move them by a
// few per cent at most.
// Constants: measured under torch.profiler (CUPTI 13) on an H200 and fitted on labelled recordings of known programs;
// the table and the leave-one-out error are in docs/whatif.md. They scale with the host's speed.
// [MT] Pure functions.
#pragma once

#include "analysis/replay/build.h"

namespace warpscope::analysis::replay {

struct DilationCosts {             // us on a host of speed 1
  double operator_us = 3.5;        // a recorded framework operator
  double python_us = 2.0;          // a recorded Python frame
  double launch_us = 2.5;          // a recorded launch, copy or memset call (call and device record)
  double call_us = 0.15;           // any other recorded call
  double return_ratio = 0.6;       // share of the return time of a wait that is the program's own
  double least_left_ratio = 0.25;  // no gap or call keeps less
};

struct Correction {
  double lambda = 1.0;   // 0: as recorded; 1: the constants as they are
  double mu = 1.0;       // scales what is left of host gaps and calls
};

// Whether the trace comes from a recorder whose costs are known.
bool KnownRecorder(const model::Trace& trace);

DilationCosts CostsFor(const model::Trace& trace);

Weights Corrected(const Model& model, const DilationCosts& costs, const Correction& correction);

}  // namespace warpscope::analysis::replay

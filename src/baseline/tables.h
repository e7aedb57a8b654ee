// Baselines as tables and sentences. [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.h"
#include "view/table.h"

namespace warpscope::baseline {

// "3 runs, 31.2 ms a step (31.1 ms to 31.4 ms from run to run), 32.1 steps/s"
std::string Answer(const Baseline& baseline);
// What it lacks, and what to do.
std::vector<std::string> NotesOf(const Baseline& baseline);
// One row a run; the scenario, environment, kernels and findings of the run in the middle as sentences.
view::Table TableOf(const Baseline& baseline, const analysis::Words& words);

struct Listed {
  std::string name;
  std::optional<Baseline> baseline;
  std::string problem;  // why it could not be read
};
view::Table ListOf(const std::vector<Listed>& listed, const std::string& folder);

}  // namespace warpscope::baseline

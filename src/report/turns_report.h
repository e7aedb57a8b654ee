// Programs that were run in turns: `warpscope compare` and `warpscope try`. [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "view/turns_view.h"

namespace warpscope::report {

// One program of two: how it was called and what its runs took.
struct TurnsArm {
  std::string command;
  std::vector<double> runs_ms;  // the middle step, or the whole run
  std::vector<uint64_t> steps;  // that each run told; 0 for the whole run
};

struct TurnsInput {
  bool of_steps = false;  // times are steps; else whole processes
  TurnsArm a, b;
  double min_effect_pct = 1;
  std::string metric;              // that the steps were looked for by; ""
  bool metric_seen = false;        // some run printed it, not all
  std::string unread_steps;        // a sentence about lines of step times that could not be read; ""
  std::optional<bool> used_gpu;    // of A; absent where it could not be told
  std::vector<std::string> notes;  // what was seen around the runs
};

// "B is 3.2 % faster than A: 1.20 s -> 1.16 s a run (between 2.1 and 4.0 %, 5 runs each in turns)."
std::string TurnsAnswer(const analysis::Turns& turns, const TurnsInput& input, std::string_view arrow);
// The answer, the runs, notes.
std::string TurnsText(const analysis::Turns& turns, const TurnsInput& input, const Terminal& terminal);
// Schema warpscope.compare/1 (docs/schema/compare.md).
std::string CompareJson(const analysis::Turns& turns, const TurnsInput& input);

// One setting that was tried for a finding.
struct Trial {
  std::string finding, title;  // "" where the user named the setting
  std::string setting;         // "NAME=VALUE"
  std::string meaning;         // what it does, one sentence
  std::string caution;         // what else it changes; ""
  std::optional<double> predicted_pct;
  std::optional<analysis::Turns> turns;  // absent: not tried
  TurnsInput input;
  std::string skipped;  // why not tried
};
struct NoTrial {
  std::string finding, title, reason;
};
std::string TryText(const std::vector<Trial>& trials, const std::vector<NoTrial>& others, const Terminal& terminal);
// Schema warpscope.try/1 (docs/schema/compare.md).
std::string TryJson(const std::vector<Trial>& trials, const std::vector<NoTrial>& others);

}  // namespace warpscope::report

// What `warpscope loop` did and found, for people and programs. [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "view/gate_view.h"
#include "view/turns_view.h"
#include "view/verdict_view.h"
#include "view/verify.h"

namespace warpscope::report {

enum class StageState : uint8_t { kDone, kSkipped, kFailed };

struct LoopStage {
  std::string name;  // "health", "unprofiled", "record", "counters", "verdict", "baseline"
  StageState state = StageState::kDone;
  std::string detail;  // what came of it, or why not; one sentence without a full stop
};

struct LoopReport {
  std::string command;
  std::vector<LoopStage> stages;     // in their order
  bool of_steps = false;             // the program told its steps
  std::vector<double> runs_ms;       // unprofiled: the middle step of each run, or the run
  std::optional<double> true_ms;     // their middle
  std::vector<std::string> folders;  // recordings, then measured counters
  std::optional<rules::Verdict> verdict;
  // Against the baseline; absent the first time.
  std::string baseline, baseline_path;
  bool saved = false;
  std::optional<analysis::GateResult> gate;
  std::optional<rules::Verification> verification;
  std::optional<analysis::RunShift> unprofiled;  // baseline's times without recording to these
  double limit_pct = 2;
};

// One or two sentences: how it stands to the baseline, or what was found the first time.
std::string LoopAnswer(const LoopReport& report, std::string_view arrow);
// Answer, stages, what became of the findings. The verdict follows it (VerdictText).
std::string LoopText(const LoopReport& report, const Terminal& terminal);
// Schema warpscope.loop/1 (docs/schema/loop.md).
std::string LoopJson(const LoopReport& report);

}  // namespace warpscope::report

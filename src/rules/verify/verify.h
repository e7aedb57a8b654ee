// Verify: what became of a verdict's findings in a later recording of the changed program, and whether the gain came as
// predicted. [MT] Pure function of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/diff.h"
#include "analysis/diff/run_side.h"
#include "analysis/gate/judgement.h"
#include "base/status.h"
#include "model/trace.h"
#include "rules/engine.h"
#include "rules/finding.h"

namespace warpscope::rules {

enum class Fate : uint8_t {
  kFixed,      // the second verdict does not name the cause any more
  kGone,       // the same of a cause without a predicted gain: nothing says that its absence brings anything
  kLess,       // it does, but it would gain less than half of what it would have gained in the first
  kRemains,    // it does
  kNotJudged,  // the second recording does not carry what its rule needs
};
std::string_view FateText(Fate fate);  // "fixed"

struct VerifiedFinding {
  Finding before;
  Fate fate = Fate::kRemains;
  std::optional<double> gain_now_pct;  // that the second verdict predicts for the same cause
};

struct Verification {
  // False: they are refused, by the bar of `diff`; then nothing is told but why, and every finding is not judged.
  bool comparable = true;
  std::vector<analysis::Objection> objections;  // most weight first; of comparable runs, what is left to doubt
  // Middle steps as `diff` and `gate` judge them, without the recorder's cost where that is known; the verdicts' steps
  // where one was measured without a recorder. ms.
  double before_ms = 0, after_ms = 0;
  bool without_recorder = false;    // both are estimates from recordings; false: measured without one, or as recorded
  double recorder_at_most_pct = 0;  // of a step: what a recorder of unknown cost can have taken; 0 where it is known
  double measured_gain_pct = 0;     // 100 x (1 - after / before); negative: slower
  // The judgement that `diff` and `gate` have too, of these times: their noise is that of the recorded steps. Absent
  // without recorded steps of both.
  std::optional<analysis::RunShift> shift;
  std::optional<analysis::ChangeWord> word;
  bool few = false;                       // too few steps to know their spread
  std::vector<VerifiedFinding> findings;  // of the first verdict, in its order
  // Of all that are fixed or became less, made together in the first recording; absent if none is, or if none can be
  // replayed.
  std::optional<analysis::Prediction> predicted;
  // What became of the time, cause by cause; absent where a side kept no parts of its steps.
  std::optional<analysis::Diff> diff;
  std::optional<Finding> next;      // the second verdict's first
  std::vector<std::string> doubts;  // why the two may not be comparable: other device, few steps, another loop
};

// The parts of the recorded steps, of the rank that is judged; absent without a timeline.
std::optional<analysis::RunSide> RecordedSide(const model::Trace& trace, const AnalyzeOptions& options,
                                              analysis::Words* words);

// One side as a baseline keeps it: what was found, and the step times of each run.
struct VerifiedSide {
  Verdict verdict;
  std::vector<analysis::RecordedRun> runs;
  bool true_step = false;                 // the verdict's step was measured without a recorder
  std::optional<analysis::RunSide> side;  // of the run that the verdict is of
};

struct VerifyOptions {
  bool force = false;  // compare what is not comparable too
};

// The same without the recordings. Several fixed causes have no predicted gain together then: that takes the first
// recording. `words`: those of both sides' parts. kUnsupported as below.
Result<Verification> VerifySides(const VerifiedSide& before, const VerifiedSide& after, const analysis::Words& words,
                                 const VerifyOptions& options = {});

// `before` and `after`: options of each recording (true step times). kUnsupported, with the reason, if one of them has
// no steps to compare.
Result<Verification> Verify(const model::Trace& before, const AnalyzeOptions& before_options, const model::Trace& after,
                            const AnalyzeOptions& after_options, const VerifyOptions& options = {});

}  // namespace warpscope::rules

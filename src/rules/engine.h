// Engine: runs every rule on every rank, predicts, folds symptoms under causes, ranks, and writes the answer.
// [MT] Pure function of its inputs.
#pragma once

#include <optional>
#include <string>

#include "analysis/index.h"
#include "base/status.h"
#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

struct AnalyzeOptions {
  std::optional<double> true_step_ms;  // the step time without a profiler, if known
  std::optional<int64_t> rank;         // judge this rank only; default: the rank that holds the others up
  std::string file_argument = "FILE";  // how evidence queries name the input
};

// The rank asked for (REQUIRES: it is there); else the one that the others wait for; else the first. REQUIRES: there is
// one.
const analysis::Rank& RankToJudge(const analysis::Index& index, const AnalyzeOptions& options);

// Fails only if the trace holds nothing to judge (no device work and no host spans).
Result<Verdict> Analyze(const model::Trace& trace, const AnalyzeOptions& options = {});

}  // namespace warpscope::rules

// Baseline: runs of one program as they were when it was good, kept to compare later runs with
// (docs/formats/baseline.md). [MT] Values; functions that take Words add to them, which belong to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/diff/run_side.h"
#include "base/status.h"
#include "model/trace.h"
#include "rules/engine.h"

namespace warpscope::baseline {

// What a verdict said of one cause, short: enough to ask later what became of it.
struct KeptFinding {
  std::string id, subject, title;
  std::optional<double> gain_pct, low_pct, high_pct;
};

// A mean over the run: of a device's reading ("power_draw"), or of a sampled hardware counter.
struct KeptValue {
  std::string name, unit;
  double mean = 0;
};

struct Run {
  std::string source;  // last part of the recording's path
  analysis::RunSide side;
  std::optional<double> base_step_ms;         // without the recorder's cost, as the verdict estimates it
  std::vector<KeptFinding> findings;          // in the verdict's order
  std::vector<std::string> abstained;         // ids of rules that could not judge
  std::vector<KeptValue> readings, counters;  // sorted by name
};

// Times that were taken without recording, by `warpscope loop`.
struct Unprofiled {
  std::string of;                 // "step": as the program told; "process": its whole run
  std::vector<double> values_ms;  // one a repeat
};

struct Baseline {
  std::string name;
  int64_t saved_s = 0;                                    // seconds since 1970; 0: unknown
  std::vector<std::pair<std::string, std::string>> tags;  // the scenario: sorted by key, each once
  std::optional<double> items_per_step;                   // for the throughput: samples, tokens
  std::vector<Run> runs;                                  // 1 at least
  std::optional<Unprofiled> unprofiled;
};

inline constexpr size_t kMostRuns = 100;
inline constexpr uint64_t kMostFileBytes = 64u << 20;

// From a recording; `rank`: that one, else the one that the others wait for. The side is thinned (analysis::Thinning).
// kUnsupported without device work.
Result<Run> RunOf(const model::Trace& trace, const rules::AnalyzeOptions& options, analysis::Words* words);
// The side alone, to be compared with a baseline's: of as many steps, with every kernel.
Result<analysis::RunSide> SideForBaseline(const model::Trace& trace, std::optional<int64_t> rank,
                                          analysis::Words* words);
// The same of the rank to compare with `base`: the one that holds the others up where there is one and it does the work
// that `base` did (the ranks of one job may do different work); else the one of base's number.
Result<analysis::RunSide> SideLike(const analysis::RunSide& base, const model::Trace& trace, analysis::Words* words);

// Text of the file. The same baseline gives the same bytes.
std::string Write(const Baseline& baseline, const analysis::Words& words);
// `path` is for messages. kCorrupt names what is wrong; kUnsupported for a newer version.
Result<Baseline> Parse(std::string_view text, const std::string& path, analysis::Words* words);

// Whether a file's beginning is that of a baseline.
bool LooksLikeBaseline(std::string_view head);

// The run whose middle step is in the middle of all.
const Run& MiddleRun(const Baseline& baseline);

}  // namespace warpscope::baseline

// A word of the command line that may be a recording or a baseline: what it is, and what a comparison needs of it.
// [one thread]
#pragma once

#include <optional>
#include <string>

#include "analysis/gate/judgement.h"
#include "baseline/baseline.h"
#include "baseline/store.h"
#include "cli/args.h"
#include "cli/io.h"
#include "rules/finding.h"

namespace warpscope::cli {

// One order everywhere: "baseline:NAME"; a name that the store holds, though a file here is called so too (./NAME means
// the file); a baseline's file.
bool IsBaseline(const std::string& word, const baseline::Store& store);
// The file that LoadBaseline() reads: the store's for a name.
std::string BaselinePath(const std::string& word, const baseline::Store& store);
// Says in `io` which was taken where a file here has the name too.
Result<baseline::Baseline> LoadBaseline(const std::string& word, const baseline::Store& store, analysis::Words* words,
                                        Io* io);

// "baseline main (5 runs; the one in the middle)"
std::string LabelOf(const baseline::Baseline& baseline);

// What a run keeps of its verdict, as a verdict: enough for rules::VerifySides.
rules::Verdict VerdictOf(const baseline::Run& run, const std::string& label);

// "2%", "2 %" or "2"; above 0 and below 1000. `flag` is for the message.
Result<double> ParsePct(const std::string& text, std::string_view flag);

// Step times of every run, for a judgement that knows its repeats.
std::vector<analysis::RecordedRun> StepsOfRuns(const baseline::Baseline& baseline);

// KEY=VALUE words of --tag, sorted by key. kInvalidArgument for others.
Result<std::vector<std::pair<std::string, std::string>>> TagsOf(const Args& args);

}  // namespace warpscope::cli

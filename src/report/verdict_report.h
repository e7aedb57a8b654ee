// Prints rules::Verdict for people (terminal) and programs (JSON, schema "warpscope.verdict/1"). [MT] Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "view/verdict_view.h"

namespace warpscope::report {

struct VerdictOptions {
  bool all = false;           // every finding, abstention and ledger entry
  bool explain = false;       // the concept behind each finding
  bool quiet = false;         // the answer only
  std::string file = "FILE";  // how the commands that are named refer to the input
};

// What was read: every file, and rows by table.
struct Input {
  struct Source {
    std::string format, producer, version, path;
  };
  std::vector<Source> sources;
  uint64_t host = 0, gpu = 0, syncs = 0, memory = 0, counters = 0, collectives = 0;
  uint64_t profiles = 0, metrics = 0, summaries = 0, readings = 0;
};

inline constexpr size_t kFindingsShown = 5;
inline constexpr double kNotablePct = 5;  // of the step; smaller gains get one line

// `verdict`: already in the language of the terminal (lang::Translate); what stands around its texts is put into it
// here.
std::string VerdictText(const rules::Verdict& verdict, const Terminal& terminal, const VerdictOptions& options);

// docs/schema/verdict.md describes it. Holds everything, whatever the terminal would fold away.
std::string VerdictJson(const rules::Verdict& verdict, const Input& input = {});

}  // namespace warpscope::report

// RunSide: all that a comparison needs of one recording. It stands alone, so that it can be kept (a baseline) and
// compared after the recording is gone. [MT] Pure functions, except that they add to the words, which belong to one
// thread. Invariant: the words of two sides that are compared are numbers of one and the same Words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/profile.h"
#include "analysis/diff/recorder_cost.h"
#include "analysis/index.h"
#include "analysis/steps.h"

namespace warpscope::analysis {

// What a recording tells of where and how it was made: {"device", "driver_version", "580.65", true}.
struct Fact {
  std::string subject, name;  // subject: "device", "machine", "recording"
  std::string value;
  bool suspect = false;  // a change of it may change times by itself
};

struct Objection {
  std::string text;     // "A was recorded on 1 device, B on 2"
  uint32_t weight = 0;  // points of 100 that it takes off
};

struct RunSide {
  std::vector<Fact> facts;        // sorted by subject, then name; each at most once
  std::vector<Objection> losses;  // what the recording lost, without the name of the side: "records were lost"
  bool has_timeline = false, has_host = false;
  uint32_t devices = 0, ranks = 0;  // that did device work
  std::optional<int64_t> rank;      // that the rest is of, where the recording numbers it
  StepSource source = StepSource::kWholeWindow;
  uint32_t warmup = 0;          // steps left out
  std::vector<double> step_ms;  // of every counted step
  StepParts parts;              // of all or of some counted steps (Thin)
  std::optional<double> peak_memory_bytes;
  std::optional<RecorderCost> recorder;  // of step_ms and parts, which are as recorded; absent: nobody asked

  uint32_t counted() const { return static_cast<uint32_t>(step_ms.size()); }
};

// Of the rank with link domain `domain`.
RunSide RunSideOf(const Index& index, uint32_t domain, Words* words);

// Whether both are of one recording, copied or packed in another way: as many steps, each of the same length to the
// nanosecond, and as many kernels and copies. No two runs of a program are.
bool IsSameRecording(const RunSide& a, const RunSide& b);

// Keeps the cells of at most `most` steps, evenly chosen; totals stay those of all. The smallest works of a kind of
// kernel, which together hold `tail_ratio` of the kernels' time (0: none), become one, so the parts still add up. Which
// these are hangs on the side's own kernels: Compare() and Judge() make two sides agree (pool.h).
struct Thinning {
  uint32_t most_steps = 24;
  double tail_ratio = 0.005;
  size_t most_works = 300;  // as many of the largest stay whatever they hold
};
void Thin(const Thinning& thinning, RunSide* side, Words* words);

}  // namespace warpscope::analysis

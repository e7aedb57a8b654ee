// KernelChoice: which launches are measured: by name (regular expressions and exact names), then so many of each name
// and geometry, after so many that pass. [one thread] at a time. Fixed memory: names and geometries beyond the tables
// are not measured.
#pragma once

#include <regex.h>

#include <cstdint>

#include "agent/counters/launch_call.h"
#include "agent/counters/plan.h"

namespace warpscope::agent {

class KernelChoice {
 public:
  // False: an expression is none; problem() says which.
  bool Init(const Plan* plan);
  const char* problem() const { return problem_; }

  // Whether this launch is measured; counts it. `name` mangled. REQUIRES: `call` is of a kernel or a graph.
  bool Takes(const char* name, const LaunchCall& call);
  // The launch that was taken was not measured after all: another of its kind may be.
  void GiveBack(const char* name, const LaunchCall& call);
  // All that was asked for is measured.
  bool done() const { return plan_->count != 0 && taken_ >= plan_->count; }

  uint64_t matched() const { return matched_; }
  uint64_t taken() const { return taken_; }

 private:
  bool Matches(const char* name);
  bool MatchesText(const char* name) const;
  // The place of the count of this name and geometry; null: no room.
  uint32_t* CountOf(const char* name, const LaunchCall& call);

  static constexpr uint32_t kNames = 1 << 13, kGeometries = 1 << 15;
  struct Known {
    uint64_t hash;  // 0: free
    uint32_t value;
  };
  const Plan* plan_ = nullptr;
  char* (*demangle_)(const char*, char*, size_t*, int*) = nullptr;  // __cxa_demangle, where the process has it
  regex_t expressions_[Plan::kMostKernels] = {};
  Known names_[kNames] = {};  // value: 1 if it matches
  Known geometries_[kGeometries] = {};
  uint32_t name_count_ = 0, geometry_count_ = 0;
  uint64_t matched_ = 0, taken_ = 0;
  char problem_[300] = {};
};

}  // namespace warpscope::agent

// What the tests of the counter_* rules share: a program with a profiled kernel, and the cases in which each of them is
// silent. [one thread] Header-only; never linked into the product.
#pragma once

#include <string_view>

#include "rules/testing/device_program.h"
#include "rules/testing/profiles.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {

// Half of the step is the kernel that was profiled.
inline void BuildProfiled(TraceBuilder& b, const MetricValues& metrics,
                          std::string_view profiled = "own<int>(float *)") {
  AddProfile(b.trace(), profiled, TraceBuilder::Config(300, 256, 32, 0), 520'000, metrics);
  DeviceProgram()
      .Add({.kernel = "void own<int>(float*)", .us = 500, .config = TraceBuilder::Config(300, 256, 32, 0)})
      .Filler(500)
      .Build(b);
}

inline void ExpectSilentWithoutItsCause(std::string_view id) {
  {  // the kernel is at its roof
    TraceBuilder b;
    BuildProfiled(b, AtRoofMetrics());
    ExpectSilent(Evaluate(id, b));
  }
  {  // no counter report
    TraceBuilder b;
    DeviceProgram().Filler(500).Build(b);
    ExpectSilent(Evaluate(id, b));
  }
}

}  // namespace warpscope::rules::testing

// Parts of the verdict on tables of totals. Each looks at one kind of total and adds what it shows.
// [MT] Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

// What the device and its libraries are called where the totals come from.
struct DeviceWords {
  std::string_view device;         // "GPU", "NPU"
  std::string_view communication;  // "NCCL", "HCCL"
  bool is_ascend = false;
};
DeviceWords WordsFor(const model::Trace& trace);

// Sums of the totals of one kind by name (and by group, where `with_group`), largest first, ties by name.
struct Total {
  std::string name, group;
  double ns = 0;
  uint64_t count = 0;
};
std::vector<Total> TotalsOf(const model::Trace& trace, model::SummaryKind kind, bool with_group);

// Parts of steps: computing, communication, free. Sets answer, breakdown, step times; false if there are none.
bool JudgeStepParts(const model::Trace& trace, Verdict& verdict);
// Kernels by name or type; false if there are none.
bool JudgeKernelTotals(const model::Trace& trace, Verdict& verdict);
// Collectives; false if there are none.
bool JudgeCollectiveTotals(const model::Trace& trace, Verdict& verdict);

}  // namespace warpscope::rules

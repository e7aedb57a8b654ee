#include "rules/breakdown.h"

#include <algorithm>
#include <string>

#include "analysis/device_time.h"
#include "analysis/gaps.h"

namespace warpscope::rules {
namespace {

std::string StableWord(std::string_view name) {
  std::string word(name);
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    else if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) c = '_';
  }
  return word;
}

}  // namespace

std::string_view HostWords(analysis::GapCause cause, bool python) {
  using analysis::GapCause;
  switch (cause) {
    case GapCause::kDataLoading: return "waits for input data";
    case GapCause::kPython: return python ? "runs Python code" : "runs code of its own";
    case GapCause::kOperator: return "computes an operator itself";
    case GapCause::kSyncWait: return "wakes up from a wait";
    case GapCause::kCopyCall: return "is inside copy calls";
    case GapCause::kLaunchCall: return "is inside launch calls";
    case GapCause::kDispatch:
      return python ? "runs framework code around launches" : "runs its own code around launches";
    case GapCause::kAllocation: return "allocates device memory";
    case GapCause::kCompilation: return "compiles";
    case GapCause::kFileIo: return "reads or writes files";
    case GapCause::kGarbageCollect: return "collects garbage";
    case GapCause::kHostWait: return "sleeps or waits for a lock";
    case GapCause::kCommunication: return "waits for other ranks";
    case GapCause::kProfiler: return "does the profiler's work";
    case GapCause::kLaunchLatency: return "has launched, the work is on its way";
    case GapCause::kDependency: return "has launched, something else comes first";
    case GapCause::kUnrecorded: return "does what was not recorded";
    case GapCause::kCount: break;
  }
  return "";
}

std::vector<TimePart> BreakDown(const Context& context) {
  std::vector<TimePart> parts;
  if (context.gpu_rows.empty() || context.device == model::kNone || context.window_ns() <= 0) return parts;
  analysis::Scope scope = context.device_scope();
  scope.device = context.device;
  const auto add = [&](std::string name, std::string label, int64_t total_ns, bool busy) {
    if (total_ns <= 0) return;
    parts.push_back({std::move(name), std::move(label), context.PerStepMs(total_ns), context.SharePct(total_ns), busy});
  };
  const analysis::GapSummary gaps = analysis::FindGaps(context.index, scope, &context.steps);
  int64_t busy_ns = context.window_ns() - gaps.idle_ns;
  for (const analysis::DeviceTime& time : analysis::DeviceTimes(context.index, scope)) {
    if (time.device != context.device) continue;
    const auto part = [&](const char* name, const char* label, int64_t part_ns) {
      if (context.SharePct(part_ns) < 1) return;
      add(name, label, part_ns, true);
      busy_ns -= part_ns;
    };
    part("device_compute", "GPU computes", time.compute_ns);
    part("device_communication", "GPU only communicates", time.exposed_communication_ns);
    part("device_copy", "GPU only copies", time.exposed_copy_ns);
  }
  add("device_other", parts.empty() ? "GPU busy" : "GPU does other work", busy_ns, true);
  int64_t other_ns = gaps.idle_ns;
  if (context.trace.host.size() == 0) {
    // Device rows only: nothing is known about the processor, not even that it works.
    add("not_recorded", "idle: what the CPU does was not recorded", gaps.idle_ns, false);
    return parts;
  }
  for (size_t i = 0; i < analysis::kGapCauses; ++i) {
    const int64_t idle_ns = gaps.by_cause_ns[i];
    if (context.SharePct(idle_ns) < 1) continue;
    const std::string_view cause = analysis::GapCauseName(static_cast<analysis::GapCause>(i));
    add(StableWord(cause), "idle: CPU " + std::string(HostWords(static_cast<analysis::GapCause>(i))), idle_ns, false);
    other_ns -= idle_ns;
  }
  const auto first_idle = std::find_if(parts.begin(), parts.end(), [](const TimePart& part) { return !part.busy; });
  std::stable_sort(first_idle, parts.end(), [](const TimePart& a, const TimePart& b) { return a.ms > b.ms; });
  add("other_idle", "idle: other", other_ns, false);
  return parts;
}

}  // namespace warpscope::rules

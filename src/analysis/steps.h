// Steps: the repeated unit of the recorded run (training step, request, iteration) and its duration.
// [MT] Pure function of a finished trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::analysis {

enum class StepSource : uint8_t {
  kProfilerStep,    // ProfilerStep#N annotations
  kUserRange,       // a repeated user annotation or NVTX range
  kKernelSequence,  // found from the repeating order of kernel names
  kWholeWindow,     // nothing repeats: the window is the one step
};

struct Step {
  int64_t begin_ns = 0, end_ns = 0;  // host window: from this marker's start to the next one's
  int64_t gpu_end_ns = 0;            // end of the last device item issued in it; begin_ns if none
  std::string label;                 // "ProfilerStep#3"
  uint32_t thread = model::kNone;    // thread that carries the marker
  uint32_t row = model::kNone;       // host row of the marker
  bool warmup = false;               // excluded from statistics
  bool outlier = false;
  bool cut = false;  // no step: a break of the recording (model::Break) lies in it, or no mark tells where it begins
  bool unmarked = false;  // the latter: one or several steps whose marks were lost
  double share = 1;       // how much of a step's device work it holds; 1 but for cut ones
};

struct Steps {
  StepSource source = StepSource::kWholeWindow;
  std::vector<Step> steps;  // in time order, all of one link domain
  uint32_t warmup_excluded = 0;
  std::vector<double> durations_ms;  // of the counted steps, in order; device-anchored where device work exists
  double median_ms = 0, p90_ms = 0;  // of those that no break cuts, if there are any
  // Mean distance of the steps' last device items over the counted steps: the step time that predictions use.
  // (end of last marker - end of first marker) / (n - 1); the window's length for a single step; where breaks cut some,
  // the mean of the others.
  double period_ms = 0;
  int64_t window_begin_ns = 0, window_end_ns = 0;  // the counted steps, host and device
  // The counted steps on the device, where an asynchronous host is ahead: from the end of the work before them (or
  // what the first item cannot have waited for itself: recorders hold it back while they get their buffers) to the end
  // of their last item, or of the host's last step where the device is drained each step. About period x steps long:
  // the window for busy and idle shares.
  int64_t device_begin_ns = 0, device_end_ns = 0;
  // Everything recorded of the domain; of the window where nothing was left out. What lies before the counted steps is
  // start-up (and warm-up steps), what lies after them another phase of the program: neither is judged.
  int64_t recorded_begin_ns = 0, recorded_end_ns = 0;
  int64_t before_ns() const { return std::max<int64_t>(0, window_begin_ns - recorded_begin_ns); }
  int64_t after_ns() const { return std::max<int64_t>(0, recorded_end_ns - window_end_ns); }
  // Whether a notable part of the recording lies before the counted steps: longer than one and than a tenth of it all.
  bool starts_late() const { return IsNotable(before_ns()); }
  bool ends_early() const { return IsNotable(after_ns()); }
  bool IsNotable(int64_t ns) const {
    return counted() > 1 && 10 * ns > recorded_end_ns - recorded_begin_ns && static_cast<double>(ns) > period_ms * 1e6;
  }
  // Counted steps that no break cuts.
  uint32_t whole() const {
    return counted() - static_cast<uint32_t>(std::count_if(steps.begin() + warmup_excluded, steps.end(),
                                                           [](const Step& step) { return step.cut; }));
  }
  // What totals of the counted steps are divided by: steps that are cut count by their share of the work.
  double equivalents() const {
    double sum = 0;
    for (size_t i = warmup_excluded; i < steps.size(); ++i) sum += steps[i].share;
    return sum;
  }
  uint32_t counted() const { return static_cast<uint32_t>(steps.size()) - warmup_excluded; }
};

// Steps of one link domain. Never fails: the whole window is one step if nothing repeats.
Steps FindSteps(const model::Trace& trace, uint32_t link_domain);
class Index;
Steps FindSteps(const Index& index, uint32_t link_domain);  // the same without classifying names again

// The steps [first, last) of `steps.steps` counted alone, at least two of them: those before are left out as warm-up
// is, those behind are not part of the result. For a loop that something held up once.
Steps CountOnly(Steps steps, size_t first, size_t last);

// The scope of the counted steps: their domain and window.
struct Scope;
Scope ScopeOf(const Steps& steps, uint32_t link_domain);
Scope DeviceScopeOf(const Steps& steps, uint32_t link_domain);  // with the device's window

}  // namespace warpscope::analysis

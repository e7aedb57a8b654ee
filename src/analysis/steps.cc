#include "analysis/steps.h"

#include <algorithm>
#include <cmath>

#include "analysis/step_markers.h"
#include "analysis/window.h"

namespace warpscope::analysis {
namespace {

using model::kNone;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Nearest rank.
double Percentile(std::vector<double> values, double ratio) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(ratio * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

// End of everything recorded of the domain, the recorder's own rows left out; and its begin.
Window Recorded(const Index& index, uint32_t link_domain) {
  const model::Trace& trace = index.trace();
  Window window{INT64_MAX, INT64_MIN};
  const auto add = [&](int64_t begin, int64_t end) {
    window.begin_ns = std::min(window.begin_ns, begin);
    window.end_ns = std::max(window.end_ns, end);
  };
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.GpuDomain(row) == link_domain) add(trace.gpu.start_ns[row], trace.gpu.end_ns(row));
  }
  const Rank* rank = index.FindRank(link_domain);
  const bool has_gpu = window.begin_ns <= window.end_ns;
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    if (trace.processes[trace.threads[thread].process].link_domain != link_domain) continue;
    // Threads that issue nothing (heartbeats, watchdogs) do not stretch the window.
    const bool counts =
        !has_gpu || rank == nullptr ||
        std::find(rank->issuing_threads.begin(), rank->issuing_threads.end(), thread) != rank->issuing_threads.end();
    if (!counts) continue;
    for (uint32_t row = trace.thread_rows[thread].begin; row < trace.thread_rows[thread].end; ++row) {
      const bool own = index.host_label(row) == HostLabel::kProfiler || model::IsFrame(trace.host.kind[row]);
      if (!own) add(trace.host.start_ns[row], trace.host.end_ns(row));
    }
  }
  if (window.begin_ns > window.end_ns) return {0, 0};
  return window;
}

struct Work {
  uint64_t items = 0;
  int64_t first_start_ns = INT64_MAX;
  int64_t first_issued_ns = INT64_MAX;  // end of the first item's call
  int64_t last_end_ns = INT64_MIN;
};

// Device work of each step, by the time of its call.
std::vector<Work> Assign(const model::Trace& trace, const std::vector<Step>& steps,
                         const std::vector<IssuedItem>& items) {
  std::vector<Work> work(steps.size());
  size_t at = 0;
  for (const IssuedItem& item : items) {
    while (at + 1 < steps.size() && item.issue_ns >= steps[at + 1].begin_ns) ++at;
    if (item.issue_ns < steps[at].begin_ns || item.issue_ns >= steps[at].end_ns) continue;
    if (work[at].items++ == 0 && item.call != kNone) work[at].first_issued_ns = trace.host.end_ns(item.call);
    work[at].first_start_ns = std::min(work[at].first_start_ns, trace.gpu.start_ns[item.first_row]);
    work[at].last_end_ns = std::max(work[at].last_end_ns, item.end_ns);
  }
  return work;
}

std::vector<Step> Tile(const model::Trace& trace, const Markers& markers, const Window& recorded) {
  std::vector<Step> steps;
  for (size_t i = 0; i < markers.markers.size(); ++i) {
    const Marker& marker = markers.markers[i];
    Step step;
    step.begin_ns = marker.begin_ns;
    const bool last = i + 1 == markers.markers.size();
    const int64_t final_end =
        markers.own_end ? marker.end_ns : std::max(marker.end_ns, markers.end_ns.value_or(recorded.end_ns));
    step.end_ns = last ? final_end : markers.markers[i + 1].begin_ns;
    step.thread = marker.thread;
    step.row = marker.row;
    const bool named = marker.row != kNone && markers.source != StepSource::kKernelSequence;
    step.cut = step.unmarked = marker.missing;
    step.label = marker.missing ? "no mark"
                 : named        ? std::string(trace.HostName(marker.row))
                                : "step " + std::to_string(i + 1);
    steps.push_back(std::move(step));
  }
  return steps;
}

uint64_t MedianItems(const std::vector<Work>& work) {
  std::vector<uint64_t> counts;
  for (const Work& w : work) counts.push_back(w.items);
  std::sort(counts.begin(), counts.end());
  return counts.empty() ? 0 : counts[counts.size() / 2];
}

// Duration of each step. Device anchored: from the last device item of the step before to its own. The first one has
// no step before it: the longer of its host window and of its device work. Steps without device work: the host window.
std::vector<double> Durations(const std::vector<Step>& steps, const std::vector<Work>& work, bool anchored) {
  std::vector<double> out;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    int64_t dur = step.end_ns - step.begin_ns;
    if (anchored && i == 0) dur = std::max(dur, work[i].last_end_ns - work[i].first_start_ns);
    if (anchored && i > 0) dur = step.gpu_end_ns - steps[i - 1].gpu_end_ns;
    out.push_back(static_cast<double>(std::max<int64_t>(dur, 0)) / 1e6);
  }
  return out;
}

// Leading steps that are far longer than the rest, or hold far less device work (the recording began inside them).
size_t CountWarmup(const std::vector<double>& durations, const std::vector<Work>& work) {
  const size_t most = durations.size() < 4 ? durations.size() > 2 : std::min<size_t>(durations.size() / 3, 3);
  const uint64_t usual_items = MedianItems(work);
  size_t warmup = 0;
  for (size_t i = 0; i < most; ++i) {
    const std::vector<double> rest(durations.begin() + static_cast<int64_t>(i) + 1, durations.end());
    const double median = Median(rest);
    const double longest = *std::max_element(rest.begin(), rest.end());
    // Steady later steps make a smaller excess telling.
    const double factor = rest.size() >= 3 && longest < 1.05 * median ? 1.15 : 1.5;
    const bool slow = durations[i] > factor * median && durations[i] > 1.1 * longest;
    const bool partial = work[i].items * 5 < usual_items * 3;
    if (slow || partial) warmup = i + 1;
  }
  return warmup;
}

// A longer start: every step of a leading block is far longer than all behind it, as while a compiler or an autotuner
// is at work. Never over half of the steps; over a third of them only before steady ones, as the block may be the
// program's own long steps otherwise. Of several, the first may look short: what came before it is not recorded. The
// numbers are own choices.
size_t CountWarmupBlock(const std::vector<double>& durations) {
  constexpr size_t kLeastSteps = 8, kLongest = 10;
  constexpr double kLonger = 1.5, kLongerThanSteady = 1.2, kAboveAll = 1.1, kSteady = 1.2, kVerySteady = 1.05;
  if (durations.size() < kLeastSteps) return 0;
  for (size_t block = std::min(durations.size() / 2, kLongest); block > 0; --block) {
    const auto begin = durations.begin() + static_cast<int64_t>(block);
    const std::vector<double> rest(begin, durations.end());
    const double median = Median(rest), longest = *std::max_element(rest.begin(), rest.end());
    const bool many = block > durations.size() / 3;
    if (many && longest > kSteady * median) continue;
    const double longer = !many && longest < kVerySteady * median ? kLongerThanSteady : kLonger;
    const double shortest = *std::min_element(durations.begin() + (block > 2 ? 1 : 0), begin);
    if (shortest > longer * median && shortest > kAboveAll * longest) return block;
  }
  return 0;
}

// Of the counted steps that no break cuts; of all if there is none.
std::vector<double> WholeDurations(const Steps& steps) {
  std::vector<double> whole;
  for (size_t i = 0; i < steps.durations_ms.size(); ++i) {
    if (!steps.steps[steps.warmup_excluded + i].cut) whole.push_back(steps.durations_ms[i]);
  }
  return whole.empty() ? steps.durations_ms : whole;
}

// Distances of ends across a break tell nothing: then the mean of whole steps is the period. The first one has no end
// before it.
void SetPeriodOfWhole(Steps* steps) {
  const bool any = std::any_of(steps->steps.begin() + steps->warmup_excluded, steps->steps.end(),
                               [](const Step& step) { return step.cut; });
  std::vector<double> whole = any ? WholeDurations(*steps) : std::vector<double>();
  if (whole.empty() || steps->whole() == 0) return;
  const bool leave_first = whole.size() > 1 && steps->warmup_excluded == 0 && !steps->steps.front().cut;
  if (leave_first) whole.erase(whole.begin());
  double sum_ms = 0;
  for (const double ms : whole) sum_ms += ms;
  steps->period_ms = sum_ms / static_cast<double>(whole.size());
}

void MarkOutliers(Steps* steps) {
  const double median = steps->median_ms;
  std::vector<double> distance;
  for (const double d : WholeDurations(*steps)) distance.push_back(std::abs(d - median));
  const double scale = std::max(1.4826 * Median(distance), 0.02 * median);
  if (steps->durations_ms.size() < 4 || scale <= 0) return;
  size_t at = 0;
  for (Step& step : steps->steps) {
    if (step.warmup) continue;
    const double d = steps->durations_ms[at++];
    const bool recorder_starts = &step == &steps->steps.front();  // start costs of the recording lie in it
    step.outlier = !recorder_starts && !step.cut && d > median + 4 * scale && d > 1.15 * median;
  }
}

// See Steps::device_begin_ns. `first`: the first counted step and its work; `before`: the step before it, or null.
void SetDeviceWindow(const Step& first, const Work& first_work, const Step* before, bool anchored, bool drained,
                     Steps* out) {
  constexpr int64_t kUsualDelayNs = 100'000;
  out->device_begin_ns = out->window_begin_ns;
  out->device_end_ns = out->window_end_ns;
  if (!anchored) return;
  if (before != nullptr && before->gpu_end_ns > first.begin_ns) {
    out->device_begin_ns = before->gpu_end_ns;
  } else if (before == nullptr && first_work.first_issued_ns != INT64_MAX) {
    const int64_t held_back = first_work.first_start_ns - first_work.first_issued_ns - kUsualDelayNs;
    if (held_back > 0) out->device_begin_ns = first.begin_ns + held_back;
  }
  if (!drained) {
    for (const Step& step : out->steps) {
      if (!step.warmup) out->device_end_ns = std::max(out->device_begin_ns, step.gpu_end_ns);
    }
  }
}

void Summarize(Steps* out, const std::vector<double>& durations, const std::vector<Work>& work, bool anchored,
               bool own_end) {
  const Step* first = nullptr;
  const Step* last = nullptr;
  const Step* before = nullptr;
  for (size_t i = 0; i < out->steps.size(); ++i) {
    const Step& step = out->steps[i];
    if (step.warmup) {
      if (first == nullptr) before = &step;
      continue;
    }
    if (first == nullptr) first = &step;
    last = &step;
    out->durations_ms.push_back(durations[i]);
  }
  out->median_ms = Median(WholeDurations(*out));
  out->p90_ms = Percentile(WholeDurations(*out), 0.9);
  out->window_begin_ns = first->begin_ns;
  out->window_end_ns = std::max(last->end_ns, last->gpu_end_ns);
  const auto edge = [&](const Step& step) { return anchored ? step.gpu_end_ns : step.end_ns; };
  const size_t n = out->durations_ms.size();
  // A device that is done before the second step begins shows whole steps on the host: then the last one's host work
  // after its device work counts too.
  const bool drained = own_end && anchored && n >= 2 && first->gpu_end_ns <= (first + 1)->begin_ns;
  SetDeviceWindow(*first, work[static_cast<size_t>(first - out->steps.data())], before, anchored, drained, out);
  if (n >= 3 || (n == 2 && before == nullptr)) {
    out->period_ms = static_cast<double>(edge(*last) - edge(*first)) / 1e6 / static_cast<double>(n - 1);
    if (drained) {
      out->period_ms =
          static_cast<double>(out->window_end_ns - (first + 1)->begin_ns) / 1e6 / static_cast<double>(n - 1);
    }
  } else if (before != nullptr) {
    out->period_ms = static_cast<double>(edge(*last) - edge(*before)) / 1e6 / static_cast<double>(n);
  } else {
    out->period_ms = static_cast<double>(out->window_end_ns - out->window_begin_ns) / 1e6;
  }
  SetPeriodOfWhole(out);
  MarkOutliers(out);
}

// Steps that begin with their first launch and end with their last kernel: the idle time between two belongs to the
// later one, as durations are told, and the first one's lies before its launch. Without it the window is one idle
// stretch short.
void AddFirstIdle(const Step* before, Steps* out) {
  const Step& first = out->steps[out->warmup_excluded];
  const auto period_ns = static_cast<int64_t>(out->period_ms * 1e6);
  const int64_t begin_ns = before != nullptr ? before->gpu_end_ns : first.gpu_end_ns - period_ns;
  out->device_begin_ns = std::min(out->device_begin_ns, std::max(begin_ns, out->recorded_begin_ns));
}

// A last tile that no marker closes ends with the recording, and with it comes what follows the loop (saving, shutting
// down): it is taken to be as long as the others usually are. Its device work may end later.
void BoundLast(const Markers& markers, std::vector<Step>* steps) {
  if (markers.own_end || steps->size() <= 2) return;
  std::vector<double> lengths;
  for (size_t i = 0; i + 1 < steps->size(); ++i)
    lengths.push_back(static_cast<double>((*steps)[i].end_ns - (*steps)[i].begin_ns));
  Step& last = steps->back();
  last.end_ns = std::min(last.end_ns, last.begin_ns + static_cast<int64_t>(Median(std::move(lengths))));
}

// A range of the program tells where its step ends; else a step reaches to the next one's first launch. Its work on the
// device may come later.
void MarkCut(const model::Trace& trace, const Markers& markers, const std::vector<Work>& work,
             std::vector<Step>* steps) {
  const auto usual = static_cast<double>(MedianItems(work));
  for (size_t i = 0; i < steps->size(); ++i) {
    Step& step = (*steps)[i];
    const bool has_end = markers.source != StepSource::kKernelSequence;
    const int64_t end_ns = has_end ? markers.markers[i].end_ns : step.end_ns;
    const bool broken =
        !trace.breaks.empty() && model::HasBreak(trace, step.begin_ns, std::max(end_ns, step.gpu_end_ns));
    const double most = step.unmarked && !broken ? 1e9 : 2.0;  // several steps may lack their marks
    step.cut |= broken;
    if (step.cut && usual > 0) step.share = std::min(most, static_cast<double>(work[i].items) / usual);
  }
}

Steps Build(const Index& index, const Markers& markers, const std::vector<IssuedItem>& items, const Window& recorded) {
  Steps out;
  out.source = markers.source;
  out.steps = Tile(index.trace(), markers, recorded);
  std::vector<Work> work = Assign(index.trace(), out.steps, items);
  // A last tile that no marker closes is a step only if it holds a step's work.
  const uint64_t usual = MedianItems(work);
  if (!markers.own_end && out.steps.size() > 2 && work.back().items * 5 < usual * 4) {
    out.steps.pop_back();
    work.pop_back();
  }
  BoundLast(markers, &out.steps);
  bool anchored = !out.steps.empty();
  for (size_t i = 0; i < out.steps.size(); ++i) {
    out.steps[i].gpu_end_ns = work[i].items > 0 ? work[i].last_end_ns : out.steps[i].begin_ns;
    anchored &= work[i].items > 0;
  }
  MarkCut(index.trace(), markers, work, &out.steps);
  const std::vector<double> durations = Durations(out.steps, work, anchored);
  out.warmup_excluded = static_cast<uint32_t>(std::max(CountWarmup(durations, work), CountWarmupBlock(durations)));
  for (uint32_t i = 0; i < out.warmup_excluded; ++i) out.steps[i].warmup = true;
  Summarize(&out, durations, work, anchored, markers.own_end);
  out.recorded_begin_ns = recorded.begin_ns;
  out.recorded_end_ns = recorded.end_ns;
  if (anchored && !markers.own_end && out.counted() >= 3)
    AddFirstIdle(out.warmup_excluded > 0 ? &out.steps[out.warmup_excluded - 1] : nullptr, &out);
  return out;
}

Steps WholeWindow(const Window& recorded, const std::vector<IssuedItem>& items) {
  Steps out;
  Step step;
  step.begin_ns = recorded.begin_ns;
  step.end_ns = recorded.end_ns;
  step.gpu_end_ns = recorded.begin_ns;
  for (const IssuedItem& item : items) step.gpu_end_ns = std::max(step.gpu_end_ns, item.end_ns);
  step.label = "whole recording";
  out.steps.push_back(std::move(step));
  out.recorded_begin_ns = recorded.begin_ns;
  out.recorded_end_ns = recorded.end_ns;
  Summarize(&out, {static_cast<double>(recorded.end_ns - recorded.begin_ns) / 1e6}, {Work{}}, false, true);
  return out;
}

}  // namespace

Steps FindSteps(const Index& index, uint32_t link_domain) {
  const std::vector<IssuedItem> items = IssueOrder(index, link_domain);
  const Window recorded = Recorded(index, link_domain);
  const Markers profiler = ProfilerStepMarkers(index, link_domain);
  if (!profiler.markers.empty()) return Build(index, profiler, items, recorded);
  const Markers ranges = UserRangeMarkers(index, link_domain);
  if (!ranges.markers.empty()) return Build(index, ranges, items, recorded);
  const Markers sequence = SequenceMarkers(index, link_domain, items);
  if (sequence.markers.size() >= 2) return Build(index, sequence, items, recorded);
  return WholeWindow(recorded, items);
}

Steps CountOnly(Steps steps, size_t first, size_t last) {
  const size_t old_first = steps.warmup_excluded;
  const bool is_whole = last == steps.steps.size();
  // A device that is done before the next step begins shows whole steps on the host.
  const bool drained = !is_whole && steps.steps[last - 1].gpu_end_ns <= steps.steps[last].begin_ns;
  steps.durations_ms = std::vector<double>(steps.durations_ms.begin() + static_cast<int64_t>(first - old_first),
                                           steps.durations_ms.begin() + static_cast<int64_t>(last - old_first));
  steps.steps.resize(last);
  for (size_t i = 0; i < last; ++i) {
    steps.steps[i].warmup = i < first;
    steps.steps[i].outlier = false;
  }
  steps.warmup_excluded = static_cast<uint32_t>(first);
  steps.median_ms = Median(WholeDurations(steps));
  steps.p90_ms = Percentile(WholeDurations(steps), 0.9);
  const Step& begin = steps.steps[first];
  const Step& end = steps.steps.back();
  steps.window_begin_ns = begin.begin_ns;
  steps.window_end_ns = std::max(end.end_ns, is_whole ? end.gpu_end_ns : end.end_ns);
  if (first > old_first) {
    const int64_t before_ns = steps.steps[first - 1].gpu_end_ns;
    steps.device_begin_ns = std::max(begin.begin_ns, before_ns);
    steps.period_ms = static_cast<double>(end.gpu_end_ns - before_ns) / 1e6 / static_cast<double>(last - first);
  } else {
    steps.period_ms =
        static_cast<double>(end.gpu_end_ns - begin.gpu_end_ns) / 1e6 / static_cast<double>(last - first - 1);
  }
  SetPeriodOfWhole(&steps);
  if (!is_whole) steps.device_end_ns = drained ? steps.window_end_ns : end.gpu_end_ns;
  MarkOutliers(&steps);
  return steps;
}

Steps FindSteps(const model::Trace& trace, uint32_t link_domain) { return FindSteps(Index(trace), link_domain); }

Scope DeviceScopeOf(const Steps& steps, uint32_t link_domain) {
  Scope scope;
  scope.link_domain = link_domain;
  scope.window = {steps.device_begin_ns, steps.device_end_ns};
  return scope;
}

Scope ScopeOf(const Steps& steps, uint32_t link_domain) {
  Scope scope;
  scope.link_domain = link_domain;
  scope.window = {steps.window_begin_ns, steps.window_end_ns};
  return scope;
}

}  // namespace warpscope::analysis

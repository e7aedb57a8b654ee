// BuildModel(): chooses the window and runs the stages.
#include "analysis/replay/build.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis::replay {
namespace {

using model::kNone;

constexpr uint32_t kMaxSteps = 20;       // more steps add time, not information ...
constexpr uint32_t kFewItems = 20'000;   // ... unless they are turns of a short loop
constexpr uint32_t kMaxItems = 200'000;  // keeps some dozens of predictions within a second

struct StepRange {
  size_t begin, end;
};  // of the counted steps

uint64_t CallsBetween(const model::Trace& trace, int64_t begin, int64_t end) {
  const auto& gpu = trace.gpu;
  const auto first = std::lower_bound(gpu.start_ns.begin(), gpu.start_ns.end(), begin);
  const auto last = std::lower_bound(gpu.start_ns.begin(), gpu.start_ns.end(), end);
  return 2 * static_cast<uint64_t>(std::max<std::ptrdiff_t>(0, last - first));
}

// The run of consecutive steps whose mean length is nearest to that of all.
StepRange Representative(const model::Trace& trace, const std::vector<const Step*>& steps) {
  const size_t count = steps.size();
  if (count <= 2) return {0, count};
  const uint64_t items = CallsBetween(trace, steps.front()->begin_ns, steps.back()->end_ns);
  const uint64_t per_step = std::max<uint64_t>(1, items / count);
  const size_t most = std::max<size_t>(kMaxSteps, kFewItems / per_step);
  const size_t wanted = std::clamp<size_t>(kMaxItems / per_step, 3, most);
  if (wanted >= count) return {0, count};
  const double mean =
      static_cast<double>(steps.back()->begin_ns - steps.front()->begin_ns) / static_cast<double>(count - 1);
  StepRange best{0, wanted};
  double best_distance = INFINITY;
  for (size_t begin = 0; begin + wanted <= count; ++begin) {
    const auto span = static_cast<double>(steps[begin + wanted - 1]->begin_ns - steps[begin]->begin_ns);
    const double distance = std::abs(span / static_cast<double>(wanted - 1) - mean);
    if (distance < best_distance) best = {begin, begin + wanted}, best_distance = distance;
  }
  return best;
}

// The longest run of steps without a break of the recording in it, if there is one.
void KeepUncut(std::vector<const Step*>* steps) {
  size_t best_begin = 0, best_end = 0, begin = 0;
  for (size_t i = 0; i <= steps->size(); ++i) {
    if (i < steps->size() && !(*steps)[i]->cut) continue;
    if (i - begin > best_end - best_begin) best_begin = begin, best_end = i;
    begin = i + 1;
  }
  if (best_end > best_begin)
    *steps = std::vector<const Step*>(steps->begin() + static_cast<std::ptrdiff_t>(best_begin),
                                      steps->begin() + static_cast<std::ptrdiff_t>(best_end));
}

Status ChooseWindow(const Steps& steps, Draft& draft) {
  std::vector<const Step*> counted;
  for (const Step& step : steps.steps) {
    if (!step.warmup) counted.push_back(&step);
  }
  if (counted.empty()) return {StatusCode::kUnsupported, "no step to replay; record at least one whole step"};
  const size_t found = counted.size();
  KeepUncut(&counted);
  const StepRange range = Representative(*draft.trace, counted);
  draft.origin_ns = counted[range.begin]->begin_ns;
  draft.end_ns = counted[range.end - 1]->end_ns;
  for (size_t i = range.begin; i < range.end; ++i) draft.step_begins.push_back(draft.At(counted[i]->begin_ns));
  draft.marker_thread = counted[range.begin]->thread;
  if (range.end - range.begin < found) {
    draft.notes.push_back("Simulated " + std::to_string(range.end - range.begin) + " of " + std::to_string(found) +
                          " steps: a typical run of them.");
  }
  return Status::Ok();
}

Status CheckUsable(const Draft& draft) {
  size_t calls = 0;
  for (const Call& call : draft.calls) calls += call.row != kNone ? 1 : 0;
  if (calls == 0) return {StatusCode::kUnsupported, "no host API calls recorded; record CPU activity to predict gains"};
  size_t linked = 0;
  for (const Unit& unit : draft.units) linked += unit.call != kNoItem ? 1 : 0;
  if (linked == 0) return {StatusCode::kUnsupported, "no device work that a recorded call issued; nothing to replay"};
  return Status::Ok();
}

}  // namespace

Result<Model> BuildModel(const model::Trace& trace, const Steps& steps, uint32_t domain) {
  Draft draft;
  draft.trace = &trace;
  draft.domain = domain;
  WS_RETURN_IF_ERROR(ChooseWindow(steps, draft));
  CollectCalls(draft);
  if (!draft.calls.empty()) CollectUnits(draft);
  WS_RETURN_IF_ERROR(CheckUsable(draft));
  FindTargets(draft);
  FitParameters(draft);
  FindWaitsForRoom(draft);
  Model model;
  model.trace = &trace;
  model.origin_ns = draft.origin_ns;
  model.steps = static_cast<uint32_t>(draft.step_begins.size());
  Emit(draft, model);
  FindCollectives(model);
  model.parameters = std::move(draft.parameters);
  model.guessed_targets = draft.guessed_targets;
  model.merged_threads = draft.merged_threads;
  model.free_threads = draft.free_threads;
  model.notes = std::move(draft.notes);
  return model;
}

}  // namespace warpscope::analysis::replay

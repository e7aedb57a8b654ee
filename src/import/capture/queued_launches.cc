#include "import/capture/queued_launches.h"

#include <algorithm>

namespace warpscope::import::capture {
namespace {

constexpr double kIdleQuantile = 0.1;  // of the lengths: launches on an idle device are the shortest
constexpr int64_t kMostTimesIdle = 2;
// What queue times cost a launch, together with its kernel's record (H200, CUPTI 13.0, a storm of empty kernels, bare
// against recorded: 1.0 us on a quiet machine, up to 2.4 on a busy one).
constexpr int64_t kLaunchCostNs = 1500;
constexpr size_t kQueueSlots = 1000;  // launches that a full queue holds: the next one waits inside its call

using Call = State::IssuingCall;

// Length of a call on an idle device.
int64_t UsualLength(const std::vector<QueuedLaunches::Launch>& launches) {
  std::vector<int64_t> lengths;
  for (const auto& launch : launches) {
    if (launch.taken_ns > launch.queued_ns) lengths.push_back(launch.taken_ns - launch.queued_ns);
  }
  if (lengths.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(kIdleQuantile * static_cast<double>(lengths.size() - 1));
  std::nth_element(lengths.begin(), lengths.begin() + at, lengths.end());
  return kMostTimesIdle * lengths[static_cast<size_t>(at)];
}

// Thread of the nearest call before or after; not of one that is under way, its thread is busy.
class Threads {
 public:
  Threads(std::vector<Call> calls, uint32_t fallback) : calls_(std::move(calls)), fallback_(fallback) {
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
  }

  // REQUIRES: times that do not go back.
  uint32_t At(int64_t time_ns) {
    while (next_ < calls_.size() && calls_[next_].start_ns <= time_ns) ++next_;
    const Call* after = next_ < calls_.size() ? &calls_[next_] : nullptr;
    const Call* before = next_ > 0 ? &calls_[next_ - 1] : nullptr;
    if (before != nullptr && before->end_ns > time_ns) before = nullptr;
    if (before == nullptr && after == nullptr) return fallback_;
    if (before == nullptr) return after->thread;
    if (after == nullptr) return before->thread;
    return time_ns - before->end_ns <= after->start_ns - time_ns ? before->thread : after->thread;
  }
  int64_t NextStart() const { return next_ < calls_.size() ? calls_[next_].start_ns : INT64_MAX; }
  bool several() const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Call& c) { return c.thread != calls_.front().thread; });
  }

 private:
  std::vector<Call> calls_;
  uint32_t fallback_;
  size_t next_ = 0;
};

}  // namespace

void QueuedLaunches::Finish(State& state) {
  if (!launches_.empty() && !state.to.source().launch_cost_ns) state.to.source().launch_cost_ns = kLaunchCostNs;
  std::erase_if(launches_, [&](const Launch& launch) { return state.launch_recorded.contains(launch.correlation); });
  if (launches_.empty()) return;
  std::stable_sort(launches_.begin(), launches_.end(),
                   [](const Launch& a, const Launch& b) { return a.queued_ns < b.queued_ns; });
  Appender& to = state.to;
  const model::StringId name = to.Text("cudaLaunchKernel");
  const int64_t usual_ns = UsualLength(launches_);
  Threads threads(state.issuing_calls, state.MainThread());
  for (size_t i = 0; i < launches_.size(); ++i) {
    const Launch& launch = launches_[i];
    Appender::Host row;
    row.kind = model::HostKind::kRuntimeCall;
    row.name = name;
    row.thread = threads.At(launch.queued_ns);
    row.start_ns = launch.queued_ns;
    row.correlation = launch.correlation;
    // A full queue: the kernel that far before this one had not ended.
    const bool full = i >= kQueueSlots && launches_[i - kQueueSlots].kernel_end_ns > launch.queued_ns;
    row.dur_ns = std::max<int64_t>(0, launch.taken_ns - launch.queued_ns);
    if (!full) row.dur_ns = std::min(row.dur_ns, usual_ns);
    int64_t next_ns = threads.NextStart();
    if (i + 1 < launches_.size()) next_ns = std::min(next_ns, launches_[i + 1].queued_ns);
    // INT64_MAX: none follows; a time may lie before the epoch.
    if (next_ns != INT64_MAX) row.dur_ns = std::min(row.dur_ns, next_ns - launch.queued_ns);
    to.Add(row);
  }
  if (threads.several())
    to.Note(model::LedgerCode::kRecorderNote, 1, std::nullopt,
            "which thread launched a kernel was not recorded for all: the nearest call that issues work tells it");
}

}  // namespace warpscope::import::capture

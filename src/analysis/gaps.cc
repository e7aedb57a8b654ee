#include "analysis/gaps.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/call_tree.h"
#include "analysis/interval_set.h"

namespace warpscope::analysis {
namespace {

using model::kNone;

constexpr int64_t kShortUnrecordedNs = 50'000;  // between two host rows: framework code that makes no rows
constexpr int64_t kLatencyNs = 30'000;          // an issued item that starts within this waits for nothing else
constexpr size_t kMaxOtherThreads = 4;

struct Piece {
  GapCause cause;
  int64_t dur_ns;
  uint32_t decided;  // row that stands for it; kNone
  uint32_t inner;    // innermost row
};

// Walkers of one rank's threads, made on first use.
class Threads {
 public:
  Threads(const Index& index, uint32_t link_domain) : index_(index) {
    const Rank* rank = index.FindRank(link_domain);
    if (rank == nullptr) return;
    if (rank->main_thread != kNone) others_.push_back(rank->main_thread);
    for (const uint32_t thread : rank->issuing_threads) AddOther(thread);
    for (const uint32_t thread : rank->autograd_threads) AddOther(thread);
  }

  // Cuts [begin, end) by what `thread` did; where it records nothing, by what the others did.
  void Cut(uint32_t thread, int64_t begin_ns, int64_t end_ns, std::vector<Piece>* out) {
    CutFrom(thread, 0, begin_ns, end_ns, out);
  }

 private:
  void AddOther(uint32_t thread) {
    if (others_.size() < kMaxOtherThreads && std::find(others_.begin(), others_.end(), thread) == others_.end()) {
      others_.push_back(thread);
    }
  }

  void CutFrom(uint32_t thread, size_t next_other, int64_t begin_ns, int64_t end_ns, std::vector<Piece>* out) {
    while (next_other < others_.size() && others_[next_other] == thread) ++next_other;
    // One walker a depth: the pieces handed on come in time order.
    SegmentWalker& walker =
        walkers_.try_emplace(uint64_t{thread} << 8 | next_other, index_.trace(), thread).first->second;
    std::vector<Segment> silent;
    walker.Walk(begin_ns, end_ns, [&](const Segment& segment) {
      const HostActivity activity =
          segment.row == kNone ? HostActivity{GapCause::kUnrecorded, kNone} : index_.activity(segment.row);
      if (activity.cause != GapCause::kUnrecorded) {
        out->push_back({activity.cause, segment.end_ns - segment.begin_ns, activity.row, segment.row});
      } else {
        silent.push_back(segment);
      }
    });
    for (const Segment& segment : silent) {
      if (next_other < others_.size() && segment.end_ns - segment.begin_ns >= kShortUnrecordedNs / 10) {
        CutFrom(others_[next_other], next_other + 1, segment.begin_ns, segment.end_ns, out);
        continue;
      }
      const int64_t dur = segment.end_ns - segment.begin_ns;
      const GapCause cause = dur < kShortUnrecordedNs ? GapCause::kDispatch : GapCause::kUnrecorded;
      out->push_back({cause, dur, segment.row, segment.row});
    }
  }

  const Index& index_;
  std::vector<uint32_t> others_;
  std::unordered_map<uint64_t, SegmentWalker> walkers_;
};

// The recorder's own work (buffer requests, flushes), on whichever thread it is recorded.
IntervalSet RecorderSpans(const Index& index) {
  const model::HostTable& host = index.trace().host;
  std::vector<Interval> spans;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != model::HostKind::kOverhead || index.host_label(row) != HostLabel::kProfiler) continue;
    spans.push_back({host.start_ns[row], host.end_ns(row)});
  }
  return IntervalSet(std::move(spans));
}

uint64_t SubjectKey(GapCause cause, model::StringId subject) {
  return uint64_t{static_cast<uint8_t>(cause)} << 32 | subject;
}

struct SubjectSum {
  GapSubject subject;
  int64_t longest_ns = -1;
  uint32_t longest_inner = kNone;
  uint64_t last_gap = UINT64_MAX;
};

class Collector {
 public:
  Collector(const Index& index, const Steps* steps, const GapOptions& options, int64_t threshold_ns, GapSummary* out)
      : index_(index),
        steps_(steps),
        options_(options),
        threshold_ns_(threshold_ns),
        out_(out),
        recorder_(RecorderSpans(index)) {}

  // `after` and `before` as in Gap. Gaps of one rank come in time order.
  void Add(uint32_t device, int64_t begin_ns, int64_t end_ns, uint32_t before, uint32_t after) {
    if (end_ns <= begin_ns) return;
    pieces_.clear();
    Attribute(begin_ns, end_ns, before, after);
    ++count_;
    out_->idle_ns += end_ns - begin_ns;
    for (const Piece& piece : pieces_) {
      out_->by_cause_ns[static_cast<size_t>(piece.cause)] += piece.dur_ns;
      Count(piece);
    }
    if (end_ns - begin_ns < threshold_ns_) {
      ++out_->short_gaps;
      out_->short_gap_ns += end_ns - begin_ns;
      return;
    }
    out_->gap_ns += end_ns - begin_ns;
    List(device, begin_ns, end_ns, before, after);
  }

  // Times start over with each device.
  void BeginDevice() {
    threads_.clear();
    first_step_ = 0;
  }

  void Finish() {
    for (auto& [key, sum] : subjects_) {
      const Caller caller = sum.longest_inner == kNone ? Caller{} : FindCaller(index_, sum.longest_inner);
      if (caller.user_frame != kNone) sum.subject.user_frame = index_.trace().host.name[caller.user_frame];
      out_->subjects.push_back(sum.subject);
    }
    const model::Trace& trace = index_.trace();
    std::sort(out_->subjects.begin(), out_->subjects.end(), [&](const GapSubject& a, const GapSubject& b) {
      if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
      if (a.cause != b.cause) return a.cause < b.cause;
      return trace.Text(a.subject) < trace.Text(b.subject);
    });
    KeepLongest();
  }

 private:
  void Attribute(int64_t begin_ns, int64_t end_ns, uint32_t before, uint32_t after) {
    const model::Trace& trace = index_.trace();
    const uint32_t known = after != kNone ? after : before;
    if (known == kNone) return pieces_.push_back({GapCause::kUnrecorded, end_ns - begin_ns, kNone, kNone});
    const uint32_t domain = trace.GpuDomain(known);
    Threads& threads = threads_.try_emplace(domain, index_, domain).first->second;
    const uint32_t call = after == kNone ? kNone : trace.gpu.call[after];
    if (call == kNone) {
      // The end of the window, or an item without a call: what the main thread did is all there is to say.
      const Rank* rank = index_.FindRank(domain);
      const uint32_t thread = rank == nullptr ? kNone : rank->main_thread;
      return threads.Cut(thread, begin_ns, end_ns, &pieces_);
    }
    const int64_t issued = std::clamp(trace.host.end_ns(call), begin_ns, end_ns);
    if (issued > begin_ns) threads.Cut(trace.host.thread[call], begin_ns, issued, &pieces_);
    if (issued >= end_ns) return;
    // Issued: what is left is the device's own - unless the recorder was getting itself a buffer meanwhile.
    const int64_t device_from = std::max(begin_ns, trace.host.end_ns(call));
    const int64_t recorder = recorder_.LengthWithin(device_from, end_ns);
    if (recorder > 0) pieces_.push_back({GapCause::kProfiler, recorder, kNone, kNone});
    const int64_t wait = end_ns - device_from - recorder;
    if (wait <= 0) return;
    const bool at_once = trace.host.end_ns(call) >= begin_ns - kLatencyNs;
    const int64_t latency = at_once ? std::min(wait, kLatencyNs) : std::min(wait, kLatencyNs / 3);
    pieces_.push_back({GapCause::kLaunchLatency, latency, call, call});
    if (wait > latency) pieces_.push_back({GapCause::kDependency, wait - latency, call, call});
  }

  void Count(const Piece& piece) {
    const model::StringId name = piece.decided == kNone ? model::kNoString : index_.trace().host.name[piece.decided];
    SubjectSum& sum = subjects_[SubjectKey(piece.cause, name)];
    sum.subject.cause = piece.cause;
    sum.subject.subject = name;
    sum.subject.total_ns += piece.dur_ns;
    if (sum.last_gap != count_) ++sum.subject.gaps;
    sum.last_gap = count_;
    if (piece.dur_ns > sum.longest_ns) {
      sum.longest_ns = piece.dur_ns;
      sum.longest_inner = piece.inner;
      sum.subject.row = piece.decided;
    }
  }

  void List(uint32_t device, int64_t begin_ns, int64_t end_ns, uint32_t before, uint32_t after) {
    const model::Trace& trace = index_.trace();
    Gap gap;
    gap.device = device;
    gap.begin_ns = begin_ns;
    gap.end_ns = end_ns;
    gap.before = before;
    gap.after = after;
    gap.call = after == kNone ? kNone : trace.gpu.call[after];
    gap.thread = gap.call == kNone ? kNone : trace.host.thread[gap.call];
    gap.step = StepAt(begin_ns + (end_ns - begin_ns) / 2);
    gap.parts = MergedParts();
    gap.cause = gap.parts.empty() ? GapCause::kUnrecorded : gap.parts.front().cause;
    out_->gaps.push_back(std::move(gap));
    // Bounded memory on hostile input: drop the shorter half once twice too many are held.
    if (out_->gaps.size() >= 2 * std::max<size_t>(options_.max_gaps, 1)) KeepLongest();
  }

  std::vector<GapPart> MergedParts() const {
    struct Sum {
      GapPart part;
      int64_t longest_ns;
    };
    std::vector<Sum> sums;
    for (const Piece& piece : pieces_) {
      const model::StringId name = piece.decided == kNone ? model::kNoString : index_.trace().host.name[piece.decided];
      auto it = std::find_if(sums.begin(), sums.end(),
                             [&](const Sum& s) { return s.part.cause == piece.cause && s.part.subject == name; });
      if (it == sums.end() && sums.size() < 64) it = sums.insert(it, {{piece.cause, 0, name, piece.inner}, -1});
      // Past 64 different subjects in one gap, the rest joins its cause.
      if (it == sums.end())
        it = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.part.cause == piece.cause; });
      if (it == sums.end()) it = sums.insert(it, {{piece.cause, 0, model::kNoString, piece.inner}, -1});
      it->part.dur_ns += piece.dur_ns;
      if (piece.dur_ns > it->longest_ns) {
        it->longest_ns = piece.dur_ns;
        it->part.row = piece.inner;
      }
    }
    std::vector<GapPart> parts;
    for (const Sum& sum : sums) parts.push_back(sum.part);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const GapPart& a, const GapPart& b) { return a.dur_ns > b.dur_ns; });
    return parts;
  }

  // Steps on the device end with their last item. Gaps come in time order, so the search goes on where it ended.
  uint32_t StepAt(int64_t time_ns) {
    if (steps_ == nullptr) return kNone;
    for (; first_step_ < steps_->steps.size(); ++first_step_) {
      const Step& step = steps_->steps[first_step_];
      const int64_t end = step.gpu_end_ns > step.begin_ns ? step.gpu_end_ns : step.end_ns;
      if (time_ns < end) return static_cast<uint32_t>(first_step_);
    }
    return kNone;
  }

  void KeepLongest() {
    std::vector<Gap>& gaps = out_->gaps;
    const auto earlier = [](const Gap& a, const Gap& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.device < b.device;
    };
    if (gaps.size() > options_.max_gaps) {
      std::sort(gaps.begin(), gaps.end(), [&](const Gap& a, const Gap& b) {
        return a.dur_ns() != b.dur_ns() ? a.dur_ns() > b.dur_ns() : earlier(a, b);
      });
      gaps.resize(options_.max_gaps);
    }
    std::sort(gaps.begin(), gaps.end(), earlier);
  }

  const Index& index_;
  const Steps* steps_;
  const GapOptions& options_;
  const int64_t threshold_ns_;
  GapSummary* out_;
  const IntervalSet recorder_;
  size_t first_step_ = 0;
  uint64_t count_ = 0;
  std::vector<Piece> pieces_;
  std::unordered_map<uint32_t, Threads> threads_;
  std::unordered_map<uint64_t, SubjectSum> subjects_;
};

// Idle stretches of one device, in time order.
void ScanDevice(const model::Trace& trace, uint32_t device, const Scope& scope, Collector* out) {
  int64_t busy_until = scope.window.begin_ns;
  uint32_t last = kNone;
  const auto& gpu = trace.gpu;
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    const model::Stream& stream = trace.streams[gpu.stream[row]];
    if (stream.device != device || (scope.link_domain && stream.link_domain != *scope.link_domain)) continue;
    if (gpu.start_ns[row] >= scope.window.end_ns) {
      // The window ends inside the gap before this item.
      if (busy_until != INT64_MIN) out->Add(device, busy_until, scope.window.end_ns, last, row);
      return;
    }
    if (busy_until != INT64_MIN && gpu.start_ns[row] > busy_until)
      out->Add(device, busy_until, gpu.start_ns[row], last, row);
    if (busy_until == INT64_MIN || gpu.end_ns(row) > busy_until) {
      busy_until = std::max(gpu.end_ns(row), busy_until);
      last = row;
    }
  }
  if (busy_until != INT64_MIN && scope.window.end_ns != INT64_MAX)
    out->Add(device, busy_until, scope.window.end_ns, last, kNone);
}

std::vector<uint32_t> DevicesInScope(const Index& index, const Scope& scope) {
  std::vector<uint32_t> devices;
  for (const Rank& rank : index.ranks()) {
    if (scope.link_domain && rank.link_domain != *scope.link_domain) continue;
    for (const uint32_t device : rank.devices) {
      if (!scope.device || device == *scope.device) devices.push_back(device);
    }
  }
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

}  // namespace

GapSummary FindGaps(const Index& index, const Scope& scope, const Steps* steps, const GapOptions& options) {
  GapSummary out;
  out.threshold_ns = options.threshold_ns;
  if (out.threshold_ns <= 0) {
    out.threshold_ns = 20'000;
    if (steps != nullptr)
      out.threshold_ns = std::max(out.threshold_ns, static_cast<int64_t>(steps->median_ms * 1e6 * 0.001));
  }
  const std::vector<uint32_t> devices = DevicesInScope(index, scope);
  Collector collector(index, steps, options, out.threshold_ns, &out);
  for (const uint32_t device : devices) {
    collector.BeginDevice();
    ScanDevice(index.trace(), device, scope, &collector);
  }
  collector.Finish();
  if (steps != nullptr && steps->counted() > 0 && !devices.empty()) {
    out.idle_per_step_ms = static_cast<double>(out.idle_ns) / 1e6 / std::max(steps->equivalents(), 1.0) /
                           static_cast<double>(devices.size());
  }
  return out;
}

}  // namespace warpscope::analysis

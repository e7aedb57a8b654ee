#include "import/capture/host_spans.h"

#include <algorithm>
#include <tuple>

namespace warpscope::import::capture {

bool ComesBefore(const HostSpan& a, const HostSpan& b) {
  return std::tie(a.thread, a.start_ns, a.depth, a.end_ns) < std::tie(b.thread, b.start_ns, b.depth, b.end_ns);
}

bool HostSpans::Define(uint64_t ref, uint64_t parent, model::StringId name, bool native) {
  SampledFrame frame{parent, 1, name, native};
  if (ref == 0 || frames_.Find(ref) != nullptr) return false;
  if (parent != 0) {
    const SampledFrame* outer = frames_.Find(parent);
    if (outer == nullptr || outer->depth >= kMostDepth) return false;
    frame.depth = outer->depth + 1;
  }
  frames_.Set(ref, frame);
  return true;
}

void HostSpans::Close(uint32_t number, Thread& thread, size_t keep, int64_t end_ns) {
  while (thread.frames.size() > keep) {
    const OpenSpan span = thread.frames.back();
    thread.frames.pop_back();
    const SampledFrame& frame = *frames_.Find(span.frame);
    if (end_ns > span.start_ns)
      sink_({frame.native ? model::HostKind::kNative : model::HostKind::kPython, number, frame.name, span.start_ns,
             end_ns, static_cast<uint32_t>(thread.frames.size()) + 1, frame.native, span.seen_ns, thread.last.time_ns});
  }
}

void HostSpans::CloseWait(uint32_t number, Thread& thread, int64_t end_ns) {
  if (thread.wait.frame != 0 && end_ns > thread.wait.start_ns)
    sink_({model::HostKind::kOsCall, number, static_cast<model::StringId>(thread.wait.frame), thread.wait.start_ns,
           end_ns, UINT32_MAX, false, 0, 0});
  thread.wait = {0, 0};
}

bool HostSpans::Add(uint32_t number, const HostSample& sample) {
  Thread& thread = threads_[number];
  const int64_t half_ns = period_ns_ / 2;
  if (thread.has_last && sample.time_ns < thread.last.time_ns) return false;
  if (sample.state == wire::kUnseen) {
    if (!thread.has_last) return true;
    const int64_t end_ns = thread.last.time_ns + half_ns;
    CloseWait(number, thread, end_ns);
    Close(number, thread, 0, end_ns);
    thread.has_last = false;
    thread.free_from_ns = end_ns;
    return true;
  }
  int64_t end_ns = 0, start_ns = std::max(sample.time_ns - half_ns, thread.free_from_ns);
  if (thread.has_last) {
    const int64_t distance_ns = sample.time_ns - thread.last.time_ns;
    const bool near = distance_ns <= 2 * period_ns_;
    end_ns = thread.last.time_ns + (near ? distance_ns / 2 : half_ns);
    start_ns = near ? end_ns : start_ns;
  }
  std::vector<uint64_t> wanted;  // innermost first
  for (uint64_t at = sample.frame; at != 0;) {
    const SampledFrame* frame = frames_.Find(at);
    if (frame == nullptr) break;  // its definition was lost: the frames inside it stand alone
    wanted.push_back(at);
    at = frame->parent;
  }
  std::reverse(wanted.begin(), wanted.end());
  size_t same = 0;
  while (same < wanted.size() && same < thread.frames.size() && thread.frames[same].frame == wanted[same]) ++same;
  const bool waits_on = sample.state == wire::kStillWaiting && same == wanted.size() && same == thread.frames.size() &&
                        thread.wait.frame == sample.call;
  if (!waits_on) CloseWait(number, thread, end_ns);
  Close(number, thread, same, end_ns);
  for (size_t i = same; i < wanted.size(); ++i) thread.frames.push_back({wanted[i], start_ns, sample.time_ns});
  const bool waits = sample.state == wire::kWaiting || sample.state == wire::kStillWaiting;
  if (!waits_on && waits && sample.call != model::kNoString) thread.wait = {sample.call, start_ns};
  thread.last = sample;
  thread.has_last = true;
  return true;
}

void HostSpans::Finish() {
  std::vector<uint32_t> numbers;  // in order: the same input gives the same rows
  for (const auto& [number, thread] : threads_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (const uint32_t number : numbers) {
    HostSample end;
    end.state = wire::kUnseen;
    end.time_ns = threads_[number].last.time_ns;
    Add(number, end);
  }
}

}  // namespace warpscope::import::capture

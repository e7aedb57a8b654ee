// HostSpans: samples of a thread's stack -> spans of its frames and of its waits.
// [one thread]
//
// A frame that consecutive samples share is one span. Nothing is known between two samples, so a span that is in one
// and not in the next ends half way between them: each edge is off by at most half the distance, and spans never
// overlap. A function that returned and was called again between two samples looks like one call. A wait goes on as
// long as the recorder says that the thread has not run in between.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "import/capture/ref_table.h"
#include "model/trace.h"
#include "wire/format.h"

namespace warpscope::import::capture {

struct SampledFrame {
  uint64_t parent = 0;  // 0: outermost
  uint32_t depth = 0;   // 1: outermost
  model::StringId name = model::kNoString;
  bool native = false;
};

struct HostSample {
  int64_t time_ns = 0;
  wire::ThreadState state = wire::kOnCpu;
  model::StringId call = model::kNoString;  // that it waits in
  uint64_t frame = 0;                       // innermost; 0: none
};

struct HostSpan {
  model::HostKind kind = model::HostKind::kPython;
  uint32_t thread = 0;
  model::StringId name = model::kNoString;
  int64_t start_ns = 0, end_ns = 0;
  uint32_t depth = 0;   // of the frame, 1: outermost; a wait lies inside all
  bool native = false;  // of frames: C or C++
  // Of frames: the first and the last sample that saw it.
  int64_t first_seen_ns = 0, last_seen_ns = 0;
};

// Order in which rows are appended, so that of two equal ones the outer comes first: by thread, start, depth.
bool ComesBefore(const HostSpan& a, const HostSpan& b);

class HostSpans {
 public:
  static constexpr uint32_t kMostDepth = 256;  // the recorder keeps 128 of Python and 120 native ones on top

  explicit HostSpans(std::function<void(const HostSpan&)> sink) : sink_(std::move(sink)) {}

  // False: its parent is not known, or too deep. A frame is defined once, after its parent.
  bool Define(uint64_t ref, uint64_t parent, model::StringId name, bool native = false);
  void SetPeriod(int64_t period_ns) { period_ns_ = period_ns; }
  int64_t period_ns() const { return period_ns_; }
  // REQUIRES: times within 2^62. False: before the thread's last sample; it is left out.
  bool Add(uint32_t thread, const HostSample& sample);
  void Finish();

 private:
  struct OpenSpan {
    uint64_t frame;
    int64_t start_ns;
    int64_t seen_ns = 0;
  };
  struct Thread {
    std::vector<OpenSpan> frames;  // outermost first
    OpenSpan wait{0, 0};           // frame: the call's name; 0: none
    HostSample last;
    bool has_last = false;
    int64_t free_from_ns = INT64_MIN;  // nothing may begin before
  };
  void Close(uint32_t number, Thread& thread, size_t keep, int64_t end_ns);
  void CloseWait(uint32_t number, Thread& thread, int64_t end_ns);

  std::function<void(const HostSpan&)> sink_;
  RefTable<SampledFrame> frames_;
  std::unordered_map<uint32_t, Thread> threads_;
  int64_t period_ns_ = 0;
};

}  // namespace warpscope::import::capture

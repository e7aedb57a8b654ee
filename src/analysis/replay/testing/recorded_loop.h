// RecordedLoop: writes the trace that a simple program would leave, with a clock per thread and stream: launches at
// call end + 2 us, 1 us between queued kernels, 8 us from the end of awaited work to the return. Header-only; never
// linked into the product.
// [one thread]
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "analysis/steps.h"
#include "model/testing/trace_builder.h"

namespace warpscope::analysis::replay::testing {

class RecordedLoop {
 public:
  static constexpr int64_t kLatencyNs = 2'000, kGapNs = 1'000, kReturnNs = 8'000, kCallNs = 5'000;

  void BeginStep() {
    Step step;
    step.begin_ns = host_;
    step.label = "ProfilerStep#" + std::to_string(steps_.steps.size());
    step.thread = builder.ThreadRow(1);
    steps_.steps.push_back(step);
  }
  void Host(int64_t ns) { host_ += ns; }
  uint64_t Launch(const std::string& kernel, int64_t gap_ns, int64_t dur_ns, int64_t stream = 7) {
    host_ += gap_ns;
    const int64_t call = host_;
    host_ += kCallNs;
    return builder.Launch(kernel, call, kCallNs, Enqueue(stream, dur_ns), dur_ns, stream);
  }
  // A copy from pageable memory that holds its caller.
  uint64_t PageableCopy(int64_t gap_ns, int64_t dur_ns, int64_t stream = 7) {
    host_ += gap_ns;
    const int64_t call = host_;
    const int64_t start = std::max(call + 10'000, stream_[stream] + kGapNs);
    stream_[stream] = start + dur_ns;
    host_ = start + dur_ns + 3'000;
    return builder.LaunchCopy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable, model::MemoryKind::kDevice,
                              static_cast<uint64_t>(dur_ns), call, host_ - call, start, dur_ns, stream);
  }
  // A copy from pinned memory; its caller goes on.
  uint64_t PinnedCopy(int64_t gap_ns, int64_t dur_ns, int64_t stream = 7) {
    host_ += gap_ns;
    const int64_t call = host_;
    host_ += kCallNs;
    return builder.LaunchCopy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice,
                              static_cast<uint64_t>(dur_ns), call, kCallNs, Enqueue(stream, dur_ns), dur_ns, stream);
  }
  void Call(const std::string& name, int64_t gap_ns, int64_t dur_ns) {
    host_ += gap_ns;
    builder.AddCall(name, host_, dur_ns);
    host_ += dur_ns;
  }
  void DeviceSync(int64_t gap_ns = 1'000) {
    int64_t last = 0;
    for (const auto& [stream, end] : stream_) last = std::max(last, end);
    WaitUntil("cudaDeviceSynchronize", gap_ns, last);
  }
  void StreamSync(int64_t stream = 7, int64_t gap_ns = 1'000) {
    WaitUntil("cudaStreamSynchronize", gap_ns, stream_[stream]);
  }

  // The stream stands still from now on, for a reason that nothing recorded tells.
  void Delay(int64_t ns, int64_t stream = 7) { stream_[stream] = std::max(host_, stream_[stream]) + ns; }

  int64_t now() const { return host_; }

  model::Trace& Finish() {
    auto& steps = steps_.steps;
    for (size_t i = 0; i < steps.size(); ++i) steps[i].end_ns = i + 1 < steps.size() ? steps[i + 1].begin_ns : host_;
    steps_.source = StepSource::kProfilerStep;
    steps_.window_begin_ns = steps.front().begin_ns;
    steps_.window_end_ns = host_;
    return builder.Finish();
  }
  const Steps& steps() const { return steps_; }

  model::testing::TraceBuilder builder;
  int64_t return_ns = kReturnNs;  // less than 0: the device's clock is ahead of the host's

 private:
  int64_t Enqueue(int64_t stream, int64_t dur_ns) {
    int64_t& end = stream_[stream];
    const int64_t start = std::max(host_ + kLatencyNs, end + kGapNs);
    end = start + dur_ns;
    return start;
  }
  void WaitUntil(const char* name, int64_t gap_ns, int64_t end) {
    host_ += gap_ns;
    const int64_t call = host_;
    host_ = std::max(call + 3'000, end + return_ns);
    builder.AddCall(name, call, host_ - call);
  }

  Steps steps_;
  int64_t host_ = 1'000'000;
  std::map<int64_t, int64_t> stream_;
};

}  // namespace warpscope::analysis::replay::testing

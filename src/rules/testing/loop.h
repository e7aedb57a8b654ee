// Loop: writes the trace of a training loop step by step, with a host clock and one device queue, so that a test
// describes a program and not timestamps. Header-only; for tests.
// [one thread] Times are ns. Every launch starts when both its call has returned and the device is free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/testing/trace_builder.h"

namespace warpscope::rules::testing {

inline constexpr int64_t kUs = 1'000, kMs = 1'000'000;
inline constexpr uint64_t kMiB = 1 << 20;

class Loop {
 public:
  using CopyKind = model::CopyKind;
  using MemoryKind = model::MemoryKind;

  Loop() {
    model::Device& device = builder.device();
    device.name = "NVIDIA H200";
    device.cc_major = 9, device.cc_minor = 0;
    device.sm_count = 132;
    device.max_threads_per_sm = 2048, device.registers_per_sm = 65536, device.shared_bytes_per_sm = 233472;
    builder.trace().sources.back().with_stack = false;
  }

  // A step: `body()` moves the clock; the marker is put around it.
  template <typename F>
  Loop& Steps(int count, const F& body) {
    for (int i = 0; i < count; ++i) {
      const int64_t begin = now;
      body(i);
      builder.AddAnnotation("ProfilerStep#" + std::to_string(step_++), begin, now - begin);
    }
    return *this;
  }
  // A span around what `body()` does.
  template <typename F>
  Loop& Python(std::string_view frame, const F& body) {
    const int64_t begin = now;
    now += kUs;  // no two spans are equal
    body();
    builder.AddPython(frame, begin, now - begin);
    return *this;
  }
  template <typename F>
  Loop& Op(std::string_view name, const F& body) {
    const int64_t begin = now;
    body();
    builder.AddOp(name, begin, now - begin);
    return *this;
  }
  template <typename F>
  Loop& Range(std::string_view name, const F& body) {
    const int64_t begin = now;
    body();
    builder.AddAnnotation(name, begin, now - begin);
    return *this;
  }
  Loop& Work(int64_t ns) {  // host work that leaves no row
    now += ns;
    return *this;
  }
  Loop& PythonWork(std::string_view frame, int64_t ns) {
    return Python(frame, [&] { now += ns; });
  }
  Loop& CpuOp(std::string_view name, int64_t ns) {
    return Op(name, [&] { now += ns; });
  }

  Loop& Kernels(int count, int64_t dur_ns, int64_t host_ns = 10 * kUs, std::string_view name = "kernel",
                const model::LaunchConfig& config = model::testing::TraceBuilder::DefaultConfig()) {
    for (int i = 0; i < count; ++i) {
      const int64_t call = now, call_ns = std::min<int64_t>(5 * kUs, host_ns);
      const int64_t start = std::max(call + call_ns + 2 * kUs, free + kUs);
      builder.Launch(name, call, call_ns, start, dur_ns, 7, config);
      free = start + dur_ns;
      now += host_ns;
    }
    return *this;
  }
  // blocking: the call returns when the copy is over.
  Loop& Copy(CopyKind kind, MemoryKind src, MemoryKind dst, uint64_t bytes, int64_t dur_ns, bool blocking) {
    const int64_t start = std::max(now + 6 * kUs, free + kUs);
    free = start + dur_ns;
    const int64_t call_ns = blocking ? free + 5 * kUs - now : 8 * kUs;
    builder.LaunchCopy(kind, src, dst, bytes, now, call_ns, start, dur_ns);
    now += call_ns + 2 * kUs;
    return *this;
  }
  Loop& Upload(uint64_t bytes, int64_t dur_ns, bool pinned) {
    return Copy(CopyKind::kHostToDevice, pinned ? MemoryKind::kPinned : MemoryKind::kPageable, MemoryKind::kDevice,
                bytes, dur_ns, !pinned);
  }
  Loop& Download(uint64_t bytes, int64_t dur_ns, bool pinned = false) {
    return Copy(CopyKind::kDeviceToHost, MemoryKind::kDevice, pinned ? MemoryKind::kPinned : MemoryKind::kPageable,
                bytes, dur_ns, !pinned);
  }
  // A call that waits for the device, or lasts `ns` if nothing runs.
  Loop& Sync(std::string_view call = "cudaStreamSynchronize", int64_t ns = 5 * kUs) {
    const int64_t end = std::max(now + ns, free + 8 * kUs);
    builder.AddCall(call, now, end - now, 1'000'000 + now);
    now = end + 2 * kUs;
    return *this;
  }
  Loop& Call(std::string_view name, int64_t ns) {
    builder.AddCall(name, now, ns, 1'000'000 + now);
    now += ns + 2 * kUs;
    return *this;
  }
  // x.item(): a few bytes back and a wait.
  Loop& Item() {
    return Op("aten::item", [&] {
      Copy(CopyKind::kDeviceToHost, MemoryKind::kDevice, MemoryKind::kPinned, 4, kUs, false);
      Sync();
    });
  }

  model::testing::TraceBuilder builder;
  int64_t now = kMs;
  int64_t free = 0;  // the device's queue is done at this time

 private:
  int step_ = 1;
};

}  // namespace warpscope::rules::testing

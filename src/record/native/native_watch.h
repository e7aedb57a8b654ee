// NativeWatch: where a thread runs, told by the kernel each time that it has used the processor for a period: its
// registers and the inner part of its stack, as they are at that moment.
// [one thread]
//
// One perf event a thread (software CPU clock with PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER), opened and read
// from outside. It fires only while the thread runs, so one that waits costs nothing. Needs kernel.perf_event_paranoid
// <= 2 (or CAP_PERFMON), perf_event_open not filtered (seccomp of some containers).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/host/perf_ring.h"
#include "record/native/registers.h"

namespace warpscope::record::native {

struct NativeSample {
  int64_t time_ns = 0;  // epoch
  Registers registers;
  std::string_view stack;  // from the stack pointer on; of the caller's buffer
};

class NativeWatch {
 public:
  // Null: not permitted or no memory for the ring; `error` is then errno. ENOTSUP: not this processor.
  static std::unique_ptr<NativeWatch> Open(int tid, int64_t period_ns, int* error);
  NativeWatch(const NativeWatch&) = delete;
  NativeWatch& operator=(const NativeWatch&) = delete;

  void SetPeriod(int64_t period_ns);
  // The newest sample since the last call; it lives as long as `buffer` is not changed. False: none.
  bool Newest(std::vector<uint8_t>* buffer, NativeSample* out);

 private:
  NativeWatch(std::unique_ptr<host::PerfRing> ring, int64_t period_ns)
      : ring_(std::move(ring)), period_ns_(period_ns) {}

  std::unique_ptr<host::PerfRing> ring_;
  int64_t period_ns_;
};

// What a reader of the ring does with its bytes; apart for tests. False: no whole sample in them. `clock_offset_ns` is
// added to its time.
bool ParseNewestSample(std::string_view bytes, int64_t clock_offset_ns, NativeSample* out);

// Why native stacks are missing and what to change; for errno of Open().
std::string NativeRefusal(int error);

}  // namespace warpscope::record::native

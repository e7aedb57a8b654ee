// SwitchWatch: when the kernel took a thread off the CPU and put it on again, to the nanosecond.
// [one thread]
//
// One perf event a thread (software dummy, context_switch), read from outside: the kernel writes a record of 24 bytes a
// switch into a ring of its own. No event is inherited and none counts, so a thread pays for its own switches only.
// Needs kernel.perf_event_paranoid <= 2 (or CAP_PERFMON), perf_event_open not filtered (seccomp of some containers).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "record/host/perf_ring.h"

namespace warpscope::record::host {

struct Switch {
  enum class Kind : uint8_t { kOn, kBlocked, kPreempted };
  int64_t time_ns = 0;  // epoch
  Kind kind = Kind::kOn;
};

class SwitchWatch {
 public:
  // Null: not permitted or no memory for the ring; `error` is then errno.
  static std::unique_ptr<SwitchWatch> Open(int tid, int* error);
  SwitchWatch(const SwitchWatch&) = delete;
  SwitchWatch& operator=(const SwitchWatch&) = delete;

  // Whether there is something to drain: one look at memory, no system call.
  bool HasNews() const { return ring_->HasNews(); }
  // Appends what happened since the last call. False: records were lost in between (the ring was full).
  bool Drain(std::vector<Switch>* out);

 private:
  explicit SwitchWatch(std::unique_ptr<PerfRing> ring) : ring_(std::move(ring)) {}

  std::unique_ptr<PerfRing> ring_;
};

// What a reader of the ring does with its bytes; apart for tests. `clock_offset_ns` is added to every time. Returns
// false where a record tells of lost ones.
bool ParseSwitches(const uint8_t* bytes, size_t size_bytes, int64_t clock_offset_ns, std::vector<Switch>* out);

// Why it is missing and what to change; for errno of Open().
std::string SwitchRefusal(int error);

}  // namespace warpscope::record::host

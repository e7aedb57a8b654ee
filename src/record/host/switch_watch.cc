#include "record/host/switch_watch.h"

#include <linux/perf_event.h>

#include <cstring>
#include <utility>

#include "record/host/perf_refusal.h"

namespace warpscope::record::host {

std::unique_ptr<SwitchWatch> SwitchWatch::Open(int tid, int* error) {
  perf_event_attr wanted;
  std::memset(&wanted, 0, sizeof(wanted));
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_DUMMY;
  wanted.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  wanted.sample_id_all = 1;
  wanted.context_switch = 1;
  wanted.exclude_kernel = 1;
  std::unique_ptr<PerfRing> ring = PerfRing::Open(wanted, tid, error);
  return ring == nullptr ? nullptr : std::unique_ptr<SwitchWatch>(new SwitchWatch(std::move(ring)));
}

bool SwitchWatch::Drain(std::vector<Switch>* out) {
  if (!HasNews()) return true;
  std::vector<uint8_t> bytes;
  ring_->Drain(&bytes);
  return ParseSwitches(bytes.data(), bytes.size(), EpochMinusMonotonicNs(), out);
}

bool ParseSwitches(const uint8_t* bytes, size_t size_bytes, int64_t clock_offset_ns, std::vector<Switch>* out) {
  bool whole = true;
  for (size_t at = 0; at + sizeof(perf_event_header) <= size_bytes;) {
    perf_event_header header;
    std::memcpy(&header, bytes + at, sizeof(header));
    if (header.size < sizeof(header) || header.size > size_bytes - at) return false;
    whole &= header.type != PERF_RECORD_LOST && header.type != PERF_RECORD_THROTTLE;
    constexpr size_t kIdBytes = 16;  // pid, tid, time
    if (header.type == PERF_RECORD_SWITCH && header.size >= sizeof(header) + kIdBytes) {
      uint64_t time = 0;
      std::memcpy(&time, bytes + at + header.size - sizeof(time), sizeof(time));
      const bool off = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
      const bool preempted = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      out->push_back({static_cast<int64_t>(time) + clock_offset_ns, !off        ? Switch::Kind::kOn
                                                                    : preempted ? Switch::Kind::kPreempted
                                                                                : Switch::Kind::kBlocked});
    }
    at += header.size;
  }
  return whole;
}

std::string SwitchRefusal(int error) { return "waits of threads are sampled and not exact: " + PerfRefusal(error); }

}  // namespace warpscope::record::host

#include "record/host/switch_watch.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "record/host/perf_refusal.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kDataPages = 4;  // a power of two
constexpr uint64_t kSampleFields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

size_t PageBytes() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

// The ring is written with the monotonic clock. Read with the other before and after: half way is nearest.
int64_t EpochMinusMonotonicNs() {
  timespec before{}, epoch{}, after{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  clock_gettime(CLOCK_REALTIME, &epoch);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const auto ns = [](const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
  return ns(epoch) - (ns(before) + (ns(after) - ns(before)) / 2);
}

}  // namespace

std::unique_ptr<SwitchWatch> SwitchWatch::Open(int tid, int* error) {
  perf_event_attr wanted;
  std::memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_DUMMY;
  wanted.sample_type = kSampleFields;
  wanted.sample_id_all = 1;
  wanted.context_switch = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.use_clockid = 1;
  wanted.clockid = CLOCK_MONOTONIC;
  const int file = static_cast<int>(::syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file < 0) {
    *error = errno;
    return nullptr;
  }
  void* ring = ::mmap(nullptr, (1 + kDataPages) * PageBytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (ring == MAP_FAILED) {
    *error = errno;
    ::close(file);
    return nullptr;
  }
  return std::unique_ptr<SwitchWatch>(new SwitchWatch(file, ring));
}

SwitchWatch::~SwitchWatch() {
  ::munmap(ring_, (1 + kDataPages) * PageBytes());
  ::close(file_);
}

bool SwitchWatch::HasNews() const {
  const auto* page = static_cast<const perf_event_mmap_page*>(ring_);
  return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) != page->data_tail;
}

bool SwitchWatch::Drain(std::vector<Switch>* out) {
  auto* page = static_cast<perf_event_mmap_page*>(ring_);
  const size_t size = kDataPages * PageBytes();
  const auto* data = static_cast<const uint8_t*>(ring_) + PageBytes();
  const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  const uint64_t tail = page->data_tail;
  const auto waiting = static_cast<size_t>(std::min<uint64_t>(head - tail, size));
  if (waiting == 0) return true;
  std::vector<uint8_t> bytes(waiting);
  for (size_t i = 0; i < waiting;) {
    const size_t from = static_cast<size_t>((tail + i) % size), part = std::min(waiting - i, size - from);
    std::memcpy(bytes.data() + i, data + from, part);
    i += part;
  }
  __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
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

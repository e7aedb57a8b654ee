#include "record/host/perf_ring.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace warpscope::record::host {
namespace {

constexpr size_t kDataPages = 4;  // a power of two; two samples of native_watch.cc have room

size_t PageBytes() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

std::unique_ptr<PerfRing> PerfRing::Open(perf_event_attr wanted, int tid, int* error) {
  wanted.size = sizeof(wanted);
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
  return std::unique_ptr<PerfRing>(new PerfRing(file, ring));
}

PerfRing::~PerfRing() {
  ::munmap(ring_, (1 + kDataPages) * PageBytes());
  ::close(file_);
}

bool PerfRing::HasNews() const {
  const auto* page = static_cast<const perf_event_mmap_page*>(ring_);
  return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) != page->data_tail;
}

void PerfRing::Drain(std::vector<uint8_t>* bytes) {
  auto* page = static_cast<perf_event_mmap_page*>(ring_);
  const size_t size = kDataPages * PageBytes();
  const auto* data = static_cast<const uint8_t*>(ring_) + PageBytes();
  const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  const uint64_t tail = page->data_tail;
  const auto waiting = static_cast<size_t>(std::min<uint64_t>(head - tail, size));
  bytes->resize(waiting);
  for (size_t i = 0; i < waiting;) {
    const size_t from = static_cast<size_t>((tail + i) % size), part = std::min(waiting - i, size - from);
    std::memcpy(bytes->data() + i, data + from, part);
    i += part;
  }
  __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

// Read with the other before and after: half way is nearest.
int64_t EpochMinusMonotonicNs() {
  timespec before{}, epoch{}, after{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  clock_gettime(CLOCK_REALTIME, &epoch);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const auto ns = [](const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
  return ns(epoch) - (ns(before) + (ns(after) - ns(before)) / 2);
}

}  // namespace warpscope::record::host

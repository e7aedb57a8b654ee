#include "record/native/native_watch.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "record/host/perf_refusal.h"
#include "record/native/cfi.h"

namespace warpscope::record::native {
namespace {

// Of the stack, what the kernel copies at a sample: the rest is read from the program afterwards. Two samples have
// room.
constexpr uint32_t kStackBytes = 7168;
constexpr size_t kDataPages = 4;  // a power of two
constexpr uint64_t kSampleFields = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

// perf's numbers of x86-64 registers (asm/perf_regs.h) in their order, as DWARF numbers; kRegisters: of no use.
constexpr uint64_t kWantedRegisters = 0xff01ff;
constexpr unsigned kDwarfOfPerf[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};

size_t PageBytes() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

int64_t EpochMinusMonotonicNs() {
  timespec before{}, epoch{}, after{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  clock_gettime(CLOCK_REALTIME, &epoch);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const auto ns = [](const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
  return ns(epoch) - (ns(before) + (ns(after) - ns(before)) / 2);
}

int OpenEvent(int tid, int64_t period_ns, bool with_kernel) {
  perf_event_attr wanted;
  std::memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_CPU_CLOCK;
  wanted.sample_period = static_cast<uint64_t>(period_ns);
  wanted.sample_type = kSampleFields;
  wanted.sample_regs_user = kWantedRegisters;
  wanted.sample_stack_user = kStackBytes;
  // Time in system calls and page faults belongs to the function that made them; only some users may ask for it.
  wanted.exclude_kernel = with_kernel ? 0 : 1;
  wanted.exclude_hv = 1;
  wanted.use_clockid = 1;
  wanted.clockid = CLOCK_MONOTONIC;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// One PERF_RECORD_SAMPLE behind its header: time, ABI, registers, size of the stack, its bytes, how many are valid.
bool ParseSample(std::string_view bytes, int64_t clock_offset_ns, NativeSample* out) {
  Cursor in(bytes);
  NativeSample sample;
  sample.time_ns = static_cast<int64_t>(in.Unsigned(8) + static_cast<uint64_t>(clock_offset_ns));
  if (in.Unsigned(8) != PERF_SAMPLE_REGS_ABI_64) return false;  // a thread of the kernel, or a 32-bit program
  for (const unsigned number : kDwarfOfPerf) sample.registers.Set(number, in.Unsigned(8));
  const uint64_t size = in.Unsigned(8);
  const std::string_view stack = in.Take(size);
  const uint64_t valid = size == 0 ? 0 : in.Unsigned(8);
  if (!in.ok()) return false;
  sample.stack = stack.substr(0, static_cast<size_t>(std::min<uint64_t>(valid, stack.size())));
  *out = sample;
  return true;
}

}  // namespace

std::unique_ptr<NativeWatch> NativeWatch::Open(int tid, int64_t period_ns, int* error) {
#if defined(__x86_64__)
  int file = OpenEvent(tid, period_ns, true);
  if (file < 0) file = OpenEvent(tid, period_ns, false);
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
  return std::unique_ptr<NativeWatch>(new NativeWatch(file, ring, period_ns));
#else
  (void)tid, (void)period_ns, (void)OpenEvent;
  *error = ENOTSUP;
  return nullptr;
#endif
}

NativeWatch::~NativeWatch() {
  ::munmap(ring_, (1 + kDataPages) * PageBytes());
  ::close(file_);
}

void NativeWatch::SetPeriod(int64_t period_ns) {
  if (period_ns == period_ns_) return;
  auto wanted = static_cast<uint64_t>(period_ns);
  ::ioctl(file_, PERF_EVENT_IOC_PERIOD, &wanted);
  period_ns_ = period_ns;
}

bool NativeWatch::Newest(std::vector<uint8_t>* buffer, NativeSample* out) {
  auto* page = static_cast<perf_event_mmap_page*>(ring_);
  const size_t size = kDataPages * PageBytes();
  const auto* data = static_cast<const uint8_t*>(ring_) + PageBytes();
  const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  const uint64_t tail = page->data_tail;
  const auto waiting = static_cast<size_t>(std::min<uint64_t>(head - tail, size));
  if (waiting == 0) return false;
  buffer->resize(waiting);
  for (size_t i = 0; i < waiting;) {
    const size_t from = static_cast<size_t>((tail + i) % size), part = std::min(waiting - i, size - from);
    std::memcpy(buffer->data() + i, data + from, part);
    i += part;
  }
  __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
  return ParseNewestSample({reinterpret_cast<const char*>(buffer->data()), buffer->size()}, EpochMinusMonotonicNs(),
                           out);
}

bool ParseNewestSample(std::string_view bytes, int64_t clock_offset_ns, NativeSample* out) {
  bool found = false;
  while (bytes.size() >= sizeof(perf_event_header)) {
    perf_event_header header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.size < sizeof(header) || header.size > bytes.size()) break;
    if (header.type == PERF_RECORD_SAMPLE)
      found |= ParseSample(bytes.substr(sizeof(header), header.size - sizeof(header)), clock_offset_ns, out);
    bytes.remove_prefix(header.size);
  }
  return found;
}

std::string NativeRefusal(int error) {
  if (error == ENOTSUP) return "C and C++ stacks of threads are missing: they are sampled on x86-64 alone so far";
  return "C and C++ stacks of threads are missing: " + host::PerfRefusal(error);
}

}  // namespace warpscope::record::native

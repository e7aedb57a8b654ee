#include "record/native/native_watch.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "record/host/perf_refusal.h"
#include "record/native/cfi.h"

namespace warpscope::record::native {
namespace {

// Of the stack, what the kernel copies at a sample: the rest is read from the program afterwards. Two samples have
// room.
constexpr uint32_t kStackBytes = 7168;
constexpr uint64_t kSampleFields = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

// perf's numbers of x86-64 registers (asm/perf_regs.h) in their order, as DWARF numbers; kRegisters: of no use.
constexpr uint64_t kWantedRegisters = 0xff01ff;
constexpr unsigned kDwarfOfPerf[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};

std::unique_ptr<host::PerfRing> OpenRing(int tid, int64_t period_ns, bool with_kernel, int* error) {
  perf_event_attr wanted;
  std::memset(&wanted, 0, sizeof(wanted));
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_CPU_CLOCK;
  wanted.sample_period = static_cast<uint64_t>(period_ns);
  wanted.sample_type = kSampleFields;
  wanted.sample_regs_user = kWantedRegisters;
  wanted.sample_stack_user = kStackBytes;
  // Time in system calls and page faults belongs to the function that made them; only some users may ask for it.
  wanted.exclude_kernel = with_kernel ? 0 : 1;
  return host::PerfRing::Open(wanted, tid, error);
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
  std::unique_ptr<host::PerfRing> ring = OpenRing(tid, period_ns, true, error);
  if (ring == nullptr) ring = OpenRing(tid, period_ns, false, error);
  return ring == nullptr ? nullptr : std::unique_ptr<NativeWatch>(new NativeWatch(std::move(ring), period_ns));
#else
  (void)tid, (void)period_ns, (void)OpenRing;
  *error = ENOTSUP;
  return nullptr;
#endif
}

void NativeWatch::SetPeriod(int64_t period_ns) {
  if (period_ns == period_ns_) return;
  auto wanted = static_cast<uint64_t>(period_ns);
  ::ioctl(ring_->file(), PERF_EVENT_IOC_PERIOD, &wanted);
  period_ns_ = period_ns;
}

bool NativeWatch::Newest(std::vector<uint8_t>* buffer, NativeSample* out) {
  if (!ring_->HasNews()) return false;
  ring_->Drain(buffer);
  return ParseNewestSample({reinterpret_cast<const char*>(buffer->data()), buffer->size()},
                           host::EpochMinusMonotonicNs(), out);
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

// PerfRing: a perf event of one thread and the ring that the kernel writes its records into.
// [one thread]
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace warpscope::record::host {

class PerfRing {
 public:
  // `wanted` has its clock set here: monotonic. Null: refused or no memory for the ring; `error` is then errno.
  static std::unique_ptr<PerfRing> Open(perf_event_attr wanted, int tid, int* error);
  ~PerfRing();
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;

  int file() const { return file_; }
  // One look at memory, no system call.
  bool HasNews() const;
  // Takes the records that wait out of the ring; whole ones, each with its header.
  void Drain(std::vector<uint8_t>* bytes);

 private:
  PerfRing(int file, void* ring) : file_(file), ring_(ring) {}

  int file_;
  void* ring_;
};

// To be added to the times of records.
int64_t EpochMinusMonotonicNs();

}  // namespace warpscope::record::host

// CodeModules: the machine code that is loaded in this process, and its copies in the run folder.
// [MT] Loaded() and Unloading() come from application threads, which hold locks of the driver: they never wait for a
// thread inside CUPTI. Copies are made of modules with samples, and of those that end while samples may still come, up
// to kMostBytes; a copy whose checksum differs from that of the module is removed again.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "agent/counters/perf.h"
#include "agent/cupti_abi.h"

namespace warpscope::agent {

class CodeModules {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{256} << 20, kMostUnloadedBytes = uint64_t{64} << 20;
  static constexpr uint32_t kMostModules = 8192;

  void Init(const perf::ProfilerFunctions* functions, const char* run_folder, bool keep);
  void Loaded(const cupti::ModuleResource& module);
  void Unloading(const cupti::ModuleResource& module);

  // The code of that checksum; copies it at the first call. `file`: its place in the run folder, or null.
  struct Code {
    uint64_t bytes = 0;
    const char* file = nullptr;
  };
  Code Find(uint64_t checksum);

  uint64_t kept_bytes() const { return kept_bytes_; }
  uint32_t not_kept() const { return not_kept_; }  // for want of room or because the file could not be written
  void ResetLockAfterFork() { lock_ = PTHREAD_MUTEX_INITIALIZER; }

 private:
  enum State : uint8_t { kFresh, kKept, kRefused };
  struct Module {
    uint64_t checksum;
    const void* cubin;  // null: unloaded
    size_t bytes;
    uint32_t id;
    State state;
    bool busy;
    char file[32];
  };
  bool Copy(uint64_t checksum, const void* cubin, size_t bytes, char* file, size_t file_size) const;
  bool HasChecksum(int file, size_t bytes, uint64_t checksum) const;

  const perf::ProfilerFunctions* functions_ = nullptr;
  bool keep_ = false;
  char folder_[4200] = {};
  Module* modules_ = nullptr;
  uint32_t count_ = 0;
  uint64_t kept_bytes_ = 0, unloaded_bytes_ = 0;
  uint32_t not_kept_ = 0;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace warpscope::agent

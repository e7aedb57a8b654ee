// Kinds: which of CUPTI's activity kinds and API calls are switched on for a wire::Collect mask, and off again between
// windows.
// [MT] Enable, Disable and RetryUnifiedMemory take an own lock; Report is the writer's, since it writes to the stream.
// Static memory only. CUPTI is asked by name for calls, because their numbers grow with every version.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "agent/call_names.h"
#include "agent/cupti_abi.h"
#include "agent/encoder.h"

namespace warpscope::agent {

class Kinds {
 public:
  // Before everything else.
  void Init(const cupti::Functions* functions, uint32_t cupti_version);
  // Graphs are captured before the window that replays them: with kCollectGraphNodes their nodes are watched from here
  // on.
  void WatchGraphNodes();
  // Switches on what `collect` (bits of wire::Collect) asks for; what is on already and not asked for goes off.
  void Enable(uint32_t collect);
  void Disable();
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
  // Unified memory can be asked for only once the program has initialised CUDA: inside cuInit CUPTI 13.0.1 takes the
  // configuration and answers "not ready" to the kind itself. The first buffer that CUPTI asks for tells that it has.
  void CudaRuns() { cuda_runs_.store(true, std::memory_order_relaxed); }
  // Called now and then.
  void RetryUnifiedMemory();
  // Notes about kinds that CUPTI refused since the last call.
  void Report(Encoder* encoder);

  void ResetLockAfterFork() { lock_ = PTHREAD_MUTEX_INITIALIZER; }

  static constexpr uint32_t kMostKinds = 64;

 private:
  void Set(uint32_t kind, bool on);
  void SetCalls(bool on);
  bool ConfigureUnifiedMemory();  // false: CUPTI is not ready for it yet, or refused
  void Refuse(uint32_t kind, int answer);

  const cupti::Functions* functions_ = nullptr;
  uint32_t version_ = 0;
  uint32_t collect_ = 0;
  std::atomic<bool> enabled_{false};
  bool unified_configured_ = false, unified_waits_ = false;
  std::atomic<bool> cuda_runs_{false};
  uint64_t on_ = 0;  // by kind
  std::atomic<uint64_t> refused_{0};
  std::atomic<int> answers_[kMostKinds] = {};
  uint64_t told_ = 0;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace warpscope::agent

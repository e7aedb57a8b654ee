#include "agent/kinds.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/graph_nodes.h"
#include "wire/control.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostIds = 1200;  // CUDA 13.0 has 523 and 807

struct Wanted {
  uint32_t kind;
  uint32_t collect;  // 0: always
  const char* what;
};
constexpr Wanted kWanted[] = {
    {cupti::kDevice, 0, "devices"},
    {cupti::kConcurrentKernel, 0, "kernels"},
    {cupti::kMemcpy, 0, "copies"},
    {cupti::kMemcpyPeer, 0, "copies between devices"},
    {cupti::kMemset, 0, "memsets"},
    {cupti::kSynchronization, 0, "synchronisations"},
    {cupti::kCudaEvent, 0, "records of events"},
    {cupti::kOverhead, 0, "the profiler's own times"},
    {cupti::kMemory2, wire::kCollectMemory, "allocations of device memory"},
    {cupti::kMemoryPool, wire::kCollectMemory, "pools of device memory"},
    {cupti::kModule, wire::kCollectModules, "modules"},
    {cupti::kJit, wire::kCollectModules, "compilation at run time"},
    {cupti::kUnifiedMemory, wire::kCollectUnifiedMemory, "migrations and page faults of unified memory"},
    {cupti::kExternalCorrelation, wire::kCollectExternal, "external correlation ids"},
};
constexpr uint32_t kGraphNodes = 63;  // no kind of CUPTI's: its place in the bits
static_assert(Kinds::kMostKinds == 64);

class Locked {
 public:
  explicit Locked(pthread_mutex_t* lock) : lock_(lock) { pthread_mutex_lock(lock_); }
  ~Locked() { pthread_mutex_unlock(lock_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pthread_mutex_t* lock_;
};

}  // namespace

void Kinds::Init(const cupti::Functions* functions, uint32_t cupti_version) {
  functions_ = functions;
  version_ = cupti_version;
}

void Kinds::Set(uint32_t kind, bool on) {
  const uint64_t bit = uint64_t{1} << kind;
  if (((on_ & bit) != 0) == on) return;
  if (!on && functions_->ActivityDisable == nullptr) return;
  const int answer = on ? functions_->ActivityEnable(kind) : functions_->ActivityDisable(kind);
  // CUPTI 13.0.1 on an H200 does not know the kind MODULE any more; how long loading took is in the overhead records.
  const bool gone = kind == cupti::kModule && answer == cupti::kInvalidKind;
  if (kind == cupti::kUnifiedMemory) unified_waits_ = on && answer == cupti::kNotReady;
  if (answer == cupti::kSuccess) {
    on_ ^= bit;
  } else if (unified_waits_ && kind == cupti::kUnifiedMemory) {  // RetryUnifiedMemory
  } else if (on && !gone) {
    Refuse(kind, answer);
  }
}

// The light calls and the launches. CUPTI gives calls of the driver only where the program itself makes them, not the
// runtime in its place (XLA, numba, Triton).
void Kinds::SetCalls(bool on) {
  const cupti::Functions& f = *functions_;
  if (f.GetCallbackName == nullptr || f.ActivityEnableRuntimeApi == nullptr || f.ActivityEnableDriverApi == nullptr) {
    Set(cupti::kRuntime, on);
    return;
  }
  for (const uint32_t domain : {cupti::kRuntimeDomain, cupti::kDriverDomain}) {
    const auto enable = domain == cupti::kRuntimeDomain ? f.ActivityEnableRuntimeApi : f.ActivityEnableDriverApi;
    for (uint32_t id = 1; id < kMostIds; ++id) {
      const char* name = nullptr;
      if (f.GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
      if (IsLightCall(name) || IsLaunchCall(name)) enable(id, on ? 1 : 0);
    }
  }
}

// Which counters of unified memory, for all devices at once.
bool Kinds::ConfigureUnifiedMemory() {
  if (unified_configured_) return true;
  if (functions_->ActivityConfigureUnifiedMemoryCounter == nullptr) return false;
  unified_waits_ = !cuda_runs_.load(std::memory_order_relaxed);
  if (unified_waits_) return false;
  constexpr uint32_t kFirst = 1, kLast = 8;  // bytes either way, faults of both sides, thrashing, throttling ...
  cupti::UnifiedMemoryConfig configs[kLast];
  for (uint32_t kind = kFirst; kind <= kLast; ++kind) configs[kind - kFirst] = {cupti::kScopeAllDevices, kind, 0, 1};
  const int answer = functions_->ActivityConfigureUnifiedMemoryCounter(configs, kLast);
  unified_configured_ = answer == cupti::kSuccess;
  unified_waits_ = answer == cupti::kNotReady;
  if (!unified_configured_ && !unified_waits_) Refuse(cupti::kUnifiedMemory, answer);
  return unified_configured_;
}

void Kinds::RetryUnifiedMemory() {
  Locked hold(&lock_);
  if (unified_waits_ && enabled_ && ConfigureUnifiedMemory()) Set(cupti::kUnifiedMemory, true);
}

void Kinds::WatchGraphNodes() {
  const int answer = StartGraphNodes(*functions_);
  if (answer != cupti::kSuccess) Refuse(kGraphNodes, answer);
}

void Kinds::Refuse(uint32_t kind, int answer) {
  answers_[kind].store(answer, std::memory_order_relaxed);
  refused_.fetch_or(uint64_t{1} << kind, std::memory_order_release);
}

void Kinds::Enable(uint32_t collect) {
  Locked hold(&lock_);
  const bool unified = (collect & wire::kCollectUnifiedMemory) != 0 && ConfigureUnifiedMemory();
  for (const Wanted& wanted : kWanted)
    Set(wanted.kind,
        wanted.kind == cupti::kUnifiedMemory ? unified : wanted.collect == 0 || (collect & wanted.collect) != 0);
  const bool all = (collect & wire::kCollectAllCalls) != 0;
  const bool had_light = enabled_ && (collect_ & wire::kCollectAllCalls) == 0;
  Set(cupti::kRuntime, all);
  Set(cupti::kDriver, all);
  if (!all && !had_light) SetCalls(true);
  collect_ = collect;
  enabled_ = true;
}

void Kinds::Disable() {
  Locked hold(&lock_);
  if (!enabled_) return;
  if (unified_waits_ && cuda_runs_) Refuse(cupti::kUnifiedMemory, cupti::kNotReady);
  if (on_ & uint64_t{1} << cupti::kRuntime) {
    Set(cupti::kRuntime, false);
    Set(cupti::kDriver, false);
  } else {
    SetCalls(false);
  }
  for (const Wanted& wanted : kWanted) Set(wanted.kind, false);
  enabled_ = false;
}

void Kinds::Report(Encoder* encoder) {
  const uint64_t fresh = refused_.load(std::memory_order_acquire) & ~told_;
  if (fresh == 0) return;
  told_ |= fresh;
  for (const Wanted& wanted : kWanted) {
    if ((fresh >> wanted.kind & 1) == 0) continue;
    // CUPTI reads the events of unified memory from that device; a virtual machine or a container may lack it.
    const bool no_tools = wanted.kind == cupti::kUnifiedMemory && access("/dev/nvidia-uvm-tools", R_OK | W_OK) != 0;
    char text[200];
    snprintf(text, sizeof(text), "%s are not recorded: CUPTI answered %d%s", wanted.what,
             answers_[wanted.kind].load(std::memory_order_relaxed),
             no_tools ? "; /dev/nvidia-uvm-tools cannot be opened here: nvidia-modprobe -u -c 0 makes it" : "");
    encoder->Note(1, text);
  }
  if ((fresh >> kGraphNodes & 1) == 0) return;
  char text[200];
  const int answer = answers_[kGraphNodes].load(std::memory_order_relaxed);
  snprintf(text, sizeof(text), "where graph nodes were captured is not recorded: CUPTI answered %d%s", answer,
           answer == cupti::kMultipleSubscribers ? "; another tool in the process holds its one subscription" : "");
  encoder->Note(1, text);
}

}  // namespace warpscope::agent

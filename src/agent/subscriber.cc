#include "agent/subscriber.h"

#include <errno.h>
#include <string.h>

#include <initializer_list>

#include "agent/call_names.h"
#include "agent/graph_nodes.h"
#include "agent/windows.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostIds = 1200;
constexpr uint32_t kExit = 1;  // CUPTI_API_EXIT

bool StartsWith(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

}  // namespace

void Subscriber::EnableProfilerCalls(uint32_t domain, const char* start, const char* stop, uint32_t* ids) {
  for (uint32_t id = 1; id < kMostIds; ++id) {
    const char* name = nullptr;
    if (functions_->GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
    const bool starts = StartsWith(name, start);
    if (!starts && !StartsWith(name, stop)) continue;
    if (functions_->EnableCallback(1, handle_, domain, id) == cupti::kSuccess) ids[starts ? 0 : 1] = id;
  }
}

void Subscriber::FindLaunches(uint32_t domain, const char* graph_launch) {
  for (uint32_t id = 1; id < kMostIds && launch_count_ < kMostLaunches; ++id) {
    const char* name = nullptr;
    if (functions_->GetCallbackName(domain, id, &name) != cupti::kSuccess || name == nullptr) continue;
    if (!IsLaunchCall(name) && !StartsWith(name, graph_launch)) continue;
    domains_[launch_count_] = domain;
    launches_[launch_count_++] = id;
  }
}

// With graph nodes other calls come here as well.
bool Subscriber::IsWatchedLaunch(uint32_t domain, uint32_t id) const {
  for (uint32_t i = 0; i < launch_count_; ++i) {
    if (launches_[i] == id && domains_[i] == domain) return true;
  }
  return false;
}

// A launch may be a call of the runtime around one of the driver: the outer one counts, in whose exit the thread is
// inside neither. A call that was entered before we listened has no depth and is passed over.
void Subscriber::LaunchCalled(bool leaves) {
  struct Depth {
    uint32_t times_on, calls;
  };
  static thread_local Depth depth = {};
  if (const uint32_t times_on = times_on_.load(std::memory_order_relaxed); depth.times_on != times_on)
    depth = {times_on, 0};
  if (!leaves) {
    if (depth.calls++ == 0) timer_.Enter();
    return;
  }
  if (depth.calls == 0 || --depth.calls > 0) return;
  timer_.Exit();
  if (waiting_.load(std::memory_order_relaxed)) windows_->Apply();
}

int Subscriber::Init(const cupti::Functions* functions, Windows* windows, bool profiler_calls, bool graph_nodes) {
  functions_ = functions;
  windows_ = windows;
  constexpr int kNoSuchFunction = -1;
  if (functions->Subscribe == nullptr || functions->EnableCallback == nullptr || functions->GetCallbackName == nullptr)
    return kNoSuchFunction;
  const int answer = functions->Subscribe(&handle_, Called, this);
  if (answer != cupti::kSuccess) return answer;
  graph_nodes_ = graph_nodes;
  if (graph_nodes) SetGraphNodeSubscriber(handle_);
  FindLaunches(cupti::kRuntimeDomain, "cudaGraphLaunch");
  FindLaunches(cupti::kDriverDomain, "cuGraphLaunch");
  if (profiler_calls) {
    EnableProfilerCalls(cupti::kRuntimeDomain, "cudaProfilerStart", "cudaProfilerStop", runtime_profiler_);
    EnableProfilerCalls(cupti::kDriverDomain, "cuProfilerStart", "cuProfilerStop", driver_profiler_);
  }
  return cupti::kSuccess;
}

bool Subscriber::WatchResources(ResourceCallback called) {
  if (handle_ == nullptr) return false;
  resource_.store(called);
  bool all = true;
  for (const uint32_t id :
       {cupti::kContextCreated, cupti::kContextDestroyStarting, cupti::kModuleLoaded, cupti::kModuleUnloadStarting})
    all &= functions_->EnableCallback(1, handle_, cupti::kResourceDomain, id) == cupti::kSuccess;
  return all;
}

void Subscriber::WaitForLaunch(bool on) {
  waiting_.store(on, std::memory_order_relaxed);
  EnableLaunches();
}

void Subscriber::EnableLaunches() {
  const bool on = waiting_.load(std::memory_order_relaxed) || timer_.on();
  if (launches_on_ == on || (graph_nodes_ && !on)) return;
  launches_on_ = on;
  times_on_.fetch_add(1);
  for (uint32_t i = 0; i < launch_count_; ++i)
    functions_->EnableCallback(on ? 1 : 0, handle_, domains_[i], launches_[i]);
}

// A start takes effect when its call returns, a stop before it begins: the calls themselves are outside.
void Subscriber::Called(void* self, uint32_t domain, uint32_t id, const void* data) {
  auto* subscriber = static_cast<Subscriber*>(self);
  if (subscriber->graph_nodes_) GraphNodeCallback(nullptr, domain, id, data);
  const int saved_errno = errno;
  if (const ResourceCallback resource = subscriber->resource_.load();
      domain == cupti::kResourceDomain && resource != nullptr && data != nullptr) {
    resource(id, *static_cast<const cupti::ResourceData*>(data));
    errno = saved_errno;
  }
  if (domain != cupti::kDriverDomain && domain != cupti::kRuntimeDomain) return;
  const bool exits = static_cast<const cupti::CallbackData*>(data)->site == kExit;
  const uint32_t* profiler =
      domain == cupti::kRuntimeDomain ? subscriber->runtime_profiler_ : subscriber->driver_profiler_;
  if (id == profiler[0] && id != 0) {
    if (exits) subscriber->windows_->ProfilerCalled(true);
  } else if (id == profiler[1] && id != 0) {
    if (!exits) subscriber->windows_->ProfilerCalled(false);
  } else if (subscriber->IsWatchedLaunch(domain, id)) {
    subscriber->LaunchCalled(exits);
  }
  errno = saved_errno;
}

}  // namespace warpscope::agent

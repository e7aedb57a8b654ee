#include "agent/subscriber.h"

#include <errno.h>
#include <string.h>

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
  for (uint32_t id = 1; id < kMostIds && launch_count_ < kMostLaunches; ++id) {
    const char* name = nullptr;
    if (functions->GetCallbackName(cupti::kDriverDomain, id, &name) == cupti::kSuccess && name != nullptr &&
        (IsLaunchCall(name) || StartsWith(name, "cuGraphLaunch")))
      launches_[launch_count_++] = id;
  }
  if (profiler_calls) {
    EnableProfilerCalls(cupti::kRuntimeDomain, "cudaProfilerStart", "cudaProfilerStop", runtime_profiler_);
    EnableProfilerCalls(cupti::kDriverDomain, "cuProfilerStart", "cuProfilerStop", driver_profiler_);
  }
  return cupti::kSuccess;
}

void Subscriber::WaitForLaunch(bool on) {
  waiting_.store(on, std::memory_order_relaxed);
  EnableLaunches();
}

void Subscriber::EnableLaunches() {
  const bool on = waiting_.load(std::memory_order_relaxed) || timer_.on();
  if (launches_on_ == on || (graph_nodes_ && !on)) return;
  launches_on_ = on;
  for (uint32_t i = 0; i < launch_count_; ++i)
    functions_->EnableCallback(on ? 1 : 0, handle_, cupti::kDriverDomain, launches_[i]);
}

// A start takes effect when its call returns, a stop before it begins: the calls themselves are outside.
void Subscriber::Called(void* self, uint32_t domain, uint32_t id, const void* data) {
  auto* subscriber = static_cast<Subscriber*>(self);
  if (subscriber->graph_nodes_) GraphNodeCallback(nullptr, domain, id, data);
  if (domain != cupti::kDriverDomain && domain != cupti::kRuntimeDomain) return;
  const int saved_errno = errno;
  const bool exits = static_cast<const cupti::CallbackData*>(data)->site == kExit;
  const uint32_t* profiler =
      domain == cupti::kRuntimeDomain ? subscriber->runtime_profiler_ : subscriber->driver_profiler_;
  if (id == profiler[0] && id != 0) {
    if (exits) subscriber->windows_->ProfilerCalled(true);
  } else if (id == profiler[1] && id != 0) {
    if (!exits) subscriber->windows_->ProfilerCalled(false);
  } else if (!exits) {
    subscriber->timer_.Enter();
  } else {
    subscriber->timer_.Exit();
    if (subscriber->waiting_.load(std::memory_order_relaxed)) subscriber->windows_->Apply();
  }
  errno = saved_errno;
}

}  // namespace warpscope::agent

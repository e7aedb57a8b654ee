#include "agent/graph_nodes.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "agent/event_ring.h"
#include "wire/clock.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostIds = 1200;  // CUDA 13.0 has 523 runtime and 807 driver calls
constexpr int kNoMemory = 8;         // CUPTI_ERROR_OUT_OF_MEMORY

EventRing<GraphNodeEvent, 1 << 14> g_ring;
cupti::Functions g_functions;
cupti::Subscriber g_subscriber = nullptr;
bool g_watching = false;
thread_local const char* t_function = nullptr;
thread_local uint32_t t_depth = 0;

// Calls inside which nodes are made: launches, copies and sets under capture, and the graph functions themselves.
bool MakesNodes(const char* name) {
  for (const char* word :
       {"Launch", "Memcpy", "Memset", "GraphAdd", "GraphClone", "GraphInstantiate", "GraphExecUpdate", "EventRecord",
        "StreamWaitEvent", "BeginCapture", "EndCapture", "AllocAsync", "FreeAsync"}) {
    if (strstr(name, word) != nullptr) return true;
  }
  return false;
}

void OnApi(const cupti::CallbackData& data) {
  constexpr uint32_t kEnter = 0;
  if (data.site == kEnter) {
    // A runtime call makes driver calls: the outermost is the program's own.
    if (t_depth++ == 0) t_function = data.function;
  } else if (t_depth > 0 && --t_depth == 0) {
    t_function = nullptr;
  }
}

void OnNode(uint32_t id, const cupti::GraphData& graph) {
  GraphNodeEvent event{};
  if (g_functions.GetGraphNodeId(graph.node, &event.node_id) != cupti::kSuccess) return;
  if (id == cupti::kGraphNodeCloned &&
      g_functions.GetGraphNodeId(graph.original_node, &event.source_id) != cupti::kSuccess)
    event.source_id = 0;
  event.function = t_function;
  event.time_ns = wire::NowNs();
  event.tid = static_cast<uint32_t>(syscall(SYS_gettid));
  g_ring.Put(event);
}

void WatchCalls(uint32_t domain) {
  for (uint32_t id = 1; id < kMostIds; ++id) {
    const char* name = nullptr;
    if (g_functions.GetCallbackName(domain, id, &name) == cupti::kSuccess && name != nullptr && MakesNodes(name))
      g_functions.EnableCallback(1, g_subscriber, domain, id);
  }
}

void WatchAll() {
  g_functions.EnableCallback(1, g_subscriber, cupti::kResourceDomain, cupti::kGraphNodeCreated);
  g_functions.EnableCallback(1, g_subscriber, cupti::kResourceDomain, cupti::kGraphNodeCloned);
  WatchCalls(cupti::kRuntimeDomain);
  WatchCalls(cupti::kDriverDomain);
}

}  // namespace

void GraphNodeCallback(void*, uint32_t domain, uint32_t id, const void* data) {
  const int saved_errno = errno;
  if (data == nullptr) return;
  if (domain == cupti::kRuntimeDomain || domain == cupti::kDriverDomain) {
    OnApi(*static_cast<const cupti::CallbackData*>(data));
  } else if (domain == cupti::kResourceDomain && (id == cupti::kGraphNodeCreated || id == cupti::kGraphNodeCloned)) {
    const auto* resource = static_cast<const cupti::ResourceData*>(data);
    if (resource->descriptor != nullptr) OnNode(id, *static_cast<const cupti::GraphData*>(resource->descriptor));
  }
  errno = saved_errno;
}

void SetGraphNodeSubscriber(cupti::Subscriber subscriber) { g_subscriber = subscriber; }

int StartGraphNodes(const cupti::Functions& functions) {
  if (g_watching) return cupti::kSuccess;
  g_functions = functions;
  const bool whole = functions.Subscribe != nullptr && functions.EnableCallback != nullptr &&
                     functions.GetGraphNodeId != nullptr && functions.GetCallbackName != nullptr;
  if (!whole || !g_ring.Init()) return kNoMemory;
  if (g_subscriber == nullptr) {
    const int answer = functions.Subscribe(&g_subscriber, GraphNodeCallback, nullptr);
    if (answer != cupti::kSuccess) {
      g_subscriber = nullptr;
      return answer;
    }
  }
  WatchAll();
  g_watching = true;
  return cupti::kSuccess;
}

bool TakeGraphNode(GraphNodeEvent* event) { return g_ring.Take(event); }
uint64_t GraphNodesLost() { return g_ring.dropped(); }

}  // namespace warpscope::agent

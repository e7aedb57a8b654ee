// Where the nodes of CUDA graphs come from: CUPTI's resource callbacks tell when a node is made (by stream capture or
// by hand) and when one is cloned (as a graph is instantiated), and API callbacks tell inside which call. Only on
// request: callbacks need CUPTI's one subscription a process, which another tool in the process may want, and cost
// about half a microsecond a call that they watch.
// [MT] Callbacks come on the application's threads; TakeGraphNode is the writer's.
#pragma once

#include <cstdint>

#include "agent/cupti_abi.h"

namespace warpscope::agent {

struct GraphNodeEvent {
  uint64_t node_id;      // as kernel records in graphs carry it
  uint64_t source_id;    // of the node that it was cloned from; 0: none
  const char* function;  // the API call around it; null: unknown. Constant texts of CUPTI
  int64_t time_ns;
  uint32_t tid;
};

// The subscription that is ours already, if any; else StartGraphNodes() makes one. Whoever made it passes the callbacks
// on.
void SetGraphNodeSubscriber(cupti::Subscriber subscriber);
void GraphNodeCallback(void* context, uint32_t domain, uint32_t id, const void* data);

// CUPTI's answer, kSuccess if it is on; it stays on. Asking again is harmless.
int StartGraphNodes(const cupti::Functions& functions);
bool TakeGraphNode(GraphNodeEvent* event);
uint64_t GraphNodesLost();

}  // namespace warpscope::agent

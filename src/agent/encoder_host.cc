// Encoder: what the host did: calls, synchronisations, event records, modules, compilation, the profiler's own times.
#include "agent/encoder.h"

namespace warpscope::agent {

void Encoder::EncodeCall(const cupti::Api& call) {
  if (!ValidTimes(call.start, call.end)) return;
  const uint32_t api = call.kind == cupti::kDriver ? 1 : 0;
  const bool keyed = call.return_value == 0;
  const uint32_t key = keyed ? CallRef(api, call.cbid, call.thread_id) : 0;
  const uint32_t name = keyed ? 0 : CallNameRef(api, call.cbid);
  const uint32_t thread = keyed ? 0 : ThreadRef(call.thread_id);
  wire::BlockWriter& block = file_->block();
  block.Begin(keyed ? wire::kKeyedCall : wire::kCall);
  if (keyed) {
    block.Put(key);
  } else {
    block.Put(api);
    block.Put(name);
    block.Put(thread);
  }
  block.PutTime(static_cast<int64_t>(call.start));
  block.Put(call.end - call.start);
  block.PutCorrelation(call.correlation_id);
  if (!keyed) block.Put(call.return_value);
  ++rows_;
}

void Encoder::EncodeSync(const cupti::Synchronization& sync) {
  if (!ValidTimes(sync.start, sync.end)) return;
  const bool has_event = HasFrom(cupti::kSinceEventSyncId);
  wire::BlockWriter& block = file_->block();
  block.Begin(has_event ? wire::kSyncEvent : wire::kSync);
  block.Put(sync.type);
  block.Put(sync.context_id);
  block.Put(sync.stream_id == cupti::kNoValue ? 0 : uint64_t{sync.stream_id} + 1);
  block.Put(sync.event_id == cupti::kNoValue ? 0 : uint64_t{sync.event_id} + 1);
  block.PutTime(static_cast<int64_t>(sync.start));
  block.Put(sync.end - sync.start);
  block.PutCorrelation(sync.correlation_id);
  if (has_event) {
    const bool none = sync.event_sync_id == cupti::kNoValue || sync.event_sync_id == UINT64_MAX;
    block.Put(none ? 0 : sync.event_sync_id);
    block.Put(sync.return_value);
  }
  ++rows_;
}

void Encoder::EncodeEventRecord(const cupti::CudaEvent& event) {
  const bool has_device = HasFrom(cupti::kSinceEventSyncId);
  const bool no_number = !has_device || event.event_sync_id == cupti::kNoValue || event.event_sync_id == UINT64_MAX;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kEventRecord);
  block.Put(uint64_t{event.event_id} + 1);
  block.Put(no_number ? 0 : event.event_sync_id);
  block.Put(event.context_id);
  block.Put(uint64_t{event.stream_id} + 1);
  block.PutCorrelation(event.correlation_id);
  ++rows_;
}

void Encoder::EncodeOverhead(const cupti::Overhead& overhead) {
  constexpr uint32_t kThreadObject = 2;
  if (!ValidTimes(overhead.start, overhead.end)) return;
  const uint32_t thread = ThreadRef(overhead.object_kind == kThreadObject ? overhead.object_id[1] : 0);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kOverhead);
  block.Put(overhead.overhead_kind);
  block.Put(thread);
  block.PutTime(static_cast<int64_t>(overhead.start));
  block.Put(overhead.end - overhead.start);
  ++rows_;
}

// The machine code itself is the application's and stays there.
void Encoder::EncodeModule(const cupti::Module& module) {
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kModule);
  block.Put(module.context_id);
  block.Put(module.id);
  block.Put(module.cubin_size);
  ++rows_;
}

void Encoder::EncodeJit(const cupti::Jit& jit) {
  if (!ValidTimes(jit.start, jit.end)) return;
  const uint32_t thread = HasFrom(cupti::kSinceEventSyncId) ? ThreadRef(jit.thread_id) : 0;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kJit);
  block.Put(jit.entry_type);
  block.Put(jit.operation);
  block.Put(jit.cache_size);
  block.Put(thread);
  block.PutTime(static_cast<int64_t>(jit.start));
  block.Put(jit.end - jit.start);
  block.PutCorrelation(jit.correlation_id);
  ++rows_;
}

void Encoder::EncodeExternal(const cupti::ExternalCorrelation& external) {
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kExternal);
  block.Put(external.external_kind);
  block.Put(external.external_id);
  block.PutCorrelation(external.correlation_id);
}

void Encoder::EncodeGraphNodes() {
  GraphNodeEvent event;
  while (TakeGraphNode(&event)) EncodeGraphNode(event);
  const uint64_t lost = GraphNodesLost();
  Lost(wire::kNodeRingFull, lost - nodes_lost_);
  nodes_lost_ = lost;
}

void Encoder::EncodeGraphNode(const GraphNodeEvent& event) {
  const uint32_t name = TextRef(event.function);
  const uint32_t thread = ThreadRef(event.tid);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kGraphNode);
  block.Put(event.node_id);
  block.Put(event.source_id);
  block.Put(name);
  block.Put(thread);
  block.PutTime(event.time_ns);
  ++rows_;
}

}  // namespace warpscope::agent

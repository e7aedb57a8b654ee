// Encoder: work of the devices, and what CUPTI says about them.
#include "agent/encoder.h"

namespace warpscope::agent {

void Encoder::EncodeKernel(const cupti::Kernel& kernel) {
  if (!ValidTimes(kernel.start, kernel.end)) return;
  const uint32_t launch = LaunchRef(kernel);
  if (kernel.graph_node_id == 0) ++launches_count_;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kKeyed);
  block.Put(launch);
  block.PutTime(static_cast<int64_t>(kernel.start));
  block.Put(kernel.end - kernel.start);
  block.PutCorrelation(kernel.correlation_id);
  ++rows_;
}

void Encoder::EncodeCopy(uint8_t copy_kind, uint8_t source, uint8_t destination, uint64_t bytes, uint64_t start,
                         uint64_t end, uint32_t stream, uint32_t correlation, uint32_t graph_id, uint64_t node_id) {
  if (!ValidTimes(start, end)) return;
  wire::BlockWriter& block = file_->block();
  block.Begin(node_id != 0 ? wire::kGraphCopy : wire::kCopy);
  block.Put(copy_kind);
  block.Put(source);
  block.Put(destination);
  block.Put(stream);
  block.Put(bytes);
  block.PutTime(static_cast<int64_t>(start));
  block.Put(end - start);
  block.PutCorrelation(correlation);
  if (node_id != 0) {
    block.Put(graph_id);
    block.Put(node_id);
  }
  ++rows_;
}

void Encoder::EncodeMemset(const cupti::Memset& memset) {
  if (!ValidTimes(memset.start, memset.end)) return;
  const uint32_t stream = StreamRef(memset.device_id, memset.context_id, memset.stream_id);
  wire::BlockWriter& block = file_->block();
  block.Begin(memset.graph_node_id != 0 ? wire::kGraphMemset : wire::kMemset);
  block.Put(memset.memory_kind);
  block.Put(stream);
  block.Put(memset.bytes);
  block.PutTime(static_cast<int64_t>(memset.start));
  block.Put(memset.end - memset.start);
  block.PutCorrelation(memset.correlation_id);
  if (memset.graph_node_id != 0) {
    block.Put(HasFrom(cupti::kSinceGraphId) ? memset.graph_id : 0);
    block.Put(memset.graph_node_id);
  }
  ++rows_;
}

void Encoder::EncodeGraph(const cupti::GraphTrace& graph) {
  if (!ValidTimes(graph.start, graph.end)) return;
  ++launches_count_;
  const uint32_t stream = StreamRef(graph.device_id, graph.context_id, graph.stream_id);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kGraph);
  block.Put(stream);
  block.Put(graph.graph_id);
  block.PutTime(static_cast<int64_t>(graph.start));
  block.Put(graph.end - graph.start);
  block.PutCorrelation(graph.correlation_id);
  ++rows_;
}

void Encoder::EncodeDevice(const cupti::Device& device) {
  uint32_t at = 0;
  while (at < device_count_ && devices_[at].id != device.id) ++at;
  if (at < kMostDevices) {
    devices_[at] = device;
    if (at == device_count_) ++device_count_;
  }
  DefineDevice(device);
}

void Encoder::DefineDevice(const cupti::Device& device) {
  const uint32_t name = TextRef(device.name);
  const uint64_t values[wire::kDeviceFieldCount] = {device.cc_major,
                                                    device.cc_minor,
                                                    device.sm_count,
                                                    device.threads_per_warp,
                                                    device.memory_bytes,
                                                    device.max_threads_per_block,
                                                    device.max_warps_per_sm,
                                                    device.max_registers_per_block,
                                                    device.max_registers_per_sm,
                                                    device.max_shared_per_block,
                                                    device.max_shared_per_sm};
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kDevice);
  block.Put(device.id);
  block.Put(name);
  block.Put(wire::kDeviceFieldCount);
  for (const uint64_t value : values) block.Put(value);
}

void Encoder::EncodeMemory(const cupti::MemoryOperation& operation) {
  if (!ValidTimes(operation.timestamp, operation.timestamp)) return;
  if (operation.operation != cupti::kMemoryAllocation && operation.operation != cupti::kMemoryRelease) return;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kMemoryEvent);
  block.Put(operation.operation == cupti::kMemoryRelease ? 1 : 0);
  block.Put(operation.memory_kind);
  block.Put(operation.device_id);
  block.Put(operation.is_async == 0 || operation.stream_id == UINT32_MAX ? 0 : uint64_t{operation.stream_id} + 1);
  block.Put(operation.address);
  block.Put(operation.bytes);
  block.PutTime(static_cast<int64_t>(operation.timestamp));
  block.PutCorrelation(operation.correlation_id);
  block.Put(operation.pool_type == 0 ? 0 : operation.pool_address);
  ++rows_;
}

void Encoder::EncodePool(const cupti::MemoryPool& pool) {
  if (!ValidTimes(pool.timestamp, pool.timestamp)) return;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kPool);
  block.Put(pool.operation);
  block.Put(pool.pool_type);
  block.Put(pool.device_id);
  block.Put(pool.address);
  block.Put(pool.size);
  block.Put(HasFrom(cupti::kSincePoolUse) ? pool.utilized_size : 0);
  block.PutTime(static_cast<int64_t>(pool.timestamp));
  ++rows_;
}

void Encoder::EncodeUnified(const cupti::UnifiedMemory& unified) {
  // Of some kinds CUPTI tells only when they began.
  // Page faults of the CPU, thrashing and remote mappings have no end: CUPTI leaves anything there.
  const bool moment = unified.counter_kind == 3 || unified.counter_kind == 5 || unified.counter_kind == 7;
  const uint64_t end = moment || unified.end == 0 ? unified.start : unified.end;
  if (!ValidTimes(unified.start, end)) return;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kUnified);
  block.Put(unified.counter_kind);
  block.Put(unified.src_id == UINT32_MAX ? 0 : uint64_t{unified.src_id} + 1);
  block.Put(unified.dst_id == UINT32_MAX ? 0 : uint64_t{unified.dst_id} + 1);
  block.Put(unified.address);
  block.Put(unified.value);
  block.PutTime(static_cast<int64_t>(unified.start));
  block.Put(end - unified.start);
  ++rows_;
}

}  // namespace warpscope::agent

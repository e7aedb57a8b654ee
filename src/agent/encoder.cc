#include "agent/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wire/clock.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostTextBytes = 32768;  // longer names are cut; a C++ name of this length is a template gone wild

// Versions of CUPTI from which a field exists; the version numbers are those of cuptiGetVersion().
constexpr uint32_t kHasGraphId = 15, kHasCluster = 18;

}  // namespace

bool Encoder::Init(const cupti::Functions* functions, uint32_t cupti_version, wire::StreamFile* file) {
  functions_ = functions;
  cupti_version_ = cupti_version;
  file_ = file;
  return texts_.Init();
}

void Encoder::EncodeBuffer(uint8_t* buffer, size_t valid_bytes) {
  cupti::Record* record = nullptr;
  while (functions_->ActivityGetNextRecord(buffer, valid_bytes, &record) == cupti::kSuccess) EncodeRecord(record);
}

void Encoder::EncodeRecord(const cupti::Record* record) {
  const void* at = record;
  switch (record->kind) {
    case cupti::kKernelSerial:
    case cupti::kConcurrentKernel: return EncodeKernel(*static_cast<const cupti::Kernel*>(at));
    case cupti::kMemcpy: {
      const auto& copy = *static_cast<const cupti::Memcpy*>(at);
      return EncodeCopy(copy.copy_kind, copy.src_kind, copy.dst_kind, copy.bytes, copy.start, copy.end,
                        StreamRef(copy.device_id, copy.context_id, copy.stream_id), copy.correlation_id,
                        cupti_version_ >= kHasGraphId ? copy.graph_id : 0, copy.graph_node_id);
    }
    case cupti::kMemcpyPeer: {
      const auto& copy = *static_cast<const cupti::MemcpyPeer*>(at);
      return EncodeCopy(copy.copy_kind, copy.src_kind, copy.dst_kind, copy.bytes, copy.start, copy.end,
                        StreamRef(copy.device_id, copy.context_id, copy.stream_id), copy.correlation_id,
                        cupti_version_ >= kHasGraphId ? copy.graph_id : 0, copy.graph_node_id);
    }
    case cupti::kMemset: return EncodeMemset(*static_cast<const cupti::Memset*>(at));
    case cupti::kRuntime:
    case cupti::kDriver: return EncodeCall(*static_cast<const cupti::Api*>(at));
    case cupti::kSynchronization: return EncodeSync(*static_cast<const cupti::Synchronization*>(at));
    case cupti::kOverhead: return EncodeOverhead(*static_cast<const cupti::Overhead*>(at));
    case cupti::kGraphTrace: return EncodeGraph(*static_cast<const cupti::GraphTrace*>(at));
    case cupti::kDevice: return EncodeDevice(*static_cast<const cupti::Device*>(at));
    default: return;
  }
}

// A record without a time would move every total; it is counted instead.
bool Encoder::ValidTimes(uint64_t start, uint64_t end) {
  const bool valid = start != 0 && end >= start && end < (uint64_t{1} << 63);
  bad_times_ += valid ? 0 : 1;
  return valid;
}

void Encoder::EncodeKernel(const cupti::Kernel& kernel) {
  if (!ValidTimes(kernel.start, kernel.end)) return;
  const uint32_t name = TextRef(kernel.name);
  const uint32_t stream = StreamRef(kernel.device_id, kernel.context_id, kernel.stream_id);
  const uint32_t shape = ShapeRef(kernel);
  const bool in_graph = kernel.graph_node_id != 0;
  const bool queued = !in_graph && kernel.queued != 0 && kernel.queued <= kernel.start;
  wire::BlockWriter& block = file_->block();
  block.Begin(in_graph ? wire::kGraphKernel : queued ? wire::kKernelQueued : wire::kKernel);
  block.Put(name);
  block.Put(stream);
  block.Put(shape);
  block.PutTime(static_cast<int64_t>(kernel.start));
  block.Put(kernel.end - kernel.start);
  block.PutCorrelation(kernel.correlation_id);
  if (in_graph) {
    block.Put(cupti_version_ >= kHasGraphId ? kernel.graph_id : 0);
    block.Put(kernel.graph_node_id);
  } else if (queued) {
    block.Put(kernel.start - kernel.queued);
    block.Put(kernel.submitted > kernel.queued ? kernel.submitted - kernel.queued : 0);
  }
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
  block.Begin(wire::kMemset);
  block.Put(memset.memory_kind);
  block.Put(stream);
  block.Put(memset.bytes);
  block.PutTime(static_cast<int64_t>(memset.start));
  block.Put(memset.end - memset.start);
  block.PutCorrelation(memset.correlation_id);
  ++rows_;
}

void Encoder::EncodeCall(const cupti::Api& call) {
  if (!ValidTimes(call.start, call.end)) return;
  const uint32_t api = call.kind == cupti::kDriver ? 1 : 0;
  const uint32_t name = CallNameRef(api, call.cbid);
  const uint32_t thread = ThreadRef(call.thread_id);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kCall);
  block.Put(api);
  block.Put(name);
  block.Put(thread);
  block.PutTime(static_cast<int64_t>(call.start));
  block.Put(call.end - call.start);
  block.PutCorrelation(call.correlation_id);
  block.Put(call.return_value);
  ++rows_;
}

void Encoder::EncodeSync(const cupti::Synchronization& sync) {
  if (!ValidTimes(sync.start, sync.end)) return;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kSync);
  block.Put(sync.type);
  block.Put(sync.context_id);
  block.Put(sync.stream_id == UINT32_MAX ? 0 : uint64_t{sync.stream_id} + 1);
  block.Put(sync.event_id == UINT32_MAX ? 0 : uint64_t{sync.event_id} + 1);
  block.PutTime(static_cast<int64_t>(sync.start));
  block.Put(sync.end - sync.start);
  block.PutCorrelation(sync.correlation_id);
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

void Encoder::EncodeGraph(const cupti::GraphTrace& graph) {
  if (!ValidTimes(graph.start, graph.end)) return;
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

void Encoder::Encode(const NvtxEvent& event, const char* text, const char* domain) {
  const uint32_t name = TextRef(text);
  const uint32_t domain_ref = domain == nullptr || *domain == '\0' ? 0 : TextRef(domain);
  const uint32_t thread = ThreadRef(event.tid);
  const uint32_t end_thread = event.kind == NvtxEvent::kSpan ? ThreadRef(event.end_tid) : 0;
  wire::BlockWriter& block = file_->block();
  switch (event.kind) {
    case NvtxEvent::kRange: block.Begin(wire::kRange); break;
    case NvtxEvent::kSpan: block.Begin(wire::kSpan); break;
    case NvtxEvent::kMark: block.Begin(wire::kMark); break;
    case NvtxEvent::kOpen: block.Begin(wire::kOpen); break;
  }
  block.Put(thread);
  block.Put(domain_ref);
  block.Put(name);
  block.Put(event.category);
  block.PutTime(event.start_ns);
  if (event.kind == NvtxEvent::kRange || event.kind == NvtxEvent::kSpan)
    block.Put(event.end_ns > event.start_ns ? static_cast<uint64_t>(event.end_ns - event.start_ns) : 0);
  if (event.kind == NvtxEvent::kSpan) block.Put(end_thread);
  ++rows_;
}

void Encoder::Lost(wire::Loss what, uint64_t count) {
  if (count == 0) return;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kLost);
  block.Put(what);
  block.Put(count);
  block.PutTime(wire::NowNs());
}

void Encoder::Note(unsigned severity, const char* text) {
  const uint32_t ref = TextRef(text);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kNote);
  block.Put(severity);
  block.Put(ref);
}

void Encoder::End(int64_t cpu_ns) {
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kEnd);
  block.PutTime(wire::NowNs());
  block.Put(rows_);
  block.Put(static_cast<uint64_t>(cpu_ns > 0 ? cpu_ns : 0));
}

uint32_t Encoder::TextRef(const char* text) {
  return text == nullptr ? 0 : TextRef(text, strnlen(text, kMostTextBytes));
}

uint32_t Encoder::TextRef(const char* text, size_t size) {
  bool is_new = false;
  const uint32_t ref = texts_.Find(text, size, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->BlockFor(static_cast<uint32_t>(size));
    block.Begin(wire::kText);
    block.Put(ref);
    block.PutBytes(text, static_cast<uint32_t>(size));
  }
  return ref;
}

uint32_t Encoder::StreamRef(uint32_t device, uint32_t context, uint32_t stream) {
  bool is_new = false;
  const uint32_t ref = streams_.Find({device, context, stream}, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kStream);
    block.Put(ref);
    block.Put(device);
    block.Put(context);
    block.Put(stream);
  }
  return ref;
}

uint32_t Encoder::ShapeRef(const cupti::Kernel& kernel) {
  ShapeKey key{};
  for (int i = 0; i < 3; ++i) {
    key.grid[i] = static_cast<uint32_t>(kernel.grid[i]);
    key.block[i] = static_cast<uint32_t>(kernel.block[i]);
    key.cluster[i] = cupti_version_ >= kHasCluster ? kernel.cluster[i] : 0;
  }
  key.registers = kernel.registers_per_thread;
  key.shared = static_cast<uint32_t>(kernel.static_shared) + static_cast<uint32_t>(kernel.dynamic_shared);
  bool is_new = false;
  const uint32_t ref = shapes_.Find(key, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kLaunchShape);
    block.Put(ref);
    for (const uint32_t size : key.grid) block.Put(size);
    for (const uint32_t size : key.block) block.Put(size);
    block.Put(key.registers);
    block.Put(key.shared);
    for (const uint32_t size : key.cluster) block.Put(size);
  }
  return ref;
}

uint32_t Encoder::ThreadRef(uint32_t tid) {
  if (tid == 0) return 0;
  bool is_new = false;
  const uint32_t ref = threads_.Find({tid}, &is_new);
  if (!is_new) return ref;
  char path[64], name[64] = {};
  snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    const ssize_t got = read(descriptor, name, sizeof(name) - 1);
    close(descriptor);
    if (got > 0 && name[got - 1] == '\n') name[got - 1] = '\0';
  }
  const uint32_t name_ref = name[0] == '\0' ? 0 : TextRef(name);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kThread);
  block.Put(ref);
  block.Put(tid);
  block.Put(name_ref);
  return ref;
}

uint32_t Encoder::CallNameRef(uint32_t api, uint32_t cbid) {
  constexpr uint32_t kDriverDomain = 1, kRuntimeDomain = 2;
  if (cbid < kCallbackIds && call_names_[api][cbid] != 0) return call_names_[api][cbid];
  const char* name = nullptr;
  char numbered[48];
  if (functions_->GetCallbackName == nullptr ||
      functions_->GetCallbackName(api == 1 ? kDriverDomain : kRuntimeDomain, cbid, &name) != cupti::kSuccess ||
      name == nullptr) {
    snprintf(numbered, sizeof(numbered), "%s call %u", api == 1 ? "driver" : "runtime", cbid);
    name = numbered;
  }
  const uint32_t ref = TextRef(name);
  if (cbid < kCallbackIds) call_names_[api][cbid] = ref;
  return ref;
}

}  // namespace warpscope::agent

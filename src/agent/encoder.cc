#include "agent/encoder.h"

#include <string.h>

#include "wire/clock.h"

namespace warpscope::agent {

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
    case cupti::kRuntime:
    case cupti::kDriver: return EncodeCall(*static_cast<const cupti::Api*>(at));
    case cupti::kMemcpy: {
      const auto& copy = *static_cast<const cupti::Memcpy*>(at);
      return EncodeCopy(copy.copy_kind, copy.src_kind, copy.dst_kind, copy.bytes, copy.start, copy.end,
                        StreamRef(copy.device_id, copy.context_id, copy.stream_id), copy.correlation_id,
                        HasFrom(cupti::kSinceGraphId) ? copy.graph_id : 0, copy.graph_node_id);
    }
    case cupti::kMemcpyPeer: {
      const auto& copy = *static_cast<const cupti::MemcpyPeer*>(at);
      return EncodeCopy(copy.copy_kind, copy.src_kind, copy.dst_kind, copy.bytes, copy.start, copy.end,
                        StreamRef(copy.device_id, copy.context_id, copy.stream_id), copy.correlation_id,
                        HasFrom(cupti::kSinceGraphId) ? copy.graph_id : 0, copy.graph_node_id);
    }
    case cupti::kMemset: return EncodeMemset(*static_cast<const cupti::Memset*>(at));
    case cupti::kSynchronization: return EncodeSync(*static_cast<const cupti::Synchronization*>(at));
    case cupti::kCudaEvent: return EncodeEventRecord(*static_cast<const cupti::CudaEvent*>(at));
    default: EncodeRareRecord(record);
  }
}

bool Encoder::EncodeRareRecord(const cupti::Record* record) {
  const void* at = record;
  switch (record->kind) {
    case cupti::kOverhead: EncodeOverhead(*static_cast<const cupti::Overhead*>(at)); return true;
    case cupti::kGraphTrace: EncodeGraph(*static_cast<const cupti::GraphTrace*>(at)); return true;
    case cupti::kDevice: EncodeDevice(*static_cast<const cupti::Device*>(at)); return true;
    case cupti::kMemory2: EncodeMemory(*static_cast<const cupti::MemoryOperation*>(at)); return true;
    case cupti::kMemoryPool: EncodePool(*static_cast<const cupti::MemoryPool*>(at)); return true;
    case cupti::kModule: EncodeModule(*static_cast<const cupti::Module*>(at)); return true;
    case cupti::kJit: EncodeJit(*static_cast<const cupti::Jit*>(at)); return true;
    case cupti::kUnifiedMemory: EncodeUnified(*static_cast<const cupti::UnifiedMemory*>(at)); return true;
    case cupti::kExternalCorrelation: EncodeExternal(*static_cast<const cupti::ExternalCorrelation*>(at)); return true;
    default: return false;
  }
}

// A record without a time would move every total; it is counted instead.
bool Encoder::ValidTimes(uint64_t start, uint64_t end) {
  const bool valid = start != 0 && end >= start && end < (uint64_t{1} << 63);
  bad_times_ += valid ? 0 : 1;
  const bool inside =
      !valid || (static_cast<int64_t>(start) >= begin_ns_ && (end_ns_ == 0 || static_cast<int64_t>(start) <= end_ns_));
  outside_ += inside ? 0 : 1;
  return valid && inside;
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

void Encoder::Window(bool began, const char* reason, int64_t time_ns) {
  const uint32_t ref = TextRef(reason);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kWindow);
  block.Put(began ? 1 : 0);
  block.Put(ref);
  block.PutTime(time_ns);
}

void Encoder::OverheadCost(int64_t added_ns, uint32_t timed_with, uint32_t timed_without, int64_t cpu_ns,
                           int64_t recorded_ns) {
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kOverheadCost);
  block.Put(static_cast<uint64_t>(added_ns > 0 ? added_ns : 0) * 1000);
  block.Put(added_ns < 0 ? 0 : timed_with);
  block.Put(added_ns < 0 ? 0 : timed_without);
  block.Put(static_cast<uint64_t>(cpu_ns > 0 ? cpu_ns : 0));
  block.Put(launches_count_);
  block.Put(static_cast<uint64_t>(recorded_ns > 0 ? recorded_ns : 0));
}

void Encoder::ForgetDefinitions() {
  texts_.Clear();
  streams_.Clear();
  shapes_.Clear();
  threads_.Clear();
  launches_.Clear();
  calls_.Clear();
  nvtx_keys_.Clear();
  metrics_.Clear();
  metric_sets_.Clear();
  codes_.Clear();
  code_functions_.Clear();
  stall_reasons_.Clear();
  memset(launch_cache_, 0, sizeof(launch_cache_));
  memset(call_cache_, 0, sizeof(call_cache_));
  memset(call_names_, 0, sizeof(call_names_));
  schemas_written_ = 0;
}

void Encoder::DefineAgain() {
  for (uint32_t i = 0; i < device_count_; ++i) DefineDevice(devices_[i]);
}

}  // namespace warpscope::agent

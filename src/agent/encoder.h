// Encoder: CUPTI's records and NVTX events -> the capture stream. [one thread] the writer's; static memory only.
//
// What events have in common (a kernel's name, stream and launch shape; a call's name and thread) is defined once in
// the stream and then referred to by one number, which caches find in a few nanoseconds. The cache of launches is keyed
// by the address of the kernel's name, and compares the text as well: a module that is unloaded leaves its addresses to
// others. encoder.cc: dispatch and remarks; encoder_refs.cc: definitions; encoder_device.cc, encoder_host.cc,
// encoder_nvtx.cc, encoder_counters.cc, encoder_pc.cc, encoder_profiles.cc: records.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/cupti_abi.h"
#include "agent/graph_nodes.h"
#include "agent/key_table.h"
#include "agent/nvtx_ring.h"
#include "agent/text_table.h"
#include "wire/stream_file.h"

namespace warpscope::agent {

class Encoder {
 public:
  bool Init(const cupti::Functions* functions, uint32_t cupti_version, wire::StreamFile* file);

  // All records of a filled buffer.
  void EncodeBuffer(uint8_t* buffer, size_t valid_bytes);
  // Everything of NVTX: what waits in the ring, new names of threads, and ranges that are open since `open_before_ns`.
  void EncodeNvtx(NvtxRing* ring, int64_t open_before_ns);
  void EncodeGraphNodes();
  void Lost(wire::Loss what, uint64_t count);
  void Note(unsigned severity, const char* text);
  void End(int64_t cpu_ns);
  void Window(bool began, const char* reason, int64_t time_ns);
  // `added_ns` to a launch; negative: not measured.
  void OverheadCost(int64_t added_ns, uint32_t timed_with, uint32_t timed_without, int64_t cpu_ns, int64_t recorded_ns);

  // Hardware counters. Numbers hold until ForgetDefinitions(): ask again for every record.
  uint32_t MetricRef(const char* name, const char* unit);
  uint32_t MetricSetRef(const uint32_t* metrics, uint32_t count, uint32_t passes);
  // Samples of a set. `values` lie metric by metric, `count` of each; REQUIRES: they fit one block.
  struct CounterTime {
    int64_t start_ns, duration_ns;
  };
  void CounterSamples(uint32_t device, uint32_t set, const CounterTime* times, uint32_t count, const float* values,
                      uint32_t metrics);
  void CounterWindow(uint32_t device, uint32_t set, int64_t interval_ns, int64_t begin_ns, int64_t duration_ns,
                     uint64_t samples, uint32_t loss);
  // Devices that anything was recorded of: bits of their numbers below 64. [MT]
  uint64_t devices_used() const { return devices_used_.load(std::memory_order_relaxed); }
  // A measured launch: `kernel` tells name, place and shape, `ordinal` which launch of the process it was. `count`
  // values of the set, NaN for none; REQUIRES: they fit one block.
  void KernelCounters(const cupti::Kernel& kernel, uint64_t ordinal, wire::CounterReplay replay, uint32_t set,
                      const double* values, uint32_t count);
  void Unmeasured(const char* name, uint64_t launches, const char* reason);
  void DescribeDevice(const cupti::Device& device) { EncodeDevice(device); }

  // PC samples. Numbers hold until ForgetDefinitions(): ask again for every record.
  struct StallCount {
    uint32_t reason, samples;
  };
  uint32_t StallReasonRef(const char* name);
  uint32_t CodeRef(uint64_t checksum, uint64_t bytes, const char* file);  // null: not kept
  uint32_t CodeFunctionRef(uint32_t code, const char* name);
  static constexpr uint32_t kMostStallCounts = 64;
  // REQUIRES: count <= kMostStallCounts.
  void PcSamples(uint32_t function, uint64_t offset, const StallCount* counts, uint32_t count);
  struct PcWindowCounts {
    uint64_t samples, dropped, other;
    bool buffer_full;
  };
  void PcWindow(uint32_t device, uint32_t period, int64_t begin_ns, int64_t duration_ns, const PcWindowCounts& counts);

  // Records that start outside are counted and left out.
  void SetBounds(int64_t begin_ns, int64_t end_ns) { begin_ns_ = begin_ns, end_ns_ = end_ns; }
  int64_t begin_ns() const { return begin_ns_; }

  // The stream goes on in a file without the definitions so far: they are written again at their next use;
  // DefineAgain() writes those at once that CUPTI tells only once.
  void ForgetDefinitions();
  void DefineAgain();

  uint64_t rows() const { return rows_; }
  uint64_t bad_times() const { return bad_times_; }
  uint64_t outside() const { return outside_; }
  uint64_t launches() const { return launches_count_; }  // of kernels outside graphs, and records of whole graphs

 private:
  struct StreamKey {
    uint32_t device, context, stream;
  };
  struct ShapeKey {
    uint32_t grid[3], block[3], registers, shared, cluster[3];
  };
  struct ThreadKey {
    uint32_t tid;
  };
  struct LaunchKey {
    uint32_t name, stream, shape, graph, node_low, node_high;
  };
  struct CallKey {
    uint32_t api, cbid, tid;
  };
  struct MetricKey {
    uint32_t name, unit;
  };
  struct MetricSetKey {
    uint32_t hash_low, hash_high, count, passes;
  };
  struct CodeKey {
    uint32_t checksum_low, checksum_high, kept;
  };
  struct CodeFunctionKey {
    uint32_t code, name;
  };
  struct StallReasonKey {
    uint32_t name;
  };
  struct NvtxKey {
    uint32_t domain, category, has_color, color;
  };
  // A launch as its record tells it, and its number in the stream.
  struct CachedLaunch {
    const char* name;
    const char* text;  // the name's content
    uint64_t node_id;
    uint32_t placed[11];  // device, context, stream, grid, block, static and dynamic shared: as they lie in the record
    uint32_t cluster[3], graph_id, registers;
    uint32_t ref;     // 0: free
    uint32_t unused;  // whole words: entries are compared as bytes
  };
  struct CachedCall {
    CallKey key;
    uint32_t ref;
  };

  void EncodeRecord(const cupti::Record* record);
  bool EncodeRareRecord(const cupti::Record* record);
  void EncodeKernel(const cupti::Kernel& kernel);
  void EncodeCopy(uint8_t copy_kind, uint8_t source, uint8_t destination, uint64_t bytes, uint64_t start, uint64_t end,
                  uint32_t stream, uint32_t correlation, uint32_t graph_id, uint64_t node_id);
  void EncodeMemset(const cupti::Memset& memset);
  void EncodeGraph(const cupti::GraphTrace& graph);
  void EncodeCall(const cupti::Api& call);
  void EncodeSync(const cupti::Synchronization& sync);
  void EncodeEventRecord(const cupti::CudaEvent& event);
  void EncodeOverhead(const cupti::Overhead& overhead);
  void EncodeDevice(const cupti::Device& device);
  void DefineDevice(const cupti::Device& device);
  void EncodeMemory(const cupti::MemoryOperation& operation);
  void EncodePool(const cupti::MemoryPool& pool);
  void EncodeModule(const cupti::Module& module);
  void EncodeJit(const cupti::Jit& jit);
  void EncodeUnified(const cupti::UnifiedMemory& unified);
  void EncodeExternal(const cupti::ExternalCorrelation& external);
  void EncodeNvtxEvent(const NvtxEvent& event);
  void EncodeThreadName(uint32_t tid, const char* name);
  void EncodeGraphNode(const GraphNodeEvent& event);

  bool ValidTimes(uint64_t start, uint64_t end);
  bool HasFrom(uint32_t cupti_version) const { return cupti_version_ >= cupti_version; }

  uint32_t TextRef(const char* text, size_t size);
  uint32_t TextRef(const char* text);
  uint32_t StreamRef(uint32_t device, uint32_t context, uint32_t stream);
  uint32_t ShapeRef(const cupti::Kernel& kernel);
  uint32_t LaunchRef(const cupti::Kernel& kernel);
  uint32_t NewLaunchRef(const cupti::Kernel& kernel, uint32_t name);
  uint32_t ThreadRef(uint32_t tid);
  void DefineThread(uint32_t ref, uint32_t tid, const char* name);
  uint32_t CallNameRef(uint32_t api, uint32_t cbid);
  uint32_t CallRef(uint32_t api, uint32_t cbid, uint32_t tid);
  uint32_t NvtxRef(const NvtxContent& content);
  uint32_t SchemaRef(uint32_t schema);

  const cupti::Functions* functions_ = nullptr;
  uint32_t cupti_version_ = 0;
  wire::StreamFile* file_ = nullptr;
  TextTable texts_;
  KeyTable<StreamKey, 4096> streams_;
  KeyTable<ShapeKey, 16384> shapes_;
  KeyTable<ThreadKey, 4096> threads_;
  KeyTable<LaunchKey, 32768> launches_;
  KeyTable<CallKey, 4096> calls_;
  KeyTable<NvtxKey, 4096> nvtx_keys_;
  KeyTable<MetricKey, 8192> metrics_;
  KeyTable<MetricSetKey, 256> metric_sets_;
  std::atomic<uint64_t> devices_used_{0};
  KeyTable<CodeKey, 8192> codes_;
  KeyTable<CodeFunctionKey, 32768> code_functions_;
  KeyTable<StallReasonKey, 512> stall_reasons_;
  static constexpr uint32_t kLaunchCache = 8192, kCallCache = 1024;
  CachedLaunch launch_cache_[kLaunchCache] = {};
  CachedCall call_cache_[kCallCache] = {};
  static constexpr uint32_t kCallbackIds = 2048;
  uint32_t call_names_[2][kCallbackIds] = {};
  uint32_t naming_serial_ = 0;
  uint32_t schemas_written_ = 0;
  uint64_t nodes_lost_ = 0;
  uint64_t rows_ = 0, bad_times_ = 0, outside_ = 0, launches_count_ = 0;
  int64_t begin_ns_ = 0, end_ns_ = 0;  // 0: no end
  static constexpr uint32_t kMostDevices = 64;
  cupti::Device devices_[kMostDevices] = {};  // the names live as long as CUPTI
  uint32_t device_count_ = 0;
};

}  // namespace warpscope::agent

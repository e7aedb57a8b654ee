// Trace: one recorded run as columns. Every importer fills it; every analysis reads it.
//
// Shape: struct of arrays. A "row" is an index into the columns of one table. Host-side spans of every kind are rows
// of `host`, device-side work is rows of `gpu`; the rest are small dimension tables that these point into.
// Time: int64 nanoseconds on one clock (absolute if the format tells the epoch, else the format's own zero).
// Absent: kNone for row references, kNoId for 64-bit ids, kNoString for text, std::optional elsewhere; never 0.
// Several processes, hosts and ranks live side by side: a link domain is the name space in which correlation ids are
// unique (one process of one file), so rows of different ranks never meet by accident.
// [one thread] while an importer fills it; [MT] for reads after Finish().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/breaks.h"
#include "model/ledger.h"
#include "model/measurements.h"
#include "model/pc_samples.h"
#include "model/sampled_counters.h"
#include "model/string_pool.h"

namespace warpscope::model {

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint64_t kNoId = UINT64_MAX;

enum class HostKind : uint8_t {  // in nesting order: of two equal spans the earlier kind is the outer one
  kAnnotation,                   // user_annotation, NVTX range, record_function, ProfilerStep#N
  kPython,                       // Python frame
  kNative,                       // frame of C, C++ and the like
  kOperator,                     // framework operator (aten::..., autograd nodes, record_param_comms)
  kRuntimeCall,                  // cuda*/hip* runtime API
  kDriverCall,                   // cu* driver API
  kOsCall,                       // blocking operating-system call
  kOverhead,                     // the profiler's own work (buffer flush, buffer request ...)
};

inline constexpr size_t kHostKinds = static_cast<size_t>(HostKind::kOverhead) + 1;
// Frames of sampled or traced stacks.
inline bool IsFrame(HostKind kind) { return kind == HostKind::kPython || kind == HostKind::kNative; }

enum class GpuKind : uint8_t { kKernel, kCopy, kMemset, kGraphLaunch /* one row for a whole graph, nodes unknown */ };

enum class CopyKind : uint8_t { kUnknown, kHostToDevice, kDeviceToHost, kDeviceToDevice, kHostToHost, kPeerToPeer };
enum class MemoryKind : uint8_t { kUnknown, kPageable, kPinned, kDevice, kManaged, kArray };
enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kIntel, kHuawei };
enum class SyncKind : uint8_t { kUnknown, kStream, kEvent, kContext, kStreamWaitEvent };

// Sorted by (thread, start, -duration, kind) after Finish().
struct HostTable {
  std::vector<int64_t> start_ns;
  std::vector<int64_t> dur_ns;
  std::vector<StringId> name;
  std::vector<uint32_t> thread;  // row of Trace::threads
  std::vector<HostKind> kind;
  std::vector<uint64_t>
      correlation;  // calls: correlation id. Operators: sequence number. Python: Python id. Else kNoId.
  std::vector<uint64_t> external_id;  // operators: own External id; calls: that of the operator around them; else kNoId
  std::vector<uint32_t> forward_thread;  // operators run by autograd: number of the forward thread (>= 1); else 0
  // operators: row of Trace::op_details; annotations: row of annotation_details; kNone if nothing was recorded
  std::vector<uint32_t> detail;
  std::vector<uint32_t> parent;  // innermost row of the same thread that contains this one; kNone at top. By Finish()

  uint32_t size() const { return static_cast<uint32_t>(start_ns.size()); }
  int64_t end_ns(uint32_t row) const { return start_ns[row] + dur_ns[row]; }
  template <typename F>
  void VisitColumns(F&& visit) {
    visit(start_ns), visit(dur_ns), visit(name), visit(thread), visit(kind), visit(correlation), visit(external_id),
        visit(forward_thread), visit(detail), visit(parent);
  }
};

// Sorted by (start, stream) after Finish(). Rows that could not be timed are not here (ledger: untimed_record).
struct GpuTable {
  std::vector<int64_t> start_ns;
  std::vector<int64_t> dur_ns;
  std::vector<StringId> name;  // kernel name; for copies and memsets the recorded text
  std::vector<GpuKind> kind;
  std::vector<uint32_t> stream;       // row of Trace::streams
  std::vector<uint64_t> correlation;  // kNoId if absent
  std::vector<uint64_t> external_id;  // kNoId if absent
  std::vector<uint32_t> detail;  // kernels: row of launch_configs; copies, memsets: row of copy_details; else kNone
  std::vector<uint32_t> call;    // row of host: the API call that issued it; kNone if unknown. By Finish()

  uint32_t size() const { return static_cast<uint32_t>(start_ns.size()); }
  int64_t end_ns(uint32_t row) const { return start_ns[row] + dur_ns[row]; }
  template <typename F>
  void VisitColumns(F&& visit) {
    visit(start_ns), visit(dur_ns), visit(name), visit(kind), visit(stream), visit(correlation), visit(external_id),
        visit(detail), visit(call);
  }
};

// What an operator was called with. Interned: equal details share a row. Texts are the recorded JSON ("[[16, 512]]").
struct OpDetail {
  StringId input_dims = kNoString;
  StringId input_types = kNoString;
  StringId input_strides = kNoString;
  StringId concrete_inputs = kNoString;
  StringId call_stack = kNoString;  // old traces: Python stack as text
  bool operator==(const OpDetail&) const = default;
};

enum class AnnotationForm : uint8_t {
  kNested,    // pushed and popped on one thread
  kStartEnd,  // started and ended anywhere: may overlap its neighbours
  kMark,      // a moment: its row lasts 0
};

// What an annotation carried beside its name (NVTX). Interned.
struct AnnotationDetail {
  AnnotationForm form = AnnotationForm::kNested;
  StringId domain = kNoString;  // of the library that made it ("NCCL"); kNoString: the default one, the user's own
  StringId category = kNoString;
  std::optional<uint32_t> color_argb;
  StringId payload = kNoString;  // as text, decoded where the recorder told how: "Message size [bytes]=4096"
  bool operator==(const AnnotationDetail&) const = default;
};

// How a kernel was launched. Interned. shared_bytes = static + dynamic a block as recorded.
struct LaunchConfig {
  uint32_t grid[3] = {0, 0, 0};   // blocks (CTAs); all 0 = unknown
  uint32_t block[3] = {0, 0, 0};  // threads
  std::optional<uint32_t> registers_per_thread;
  std::optional<uint32_t> shared_bytes;
  std::optional<uint32_t> recorded_occupancy_pct;  // as the recorder estimated it
  uint64_t graph_id = kNoId;
  uint64_t graph_node_id = kNoId;
  bool operator==(const LaunchConfig&) const = default;
};

// Interned.
struct CopyDetail {
  CopyKind kind = CopyKind::kUnknown;
  MemoryKind src = MemoryKind::kUnknown;
  MemoryKind dst = MemoryKind::kUnknown;
  std::optional<uint64_t> bytes;
  bool operator==(const CopyDetail&) const = default;
};

// A collective or point-to-point communication; one row a recorded kernel or operator that carries its description.
struct Collective {
  uint32_t gpu_row = kNone;   // its kernel, or kNone. Kept right by Finish()
  uint32_t host_row = kNone;  // its record_param_comms operator, or kNone. Kept right by Finish()
  StringId name = kNoString;  // "allreduce", "_allgather_base" ...
  StringId dtype = kNoString;
  StringId group_name = kNoString;
  StringId group_ranks = kNoString;  // text "[0, 1]"
  StringId comms_id = kNoString;     // decimal text: may exceed int64
  std::optional<uint64_t> in_elements, out_elements, group_size, sequence;
};

// Rows of the recorder that describe a synchronisation on the device side (Kineto cuda_sync, nsys SYNCHRONIZATION).
struct Sync {
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  SyncKind kind = SyncKind::kUnknown;
  uint32_t stream = kNone;                    // waited for, or (stream wait event) made to wait
  uint32_t wait_on_stream = kNone;            // stream wait event: where the event was recorded
  uint64_t correlation = kNoId;               // of the API call
  uint64_t event_record_correlation = kNoId;  // of the record call of the event
  uint32_t link_domain = kNone;               // of the call where no stream tells it
  uint32_t call = kNone;                      // row of host. By Finish()
};

struct MemoryEvent {
  int64_t time_ns = 0;
  int64_t bytes = 0;  // > 0 allocation, < 0 free
  uint64_t address = 0;
  uint32_t device = kNone;  // row of devices; kNone = host memory
  uint32_t thread = kNone;
  std::optional<int64_t> total_allocated_bytes, total_reserved_bytes;
};

struct GpuAnnotation {
  int64_t start_ns, dur_ns;
  StringId name;
  uint32_t stream;
};
// A value that a timeline recorder sampled.
struct CounterSample {
  int64_t time_ns = 0;
  StringId name = kNoString;
  uint32_t device = kNone;  // row of devices; kNone if it belongs to none
  double value = 0;
  StringId unit = kNoString;
};

struct Device {
  uint32_t source = 0;
  int64_t id = 0;     // as the file numbers it
  std::string name;   // "" if unknown
  bool used = false;  // some gpu row ran on it. By Finish()
  std::optional<uint64_t> memory_bytes;
  std::optional<uint32_t> cc_major, cc_minor, sm_count, warp_size, max_threads_per_block, max_threads_per_sm,
      registers_per_block, registers_per_sm, shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_sm;
  uint32_t attribute_begin = 0, attribute_end = 0;  // rows of metrics: everything else that the file says about it
};

struct Process {
  uint32_t source = 0;
  int64_t pid = 0;
  uint32_t link_domain = 0;
  StringId name = kNoString;
  std::optional<int64_t> rank;
};

struct Thread {
  uint32_t process = kNone;
  int64_t tid = 0;
  StringId name = kNoString;
};

struct Stream {
  uint32_t device = kNone;
  uint32_t link_domain = 0;
  int64_t context = -1;  // -1: not recorded
  int64_t id = 0;        // as the file numbers it
  StringId name = kNoString;
};

// One input file.
struct Source {
  std::string path;      // as the user named it
  std::string format;    // "kineto", ...
  std::string producer;  // "torch.profiler (Kineto), CUPTI 13.0.1"; "" if unknown
  std::string version;   // "" if unknown
  std::optional<int64_t> rank, world_size;
  std::optional<int64_t> base_time_ns;
  std::string host_name;
  std::optional<bool> record_shapes, with_stack, profile_memory;
  std::optional<int64_t> sample_period_ns;  // its Python and system rows were seen from outside, so far apart; 0: exact
  Vendor vendor = Vendor::kUnknown;         // of the devices that it recorded
  // Files of one recording (rocprofv3's CSV files, an Ascend output folder) carry the same non-empty text, and share
  // processes, devices and clock. Among them, files of one `representation` complete each other; those of different
  // ones ("csv", "db") tell the same events again, and only the fullest is kept.
  std::string part_of, representation;
  std::optional<int64_t> launch_cost_ns;  // added to a launch by the recording, where the recorder measured it
  bool has_sync_rows = false;             // the recorder wrote synchronisation rows, so their absence means something
  uint64_t text_bytes = 0;                // uncompressed
};

struct Trace {
  StringPool strings;
  HostTable host;
  GpuTable gpu;
  std::vector<GpuAnnotation> gpu_annotations;  // sorted by start
  std::vector<Sync> syncs;                     // sorted by start
  std::vector<MemoryEvent> memory;             // sorted by time
  std::vector<CounterSample> counters;         // sorted by time
  std::vector<Collective> collectives;

  // Hardware counters sampled beside the timeline; see sampled_counters.h. In the order of their files.
  std::vector<SampledMetric> sampled_metrics;
  std::vector<CounterWindow> counter_windows;
  std::vector<DeviceSample> device_samples;
  std::vector<float> sampled_values;

  // Samples of stall reasons; see pc_samples.h. In the order of their files.
  std::vector<PcSample> pc_samples;
  std::vector<PcWindow> pc_windows;

  // Measurements without a timeline; see measurements.h.
  std::vector<KernelProfile> kernel_profiles;
  std::vector<Metric> metrics;
  std::vector<Advice> advice;
  std::vector<KernelCode> kernel_codes;
  std::vector<SummaryRow> summaries;
  std::vector<Reading> readings;

  std::vector<OpDetail> op_details;
  std::vector<AnnotationDetail> annotation_details;
  std::vector<LaunchConfig> launch_configs;
  std::vector<CopyDetail> copy_details;

  std::vector<Pause> pauses;  // none after CutBreaks()
  std::vector<Break> breaks;  // by time; see breaks.h

  std::vector<Source> sources;
  std::vector<Device> devices;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Stream> streams;

  // [begin, end) of each thread's rows in `host`, by thread row. By Finish().
  struct RowRange {
    uint32_t begin = 0, end = 0;
  };
  std::vector<RowRange> thread_rows;
  // Rows of `gpu` per stream, in start order. By Finish().
  std::vector<std::vector<uint32_t>> stream_rows;

  Ledger ledger;

  std::string_view Text(StringId id) const { return strings.Get(id); }
  std::string_view HostName(uint32_t row) const { return strings.Get(host.name[row]); }
  std::string_view GpuName(uint32_t row) const { return strings.Get(gpu.name[row]); }
  uint32_t HostDomain(uint32_t row) const { return processes[threads[host.thread[row]].process].link_domain; }
  uint32_t GpuDomain(uint32_t row) const { return streams[gpu.stream[row]].link_domain; }
  bool has_timeline() const { return gpu.size() > 0 || host.size() > 0; }
  const LaunchConfig* Launch(uint32_t gpu_row) const;  // null unless a kernel with a recorded configuration
  const CopyDetail* Copy(uint32_t gpu_row) const;      // null unless a copy or memset

  // Sorts, nests and links what an importer appended; to be called once, after the last row. Counts what it finds in
  // the ledger (duplicates, unmatched, kernels before launch, overlaps, zero durations).
  // O(n log n) at worst, near linear on files that are sorted in long runs. Uses up to two threads.
  void Finish();
};

bool IsLaunchCall(std::string_view name);  // a call that puts work on a stream: kernel, copy, memset or graph launch
bool IsGraphLaunchCall(std::string_view name);

}  // namespace warpscope::model

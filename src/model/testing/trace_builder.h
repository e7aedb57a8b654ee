// TraceBuilder: hand-built traces for tests, one line a row. Header-only; never linked into the product.
// [one thread] Build rows in any order, then Finish() once and use trace().
// Times are ns. Rows are found again after Finish() (which sorts) by name or by correlation id, never by the order of
// the Add calls.
//
//   TraceBuilder b;
//   b.AddOp("aten::mul", 0, 1000);
//   b.Launch("mul_kernel", 200, 300, 600, 50);   // call [200, 500), kernel [600, 650)
//   const Trace& trace = b.Finish();
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/trace.h"

namespace warpscope::model::testing {

class TraceBuilder {
 public:
  TraceBuilder() {
    trace_.sources.push_back({});
    trace_.sources.back().format = "test";
    trace_.devices.push_back({});
    AddProcess(100);
    UseThread(1);
  }

  // ---- Where the next rows go. All are made on first use; thread 1 of process 100 (domain 0), device 0 are ready.
  // A new process is a link domain of its own. Returns its row.
  uint32_t AddProcess(int64_t pid, std::optional<int64_t> rank = std::nullopt) {
    Process process;
    process.pid = pid;
    process.link_domain = static_cast<uint32_t>(trace_.processes.size());
    process.rank = rank;
    trace_.processes.push_back(process);
    process_ = static_cast<uint32_t>(trace_.processes.size() - 1);
    return process_;
  }
  TraceBuilder& UseProcess(uint32_t process_row) {
    process_ = process_row;
    return *this;
  }
  TraceBuilder& UseThread(int64_t tid) {
    thread_ = ThreadRow(tid);
    return *this;
  }
  uint32_t ThreadRow(int64_t tid) {
    const auto [it, fresh] = threads_.try_emplace({process_, tid}, static_cast<uint32_t>(trace_.threads.size()));
    if (fresh) trace_.threads.push_back({process_, tid, kNoString});
    return it->second;
  }
  // Adds a device and returns its row.
  uint32_t AddDevice(Device device) {
    trace_.devices.push_back(std::move(device));
    return static_cast<uint32_t>(trace_.devices.size() - 1);
  }
  Device& device(uint32_t row = 0) { return trace_.devices[row]; }
  uint32_t StreamRow(int64_t stream_id, uint32_t device = 0) {
    const auto [it, fresh] =
        streams_.try_emplace({process_, device, stream_id}, static_cast<uint32_t>(trace_.streams.size()));
    if (fresh) {
      Stream stream;
      stream.device = device;
      stream.link_domain = trace_.processes[process_].link_domain;
      stream.id = stream_id;
      trace_.streams.push_back(stream);
    }
    return it->second;
  }

  // ---- Host rows, on the thread in use.
  TraceBuilder& AddHost(HostKind kind, std::string_view name, int64_t start_ns, int64_t dur_ns,
                        uint64_t correlation = kNoId, uint64_t external_id = kNoId, uint32_t forward_thread = 0,
                        uint32_t detail = kNone) {
    HostTable& host = trace_.host;
    host.start_ns.push_back(start_ns);
    host.dur_ns.push_back(dur_ns);
    host.name.push_back(trace_.strings.Intern(name));
    host.thread.push_back(thread_);
    host.kind.push_back(kind);
    host.correlation.push_back(correlation);
    host.external_id.push_back(external_id);
    host.forward_thread.push_back(forward_thread);
    host.detail.push_back(detail);
    return *this;
  }
  TraceBuilder& AddAnnotation(std::string_view name, int64_t start_ns, int64_t dur_ns) {
    return AddHost(HostKind::kAnnotation, name, start_ns, dur_ns);
  }
  TraceBuilder& AddPython(std::string_view name, int64_t start_ns, int64_t dur_ns) {
    return AddHost(HostKind::kPython, name, start_ns, dur_ns);
  }
  TraceBuilder& AddOp(std::string_view name, int64_t start_ns, int64_t dur_ns, std::string_view input_dims = {},
                      std::string_view input_types = {}) {
    uint32_t detail = kNone;
    if (!input_dims.empty() || !input_types.empty()) {
      OpDetail op;
      if (!input_dims.empty()) op.input_dims = trace_.strings.Intern(input_dims);
      if (!input_types.empty()) op.input_types = trace_.strings.Intern(input_types);
      trace_.op_details.push_back(op);
      detail = static_cast<uint32_t>(trace_.op_details.size() - 1);
    }
    return AddHost(HostKind::kOperator, name, start_ns, dur_ns, kNoId, kNoId, 0, detail);
  }
  // A forward operator (forward_thread 0) or an autograd node (forward_thread = number of the forward thread).
  TraceBuilder& AddAutogradOp(std::string_view name, int64_t start_ns, int64_t dur_ns, uint64_t sequence,
                              uint32_t forward_thread = 0) {
    return AddHost(HostKind::kOperator, name, start_ns, dur_ns, sequence, kNoId, forward_thread);
  }
  TraceBuilder& AddCall(std::string_view name, int64_t start_ns, int64_t dur_ns, uint64_t correlation = kNoId) {
    return AddHost(HostKind::kRuntimeCall, name, start_ns, dur_ns, correlation);
  }

  // ---- Device rows.
  TraceBuilder& AddKernel(std::string_view name, int64_t start_ns, int64_t dur_ns, uint64_t correlation = kNoId,
                          int64_t stream = 7, uint32_t device = 0, const LaunchConfig& config = DefaultConfig()) {
    trace_.launch_configs.push_back(config);
    return AddGpu(GpuKind::kKernel, name, start_ns, dur_ns, correlation, StreamRow(stream, device),
                  static_cast<uint32_t>(trace_.launch_configs.size() - 1));
  }
  TraceBuilder& AddCopy(CopyKind kind, MemoryKind src, MemoryKind dst, std::optional<uint64_t> bytes, int64_t start_ns,
                        int64_t dur_ns, uint64_t correlation = kNoId, int64_t stream = 7, uint32_t device = 0) {
    trace_.copy_details.push_back({kind, src, dst, bytes});
    return AddGpu(GpuKind::kCopy, "Memcpy", start_ns, dur_ns, correlation, StreamRow(stream, device),
                  static_cast<uint32_t>(trace_.copy_details.size() - 1));
  }
  TraceBuilder& AddMemset(uint64_t bytes, int64_t start_ns, int64_t dur_ns, uint64_t correlation = kNoId,
                          int64_t stream = 7, uint32_t device = 0) {
    trace_.copy_details.push_back({CopyKind::kUnknown, MemoryKind::kUnknown, MemoryKind::kDevice, bytes});
    return AddGpu(GpuKind::kMemset, "Memset (Device)", start_ns, dur_ns, correlation, StreamRow(stream, device),
                  static_cast<uint32_t>(trace_.copy_details.size() - 1));
  }
  TraceBuilder& AddGpu(GpuKind kind, std::string_view name, int64_t start_ns, int64_t dur_ns, uint64_t correlation,
                       uint32_t stream_row, uint32_t detail) {
    GpuTable& gpu = trace_.gpu;
    gpu.start_ns.push_back(start_ns);
    gpu.dur_ns.push_back(dur_ns);
    gpu.name.push_back(trace_.strings.Intern(name));
    gpu.kind.push_back(kind);
    gpu.stream.push_back(stream_row);
    gpu.correlation.push_back(correlation);
    gpu.external_id.push_back(kNoId);
    gpu.detail.push_back(detail);
    return *this;
  }

  // ---- Pairs: a call on the thread in use and what it issues. Returns the fresh correlation id.
  uint64_t Launch(std::string_view kernel, int64_t call_start_ns, int64_t call_dur_ns, int64_t start_ns, int64_t dur_ns,
                  int64_t stream = 7, const LaunchConfig& config = DefaultConfig()) {
    const uint64_t id = next_correlation_++;
    AddCall("cudaLaunchKernel", call_start_ns, call_dur_ns, id);
    AddKernel(kernel, start_ns, dur_ns, id, stream, 0, config);
    return id;
  }
  uint64_t LaunchCopy(CopyKind kind, MemoryKind src, MemoryKind dst, std::optional<uint64_t> bytes,
                      int64_t call_start_ns, int64_t call_dur_ns, int64_t start_ns, int64_t dur_ns,
                      int64_t stream = 7) {
    const uint64_t id = next_correlation_++;
    AddCall("cudaMemcpyAsync", call_start_ns, call_dur_ns, id);
    AddCopy(kind, src, dst, bytes, start_ns, dur_ns, id, stream);
    return id;
  }

  // ---- Dimension rows.
  TraceBuilder& AddMemory(int64_t time_ns, int64_t bytes, uint64_t address, uint32_t device = 0,
                          std::optional<int64_t> allocated = std::nullopt,
                          std::optional<int64_t> reserved = std::nullopt) {
    trace_.memory.push_back({time_ns, bytes, address, device, thread_, allocated, reserved});
    return *this;
  }
  TraceBuilder& AddSync(Sync sync) {
    trace_.syncs.push_back(sync);
    return *this;
  }
  // A collective on the kernel added last.
  TraceBuilder& AddCollectiveOfLastKernel(std::string_view name, std::string_view group, uint64_t sequence,
                                          std::optional<uint64_t> elements = std::nullopt,
                                          std::string_view dtype = "Float") {
    Collective row;
    row.gpu_row = trace_.gpu.size() - 1;
    row.name = trace_.strings.Intern(name);
    row.dtype = trace_.strings.Intern(dtype);
    row.group_name = trace_.strings.Intern(group);
    row.sequence = sequence;
    row.in_elements = row.out_elements = elements;
    trace_.collectives.push_back(row);
    return *this;
  }

  // Grid 1024 blocks of 256 threads, 32 registers, no shared memory.
  static LaunchConfig DefaultConfig() { return Config(1024, 256, 32, 0); }
  static LaunchConfig Config(uint32_t grid, uint32_t block, uint32_t registers, uint32_t shared_bytes) {
    LaunchConfig config;
    config.grid[0] = grid, config.grid[1] = config.grid[2] = 1;
    config.block[0] = block, config.block[1] = config.block[2] = 1;
    config.registers_per_thread = registers;
    config.shared_bytes = shared_bytes;
    return config;
  }

  Trace& Finish() {
    trace_.Finish();
    return trace_;
  }
  Trace& trace() { return trace_; }
  uint64_t last_correlation() const { return next_correlation_ - 1; }

  // ---- Lookups after Finish(). kNone if there is no such row; `nth` counts from 0 in row order.
  uint32_t HostRow(std::string_view name, uint32_t nth = 0) const {
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (trace_.HostName(row) == name && nth-- == 0) return row;
    }
    return kNone;
  }
  uint32_t GpuRow(std::string_view name, uint32_t nth = 0) const {
    for (uint32_t row = 0; row < trace_.gpu.size(); ++row) {
      if (trace_.GpuName(row) == name && nth-- == 0) return row;
    }
    return kNone;
  }
  uint32_t GpuRowOf(uint64_t correlation) const {
    for (uint32_t row = 0; row < trace_.gpu.size(); ++row) {
      if (trace_.gpu.correlation[row] == correlation) return row;
    }
    return kNone;
  }

 private:
  Trace trace_;
  uint32_t process_ = 0;
  uint32_t thread_ = 0;
  uint64_t next_correlation_ = 1;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> threads_;
  std::map<std::tuple<uint32_t, uint32_t, int64_t>, uint32_t> streams_;
};

}  // namespace warpscope::model::testing

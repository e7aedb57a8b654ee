// The machine: devices, and the names of the processes and threads that events belong to.
#include <algorithm>
#include <limits>

#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

template <typename T>
std::optional<T> Positive(std::optional<int64_t> value) {
  return value && *value > 0 && static_cast<uint64_t>(*value) <= std::numeric_limits<T>::max()
             ? std::optional<T>(static_cast<T>(*value))
             : std::nullopt;
}

// "/usr/bin/python3 train.py --token x" -> "python3": never what a command line holds.
std::string_view ProgramName(std::string_view name) {
  name = name.substr(0, name.find(' '));
  return name.substr(name.find_last_of('/') + 1);
}

// The limits of TARGET_INFO_GPU (2021 on) and TARGET_INFO_CUDA_GPU (2020), under either's names.
struct DeviceColumns {
  explicit DeviceColumns(Columns& columns)
      : machine(columns.Add("vmId")),
        id(columns.Add("id|deviceId")),
        cuda(columns.Add("cuDevice")),
        name(columns.Add("name")),
        memory(columns.Add("totalMemory|globalMemorySize")),
        major(columns.Add("computeMajor|computeCapabilityMajor")),
        minor(columns.Add("computeMinor|computeCapabilityMinor")),
        sms(columns.Add("smCount|numMultiprocessors")),
        warp(columns.Add("threadsPerWarp|numThreadsPerWarp")),
        block(columns.Add("maxThreadsPerBlock")),
        warps(columns.Add("maxWarpsPerSm|maxWarpsPerMultiprocessor")),
        block_registers(columns.Add("maxRegistersPerBlock")),
        sm_registers(columns.Add("maxRegistersPerSm|maxRegistersPerMultiprocessor")),
        block_shared(columns.Add("maxShmemPerBlock|maxSharedMemoryPerBlock")),
        optin_shared(columns.Add("maxShmemPerBlockOptin")),
        sm_shared(columns.Add("maxShmemPerSm|maxSharedMemoryPerMultiprocessor")) {}
  int machine, id, cuda, name, memory, major, minor, sms, warp, block, warps, block_registers, sm_registers,
      block_shared, optin_shared, sm_shared;

  void Fill(const Query& row, model::Device& device) const {
    if (!row.Bytes(name).empty()) device.name = row.Bytes(name);
    device.memory_bytes = Positive<uint64_t>(row.Int(memory));
    device.cc_major = Positive<uint32_t>(row.Int(major));
    if (device.cc_major && row.Int(minor).value_or(-1) >= 0) device.cc_minor = static_cast<uint32_t>(*row.Int(minor));
    device.sm_count = Positive<uint32_t>(row.Int(sms));
    device.warp_size = Positive<uint32_t>(row.Int(warp));
    device.max_threads_per_block = Positive<uint32_t>(row.Int(block));
    const auto count = Positive<uint32_t>(row.Int(warps));
    if (count && device.warp_size && *count < 4096 && *device.warp_size < 4096)
      device.max_threads_per_sm = *count * *device.warp_size;
    device.registers_per_block = Positive<uint32_t>(row.Int(block_registers));
    device.registers_per_sm = Positive<uint32_t>(row.Int(sm_registers));
    device.shared_bytes_per_block = Positive<uint32_t>(row.Int(block_shared));
    device.shared_bytes_per_block_optin = Positive<uint32_t>(row.Int(optin_shared));
    device.shared_bytes_per_sm = Positive<uint32_t>(row.Int(sm_shared));
  }
};

}  // namespace

int64_t Reader::CudaId(int64_t gpu_id) const {
  const auto found = cuda_ids_.find(gpu_id);
  return found == cuda_ids_.end() ? gpu_id : found->second;
}

void Reader::ReadDevices() {
  // CUDA numbers devices by its own order (fastest first, CUDA_VISIBLE_DEVICES), nsys by the bus.
  Columns numbers("TARGET_INFO_CUDA_DEVICE");
  const int gpu = numbers.Add("gpuId"), cuda_id = numbers.Add("cudaId");
  Rows(numbers, [&](const Query& row) {
    if (row.Int(gpu) && row.Int(cuda_id)) cuda_ids_.try_emplace(*row.Int(gpu), *row.Int(cuda_id));
  });
  const bool mapped = !cuda_ids_.empty();
  for (const char* table : {"TARGET_INFO_GPU", "TARGET_INFO_CUDA_GPU"}) {
    Columns columns(table);
    const DeviceColumns more(columns);
    Rows(columns, [&](const Query& row) {
      const int64_t id = row.Int(more.id).value_or(0);
      if (is_own_) {
        // Rows are those of the trace that was written; the machine is the source.
        const int64_t source = (row.Int(more.machine).value_or(0) >> 48) - 1;
        const int64_t last = static_cast<int64_t>(trace().sources.size()) - 1 - add_.source_row();
        const uint32_t at =
            add_.source_row() + static_cast<uint32_t>(std::clamp<int64_t>(source, 0, std::max<int64_t>(last, 0)));
        const auto [it, fresh] = devices_.try_emplace({at, id}, 0);
        if (fresh) it->second = add_.Device(static_cast<int64_t>(devices_.size()) - 1);
        add_.DeviceAt(it->second).id = id;
        add_.DeviceAt(it->second).source = at;
        more.Fill(row, add_.DeviceAt(it->second));
        own_devices_.push_back(it->second);
        return;
      }
      // A display adapter that runs no CUDA: nsys lists it with nothing but a name.
      if (!row.is_null(more.sms) && row.Int(more.sms).value_or(0) == 0) return;
      if (!mapped && !row.is_null(more.cuda)) cuda_ids_.try_emplace(id, *row.Int(more.cuda));
      more.Fill(row, add_.DeviceAt(Device(std::nullopt, CudaId(id))));
    });
  }
}

void Reader::ReadLabels() {
  Columns processes("PROCESSES");
  const int global = processes.Add("globalPid"), name = processes.Add("name");
  Rows(processes, [&](const Query& row) {
    const auto known = processes_.find(row.Int(global).value_or(-1) & ~kNumberMask);
    if (known == processes_.end() || row.is_null(name)) return;
    const std::string_view text = is_own_ ? row.Bytes(name) : ProgramName(row.Bytes(name));
    if (is_own_ || !text.empty()) trace().processes[known->second].name = add_.Text(text);
  });
  Columns threads("ThreadNames");
  const int thread = threads.Add("globalTid"), name_id = threads.Add("nameId");
  Rows(threads, [&](const Query& row) {
    const auto known = threads_.find(row.Int(thread).value_or(-1));
    if (known != threads_.end()) trace().threads[known->second].name = Name(row.Int(name_id));
  });
}

}  // namespace warpscope::import::nsys

#include "import/perfetto/tracks.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/perfetto_fields.h"
#include "import/protobuf/wire.h"

namespace warpscope::import::perfetto {
namespace {

namespace fields_of = warpscope::perfetto;
using protobuf::Fields;

constexpr int kMaxParents = 16;  // bounded: parents may form a circle in a damaged file

void ReadProcess(std::string_view bytes, Track* track, std::string* name) {
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == fields_of::process::kPid && fields->is_number())
      track->pid = static_cast<int32_t>(fields->value);
    if (fields->number == fields_of::process::kName && fields->is_bytes()) *name = fields->bytes;
  }
}

void ReadThread(std::string_view bytes, Track* track, std::string* name) {
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == fields_of::thread::kPid && fields->is_number())
      track->pid = static_cast<int32_t>(fields->value);
    if (fields->number == fields_of::thread::kTid && fields->is_number())
      track->tid = static_cast<int32_t>(fields->value);
    if (fields->number == fields_of::thread::kName && fields->is_bytes()) *name = fields->bytes;
  }
}

void ReadCounter(std::string_view bytes, Track* track) {
  namespace counter = fields_of::counter;
  for (Fields fields(bytes); fields.Next();) {
    switch (fields->number) {
      case counter::kUnit:
        if (fields->value == counter::kUnitTimeNs) track->unit = "ns";
        if (fields->value == counter::kUnitBytes) track->unit = "bytes";
        break;
      case counter::kUnitMultiplier: track->unit_multiplier = fields->Signed(); break;
      case counter::kIsIncremental: track->is_incremental = fields->value != 0; break;
      case counter::kUnitName: track->unit = fields->bytes; break;
      default: break;
    }
  }
}

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }
bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// The next whole number at or behind `at`; moves `at` behind it.
std::optional<int64_t> NextNumber(std::string_view text, size_t& at) {
  while (at < text.size() && (text[at] < '0' || text[at] > '9')) ++at;
  if (at >= text.size()) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  at = static_cast<size_t>(end - text.data());
  return value;
}

struct Word {
  std::string_view category;
  Role role;
};

// Categories of Kineto, rocprofiler-sdk (rocprofv3), rocprofiler-systems (omnitrace) and this program; sorted.
constexpr Word kRoles[] = {
    {"cpu_op", Role::kOperator},
    {"cuda_driver", Role::kDriverCall},
    {"cuda_runtime", Role::kRuntimeCall},
    {"device_hip", Role::kDeviceWork},
    {"device_hsa", Role::kDeviceWork},
    {"gpu_graph", Role::kGraphLaunch},
    {"gpu_memcpy", Role::kCopy},
    {"gpu_memset", Role::kMemset},
    {"gpu_user_annotation", Role::kGpuAnnotation},
    {"hip_api", Role::kRuntimeCall},
    {"hip_compiler_api", Role::kRuntimeCall},
    {"hip_runtime", Role::kRuntimeCall},
    {"hip_runtime_api", Role::kRuntimeCall},
    {"hsa_api", Role::kDriverCall},
    {"kernel", Role::kKernel},
    {"kernel_dispatch", Role::kKernel},
    {"marker_api", Role::kAnnotation},
    {"memory_copy", Role::kCopy},
    {"mpi", Role::kAnnotation},
    {"native_function", Role::kNative},
    {"os_call", Role::kOsCall},
    {"overhead", Role::kOverhead},
    {"pthread", Role::kOsCall},
    {"python", Role::kPython},
    {"python_function", Role::kPython},
    {"rccl_api", Role::kAnnotation},
    {"rocm_hip_api", Role::kRuntimeCall},
    {"rocm_hip_compiler_api", Role::kRuntimeCall},
    {"rocm_hip_runtime_api", Role::kRuntimeCall},
    {"rocm_hip_stream", Role::kDeviceWork},
    {"rocm_hsa_api", Role::kDriverCall},
    {"rocm_kernel_dispatch", Role::kKernel},
    {"rocm_marker_api", Role::kAnnotation},
    {"rocm_memory_copy", Role::kCopy},
    {"rocm_rccl", Role::kAnnotation},
    {"rocm_rccl_api", Role::kAnnotation},
    {"user", Role::kAnnotation},
    {"user_annotation", Role::kAnnotation},
};

}  // namespace

Track& Tracks::At(uint64_t uuid) {
  Track& track = tracks_[uuid];
  track.uuid = uuid;
  return track;
}

void Tracks::AddDescriptor(std::string_view track_descriptor) {
  namespace track = fields_of::track;
  uint64_t uuid = 0;
  for (Fields fields(track_descriptor); fields.Next();) {
    if (fields->number == track::kUuid && fields->is_number()) uuid = fields->value;
  }
  Track& row = At(uuid);
  std::string process_name, thread_name;
  for (Fields fields(track_descriptor); fields.Next();) {
    if (fields->number == track::kParentUuid && fields->is_number()) row.parent = fields->value;
    if (!fields->is_bytes()) continue;
    switch (fields->number) {
      case track::kName:
      case track::kStaticName: row.name = fields->bytes; break;
      case track::kProcess:
        row.is_process = true;
        ReadProcess(fields->bytes, &row, &process_name);
        break;
      case track::kThread:
        row.is_thread = true;
        ReadThread(fields->bytes, &row, &thread_name);
        break;
      case track::kCounter:
        row.is_counter = true;
        ReadCounter(fields->bytes, &row);
        break;
      default: break;
    }
  }
  if (row.pid && !process_name.empty()) NameProcess(*row.pid, process_name);
  if (row.tid && !thread_name.empty()) NameThread(row.pid.value_or(-1), *row.tid, thread_name);
}

void Tracks::NameProcess(int64_t pid, std::string_view name) { process_names_[pid] = name; }
void Tracks::NameThread(int64_t, int64_t tid, std::string_view name) { thread_names_[tid] = name; }

const Track* Tracks::Find(uint64_t uuid) const {
  const auto it = tracks_.find(uuid);
  return it == tracks_.end() ? nullptr : &it->second;
}

std::optional<int64_t> Tracks::PidOf(const Track& track) const {
  const Track* at = &track;
  for (int level = 0; at != nullptr && level < kMaxParents; ++level) {
    if (at->pid) return at->pid;
    at = at->parent ? Find(*at->parent) : nullptr;
  }
  return std::nullopt;
}

std::string_view Tracks::ProcessName(int64_t pid) const {
  const auto it = process_names_.find(pid);
  return it == process_names_.end() ? std::string_view() : it->second;
}
std::string_view Tracks::ThreadName(int64_t, int64_t tid) const {
  const auto it = thread_names_.find(tid);
  return it == thread_names_.end() ? std::string_view() : it->second;
}

std::optional<DevicePlace> DeviceInName(std::string_view name) {
  const bool copies = StartsWith(name, "COPY to ") || StartsWith(name, "GPU Memory Copy to Agent");
  const bool known = copies || StartsWith(name, "HIP Activity Device") || StartsWith(name, "HSA Activity Device") ||
                     StartsWith(name, "GPU Kernel Dispatch") || StartsWith(name, "COMPUTE ");
  if (!known) return std::nullopt;
  size_t at = 0;
  const std::optional<int64_t> device = NextNumber(name, at);
  if (!device) return std::nullopt;
  DevicePlace place;
  place.device = *device;
  place.stream = NextNumber(name, at).value_or(0);
  place.is_agent = Has(name, "AGENT [") || Has(name, "Agent [");
  place.by_thread = Has(name, "THREAD [") || Has(name, " Thread ");
  place.on_cpu = Has(name, "(CPU)");
  return place;
}

Role RoleOf(std::string_view category) {
  const auto* it = std::lower_bound(std::begin(kRoles), std::end(kRoles), category,
                                    [](const Word& word, std::string_view text) { return word.category < text; });
  return it != std::end(kRoles) && it->category == category ? it->role : Role::kUnknown;
}

bool IsDeviceRole(Role role) {
  return role == Role::kKernel || role == Role::kCopy || role == Role::kMemset || role == Role::kGraphLaunch ||
         role == Role::kDeviceWork || role == Role::kGpuAnnotation;
}

}  // namespace warpscope::import::perfetto

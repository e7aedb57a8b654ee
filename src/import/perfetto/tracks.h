// Tracks of a Perfetto trace: what their descriptors say, and what that means here.
// [one thread]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/trace.h"

namespace warpscope::import::perfetto {

struct Track {
  uint64_t uuid = 0;
  std::optional<uint64_t> parent;
  std::string name;
  std::optional<int64_t> pid, tid;
  bool is_process = false, is_thread = false, is_counter = false;
  std::string unit;  // of a counter
  int64_t unit_multiplier = 1;
  bool is_incremental = false;
};

// Descriptors may come before or behind the events of their track, and again.
class Tracks {
 public:
  Track& At(uint64_t uuid);
  void AddDescriptor(std::string_view track_descriptor);
  void NameProcess(int64_t pid, std::string_view name);
  void NameThread(int64_t pid, int64_t tid, std::string_view name);
  const Track* Find(uint64_t uuid) const;
  // Of the track or the nearest one above it.
  std::optional<int64_t> PidOf(const Track& track) const;
  std::string_view ProcessName(int64_t pid) const;
  std::string_view ThreadName(int64_t pid, int64_t tid) const;
  const std::unordered_map<uint64_t, Track>& all() const { return tracks_; }

 private:
  std::unordered_map<uint64_t, Track> tracks_;
  std::unordered_map<int64_t, std::string> process_names_, thread_names_;  // threads by tid: unique on a machine
};

// Where work of a device track runs, as the recorder writes it into the track's name: "HIP Activity Device 0, Queue 1",
// "GPU Kernel Dispatch [0] Queue 1", "COMPUTE AGENT [1] STREAM [0] (GPU)", "COPY to AGENT [1] THREAD [0] (GPU)".
struct DevicePlace {
  int64_t device = 0;
  int64_t stream = 0;
  bool is_agent = false;   // numbered among all agents, CPUs too
  bool by_thread = false;  // copies, grouped by the thread that asked for them
  bool on_cpu = false;     // the target of the copies is host memory
};
std::optional<DevicePlace> DeviceInName(std::string_view track_name);

// What slices of a category are.
enum class Role : uint8_t {
  kUnknown,
  kAnnotation,
  kPython,
  kNative,
  kOperator,
  kRuntimeCall,
  kDriverCall,
  kOsCall,
  kOverhead,
  kKernel,
  kCopy,
  kMemset,
  kGraphLaunch,
  kDeviceWork,  // of the device; which kind only the name tells
  kGpuAnnotation,
};
Role RoleOf(std::string_view category);
bool IsDeviceRole(Role role);

}  // namespace warpscope::import::perfetto

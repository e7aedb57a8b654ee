// GpuWatch: whether a process or its children use a GPU, seen from outside. [one thread]
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace warpscope::record {

class GpuWatch {
 public:
  static constexpr int kEveryMs = 20;  // between two looks

  explicit GpuWatch(pid_t process) : process_(process) {}
  // Reads the memory maps of the process and of what it started: a driver maps its device into each process with a
  // context (/dev/nvidia*, /dev/kfd, /dev/dri/render*; under WSL /dev/dxg). A few ms for a large process.
  void Look();
  // Absent after fewer than 5 looks that could read the maps: the process was too short, or is not ours to read.
  std::optional<bool> Used() const;

 private:
  pid_t process_;
  uint32_t looks_ = 0;
  bool seen_ = false;
};

}  // namespace warpscope::record

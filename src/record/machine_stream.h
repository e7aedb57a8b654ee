// MachineStream: what the launcher itself writes into a run: facts of machine and program, and device samples while it
// runs. [one thread] but for the sampling thread that it owns between Start() and Stop().
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "device/nvml.h"
#include "wire/stream_file.h"

namespace warpscope::record {

class MachineStream {
 public:
  MachineStream() = default;
  ~MachineStream() { Stop(); }
  MachineStream(const MachineStream&) = delete;
  MachineStream& operator=(const MachineStream&) = delete;

  // Creates FOLDER/machine.capture. False if it cannot be written; then every other call does nothing.
  bool Open(const std::string& folder);
  // `device` is the number of the device, or -1 for the machine.
  void Fact(int device, const std::string& name, const std::string& value);
  void Note(unsigned severity, const std::string& text);
  // Facts of every device, then a sample of each every `period_ms` until Stop(). `nvml` must live as long.
  void Start(const device::Nvml* nvml, unsigned period_ms);
  void Stop();

 private:
  uint64_t TextRef(const std::string& text);
  void Sample(unsigned device, int64_t time_ns);
  void Put(unsigned device, const char* name, const char* unit, int64_t time_ns, double value);

  wire::StreamFile file_;
  std::map<std::string, uint64_t> texts_;
  std::map<std::pair<unsigned, std::string>, uint64_t> series_;
  const device::Nvml* nvml_ = nullptr;
  std::thread sampler_;
  std::atomic<bool> stop_{false};
  uint64_t rows_ = 0;
};

}  // namespace warpscope::record

// MachineStream: what the launcher itself writes into a run: facts of machine and program, samples of devices and
// notes. [MT] Every call may come from any thread between Open() and Close().
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "wire/stream_file.h"

namespace warpscope::record {

class MachineStream {
 public:
  MachineStream() = default;
  ~MachineStream() { Close(0); }
  MachineStream(const MachineStream&) = delete;
  MachineStream& operator=(const MachineStream&) = delete;

  // Creates FOLDER/machine.capture. False if it cannot be written; then every other call does nothing.
  bool Open(const std::string& folder);
  // `device` is the number of the device, or -1 for the machine.
  void Fact(int device, const std::string& name, const std::string& value);
  // Severity: 0 info, 1 warning, 2 loss.
  void Note(unsigned severity, const std::string& text);
  void Sample(int device, const std::string& name, const char* unit, int64_t time_ns, double value);
  // Hands what was written so far to the file.
  void Flush();
  // `cpu_ns`: what our own threads took.
  void Close(int64_t cpu_ns);

 private:
  uint64_t TextRef(const std::string& text);

  std::mutex lock_;
  wire::StreamFile file_;
  std::map<std::string, uint64_t> texts_;
  std::map<std::pair<int, std::string>, uint64_t> series_;
  uint64_t rows_ = 0;
};

}  // namespace warpscope::record

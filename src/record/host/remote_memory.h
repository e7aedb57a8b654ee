// RemoteMemory: the memory of another process, read while it runs on. Nothing is written and nothing is stopped.
// [one thread] What is read may change under the reader: callers check what they got.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpscope::record::host {

struct RemotePiece {
  uint64_t address = 0;
  void* into = nullptr;
  size_t size_bytes = 0;
};

class RemoteMemory {
 public:
  explicit RemoteMemory(int pid) : pid_(pid) {}
  ~RemoteMemory();
  RemoteMemory(RemoteMemory&& other) noexcept;
  RemoteMemory& operator=(RemoteMemory&& other) noexcept;
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;

  int pid() const { return pid_; }
  // Whole or false.
  bool Read(uint64_t address, void* into, size_t size_bytes);
  template <typename Value>
  bool Get(uint64_t address, Value* value) {
    return Read(address, value, sizeof(Value));
  }
  // Many pieces by as few system calls as possible. Returns how many of the first ones were read whole; one that is not
  // mapped ends it.
  size_t ReadMany(std::span<const RemotePiece> pieces);
  // The system forbids it (and does not merely miss the address).
  bool refused() const { return refused_; }

 private:
  bool ReadByFile(uint64_t address, void* into, size_t size_bytes);

  int pid_;
  int file_ = -1;  // /proc/PID/mem, where process_vm_readv is forbidden
  bool by_file_ = false, refused_ = false;
};

}  // namespace warpscope::record::host

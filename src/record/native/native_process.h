// NativeProcess: the C and C++ stacks of one process, found from samples of its threads outside the process.
// [one thread] The process is never stopped. Its memory map is read again when code is met that the map does not know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/host/proc_files.h"
#include "record/host/remote_memory.h"
#include "record/host/stack_table.h"
#include "record/native/module_table.h"
#include "record/native/native_watch.h"

namespace warpscope::record::native {

struct NativeFrame {
  uint32_t module = 0;
  uint64_t address = 0;  // where the function begins, in the module's addresses; of no known function: the code's own
  bool operator==(const NativeFrame&) const = default;
};

struct NativeStack {
  enum class End : uint8_t { kOutermost, kInterpreter, kCut };
  std::vector<NativeFrame> frames;  // innermost first
  End end = End::kCut;
};

class NativeProcess {
 public:
  static constexpr size_t kMostDepth = 512, kKeptDepth = 120;

  NativeProcess(int pid, ModuleTable* modules) : pid_(pid), memory_(pid), modules_(modules) {}

  // Frames of this file belong to an interpreter whose own frames are known.
  void SetInterpreter(const std::string& path) {
    interpreter_path_ = path;
    map_read_ns_ = 0;
  }
  // From the innermost frame to the outermost, or to the first one of the interpreter if `to_interpreter`.
  NativeStack Unwind(const NativeSample& sample, bool to_interpreter);
  // The number of the stack's innermost frame, below `outer` (0: nothing). The innermost frames of very deep stacks are
  // left out.
  uint32_t Number(const NativeStack& stack, uint32_t outer, host::StackTable* table);

 private:
  struct Code {
    uint64_t begin = 0, end = 0;
    uint64_t to_address = 0;  // what is added to an address of the process to get one of the module
    uint32_t module = ModuleTable::kNone;
    bool interpreter = false;
  };
  const Code* InMap(uint64_t address) const;
  const Code* CodeAt(uint64_t address);
  void ReadMap();

  int pid_;
  host::RemoteMemory memory_;
  ModuleTable* modules_;
  std::string interpreter_path_;
  std::vector<Code> map_;  // by begin
  int64_t map_read_ns_ = 0;
  std::vector<uint32_t> texts_;  // by module: its path in the table; 0: not there yet
};

}  // namespace warpscope::record::native

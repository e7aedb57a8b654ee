// HostStream: host.capture, what the sampler of the launcher writes into a run.
// [one thread]
//
// A run of equal samples is written by its first and its last: between them nothing changed. A sample that differs
// follows its predecessor within the period, unless a kUnknown lies between.
#pragma once

#include <cstdint>
#include <string>

#include "record/host/process_tree.h"
#include "record/host/stack_table.h"
#include "wire/stream_file.h"

namespace warpscope::record::host {

struct ThreadSample {
  wire::ThreadState state = wire::kOnCpu;
  uint32_t call = 0;   // text of the system call that it waits in; 0: none or unknown
  uint32_t frame = 0;  // innermost; 0: none
};

class HostStream {
 public:
  // Creates FOLDER/host.capture. False if it cannot be written.
  bool Open(const std::string& folder) { return file_.Open(folder.c_str(), "host", 0); }
  bool is_open() const { return file_.is_open(); }
  StackTable& stacks() { return stacks_; }

  void Period(int64_t period_ns);
  // Returns the thread's number.
  uint32_t Thread(int pid, int tid, const std::string& name);
  void Sample(uint32_t thread, int64_t time_ns, const ThreadSample& sample);
  void Child(const SeenProcess& process, const std::string& command);
  void Fact(const std::string& name, const std::string& value);
  void Note(unsigned severity, const std::string& text);
  void Lost(wire::Loss loss, uint64_t count, int64_t time_ns);
  // Of a native frame: `module` and `address` are its file and line. "" and 0 where unknown.
  void NativeName(uint32_t module, uint64_t address, const std::string& function, const std::string& file,
                  uint64_t line);
  void Flush() { file_.Flush(); }
  void Close(int64_t time_ns, int64_t cpu_ns);

  uint64_t samples() const { return samples_; }
  uint32_t threads() const { return threads_; }

 private:
  void WriteDefinitions();
  uint32_t Text(const std::string& text);

  wire::StreamFile file_;
  StackTable stacks_;
  size_t written_texts_ = 0, written_frames_ = 0;
  uint32_t threads_ = 0;
  uint64_t samples_ = 0, rows_ = 0;
};

}  // namespace warpscope::record::host

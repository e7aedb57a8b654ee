// SampledThread: one thread's state from sample to sample, and what of it is worth writing.
// [one thread]
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "record/host/proc_files.h"
#include "record/host/python_process.h"
#include "record/host/sampler_state.h"
#include "record/host/switch_watch.h"
#include "record/native/native_process.h"

namespace warpscope::record::host {

class SampledThread {
 public:
  SampledThread(int pid, int tid);
  ~SampledThread();
  SampledThread(SampledThread&& other) noexcept;
  SampledThread& operator=(SampledThread&& other) noexcept;
  SampledThread(const SampledThread&) = delete;
  SampledThread& operator=(const SampledThread&) = delete;

  int tid() const { return tid_; }
  bool selected() const { return selected_; }
  // Opens what Sample() needs; false if the thread is gone or there are no descriptors left.
  bool Select(SamplerState* state);
  // CPU time that it gained since the last question, from a file that stays open only for selected threads.
  uint64_t GrownNs();

  // Of a thread that is not selected, since it hardly runs: writes that it waits, and in which call. Costs a few calls
  // of the system.
  void LookIdle(SamplerState* state);

  // Looks once and writes what changed. `python` may be null.
  void Sample(PythonProcess* python, native::NativeProcess* native, SamplerState* state);
  // The thread's or the recording's end: what was seen last is written.
  void End(SamplerState* state);

  void SetPythonThread(std::optional<PythonThread> thread) {
    if (python_.has_value() != thread.has_value()) look_again_ = true;
    python_ = thread;
  }

 private:
  struct Look {
    bool running = false;
    std::string call;
    uint64_t sp = 0, pc = 0;  // of one that waits; 0: not told
  };
  Look LookAtState();
  bool FindFrame(PythonProcess* python, native::NativeProcess* native, int64_t now_ns, const Look& look,
                 ThreadSample* sample, SamplerState* state);
  uint32_t WhereItWaits(const Look& look, native::NativeProcess* native, SamplerState* state);
  uint32_t BelowPython(uint32_t frame, const native::NativeSample* seen, native::NativeProcess* native,
                       SamplerState* state);
  void WriteWaits(SamplerState* state);
  void WriteWait(int64_t end_ns, SamplerState* state);
  void Write(int64_t now_ns, const ThreadSample& sample, bool ran, SamplerState* state);

  int pid_ = 0, tid_ = 0;
  int schedstat_ = -1, syscall_ = -1, stat_ = -1;
  bool selected_ = false, look_again_ = true, has_counters_ = true;
  uint32_t number_ = 0;  // in the stream; 0: not defined yet
  SchedStat counters_;
  std::optional<PythonThread> python_;
  ThreadSample last_;
  int64_t seen_ns_ = 0, written_ns_ = 0;         // 0: never
  std::unique_ptr<SwitchWatch> watch_;           // null: its waits are told by samples
  std::unique_ptr<native::NativeWatch> native_;  // null: its C and C++ stacks are not sampled
  uint32_t python_frame_ = 0;                    // the innermost one at the last look
  int64_t off_since_ns_ = 0;                     // 0: on a CPU, ready, or unknown
  std::string off_call_;                         // the system call that it waits in, if a sample saw it
};

}  // namespace warpscope::record::host

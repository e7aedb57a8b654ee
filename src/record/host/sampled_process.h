// SampledProcess: the threads of one process that are sampled, and its Python interpreter if it has one.
// [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "record/host/process_tree.h"
#include "record/host/python_process.h"
#include "record/host/sampled_thread.h"
#include "record/host/sampler_state.h"
#include "record/native/native_process.h"

namespace warpscope::record::host {

class SampledProcess {
 public:
  static constexpr size_t kMostThreads = 64;

  SampledProcess(const SeenProcess& seen, native::ModuleTable* modules)
      : pid_(seen.pid), seen_(seen), native_(seen.pid, modules) {}

  // Rarely: which threads are there, which of them are worth sampling, is there a Python.
  void Refresh(SamplerState* state);
  // Often: one sample of each.
  void Sample(SamplerState* state);
  void End(SamplerState* state);

 private:
  void AttachPython(SamplerState* state);
  void ReadPythonThreads(SamplerState* state);
  void SelectThread(SampledThread* thread, SamplerState* state);

  int pid_;
  SeenProcess seen_;
  std::map<int, SampledThread> threads_;
  size_t selected_ = 0;
  bool limit_told_ = false;
  std::unique_ptr<PythonProcess> python_;
  native::NativeProcess native_;
  bool python_done_ = false;  // there is none that can be read
  bool has_python_ = false;   // at the last whole look
  int known_threads_ = 0;     // the same
  unsigned looks_left_ = 0;   // whole looks because something changed
  unsigned refreshes_ = 0, next_attach_ = 0, attach_pause_ = 1, failures_ = 0;
  uint64_t torn_before_ = 0;
};

}  // namespace warpscope::record::host

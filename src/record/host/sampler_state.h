// SamplerState: what all sampled threads and processes share.
// [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/host/host_stream.h"
#include "record/host/python_process.h"
#include "record/host/wait_stream.h"
#include "record/native/module_table.h"

namespace warpscope::record::host {

struct SamplerState {
  HostStream stream;
  WaitStream waits;  // open once some thread's switches can be watched
  std::string folder;
  PythonSymbols symbols;
  native::ModuleTable modules;
  std::vector<uint8_t> native_bytes;  // of the sample that is looked at
  int64_t period_ns = 0;
  size_t open_threads = 0, most_threads = 0;  // of all processes: descriptors are limited
  uint64_t threads_left_out = 0, torn = 0;
  uint64_t watched = 0, unwatched = 0, switches_lost = 0;
  int watch_error = 0;                                 // errno of the first thread whose switches cannot be watched
  uint64_t native_threads = 0, no_native_threads = 0;  // whose C and C++ stacks are sampled, are not
  int native_error = 0;                                // errno of the first that cannot be sampled
  uint64_t native_waits = 0, native_waits_cut = 0;     // stacks of threads that wait: whole, left out
  uint64_t native_stacks = 0, native_whole = 0;        // found; those that reach their thread's begin or Python
  bool memory_refused = false;
  std::map<std::string, int> unsupported;  // why -> processes
  int python_processes = 0;
};

}  // namespace warpscope::record::host

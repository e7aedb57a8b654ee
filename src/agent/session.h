// Session: everything that one recorded process has, once, in static memory.
// [MT] What is shared says how; the encoder and the file belong to whoever holds `writing` (the writer, and in the end
// Finish()).
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "agent/budget.h"
#include "agent/buffer_pool.h"
#include "agent/control_page.h"
#include "agent/cupti_loader.h"
#include "agent/encoder.h"
#include "agent/kinds.h"
#include "agent/notes.h"
#include "agent/nvtx_ring.h"
#include "agent/subscriber.h"
#include "agent/windows.h"
#include "wire/stream_file.h"

namespace warpscope::agent {

enum Stage : int { kFresh, kStarting, kRunning, kOver };

extern Encoder g_encoder;  // apart, since it is large and starts as zeros: it needs no room in the library

struct Session {
  std::atomic<int> stage{kFresh};
  pid_t pid = 0;
  BufferPool pool;
  NvtxRing ring;
  wire::StreamFile file;
  Encoder& encoder = g_encoder;
  LoadedCupti cupti;
  bool has_cupti = false;  // and its buffer callbacks are ours
  bool exact = false;      // launches are measured one by one; nothing is traced
  Kinds kinds;
  ControlPage control;
  Windows windows;
  Subscriber subscriber;
  Budget budget;
  Notes notes;
  pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<bool> takes_buffers{true};  // until the last flush is over: CUPTI writes of that flush too
  std::atomic<uint64_t> no_buffer{0};     // requests that got none
  uint64_t lost = 0;                      // of all kinds, for the status row; the writer's
  int64_t writer_cpu_ns = 0;
  int64_t heard_ns = 0;     // when CUPTI last handed a buffer over
  int64_t began_ns = 0;     // the last window
  int64_t recorded_ns = 0;  // inside windows that ended
};

extern Session g_session;

}  // namespace warpscope::agent

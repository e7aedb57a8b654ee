#include "agent/fork.h"

#include <pthread.h>

#include "agent/counters/exact.h"
#include "agent/counters/pc_sampler.h"
#include "agent/counters/pm_sampler.h"
#include "agent/nvtx.h"
#include "agent/nvtx_ranges.h"
#include "agent/session.h"

namespace warpscope::agent {
namespace {

void AfterForkInChild() {
  Session& s = g_session;
  if (s.stage.load() == kFresh) return;
  s.stage.store(kOver);
  s.takes_buffers.store(false);
  ResetNvtxAfterFork();
  SetNvtxRing(nullptr);
  s.file.Abandon();
  s.control.LeaveRow();
  s.pool.ResetLockAfterFork();
  s.windows.ResetLocksAfterFork();
  s.kinds.ResetLockAfterFork();
  ForgetExactAfterFork();
  ForgetPmSamplerAfterFork();
  ForgetPcSamplerAfterFork();
  s.writing = PTHREAD_MUTEX_INITIALIZER;
}

}  // namespace

void WatchForks() { pthread_atfork(nullptr, nullptr, AfterForkInChild); }

}  // namespace warpscope::agent

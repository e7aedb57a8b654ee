// The injected library: CUDA loads it in every process with CUDA_INJECTION64_PATH, NVTX with NVTX_INJECTION64_PATH. It
// records what CUPTI tells into the run folder that WARPSCOPE_RUN names, and leaves the application alone whatever
// happens. [MT] Entry points may be called by any thread, several times; the first one starts the recording. Rules of
// this folder: no exceptions, no RTTI, no static constructors, nothing on standard output, fixed memory, errno kept.
#include "agent/life.h"
#include "agent/nvtx.h"

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() {
  warpscope::agent::Start();
  return 1;
}

// NVTX calls this at its first use, in a process that may never touch CUDA: the recording starts with CUDA, so until
// then ranges are only installed.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  return get_export_table != nullptr && warpscope::agent::InstallNvtx(get_export_table) ? 1 : 0;
}

// The same for an extension of NVTX, at its first use.
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(void* module) {
  return warpscope::agent::InstallNvtxExtension(module) ? 1 : 0;
}
}

// Lookup of CUPTI's profiling interfaces in a loaded library.
#include <dlfcn.h>

#include "cupti/profiler_abi.h"

namespace warpscope::cupti {

bool FindProfilerFunctions(void* cupti, ProfilerFunctions* functions) {
#define X(member, symbol) functions->member = reinterpret_cast<int (*)(void*)>(dlsym(cupti, "cupti" #symbol));
  WS_CUPTI_PROFILER_FUNCTIONS(X)
#undef X
  return functions->Initialize != nullptr && functions->ChipName != nullptr && functions->HostInitialize != nullptr &&
         functions->HostDeinitialize != nullptr && functions->HostAddMetrics != nullptr &&
         functions->HostConfigSize != nullptr && functions->HostConfig != nullptr && functions->HostPasses != nullptr &&
         functions->HostEvaluate != nullptr && functions->HostMetricProperties != nullptr;
}

}  // namespace warpscope::cupti

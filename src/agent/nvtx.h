// NVTX injection: fills in the functions of NVTX version 3 (and of version 2 through it): push and pop, start and end,
// marks, domains, categories, registered strings, names of threads, and the payload extension. [MT] Called by the
// application's threads.
#pragma once

#include <cstdint>

namespace warpscope::agent {

// For InitializeInjectionNvtx2(). False if the library's tables are not as expected.
bool InstallNvtx(const void* (*get_export_table)(uint32_t id));
// For InitializeInjectionNvtxExtension(); `module`: nvtxExtModuleInfo_t. False for an extension other than the
// payloads'.
bool InstallNvtxExtension(void* module);

// In a forked child, before anything else of NVTX.
void ResetNvtxAfterFork();

}  // namespace warpscope::agent

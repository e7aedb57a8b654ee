// NVTX injection: push and pop, start and end, marks, domains, categories, registered strings, of NVTX version 3 (and 2
// through it). [MT] Called by the application's threads.
#pragma once

#include <cstdint>

#include "agent/nvtx_ring.h"

namespace warpscope::agent {

// Where events go; null switches recording off. Must stay valid.
void SetNvtxRing(NvtxRing* ring);
// Name of a domain number of an event; "" for the default domain and for unknown numbers.
const char* NvtxDomainName(uint32_t domain);
// For InitializeInjectionNvtx2(): fills in the functions. False if the library's tables are not as expected.
bool InstallNvtx(const void* (*get_export_table)(uint32_t id));

}  // namespace warpscope::agent

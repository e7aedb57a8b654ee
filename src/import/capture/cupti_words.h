// Words for the numbers of CUPTI's enums (cupti_activity.h), which the agent passes on as they are. [MT]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace.h"

namespace warpscope::import::capture {

model::MemoryKind MemoryKindOf(uint64_t kind);            // CUpti_ActivityMemoryKind
model::CopyKind CopyKindOf(uint64_t kind);                // CUpti_ActivityMemcpyKind
model::SyncKind SyncKindOf(uint64_t type);                // CUpti_ActivitySynchronizationType
std::string CopyName(const model::CopyDetail& detail);    // "Memcpy HtoD (Pinned -> Device)"
std::string MemsetName(const model::CopyDetail& detail);  // "Memset (Device)"
// CUPTI's names end in the version of the call's first form, and tell the forms with a default stream a thread apart:
// "cudaMemcpyAsync_ptsz_v7000" -> "cudaMemcpyAsync".
std::string_view WithoutVersion(std::string_view name);

}  // namespace warpscope::import::capture

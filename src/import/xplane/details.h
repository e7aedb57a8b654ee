// The details that XLA writes as one text a stat: "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:256,1,1
// occ_pct:100" and "kind_src:pageable kind_dst:device size:4 dest:0 async:1".
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "model/trace.h"

namespace warpscope::import::xplane {

// Sizes that no device has (the AMD recorder of JAX 0.4 writes uninitialised memory) are left absent; `implausible`
// then.
model::LaunchConfig ParseKernelDetails(std::string_view text, bool* implausible);

// Kind and memories of a copy or memset from its name and details.
model::CopyDetail ParseCopyDetails(std::string_view name, std::string_view details);

bool IsCopyName(std::string_view name);    // MemcpyH2D, CopyDeviceToHost ...
bool IsMemsetName(std::string_view name);  // Memset, FillBuffer ...

}  // namespace warpscope::import::xplane

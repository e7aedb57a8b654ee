// Which calls of CUDA are recorded, by the names that CUPTI gives them ("cudaMemcpyAsync_ptsz_v7000",
// "cuLaunchKernelEx"). Checked against cupti_runtime_cbid.h and cupti_driver_cbid.h of 13.0. [signal-safe]
#pragma once

namespace warpscope::agent {

// Calls that can hold the host up, move data or change memory, and those that start graphs. Plain launches are not
// among them: their times come with the kernels.
bool IsLightCall(const char* callback_name);
// The driver calls through which every launch of a kernel goes.
bool IsLaunchCall(const char* callback_name);

}  // namespace warpscope::agent

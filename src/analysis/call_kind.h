// CallKind: what a runtime or driver API call does, from its name. One vocabulary for cuda*, cu*, hip*, and their
// suffixes (_v2, _ptsz, _ptds, ExC), and for other makers' runtimes.
// [MT] Pure functions.
// Which calls block: CUDA runtime "API synchronization behavior" and "Stream synchronization behavior" pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::analysis {

enum class CallKind : uint8_t {
  kOther,
  kLaunch,  // one kernel
  kGraphLaunch,
  kCopyAsync,  // *MemcpyAsync and its 2D/3D/peer/batch forms
  kCopySync,   // *Memcpy without Async: blocks but for device-to-device
  kMemset,
  kStreamSync,
  kDeviceSync,  // *DeviceSynchronize, *CtxSynchronize
  kEventSync,
  kQuery,  // *EventQuery, *StreamQuery: thousands in a row are a wait written as a loop
  kEventRecord,
  kStreamWaitEvent,
  kDeviceAlloc,  // *Malloc, *MemAlloc, *MemCreate/Map
  kDeviceFree,   // *Free, *MemFree: waits for the device
  kAsyncAlloc,   // *MallocAsync, *FreeAsync: stream ordered
  kHostAlloc,    // *HostAlloc, *MallocHost, *HostRegister
  kHostFree,     // *FreeHost, *HostFree, *HostUnregister
  kModuleLoad,   // code loading: *ModuleLoad*, *LibraryLoad*, *LibraryGetKernel, *FuncGet*
  kGraphBuild,   // capture, instantiate, update
  kStreamAdmin,  // stream, event, context creation and destruction
  kAttribute,    // cheap questions: device, attributes, occupancy, pointer, last error
};

CallKind ClassifyCall(std::string_view name);
// Level Zero, OpenCL, SYCL's runtime, CANN; absent for names that are none of these.
std::optional<CallKind> ClassifyOtherCall(std::string_view name);
std::string_view CallKindName(CallKind kind);  // "launch", "graph launch", ...

// Puts work on a stream: kernel, graph, copy or memset.
constexpr bool Issues(CallKind kind) {
  return kind == CallKind::kLaunch || kind == CallKind::kGraphLaunch || kind == CallKind::kCopyAsync ||
         kind == CallKind::kCopySync || kind == CallKind::kMemset;
}
// Made to wait for the device (copies are judged by their memory kinds, see syncs.h).
constexpr bool IsSyncCall(CallKind kind) {
  return kind == CallKind::kStreamSync || kind == CallKind::kDeviceSync || kind == CallKind::kEventSync;
}

}  // namespace warpscope::analysis

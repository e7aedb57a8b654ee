// What an API call does to the timeline, by its normalised name: hip*, cu*, *_ptsz, *_ptds, *_v2 forms are one.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope::analysis::replay {

enum class CallClass : uint8_t {
  kOther,
  kLaunch,        // kernel
  kCopy,          // asynchronous by name
  kBlockingCopy,  // cudaMemcpy, hipMemcpyWithStream ...: synchronous by name
  kMemset,
  kGraphLaunch,
  kStreamSync,
  kEventSync,
  kDeviceSync,
  kFree,  // waits for the device
  kAlloc,
  kEventRecord,
  kStreamWaitEvent,
  kQuery,
  kPoll,    // a run of queries folded into one wait
  kMarker,  // not a call: step boundary
};

CallClass Classify(std::string_view name);

// Work is put on a stream: the calls that carry a recorder's per-launch cost.
inline bool Issues(CallClass call) {
  return call == CallClass::kLaunch || call == CallClass::kCopy || call == CallClass::kBlockingCopy ||
         call == CallClass::kMemset || call == CallClass::kGraphLaunch;
}
inline bool Waits(CallClass call) {
  return call == CallClass::kStreamSync || call == CallClass::kEventSync || call == CallClass::kDeviceSync ||
         call == CallClass::kFree || call == CallClass::kPoll;
}

}  // namespace warpscope::analysis::replay

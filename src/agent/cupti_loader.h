// Finds libcupti in the process or on disk and looks its functions up. [one thread] once.
#pragma once

#include <cstdint>

#include "agent/cupti_abi.h"

namespace warpscope::agent {

struct LoadedCupti {
  cupti::Functions functions;
  void* handle = nullptr;  // of dlopen
  uint32_t version = 0;    // cuptiGetVersion()
  char path[1024] = {};    // where it was found
  char problem[256] = {};  // why it was not; "" if it was
};

// One that the process has mapped already comes first: two CUPTIs in one process disturb each other. Then
// WARPSCOPE_CUPTI, then the loader's own search, then the toolkit's usual folders; newest version first that the driver
// supports.
bool LoadCupti(LoadedCupti* loaded);

}  // namespace warpscope::agent

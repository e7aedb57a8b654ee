#include "agent/call_names.h"

#include <string.h>

#include <initializer_list>

namespace warpscope::agent {
namespace {

bool Contains(const char* name, const char* word) { return strstr(name, word) != nullptr; }

}  // namespace

bool IsLightCall(const char* name) {
  if (Contains(name, "Node") || Contains(name, "Attribute")) return false;  // of graphs under construction, of memory
  for (const char* word :
       {"Synchronize",      "StreamWaitEvent", "Memcpy",          "Memset",       "MemPrefetch",  "GraphLaunch",
        "GraphInstantiate", "GraphUpload",     "GraphExecUpdate", "BeginCapture", "EndCapture",   "Malloc",
        "MemAlloc",         "MemFree",         "cudaFree",        "HostAlloc",    "HostRegister", "HostUnregister",
        "ModuleLoad",       "LibraryLoad",     "LaunchHostFunc",  "AddCallback",  "DeviceReset",  "InitDevice"}) {
    if (Contains(name, word)) return true;
  }
  return false;
}

bool IsLaunchCall(const char* name) {
  return Contains(name, "Launch") && Contains(name, "Kernel") && !Contains(name, "Node");
}

}  // namespace warpscope::agent

#include "agent/cupti_loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/cupti_names.h"

namespace warpscope::agent {
namespace {

// CUDA version of the driver in the process, 13000 for 13.0; 0 if unknown.
int DriverVersion() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
  if (driver == nullptr) return 0;
  const auto get = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  if (get != nullptr && get(&version) != 0) version = 0;
  dlclose(driver);
  return version;
}

void* OpenAny(int driver_major) {
  for (const char* name : wire::kCuptiNames) {
    if (void* handle = dlopen(name, RTLD_NOLOAD | RTLD_NOW)) return handle;
  }
  const char* named = getenv(wire::kCuptiVariable);
  if (named != nullptr && *named != '\0') return dlopen(named, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : wire::kCuptiNames) {
    const int major = atoi(name + strlen(wire::kCuptiNameStart));
    if (driver_major > 0 && major > driver_major) continue;
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    for (const char* folder : wire::kCuptiFolders) {
      char path[256];
      snprintf(path, sizeof(path), "%s%s", folder, name);
      if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
    }
  }
  return nullptr;
}

}  // namespace

bool LoadCupti(LoadedCupti* loaded) {
  void* handle = OpenAny(DriverVersion() / 1000);
  if (handle == nullptr) {
    const char* why = dlerror();
    snprintf(loaded->problem, sizeof(loaded->problem), "libcupti was not found (%s)",
             why == nullptr ? "no reason given" : why);
    return false;
  }
  loaded->handle = handle;
  cupti::Functions& functions = loaded->functions;
#define X(name, arguments) functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(handle, "cupti" #name));
  WS_CUPTI_FUNCTIONS(X)
#undef X
  Dl_info info{};
  if (functions.GetVersion != nullptr && dladdr(reinterpret_cast<void*>(functions.GetVersion), &info) != 0 &&
      info.dli_fname != nullptr)
    snprintf(loaded->path, sizeof(loaded->path), "%s", info.dli_fname);
  const bool whole = functions.GetVersion != nullptr && functions.ActivityRegisterCallbacks != nullptr &&
                     functions.ActivityEnable != nullptr && functions.ActivityGetNextRecord != nullptr &&
                     functions.ActivityFlushAll != nullptr;
  if (!whole || functions.GetVersion(&loaded->version) != cupti::kSuccess) {
    snprintf(loaded->problem, sizeof(loaded->problem), "%.180s is no usable CUPTI", loaded->path);
    return false;
  }
  return true;
}

}  // namespace warpscope::agent

#include "analysis/replay/calls.h"

#include <array>
#include <utility>

namespace warpscope::analysis::replay {
namespace {

std::string_view WithoutPrefix(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

std::string_view WithoutSuffix(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : {"_ptsz", "_ptds", "_spt", "_v2", "_v3"}) {
      if (!name.ends_with(suffix)) continue;
      name.remove_suffix(suffix.size());
      again = true;
    }
  }
  return name;
}

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

CallClass ClassifyCopy(std::string_view name) {
  if (Has(name, "Async")) return CallClass::kCopy;
  return CallClass::kBlockingCopy;
}

}  // namespace

CallClass Classify(std::string_view full_name) {
  const std::string_view name = WithoutSuffix(WithoutPrefix(full_name));
  static constexpr std::array<std::pair<std::string_view, CallClass>, 20> kExact{{
      {"StreamSynchronize", CallClass::kStreamSync},
      {"EventSynchronize", CallClass::kEventSync},
      {"DeviceSynchronize", CallClass::kDeviceSync},
      {"CtxSynchronize", CallClass::kDeviceSync},
      {"ThreadSynchronize", CallClass::kDeviceSync},
      {"Free", CallClass::kFree},
      {"MemFree", CallClass::kFree},
      {"Malloc", CallClass::kAlloc},
      {"MemAlloc", CallClass::kAlloc},
      {"HostAlloc", CallClass::kAlloc},
      {"MallocHost", CallClass::kAlloc},
      {"HostMalloc", CallClass::kAlloc},
      {"MemHostAlloc", CallClass::kAlloc},
      {"EventRecord", CallClass::kEventRecord},
      {"EventRecordWithFlags", CallClass::kEventRecord},
      {"StreamWaitEvent", CallClass::kStreamWaitEvent},
      {"EventQuery", CallClass::kQuery},
      {"StreamQuery", CallClass::kQuery},
      {"FreeHost", CallClass::kAlloc},
      {"HostFree", CallClass::kAlloc},
  }};
  for (const auto& [exact, call] : kExact) {
    if (name == exact) return call;
  }
  if (Has(name, "GraphLaunch")) return CallClass::kGraphLaunch;
  if (Has(name, "LaunchHostFunc")) return CallClass::kOther;
  if (Has(name, "Launch")) return CallClass::kLaunch;
  if (name.starts_with("Memcpy")) return ClassifyCopy(name);
  if (name.starts_with("Memset")) return CallClass::kMemset;
  return CallClass::kOther;
}

}  // namespace warpscope::analysis::replay

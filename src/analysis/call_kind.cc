#include "analysis/call_kind.h"

#include <array>

namespace warpscope::analysis {
namespace {

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }
bool StartsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

// "cudaMemcpyAsync_ptsz" -> "MemcpyAsync". Empty if it is no call of a known API.
std::string_view Stem(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (StartsWith(name, prefix) && name.size() > prefix.size()) {
      const char next = name[prefix.size()];
      if (next >= 'A' && next <= 'Z') {
        name.remove_prefix(prefix.size());
        break;
      }
    }
  }
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view suffix : {"_ptsz", "_ptds", "_v2", "_v3", "_v4", "_spt"}) {
      if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
        name.remove_suffix(suffix.size());
        cut = true;
      }
    }
  }
  return name;
}

struct Rule {
  std::string_view word;
  CallKind kind;
  enum Match : uint8_t { kIs, kStarts, kHas } match;
};

// First match wins.
constexpr Rule kRules[] = {
    {"GraphLaunch", CallKind::kGraphLaunch, Rule::kStarts},
    {"Graph", CallKind::kGraphBuild, Rule::kStarts},
    {"StreamBeginCapture", CallKind::kGraphBuild, Rule::kStarts},
    {"StreamEndCapture", CallKind::kGraphBuild, Rule::kStarts},
    {"ThreadExchangeStreamCaptureMode", CallKind::kAttribute, Rule::kStarts},
    {"StreamIsCapturing", CallKind::kAttribute, Rule::kStarts},
    {"StreamGetCaptureInfo", CallKind::kAttribute, Rule::kStarts},
    {"FuncGetAttribute", CallKind::kAttribute, Rule::kStarts},
    {"FuncSetAttribute", CallKind::kAttribute, Rule::kStarts},
    {"ModuleLaunch", CallKind::kLaunch, Rule::kHas},
    {"LaunchHostFunc", CallKind::kOther, Rule::kHas},
    {"LaunchKernel", CallKind::kLaunch, Rule::kHas},
    {"LaunchCooperativeKernel", CallKind::kLaunch, Rule::kHas},
    {"LaunchByPtr", CallKind::kLaunch, Rule::kHas},
    {"LaunchGrid", CallKind::kLaunch, Rule::kHas},
    {"Launch", CallKind::kLaunch, Rule::kIs},
    {"StreamSynchronize", CallKind::kStreamSync, Rule::kStarts},
    {"DeviceSynchronize", CallKind::kDeviceSync, Rule::kStarts},
    {"ThreadSynchronize", CallKind::kDeviceSync, Rule::kStarts},
    {"CtxSynchronize", CallKind::kDeviceSync, Rule::kStarts},
    {"EventSynchronize", CallKind::kEventSync, Rule::kStarts},
    {"EventQuery", CallKind::kQuery, Rule::kStarts},
    {"StreamQuery", CallKind::kQuery, Rule::kStarts},
    {"EventRecord", CallKind::kEventRecord, Rule::kStarts},
    {"StreamWaitEvent", CallKind::kStreamWaitEvent, Rule::kStarts},
    {"MallocAsync", CallKind::kAsyncAlloc, Rule::kStarts},
    {"MallocFromPoolAsync", CallKind::kAsyncAlloc, Rule::kStarts},
    {"FreeAsync", CallKind::kAsyncAlloc, Rule::kStarts},
    {"MemAllocAsync", CallKind::kAsyncAlloc, Rule::kStarts},
    {"MemAllocFromPoolAsync", CallKind::kAsyncAlloc, Rule::kStarts},
    {"MemFreeAsync", CallKind::kAsyncAlloc, Rule::kStarts},
    {"HostAlloc", CallKind::kHostAlloc, Rule::kStarts},
    {"MallocHost", CallKind::kHostAlloc, Rule::kStarts},
    {"HostMalloc", CallKind::kHostAlloc, Rule::kStarts},
    {"HostRegister", CallKind::kHostAlloc, Rule::kStarts},
    {"MemHostAlloc", CallKind::kHostAlloc, Rule::kStarts},
    {"MemAllocHost", CallKind::kHostAlloc, Rule::kStarts},
    {"MemHostRegister", CallKind::kHostAlloc, Rule::kStarts},
    {"FreeHost", CallKind::kHostFree, Rule::kStarts},
    {"HostFree", CallKind::kHostFree, Rule::kStarts},
    {"HostUnregister", CallKind::kHostFree, Rule::kStarts},
    {"MemFreeHost", CallKind::kHostFree, Rule::kStarts},
    {"MemHostUnregister", CallKind::kHostFree, Rule::kStarts},
    {"HostGetDevicePointer", CallKind::kAttribute, Rule::kStarts},
    {"Malloc", CallKind::kDeviceAlloc, Rule::kStarts},
    {"ExtMalloc", CallKind::kDeviceAlloc, Rule::kStarts},
    {"MemAlloc", CallKind::kDeviceAlloc, Rule::kStarts},
    {"MemCreate", CallKind::kDeviceAlloc, Rule::kStarts},
    {"MemMap", CallKind::kDeviceAlloc, Rule::kStarts},
    {"MemSetAccess", CallKind::kDeviceAlloc, Rule::kStarts},
    {"MemAddressReserve", CallKind::kDeviceAlloc, Rule::kStarts},
    {"Free", CallKind::kDeviceFree, Rule::kStarts},
    {"MemFree", CallKind::kDeviceFree, Rule::kStarts},
    {"MemUnmap", CallKind::kDeviceFree, Rule::kStarts},
    {"MemRelease", CallKind::kDeviceFree, Rule::kStarts},
    {"MemAddressFree", CallKind::kDeviceFree, Rule::kStarts},
    {"MemGet", CallKind::kAttribute, Rule::kStarts},
    {"MemPool", CallKind::kAttribute, Rule::kStarts},
    {"MemPrefetch", CallKind::kCopyAsync, Rule::kStarts},
    {"MemAdvise", CallKind::kAttribute, Rule::kStarts},
    {"Memset", CallKind::kMemset, Rule::kStarts},
    {"ModuleLoad", CallKind::kModuleLoad, Rule::kStarts},
    {"ModuleUnload", CallKind::kModuleLoad, Rule::kStarts},
    {"ModuleGet", CallKind::kModuleLoad, Rule::kStarts},
    {"LibraryLoad", CallKind::kModuleLoad, Rule::kStarts},
    {"LibraryUnload", CallKind::kModuleLoad, Rule::kStarts},
    {"LibraryGet", CallKind::kModuleLoad, Rule::kStarts},
    {"KernelGetFunction", CallKind::kModuleLoad, Rule::kStarts},
    {"LinkCreate", CallKind::kModuleLoad, Rule::kStarts},
    {"LinkComplete", CallKind::kModuleLoad, Rule::kStarts},
    {"LinkAdd", CallKind::kModuleLoad, Rule::kStarts},
    {"StreamCreate", CallKind::kStreamAdmin, Rule::kStarts},
    {"StreamDestroy", CallKind::kStreamAdmin, Rule::kStarts},
    {"EventCreate", CallKind::kStreamAdmin, Rule::kStarts},
    {"EventDestroy", CallKind::kStreamAdmin, Rule::kStarts},
    {"CtxCreate", CallKind::kStreamAdmin, Rule::kStarts},
    {"CtxDestroy", CallKind::kStreamAdmin, Rule::kStarts},
    {"DevicePrimaryCtx", CallKind::kStreamAdmin, Rule::kStarts},
    {"DeviceReset", CallKind::kStreamAdmin, Rule::kStarts},
    {"Occupancy", CallKind::kAttribute, Rule::kStarts},
    {"Device", CallKind::kAttribute, Rule::kStarts},
    {"GetDevice", CallKind::kAttribute, Rule::kStarts},
    {"SetDevice", CallKind::kAttribute, Rule::kStarts},
    {"GetLastError", CallKind::kAttribute, Rule::kIs},
    {"PeekAtLastError", CallKind::kAttribute, Rule::kIs},
    {"GetError", CallKind::kAttribute, Rule::kStarts},
    {"PointerGetAttribute", CallKind::kAttribute, Rule::kStarts},
    {"CtxGet", CallKind::kAttribute, Rule::kStarts},
    {"CtxSetCurrent", CallKind::kAttribute, Rule::kStarts},
    {"CtxPushCurrent", CallKind::kAttribute, Rule::kStarts},
    {"CtxPopCurrent", CallKind::kAttribute, Rule::kStarts},
    {"EventElapsedTime", CallKind::kAttribute, Rule::kStarts},
    {"StreamGet", CallKind::kAttribute, Rule::kStarts},
};

bool Matches(const Rule& rule, std::string_view stem) {
  switch (rule.match) {
    case Rule::kIs: return stem == rule.word;
    case Rule::kStarts: return StartsWith(stem, rule.word);
    case Rule::kHas: return Has(stem, rule.word);
  }
  return false;
}

}  // namespace

CallKind ClassifyCall(std::string_view name) {
  if (const auto other = ClassifyOtherCall(name)) return *other;
  const std::string_view stem = Stem(name);
  if (Has(stem, "Memcpy")) return Has(stem, "Async") ? CallKind::kCopyAsync : CallKind::kCopySync;
  for (const Rule& rule : kRules) {
    if (Matches(rule, stem)) return rule.kind;
  }
  return CallKind::kOther;
}

std::string_view CallKindName(CallKind kind) {
  constexpr std::array<std::string_view, 21> kNames = {
      "other",        "launch",      "graph launch", "async copy",  "copy",
      "memset",       "stream sync", "device sync",  "event sync",  "query",
      "event record", "stream wait", "device alloc", "device free", "stream-ordered alloc",
      "host alloc",   "host free",   "module load",  "graph build", "stream admin",
      "attribute"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace warpscope::analysis

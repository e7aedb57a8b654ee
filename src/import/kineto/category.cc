#include "import/kineto/category.h"

#include <cctype>
#include <string>

namespace warpscope::import::kineto {
namespace {

using model::CopyDetail;
using model::CopyKind;
using model::MemoryKind;

struct NamedCategory {
  std::string_view cat;
  Category category;
};

// Source: libkineto ActivityType.h (2026) and the spellings of PyTorch 1.8 and 1.9.
constexpr NamedCategory kCategories[] = {
    {"cpu_op", Category::kOperator},
    {"python_function", Category::kPython},
    {"native_function", Category::kNative},
    {"cuda_runtime", Category::kRuntimeCall},
    {"kernel", Category::kKernel},
    {"ac2g", Category::kIgnored},
    {"fwdbwd", Category::kIgnored},
    {"cpu_instant_event", Category::kMemoryEvent},
    {"cuda_driver", Category::kDriverCall},
    {"user_annotation", Category::kAnnotation},
    {"gpu_user_annotation", Category::kGpuAnnotation},
    {"gpu_memcpy", Category::kCopy},
    {"gpu_memset", Category::kMemset},
    {"cuda_sync", Category::kSync},
    {"overhead", Category::kOverhead},
    {"Operator", Category::kOperator},
    {"Runtime", Category::kRuntimeCall},
    {"Kernel", Category::kKernel},
    {"Memcpy", Category::kCopy},
    {"Memset", Category::kMemset},
    {"Trace", Category::kIgnored},
    {"async", Category::kIgnored},
    {"async_cpu_to_gpu", Category::kIgnored},
    {"async_gpu", Category::kIgnored},
    {"forward_backward", Category::kIgnored},
    {"critical_path", Category::kIgnored},
    {"collective_comm", Category::kAnnotation},
    {"cuda_event", Category::kIgnored},
    {"cuda_profiler_range", Category::kIgnored},
    {"external_correlation", Category::kIgnored},
    {"cpu_op_annotation", Category::kAnnotation},
    {"hip_runtime", Category::kRuntimeCall},
    {"hip_driver", Category::kDriverCall},
    {"glow_runtime", Category::kRuntimeCall},
    {"mtia_runtime", Category::kRuntimeCall},
    {"xpu_runtime", Category::kRuntimeCall},
    {"xpu_driver", Category::kDriverCall},
    {"xpu_sync", Category::kSync},
    {"privateuse1_runtime", Category::kRuntimeCall},
    {"privateuse1_driver", Category::kDriverCall},
    {"hpu_op", Category::kKernel},
    {"gpu_op", Category::kKernel},
    {"mtia_ccp_events", Category::kKernel},
    {"gpu_graph", Category::kGraphLaunch},
    {"os_call", Category::kOsCall},
    {"mtia_insight", Category::kIgnored},
    {"mtia_counters", Category::kCounter},
    {"hardware_counters", Category::kCounter},
    {"xpu_scope_profiler", Category::kCounter},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

MemoryKind ParseMemoryKind(std::string_view word) {
  if (word == "pageable") return MemoryKind::kPageable;
  if (word == "pinned") return MemoryKind::kPinned;
  if (word == "device") return MemoryKind::kDevice;
  if (word == "array") return MemoryKind::kArray;
  if (word == "managed" || word == "unified") return MemoryKind::kManaged;
  return MemoryKind::kUnknown;  // AMD's "host" says neither pageable nor pinned
}

bool Contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

CopyKind ParseCopyKind(std::string_view lower) {
  if (Contains(lower, "htod") || Contains(lower, "hosttodevice") || Contains(lower, "htoa"))
    return CopyKind::kHostToDevice;
  if (Contains(lower, "dtoh") || Contains(lower, "devicetohost") || Contains(lower, "atoh"))
    return CopyKind::kDeviceToHost;
  if (Contains(lower, "dtod") || Contains(lower, "devicetodevice")) return CopyKind::kDeviceToDevice;
  if (Contains(lower, "htoh") || Contains(lower, "hosttohost")) return CopyKind::kHostToHost;
  if (Contains(lower, "ptop") || Contains(lower, "peer")) return CopyKind::kPeerToPeer;
  if (Contains(lower, "atoa") || Contains(lower, "atod") || Contains(lower, "dtoa")) return CopyKind::kDeviceToDevice;
  return CopyKind::kUnknown;
}

}  // namespace

Category CategoryOf(std::string_view cat) {
  for (const NamedCategory& named : kCategories) {
    if (named.cat == cat) return named.category;
  }
  return Category::kUnknown;
}

CopyDetail ParseCopyName(std::string_view name, bool is_memset) {
  const std::string lower = Lower(name);
  CopyDetail detail;
  const size_t open = lower.find('(');
  const size_t close = lower.find(')', open == std::string::npos ? 0 : open);
  if (!is_memset) detail.kind = ParseCopyKind(std::string_view(lower).substr(0, open));
  if (open == std::string::npos || close == std::string::npos) return detail;
  const std::string_view inside = std::string_view(lower).substr(open + 1, close - open - 1);
  const size_t arrow = inside.find(" -> ");
  if (arrow == std::string_view::npos) {
    detail.dst = ParseMemoryKind(inside);
    return detail;
  }
  detail.src = ParseMemoryKind(inside.substr(0, arrow));
  detail.dst = ParseMemoryKind(inside.substr(arrow + 4));
  return detail;
}

CopyKind ParseCopyKindWord(std::string_view word) { return ParseCopyKind(Lower(word)); }
MemoryKind ParseMemoryWord(std::string_view word) { return ParseMemoryKind(Lower(word)); }

model::SyncKind ParseSyncKind(std::string_view text) {
  if (text == "Stream Sync") return model::SyncKind::kStream;
  if (text == "Event Sync") return model::SyncKind::kEvent;
  if (text == "Context Sync") return model::SyncKind::kContext;
  if (text == "Stream Wait Event") return model::SyncKind::kStreamWaitEvent;
  return model::SyncKind::kUnknown;
}

}  // namespace warpscope::import::kineto

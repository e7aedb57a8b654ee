#include "import/capture/cupti_words.h"

#include <algorithm>

#include "model/copy_words.h"

namespace warpscope::import::capture {
model::MemoryKind MemoryKindOf(uint64_t kind) {
  switch (kind) {
    case 1: return model::MemoryKind::kPageable;
    case 2: return model::MemoryKind::kPinned;
    case 3:
    case 6: return model::MemoryKind::kDevice;
    case 4: return model::MemoryKind::kArray;
    case 5:
    case 7: return model::MemoryKind::kManaged;
    default: return model::MemoryKind::kUnknown;
  }
}

model::CopyKind CopyKindOf(uint64_t kind) {
  switch (kind) {
    case 1:
    case 3: return model::CopyKind::kHostToDevice;
    case 2:
    case 4: return model::CopyKind::kDeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8: return model::CopyKind::kDeviceToDevice;
    case 9: return model::CopyKind::kHostToHost;
    case 10: return model::CopyKind::kPeerToPeer;
    default: return model::CopyKind::kUnknown;
  }
}

model::SyncKind SyncKindOf(uint64_t type) {
  switch (type) {
    case 1: return model::SyncKind::kEvent;
    case 2: return model::SyncKind::kStreamWaitEvent;
    case 3: return model::SyncKind::kStream;
    case 4: return model::SyncKind::kContext;
    default: return model::SyncKind::kUnknown;
  }
}

std::string CopyName(const model::CopyDetail& detail) {
  std::string name = "Memcpy";
  if (detail.kind != model::CopyKind::kUnknown) name += " " + std::string(model::CopyWord(detail.kind));
  return name + " (" + std::string(model::MemoryWord(detail.src)) + " -> " +
         std::string(model::MemoryWord(detail.dst)) + ")";
}

std::string MemsetName(const model::CopyDetail& detail) {
  return "Memset (" + std::string(model::MemoryWord(detail.dst)) + ")";
}

std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at != std::string_view::npos) {
    const std::string_view digits = name.substr(at + 2);
    const bool number = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number && digits.size() >= 4) name = name.substr(0, at);
  }
  for (const std::string_view form : {"_ptsz", "_ptds"}) {
    if (name.size() > form.size() && name.substr(name.size() - form.size()) == form)
      return name.substr(0, name.size() - form.size());
  }
  return name;
}

}  // namespace warpscope::import::capture

#include "model/copy_words.h"

namespace warpscope::model {

std::string_view CopyWord(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice: return "HtoD";
    case CopyKind::kDeviceToHost: return "DtoH";
    case CopyKind::kDeviceToDevice: return "DtoD";
    case CopyKind::kHostToHost: return "HtoH";
    case CopyKind::kPeerToPeer: return "PtoP";
    case CopyKind::kUnknown: break;
  }
  return "";
}

std::string_view MemoryWord(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable: return "Pageable";
    case MemoryKind::kPinned: return "Pinned";
    case MemoryKind::kDevice: return "Device";
    case MemoryKind::kManaged: return "Managed";
    case MemoryKind::kArray: return "Array";
    case MemoryKind::kUnknown: break;
  }
  return "Unknown";
}

}  // namespace warpscope::model

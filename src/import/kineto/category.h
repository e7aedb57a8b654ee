// Event categories of all versions, and what the names of copies say.
// [MT] pure functions.
#pragma once

#include <string_view>

#include "model/trace.h"

namespace warpscope::import::kineto {

enum class Category : uint8_t {
  kAbsent,  // no cat member
  kUnknown,
  kIgnored,  // known, and of no use (flows, the profiler's own frame)
  kOperator,
  kAnnotation,
  kPython,
  kNative,
  kRuntimeCall,
  kDriverCall,
  kOsCall,
  kOverhead,
  kKernel,
  kCopy,
  kMemset,
  kGraphLaunch,
  kGpuAnnotation,
  kSync,
  kMemoryEvent,
  kCounter,
};

Category CategoryOf(std::string_view cat);

// "Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Host)", "CopyHostToDevice", "Memset (Device)".
// `is_memset`: the one memory kind named is the destination.
model::CopyDetail ParseCopyName(std::string_view name, bool is_memset);

// The same from the words of WS_ARG "copy kind", "source memory", "target memory" (warpscope's own files).
model::CopyKind ParseCopyKindWord(std::string_view word);
model::MemoryKind ParseMemoryWord(std::string_view word);

// "Stream Sync", "Event Sync", "Context Sync", "Stream Wait Event".
model::SyncKind ParseSyncKind(std::string_view text);

}  // namespace warpscope::import::kineto

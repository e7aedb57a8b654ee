// Ascend documents that are no tables: communication.json and communication_matrix.json, what a recording's folder says
// about itself, and the text of `npu-smi info`.
// [one thread]
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "import/appender.h"

namespace warpscope::import::ascend {

enum class Document : uint8_t {
  kNone,
  kCommunication,  // communication.json, communication_matrix.json, and those of a cluster
  kProfilerInfo,   // profiler_info_*.json
  kMetadata,       // profiler_metadata.json
  kNpuSmi,
};

// By the members that the beginning of the text has.
Document SniffDocument(std::string_view head);

// The whole text in memory. Times and bandwidths become summaries and readings; what describes the recording becomes
// the source's rank and size, and readings with texts. Environment variables are never taken over.
Status ReadJson(std::string_view text, const std::string& path, Document document, Appender* out);
Status ReadNpuSmi(std::string_view text, const std::string& path, Appender* out);

}  // namespace warpscope::import::ascend

// What an NVTX call says beside its time: from the program's attributes into memory of ours. [signal-safe]
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/nvtx_ring.h"

namespace warpscope::agent {

struct NvtxAttributes {  // nvtxEventAttributes_v2
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, payload_count;  // the latter of extended payloads
  uint64_t payload;
  int32_t message_type;  // 1: char, 2: wchar_t, 3: registered
  const void* message;
};

// `data`, `count`: payloads given beside the attributes (nvtxPayloadData_t), or null. `attributes` may be null.
void TakeContent(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count, NvtxContent* to);
// The used part: most texts are short.
void CopyContent(const NvtxContent& from, NvtxContent* to);

}  // namespace warpscope::agent

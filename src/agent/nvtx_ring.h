// NVTX events on their way from the application's threads to the writer. [MT] as EventRing.
#pragma once

#include <cstdint>

#include "agent/event_ring.h"

namespace warpscope::agent {

// What a range or mark carries beside its times and thread.
struct NvtxContent {
  static constexpr uint32_t kTextBytes = 136;    // longer messages are cut, with "..." at the end
  static constexpr uint32_t kPayloadBytes = 56;  // longer payloads of a schema are left out

  uint32_t domain;    // number given by DomainCreate; 0: the default domain
  uint32_t category;  // 0: none
  uint32_t color_argb;
  bool has_color;
  uint8_t payload_type;   // wire::NvtxPayload
  uint8_t payload_bytes;  // of a schema's
  uint32_t schema;        // number given by PayloadSchemaRegister
  uint64_t payload;       // the number, or the bits of the double
  const char* text;       // of a registered string, which lives as long as the process; null: `copy`
  char copy[kTextBytes];
  uint8_t bytes[kPayloadBytes];

  const char* message() const { return text != nullptr ? text : copy; }
};

struct NvtxEvent {
  enum Kind : uint8_t { kRange, kMark, kSpan, kOpenRange, kOpenSpan };

  Kind kind;
  uint32_t tid, end_tid;
  int64_t start_ns, end_ns;
  NvtxContent content;
};

using NvtxRing = EventRing<NvtxEvent, 1 << 15>;

}  // namespace warpscope::agent

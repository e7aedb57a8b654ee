// Layouts of NVTX's extended payloads, as libraries register them (NCCL describes its messages so), in bounded memory.
// Numbers and structs: the public header nvToolsExtPayload.h, version 1.
// [MT] Registering takes an own lock; a registered schema never changes, so the writer reads without it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/nvtx_ring.h"

namespace warpscope::agent {

struct PayloadSchema {
  static constexpr uint32_t kMostEntries = 32, kNameBytes = 64;
  // Types from here on are numbers of registered enumerations: kEnumBase + number.
  static constexpr uint64_t kEnumBase = uint64_t{1} << 31;
  struct Entry {
    uint64_t type;  // a schema's entry: NVTX_PAYLOAD_ENTRY_TYPE_* or an enumeration. An enumeration's: the value
    uint32_t offset_bytes;
    char name[kNameBytes];
  };
  bool is_enum;
  uint32_t count;
  uint64_t own_id;  // given by the program; 0: none
  uint32_t domain;
  uint32_t size_bytes;  // 0: unknown
  Entry entries[kMostEntries];
};

// For the extension's functions of these names; 0: no room.
uint64_t RegisterPayloadSchema(uint32_t domain, const void* attributes);
uint64_t RegisterPayloadEnum(uint32_t domain, const void* attributes);

// Copies the first payload of `count` at `data` (nvtxPayloadData_t) that has a known schema and fits.
void TakePayload(uint32_t domain, const void* data, size_t count, NvtxContent* content);

// Number 1 is the first; null: no such one yet.
const PayloadSchema* PayloadSchemaOf(uint32_t number);

void ResetNvtxPayloadAfterFork();

}  // namespace warpscope::agent

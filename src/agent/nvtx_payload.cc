#include "agent/nvtx_payload.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "agent/nvtx_text.h"
#include "wire/format.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostSchemas = 256;
constexpr uint64_t kFirstDynamicId = uint64_t{1} << 32;  // NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START
constexpr uint64_t kFirstStaticId = uint64_t{1} << 24;   // ..._STATIC_START
constexpr uint64_t kFieldStaticSize = 1 << 6, kFieldSchemaId = 1 << 8, kEnumFieldSize = 1 << 4,
                   kEnumFieldSchemaId = 1 << 5;

struct SchemaEntry {  // nvtxPayloadSchemaEntry_v1
  uint64_t flags, type;
  const char* name;
  const char* description;
  uint64_t array_or_union_detail, offset;
  const void* semantics;
  const void* reserved;
};
struct SchemaAttributes {  // nvtxPayloadSchemaAttr_v1
  uint64_t field_mask;
  const char* name;
  uint64_t type, flags;
  const SchemaEntry* entries;
  size_t entry_count, static_size, pack_align;
  uint64_t schema_id;
  void* extension;
};
struct EnumEntry {  // nvtxPayloadEnum_v1
  const char* name;
  uint64_t value;
  int8_t is_flag;
};
struct EnumAttributes {  // nvtxPayloadEnumAttr_v1
  uint64_t field_mask;
  const char* name;
  const EnumEntry* entries;
  size_t entry_count, size_of_enum;
  uint64_t schema_id;
  void* extension;
};
struct PayloadData {  // nvtxPayloadData_v1
  uint64_t schema_id;
  size_t size;
  const void* payload;
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
std::atomic<PayloadSchema*> g_schemas[kMostSchemas + 1];
std::atomic<uint32_t> g_count{0};

// 0: not registered with us.
uint32_t NumberOf(uint32_t domain, uint64_t id) {
  const uint32_t count = g_count.load(std::memory_order_acquire);
  if (id > kFirstDynamicId && id - kFirstDynamicId <= count) return static_cast<uint32_t>(id - kFirstDynamicId);
  if (id < kFirstStaticId || id >= kFirstDynamicId) return 0;
  for (uint32_t number = 1; number <= count; ++number) {
    const PayloadSchema* schema = g_schemas[number].load(std::memory_order_acquire);
    if (schema->own_id == id && schema->domain == domain) return number;
  }
  return 0;
}

uint64_t Keep(PayloadSchema* schema) {
  pthread_mutex_lock(&g_lock);
  const uint32_t number = g_count.load(std::memory_order_relaxed) + 1;
  const bool room = number <= kMostSchemas;
  if (room) {
    g_schemas[number].store(schema, std::memory_order_release);
    g_count.store(number, std::memory_order_release);
  }
  pthread_mutex_unlock(&g_lock);
  if (!room) {
    free(schema);
    return 0;
  }
  return schema->own_id != 0 ? schema->own_id : kFirstDynamicId + number;
}

// Bytes of the plain types (numbers, addresses), by NVTX_PAYLOAD_ENTRY_TYPE_*; 0: another type.
uint32_t SizeOf(uint64_t type) {
  constexpr uint8_t kSizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8};
  return type < sizeof(kSizes) ? kSizes[type] : 0;
}

}  // namespace

uint64_t RegisterPayloadSchema(uint32_t domain, const void* attributes) {
  const auto* from = static_cast<const SchemaAttributes*>(attributes);
  if (from == nullptr || from->entries == nullptr) return 0;
  auto* schema = static_cast<PayloadSchema*>(calloc(1, sizeof(PayloadSchema)));
  if (schema == nullptr) return 0;
  schema->domain = domain;
  if ((from->field_mask & kFieldSchemaId) != 0) schema->own_id = from->schema_id;
  if ((from->field_mask & kFieldStaticSize) != 0 && from->static_size < UINT32_MAX)
    schema->size_bytes = static_cast<uint32_t>(from->static_size);
  uint64_t end = 0;  // of the entry before: where no offset is given, entries follow each other at their own alignment
  for (size_t i = 0; i < from->entry_count && schema->count < PayloadSchema::kMostEntries; ++i) {
    const SchemaEntry& entry = from->entries[i];
    const uint32_t known = NumberOf(domain, entry.type);
    const bool is_enum = known != 0 && g_schemas[known].load(std::memory_order_acquire)->is_enum;
    const uint32_t size = is_enum ? g_schemas[known].load(std::memory_order_acquire)->size_bytes : SizeOf(entry.type);
    constexpr uint64_t kNotPlain = 0x7e;  // pointers, offsets, arrays
    if (size == 0 || (entry.flags & kNotPlain) != 0) {
      if (entry.offset == 0 && i > 0) break;  // where the rest lies is unknown
      continue;
    }
    const uint64_t offset = entry.offset != 0 || i == 0 ? entry.offset : (end + size - 1) / size * size;
    if (offset > NvtxContent::kPayloadBytes) continue;
    PayloadSchema::Entry& to = schema->entries[schema->count++];
    to.type = is_enum ? PayloadSchema::kEnumBase + known : entry.type;
    to.offset_bytes = static_cast<uint32_t>(offset);
    CopyText(to.name, sizeof(to.name), entry.name == nullptr ? "" : entry.name);
    end = offset + size;
  }
  return Keep(schema);
}

uint64_t RegisterPayloadEnum(uint32_t domain, const void* attributes) {
  const auto* from = static_cast<const EnumAttributes*>(attributes);
  if (from == nullptr || from->entries == nullptr) return 0;
  auto* schema = static_cast<PayloadSchema*>(calloc(1, sizeof(PayloadSchema)));
  if (schema == nullptr) return 0;
  schema->is_enum = true;
  schema->domain = domain;
  const bool has_size = (from->field_mask & kEnumFieldSize) != 0;
  schema->size_bytes = has_size && (from->size_of_enum == 1 || from->size_of_enum == 2 || from->size_of_enum == 8)
                           ? static_cast<uint32_t>(from->size_of_enum)
                           : 4;
  if ((from->field_mask & kEnumFieldSchemaId) != 0) schema->own_id = from->schema_id;
  for (size_t i = 0; i < from->entry_count && i < PayloadSchema::kMostEntries; ++i) {
    PayloadSchema::Entry& to = schema->entries[schema->count++];
    to.type = from->entries[i].value;
    CopyText(to.name, sizeof(to.name), from->entries[i].name == nullptr ? "" : from->entries[i].name);
  }
  return Keep(schema);
}

void TakePayload(uint32_t domain, const void* data, size_t count, NvtxContent* content) {
  constexpr size_t kMostPayloads = 16;
  const auto* payloads = static_cast<const PayloadData*>(data);
  for (size_t i = 0; payloads != nullptr && i < count && i < kMostPayloads; ++i) {
    const uint32_t number = NumberOf(domain, payloads[i].schema_id);
    if (number == 0 || payloads[i].payload == nullptr) continue;
    const PayloadSchema* schema = g_schemas[number].load(std::memory_order_acquire);
    const size_t size = payloads[i].size == SIZE_MAX ? schema->size_bytes : payloads[i].size;
    if (schema->is_enum || size == 0 || size > NvtxContent::kPayloadBytes) continue;
    content->payload_type = wire::kPayloadSchema;
    content->schema = number;
    content->payload_bytes = static_cast<uint8_t>(size);
    memcpy(content->bytes, payloads[i].payload, size);
    return;
  }
}

const PayloadSchema* PayloadSchemaOf(uint32_t number) {
  return number > 0 && number <= g_count.load(std::memory_order_acquire)
             ? g_schemas[number].load(std::memory_order_acquire)
             : nullptr;
}

void ResetNvtxPayloadAfterFork() { g_lock = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace warpscope::agent

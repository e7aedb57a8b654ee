// Encoder: NVTX.
#include "agent/encoder.h"
#include "agent/nvtx_names.h"
#include "agent/nvtx_payload.h"
#include "agent/nvtx_ranges.h"

namespace warpscope::agent {

void Encoder::EncodeNvtx(NvtxRing* ring, int64_t open_before_ns) {
  ForNewThreadNames(
      [](void* self, uint32_t tid, const char* name) { static_cast<Encoder*>(self)->EncodeThreadName(tid, name); },
      this);
  NvtxEvent event;
  while (ring->Take(&event)) EncodeNvtxEvent(event);
  ForOpenRanges(
      open_before_ns, [](void* self, const NvtxEvent& open) { static_cast<Encoder*>(self)->EncodeNvtxEvent(open); },
      this);
}

// A thread that was named after its first event is defined again, under its number.
void Encoder::EncodeThreadName(uint32_t tid, const char* name) {
  if (tid == 0) return;
  bool is_new = false;
  const uint32_t ref = threads_.Find({tid}, &is_new);
  DefineThread(ref, tid, name);
}

uint32_t Encoder::NvtxRef(const NvtxContent& content) {
  // Categories are named once, most of them before their first use.
  if (const uint32_t serial = NvtxNamingSerial(); serial != naming_serial_) {
    naming_serial_ = serial;
    nvtx_keys_.Clear();
  }
  const NvtxKey key = {content.domain, content.category, content.has_color ? 1u : 0u, content.color_argb};
  bool is_new = false;
  const uint32_t ref = nvtx_keys_.Find(key, &is_new);
  if (!is_new) return ref;
  const char* domain = NvtxDomainName(content.domain);
  const char* category = content.category == 0 ? "" : NvtxCategoryName(content.domain, content.category);
  const uint32_t domain_ref = *domain == '\0' ? 0 : TextRef(domain);
  const uint32_t category_ref = *category == '\0' ? 0 : TextRef(category);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kNvtxKey);
  block.Put(ref);
  block.Put(domain_ref);
  block.Put(content.category);
  block.Put(category_ref);
  block.Put(content.has_color ? uint64_t{content.color_argb} + 1 : 0);
  return ref;
}

// Schemas keep the order of their registration, so a record's enumerations come before it.
uint32_t Encoder::SchemaRef(uint32_t schema) {
  while (schemas_written_ < schema) {
    const uint32_t number = ++schemas_written_;
    const PayloadSchema& from = *PayloadSchemaOf(number);
    uint32_t names[PayloadSchema::kMostEntries];
    for (uint32_t i = 0; i < from.count; ++i) names[i] = TextRef(from.entries[i].name);
    constexpr uint32_t kEntryBytes = 20;
    wire::BlockWriter& block = file_->BlockFor(kEntryBytes * from.count);
    block.Begin(wire::kNvtxSchema);
    block.Put(number);
    block.Put(from.is_enum ? 1 : 0);
    block.Put(from.count);
    for (uint32_t i = 0; i < from.count; ++i) {
      block.Put(from.entries[i].type);
      block.Put(from.entries[i].offset_bytes);
      block.Put(names[i]);
    }
  }
  return schema;
}

void Encoder::EncodeNvtxEvent(const NvtxEvent& event) {
  const NvtxContent& content = event.content;
  const uint32_t thread = ThreadRef(event.tid);
  const uint32_t key = NvtxRef(content);
  const uint32_t name = TextRef(content.message());
  const uint32_t end_thread = event.kind == NvtxEvent::kSpan ? ThreadRef(event.end_tid) : 0;
  const uint32_t schema = content.payload_type == wire::kPayloadSchema ? SchemaRef(content.schema) : 0;
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kNvtx);
  switch (event.kind) {
    case NvtxEvent::kRange: block.Put(wire::kFormRange); break;
    case NvtxEvent::kSpan: block.Put(wire::kFormSpan); break;
    case NvtxEvent::kMark: block.Put(wire::kFormMark); break;
    case NvtxEvent::kOpenRange: block.Put(wire::kFormOpenRange); break;
    case NvtxEvent::kOpenSpan: block.Put(wire::kFormOpenSpan); break;
  }
  block.Put(thread);
  block.Put(key);
  block.Put(name);
  block.Put(content.payload_type);
  if (content.payload_type == wire::kPayloadSigned) {
    block.PutSigned(static_cast<int64_t>(content.payload));
  } else if (content.payload_type == wire::kPayloadSchema) {
    block.Put(schema);
    block.PutBytes(reinterpret_cast<const char*>(content.bytes), content.payload_bytes);
  } else if (content.payload_type != wire::kPayloadNone) {
    block.Put(content.payload);
  }
  block.PutTime(event.start_ns);
  if (event.kind == NvtxEvent::kRange || event.kind == NvtxEvent::kSpan)
    block.Put(event.end_ns > event.start_ns ? static_cast<uint64_t>(event.end_ns - event.start_ns) : 0);
  if (event.kind == NvtxEvent::kSpan) block.Put(end_thread);
  ++rows_;
}

}  // namespace warpscope::agent

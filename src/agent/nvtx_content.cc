#include "agent/nvtx_content.h"

#include <string.h>

#include "agent/nvtx_payload.h"
#include "agent/nvtx_text.h"
#include "wire/format.h"

namespace warpscope::agent {
namespace {

constexpr int32_t kPayloadExtended = static_cast<int32_t>(0xDFBD0009);  // NVTX_PAYLOAD_TYPE_EXT

void TakeNumber(const NvtxAttributes& from, NvtxContent* to) {
  double number = 0;
  float narrow = 0;
  switch (from.payload_type) {
    case 1: to->payload_type = wire::kPayloadUnsigned, to->payload = from.payload; break;
    case 2: to->payload_type = wire::kPayloadSigned, to->payload = from.payload; break;
    case 3: to->payload_type = wire::kPayloadDouble, to->payload = from.payload; break;
    case 4: to->payload_type = wire::kPayloadUnsigned, to->payload = static_cast<uint32_t>(from.payload); break;
    case 5:
      to->payload_type = wire::kPayloadSigned;
      to->payload = static_cast<uint64_t>(int64_t{static_cast<int32_t>(from.payload)});
      break;
    case 6:
      memcpy(&narrow, &from.payload, sizeof(narrow));
      number = static_cast<double>(narrow);
      to->payload_type = wire::kPayloadDouble;
      memcpy(&to->payload, &number, sizeof(number));
      break;
    default: break;
  }
}

}  // namespace

void TakeContent(uint32_t domain, const NvtxAttributes* from, const void* data, size_t count, NvtxContent* to) {
  constexpr int kSmallestSize = 40;  // up to the payload: version 1 of the struct ended there
  to->domain = domain;
  to->category = to->color_argb = to->schema = 0;
  to->has_color = false;
  to->payload_type = wire::kPayloadNone;
  to->payload_bytes = 0;
  to->payload = 0;
  to->text = nullptr;
  to->copy[0] = '\0';
  if (data != nullptr) TakePayload(domain, data, count, to);
  if (from == nullptr || from->size < kSmallestSize) return;
  to->category = from->category;
  to->has_color = from->color_type == 1;
  to->color_argb = to->has_color ? from->color : 0;
  if (from->payload_type == kPayloadExtended) {
    if (from->payload_count > 0)
      TakePayload(domain, reinterpret_cast<const void*>(static_cast<uintptr_t>(from->payload)),
                  static_cast<size_t>(from->payload_count), to);
  } else if (to->payload_type == wire::kPayloadNone) {
    TakeNumber(*from, to);
  }
  if (from->size < sizeof(NvtxAttributes) || from->message == nullptr) return;
  if (from->message_type == 1) CopyText(to->copy, sizeof(to->copy), static_cast<const char*>(from->message));
  if (from->message_type == 2) CopyWide(to->copy, sizeof(to->copy), static_cast<const wchar_t*>(from->message));
  if (from->message_type == 3) to->text = static_cast<const char*>(from->message);  // see KeepString
}

void CopyContent(const NvtxContent& from, NvtxContent* to) {
  memcpy(to, &from, offsetof(NvtxContent, copy));
  if (from.text == nullptr) memcpy(to->copy, from.copy, strnlen(from.copy, sizeof(from.copy) - 1) + 1);
  else to->copy[0] = '\0';
  if (from.payload_bytes > 0) memcpy(to->bytes, from.bytes, from.payload_bytes);
}

}  // namespace warpscope::agent

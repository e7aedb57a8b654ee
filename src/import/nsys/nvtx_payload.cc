#include "import/nsys/nvtx_payload.h"

#include <cstring>

namespace warpscope::import::nsys {
namespace {

constexpr size_t kHeaderBytes = 32;

struct Shape {
  size_t size_bytes = 0;
  bool is_signed = false, is_float = false;
};

// nvToolsExtPayload.h, NVTX_PAYLOAD_ENTRY_TYPE_*; sizes of the 64-bit systems that nsys traces. "long" has 8 bytes
// on Linux; Windows is not told apart.
std::optional<Shape> ShapeOf(int64_t type) {
  switch (type) {
    case 1: return Shape{1, true, false};  // char
    case 2: return Shape{1, false, false};
    case 3: return Shape{2, true, false};  // short
    case 4: return Shape{2, false, false};
    case 5: return Shape{4, true, false};  // int
    case 6: return Shape{4, false, false};
    case 7: return Shape{8, true, false};  // long
    case 8: return Shape{8, false, false};
    case 9: return Shape{8, true, false};  // long long
    case 10: return Shape{8, false, false};
    case 11: return Shape{1, true, false};  // int8
    case 12: return Shape{1, false, false};
    case 13: return Shape{2, true, false};  // int16
    case 14: return Shape{2, false, false};
    case 15: return Shape{4, true, false};  // int32
    case 16: return Shape{4, false, false};
    case 17: return Shape{8, true, false};  // int64
    case 18: return Shape{8, false, false};
    case 19: return Shape{4, true, true};    // float
    case 20: return Shape{8, true, true};    // double
    case 22: return Shape{8, false, false};  // size_t
    case 23: return Shape{8, false, false};  // address
    default: return std::nullopt;
  }
}

uint64_t Little(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

void SetNumber(PayloadField& field, std::string_view bytes, size_t at, const Shape& shape) {
  uint64_t raw = Little(bytes, at, shape.size_bytes);
  if (shape.is_float) {
    double value = 0;
    float narrow = 0;
    if (shape.size_bytes == 4) {
      const auto bits = static_cast<uint32_t>(raw);
      std::memcpy(&narrow, &bits, sizeof narrow);
      value = static_cast<double>(narrow);
    } else {
      std::memcpy(&value, &raw, sizeof value);
    }
    field.text = std::to_string(value);
    return;
  }
  if (shape.is_signed && shape.size_bytes < 8 && (raw >> (shape.size_bytes * 8 - 1) & 1) != 0)
    raw |= ~uint64_t{0} << (shape.size_bytes * 8);
  field.value = static_cast<int64_t>(raw);
  field.text = shape.is_signed ? std::to_string(*field.value) : std::to_string(raw);
}

}  // namespace

std::vector<PayloadField> PayloadSchemas::Decode(std::string_view bytes) const {
  std::vector<PayloadField> fields;
  if (bytes.size() < kHeaderBytes) return fields;
  const auto domain = static_cast<int64_t>(Little(bytes, 0, 4)), schema = static_cast<int64_t>(Little(bytes, 8, 4));
  const auto found = entries_.find({domain, schema});
  if (found == entries_.end()) return fields;
  const std::string_view payload = bytes.substr(kHeaderBytes);
  for (const Entry& entry : found->second) {
    const auto words = enums_.find({domain, entry.type});
    const auto shape = words != enums_.end() ? std::optional<Shape>(Shape{4, true, false}) : ShapeOf(entry.type);
    if (!shape || entry.offset_bytes < 0 || static_cast<uint64_t>(entry.offset_bytes) > payload.size() ||
        payload.size() - static_cast<size_t>(entry.offset_bytes) < shape->size_bytes) {
      continue;
    }
    PayloadField field;
    field.name = entry.name;
    SetNumber(field, payload, static_cast<size_t>(entry.offset_bytes), *shape);
    if (words != enums_.end() && field.value) {
      if (const auto word = words->second.find(*field.value); word != words->second.end()) field.text = word->second;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string PayloadText(const std::vector<PayloadField>& fields) {
  std::string text;
  for (const PayloadField& field : fields) text += (text.empty() ? "" : ", ") + field.name + "=" + field.text;
  return text;
}

}  // namespace warpscope::import::nsys

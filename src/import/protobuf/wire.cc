#include "import/protobuf/wire.h"

#include <algorithm>

namespace warpscope::import::protobuf {
namespace {

constexpr size_t kReadBytes = size_t{1} << 18;
constexpr size_t kMaxVarintBytes = 10;
constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;

uint64_t ReadFixed(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Reads the field's key; false if it is none.
bool ReadKey(std::string_view bytes, size_t& at, Field& field) {
  uint64_t key = 0;
  if (!ReadVarint(bytes, at, key)) return false;
  const uint64_t type = key & 7, number = key >> 3;
  if (number == 0 || number > kMaxFieldNumber) return false;
  if (type != 0 && type != 1 && type != 2 && type != 5) return false;
  field = Field{static_cast<uint32_t>(number), static_cast<WireType>(type), 0, {}};
  return true;
}

}  // namespace

bool ReadVarint(std::string_view bytes, size_t& at, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < kMaxVarintBytes && at < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) return true;
  }
  return false;
}

bool Fields::Next() {
  if (damaged_ || at_ >= message_.size()) return false;
  damaged_ = true;  // until the field is whole
  if (!ReadKey(message_, at_, field_)) return false;
  switch (field_.type) {
    case WireType::kVarint:
      if (!ReadVarint(message_, at_, field_.value)) return false;
      break;
    case WireType::kFixed64:
    case WireType::kFixed32: {
      const size_t size = field_.type == WireType::kFixed64 ? 8 : 4;
      if (message_.size() - at_ < size) return false;
      field_.value = ReadFixed(message_, at_, size);
      at_ += size;
      break;
    }
    case WireType::kBytes: {
      uint64_t size = 0;
      if (!ReadVarint(message_, at_, size) || size > message_.size() - at_) return false;
      field_.bytes = message_.substr(at_, static_cast<size_t>(size));
      at_ += static_cast<size_t>(size);
      break;
    }
  }
  damaged_ = false;
  return true;
}

Status MessageStream::Fill(size_t want_bytes) {
  if (at_ > 0 && available() < want_bytes) {
    consumed_ += at_;
    buffer_.erase(0, at_);
    at_ = 0;
  }
  while (available() < want_bytes && !at_end_) {
    const size_t old = buffer_.size();
    buffer_.resize(old + kReadBytes);
    WS_ASSIGN_OR_RETURN(const size_t got, bytes_->Read(buffer_.data() + old, kReadBytes));
    buffer_.resize(old + got);
    at_end_ = got < kReadBytes;
  }
  return Status::Ok();
}

Status MessageStream::Skip(uint64_t size_bytes) {
  while (size_bytes > 0) {
    WS_RETURN_IF_ERROR(Fill(1));
    if (available() == 0) {
      cut_short_ = true;
      break;
    }
    const size_t step = static_cast<size_t>(std::min<uint64_t>(size_bytes, available()));
    at_ += step;
    size_bytes -= step;
  }
  return Status::Ok();
}

Result<bool> MessageStream::Next(Field* field) {
  while (!damaged_ && !cut_short_) {
    WS_RETURN_IF_ERROR(Fill(2 * kMaxVarintBytes));
    field_offset_ = consumed_ + at_;
    if (available() == 0) return false;
    const std::string_view head = std::string_view(buffer_).substr(at_);
    size_t at = 0;
    uint64_t size = 0;
    const bool key = ReadKey(head, at, *field);
    if (!key || (field->type == WireType::kBytes && !ReadVarint(head, at, size))) {
      (at_end_ && at >= head.size() ? cut_short_ : damaged_) = true;
      return false;
    }
    if (field->type == WireType::kVarint && !ReadVarint(head, at, field->value)) {
      (at_end_ && at >= head.size() ? cut_short_ : damaged_) = true;
      return false;
    }
    at_ += at;
    if (field->type == WireType::kVarint) return true;
    if (field->type != WireType::kBytes) size = field->type == WireType::kFixed64 ? 8 : 4;
    if (size > max_field_bytes_) {
      ++too_large_;
      WS_RETURN_IF_ERROR(Skip(size));
      continue;
    }
    WS_RETURN_IF_ERROR(Fill(static_cast<size_t>(size)));
    if (available() < size) {
      cut_short_ = true;
      return false;
    }
    const std::string_view content = std::string_view(buffer_).substr(at_, static_cast<size_t>(size));
    at_ += static_cast<size_t>(size);
    if (field->type == WireType::kBytes) field->bytes = content;
    else field->value = ReadFixed(content, 0, content.size());
    return true;
  }
  return false;
}

}  // namespace warpscope::import::protobuf

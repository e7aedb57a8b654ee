// The protobuf wire format: fields of a message in memory, and of one that is read as a stream. No schema, no generated
// code: readers ask for field numbers that their format's page in docs/formats names with its source.
// Encoding: https://protobuf.dev/programming-guides/encoding/. Groups (wire types 3, 4) count as damage.
// [one thread]. Nothing is copied; bounded by the bytes given, never recursive.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/container/byte_source.h"

namespace warpscope::import::protobuf {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // of varint and fixed fields; 0 for kBytes
  std::string_view bytes;  // of kBytes

  int64_t Signed() const { return static_cast<int64_t>(value); }
  double Double() const { return std::bit_cast<double>(value); }
  bool is_bytes() const { return type == WireType::kBytes; }
  bool is_number() const { return type != WireType::kBytes; }
};

// Reads a varint at `at` of `bytes` and moves `at` behind it; false if it is cut or longer than ten bytes.
bool ReadVarint(std::string_view bytes, size_t& at, uint64_t& value);

// The fields of one message, in order.
//   for (Fields fields(message); fields.Next();) switch (fields->number) ...
class Fields {
 public:
  explicit Fields(std::string_view message) : message_(message) {}
  bool Next();  // false at the end, and at the first damage
  bool damaged() const { return damaged_; }
  size_t at() const { return at_; }  // behind the current field
  const Field* operator->() const { return &field_; }
  const Field& operator*() const { return field_; }

 private:
  std::string_view message_;
  size_t at_ = 0;
  bool damaged_ = false;
  Field field_;
};

// Calls visit(uint64_t) for a repeated number: packed varints, packed fixed 64-bit values (`fixed`), or a single one.
template <typename Visit>
void ForEachNumber(const Field& field, bool fixed, const Visit& visit) {
  if (field.is_number()) return visit(field.value);
  if (!fixed) {
    uint64_t value = 0;
    for (size_t at = 0; at < field.bytes.size() && ReadVarint(field.bytes, at, value);) visit(value);
    return;
  }
  for (size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; --i)
      value = value << 8 | static_cast<unsigned char>(field.bytes[at + static_cast<size_t>(i)]);
    visit(value);
  }
}

// The fields of the outermost message, read from a source one at a time.
class MessageStream {
 public:
  // Fields of more than max_field_bytes are passed over and counted. `bytes` must outlive the stream.
  MessageStream(ByteSource* bytes, size_t max_field_bytes) : bytes_(bytes), max_field_bytes_(max_field_bytes) {}

  // The next field; its bytes hold until the next call. False at the end, at a cut, and at damage.
  Result<bool> Next(Field* field);
  uint64_t offset_bytes() const { return field_offset_; }  // where the current field begins
  bool cut_short() const { return cut_short_; }            // the data ended inside a field
  bool damaged() const { return damaged_; }                // what follows is no field; the stream stops there
  uint64_t too_large() const { return too_large_; }

 private:
  Status Fill(size_t want_bytes);
  size_t available() const { return buffer_.size() - at_; }
  Status Skip(uint64_t size_bytes);

  ByteSource* bytes_;
  size_t max_field_bytes_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t consumed_ = 0, field_offset_ = 0;  // consumed_: bytes before buffer_[0]
  bool at_end_ = false, cut_short_ = false, damaged_ = false;
  uint64_t too_large_ = 0;
};

}  // namespace warpscope::import::protobuf

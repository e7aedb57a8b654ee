// JsonCursor: walks through a JSON document of any size without holding it: objects and arrays are entered member by
// member, and the values that are wanted are taken as text (to be parsed by simdjson). Memory: one block and the taken
// value. [one thread]. Lenient: commas and colons are passed over, not counted; recursion is the caller's, Skip() and
// Take() need none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/container/byte_source.h"

namespace warpscope::import {

class JsonCursor {
 public:
  explicit JsonCursor(ByteSource* bytes) : bytes_(bytes) {}

  // First byte of the next value or closing bracket; 0 at the end of the data.
  char Peek();
  // Steps into the object or array that comes next; false, and nothing is taken, if something else does.
  bool Enter(char bracket);
  // In an object: reads the next member's key (escapes kept) and stands before its value. False at the object's end,
  // which is then passed, or where the data is no member.
  bool NextKey(std::string* key);
  // In an array: true if another item follows. False at its end, which is then passed.
  bool NextItem();
  // Passes over text that is no JSON, as tools print before and between documents, up to the next bracket. False at the
  // end.
  bool SeekDocument();
  // Passes over the next value. False if the data ends in it.
  bool Skip() { return Scan(nullptr, 0); }
  // The next value's text. False if the data ends in it (cut_short) or it is longer than `max_bytes` (it is passed
  // over).
  bool Take(std::string* text, size_t max_bytes) { return Scan(text, max_bytes); }

  uint64_t offset_bytes() const { return offset_; }
  bool cut_short() const { return cut_short_; }  // the data ended where more was expected
  bool broken() const { return broken_; }        // something stood where a member or value was expected
  const Status& status() const { return status_; }

 private:
  bool Fill();
  int Look() { return at_ < buffer_.size() || Fill() ? static_cast<unsigned char>(buffer_[at_]) : -1; }
  void Step() { ++at_, ++offset_; }
  bool Scan(std::string* text, size_t max_bytes);
  bool ScanString(std::string* text, size_t max_bytes, bool* fits);
  static void Put(std::string* text, size_t max_bytes, bool* fits, std::string_view bytes);

  ByteSource* bytes_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t offset_ = 0;
  bool at_end_ = false, cut_short_ = false, broken_ = false;
  Status status_;
};

// Text without bytes that are not UTF-8 (each is replaced by U+FFFD); simdjson accepts no others.
std::string WithoutBadUtf8(std::string_view text);

}  // namespace warpscope::import

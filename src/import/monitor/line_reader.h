// LineReader: text line by line, as a stream. UTF-16 with a byte order mark (what Windows PowerShell writes on `>`)
// becomes UTF-8; line ends of either kind and a byte order mark are taken away. [one thread]. The view of a line holds
// until the next Next(). Memory is bounded: of a longer line only the first kMaxLineBytes are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/container/byte_source.h"

namespace warpscope::import::monitor {

inline constexpr size_t kMaxLineBytes = size_t{1} << 20;

struct Line {
  std::string_view text;
  uint64_t offset_bytes = 0;  // in the source as it stands
  uint64_t number = 0;        // from 1
  bool has_end = true;        // false: the text ended in the middle of this line
};

class LineReader {
 public:
  // `bytes` must outlive the reader.
  explicit LineReader(ByteSource* bytes) : bytes_(bytes) {}

  Result<bool> Next(Line* line);  // false at the end
  uint64_t offset_bytes() const { return offset_; }
  uint64_t cut_lines() const { return cut_lines_; }

 private:
  enum class Encoding : uint8_t { kUnknown, kBytes, kUtf16Le, kUtf16Be };
  int Byte();
  int32_t Unit();  // one byte or one UTF-16 unit; -1 at the end
  void Append(int32_t unit);
  void DetectEncoding();

  ByteSource* bytes_;
  Status status_;
  std::string buffer_, text_;
  size_t at_ = 0;
  bool at_end_ = false;
  Encoding encoding_ = Encoding::kUnknown;
  int32_t high_surrogate_ = 0;
  uint64_t offset_ = 0, number_ = 0, cut_lines_ = 0;
};

// A head of text as LineReader would give it: for sniffing. At most `max_bytes` of it are looked at.
std::string PlainText(std::string_view head, size_t max_bytes);

}  // namespace warpscope::import::monitor

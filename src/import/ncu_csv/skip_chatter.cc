#include "import/ncu_csv/skip_chatter.h"

#include <algorithm>
#include <cstring>

namespace warpscope::import::ncu_csv {
namespace {

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr size_t kMaxLineBytes = size_t{8} << 20;  // the raw page's header has a name for every metric

}  // namespace

bool IsHeaderLine(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  // Quoted by the tool; programs that rewrote the file may have dropped the quotes.
  if (!line.starts_with("\"ID\"") && !line.starts_with("ID,") && !line.starts_with("ID;")) return false;
  return line.find("Kernel Name") != std::string_view::npos && line.find("Process ID") != std::string_view::npos;
}

Result<bool> SkipChatter::Fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t had = buffer_.size();
  buffer_.resize(had + kChunkBytes);
  WS_ASSIGN_OR_RETURN(const size_t got, inner_->Read(buffer_.data() + had, kChunkBytes));
  buffer_.resize(had + got);
  return got == kChunkBytes;
}

Status SkipChatter::FindHeader() {
  bool more = true;
  size_t searched = 0;  // of the current line
  for (;;) {
    const size_t end = buffer_.find('\n', at_ + searched);
    const std::string_view line = std::string_view(buffer_).substr(at_, end == std::string::npos ? end : end - at_);
    if (end != std::string::npos || !more) {
      if (IsHeaderLine(line)) return Status::Ok();
      if (end == std::string::npos) break;
      skipped_bytes_ += end + 1 - at_;
      at_ = end + 1;
      searched = 0;
      continue;
    }
    searched = line.size();
    if (searched > kMaxLineBytes) {
      // No header is that long: forget what was seen of this line.
      skipped_bytes_ += searched;
      at_ += searched;
      searched = 0;
    }
    WS_ASSIGN_OR_RETURN(more, Fill());
  }
  at_ = buffer_.size();
  return Status::Ok();
}

Result<size_t> SkipChatter::Read(char* to, size_t size_bytes) {
  const size_t ready = std::min(size_bytes, buffer_.size() - at_);
  if (ready > 0) std::memcpy(to, buffer_.data() + at_, ready);
  at_ += ready;
  if (ready == size_bytes) return ready;
  WS_ASSIGN_OR_RETURN(const size_t got, inner_->Read(to + ready, size_bytes - ready));
  return ready + got;
}

}  // namespace warpscope::import::ncu_csv

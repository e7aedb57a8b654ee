// What stands before the header: the tool's own messages ("==PROF== ..."), and whatever the profiled program printed.
// [one thread]
#pragma once

#include <string>
#include <string_view>

#include "import/container/byte_source.h"

namespace warpscope::import::ncu_csv {

// A line that is the header of one of the tool's pages.
bool IsHeaderLine(std::string_view line);

// Begins at the header line; empty if there is none. Memory: one line, of which only the beginning is kept.
class SkipChatter : public ByteSource {
 public:
  // `inner` must outlive this.
  explicit SkipChatter(ByteSource* inner) : inner_(inner) {}

  // Moves to the header. Afterwards peek() has what follows, as far as it was read.
  Status FindHeader();
  std::string_view peek() const { return std::string_view(buffer_).substr(at_); }

  Result<size_t> Read(char* to, size_t size_bytes) override;
  double done_ratio() const override { return inner_->done_ratio(); }
  bool cut_short() const override { return inner_->cut_short(); }
  uint64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  Result<bool> Fill();

  ByteSource* inner_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t skipped_bytes_ = 0;
};

}  // namespace warpscope::import::ncu_csv

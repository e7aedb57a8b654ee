#include "import/container/tar.h"

#include <algorithm>
#include <array>

namespace warpscope::import {
namespace {

constexpr size_t kRecordBytes = 512;

std::string_view Field(const std::array<char, kRecordBytes>& record, size_t at, size_t size) {
  const std::string_view field(record.data() + at, size);
  return field.substr(0, std::min(field.find('\0'), size));
}

// Octal text, or GNU's base 256 where the first bit is set.
uint64_t ReadSize(std::string_view field) {
  uint64_t value = 0;
  if (!field.empty() && (static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    for (const char c : field.substr(field.size() - 8)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  for (const char c : field) {
    if (c >= '0' && c <= '7') value = value * 8 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

}  // namespace

class TarEntry : public ByteSource {
 public:
  explicit TarEntry(TarReader* reader) : reader_(reader) {}
  Result<size_t> Read(char* to, size_t size_bytes) override {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(size_bytes, reader_->left_bytes_));
    WS_ASSIGN_OR_RETURN(const size_t got, reader_->archive_->Read(to, wanted));
    reader_->left_bytes_ -= got;
    if (got < wanted) reader_->cut_short_ = true;
    return got;
  }
  double done_ratio() const override { return reader_->archive_->done_ratio(); }
  bool cut_short() const override { return reader_->cut_short_ || reader_->archive_->cut_short(); }

 private:
  TarReader* reader_;
};

bool LooksLikeTar(std::string_view head) { return head.size() >= 263 && head.substr(257, 5) == "ustar"; }

Status TarReader::Skip(uint64_t bytes) {
  std::array<char, 16384> scrap;
  while (bytes > 0) {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(bytes, scrap.size()));
    WS_ASSIGN_OR_RETURN(const size_t got, archive_->Read(scrap.data(), wanted));
    if (got == 0) break;
    bytes -= got;
  }
  return Status::Ok();
}

Result<bool> TarReader::Next() {
  for (;;) {
    WS_RETURN_IF_ERROR(Skip(left_bytes_));
    WS_RETURN_IF_ERROR(Skip(padding_bytes_));
    left_bytes_ = padding_bytes_ = 0;
    std::array<char, kRecordBytes> record;
    WS_ASSIGN_OR_RETURN(const size_t got, archive_->Read(record.data(), record.size()));
    if (got < record.size() || record[0] == '\0' || Field(record, 257, 5) != "ustar") return false;
    left_bytes_ = ReadSize({record.data() + 124, 12});
    padding_bytes_ = (kRecordBytes - left_bytes_ % kRecordBytes) % kRecordBytes;
    name_ = Field(record, 0, 100);
    const size_t base = name_.rfind('/') + 1;  // npos + 1 == 0
    const char type = record[156];
    if ((type == '0' || type == '\0' || type == '7') && name_.compare(base, 2, "._") != 0 && left_bytes_ > 0)
      return true;
  }
}

std::unique_ptr<ByteSource> TarReader::Open() { return std::make_unique<TarEntry>(this); }

}  // namespace warpscope::import

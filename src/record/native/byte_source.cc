#include "record/native/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace warpscope::record::native {

std::unique_ptr<ByteSource> ByteSource::OfFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return nullptr;
  struct stat facts {};
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(file);
    return nullptr;
  }
  return std::unique_ptr<ByteSource>(new ByteSource(file, {}, static_cast<uint64_t>(facts.st_size)));
}

std::unique_ptr<ByteSource> ByteSource::OfBytes(std::string_view bytes) {
  return std::unique_ptr<ByteSource>(new ByteSource(-1, bytes, bytes.size()));
}

ByteSource::~ByteSource() {
  if (file_ >= 0) ::close(file_);
}

bool ByteSource::Read(uint64_t offset_bytes, void* into, size_t size_bytes) const {
  if (offset_bytes > size_ || size_bytes > size_ - offset_bytes) return false;
  if (file_ >= 0)
    return ::pread(file_, into, size_bytes, static_cast<off_t>(offset_bytes)) == static_cast<ssize_t>(size_bytes);
  std::memcpy(into, bytes_.data() + offset_bytes, size_bytes);
  return true;
}

std::string ByteSource::Some(uint64_t offset_bytes, size_t most_bytes) const {
  if (offset_bytes >= size_) return {};
  std::string out(static_cast<size_t>(std::min<uint64_t>(most_bytes, size_ - offset_bytes)), '\0');
  if (!Read(offset_bytes, out.data(), out.size())) out.clear();
  return out;
}

}  // namespace warpscope::record::native

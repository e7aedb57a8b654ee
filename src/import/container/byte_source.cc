#include "import/container/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace warpscope::import {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(int descriptor, std::string path, uint64_t size_bytes, bool is_device = false,
             std::optional<char> first = {})
      : descriptor_(descriptor),
        path_(std::move(path)),
        size_bytes_(size_bytes),
        is_device_(is_device),
        first_(first) {}
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> Read(char* to, size_t size_bytes) override {
    size_t filled = 0;
    if (first_ && size_bytes > 0) to[filled++] = *std::exchange(first_, {});
    while (filled < size_bytes) {
      if (!record_.empty()) {
        const size_t part = std::min(record_.size(), size_bytes - filled);
        std::memcpy(to + filled, record_.data(), part);
        record_.erase(0, part);
        filled += part;
        continue;
      }
      const ssize_t got = is_device_ ? ReadRecord() : ::read(descriptor_, to + filled, size_bytes - filled);
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got > 0 && is_device_) continue;
      if (got < 0) {
        return Status(StatusCode::kIo, path_ + ": reading failed at byte " + std::to_string(done_bytes_ + filled) +
                                           ": " + std::strerror(errno) + ". Check the disk or copy the file again.");
      }
      filled += static_cast<size_t>(got);
    }
    done_bytes_ += filled;
    return filled;
  }
  double done_ratio() const override {
    if (size_bytes_ == 0) return -1;
    return std::min(1.0, static_cast<double>(done_bytes_) / static_cast<double>(size_bytes_));
  }
  uint64_t size_hint_bytes() const override { return size_bytes_; }
  std::string plain_path() const override { return size_bytes_ > 0 ? path_ : std::string(); }

 private:
  // /dev/kmsg gives one record a call, wants room for all of it, has no more for now (EAGAIN) at its end, and tells
  // records that were overwritten meanwhile (EPIPE).
  ssize_t ReadRecord() {
    constexpr size_t kRecordBytes = 16 << 10;
    record_.resize(kRecordBytes);
    const ssize_t got = ::read(descriptor_, record_.data(), kRecordBytes);
    record_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got < 0 && errno == EPIPE) errno = EINTR;
    return got;
  }

  int descriptor_;
  std::string path_;
  uint64_t size_bytes_;
  bool is_device_;
  std::string record_;  // of a device, as far as it was not handed on
  uint64_t done_bytes_ = 0;
  std::optional<char> first_;  // was read to see whether anybody writes
};

// A named pipe that nobody writes to would be waited for for ever. False if no writer came; a first byte that was read
// to find out goes to `first`. REQUIRES: opened with O_NONBLOCK.
bool WaitForWriter(int descriptor, std::optional<char>* first) {
  constexpr int kTries = 50, kTryMs = 100;
  for (int i = 0; i < kTries; ++i) {
    pollfd one{descriptor, POLLIN, 0};
    if (::poll(&one, 1, i == 0 ? 0 : kTryMs) > 0) return true;
    char byte = 0;
    const ssize_t got = ::read(descriptor, &byte, 1);
    if (got == 1) *first = byte;
    if (got != 0) return true;  // EAGAIN: a writer is there and has not written yet
  }
  return false;
}

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(char* to, size_t size_bytes) override {
    const size_t count = std::min(size_bytes, bytes_.size() - done_);
    if (count > 0) std::memcpy(to, bytes_.data() + done_, count);
    done_ += count;
    return count;
  }
  double done_ratio() const override {
    return bytes_.empty() ? 1.0 : static_cast<double>(done_) / static_cast<double>(bytes_.size());
  }
  uint64_t size_hint_bytes() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
  size_t done_ = 0;
};

}  // namespace

Result<std::string_view> PeekSource::Peek(size_t size_bytes) {
  if (const uint64_t hint = inner_->size_hint_bytes(); hint > 0) size_bytes = std::min<uint64_t>(size_bytes, hint + 1);
  if (head_.size() < size_bytes) {
    const size_t had = head_.size();
    head_.resize(size_bytes);
    auto got = inner_->Read(head_.data() + had, size_bytes - had);
    head_.resize(had + (got.ok() ? *got : 0));
    if (!got.ok()) return got.status();
  }
  return std::string_view(head_).substr(0, size_bytes);
}

Result<size_t> PeekSource::Read(char* to, size_t size_bytes) {
  const size_t from_head = std::min(size_bytes, head_.size() - taken_);
  if (from_head > 0) std::memcpy(to, head_.data() + taken_, from_head);
  taken_ += from_head;
  if (taken_ == head_.size() && !head_.empty()) {
    head_ = std::string();
    taken_ = 0;
  }
  if (from_head == size_bytes) return from_head;
  WS_ASSIGN_OR_RETURN(const size_t rest, inner_->Read(to + from_head, size_bytes - from_head));
  return from_head + rest;
}

Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  using Made = std::unique_ptr<ByteSource>;
  if (path == "-") return Made(std::make_unique<FileSource>(STDIN_FILENO, "standard input", 0));
  // Without O_NONBLOCK opening a named pipe waits for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo;
    return Status(code, path + ": cannot be opened: " + std::strerror(errno) + ". Check the path and its permissions.");
  }
  struct stat info {};
  const bool is_known = ::fstat(descriptor, &info) == 0;
  const bool regular = is_known && S_ISREG(info.st_mode);
  std::optional<char> first;
  if (is_known && S_ISFIFO(info.st_mode) && !WaitForWriter(descriptor, &first)) {
    ::close(descriptor);
    return Status(StatusCode::kIo, path + ": nobody writes to this pipe. Start the program that writes to it first.");
  }
  const bool is_device = is_known && S_ISCHR(info.st_mode) && ::isatty(descriptor) == 0;
  if (!is_device) ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  if (regular) ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return Made(std::make_unique<FileSource>(descriptor, path, regular ? static_cast<uint64_t>(info.st_size) : 0,
                                           is_device, first));
}

std::unique_ptr<ByteSource> OpenMemory(std::string_view bytes) { return std::make_unique<MemorySource>(bytes); }

}  // namespace warpscope::import

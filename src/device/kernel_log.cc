#include "device/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace warpscope::device {
namespace {

// One read() gives one record of /dev/kmsg; the kernel's own limit is 8 KiB (CONSOLE_EXT_LOG_MAX).
constexpr size_t kRecord = 16384;

class Descriptor {
 public:
  Descriptor(const char* path, int flags) : number_(open(path, flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

Result<std::string> ReadKernelLog(const std::function<void(std::string_view bytes)>& take) {
  std::array<char, kRecord> buffer;
  const Descriptor kmsg("/dev/kmsg", O_RDONLY | O_NONBLOCK);
  if (kmsg.number() >= 0) {
    bool has_read = false;
    for (;;) {
      const ssize_t size = read(kmsg.number(), buffer.data(), buffer.size());
      if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;  // records were overwritten meanwhile
      if (size <= 0) break;
      has_read = true;
      take({buffer.data(), static_cast<size_t>(size)});
    }
    if (has_read || errno == EAGAIN) return std::string("/dev/kmsg");
  }
  for (const char* path : {"/var/log/kern.log", "/var/log/messages", "/var/log/syslog", "/var/log/dmesg"}) {
    const Descriptor file(path, O_RDONLY);
    if (file.number() < 0) continue;
    for (;;) {
      const ssize_t size = read(file.number(), buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      take({buffer.data(), static_cast<size_t>(size)});
    }
    return std::string(path);
  }
  return Status(
      StatusCode::kIo,
      "the kernel log may not be read here; run: sudo dmesg -x --time-format iso | warpscope faults -   (or give "
      "a file)");
}

}  // namespace warpscope::device

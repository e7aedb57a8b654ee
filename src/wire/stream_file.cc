#include "wire/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/clock.h"

namespace warpscope::wire {

bool StreamFile::Open(const char* folder, const char* name, uint32_t cupti_version) {
  constexpr size_t kBlockBytes = sizeof(BlockHeader) + kMaxPayloadBytes;
  void* memory = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  block_ = BlockWriter(static_cast<uint8_t*>(memory));
  char path[4200], own_name[16];
  snprintf(own_name, sizeof(own_name), "%d", static_cast<int>(getpid()));
  if (name == nullptr) name = own_name;
  for (int number = 0; number < 1000; ++number) {
    if (number == 0) snprintf(path, sizeof(path), "%s/%s.capture", folder, name);
    else snprintf(path, sizeof(path), "%s/%s.%d.capture", folder, name, number);
    descriptor_ = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ >= 0 || errno != EEXIST) break;
  }
  if (descriptor_ < 0) return false;
  FileHeader header{};
  memcpy(header.magic, kMagic, sizeof(header.magic));
  header.version = kVersion;
  header.pid = static_cast<uint32_t>(getpid());
  header.parent_pid = static_cast<uint32_t>(getppid());
  header.cupti_version = cupti_version;
  header.start_ns = NowNs();
  return WriteAll(reinterpret_cast<const uint8_t*>(&header), sizeof(header));
}

bool StreamFile::WriteAll(const uint8_t* bytes, uint32_t size) {
  uint32_t done = 0;
  while (done < size) {
    const ssize_t put = write(descriptor_, bytes + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      write_error_ = errno;
      // A part of a block would hide those behind it.
      if (done > 0 && ftruncate(descriptor_, static_cast<off_t>(written_bytes_)) != 0) descriptor_ = -1;
      return false;
    }
    done += static_cast<uint32_t>(put);
  }
  written_bytes_ += size;
  return true;
}

void StreamFile::Flush() {
  if (block_.empty() || descriptor_ < 0) {
    block_.Reset();
    return;
  }
  uint32_t size = 0;
  const uint8_t* bytes = block_.Finish(&size);
  if (!WriteAll(bytes, size)) lost_bytes_ += size;
  block_.Reset();
}

void StreamFile::Close() {
  Flush();
  Abandon();
}

void StreamFile::Abandon() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace warpscope::wire

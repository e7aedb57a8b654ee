#include "wire/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/clock.h"

namespace warpscope::wire {
namespace {

constexpr int kCreate = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW;

}  // namespace

// In the folder as it was opened, wherever the program's root or the folder's name have gone; else by its path.
int StreamFile::Create(const char* file_name) {
  if (const int folder = folder_.Get(); folder >= 0) return openat(folder, file_name, kCreate, 0644);
  char path[kMostFolder + kMostName + 40];
  snprintf(path, sizeof(path), "%s/%s", folder_path_, file_name);
  return open(path, kCreate, 0644);
}

bool StreamFile::Open(const char* folder, const char* name, uint32_t cupti_version) {
  constexpr size_t kBlockBytes = sizeof(BlockHeader) + kMaxPayloadBytes;
  if (strnlen(folder, kMostFolder) >= kMostFolder) {
    errno = ENAMETOOLONG;
    return false;
  }
  void* memory = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  block_ = BlockWriter(static_cast<uint8_t*>(memory));
  memcpy(folder_path_, folder, strlen(folder) + 1);
  folder_.Adopt(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  cupti_version_ = cupti_version;
  start_ns_ = NowNs();
  char own_name[16];
  snprintf(own_name, sizeof(own_name), "%d", static_cast<int>(getpid()));
  if (name == nullptr) name = own_name;
  int descriptor = -1;
  for (int number = 0; number < 1000; ++number) {
    if (number == 0) snprintf(base_name_, sizeof(base_name_), "%s", name);
    else snprintf(base_name_, sizeof(base_name_), "%.40s.%d", name, number);
    snprintf(file_name_, sizeof(file_name_), "%s.capture", base_name_);
    descriptor = Create(file_name_);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  return file_.Adopt(descriptor) && WriteHeader();
}

bool StreamFile::WriteHeader() {
  file_bytes_ = 0;
  FileHeader header{};
  memcpy(header.magic, kMagic, sizeof(header.magic));
  header.version = kVersion;
  header.pid = static_cast<uint32_t>(getpid());
  header.parent_pid = static_cast<uint32_t>(getppid());
  header.cupti_version = cupti_version_;
  header.start_ns = start_ns_;
  return WriteAll(reinterpret_cast<const uint8_t*>(&header), sizeof(header));
}

void StreamFile::RingName(char* name, uint32_t number) const {
  snprintf(name, sizeof(file_name_), "%s.ring-%06u.capture", base_name_, number);
}

bool StreamFile::Next() {
  Flush();
  char name[sizeof(file_name_)];
  RingName(name, number_ + 1);
  OwnDescriptor next;
  if (!next.Adopt(Create(name))) return false;
  file_.Close();
  file_ = next;
  ++number_;
  memcpy(file_name_, name, sizeof(name));
  return WriteHeader();
}

void StreamFile::RemoveOld(uint32_t keep) {
  for (; oldest_ + keep <= number_; ++oldest_) {
    char name[sizeof(file_name_)], path[kMostFolder + kMostName + 40];
    RingName(name, oldest_);
    snprintf(path, sizeof(path), "%s/%s", folder_path_, name);
    const int folder = folder_.Get();
    if (folder >= 0) unlinkat(folder, name, 0);
    else unlink(path);
  }
}

// The program may have closed it: then the same file is opened again, unless it is gone.
int StreamFile::Descriptor() {
  if (!file_.is_set()) return -1;
  if (const int mine = file_.Get(); mine >= 0) return file_.IsRemoved() ? -1 : mine;
  char path[kMostFolder + kMostName + 40];
  snprintf(path, sizeof(path), "%s/%s", folder_path_, file_name_);
  const int again = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (again < 0) return -1;
  if (!file_.IsSameFile(again)) {
    close(again);
    return -1;
  }
  if (!file_.Adopt(again)) return -1;
  return file_.Get();
}

bool StreamFile::WriteAll(const uint8_t* bytes, uint32_t size) {
  const int descriptor = Descriptor();
  if (descriptor < 0) {
    write_error_ = EBADF;
    return false;
  }
  uint32_t done = 0;
  while (done < size) {
    const ssize_t put = write(descriptor, bytes + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      write_error_ = put < 0 ? errno : ENOSPC;
      // A part of a block would hide those behind it.
      if (done > 0 && ftruncate(descriptor, static_cast<off_t>(file_bytes_)) != 0) file_.Close();
      return false;
    }
    done += static_cast<uint32_t>(put);
  }
  file_bytes_ += size;
  written_bytes_ += size;
  return true;
}

void StreamFile::Flush() {
  if (block_.empty() || !file_.is_set()) {
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
  file_.Close();
  folder_.Close();
}

}  // namespace warpscope::wire

#include "agent/counters/code_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/counter_plan.h"

namespace warpscope::agent {
namespace {

class Locked {
 public:
  explicit Locked(pthread_mutex_t* lock) : lock_(lock) { pthread_mutex_lock(lock_); }
  ~Locked() { pthread_mutex_unlock(lock_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pthread_mutex_t* lock_;
};

// The kernel copies: memory that is gone gives EFAULT, and nothing crashes.
bool WriteAll(int file, const void* bytes, size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t wrote = write(file, at, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += wrote;
    size -= static_cast<size_t>(wrote);
  }
  return true;
}

}  // namespace

void CodeModules::Init(const perf::ProfilerFunctions* functions, const char* run_folder, bool keep) {
  functions_ = functions;
  keep_ = keep && functions->CubinCrc != nullptr;
  snprintf(folder_, sizeof(folder_), "%s", run_folder);
  modules_ = static_cast<Module*>(calloc(kMostModules, sizeof(Module)));
  if (!keep_) return;
  char path[4300];
  snprintf(path, sizeof(path), "%s/%s", folder_, wire::kCodeFolder);
  mkdir(path, 0777);
}

void CodeModules::Loaded(const cupti::ModuleResource& module) {
  if (modules_ == nullptr || functions_->CubinCrc == nullptr || module.cubin == nullptr || module.cubin_bytes == 0)
    return;
  auto crc = perf::Sized<perf::CubinCrc>();
  crc.cubin = module.cubin;
  crc.cubin_bytes = module.cubin_bytes;
  if (functions_->CubinCrc(&crc) != perf::kOk) return;
  const Locked hold(&lock_);
  for (uint32_t i = 0; i < count_; ++i) {
    if (modules_[i].checksum != crc.crc) continue;
    if (modules_[i].cubin == nullptr && !modules_[i].busy) {
      modules_[i].cubin = module.cubin;
      modules_[i].id = module.id;
    }
    return;
  }
  if (count_ == kMostModules) return;
  modules_[count_++] = {crc.crc, module.cubin, module.cubin_bytes, module.id, kFresh, false, {}};
}

// Samples of a module may come after it is gone: its code is kept now, up to a limit of its own.
void CodeModules::Unloading(const cupti::ModuleResource& module) {
  constexpr int kMostTries = 1000;  // of a millisecond each
  uint64_t checksum = 0;
  for (int i = 0; i < kMostTries; ++i) {
    bool busy = false, mine = false;
    {
      const Locked hold(&lock_);
      for (uint32_t k = 0; k < count_; ++k) {
        Module& known = modules_[k];
        if (known.id != module.id || (known.cubin == nullptr && !known.busy)) continue;
        busy |= known.busy;
        mine = !known.busy && known.state == kFresh && keep_ && unloaded_bytes_ + known.bytes <= kMostUnloadedBytes;
        checksum = known.checksum;
        if (mine) unloaded_bytes_ += known.bytes;
        else if (!known.busy) known.cubin = nullptr;
        break;
      }
    }
    if (mine) Find(checksum);
    else if (!busy) return;
    else usleep(1000);
  }
}

CodeModules::Code CodeModules::Find(uint64_t checksum) {
  Module* found = nullptr;
  {
    const Locked hold(&lock_);
    for (uint32_t i = 0; i < count_ && found == nullptr; ++i) {
      if (modules_[i].checksum == checksum) found = &modules_[i];
    }
    if (found == nullptr) return {};
    if (found->state == kKept) return {found->bytes, found->file};
    if (!keep_ || found->cubin == nullptr || found->state == kRefused || found->busy) return {found->bytes, nullptr};
    found->busy = true;
    if (found->bytes > kMostBytes - kept_bytes_) found->state = kRefused;
    else kept_bytes_ += found->bytes;
  }
  char file[sizeof(found->file)];
  const bool copied = found->state != kRefused && Copy(checksum, found->cubin, found->bytes, file, sizeof(file));
  const Locked hold(&lock_);
  found->busy = false;
  if (!copied) {
    if (found->state != kRefused) kept_bytes_ -= found->bytes;
    found->state = kRefused;
    ++not_kept_;
    return {found->bytes, nullptr};
  }
  found->state = kKept;
  memcpy(found->file, file, sizeof(file));
  return {found->bytes, found->file};
}

bool CodeModules::HasChecksum(int file, size_t bytes, uint64_t checksum) const {
  void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) return false;
  auto crc = perf::Sized<perf::CubinCrc>();
  crc.cubin = mapped;
  crc.cubin_bytes = bytes;
  const bool same = functions_->CubinCrc(&crc) == perf::kOk && crc.crc == checksum;
  munmap(mapped, bytes);
  return same;
}

// Several processes of a run may keep the same code: each writes a file of its own and renames it.
bool CodeModules::Copy(uint64_t checksum, const void* cubin, size_t bytes, char* file, size_t file_size) const {
  char path[4300], part[4400];
  snprintf(file, file_size, "%s/%" PRIx64 ".cubin", wire::kCodeFolder, checksum);
  snprintf(path, sizeof(path), "%.4200s/%.40s", folder_, file);
  if (struct stat there{}; stat(path, &there) == 0 && static_cast<size_t>(there.st_size) == bytes) return true;
  snprintf(part, sizeof(part), "%s.%d", path, static_cast<int>(getpid()));
  const int descriptor = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool whole = WriteAll(descriptor, cubin, bytes) && HasChecksum(descriptor, bytes, checksum);
  close(descriptor);
  if (whole && rename(part, path) == 0) return true;
  unlink(part);
  return false;
}

}  // namespace warpscope::agent

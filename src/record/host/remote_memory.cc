#include "record/host/remote_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "record/host/proc_files.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kMostPieces = 256;  // of one call; the kernel allows IOV_MAX, 1024

}  // namespace

RemoteMemory::~RemoteMemory() {
  if (file_ >= 0) ::close(file_);
}

RemoteMemory::RemoteMemory(RemoteMemory&& other) noexcept
    : pid_(other.pid_), file_(std::exchange(other.file_, -1)), by_file_(other.by_file_), refused_(other.refused_) {}

RemoteMemory& RemoteMemory::operator=(RemoteMemory&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(file_, other.file_);
  std::swap(by_file_, other.by_file_);
  std::swap(refused_, other.refused_);
  return *this;
}

bool RemoteMemory::ReadByFile(uint64_t address, void* into, size_t size_bytes) {
  if (file_ < 0) {
    file_ = ::open((ProcFolder(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) {
      refused_ = errno == EACCES || errno == EPERM;
      return false;
    }
  }
  return ::pread(file_, into, size_bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(size_bytes);
}

bool RemoteMemory::Read(uint64_t address, void* into, size_t size_bytes) {
  const RemotePiece piece{address, into, size_bytes};
  return ReadMany({&piece, 1}) == 1;
}

size_t RemoteMemory::ReadMany(std::span<const RemotePiece> pieces) {
  size_t done = 0;
  while (done < pieces.size()) {
    if (by_file_) {
      const RemotePiece& piece = pieces[done];
      if (!ReadByFile(piece.address, piece.into, piece.size_bytes)) return done;
      ++done;
      continue;
    }
    std::array<iovec, kMostPieces> local, remote;
    const size_t count = std::min(kMostPieces, pieces.size() - done);
    for (size_t i = 0; i < count; ++i) {
      local[i] = {pieces[done + i].into, pieces[done + i].size_bytes};
      remote[i] = {reinterpret_cast<void*>(pieces[done + i].address), pieces[done + i].size_bytes};
    }
    const ssize_t got = ::process_vm_readv(pid_, local.data(), count, remote.data(), count, 0);
    if (got < 0 && (errno == EPERM || errno == ENOSYS)) {
      by_file_ = true;
      continue;
    }
    if (got < 0) return done;
    auto left = static_cast<size_t>(got);
    for (size_t i = 0; i < count; ++i) {
      if (left < local[i].iov_len) return done;
      left -= local[i].iov_len;
      ++done;
    }
  }
  return done;
}

}  // namespace warpscope::record::host

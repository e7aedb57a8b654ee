// OwnDescriptor: a file descriptor inside somebody else's process, which may close it (daemons and servers close all
// that they do not know) and get its number for a file of its own. So every use asks first whether the number still
// means our file. [one thread] [signal-safe] System calls only; one fstat(2) a use.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpscope::wire {

class OwnDescriptor {
 public:
  // Takes `descriptor` over, under a high number where the limit allows: programs count on low ones being theirs.
  bool Adopt(int descriptor) {
    if (descriptor < 0) return false;
    constexpr int kHigh = 700;
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, kHigh);
    if (high >= 0) {
      close(descriptor);
      descriptor = high;
    }
    struct stat facts {};
    if (fstat(descriptor, &facts) != 0) {
      close(descriptor);
      return false;
    }
    number_ = descriptor;
    device_ = facts.st_dev;
    file_ = facts.st_ino;
    return true;
  }

  bool is_set() const { return number_ >= 0; }
  // -1: it is not ours any more.
  int Get() const {
    if (number_ < 0) return -1;
    struct stat facts {};
    return fstat(number_, &facts) == 0 && facts.st_dev == device_ && facts.st_ino == file_ ? number_ : -1;
  }
  // It has no name any more: what is written to it takes room on the disk until it is closed, and nobody can read it.
  bool IsRemoved() const {
    struct stat facts {};
    return fstat(number_, &facts) == 0 && facts.st_nlink == 0;
  }
  bool IsSameFile(int descriptor) const {
    struct stat facts {};
    return fstat(descriptor, &facts) == 0 && facts.st_dev == device_ && facts.st_ino == file_;
  }
  void Close() {
    const int mine = Get();
    number_ = -1;
    if (mine >= 0) close(mine);
  }

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t file_ = 0;
};

}  // namespace warpscope::wire

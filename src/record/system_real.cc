// RealSystem: the calls.
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "record/system.h"

extern char** environ;

namespace warpscope::record {

std::optional<std::string> RealSystem::Read(const std::string& path, size_t most_bytes) const {
  // A pipe or device among the names would block or have effects.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(file);
    return std::nullopt;
  }
  std::string text;
  std::array<char, 16384> part{};
  while (text.size() < most_bytes) {
    const ssize_t got = ::read(file, part.data(), std::min(part.size(), most_bytes - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<size_t>(got));
  }
  ::close(file);
  return text;
}

std::optional<std::string> RealSystem::ReadAt(const std::string& path, uint64_t offset, size_t size) const {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat info {};
  std::optional<std::string> text;
  if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    text.emplace(size, '\0');
    size_t done = 0;
    while (done < size) {
      const ssize_t got = ::pread(file, text->data() + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    text->resize(done);
  }
  ::close(file);
  return text;
}

int RealSystem::OpenError(const std::string& path) const {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno;
  ::close(file);
  return 0;
}

std::optional<FileInfo> RealSystem::Stat(const std::string& path) const {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  FileInfo file;
  file.is_folder = S_ISDIR(info.st_mode);
  file.is_regular = S_ISREG(info.st_mode);
  file.is_executable = ::access(path.c_str(), X_OK) == 0;
  file.is_writable = ::access(path.c_str(), W_OK) == 0;
  file.size_bytes = static_cast<uint64_t>(std::max<off_t>(info.st_size, 0));
  file.modified_ns = static_cast<int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
  file.gains_rights = file.is_regular && ((info.st_mode & (S_ISUID | S_ISGID)) != 0 ||
                                          ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
  return file;
}

std::vector<std::string> RealSystem::List(const std::string& folder) const {
  std::vector<std::string> names;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    names.emplace_back(entry->d_name);
    if (names.size() == kMostNames) break;
  }
  ::closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

std::string RealSystem::RealPath(const std::string& path) const {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return {};
  std::string text = real;
  std::free(real);
  return text;
}

std::optional<std::string> RealSystem::Variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::pair<std::string, std::string>> RealSystem::Variables() const {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string text = *at;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

std::optional<uint64_t> RealSystem::FreeBytes(const std::string& folder) const {
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0) return std::nullopt;
  return static_cast<uint64_t>(space.f_bavail) * space.f_frsize;
}

std::string RealSystem::WorkingFolder() const { return RealPath("."); }
int RealSystem::ParentPid() const { return ::getppid(); }

int RealSystem::PerfEventError() const {
  perf_event_attr event{};
  event.size = sizeof(event);
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.exclude_kernel = 1;
  event.disabled = 1;
  const long file = ::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
  if (file < 0) return errno;
  ::close(static_cast<int>(file));
  return 0;
}

}  // namespace warpscope::record

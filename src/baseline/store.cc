#include "baseline/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace warpscope::baseline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The first folder upwards that holds .git; the working folder if none does.
fs::path RepositoryFolder() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (fs::path at = here; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) return at;
    if (at == at.root_path()) break;
  }
  return here;
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

Status Refused(const std::string& path, const char* what, StatusCode code = StatusCode::kOutput) {
  return {code, path + ": " + what + ": " + std::strerror(errno)};
}

Result<std::string> TextOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return Status(StatusCode::kNotFound, path + ": is no file");
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return Refused(path, "cannot be read", StatusCode::kIo);
  std::string text;
  char block[65536];
  for (size_t got = 0; (got = std::fread(block, 1, sizeof block, file.get())) > 0;) {
    text.append(block, got);
    if (text.size() > kMostFileBytes)
      return Status(StatusCode::kIo, path + ": is larger than 64 MiB, which no baseline is");
  }
  return text;
}

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (fs::is_directory(folder, error)) return Status::Ok();
  return {StatusCode::kOutput, folder + ": the folder cannot be made; choose another with --dir"};
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

Status CheckName(const std::string& name) {
  constexpr size_t kLongest = 100;
  const bool fits = !name.empty() && name.size() <= kLongest && name[0] != '.' && name[0] != '-' &&
                    std::all_of(name.begin(), name.end(), IsNameByte);
  if (fits) return Status::Ok();
  return {StatusCode::kInvalidArgument,
          "'" + name.substr(0, kLongest) +
              "': no name for a baseline; take letters, digits, '.', '_' and '-', the first a letter or digit"};
}

Store::Store(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) folder_ = (RepositoryFolder() / ".warpscope" / "baselines").string();
}

std::string Store::PathOf(const std::string& name) const {
  return (fs::path(folder_) / (name + std::string(kEnding))).string();
}

bool Store::Has(const std::string& name) const {
  std::error_code error;
  return CheckName(name).ok() && fs::is_regular_file(PathOf(name), error);
}

Status Store::Require(const std::string& name) const {
  WS_RETURN_IF_ERROR(CheckName(name));
  if (Has(name)) return Status::Ok();
  return {StatusCode::kNotFound, "no baseline '" + name + "' in " + folder_ + "; there are: " + Joined(Names()) +
                                     ". Save one: warpscope baseline save " + name + " RUN..."};
}

StoreLock::~StoreLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());  // while held: who waits for it sees that it is gone, and makes another
  ::close(file_);
}

Result<StoreLock> Store::Lock(const std::string& name) const {
  WS_RETURN_IF_ERROR(CheckName(name));
  WS_RETURN_IF_ERROR(MakeFolder(folder_));
  const std::string path = (fs::path(folder_) / ("." + name + ".lock")).string();
  constexpr int kEveryMs = 10, kMostTries = 6000;
  for (int i = 0; i < kMostTries; ++i) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return Refused(path, "the lock cannot be made");
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
      struct stat held {
      }, there{};
      if (::fstat(file, &held) == 0 && ::stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
          held.st_dev == there.st_dev)
        return StoreLock(file, path);
      ::close(file);
      continue;
    }
    const int why = errno;
    ::close(file);
    if (why != EWOULDBLOCK && why != EINTR) {
      errno = why;
      return Refused(path, "cannot be locked");
    }
    ::usleep(kEveryMs * 1000);
  }
  return Status(StatusCode::kOutput,
                path + ": another process has been changing this baseline for a minute; try again");
}

Result<Baseline> Store::Load(const std::string& name, analysis::Words* words) const {
  WS_RETURN_IF_ERROR(Require(name));
  return LoadFile(PathOf(name), words);
}

Status Store::Save(const Baseline& baseline, const analysis::Words& words) const {
  WS_RETURN_IF_ERROR(CheckName(baseline.name));
  WS_RETURN_IF_ERROR(MakeFolder(folder_));
  const std::string path = PathOf(baseline.name);
  const std::string fresh = path + "." + std::to_string(::getpid()) + ".new";
  const std::string text = Write(baseline, words);
  File file(std::fopen(fresh.c_str(), "wbx"));
  if (!file) return Refused(fresh, "cannot be written");
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0 && ::fsync(::fileno(file.get())) == 0;
  const int why = errno;
  file.reset();
  if (!written || std::rename(fresh.c_str(), path.c_str()) != 0) {
    if (!written) errno = why;
    const Status status = Refused(path, "cannot be written");
    std::remove(fresh.c_str());
    return status;
  }
  return Status::Ok();
}

Status Store::Remove(const std::string& name) const {
  WS_RETURN_IF_ERROR(CheckName(name));
  if (!Has(name))
    return {StatusCode::kNotFound, "no baseline '" + name + "' in " + folder_ + "; there are: " + Joined(Names())};
  std::error_code error;
  if (!fs::remove(PathOf(name), error)) return {StatusCode::kOutput, PathOf(name) + ": " + error.message()};
  return Status::Ok();
}

std::vector<std::string> Store::Names() const {
  constexpr size_t kMost = 10000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end && names.size() < kMost;
       at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (!file.ends_with(kEnding) || !at->is_regular_file(error)) continue;
    std::string name = file.substr(0, file.size() - kEnding.size());
    if (CheckName(name).ok()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Baseline> LoadFile(const std::string& path, analysis::Words* words) {
  WS_ASSIGN_OR_RETURN(const std::string text, TextOf(path));
  return Parse(text, path, words);
}

bool IsBaselineFile(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return false;
  char head[256];
  return LooksLikeBaseline({head, std::fread(head, 1, sizeof head, file.get())});
}

}  // namespace warpscope::baseline

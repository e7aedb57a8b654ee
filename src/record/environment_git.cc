// The state of the repository around a folder, from the files of .git alone: git itself is not started.
#include <algorithm>

#include "record/environment.h"

namespace warpscope::record {
namespace {

struct Repository {
  std::string top;     // folder of the working tree
  std::string git;     // its .git folder
  std::string common;  // where branches lie: another folder for a second working tree
};

std::optional<Repository> FindRepository(const System& system, const std::string& folder) {
  for (std::string at = folder; !at.empty() && at[0] == '/'; at = FolderOf(at)) {
    std::string git = at + "/.git";
    const auto info = system.Stat(git);
    if (info && info->is_regular) {  // a second working tree: "gitdir: PATH"
      const std::string line = FirstLineOf(system, git);
      if (line.rfind("gitdir: ", 0) != 0) return std::nullopt;
      const std::string named = line.substr(8);
      git = !named.empty() && named[0] == '/' ? named : at + "/" + named;
    }
    if (info) {
      const std::string common = FirstLineOf(system, git + "/commondir");
      return Repository{at, git, common.empty() ? git : common[0] == '/' ? common : git + "/" + common};
    }
    if (at == "/") break;
  }
  return std::nullopt;
}

// A branch that "git gc" moved out of its own file.
std::string PackedCommit(const System& system, const std::string& common, const std::string& ref) {
  for (const std::string& line : Split(system.Read(common + "/packed-refs", 4u << 20).value_or(""), '\n')) {
    const size_t space = line.find(' ');
    if (space != std::string::npos && line.substr(space + 1) == ref) return line.substr(0, space);
  }
  return {};
}

// Numbers of the index are big-endian.
uint32_t NumberAt(const std::string& bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size && at + i < bytes.size(); ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

// An entry of .git/index (gitformat-index), as far as it tells whether the file is as it was.
struct IndexEntry {
  uint32_t mode = 0, size_bytes = 0, seconds = 0, nanoseconds = 0;
  std::string path;
};

// Versions 2 to 4 with ids of 20 bytes; empty for anything else, and for more files than are worth the time.
std::vector<IndexEntry> ReadIndex(const std::string& bytes) {
  constexpr size_t kHeaderBytes = 12, kFixedBytes = 62, kMostEntries = 5000;
  const uint32_t version = NumberAt(bytes, 4, 4), count = NumberAt(bytes, 8, 4);
  if (bytes.compare(0, 4, "DIRC") != 0 || version < 2 || version > 4 || count > kMostEntries) return {};
  std::vector<IndexEntry> entries;
  std::string path;
  for (size_t at = kHeaderBytes; entries.size() < count;) {
    const size_t begin = at;
    const bool is_extended = (NumberAt(bytes, at + 60, 2) & 0x4000) != 0;
    at += kFixedBytes + (is_extended && version >= 3 ? 2 : 0);
    if (version == 4) {  // the name is the last one's without so many bytes at its end, and what follows
      uint64_t cut = 0;
      for (int i = 0; i < 4 && at < bytes.size(); ++i) {
        const auto byte = static_cast<uint8_t>(bytes[at++]);
        cut = (i == 0 ? 0 : (cut + 1) << 7) | (byte & 0x7f);
        if (byte < 0x80) break;
      }
      if (cut > path.size()) return {};
      path.resize(path.size() - cut);
    } else {
      path.clear();
    }
    const size_t end = bytes.find('\0', std::min(at, bytes.size()));
    if (end == std::string::npos) return {};
    path += bytes.substr(at, end - at);
    at = version == 4 ? end + 1 : begin + (end - begin + 8) / 8 * 8;
    entries.push_back({NumberAt(bytes, begin + 24, 4), NumberAt(bytes, begin + 36, 4), NumberAt(bytes, begin + 8, 4),
                       NumberAt(bytes, begin + 12, 4), path});
  }
  return entries;
}

}  // namespace

// By size and time, as git itself looks first. A file of the same size and another time may be unchanged: then a range.
std::string GitChangedFiles(const System& system, const std::string& folder) {
  constexpr size_t kMostIndexBytes = 4u << 20;
  const auto repository = FindRepository(system, folder);
  if (!repository || system.Read(repository->common + "/config").value_or("").find("sha256") != std::string::npos)
    return {};
  const auto entries = ReadIndex(system.Read(repository->git + "/index", kMostIndexBytes).value_or(""));
  if (entries.empty()) return {};
  size_t changed = 0, touched = 0;
  for (const IndexEntry& entry : entries) {
    constexpr uint32_t kTypeBits = 0170000, kRegular = 0100000;
    if ((entry.mode & kTypeBits) != kRegular) continue;
    const auto info = system.Stat(repository->top + "/" + entry.path);
    constexpr int64_t kSecondNs = 1'000'000'000;
    if (!info || static_cast<uint32_t>(info->size_bytes) != entry.size_bytes) ++changed;
    else if (info->modified_ns / kSecondNs != entry.seconds ||
             (entry.nanoseconds != 0 && info->modified_ns % kSecondNs != entry.nanoseconds))
      ++touched;
  }
  return std::to_string(changed) + (touched == 0 ? std::string() : " to " + std::to_string(changed + touched));
}

std::string GitRevision(const System& system, const std::string& folder) {
  constexpr size_t kCommitDigits = 40;
  const auto repository = FindRepository(system, folder);
  if (!repository) return {};
  const std::string head = FirstLineOf(system, repository->git + "/HEAD");
  if (head.rfind("ref: ", 0) != 0) return head.substr(0, kCommitDigits);
  const std::string ref = head.substr(5);
  if (ref.find("..") != std::string::npos) return {};
  std::string commit = FirstLineOf(system, repository->git + "/" + ref);
  if (commit.empty()) commit = FirstLineOf(system, repository->common + "/" + ref);
  if (commit.empty()) commit = PackedCommit(system, repository->common, ref);
  const std::string branch = ref.rfind("refs/heads/", 0) == 0 ? ref.substr(11) : ref;
  return Trimmed(branch + " " + commit.substr(0, kCommitDigits));
}

}  // namespace warpscope::record

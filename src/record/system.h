// System: what preflight and environment ask of the machine, small enough for tests to fake: files, variables,
// processes, what the kernel allows. [one thread]. Nothing here starts a program or changes the machine; every answer
// is bounded, and what cannot be read is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpscope::record {

struct FileInfo {
  bool is_folder = false, is_regular = false;
  bool is_executable = false;  // by us
  bool is_writable = false;    // by us
  bool gains_rights = false;   // set-user-id, set-group-id or capabilities: the loader then ignores the environment
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;  // epoch
};

class System {
 public:
  virtual ~System() = default;
  // The first `most_bytes` of a regular file or of one of /proc; links are followed.
  virtual std::optional<std::string> Read(const std::string& path, size_t most_bytes = 65536) const = 0;
  // `size` bytes at `offset` of a file, fewer at its end; absent if it cannot be read.
  virtual std::optional<std::string> ReadAt(const std::string& path, uint64_t offset, size_t size) const = 0;
  // errno of opening a device's file for reading and writing, which is closed at once; 0 if it opens.
  virtual int OpenError(const std::string& path) const = 0;
  virtual std::optional<FileInfo> Stat(const std::string& path) const = 0;
  // Names in a folder, sorted; empty if there is none. At most kMostNames.
  virtual std::vector<std::string> List(const std::string& folder) const = 0;
  // Without links and "..", "" if there is no such file.
  virtual std::string RealPath(const std::string& path) const = 0;
  virtual std::optional<std::string> Variable(const std::string& name) const = 0;
  // Sorted by name.
  virtual std::vector<std::pair<std::string, std::string>> Variables() const = 0;
  virtual std::optional<uint64_t> FreeBytes(const std::string& folder) const = 0;
  virtual std::string WorkingFolder() const = 0;
  virtual int ParentPid() const = 0;
  // errno of opening a software event of the kernel's on this process; 0 if it is allowed.
  virtual int PerfEventError() const = 0;

  bool Exists(const std::string& path) const { return Stat(path).has_value(); }

  static constexpr size_t kMostNames = 20000;
};

// The machine that the program runs on.
class RealSystem final : public System {
 public:
  std::optional<std::string> Read(const std::string& path, size_t most_bytes) const override;
  std::optional<std::string> ReadAt(const std::string& path, uint64_t offset, size_t size) const override;
  int OpenError(const std::string& path) const override;
  std::optional<FileInfo> Stat(const std::string& path) const override;
  std::vector<std::string> List(const std::string& folder) const override;
  std::string RealPath(const std::string& path) const override;
  std::optional<std::string> Variable(const std::string& name) const override;
  std::vector<std::pair<std::string, std::string>> Variables() const override;
  std::optional<uint64_t> FreeBytes(const std::string& folder) const override;
  std::string WorkingFolder() const override;
  int ParentPid() const override;
  int PerfEventError() const override;
};

// The first line of a file without blanks around it; "" if it cannot be read.
std::string FirstLineOf(const System& system, const std::string& path);
// Value of the first line that begins with `key`, behind `separator`, without blanks and quotes; "" if there is none.
std::string ValueIn(const System& system, const std::string& path, const std::string& key, char separator);
// Parts between separators, empty ones left out.
std::vector<std::string> Split(const std::string& text, char separator);
std::string Trimmed(const std::string& text);
// The last part of a path.
std::string BaseName(const std::string& path);
std::string FolderOf(const std::string& path);
std::string Lower(std::string text);
// Decimal digits alone; absent for anything else.
std::optional<uint64_t> NumberIn(const std::string& text);

// "docker", "podman", "kubernetes", "lxc", "apptainer", "container"; "" outside of one.
std::string ContainerKind(const System& system);
bool IsWsl(const System& system);

}  // namespace warpscope::record

// What /proc tells of processes and threads; parsers apart from reading, so that they can be tested.
// [MT] Functions of their arguments (proc(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::record::host {

// A file or the text behind an open descriptor, at most `most_bytes`; nullopt if it cannot be read.
std::optional<std::string> ReadProc(const std::string& path, size_t most_bytes = size_t{1} << 20);
// Reads into a buffer of the caller, from the start; "" if it fails.
std::string_view ReadAgain(int descriptor, char* buffer, size_t size_bytes);
std::string LinkTarget(const std::string& path);  // "" if it is none

struct Stat {
  std::string name;  // of the thread, at most 15 bytes
  char state = '?';
  int parent = 0;
  int threads = 0;
  int64_t start_ticks = 0;  // since boot
  uint64_t start_code = 0;  // address of the program's code: another one after exec; 0: not shown to us
};
std::optional<Stat> ParseStat(std::string_view text);

// /proc/PID/task/TID/syscall: "running", "-1 sp pc" (blocked outside of a call) or "number arguments ... sp pc".
struct InCall {
  bool running = false;
  std::optional<long> number;
  uint64_t sp = 0, pc = 0;  // of a thread that does not run; 0: not told
};
std::optional<InCall> ParseSyscall(std::string_view text);

// /proc/PID/task/TID/schedstat. Both move whenever the thread runs.
struct SchedStat {
  uint64_t cpu_ns = 0, slices = 0;
  bool operator==(const SchedStat&) const = default;
};
std::optional<SchedStat> ParseSchedStat(std::string_view text);

struct Mapping {
  uint64_t begin = 0, end = 0, offset_bytes = 0;
  bool executable = false;
  std::string path;      // "" if it is no file; "[vdso]": code of the kernel
  bool deleted = false;  // the file has that name no more: it was removed, or another one has taken its place
};
std::vector<Mapping> ParseMaps(std::string_view text);
// Under which path the mapped file itself can be opened, which may live in another mount namespace and have lost its
// name. "" if there is none: never the path of a file that has taken its place.
std::string FileOfMapping(int pid, const Mapping& map);

// Numbers in a text ("12 13 14 "), as in /proc/PID/task/TID/children.
std::vector<int> ParseNumbers(std::string_view text);
// Names of a folder that are numbers, ascending; at most `most`.
std::vector<int> NumberedEntries(const std::string& folder, size_t most);

// Words of a command line (NUL-separated), and epoch time of a moment in ticks since boot.
std::vector<std::string> ParseCommandLine(std::string_view text);
int64_t EpochOfTicksNs(int64_t ticks);

// "/proc/PID".
std::string ProcFolder(int pid);
std::string TaskFolder(int pid, int tid);

}  // namespace warpscope::record::host

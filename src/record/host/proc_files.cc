#include "record/host/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "wire/clock.h"

namespace warpscope::record::host {
namespace {

// Takes the next word of blanks; "" at the end.
std::string_view NextWord(std::string_view* text) {
  const size_t from = text->find_first_not_of(" \t\n");
  if (from == std::string_view::npos) {
    *text = {};
    return {};
  }
  const size_t to = std::min(text->find_first_of(" \t\n", from), text->size());
  const std::string_view word = text->substr(from, to - from);
  text->remove_prefix(to);
  return word;
}

template <typename Number>
std::optional<Number> NumberOf(std::string_view word, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> ReadProc(const std::string& path, size_t most_bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  std::array<char, 16384> part;
  for (;;) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got <= 0 || text.size() >= most_bytes) break;
    text.append(part.data(), static_cast<size_t>(got));
  }
  ::close(file);
  return text;
}

std::string_view ReadAgain(int descriptor, char* buffer, size_t size_bytes) {
  const ssize_t got = ::pread(descriptor, buffer, size_bytes, 0);
  return got <= 0 ? std::string_view() : std::string_view(buffer, static_cast<size_t>(got));
}

std::string LinkTarget(const std::string& path) {
  std::array<char, 4096> target;
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return size <= 0 ? std::string() : std::string(target.data(), static_cast<size_t>(size));
}

std::optional<Stat> ParseStat(std::string_view text) {
  // The name stands in brackets and may hold brackets and blanks itself.
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  Stat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::string_view rest = text.substr(close + 1);
  const std::string_view state = NextWord(&rest);
  if (state.empty()) return std::nullopt;
  stat.state = state.front();
  stat.parent = NumberOf<int>(NextWord(&rest)).value_or(0);
  constexpr int kBeforeThreads = 15;  // fields 5 to 19
  for (int i = 0; i < kBeforeThreads; ++i) NextWord(&rest);
  stat.threads = NumberOf<int>(NextWord(&rest)).value_or(0);
  NextWord(&rest);
  const auto start = NumberOf<int64_t>(NextWord(&rest));
  if (!start) return std::nullopt;
  stat.start_ticks = *start;
  constexpr int kBeforeCode = 3;  // fields 23 to 25
  for (int i = 0; i < kBeforeCode; ++i) NextWord(&rest);
  stat.start_code = NumberOf<uint64_t>(NextWord(&rest)).value_or(0);
  return stat;
}

std::optional<InCall> ParseSyscall(std::string_view text) {
  const std::string_view word = NextWord(&text);
  if (word == "running") return InCall{.running = true, .number = std::nullopt};
  const auto number = NumberOf<long>(word);
  if (!number) return std::nullopt;
  InCall call{.running = false, .number = *number < 0 ? std::nullopt : number};
  for (std::string_view next = NextWord(&text); !next.empty(); next = NextWord(&text)) {  // the last two
    call.sp = call.pc;
    call.pc = 0;
    if (next.starts_with("0x")) std::from_chars(next.data() + 2, next.data() + next.size(), call.pc, 16);
  }
  return call;
}

std::optional<SchedStat> ParseSchedStat(std::string_view text) {
  const auto cpu = NumberOf<uint64_t>(NextWord(&text));
  NextWord(&text);
  const auto slices = NumberOf<uint64_t>(NextWord(&text));
  if (!cpu || !slices) return std::nullopt;
  return SchedStat{*cpu, *slices};
}

namespace {

// The kernel writes the end of a line in a path as "\012", and " (deleted)" behind a path that is the file's no more.
void SetPath(std::string_view text, Mapping* map) {
  constexpr std::string_view kDeleted = " (deleted)", kLineEnd = "\\012";
  map->deleted = text.ends_with(kDeleted);
  if (map->deleted) text.remove_suffix(kDeleted.size());
  map->path = text;
  for (size_t at = 0; (at = map->path.find(kLineEnd, at)) != std::string::npos; ++at)
    map->path.replace(at, kLineEnd.size(), "\n");
}

}  // namespace

std::string FileOfMapping(int pid, const Mapping& map) {
  if (map.path.empty() || map.path.front() != '/') return {};
  if (!map.deleted) return ProcFolder(pid) + "/root" + map.path;
  // The kernel keeps a way to the file as long as it is mapped (for the privileged), and to the program's own.
  const std::string link = fmt::format("{}/map_files/{:x}-{:x}", ProcFolder(pid), map.begin, map.end);
  if (const int file = ::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); file >= 0) {
    ::close(file);
    return link;
  }
  const std::string program = ProcFolder(pid) + "/exe";
  return LinkTarget(program) == map.path + " (deleted)" ? program : std::string();
}

std::vector<Mapping> ParseMaps(std::string_view text) {
  std::vector<Mapping> maps;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    const std::string_view range = NextWord(&line), rights = NextWord(&line), offset = NextWord(&line);
    NextWord(&line);  // device
    NextWord(&line);  // inode
    const size_t dash = range.find('-');
    if (dash == std::string_view::npos) continue;
    const auto begin = NumberOf<uint64_t>(range.substr(0, dash), 16),
               end = NumberOf<uint64_t>(range.substr(dash + 1), 16), at = NumberOf<uint64_t>(offset, 16);
    if (!begin || !end || !at || *end <= *begin) continue;
    Mapping map{*begin, *end, *at, rights.find('x') != std::string_view::npos, {}, false};
    const size_t path = line.find('/');
    if (path != std::string_view::npos && line.find_first_not_of(' ') == path) SetPath(line.substr(path), &map);
    constexpr std::string_view kKernelCode = "[vdso]";
    if (line.ends_with(kKernelCode) && path == std::string_view::npos) map.path = kKernelCode;
    maps.push_back(std::move(map));
  }
  return maps;
}

std::vector<int> ParseNumbers(std::string_view text) {
  std::vector<int> numbers;
  for (;;) {
    const std::string_view word = NextWord(&text);
    if (word.empty()) return numbers;
    if (const auto number = NumberOf<int>(word); number && *number > 0) numbers.push_back(*number);
  }
}

std::vector<int> NumberedEntries(const std::string& folder, size_t most) {
  std::vector<int> numbers;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return numbers;
  while (const dirent* entry = ::readdir(open)) {
    if (const auto number = NumberOf<int>(entry->d_name); number && numbers.size() < most) numbers.push_back(*number);
  }
  ::closedir(open);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<std::string> ParseCommandLine(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\0'), text.size());
    words.emplace_back(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return words;
}

int64_t EpochOfTicksNs(int64_t ticks) {
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);
  const int64_t since_boot_ns = int64_t{boot.tv_sec} * 1000000000 + boot.tv_nsec;
  const int64_t per_second = std::max<int64_t>(::sysconf(_SC_CLK_TCK), 1);
  return wire::NowNs() - since_boot_ns + ticks * (1000000000 / per_second);
}

std::string ProcFolder(int pid) { return "/proc/" + std::to_string(pid); }
std::string TaskFolder(int pid, int tid) { return ProcFolder(pid) + "/task/" + std::to_string(tid); }

}  // namespace warpscope::record::host

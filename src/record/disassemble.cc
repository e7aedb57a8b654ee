#include "record/disassemble.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

extern char** environ;

namespace warpscope::record {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr uintmax_t kMostBytes = uintmax_t{64} << 20;
constexpr std::string_view kTool = "nvdisasm";

bool CanRun(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Last in the order of names first: cuda-13.0 before cuda-12.8.
std::vector<std::string> Matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::reverse(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> PathFolders() {
  std::vector<std::string> folders;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (rest.starts_with('/')) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

std::string ErrorsOf(const std::string& output) { return output + ".errors"; }

// The first line of what it had to say, of no more than a line of a terminal.
std::string FirstError(const std::string& output) {
  constexpr size_t kMost = 160;
  std::ifstream file(ErrorsOf(output));
  std::string line;
  while (std::getline(file, line) && line.empty()) {
  }
  std::erase_if(line, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  return line.substr(0, kMost);
}

std::optional<pid_t> Start(const std::vector<std::string>& words, const std::string& output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, ErrorsOf(output).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  // A group of its own, so that what it starts ends with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int code = posix_spawn(&child, words[0].c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return code == 0 ? std::optional(child) : std::nullopt;
}

// True if it ended well, in time, and wrote no more than may be.
bool Await(pid_t child, const std::string& output, Clock::time_point limit) {
  int status = 0;
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) return false;
    std::error_code error;
    const uintmax_t size = fs::file_size(output, error);
    if (Clock::now() >= limit || (!error && size > kMostBytes)) {
      ::kill(-child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::error_code error;
  const uintmax_t size = fs::file_size(output, error);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && !error && size > 0 && size <= kMostBytes;
}

}  // namespace

std::string FindDisassembler() {
  const std::vector<std::string> folders = PathFolders();
  for (const std::string& folder : folders) {
    if (const std::string path = fmt::format("{}/{}", folder, kTool); CanRun(path)) return path;
  }
  for (const std::string& path : Matches(fmt::format("/usr/local/cuda*/bin/{}", kTool))) {
    if (CanRun(path)) return path;
  }
  for (const std::string& folder : folders) {
    for (const char* place : {"lib", "local/lib"}) {
      const std::string pattern =
          fmt::format("{}/../{}/python3*/*-packages/triton/backends/nvidia/bin/{}", folder, place, kTool);
      for (const std::string& path : Matches(pattern)) {
        if (CanRun(path)) return path;
      }
    }
  }
  return "";
}

Status Disassemble(const std::string& program, const std::vector<Disassembly>& wanted, int limit_s) {
  const auto limit = Clock::now() + std::chrono::seconds(limit_s);
  size_t failed = 0;
  std::string reason;
  for (const Disassembly& one : wanted) {
    const fs::path text = fs::path(one.cubin).replace_extension(".sass");
    const std::string part = text.string() + ".part";
    std::string symbols;
    for (const uint32_t symbol : one.symbols) symbols += (symbols.empty() ? "" : ",") + std::to_string(symbol);
    std::error_code error;
    const auto child = Clock::now() < limit
                           ? Start({program, "--print-code", "--cuda-function-index", symbols, one.cubin}, part)
                           : std::nullopt;
    if (child && Await(*child, part, limit)) fs::rename(part, text, error);
    else if (++failed; reason.empty()) reason = FirstError(part);
    fs::remove(part, error);
    fs::remove(ErrorsOf(part), error);
  }
  if (failed == 0) return Status::Ok();
  return {StatusCode::kUnsupported,
          fmt::format("{} of {} modules were not disassembled by {}: their instructions have no text. {}", failed,
                      wanted.size(), program,
                      reason.empty() ? fmt::format("It may be older than the code, or {} s were not enough.", limit_s)
                                     : "It says: " + reason)};
}

}  // namespace warpscope::record

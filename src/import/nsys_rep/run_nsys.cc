#include "import/nsys_rep/run_nsys.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

extern char** environ;

namespace warpscope::import::nsys_rep {
namespace {

constexpr int kLimitSeconds = 600;

Status Failed(std::string why) { return {StatusCode::kUnsupported, std::move(why)}; }

int LimitSeconds() {
  const char* text = std::getenv("WARPSCOPE_NSYS_SECONDS");
  const std::string_view word = text == nullptr ? "" : text;
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && value > 0 ? value : kLimitSeconds;
}

// The last line that nsys wrote, as far as it may be shown: one line, no control bytes.
std::string LastWords(const std::string& log) {
  std::ifstream file(log);
  std::string line, last;
  constexpr int kMostLines = 10000;
  for (int i = 0; i < kMostLines && std::getline(file, line); ++i) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  constexpr size_t kMost = 200;
  if (last.size() > kMost) last.resize(kMost);
  std::replace_if(
      last.begin(), last.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return last;
}

Result<pid_t> Start(const std::string& program, const std::vector<std::string>& words, const std::string& log) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  // A group of its own, so that what it starts ends with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int code = posix_spawn(&child, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) return Failed("it could not be started: " + std::string(std::strerror(code)));
  return child;
}

// Exit status; absent if the limit was reached (the child is then ended).
std::optional<int> Await(pid_t child) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(LimitSeconds());
  int status = 0;
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) return status;
    if (done < 0 && errno != EINTR) return status;
    if (std::chrono::steady_clock::now() >= limit) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(-child, SIGKILL);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

}  // namespace

Exported::~Exported() {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
}

std::string FindNsys() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    if (folder.substr(0, 1) == "/") {
      const std::string program = std::string(folder) + "/nsys";
      std::error_code error;
      if (std::filesystem::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) return program;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

Result<Exported> RunNsysExport(const std::string& program, const std::string& report) {
  const char* base = std::getenv("TMPDIR");
  std::string folder = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/warpscope-nsys-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr)
    return Failed("no temporary folder can be made for its export: " + std::string(std::strerror(errno)));
  Exported exported(folder);
  // A file name is never taken for an option.
  const std::string input = report.substr(0, 1) == "/" ? report : "./" + report;
  WS_ASSIGN_OR_RETURN(
      const pid_t child,
      Start(program, {program, "export", "--type", "sqlite", "--output", exported.file(), input}, exported.log()));
  const std::optional<int> status = Await(child);
  if (!status) return Failed("it was not done after " + std::to_string(LimitSeconds()) + " seconds and was ended");
  const std::string words = LastWords(exported.log());
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return Failed((WIFEXITED(*status) ? "it ended with exit status " + std::to_string(WEXITSTATUS(*status))
                                      : std::string("it was ended by a signal")) +
                  (words.empty() ? "" : ": " + words));
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(exported.file(), error))
    return Failed("it wrote no export" + (words.empty() ? "" : ": " + words));
  return exported;
}

}  // namespace warpscope::import::nsys_rep

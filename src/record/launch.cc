#include "record/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace warpscope::record {
namespace {

namespace fs = std::filesystem;

// The child tells over this pipe why it could not start; it closes by itself when the program runs.
struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

// While the program runs, a key press is its own business.
class QuietSignals {
 public:
  QuietSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ignore, &before_[i]);
  }
  ~QuietSignals() { Restore(); }
  QuietSignals(const QuietSignals&) = delete;
  QuietSignals& operator=(const QuietSignals&) = delete;
  void Restore() const {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 2> kSignals = {SIGINT, SIGQUIT};
  std::array<struct sigaction, 2> before_{};
};

void SetVariable(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

[[noreturn]] void RunChild(const Launch& launch, const Pipe& pipe) {
  SetVariable("CUDA_INJECTION64_PATH", launch.agent_path);
  SetVariable("NVTX_INJECTION64_PATH", launch.agent_path);
  SetVariable("WARPSCOPE_RUN", launch.run_folder);
  std::vector<char*> words;
  for (const std::string& word : launch.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int why = errno;
  if (::write(pipe.write, &why, sizeof(why)) != sizeof(why)) ::_exit(126);
  ::_exit(127);
}

}  // namespace

Result<Ended> RunUnderAgent(const Launch& launch) {
  Pipe pipe;
  if (pipe.read < 0) return Status(StatusCode::kIo, "no pipe can be made: " + std::string(std::strerror(errno)));
  const auto start = std::chrono::steady_clock::now();
  const QuietSignals quiet;
  const pid_t child = ::fork();
  if (child < 0) return Status(StatusCode::kIo, "no process can be started: " + std::string(std::strerror(errno)));
  if (child == 0) {
    quiet.Restore();
    RunChild(launch, pipe);
  }
  ::close(pipe.write);
  pipe.write = -1;
  int why = 0;
  const bool failed = ::read(pipe.read, &why, sizeof(why)) == sizeof(why);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (failed) {
    return Status(why == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                  launch.words[0] + ": cannot be started: " + std::strerror(why) + ". Check the name and PATH.");
  }
  Ended ended;
  ended.wall_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
  if (WIFSIGNALED(state)) {
    ended.signal = WTERMSIG(state);
    ended.exit_code = 128 + WTERMSIG(state);
  } else {
    ended.exit_code = WEXITSTATUS(state);
  }
  return ended;
}

Result<std::string> FindAgent() {
  constexpr const char* kName = "libwarpscope_agent.so";
  if (const char* named = std::getenv("WARPSCOPE_AGENT"); named != nullptr && *named != '\0') return std::string(named);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::string looked;
  for (const fs::path& folder : {program, program / "../lib", program / "../lib/warpscope"}) {
    const fs::path path = (folder / kName).lexically_normal();
    if (fs::exists(path, error)) return path.string();
    looked += (looked.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  return Status(StatusCode::kNotFound, std::string(kName) + " was not found in " + looked +
                                           ". Install Warpscope as a whole, or name the library with WARPSCOPE_AGENT.");
}

Result<std::string> MakeRunFolder(const std::string& wanted, const std::string& program) {
  std::error_code error;
  const auto make = [&](const std::string& name) -> Result<bool> {
    if (fs::create_directory(name, error)) return true;
    if (error)
      return Status(StatusCode::kIo,
                    name + ": the run folder cannot be made: " + error.message() + ". Choose another place with -o.");
    return false;
  };
  if (!wanted.empty()) {
    WS_ASSIGN_OR_RETURN(const bool made, make(wanted));
    if (!made)
      return Status(StatusCode::kInvalidArgument,
                    wanted + ": exists already; choose another name with -o or remove it");
    return fs::absolute(wanted, error).string();
  }
  constexpr int kMostRuns = 100000;
  const std::string base = "warpscope-" + fs::path(program).filename().string() + "-";
  for (int number = 1; number < kMostRuns; ++number) {
    const std::string name = base + std::to_string(number);
    if (fs::exists(name, error)) continue;
    WS_ASSIGN_OR_RETURN(const bool made, make(name));
    if (made) return fs::absolute(name, error).string();
  }
  return Status(StatusCode::kIo, "the folder holds too many runs; choose a name with -o");
}

}  // namespace warpscope::record

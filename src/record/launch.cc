#include "record/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "record/not_started.h"

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

// What the handlers below know; they may run at any moment.
std::atomic<pid_t> g_child{0};
std::atomic<int> g_early_signal{0};  // came before there was a child
std::atomic<ControlFile*> g_control{nullptr};

void PassOn(int signal) {
  const int saved_errno = errno;
  const pid_t child = g_child.load();
  if (child > 0) ::kill(child, signal);
  else g_early_signal.store(signal);
  errno = saved_errno;
}

// A key press reaches the program by itself, for it shares our terminal; what somebody sent to us alone it has not
// seen.
void PassOnSent(int signal, siginfo_t* info, void*) {
  if (info != nullptr && (info->si_code == SI_USER || info->si_code == SI_QUEUE)) PassOn(signal);
}

void Order(int signal) {
  const int saved_errno = errno;
  ControlFile* control = g_control.load();
  if (control != nullptr && signal == SIGUSR1) control->Toggle();
  else if (control != nullptr) control->Send(wire::kCommandFreeze);
  errno = saved_errno;
}

// Our signals while the program runs; as before once it has ended.
class SignalsOfARun {
 public:
  explicit SignalsOfARun(ControlFile* control) {
    g_control.store(control);
    g_child.store(0);
    g_early_signal.store(0);
    for (size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = kSignals[i].handler;
      action.sa_flags = SA_RESTART;
      if (kSignals[i].handler == nullptr) {
        action.sa_sigaction = PassOnSent;
        action.sa_flags |= SA_SIGINFO;
      }
      ::sigaction(kSignals[i].number, &action, &before_[i]);
    }
  }
  ~SignalsOfARun() { Restore(); }
  SignalsOfARun(const SignalsOfARun&) = delete;
  SignalsOfARun& operator=(const SignalsOfARun&) = delete;

  // In the child; what we were told to ignore it ignores as well (nohup).
  void Restore() const {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i].number, &before_[i], nullptr);
    g_control.store(nullptr);
  }
  static void ChildIs(pid_t child) {
    g_child.store(child);
    if (const int signal = g_early_signal.exchange(0); signal != 0) ::kill(child, signal);
  }

 private:
  struct Entry {
    int number;
    void (*handler)(int);  // null: PassOnSent
  };
  // A limit on file sizes is the program's: what we cannot write is lost and told.
  static inline const std::array<Entry, 8> kSignals = {{{SIGINT, nullptr},
                                                        {SIGQUIT, nullptr},
                                                        {SIGTERM, PassOn},
                                                        {SIGHUP, PassOn},
                                                        {SIGUSR1, Order},
                                                        {SIGUSR2, Order},
                                                        {SIGXFSZ, SIG_IGN},
                                                        {SIGCHLD, SIG_DFL}}};  // ignored, no exit code could be had
  std::array<struct sigaction, 8> before_{};
};

constexpr std::array<int, 3> kHeld = {SIGUSR1, SIGUSR2, SIGXFSZ};
std::array<struct sigaction, kHeld.size()> g_before_hold{};
bool g_held = false;

void RestoreHeld() {
  for (size_t i = 0; g_held && i < kHeld.size(); ++i) ::sigaction(kHeld[i], &g_before_hold[i], nullptr);
}

void SetVariable(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

[[noreturn]] void RunChild(const Launch& launch, const Pipe& pipe) {
  if (!launch.agent_path.empty()) {
    SetVariable("CUDA_INJECTION64_PATH", launch.agent_path);
    SetVariable("NVTX_INJECTION64_PATH", launch.agent_path);
    SetVariable("WARPSCOPE_RUN", launch.run_folder);
  }
  ::signal(SIGPIPE, SIG_DFL);  // which the main program ignores
  std::vector<char*> words;
  for (const std::string& word : launch.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int why = errno;
  if (::write(pipe.write, &why, sizeof(why)) != sizeof(why)) ::_exit(126);
  ::_exit(127);
}

}  // namespace

void HoldSignals() {
  if (g_held) return;
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (size_t i = 0; i < kHeld.size(); ++i) ::sigaction(kHeld[i], &ignore, &g_before_hold[i]);
  g_held = true;
}

Result<Ended> RunUnderAgent(const Launch& launch) {
  Pipe pipe;
  if (pipe.read < 0) return Status(StatusCode::kIo, "no pipe can be made: " + std::string(std::strerror(errno)));
  const auto start = std::chrono::steady_clock::now();
  const SignalsOfARun signals(launch.control);
  const pid_t child = ::fork();
  if (child < 0) return Status(StatusCode::kIo, "no process can be started: " + std::string(std::strerror(errno)));
  if (child == 0) {
    signals.Restore();
    RestoreHeld();
    RunChild(launch, pipe);
  }
  SignalsOfARun::ChildIs(child);
  ::close(pipe.write);
  pipe.write = -1;
  int why = 0;
  ssize_t told = 0;
  while ((told = ::read(pipe.read, &why, sizeof(why))) < 0 && errno == EINTR) {
  }
  const bool failed = told == sizeof(why);
  if (!failed && launch.on_started) launch.on_started(child);
  int state = 0;
  pid_t waited = 0;
  while ((waited = ::waitpid(child, &state, 0)) < 0 && errno == EINTR) {
  }
  if (waited < 0)
    return Status(StatusCode::kIo, "how the program ended cannot be known: " + std::string(std::strerror(errno)));
  if (failed) {
    return Status(why == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                  WhyNotStarted(RealSystem(), launch.words[0], why));
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
  std::error_code error;
  if (const char* named = std::getenv("WARPSCOPE_AGENT"); named != nullptr && *named != '\0') {
    if (fs::is_regular_file(named, error)) return fs::absolute(named, error).string();
    return Status(StatusCode::kNotFound, std::string(named) + ": named by WARPSCOPE_AGENT, is no file");
  }
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
    if (const fs::path parent = fs::path(name).parent_path(); !parent.empty()) fs::create_directories(parent, error);
    if (fs::exists(fs::symlink_status(name, error))) return false;
    if (fs::create_directory(name, error)) return true;
    if (error)
      return Status(StatusCode::kOutput,
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
  return Status(StatusCode::kOutput, "the folder holds too many runs; choose a name with -o");
}

}  // namespace warpscope::record

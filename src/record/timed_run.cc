#include "record/timed_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "record/gpu_watch.h"
#include "record/not_started.h"
#include "record/orphans.h"

namespace warpscope::record {
namespace {

using Clock = std::chrono::steady_clock;

int64_t Since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void Set(int number) { Close(), number_ = number; }
  void Close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

bool MakePipe(Descriptor* read, Descriptor* write) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read->Set(ends[0]), write->Set(ends[1]);
  return true;
}

// The program and all that it starts are a process group of their own, so that nothing of it outlives the run: neither
// at a time limit, nor at a signal to us, nor into the next run. Signals that should end us go to the group; a second
// one kills it. Only one run at a time.
std::atomic<pid_t> g_group = 0;
std::atomic<int> g_signals = 0;

void PassOnSignal(int signal) {
  const pid_t group = g_group;
  if (group > 0) ::kill(-group, g_signals++ > 0 ? SIGKILL : signal);
}

class PassOnSignals {
 public:
  PassOnSignals() {
    g_group = 0, g_signals = 0;
    struct sigaction action {};
    action.sa_handler = PassOnSignal;
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : kSignals) ::sigaddset(&held, signal);
    ::sigprocmask(SIG_BLOCK, &held, &mask_before_);
    for (size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);  // nohup stays nohup
    }
  }
  ~PassOnSignals() {
    g_group = 0;
    Restore();
  }
  // Signals wait until there is a group to pass them on to.
  void Begin(pid_t group) const {
    g_group = group;
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  PassOnSignals(const PassOnSignals&) = delete;
  PassOnSignals& operator=(const PassOnSignals&) = delete;
  void Restore() const {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

 private:
  static constexpr std::array<int, 4> kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 4> before_{};
  sigset_t mask_before_{};
};

// A line that holds the metric tells a step, or is counted as one that cannot be read.
void TakeStep(std::string_view line, std::string_view metric, TimedEnd* out) {
  if (out->step_ms.size() == TimedEnd::kMostSteps) return;
  if (const auto ms = MetricIn(line, metric)) {
    out->step_ms.push_back(*ms);
    return;
  }
  constexpr size_t kShown = 60;
  if (out->unread_steps++ == 0) out->unread_line = std::string(line.substr(0, kShown));
}

// An empty file of our own, gone with the object.
class StepFile {
 public:
  StepFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/warpscope-steps-XXXXXX";
    const Descriptor file(::mkstemp(path_.data()));
    if (file.get() < 0) path_.clear();
  }
  ~StepFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  StepFile(const StepFile&) = delete;
  StepFile& operator=(const StepFile&) = delete;
  const std::string& path() const { return path_; }

  void Read(TimedEnd* out) const {
    // The program may have put anything in its place.
    const Descriptor file(::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    if (file.get() < 0 || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return;
    std::string text(std::min<size_t>(static_cast<size_t>(about.st_size), kMostBytes), '\0');
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    std::string_view rest(text.data(), got > 0 ? static_cast<size_t>(got) : 0);
    while (!rest.empty() && out->step_ms.size() < TimedEnd::kMostSteps) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) TakeStep(line, "", out);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

 private:
  static constexpr size_t kMostBytes = 64 << 20;
  std::string path_;
};

// What the program prints: its end is kept, its lines are searched.
class Output {
 public:
  Output(const TimedRun& run, TimedEnd* end) : run_(run), end_(*end) {}

  void Take(const char* bytes, size_t count) {
    end_.tail.append(bytes, count);
    if (end_.tail.size() > 2 * TimedEnd::kTailBytes) end_.tail.erase(0, end_.tail.size() - TimedEnd::kTailBytes);
    if (run_.show_output) PassOn(bytes, count);
    if (run_.metric.empty()) return;
    for (size_t i = 0; i < count; ++i) {
      if (bytes[i] == '\n' || bytes[i] == '\r') Line();
      else if (line_.size() < kLongestLine) line_ += bytes[i];
    }
  }
  void End() {
    Line();
    if (end_.tail.size() > TimedEnd::kTailBytes) end_.tail.erase(0, end_.tail.size() - TimedEnd::kTailBytes);
  }

 private:
  static constexpr size_t kLongestLine = 65536;
  static void PassOn(const char* bytes, size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(STDERR_FILENO, bytes, count);
      if (written <= 0) return;
      bytes += written, count -= static_cast<size_t>(written);
    }
  }
  void Line() {
    if (line_.find(run_.metric) != std::string::npos && !run_.metric.empty()) TakeStep(line_, run_.metric, &end_);
    line_.clear();
  }

  const TimedRun& run_;
  TimedEnd& end_;
  std::string line_;
};

[[noreturn]] void RunChild(const TimedRun& run, const StepFile& steps, const PassOnSignals& keys, int output,
                           int failure) {
  ::setpgid(0, 0);
  keys.Restore();
  ::signal(SIGPIPE, SIG_DFL);
  for (const auto& [name, value] : run.variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (!steps.path().empty()) ::setenv(kStepTimesVariable, steps.path().c_str(), 1);
  const int empty = ::open("/dev/null", O_RDONLY);
  if (empty >= 0) ::dup2(empty, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO), ::dup2(output, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : run.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int why = errno;
  if (::write(failure, &why, sizeof why) != sizeof why) ::_exit(126);
  ::_exit(127);
}

// Reads what there is; false at the end of the data.
bool Drain(int from, Output* output) {
  std::array<char, 65536> block{};
  while (true) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got > 0) output->Take(block.data(), static_cast<size_t>(got));
    else if (got == 0) return false;
    else if (errno != EINTR) return errno == EAGAIN;
  }
}

// Until the child has ended. Processes that it left behind may hold the pipe open: they are not waited for.
int AwaitEnd(pid_t child, int output_end, const TimedRun& run, Clock::time_point start, Output* output, GpuWatch* watch,
             TimedEnd* end) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  bool open = true;
  int state = 0;
  while (true) {
    // Without the handle (kernels before 5.3) the end is asked for each ms.
    std::array<pollfd, 2> waits = {{{open ? output_end : -1, POLLIN, 0}, {handle.get(), POLLIN, 0}}};
    int wait_ms = handle.get() >= 0 ? -1 : 1;
    if (watch != nullptr) {
      watch->Look();
      wait_ms = wait_ms < 0 ? GpuWatch::kEveryMs : wait_ms;
    }
    if (run.timeout_ns && !end->timed_out) {
      const int64_t left_ms = (*run.timeout_ns - Since(start)) / 1'000'000 + 1;
      wait_ms = static_cast<int>(wait_ms < 0 ? std::min<int64_t>(left_ms, 1'000'000) : wait_ms);
    }
    ::poll(waits.data(), waits.size(),
           std::max(wait_ms, handle.get() >= 0 && !run.timeout_ns && watch == nullptr ? -1 : 0));
    if (waits[0].revents != 0) open = Drain(output_end, output);
    const pid_t waited = ::waitpid(child, &state, WNOHANG);
    if (waited == child) break;
    if (waited < 0 && errno != EINTR) break;
    if (run.timeout_ns && !end->timed_out && Since(start) >= *run.timeout_ns) {
      end->timed_out = true;
      ::kill(-child, SIGKILL);
      ::kill(child, SIGKILL);  // it may have left its group
    }
  }
  end->wall_ns = Since(start);
  if (open) Drain(output_end, output);
  return state;
}

}  // namespace

Result<TimedEnd> RunTimed(const TimedRun& run) {
  Descriptor output_read, output_write, failure_read, failure_write;
  if (!MakePipe(&output_read, &output_write) || !MakePipe(&failure_read, &failure_write))
    return Status(StatusCode::kIo, std::string("no pipe can be made: ") + std::strerror(errno));
  ::fcntl(output_read.get(), F_SETFL, O_NONBLOCK);
  const StepFile steps;
  const PassOnSignals keys;
  const Orphans orphans;
  const auto start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) return Status(StatusCode::kIo, std::string("no process can be started: ") + std::strerror(errno));
  if (child == 0) RunChild(run, steps, keys, output_write.get(), failure_write.get());
  ::setpgid(child, child);  // whoever of the two comes first
  keys.Begin(child);
  output_write.Close(), failure_write.Close();
  int why = 0;
  ssize_t told = 0;
  while ((told = ::read(failure_read.get(), &why, sizeof why)) < 0 && errno == EINTR) {
  }
  TimedEnd end;
  Output output(run, &end);
  GpuWatch watch(child);
  const int state = AwaitEnd(child, output_read.get(), run, start, &output, run.watch_gpu ? &watch : nullptr, &end);
  ::kill(-child, SIGKILL);  // what it left behind would run beside the next run
  orphans.EndAll(child);
  end.used_gpu = watch.Used();
  if (told == sizeof why) {
    return Status(why == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                  WhyNotStarted(RealSystem(), run.words[0], why));
  }
  output.End();
  if (end.step_ms.empty()) steps.Read(&end);
  if (WIFSIGNALED(state)) end.signal = WTERMSIG(state), end.exit_code = 128 + WTERMSIG(state);
  else end.exit_code = WEXITSTATUS(state);
  return end;
}

std::optional<double> MetricIn(std::string_view line, std::string_view metric) {
  size_t at = line.find(metric);
  if (at == std::string_view::npos) return std::nullopt;
  at = line.find_first_not_of(" \t=:", at + metric.size());
  if (at == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [rest, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
  if (error != std::errc()) return std::nullopt;
  // "1,250.5" and "5,3": thousands or a decimal comma? Half of it is no time.
  const std::string_view number(line.data() + at, static_cast<size_t>(rest - line.data()) - at);
  const size_t after = static_cast<size_t>(rest - line.data());
  if (number.find_first_of(".eE") == std::string_view::npos && after + 1 < line.size() &&
      (line[after] == ',' || line[after] == '\'' || line[after] == '_') &&
      std::isdigit(static_cast<unsigned char>(line[after + 1])))
    return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(line.data() + line.size() - rest));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto is = [&](std::string_view name) {
    const bool ends = unit.size() == name.size() ||
                      (unit.size() > name.size() && !std::isalnum(static_cast<unsigned char>(unit[name.size()])));
    return unit.starts_with(name) && ends;
  };
  if (is("ns")) value /= 1e6;
  else if (is("us")) value /= 1e3;
  else if (is("s")) value *= 1e3;
  return value >= kLeastStepMs && value <= kMostStepMs ? std::optional(value) : std::nullopt;
}

std::string HowItEnded(int exit_code, std::optional<int> signal) {
  constexpr int kOfSignals = 128;
  const auto words = [](int number) { return std::string(::strsignal(number)); };
  if (signal) return "was ended by signal " + std::to_string(*signal) + " (" + words(*signal) + ")";
  std::string text = "failed with exit status " + std::to_string(exit_code);
  if (exit_code > kOfSignals && exit_code < kOfSignals + NSIG)
    text += " (128 + " + std::to_string(exit_code - kOfSignals) + ": " + words(exit_code - kOfSignals) + ")";
  return text;
}

}  // namespace warpscope::record

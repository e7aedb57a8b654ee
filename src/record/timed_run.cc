#include "record/timed_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

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

// A key press ends the program, which shares our terminal; we tell so instead of ending too.
class IgnoreKeys {
 public:
  IgnoreKeys() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (size_t i = 0; i < kKeys.size(); ++i) ::sigaction(kKeys[i], &ignore, &before_[i]);
  }
  ~IgnoreKeys() { Restore(); }
  IgnoreKeys(const IgnoreKeys&) = delete;
  IgnoreKeys& operator=(const IgnoreKeys&) = delete;
  void Restore() const {
    for (size_t i = 0; i < kKeys.size(); ++i) ::sigaction(kKeys[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 2> kKeys = {SIGINT, SIGQUIT};
  std::array<struct sigaction, 2> before_{};
};

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

  void Read(std::vector<double>* step_ms) const {
    std::ifstream file(path_);
    std::string line;
    while (step_ms->size() < TimedEnd::kMostSteps && std::getline(file, line)) {
      if (const auto ms = MetricIn(line, "")) step_ms->push_back(*ms);
    }
  }

 private:
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
    if (!line_.empty() && end_.step_ms.size() < TimedEnd::kMostSteps) {
      if (const auto ms = MetricIn(line_, run_.metric)) end_.step_ms.push_back(*ms);
    }
    line_.clear();
  }

  const TimedRun& run_;
  TimedEnd& end_;
  std::string line_;
};

[[noreturn]] void RunChild(const TimedRun& run, const StepFile& steps, const IgnoreKeys& keys, int output,
                           int failure) {
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
int AwaitEnd(pid_t child, int output_end, const TimedRun& run, Clock::time_point start, Output* output, TimedEnd* end) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  bool open = true;
  int state = 0;
  while (true) {
    // Without the handle (kernels before 5.3) the end is asked for each ms.
    std::array<pollfd, 2> waits = {{{open ? output_end : -1, POLLIN, 0}, {handle.get(), POLLIN, 0}}};
    int wait_ms = handle.get() >= 0 ? -1 : 1;
    if (run.timeout_ns && !end->timed_out) {
      const int64_t left_ms = (*run.timeout_ns - Since(start)) / 1'000'000 + 1;
      wait_ms = static_cast<int>(wait_ms < 0 ? std::min<int64_t>(left_ms, 1'000'000) : wait_ms);
    }
    ::poll(waits.data(), waits.size(), std::max(wait_ms, handle.get() >= 0 && !run.timeout_ns ? -1 : 0));
    if (waits[0].revents != 0) open = Drain(output_end, output);
    const pid_t waited = ::waitpid(child, &state, WNOHANG);
    if (waited == child) break;
    if (waited < 0 && errno != EINTR) break;
    if (run.timeout_ns && !end->timed_out && Since(start) >= *run.timeout_ns) {
      end->timed_out = true;
      ::kill(child, SIGKILL);
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
  const IgnoreKeys keys;
  const auto start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) return Status(StatusCode::kIo, std::string("no process can be started: ") + std::strerror(errno));
  if (child == 0) RunChild(run, steps, keys, output_write.get(), failure_write.get());
  output_write.Close(), failure_write.Close();
  int why = 0;
  ssize_t told = 0;
  while ((told = ::read(failure_read.get(), &why, sizeof why)) < 0 && errno == EINTR) {
  }
  TimedEnd end;
  Output output(run, &end);
  const int state = AwaitEnd(child, output_read.get(), run, start, &output, &end);
  if (told == sizeof why) {
    return Status(why == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                  run.words[0] + ": cannot be started: " + std::strerror(why) + ". Check the name and PATH.");
  }
  output.End();
  if (end.step_ms.empty()) steps.Read(&end.step_ms);
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
  if (error != std::errc() || !std::isfinite(value) || value <= 0) return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(line.data() + line.size() - rest));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto is = [&](std::string_view name) {
    const bool ends = unit.size() == name.size() ||
                      (unit.size() > name.size() && !std::isalnum(static_cast<unsigned char>(unit[name.size()])));
    return unit.starts_with(name) && ends;
  };
  if (is("ns")) return value / 1e6;
  if (is("us")) return value / 1e3;
  if (is("s")) return value * 1e3;
  return value;
}

}  // namespace warpscope::record

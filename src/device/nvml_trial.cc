// Opens NVML in a child process first: a library that crashes, ends the process or never answers (a hung driver, a fifo
// under its name) then costs the child, and is a failure that can be told.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "device/nvml.h"

namespace warpscope::device {
namespace {

Status Failed(std::string how) { return {StatusCode::kIo, "NVML (libnvidia-ml.so.1) " + std::move(how)}; }

Status Try(int timeout_ms) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Failed("was not asked: no pipe to a child process could be made");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) ::dup2(null, STDOUT_FILENO), ::dup2(null, STDERR_FILENO);
    { const auto nvml = Nvml::Open(); }  // what it refuses with is asked again by the caller
    const char done = '.';
    ::_exit(::write(ends[1], &done, 1) == 1 ? 0 : 1);
  }
  ::close(ends[1]);
  pollfd wait{ends[0], POLLIN, 0};
  const bool in_time = child > 0 && ::poll(&wait, 1, timeout_ms) > 0;
  char answer = 0;
  const bool came_back = in_time && ::read(ends[0], &answer, 1) == 1;
  ::close(ends[0]);
  if (child < 0) return Failed("was not asked: no child process could be started");
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  // A child that hangs inside the driver cannot be killed: it is left behind rather than waited for.
  ::waitpid(child, &status, in_time ? 0 : WNOHANG);
  if (!in_time) return Failed("did not answer within " + std::to_string(timeout_ms / 1000) + " s");
  if (came_back) return Status::Ok();
  if (WIFSIGNALED(status)) return Failed("crashes whoever loads it (signal " + std::to_string(WTERMSIG(status)) + ")");
  return Failed("ends the process that loads it");
}

}  // namespace

Result<Nvml> Nvml::OpenTried(int timeout_ms) {
  WS_RETURN_IF_ERROR(Try(timeout_ms));
  return Open();
}

}  // namespace warpscope::device

// The program's entry: standard streams in, exit code out.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/app.h"

namespace {

// No memory and no thread are answered with a sentence and exit code 4, on whichever thread it happens.
[[noreturn]] void EndWith(const char* sentence, size_t length) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, sentence, length);
  _exit(warpscope::cli::kExitInternal);
}
template <size_t kSize>
[[noreturn]] void EndWith(const char (&sentence)[kSize]) {
  EndWith(sentence, kSize - 1);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace warpscope::cli;
  std::set_new_handler([] { EndWith("warpscope: out of memory; give it more, or read one rank or fewer files\n"); });
  std::set_terminate(
      [] { EndWith("warpscope: the system refused a thread or memory; please report it if it has enough\n"); });
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen when writing
  Io io = ProcessIo();
  ProgressBar bar;
  if (isatty(STDERR_FILENO)) io.progress = [&bar](double done_ratio) { bar.Update(done_ratio); };
  int code = Run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), io);
  bar.Clear();
  if (WriteAll(stdout, io.out) == Written::kFailed) {
    io.Warn("the output could not be written; is the disk full?");
    code = kExitOutput;  // also over what a command found: nobody has read it
  }
  if (WriteAll(stderr, io.err) == Written::kFailed && code == kExitOk) code = kExitOutput;
  return code;
}

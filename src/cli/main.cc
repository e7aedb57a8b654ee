// The program's entry: standard streams in, exit code out.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/app.h"

int main(int argc, char** argv) {
  using namespace warpscope::cli;
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen when writing
  Io io = ProcessIo();
  ProgressBar bar;
  if (isatty(STDERR_FILENO)) io.progress = [&bar](double done_ratio) { bar.Update(done_ratio); };
  int code = Run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), io);
  bar.Clear();
  if (WriteAll(stdout, io.out) == Written::kFailed) {
    io.err += "warpscope: the output could not be written; is the disk full?\n";
    if (code == kExitOk) code = kExitOutput;
  }
  if (WriteAll(stderr, io.err) == Written::kFailed && code == kExitOk) code = kExitOutput;
  return code;
}

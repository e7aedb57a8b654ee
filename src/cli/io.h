// Io: what a command may touch of the world outside: its output, what the terminal can do, a progress bar.
// [one thread]
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "report/terminal.h"

namespace warpscope::cli {

struct Io {
  std::string out;               // standard output; written when the command has ended
  std::string err;               // standard error likewise: warnings
  report::Terminal terminal;     // of standard output
  bool interactive = false;      // standard output is a terminal
  std::optional<int> exit_code;  // of the program that the command ran, which becomes ours
  // Told the share done (0..1); null where nobody watches (standard error is no terminal).
  std::function<void(double done_ratio)> progress;

  // A sentence for standard error when the command has ended, behind the program's name and as Message() lays it out.
  void Warn(std::string_view sentence);
};

// A sentence as every message on standard error is printed: cleaned, behind `head`, within the terminal's columns. A
// path that is longer than a line stays whole.
std::string Message(std::string_view head, std::string_view sentence, const report::Terminal& terminal);
// To standard error at once: a program that runs now has output of its own, or the user waits.
void WarnNow(std::string_view sentence);

// What the process' standard output is and can: width, UTF-8 by locale, colour by terminal, NO_COLOR and TERM.
Io ProcessIo();

// A bar on standard error that appears only after a second and is wiped by Clear().
class ProgressBar {
 public:
  ProgressBar();
  void Update(double done_ratio);  // 1 takes it away
  void Clear();

 private:
  int64_t start_ns_;
  int64_t shown_ns_ = 0;
  bool visible_ = false;
};

enum class Written : uint8_t { kAll, kPipeClosed, kFailed };
// The whole text or an answer why not. A reader that closed the pipe (head) is no failure.
Written WriteAll(std::FILE* file, std::string_view text);

}  // namespace warpscope::cli

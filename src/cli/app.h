// The program: from words to an exit code. [one thread]
#pragma once

#include <string>
#include <vector>

#include "cli/io.h"

namespace warpscope::cli {

// Exit codes; docs/commands.md lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitInput = 1,     // the input cannot be read, or is nothing that this command can use
  kExitUsage = 2,     // the command line is wrong
  kExitOutput = 3,    // the output could not be written
  kExitInternal = 4,  // a fault of this program
  kExitNoAnswer = 5,  // of a command whose answer is 1 or 2: its command line is wrong, or its input cannot be read
  // `record` ends with the code of the program that it runs; its own failures end as those of env(1) and timeout(1) do.
  kExitRecord = 125,
  kExitCannotRun = 126,
  kExitNoProgram = 127,
};

// Runs `words` (without the program's name); leaves what is to be printed in `io`.
int Run(const std::vector<std::string>& words, Io& io);

}  // namespace warpscope::cli

// Launching a program under the agent: its environment, its signals, its exit code.
// [one thread]
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "record/control.h"

namespace warpscope::record {

struct Launch {
  std::vector<std::string> words;           // program and arguments
  std::string run_folder;                   // exists
  std::string agent_path;                   // libwarpscope_agent.so; "": the program runs unrecorded
  ControlFile* control = nullptr;           // of the run: where signals to us go
  std::function<void(int pid)> on_started;  // the program runs; may be empty
};

struct Ended {
  int exit_code = 0;  // as a shell tells it: 128 + signal for a killed program
  std::optional<int> signal;
  int64_t wall_ns = 0;
};

// From now on the signals that order a recording about (SIGUSR1, SIGUSR2) and that of a file that grew too large do not
// end this process, also before and after the program runs; the program gets them as they were. Once a process.
void HoldSignals();

// Starts the program with our standard streams and waits. What it does about signals is its affair, and we end when it
// does: interrupt and quit reach it by the terminal (it shares our process group) and are ignored here; terminate and
// hang-up, which `docker stop` and the like send to us alone, are passed on to it. SIGUSR1 starts or stops the
// recording, SIGUSR2 freezes a ring. Fails only if the program cannot be started: kNotFound, or kIo (found, but the
// system refuses to run it).
Result<Ended> RunUnderAgent(const Launch& launch);

// The agent's library: WARPSCOPE_AGENT, else beside the program, else where it is installed. kNotFound says where was
// looked.
Result<std::string> FindAgent();

// Creates the folder of a new run: `wanted`, or warpscope-PROGRAM-N with the first free N. An existing folder is
// refused.
Result<std::string> MakeRunFolder(const std::string& wanted, const std::string& program);

}  // namespace warpscope::record

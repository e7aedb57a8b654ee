// Launching a program under the agent: its environment, its signals, its exit code.
// [one thread]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace warpscope::record {

struct Launch {
  std::vector<std::string> words;  // program and arguments
  std::string run_folder;          // exists
  std::string agent_path;          // libwarpscope_agent.so
};

struct Ended {
  int exit_code = 0;  // as a shell tells it: 128 + signal for a killed program
  std::optional<int> signal;
  int64_t wall_ns = 0;
};

// Starts the program with our standard streams and waits. Interrupt and terminate reach the program (which shares our
// process group) and not us; what it does about them is its affair. Fails only if it cannot be started (kNotFound,
// kIo).
Result<Ended> RunUnderAgent(const Launch& launch);

// The agent's library: WARPSCOPE_AGENT, else beside the program, else where it is installed. kNotFound says where was
// looked.
Result<std::string> FindAgent();

// Creates the folder of a new run: `wanted`, or warpscope-PROGRAM-N with the first free N. An existing folder is
// refused.
Result<std::string> MakeRunFolder(const std::string& wanted, const std::string& program);

}  // namespace warpscope::record

// Environment: what a later comparison has to know about machine and program, without secrets.
// [one thread] Reads /proc, /etc and the environment; runs no program.
#pragma once

#include <string>
#include <vector>

#include "device/nvml.h"

namespace warpscope::record {

struct EnvironmentFact {
  int device = -1;  // -1: the machine or the program
  std::string name, value;
};

// In a fixed order. `nvml` may be null.
std::vector<EnvironmentFact> CollectEnvironment(const std::vector<std::string>& program, const device::Nvml* nvml);

// Words of a command line with the values of secrets replaced by "***": what follows --token, --api-key=..., a URL's
// password.
std::string RedactedCommand(const std::vector<std::string>& words);
// Whether a variable may be shown: it configures GPU work, and its name does not tell of a secret.
bool IsShownVariable(const std::string& name);
// "branch commit" of the repository around the working directory, read from .git; "" if there is none.
std::string GitRevision(const std::string& folder);

}  // namespace warpscope::record

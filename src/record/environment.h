// Environment: what a later comparison has to know about machine, software and program, without secrets
// (docs/formats/capture.md lists the facts). [one thread] Reads /proc, /sys, /etc and folders of packages; runs no
// program.
#pragma once

#include <string>
#include <vector>

#include "device/nvml.h"
#include "record/redact.h"
#include "record/system.h"

namespace warpscope::record {

struct EnvironmentFact {
  int device = -1;  // as CUDA counts; -1: the machine or the program
  std::string name, value;
};

// In a fixed order; what cannot be read is left out. `program`: the words of the command, may be empty; `nvml` may be
// null.
std::vector<EnvironmentFact> CollectEnvironment(const System& system, const std::vector<std::string>& program,
                                                const device::Nvml* nvml);

// Whether a variable may be shown: it configures GPU work, and its name does not tell of a secret.
bool IsShownVariable(const std::string& name);

// "branch commit" of the repository around a folder, read from .git; "" if there is none.
std::string GitRevision(const System& system, const std::string& folder);

// How many files that git follows are not as git left them: "0", "2", or "2 to 7" where time alone differs. "" without
// a repository, or for one too large to look through. New files and what is only staged do not count.
std::string GitChangedFiles(const System& system, const std::string& folder);

// The parts of CollectEnvironment(): facts without a device.
using Facts = std::vector<std::pair<std::string, std::string>>;
void AddProgramFacts(const System& system, const std::vector<std::string>& program, Facts& facts);
void AddMachineFacts(const System& system, Facts& facts);
void AddSoftwareFacts(const System& system, const std::vector<std::string>& program, unsigned driver_major,
                      Facts& facts);

}  // namespace warpscope::record

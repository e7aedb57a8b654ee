// The program and the software under it: interpreter, packages, toolkits, CUPTI.
#include "record/cupti_search.h"
#include "record/environment.h"
#include "record/program.h"
#include "record/python.h"

namespace warpscope::record {

void AddProgramFacts(const System& system, const std::vector<std::string>& program, Facts& facts) {
  facts.emplace_back("command", RedactedCommand(program));
  facts.emplace_back("program", FindProgram(system, program[0]));
  facts.emplace_back("git_revision", GitRevision(system, system.WorkingFolder()));
  facts.emplace_back("git_changed_files", GitChangedFiles(system, system.WorkingFolder()));
}

void AddSoftwareFacts(const System& system, const std::vector<std::string>& program, unsigned driver_major,
                      Facts& facts) {
  for (const Toolkit& toolkit : FindToolkits(system))
    facts.emplace_back("cuda_toolkit " + toolkit.folder, toolkit.version);
  const auto python = FindPython(system, program);
  const CuptiSearch cupti = SearchCupti(system, python, driver_major);
  if (cupti.chosen) {
    facts.emplace_back("cupti", cupti.chosen->path);
    facts.emplace_back("cupti_file", BaseName(system.RealPath(cupti.chosen->path)));
  }
  if (!python) return;
  facts.emplace_back("python", python->interpreter);
  facts.emplace_back("python_version", python->version);
  for (const Package& package : PackagesOf(system, *python))
    facts.emplace_back("package " + package.name, package.version);
  facts.emplace_back("torch_cuda_version", TorchCudaVersion(system, *python));
}

}  // namespace warpscope::record

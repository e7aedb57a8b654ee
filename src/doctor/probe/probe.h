// Probe: the facts of the machine that runs, or of one made by hand for tests. [one thread] Reads files, variables and
// what NVML and CUDA answered; starts nothing and changes nothing.
#pragma once

#include <string>
#include <vector>

#include "device/nvml.h"
#include "doctor/machine.h"
#include "record/python.h"
#include "record/system.h"

namespace warpscope::doctor {

struct ProbeRequest {
  std::vector<std::string> program;    // words whose Python is looked at; empty: the shell's
  const device::Nvml* nvml = nullptr;  // null: it did not open, `nvml_status` says why
  Status nvml_status;
  const device::CudaAnswer* cuda = nullptr;  // null: not asked
};

Machine Probe(const record::System& system, const ProbeRequest& request);

// The parts of Probe().
void ProbeBus(const record::System& system, Machine& machine);
void ProbeKernel(const record::System& system, Machine& machine);
void ProbeNodes(const record::System& system, Machine& machine);
void ProbeLibraries(const record::System& system, const std::optional<record::Python>& python, Machine& machine);
void ProbeFrameworks(const record::System& system, const std::optional<record::Python>& python, Machine& machine);
void ProbeHost(const record::System& system, Machine& machine);
void ProbeProcesses(const record::System& system, Machine& machine);
void ProbeNvml(const ProbeRequest& request, Machine& machine);
void ProbeAmd(const record::System& system, Machine& machine);
// Compute capability and kind of devices from CUDA's answer, names of them where nobody else tells.
void JoinCuda(Machine& machine);

// NVML, unless what the loader would take for it cannot be loaded.
Result<device::Nvml> OpenNvml(const record::System& system);
// Whether a file can be loaded as a library here, by its first bytes.
FileState StateOfLibrary(const record::System& system, const std::string& path);
// Architectures that GPU code in a library was compiled for, ascending: "sm_80", "compute_90". Sources: its fat
// binaries (section .nv_fatbin). Empty if it has none.
std::vector<std::string> ArchsInLibrary(const record::System& system, const std::string& path);
// The longest list of architectures written out in a file ("sm_80 sm_90 compute_90"), as PyTorch keeps it.
std::vector<std::string> ArchsInText(const record::System& system, const std::string& path);

}  // namespace warpscope::doctor

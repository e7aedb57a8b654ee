#include "record/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "record/cupti_search.h"
#include "record/visible_devices.h"

namespace warpscope::record {
namespace {

std::string OnOff(const std::optional<bool>& on) { return !on ? std::string() : *on ? "on" : "off"; }
template <typename T>
std::string Whole(const std::optional<T>& value) {
  return value ? fmt::format("{:.0f}", static_cast<double>(*value)) : std::string();
}

// Enough to tell devices apart, too little to look one up by.
std::string ShortUuid(const std::string& uuid) {
  constexpr size_t kShown = 12;  // "GPU-" and eight digits
  return uuid.substr(0, kShown);
}

void AddDeviceFacts(const device::GpuFacts& gpu, int device, std::vector<EnvironmentFact>& facts) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back({device, name, value});
  };
  add("name", gpu.name);
  add("uuid", ShortUuid(gpu.uuid));
  add("pci_bus_id", gpu.bus_id);
  add("virtualization", gpu.virtualization.value_or(""));
  add("compute_mode", gpu.compute_mode.value_or(""));
  add("persistence_mode", OnOff(gpu.persistence_mode));
  add("mig_mode", OnOff(gpu.mig_mode));
  add("ecc_mode", OnOff(gpu.ecc_mode));
  add("power_limit", Whole(gpu.power_limit_watts));
  add("clock_max_sm", Whole(gpu.clock_max_sm_mhz));
  add("clock_max_memory", Whole(gpu.clock_max_memory_mhz));
  add("clock_limit_graphics", Whole(gpu.clock_limit_sm_mhz));
  add("clock_limit_memory", Whole(gpu.clock_limit_memory_mhz));
  add("memory_total", Whole(gpu.memory_total_bytes));
  add("pcie_gen_max", Whole(gpu.pcie_gen_max));
  add("pcie_width_max", Whole(gpu.pcie_width_max));
  add("pcie_gen_current", Whole(gpu.pcie_gen));
  add("pcie_width_current", Whole(gpu.pcie_width));
}

void AddVariables(const System& system, Facts& facts) {
  for (const auto& [name, value] : system.Variables()) {
    if (IsShownVariable(name)) facts.emplace_back("variable " + name, Redacted(value));
  }
}

unsigned MajorOf(const std::string& version) {
  return static_cast<unsigned>(NumberIn(version.substr(0, version.find('.'))).value_or(0));
}

}  // namespace

bool IsShownVariable(const std::string& name) {
  constexpr std::array kStarts = {
      "ACCELERATE_", "CUBLAS",      "CUDA_", "CUDNN_",  "CUPY_",      "DEEPSPEED_", "DS_BUILD_", "FI_",
      "FLASH_",      "FLASHINFER_", "GLOO_", "GOMP_",   "HIP_",       "JAX_",       "KINETO_",   "KMP_",
      "MALLOC_",     "MKL_",        "NCCL_", "NUMBA_",  "NVIDIA_",    "NVTE_",      "NVTX_",     "OMP_",
      "OPENBLAS_",   "PYTORCH_",    "ROCR_", "SGLANG_", "SGL_",       "TCMALLOC_",  "TF_",       "TOKENIZERS_",
      "TORCH",       "TRITON_",     "UCX_",  "VLLM_",   "WARPSCOPE_", "XFORMERS_",  "XLA_"};
  constexpr std::array kNames = {"CONDA_DEFAULT_ENV",
                                 "GROUP_RANK",
                                 "LD_LIBRARY_PATH",
                                 "LD_PRELOAD",
                                 "LOCAL_RANK",
                                 "LOCAL_WORLD_SIZE",
                                 "OMPI_COMM_WORLD_LOCAL_RANK",
                                 "OMPI_COMM_WORLD_RANK",
                                 "OMPI_COMM_WORLD_SIZE",
                                 "PMI_RANK",
                                 "PMI_SIZE",
                                 "PYTHONPATH",
                                 "RANK",
                                 "SLURM_JOB_ID",
                                 "SLURM_JOB_NUM_NODES",
                                 "SLURM_LOCALID",
                                 "SLURM_NODEID",
                                 "SLURM_NTASKS",
                                 "SLURM_PROCID",
                                 "VIRTUAL_ENV",
                                 "WORLD_SIZE"};
  // Terraform's variables begin like TensorFlow's and may hold anything.
  if (NamesSecret(name) || name.rfind("TF_VAR_", 0) == 0 || name.rfind("TF_CLI_", 0) == 0) return false;
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.rfind(start, 0) == 0; }) ||
         std::any_of(kNames.begin(), kNames.end(), [&](std::string_view one) { return name == one; });
}

std::vector<EnvironmentFact> CollectEnvironment(const System& system, const std::vector<std::string>& program,
                                                const device::Nvml* nvml) {
  Facts facts;
  if (!program.empty()) AddProgramFacts(system, program, facts);
  AddMachineFacts(system, facts);
  if (nvml != nullptr) {
    facts.emplace_back("driver_version", nvml->driver_version());
    facts.emplace_back("cuda_version", nvml->cuda_version());
  }
  AddSoftwareFacts(system, program, nvml == nullptr ? 0 : MajorOf(nvml->cuda_version()), facts);
  AddVariables(system, facts);
  std::vector<EnvironmentFact> all;
  for (auto& [name, value] : facts) {
    if (!value.empty()) all.push_back({-1, std::move(name), std::move(value)});
  }
  if (nvml == nullptr) return all;
  for (const VisibleDevice& device : VisibleDevices(nvml->gpus(), system.Variable("CUDA_VISIBLE_DEVICES")))
    AddDeviceFacts(nvml->gpus()[device.index], device.number, all);
  return all;
}

}  // namespace warpscope::record

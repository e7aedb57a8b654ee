#include "doctor/probe/probe.h"

#include <gtest/gtest.h>

#include <cstring>

#include "doctor/testing/machines.h"
#include "record/testing/fake_system.h"

namespace warpscope::doctor {
namespace {

using record::testing::FakeSystem;

template <typename N>
void Put(std::string& bytes, size_t at, N value) {
  std::memcpy(bytes.data() + at, &value, sizeof(N));
}

std::string Elf(size_t size = 256) {
  std::string elf(size, '\0');
  elf.replace(0, 4, "\177ELF");
  elf[4] = 2, elf[5] = 1, elf[16] = 3;
#if defined(__aarch64__)
  elf[18] = static_cast<char>(183);
#else
  elf[18] = 62;
#endif
  elf[32] = 64;
  return elf;
}

// A library with GPU code: one container with the given entries (is PTX, capability).
std::string WithGpuCode(const std::vector<std::pair<bool, uint32_t>>& entries) {
  constexpr size_t kEntry = 64, kPayload = 16, kCode = 256;
  std::string code(16 + entries.size() * (kEntry + kPayload), '\0');
  Put<uint32_t>(code, 0, 0xBA55ED50);
  Put<uint16_t>(code, 6, 16);
  Put<uint64_t>(code, 8, code.size() - 16);
  for (size_t i = 0; i < entries.size(); ++i) {
    const size_t at = 16 + i * (kEntry + kPayload);
    Put<uint16_t>(code, at, entries[i].first ? 1 : 2);
    Put<uint32_t>(code, at + 4, kEntry);
    Put<uint32_t>(code, at + 8, kPayload);
    Put<uint32_t>(code, at + 28, entries[i].second);
  }
  const std::string names("\0.nv_fatbin\0", 12);
  std::string file = Elf(kCode) + code + names;
  const size_t table = file.size();
  file.resize(table + 3 * 64, '\0');
  Put<uint64_t>(file, 40, table);
  Put<uint16_t>(file, 58, 64), Put<uint16_t>(file, 60, 3), Put<uint16_t>(file, 62, 2);
  Put<uint32_t>(file, table + 64, 1), Put<uint64_t>(file, table + 64 + 24, kCode),
      Put<uint64_t>(file, table + 64 + 32, code.size());
  Put<uint64_t>(file, table + 128 + 24, kCode + code.size()), Put<uint64_t>(file, table + 128 + 32, names.size());
  return file;
}

TEST(Probe, BusAndLinks) {
  FakeSystem system;
  const std::string port = "/sys/devices/pci0000:00/0000:00:01.0", gpu = "/sys/bus/pci/devices/0000:01:00.0";
  system.files[gpu + "/vendor"] = "0x10de\n", system.files[gpu + "/class"] = "0x030200\n";
  system.files[gpu + "/current_link_speed"] = "2.5 GT/s PCIe\n",
                     system.files[gpu + "/max_link_speed"] = "16.0 GT/s PCIe\n";
  system.files[gpu + "/current_link_width"] = "8\n", system.files[gpu + "/max_link_width"] = "16\n";
  system.files[gpu + "/config"] = "\xde\x10\x31\x23";
  system.links[gpu] = port + "/0000:01:00.0";
  system.files[port + "/0000:01:00.0"] = "";
  system.files[port + "/max_link_width"] = "8\n", system.files[port + "/max_link_speed"] = "8.0 GT/s PCIe\n";
  system.files["/sys/bus/pci/devices/0000:02:00.0/vendor"] = "0x1a03\n";  // graphics of server management
  system.files["/sys/bus/pci/devices/0000:02:00.0/class"] = "0x030000\n";
  Machine machine;
  ProbeBus(system, machine);
  ASSERT_TRUE(machine.pci.has_value());
  ASSERT_EQ(machine.pci->size(), 1u);
  const PciDevice& device = machine.pci->front();
  EXPECT_EQ(device.address, "0000:01:00.0");
  EXPECT_EQ(device.vendor, Vendor::kNvidia);
  EXPECT_FALSE(device.is_gone);
  EXPECT_EQ(device.link.gt_per_s, 2.5);
  EXPECT_EQ(device.link.width, 8u);
  EXPECT_EQ(device.link.slot_width_max, 8u);
  EXPECT_EQ(device.link.slot_gt_per_s_max, 8.0);
  system.files[gpu + "/config"] = "\xff\xff\xff\xff";
  Machine gone;
  ProbeBus(system, gone);
  EXPECT_TRUE(gone.pci->front().is_gone);
}

TEST(Probe, FilesThatAreNoLibraries) {
  FakeSystem system;
  system.files["/lib/whole"] = Elf();
  system.files["/lib/text"] = "this is not a library at all, and long enough to be looked at as one by its size alone";
  system.files["/lib/short"] = Elf().substr(0, 20);
  system.files["/lib/empty"] = "";
  system.files["/lib/cut"] = Elf();
  system.infos["/lib/cut"] = {.is_regular = true, .size_bytes = 60};
  std::string other = Elf();
  other[18] = 8;
  system.files["/lib/other"] = other;
  // Cut in the middle of a segment.
  std::string cut = Elf(512);
  cut[56] = 1, cut[54] = 56;
  Put<uint32_t>(cut, 64, 1), Put<uint64_t>(cut, 64 + 8, 0), Put<uint64_t>(cut, 64 + 32, 4096);
  system.files["/lib/segment"] = cut;
  system.infos["/lib/segment"] = {.is_regular = true, .size_bytes = 512};
  EXPECT_EQ(StateOfLibrary(system, "/lib/segment"), FileState::kTooShort);
  system.infos["/lib/segment"].size_bytes = 8192;
  EXPECT_EQ(StateOfLibrary(system, "/lib/segment"), FileState::kWhole);
  EXPECT_EQ(StateOfLibrary(system, "/lib/whole"), FileState::kWhole);
  EXPECT_EQ(StateOfLibrary(system, "/lib/text"), FileState::kNotElf);
  EXPECT_EQ(StateOfLibrary(system, "/lib/short"), FileState::kTooShort);
  EXPECT_EQ(StateOfLibrary(system, "/lib/empty"), FileState::kTooShort);
  EXPECT_EQ(StateOfLibrary(system, "/lib/cut"), FileState::kTooShort);
  EXPECT_EQ(StateOfLibrary(system, "/lib/other"), FileState::kOtherProcessor);
  EXPECT_EQ(StateOfLibrary(system, "/lib/none"), FileState::kBrokenLink);
}

TEST(Probe, ArchitecturesOfALibrary) {
  FakeSystem system;
  system.files["/lib/gpu.so"] = WithGpuCode({{false, 80}, {false, 90}, {true, 90}});
  EXPECT_EQ(ArchsInLibrary(system, "/lib/gpu.so"), (std::vector<std::string>{"sm_80", "sm_90", "compute_90"}));
  system.files["/lib/cpu.so"] = Elf();
  EXPECT_TRUE(ArchsInLibrary(system, "/lib/cpu.so").empty());
  system.files["/lib/cut.so"] = system.files["/lib/gpu.so"].substr(0, 300);
  EXPECT_TRUE(ArchsInLibrary(system, "/lib/cut.so").empty());
  system.files["/lib/list.so"] = std::string("x\0sm_90 is old\0sm_75 sm_80 sm_90 sm_120 compute_120\0y", 54);
  EXPECT_EQ(ArchsInText(system, "/lib/list.so"),
            (std::vector<std::string>{"sm_75", "sm_80", "sm_90", "sm_120", "compute_120"}));
  system.files["/lib/none.so"] = "sm_90";
  EXPECT_TRUE(ArchsInText(system, "/lib/none.so").empty());
}

TEST(Probe, FrameworksWithoutImportingThem) {
  FakeSystem system;
  record::Python python;
  python.folders = {"/site"};
  system.files["/site/torch/version.py"] =
      "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']\n"
      "__version__ = '2.2.0+cpu'\ndebug = False\ncuda: Optional[str] = None\ngit_version = 'x'\nhip: Optional[str] = "
      "None\n";
  system.files["/site/tensorflow/python/platform/build_info.py"] =
      "import collections\nbuild_info = collections.OrderedDict([('cpu_compiler', '/usr/lib/clang'), "
      "('cuda_compute_capabilities', "
      "['sm_60', 'sm_90', 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True), "
      "('is_rocm_build', False)])\n";
  system.files["/site/tensorflow-2.18.0.dist-info/METADATA"] = "";
  system.files["/site/jax-0.4.35.dist-info/METADATA"] = "";
  system.files["/site/jaxlib-0.4.35.dist-info/METADATA"] = "";
  system.files["/site/paddle/version/__init__.py"] =
      "full_version  = '3.0.0'\ncuda_version     = '12.6'\ncudnn_version    = '9.5.1'\nwith_gpu         = 'ON'\n";
  Machine machine;
  ProbeFrameworks(system, python, machine);
  ASSERT_EQ(machine.frameworks->size(), 4u);
  const auto& all = *machine.frameworks;
  EXPECT_EQ(all[0].version, "2.2.0+cpu");
  EXPECT_EQ(all[0].build, Build::kCpu);
  EXPECT_EQ(all[1].build, Build::kCuda);
  EXPECT_EQ(all[1].cuda, "12.5.1");
  EXPECT_EQ(all[1].archs, (std::vector<std::string>{"sm_60", "sm_90", "compute_90"}));
  EXPECT_EQ(all[2].id, "jax");
  EXPECT_EQ(all[2].build, Build::kCpu);
  EXPECT_EQ(all[3].build, Build::kCuda);
  EXPECT_EQ(all[3].cuda, "12.6");
  system.files["/site/jax_cuda12_plugin-0.4.35.dist-info/METADATA"] = "";
  system.files["/site/torch/version.py"] =
      "__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n";
  Machine again;
  ProbeFrameworks(system, python, again);
  EXPECT_EQ((*again.frameworks)[0].cuda, "13.0");
  EXPECT_EQ((*again.frameworks)[2].build, Build::kCuda);
  EXPECT_EQ((*again.frameworks)[2].cuda, "12");
}

TEST(Probe, NodesThatAControlGroupForbids) {
  FakeSystem system;
  for (const char* path : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"}) system.files[path] = "";
  system.open_errors["/dev/nvidiactl"] = 1;
  Machine machine;
  ProbeNodes(system, machine);
  ASSERT_EQ(machine.nodes->size(), 3u);
  for (const DeviceNode& node : *machine.nodes)
    EXPECT_EQ(node.is_forbidden, node.path == "/dev/nvidiactl") << node.path;
}

TEST(Probe, WhatCudaAnsweredInTheChild) {
  const device::CudaAnswer answer = device::ReadCudaAnswer(
      "loaded\nversion 13000\ninit 0\ndevice 9 0 0 150754820096 0000:01:00.0 NVIDIA H200\ndevice 12 1 1 0 - NVIDIA "
      "GB10\n");
  EXPECT_TRUE(answer.loaded);
  EXPECT_EQ(answer.result, 0);
  ASSERT_EQ(answer.devices.size(), 2u);
  EXPECT_EQ(answer.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(answer.devices[0].bus_id, "0000:01:00.0");
  EXPECT_TRUE(answer.devices[1].integrated);
  EXPECT_FALSE(answer.devices[1].memory_bytes.has_value());
  EXPECT_EQ(device::ReadCudaAnswer("load x: file too short\n").problem, "x: file too short");
}

TEST(Probe, AMachineWithoutAnythingBreaksAtTheDevice) {
  FakeSystem system;
  system.files["/sys/bus/pci/devices/0000:00:00.0/vendor"] = "0x8086\n";
  system.files["/sys/bus/pci/devices/0000:00:00.0/class"] = "0x060000\n";
  ProbeRequest request;
  request.nvml_status = Status(StatusCode::kNotFound, "libnvidia-ml.so.1 was not found");
  const Diagnosis diagnosis = Diagnose(Probe(system, request));
  EXPECT_EQ(testing::RootOf(diagnosis), "gpu") << diagnosis.answer;
  EXPECT_EQ(diagnosis.exit_code, kExitBroken);
}

TEST(Machine, Versions) {
  EXPECT_LT(CompareVersions("575.57", "580.95.05"), 0);
  EXPECT_EQ(CompareVersions("580.95", "580.95.05"), 0);
  EXPECT_GT(CompareVersions("580.159.04", "580.95.05"), 0);
  EXPECT_EQ(ComputeCapabilityOf("NVIDIA GeForce RTX 5090", ""), (std::pair{12, 0}));
  EXPECT_EQ(ComputeCapabilityOf("NVIDIA A100-SXM4-80GB", ""), (std::pair{8, 0}));
  EXPECT_EQ(ComputeCapabilityOf("NVIDIA A10", ""), (std::pair{8, 6}));
  EXPECT_EQ(ComputeCapabilityOf("NVIDIA L4", ""), (std::pair{8, 9}));
  EXPECT_EQ(ComputeCapabilityOf("Something new", "Hopper"), (std::pair{9, 0}));
  EXPECT_EQ(PlainAddress("00000000:3B:00.0"), "0000:3b:00.0");
}

}  // namespace
}  // namespace warpscope::doctor

// The chain on machines that are broken in one layer: it is named, and what fails behind it is told as its consequence.
#include <gtest/gtest.h>

#include <functional>

#include "doctor/testing/machines.h"

namespace warpscope::doctor {
namespace {

using testing::Find;
using testing::Fit;
using testing::SomeGpu;
using testing::RootOf;
using testing::Told;

TEST(Chain, NothingIsBrokenOnAMachineInOrder) {
  const Diagnosis diagnosis = Diagnose(Fit());
  EXPECT_EQ(diagnosis.exit_code, kExitInOrder) << diagnosis.answer;
  EXPECT_EQ(RootOf(diagnosis), "");
  for (const Step& step : diagnosis.steps) {
    // No framework is in it, which is not in order and not broken either.
    const State wanted = step.id == "frameworks" ? State::kUnknown : State::kOk;
    EXPECT_EQ(step.state, wanted) << step.id << ": " << step.evidence;
  }
}

struct Broken {
  const char* what;
  std::function<void(Machine&)> damage;
  const char* root;      // "" where nothing in the chain breaks
  const char* evidence;  // part of what the root tells
  const char* next;
};

void TakeDriver(Machine& m) {
  m.nvidia_version.clear(), m.driver_version.clear(), m.driver_cuda.clear();
  m.modules->clear();
  m.nodes->clear();
  m.management = Management{false, "the NVIDIA driver is not loaded", false};
  m.cuda->result = 100, m.cuda->devices.clear();
  m.gpus.clear();
}

TEST(Chain, NamesTheFirstBrokenLayer) {
  const Broken kCases[] = {
      {"no device", [](Machine& m) { TakeDriver(m), m.pci->clear(), m.libraries->clear(); }, "gpu", "no NVIDIA",
       "seated"},
      {"off the bus", [](Machine& m) { m.pci->front().is_gone = true; }, "gpu", "off the bus", "restart"},
      {"no device in a container",
       [](Machine& m) {
         TakeDriver(m), m.pci->clear(), m.libraries->clear(), m.container = "docker", m.is_virtual = true;
       },
       "gpu", "this container (docker)", "--gpus all"},
      {"no driver", TakeDriver, "kernel_module", "not loaded", "modprobe"},
      {"nouveau", [](Machine& m) { TakeDriver(m), m.pci->front().driver = "nouveau", m.modules = {{"nouveau"}}; },
       "kernel_module", "nouveau", "install"},
      {"set aside", [](Machine& m) { TakeDriver(m), m.pci->front().driver = "vfio-pci"; }, "kernel_module",
       "virtual machines", "vfio"},
      {"container without devices",
       [](Machine& m) {
         m.container = "docker", m.nodes->clear();
         m.management = Management{false, "NVML answered 999", false};
         m.cuda->result = 100, m.cuda->devices.clear(), m.gpus.clear();
       },
       "device_nodes", "missing in this container (docker)", "--gpus all"},
      {"no uvm",
       [](Machine& m) { m.nodes->pop_back(), m.modules = {{"nvidia"}}, m.cuda->result = 999, m.cuda->devices.clear(); },
       "device_nodes", "cuInit answers 999", "modprobe nvidia_uvm"},
      {"no permission", [](Machine& m) { (*m.nodes)[0].writable = false; }, "device_nodes",
       "/dev/nvidia0: no permission", "group"},
      {"forbidden since a reload", [](Machine& m) { m.container = "docker", (*m.nodes)[1].is_forbidden = true; },
       "device_nodes", "control group", "restart the container"},
      {"rules after a reload",
       [](Machine& m) {
         m.container = "docker", m.device_rules = {{"c 1:3 rwm", "c 195:* m"}};
       },
       "device_nodes", "195", "cgroupfs"},
      {"rules before it",
       [](Machine& m) {
         m.container = "docker", m.device_rules = {{"c 195:254 rw", "c 195:0 rw"}};
       },
       "", "", ""},
      {"no library",
       [](Machine& m) {
         m.libraries->clear(), m.cuda = device::CudaAnswer{};
         m.cuda->problem = "cannot open";
       },
       "driver_library", "in no folder", "ldconfig"},
      {"no library in a container", [](Machine& m) { m.container = "kubernetes", m.libraries->clear(); },
       "driver_library", "in no folder", "NVIDIA_DRIVER_CAPABILITIES"},
      {"not ELF",
       [](Machine& m) {
         m.libraries->front().state = FileState::kNotElf, m.libraries->front().place = "LD_LIBRARY_PATH";
       },
       "driver_library", "not ELF", "LD_LIBRARY_PATH"},
      {"too short", [](Machine& m) { m.libraries->front().state = FileState::kTooShort; }, "driver_library",
       "too short", "reinstall"},
      {"stub", [](Machine& m) { m.libraries->front().path = "/opt/cuda/lib64/stubs/libcuda.so.1"; }, "driver_library",
       "stub", ""},
      {"two versions", [](Machine& m) { m.libraries->front().version = "525.85.12"; }, "driver_library", "525.85.12",
       "restart the machine"},
      {"two versions in a container",
       [](Machine& m) { m.container = "docker", m.libraries->front().version = "525.85.12"; }, "driver_library",
       "525.85.12", "restart the container"},
      {"newer on purpose",
       [](Machine& m) {
         m.libraries->front().version = "590.1", m.libraries->front().path = "/usr/local/cuda/compat/libcuda.so.1";
       },
       "", "", ""},
      {"NVML unknown error",
       [](Machine& m) {
         m.container = "docker", m.management = Management{false, "Failed to initialize NVML: Unknown Error", false};
       },
       "management", "reload of systemd", "restart the container"},
      {"one of two is missing",
       [](Machine& m) {
         m.pci->push_back(m.pci->front()), m.pci->back().address = "0000:09:00.0",
                                           m.nodes->push_back({"/dev/nvidia1", true, true, false});
       },
       "management", "1 of 2", "faults"},
      {"fabric",
       [](Machine& m) {
         m.cuda->result = 802, m.cuda->devices.clear(),
         testing::SetText(m.gpus[0], ReadingName::kFabricState, "In Progress");
       },
       "fabric", "In Progress", "fabricmanager"},
      {"fabric of another version",
       [](Machine& m) {
         m.fabric_manager = Service{true, "575.57.08", ""};
       },
       "fabric", "575.57.08", "install nvidia-fabricmanager 580"},
      {"CUDA", [](Machine& m) { m.cuda->result = 999, m.cuda->devices.clear(); }, "cuda_start",
       "999 (CUDA_ERROR_UNKNOWN)", "uvm"},
      {"hidden",
       [](Machine& m) { (*m.variables)["CUDA_VISIBLE_DEVICES"] = "", m.cuda->result = 100, m.cuda->devices.clear(); },
       "cuda_start", "names none", "unset"},
      {"crash",
       [](Machine& m) {
         m.cuda = device::CudaAnswer{};
         m.cuda->loaded = true, m.cuda->problem = "crashed (signal 11)";
       },
       "cuda_start", "signal 11", "faults"},
  };
  for (const Broken& one : kCases) {
    Machine machine = Fit();
    one.damage(machine);
    const Diagnosis diagnosis = Diagnose(machine);
    EXPECT_EQ(RootOf(diagnosis), one.root) << one.what << ": " << diagnosis.answer;
    if (one.root[0] == '\0') continue;
    EXPECT_GE(diagnosis.exit_code, kExitBroken) << one.what;
    const Step& root = diagnosis.steps[static_cast<size_t>(diagnosis.root)];
    EXPECT_NE(root.evidence.find(one.evidence), std::string::npos) << one.what << ": " << root.evidence;
    EXPECT_NE(root.next.find(one.next), std::string::npos) << one.what << ": " << root.next;
    EXPECT_FALSE(root.next.empty()) << one.what;
    // It is the first of the chain that fails, and the others follow from it unless they are broken by themselves.
    for (const Step& step : diagnosis.steps) {
      if (step.part == Part::kChain && step.state == State::kFailure && &step != &root && !step.is_own) {
        EXPECT_EQ(step.because_of, root.id) << one.what << ": " << step.id;
      }
    }
  }
}

TEST(Chain, ABrokenFileIsNoConsequence) {
  Machine machine = Fit();
  TakeDriver(machine);
  machine.pci->clear();
  machine.libraries->front().state = FileState::kNotElf;
  const Diagnosis diagnosis = Diagnose(machine);
  EXPECT_EQ(RootOf(diagnosis), "gpu");
  const Step* library = Find(diagnosis, "driver_library");
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->because_of, "");
  EXPECT_NE(library->next, "");
  EXPECT_NE(diagnosis.answer.find("broken on its own"), std::string::npos) << diagnosis.answer;
}

TEST(Chain, WindowsSubsystem) {
  Machine machine = Fit();
  machine.is_wsl = true;
  machine.pci.reset(), machine.nvidia_version.clear(), machine.modules->clear();
  machine.nodes = {{"/dev/dxg", true, true, false}};
  EXPECT_EQ(RootOf(Diagnose(machine)), "");
  machine.nodes->clear();
  EXPECT_EQ(RootOf(Diagnose(machine)), "gpu");
}

TEST(Chain, OtherVendors) {
  Machine machine;
  machine.is_live = true;
  PciDevice device;
  device.address = "0000:03:00.0", device.vendor = Vendor::kAmd, device.is_gpu = true, device.driver = "amdgpu";
  machine.pci = {device};
  machine.modules = {{"amdgpu"}};
  machine.nodes = {{"/dev/kfd", true, true, false}, {"/dev/dri/renderD128", true, true, false}};
  machine.libraries = {
      {"libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so.6", "loader cache", "", true, FileState::kWhole}};
  EXPECT_EQ(RootOf(Diagnose(machine)), "");
  (*machine.nodes)[0].writable = false;
  EXPECT_NE(Told(Diagnose(machine), "device_nodes").find("render and video"), std::string::npos);
  machine.nodes->clear();
  EXPECT_EQ(RootOf(Diagnose(machine)), "device_nodes");
  machine.modules->clear(), machine.pci->front().driver = "";
  EXPECT_EQ(RootOf(Diagnose(machine)), "kernel_module");
}

Framework Torch(Build build, std::string cuda, std::vector<std::string> archs) {
  Framework one;
  one.id = "torch", one.title = "PyTorch", one.version = "2.5.1", one.build = build, one.cuda = std::move(cuda),
  one.archs = std::move(archs);
  return one;
}

TEST(Frameworks, BuildAgainstDeviceAndDriver) {
  struct Case {
    Framework framework;
    int major, minor;
    const char *driver_cuda, *state, *evidence, *next;
  };
  const Case kCases[] = {
      {Torch(Build::kCpu, "", {}), 9, 0, "13.0", "failure", "for the CPU", "driver is not the cause"},
      {Torch(Build::kCuda, "12.1", {"sm_50", "sm_80", "sm_90"}), 12, 0, "13.0", "failure", "sm_120", "12.8"},
      {Torch(Build::kCuda, "12.1", {"sm_80", "sm_90", "compute_90"}), 12, 0, "13.0", "warning", "PTX", "CUDA_CACHE"},
      {Torch(Build::kCuda, "12.8", {"sm_80", "sm_90", "sm_120"}), 12, 0, "13.0", "ok", "sm_120", ""},
      {Torch(Build::kCuda, "12.8", {"sm_80"}), 8, 9, "13.0", "ok", "", ""},  // 8.0 runs on 8.9
      {Torch(Build::kCuda, "12.8", {"sm_90a"}), 9, 0, "13.0", "ok", "", ""},
      {Torch(Build::kCuda, "12.8", {"sm_90a", "compute_90a"}), 10, 0, "13.0", "failure", "no kernel image", ""},
      {Torch(Build::kCuda, "13.0", {"sm_75"}), 6, 1, "13.0", "failure", "sm_61", ""},  // too old a device
      {Torch(Build::kCuda, "13.0", {"sm_90"}), 9, 0, "12.4", "failure", "the driver offers 12.4", "update the driver"},
      {Torch(Build::kCuda, "12.8", {"sm_90"}), 9, 0, "12.4", "ok", "", ""},  // minor versions fit
      {Torch(Build::kRocm, "", {}), 9, 0, "13.0", "failure", "ROCm", "build for NVIDIA"},
      {Torch(Build::kCuda, "12.8", {}), 12, 0, "13.0", "ok", "", ""},  // nothing is known of kernels
  };
  for (const Case& one : kCases) {
    Machine machine = Fit();
    machine.frameworks = {{one.framework}};
    machine.driver_cuda = one.driver_cuda;
    machine.gpus[0].compute_major = one.major, machine.gpus[0].compute_minor = one.minor;
    const std::string told = Told(Diagnose(machine), "framework_torch");
    EXPECT_TRUE(told.starts_with(one.state)) << told;
    EXPECT_NE(told.find(one.evidence), std::string::npos) << told;
    EXPECT_NE(told.find(one.next), std::string::npos) << told;
  }
}

TEST(Setup, WhichDeviceAProgramGets) {
  Machine machine = Fit();
  machine.cuda.reset();
  machine.gpus.push_back(testing::SomeGpu(1));
  EXPECT_TRUE(Told(Diagnose(machine), "chosen_device").starts_with("ok"));
  machine.gpus[1].name = "NVIDIA GeForce RTX 5090", machine.gpus[1].compute_major = 12;
  EXPECT_NE(Told(Diagnose(machine), "chosen_device").find("CUDA_VISIBLE_DEVICES=1"), std::string::npos);
  (*machine.variables)["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  EXPECT_TRUE(Told(Diagnose(machine), "chosen_device").starts_with("ok"));
  (*machine.variables)["CUDA_VISIBLE_DEVICES"] = "1,7,0";
  EXPECT_NE(Told(Diagnose(machine), "chosen_device").find("only 1 of its 3"), std::string::npos);
  (*machine.variables)["CUDA_VISIBLE_DEVICES"] = "9";
  EXPECT_TRUE(Told(Diagnose(machine), "chosen_device").starts_with("failure"));
}

TEST(Setup, ThreadsOfManyProcesses) {
  Machine machine = Fit();
  machine.cpu_threads = 368;
  machine.ranks = 8;
  EXPECT_NE(Told(Diagnose(machine), "cpu_threads").find("OMP_NUM_THREADS=46"), std::string::npos)
      << Told(Diagnose(machine), "cpu_threads");
  machine.cpu_limit = 4;
  EXPECT_NE(Told(Diagnose(machine), "cpu_threads").find("4 of 368"), std::string::npos);
  (*machine.variables)["OMP_NUM_THREADS"] = "1";
  machine.cpu_limit = 8;
  EXPECT_TRUE(Told(Diagnose(machine), "cpu_threads").starts_with("ok"));
}

TEST(Setup, BridgesThatSendPeerTrafficThroughTheRoot) {
  Machine machine = Fit();
  machine.gpus.push_back(testing::SomeGpu(1));
  machine.bridges = {{"0000:00:01.0", true}, {"0000:00:02.0", true}};
  EXPECT_NE(Told(Diagnose(machine), "peer_access").find("2 bridges"), std::string::npos);
  machine.bridges = {{"0000:00:01.0", false}};
  EXPECT_TRUE(Told(Diagnose(machine), "peer_access").starts_with("ok"));
  machine.gpus.pop_back();
  machine.bridges[0].redirects = true;
  EXPECT_EQ(Told(Diagnose(machine), "peer_access"), "");  // one device has no peers
}

TEST(Setup, Libraries) {
  Machine machine = Fit();
  machine.libraries->push_back(
      {"libcudnn.so.9", "/opt/old/libcudnn.so.9", "LD_LIBRARY_PATH", "9.1.0", true, FileState::kWhole});
  machine.libraries->push_back(
      {"libcudnn.so.9", "/venv/nvidia/cudnn/lib/libcudnn.so.9", "Python package", "9.10.2", false, FileState::kWhole});
  EXPECT_NE(Told(Diagnose(machine), "libcudnn").find("wins over"), std::string::npos);
  machine.libraries->back().version = "9.1.0";
  EXPECT_TRUE(Told(Diagnose(machine), "libcudnn").starts_with("ok"));
  machine.libraries->push_back(
      {"libnvidia-ml.so.1", "/opt/cuda/stubs/libnvidia-ml.so.1", "LD_LIBRARY_PATH", "", true, FileState::kWhole});
  EXPECT_TRUE(Told(Diagnose(machine), "stub_libraries").starts_with("warning"));
}

// Names of devices are checked against what is there.
TEST(Setup, UuidsAreLookedUp) {
  Machine machine = Fit();
  machine.gpus = {SomeGpu(0), SomeGpu(1)};
  machine.gpus[0].uuid = "GPU-11111111-2222-3333-4444-555555555555";
  machine.gpus[1].uuid = "GPU-66666666-7777-8888-9999-000000000000";
  machine.cuda.reset();
  (*machine.variables)["CUDA_VISIBLE_DEVICES"] = "GPU-abcdefab";
  EXPECT_TRUE(Told(Diagnose(machine), "chosen_device").starts_with("failure: CUDA_VISIBLE_DEVICES=\"GPU-abcdefab\""));
  EXPECT_NE(Told(Diagnose(machine), "chosen_device").find("nvidia-smi -L"), std::string::npos);
  (*machine.variables)["CUDA_VISIBLE_DEVICES"] = "GPU-6666";
  EXPECT_TRUE(Told(Diagnose(machine), "chosen_device").starts_with("ok"));
  (*machine.variables)["CUDA_VISIBLE_DEVICES"] = "GPU-6666,GPU-1111,GPU-9";
  EXPECT_NE(Told(Diagnose(machine), "chosen_device").find("only 2 of its 3 words"), std::string::npos);
}

TEST(Setup, GraphicsOfAProcessorBesideACard) {
  Machine machine;
  machine.variables.emplace();
  machine.gpus = {SomeGpu(0), SomeGpu(1)};
  for (Gpu& gpu : machine.gpus) gpu.vendor = Vendor::kAmd;
  machine.gpus[0].name = "AMD Radeon Graphics", machine.gpus[1].name = "AMD Radeon RX 7900 XTX";
  EXPECT_NE(Told(Diagnose(machine), "chosen_device").find("HIP_VISIBLE_DEVICES=1"), std::string::npos);
  (*machine.variables)["HIP_VISIBLE_DEVICES"] = "1";
  EXPECT_TRUE(Told(Diagnose(machine), "chosen_device").starts_with("ok"));
}

TEST(Chain, WslWithALinuxDriverInside) {
  Machine machine = Fit();
  machine.is_wsl = true;
  machine.nodes = {{"/dev/dxg", true, true, false}};
  machine.cuda.reset();
  machine.gpus.clear(), machine.pci.reset(), machine.modules.reset();
  machine.management =
      Management{false, "Failed to initialize NVML: GPU access blocked by the operating system", false};
  machine.libraries = {{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "loader cache", "", true, FileState::kWhole}};
  EXPECT_EQ(RootOf(Diagnose(machine)), "management");
  EXPECT_NE(Told(Diagnose(machine), "management").find("wsl --update"), std::string::npos);
  machine.libraries->front().path = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
  EXPECT_EQ(RootOf(Diagnose(machine)), "driver_library");
  machine.nodes.reset();
  machine.missing_nodes = {"/dev/dxg"};
  EXPECT_EQ(RootOf(Diagnose(machine)), "gpu");
}

}  // namespace
}  // namespace warpscope::doctor

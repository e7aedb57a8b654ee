#include "record/preflight.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "record/testing/fake_system.h"

namespace warpscope::record {
namespace {

using testing::FakeSystem;

// A machine on which everything is in order, and a program that may be recorded.
struct Machine {
  FakeSystem system;
  DeviceState devices;
  PreflightRequest request;

  Machine() {
    system.variables = {{"PATH", "/usr/bin"}};
    system.files["/sys/bus/pci/devices/0000:01:00.0/vendor"] = "0x10de\n";
    system.files["/sys/bus/pci/devices/0000:01:00.0/class"] = "0x030200\n";
    system.files["/proc/driver/nvidia/version"] =
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.1.2  Release Build\n";
    system.files["/proc/driver/nvidia/params"] = "ResmanDebugLevel: 1\nRmProfilingAdminOnly: 0\n";
    for (const char* node : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"}) system.files[node] = "";
    system.files["/usr/lib/x86_64-linux-gnu/libcuda.so.1"] = "";
    system.files["/usr/local/cuda/lib64/libcupti.so.13"] = "";
    system.files["/proc/self/status"] = "CapEff:\t0000000000000000\n";
    system.files["/proc/sys/kernel/perf_event_paranoid"] = "2\n";
    system.AddProgram("/usr/bin/solver");
    device::GpuFacts gpu;
    gpu.name = "Some GPU";
    gpu.persistence_mode = true;
    gpu.mig_mode = false;
    devices.driver_version = "580.1.2";
    devices.cuda_version = "13.0";
    devices.gpus = {gpu};
    request.program = {"solver", "-n", "1"};
  }
  std::vector<Check> Run() const { return RunPreflight(system, devices, request); }
  // No driver in the kernel, so nothing behind it.
  void TakeDriver() {
    system.files.erase("/proc/driver/nvidia/version");
    system.files.erase("/proc/driver/nvidia/params");
    for (const char* node : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"}) system.files.erase(node);
    system.files.erase("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    devices = {};
    devices.status = Status(StatusCode::kNotFound, "libnvidia-ml.so.1 was not found");
  }
};

const Check* Find(const std::vector<Check>& checks, std::string_view id) {
  for (const Check& check : checks) {
    if (check.id == id) return &check;
  }
  return nullptr;
}

void Expect(const Machine& machine, std::string_view id, CheckState state, std::string_view evidence,
            std::string_view next = "") {
  const auto checks = machine.Run();
  const Check* check = Find(checks, id);
  ASSERT_NE(check, nullptr) << id;
  EXPECT_EQ(NameOf(check->state), NameOf(state)) << id << ": " << check->evidence;
  EXPECT_NE(check->evidence.find(evidence), std::string::npos) << check->evidence;
  EXPECT_NE(check->next.find(next), std::string::npos) << check->next;
}

TEST(Preflight, NothingToSayOfAMachineInOrder) {
  const auto checks = Machine().Run();
  std::set<std::string> ids;
  for (const Check& check : checks) {
    EXPECT_EQ(NameOf(check.state), "ok") << check.id << ": " << check.evidence;
    EXPECT_TRUE(check.next.empty()) << check.id;
    EXPECT_TRUE(ids.insert(check.id).second) << check.id << " twice";
  }
  EXPECT_TRUE(LinesBeforeRun(checks).empty());
  EXPECT_GE(checks.size(), 20U);
}

TEST(Preflight, EveryProblemHasANextStep) {
  Machine machine;
  machine.TakeDriver();
  machine.system.files.erase("/usr/local/cuda/lib64/libcupti.so.13");
  for (const Check& check : machine.Run()) {
    EXPECT_FALSE(check.state == CheckState::kFailure && check.because_of.empty() && check.next.empty()) << check.id;
  }
}

TEST(Preflight, WithoutADriverTheFirstBrokenLayerIsTheCause) {
  Machine machine;
  machine.TakeDriver();
  Expect(machine, "gpu", CheckState::kOk, "1 NVIDIA device");
  Expect(machine, "kernel_module", CheckState::kFailure, "not loaded", "modprobe nvidia");
  const auto checks = machine.Run();
  for (const char* id : {"device_nodes", "libcuda", "nvml"}) {
    EXPECT_EQ(NameOf(Find(checks, id)->state), "failure") << id;
    EXPECT_EQ(Find(checks, id)->because_of, "kernel_module") << id;
  }
  const auto lines = LinesBeforeRun(checks);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("modprobe"), std::string::npos);
  machine.system.files["/sys/module/nouveau/refcnt"] = "1";
  Expect(machine, "kernel_module", CheckState::kFailure, "nouveau", "install NVIDIA's driver");
}

TEST(Preflight, WithoutAGpu) {
  Machine machine;
  machine.TakeDriver();
  machine.system.files["/sys/bus/pci/devices/0000:01:00.0/vendor"] = "0x1234\n";
  Expect(machine, "gpu", CheckState::kFailure, "no NVIDIA GPU", "record on a machine");
  EXPECT_EQ(Find(machine.Run(), "kernel_module")->because_of, "gpu");
  // A bus that cannot be seen says nothing of the device.
  machine.system.files.erase("/sys/bus/pci/devices/0000:01:00.0/vendor");
  machine.system.files.erase("/sys/bus/pci/devices/0000:01:00.0/class");
  EXPECT_EQ(Find(machine.Run(), "device_nodes")->because_of, "kernel_module");
}

TEST(Preflight, AContainerWithoutDevices) {
  Machine machine;
  for (const char* node : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"}) machine.system.files.erase(node);
  machine.devices = {};
  machine.devices.status = Status(StatusCode::kNotFound, "no library");
  machine.system.files["/.dockerenv"] = "";
  Expect(machine, "device_nodes", CheckState::kFailure, "container (docker)", "docker run --gpus all");
  machine.system.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  Expect(machine, "device_nodes", CheckState::kFailure, "kubernetes", "nvidia.com/gpu: 1");
}

TEST(Preflight, AContainerWithoutTheDriversLibraries) {
  Machine machine;
  machine.system.files["/run/.containerenv"] = "";
  machine.system.files.erase("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
  Expect(machine, "libcuda", CheckState::kFailure, "no folder", "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
}

TEST(Preflight, WithoutTheManagementLibraryOnlyReadingsAreMissing) {
  Machine machine;
  machine.devices = {};
  machine.devices.status = Status(StatusCode::kNotFound, "libnvidia-ml.so.1 was not found");
  Expect(machine, "nvml", CheckState::kWarning, "no readings");
  Expect(machine, "driver", CheckState::kOk, "580.1.2");
}

TEST(Preflight, LibrariesAndKernelOfDifferentDrivers) {
  Machine machine;
  machine.system.files["/usr/lib/x86_64-linux-gnu/libcuda.so.570.9"] = "";
  machine.system.links["/usr/lib/x86_64-linux-gnu/libcuda.so.1"] = "/usr/lib/x86_64-linux-gnu/libcuda.so.570.9";
  Expect(machine, "libcuda", CheckState::kFailure, "of driver 570.9", "restart");
  machine.system.links["/compat/libcuda.so.1"] = "/usr/lib/x86_64-linux-gnu/libcuda.so.570.9";
  machine.system.variables["LD_LIBRARY_PATH"] = "/compat";
  Expect(machine, "libcuda", CheckState::kOk, "/compat/libcuda.so.1");
  machine.devices = {};
  machine.devices.status =
      Status(StatusCode::kIo, "the driver in the kernel and its libraries are of different versions");
  Expect(machine, "nvml", CheckState::kFailure, "different versions");
}

TEST(Preflight, ADriverThatAnswersProvesWhatLiesUnderIt) {
  Machine machine;
  machine.system.files.erase("/proc/driver/nvidia/version");
  Expect(machine, "kernel_module", CheckState::kOk, "the driver answers");
}

TEST(Preflight, DriversKnownToBreakRecordings) {
  Machine machine;
  machine.devices.driver_version = "465.19.01";
  Expect(machine, "driver", CheckState::kFailure, "pytorch/pytorch#60158", "another version");
  machine.devices.driver_version = "440.1";
  machine.devices.cuda_version = "10.2";
  Expect(machine, "driver", CheckState::kFailure, "CUDA 11 or newer", "newer driver");
}

TEST(Preflight, TheDriverOfAnotherMachine) {
  EXPECT_EQ(CheckSmi("    Driver Version                            : 465.19.01\n    CUDA Version   : 11.3\n").state,
            CheckState::kFailure);
  EXPECT_EQ(CheckSmi("| NVIDIA-SMI 465.19.01    Driver Version: 465.19.01    CUDA Version: 11.3     |\n").state,
            CheckState::kFailure);
  EXPECT_EQ(CheckSmi("<driver_version>465.19.01</driver_version>").state, CheckState::kFailure);
  EXPECT_EQ(CheckSmi("Driver Version : 580.159.04\nCUDA Version : 13.0").state, CheckState::kOk);
  EXPECT_EQ(CheckSmi("no such thing").state, CheckState::kUnknown);
  EXPECT_EQ(CheckSmi("").state, CheckState::kUnknown);
}

TEST(Preflight, CuptiMissingOrElsewhere) {
  Machine machine;
  machine.system.files.erase("/usr/local/cuda/lib64/libcupti.so.13");
  Expect(machine, "cupti", CheckState::kFailure, "no libcupti", "pip install nvidia-cuda-cupti");
  machine.system.variables["WARPSCOPE_CUPTI"] = "/no/libcupti.so";
  Expect(machine, "cupti", CheckState::kFailure, "no such file", "unset WARPSCOPE_CUPTI");
}

TEST(Preflight, CuptiNewerThanTheDriver) {
  Machine machine;
  machine.devices.cuda_version = "12.4";
  Expect(machine, "cupti", CheckState::kFailure, "found elsewhere: /usr/local/cuda/lib64/libcupti.so.13");
  machine.system.variables["WARPSCOPE_CUPTI"] = "/usr/local/cuda/lib64/libcupti.so.13";
  Expect(machine, "cupti", CheckState::kFailure, "the driver offers CUDA 12.4", "update the driver");
}

TEST(Preflight, CuptiOfAnotherVersionThanTheProgram) {
  Machine machine;
  machine.system.AddProgram("/usr/bin/python3.12");
  machine.request.program = {"python3.12", "x.py"};
  machine.system.files["/usr/lib/python3.12/site-packages/torch-2.5.0.dist-info/METADATA"] = "";
  machine.system.files["/usr/lib/python3.12/site-packages/torch/version.py"] = "cuda = '12.4'\n";
  Expect(machine, "cupti", CheckState::kWarning, "PyTorch was built for CUDA 12.4", "nvidia-cuda-cupti-cu12");
  machine.system.files["/usr/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"] = "";
  Expect(machine, "cupti", CheckState::kOk, "cuda_cupti/lib/libcupti.so.12");
}

TEST(Preflight, AnotherCuptiInTheLibraryPath) {
  Machine machine;
  machine.system.files["/old/libcupti.so.12"] = "";
  machine.system.variables["LD_LIBRARY_PATH"] = "/old";
  Expect(machine, "cupti_conflict", CheckState::kWarning, "/old/libcupti.so.12", "take /old out");
}

TEST(Preflight, ARuntimeNewerThanTheDriver) {
  Machine machine;
  Expect(machine, "cuda_runtime", CheckState::kOk, "no libcudart");
  machine.system.files["/a/libcudart.so.13"] = "";
  machine.system.variables["LD_LIBRARY_PATH"] = "/a";
  Expect(machine, "cuda_runtime", CheckState::kOk, "/a/libcudart.so.13 (LD_LIBRARY_PATH)");
  machine.devices.cuda_version = "12.4";
  Expect(machine, "cuda_runtime", CheckState::kWarning, "CUDA 13", "a program for CUDA 12");
}

TEST(Preflight, TheLibraryThatIsLoadedIntoPrograms) {
  Machine machine;
  machine.request.agent = Status(StatusCode::kNotFound, "libwarpscope_agent.so was not found in /x");
  Expect(machine, "agent", CheckState::kFailure, "not found in /x", "install Warpscope");
  machine.request.agent = std::string("/x/libwarpscope_agent.so");
  Expect(machine, "agent", CheckState::kOk, "/x/libwarpscope_agent.so");
}

TEST(Preflight, StubsInTheLibraryPath) {
  Machine machine;
  machine.system.files["/cuda/lib64/stubs/libcuda.so"] = "";
  machine.system.variables["LD_LIBRARY_PATH"] = "/a:/cuda/lib64/stubs:/b";
  Expect(machine, "stubs", CheckState::kWarning, "/cuda/lib64/stubs", "export LD_LIBRARY_PATH=/a:/b");
  machine.system.files["/cuda/lib64/stubs/libcuda.so.1"] = "";
  Expect(machine, "stubs", CheckState::kFailure, "hides the driver", "export LD_LIBRARY_PATH=/a:/b");
}

TEST(Preflight, LibrariesOfARunningProgram) {
  const std::string good =
      "7f00-7f10 r-xp 00000000 08:01 1 /usr/lib/libcuda.so.580.1\n7f20-7f30 r-xp 00000000 08:01 2 "
      "/c/lib/libcupti.so.13\n"
      "7f30-7f40 rw-p 00001000 08:01 2 /c/lib/libcupti.so.13\n7f40-7f50 rw-p 0 00:00 0 [heap]\n";
  EXPECT_EQ(CheckMaps(good).state, CheckState::kOk);
  const Check two = CheckMaps(good + "7f60-7f70 r-xp 0 08:01 3 /d/extras/CUPTI/lib64/libcupti.so.12 (deleted)\n");
  EXPECT_EQ(two.state, CheckState::kFailure);
  EXPECT_NE(two.evidence.find("/c/lib/libcupti.so.13"), std::string::npos);
  EXPECT_NE(two.evidence.find("/d/extras/CUPTI/lib64/libcupti.so.12"), std::string::npos);
  const Check stub = CheckMaps(
      good + "7f60-7f70 r-xp 0 08:01 3 /x/lib64/stubs/libcuda.so.1\n7f80-7f90 r-xp 0 08:01 4 /e/libcupti.so.12\n");
  EXPECT_EQ(stub.state, CheckState::kFailure);
  for (const char* path : {"/x/lib64/stubs/libcuda.so.1", "/c/lib/libcupti.so.13", "/e/libcupti.so.12"})
    EXPECT_NE(stub.evidence.find(path), std::string::npos) << path;
  EXPECT_EQ(CheckMaps("nothing").state, CheckState::kUnknown);
}

TEST(Preflight, OtherToolsInTheEnvironment) {
  {
    Machine machine;
    machine.system.variables["CUDA_INJECTION64_PATH"] = "/opt/other.so";
    Expect(machine, "injection", CheckState::kWarning, "/opt/other.so", "unset CUDA_INJECTION64_PATH");
    machine.system.variables["CUDA_INJECTION64_PATH"] = "/opt/libwarpscope_agent.so";
    Expect(machine, "injection", CheckState::kOk, "no other");
  }
  {
    Machine machine;
    machine.system.variables["LD_PRELOAD"] = "/x/libjemalloc.so:/opt/libToolsInjectionProxy64.so";
    Expect(machine, "injection", CheckState::kFailure, "libToolsInjectionProxy64", "unset LD_PRELOAD");
    machine.system.variables["LD_PRELOAD"] = "/x/libjemalloc.so";
    Expect(machine, "injection", CheckState::kOk, "no other");
  }
  {
    Machine machine;
    machine.system.variables["NSYS_PROFILING_SESSION_ID"] = "7";
    Expect(machine, "other_profiler", CheckState::kFailure, "Nsight Systems", "outside of that tool");
  }
  {
    Machine machine;
    machine.system.parent_pid = 20;
    machine.system.files["/proc/20/comm"] = "bash\n";
    machine.system.files["/proc/20/status"] = "Name:\tbash\nPPid:\t10\n";
    machine.system.files["/proc/10/comm"] = "ncu\n";
    machine.system.files["/proc/10/status"] = "PPid:\t1\n";
    Expect(machine, "other_profiler", CheckState::kFailure, "Nsight Compute (process 10)");
  }
  {
    Machine machine;
    machine.system.variables["KINETO_USE_DAEMON"] = "1";
    Expect(machine, "other_profiler", CheckState::kWarning, "PyTorch", "unset KINETO_USE_DAEMON");
  }
}

TEST(Preflight, CountersNeedPermissionAndTimelinesDoNot) {
  Machine machine;
  machine.system.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 1\n";
  Expect(machine, "counter_permission", CheckState::kWarning, "timelines are recorded",
         "NVreg_RestrictProfilingToAdminUsers=0");
  EXPECT_TRUE(LinesBeforeRun(machine.Run()).empty());
  machine.system.files["/.dockerenv"] = "";
  Expect(machine, "counter_permission", CheckState::kWarning, "timelines", "--cap-add=SYS_ADMIN");
  machine.system.files["/proc/self/status"] = "CapEff:\t0000000000200000\n";
  Expect(machine, "counter_permission", CheckState::kOk, "this is one");
}

TEST(Preflight, DcgmHoldsCounters) {
  Machine machine;
  machine.system.files["/proc/44/comm"] = "nv-hostengine\n";
  Expect(machine, "dcgm", CheckState::kWarning, "process 44", "dcgmi profiling --pause");
  machine.system.files.erase("/proc/44/comm");
  Expect(machine, "dcgm", CheckState::kOk, "no DCGM");
  machine.system.files["/proc/net/tcp"] =
      "  sl  local_address rem_address   st\n   0: 0100007F:15B3 00000000:0000 0A 0\n";
  Expect(machine, "dcgm", CheckState::kWarning, "port 5555");
}

TEST(Preflight, ModesOfDevices) {
  Machine machine;
  device::GpuFacts& gpu = machine.devices.gpus[0];
  gpu.mig_mode = true;
  gpu.persistence_mode = false;
  Expect(machine, "mig", CheckState::kWarning, "split");
  Expect(machine, "persistence_mode", CheckState::kWarning, "seconds", "nvidia-smi -pm 1");
  EXPECT_TRUE(LinesBeforeRun(machine.Run()).empty());
  gpu.virtualization = "vgpu";
  Expect(machine, "vgpu", CheckState::kWarning, "virtual", "enable_profiling");
  gpu.compute_mode = "prohibited";
  Expect(machine, "compute_mode", CheckState::kFailure, "prohibited", "nvidia-smi -c DEFAULT");
  machine.system.variables["CUDA_VISIBLE_DEVICES"] = "";
  Expect(machine, "visible_devices", CheckState::kWarning, "hides every device", "unset");
  machine.system.variables["CUDA_VISIBLE_DEVICES"] = "7";
  Expect(machine, "visible_devices", CheckState::kWarning, "CUDA_VISIBLE_DEVICES=7", "unset");
  machine.system.variables["CUDA_VISIBLE_DEVICES"] = "0";
  Expect(machine, "visible_devices", CheckState::kOk, "CUDA_VISIBLE_DEVICES=0");
}

TEST(Preflight, Programs) {
  Machine machine;
  machine.request.program = {"nothing"};
  Expect(machine, "program", CheckState::kFailure, "not found", "PATH");
  machine.system.AddProgram("/home/me/old", false);
  machine.request.program = {"./old"};
  Expect(machine, "program", CheckState::kFailure, "32-bit");
  machine.system.AddProgram("/home/me/static", true, false);
  machine.request.program = {"./static"};
  Expect(machine, "program", CheckState::kWarning, "statically", "without -static");
  machine.system.AddProgram("/home/me/root");
  machine.system.infos["/home/me/root"].gains_rights = true;
  machine.request.program = {"./root"};
  Expect(machine, "program", CheckState::kWarning, "gains rights");
  machine.system.files["/home/me/data"] = "text";
  machine.request.program = {"./data"};
  Expect(machine, "program", CheckState::kFailure, "may not be executed", "chmod +x");
  machine.system.AddScript("/home/me/run", "#!/opt/gone\n");
  machine.request.program = {"./run"};
  Expect(machine, "program", CheckState::kFailure, "/opt/gone, which was not found");
  machine.system.AddScript("/home/me/run", "#!/usr/bin/env -S solver -x\n");
  Expect(machine, "program", CheckState::kOk, "/home/me/run -> /usr/bin/solver");
  machine.system.AddScript("/home/me/loop", "#!/home/me/loop\n");
  machine.request.program = {"./loop"};
  EXPECT_NE(Find(machine.Run(), "program"), nullptr);  // ends
  machine.system.AddScript("/home/me/empty", "");
  machine.request.program = {"./empty"};
  Expect(machine, "program", CheckState::kOk, "run by a shell");
}

TEST(Preflight, ThePlaceOfTheRun) {
  Machine machine;
  machine.request.output = "/gone/run";
  Expect(machine, "output", CheckState::kFailure, "no such folder", "mkdir -p /gone");
  machine.request.output = "run1";
  Expect(machine, "output", CheckState::kOk, "/home/me");
  machine.system.free_bytes = 200u << 20;
  Expect(machine, "output", CheckState::kWarning, "200 MiB free");
  machine.system.free_bytes = 1u << 20;
  Expect(machine, "output", CheckState::kFailure, "1 MiB free");
  machine.system.infos["/home/me"] = {.is_folder = true, .is_writable = false};
  Expect(machine, "output", CheckState::kFailure, "no permission");
}

TEST(Preflight, SamplesOfTheHost) {
  Machine machine;
  machine.system.perf_event_error = EACCES;
  machine.system.files["/proc/sys/kernel/perf_event_paranoid"] = "4\n";
  Expect(machine, "host_samples", CheckState::kWarning, "perf_event_paranoid is 4",
         "sysctl kernel.perf_event_paranoid=1");
  machine.system.perf_event_error = ENOSYS;
  Expect(machine, "host_samples", CheckState::kUnknown, "no samples");
  machine.system.files["/proc/sys/kernel/yama/ptrace_scope"] = "2\n";
  Expect(machine, "ptrace", CheckState::kWarning, "ptrace_scope is 2", "ptrace_scope=1");
  machine.system.files["/proc/sys/kernel/yama/ptrace_scope"] = "1\n";
  Expect(machine, "ptrace", CheckState::kOk, "own children");
}

TEST(Preflight, DevicesOfOtherVendors) {
  Machine machine;
  machine.system.files["/dev/kfd"] = "";
  Expect(machine, "other_vendor", CheckState::kOk, "an AMD GPU");
  machine.TakeDriver();
  Expect(machine, "other_vendor", CheckState::kWarning, "NVIDIA devices only", "rocprofv3");
  machine.system.files.erase("/dev/kfd");
  machine.system.files["/dev/davinci_manager"] = "";
  Expect(machine, "other_vendor", CheckState::kWarning, "an Ascend NPU", "msprof");
}

TEST(Preflight, UnderWindows) {
  Machine machine;
  machine.TakeDriver();
  machine.system.files["/proc/sys/kernel/osrelease"] = "5.15.0-microsoft-standard-WSL2\n";
  machine.system.files["/dev/dxg"] = "";
  machine.system.files["/usr/lib/wsl/lib/libcuda.so.1"] = "";
  Expect(machine, "gpu", CheckState::kOk, "Windows");
  Expect(machine, "libcuda", CheckState::kFailure, "not on the loader's way",
         "export LD_LIBRARY_PATH=/usr/lib/wsl/lib");
}

}  // namespace
}  // namespace warpscope::record

// The same fault in other words: other versions, tools, languages and parts of their output. Each kind gives one
// answer.
#include <gtest/gtest.h>

#include "doctor/read/read.h"
#include "doctor/testing/machines.h"

namespace warpscope::doctor {
namespace {

using testing::Told;

struct Variant {
  std::string text;
  std::string_view step, state, part;  // of its evidence
  int exit_code;
};

void ExpectAll(std::initializer_list<Variant> variants) {
  for (const Variant& one : variants) {
    FactFiles files;
    files.AddText(one.text, "text");
    const Diagnosis diagnosis = Diagnose(files.Finish());
    const std::string told = Told(diagnosis, one.step);
    EXPECT_TRUE(told.starts_with(one.state)) << one.text << "\n" << told << "\n" << diagnosis.answer;
    EXPECT_NE(told.find(one.part), std::string::npos) << one.text << "\n" << told;
    EXPECT_EQ(diagnosis.exit_code, one.exit_code) << one.text << "\n" << diagnosis.answer;
  }
}

TEST(Variants, FrameworkForTheCpu) {
  ExpectAll({
      {">>> import torch\n>>> torch.__version__\n'2.7.1+cpu'\n>>> torch.version.cuda\n>>> torch.cuda.is_available()\n"
       "False\n",
       "framework_torch", "failure", "2.7.1+cpu is a build for the CPU", kExitBroken},
      {"In [2]: torch.version.cuda\n\nIn [3]: torch.__version__\nOut[3]: '2.1.0'\n", "framework_torch", "failure",
       "2.1.0 is a build for the CPU", kExitBroken},
      {"$ python3 -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())'\n"
       "2.4.0 None False\n",
       "framework_torch", "failure", "2.4.0 is a build for the CPU", kExitBroken},
      {"# Name   Version   Build  Channel\npytorch   2.1.0   py3.10_cpu_0   pytorch\n", "framework_torch", "failure",
       "build for the CPU", kExitBroken},
      {"pytorch   2.1.0   py3.10_cuda12.1_cudnn8.9.2_0   pytorch\n", "framework_torch", "ok", "for CUDA 12.1", 0},
      {"Name: torch\nVersion: 2.5.1+cpu\nSummary: Tensors\n", "framework_torch", "failure", "build for the CPU",
       kExitBroken},
      {"Python 3.11.4\r\nPyTorch 2.3.1+cpu\r\n", "framework_torch", "failure", "2.3.1+cpu", kExitBroken},
      {">>> tf.test.is_built_with_cuda()\nFalse\n", "framework_tensorflow", "failure", "build for the CPU",
       kExitBroken},
      // A build for the CPU is not what an unknown build is.
      {"PyTorch version: 2.2.0\nCUDA used to build PyTorch: Could not collect\nIs CUDA available: False\n",
       "framework_torch", "failure", "2.2.0; it says that no GPU is available", kExitBroken},
  });
}

TEST(Variants, NoKernelsForTheDevice) {
  ExpectAll({
      {"    Found GPU0 NVIDIA RTX 5080 which is of cuda capability 12.0.\n    Minimum and Maximum cuda capability "
       "supported by this version of PyTorch is\n    (5.0) - (9.0)\n",
       "framework_torch", "failure", "supports the compute capabilities 5.0 to 9.0, and GPU NVIDIA RTX 5080 is sm_120",
       kExitBroken},
      // Binaries of 12.0 run on 12.1, whatever the range says.
      {"    Found GPU0 NVIDIA GB10 which is of cuda capability 12.1.\n    Minimum and Maximum cuda capability "
       "supported "
       "by this version of PyTorch is\n    (8.0) - (12.0)\n",
       "framework_torch", "ok", "PyTorch", kExitBroken},
      {"    Found GPU0 NVIDIA GeForce GT 710 which is of cuda capability 3.5.\n    PyTorch no longer supports this GPU "
       "because it is too old.\n    The minimum cuda capability supported by this library is 3.7.\n",
       "framework_torch", "failure", "supports compute capability 3.7 and newer", kExitBroken},
      {">>> torch.cuda.get_arch_list()\n['sm_50', 'sm_80', 'sm_90']\n>>> torch.cuda.get_device_capability(0)\n(12, "
       "0)\n",
       "framework_torch", "failure", "sm_120", kExitBroken},
      {">>> torch.cuda.get_arch_list()\n['sm_80', 'sm_90', 'compute_90']\n>>> "
       "torch.cuda.get_device_capability(0)\n(12, 0)\n",
       "framework_torch", "warning", "only PTX", kExitWarning},
      // No list: the compiler of that CUDA does not know the device.
      {"PyTorch version: 2.5.1+cu121\nCUDA used to build PyTorch: 12.1\nIs CUDA available: True\nGPU models and "
       "configuration: GPU 0: NVIDIA GeForce RTX 5090\nNvidia driver version: 590.48.01\n",
       "framework_torch", "failure", "for which CUDA 12.8 is the first", kExitBroken},
      {"PyTorch version: 2.5.1+cu121\nCUDA used to build PyTorch: 12.1\nGPU models and configuration: GPU 0: NVIDIA "
       "GeForce RTX 4090\n",
       "framework_torch", "ok", "CUDA 12.1", 0},
  });
}

TEST(Variants, VersionsThatDiffer) {
  ExpectAll({
      {"nvidia 565.77-8\nnvidia-utils 570.86.16-1\n$ cat /sys/module/nvidia/version\n565.77\n", "driver_library",
       "failure", "version 570.86.16, the kernel's driver is version 565.77", kExitBroken},
      {"nvidia-driver-cuda-libs-560.35.05-1.el9.x86_64\n# modinfo nvidia | grep ^version\nversion:        560.35.03\n# "
       "nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\n",
       "driver_library", "failure", "version 560.35.05, the kernel's driver is version 560.35.03", kExitBroken},
      {"filename:       /lib/modules/6.5.0/updates/dkms/nvidia.ko\nversion:        535.161.07\nNVRM version: NVIDIA "
       "UNIX "
       "x86_64 Kernel Module  535.154.05  Thu Dec 28 15:51:29 UTC 2023\n",
       "kernel_module", "warning", "the module on disk is 535.161.07", kExitWarning},
      {"level=error msg=\"failed to create device plugin: nvml: Driver/library version mismatch\"\n", "driver_library",
       "failure", "different versions", kExitBroken},
      {"Fehler beim Initialisieren von NVML: Driver/library version mismatch\nNVML-Bibliotheksversion: 570.86\n",
       "driver_library", "failure", "570.86", kExitBroken},
      // What nvidia-smi shows to work is not broken by a package that waits for its restart.
      {"| NVIDIA-SMI 550.90.07    Driver Version: 550.90.07    CUDA Version: 12.4 |\n|   0  NVIDIA A10   On  | "
       "00000000:07:00.0 Off |   0 |\n| 0%  34C  P0  60W / 150W |  0MiB / 23028MiB |  0%   Default |\n\n\nii  "
       "libnvidia-compute-550:amd64  550.107.02-0ubuntu1 amd64\n",
       "driver_library", "", "", 0},
  });
  FactFiles files;
  files.AddText(
      "[ 12.5] NVRM: API mismatch: the client has the version 550.107.02, but\n"
      "               NVRM: this kernel module has the version 550.90.07.  Please\n",
      "dmesg");
  const Diagnosis diagnosis = Diagnose(files.Finish());
  EXPECT_EQ(testing::RootOf(diagnosis), "driver_library");
  const Step* fault = testing::Find(diagnosis, "fault_nv-version-mismatch");
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->because_of, "driver_library");
}

TEST(Variants, DevicesTakenFromAContainer) {
  ExpectAll({
      {"$ docker exec -it train nvidia-smi\nFailed to initialize NVML: Unknown Error\n$ strace -e openat "
       "nvidia-smi\nopenat(AT_FDCWD, \"/dev/nvidiactl\", O_RDWR) = -1 EPERM (Operation not permitted)\n",
       "device_nodes", "failure", "/dev/nvidiactl: there, and the control group forbids", kExitBroken},
      {"c 195:254 rw\nc 195:0 rw\n# after systemctl daemon-reload\nc 195:* m\n", "device_nodes", "failure",
       "no rule \"c 195:* rw\"", kExitBroken},
      {"c 195:* m\n\nc 195:254 rw\nc 195:0 rw\n", "device_nodes", "unknown", "", 0},
      {"head: cannot open '/dev/nvidia0' for reading: Operation not permitted\n", "device_nodes", "failure",
       "/dev/nvidia0: there", kExitBroken},
  });
}

TEST(Variants, FabricNotReady) {
  ExpectAll({
      {"msg=\"Unable to load cudart library libcuda.so.580.65.06: cuda driver library init failure: 802\"\n", "fabric",
       "failure", "CUDA answers 802", kExitBroken},
      {"ggml_cuda_init: failed to initialize CUDA: system not yet initialized\n", "fabric", "failure", "802",
       kExitBroken},
      {"cudaGetDeviceCount returned 802\n     Active: failed (Result: exit-code) since Mon\nOct 06 09:00:00 gpu1 "
       "nv-fabricmanager[1234]: fabric manager NVIDIA GPU driver interface version 575.57.08 don't match with driver "
       "version 580.95.05. Please update with matching NVIDIA driver package.\n",
       "fabric", "failure", "Fabric Manager is of version 575.57.08, the driver is 580.95.05", kExitBroken},
  });
}

TEST(Variants, UnifiedMemoryModule) {
  ExpectAll({
      {"ls: Zugriff auf '/dev/nvidia-uvm' nicht m\xC3\xB6glich: Datei oder Verzeichnis nicht gefunden\n",
       "device_nodes", "failure", "/dev/nvidia-uvm: missing; nvidia-smi works", kExitBroken},
      {"ls: cannot access '/dev/nvidia*': No such file or directory\n", "device_nodes", "failure", "/dev/nvidia0",
       kExitBroken},
      {"nvidia_uvm 1540096 0 - Live 0x0000000000000000\nnvidia 56770560 19 nvidia_uvm, Live "
       "0x0000000000000000\n/dev/nvidia0 /dev/nvidiactl /dev/nvidia-uvm\ncuInit failed with error code "
       "CUDA_ERROR_UNKNOWN (999)\n",
       "cuda_start", "failure", "though nvidia_uvm is loaded", kExitBroken},
  });
}

TEST(Variants, PeerAccess) {
  ExpectAll({
      {"GPU 0: NVIDIA RTX A6000 (UUID: GPU-1b8a0b3a-0000-0000-0000-000000000000)\nGPU 1: NVIDIA RTX A6000 (UUID: "
       "GPU-1b8a0b3a-0000-0000-0000-000000000001)\n$ lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- "
       "ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n",
       "peer_access", "warning", "(ACS) is on at 1 bridge:", kExitWarning},
  });
}

TEST(Variants, PartsOfAQuery) {
  constexpr std::string_view kRows =
      "    Remapped Rows\n        Correctable Error                 : 0\n        Uncorrectable Error               : "
      "1\n        Pending                           : Yes\n        Remapping Failure Occurred        : No\n";
  ExpectAll({
      {std::string(kRows), "row_remapping", "warning", "waits for a reset", kExitWarning},
      {"GPU 00000000:18:00.0\n" + std::string(kRows), "row_remapping", "warning", "waits", kExitWarning},
      {"Remapped Rows\n    Correctable Error : 0\n    Uncorrectable Error : 1\n    Pending : No\n    Remapping Failure "
       "Occurred : Yes\n",
       "row_remapping", "failure", "could not be replaced", kExitCritical},
  });
}

TEST(Variants, HeldByNobody) {
  constexpr std::string_view kTable =
      "| NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0     |\n|   0  NVIDIA A100-SXM...  On  "
      " | 00000000:07:00.0 Off |                    0 |\n| N/A   34C    P0    60W / 400W |  10151MiB / 81920MiB |    "
      "100%      Default |\n| Processes:                                                 |\n|  No running processes "
      "found                              |\n";
  ExpectAll({
      {std::string(kTable), "memory_use", "warning", "no process is listed", kExitWarning},
      {"pid, process_name, used_gpu_memory [MiB]\n12345, python, 10000 MiB\n  PID STAT COMMAND\n    1 Ss   systemd\n  "
       "777 Dl   python3\n",
       "memory_use", "warning", "python (12345) 9.8 GiB, which is not seen here", kExitWarning},
      {"|    0   N/A  N/A      2201      C   python                           10140MiB |\nUSER  PID %CPU %MEM VSZ RSS "
       "TTY STAT START TIME COMMAND\nalice  2201  0.0  0.0  0  0 ?  Zl  10:00  1:01 python\n",
       "memory_use", "failure", "is in state Z", kExitBroken},
      {std::string(kTable) +
           "\n\n\n                     USER   PID ACCESS COMMAND\n/dev/nvidia0:        alice  2202 F...m "
           "python\n",
       "memory_use", "warning", "held by python (2202)", kExitWarning},
  });
}

TEST(Variants, OldDriverAndSystemMemory) {
  constexpr std::string_view kModules =
      "Memory Device\n\tSize: 16 GB\nMemory Device\n\tSize: No Module Installed\n00:02.0 VGA compatible controller: "
      "Intel Corporation Raptor Lake-P [Iris Xe Graphics] (rev 04)\n";
  ExpectAll({
      {"PyTorch version: 2.5.1+cu124\nCUDA used to build PyTorch: 12.4\nIs CUDA available: False\nNvidia driver "
       "version: 470.57.02\nGPU models and configuration: GPU 0: Tesla V100-SXM2-16GB\n",
       "framework_torch", "failure", "the driver offers no more than 11 (it is 470.57.02)", kExitBroken},
      {std::string(kModules), "memory_channels", "warning", "one module is plugged in", kExitWarning},
      // A card does not use it.
      {std::string(kModules) + "01:00.0 VGA compatible controller: NVIDIA Corporation AD107M [GeForce RTX 4060] (rev "
                               "a1)\n\tKernel driver in use: nvidia\n",
       "memory_channels", "", "", 0},
  });
}

// A kernel's log begins as a list of JSON does.
TEST(Variants, LogThatIsNoJson) {
  ExpectAll({
      {"[    1.234567] usb 1-4: new high-speed USB device\n[    2.000000] IPv6: eth0: link becomes ready\n", "faults",
       "ok", "no fault", 0},
      {"[{\"gpu\": 0, \"temperature\": {", "inputs", "warning", "", 1},
  });
}

// A value that no device can have says nothing; a unit that stands apart belongs to its number.
TEST(Variants, OddValues) {
  const auto table = [](const std::string& temperature, const std::string& memory) {
    return "| NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0     |\n|   0  NVIDIA A10  On   | "
           "00000000:07:00.0 Off |  0 |\n| N/A   " +
           temperature + "  P0    60 W / 150W | " + memory + " |    0%      Default |\n";
  };
  ExpectAll({
      {table("104 \xC2\xB0"
             "F",
             "12MiB / 23028MiB"),
       "temperature", "ok", "40 C", 0},
      {table("104F", "12MiB / 23028MiB"), "power_limit", "ok", "60 W of 150 W", 0},
      {table("34C", "infMiB / infMiB"), "memory_use", "", "", 0},
  });
  FactFiles files;
  files.AddText("index, name, ecc.errors.uncorrected.volatile.total, pcie.link.gen.current\n0, NVIDIA A10, 0.4, 4\n",
                "a");
  const Machine machine = files.Finish();
  EXPECT_EQ(machine.impossible.size(), 1U);
  EXPECT_EQ(Diagnose(machine).exit_code, kExitWarning);
  // rocm-smi --showrasinfo: only the memory's own block, and only where it is on.
  ExpectAll({
      {"GPU[0]\t\t: RAS INFO\nBlock  Status  Correctable Error  Uncorrectable Error\nUMC  ENABLED  3  0\nSDMA  "
       "DISABLED  "
       "0  7\nGFX  DISABLED  5  9\n",
       "ecc", "ok", "3 corrected", 0},
      {"GPU[0]\t\t: RAS INFO\nBlock  Status  Correctable Error  Uncorrectable Error\nUMC  ENABLED  0  0\nGFX  ENABLED  "
       "0  "
       "2\n",
       "vendor_health", "failure", "2 uncorrected errors in the block GFX", kExitBroken},
      {"GPU[0]\t\t: RAS INFO\nBlock  Status  Correctable Error  Uncorrectable Error\nUMC  ENABLED  0  2\n", "ecc",
       "failure", "2 uncorrected", kExitBroken},
  });
}

}  // namespace
}  // namespace warpscope::doctor

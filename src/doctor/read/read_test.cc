// What was printed on another machine gives the answer that the machine would give.
#include "doctor/read/read.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "doctor/testing/machines.h"

namespace warpscope::doctor {
namespace {

using testing::RootOf;
using testing::Told;

Diagnosis Of(const std::vector<std::string_view>& texts) {
  FactFiles files;
  for (const std::string_view text : texts) files.AddText(text, "text");
  return Diagnose(files.Finish());
}

void Expect(const Diagnosis& diagnosis, std::string_view id, std::string_view state, std::string_view part) {
  const std::string told = Told(diagnosis, id);
  EXPECT_TRUE(told.starts_with(state)) << id << ": " << told << "\n" << diagnosis.answer;
  EXPECT_NE(told.find(part), std::string::npos) << id << ": " << told;
}

std::string Smi(std::string_view of_gpu, std::string_view id = "00000000:3B:00.0") {
  return "<?xml version=\"1.0\" "
         "?>\n<nvidia_smi_log>\n<driver_version>580.95.05</driver_version>\n<cuda_version>13.0</cuda_version>\n"
         "\t<gpu id=\"" +
         std::string(id) + "\">\n\t\t<product_name>NVIDIA H200</product_name>\n" + std::string(of_gpu) +
         "\t</gpu>\n</nvidia_smi_log>\n";
}

TEST(Read, Utf16WithoutAMark) {
  const std::string text =
      Smi("\t\t<ecc_errors><volatile><dram_uncorrectable>3</dram_uncorrectable></volatile></ecc_errors>\n");
  for (const bool is_big : {false, true}) {
    std::string wide;
    for (const char c : text) wide += is_big ? std::string{'\0', c} : std::string{c, '\0'};
    const Diagnosis plain = Of({text}), decoded = Of({wide});
    EXPECT_EQ(decoded.answer, plain.answer);
    EXPECT_NE(decoded.answer.find("H200"), std::string::npos) << decoded.answer;
  }
}

// A field that no device can have costs that field: it is told, and the others are judged.
TEST(Read, ImpossibleValues) {
  const std::string whole =
      "\t\t<temperature><gpu_temp>1e20 C</gpu_temp></temperature>\n"
      "\t\t<pci><pci_gpu_link_info><pcie_gen><current_link_gen>77</current_link_gen></pcie_gen><link_widths>"
      "<current_link_width>4096x</current_link_width></link_widths></pci_gpu_link_info></pci>\n"
      "\t\t<gpu_power_readings><power_draw>-40.00 W</power_draw></gpu_power_readings>\n"
      "\t\t<clocks><sm_clock>99999999 MHz</sm_clock></clocks>\n"
      "\t\t<fb_memory_usage><total>81920 MiB</total><used>99999999 MiB</used></fb_memory_usage>\n"
      "\t\t<ecc_errors><volatile><dram_uncorrectable>18446744073709551615</dram_uncorrectable></volatile>"
      "</ecc_errors>\n";
  std::string text = Smi(whole);
  text.insert(text.find("\t<gpu "), "\t<attached_gpus>-5</attached_gpus>\n");
  FactFiles files;
  files.AddText(text, "smi.xml");
  const Machine machine = files.Finish();
  const Diagnosis diagnosis = Diagnose(machine);
  EXPECT_EQ(diagnosis.exit_code, kExitWarning) << diagnosis.answer;
  EXPECT_EQ(diagnosis.answer.find("cut short"), std::string::npos) << diagnosis.answer;
  std::string all;
  for (const std::string& one : machine.impossible) {
    EXPECT_TRUE(one.starts_with("smi.xml: ")) << one;
    all += one + "\n";
  }
  for (const char* part :
       {"attached_gpus -5", "temperature_gpu 1e+20 celsius", "pcie_gen_current 77", "pcie_width_current 4096",
        "power_draw -40 watts", "clock_sm 1e+08 mhz", "memory_used ", "ecc_uncorrected 1.84467e+19"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  // The same of other vendors' tools.
  for (const char* other : {"GPU: 0\n    TEMPERATURE:\n        HOTSPOT: 99999 °C\n        EDGE: 40 °C\n",
                            "GPU[0]\t\t: Temperature (Sensor edge) (C): 99999.0\nGPU[0]\t\t: GPU use (%): 3\n",
                            "| Device ID | 0 |\n| GPU Core Temperature (C) | 99999 |\n| GPU Power (W) | 92 |\n"}) {
    FactFiles one;
    one.AddText(other, "text");
    const Machine read = one.Finish();
    ASSERT_EQ(read.impossible.size(), 1U) << other;
    EXPECT_NE(read.impossible[0].find("99999 celsius"), std::string::npos) << read.impossible[0];
  }
}

TEST(Read, WhatCannotBeJudgedIsNotInOrder) {
  const Diagnosis diagnosis = Of(
      {"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>580.95.05</driver_version>\n</nvidia_smi_log>\n"});
  EXPECT_EQ(diagnosis.exit_code, 1) << diagnosis.answer;
}

TEST(Read, FilesOfTwoMachines) {
  const std::string first = Smi("");
  std::string other = first;
  other.replace(other.find("580.95.05"), 9, "470.82.01");
  Expect(Of({first, other}), "inputs", "warning", "driver 470.82.01 there and 580.95.05 before");
  other = first;
  other.replace(other.find("NVIDIA H200"), 11, "Tesla K80");
  Expect(Of({first, other}), "inputs", "warning", "is Tesla K80 there and NVIDIA H200 before");
  // The same product in the words of another tool, and the same file twice.
  other = first;
  other.replace(other.find("NVIDIA H200"), 11, "H200");
  for (const std::string& same : {first, other}) EXPECT_EQ(Told(Of({first, same}), "inputs"), "");
}

TEST(Read, FrameworkForTheCpu) {
  const Diagnosis diagnosis =
      Of({"PyTorch version: 2.2.0+cpu\nCUDA used to build PyTorch: None\nROCM used to build PyTorch: N/A\n"
          "Is CUDA available: False\nGPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090\nNvidia driver "
          "version: 550.54.14\n"});
  EXPECT_EQ(RootOf(diagnosis), "framework_torch");
  Expect(diagnosis, "framework_torch", "failure", "2.2.0+cpu is a build for the CPU");
  Expect(Of({"Package    Version\n---------- -------\ntorch      2.2.0+cpu\n"}), "framework_torch", "failure", "CPU");
  Expect(Of({"tensorflow-cpu==2.18.0\n"}), "framework_tensorflow", "failure", "CPU");
  Expect(Of({"[pip3] torch==2.6.0+cu124\n"}), "framework_torch", "ok", "CUDA 12.4");
}

TEST(Read, ArchitecturesOfAFramework) {
  const Diagnosis missing = Of(
      {"NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
       "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.\n"
       "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"});
  EXPECT_EQ(RootOf(missing), "framework_torch");
  Expect(missing, "framework_torch", "failure", "12.8");
  for (const Step& step : missing.steps) {
    if (step.part == Part::kLog && step.state == State::kFailure) {
      EXPECT_EQ(step.because_of, "framework_torch") << step.id;
    }
  }
  Expect(Of({"arch list: ['sm_80', 'sm_90', 'compute_90']\ndevice capability (12, 0)\n"}), "framework_torch", "warning",
         "PTX");
  Expect(Of({"arch list [sm_50..sm_90]: sm_50 sm_60 sm_90\ndevice 12.0\n"}), "framework_torch", "failure", "sm_120");
}

TEST(Read, DriverAndLibraryOfTwoVersions) {
  constexpr std::string_view kError =
      "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 525.85\n";
  constexpr std::string_view kKernel =
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  520.56.06  Thu Oct  6 21:38:55 UTC 2022\n";
  const Diagnosis diagnosis = Of({kError, kKernel});
  EXPECT_EQ(RootOf(diagnosis), "driver_library");
  Expect(diagnosis, "driver_library", "failure", "525.85");
  Expect(diagnosis, "driver_library", "failure", "520.56.06");
  Expect(diagnosis, "management", "failure", "mismatch");
  Expect(Of({kError}), "driver_library", "failure", "restart the machine");
  // They agree on the host, the container's are older.
  Expect(Of({"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  x\nlrwxrwxrwx 1 root root 20 Mar 1 10:00 "
             "/usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.129.03\n12:devices:/docker/3f1b9a0c4d5e6f70\n"}),
         "driver_library", "failure", "restart the container");
}

TEST(Read, ContainerAfterAReload) {
  constexpr std::string_view kNodes =
      "crw-rw-rw- 1 root root 195, 255 Jan 1 10:00 /dev/nvidiactl\ncrw-rw-rw- 1 root root 195, 0 Jan 1 10:00 "
      "/dev/nvidia0\n"
      "crw-rw-rw- 1 root root 510, 0 Jan 1 10:00 /dev/nvidia-uvm\n";
  EXPECT_EQ(RootOf(Of({"c 195:254 rw\nc 195:0 rw\n", kNodes})), "");
  const Diagnosis after =
      Of({"devices.list before:\nc 195:254 rw\nc 195:0 rw\ndevices.list after:\nc 1:3 rwm\nc 195:* m\nFailed to "
          "initialize NVML: Unknown Error\n",
          kNodes});
  EXPECT_EQ(RootOf(after), "device_nodes");
  Expect(after, "device_nodes", "failure", "reload of systemd");
  Expect(Of({kNodes, "open(\"/dev/nvidiactl\", O_RDWR) = -1 EPERM (Operation not permitted)\n"}), "device_nodes",
         "failure", "/dev/nvidiactl");
}

TEST(Read, FabricNotReady) {
  const std::string smi = Smi("<fabric><state>In Progress</state><status>N/A</status></fabric>\n");
  Expect(Of({smi}), "fabric", "failure", "In Progress");
  Expect(Of({smi, "Fabric Manager version is : 575.57.08\n"}), "fabric", "failure",
         "install nvidia-fabricmanager 580.95.05");
  Expect(Of({smi,
             "a.service loaded active running A\nb.service loaded active running B\nc.service loaded active running C\n"
             "d.service loaded active running D\ne.service loaded active running E\n"}),
         "fabric", "failure", "not in the list of services");
  Expect(Of({Smi(""),
             "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized\n"}),
         "fabric", "failure", "802");
  Expect(Of({smi.substr(0, smi.find("In Progress")) + "Completed</state></fabric></gpu></nvidia_smi_log>\n"}), "fabric",
         "ok", "Completed");
}

TEST(Read, UvmMissing) {
  const Diagnosis diagnosis =
      Of({"crw-rw-rw- 1 root root 195, 0 Jan 1 10:00 /dev/nvidia0\ncrw-rw-rw- 1 root root 195, 255 Jan 1 10:00 "
          "/dev/nvidiactl\n",
          "Module                  Size  Used by\nnvidia_modeset       1306624  1\nnvidia              56823808  1 "
          "nvidia_modeset\n",
          "cuInit result 999\n"});
  EXPECT_EQ(RootOf(diagnosis), "device_nodes");
  Expect(diagnosis, "device_nodes", "failure", "nvidia_uvm is not loaded");
  EXPECT_EQ(testing::Find(diagnosis, "cuda_start")->because_of, "device_nodes");
  Expect(Of({"nvidia0 nvidiactl nvidia-uvm\n"}), "device_nodes", "ok", "1 device file");
}

TEST(Read, BridgesAndLinks) {
  const Diagnosis diagnosis = Of(
      {"00:01.0 PCI bridge: Intel Corporation Device 352a (rev 04)\n\tBus: primary=00, secondary=01, subordinate=01\n"
       "\tLnkCap:\tPort #1, Speed 8GT/s, Width x8\n\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+\n"
       "01:00.0 3D controller [0302]: NVIDIA Corporation AD102GL [RTX 5880 Ada Generation] [10de:26b3] (rev a1)\n"
       "\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 "
       "(downgraded)\n\tKernel driver in use: nvidia\n"
       "02:00.0 3D controller [0302]: NVIDIA Corporation AD102GL [RTX 5880 Ada Generation] [10de:26b3] (rev a1)\n",
       Smi("", "00000000:01:00.0")});
  Expect(diagnosis, "peer_access", "warning", "0000:00:01.0");
  Expect(diagnosis, "peer_access", "warning", "NCCL_P2P_DISABLE=1 only works around");
  Expect(diagnosis, "pcie_link", "warning", "the slot has no more");
  const Diagnosis gone = Of({"3b:00.0 3D controller: NVIDIA Corporation GH100 (rev ff)\n"});
  EXPECT_EQ(RootOf(gone), "gpu");
  EXPECT_EQ(gone.exit_code, kExitCritical);
  Expect(Of({"06:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev 41)\n"}), "gpu",
         "failure", "no NVIDIA");
}

TEST(Read, RowRemapping) {
  constexpr std::string_view kPending =
      "<remapped_rows><remapped_row_corr>0</remapped_row_corr><remapped_row_unc>4</remapped_row_unc>"
      "<remapped_row_pending>Yes</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></"
      "remapped_rows>\n";
  constexpr std::string_view kFailed =
      "<remapped_rows><remapped_row_pending>No</remapped_row_pending><remapped_row_failure>Yes</remapped_row_failure></"
      "remapped_rows>\n";
  constexpr std::string_view kCorrected =
      "<remapped_rows><remapped_row_corr>3</remapped_row_corr><remapped_row_unc>0</remapped_row_unc>"
      "<remapped_row_pending>No</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></"
      "remapped_rows>\n";
  EXPECT_EQ(Of({Smi(kPending)}).exit_code, kExitWarning);
  Expect(Of({Smi(kPending)}), "row_remapping", "warning", "no failure");
  EXPECT_EQ(Of({Smi(kFailed)}).exit_code, kExitCritical);
  EXPECT_EQ(Of({Smi(kCorrected)}).exit_code, kExitInOrder);
  EXPECT_EQ(Told(Of({Smi("<remapped_rows>N/A</remapped_rows>\n")}), "row_remapping"), "");
  // A log that is older than what the driver tells.
  constexpr std::string_view k63 =
      "[ 100.1] NVRM: Xid (PCI:0000:3b:00): 63, pid=1, Row Remapper: New row marked for remapping, reset gpu to "
      "activate.\n";
  constexpr std::string_view k64 = "[ 100.1] NVRM: Xid (PCI:0000:3b:00): 64, pid=1, Row Remapper: remapping failed\n";
  EXPECT_LT(Of({Smi(kPending), k63}).exit_code, kExitCritical);
  EXPECT_EQ(Of({k64}).exit_code, kExitCritical);
  EXPECT_EQ(Of({Smi(kCorrected), k64}).exit_code, kExitWarning);
}

TEST(Read, MemoryWithoutAProcess) {
  const std::string smi =
      Smi("\t\t<fb_memory_usage><total>16384 MiB</total><used>10151 "
          "MiB</used></fb_memory_usage>\n\t\t<processes>\n\t\t</processes>\n");
  Expect(Of({smi}), "memory_use", "warning", "no process is listed");
  Expect(Of({smi, "  PID STAT COMMAND\n    1 Ss   systemd\n 4711 D    python3\n"}), "memory_use", "failure",
         "python3 (4711) is in state D");
  Expect(
      Of({smi,
          "gpu_bus_id, pid, process_name, used_gpu_memory [MiB]\n00000000:3B:00.0, 9999, /usr/bin/python3, 10100 MiB\n",
          "  PID STAT COMMAND\n    1 Ss   systemd\n"}),
      "memory_use", "warning", "python3 (9999)");
}

TEST(Read, DevicesWithoutMemoryOrSplit) {
  const std::string shared =
      Smi("<product_architecture>Blackwell</product_architecture><fb_memory_usage><total>Not "
          "Supported</total><used>Not Supported</used></fb_memory_usage>\n"
          "<utilization><gpu_util>96 %</gpu_util></utilization><gpu_power_readings><power_draw>30.00 "
          "W</power_draw><current_power_limit>N/A</current_power_limit></gpu_power_readings>\n",
          "0000000F:01:00.0");
  const Diagnosis diagnosis = Of({shared, "MemTotal:       125000000 kB\n"});
  EXPECT_EQ(diagnosis.exit_code, kExitInOrder) << diagnosis.answer;
  Expect(diagnosis, "memory_use", "ok", "shares that of the system (119.2 GiB)");
  const std::string split = Smi(
      "<mig_mode><current_mig>Enabled</current_mig><pending_mig>Enabled</pending_mig></"
      "mig_mode><utilization><gpu_util>N/A</gpu_util></utilization>\n"
      "<mig_devices><mig_device><index>0</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</"
      "compute_instance_id>"
      "<fb_memory_usage><total>40448 MiB</total><used>38 MiB</used></fb_memory_usage></mig_device></mig_devices>\n");
  Expect(Of({split}), "mig", "ok", "utilisation is not told");
}

TEST(Read, LogsAndReports) {
  const Diagnosis lost =
      Of({"Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the system to recover this "
          "GPU\n",
          "[ 100.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus.\n"});
  EXPECT_EQ(RootOf(lost), "management");
  Expect(lost, "management", "failure", "the log says why: Xid 79");
  EXPECT_EQ(lost.exit_code, kExitCritical);
  // A bug report: sections one after the other.
  const Diagnosis report =
      Of({"____________________________________________\n\n*** /proc/driver/nvidia/version\n*** ls: -r--r--r-- 1 root "
          "root 0 2025-01-01 00:00:00 /proc/driver/nvidia/version\n"
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release "
          "Build\n____________________________________________\n\n/usr/bin/nvidia-smi --query\n\n"
          "==============NVSMI LOG==============\n\nDriver Version                            : 580.95.05\nCUDA "
          "Version                              : 13.0\n\nAttached GPUs                             : 1\n"
          "GPU 00000000:3B:00.0\n    Product Name                          : NVIDIA H200\n    Remapped Rows\n        "
          "Correctable Error                 : 0\n        Pending                           : Yes\n"
          "        Remapping Failure Occurred        : No\n    Processes                             : "
          "None\n____________________________________________\n\n"
          "[ 100.1] NVRM: Xid (PCI:0000:3b:00): 63, pid=1, Row Remapper: New row marked for remapping\n"});
  Expect(report, "kernel_module", "ok", "580.95.05, open kernel modules");
  Expect(report, "management", "ok", "1 device");
  Expect(report, "row_remapping", "warning", "no failure");
  EXPECT_NE(Told(report, "fault_xid-63"), "");
}

TEST(Read, HostAndNetwork) {
  Expect(Of({"CPU(s): 368\ncpu.max: 400000 100000\nOMP_NUM_THREADS unset\nLOCAL_WORLD_SIZE=8\n"}), "cpu_threads",
         "warning", "4 of 368");
  Expect(Of({"CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tLink layer: "
             "InfiniBand\n"
             "CA 'mlx5_1'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Polling\n\t\tRate: 10\n\t\tLink layer: "
             "InfiniBand\n"}),
         "network", "warning", "mlx5_1 port 1");
  const Diagnosis maps =
      Of({"7f00-7f10 r-xp 00000000 08:01 1 /opt/cuda/lib64/stubs/libcuda.so.1\n7f20-7f30 r-xp 00000000 08:01 2 "
          "/opt/a/libcupti.so.12\n"
          "7f40-7f50 r-xp 00000000 08:01 3 /opt/b/libcupti.so.13\n"});
  Expect(maps, "driver_library", "failure", "stub");
  Expect(maps, "libcupti", "warning", "/opt/b/libcupti.so.13");
}

TEST(Read, UnknownTextIsSaidToBeUnknown) {
  const Diagnosis diagnosis = Of({"Dear diary, today nothing happened.\n"});
  EXPECT_EQ(diagnosis.exit_code, 1);
  EXPECT_EQ(RootOf(diagnosis), "");
}

TEST(Read, OutputThatIsCutShort) {
  const std::string whole = Smi("\t\t<minor_number>0</minor_number>\n");
  Expect(Of({whole.substr(0, whole.find("\t</gpu>"))}), "inputs", "warning", "cut short: no whole device");
  std::string eight = whole;
  eight.insert(eight.find("\t<gpu "), "\t<attached_gpus>8</attached_gpus>\n");
  Expect(Of({eight}), "inputs", "warning", "counts 8 devices and tells of 1");
  Expect(Of({eight.substr(0, eight.find("</nvidia_smi_log>"))}), "inputs", "warning", "1 whole device of the 8");
  EXPECT_EQ(Told(Of({whole}), "inputs"), "");
  EXPECT_NE(Of({eight}).answer.find("in what was read"), std::string::npos) << Of({eight}).answer;
  Expect(Of({"{\"card0\": {\"Temperature (Sensor edge) (C)\": \"31.0\", \"Volta"}), "inputs", "warning",
         "nothing in it");
  constexpr std::string_view kText =
      "==============NVSMI LOG==============\n\nAttached GPUs                             : 1\n"
      "GPU 00000000:3B:00.0\n    Product Name                          : NVIDIA H200\n"
      "    Temperature\n        GPU Current Temp                  : 40 C\n"
      "    Processes                             : None\n";
  EXPECT_EQ(Told(Of({kText}), "inputs"), "");
  Expect(Of({kText.substr(0, kText.find("    Processes"))}), "inputs", "warning", "cut short");
}

TEST(Read, CountsBelowZeroAreNone) {
  const Diagnosis diagnosis =
      Of({Smi("\t\t<ecc_errors><volatile><sram_uncorrectable>-3</sram_uncorrectable></volatile></ecc_errors>\n"
              "\t\t<temperature><gpu_temp>-5 C</gpu_temp></temperature>\n")});
  EXPECT_NE(diagnosis.exit_code, kExitInOrder);
  Expect(diagnosis, "inputs", "warning", "-3");
  EXPECT_EQ(Told(diagnosis, "inputs").find("temperature"), std::string::npos);
  EXPECT_EQ(Told(diagnosis, "ecc").find("no uncorrected memory error since"), std::string::npos);
}

TEST(Read, LinksBetweenDevices) {
  const Diagnosis diagnosis =
      Of({"GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n",
          "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: Replay Errors: 0\n\t Link 0: CRC Errors: 7\n"});
  Expect(diagnosis, "nvlink", "warning", "1 of 2 links are down");
  Expect(Of({"GPU 1: Tesla V100 (UUID: GPU-1)\n\t Link 0: CRC FLIT Errors: 0\n\t Link 1: Replay Errors: 2500\n"}),
         "nvlink", "warning", "2500 errors");
}

TEST(Read, ErrorsKeepTheLineOfTheirFile) {
  const Diagnosis diagnosis =
      Of({"MemTotal: 1000 kB\n\nstep 1\nRuntimeError: CUDA error: device-side assert triggered\n"});
  bool told = false;
  for (const Step& step : diagnosis.steps) told = told || step.evidence.find("(line 4)") != std::string::npos;
  EXPECT_TRUE(told);
}

// A log that is longer than what is looked through for facts: its newest lines count most.
TEST(Read, TheEndOfALongFile) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / ("warpscope_long_log_" + std::to_string(::getpid()));
  {
    std::ofstream out(path, std::ios::binary);
    out << "[    0.5] x\n";
    for (int i = 0; i < 40000; ++i) {
      out << "[    1.000000] usb 1-1: new high-speed USB device number 7\n";
      if (i == 20000) out << "[    2.0] NVRM: Xid (PCI:0000:5b:00): 48, pid=1, in the middle\n";
    }
    out << "[  9.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
           "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  x\n";
  }
  FactFiles files(false, {size_t{1} << 20, size_t{256} << 10});
  ASSERT_TRUE(files.AddFile(path.string()).ok());
  std::filesystem::remove(path);
  const Machine machine = files.Finish();
  EXPECT_NE(machine.inputs[0].find("of its 2 MiB the first 1 MiB"), std::string::npos) << machine.inputs[0];
  EXPECT_EQ(machine.nvidia_version, "550.54.14");
  Expect(Diagnose(machine), "fault_xid-79", "failure", "0000:3b:00.0");
  Expect(Diagnose(machine), "fault_xid-48", "failure", "0000:5b:00.0");
}

TEST(Read, TextOfOtherVendors) {
  const Diagnosis amd =
      Of({"GPU: 0\n    POWER:\n        SOCKET_POWER: 748 W\n        THROTTLE_STATUS: THROTTLED\n    TEMPERATURE:\n"
          "        EDGE: N/A\n        HOTSPOT: 99 \xC2\xB0"
          "C\n        MEM: 82 \xC2\xB0"
          "C\n    ECC:\n"
          "        TOTAL_CORRECTABLE_COUNT: 4\n        TOTAL_UNCORRECTABLE_COUNT: 2\n"});
  Expect(amd, "ecc", "failure", "2 uncorrected");
  Expect(amd, "temperature", "warning", "99 C");
  Expect(amd, "vendor_health", "warning", "throttled");
  const Diagnosis monitor =
      Of({"GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   DOUBLE_ECC\n  0   95 W   37 \xC2\xB0"
          "C   N/A   132 MHz   0 %   N/A   3\n"});
  Expect(monitor, "ecc", "failure", "3 uncorrected");
  Expect(monitor, "power_limit", "ok", "95 W");
  const Diagnosis table =
      Of({"============ ROCm System Management Interface ============\n=========== Concise Info ===========\n"
          "GPU  Temp   AvgPwr  SCLK    MCLK     Fan   Perf  PwrCap  VRAM%  GPU%\n"
          "0    31.0c  39.0W   300Mhz  1200Mhz  0.0%  auto  290.0W    0%   0%\n"
          "1    106.0\xC2\xB0"
          "C  unknown  500Mhz 1600Mhz 0% auto 300.0W 0% 0%\n======= End of ROCm SMI Log =======\n"});
  EXPECT_EQ(table.exit_code, kExitWarning);
  Expect(table, "temperature", "ok", "31 C");
  Expect(Of({"GPU[2]\t\t: Temperature (Sensor junction) (C): 104.0\nGPU[2]\t\t: Card series: Instinct MI250X\n"}),
         "temperature", "warning", "104 C");
  const Diagnosis intel =
      Of({"| Device ID | 0 |\n| GPU Power (W) | 92 |\n| GPU Core Temperature (C) | Tile 0: 46; Tile 1: 91 |\n",
          "| Device ID | 0 |\n| 1. GPU Core Temperature | Status: Ok |\n| 4. GPU Memory | Status: Critical |\n"
          "| | Description: The device has an uncorrectable memory error |\n"});
  Expect(intel, "temperature", "warning", "91 C");
  Expect(intel, "vendor_health", "failure", "GPU Memory");
  EXPECT_EQ(intel.exit_code, kExitCritical);
  const Diagnosis npu =
      Of({"+------------------------------------------------------------------------------------------------+\n"
          "| npu-smi 23.0.rc2                 Version: 23.0.rc2                                              |\n"
          "+---------------------------+---------------+----------------------------------------------------+\n"
          "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
          "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n"
          "+===========================+===============+====================================================+\n"
          "| 1     910B3               | Alarm         | 90.6        43                0    / 0             |\n"
          "| 0                         | 0000:C2:00.0  | 0           0    / 0          4152 / 65536         |\n"
          "+===========================+===============+====================================================+\n"});
  Expect(npu, "vendor_health", "failure", "Alarm");
}

}  // namespace
}  // namespace warpscope::doctor

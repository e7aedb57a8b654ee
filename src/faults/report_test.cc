// Whole logs to incidents: what is the root, what follows, who must act.
#include "faults/report.h"

#include <gtest/gtest.h>

namespace warpscope::faults {
namespace {

Report ReportOf(std::string_view text) {
  MachineFacts machine;
  BurstFolder folder;
  Scanner scanner(&machine, [&](Event event) { folder.Add(std::move(event)); });
  scanner.BeginLog("log");
  scanner.Feed(text);
  scanner.EndLog();
  std::vector<Burst> bursts = folder.Take();
  return MakeReport(std::move(bursts), scanner.logs(), std::move(machine), folder.repeated_count(),
                    folder.folded_late_count());
}

std::string_view IdOf(const Report& report, size_t at) {
  return report.bursts[report.incidents[at].roots.front()].first.entry->id;
}

struct Line {
  const char* text;
  const char* id;      // "" if it is no fault
  const char* device;  // "" if the line names none
  uint64_t pid;
};

TEST(FaultsReport, ReadsLinesOfAllYears) {
  constexpr Line kLines[] = {
      {"NVRM: Xid (0000:03:00): 13, 0005 00000000 0000502d 00000104", "xid-13", "0000:03:00.0", 0},
      {"NVRM: Xid (0000:01:00): 31, Ch 0000000b, engmask 00000120, intr 10000000", "xid-31", "0000:01:00.0", 0},
      {"NVRM: Xid (PCI:0000:3b:00): 43, pid=77, Ch 00000008", "xid-43", "0000:3b:00.0", 77},
      {"NVRM: Xid (PCI:0000:3b:00.0): 31, pid=77, name=my prog, Ch 00000008", "xid-31", "0000:3b:00.0", 77},
      {"NVRM: Xid (PCI:0018:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", "xid-79",
       "0018:01:00.0", 0},
      {"NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: New row marked", "xid-63", "0000:10:1c.0", 1896},
      {"NVRM: Xid (PCI:0000:05:00): 99999, unknown error", "xid-unknown", "0000:05:00.0", 0},
      {"NVRM: Xid (PCI:0000:05:00): , garbage", "", "", 0},
      {"NVRM: GPU 0000:29:00.0: GPU has fallen off the bus.", "nv-fallen-off-bus", "0000:29:00.0", 0},
      {"NVRM: GPU at 00000000:81:00.0 has fallen off the bus.", "nv-fallen-off-bus", "0000:81:00.0", 0},
      {"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1474)", "nv-init-failed", "0000:01:00.0", 0},
      {"NVRM: Timeout waiting for RPC from GSP! Expected function 76 (GSP_RM_CONTROL)", "nv-gsp-timeout", "", 0},
      {"NVRM: API mismatch: the client has the version 525.85.12, but", "nv-version-mismatch", "", 0},
      {"nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up", "sxid-20034", "0000:06:00.0",
       0},
      {"nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Severity 1 Engine instance 60", "", "", 0},
      {"nvidia-nvswitch0: SXid (PCI:0000:00:00.0): xyz, Fatal error", "", "", 0},
      {"pcieport 0000:00:02.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, id=0010(Transmitter ID)",
       "aer-corrected", "0000:00:02.0", 0},
      {"pcieport 0000:00:02.0: AER: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer",
       "aer-nonfatal", "0000:00:02.0", 0},
      {"pcieport 0000:00:02.0: AER: Uncorrected (Fatal) error received: id=0010", "aer-fatal", "0000:00:02.0", 0},
      {"Out of memory: Killed process 4242 (python3) total-vm:1kB", "oom-kill", "", 4242},
      {"Memory cgroup out of memory: Kill process 4242 (python3) score 1 or sacrifice child", "oom-kill-cgroup", "",
       4242},
      {"amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2", "amd-ring-timeout",
       "0000:03:00.0", 0},
      {"amdgpu 0000:03:00.0: amdgpu: 4 correctable hardware errors detected in umc block", "amd-ras-correctable",
       "0000:03:00.0", 0},
      {"amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0", "", "", 0},
      {"i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:85dffffb, in python [1234]", "intel-gpu-hang", "0000:00:02.0",
       1234},
      {"xe 0000:03:00.0: [drm] CRITICAL: Xe has declared device 0000:03:00.0 as wedged.", "intel-wedged",
       "0000:03:00.0", 0},
      {"Display driver nvlddmkm stopped responding and has successfully recovered.", "win-display-4101", "", 0},
      {"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.144.03  Mon Dec 30", "", "", 0},
      {"LiveKernelEvent 141", "win-live-kernel-141", "", 0},
      {"NVRM: Xid: 13, 0003 00000000 00008297 00001b0c", "xid-13", "", 0},
      {"NVRM: Xid (0002:00): 13, 0005 00000000 00004097", "xid-13", "0000:02:00.0", 0},
      {"NVRM: GPU 0000:01:00.0 is already bound to vfio-pci.", "nv-probe-failed", "0000:01:00.0", 0},
      {"NVRM: nvGpuOpsReportFatalError: uvm encountered global fatal error 0x60, requiring os reboot to recover.",
       "nv-uvm-fatal", "", 0},
      {"NVRM: _kgspLogXid119: ******* GSP Timeout *******", "", "", 0},
      {"nvidia 0000:b1:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)", "aer-corrected",
       "0000:b1:00.0", 0},
      {"nvidia 0000:01:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0014 address=0xf4000000 flags=0x0010]",
       "iommu-fault", "0000:01:00.0", 0},
      {"nvidia 0000:01:00.0: Unable to change power state from D3cold to D0, device inaccessible", "pcie-inaccessible",
       "0000:01:00.0", 0},
      {"amdgpu 0000:03:00.0: amdgpu: 0 new uncorrectable hardware errors detected in umc block", "", "", 0},
      {"amdgpu 0000:03:00.0: amdgpu: Uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!",
       "amd-ras-uncorrectable", "0000:03:00.0", 0},
      {"amdgpu 0000:03:00.0: amdgpu: MES(1) failed to respond to msg=REMOVE_QUEUE", "amd-firmware-hang", "0000:03:00.0",
       0},
      {"[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process llama pid 94 thread llama pid 94",
       "amd-ring-timeout", "", 94},
      {"kfd kfd: amdgpu: skipped device 1002:7300, PCI rejects atomics 730<0", "amd-no-atomics", "", 0},
      {"xe 0000:03:00.0: [drm] Tile0: GT0: Engine memory CAT error: guc_id=21", "intel-engine-reset", "0000:03:00.0",
       0},
      {"xe 0000:03:00.0: [drm] *ERROR* GT0: load failed: status = 0x400000A0, time = 10ms", "intel-guc", "0000:03:00.0",
       0},
      {"xe 0000:03:00.0: [drm] GT0: Timedout job: seqno=4294967169, guc_id=2, flags=0x0 in python3 [1234]",
       "intel-engine-reset", "0000:03:00.0", 1234},
      {"i915 0000:00:02.0: [drm] Xorg[77] context reset due to GPU hang", "intel-gpu-hang", "0000:00:02.0", 77},
      {"xe 0000:03:00.0: [drm] Using GuC firmware from i915/dg2_guc_70.bin version 70.36.0", "", "", 0},
      {"watchdog: BUG: soft lockup - CPU#3 stuck for 23s! [nv_queue:1234]", "hung-task", "", 1234},
      {"EDAC MC0: 1 UE memory read error on CPU_SrcID#0_Ha#0_Chan#0_DIMM#0", "mce-uncorrected", "", 0},
  };
  for (const Line& line : kLines) {
    SCOPED_TRACE(line.text);
    const Report report = ReportOf(line.text);
    if (*line.id == '\0') {
      EXPECT_TRUE(report.bursts.empty());
      continue;
    }
    ASSERT_EQ(report.bursts.size(), 1u);
    const Event& event = report.bursts[0].first;
    EXPECT_EQ(event.entry->id, line.id);
    EXPECT_EQ(event.device ? TextOf(*event.device) : "", line.device);
    EXPECT_EQ(event.pid.value_or(0), line.pid);
  }
}

TEST(FaultsReport, CleanUpFollowsWhatCameBefore) {
  const Report report = ReportOf(
      "[100.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=7, name=python, Ch 00000008\n"
      "[100.2] NVRM: Xid (PCI:0000:3b:00): 43, pid=7, name=python, Ch 00000008\n"
      "[101.0] NVRM: Xid (PCI:0000:5e:00): 45, pid=8, name=python, Ch 00000008\n"
      "[101.1] NVRM: Xid (PCI:0000:5e:00): 45, pid=8, name=python, Ch 00000009\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(IdOf(report, 0), "xid-31");
  EXPECT_EQ(report.incidents[0].followers.size(), 2u);
  EXPECT_EQ(report.bursts[2].count, 2u);
  EXPECT_EQ(ActorOf(report.incidents[0]), "the application");
}

TEST(FaultsReport, FurtherLinesOfOneFaultTellMoreAndCountOnce) {
  const Report report = ReportOf(
      "[99.51] amdgpu 0000:87:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:88 vmid:4 pasid:32772)\n"
      "[99.51] amdgpu 0000:87:00.0: amdgpu:  for process llama pid 94 thread llama pid 94)\n"
      "[99.52] amdgpu 0000:87:00.0: amdgpu:  Faulty UTCL2 client ID: TCP (0x8)\n"
      "[109.6] amdgpu 0000:87:00.0: amdgpu: GPU reset begin!\n"
      "[111.2] [drm] VRAM is lost due to GPU reset!\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(IdOf(report, 0), "amd-page-fault");
  EXPECT_EQ(report.incidents[0].count, 1u);
  EXPECT_EQ(report.incidents[0].followers.size(), 2u);
  EXPECT_EQ(report.bursts[0].programs.size(), 1u);
  EXPECT_EQ(report.bursts[0].first.details.size(), 1u);
}

TEST(FaultsReport, IndentedLinesWithoutATimeBelongToTheOneBefore) {
  const Report report = ReportOf(
      "[ 3.51] NVRM: The NVIDIA GPU 0000:09:00.0 (PCI ID: 10de:1d01)\n"
      "               NVRM: installed in this system is not supported by open\n"
      "               NVRM: nvidia.ko because it does not include the required GPU\n"
      "[ 3.53] NVRM: The NVIDIA probe routine failed for 1 device(s).\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(IdOf(report, 0), "nv-unsupported-gpu");
  EXPECT_EQ(report.bursts[0].first.time.clock, Clock::kBoot);
  EXPECT_EQ(TextOf(*report.bursts[0].first.device), "0000:09:00.0");
}

TEST(FaultsReport, TwoSxidsNeedTheFabricsResetThoughTheLineSaysNonFatal) {
  for (const char* line : {"nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 19084, Non-fatal, Link 30 AN1 Heartbeat Timeout",
                           "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 10003, Non-fatal, unhandled interrupt"}) {
    const Report report = ReportOf(line);
    ASSERT_EQ(report.incidents.size(), 1u);
    EXPECT_EQ(report.incidents[0].action(), Action::kResetFabric) << line;
  }
}

TEST(FaultsReport, ALoneCleanUpIsNoFault) {
  const Report report = ReportOf("[9.0] NVRM: Xid (PCI:0000:3b:00): 45, pid=7, name=python, Ch 00000008\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(report.severity, Severity::kInfo);
}

TEST(FaultsReport, TheLineMayNameItsCause) {
  const Report report = ReportOf(
      "[10.0] NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x1 0x2)\n"
      "[10.1] NVRM: Xid (PCI:0008:01:00): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x1 0x2)\n"
      "[10.2] NVRM: Xid (PCI:0009:01:00): 45, pid=1, name=a, Ch 00000001 caused by previous Xid 149\n"
      "[10.3] NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot "
      "Required)\n");
  ASSERT_EQ(report.incidents.size(), 2u);
  EXPECT_EQ(IdOf(report, 0), "xid-149");
  EXPECT_EQ(report.incidents[0].severity, Severity::kCritical);
  EXPECT_EQ(report.incidents[0].action(), Action::kReboot);  // Xid 154 asks for it
  EXPECT_EQ(IdOf(report, 1), "xid-145");
  EXPECT_EQ(report.incidents[1].severity, Severity::kWarning);
}

TEST(FaultsReport, ALostGpuExplainsWhatFollowsAndItsPeers) {
  const Report report = ReportOf(
      "[50.0] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
      "[50.1] NVRM: GPU 0000:91:00.0: GPU has fallen off the bus.\n"
      "[62.0] nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up\n"
      "[62.1] NVRM: Xid (PCI:0000:4e:00): 74, pid=3, name=python, NVLink: fatal error detected on link 4\n"
      "[95.0] NVRM: Xid (PCI:0000:91:00): 119, pid=9, name=nvidia-smi, Timeout waiting for RPC from GSP!\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(IdOf(report, 0), "xid-79");
  EXPECT_EQ(report.incidents[0].followers.size(), 4u);
  EXPECT_EQ(report.incidents[0].action(), Action::kReboot);
}

TEST(FaultsReport, PortErrorsAreMappedToTheGpuBelow) {
  const Report report = ReportOf(
      "[0.1] pci 0000:3b:00.0: [10de:2330] type 00 class 0x030200\n"
      "[0.2] pci 0000:3a:00.0: PCI bridge to [bus 3b]\n"
      "[9.0] pcieport 0000:3a:00.0: AER: Corrected error received: 0000:3a:00.0\n"
      "[9.0] pcieport 0000:3a:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n"
      "[9.5] pcieport 0000:3a:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(report.incidents[0].count, 2u);  // the line that announces is not one more
  ASSERT_EQ(report.incidents[0].devices.size(), 1u);
  EXPECT_EQ(TextOf(report.incidents[0].devices[0]), "0000:3b:00.0");
  EXPECT_EQ(TextOf(report.incidents[0].ports.at(0)), "0000:3a:00.0");
}

TEST(FaultsReport, TheTreeOfLspciMapsPorts) {
  PciTree tree;
  for (const char* line : {"-[0000:00]-+-00.0  Intel Corporation Host",
                           "           +-01.0-[01-03]----00.0-[02-03]--+-00.0-[03]----00.0  NVIDIA Corporation GH100",
                           "           |                               \\-04.0  PLX Technology",
                           "           \\-1f.0  Intel Corporation LPC"})
    EXPECT_TRUE(tree.ReadLspciLine(line)) << line;
  for (const PciAddress port : {PciAddress{0, 0, 1, 0}, PciAddress{0, 1, 0, 0}, PciAddress{0, 2, 0, 0}}) {
    ASSERT_EQ(tree.GpusAt(port).size(), 1u) << TextOf(port);
    EXPECT_EQ(TextOf(tree.GpusAt(port)[0]), "0000:03:00.0");
  }
}

TEST(FaultsReport, PendingIsNoFailureAndContainedIsTheProgramsAlone) {
  const Report report = ReportOf(
      "[5.0] NVRM: Xid (PCI:0000:19:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE)\n"
      "[5.1] NVRM: Xid (PCI:0000:19:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x1) marked\n"
      "[5.2] NVRM: Xid (PCI:0000:19:00): 94, pid=5, name=python3.10, Ch 00000008\n");
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(IdOf(report, 0), "xid-48");
  EXPECT_EQ(report.incidents[0].action(), Action::kRestartApplication);
  EXPECT_EQ(report.incidents[0].severity, Severity::kError);
  const Report pending = ReportOf("[5.1] NVRM: Xid (PCI:0000:19:00): 63, Row Remapper: New row (0x1) marked\n");
  EXPECT_EQ(pending.incidents.at(0).action(), Action::kResetGpu);
  EXPECT_EQ(pending.severity, Severity::kWarning);
}

TEST(FaultsReport, GspTimeoutsAreOneFaultAndTheAdviceFitsTheModules) {
  std::string log = "[1.0] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n";
  for (int at = 0; at < 30; ++at)
    log += "[" + std::to_string(1000 + 45 * at) +
           ".5] NVRM: Xid (PCI:0000:3b:00): 119, pid=" + std::to_string(100 + at) +
           ", name=app, Timeout waiting for RPC from GSP! Expected function 76 (GSP_RM_CONTROL) (0x20800a3f 0x4).\n";
  const Report report = ReportOf(log);
  ASSERT_EQ(report.bursts.size(), 1u);
  EXPECT_EQ(report.bursts[0].count, 30u);
  EXPECT_EQ(report.bursts[0].programs.size(), Burst::kMostPrograms);
  EXPECT_EQ(report.machine.nvidia_version, "580.95.05");
  ASSERT_EQ(report.incidents[0].notes.size(), 1u);
  EXPECT_NE(report.incidents[0].notes[0].find("always need the GSP"), std::string::npos);
  EXPECT_EQ(report.incidents[0].notes[0].find("EnableGpuFirmware"), std::string::npos);
}

TEST(FaultsReport, MemoryDoesNotGrowWithTheLog) {
  std::string log;
  for (int at = 0; at < 20000; ++at)
    log += "[" + std::to_string(at * 500) + ".5] NVRM: Xid (PCI:0000:3b:00): 31, pid=" + std::to_string(at + 1) +
           ", name=a\n";
  const Report report = ReportOf(log);
  EXPECT_EQ(report.bursts.size(), BurstFolder::kMostBursts);
  ASSERT_EQ(report.incidents.size(), 1u);
  EXPECT_EQ(report.incidents[0].count, 20000u);
}

TEST(FaultsReport, Utf16AndEndlessLines) {
  std::string wide = "\xFF\xFE";
  for (const char byte : std::string("NVRM: Xid (PCI:0000:3b:00): 79, GPU\r\n")) wide += std::string({byte, '\0'});
  EXPECT_EQ(ReportOf(wide).incidents.size(), 1u);
  const std::string endless =
      "NVRM: Xid (PCI:0000:3b:00): 79, " + std::string(1 << 20, 'x') + "\nNVRM: Xid (PCI:0000:3b:00): 31, a\n";
  const Report report = ReportOf(endless);
  EXPECT_EQ(report.bursts.size(), 2u);
  EXPECT_EQ(report.logs[0].cut_lines, 1u);
}

}  // namespace
}  // namespace warpscope::faults

// Outputs of other vendors' tools as boxes and tables.
#include <gtest/gtest.h>

#include "doctor/read/read.h"
#include "doctor/testing/machines.h"

namespace warpscope::doctor {
namespace {

using testing::Told;

Diagnosis Of(std::string_view text) {
  FactFiles files;
  files.AddText(text, "text");
  return Diagnose(files.Finish());
}

void Expect(const Diagnosis& diagnosis, std::string_view id, std::string_view state, std::string_view part) {
  const std::string told = Told(diagnosis, id);
  EXPECT_TRUE(told.starts_with(state)) << id << ": " << told << "\n" << diagnosis.answer;
  EXPECT_NE(told.find(part), std::string::npos) << id << ": " << told;
}

// amd-smi without a command, as public threads show it (ROCm 7.0 to 7.2).
TEST(ReadVendors, BoxOfAmdSmi) {
  const std::string box =
      "+------------------------------------------------------------------------------+\n"
      "| AMD-SMI 26.2.0+021c61fc      amdgpu version: 6.16.6   ROCm version: 7.1.1    |\n"
      "| VBIOS version: 00131162                                                      |\n"
      "| Platform: Linux Baremetal                                                    |\n"
      "|-------------------------------------+----------------------------------------|\n"
      "| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |\n"
      "| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |\n"
      "|=====================================+========================================|\n"
      "| 0000:04:00.0    AMD Instinct MI325X | 0 %      41 °C   3          144/1000 W |\n"
      "|   0       0       3        SPX/NPS1 | 7 %        N/A           283/262128 MB |\n"
      "|-------------------------------------+----------------------------------------|\n"
      "| 0000:07:00.0  AMD Radeon RX 9070 XT | N/A        N/A   0             N/A/0 W |\n"
      "|   1       1     N/A             N/A | N/A     38.82             161/16304 MB |\n"
      "+-------------------------------------+----------------------------------------+\n"
      "+------------------------------------------------------------------------------+\n"
      "| Processes:                                                                   |\n"
      "|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |\n"
      "|==============================================================================|\n"
      "|    0      12345  python3                2.0 MB    1.9 GB     1.9 GB    97.4 |\n"
      "+------------------------------------------------------------------------------+\n";
  FactFiles files;
  files.AddText(box, "amd.txt");
  const Machine machine = files.Finish();
  ASSERT_EQ(machine.gpus.size(), 2U);
  const Gpu &first = machine.gpus[0], &second = machine.gpus[1];
  EXPECT_EQ(machine.driver_version, "6.16.6");
  EXPECT_EQ(first.name, "AMD Instinct MI325X");
  EXPECT_EQ(first.address, "0000:04:00.0");
  EXPECT_EQ(first.Number(ReadingName::kTemperatureHotspot), 41);
  EXPECT_EQ(first.Number(ReadingName::kEccUncorrected), 3);
  EXPECT_EQ(first.Number(ReadingName::kPowerDraw), 144);
  EXPECT_EQ(first.Number(ReadingName::kPowerLimit), 1000);
  EXPECT_EQ(first.Number(ReadingName::kUtilizationGpu), 7);
  EXPECT_EQ(first.Number(ReadingName::kMemoryTotal), 262128.0 * 1048576);
  ASSERT_TRUE(first.processes && first.processes->size() == 1);
  EXPECT_EQ(first.processes->front().name, "python3");
  EXPECT_EQ(second.index, 1U);
  EXPECT_FALSE(second.Number(ReadingName::kPowerDraw) || second.Number(ReadingName::kPowerLimit));
  EXPECT_NEAR(second.Number(ReadingName::kFanSpeed).value_or(0), 38.82, 1e-9);
  Expect(Diagnose(machine), "ecc", "failure", "3 uncorrected");
}

TEST(ReadVendors, HealthOfAnNpuAndBlocksOfRas) {
  const Diagnosis npu =
      Of("\tNPU ID                         : 5\n\tChip Count                     : 1\n\n"
         "\tHealth Status                  : Alarm\n\tError Code                     : 80E01801\n"
         "\tError Information              : hbm multi bit ecc\n");
  Expect(npu, "vendor_health", "failure", "Alarm: hbm multi bit ecc");
  EXPECT_EQ(Told(Of("\tNPU ID : 1\n\tHealth Status : OK\n"), "vendor_health").find("failure"), std::string::npos);
  Expect(Of("GPU[0]\t\t: RAS INFO\n   Block     Status  Correctable Error  Uncorrectable Error\n"
            "     UMC    ENABLED                  4                    1\n"
            "    SDMA    ENABLED                  0                    1\n"),
         "ecc", "failure", "1 uncorrected");
}

// Totals of amd-smi hold the errors of all blocks; the memory's are those of UMC.
TEST(ReadVendors, ErrorsOfAmdSmiByBlock) {
  const std::string totals =
      "GPU: 0\n    ECC:\n        TOTAL_CORRECTABLE_COUNT: 7\n        TOTAL_UNCORRECTABLE_COUNT: 3\n"
      "        CACHE_CORRECTABLE_COUNT: 5\n        CACHE_UNCORRECTABLE_COUNT: 3\n";
  const std::string blocks =
      "    ECC_BLOCKS:\n        UMC:\n            CORRECTABLE_COUNT: 2\n            UNCORRECTABLE_COUNT: 0\n"
      "        SDMA:\n            CORRECTABLE_COUNT: 5\n            UNCORRECTABLE_COUNT: 3\n";
  Expect(Of(totals), "ecc", "ok", "no uncorrected memory error since the driver was loaded, 2 corrected");
  Expect(Of(totals), "vendor_health", "failure", "3 uncorrected errors outside the memory");
  for (const std::string& text : {totals + blocks, "GPU: 0\n" + blocks}) {
    Expect(Of(text), "ecc", "ok", "2 corrected");
    Expect(Of(text), "vendor_health", "failure", "3 uncorrected errors in the block SDMA");
    EXPECT_EQ(Told(Of(text), "vendor_health").find("outside"), std::string::npos);
  }
  const std::string json =
      R"([{"gpu":0,"ecc":{"total_correctable_count":7,"total_uncorrectable_count":3},"ecc_blocks":{)"
      R"("UMC":{"correctable_count":2,"uncorrectable_count":1},"SDMA":{"correctable_count":5,"uncorrectable_count":2}}}])";
  Expect(Of(json), "ecc", "failure", "1 uncorrected");
  Expect(Of(json), "vendor_health", "failure", "2 uncorrected errors in the block SDMA");
}

}  // namespace
}  // namespace warpscope::doctor

#include <gtest/gtest.h>

#include "import/nvidia_smi/testing.h"

namespace warpscope::import {
namespace {

using testing::Monitored;
using testing::ReadMonitored;
using Values = std::vector<double>;

constexpr std::string_view kQuery = R"(
==============NVSMI LOG==============

Timestamp                                 : Fri Jan  2 03:04:05 2026
Driver Version                            : 535.100.01
CUDA Version                              : 12.2

Attached GPUs                             : 2
GPU 00000000:1B:00.0
    Product Name                          : Test GPU
    Persistence Mode                      : Disabled
    Serial Number                         : 1234567890123
    GPU UUID                              : GPU-deadbeef-0000-0000-0000-000000000001
    PCI
        Bus Id                            : 00000000:1B:00.0
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 1
            Link Width
                Max                       : 16x
                Current                   : 8x
        Tx Throughput                     : 12 KB/s
    Performance State                     : P8
    Clocks Throttle Reasons
        Idle                              : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
        SW Thermal Slowdown               : Not Active
    FB Memory Usage
        Total                             : 1024 MiB
        Used                              : 512 MiB
    Utilization
        Gpu                               : 97 %
        Memory                            : 40 %
    ECC Errors
        Volatile
            SRAM Correctable              : 1
            SRAM Uncorrectable            : 2
            DRAM Correctable              : 3
            DRAM Uncorrectable            : 4
    Temperature
        GPU Current Temp                  : 91 C
        GPU Slowdown Temp                 : 90 C
        Odd New Sensor                    : 12 C
    Power Readings
        Power Draw                        : 300.50 W
        Enforced Power Limit              : 350.00 W
    Processes
        GPU instance ID                   : N/A
        Process ID                        : 4711
            Type                          : C
            Name                          : /home/jane/secret --token=abc
            Used GPU Memory               : 500 MiB
GPU 00000000:2B:00.0
    Product Name                          : Test GPU
    FB Memory Usage
        Total                             : N/A
    Utilization
        Gpu                               : 0 %
    Processes                             : None
)";

TEST(NvidiaSmiQuery, ReadsGroupsStatesAndUnits) {
  const Monitored log = ReadMonitored(kQuery);
  ASSERT_EQ(log.error, "");
  ASSERT_EQ(log.trace.devices.size(), 2U);
  EXPECT_EQ(log.trace.devices[1].id, 1);
  EXPECT_EQ(log.trace.sources[0].version, "535.100.01");
  EXPECT_EQ(log.Text("cuda_version", model::kNone), "12.2");
  EXPECT_EQ(log.One("persistence_mode"), 0);
  EXPECT_EQ(log.One("pcie_width_current"), 8);
  EXPECT_EQ(log.One("pcie_gen_max"), 4);
  EXPECT_EQ(log.One("pcie_tx"), 12000);
  EXPECT_EQ(log.One("pstate"), 8);
  EXPECT_EQ(log.One("throttle_hw_slowdown"), 1);
  EXPECT_EQ(log.One("throttle_hw_thermal"), 1);
  EXPECT_EQ(log.One("throttle_hw_power_brake"), 0);
  EXPECT_EQ(log.One("memory_total"), 1024.0 * 1024 * 1024);
  EXPECT_EQ(log.One("utilization_gpu"), 97);
  EXPECT_EQ(log.One("ecc_corrected"), 4);
  EXPECT_EQ(log.One("ecc_uncorrected"), 6);
  EXPECT_EQ(log.One("power_draw"), 300.5);
  EXPECT_EQ(log.One("power_limit"), 350);
  EXPECT_EQ(log.One("processes"), 1);
  EXPECT_EQ(log.One("processes", 1), 0);
  EXPECT_EQ(log.One("utilization_gpu", 1), 0);
  EXPECT_TRUE(log.Told("memory_total", 1));
  EXPECT_EQ(log.One("memory_total", 1), std::nullopt);
  EXPECT_EQ(log.trace.readings.back().time_ns, 1767323045000000000);
  // What the catalogue does not know stays under its own name if it has a unit.
  EXPECT_EQ(log.One("temperature/odd new sensor"), 12);
}

TEST(NvidiaSmiQuery, KeepsNothingPersonal) {
  const std::string all = ReadMonitored(kQuery).AllText();
  for (const char* word : {"deadbeef", "1234567890123", "jane", "secret", "token", "4711"})
    EXPECT_EQ(all.find(word), std::string::npos) << word;
}

TEST(NvidiaSmiQuery, RepeatedLooksAreSamples) {
  std::string later(kQuery);
  later.replace(later.find("03:04:05"), 8, "03:04:15");
  later.replace(later.find("97 %"), 4, "10 %");
  const Monitored log = ReadMonitored(std::string(kQuery) + later);
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.trace.devices.size(), 2U);
  EXPECT_EQ(log.All("utilization_gpu"), (Values{97, 10}));
}

constexpr std::string_view kXml = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd" [<!ENTITY e "boom">]>
<nvidia_smi_log>
	<timestamp>Fri Jan  2 03:04:05 2026</timestamp>
	<driver_version>580.10</driver_version>
	<gpu id="00000000:1B:00.0">
		<product_name>Test &e; GPU</product_name>
		<mig_mode><current_mig>Enabled</current_mig></mig_mode>
		<mig_devices><mig_device><gpu_instance_id>3</gpu_instance_id><compute_instance_id>0</compute_instance_id>
			<fb_memory_usage><total>100 MiB</total><used>12 MiB</used></fb_memory_usage></mig_device></mig_devices>
		<clocks_event_reasons><clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap></clocks_event_reasons>
		<gpu_power_readings><average_power_draw>N/A</average_power_draw><instant_power_draw>80.5 W</instant_power_draw>
			<current_power_limit>700.00 W</current_power_limit></gpu_power_readings>
		<clocks_event_reasons_counters><clocks_event_reasons_counters_sw_power_cap>5 us</clocks_event_reasons_counters_sw_power_cap></clocks_event_reasons_counters>
		<processes><process_info><pid>1</pid><process_name>secret</process_name></process_info></processes>
	</gpu>
</nvidia_smi_log>
)";

TEST(NvidiaSmiXml, ReadsNewNamesAndInstances) {
  const Monitored log = ReadMonitored(kXml);
  ASSERT_EQ(log.error, "");
  ASSERT_EQ(log.trace.devices.size(), 2U);
  EXPECT_EQ(log.trace.devices[1].name.find("MIG 3/0") != std::string::npos, true);
  EXPECT_EQ(log.One("mig_mode"), 1);
  EXPECT_EQ(log.One("memory_used", 1), 12.0 * 1024 * 1024);
  EXPECT_EQ(log.One("throttle_sw_power_cap"), 1);
  EXPECT_EQ(log.One("power_draw"), 80.5);
  EXPECT_EQ(log.One("power_limit"), 700);
  EXPECT_EQ(log.One("throttle_sw_power_cap_time"), 5000);
  EXPECT_EQ(log.One("processes"), 1);
  EXPECT_EQ(log.AllText().find("boom"), std::string::npos);
  EXPECT_EQ(log.AllText().find("secret"), std::string::npos);
}

TEST(NvidiaSmiXml, CutDocumentIsReadToTheBreak) {
  const Monitored log = ReadMonitored(kXml.substr(0, kXml.find("<clocks_event_reasons_counters>")));
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.trace.ledger.Count(model::LedgerCode::kTruncatedFile), 1U);
}

TEST(NvidiaSmiCsv, HeaderUnitsAndWordsWithoutValue) {
  const Monitored log = ReadMonitored(
      "timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.max.sm [MHz], "
      "clocks_throttle_reasons.active, temperature.gpu\n"
      "2026/01/02 03:04:05.500, 0, Test GPU, 55 %, 2 MiB, [N/A], 1980 MHz, 0x0000000000000044, 61\n"
      "2026/01/02 03:04:05.501, 1, Test GPU, 45 %, 3 MiB, 99.5 W, 1980 MHz, 0x0000000000000001, 62\n"
      "2026/01/02 03:04:06.500, 0, Test GPU, 65 %, 2 MiB, [N/A], 1980 MHz, 0x0000000000000000, 63\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.trace.devices.size(), 2U);
  EXPECT_EQ(log.All("utilization_gpu"), (Values{55, 65}));
  EXPECT_EQ(log.All("throttle_sw_power_cap"), (Values{1, 0}));
  EXPECT_EQ(log.One("throttle_hw_thermal"), 1);
  EXPECT_EQ(log.One("throttle_idle", 1), 1);
  EXPECT_TRUE(log.Told("power_draw"));
  EXPECT_EQ(log.One("power_draw"), std::nullopt);
  EXPECT_EQ(log.One("power_draw", 1), 99.5);
  EXPECT_EQ(log.trace.readings[0].time_ns, 1767323045500000000);
}

TEST(NvidiaSmiCsv, NoUnitsUsesTheHeaderOrTheField) {
  const Monitored log = ReadMonitored("index, memory.used [MiB], power.draw\n0, 5, 100\n");
  EXPECT_EQ(log.One("memory_used"), 5.0 * 1024 * 1024);
  EXPECT_EQ(log.One("power_draw"), 100);
}

TEST(NvidiaSmiCsv, WithoutHeaderTheCommandNamesTheColumns) {
  const Monitored log = ReadMonitored(
      "$ nvidia-smi --query-gpu=index,power.draw,utilization.gpu --format=csv,noheader\n0, 70.5 W, 12 %\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.One("power_draw"), 70.5);
  EXPECT_EQ(log.One("utilization_gpu"), 12);
}

TEST(NvidiaSmiCsv, WithoutAnyNameOnlyWhatTheValuesTell) {
  const Monitored log = ReadMonitored(
      "2026/01/02 03:04:05.500, NVIDIA H200, 17 %, 70.5 W\n2026/01/02 03:04:06.500, NVIDIA H200, 18 %, 71 W\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.trace.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(log.All("column_3"), (Values{17, 18}));
}

TEST(NvidiaSmiCsv, BrokenRowsAreCounted) {
  const Monitored log = ReadMonitored("index, utilization.gpu [%]\n0, 5 %\n0, 5 %, 7\n0, 6 %\n0, 7");
  EXPECT_EQ(log.All("utilization_gpu"), (Values{5, 6, 7}));
  EXPECT_EQ(log.trace.ledger.Count(model::LedgerCode::kBrokenRecord), 1U);
}

TEST(NvidiaSmiDmon, ColumnsByNameAndPages) {
  const Monitored log = ReadMonitored(
      "# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk   fb  rxpci\n# Idx      W      C      C      %      %    "
      "MHz    MHz   MB   MB/s\n"
      "    0     77     28      -      1      0   3201    345   10     2\n    1     78     29     31      2      0   "
      "3201    345    0     0\n"
      "# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk   fb  rxpci\n# Idx      W      C      C      %      %    "
      "MHz    MHz   MB   MB/s\n"
      "    0     79     28      -      9      0   3201    345   10     2\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.All("power_draw"), (Values{77, 79}));
  EXPECT_EQ(log.All("utilization_gpu"), (Values{1, 9}));
  EXPECT_EQ(log.One("temperature_memory"), std::nullopt);
  EXPECT_EQ(log.One("temperature_memory", 1), 31);
  EXPECT_EQ(log.One("memory_used"), 10.0 * 1024 * 1024);
  EXPECT_EQ(log.One("pcie_rx"), 2e6);
  EXPECT_FALSE(log.trace.readings[0].time_ns.has_value());
}

TEST(NvidiaSmiDmon, TimesOfDayCountFromTheFirstOverMidnight) {
  const Monitored log = ReadMonitored(
      "#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n 23:59:59      0     10\n 00:00:01      0     11\n");
  ASSERT_EQ(log.All("power_draw"), (Values{10, 11}));
  EXPECT_EQ(log.trace.readings[0].time_ns, 0);
  EXPECT_EQ(log.trace.readings[1].time_ns, 2000000000);
}

TEST(NvidiaSmiDmon, DatesAreEpoch) {
  const Monitored log = ReadMonitored(
      "#Date       Time        gpu    pwr\n#YYYYMMDD   HH:MM:SS    Idx      W\n 20260102   03:04:05      0     10\n");
  EXPECT_EQ(log.trace.readings.at(0).time_ns, 1767323045000000000);
}

TEST(NvidiaSmiDmon, RowsBeforeTheFirstHeaderWaitForIt) {
  const Monitored log = ReadMonitored(
      "    0    38    46     2\n    0    39    46     2\n# gpu   pwr  temp    sm\n# Idx     W     C     %\n    0    40 "
      "   46     2\n");
  EXPECT_EQ(log.All("power_draw"), (Values{38, 39, 40}));
}

TEST(NvidiaSmiTable, ReadsTheBox) {
  const Monitored log = ReadMonitored(
      "Fri Jan  2 03:04:05 2026\n+---+\n| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     "
      "|\n"
      "|-------------------------------+----------------------+----------------------+\n"
      "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
      "|===============================+======================+======================|\n"
      "|   0  Tesla V100-SXM2...  On   | 00000000:00:1E.0 Off |                    2 |\n"
      "| N/A   42C    P0    25W / 300W |   1024MiB / 16160MiB |     37%      Default |\n"
      "|                               |                      |                  N/A |\n"
      "+-------------------------------+----------------------+----------------------+\n\n"
      "+---+\n| Processes: |\n|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |\n|====|\n"
      "|    0   N/A  N/A      1234      C   python3 --token                   1021MiB |\n+---+\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.One("persistence_mode"), 1);
  EXPECT_EQ(log.One("ecc_uncorrected"), 2);
  EXPECT_EQ(log.One("temperature_gpu"), 42);
  EXPECT_EQ(log.One("power_draw"), 25);
  EXPECT_EQ(log.One("power_limit"), 300);
  EXPECT_EQ(log.One("memory_total"), 16160.0 * 1024 * 1024);
  EXPECT_EQ(log.One("utilization_gpu"), 37);
  EXPECT_EQ(log.One("processes"), 1);
  EXPECT_EQ(log.One("fan_speed"), std::nullopt);
  EXPECT_EQ(log.trace.sources[0].producer, "nvidia-smi 470.57.02 (table)");
  EXPECT_EQ(log.AllText().find("token"), std::string::npos);
}

TEST(NvidiaSmiMachine, TopologyLinksAndLists) {
  const Monitored log = ReadMonitored(
      "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\nGPU0\t X "
      "\tNV18\tPIX\t0-31\t0\t\tN/A\nGPU1\tNV18\t X \tSYS\t0-31\t0\t\tN/A\n"
      "NIC0\tPIX\tSYS\t X\n\nLegend:\n\n  X    = Self\n\nGPU 0: Test GPU (UUID: GPU-deadbeef-1)\n\t Link 0: 26.562 "
      "GB/s\n\t Link 1: <inactive>\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.Text("topology"), "GPU1 NV18, CPU Affinity 0-31, NUMA Affinity 0");
  EXPECT_EQ(log.One("nvlink_links"), 1);
  EXPECT_EQ(log.One("nvlink_links_down"), 1);
  EXPECT_EQ(log.trace.devices[0].name, "Test GPU");
  const Monitored errors = ReadMonitored(
      "GPU 0: Test GPU (UUID: GPU-deadbeef-1)\n\t Link 0: Replay Errors: 2\n\t Link 0: CRC Errors: 7\n\t Link 0, P2P "
      "is "
      "supported: true\n");
  EXPECT_EQ(errors.One("nvlink_errors"), 9);
  EXPECT_EQ(errors.One("nvlink_links_down"), std::nullopt);
}

TEST(NvidiaSmi, Utf16OfPowerShell) {
  const std::string text = "index, utilization.gpu [%]\r\n0, 5 %\r\n";
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += std::string(1, c) + '\0';
  EXPECT_EQ(ReadMonitored(wide).One("utilization_gpu"), 5);
}

TEST(NvidiaSmi, OtherTextIsNotTaken) {
  for (const char* text : {"name,value\na,1\n", "a, b\n1 %, x\n", "0 1 2\n", "utilization.gpu\n", "GPU is fast\n"})
    EXPECT_NE(ReadMonitored(text).error, "") << text;
}

}  // namespace
}  // namespace warpscope::import

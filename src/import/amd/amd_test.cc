// Names and tables that AMD's tools share; rocprof v1/v2 and rocprof-compute tables; rocm-smi and amd-smi.
#include <gtest/gtest.h>

#include <map>

#include "import/amd/names.h"
#include "import/amd/profiles.h"
#include "import/import.h"

namespace warpscope::import {
namespace {

using model::Trace;

Trace Read(std::string_view text, std::string_view name = "x") {
  auto trace = LoadBytes(text, name);
  EXPECT_TRUE(trace.ok()) << trace.status().message();
  return trace.ok() ? std::move(trace).value() : Trace();
}

const model::Reading* Find(const Trace& trace, std::string_view name, uint32_t device = 0) {
  for (const model::Reading& reading : trace.readings) {
    if (trace.Text(reading.name) == name && reading.device == device) return &reading;
  }
  return nullptr;
}

double Value(const Trace& trace, std::string_view name, uint32_t device = 0) {
  const model::Reading* reading = Find(trace, name, device);
  return reading != nullptr ? reading->value.value_or(-1) : -2;
}

TEST(AmdNames, KernelsAgentsAndFiles) {
  EXPECT_EQ(amd::KernelName("f(int) [clone .kd]"), "f(int)");
  EXPECT_EQ(amd::KernelName("f.kd"), "f");
  EXPECT_EQ(amd::ParseAgent("Agent 4")->id, 4);
  EXPECT_TRUE(amd::ParseAgent("CPU 0")->is_cpu);
  EXPECT_FALSE(amd::ParseAgent(""));
  EXPECT_EQ(amd::PartOf("a/12_kernel_trace.csv", "kernel_trace", "t"),
            amd::PartOf("a/12_hip_api_trace.csv", "hip_api_trace", "t"));
  EXPECT_NE(amd::PartOf("a/12_kernel_trace.csv", "kernel_trace", "t"),
            amd::PartOf("a/13_kernel_trace.csv", "kernel_trace", "t"));
  EXPECT_EQ(amd::CopyKindOf("MEMORY_COPY_DEVICE_TO_DEVICE"), model::CopyKind::kDeviceToDevice);
}

TEST(AmdNames, GridsRoundUpAndHostileSizesAreUnknown) {
  model::LaunchConfig config;
  amd::SetShape(&config, {100, 1, 1}, {64, 1, 1});
  EXPECT_EQ(config.grid[0], 2U);
  model::LaunchConfig none;
  amd::SetShape(&none, {100, 1, 1}, {0, 1, 1});
  EXPECT_EQ(none.grid[0], 0U);
  amd::SetShape(&none, {UINT64_MAX, 1, 1}, {1, 1, 1});
  EXPECT_EQ(none.grid[0], UINT32_MAX);
}

TEST(AmdDerived, FollowsTheDocumentedFormulas) {
  const std::map<std::string, double, std::less<>> counters = {{"TCC_EA_RDREQ_sum", 100},
                                                               {"TCC_EA_RDREQ_32B_sum", 40},
                                                               {"TCC_EA_WRREQ_sum", 10},
                                                               {"TCC_EA_WRREQ_64B_sum", 4},
                                                               {"SQ_THREAD_CYCLES_VALU", 3200},
                                                               {"SQ_ACTIVE_INST_VALU", 100},
                                                               {"TCC_HIT_sum", 0},
                                                               {"TCC_MISS_sum", 0}};
  std::vector<amd::Derived> derived;
  amd::DeriveMetrics(
      [&](std::string_view name) {
        const auto it = counters.find(name);
        return it == counters.end() ? std::nullopt : std::optional(it->second);
      },
      &derived);
  std::map<std::string, double> got;
  for (const amd::Derived& metric : derived) got[std::string(metric.name)] = metric.value;
  EXPECT_EQ(got, (std::map<std::string, double>{{"memory_read_bytes", 40 * 32 + 60 * 64},
                                                {"memory_write_bytes", 4 * 64 + 6 * 32},
                                                {"valu_active_lanes_pct", 50}}));
}

TEST(RocprofCsv, TimesWithoutCountersAreATimeline) {
  const Trace trace = Read(
      "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,"
      "obj,DispatchNs,BeginNs,EndNs,CompleteNs\n"
      "0,\"copy(double*, int) [clone .kd]\",2,0,0,55,56,1024,256,0,0,8,4,16,64,0x0,0x7f,100,200,260,300\n");
  ASSERT_EQ(trace.gpu.size(), 1U);
  EXPECT_EQ(trace.GpuName(0), "copy(double*, int)");
  EXPECT_EQ(trace.launch_configs[trace.gpu.detail[0]].grid[0], 4U);
  EXPECT_EQ(trace.launch_configs[trace.gpu.detail[0]].registers_per_thread, 12U);
  EXPECT_EQ(trace.sources[0].producer, "rocprof");
}

TEST(RocprofCsv, CountersBecomeProfiles) {
  const Trace one = Read(
      "Index,KernelName,gpu-id,queue-id,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,SQ_WAVES,TCC_HIT[0],TCC_HIT[1],"
      "TCC_MISS_sum,BeginNs,EndNs\n"
      "0,\"k.kd\",2,0,55,56,1024,256,0,48,8,16,0,0x0,0x7f,16,1,2,1,200,260\n");
  ASSERT_EQ(one.kernel_profiles.size(), 1U);
  EXPECT_EQ(one.kernel_profiles[0].dur_ns, 60);
  std::map<std::string, double> metrics;
  for (const model::Metric& metric : one.metrics)
    metrics[std::string(one.Text(metric.name))] = std::get<double>(metric.value);
  EXPECT_EQ(metrics, (std::map<std::string, double>{{"SQ_WAVES", 16},
                                                    {"TCC_HIT[0]", 1},
                                                    {"TCC_HIT[1]", 2},
                                                    {"TCC_HIT_sum", 3},
                                                    {"TCC_MISS_sum", 1},
                                                    {"l2_hit_pct", 75},
                                                    {"scratch_bytes", 48}}));
  const Trace two = Read(
      "Dispatch_ID,GPU_ID,Queue_ID,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,ACCUM_VGPR,SGPR,Wave_Size,SIG,OBJ,"
      "Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES\n"
      "1,1,1,0,5,6,1024,256,0,0,8,0,16,64,0,1,\"k\",10,20,1,16\n");
  EXPECT_EQ(two.sources[0].producer, "rocprofv2");
  EXPECT_EQ(two.metrics.size(), 2U);  // SQ_WAVES, scratch_bytes
}

TEST(RocprofCompute, CountersDeviceAndPeaks) {
  const Trace counters = Read(
      "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_"
      "VGPR,SGPR,wave_size,obj,SQ_WAVES,wave_size_1,obj_1,GRBM_COUNT,Start_Timestamp,End_Timestamp\n"
      "0,\"k [clone .kd]\",2,1048576,256,0,0,8,8,16,64,0x7f,16384,64,0x7e,N/A,100,300\n");
  ASSERT_EQ(counters.kernel_profiles.size(), 1U);
  EXPECT_EQ(counters.metrics.size(), 2U);  // with scratch_bytes; repeated columns and empty values are none
  EXPECT_EQ(counters.sources[0].format, "rocprof_compute");
  const Trace system = Read(
      "workload_name,command,hostname,version,rocm_version,gpu_model,gpu_arch,cu_per_gpu,wave_size,workgroup_max_size,"
      "max_waves_per_cu,max_sclk,max_mclk,cur_sclk,cur_mclk,hbm_bw\n"
      "w,secret --token,n1,2,6.0.2,MI200,gfx90a,104,64,1024,32,1700,1600,800,1600,1638.4\n");
  EXPECT_EQ(system.devices[0].name, "AMD MI200");
  EXPECT_EQ(system.devices[0].sm_count, 104U);
  EXPECT_EQ(Value(system, "clock_max_sm"), 1700);
  const Trace peaks = Read(
      "device,HBMBw,HBMBwLow,HBMBwHigh,LDSBw,FP32Flops,FP32FlopsLow,MFMAI8Ops\n0,1388.5,1,2,17715.3,20942.4,3,166413."
      "5\n");
  EXPECT_EQ(peaks.readings.size(), 4U);
  EXPECT_EQ(Value(peaks, "measured peak HBMBw"), 1388.5);
}

TEST(RocmSmi, UnitsComeOutOfKeys) {
  const Trace trace = Read(
      R"~({"card0": {"GPU ID": "0x738c", "Temperature (Sensor edge) (C)": "31.0", "Temperature (Sensor junction) (C)": "N/A",
    "sclk clock speed:": "(300Mhz)", "pcie clock level": "1 (16.0GT/s x16)", "Average Graphics Package Power (W)": "39.0", "3": "962Mhz",
    "GPU use (%)": "7", "VRAM Total Memory (B)": "34342961152", "VRAM Total Used Memory (B)": "6782976", "Voltage (mV)": "662", "Serial Number": "123",
    "Card series": "AMD Instinct MI100"}, "card1": {"Current Socket Graphics Package Power (W)": "40", "Card Series": "0x1002"}, "system": {"Driver version": "6.3.6"}})~");
  EXPECT_EQ(trace.devices[0].name, "AMD Instinct MI100");
  EXPECT_EQ(trace.devices[0].memory_bytes, 34342961152U);
  EXPECT_EQ(trace.devices[1].name, "");
  EXPECT_EQ(Value(trace, "temperature_gpu"), 31);
  ASSERT_NE(Find(trace, "temperature_hotspot"), nullptr);
  EXPECT_FALSE(Find(trace, "temperature_hotspot")->value);
  EXPECT_EQ(Value(trace, "clock_sm"), 300);
  EXPECT_EQ(Value(trace, "pcie_gen_current"), 4);
  EXPECT_EQ(Value(trace, "pcie_width_current"), 16);
  EXPECT_EQ(Value(trace, "power_draw"), 39);
  EXPECT_EQ(Value(trace, "power_draw", 1), 40);
  EXPECT_EQ(Value(trace, "utilization_gpu"), 7);
  EXPECT_DOUBLE_EQ(Value(trace, "voltage"), 0.662);
  EXPECT_EQ(Find(trace, "3"), nullptr);
  EXPECT_EQ(Find(trace, "Serial Number"), nullptr);
  EXPECT_EQ(trace.Text(Find(trace, "driver_version", model::kNone)->text), "6.3.6");
}

TEST(AmdSmi, NestedValuesOfBothReleasesAndSeveralDocuments) {
  const Trace old = Read(
      R"([{"gpu": 0, "usage": {"gfx_activity": {"value": 99, "unit": "%"}, "vcn_activity": [{"value": 0, "unit": "%"}, "N/A"]},
    "power": {"socket_power": {"value": 600, "unit": "W"}, "gfx_voltage": "N/A"}, "mem_usage": {"total_vram": {"value": 2, "unit": "MB"}}, "ecc": "N/A",
    "throttle": {"ppt_violation_status": "NOT ACTIVE", "socket_thermal_violation_status": "ACTIVE"}}])");
  EXPECT_EQ(Value(old, "utilization_gpu"), 99);
  EXPECT_EQ(Value(old, "power_draw"), 600);
  EXPECT_EQ(Value(old, "memory_total"), 2 * 1048576);
  EXPECT_EQ(Value(old, "throttle_power"), 0);
  EXPECT_EQ(Value(old, "throttle_thermal"), 1);
  EXPECT_FALSE(Find(old, "voltage")->value);
  const Trace fresh = Read(
      "{\"gpu_data\": [{\"gpu\": 1, \"clock\": {\"gfx_0\": {\"clk\": {\"value\": 2100, \"unit\": "
      "\"MHz\"}}}}]}\nLegend:\n * x\n"
      "{\"gpu_data\": [{\"gpu\": 1, \"timestamp\": 1700000000, \"temperature\": {\"hotspot\": {\"value\": 60, "
      "\"unit\": \"C\"}}}]}");
  EXPECT_EQ(Value(fresh, "clock_sm"), 2100);
  EXPECT_EQ(Value(fresh, "temperature_hotspot"), 60);
  EXPECT_EQ(Find(fresh, "temperature_hotspot")->time_ns, 1700000000000000000);
  EXPECT_EQ(fresh.devices.size(), 1U);
}

}  // namespace
}  // namespace warpscope::import

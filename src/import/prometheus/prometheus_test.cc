#include <gtest/gtest.h>

#include "import/nvidia_smi/testing.h"
#include "import/prometheus/exposition.h"

namespace warpscope::import {
namespace {

using testing::Monitored;
using testing::ReadMonitored;
using Values = std::vector<double>;

TEST(Exposition, NameLabelsValueTime) {
  const auto point = prometheus::ParseSeries(R"(a_b{x="1",y="q\"\\\n",} +1.5e3 1700000000000)");
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->name, "a_b");
  EXPECT_EQ(point->Label("y"), "q\"\\\n");
  EXPECT_EQ(point->value, 1500);
  EXPECT_EQ(point->time_ms, 1700000000000);
  EXPECT_EQ(prometheus::ParseSeries("a NaN")->value, std::nullopt);
  for (const char* line : {"", "# HELP a b", "a", "a{", "a{x=1} 2", "a{x=\"1\" 2", "a 1x", "9a 1", "a 1 2 3"})
    EXPECT_FALSE(prometheus::ParseSeries(line).has_value()) << line;
}

TEST(Prometheus, DcgmUnitsBlanksAndInstances) {
  const Monitored log = ReadMonitored(
      "# HELP DCGM_FI_DEV_POWER_VIOLATION Throttling duration due to power constraints (in us).\n"
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-1\",modelName=\"Test GPU\",Hostname=\"secret\"} 87\n"
      "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"0\",UUID=\"GPU-1\"} 9223372036854775794\n"
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_PROFILE=\"1g.10gb\",GPU_I_ID=\"7\"} 3\n"
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",UUID=\"GPU-1\"} 1500\n"
      "DCGM_FI_DEV_POWER_VIOLATION{gpu=\"0\",UUID=\"GPU-1\"} 7\n"
      "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",UUID=\"GPU-1\"} 0.25\n"
      "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\"} 79\n"
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-2\",Hostname=\"other\"} 5\n"
      "go_goroutines 12\n");
  ASSERT_EQ(log.error, "");
  ASSERT_EQ(log.trace.devices.size(), 3U);
  EXPECT_EQ(log.One("utilization_gpu"), 87);
  EXPECT_EQ(log.One("temperature_memory"), std::nullopt);
  EXPECT_TRUE(log.Told("temperature_memory"));
  EXPECT_EQ(log.One("memory_used", 1), 3.0 * 1024 * 1024);
  EXPECT_EQ(log.One("energy"), 1.5);
  EXPECT_EQ(log.One("throttle_power_time"), 7000);
  EXPECT_EQ(log.One("prof_sm_active"), 25);
  EXPECT_EQ(log.Text("xid_last"), "79");
  EXPECT_EQ(log.One("utilization_gpu", 2), 5);
  EXPECT_EQ(log.AllText().find("secret"), std::string::npos);
}

TEST(Prometheus, SeveralScrapes) {
  const Monitored log = ReadMonitored(
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 1 1700000000000\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 2 1700000001000\n");
  EXPECT_EQ(log.All("utilization_gpu"), (Values{1, 2}));
  EXPECT_EQ(log.trace.readings[1].time_ns, 1700000001000000000);
}

TEST(Prometheus, ExporterOfNvidiaSmi) {
  const Monitored log = ReadMonitored(
      "nvidia_smi_clocks_current_sm_clock_hz{uuid=\"a1\"} 1.98e+09\nnvidia_smi_memory_used_bytes{uuid=\"a1\"} 1024\n"
      "nvidia_smi_utilization_gpu_ratio{uuid=\"a1\"} 0.5\nnvidia_smi_pstate{uuid=\"a1\"} "
      "2\nnvidia_smi_clocks_event_reasons_gpu_idle{uuid=\"a1\"} 1\n"
      "nvidia_smi_gpu_info{driver_version=\"610.1\",index=\"3\",name=\"Test GPU\",uuid=\"a1\",serial=\"77\"} 1\n"
      "nvidia_smi_compute_app_info{pid=\"1\",process_name=\"secret\",uuid=\"a1\"} 1\n");
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.trace.devices.at(0).id, 3);
  EXPECT_EQ(log.One("clock_sm"), 1980);
  EXPECT_EQ(log.One("memory_used"), 1024);
  EXPECT_EQ(log.One("utilization_gpu"), 50);
  EXPECT_EQ(log.One("pstate"), 2);
  EXPECT_EQ(log.One("throttle_idle"), 1);
  EXPECT_EQ(log.trace.sources[0].version, "610.1");
  EXPECT_EQ(log.AllText().find("secret"), std::string::npos);
}

TEST(Prometheus, WithoutGpuMetricsItIsNamed) {
  const Monitored log = ReadMonitored("# TYPE a gauge\na 1\n# TYPE b gauge\nb 2\nc 3\nd 4\ne 5\n");
  EXPECT_NE(log.error.find("Prometheus"), std::string::npos) << log.error;
}

}  // namespace
}  // namespace warpscope::import

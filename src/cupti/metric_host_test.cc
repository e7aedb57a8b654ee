// Runs where a libcupti of 12.6 or later is installed; it needs no device.
#include "cupti/metric_host.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace warpscope::cupti {
namespace {

class MetricHostTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("WARPSCOPE_CUPTI");
    for (const char* path : {named, "libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                             "/usr/local/cuda/lib/libcupti.so.13", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
      if (path != nullptr && (library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
    }
    if (library_ == nullptr || !FindProfilerFunctions(library_, &functions_)) GTEST_SKIP() << "no CUPTI here";
    if (host_.Open(&functions_, kRangeProfiler, "GH100", nullptr) != kOk) GTEST_SKIP() << "no metrics without a device";
  }

  void* library_ = nullptr;
  ProfilerFunctions functions_;
  MetricHost host_;
};

TEST_F(MetricHostTest, KnowsMetricsOfTheChip) {
  EXPECT_TRUE(host_.Knows("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_FALSE(host_.Knows("sm__no_such_metric.avg"));
  MetricHost::Properties properties;
  ASSERT_TRUE(host_.Describe("dram__bytes", &properties));
  EXPECT_NE(std::string(properties.description), "");
}

TEST_F(MetricHostTest, CountsPassesAndStartsAgainForEachSet) {
  const char* few[] = {"gpu__time_duration.sum"};
  ASSERT_EQ(host_.Configure(few, 1), kOk);
  const size_t passes_of_few = host_.passes();
  EXPECT_GE(passes_of_few, 1u);
  const char* more[] = {"gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"};
  ASSERT_EQ(host_.Configure(more, 3), kOk);
  EXPECT_GT(host_.passes(), passes_of_few);
  ASSERT_EQ(host_.Configure(few, 1), kOk);
  EXPECT_EQ(host_.passes(), passes_of_few);
  EXPECT_GT(host_.config_bytes(), 0u);
}

TEST_F(MetricHostTest, RefusesASetWithAnUnknownName) {
  const char* names[] = {"gpu__time_duration.sum", "no__such.sum"};
  EXPECT_NE(host_.Configure(names, 2), kOk);
}

}  // namespace
}  // namespace warpscope::cupti

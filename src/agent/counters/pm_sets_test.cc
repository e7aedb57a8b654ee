// Runs where a libcupti of 12.6 or later is installed; it needs no device.
#include "agent/counters/pm_sets.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace warpscope::agent {
namespace {

class PmSetsTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("WARPSCOPE_CUPTI");
    for (const char* path : {named, "libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                             "/usr/local/cuda/lib/libcupti.so.13", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
      if (path != nullptr && (library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
    }
    if (library_ == nullptr || !perf::FindProfilerFunctions(library_, &functions_)) GTEST_SKIP() << "no CUPTI here";
  }
  bool Build(const char* chip, const Plan& plan) {
    if (host_.Open(&functions_, perf::kPmSampling, chip, nullptr) != perf::kOk) return false;
    sets_ = std::make_unique<PmSets>();
    return sets_->Build(&host_, plan, nullptr);
  }
  bool HasAll(const PmSet& set, std::initializer_list<const char*> bases) {
    for (const char* base : bases) {
      bool found = false;
      for (uint32_t i = 0; i < set.count; ++i) found = found || std::strstr(set.names[i], base) != nullptr;
      EXPECT_TRUE(found) << base;
      if (!found) return false;
    }
    return true;
  }

  void* library_ = nullptr;
  perf::ProfilerFunctions functions_;
  perf::MetricHost host_;
  std::unique_ptr<PmSets> sets_;
  const std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
};

TEST_F(PmSetsTest, EachSetTakesOnePassAndTheWideOnesHoldTheCore) {
  for (const char* chip : {"GH100", "GB100", "AD102", "GA100", "GB202"}) {
    if (!Build(chip, *plan_)) GTEST_SKIP() << "this CUPTI does not know " << chip;
    ASSERT_GE(sets_->count, 2U) << chip;
    EXPECT_GE(sets_->sets[0].count, 10U) << chip;
    EXPECT_TRUE(HasAll(sets_->sets[0], {"sm__cycles_active", "inst_executed", "read_throughput"})) << chip;
    bool occupancy = false;
    for (uint32_t i = 0; i < sets_->count; ++i) {
      const PmSet& set = sets_->sets[i];
      EXPECT_GT(set.host.config_bytes(), 0U);
      EXPECT_EQ(set.host.passes(), 1U) << chip << " set " << i;
      std::set<std::string> names(set.names, set.names + set.count);
      EXPECT_EQ(names.size(), set.count);
      EXPECT_TRUE(HasAll(set, {"sm__cycles_active"})) << chip;
      for (const std::string& name : names) {
        occupancy = occupancy || name.starts_with("sm__warps_active");
        EXPECT_EQ(name.find("warps_active_shader_cs_realtime"), name.npos) << "it counts from an unknown level";
      }
    }
    EXPECT_TRUE(occupancy) << chip;
    sets_->Close();
  }
}

TEST_F(PmSetsTest, AGh100HasTheQuantitiesOfItsTriageFamilies) {
  if (!Build("GH100", *plan_)) GTEST_SKIP() << "this CUPTI does not know the chip";
  EXPECT_TRUE(
      HasAll(sets_->sets[0], {"pipe_tensor", "pipe_fma", "pipe_alu", "pipe_fp64", "dramc__write", "pcie__read"}));
  EXPECT_TRUE(HasAll(sets_->sets[0], {"sm__warps_active", "hit_rate", "lsu_wavefronts", "pipe_xu"}));
  EXPECT_TRUE(HasAll(sets_->sets[1], {"l1tex__t_sectors", "lookup_hit"}));
  sets_->Close();
}

TEST_F(PmSetsTest, OwnMetricsAreDealtToSetsAndUnknownOnesCounted) {
  plan_->metrics[plan_->metric_count++] = "no__such.avg";
  plan_->metrics[plan_->metric_count++] = "SM_A.TriageCompute.l1tex__lsu_writeback_active.avg";
  plan_->metrics[plan_->metric_count++] = "SM_B.TriageCompute.l1tex__t_sectors.avg";
  if (!Build("GH100", *plan_)) GTEST_SKIP() << "this CUPTI does not know the chip";
  EXPECT_EQ(sets_->count, 2U);
  EXPECT_EQ(sets_->unknown, 1U);
  EXPECT_STREQ(sets_->example, "no__such.avg");
  sets_->Close();
}

}  // namespace
}  // namespace warpscope::agent

// The names are checked with CUPTI's host library where one of 12.6 or later is installed; it needs no device.
#include "record/counters/metric_sets.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cupti/metric_host.h"
#include "record/cupti_search.h"
#include "record/system.h"

namespace warpscope::record {
namespace {

TEST(MetricSetsTest, FullHoldsBasicAndNoNameTwice) {
  const auto basic = MetricsOf(MetricSet::kBasic), full = MetricsOf(MetricSet::kFull);
  ASSERT_LT(basic.size(), full.size());
  EXPECT_EQ(std::vector(full.begin(), full.begin() + static_cast<long>(basic.size())), basic);
  EXPECT_EQ(std::set(full.begin(), full.end()).size(), full.size());
}

class MetricSetsOnChips : public testing::Test {
 protected:
  void SetUp() override {
    const CuptiSearch search = SearchCupti(RealSystem(), std::nullopt, 0);
    void* library = search.chosen ? dlopen(search.chosen->path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library == nullptr || !cupti::FindProfilerFunctions(library, &functions_)) GTEST_SKIP() << "no CUPTI here";
    cupti::MetricHost host;
    if (host.Open(&functions_, cupti::kRangeProfiler, "GH100", nullptr) != cupti::kOk)
      GTEST_SKIP() << "no metrics without a device";
  }
  // Of `set`, those that `chip` has; they go together in `passes`.
  std::vector<const char*> Known(MetricSet set, const char* chip, size_t* passes) {
    cupti::MetricHost host;
    std::vector<const char*> known;
    EXPECT_EQ(host.Open(&functions_, cupti::kRangeProfiler, chip, nullptr), cupti::kOk) << chip;
    for (const std::string_view name : MetricsOf(set)) {
      if (host.Knows(name.data())) known.push_back(name.data());
    }
    EXPECT_EQ(host.Configure(known.data(), known.size()), cupti::kOk) << chip;
    *passes = host.passes();
    return known;
  }

  cupti::ProfilerFunctions functions_;
};

TEST_F(MetricSetsOnChips, BasicIsKnownOfEveryDataCentreChipInFewPasses) {
  for (const char* chip : {"GV100", "TU102", "GA100", "GA102", "AD102", "GH100", "GB100"}) {
    size_t passes = 0;
    EXPECT_EQ(Known(MetricSet::kBasic, chip, &passes).size(), MetricsOf(MetricSet::kBasic).size()) << chip;
    EXPECT_LE(passes, 20u) << chip;
  }
}

TEST_F(MetricSetsOnChips, FullGoesTogether) {
  for (const char* chip : {"GV100", "TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"}) {
    size_t passes = 0;
    EXPECT_GE(Known(MetricSet::kFull, chip, &passes).size(), MetricsOf(MetricSet::kFull).size() * 8 / 10) << chip;
    EXPECT_LE(passes, 45u) << chip;
  }
}

TEST_F(MetricSetsOnChips, EveryNameIsThatOfSomeChip) {
  std::set<std::string_view> known;
  for (const char* chip : {"GV100", "GA100", "GH100", "GB100"}) {
    size_t passes = 0;
    for (const char* name : Known(MetricSet::kFull, chip, &passes)) known.insert(name);
  }
  for (const std::string_view name : MetricsOf(MetricSet::kFull)) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace warpscope::record

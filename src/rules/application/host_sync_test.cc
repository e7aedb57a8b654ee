#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::kUs;
using testing::Loop;

TEST(HostSync, FiresWhenEachLayerReadsAValue) {
  Loop loop;
  loop.Steps(5, [&](int) {
    for (int layer = 0; layer < 20; ++layer) loop.Kernels(3, 30 * kUs, 15 * kUs).Item().Work(60 * kUs);
  });
  const Outcome outcome = testing::Evaluate("host_sync", loop.builder);
  testing::ExpectFires(outcome);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_NE(outcome.findings[0].subject.find("aten::item"), std::string::npos);
}

// The call waits for work that had to be done; the next work follows at once.
TEST(HostSync, SilentWhenTheWaitCostsNoIdleTime) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(40, kMs, 10 * kUs).Item(); });
  testing::ExpectSilent(testing::Evaluate("host_sync", loop.builder));
}

TEST(HostSync, SilentForTheWaitOfAPageableUpload) {
  Loop loop;
  loop.Steps(5, [&](int) {
    loop.Upload(64 * testing::kMiB, 8 * kMs, false).Kernels(20, 100 * kUs);
    loop.builder.AddCall("cudaDeviceGetAttribute", loop.now, kUs, 77);
  });
  testing::ExpectSilent(testing::Evaluate("host_sync", loop.builder));
}

TEST(HostSync, SilentForFreesOfTheAllocator) {
  Loop loop;
  loop.Steps(5, [&](int) { loop.Kernels(20, 50 * kUs).Sync("cudaFree", 100 * kUs).Work(kMs); });
  testing::ExpectSilent(testing::Evaluate("host_sync", loop.builder));
}

TEST(HostSync, AbstainsWithoutHostRows) {
  model::testing::TraceBuilder builder;
  for (int i = 0; i < 20; ++i) builder.AddKernel("k", i * 100 * kUs, 50 * kUs);
  testing::ExpectAbstains(testing::Evaluate("host_sync", builder));
}

}  // namespace
}  // namespace warpscope::rules
